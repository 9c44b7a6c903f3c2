"""One metric in one variant against the control: the difference, its interval and p-value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import exp, log, log1p
from typing import Any

from cleverdon.online.abtest.arms import Aggregates, Arm, Arms, arms, tea
from cleverdon.online.abtest.results import Adjustment, Effect, Side
from cleverdon.online.abtest.sequential import always_valid_p, confidence_sequence
from cleverdon.online.abtest.users import Columns
from cleverdon.online.metrics.base import Ratio


@dataclass(frozen=True)
class How:
    """How effects are tested."""

    level: float
    cuped: bool
    sequential: bool
    wanted: float
    """The difference that must not be missed, as a share of the control's value."""

    def spread(self, found: Arms) -> float:
        """The differences that are thought possible: as large as the wanted one, more or less."""
        return self.wanted * abs(found.control.value)


def effect(
    metric: Ratio,
    names: tuple[str, str],
    columns: Columns,
    control: Aggregates,
    variant: Aggregates,
    how: How,
) -> tuple[Effect, Arms | None]:
    """The effect, and the arms that it is made of, where it can be tested."""
    found = arms(columns, control, variant, cuped=how.cuped)
    if found is None:
        undefined = Effect(metric, *names, sides=None, untested=metric.undefined)
        return undefined, None
    sides = (_side(found.control, metric), _side(found.variant, metric))
    value = found.control.value
    difference = found.difference / metric.scale
    plain = Effect(
        metric,
        *names,
        sides=sides,
        difference=difference,
        relative=found.difference / abs(value) if value else None,
    )
    if min(found.control.users, found.variant.users) < 2:
        return replace(plain, untested="a variant has but one user"), None
    if not found.squared_error:
        # An interval from 0 to 0 would claim to be sure, and nothing is known of chance at all.
        return replace(plain, untested=_all_alike(metric, found)), None
    if how.sequential and not value:
        return replace(plain, untested=_NO_SPREAD), None
    tested = _tested(plain, found, columns, control, variant, how)
    if how.sequential:
        tested = _sequential(tested, found, how)
    tested = _possible(tested)
    if found.coefficient:
        adjustment = _adjustment(found, columns, control, variant, metric)
        tested = replace(tested, adjustment=adjustment)
    return tested, found


_NO_SPREAD = (
    "the control's value is 0, of which no share can be the difference that a test for those who "
    "look often is made for"
)


def _all_alike(metric: Ratio, found: Arms) -> str:
    """Why there is nothing to test, where the users of neither variant vary."""
    if found.difference:
        return (
            "users do not vary within either variant, so that nothing tells what chance alone "
            "would do"
        )
    if metric.kind == "share" and found.control.value == 0:
        return f"neither variant has any {metric.counted}, so that there is nothing to compare"
    return "all users of both variants are alike, so that there is nothing to compare"


def _possible(tested: Effect) -> Effect:
    """With an interval of what can be: two shares differ by 1 at most."""
    if tested.metric.kind != "share" or tested.low is None or tested.high is None:
        return tested
    return replace(tested, low=max(tested.low, -1.0), high=min(tested.high, 1.0))


def _side(arm: Arm, metric: Ratio) -> Side:
    return Side(
        users=arm.users,
        value=arm.value / metric.scale,
        raw=arm.raw / metric.scale,
        denominator=arm.denominator,
        heaviest=arm.heaviest / arm.denominator,
    )


def _tested(
    plain: Effect,
    found: Arms,
    columns: Columns,
    control: Aggregates,
    variant: Aggregates,
    how: How,
) -> Effect:
    """With an interval and a p-value by Welch's t, for those who look once."""
    past: dict[str, Any] = {}
    if found.coefficient:
        past = {
            "numer_covariate": columns.numerator_before,
            "denom_covariate": columns.denominator_before,
        }
    result = _welch(
        columns.numerator, columns.denominator, control, variant, level=how.level, **past
    )
    positive = found.control.value > 0 and found.variant.value > 0
    scale = plain.metric.scale
    return replace(
        plain,
        low=result.effect_size_ci_lower / scale,
        high=result.effect_size_ci_upper / scale,
        relative_low=result.rel_effect_size_ci_lower if positive else None,
        relative_high=result.rel_effect_size_ci_upper if positive else None,
        p=float(result.pvalue),
        fixed_p=float(result.pvalue),
    )


def _welch(
    numerator: str,
    denominator: str,
    control: Aggregates,
    variant: Aggregates,
    *,
    level: float,
    **past: str,
) -> Any:
    metric = tea().RatioOfMeans(
        numerator,
        denominator,
        **past,
        alternative="two-sided",
        confidence_level=1 - level,
        equal_var=False,
        use_t=True,
    )
    return metric.analyze_aggregates(control, variant)


def _sequential(tested: Effect, found: Arms, how: How) -> Effect:
    """The same for those who look as often as they like."""
    spread, scale = how.spread(found), tested.metric.scale
    variance = found.squared_error
    low, high = confidence_sequence(
        found.difference, variance=variance, spread=spread, level=how.level
    )
    p = always_valid_p(found.difference, variance=variance, spread=spread)
    tested = replace(tested, low=low / scale, high=high / scale, p=p)
    if tested.relative_low is None:
        return tested
    # Of the logarithm of the two values' ratio, so that no end can be below -100%.
    logarithmic = sum(arm.squared_error / arm.value**2 for arm in (found.control, found.variant))
    ends = confidence_sequence(
        log(found.variant.value / found.control.value),
        variance=logarithmic,
        spread=log1p(how.wanted),
        level=how.level,
    )
    low, high = (exp(min(end, 700.0)) - 1 for end in ends)
    return replace(tested, relative_low=low, relative_high=high)


def _adjustment(
    found: Arms, columns: Columns, control: Aggregates, variant: Aggregates, metric: Ratio
) -> Adjustment:
    plain = arms(columns, control, variant, cuped=False)
    assert plain is not None
    past = (columns.numerator_before, columns.denominator_before)
    users = found.control.users + found.variant.users
    known = sum(side.count() * side.mean(columns.known_before) for side in (control, variant))
    varies = any(side.ratio_var(*past) > 0 for side in (control, variant))
    return Adjustment(
        removed=1 - found.squared_error / plain.squared_error,
        known=known / users,
        raw_difference=plain.difference / metric.scale,
        p_before=float(_welch(*past, control, variant, level=0.05).pvalue) if varies else None,
    )

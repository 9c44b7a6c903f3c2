"""Effects on a metric or guardrail: the difference to the control, its interval and p-value.

The engine computes the sums over users, as tea-tasting's aggregates. The variance of a ratio is
that of the delta method over users: Deng, Knoblich & Lu 2018, doi:10.1145/3219819.3219919. CUPED
subtracts what the same users' past explains: Deng, Xu, Kohavi & Walker 2013,
doi:10.1145/2433396.2433413.

An interval is all differences that the test does not reject, and the interval of the relative
difference is all factors r for which it does not reject that the variant's value is r times the
control's (Fieller 1954, doi:10.1111/j.2517-6161.1954.tb00159.x). So neither can contradict the
p-value about 0, nor about the margin of a guardrail.

A guardrail is a one-sided test of non-inferiority: a variant that is not significantly worse may
still be worse, because with few users nothing is significant. Several guardrails need no
correction if all of them must be kept. Schultzberg, Ankargren & Franberg 2024, arXiv:2402.11609.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

from cleverdon._common.extras import require
from cleverdon.errors import OptionError
from cleverdon.logs.abtest.results import (
    Adjustment,
    Effect,
    Guardrail,
    GuardrailVerdict,
    Limits,
    Side,
)
from cleverdon.logs.metrics.base import Ratio
from cleverdon.stats.intervals import t_outside, t_quantile
from cleverdon.stats.tests import always_valid_p, sequential_boundary, welch_freedom, welch_tails

if TYPE_CHECKING:
    import ibis


Aggregates = Any
"""tea-tasting's aggregates: the number of users; means, variances, covariances of columns."""


@dataclass(frozen=True)
class MetricColumns:
    """The columns of a metric in the table of users: its parts, and those before the experiment."""

    numerator: str
    denominator: str
    numerator_before: str
    denominator_before: str
    known_before: str  # 1 for a user with data from before, else 0
    heaviest: str  # the largest denominator of any user in the variant

    @classmethod
    def of(cls, place: int) -> MetricColumns:
        before = (f"before_n{place}", f"before_d{place}", f"before{place}")
        return cls(f"n{place}", f"d{place}", *before, f"heaviest{place}")

    @property
    def during(self) -> tuple[str, str]:
        return self.numerator, self.denominator

    @property
    def before(self) -> tuple[str, str]:
        return self.numerator_before, self.denominator_before


@dataclass(frozen=True)
class Arm:
    """A metric in one variant."""

    users: int
    value: float
    variance: float  # times the number of users
    raw: float  # the value without adjustment
    denominator: float
    heaviest: float

    @property
    def squared_error(self) -> float:
        return self.variance / self.users


@dataclass(frozen=True)
class Arms:
    """A metric in the control and in a variant."""

    control: Arm
    variant: Arm
    coefficient: float = 0.0  # of the past, by CUPED

    @property
    def difference(self) -> float:
        return self.variant.value - self.control.value

    @property
    def squared_error(self) -> float:
        return self.control.squared_error + self.variant.squared_error

    @property
    def deviation(self) -> float:
        """The standard error of the difference, times the root of the number of users."""
        return sqrt(self.squared_error * (self.control.users + self.variant.users))

    def beyond(self, factor: float) -> float:
        """Return by how much the variant's value is above this factor of the control's."""
        return self.variant.value - factor * self.control.value

    def squared_errors(self, factor: float) -> tuple[float, float]:
        """Return the parts of the squared error of that: the variant's, and the control's."""
        return self.variant.squared_error, factor * factor * self.control.squared_error

    @property
    def users(self) -> tuple[int, int]:
        """The users of the variant, and those of the control."""
        return self.variant.users, self.control.users


def load_tea_tasting() -> Any:
    tea_tasting = require("tea_tasting", "an A/B test", package="tea-tasting", extra="logs")
    require("tea_tasting.aggr", "an A/B test", package="tea-tasting", extra="logs")
    return tea_tasting


def aggregate_users(table: ibis.Table, count: int) -> dict[str, Aggregates]:
    """Let the engine compute means, variances and covariances over users, by variant."""
    means: list[str] = []
    spreads: list[str] = []
    pairs: list[tuple[str, str]] = []
    for place in range(count):
        named = MetricColumns.of(place)
        columns = sorted((*named.during, *named.before))
        means += [*columns, named.known_before, named.heaviest]
        spreads += columns
        pairs += combinations(columns, 2)
    found: dict[str, Aggregates] = load_tea_tasting().aggr.read_aggregates(
        table, "variant", has_count=True, mean_cols=means, var_cols=spreads, cov_cols=pairs
    )
    return found


def _build_arms(
    columns: MetricColumns, control: Aggregates, variant: Aggregates, *, cuped: bool
) -> Arms | None:
    """Return the arms of a comparison; None if the metric is undefined in one of them."""
    if any(not side.mean(columns.denominator) for side in (control, variant)):
        return None
    plain = Arms(_arm(columns, control), _arm(columns, variant))
    past = columns.before
    if not cuped or any(side.count() < 2 or not side.mean(past[1]) for side in (control, variant)):
        return plain
    both = control + variant
    spread = both.ratio_var(*past)
    if not spread > 0:
        return plain
    # Users without a past add nothing to its sums: they stay in the test, without adjustment.
    coefficient = both.ratio_cov(*columns.during, *past) / spread
    middle = _ratio(both, past)
    first, second = (_arm(columns, side, coefficient, middle) for side in (control, variant))
    # An adjustment that moves a share to 0 or below makes no sense.
    sound = all(
        arm.value * arm.raw > 0 and 0 < arm.squared_error < arm.value * arm.value
        for arm in (first, second)
    )
    return Arms(first, second, float(coefficient)) if sound else plain


def _ratio(side: Aggregates, parts: tuple[str, str]) -> Any:
    return side.mean(parts[0]) / side.mean(parts[1])


def _arm(
    columns: MetricColumns, side: Aggregates, coefficient: float | None = None, middle: float = 0.0
) -> Arm:
    """Return one arm, adjusted by its past if there is a coefficient."""
    value = raw = _ratio(side, columns.during)
    variance = side.ratio_var(*columns.during) if side.count() > 1 else 0.0
    if coefficient is not None:
        past = columns.before
        value = raw - coefficient * (_ratio(side, past) - middle)
        variance += coefficient * coefficient * side.ratio_var(*past)
        variance -= 2 * coefficient * side.ratio_cov(*columns.during, *past)
    rounding = 1e-12 * value * value
    return Arm(
        users=side.count(),
        value=value,
        variance=0.0 if variance <= rounding else variance,
        raw=raw,
        denominator=side.mean(columns.denominator) * side.count(),
        heaviest=side.mean(columns.heaviest),
    )


@dataclass(frozen=True)
class EffectOptions:
    """Options of the tests of effects."""

    level: float
    cuped: bool
    sequential: bool
    wanted: float  # the difference to be detected, as a share of the control's value
    confidence: float  # of intervals

    def p_value(self, found: Arms, factor: float = 1.0) -> float:
        """Return the p-value of the variant's value being this factor of the control's."""
        beyond, errors = found.beyond(factor), found.squared_errors(factor)
        variance = sum(errors)
        if variance == 0:  # as of the variant's value alone, where only the control's varies
            return float(beyond == 0)
        if self.sequential:
            return always_valid_p(beyond, variance=variance, spread=self.spread(found))
        return t_outside(abs(beyond) / sqrt(variance), welch_freedom(errors, found.users))

    def reach(self, found: Arms, outside: float) -> float:
        """Return how far the true difference can be off before it is rejected, at this level."""
        variance = found.squared_error
        if self.sequential:
            count = sequential_boundary(variance, spread=self.spread(found), level=outside)
        else:
            freedom = welch_freedom(found.squared_errors(1.0), found.users)
            count = t_quantile(1 - outside, freedom)
        return count * sqrt(variance)

    def spread(self, found: Arms) -> float:
        """Return the standard deviation of the prior of the sequential test."""
        return self.wanted * abs(found.control.value)


def estimate_effect(
    metric: Ratio,
    names: tuple[str, str],
    columns: MetricColumns,
    control: Aggregates,
    variant: Aggregates,
    how: EffectOptions,
) -> tuple[Effect, Arms | None]:
    """Return the effect, and its arms if it can be tested."""
    found = _build_arms(columns, control, variant, cuped=how.cuped)
    if found is None:
        return Effect(metric, *names, sides=None, untested=metric.undefined), None
    value = found.control.value
    effect = Effect(
        metric,
        *names,
        sides=(_side(found.control, metric), _side(found.variant, metric)),
        difference=found.difference / metric.scale,
        relative=found.difference / abs(value) if value else None,
    )
    if untested := _reason_not_to_test(metric, found, how):
        return replace(effect, untested=untested), None
    alone = effect_limits(metric, found, how, 1 - how.confidence)
    effect = effect.within(alone, how.confidence, unadjusted=alone)
    once = replace(how, sequential=False)
    effect = replace(effect, p=how.p_value(found), fixed_p=once.p_value(found))
    if found.coefficient:
        adjustment = _adjustment(found, columns, control, variant, metric)
        effect = replace(effect, adjustment=adjustment)
    return effect, found


def _reason_not_to_test(metric: Ratio, found: Arms, how: EffectOptions) -> str:
    value = found.control.value
    if min(found.control.users, found.variant.users) < 2:
        return "a variant has only one user"
    if found.squared_error:
        if how.sequential and not value:
            return (
                "the control's value is 0, and a sequential test needs a difference relative to it"
            )
        return ""
    # An interval from 0 to 0 would claim certainty, although the variance is unknown.
    if found.difference:
        return "users do not vary within either variant, so the effect of chance is unknown"
    if metric.kind == "share" and value == 0:
        return f"neither variant has any {metric.counted}, so there is nothing to compare"
    return "all users of both variants have the same value, so there is nothing to compare"


def _side(arm: Arm, metric: Ratio) -> Side:
    return Side(
        users=arm.users,
        value=arm.value / metric.scale,
        raw=arm.raw / metric.scale,
        denominator=arm.denominator,
        heaviest=arm.heaviest / arm.denominator,
    )


def effect_limits(metric: Ratio, found: Arms, how: EffectOptions, outside: float) -> Limits:
    """Return the ends of the intervals that have the truth outside in this share of cases."""
    reach = how.reach(found, outside)
    low, high = ((found.difference + to) / metric.scale for to in (-reach, reach))
    if metric.kind == "share":
        low, high = max(low, -1.0), min(high, 1.0)
    return Limits(low, high, *_relative_ends(found, how, outside))


_LARGEST_FACTOR = 1e6


def _relative_ends(
    found: Arms, how: EffectOptions, outside: float
) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of the relative difference; None where the control's value may be 0."""
    if not (found.control.value > 0 and found.variant.value > 0):
        return None, None
    middle = found.variant.value / found.control.value

    def rejected(factor: float) -> float:
        return outside - how.p_value(found, factor)

    above = 2 * middle
    while rejected(above) <= 0:
        above *= 2
        if above > _LARGEST_FACTOR * middle:
            return None, None
    solve = require("scipy.optimize", "an A/B test", package="scipy", extra="logs").brentq
    # No value is below 0, so that no relative difference is below -100%.
    low = solve(rejected, 0.0, middle, xtol=1e-14) if rejected(0.0) > 0 else 0.0
    return low - 1, solve(rejected, middle, above, xtol=1e-14) - 1


def _p_value_before(past: tuple[str, str], control: Aggregates, variant: Aggregates) -> float:
    metric = load_tea_tasting().RatioOfMeans(
        *past,
        alternative="two-sided",
        equal_var=False,
        use_t=True,
    )
    return float(metric.analyze_aggregates(control, variant).pvalue)


def _adjustment(
    found: Arms, columns: MetricColumns, control: Aggregates, variant: Aggregates, metric: Ratio
) -> Adjustment:
    plain = _build_arms(columns, control, variant, cuped=False)
    assert plain is not None
    past = columns.before
    users = found.control.users + found.variant.users
    known = sum(side.count() * side.mean(columns.known_before) for side in (control, variant))
    varies = any(side.ratio_var(*past) > 0 for side in (control, variant))
    return Adjustment(
        removed=1 - found.squared_error / plain.squared_error,
        known=known / users,
        raw_difference=plain.difference / metric.scale,
        p_before=_p_value_before(past, control, variant) if varies else None,
    )


_MARGIN = 0.02  # the default margin of a guardrail, as a share of the control's value


def guardrail_margins(given: Mapping[str, float] | Iterable[str]) -> dict[str, float]:
    """Return the margin of each guardrail: as given, from `NAME=MARGIN`, or the default."""
    if isinstance(given, Mapping):
        found = dict(given)
    else:
        found = {}
        for one in [given] if isinstance(given, str) else given:
            name, equals, margin = one.partition("=")
            try:
                found[name.strip()] = float(margin) if equals else _MARGIN
            except ValueError:
                raise OptionError(
                    f"guardrail {one!r}: a margin is a share, as in Latency=0.02"
                ) from None
    for name, share in found.items():
        if not (isfinite(share) and 0 < share < 1):
            raise OptionError(
                f"guardrail {name}={share}: a margin is a share of the control's value, between 0 "
                "and 1"
            )
    return found


def check_direction(metric: Ratio) -> Ratio:
    """Return a metric; raise OptionError if neither direction of it is worse."""
    if metric.better == "neither":
        raise OptionError(
            f"{metric} cannot be a guardrail: neither more nor less of it is worse; use another "
            "metric"
        )
    return metric


def check_guardrail(
    effect: Effect, found: Arms | None, margin: float, how: EffectOptions
) -> Guardrail:
    """Test whether a guardrail is kept or broken; it is open if neither can be shown."""
    if found is None or found.control.value == 0:
        return Guardrail(effect, margin, None, None, "open")
    worse = 1 if effect.metric.better == "lower" else -1
    factor = 1 + worse * margin
    # Below 0 is within the margin. The margin is a share of the control's value, so the variance of
    # that value is part of the test.
    beyond = worse * found.beyond(factor)
    parts = found.squared_errors(factor)
    if how.sequential:
        # The two-sided p-value for one side, which is conservative.
        p = always_valid_p(beyond, variance=sum(parts), spread=how.spread(found))
        kept, broken = (p, 1.0) if beyond < 0 else (1.0, p)
    else:
        kept, broken = welch_tails(beyond, parts, found.users)
    # Both ends are tested, each by one side, so that this interval goes with the verdict.
    sides = 1 if how.sequential or how.level >= 0.5 else 2
    ends = effect_limits(effect.metric, found, how, sides * how.level)
    effect = replace(effect, primary=False).within(ends, 1 - sides * how.level, unadjusted=ends)
    verdict: GuardrailVerdict = (
        "kept" if kept <= how.level else "broken" if broken <= how.level else "open"
    )
    return Guardrail(effect, margin, kept, broken, verdict)

"""A metric in two variants: its values, how much they vary by chance, and what CUPED takes off.

The sums over users come from the engine as tea-tasting's aggregates. A ratio's variance is by the
delta method over users: Deng, Knoblich & Lu 2018, doi:10.1145/3219819.3219919. CUPED takes off what
the same users' past explains: Deng, Xu, Kohavi & Walker 2013, doi:10.1145/2433396.2433413.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt
from typing import TYPE_CHECKING, Any

from cleverdon.errors import MissingExtra
from cleverdon.online.abtest.users import Columns

if TYPE_CHECKING:
    import ibis

Aggregates = Any
"""tea-tasting's: how many users, and the means, variances and covariances of their columns."""


@dataclass(frozen=True)
class Arm:
    """A metric in one variant."""

    users: int
    value: float
    variance: float
    """Of one user, as it were: the value's own variance is this, divided by the users."""
    raw: float
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
    coefficient: float
    """By which the past was taken off; 0 where it was not."""

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


def tea() -> Any:
    """tea-tasting, which does the testing."""
    try:
        import tea_tasting
        import tea_tasting.aggr
    except ImportError:
        raise MissingExtra("an A/B test", package="tea-tasting", extra="logs") from None
    return tea_tasting


def aggregated(table: ibis.Table, count: int) -> dict[str, Aggregates]:
    """By variant: means, variances and covariances over users, of so many metrics' columns.

    The engine adds up, and only the sums travel.
    """
    means: list[str] = []
    spreads: list[str] = []
    pairs: list[tuple[str, str]] = []
    for place in range(count):
        named = Columns.of(place)
        columns = sorted(named.parts)
        means += [*columns, named.known_before, named.heaviest]
        spreads += columns
        pairs += [(left, right) for at, left in enumerate(columns) for right in columns[at + 1 :]]
    found: dict[str, Aggregates] = tea().aggr.read_aggregates(
        table, "variant", has_count=True, mean_cols=means, var_cols=spreads, cov_cols=pairs
    )
    return found


def arms(columns: Columns, control: Aggregates, variant: Aggregates, *, cuped: bool) -> Arms | None:
    """The two arms of a comparison; None where the metric is undefined in one of them."""
    n, d = columns.numerator, columns.denominator
    if any(not side.mean(d) for side in (control, variant)):
        return None
    if cuped:
        adjusted = _adjusted(columns, control, variant)
        # A share that the past drags to 0 or below has no relative difference, and no sense.
        if adjusted is not None and _sound(adjusted.control) and _sound(adjusted.variant):
            return adjusted
    plain = [
        Arm(
            users=side.count(),
            value=side.mean(n) / side.mean(d),
            variance=side.ratio_var(n, d) if side.count() > 1 else 0.0,
            raw=side.mean(n) / side.mean(d),
            denominator=side.mean(d) * side.count(),
            heaviest=side.mean(columns.heaviest),
        )
        for side in (control, variant)
    ]
    return Arms(_without_dust(plain[0]), _without_dust(plain[1]), coefficient=0.0)


def _adjusted(columns: Columns, control: Aggregates, variant: Aggregates) -> Arms | None:
    """Both arms without what the past explains; None where there is no past to speak of.

    A user of whom nothing is known from before adds nothing to the covariate's sums, which is to
    stand at its mean: such users stay in the test, and are not adjusted.
    """
    n, d = columns.numerator, columns.denominator
    past = (columns.numerator_before, columns.denominator_before)
    sides = (control, variant)
    if any(side.count() < 2 or not side.mean(past[1]) for side in sides):
        return None
    both = control + variant
    spread = both.ratio_var(*past)
    if not spread > 0:
        return None
    coefficient = both.ratio_cov(n, d, *past) / spread
    middle = both.mean(past[0]) / both.mean(past[1])
    found = []
    for side in sides:
        raw = side.mean(n) / side.mean(d)
        found.append(
            Arm(
                users=side.count(),
                value=raw - coefficient * (side.mean(past[0]) / side.mean(past[1]) - middle),
                variance=side.ratio_var(n, d)
                + coefficient * coefficient * side.ratio_var(*past)
                - 2 * coefficient * side.ratio_cov(n, d, *past),
                raw=raw,
                denominator=side.mean(d) * side.count(),
                heaviest=side.mean(columns.heaviest),
            )
        )
    return Arms(_without_dust(found[0]), _without_dust(found[1]), coefficient=float(coefficient))


def _sound(arm: Arm) -> bool:
    return arm.value * arm.raw > 0 and 0 < arm.squared_error < arm.value * arm.value


def _without_dust(arm: Arm) -> Arm:
    """A variance that is 0 but for the last digits of floating-point numbers is 0."""
    dust = 1e-12 * arm.value * arm.value
    return replace(arm, variance=0.0) if arm.variance <= dust else arm

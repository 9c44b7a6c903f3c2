"""Power: how large a preference these queries can show, and how many queries a smaller one takes.

By the test that `preference` made, on its units: users where they are known, else queries. By the
sign test the size of a preference is delta, over units; by the t test it is mean credit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, isfinite, nan, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.compare.design import normal_difference, t_power, topics_for_t
from cleverdon.compare.needs import scipy_stats
from cleverdon.errors import OptionError
from cleverdon.online.interleaving.preference import Preference

TARGET = 0.8
"""The power that is asked for by convention."""

_EXACT_UP_TO = 5_000
"""With more units than these, the normal distribution is as good as the binomial."""


@dataclass(frozen=True)
class Power:
    """What an experiment can show, and what it would take."""

    unit: str
    test: str
    size: float
    """The preference that is taken to be true, whichever the direction."""
    power: float
    """How likely the units at hand show it."""
    target: float
    level: float
    smallest: float
    """The smallest that the units at hand show with the target power; NaN where they show none."""
    units_needed: float
    """Units with clicks that show `size` with the target power. Infinite where it is 0; NaN where
    nothing is known, or where there are too many ties for a preference of that size."""
    impressions_needed: float
    """Result pages it takes to have so many, at the rate at which those at hand were clicked."""


def power(found: Preference, *, size: float | None = None, target: float = TARGET) -> Power:
    """What the queries of an experiment can show, for a preference of that size.

    Without `size`, it is the one that was seen; for that one, power is the p-value in other words.

    >>> from cleverdon.online.interleaving import Credits, preference
    >>> from cleverdon.online.interleaving.credit import QueryCredit
    >>> queries = [QueryCredit(f"q{i}", None, float(i < 12), 6.0, i % 2) for i in range(200)]
    >>> one = power(preference(Credits(tuple(queries), {}, counted=100)), size=0.1)
    >>> round(one.power, 2), round(one.smallest, 3), one.units_needed, one.impressions_needed
    (0.46, 0.145, 210, 420)
    """
    level = found.level
    if not level < target < 1:
        raise OptionError(f"target={target}: power lies between the level, {level:g}, and 1")
    if size is not None and not 0 < size < inf:
        raise OptionError(
            f"size={size} (--difference): a preference to be found is a number above 0"
        )
    by_test = _by_signs if found.test == "sign" else _by_credit
    assumed, shown, smallest, needed = by_test(found, size, target)
    units, impressions = found.units.all, found.queries.all + found.not_clicked
    return Power(
        unit=found.unit,
        test=found.test,
        size=assumed,
        power=shown,
        target=target,
        level=level,
        smallest=smallest,
        units_needed=needed,
        impressions_needed=(
            ceil(needed * impressions / units) if units and isfinite(needed) else needed
        ),
    )


def _by_signs(
    found: Preference, size: float | None, target: float
) -> tuple[float, float, float, float]:
    votes, level = found.units, found.level
    wanted = abs(votes.delta) if size is None else size
    decided = (votes.a + votes.b) / votes.all if votes.all else nan
    return (
        wanted,
        power_of(wanted, votes.all, decided=decided, level=level),
        smallest_delta(votes.all, decided=decided, level=level, target=target),
        units_needed(wanted, decided=decided, level=level, target=target),
    )


def _by_credit(
    found: Preference, size: float | None, target: float
) -> tuple[float, float, float, float]:
    units, spread = found.units.all, found.deviation
    wanted = abs(found.credit) if size is None else size
    if not spread > 0:
        return wanted, nan, nan, nan
    # What is tested is the credit of a unit, which is that of all its queries.
    times = found.queries.all / units
    about: dict[str, Any] = {"level": found.level, "power": target}
    return (
        wanted,
        t_power(wanted * times, spread, units, level=found.level),
        normal_difference(spread, units, **about) / times,
        topics_for_t(wanted * times, spread, **about),
    )


def power_of(delta: float, units: int, *, decided: float = 1.0, level: float = 0.05) -> float:
    """How likely the sign test shows a preference, of so many units with clicks.

    `decided` is the share of them that are for either ranking; the others are ties, and left out.

    >>> round(power_of(0.1, 199), 3)
    0.804
    """
    if not _possible(delta, decided):
        return nan
    return float(_found(np.array([round(units * decided)]), 0.5 + delta / decided, level)[0])


def units_needed(
    delta: float, *, decided: float = 1.0, level: float = 0.05, target: float = TARGET
) -> float:
    """The units with clicks from which on the sign test shows a preference with that power.

    Power is no straight line: one unit more may lower it a little, since a p-value can only have
    certain values. From this number on it stays above the target. Infinite where delta is 0, NaN
    where it is larger than ties leave room for.

    >>> units_needed(0.1), units_needed(0.1, decided=0.5), units_needed(0.01)
    (210, 108, 19620)
    """
    if not 0 < level < target < 1:
        raise OptionError(f"level={level}, target={target}: it takes 0 < level < target < 1")
    if not _possible(delta, decided):
        return nan
    if delta == 0:
        return inf
    win = 0.5 + delta / decided
    if win == 0.5:
        return inf  # too small to be told from no preference at all
    normal = NormalDist()
    reach = -normal.inv_cdf(level / 2) / 2 + normal.inv_cdf(target) * sqrt(win * (1 - win))
    near = ceil((reach / (win - 0.5)) ** 2)
    if near > _EXACT_UP_TO:
        return ceil(near / decided)
    counts = np.arange(1, 2 * near + 50, dtype=np.int64)
    short = np.flatnonzero(_found(counts, win, level) < target)
    return ceil((int(short[-1]) + 2 if len(short) else 1) / decided)


def smallest_delta(
    units: int, *, decided: float = 1.0, level: float = 0.05, target: float = TARGET
) -> float:
    """The smallest preference that so many units with clicks show with that power, to 1e-4.

    NaN where they are too few to show any.
    """
    if not decided > 0 or not power_of(decided / 2, units, decided=decided, level=level) >= target:
        return nan
    low, high = 0.0, decided / 2
    while high - low > 1e-4:
        middle = (low + high) / 2
        shown = power_of(middle, units, decided=decided, level=level) >= target
        low, high = (low, middle) if shown else (middle, high)
    return high


def _possible(delta: float, decided: float) -> bool:
    """Whether there can be such a preference where so many units are for either."""
    return 0 <= delta <= decided / 2 * (1 + 1e-12) and decided > 0


def _found(counts: Ints, win: float, level: float) -> Floats:
    """How likely the two-sided sign test of each count is significant, if A wins so often."""
    binom = scipy_stats("the power of a sign test").binom
    # The most losses that still are significant; -1 where even none would not be.
    most = binom.ppf(level / 2, counts, 0.5)
    most -= binom.cdf(most, counts, 0.5) > level / 2
    win = min(win, 1.0)
    found: Floats = binom.cdf(most, counts, 1 - win) + binom.cdf(most, counts, win)
    return found

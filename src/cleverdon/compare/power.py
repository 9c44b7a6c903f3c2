"""Power: would this many topics show the difference, and how many would?

The power of a comparison is how likely it is to find a difference of a given size. For the one that
was seen it says nothing new: it is the p-value in other words (Hoenig & Heisey 2001,
doi:10.1198/000313001300339897). Ask about the difference that matters to you.

By formula it is that of a paired t-test. By resampling, topics are drawn with replacement from
those at hand and put to the comparison's own test, over and over. Differences are means over
topics, of a measure that is a geometric mean those of logarithms.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import copysign, inf, nan
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Floats
from cleverdon.compare.design import (
    fewest,
    normal_difference,
    normal_topics,
    t_power,
    topics_for_t,
)
from cleverdon.compare.paired import Comparison
from cleverdon.compare.saddlepoint import saddlepoint, step_of
from cleverdon.compare.sizes import deviation
from cleverdon.compare.tests import ALTERNATIVES, DECIMALS, p_values
from cleverdon.errors import OptionError, check_word
from cleverdon.measures.base import Measure

TARGET = 0.8
"""The power that is asked for by convention."""

METHODS = {
    "resampling": "the comparison's own test, on topics drawn with replacement",
    "t": "the formula of the paired t-test",
}

RESAMPLED = ("randomisation", "t", "wilcoxon", "sign")
"""The tests that resampling is quick enough for."""

_RESAMPLES = 1000
_EXACT_UP_TO = 12
"""So many differences that are not 0 are tried with all their signs."""
_BLOCK = 4_000_000
_UP_TO = 2_000
"""With more topics than these the mean is normal, and nothing is drawn."""


@dataclass(frozen=True)
class Power:
    """What one comparison can show, and what it would take."""

    system: str
    baseline: str
    measure: Measure
    topics: int
    difference: float  # the mean difference that is taken to be true
    deviation: float  # the standard deviation of the differences over topics
    level: float  # that one p-value has to reach
    power: float  # how likely the difference is found
    target: float
    smallest: float  # the smallest difference that is found with the target power; NaN of no spread
    needed: float  # the topics with which the difference is; infinite where none suffice
    method: str


def power(
    comparison: Comparison,
    *,
    difference: float | None = None,
    target: float = TARGET,
    level: float | None = None,
    method: str | None = None,
    seed: int = 0,
) -> list[Power]:
    """The power of every comparison that was made.

    `difference` is the mean difference to be found, in the direction of the one seen; without it,
    the one seen. `level` is what a p-value has to reach; without it, the comparison's, divided by
    the number of comparisons where they are corrected: with that, a difference is significant
    whatever the others are. `method` is one of `METHODS`; without it, the formula where the
    comparison is by t-test, resampling elsewhere. All is NaN where there is only one topic.

    >>> from cleverdon import evaluate
    >>> from cleverdon.compare import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> mixed = {query: (good if query < "q4" else poor)[query] for query in qrels}
    >>> found = compare(evaluate(qrels, {"poor": poor, "mixed": mixed}, "RR"), baseline="poor")
    >>> power(found)[0].needed
    11
    """
    method = method or ("t" if comparison.test == "t" else "resampling")
    check_word("method", method, METHODS)
    if method == "resampling" and comparison.test not in RESAMPLED:
        raise OptionError(
            f"there is no resampling for test={comparison.test!r}, only for "
            f"{', '.join(RESAMPLED)}; method='t' takes the formula of the t-test"
        )
    if difference is not None and not difference > 0:
        raise OptionError(f"difference={difference}: a difference to be found is above 0")
    level = comparison.level / comparison.family if level is None else level
    if not 0 < level < target < 1:
        raise OptionError(f"level={level}, target={target}: it takes 0 < level < target < 1")
    values = {sample.measure: (sample, sample.summable) for sample in comparison.samples}
    how: dict[str, Any] = {"level": level, "alternative": comparison.alternative, "seed": seed}
    how |= {"test": comparison.test, "method": method}
    found = []
    for one in comparison.differences:
        sample, of = values[one.measure]
        rows = of[sample.systems.index(one.system)] - of[sample.systems.index(one.baseline)]
        seen = float(rows.mean())
        assumed = seen if difference is None else _pointed(difference, comparison.alternative, seen)
        found.append(
            Power(
                system=one.system,
                baseline=one.baseline,
                measure=one.measure,
                topics=len(rows),
                difference=assumed,
                deviation=deviation(rows),
                level=level,
                power=power_of(rows, difference=assumed, **how),
                target=target,
                smallest=smallest_difference(rows, target=target, **how),
                needed=topics_needed(rows, difference=assumed, target=target, **how),
                method=method,
            )
        )
    return found


def power_of(
    differences: Floats,
    *,
    difference: float | None = None,
    topics: int | None = None,
    level: float = 0.05,
    alternative: str = "two-sided",
    test: str = "randomisation",
    method: str = "resampling",
    seed: int = 0,
) -> float:
    """How likely a difference is found, given how differences vary over topics.

    `difference` is the mean difference that is taken to be true, `topics` their number; without
    them, those at hand. By resampling, it is the share of sets of topics, drawn from those at hand
    and shifted to that mean, on which the test finds it; the randomisation test by formula where
    more than 12 differences are not 0. NaN of one topic, which says nothing about how they vary.
    """
    check_word("method", method, METHODS)
    check_word("alternative", alternative, ALTERNATIVES)
    if len(differences) < 2:
        return nan
    mean = float(differences.mean())
    wanted = mean if difference is None else difference
    n = len(differences) if topics is None else topics
    if method == "t":
        return t_power(wanted, deviation(differences), n, level=level, alternative=alternative)
    shifted = np.round(differences + (wanted - mean), DECIMALS)
    step = step_of(shifted)
    found = 0
    random = np.random.default_rng(seed)
    for start in range(0, _RESAMPLES, block := max(1, _BLOCK // n)):
        size = (min(block, _RESAMPLES - start), n)
        rows = shifted[random.integers(0, len(shifted), size=size)]
        found += int(_significant(rows, test, level, alternative, step).sum())
    return found / _RESAMPLES


def topics_needed(
    differences: Floats,
    *,
    difference: float | None = None,
    target: float = TARGET,
    level: float = 0.05,
    alternative: str = "two-sided",
    test: str = "randomisation",
    method: str = "resampling",
    seed: int = 0,
) -> float:
    """The fewest topics with which a difference is found with the target power.

    `difference` is the mean difference that is taken to be true; without it, the one seen. Infinite
    where it is 0 or in the direction that is not asked about, NaN of one topic. What resampling
    finds is right to a few in a hundred.

    >>> topics_needed(np.array([0.1, 0.2, -0.1, 0.3, 0.0, 0.2, -0.2, 0.1]))
    41
    """
    if len(differences) < 2:
        return nan
    wanted = float(differences.mean()) if difference is None else difference
    about: dict[str, Any] = {"level": level, "alternative": alternative}
    spread = deviation(differences)
    near = normal_topics(wanted, spread, power=target, **about)
    if method == "t":
        return topics_for_t(wanted, spread, power=target, **about)
    if near > _UP_TO:
        return near
    how = about | {"test": test, "method": method, "seed": seed}
    return fewest(
        lambda n: power_of(differences, difference=wanted, topics=n, **how) >= target,
        near=int(near),
    )


def smallest_difference(
    differences: Floats,
    *,
    target: float = TARGET,
    level: float = 0.05,
    alternative: str = "two-sided",
    test: str = "randomisation",
    method: str = "resampling",
    seed: int = 0,
) -> float:
    """The smallest difference that these topics show with the target power, to three digits.

    In the direction of the one seen, or of the one-sided test. NaN where the differences do not
    vary, infinite where the topics are too few to show anything at that level.
    """
    spread = deviation(differences)
    if not spread > 0:
        return nan
    about: dict[str, Any] = {"level": level, "alternative": alternative}
    how = about | {"test": test, "method": method, "seed": seed}

    def shown(size: float) -> bool:
        wanted = _pointed(size, alternative, float(differences.mean()))
        return power_of(differences, difference=wanted, **how) >= target

    low, high = 0.0, normal_difference(spread, len(differences), power=target, **about)
    while not shown(high):
        low, high = high, 2 * high
        if high > 1e6 * spread:
            return inf
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
    return high


def _pointed(size: float, alternative: str, seen: float) -> float:
    """A difference of that size, in the direction that is asked about, or else of the one seen."""
    return copysign(size, {"two-sided": seen, "greater": 1.0, "less": -1.0}[alternative])


def _significant(rows: Floats, test: str, level: float, alternative: str, step: float) -> Bools:
    """Which rows of differences the test finds to be more than chance."""
    by_formula = np.zeros(len(rows), dtype=bool)
    if test == "randomisation":
        by_formula = np.count_nonzero(rows, axis=1) > _EXACT_UP_TO
    p = np.empty(len(rows))
    p[by_formula] = saddlepoint(rows[by_formula], alternative=alternative, step=step)
    if not by_formula.all():
        # Sets of few topics are often the same: each is tested once.
        each, which = np.unique(np.sort(rows[~by_formula], axis=1), axis=0, return_inverse=True)
        found = p_values(test, each, alternative=alternative)
        p[~by_formula] = np.array([one.p for one in found])[which]
    significant: Bools = p <= level
    return significant

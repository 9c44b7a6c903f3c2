"""Systems whose runs depend on chance: seeds of a neural ranker, repeated calls of a model.

The luck of a run is shared by all its queries, so more queries do not average it out.
`repeats_test` compares two systems by several runs of each; `variance_components` separates the
variance of queries, of systems and of runs. Both estimate variances by the analysis of variance. In
balanced data this gives the same as a mixed model by REML, unless a variance would be negative;
that counts as 0. Searle, Casella & McCulloch 1992, Variance Components, chapters 4 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import copysign, inf, nan, sqrt
from typing import NamedTuple

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.errors import OptionError
from cleverdon.stats.intervals import t_outside
from cleverdon.stats.tests import PValue


class RepeatsTest(NamedTuple):
    """The difference between two systems whose runs depend on chance.

    Attributes:
        difference: The difference between the means over queries and runs.
        error: Its standard error, over other queries and other runs.
        freedom: The degrees of freedom, by Satterthwaite's formula.
        repeats: The number of runs of each of the two systems.
        queries: The number of queries.
        of_queries: The variance of the difference between queries.
        of_runs: The variance between the runs of each system.
        of_rest: For each system, the variance that neither queries nor runs explain.
    """

    difference: float
    error: float
    freedom: float
    repeats: tuple[int, int]
    queries: int
    of_queries: float
    of_runs: tuple[float, float]
    of_rest: tuple[float, float]

    @property
    def share(self) -> float:
        """The share of the squared standard error that is due to chance between runs."""
        between = sum(one / count for one, count in zip(self.of_runs, self.repeats, strict=True))
        return between / self.error**2 if self.error else 0.0

    def error_with(self, *, queries: float = 1, runs: float = 1) -> float:
        """Return the expected standard error with so many times the queries and the runs.

        A system of one run counts as one that does not depend on chance, and keeps its run.
        """
        variance = self.of_queries
        between = 0.0
        for count, of_runs, of_rest in zip(self.repeats, self.of_runs, self.of_rest, strict=True):
            times = count * runs if count > 1 else count
            variance += of_rest / times
            between += of_runs / times
        return sqrt(variance / (self.queries * queries) + between)

    def p_value(self, alternative: str = "two-sided") -> PValue:
        """Return the p-value by Student's t."""
        if self.error == 0:
            t = 0.0 if self.difference == 0 else copysign(inf, self.difference)
        else:
            t = self.difference / self.error
        p = t_outside(abs(t), self.freedom)
        if alternative != "two-sided":
            p = p / 2 if (t > 0) == (alternative == "greater") else 1 - p / 2
        return PValue(p, exact=True, draws=0)


def repeats_test(values: Floats, baseline: Floats) -> RepeatsTest:
    """Compare two systems by repeated runs on the same units.

    The variance between runs is estimated for each system from the means of its runs, less what
    units alone let these vary, and adds to the variance over units. One run has no such variance:
    that system counts as one that does not depend on chance. Degrees of freedom: Satterthwaite
    1946, doi:10.2307/3002019.

    Args:
        values: The system's values, runs x units.
        baseline: The baseline's values, runs x units.

    Returns:
        The difference with its standard error and its variance components.

    >>> import numpy as np
    >>> found = repeats_test(np.array([[0.5, 0.7, 0.6], [0.7, 0.9, 0.8]]), np.zeros((1, 3)))
    >>> round(found.difference, 6), round(found.error, 4), round(found.share, 4)
    (0.7, 0.1155, 0.75)
    """
    units = values.shape[1]
    over_units = values.mean(axis=0) - baseline.mean(axis=0)
    variance = float(np.var(over_units, ddof=1)) / units if units > 1 else nan
    parts = [(variance, units - 1)]  # of the squared error, with the degrees of freedom
    of_runs, of_rest, added = [0.0, 0.0], [0.0, 0.0], 0.0
    for at, of in enumerate((values, baseline)):
        count = len(of)
        if count < 2:
            continue
        freedom = (count - 1) * (units - 1)
        of_rest[at] = _rest_squares(of) / max(freedom, 1)
        noise = of_rest[at] / units / count
        between = float(np.var(of.mean(axis=1), ddof=1)) / count
        parts += [(between, count - 1), (noise, freedom)]
        of_runs[at] = max(0.0, between - noise) * count
        added += of_runs[at] / count
    total = variance + added
    least = min(freedom for _, freedom in parts)
    spread = sum(part**2 / freedom for part, freedom in parts if freedom)
    noise = of_rest[0] / len(values) + of_rest[1] / len(baseline)
    return RepeatsTest(
        difference=float(over_units.mean()),
        error=sqrt(total) if total == total else nan,
        freedom=max(total**2 / spread, least) if spread else least,
        repeats=(len(values), len(baseline)),
        queries=units,
        of_queries=max(0.0, variance * units - noise),
        of_runs=(of_runs[0], of_runs[1]),
        of_rest=(of_rest[0], of_rest[1]),
    )


def _rest_squares(values: Floats) -> float:
    """Return the sum of squares that neither runs nor units explain, of runs x units."""
    runs = values.mean(axis=1, keepdims=True)
    return float(((values - values.mean(axis=0) - runs + values.mean()) ** 2).sum())


@dataclass(frozen=True)
class VarianceComponents:
    """The variance of scores, by what it is due to.

    Attributes:
        queries: The variance between queries: some are harder for all systems.
        systems: The variance between systems.
        queries_by_systems: The variance of what one system does better on one query.
        runs: The variance between the runs of one system.
        rest: What is left: one run on one query.
    """

    queries: float
    systems: float
    queries_by_systems: float
    runs: float
    rest: float

    @property
    def total(self) -> float:
        """The sum of all."""
        return self.queries + self.systems + self.queries_by_systems + self.runs + self.rest


def variance_components(systems: Sequence[Floats]) -> VarianceComponents:
    """Separate the variance of queries, of systems and of runs.

    Of systems with one run, what is due to the run cannot be told from what is due to query and
    system; runs and rest are those of the other systems. Where systems have different numbers of
    runs, the means over runs are analysed with the harmonic mean of these numbers.

    Args:
        systems: The values of each system, runs x units.

    Returns:
        The variances; an estimate below 0 counts as 0.

    Raises:
        OptionError: There are fewer than two systems or units, or no system has two runs.

    >>> runs = [np.array([[1.0, 3, 2], [2, 4, 3]]), np.array([[5.0, 7, 6], [4, 6, 5]])]
    >>> found = variance_components(runs)
    >>> found.queries, found.systems, found.runs, found.rest
    (1.0, 4.25, 0.5, 0.0)
    """
    units = systems[0].shape[1]
    repeated = [of for of in systems if len(of) > 1]
    if len(systems) < 2 or units < 2 or not repeated:
        raise OptionError(
            "variance components take two systems, two queries, and a system of two runs at least"
        )
    more = sum(len(of) - 1 for of in repeated)
    rest = sum(map(_rest_squares, repeated)) / (more * (units - 1))
    between = sum(float(((of.mean(axis=1) - of.mean()) ** 2).sum()) for of in repeated)
    runs = units * between / more  # a mean square, as those below
    table = np.array([of.mean(axis=0) for of in systems])
    of_system, of_unit = table.mean(axis=1), table.mean(axis=0)
    count = len(systems)
    mixed = (table - of_system[:, None] - of_unit + table.mean()) ** 2
    by_both = float(mixed.sum()) / ((count - 1) * (units - 1))
    by_unit = count * float(np.var(of_unit, ddof=1))
    by_system = units * float(np.var(of_system, ddof=1))
    # A mean over runs still has this share of the variance of one run.
    share = sum(1 / len(of) for of in repeated) / count
    of_runs = max(0.0, runs - rest) / units
    return VarianceComponents(
        queries=max(0.0, by_unit - by_both) / count,
        systems=max(0.0, by_system - by_both - units * of_runs * share) / units,
        queries_by_systems=max(0.0, by_both - rest * share),
        runs=of_runs,
        rest=rest,
    )

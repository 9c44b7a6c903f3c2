"""Systems against a baseline, or against each other: how far apart, and could it be chance?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from cleverdon.compare.intervals import Interval, interval
from cleverdon.compare.multiplicity import CORRECTIONS, corrected
from cleverdon.compare.randomisation import PValue
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.sizes import Sizes, sizes
from cleverdon.compare.tests import p_values
from cleverdon.errors import OptionError, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

LEVEL = 0.05
"""From which p-value on a difference is not called significant."""


@dataclass(frozen=True)
class Difference:
    """One system against another, by one measure."""

    system: str
    baseline: str
    measure: Measure
    mean: float
    baseline_mean: float
    sizes: Sizes
    interval: Interval  # of the mean difference
    p: PValue
    corrected: float  # the p-value, corrected for all comparisons made at once

    @property
    def difference(self) -> float:
        return self.mean - self.baseline_mean

    @property
    def relative(self) -> float:
        """The difference as a share of the baseline; NaN where that is 0."""
        return self.difference / self.baseline_mean if self.baseline_mean else np.nan


@dataclass(frozen=True, eq=False)
class Comparison:
    """Every difference that was looked at, and how."""

    differences: tuple[Difference, ...]
    samples: tuple[Sample, ...]  # one a measure
    baseline: str | None  # None where every system was compared with every other
    test: str
    alternative: str
    correction: str
    level: float
    scores: Scores

    def significant(self, difference: Difference) -> bool:
        """Whether a difference of this comparison can be told from chance."""
        return difference.corrected <= self.level


def compare(
    scores: Scores,
    *,
    baseline: str | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str = "holm",
    level: float = LEVEL,
    seed: int = 0,
) -> Comparison:
    """Every other system against the baseline, or every pair, by every measure or by some.

    All are compared on one set of topics; see `samples` for undefined values. p-values are
    corrected over the whole family: all systems by all measures.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> found = compare(evaluate(qrels, {"poor": poor, "good": good}, "RR"), baseline="poor")
    >>> found.differences[0].difference, found.differences[0].corrected
    (0.5, 0.03125)
    """
    check_word("correction", correction, CORRECTIONS)
    if baseline is not None and baseline not in scores.systems:
        raise OptionError(f"there is no system {baseline!r}{suggest(baseline, scores.systems)}")
    if not 0 < level < 1:
        raise OptionError(f"level={level}: a level of significance lies between 0 and 1")
    of = samples(scores, measures=measures, systems=systems)
    pairs = _pairs(of[0].systems, baseline)
    tasks = [(system, base, sample) for system, base in pairs for sample in of]
    rows = np.array([sample.of(system) - sample.of(base) for system, base, sample in tasks])
    found = p_values(test, rows, alternative=alternative, seed=seed)
    adjusted = corrected(correction, [p.p for p in found])
    differences = tuple(
        Difference(
            system=system,
            baseline=base,
            measure=sample.measure,
            mean=sample.mean(system),
            baseline_mean=sample.mean(base),
            sizes=sizes(sample.of(system), sample.of(base)),
            interval=interval(row),
            p=p,
            corrected=q,
        )
        for (system, base, sample), row, p, q in zip(tasks, rows, found, adjusted, strict=True)
    )
    return Comparison(
        differences, tuple(of), baseline, test, alternative, correction, level, scores
    )


def _pairs(systems: tuple[str, ...], baseline: str | None) -> list[tuple[str, str]]:
    if len(systems) < 2:
        raise OptionError(f"there is only one system, {systems[0]!r}, and nothing to compare with")
    if baseline is None:
        return [(later, earlier) for earlier, later in combinations(systems, 2)]
    return [(system, baseline) for system in systems if system != baseline]

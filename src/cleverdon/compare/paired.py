"""Systems against a baseline, or against each other: how far apart, and could it be chance?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.compare.intervals import Interval, difference_intervals
from cleverdon.compare.multiplicity import CORRECTIONS, corrected
from cleverdon.compare.pvalue import PValue
from cleverdon.compare.samples import Sample, samples
from cleverdon.compare.sizes import Sizes, sizes
from cleverdon.compare.tests import FAMILY_TESTS, TESTS, family_p_values, p_values, settled
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
    interval: Interval  # of the difference
    p: PValue
    corrected: float  # the p-value, corrected for all comparisons made at once

    @property
    def difference(self) -> float:
        return self.mean - self.baseline_mean

    @property
    def relative(self) -> float:
        """The difference as a share of the baseline's size; NaN where that is 0."""
        return self.difference / abs(self.baseline_mean) if self.baseline_mean else np.nan


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
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)  # the test's own

    def _repr_html_(self) -> str:
        from cleverdon.show.comparison import render

        return render(self, "html")

    def against(self, baseline: str) -> Comparison:
        """The same with one of the systems as the baseline, as `compare` would give it.

        Of a two-sided comparison of every pair nothing need be tested again: only the family is
        another, and p-values are corrected anew.

        >>> from cleverdon import evaluate
        >>> runs = {name: {"q1": {name: 1.0}, "q2": {"a": 1.0}} for name in "abc"}
        >>> pairs = compare(evaluate({"q1": {"a": 1}, "q2": {"a": 1}}, runs, "RR"))
        >>> [(found.system, found.difference) for found in pairs.against("a").differences]
        [('b', -0.5), ('c', -0.5)]
        """
        if self.baseline is not None or self.alternative != "two-sided":
            raise OptionError("only a two-sided comparison of every pair has other baselines in it")
        if baseline not in self.samples[0].systems:
            known = suggest(baseline, self.samples[0].systems)
            raise OptionError(f"there is no system {baseline!r}{known}")
        pairs = _pairs(self.samples[0].systems, baseline)
        of = {(found.system, found.baseline, found.measure): found for found in self.differences}
        kept = [
            of.get((system, base, sample.measure))
            or _turned(of[base, system, sample.measure], sample)
            for system, base in pairs
            for sample in self.samples
        ]
        adjusted = corrected(self.correction, [found.p.p for found in kept])
        differences = tuple(
            replace(found, corrected=q) for found, q in zip(kept, adjusted, strict=True)
        )
        return replace(self, differences=differences, baseline=baseline)

    @property
    def family(self) -> int:
        """For how many comparisons a p-value is corrected; 1 where it is not."""
        if self.test in FAMILY_TESTS:  # which are of each measure by itself
            systems = len(self.samples[0].systems)
            return systems * (systems - 1) // 2
        return 1 if self.correction == "none" else len(self.differences)

    def differences_of(self, found: Difference) -> Floats:
        """What was put to the test, topic by topic; of a geometric mean, logarithms."""
        sample = next(s for s in self.samples if s.measure == found.measure)
        of = sample.summable
        rows = [sample.systems.index(name) for name in (found.system, found.baseline)]
        differences: Floats = settled((of[rows[0]] - of[rows[1]])[None])[0]
        return differences

    def significant(self, difference: Difference) -> bool:
        """Whether a difference of this comparison can be told from chance."""
        return difference.corrected <= self.level


def _turned(found: Difference, sample: Sample) -> Difference:
    """The same difference, seen from the other system."""
    # Subtracted from 0, since the negative of 0 would be printed with its sign.
    low, high = 0.0 - found.interval.high, 0.0 - found.interval.low
    return replace(
        found,
        system=found.baseline,
        baseline=found.system,
        mean=found.baseline_mean,
        baseline_mean=found.mean,
        sizes=sizes(sample.of(found.baseline), sample.of(found.system)),
        interval=replace(found.interval, low=low, high=high),
    )


def compare(
    scores: Scores,
    *,
    baseline: str | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str | None = None,
    level: float = LEVEL,
    interval: str = "bca",
    confidence: float = 0.95,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
) -> Comparison:
    """Every other system against the baseline, or every pair, by every measure or by some.

    All are compared on one set of topics; see `samples` for undefined values. p-values are
    corrected over the whole family: all systems by all measures, by Holm's method unless said
    otherwise. Tukey's tests look at all systems at once and take no correction on top; theirs is
    for each measure by itself. A measure that is a geometric mean is tested by its logarithms.
    `interval` is one of `intervals.METHODS`; `options` are the test's own, such as `draws`.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> found = compare(evaluate(qrels, {"poor": poor, "good": good}, "RR"), baseline="poor")
    >>> found.differences[0].difference, found.differences[0].corrected
    (0.5, 0.03125)
    """
    correction = _correction(test, correction)
    if baseline is not None and baseline not in scores.systems:
        raise OptionError(f"there is no system {baseline!r}{suggest(baseline, scores.systems)}")
    if not 0 < level < 1:
        raise OptionError(f"level={level}: a level of significance lies between 0 and 1")
    of = samples(scores, measures=measures, systems=systems)
    if baseline is not None and baseline not in of[0].systems:
        raise OptionError(f"the baseline {baseline!r} is not among the systems to be compared")
    pairs = _pairs(of[0].systems, baseline)
    tasks = [(system, base, sample) for system, base in pairs for sample in of]
    found = _found(test, tasks, alternative=alternative, seed=seed, **(options or {}))
    ends = difference_intervals(
        [(sample.of(system), sample.of(base)) for system, base, sample in tasks],
        [sample.measure.average for _, _, sample in tasks],
        method=interval,
        confidence=confidence,
        seed=seed,
    )
    adjusted = corrected(correction, [p.p for p in found])
    differences = tuple(
        Difference(
            system=system,
            baseline=base,
            measure=sample.measure,
            mean=sample.mean(system),
            baseline_mean=sample.mean(base),
            sizes=sizes(sample.of(system), sample.of(base)),
            interval=end,
            p=p,
            corrected=q,
        )
        for (system, base, sample), end, p, q in zip(tasks, ends, found, adjusted, strict=True)
    )
    return Comparison(
        differences,
        tuple(of),
        baseline,
        test,
        alternative,
        correction,
        level,
        scores,
        seed,
        options or {},
    )


def _correction(test: str, correction: str | None) -> str:
    check_word("test", test, [*TESTS, *FAMILY_TESTS])
    if correction is not None:
        check_word("correction", correction, CORRECTIONS)
    if test not in FAMILY_TESTS:
        return correction or next(iter(CORRECTIONS))
    if correction not in (None, "none"):
        raise OptionError(
            f"test={test!r} corrects for all pairs itself: correction={correction!r} on top of it "
            "would be a second one"
        )
    return "none"


def _found(test: str, tasks: Sequence[tuple[str, str, Sample]], **settings: Any) -> list[PValue]:
    """The p-value of each system against its baseline, by the sample's measure."""
    values = {sample: sample.summable for _, _, sample in tasks}
    places = [(s.systems.index(system), s.systems.index(base), s) for system, base, s in tasks]
    if test in FAMILY_TESTS:
        of = {sample: family_p_values(test, rows, **settings) for sample, rows in values.items()}
        return [of[sample][system][base] for system, base, sample in places]
    rows = np.array(
        [values[sample][system] - values[sample][base] for system, base, sample in places]
    )
    return p_values(test, rows, **settings)


def _pairs(systems: tuple[str, ...], baseline: str | None) -> list[tuple[str, str]]:
    if len(systems) < 2:
        there = f"there is only one system, {systems[0]!r}," if systems else "there is no system"
        raise OptionError(f"{there} and nothing to compare with")
    if baseline is None:
        return [(later, earlier) for earlier, later in combinations(systems, 2)]
    return [(system, baseline) for system in systems if system != baseline]

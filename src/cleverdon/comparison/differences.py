"""Differences between systems, tested by pairs or against a margin that would matter.

That a difference is not significant does not show that there is none. To show that, one says
beforehand how large a difference would matter, and tests against that: two one-sided tests,
Schuirmann 1987, doi:10.1007/BF01068419.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.text import printable
from cleverdon.comparison.difference_tables import difference_record, differences_table, means_table
from cleverdon.comparison.samples import Sample, samples
from cleverdon.errors import OptionError, check_within, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.score_tables import arrange_table, check_layout, format_score
from cleverdon.scores import Scores
from cleverdon.stats.effect_sizes import EffectSizes, effect_sizes
from cleverdon.stats.intervals import Interval, difference_intervals
from cleverdon.stats.multiple_comparisons import (
    CORRECTIONS,
    FAMILY_TESTS,
    correct_p_values,
    family_p_values,
)
from cleverdon.stats.tests import (
    MARGIN_CLAIMS,
    TESTS,
    PValue,
    margin_test,
    p_values,
    round_differences,
)
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result
from cleverdon.tables.result_lists import RecordList
from cleverdon.tables.sections import Section
from cleverdon.tables.table import EXACT, TextTable, render_table

if TYPE_CHECKING:
    from cleverdon.comparison.worst import WorstQueries

LEVEL = 0.05
"""The default level of significance."""


@dataclass(frozen=True)
class Difference:
    """The difference between two systems by one measure.

    Attributes:
        system: The system.
        baseline: The system that it is compared with.
        measure: The measure.
        mean: The system's average.
        baseline_mean: The baseline's.
        sizes: Effect sizes.
        interval: The confidence interval of the difference.
        p: The p-value.
        corrected: The p-value, corrected for all comparisons made at once.

    >>> from cleverdon import evaluate
    >>> runs = {"old": {"q1": {"b": 1.0}}, "new": {"q1": {"a": 1.0}}}
    >>> found = compare(evaluate({"q1": {"a": 1}}, runs, "RR")).differences[0]
    >>> found.system, found.baseline, found.difference
    ('new', 'old', 1.0)
    """

    system: str
    baseline: str
    measure: Measure
    mean: float
    baseline_mean: float
    sizes: EffectSizes
    interval: Interval
    p: PValue
    corrected: float

    @property
    def difference(self) -> float:
        return self.mean - self.baseline_mean

    @property
    def relative(self) -> float:
        """The difference as a share of the baseline's size; NaN where that is 0."""
        return self.difference / abs(self.baseline_mean) if self.baseline_mean else np.nan


RANK_TESTS = ("sign", "wilcoxon")
"""Tests of signs and ranks: a small p-value may go with a mean difference of the other sign."""


@dataclass(frozen=True, eq=False)
class Comparison(Result):
    """The differences between systems, and how they were tested.

    Attributes:
        differences: A difference for each pair of systems and each measure.
        samples: The values that were compared, of each measure.
        baseline: The baseline; None where every pair of systems was compared.
        test: The significance test.
        alternative: "two-sided", "greater" or "less".
        correction: The correction of p-values.
        level: The level of significance.
        scores: The scores that were compared.
        seed: The seed of random draws.
        options: Options of the test.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> print(compare(evaluate(qrels, {"poor": poor, "good": good}, "RR"), baseline="poor"))
    system       RR
    ──────  ───────
    poor    0.5000
    good    1.0000†
    <BLANKLINE>
    † differs significantly from poor.
    Randomisation test, Holm's correction over 1 comparison, p ≤ 0.05, 6 queries.
    """

    differences: tuple[Difference, ...]
    samples: tuple[Sample, ...]
    baseline: str | None
    test: str
    alternative: str
    correction: str
    level: float
    scores: Scores
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)

    def sections(
        self, *, exact: bool = False, sort: str = "given", digits: int | None = None
    ) -> list[Section]:
        """Return one table: the differences for programs, means with marks for people."""
        grid = differences_table(self) if exact else means_table(self, sort=sort, digits=digits)
        return [Section("differences" if exact else "systems", grid, titled=False)]

    def to_dict(self) -> dict[str, Any]:
        """Return the whole comparison as plain values."""
        return {
            "baseline": self.baseline,
            "test": self.test,
            "alternative": self.alternative,
            "correction": self.correction,
            "family": len(self.differences),
            "level": self.level,
            "queries": list(self.samples[0].queries),
            "means": {
                system: {str(s.measure): s.mean(system) for s in self.samples}
                for system in self.samples[0].systems
            },
            "differences": [difference_record(found, self) for found in self.differences],
        }

    def render(  # type: ignore[override]  # names the options of the view
        self,
        format: str = "table",
        *,
        section: str | None = None,
        systems: str = "auto",
        sort: str = "given",
        digits: int | None = None,
        styled: bool = False,
        width: int | None = None,
    ) -> str:
        """Write the comparison in one of the formats of tables.

        Args:
            format: One of `cleverdon.tables.table.FORMATS`.
            section: The name of the table; there is one.
            systems: "rows" or "columns"; "auto" means rows, and columns where text would be too
                wide for a screen.
            sort: "given", "name" or a measure, by which the best system is first. Letters are given
                to systems in that order.
            digits: Decimals; by default four, or those of the profile.
            styled: Whether a terminal shows bold and underlined text.
            width: The columns of the terminal.
        """
        check_layout(format, systems=systems, sort=sort, digits=digits, records=True)
        if format in EXACT:
            return super().render(format, section=section)
        grid = arrange_table(means_table(self, sort=sort, digits=digits), format, systems, width)
        return render_table(grid, format, styled=styled, width=width)

    def against(self, baseline: str) -> Comparison:
        """Return the same with one of the systems as the baseline, as `compare` would give it.

        Nothing is tested again: only the family changes, and p-values are corrected anew.

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
            or _reversed_difference(of[base, system, sample.measure], sample)
            for system, base in pairs
            for sample in self.samples
        ]
        adjusted = correct_p_values(self.correction, [found.p.p for found in kept])
        differences = tuple(
            replace(found, corrected=q) for found, q in zip(kept, adjusted, strict=True)
        )
        return replace(self, differences=differences, baseline=baseline)

    @property
    def family(self) -> int:
        """The number of comparisons that a p-value is corrected for; 1 where it is not."""
        if self.test in FAMILY_TESTS:  # which are of each measure by itself
            systems = len(self.samples[0].systems)
            return systems * (systems - 1) // 2
        return 1 if self.correction == "none" else len(self.differences)

    def differences_of(self, found: Difference) -> Floats:
        """Return the tested differences by query; of a geometric mean, those of logarithms."""
        sample = next(s for s in self.samples if s.measure == found.measure)
        of = sample.summable
        rows = [sample.systems.index(name) for name in (found.system, found.baseline)]
        differences: Floats = round_differences((of[rows[0]] - of[rows[1]])[None])[0]
        return differences

    def significant(self, difference: Difference) -> bool:
        """Return whether the corrected p-value of a difference is at most the level."""
        return difference.corrected <= self.level

    def shows(self, found: Difference) -> bool:
        """Return whether a difference is significant and the test has the sign of the means."""
        return self.significant(found) and found.difference * self.test_direction(found) > 0

    def test_direction(self, found: Difference) -> float:
        """Return a number with the sign of what was tested: of the mean, signs, or signed ranks."""
        if self.test not in RANK_TESTS:
            return found.difference
        differences = self.differences_of(found)
        if self.test == "sign":
            return float(np.sign(differences).sum())
        size = np.abs(differences[differences != 0])
        ordered = np.sort(size)
        # The mean rank of equals: halfway between the first and the last of them.
        ranks = np.searchsorted(ordered, size, "left") + np.searchsorted(ordered, size, "right") + 1
        return float((np.sign(differences[differences != 0]) * ranks).sum())

    def worst(
        self,
        system: str | None = None,
        *,
        baseline: str | None = None,
        measure: str | Measure | None = None,
        n: int | None = 10,
        improved: bool = False,
        depth: int | None = None,
        queries: Any = None,
        documents: Any = None,
    ) -> WorstQueries:
        """Return the queries on which a system loses most against the baseline, and why.

        The scores must be of an evaluation with `keep=k`. See
        `cleverdon.comparison.worst_queries` for the other arguments.

        Args:
            system: The system; by default the only one beside the baseline.
            baseline: The system to compare with; by default that of the comparison, or of two
                systems the first.
            measure: The measure; by default the first.
            n: How many queries to list; None for all that lost.
            improved: List the largest gains instead.
            depth: How many results are looked at for unjudged ones.
            queries: The texts of queries: a file, or a dict by id.
            documents: The texts of documents, likewise.

        >>> from cleverdon import evaluate
        >>> qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
        >>> old = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
        >>> new = {"q1": {"a": 1.0}, "q2": {"b": 2.0, "a": 1.0}}
        >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR", keep=10)
        >>> [(one.query, one.difference) for one in compare(scores).worst().queries]
        [('q2', -0.5)]
        """
        # Loads what takes scores apart, which few comparisons need.
        from cleverdon.comparison.worst import worst_queries

        systems = self.samples[0].systems
        old = baseline if baseline is not None else self.baseline
        if old is None and len(systems) == 2:
            old = systems[0] if system is None else next(s for s in systems if s != system)
        if old is None:
            raise OptionError("worst() needs a baseline=: the system to compare with")
        others = [name for name in systems if name != old]
        if system is None and len(others) != 1:
            raise OptionError(f"worst() needs a system=, one of {', '.join(map(repr, others))}")
        return worst_queries(
            self.scores,
            old,
            others[0] if system is None else system,
            self.samples[0].measure if measure is None else measure,
            n=n,
            improved=improved,
            depth=depth,
            queries=queries,
            documents=documents,
        )


def _reversed_difference(found: Difference, sample: Sample) -> Difference:
    """Return the same difference, seen from the other system."""
    # Subtracted from 0, since the negative of 0 would be printed with its sign.
    low, high = 0.0 - found.interval.high, 0.0 - found.interval.low
    return replace(
        found,
        system=found.baseline,
        baseline=found.system,
        mean=found.baseline_mean,
        baseline_mean=found.mean,
        sizes=effect_sizes(sample.of(found.baseline), sample.of(found.system)),
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
    """Compare every other system with the baseline, or every pair of systems.

    All are compared on one set of queries; see `samples` for undefined values. p-values are
    corrected over the whole family: all systems by all measures. Tukey's tests look at all systems
    at once and take no further correction; theirs is for each measure by itself. A measure that is
    a geometric mean is tested by its logarithms.

    Args:
        scores: What `evaluate` returned.
        baseline: The system to compare with; by default every pair is compared.
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.
        test: One of `TESTS` or `FAMILY_TESTS`.
        alternative: "two-sided", "greater" or "less".
        correction: One of `CORRECTIONS`; by default Holm's.
        level: The level of significance.
        interval: One of `cleverdon.stats.intervals.METHODS`.
        confidence: The confidence of intervals.
        seed: The seed of random draws.
        options: Options of the test, such as `draws`.

    Returns:
        The differences with effect sizes, intervals and p-values.

    Raises:
        OptionError: There is no such system, measure or test, or nothing to compare.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> good = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> poor = {query: {"a": 1.0, "b": 2.0} for query in qrels}
    >>> found = compare(evaluate(qrels, {"poor": poor, "good": good}, "RR"), baseline="poor")
    >>> found.differences[0].difference, found.differences[0].corrected
    (0.5, 0.03125)
    """
    correction = _checked_correction(test, correction)
    if baseline is not None and baseline not in scores.systems:
        raise OptionError(f"there is no system {baseline!r}{suggest(baseline, scores.systems)}")
    check_within("level", level, 0, 1)
    of = samples(scores, measures=measures, systems=systems)
    if baseline is not None and baseline not in of[0].systems:
        raise OptionError(f"the baseline {baseline!r} is not among the systems to be compared")
    pairs = _pairs(of[0].systems, baseline)
    tasks = [(system, base, sample) for system, base in pairs for sample in of]
    found = _p_values(test, tasks, alternative=alternative, seed=seed, **(options or {}))
    ends = difference_intervals(
        [(sample.of(system), sample.of(base)) for system, base, sample in tasks],
        [sample.measure.average for _, _, sample in tasks],
        method=interval,
        confidence=confidence,
        seed=seed,
    )
    adjusted = correct_p_values(correction, [p.p for p in found])
    differences = tuple(
        Difference(
            system=system,
            baseline=base,
            measure=sample.measure,
            mean=sample.mean(system),
            baseline_mean=sample.mean(base),
            sizes=effect_sizes(sample.of(system), sample.of(base)),
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


def _checked_correction(test: str, correction: str | None) -> str:
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


def _p_values(test: str, tasks: Sequence[tuple[str, str, Sample]], **settings: Any) -> list[PValue]:
    """Return the p-value of each system against its baseline, by the sample's measure."""
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


@dataclass(frozen=True)
class MarginTest:
    """The test that one system is within a margin of another, by one measure."""

    system: str
    baseline: str
    measure: Measure
    claim: str
    difference: float  # of the means
    margin: float
    p: PValue
    corrected: float  # the p-value, corrected for all comparisons made at once


class MarginTests(RecordList[MarginTest]):
    """The tests of systems against a margin."""

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return a row for each system and measure."""
        rows = [
            [
                *(printable(name) for name in (one.system, one.baseline)),
                *(str(one.measure), one.claim),
                format_score(one.measure, one.difference, signed=not exact, exact=exact),
                f"{one.margin:g}",
                str(one.p.p if exact else one.p),
                format_decimal(one.corrected, exact=exact),
            ]
            for one in self
        ]
        header = ["system", "baseline", "measure", "claim", "difference", "margin", "p"]
        return [Section("margins", TextTable([*header, "corrected p"], rows, 4, []), titled=False)]


def within_margin(
    scores: Scores,
    *,
    baseline: str,
    margin: float,
    claim: str = "equivalence",
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    test: str = "t",
    correction: str = "holm",
    seed: int = 0,
) -> MarginTests:
    """Test whether systems are within a margin of the baseline.

    The margin is in the units of the measures: name those it is meant for. What is worse, the
    measure says; one that has no better cannot be non-inferior.

    Args:
        scores: What `evaluate` returned.
        baseline: The system to compare with.
        margin: The difference that would matter, above 0.
        claim: "equivalence" or "non-inferiority".
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.
        test: One of `TESTS`.
        correction: One of `CORRECTIONS`.
        seed: The seed of random draws.

    Returns:
        A p-value for each system and measure.

    >>> from cleverdon import evaluate
    >>> qrels = {f"q{i}": {"a": 1} for i in range(8)}
    >>> old = {query: {"a": 2.0, "b": 1.0} for query in qrels}
    >>> new = old | {"q0": {"a": 1.0, "b": 2.0}}
    >>> scores = evaluate(qrels, {"old": old, "new": new}, "RR")
    >>> found = within_margin(scores, baseline="old", margin=0.2)[0]
    >>> found.difference, round(found.corrected, 4)
    (-0.0625, 0.0319)
    """
    check_word("claim", claim, MARGIN_CLAIMS)
    of = samples(scores, measures=measures, systems=systems)
    if baseline not in of[0].systems:
        raise OptionError(f"there is no system {baseline!r}{suggest(baseline, of[0].systems)}")
    tasks = [(name, sample) for name in of[0].systems if name != baseline for sample in of]
    if not tasks:
        raise OptionError(f"there is only {baseline!r}, and nothing to compare with")
    for measure in (sample.measure for sample in of):
        if measure.average != "mean":
            raise OptionError(f"{measure} is no mean over queries: it cannot be within a margin")
        if claim == "non-inferiority" and measure.better == "neither":
            raise OptionError(
                f"neither more nor less of {measure} is better: nothing is inferior by it"
            )
    rows = np.array([sample.of(name) - sample.of(baseline) for name, sample in tasks])
    upwards = np.array([-1 if one.measure.better == "lower" else 1 for _, one in tasks])
    found = margin_test(rows * upwards[:, None], margin=margin, claim=claim, test=test, seed=seed)
    adjusted = correct_p_values(correction, [p.p for p in found])
    return MarginTests(
        tuple(
            MarginTest(name, baseline, sample.measure, claim, float(row.mean()), margin, p, q)
            for (name, sample), row, p, q in zip(tasks, rows, found, adjusted, strict=True)
        )
    )

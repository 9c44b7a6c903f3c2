"""Comparisons of systems, query by query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import factorial, isfinite, isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.comparison.difference_tables import difference_record, differences_table, means_table
from cleverdon.comparison.procedures import Difference, compare_families, largest_difference
from cleverdon.comparison.samples import Sample, samples
from cleverdon.errors import OptionError, check_within, check_word, suggest
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.score_tables import arrange_table, check_layout
from cleverdon.scores import Scores
from cleverdon.stats.effect_sizes import standard_deviation
from cleverdon.stats.intervals import (
    METHODS,
    Interval,
    ratio_interval,
    t_quantile,
    why_disagree,
)
from cleverdon.stats.multiple_comparisons import (
    COMPARISON_CORRECTIONS,
    FAMILY_TESTS,
    correct_p_values,
)
from cleverdon.stats.repeated_runs import (
    VarianceComponents,
    variance_components,
)
from cleverdon.stats.tests import (
    ALTERNATIVES,
    DRAWS,
    TESTS,
    round_differences,
)
from cleverdon.tables.result import Result, as_json
from cleverdon.tables.sections import Section
from cleverdon.tables.table import EXACT, render_table

if TYPE_CHECKING:
    import os

    from cleverdon.charts.base import Chart
    from cleverdon.comparison.doubts import Doubt
    from cleverdon.comparison.worst_queries import WorstQueries
    from cleverdon.reports.html_report import Report

LEVEL = 0.05
"""The default level of significance."""
_DRAWN_TESTS = ("randomisation", "bootstrap", "randomised-tukey")
_QUICK = 200_000_000
"""So many values are drawn, at least, where a comparison is repeated."""
TARGET_POWER = 0.8
"""How often a difference that is said to be detectable would be shown."""
_SIGN_FLIP_TESTS = ("randomisation", "sign", "wilcoxon")
"""Tests whose lowest p-value depends on how many differences are not 0."""
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
        primary: The measure that decides; None where all measures are one family.
        primary_named: Whether the primary measure was named; otherwise it is the first.
        method: The method of intervals; None for the test's own.
        confidence: The confidence of intervals.
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
    Randomisation test, 1 comparison, p ≤ 0.05, 6 queries.
    """

    differences: tuple[Difference, ...]
    samples: tuple[Sample, ...]
    baseline: str | None
    test: str
    alternative: str
    correction: str
    level: float
    scores: Scores
    primary: Measure | None = None
    primary_named: bool = False
    method: str | None = None
    confidence: float = 0.95
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
            "primary": None if self.primary is None else str(self.primary),
            "family": self.families[0][0].family,
            "level": self.level,
            "confidence": self.confidence,
            "queries": list(self.samples[0].queries),
            "means": {
                system: {str(s.measure): s.mean(system) for s in self.samples}
                for system in self.samples[0].systems
            },
            "differences": [
                {**difference_record(found, self), "qualified": self.qualified(found)}
                for found in self.differences
            ],
            **({"variances": as_json(variances)} if (variances := self.variances()) else {}),
        }

    @cached_property
    def serious_doubts(self) -> list[Doubt]:
        """The doubts that qualify verdicts, as far as the comparison alone raises them."""
        # Doubts are about comparisons: their module needs this one.
        from cleverdon.comparison.doubts import find_doubts

        return find_doubts(self, serious=True)

    def qualified(self, found: Difference) -> list[str]:
        """Return the names of the serious doubts about a difference."""
        return [doubt.name for doubt in self.serious_doubts if doubt.qualifies(found)]

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

    def plot(self, measure: str | Measure | None = None) -> Chart:
        """Draw each difference with its interval and p-value: see `cleverdon.plots.forest`."""
        from cleverdon.plots.comparisons import forest  # altair is optional, and slow

        return forest(self, measure)

    def report(self, path: str | os.PathLike[str] | None = None, **options: Any) -> Report:
        """Make a report: one HTML page with claims, tables and plots; see `cleverdon.report`.

        Args:
            path: The file to write, if any.
            options: Those of `cleverdon.report`.
        """
        from cleverdon.reports.html_report import report  # loads altair, which is slow

        made = report(self, **options)
        if path is not None:
            made.save(path)
        return made

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
        found = {one.key: one.p for one in self.differences}
        # Both sides have one p-value, since the test is two-sided.
        found |= {(one.baseline, one.system, one.measure): one.p for one in self.differences}
        return compare_families(replace(self, baseline=baseline), found)

    def without(self, query: str) -> Comparison:
        """Return the same comparison without one of the queries; of a large family, by fewer draws.

        As many are left as keep it short, and never fewer than 2,000.
        """
        left = tuple(sample.without(query) for sample in self.samples)
        options = dict(self.options)
        if self.test in _DRAWN_TESTS:
            values = len(self.differences) * len(self.samples[0].queries)
            most = int(options.get("draws", DRAWS))
            options["draws"] = min(most, max(2_000, round(_QUICK / values)))
        return compare_families(replace(self, samples=left, options=options), {})

    @property
    def is_corrected(self) -> bool:
        """Whether p-values are corrected for a family; some tests do that themselves."""
        return self.correction != "none" or self.test in FAMILY_TESTS

    def is_primary(self, found: Difference) -> bool:
        """Return whether a difference is one of the family that decides."""
        return self.primary is None or found.measure == self.primary

    def sample_of(self, found: Difference) -> Sample:
        """Return the values of all systems by the measure of a difference."""
        return next(sample for sample in self.samples if sample.measure == found.measure)

    def differences_of(self, found: Difference) -> Floats:
        """Return the tested differences by query; of a geometric mean, those of logarithms."""
        sample = self.sample_of(found)
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

    def relative_interval(self, found: Difference) -> Interval:
        """Return the interval of a difference as a share of the baseline.

        It is adjusted as the interval of the difference is, so that the two cannot disagree about
        0. Its ends are NaN where the baseline may be 0, where averages are no means, and where a
        system has several runs.
        """
        sample = self.sample_of(found)
        error = self.standard_error(found)
        if not self.knows_ratio(found) or not error:
            return Interval(nan, nan, self.confidence, "Fieller")
        ours, theirs = sample.of(found.system), sample.of(found.baseline)
        if isfinite(found.reach):
            errors = found.reach / error
        else:
            errors = t_quantile(1 - (1 - self.confidence) / found.family, sample.count - 1)
        ratio = ratio_interval(ours, theirs, confidence=self.confidence, errors=errors)
        low, high = ratio.low - 1, ratio.high - 1
        if sample.measure.range[0] >= 0:
            low = max(low, -1.0)  # of a NaN, max returns the NaN, since it comes first
        if found.stepped and not isnan(low):
            low, high = (0.0, high) if found.difference > 0 else (low, 0.0)
        return replace(ratio, low=low, high=high)

    def knows_ratio(self, found: Difference) -> bool:
        """Return whether a ratio to the baseline has an interval, unless the baseline may be 0."""
        averaged = found.measure.average in ("mean", "sum") and found.baseline_mean > 0
        by_t = self.method in (None, "t") and found.repeated is None
        return averaged and by_t and not isnan(found.interval.low)

    @property
    def levels_agree(self) -> bool:
        """Whether the confidence of intervals is the one that goes with the level of the test."""
        sides = 1 if self.alternative == "two-sided" else 2
        return abs(1 - self.confidence - sides * self.level) < 1e-9

    def disagrees(self, found: Difference) -> bool:
        """Return whether the interval says otherwise than the test."""
        if isnan(found.interval.low):
            return False
        excludes = found.excludes_zero
        if self.alternative != "two-sided" and not found.stepped:  # only one end was tested
            low, high = found.interval.low, found.interval.high
            excludes = low > 0 if self.alternative == "greater" else high < 0
        return excludes != self.shows(found)

    def why_disagree(self) -> str:
        """Say what an interval and a verdict that disagree are apart by."""
        sides = 1 if self.alternative == "two-sided" else 2
        return why_disagree(self.confidence, self.level, sides=sides)

    def out_of_reach(self, found: Difference) -> bool:
        """Return whether no differences on as many queries could have been significant."""
        return found.differing > 0 and self.lowest_p(found) > self.level

    def lowest_p(self, found: Difference) -> float:
        """Return the lowest corrected p-value that the test can give with as many draws and signs.

        All comparisons of a family count: Holm's correction multiplies even the lowest of them.
        """
        return self._lowest_p_values[found.key]

    @cached_property
    def _lowest_p_values(self) -> dict[tuple[str, str, Measure], float]:
        lowest: dict[tuple[str, str, Measure], float] = {}
        for family in self.families:
            alone = [self.lowest_alone(one, one.differing) for one in family]
            corrected = self.corrected_alike(alone, family)
            lowest |= {one.key: p for one, p in zip(family, corrected, strict=True)}
        return lowest

    @property
    def families(self) -> list[list[Difference]]:
        """The differences of the family that decides, then those of the other, if there is one."""
        both = ([one for one in self.differences if self.is_primary(one) == by] for by in (1, 0))
        return [family for family in both if family]

    def corrected_alike(self, p: Sequence[float], family: Sequence[Difference]) -> list[float]:
        """Correct other p-values of a family; by max-T, no less than they are."""
        if self.test in FAMILY_TESTS:  # they correct for systems themselves, and not for measures
            measures = len({one.measure for one in family})
            return [min(1.0, measures * one) for one in p]
        return list(p) if self.correction == "max-t" else correct_p_values(self.correction, p)

    def lowest_alone(self, found: Difference, differing: int) -> float:
        """Return the lowest p-value of the test where so many queries differ, not corrected.

        Tests by signs have one: of 5 differences, all signs are the same in 2 of 32 cases.
        """
        drawn = 1 / (1 + found.p.draws) if found.p.draws and not found.p.exact else 0.0
        if self.test == "randomised-tukey":
            shuffles = factorial(len(self.samples[0].systems))
            return max(drawn, min(1.0, float(shuffles) ** (1 - found.sizes.pairs)))
        if self.test not in _SIGN_FLIP_TESTS:
            return drawn
        sides = 2 if self.alternative == "two-sided" else 1
        return max(drawn, min(1.0, sides * 0.5**differing))

    def queries_needed(self, found: Difference) -> int | None:
        """Return how many queries have to differ for a p-value that is significant.

        None where no number of them helps, since there are too few draws.
        """
        return self._queries_needed[self.is_primary(found), found.differing]

    @cached_property
    def _queries_needed(self) -> dict[tuple[bool, int], int | None]:
        """The number by family and by how many queries differ, of what is out of reach."""
        needed: dict[tuple[bool, int], int | None] = {}
        for family in self.families:
            alone = [self.lowest_alone(one, one.differing) for one in family]
            for at, one in enumerate(family):
                key = self.is_primary(one), one.differing
                if key in needed or not self.out_of_reach(one):
                    continue
                needed[key] = None
                for count in range(one.differing, 200):
                    others = alone[:at] + alone[at + 1 :]
                    tried = [self.lowest_alone(one, count), *others]
                    if self.corrected_alike(tried, family)[0] <= self.level:
                        needed[key] = count
                        break
        return needed

    def detectable(self, found: Difference) -> float:
        """Return the true difference that this procedure would show in 80% of such experiments.

        NaN where there is no interval. It is half the interval's width and what the mean may fall
        short of the true difference by; the difference that was seen takes no part in it.
        """
        n = found.sizes.pairs
        if n < 2 or found.measure.average not in ("mean", "sum"):
            return nan
        if not (error := self.standard_error(found)):
            return nan
        freedom = n - 1 if found.repeated is None else found.repeated.freedom
        sides = 1 if self.alternative == "two-sided" else 2
        if isfinite(found.reach) and self.levels_agree:
            needed = found.reach / error
        else:  # intervals are of another method or level than the test
            family = found.family if self.is_corrected else 1
            needed = t_quantile(1 - sides * self.level / family, freedom)
        return error * (needed + t_quantile(2 * TARGET_POWER - 1, freedom))

    def variances(self) -> dict[Measure, VarianceComponents]:
        """Return by measure what scores vary by: queries, systems, repeated runs and the rest.

        Empty where no system has several runs, and by measures that are no means.
        """
        return {
            sample.measure: variance_components([sample.runs_of(name) for name in sample.systems])
            for sample in self.samples
            if sample.repeats and sample.count > 1 and sample.measure.average in ("mean", "sum")
        }

    def widest(self, found: Difference) -> float:
        """Return the largest difference that the range of the measure allows."""
        sample = self.sample_of(found)
        return largest_difference(sample)

    def standard_error(self, found: Difference) -> float:
        """Return the standard error of a difference of means or sums."""
        sample = self.sample_of(found)
        times = sample.count if sample.measure.average == "sum" else 1
        if found.repeated is not None:
            return found.repeated.error * times
        rows = sample.of(found.system) - sample.of(found.baseline)
        return float(standard_deviation(rows)) / sqrt(sample.count) * times

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
        `cleverdon.worst` for the other arguments.

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
        from cleverdon.comparison.worst_queries import worst

        systems = self.samples[0].systems
        old = baseline if baseline is not None else self.baseline
        if old is None and len(systems) == 2:
            old = systems[0] if system is None else next(s for s in systems if s != system)
        if old is None:
            raise OptionError("worst() needs a baseline=: the system to compare with")
        others = [name for name in systems if name != old]
        if system is None and len(others) != 1:
            raise OptionError(f"worst() needs a system=, one of {', '.join(map(repr, others))}")
        return worst(
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


@shows_progress("comparing")
def compare(
    scores: Scores,
    *,
    baseline: str | None = None,
    measures: str | Measure | Iterable[str | Measure] | None = None,
    systems: Iterable[str] | None = None,
    test: str = "randomisation",
    alternative: str = "two-sided",
    correction: str | None = None,
    primary: str | Measure | None = None,
    level: float = LEVEL,
    interval: str | None = None,
    confidence: float | None = None,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    progress: Progress | bool | None = None,
) -> Comparison:
    """Compare every other system with the baseline, or every pair of systems.

    All are compared on the same queries: those on which every system was evaluated. An undefined
    value counts as the measure's worst; scores made with undefined="skip" leave its query out.

    The primary measure decides: all its comparisons are one family that p-values are corrected for.
    The comparisons by the other measures are a second family, corrected by itself. Test, correction
    and interval are one procedure: the interval of a difference is adjusted for its family as its
    p-value is. A measure that is a geometric mean is tested by its logarithms.

    Systems of several runs (`repeats`) are compared by Student's t with a standard error over
    queries and runs, in place of the randomisation test, and Holm's correction.

    Args:
        scores: What `evaluate` returned.
        baseline: The system to compare with; by default every pair is compared.
        measures: Some of the measures; by default all.
        systems: Some of the systems; by default all.
        test: "randomisation", "t", "wilcoxon", "sign" or "bootstrap", pair by pair; or "tukey",
            "randomised-tukey" or, with a baseline, "dunnett", which correct for all systems
            themselves, and for several measures by Bonferroni's method.
        alternative: "two-sided", "greater" or "less".
        correction: "max-t" (step-down, for the randomisation test, its default), "holm" (the
            default of other tests), "bonferroni", "benjamini-hochberg" or "none".
        primary: The measure that decides, by default the first; "all" makes one family of all.
        level: The level of significance.
        interval: "t", "bca", "percentile" or "studentised", the last three by bootstrap; by default
            the mean difference and as many standard errors to each side as the test and its
            correction ask for.
        confidence: The confidence of intervals; by default what goes with the level and the
            alternative, 0.95 or, one-sided, 0.9.
        seed: The seed of random draws.
        options: Options of the test: `draws` of those that draw at random, `studentised` of
            "bootstrap", `zeros` and `continuity` of "wilcoxon".
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

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
    >>> print(found)
    system  RR
    ──────  ───────
    poor    0.5000
    good    1.0000†
    <BLANKLINE>
    † differs significantly from poor.
    Randomisation test, 1 comparison, p ≤ 0.05, 6 queries.
    """
    progress = as_callback(progress)
    progress("comparing")
    asked, correction = correction, _checked_correction(test, correction)
    if baseline is not None and baseline not in scores.systems:
        raise OptionError(f"there is no system {baseline!r}{suggest(baseline, scores.systems)}")
    if test == "dunnett" and baseline is None:
        raise OptionError("test='dunnett' compares with a baseline: name it, or take 'tukey'")
    check_within("level", level, 0, 1)
    check_word("alternative", alternative, ALTERNATIVES)
    if interval is not None:
        check_word("interval", interval, METHODS)
    sides = 1 if alternative == "two-sided" or level >= 0.5 else 2
    confidence = 1 - sides * level if confidence is None else confidence
    check_within("confidence", confidence, 0, 1)
    of = samples(scores, measures=measures, systems=systems)
    if baseline is not None and baseline not in of[0].systems:
        raise OptionError(f"the baseline {baseline!r} is not among the systems to be compared")
    if any(sample.repeats for sample in of):
        test, correction = _checked_for_repeats(test, asked, interval, of)
    setting = Comparison(
        (),
        tuple(of),
        baseline,
        test,
        alternative,
        correction,
        level,
        scores,
        primary=primary_measure(primary, of),
        primary_named=primary is not None,
        method=interval,
        confidence=confidence,
        seed=seed,
        options=options or {},
    )
    return compare_families(setting, {})


def primary_measure(primary: str | Measure | None, of: Sequence[Sample]) -> Measure | None:
    """Return the measure that decides; None for all."""
    if primary == "all":
        return None
    if primary is None:
        return of[0].measure
    wanted = parse(primary) if isinstance(primary, str) else primary
    compared = [sample.measure for sample in of]
    if wanted not in compared:
        raise OptionError(
            f"primary={str(wanted)!r} is not among the measures that are compared: "
            f"{', '.join(map(str, compared))}"
        )
    return wanted


def _checked_correction(test: str, correction: str | None) -> str:
    check_word("test", test, [*TESTS, *FAMILY_TESTS])
    if correction is not None:
        check_word("correction", correction, COMPARISON_CORRECTIONS)
    if test not in FAMILY_TESTS:
        if correction == "max-t" and test != "randomisation":
            raise OptionError(
                f"correction='max-t' draws signs as test='randomisation' does, and does not go "
                f"with test={test!r}: take 'holm'"
            )
        return correction or ("max-t" if test == "randomisation" else "holm")
    if correction not in (None, "none"):
        raise OptionError(
            f"test={test!r} corrects for all pairs itself: correction={correction!r} on top of it "
            "would be a second one"
        )
    return "none"


def _checked_for_repeats(
    test: str, correction: str | None, interval: str | None, of: Sequence[Sample]
) -> tuple[str, str]:
    """Return the test and the correction of a comparison of systems that have several runs."""
    if test not in ("randomisation", "t"):
        raise OptionError(f"test={test!r} does not know of several runs of a system: take 't'")
    if correction == "max-t":
        raise OptionError(
            "correction='max-t' does not know of several runs of a system: take 'holm'"
        )
    if interval not in (None, "t"):
        raise OptionError(f"interval={interval!r} does not know of several runs of a system")
    for sample in of:
        if sample.measure.average not in ("mean", "sum"):
            raise OptionError(
                f"{sample.measure} is no mean over queries: several runs of a system cannot be "
                "compared by it"
            )
    return "t", correction or "holm"

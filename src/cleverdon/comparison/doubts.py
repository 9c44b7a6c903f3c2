"""Doubts about a comparison: a linter for evaluations.

Each rule is a class with the doubt's name and a reference. It looks at the evidence and returns
nothing, or one sentence with a number: of many cases it names the worst. Rules about
runs and judgments come first, then those about the statistics; doubts are listed in this order.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, NamedTuple

import numpy as np

from cleverdon._common.registry import Registry
from cleverdon._common.text import counted
from cleverdon.comparison.differences import RANK_TESTS, Comparison, Difference
from cleverdon.comparison.samples import samples
from cleverdon.errors import OptionError, suggest
from cleverdon.measures.base import Measure, worst_value
from cleverdon.scores import RunProvenance, Scores
from cleverdon.stats.effect_sizes import standard_deviation
from cleverdon.stats.multiple_comparisons import FAMILYWISE


@dataclass(frozen=True, eq=False)
class Evidence:
    """The comparison, and what else is known of it."""

    comparison: Comparison
    pooled: frozenset[str] | None
    tuned_on: frozenset[str]
    tied: tuple[Scores, Scores] | None

    @property
    def systems(self) -> tuple[str, ...]:
        return self.comparison.samples[0].systems

    @property
    def queries(self) -> tuple[str, ...]:
        return self.comparison.samples[0].queries

    @cached_property
    def runs(self) -> dict[str, RunProvenance]:
        """The provenance of the compared runs."""
        return {name: self.comparison.scores.about.runs[name] for name in self.systems}

    def judged(self, system: str, k: int) -> float:
        """Return the share of a system's first k results that are judged; NaN if unknown."""
        run = self.runs[system]
        shares = {10: run.judged_in_top_10, **run.judged_at}
        return shares.get(k, np.nan) if run.results else np.nan


class Reason(NamedTuple):
    """The sentence of a rule, and its number."""

    sentence: str
    number: float


class DoubtRule(ABC):
    """One reason to doubt, and how to find it; the docstring says when it is raised."""

    name: ClassVar[str]
    reference: ClassVar[str]

    @abstractmethod
    def find(self, evidence: Evidence) -> Reason | None:
        """Return the reason, or None where there is none."""


DOUBT_RULES: Registry[DoubtRule] = Registry("doubt", key=lambda rule: rule.name)
doubt_rule = DOUBT_RULES.register


def _more_cases(count: int, what: str, does: str, do: str) -> str:
    """Return a clause that counts further cases; empty for none."""
    return f"; {counted(count, what)} {does if count == 1 else do}" if count > 0 else ""


_UNJUDGED_GAP = 0.05
"""The largest difference between the judged shares of two systems that is not doubted."""
_TIE_RATE = 0.1
"""The largest share of tied results that is not doubted."""


@doubt_rule
class MissingQueries(DoubtRule):
    """A run lacks queries that are judged."""

    name = "missing-queries"
    reference = "NIST's trec_eval, option -c: average over the complete set of queries"

    def find(self, evidence: Evidence) -> Reason | None:
        lacking = {name: len(run.missing) for name, run in evidence.runs.items() if run.missing}
        if not lacking:
            return None
        worst = max(lacking, key=lacking.__getitem__)
        about = evidence.comparison.scores.about
        fate = (
            "count as empty results"
            if about.settings.missing == "empty"
            else "are left out for all"
        )
        return Reason(
            f"{worst} lacks {lacking[worst]} of the {about.queries} judged queries, which {fate}"
            f"{_more_cases(len(lacking) - 1, 'other system', 'lacks some', 'lack some')}",
            lacking[worst],
        )


@doubt_rule
class UndefinedQueries(DoubtRule):
    """A measure is undefined on some of the queries."""

    name = "undefined-queries"
    reference = (
        "Voorhees 2004, Overview of the TREC Robust Track: a query without relevant documents "
        "is left out"
    )

    def find(self, evidence: Evidence) -> Reason | None:
        scores = evidence.comparison.scores
        rows = [scores.systems.index(name) for name in evidence.systems]
        on_all = scores.evaluated[rows].all(axis=0)
        counts = {}
        for sample in evidence.comparison.samples:
            values = scores.values[rows, scores.measures.index(sample.measure)]
            counts[sample.measure] = int((np.isnan(values).any(axis=0) & on_all).sum())
        worst = max(counts, key=counts.__getitem__)
        if not counts[worst]:
            return None
        skipped = scores.about.settings.undefined == "skip"
        fate = "which are left out" if skipped else f"where it counts as {worst_value(worst):g}"
        concerned = sum(1 for count in counts.values() if count) - 1
        others = _more_cases(
            concerned, "other measure", "is undefined on some", "are undefined on some"
        )
        return Reason(
            f"{worst} is undefined on {counts[worst]} of the {int(on_all.sum())} queries for at "
            f"least one system, {fate}{others}",
            counts[worst],
        )


@doubt_rule
class NothingJudged(DoubtRule):
    """A run has no judged result at all."""

    name = "nothing-judged"
    reference = "Buckley & Voorhees 2004, doi:10.1145/1008992.1009000"

    def find(self, evidence: Evidence) -> Reason | None:
        names = [name for name, run in evidence.runs.items() if run.results and not run.judged_rate]
        if not names:
            return None
        return Reason(
            f"not one result of {' and '.join(names)} is judged: are the document ids the same?",
            len(names),
        )


@doubt_rule
class UnjudgedDiffers(DoubtRule):
    """The judged shares of two systems' results, down to the cut-off, differ by more than 0.05."""

    name = "unjudged-differs"
    reference = "Yilmaz et al. 2020, doi:10.1145/3397271.3401317"

    def find(self, evidence: Evidence) -> Reason | None:
        gaps: dict[tuple[str, str, int], float] = {}
        for found in evidence.comparison.differences:
            k = _cutoff(found.measure) or 10
            gap = abs(evidence.judged(found.system, k) - evidence.judged(found.baseline, k))
            if gap > _UNJUDGED_GAP:
                gaps[found.system, found.baseline, k] = gap
        if not gaps:
            return None
        system, baseline, k = max(gaps, key=gaps.__getitem__)
        ours, theirs = evidence.judged(system, k), evidence.judged(baseline, k)
        pairs = len({pair[:2] for pair in gaps}) - 1
        return Reason(
            f"of the first {k} results, {ours:.0%} of {system}'s are judged and {theirs:.0%} of "
            f"{baseline}'s: what nobody judged counts as not relevant"
            f"{_more_cases(pairs, 'other pair', 'differs as much', 'differ as much')}",
            gaps[system, baseline, k],
        )


@doubt_rule
class PoolBias(DoubtRule):
    """With the pooled systems named: one of a pair had its results judged, and the other not."""

    name = "pool-bias"
    reference = (
        "Zobel 1998, doi:10.1145/290941.291014; Buckley et al. 2007, doi:10.1007/s10791-007-9032-x"
    )

    def find(self, evidence: Evidence) -> Reason | None:
        pooled = evidence.pooled
        if pooled is None:
            return None
        pairs = {
            (found.system, found.baseline)
            for found in evidence.comparison.differences
            if (found.system in pooled) != (found.baseline in pooled)
        }
        if not pairs:
            return None
        system, baseline = min(pairs)
        inside, outside = (system, baseline) if system in pooled else (baseline, system)
        return Reason(
            f"{inside}'s results went into the pool that was judged, and {outside}'s did not, "
            f"which favours {inside}"
            f"{_more_cases(len(pairs) - 1, 'other pair', 'is alike', 'are alike')}",
            len(pairs),
        )


@doubt_rule
class Ties(DoubtRule):
    """The order of results with equal scores could reverse a difference, or many have them."""

    name = "ties"
    reference = (
        "Cabanac et al. 2010, doi:10.1007/978-3-642-15998-5_13; Lin & Yang 2019, "
        "doi:10.1145/3331184.3331339"
    )

    def find(self, evidence: Evidence) -> Reason | None:
        rates = {name: run.tie_rate for name, run in evidence.runs.items()}
        if evidence.tied is None:
            worst = max(rates, key=rates.__getitem__)
            if rates[worst] <= _TIE_RATE:
                return None
            return Reason(
                f"{rates[worst]:.0%} of {worst}'s results are tied with another, and their order "
                "is not the system's",
                rates[worst],
            )
        spans = [_spans(found, evidence.tied) for found in evidence.comparison.differences]
        reversible = [
            found
            for found, (low, high) in zip(evidence.comparison.differences, spans, strict=True)
            if (low < 0 and found.difference > 0) or (high > 0 and found.difference < 0)
        ]
        if not reversible:
            return None
        first = max(reversible, key=lambda found: rates[found.system] + rates[found.baseline])
        rate = max(rates[first.system], rates[first.baseline])
        others = _more_cases(
            len(reversible) - 1, "other difference", "is as unsure", "are as unsure"
        )
        return Reason(
            f"another order of tied results could reverse {first.system} and {first.baseline} on "
            f"{first.measure}; up to {rate:.1%} of their results are tied{others}",
            rate,
        )


@doubt_rule
class BoundsOverlap(DoubtRule):
    """With bounds: what is tied or unjudged could put two systems the other way round."""

    name = "bounds-overlap"
    reference = "Moffat & Zobel 2008, doi:10.1145/1416950.1416952"

    def find(self, evidence: Evidence) -> Reason | None:
        scores = evidence.comparison.scores
        if not scores.bounds:
            return None
        undefined = scores.about.settings.undefined
        compared = np.isin(scores.queries, evidence.queries)
        turned: dict[Difference, float] = {}
        for found in evidence.comparison.differences:
            (low, high), (base_low, base_high) = (
                scores.bounds[name][str(found.measure)].means(
                    undefined=undefined, evaluated=compared
                )
                for name in (found.system, found.baseline)
            )
            contrary = low - base_high if found.difference > 0 else high - base_low
            if found.difference * contrary < 0:
                turned[found] = contrary
        if not turned:
            return None
        worst = max(turned, key=lambda found: abs(turned[found]))
        return Reason(
            f"the bounds of {worst.system} and {worst.baseline} on {worst.measure} overlap: with "
            f"what is tied or not judged, a difference of {worst.difference:+.3f} might be "
            f"{turned[worst]:+.3f}"
            f"{_more_cases(len(turned) - 1, 'other pair', 'does as well', 'do as well')}",
            turned[worst],
        )


@doubt_rule
class ShallowRun(DoubtRule):
    """A measure looks deeper than a run goes."""

    name = "shallow-run"
    reference = "Lu et al. 2016, doi:10.1007/s10791-016-9282-6"

    def find(self, evidence: Evidence) -> Reason | None:
        beyond = [
            (name, sample.measure, k)
            for sample in evidence.comparison.samples
            for name, run in evidence.runs.items()
            if (k := _cutoff(sample.measure)) is not None and 0 < run.deepest < k
        ]
        if not beyond:
            return None
        name, measure, _ = min(beyond, key=lambda case: evidence.runs[case[0]].deepest / case[2])
        depth = evidence.runs[name].deepest
        systems = len({case[0] for case in beyond}) - 1
        return Reason(
            f"{measure} looks further down than any result of {name}, which has {depth} for a "
            f"query at most{_more_cases(systems, 'other run', 'is as shallow', 'are as shallow')}",
            depth,
        )


def _cutoff(measure: Measure) -> int | None:
    k = getattr(measure, "k", None) if measure.cut == "k" else None
    return k if isinstance(k, int) else None


def _spans(found: Difference, tied: tuple[Scores, Scores]) -> tuple[float, float]:
    """Return the lowest and highest that a difference can be, whatever the order of ties."""
    pair = (found.system, found.baseline)
    of = [samples(s, measures=found.measure, systems=pair)[0] for s in tied]
    ours, theirs = ([sample.mean(name) for sample in of] for name in pair)
    return min(ours) - max(theirs), max(ours) - min(theirs)


_FEW_QUERIES = 25


@doubt_rule
class FewQueries(DoubtRule):
    """There are fewer than 25 queries."""

    name = "few-queries"
    reference = "Buckley & Voorhees 2000, doi:10.1145/345508.345543"

    def find(self, evidence: Evidence) -> Reason | None:
        n = len(evidence.queries)
        if n >= _FEW_QUERIES:
            return None
        queries = "1 query is" if n == 1 else f"{n} queries are"
        return Reason(
            f"{queries} few, and others could turn the result round; {_FEW_QUERIES} are the least "
            "that is advised, and 50 are better",
            n,
        )


@doubt_rule
class OutOfReach(DoubtRule):
    """With so few queries, or draws, no difference could be significant, however large."""

    name = "out-of-reach"
    reference = "Smucker et al. 2007, doi:10.1145/1321440.1321528"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        drawn = [found for found in comparison.differences if found.p.draws and not found.p.exact]
        # By Holm's correction, p-values that were not drawn may all be lower, and no longer count.
        tests = (
            len(drawn) if drawn and comparison.correction == "holm" else len(comparison.differences)
        )
        factor = tests if comparison.correction in FAMILYWISE else 1
        if drawn:
            draws = max(found.p.draws for found in drawn)
            lowest = min(1.0, factor / (1 + draws))
            what = f"no difference tested by {draws:,} random draw{'' if draws == 1 else 's'}"
        elif comparison.test in ("randomisation", "sign", "wilcoxon"):
            sides = 2 if comparison.alternative == "two-sided" else 1
            lowest = min(1.0, factor * sides * 0.5 ** len(evidence.queries))
            what = f"no difference on {counted(len(evidence.queries), 'query')}"
        else:
            return None
        if lowest <= comparison.level:
            return None
        return Reason(
            f"{what} can be significant, since no corrected p-value can be below {lowest:.2g}",
            lowest,
        )


@doubt_rule
class NoSpread(DoubtRule):
    """The test looks at the spread of differences, and one is the same on every query."""

    name = "no-spread"
    reference = "Student 1908, doi:10.1093/biomet/6.1.1"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        if comparison.test not in ("t", "bootstrap", "tukey"):
            return None
        same = [
            found
            for found in comparison.differences
            if found.difference and standard_deviation(comparison.differences_of(found)) == 0
        ]
        if not same:
            return None
        return Reason(
            f"{same[0].system} differs from {same[0].baseline} on {same[0].measure} by the same on "
            "every query, which has no spread: its p-value says nothing about other queries"
            f"{_more_cases(len(same) - 1, 'other difference', 'is alike', 'are alike')}",
            len(same),
        )


@doubt_rule
class SeedDecides(DoubtRule):
    """A p-value from random draws is so near the level that another seed could decide otherwise."""

    name = "seed-decides"
    reference = "Phipson & Smyth 2010, doi:10.2202/1544-6115.1585"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        near = []
        for found in comparison.differences:
            p, draws = found.p.p, found.p.draws
            if found.p.exact or not draws:
                continue
            times = found.corrected / p
            error = 2 * np.sqrt(p * (1 - p) / draws) * times
            # No seed puts it below the level where even the lowest p-value is above.
            reachable = min(found.corrected, times / (1 + draws)) <= comparison.level
            if reachable and abs(found.corrected - comparison.level) < error:
                near.append(found)
        if not near:
            return None
        first = min(near, key=lambda found: abs(found.corrected - comparison.level))
        return Reason(
            f"the p-value of {first.system} against {first.baseline} on {first.measure} rests on "
            f"{first.p.draws:,} random draws, and another seed could put it on the other side of "
            f"{comparison.level:g}"
            f"{_more_cases(len(near) - 1, 'other', 'is as near', 'are as near')}",
            first.corrected,
        )


@doubt_rule
class NotOfMeans(DoubtRule):
    """The test is one of signs or ranks, and its p-value is not of the mean difference."""

    name = "not-of-means"
    reference = "Urbano et al. 2019, doi:10.1145/3331184.3331259"

    def find(self, evidence: Evidence) -> Reason | None:
        comparison = evidence.comparison
        if comparison.test not in RANK_TESTS:
            return None
        against = sum(
            found.difference * comparison.test_direction(found) < 0
            for found in comparison.differences
        )
        return Reason(
            f"the {comparison.test} test is not of means: it points against the mean difference in "
            f"{against} of {counted(len(comparison.differences), 'comparison')}",
            against,
        )


@doubt_rule
class MeanRr(DoubtRule):
    """Means of reciprocal ranks are compared."""

    name = "mean-rr"
    reference = (
        "for: Fuhr 2017, doi:10.1145/3190580.3190586; against: Sakai 2020, "
        "doi:10.1145/3451964.3451976, and Moffat 2022, arXiv:2207.03103"
    )

    def find(self, evidence: Evidence) -> Reason | None:
        compared = [sample.measure for sample in evidence.comparison.samples]
        ordinal = [measure for measure in compared if type(measure).__name__ == "RR"]
        if not ordinal:
            return None
        return Reason(
            f"means of {' and '.join(map(str, ordinal))} are compared, whose scale some hold to be "
            "ordinal and without means, and others do not",
            len(ordinal),
        )


@doubt_rule
class MeasuresTried(DoubtRule):
    """More measures were evaluated than are compared and corrected for."""

    name = "measures-tried"
    reference = "Carterette 2012, doi:10.1145/2094072.2094076"

    def find(self, evidence: Evidence) -> Reason | None:
        compared = {sample.measure for sample in evidence.comparison.samples}
        tried = [
            measure
            for measure in evidence.comparison.scores.measures
            if measure not in compared and measure.better != "neither" and not measure.text
        ]
        if not tried:
            return None
        return Reason(
            f"{counted(len(tried) + len(compared), 'measure')} were evaluated and {len(compared)} "
            "compared: p-values are corrected for what is compared, not for what was tried",
            len(tried) + len(compared),
        )


@doubt_rule
class TunedOnTest(DoubtRule):
    """With the queries of tuning named: some of them are compared on."""

    name = "tuned-on-test"
    reference = "Cawley & Talbot 2010, JMLR 11, 2079-2107"

    def find(self, evidence: Evidence) -> Reason | None:
        both = [query for query in evidence.queries if query in evidence.tuned_on]
        if not both:
            return None
        return Reason(
            f"{len(both)} of the {counted(len(evidence.queries), 'query')} were used for tuning "
            f"(such as {both[0]}), and scores on them are too good",
            len(both),
        )


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt a comparison.

    Attributes:
        name: The name, by which it can be silenced.
        sentence: The reason.
        number: The number in the sentence, with all digits.
        reference: A publication about it.

    >>> print(Doubt("few-queries", "3 queries are few", 3, "Buckley & Voorhees 2000"))
    3 queries are few (few-queries; Buckley & Voorhees 2000)
    """

    name: str
    sentence: str
    number: float
    reference: str

    def __str__(self) -> str:
        return f"{self.sentence} ({self.name}; {self.reference})"


def find_doubts(
    comparison: Comparison,
    *,
    silence: Iterable[str] = (),
    pooled: Iterable[str] | None = None,
    tuned_on: Iterable[str] = (),
    tied: tuple[Scores, Scores] | None = None,
) -> list[Doubt]:
    """Find reasons to doubt a comparison.

    Args:
        comparison: What `compare` returned.
        silence: Names of doubts to leave out.
        pooled: The systems whose results were judged.
        tuned_on: Queries that parameters were chosen on.
        tied: The same scores with the worst and with the best order of ties, as
            `evaluate(..., ties="worst")` gives them.

    Returns:
        The doubts, those about runs and judgments first.

    Raises:
        OptionError: There is no such doubt or system.

    >>> from cleverdon import evaluate
    >>> from cleverdon.comparison.differences import compare
    >>> qrels = {f"q{i}": {"a": 1} for i in range(6)}
    >>> runs = {"one": {q: {"a": 1.0} for q in qrels}, "two": {q: {"b": 1.0} for q in qrels}}
    >>> found = find_doubts(compare(evaluate(qrels, runs, "P@1")), silence=["unjudged-differs"])
    >>> [doubt.name for doubt in found]
    ['nothing-judged', 'few-queries']
    """
    silent = {DOUBT_RULES.find(name) for name in silence}
    known = comparison.scores.systems
    for name in pooled or ():
        if name not in known:
            raise OptionError(f"pooled: there is no system {name!r}{suggest(name, known)}")
    evidence = Evidence(
        comparison, None if pooled is None else frozenset(pooled), frozenset(tuned_on), tied
    )
    found = []
    for rule in DOUBT_RULES.all().values():
        raised = None if rule in silent else rule().find(evidence)
        if raised is not None:
            found.append(Doubt(rule.name, raised.sentence, float(raised.number), rule.reference))
    return found

"""Doubts about runs and judgments: what was judged, tied, missing, tuned on or chosen."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from cleverdon._common.digests import same_file
from cleverdon._common.text import counted
from cleverdon.comparison.doubt_rules import (
    DoubtRule,
    Evidence,
    Reason,
    doubt_rule,
    more_cases,
    pairs_with,
)
from cleverdon.comparison.procedures import Difference
from cleverdon.comparison.samples import samples
from cleverdon.measures.base import Measure, worst_value
from cleverdon.scores import Scores

_UNJUDGED_GAP = 0.05
"""The largest difference between the judged shares of two systems that is not doubted."""
_THINLY_JUDGED = 0.5
"""The lowest share of judged results that is not doubted where both systems have so few."""
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
            f"{more_cases(len(lacking) - 1, 'other system', 'lacks some', 'lack some')}",
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
        others = more_cases(
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
    serious = True
    reference = "Buckley & Voorhees 2004, doi:10.1145/1008992.1009000"

    def find(self, evidence: Evidence) -> Reason | None:
        names = [name for name, run in evidence.runs.items() if run.results and not run.judged_rate]
        if not names:
            return None
        return Reason(
            f"not one result of {' and '.join(names)} is judged: are the document ids the same?",
            len(names),
            pairs_with(evidence, names),
        )


class _JudgedShares(DoubtRule):
    """A doubt about the shares of two systems' results, down to the cut-off, that are judged."""

    serious = True
    why: ClassVar[str]
    cases: ClassVar[tuple[str, str]]  # that there are more of them: one, several

    @abstractmethod
    def badness(self, ours: float, theirs: float) -> float | None:
        """Return how bad two shares are, the worst the largest; None where they are not."""

    @abstractmethod
    def number(self, ours: float, theirs: float) -> float:
        """Return the number in the sentence."""

    def find(self, evidence: Evidence) -> Reason | None:
        bad: dict[tuple[str, str, int], float] = {}
        about = set()
        for found in evidence.comparison.differences:
            k = _cutoff(found.measure) or 10
            shares = evidence.judged(found.system, k), evidence.judged(found.baseline, k)
            badness = self.badness(*shares)
            if badness is not None:
                bad[found.system, found.baseline, k] = badness
                about.add((found.system, found.baseline, str(found.measure)))
        if not bad:
            return None
        system, baseline, k = max(bad, key=bad.__getitem__)
        ours, theirs = evidence.judged(system, k), evidence.judged(baseline, k)
        pairs = len({pair[:2] for pair in bad}) - 1
        return Reason(
            f"of the first {k} results, {ours:.0%} of {system}'s are judged and {theirs:.0%} of "
            f"{baseline}'s: {self.why}{more_cases(pairs, 'other pair', *self.cases)}",
            self.number(ours, theirs),
            about,
        )


@doubt_rule
class UnjudgedDiffers(_JudgedShares):
    """The judged shares of two systems' results, down to the cut-off, differ by more than 0.05."""

    name = "unjudged-differs"
    reference = "Yilmaz et al. 2020, doi:10.1145/3397271.3401317"
    why = "what nobody judged counts as not relevant"
    cases = ("differs as much", "differ as much")

    def badness(self, ours: float, theirs: float) -> float | None:
        gap = abs(ours - theirs)
        return gap if gap > _UNJUDGED_GAP else None

    def number(self, ours: float, theirs: float) -> float:
        return abs(ours - theirs)


@doubt_rule
class ThinlyJudged(_JudgedShares):
    """Of both systems' results, down to the cut-off, less than half are judged."""

    name = "thinly-judged"
    reference = "Arabzadeh et al. 2022, doi:10.1007/s10791-022-09411-0"
    why = "whether the others are relevant could decide the difference"
    cases = ("has as few", "have as few")

    def badness(self, ours: float, theirs: float) -> float | None:
        return -max(ours, theirs) if max(ours, theirs) < _THINLY_JUDGED else None

    def number(self, ours: float, theirs: float) -> float:
        return max(ours, theirs)


@doubt_rule
class PoolBias(DoubtRule):
    """With the pooled systems named: one of a pair had its results judged, and the other not."""

    name = "pool-bias"
    serious = True
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
            f"{more_cases(len(pairs) - 1, 'other pair', 'is alike', 'are alike')}",
            len(pairs),
            pairs,
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
        others = more_cases(
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
            f"{more_cases(len(turned) - 1, 'other pair', 'does as well', 'do as well')}",
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
            f"query at most{more_cases(systems, 'other run', 'is as shallow', 'are as shallow')}",
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


@doubt_rule
class TunedOnTest(DoubtRule):
    """With the queries of tuning named: some of them are compared on."""

    name = "tuned-on-test"
    serious = True
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


@doubt_rule
class CrossValidated(DoubtRule):
    """With the folds of tuning named: cross-validated values are compared as if independent."""

    name = "cross-validated"
    serious = True
    reference = "Nadeau & Bengio 2003, doi:10.1023/A:1024068626366"

    def find(self, evidence: Evidence) -> Reason | None:
        if evidence.folds is None or len(evidence.folds.folds) < 2:
            return None
        tested = set(evidence.folds.queries)
        both = [query for query in evidence.queries if query in tested]
        if not both:
            return None
        folds = len(evidence.folds.folds)
        return Reason(
            f"settings were chosen by cross-validation over {folds} folds, which share their "
            "training queries: held-out values depend on each other, and tests of them find too "
            "much; `cleverdon tune --baseline` has a test that does not",
            folds,
        )


_FEW_REPEATS = 3


@doubt_rule
class FewRepeats(DoubtRule):
    """Of two systems, one has several runs and the other one, or fewer than 3."""

    name = "few-repeats"
    reference = "Reimers & Gurevych 2017, doi:10.18653/v1/D17-1035"

    def find(self, evidence: Evidence) -> Reason | None:
        repeated = evidence.comparison.samples[0].repeats
        if not repeated:
            return None
        counts = {name: len(repeated.get(name, "1")) for name in evidence.systems}
        few = [name for name in counts if counts[name] < _FEW_REPEATS]
        if not few:
            return None
        first = min(few, key=counts.__getitem__)
        if counts[first] == 1:
            why = "it counts as one that does not depend on chance"
        else:
            why = f"from which the variance of others is hard to tell; {_FEW_REPEATS} are better"
        return Reason(
            f"{first} has {counted(counts[first], 'run')}: {why}"
            f"{more_cases(len(few) - 1, 'other system', 'has as few', 'have as few')}",
            counts[first],
            pairs_with(evidence, few),
        )


@doubt_rule
class BestOfRepeats(DoubtRule):
    """A system is one of the repeated runs of another, and the best of them by some measure."""

    name = "best-of-repeats"
    serious = True
    reference = "Dodge et al. 2019, doi:10.18653/v1/D19-1224"

    def find(self, evidence: Evidence) -> Reason | None:
        scores = evidence.comparison.scores
        chosen: dict[str, tuple[str, int]] = {}
        for sample in evidence.comparison.samples:
            for name, runs in sample.repeats.items():
                merits = runs.mean(axis=1) * (-1 if sample.measure.better == "lower" else 1)
                best = int(merits.argmax())
                for other in evidence.systems:
                    if other in sample.repeats or not np.array_equal(sample.of(other), runs[best]):
                        continue
                    if _same_run(scores, other, name, best):
                        chosen[other] = (name, len(runs))
        if not chosen:
            return None
        system, (name, count) = next(iter(chosen.items()))
        return Reason(
            f"{system} is the best of the {counted(count, 'run')} of {name}: the best of several "
            "is better by chance alone",
            count,
            pairs_with(evidence, chosen),
        )


def _same_run(scores: Scores, system: str, repeated: str, number: int) -> bool:
    """Return whether a system is one of the runs of another.

    Runs of files are the same where their files are. Those in memory have no digest: they are where
    all their values are, and these vary.
    """
    digest, of = (scores.about.runs[name].digest for name in (system, repeated))
    if digest and of:
        return any(same_file(digest, one) for one in of.split(", "))
    ours = scores.values[scores.systems.index(system)]
    theirs = scores.repeats[repeated][number]
    vary = any(len(np.unique(row[~np.isnan(row)])) > 1 for row in ours)
    return vary and np.array_equal(ours, theirs, equal_nan=True)

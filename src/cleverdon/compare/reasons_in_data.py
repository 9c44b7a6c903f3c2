"""Reasons to doubt a comparison that lie in its runs and judgments, a function each.

A function is decorated with the doubt's name and where the reason is to be found. It looks at the
evidence and has nothing to say, or one sentence with a number: of many cases it tells the worst.
"""

from __future__ import annotations

import numpy as np

from cleverdon.aggregate import worst_value
from cleverdon.compare.evidence import Evidence, Found, doubt, others
from cleverdon.compare.paired import Difference
from cleverdon.compare.samples import samples
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores

UNJUDGED_GAP = 0.05
"""By how much the judged shares of two systems may differ: 5 of 100 results."""
TIE_RATE = 0.1
"""Which share of results may be tied without a word."""


@doubt("missing-queries", "NIST's trec_eval, option -c: average over the complete set of queries")
def _missing_queries(evidence: Evidence) -> Found | None:
    """A run lacks queries that are judged."""
    lacking = {name: len(run.missing) for name, run in evidence.runs.items() if run.missing}
    if not lacking:
        return None
    worst = max(lacking, key=lacking.__getitem__)
    about = evidence.comparison.scores.about
    fate = "count as empty results" if about.settings.missing == "empty" else "are left out for all"
    return Found(
        f"{worst} lacks {lacking[worst]} of the {about.queries} judged queries, which {fate}"
        f"{others(len(lacking) - 1, 'other system', 'lacks some', 'lack some')}",
        lacking[worst],
    )


@doubt(
    "undefined-topics",
    "Voorhees 2004, Overview of the TREC Robust Track: a topic without relevant documents is left "
    "out",
)
def _undefined_topics(evidence: Evidence) -> Found | None:
    """A measure is undefined on some of the topics."""
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
    return Found(
        f"{worst} is undefined on {counts[worst]} of the {int(on_all.sum())} topics for at least "
        f"one system, {fate}"
        f"{others(concerned, 'other measure', 'is undefined on some', 'are undefined on some')}",
        counts[worst],
    )


@doubt("nothing-judged", "Buckley & Voorhees 2004, doi:10.1145/1008992.1009000")
def _nothing_judged(evidence: Evidence) -> Found | None:
    """A run has no judged result at all."""
    names = [name for name, run in evidence.runs.items() if run.results and not run.judged_rate]
    if not names:
        return None
    return Found(
        f"not one result of {' and '.join(names)} is judged: are the document ids the same?",
        len(names),
    )


@doubt("unjudged-differs", "Yilmaz et al. 2020, doi:10.1145/3397271.3401317")
def _unjudged_differs(evidence: Evidence) -> Found | None:
    """The judged shares of two systems' results, down to the cut-off, differ by more than 0.05."""
    gaps: dict[tuple[str, str, int], float] = {}
    for found in evidence.comparison.differences:
        k = _cutoff(found.measure) or 10
        gap = abs(evidence.judged(found.system, k) - evidence.judged(found.baseline, k))
        if gap > UNJUDGED_GAP:
            gaps[found.system, found.baseline, k] = gap
    if not gaps:
        return None
    system, baseline, k = max(gaps, key=gaps.__getitem__)
    ours, theirs = evidence.judged(system, k), evidence.judged(baseline, k)
    pairs = len({pair[:2] for pair in gaps}) - 1
    return Found(
        f"of the first {k} results, {ours:.0%} of {system}'s are judged and {theirs:.0%} of "
        f"{baseline}'s: what nobody judged counts as not relevant"
        f"{others(pairs, 'other pair', 'differs as much', 'differ as much')}",
        gaps[system, baseline, k],
    )


@doubt(
    "pool-bias",
    "Zobel 1998, doi:10.1145/290941.291014; Buckley et al. 2007, doi:10.1007/s10791-007-9032-x",
)
def _pool_bias(evidence: Evidence) -> Found | None:
    """With the pooled systems named: one of a pair had its results judged, and the other not."""
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
    return Found(
        f"{inside}'s results went into the pool that was judged, and {outside}'s did not, which "
        f"favours {inside}{others(len(pairs) - 1, 'other pair', 'is alike', 'are alike')}",
        len(pairs),
    )


@doubt(
    "ties",
    "Cabanac et al. 2010, doi:10.1007/978-3-642-15998-5_13; Lin & Yang 2019, "
    "doi:10.1145/3331184.3331339",
)
def _ties(evidence: Evidence) -> Found | None:
    """The order of results with equal scores could reverse a difference, or many have them."""
    rates = {name: run.tie_rate for name, run in evidence.runs.items()}
    if evidence.tied is None:
        worst = max(rates, key=rates.__getitem__)
        if rates[worst] <= TIE_RATE:
            return None
        return Found(
            f"{rates[worst]:.0%} of {worst}'s results are tied with another, and their order is "
            "not the system's",
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
    return Found(
        f"another order of tied results could reverse {first.system} and {first.baseline} on "
        f"{first.measure}; up to {rate:.1%} of their results are tied"
        f"{others(len(reversible) - 1, 'other difference', 'is as unsure', 'are as unsure')}",
        rate,
    )


@doubt("bounds-overlap", "Moffat & Zobel 2008, doi:10.1145/1416950.1416952")
def _bounds_overlap(evidence: Evidence) -> Found | None:
    """With bounds: what is tied or unjudged could put two systems the other way round."""
    scores = evidence.comparison.scores
    if not scores.bounds:
        return None
    undefined = scores.about.settings.undefined
    compared = np.isin(scores.queries, evidence.topics)
    turned: dict[Difference, float] = {}
    for found in evidence.comparison.differences:
        (low, high), (base_low, base_high) = (
            scores.bounds[name][str(found.measure)].means(undefined=undefined, evaluated=compared)
            for name in (found.system, found.baseline)
        )
        contrary = low - base_high if found.difference > 0 else high - base_low
        if found.difference * contrary < 0:
            turned[found] = contrary
    if not turned:
        return None
    worst = max(turned, key=lambda found: abs(turned[found]))
    return Found(
        f"the bounds of {worst.system} and {worst.baseline} on {worst.measure} overlap: with what "
        f"is tied or not judged, a difference of {worst.difference:+.3f} might be "
        f"{turned[worst]:+.3f}"
        f"{others(len(turned) - 1, 'other pair', 'does as well', 'do as well')}",
        turned[worst],
    )


@doubt("shallow-run", "Lu et al. 2016, doi:10.1007/s10791-016-9282-6")
def _shallow_run(evidence: Evidence) -> Found | None:
    """A measure looks deeper than a run goes."""
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
    return Found(
        f"{measure} looks further down than any result of {name}, which has {depth} for a query "
        f"at most{others(systems, 'other run', 'is as shallow', 'are as shallow')}",
        depth,
    )


def _cutoff(measure: Measure) -> int | None:
    k = getattr(measure, "k", None) if measure.cut == "k" else None
    return k if isinstance(k, int) else None


def _spans(found: Difference, tied: tuple[Scores, Scores]) -> tuple[float, float]:
    """The lowest and highest that a difference can be, whatever the order of ties."""
    pair = (found.system, found.baseline)
    of = [samples(s, measures=found.measure, systems=pair)[0] for s in tied]
    ours, theirs = ([sample.mean(name) for sample in of] for name in pair)
    return min(ours) - max(theirs), max(ours) - min(theirs)

"""Recall so far, within the pool and beyond it, with advice whether to go on.

The documents of a query are judged in shuffled order, so the judged ones are a random sample of the
pool; a pool that is a sample itself adds its probabilities (Horvitz and Thompson). If an adaptive
method chooses what is judged, only the yield of the last documents tells how much is left. What the
pool may have missed is estimated by capture-recapture, by the code of `cleverdon recall`: rankings
are rebuilt from the pool's file and compared with the judgments. This works while only a part of
the pool is judged, because shuffling does not change the shares.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import Literal, NamedTuple

from cleverdon._common.text import counted, printable
from cleverdon.agreement.aggregation import aggregate_labels
from cleverdon.data import Judgments, Run
from cleverdon.errors import CleverdonError, InputError
from cleverdon.judging.dashboard import CONFIDENCE, Measurement, from_share, not_yet, unknown
from cleverdon.judging.dashboard.facts import Facts, ItemFact, labels_of
from cleverdon.judging.project import POOL
from cleverdon.pooling.choices import TARGET
from cleverdon.pooling.files import read_pool
from cleverdon.pooling.recall.advice import bound_sentence, dependence_sentence, next_step_sentence
from cleverdon.pooling.recall.estimates import CountEstimate
from cleverdon.pooling.recall.recall import Recall, estimate_recall
from cleverdon.pooling.recall.samples import SampledStratum, estimate_from_sample

_Way = Literal["order", "sample", "adaptive"]
"""A part of a shuffled pool; of a pool that is a sample; or documents that a method chose."""
_Decision = tuple[str, str]  # stop, go on or open; and a sentence
_LAST = 20  # documents of an adaptive pool, judged last, whose yield is measured
_FEWEST_RELEVANT = 5  # relevant documents, below which nothing is said about missing ones
_CHOSEN = "an adaptive method chooses what is judged, which is not a sample of the rest"


def _not_decided(why: str) -> _Decision:
    """Return the decision where nothing is known yet."""
    return "open", f"Not decided: {why}."


def _by_estimate(
    recall: Measurement, estimate: Measurement, *, left: int, sampled: bool, target: float
) -> _Decision:
    """Decide by the share of relevant documents that were found; `left` are not judged."""
    pool = "pool that the sample is of" if sampled else "pool"
    if not left and not sampled:
        return "stop", (
            "Stop looking: every document of the pool was judged by one person at least. What it "
            "does not hold, more systems or deeper results would bring."
        )
    if recall.value is None or recall.low is None or recall.high is None:
        most = "any number" if estimate.high is None else f"{estimate.high:,.0f} at most"
        return _not_decided(f"{recall.why}, and the {pool} may have {most}")
    found = f"of the relevant documents of the {pool} are found"
    enough = f"{target:.0%} is enough"
    low, high = _percent(recall.low, target), _percent(recall.high, target)
    if recall.low >= target:
        return "stop", f"Stop, if you like: at least {low} {found}, and {enough}."
    more = "More judgments will tell." if left else "Only a larger sample would tell."
    if recall.high < target:
        way = "" if left else " The sample is judged: draw a larger one, or judge the rest."
        return "go on", f"Go on: at most {high} {found}, and {enough}.{way}"
    return "open", f"Not decided: between {low} and {high} {found}, and {enough}. {more}"


def _for_some(recall: Measurement, *, without: int) -> _Decision:
    """Decide over all queries, where some are unknown."""
    why = f"nothing can be told yet of {counted(without, 'query')}"
    if recall.low is None or recall.high is None:
        return _not_decided(why)
    low, high = (f"{end:.0%}" for end in (recall.low, recall.high))
    return _not_decided(
        f"{why}; of the others, between {low} and {high} of the relevant documents of their pools "
        "are found"
    )


def _for_all(decisions: Sequence[str]) -> _Decision:
    """Decide over all queries of an adaptive pool: each ends by itself."""
    stopping, going = decisions.count("stop"), decisions.count("go on")
    if stopping == len(decisions):
        return "stop", (
            "Stop, if you like: every query has ended, or its last documents were not relevant."
        )
    counts = (
        f"of {counted(len(decisions), 'query')}, {stopping:,} may stop, {going:,} should go on, "
        f"and of {len(decisions) - stopping - going:,} it cannot be told yet"
    )
    return ("go on", f"Go on: {counts}.") if going else _not_decided(counts)


def _by_yield(last: Measurement) -> _Decision:
    """Decide by the yield of the last documents of an adaptive pool."""
    if last.value is None or last.high is None:
        return _not_decided(last.why)
    if last.value:
        return "go on", f"Go on: {_relevant_last(last)}, and the next ones may be as well."
    return "stop", (
        f"Stop, if you like: none of the last {_LAST} documents was relevant. The next one is "
        f"relevant with a chance of at most {last.high:.0%}, and later ones are less likely to be."
    )


def _by_ending(last: Measurement, *, left: int) -> _Decision:
    """Decide on a query whose method gives out no more; `left` are not judged."""
    if left:
        are = "is" if left == 1 else "are"
        return "go on", (
            f"Go on until it is done: {counted(left, 'document')} {are} still to be judged, and no "
            "more will come."
        )
    advice = "Stop: all that was given out is judged."
    if last.value:
        advice += f" {_relevant_last(last)}, so the pool may well hold more."
    return "stop", advice


def _relevant_last(last: Measurement) -> str:
    relevant = round((last.value or 0) * _LAST)
    were = "was" if relevant == 1 else "were"
    return f"{relevant} of the last {_LAST} documents {were} relevant"


def _percent(share: float, target: float) -> str:
    """Write a share with enough digits to see on which side of the target it is.

    >>> _percent(0.8996, 0.9), _percent(0.42, 0.9)
    ('89.96%', '42%')
    """
    digits = 0
    while digits < 6 and (round(share, digits + 2) < target) != (share < target):
        digits += 1
    return f"{share:.{digits}%}"


@dataclass(frozen=True)
class RecallEstimate:
    """The recall so far of one query, or of all queries."""

    documents: int
    """Documents of the pool."""
    judged: int
    """Judged documents of the pool."""
    relevant: int
    """Relevant documents among the judged."""
    estimate: Measurement
    """Relevant documents in the whole pool."""
    recall: Measurement
    """The share of these that is found."""
    last: Measurement
    """Adaptive pools: the share of relevant documents among the last ones."""
    decision: str
    """One of: stop, go on, open."""
    advice: str
    left_out: int = 0
    """Documents that somebody chose, which say nothing about the rest."""


@dataclass(frozen=True)
class LiveRecall:
    """The recall so far, over all and query by query."""

    way: _Way
    """The basis of the estimate: shuffled order, a sample, or the last documents."""
    target: float
    """The recall that is enough."""
    all: RecallEstimate
    without: tuple[str, ...]
    """Queries without an estimate, which `all` leaves out."""
    queries: Mapping[str, RecallEstimate]


def item_grades(facts: Facts) -> dict[int, int]:
    """Return one grade per judged item: the ruling, the majority, or the lower grade."""
    if not facts.human:
        return dict(facts.rulings)
    made = aggregate_labels(labels_of(facts.human), "majority", vote_ties="lower", progress=False)
    items = {(item.query, item.document): item.id for item in facts.items}
    found = {items[query, doc]: int(grade) for query, doc, grade, _, _ in made.rows()}
    return found | facts.rulings


def _without_chosen(facts: Facts, grades: Mapping[int, int]) -> dict[str, list[ItemFact]]:
    """Return the items of each query that are a random sample of its pool.

    Gold documents are chosen by hand, and documents that an import added are not from the pool.
    Documents with imported grades were chosen too; but they count in a pool that is judged to the
    end, since then there is nothing left to estimate.
    """
    found: dict[str, list[ItemFact]] = {query.name: [] for query in facts.queries}
    for item in facts.items:
        if item.gold is None and not item.added:
            found[item.query].append(item)
    for query, items in found.items():
        if not all(item.id in grades for item in items):
            found[query] = [item for item in items if item.id not in facts.chosen]
    return found


def live_recall(facts: Facts, grades: Mapping[int, int], *, target: float = TARGET) -> LiveRecall:
    """Estimate the recall so far from the grades of items (`item_grades`)."""
    by_query = _without_chosen(facts, grades)
    line = facts.scale.relevant
    every = Counter(item.query for item in facts.items)
    counted = {
        query: _counted(items, grades, line, left_out=every[query] - len(items))
        for query, items in by_query.items()
    }
    if facts.adaptive:
        return _adaptive_recall(facts, by_query, grades, counted, target)
    sampled = any(item.probability not in (None, 1.0) for item in facts.items)
    parts = [part for items in by_query.values() for part in _parts(items, grades, line)]
    estimates: Mapping[str, CountEstimate] = {}
    total = None
    with suppress(InputError):  # no query has a judged document in every stratum
        found = estimate_from_sample(dict.fromkeys(counted, 0), parts, confidence=CONFIDENCE)
        # The estimate is of the whole pool, with its known documents.
        found = found.knowing({query: one.relevant for query, one in counted.items()})
        estimates, total = found.queries, found.all
    known = {query: one for query, one in counted.items() if query in estimates}
    imported = facts.chosen or any(item.added for item in facts.items)
    nothing = "nothing is judged yet" + (", but what was imported" if imported else "")
    without = tuple(t for t, one in counted.items() if one.documents and t not in known)
    whole = _estimated(_sum(known or counted), total, target, sampled=sampled, nothing=nothing)
    if known and without:
        decision, advice = _for_some(whole.recall, without=len(without))
        whole = replace(whole, decision=decision, advice=advice)
    return LiveRecall(
        "sample" if sampled else "order",
        target,
        whole,
        without,
        {
            query: _estimated(one, estimates.get(query), target, sampled=sampled, nothing=nothing)
            for query, one in counted.items()
        },
    )


class _Counted(NamedTuple):
    documents: int
    judged: int
    relevant: int
    left_out: int = 0


def _counted(
    items: Sequence[ItemFact], grades: Mapping[int, int], line: int, *, left_out: int = 0
) -> _Counted:
    judged = [grades[item.id] for item in items if item.id in grades]
    return _Counted(len(items), len(judged), sum(grade >= line for grade in judged), left_out)


def _sum(counted: Mapping[str, _Counted]) -> _Counted:
    return _Counted(*map(sum, zip(*counted.values(), strict=True)))


def _parts(items: Sequence[ItemFact], grades: Mapping[int, int], line: int) -> list[SampledStratum]:
    """Return groups of documents that were equally likely to be judged by now."""
    groups: dict[tuple[int, float], list[ItemFact]] = {}
    for item in items:
        share = 1.0 if item.probability is None else item.probability
        groups.setdefault((item.stratum or 0, share), []).append(item)
    found = []
    for (stratum, share), group in groups.items():
        counted = _counted(group, grades, line)
        # Of a stratum, a whole number was drawn; without strata, chance drew one by one.
        size = round(len(group) / share) if share == 1 or stratum else None
        found.append(
            SampledStratum(
                group[0].query,
                f"{stratum}, drawn with {share:g}",
                counted.judged,
                counted.relevant,
                share * counted.judged / counted.documents,
                size,
            )
        )
    return found


def _estimated(
    one: _Counted, estimate: CountEstimate | None, target: float, *, sampled: bool, nothing: str
) -> RecallEstimate:
    fixed = unknown("the pool is not adaptive")
    if estimate is None:
        why = "a stratum has no judgment yet" if one.judged else nothing
        whole = recall = unknown(why, of=one.judged)
        decided = _not_decided(why)
    else:
        high = estimate.high if isfinite(estimate.high) else None
        whole = Measurement(estimate.value, estimate.low, high, one.judged)
        share, low, most = estimate.recall()
        recall = unknown("no relevant document was found yet", of=one.judged)
        if isfinite(share) and one.relevant:
            recall = Measurement(share, low, most, one.judged)
        left = one.documents - one.judged
        decided = _by_estimate(recall, whole, left=left, sampled=sampled, target=target)
    return RecallEstimate(*one[:3], whole, recall, fixed, *decided, one.left_out)


def _adaptive_recall(
    facts: Facts,
    by_query: Mapping[str, Sequence[ItemFact]],
    grades: Mapping[int, int],
    counted: Mapping[str, _Counted],
    target: float,
) -> LiveRecall:
    """Estimate an adaptive pool from the documents that were judged last."""
    first = {one.item: at for at, one in reversed(list(enumerate(facts.grade_events)))}
    line = facts.scale.relevant

    def yield_of(items: Iterable[ItemFact]) -> Measurement:
        """Return the share of relevant documents among those that were judged last."""
        judged = [item.id for item in items if item.id in grades]
        judged.sort(key=lambda item: first.get(item, -1))  # a document that was only ruled: first
        if len(judged) < _LAST:
            why = f"the yield is that of {_LAST} judged documents, and there are {len(judged)}"
            return unknown(why, of=len(judged))
        return from_share(sum(grades[item] >= line for item in judged[-_LAST:]), _LAST, why="")

    skipped = {one.item for one in facts.skips_and_flags if one.skipped}
    left = Counter(
        item.query
        for item in facts.items
        if item.given_out and item.id not in grades and item.id not in skipped
    )

    def estimated(one: _Counted, last: Measurement, decided: _Decision) -> RecallEstimate:
        nothing = unknown(_CHOSEN, of=one.judged)
        return RecallEstimate(*one[:3], nothing, nothing, last, *decided, one.left_out)

    queries = {}
    for query, one in counted.items():
        last = yield_of(by_query[query])
        ended = query in facts.endings
        decided = _by_ending(last, left=left[query]) if ended else _by_yield(last)
        queries[query] = estimated(one, last, decided)
    last = yield_of(chain.from_iterable(by_query.values()))
    whole = estimated(_sum(counted), last, _for_all([one.decision for one in queries.values()]))
    return LiveRecall("adaptive", target, whole, (), queries)


@dataclass(frozen=True)
class PoolCoverage:
    """The share of all relevant documents that the pool holds."""

    recall: Measurement
    """Recall of the pool: an upper bound, unless systems complement each other."""
    bounded: bool
    """True if the recall is an upper bound."""
    sentences: tuple[str, ...] = ()


class PooledSystems:
    """The rankings from which a project's pool was made."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / POOL

    @cached_property
    def _read(self) -> tuple[Mapping[str, Run], int, str]:
        """The rankings by system, the depth of the pool, and why there are none."""
        if not self._path.is_file():
            return {}, 0, "the pool does not say which systems its documents are from"
        try:
            pool = read_pool(self._path)
        except CleverdonError as error:
            return {}, 0, f"the pool cannot be read: {error}"
        nested: dict[str, dict[str, dict[str, float]]] = {}
        deepest = 1
        for query, at in pool.rows():
            for system, rank in pool.contributions(at).items():
                deepest = max(deepest, rank)
                nested.setdefault(system, {}).setdefault(query, {})[pool.docs[at]] = -float(rank)
        if len(nested) < 2:
            return {}, 0, "it takes two systems at least to see what they found in common"
        depth = pool.how.get("k")
        runs = {name: Run.read(given, name=name) for name, given in nested.items()}
        return runs, depth if isinstance(depth, int) else deepest, ""

    def coverage(self, facts: Facts, grades: Mapping[int, int]) -> PoolCoverage:
        """Estimate how much the pool has missed, from the grades of items."""
        runs, depth, why = self._read
        if facts.adaptive:
            why = "an adaptive method judges first what many systems found, which would mislead"
        if why:
            return PoolCoverage(unknown(why), False)
        line = facts.scale.relevant
        judged: dict[str, dict[str, float]] = {}
        pooled = list(chain.from_iterable(_without_chosen(facts, grades).values()))
        for item in pooled:
            if item.id in grades:
                judged.setdefault(item.query, {})[item.document] = float(grades[item.id])
        relevant = sum(grade >= line for of_query in judged.values() for grade in of_query.values())
        if relevant < _FEWEST_RELEVANT:
            why = f"it needs {_FEWEST_RELEVANT} relevant documents: {relevant} so far"
            return PoolCoverage(unknown(why, of=relevant), False)
        # Of the others it is not known yet what they find.
        there = {name: run for name, run in runs.items() if not judged.keys().isdisjoint(run)}
        if len(there) < 2:
            why = f"not yet, since it needs two systems with a judged query: {len(there)} so far"
            return PoolCoverage(unknown(why, of=relevant), False)
        try:
            found = estimate_recall(
                Judgments.read(judged), there, depth=depth, rel=line, reusing=False, progress=False
            )
        except CleverdonError as error:
            return PoolCoverage(unknown(not_yet(error), of=relevant), False)
        without = [name for name in runs if name not in there]
        return _coverage(found, sum(map(len, judged.values())), len(pooled), without)


def _coverage(found: Recall, judged: int, pooled: int, without: Sequence[str]) -> PoolCoverage:
    best = found.best
    if best is None:
        why = "more is known by now than systems would have in common"
        return PoolCoverage(unknown(why, of=found.relevant), False)
    value, low, high = (end if isfinite(end) else None for end in best.all.recall())
    part = (
        f"Only {judged:,} of the pool's {pooled:,} documents are judged: the share stands for all "
        "of it, and the number that follows for the judged part alone."
    )
    named = ", ".join(map(printable, without))
    sentences = (
        f"Left out, since no query of theirs is judged yet: {named}." if without else "",
        part if judged < pooled else "",
        bound_sentence(found, best.all),
        dependence_sentence(found),
        next_step_sentence(found),
    )
    return PoolCoverage(
        Measurement(value, low, high, found.relevant),
        found.bounded,
        tuple(sentence for sentence in sentences if sentence),
    )

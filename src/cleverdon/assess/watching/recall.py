"""How much of what is relevant has been found by now, and whether to go on judging.

The documents of a topic are judged in shuffled order. So those that are judged are a random sample
of the pool, and what the rest holds can be estimated from them; a pool that is a sample itself adds
its probabilities (Horvitz and Thompson's). An adaptive method chooses what is judged: then only
what the last documents brought says how much is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from math import isfinite
from typing import Literal

from cleverdon.assess.watching.facts import Facts, ItemFact
from cleverdon.assess.watching.labels import labels_of
from cleverdon.assess.watching.measured import CONFIDENCE, Measured, of_share, unknown
from cleverdon.assess.watching.stopping import (
    Decided,
    by_ending,
    by_estimate,
    by_yield,
    for_all,
    for_some,
    not_decided,
)
from cleverdon.errors import InputError
from cleverdon.judge.aggregation import aggregate
from cleverdon.pool.recall import Part, by_sample
from cleverdon.pool.recall.estimates import Estimate
from cleverdon.pool.recall.estimating import TARGET

Way = Literal["order", "sample", "adaptive"]
"""A part of a shuffled pool; of a pool that is a sample; or documents that a method chose."""
LAST = 20
"""Documents of an adaptive pool that were judged last, of which the relevant ones are counted."""
_CHOSEN = "an adaptive method chooses what is judged: that is no sample of the rest"


@dataclass(frozen=True)
class Found:
    """What is known of one topic's relevant documents, or of all topics'."""

    documents: int  # of the pool
    judged: int  # of these
    relevant: int  # of the judged
    estimate: Measured  # how many relevant documents the pool has in all
    recall: Measured  # the share of these that are among the judged
    last: Measured  # of adaptive pools: the share of relevant ones among the last `LAST`
    decision: str  # stop, go on, or open
    advice: str
    left_out: int = 0  # documents that somebody chose, and that tell nothing of the rest


@dataclass(frozen=True)
class LiveRecall:
    """What was found by now, over all and topic by topic."""

    way: Way
    target: float
    all: Found
    topics: Mapping[str, Found]
    without: tuple[str, ...]  # topics of which nothing can be told, which `all` leaves out


def item_grades(facts: Facts) -> dict[int, int]:
    """One grade for each judged item: the ruling, else the majority, else the lower grade."""
    if not facts.human:
        return dict(facts.rulings)
    made = aggregate(labels_of(facts.human), "majority", ties="lower")
    items = {(item.topic, item.document): item.id for item in facts.items}
    found = {items[topic, doc]: int(grade) for topic, doc, grade, _, _ in made.rows()}
    return found | facts.rulings


def without_chosen(facts: Facts, grades: Mapping[int, int]) -> dict[str, list[ItemFact]]:
    """Of each topic, the items whose judgments tell of the rest of its pool.

    Gold was chosen by hand. What an import added was chosen by its file, and is not from
    the pool. What people's grades were imported of was chosen as well; but a pool
    that is judged to the end has no rest, and then all of it counts.
    """
    found: dict[str, list[ItemFact]] = {topic.name: [] for topic in facts.topics}
    for item in facts.items:
        if item.gold is None and not item.added:
            found[item.topic].append(item)
    for topic, items in found.items():
        if not all(item.id in grades for item in items):
            found[topic] = [item for item in items if item.id not in facts.chosen]
    return found


def live_recall(facts: Facts, grades: Mapping[int, int], *, target: float = TARGET) -> LiveRecall:
    """How much was found, by the grades of items (`item_grades`)."""
    by_topic = without_chosen(facts, grades)
    line = facts.scale.relevant
    every = Counter(item.topic for item in facts.items)
    counted = {
        topic: replace(_counted(items, grades, line), left_out=every[topic] - len(items))
        for topic, items in by_topic.items()
    }
    if facts.adaptive:
        return _by_yield(facts, by_topic, grades, counted, target)
    sampled = any(item.probability not in (None, 1.0) for item in facts.items)
    parts = [part for items in by_topic.values() for part in _parts(items, grades, line)]
    estimates, total = _estimates({topic: one.relevant for topic, one in counted.items()}, parts)
    told = {topic: one for topic, one in counted.items() if topic in estimates}
    imported = facts.chosen or any(item.added for item in facts.items)
    nothing = "nothing is judged yet" + (", but what was imported" if imported else "")
    without = tuple(t for t, one in counted.items() if one.documents and t not in told)
    whole = _estimated(_sum(told or counted), total, target, sampled=sampled, nothing=nothing)
    if told and without:
        decision, advice = for_some(whole.recall, without=len(without))
        whole = replace(whole, decision=decision, advice=advice)
    return LiveRecall(
        "sample" if sampled else "order",
        target,
        whole,
        {
            topic: _estimated(one, estimates.get(topic), target, sampled=sampled, nothing=nothing)
            for topic, one in counted.items()
        },
        without,
    )


@dataclass(frozen=True)
class _Counted:
    documents: int
    judged: int
    relevant: int
    left_out: int = 0


def _counted(items: Sequence[ItemFact], grades: Mapping[int, int], line: int) -> _Counted:
    judged = [grades[item.id] for item in items if item.id in grades]
    return _Counted(len(items), len(judged), sum(grade >= line for grade in judged))


def _sum(counted: Mapping[str, _Counted]) -> _Counted:
    every = counted.values()
    return _Counted(
        sum(one.documents for one in every),
        sum(one.judged for one in every),
        sum(one.relevant for one in every),
        sum(one.left_out for one in every),
    )


def _parts(items: Sequence[ItemFact], grades: Mapping[int, int], line: int) -> list[Part]:
    """Documents of a topic that were as likely as each other to be judged by now."""
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
            Part(
                group[0].topic,
                f"{stratum}, drawn with {share:g}",
                counted.judged,
                counted.relevant,
                share * counted.judged / counted.documents,
                size,
            )
        )
    return found


def _estimates(
    known: Mapping[str, int], parts: Sequence[Part]
) -> tuple[Mapping[str, Estimate], Estimate | None]:
    try:
        # The pool as a whole is estimated, and what is known of it is among that.
        found = by_sample(dict.fromkeys(known, 0), parts, confidence=CONFIDENCE).knowing(known)
    except InputError:  # of no topic is something judged in every stratum
        return {}, None
    return found.topics, found.all


def _estimated(
    one: _Counted, estimate: Estimate | None, target: float, *, sampled: bool, nothing: str
) -> Found:
    counts = (one.documents, one.judged, one.relevant)
    fixed = unknown("the pool is not adaptive")
    if estimate is None:
        why = "a stratum has no judgment yet" if one.judged else nothing
        untold = unknown(why, of=one.judged)
        return Found(*counts, untold, untold, fixed, *not_decided(why), one.left_out)
    high = estimate.high if isfinite(estimate.high) else None
    whole = Measured(estimate.value, estimate.low, high, one.judged)
    share, low, most = estimate.recall()
    recall = unknown("no relevant document was found yet", of=one.judged)
    if isfinite(share) and one.relevant:
        recall = Measured(share, low, most, one.judged)
    left = one.documents - one.judged
    decided = by_estimate(recall, whole, left=left, sampled=sampled, target=target)
    return Found(*counts, whole, recall, fixed, *decided, one.left_out)


def _by_yield(
    facts: Facts,
    by_topic: Mapping[str, Sequence[ItemFact]],
    grades: Mapping[int, int],
    counted: Mapping[str, _Counted],
    target: float,
) -> LiveRecall:
    """An adaptive pool: topic by topic, and over all, what was judged last."""
    first = {one.item: at for at, one in reversed(list(enumerate(facts.gradings)))}
    line = facts.scale.relevant

    def brought(items: Iterable[ItemFact]) -> Measured:
        judged = [item.id for item in items if item.id in grades]
        judged.sort(key=lambda item: first.get(item, -1))  # without a time: what was ruled alone
        return _yield([grades[item] for item in judged], line)

    skipped = {one.item for one in facts.asides if one.skipped}
    left = Counter(
        item.topic
        for item in facts.items
        if item.given_out and item.id not in grades and item.id not in skipped
    )

    def advised(topic: str, last: Measured) -> Decided:
        if topic not in facts.endings:
            return by_yield(last, size=LAST)
        return by_ending(last, left=left[topic], size=LAST)

    topics = {}
    for topic, one in counted.items():
        last = brought(by_topic[topic])
        topics[topic] = _adaptive(one, last, advised(topic, last))
    last = brought(chain.from_iterable(by_topic.values()))
    whole = _adaptive(_sum(counted), last, for_all([one.decision for one in topics.values()]))
    return LiveRecall("adaptive", target, whole, topics, ())


def _yield(grades: Sequence[int], line: int) -> Measured:
    """The share of relevant ones among the documents that were judged last."""
    if len(grades) < LAST:
        why = f"the yield is that of {LAST} judged documents, and there are {len(grades)}"
        return unknown(why, of=len(grades))
    return of_share(sum(grade >= line for grade in grades[-LAST:]), LAST, why="")


def _adaptive(one: _Counted, last: Measured, decided: Decided) -> Found:
    counts = (one.documents, one.judged, one.relevant)
    nothing = unknown(_CHOSEN, of=one.judged)
    return Found(*counts, nothing, nothing, last, *decided, one.left_out)

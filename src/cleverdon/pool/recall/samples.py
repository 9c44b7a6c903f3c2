"""How many relevant documents the pool missed, by a random sample of what is not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cleverdon.errors import InputError
from cleverdon.pool.recall.estimates import Estimate, Estimates
from cleverdon.pool.recall.hypergeometric import relevant_interval
from cleverdon.pool.recall.weighted import Part, weighted_interval


def by_sample(
    found: Mapping[str, int], parts: Sequence[Part], *, confidence: float = 0.95
) -> Estimates:
    """The relevant documents of each topic: those found in the pool, and those that a sample shows.

    One stratum of one topic has the exact interval, several together that of `weighted_interval`.
    Topics without a sample are left out, and so are those with a stratum of which nothing was
    judged: nothing is known of it.

    >>> parts = [Part("q1", "all", drawn=200, relevant=3, probability=0.2, size=1000)]
    >>> by_sample({"q1": 30}, parts).all
    Estimate(found=30, value=45.0, low=34.0, high=70.0, confidence=0.95, interval='exact')
    """
    by_topic: dict[str, list[Part]] = {}
    for part in parts:
        by_topic.setdefault(part.topic, []).append(part)
    topics: dict[str, Estimate] = {}
    used: list[Part] = []
    for topic, count in found.items():
        of_topic = by_topic.get(topic, [])
        if of_topic and not any(part.unknown for part in of_topic):
            topics[topic] = _estimate(count, of_topic, confidence)
            used += of_topic
    if not topics:
        raise InputError(
            "no topic has a sample of which something was judged in every stratum: nothing can be "
            "estimated from it"
        )
    total = sum(found[topic] for topic in topics)
    left_out = tuple(topic for topic in found if topic not in topics)
    return Estimates("sample", _estimate(total, used, confidence), topics, left_out)


def _estimate(found: int, parts: Sequence[Part], confidence: float) -> Estimate:
    missing = sum(part.total for part in parts)
    drawn = [part for part in parts if part.drawn]
    low: float
    high: float
    interval = "exact"
    if len(drawn) == 1 and drawn[0].size is not None:
        only = drawn[0]
        low, high = relevant_interval(
            drawn[0].size, only.drawn, only.relevant, confidence=confidence
        )
    else:
        low, high = weighted_interval(parts, confidence=confidence)
        interval = "gamma" if drawn else "exact"
    # A sum of fractions may miss the end of its interval by the last bit.
    missing = min(max(missing, float(low)), float(high))
    low, high = found + float(low), found + float(high)
    return Estimate(found, found + missing, low, high, confidence, interval)

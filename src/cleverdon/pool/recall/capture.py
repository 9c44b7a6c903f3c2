"""How many relevant documents there are, by how often systems found the same ones.

Systems are taken for independent looks at the same collection, as nets in a lake. If two find much
of the same, little is left to be found. Both methods go wrong in a known direction: documents that
are easy to find are found by all, then the overlap is large, and the estimate is too low.

Of several topics, estimates are made of each and summed, and so are their variances: counts of
all topics thrown together would mix topics with many and with few relevant documents, which lowers
the estimate once more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from cleverdon.errors import OptionError
from cleverdon.pool.recall.catches import Catches
from cleverdon.pool.recall.estimates import Estimate, Estimates, log_normal
from cleverdon.pool.recall.hypergeometric import size_interval


@dataclass(frozen=True)
class Unseen:
    """How many documents no system found, as estimated, with what its interval needs."""

    found: int  # by any system
    missing: float
    variance: float
    captures: int  # how often documents were found, by all systems together

    def estimate(self, confidence: float) -> Estimate:
        """With a log-normal interval."""
        low, high = log_normal(
            self.found,
            self.missing,
            self.variance,
            captures=self.captures,
            confidence=confidence,
        )
        return Estimate(self.found, self.found + self.missing, low, high, confidence, "log-normal")


def chapman(first: int, second: int, both: int) -> Unseen:
    """Lincoln and Petersen's estimate, without most of its bias (Chapman 1951; Seber 1970).

    >>> found = chapman(10, 15, 5)
    >>> round(found.found + found.missing, 2), round(found.variance, 2)
    (28.33, 34.92)
    """
    if not 0 <= both <= min(first, second):
        raise OptionError(f"both={both}: at most as many as either found, {first} and {second}")
    found = first + second - both
    total = (first + 1) * (second + 1) / (both + 1) - 1
    spread = (first + 1) * (second + 1) * (first - both) * (second - both)
    variance = spread / ((both + 1) ** 2 * (both + 2))
    # What rounding leaves below 0 is 0.
    return Unseen(found, max(total - found, 0.0), variance, first + second)


def chao(found: int, once: int, twice: int, *, captures: int, systems: int | None = None) -> Unseen:
    """Chao's lower bound, by how many documents were found once and how many twice.

    `systems` is how many lists there were (Chao2); without it, captures are without number
    (Chao1). The form without bias, which is defined where nothing was found twice. Chao 1984 and
    1987, doi:10.2307/2531532; the variances are those of Colwell's EstimateS.

    >>> barro_colorado = chao(93, 31, 18, captures=448)
    >>> round(93 + barro_colorado.missing, 4), round(barro_colorado.variance**0.5, 4)
    (117.4737, 11.5854)
    """
    share = 1.0 if systems is None else (systems - 1) / systems
    pairs = once * (once - 1)
    missing = share * pairs / (2 * (twice + 1))
    if not missing:
        return Unseen(found, 0.0, 0.0, captures)
    if twice:
        of_twice = share**2 * once**2 * twice * (once - 1) ** 2 / (4 * (twice + 1) ** 4)
    else:
        of_twice = -(share**2) * once**4 / (4 * (found + missing))
    of_once = share**2 * once * (2 * once - 1) ** 2 / (4 * (twice + 1) ** 2)
    return Unseen(found, missing, max(missing + of_once + of_twice, 0.0), captures)


def by_chao(found: Catches, *, confidence: float = 0.95) -> Estimates:
    """Chao's estimate over all systems, of each topic and summed; it takes two systems or more."""
    systems = len(found.systems)
    if systems < 2:
        raise OptionError("one system is never found again by another: capture-recapture takes two")
    relevant = found.relevant
    counted = [
        found.per_topic(relevant & rows)
        for rows in (found.times > 0, found.times == 1, found.times == 2)
    ]
    captures = found.judged.starts[:-1] * 0
    np.add.at(captures, found.judged.query[relevant], found.times[relevant])
    topics = [
        chao(any_, once, twice, captures=times, systems=systems)
        for any_, once, twice, times in zip(
            *(each.tolist() for each in (*counted, captures)), strict=True
        )
    ]
    of_topics = {
        topic: one.estimate(confidence)
        for topic, one in zip(found.judged.queries, topics, strict=True)
    }
    return Estimates("chao", _summed(topics).estimate(confidence), of_topics)


def by_two(found: Catches, *, confidence: float = 0.95) -> Estimates:
    """Lincoln and Petersen's estimate of two systems, or two groups of them.

    A topic's interval is exact, and so is that of a single topic; their sum has a log-normal one.
    """
    if len(found.systems) != 2:
        raise OptionError(
            f"Lincoln and Petersen's method compares two systems or two groups, and there are "
            f"{len(found.systems)}: put them in two groups"
        )
    caught = [found.caught(system) & found.relevant for system in (0, 1)]
    counts = [found.per_topic(rows).tolist() for rows in (*caught, caught[0] & caught[1])]
    topics = [chapman(*of_topic) for of_topic in zip(*counts, strict=True)]
    of_topics = {}
    rows = zip(found.judged.queries, topics, *counts, strict=True)
    for topic, one, first, second, both in rows:
        low, high = size_interval(first, second, both, confidence=confidence)
        value = one.found + one.missing
        of_topics[topic] = Estimate(one.found, value, min(low, value), max(high, value), confidence)
    whole = (
        next(iter(of_topics.values()))
        if len(of_topics) == 1
        else _summed(topics).estimate(confidence)
    )
    return Estimates("lincoln-petersen", whole, of_topics)


def _summed(topics: Iterable[Unseen]) -> Unseen:
    listed = list(topics)
    return Unseen(
        sum(one.found for one in listed),
        sum(one.missing for one in listed),
        sum(one.variance for one in listed),
        sum(one.captures for one in listed),
    )

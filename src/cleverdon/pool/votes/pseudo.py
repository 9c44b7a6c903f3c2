"""Pseudo-judgments: documents of the pool that are taken for relevant, without looking at them.

Drawn at random (Soboroff, Nicholas & Cahan 2001, doi:10.1145/383952.383961), or those that the
systems, fused, rank highest (Nuray & Can 2006, Information Processing & Management 42(3)). Systems
are then scored by them as by any judgments, on all of their results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from cleverdon.aggregate import worst_value
from cleverdon.arrays import Bools, Floats, Ints, ordinal_in
from cleverdon.errors import OptionError
from cleverdon.hits import Hits
from cleverdon.judged import Judged
from cleverdon.measures.base import Measure
from cleverdon.pool.contributions import Contributions
from cleverdon.pool.fusion import reciprocal_ranks


@dataclass(frozen=True, eq=False)
class DepthPool:
    """The documents that stand among some system's first results."""

    doc: Ints  # indices into the documents of the contributions
    topic: Ints  # of each of them
    times: Floats  # how many systems have it there
    fused: Floats  # the sum of 1 / rank over these systems
    sizes: Ints  # of each topic: how many documents are pooled

    @classmethod
    def of(cls, found: Contributions, depth: int) -> DepthPool:
        rows = np.flatnonzero(found.rank <= depth)
        doc = found.doc[rows]
        times = np.bincount(doc, minlength=len(found)).astype(float)
        fused = reciprocal_ranks(doc, found.rank[rows], len(found), constant=0)
        pooled = np.flatnonzero(times)
        topic = found.topic_of_doc[pooled]
        sizes = np.bincount(topic, minlength=len(found.topics))
        return cls(pooled, topic, times[pooled], fused[pooled], sizes)

    def first(self, keys: Floats, counts: Ints) -> Ints:
        """Of each topic, so many documents with the lowest keys; equals in the order of ids."""
        order = np.lexsort((keys, self.topic))
        place = ordinal_in(self.topic[order])
        return self.doc[order[place <= counts[self.topic[order]]]]

    def share(self, share: Floats | float) -> Ints:
        """How many documents of each topic a share of its pool is: one at least."""
        wanted = np.rint(np.asarray(share) * self.sizes)
        return np.clip(wanted, 1, self.sizes).astype(np.int64)


def drawn(
    pool: DepthPool,
    *,
    duplicates: bool,
    share: float,
    deviation: float,
    trials: int,
    seed: int,
) -> Iterator[Ints]:
    """For each trial, documents drawn at random from the pools of all topics.

    How many of a topic's pool are relevant is drawn first: a share of it from the normal
    distribution of this mean and standard deviation, cut to one document at least and all at most.
    Then that many documents are drawn: each as likely as any other, or, where `duplicates` are
    kept, from a pool in which a document lies as many times as systems returned it; a document
    that is drawn again is passed over.
    """
    for trial in range(trials):
        random = np.random.default_rng([seed, trial])
        counts = pool.share(random.normal(share, deviation, len(pool.sizes)))
        # The document whose waiting time at its own rate is shortest comes first: the same as
        # drawing one after the other, with chances as the rates.
        waited = random.exponential(size=len(pool.doc))
        yield pool.first(waited / pool.times if duplicates else waited, counts)


def highest(pool: DepthPool, *, share: float) -> Ints:
    """The documents that the systems together rank highest, by the sum of 1 / rank: a share."""
    return pool.first(-pool.fused, pool.share(share))


def scorer(found: Contributions, measure: Measure) -> Callable[[Ints], Floats]:
    """What gives systems x topics: each system's value, where these documents are relevant.

    Each pair of topic and system is a query of its own, so that the measure, whichever it is, is
    computed once for all systems.
    """
    _check(measure)
    systems, topics = len(found.contributors), len(found.topics)
    returned = np.bincount(found.topic_of_row * systems + found.system, minlength=topics * systems)
    names = [topic for topic in found.topics for _ in range(systems)]
    worst = worst_value(measure)

    def scored(docs: Ints) -> Floats:
        relevant: Bools = np.zeros(len(found), dtype=bool)
        relevant[docs] = True
        before = np.concatenate(([0], np.cumsum(relevant)))  # relevant ones before each document
        in_topic = np.diff(before[found.doc_starts])
        starts = np.concatenate(([0], np.cumsum(np.repeat(in_topic, systems))))
        rows = np.flatnonzero(relevant[found.doc])
        topic, rank, doc = found.topic_of_row[rows], found.rank[rows], found.doc[rows]
        cell = topic * systems + found.system[rows]
        hits = Hits(
            query=cell,
            rank=rank,
            grade=np.ones(len(rows)),
            doc=starts[cell] + before[doc] - before[found.doc_starts[topic]],
            tied_from=rank,
            tied_to=rank,
            returned=returned,
            judgments=Judged(names, starts, np.ones(int(starts[-1])), top_grade=1.0),
        )
        values = measure(hits)
        settled: Floats = np.where(np.isnan(values), worst, values)
        return settled.reshape(topics, systems).T

    return scored


def _check(measure: Measure) -> None:
    plain = not (measure.text or measure.needs or measure.needs_docs or measure.looks_elsewhere)
    if measure.better != "higher" or not plain:
        raise OptionError(
            f"{measure} cannot be computed of pseudo-judgments, which only say that documents are "
            "relevant; take one such as AP, nDCG@10 or P@10"
        )

"""What systems returned for a topic, out of a pool that holds all of their results to a depth."""

from __future__ import annotations

import numpy as np

from cleverdon.errors import InputError
from cleverdon.pool.contributions import OfTopic
from cleverdon.pool.pooled import Pool


def returned(pool: Pool, topic: str) -> OfTopic:
    """The rows of a topic, as `Contributions.of` gives them but for the scores.

    >>> from cleverdon.pool import depth_pool, gather
    >>> found = gather({"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}})
    >>> [each.tolist() for each in returned(depth_pool(found, k=2), "q1").rankings]
    [[0, 1], [2, 0]]
    """
    if topic not in pool.topics:
        raise InputError(f"the pool has no topic {topic!r}")
    at = pool.topics.index(topic)
    start, stop = int(pool.starts[at]), int(pool.starts[at + 1])
    docs = pool.docs[start:stop]
    order = sorted(range(len(docs)), key=lambda position: docs[position].encode())
    number = np.empty(len(docs), dtype=np.int64)
    number[order] = np.arange(len(docs))
    rows = slice(int(pool.row_starts[start]), int(pool.row_starts[stop]))
    doc = np.repeat(number, np.diff(pool.row_starts[start : stop + 1]))
    system, rank = pool.system[rows], pool.rank[rows]
    by_rank = np.lexsort((rank, system))
    found = OfTopic(
        topic,
        [docs[position] for position in order],
        system[by_rank],
        doc[by_rank],
        rank[by_rank],
        np.zeros(len(by_rank)),
        len(pool.contributors),
    )
    _check_whole(found, pool)
    return found


def _check_whole(found: OfTopic, pool: Pool) -> None:
    """That no result is missing between others: methods read rankings from their tops."""
    for system, ranking in enumerate(found.rankings):
        ranks = found.rank[found.system == system]
        if not np.array_equal(ranks, np.arange(1, len(ranking) + 1)):
            name = pool.contributors[system].name
            raise InputError(
                f"of topic {found.topic!r}, the pool lacks results of {name!r} between others: an "
                "adaptive method needs all of them, down to some rank"
            )

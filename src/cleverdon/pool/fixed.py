"""Pools that are made at once: by depth, or the best by a weight."""

from __future__ import annotations

from typing import Any

import numpy as np

from cleverdon.arrays import Floats, Ints, ordinal_in
from cleverdon.errors import OptionError, check_count
from cleverdon.pool.contributions import Contributions
from cleverdon.pool.pooled import Pool, pooled
from cleverdon.pool.weights import PERSISTENCE, weigh


def depth_pool(found: Contributions, *, k: int, seed: int = 0) -> Pool:
    """Every document that some system returned at rank k or above.

    Spärck Jones & van Rijsbergen 1975, Report on the need for and provision of an 'ideal'
    information retrieval test collection; what TREC has done since.

    >>> from cleverdon.pool.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d1": 2, "d3": 1}}}
    >>> depth_pool(gather(runs), k=1).docs
    ['d1']
    """
    check_count("k", k)
    _check_deep_enough(found, k)
    chosen = np.flatnonzero(found.best_rank <= k)
    return pooled(found, chosen, seed=seed, how={"method": "depth", "k": k})


def weighted_pool(
    found: Contributions, *, by: str, budget: int, p: float = PERSISTENCE, seed: int = 0
) -> Pool:
    """The `budget` documents of each topic for which most speaks, by one of `WEIGHTS`.

    Of equal weights, the document that more systems returned comes first, then the smaller id.
    """
    check_count("budget", budget)
    how: dict[str, Any] = {"method": by, "budget": budget} | ({"p": p} if by == "rbp" else {})
    order = by_weight(found, weigh(found, by, p=p))
    place = ordinal_in(found.topic_of_doc[order])
    return pooled(found, np.sort(order[place <= budget]), seed=seed, how=how)


def by_weight(found: Contributions, weights: Floats) -> Ints:
    """All documents, topic by topic, the highest weight first."""
    systems = np.bincount(found.doc, minlength=len(found))
    return np.lexsort((-systems, -weights, found.topic_of_doc))


def _check_deep_enough(found: Contributions, k: int) -> None:
    if found.depth is not None and found.depth < k:
        raise OptionError(f"k={k}: results were gathered down to rank {found.depth} only")

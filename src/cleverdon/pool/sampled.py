"""Pools of which a random part is judged, each document with a probability that is known.

What the whole would have given can then be estimated: by infAP and xinfAP from strata, by statAP
from probabilities.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from cleverdon.arrays import Bools, Floats, Ints
from cleverdon.errors import OptionError, check_count, check_seed
from cleverdon.pool.contributions import Contributions
from cleverdon.pool.pooled import Pool, pooled
from cleverdon.pool.weights import PERSISTENCE, weigh

Strata = Sequence[tuple[int, float]]
"""Down to which rank each stratum reaches, and which share of it is drawn."""


def stratified_pool(found: Contributions, *, strata: Strata, seed: int = 0) -> Pool:
    """Documents in strata by their best rank, of each of which a share is drawn at random.

    With strata=[(10, 1), (100, 0.2)], all that some system returned in its first 10 is judged, and
    of the rest down to rank 100 a fifth: of every topic's stratum to the nearest whole number, and
    one document at least, since a stratum of which nothing was judged tells nothing. Yilmaz,
    Kanoulas & Aslam 2008, doi:10.1145/1390334.1390437.

    >>> from cleverdon.pool.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 5, "d2": 4, "d3": 3, "d4": 2, "d5": 1}}}
    >>> pool = stratified_pool(gather(runs), strata=[(1, 1), (5, 0.5)])
    >>> int(pool.drawn.sum()), sorted(pool.stratum.tolist()), sorted(pool.probability.tolist())
    (3, [1, 2, 2, 2, 2], [0.5, 0.5, 0.5, 0.5, 1.0])
    """
    depths, rates = _checked(strata, found.depth)
    check_seed(seed)
    chosen = np.flatnonzero(found.best_rank <= depths[-1])
    stratum = np.searchsorted(depths, found.best_rank[chosen]) + 1
    group = found.topic_of_doc[chosen] * len(depths) + stratum - 1
    sizes = np.bincount(group, minlength=len(found.topics) * len(depths))
    wanted = np.floor(sizes * np.tile(rates, len(found.topics)) + 0.5)
    wanted = np.minimum(np.maximum(wanted, 1), sizes).astype(np.int64)
    drawn = _first_of_each(group, wanted, np.random.default_rng([seed, 1]))
    probability = (wanted / np.maximum(sizes, 1))[group]
    return pooled(
        found,
        chosen,
        seed=seed,
        how={"method": "stratified", "strata": [[int(d), float(r)] for d, r in strata]},
        drawn=drawn,
        stratum=stratum,
        probability=probability,
    )


def _first_of_each(group: Ints, wanted: Ints, random: np.random.Generator) -> Bools:
    """So many rows of each group, at random."""
    order = np.lexsort((random.random(len(group)), group))
    ordered = group[order]
    place = np.arange(len(group)) - np.searchsorted(ordered, ordered)
    drawn = np.zeros(len(group), dtype=bool)
    drawn[order[place < wanted[ordered]]] = True
    return drawn


def _checked(strata: Strata, gathered: int | None) -> tuple[Ints, Floats]:
    if not strata:
        raise OptionError("strata: there is at least one, as in [(10, 1), (100, 0.2)]")
    for depth, rate in strata:
        check_count("the depth of a stratum", depth)
        if not 0 < rate <= 1:
            raise OptionError(
                f"the share of a stratum that is drawn is above 0 and at most 1: {rate}"
            )
    depths = np.array([depth for depth, _ in strata], dtype=np.int64)
    if (np.diff(depths) <= 0).any():
        raise OptionError("every stratum reaches deeper than the one before it")
    if gathered is not None and gathered < depths[-1]:
        raise OptionError(
            f"a stratum reaches down to rank {depths[-1]}, and results were gathered down to "
            f"{gathered} only"
        )
    return depths, np.array([rate for _, rate in strata], dtype=np.float64)


def probability_pool(
    found: Contributions,
    *,
    budget: int,
    by: str = "ap",
    p: float = PERSISTENCE,
    seed: int = 0,
) -> Pool:
    """`budget` documents of each topic, drawn without replacement in proportion to a weight.

    A document whose share would be more than 1 is certain to be drawn, and the rest of the budget
    falls to the others. Drawn systematically from a random order (Madow 1949,
    doi:10.1214/aoms/1177729988), so that each document's probability is exactly its share, and the
    number drawn exactly the budget. Weights of 0 leave a document out of the pool.
    """
    check_count("budget", budget)
    check_seed(seed)
    if by == "depth":
        raise OptionError("by='depth' is an order and no weight; take ap, rrf, rbp or combmnz")
    weights = weigh(found, by, p=p)
    random = np.random.default_rng([seed, 2])
    probability = np.zeros(len(found))
    drawn = np.zeros(len(found), dtype=bool)
    bounds = found.doc_starts.tolist()
    for start, stop in pairwise(bounds):
        shares = inclusion(weights[start:stop], budget)
        probability[start:stop] = shares
        drawn[start:stop] = systematic(shares, random)
    chosen = np.flatnonzero(probability > 0)
    how = {"method": "probability", "by": by, "budget": budget} | ({"p": p} if by == "rbp" else {})
    return pooled(
        found, chosen, seed=seed, how=how, drawn=drawn[chosen], probability=probability[chosen]
    )


def inclusion(weights: Floats, budget: int) -> Floats:
    """With which probability each is drawn, in proportion to its weight and never above 1.

    >>> inclusion(np.array([6.0, 1.0, 1.0, 0.0]), 2).tolist()
    [1.0, 0.5, 0.5, 0.0]
    """
    positive = weights > 0
    if positive.sum() <= budget:
        return positive.astype(np.float64)
    shares = np.where(positive, weights, 0.0)
    certain = np.zeros(len(weights), dtype=bool)
    while True:
        left = budget - int(certain.sum())
        scaled = np.where(certain, 1.0, left * shares / shares[~certain].sum())
        above = ~certain & (scaled >= 1)
        if not above.any():
            return scaled
        certain |= above


def systematic(shares: Floats, random: np.random.Generator) -> Bools:
    """A sample in which each has exactly the probability of its share; sorted at random first."""
    drawn = shares >= 1
    order = random.permutation(np.flatnonzero(~drawn))
    upto = np.cumsum(shares[order])
    if len(order) and upto[-1] > 0:
        upto *= round(float(upto[-1])) / upto[-1]  # it is a whole number, but for its last bits
        start = random.random()
        taken = np.diff(np.floor(upto - start), prepend=np.floor(-start)) > 0
        drawn[order[taken]] = True
    return drawn

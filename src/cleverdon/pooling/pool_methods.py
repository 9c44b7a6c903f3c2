"""Methods of pooling: by depth, by a weight, or a sample with known probabilities."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats, Ints, ordinal_in, summed
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.errors import OptionError, check_count, check_seed, check_within, check_word
from cleverdon.pooling.choices import (
    PERSISTENCE,
    POOL_DEPTH,
    POOL_METHODS,
    SAMPLING_WEIGHTS,
    STRATA,
)
from cleverdon.pooling.contributions import (
    Contributions,
    gather,
    reciprocal_ranks,
    round_sums,
    scale_scores,
)
from cleverdon.pooling.files import read_grades
from cleverdon.pooling.pools import Pool, pool_of
from cleverdon.stats.sampling import draw_of_each, inclusion_probabilities, systematic_sample

_WEIGHTS = ("depth", *SAMPLING_WEIGHTS)
"""The ways to weigh documents: by best rank, or by how much their ranks bear on a score."""


def _weigh(found: Contributions, by: str, *, p: float = PERSISTENCE) -> Floats:
    """Return each document's weight, by one of `_WEIGHTS`; `p` is the persistence of `rbp`.

    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d2": 2}}}
    >>> _weigh(gather(runs), "rrf").round(4).tolist()
    [0.0164, 0.0325]
    """
    check_word("by", by, _WEIGHTS)
    check_within("p", p, 0, 1)
    if by == "depth":
        return -found.best_rank.astype(np.float64)
    if by == "rrf":
        return reciprocal_ranks(found.doc, found.rank, len(found))
    if by == "rbp":  # Moffat, Webber & Zobel 2007, doi:10.1145/1277741.1277806, there method A
        weight = (1 - p) * np.power(p, found.rank - 1.0)
        return round_sums(summed(found.doc, weight, len(found)))
    lengths = np.diff(np.append(np.flatnonzero(found.rank == 1), len(found.rank)))
    if by == "combmnz":  # Fox & Shaw 1994, Combination of multiple searches, TREC-2
        counts = np.bincount(found.doc, minlength=len(found))
        scores = summed(found.doc, scale_scores(found.score, lengths), len(found))
        return round_sums(counts * scores)
    # A ranking of n gives rank r the weight (1 + 1/r + 1/(r+1) + ... + 1/n) / 2n: the prior of
    # statAP's samples. Aslam & Pavlu 2007, A practical sampling strategy for efficient retrieval
    # evaluation, Northeastern University.
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, lengths.max(initial=0) + 1))))
    length = np.repeat(lengths, lengths)
    weight = (1 + harmonic[length] - harmonic[found.rank - 1]) / (2 * length)
    return round_sums(summed(found.doc, weight, len(found)))


def depth_pool(found: Contributions, *, k: int, seed: int = 0) -> Pool:
    """Pool every document that some system returned at rank k or above.

    Spärck Jones & van Rijsbergen 1975, Report on the need for and provision of an 'ideal'
    information retrieval test collection; what TREC has done since.

    >>> from cleverdon.pooling.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d1": 2, "d3": 1}}}
    >>> depth_pool(gather(runs), k=1).docs
    ['d1']
    """
    check_count("k", k)
    if found.depth is not None and found.depth < k:
        raise OptionError(f"k={k}: results were gathered down to rank {found.depth} only")
    chosen = np.flatnonzero(found.best_rank <= k)
    return pool_of(found, chosen, seed=seed, how={"method": "depth", "k": k})


def _weighted_pool(
    found: Contributions, *, by: str, budget: int, p: float = PERSISTENCE, seed: int = 0
) -> Pool:
    """Pool the documents of each query with the highest weights."""
    check_count("budget", budget)
    how: dict[str, Any] = {"method": by, "budget": budget} | ({"p": p} if by == "rbp" else {})
    systems = np.bincount(found.doc, minlength=len(found))
    order = np.lexsort((-systems, -_weigh(found, by, p=p), found.query_of_doc))
    place = ordinal_in(found.query_of_doc[order])
    return pool_of(found, np.sort(order[place <= budget]), seed=seed, how=how)


_Strata = Sequence[tuple[int, float]]
"""Down to which rank each stratum reaches, and which share of it is drawn."""


def _stratified_pool(found: Contributions, *, strata: _Strata, seed: int = 0) -> Pool:
    """Draw a random share of each stratum; strata go by the best rank of documents.

    With strata=[(10, 1), (100, 0.2)], all that some system returned in its first 10 is judged, and
    of the rest down to rank 100 a fifth: of every query's stratum to the nearest whole number, and
    one document at least, since a stratum of which nothing was judged tells nothing. Yilmaz,
    Kanoulas & Aslam 2008, doi:10.1145/1390334.1390437.

    >>> from cleverdon.pooling.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 5, "d2": 4, "d3": 3, "d4": 2, "d5": 1}}}
    >>> pool = _stratified_pool(gather(runs), strata=[(1, 1), (5, 0.5)])
    >>> int(pool.drawn.sum()), sorted(pool.stratum.tolist()), sorted(pool.probability.tolist())
    (3, [1, 2, 2, 2, 2], [0.5, 0.5, 0.5, 0.5, 1.0])
    """
    depths, rates = _check_strata(strata, found.depth)
    check_seed(seed)
    chosen = np.flatnonzero(found.best_rank <= depths[-1])
    stratum = np.searchsorted(depths, found.best_rank[chosen]) + 1
    group = found.query_of_doc[chosen] * len(depths) + stratum - 1
    sizes = np.bincount(group, minlength=len(found.queries) * len(depths))
    wanted = np.floor(sizes * np.tile(rates, len(found.queries)) + 0.5)
    wanted = np.minimum(np.maximum(wanted, 1), sizes).astype(np.int64)
    drawn = draw_of_each(group, wanted, np.random.default_rng([seed, 1]))
    probability = (wanted / np.maximum(sizes, 1))[group]
    return pool_of(
        found,
        chosen,
        seed=seed,
        how={"method": "stratified", "strata": [[int(d), float(r)] for d, r in strata]},
        drawn=drawn,
        stratum=stratum,
        probability=probability,
    )


def _check_strata(strata: _Strata, gathered: int | None) -> tuple[Ints, Floats]:
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


def _probability_pool(
    found: Contributions, *, budget: int, by: str = "ap", p: float = PERSISTENCE, seed: int = 0
) -> Pool:
    """Draw `budget` documents of each query without replacement, in proportion to a weight."""
    check_count("budget", budget)
    check_seed(seed)
    if by == "depth":
        raise OptionError("by='depth' is an order and no weight; take ap, rrf, rbp or combmnz")
    weights = _weigh(found, by, p=p)
    random = np.random.default_rng([seed, 2])
    probability = np.zeros(len(found))
    drawn = np.zeros(len(found), dtype=bool)
    bounds = found.doc_starts.tolist()
    for start, stop in pairwise(bounds):
        shares = inclusion_probabilities(weights[start:stop], budget)
        probability[start:stop] = shares
        drawn[start:stop] = systematic_sample(shares, random)
    chosen = np.flatnonzero(probability > 0)
    how = {"method": "probability", "by": by, "budget": budget} | ({"p": p} if by == "rbp" else {})
    return pool_of(
        found, chosen, seed=seed, how=how, drawn=drawn[chosen], probability=probability[chosen]
    )


@shows_progress("pooling")
def pool(
    runs: Any,
    *,
    method: str = "depth",
    depth: int | None = None,
    budget: int | None = None,
    strata: _Strata | None = None,
    weight: str | None = None,
    persistence: float | None = None,
    judged: Any = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    order_by: str = "score",
    seed: int = 0,
    progress: Progress | bool | None = None,
) -> Pool:
    """Pool the results of runs, for people to judge.

    Args:
        runs: Runs as `evaluate` takes them, or what `gather` returned.
        method: "depth" takes the first results of every run. With a budget, "rrf", "rbp" and
            "combmnz" take the best documents by these fusions. "stratified" and "probability" draw
            at random.
        depth: Look at the first `depth` results of each run and query; by default at 100 for
            `depth` without a budget, else at all.
        budget: The number of documents of each query; needed by all methods except `depth` and
            `stratified`.
        strata: With `stratified`, the last rank of each stratum and the share that is drawn of it;
            by default all down to rank 10 and a tenth down to rank 100.
        weight: With `probability`, the weight of a document: ap (the default), rrf, rbp or combmnz.
        persistence: The parameter of `rbp`, by default 0.8.
        judged: Judgments, or their file: what has a grade is not on the sheet.
        qrels_format: The format of `judged`, if not to be guessed.
        run_format: The format of the runs, if not to be guessed.
        order_by: The order of results: by `score` or by `rank`.
        seed: The seed of draws and of the order on the sheet.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The pool. `Pool.sheet` has the documents to judge, and `write_pool` writes it.

    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d3": 2, "d1": 1}}}
    >>> print(pool(runs, depth=2, judged={"q1": {"d1": 1}}))
    run  in the pool  to judge  no other run's
    ───  ───────────  ────────  ──────────────
    a              2         1               1
    b              2         1               1
    <BLANKLINE>
    2 documents to judge for 1 query: 2 to 2, 2.0 on average
    1 document judged already
    """
    progress = as_callback(progress)
    check_word("method", method, POOL_METHODS)
    if method not in ("depth", "stratified") and budget is None:
        raise OptionError(f"method={method!r} needs a budget: the number of documents of a query")
    if method == "depth" and depth is None and budget is None:
        depth = POOL_DEPTH
    strata = strata or STRATA
    known = {} if judged is None else read_grades(judged, format=qrels_format)
    deepest = strata[-1][0] if method == "stratified" else depth
    found = gather(runs, depth=deepest, format=run_format, order_by=order_by, progress=progress)
    p = PERSISTENCE if persistence is None else persistence
    if method == "stratified":
        pool = _stratified_pool(found, strata=strata, seed=seed)
    elif budget is None:
        pool = depth_pool(found, k=depth or POOL_DEPTH, seed=seed)
    elif method == "probability":
        pool = _probability_pool(found, budget=budget, by=weight or "ap", p=p, seed=seed)
    else:
        pool = _weighted_pool(found, by=method, budget=budget, p=p, seed=seed)
    file = os.fspath(judged) if isinstance(judged, (str, os.PathLike)) else None
    read = {"order_by": order_by, "run_format": run_format, "judged": file}
    how = {**pool.how, **{name: value for name, value in read.items() if value}}
    pool = replace(pool.with_judged(known) if known else pool, how=how)
    notes = list(found.notes)
    if pool.judged is not None and not pool.judged.any():
        notes.append(f"warning: {file or 'judged'} has no judgment of a document of the pool")
    return replace(pool, notes=tuple(notes))

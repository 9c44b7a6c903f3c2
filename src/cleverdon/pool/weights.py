"""How much speaks for judging a document: what its ranks and scores add up to.

A weight is a function of what systems returned that gives each document a number: the higher, the
sooner it is judged.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cleverdon.arrays import Floats, Ints, summed
from cleverdon.errors import check_within, check_word
from cleverdon.pool.contributions import Contributions
from cleverdon.pool.fusion import reciprocal_ranks, rounded, scaled

PERSISTENCE = 0.8


def weigh(found: Contributions, by: str, *, p: float = PERSISTENCE) -> Floats:
    """The weight of each document, by one of `WEIGHTS`; `p` is the persistence of `rbp`.

    >>> from cleverdon.pool.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d2": 2}}}
    >>> weigh(gather(runs), "rrf").round(4).tolist()
    [0.0164, 0.0325]
    """
    check_word("by", by, WEIGHTS)
    check_within("p", p, 0, 1)
    return _rbp(found, p) if by == "rbp" else WEIGHTS[by](found)


def _depth(found: Contributions) -> Floats:
    """By the best rank alone: what pools of growing depth take in."""
    return -found.best_rank.astype(np.float64)


def _rrf(found: Contributions) -> Floats:
    """Reciprocal rank fusion."""
    return reciprocal_ranks(found.doc, found.rank, len(found))


def _rbp(found: Contributions, p: float = PERSISTENCE) -> Floats:
    """What rank-biased precision gives to the document's ranks, over all systems.

    Moffat, Webber & Zobel 2007, doi:10.1145/1277741.1277806, there method A.
    """
    return rounded(summed(found.doc, (1 - p) * np.power(p, found.rank - 1.0), len(found)))


def _combmnz(found: Contributions) -> Floats:
    """The sum of scores, times how many systems returned the document.

    Scores are brought to the range from 0 to 1 within each ranking (see `scaled`). Fox & Shaw 1994,
    Combination of multiple searches, TREC-2. Of a ranking ordered by its rank column, ranks are
    the scores.
    """
    counts = np.bincount(found.doc, minlength=len(found))
    return rounded(counts * summed(found.doc, scaled(found.score, _lengths(found)), len(found)))


def _ap(found: Contributions) -> Floats:
    """How much the document's ranks bear on average precision, over all systems.

    A ranking of n gives rank r the weight (1 + 1/r + 1/(r+1) + ... + 1/n) / 2n: the prior of
    statAP's samples. Aslam & Pavlu 2007, A practical sampling strategy for efficient retrieval
    evaluation, Northeastern University.
    """
    lengths = _lengths(found)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, lengths.max(initial=0) + 1))))
    length = np.repeat(lengths, lengths)
    weight = (1 + harmonic[length] - harmonic[found.rank - 1]) / (2 * length)
    return rounded(summed(found.doc, weight, len(found)))


def _lengths(found: Contributions) -> Ints:
    """How long each ranking of a system and topic is, in the order of the rows."""
    return np.diff(np.append(np.flatnonzero(found.rank == 1), len(found.rank)))


WEIGHTS: dict[str, Callable[[Contributions], Floats]] = {
    "depth": _depth,
    "rrf": _rrf,
    "rbp": _rbp,
    "combmnz": _combmnz,
    "ap": _ap,
}
"""The ways to weigh documents, by name."""

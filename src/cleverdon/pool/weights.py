"""How much speaks for judging a document: what its ranks and scores add up to.

A weight is a function of what systems returned that gives each document a number: the higher, the
sooner it is judged.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from cleverdon.arrays import Floats, Ints, summed
from cleverdon.errors import OptionError, check_word
from cleverdon.pool.contributions import Contributions

RRF_CONSTANT = 60
PERSISTENCE = 0.8


def weigh(found: Contributions, by: str, *, p: float = PERSISTENCE) -> Floats:
    """The weight of each document, by one of `WEIGHTS`; `p` is the persistence of `rbp`.

    >>> from cleverdon.pool.contributions import gather
    >>> runs = {"a": {"q1": {"d1": 2, "d2": 1}}, "b": {"q1": {"d2": 2}}}
    >>> weigh(gather(runs), "rrf").round(4).tolist()
    [0.0164, 0.0325]
    """
    check_word("by", by, WEIGHTS)
    if not 0 < p < 1:
        raise OptionError(f"p={p!r}: the persistence is above 0 and below 1")
    return _rbp(found, p) if by == "rbp" else WEIGHTS[by](found)


def _depth(found: Contributions) -> Floats:
    """By the best rank alone: what pools of growing depth take in."""
    return -found.best_rank.astype(np.float64)


def _rrf(found: Contributions) -> Floats:
    """Reciprocal rank fusion. Cormack, Clarke & Büttcher 2009, doi:10.1145/1571941.1572114."""
    return summed(found.doc, 1 / (RRF_CONSTANT + found.rank), len(found))


def _rbp(found: Contributions, p: float = PERSISTENCE) -> Floats:
    """What rank-biased precision gives to the document's ranks, over all systems.

    Moffat, Webber & Zobel 2007, doi:10.1145/1277741.1277806, there method A.
    """
    return summed(found.doc, (1 - p) * np.power(p, found.rank - 1.0), len(found))


def _combmnz(found: Contributions) -> Floats:
    """The sum of scores, times how many systems returned the document.

    Scores are brought to the range from 0 to 1 within each ranking; where all of one are equal they
    are 1. Fox & Shaw 1994, Combination of multiple searches, TREC-2; the range is that of Lee 1997,
    doi:10.1145/258525.258587. Of a ranking ordered by its rank column, ranks are the scores.
    """
    if not np.isfinite(found.score).all():
        raise OptionError("by='combmnz' adds scores up, and some are infinite; take rrf, or rbp")
    firsts, lengths = _rankings(found)
    # Within a ranking, scores fall: the first row has the highest, and the last the lowest.
    highest, lowest = found.score[firsts], found.score[firsts + lengths - 1]
    spread = np.repeat(highest - lowest, lengths)
    above = found.score - np.repeat(lowest, lengths)
    scaled = np.where(spread > 0, above / np.where(spread > 0, spread, 1), 1.0)
    counts = np.bincount(found.doc, minlength=len(found))
    weights: Floats = counts * summed(found.doc, scaled, len(found))
    return weights


def _ap(found: Contributions) -> Floats:
    """How much the document's ranks bear on average precision, over all systems.

    A ranking of n gives rank r the weight (1 + 1/r + 1/(r+1) + ... + 1/n) / 2n: the prior of
    statAP's samples. Aslam & Pavlu 2007, A practical sampling strategy for efficient retrieval
    evaluation, Northeastern University.
    """
    _, lengths = _rankings(found)
    harmonic = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, lengths.max(initial=0) + 1))))
    length = np.repeat(lengths, lengths)
    weight = (1 + harmonic[length] - harmonic[found.rank - 1]) / (2 * length)
    return summed(found.doc, weight, len(found))


def _rankings(found: Contributions) -> tuple[Ints, Ints]:
    """Where each ranking of a system and topic starts, and how long it is."""
    firsts = np.flatnonzero(found.rank == 1)
    return firsts, np.diff(np.append(firsts, len(found.rank)))


WEIGHTS: dict[str, Callable[[Contributions], Floats]] = {
    "depth": _depth,
    "rrf": _rrf,
    "rbp": _rbp,
    "combmnz": _combmnz,
    "ap": _ap,
}
"""The ways to weigh documents, by name."""

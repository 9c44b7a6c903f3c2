"""What a document's ranks and scores add up to, over the systems that returned it.

The arithmetic that pools, adaptive methods and votes share. Sums are rounded to some twelve digits:
what was added up in another order is the same, so that the order of the runs makes no difference.
"""

from __future__ import annotations

import numpy as np

from cleverdon.arrays import Floats, Ints, summed
from cleverdon.errors import OptionError

RRF_CONSTANT = 60
_BITS = 40


def reciprocal_ranks(
    doc: Ints, rank: Ints, count: int, *, constant: float = RRF_CONSTANT
) -> Floats:
    """Of each of `count` documents, the sum of 1 / (constant + rank) over its results.

    Cormack, Clarke & Büttcher 2009, doi:10.1145/1571941.1572114.
    """
    return rounded(summed(doc, 1 / (constant + rank), count))


def best_ranks(doc: Ints, rank: Ints, count: int) -> Ints:
    """Of each of `count` documents, the best rank that any system gave it."""
    best = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(best, doc, rank)
    return best


def scaled(score: Floats, lengths: Ints) -> Floats:
    """Scores from 0, the lowest of a ranking, to 1, the highest; 1 where all of one are equal.

    Rankings stand one after the other, `lengths` long, each the best first. The range is that of
    Lee 1997, doi:10.1145/258525.258587.

    >>> scaled(np.array([9.0, 5.0, 1.0, 2.0, 2.0]), np.array([3, 2])).tolist()
    [1.0, 0.5, 0.0, 1.0, 1.0]
    """
    if not np.isfinite(score).all():
        raise OptionError("scores are added up, and some are infinite; take one that goes by ranks")
    firsts = np.cumsum(lengths) - lengths
    highest, lowest = score[firsts], score[firsts + lengths - 1]
    spread = np.repeat(highest - lowest, lengths)
    above = score - np.repeat(lowest, lengths)
    return np.where(spread > 0, above / np.where(spread > 0, spread, 1), 1.0)


def rounded(sums: Floats) -> Floats:
    """The same to some twelve digits, however small they are.

    >>> rounded(np.array([0.1 + 0.2])).tolist() == rounded(np.array([0.3])).tolist()
    True
    """
    mantissa, exponent = np.frexp(sums)
    short: Floats = np.ldexp(np.round(np.ldexp(mantissa, _BITS)), exponent - _BITS)
    return short

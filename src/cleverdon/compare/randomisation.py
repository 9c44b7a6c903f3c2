"""Fisher's randomisation test for paired differences.

If two systems were alike, each query's difference could as well have had the other sign. So p is
the share of all ways to set the signs that give a mean at least as far from 0 as the one seen.
Fisher 1935; for retrieval, Smucker et al. 2007, doi:10.1145/1321440.1321528.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.compare.pvalue import PValue, by_counting
from cleverdon.errors import check_count

EXACT_UP_TO = 20
"""So many differences that are not 0 are tried with all their signs."""
DRAWS = 100_000
TOLERANCE = 1e-9
"""Sums of the same numbers in another order differ in the last digits, and count as equal."""
BLOCK = 4_000_000
"""How many numbers are held at a time: 32 MB."""
_ROWS = 4096
"""So many draws at a time are enough for a matrix product to be fast."""


def randomisation(
    differences: Floats,
    *,
    alternative: str = "two-sided",
    seed: int = 0,
    draws: int = DRAWS,
) -> list[PValue]:
    """Whether the mean difference of each comparison is 0; the same p on every call.

    All comparisons share their draws, which makes one matrix product of them. A comparison's p does
    not depend on which others are made at the same time.

    >>> randomisation(np.array([[0.1, 0.2, 0.3]]))[0].p
    0.25
    """
    check_count("draws", draws)
    towards = -differences if alternative == "less" else differences
    both = alternative == "two-sided"
    many = np.count_nonzero(towards, axis=1) > EXACT_UP_TO
    drawn = iter(by_counting(_extreme(towards[many], both=both, seed=seed, draws=draws), draws))
    return [
        next(drawn) if is_many else enumerated(row, both=both)
        for row, is_many in zip(towards, many, strict=True)
    ]


def enumerated(differences: Floats, *, both: bool) -> PValue:
    """P by every way to set the signs, for both sides or for sums that are as high.

    The sums of one half of the differences are looked up among the sorted sums of the other, so
    that 2^10 steps do for 2^20 ways.
    """
    values = differences[differences != 0]  # a sign changes nothing at 0
    ways = 2 ** len(values)
    enough = float(_enough(differences[None], both=both)[0])
    if both and enough <= 0:
        return PValue(1.0, exact=True, draws=ways)
    half = len(values) // 2
    left, right = _sums(values[:half]), np.sort(_sums(values[half:]))
    extreme = ways - int(np.searchsorted(right, enough - left).sum())
    # As many sums are as low as are as high: those with all signs turned.
    return PValue((1 + both) * extreme / ways, exact=True, draws=ways)


def _sums(values: Floats) -> Floats:
    sums: Floats = np.zeros(1)
    for value in values:
        sums = np.concatenate((sums + value, sums - value))
    return sums


def _enough(differences: Floats, *, both: bool) -> Floats:
    """From where on a sum is as extreme as the one seen."""
    seen = differences.sum(axis=1)
    slack = TOLERANCE * np.abs(differences).sum(axis=1)
    enough: Floats = (np.abs(seen) if both else seen) - slack
    return enough


def _extreme(differences: Floats, *, both: bool, seed: int, draws: int) -> Ints:
    """How many draws give each comparison a sum as extreme as the one seen."""
    comparisons, topics = differences.shape
    extreme = np.zeros(comparisons, dtype=np.int64)
    if not comparisons:
        return extreme
    # The sum under signs is twice that of the differences that keep theirs, less the sum of all.
    total, enough = differences.sum(axis=1), _enough(differences, both=both)
    high, low = (total + enough) / 2, (total - enough) / 2
    for kept in _kept(topics, draws=draws, seed=seed, beside=comparisons):
        sums = differences @ kept.T
        for i, row in enumerate(sums):  # a row at a time stays in the processor's cache
            if both:
                extreme[i] += np.count_nonzero((row >= high[i]) | (row <= low[i]))
            else:
                extreme[i] += np.count_nonzero(row >= high[i])
    return extreme


def _kept(topics: int, *, draws: int, seed: int, beside: int) -> Iterator[Floats]:
    """Draws x topics, in blocks: 1 where a difference keeps its sign, 0 where it is turned.

    A draw takes a whole number of 64-bit words, so that the size of blocks does not change it.
    """
    random = np.random.default_rng(seed)
    words = -(-topics // 64)
    size = min(_ROWS, max(1, BLOCK // (topics + beside)))
    for start in range(0, draws, size):
        shape = (min(size, draws - start), words)
        bits = random.integers(0, 2**64, size=shape, dtype=np.uint64).astype("<u8", copy=False)
        yield np.unpackbits(bits.view(np.uint8), axis=1, count=topics).astype(np.float64)

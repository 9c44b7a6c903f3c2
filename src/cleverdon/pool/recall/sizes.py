"""How large a sample must be: for a wanted precision of R, or of recall.

The interval that a sample would give if it came out as guessed is narrower the larger the sample;
the smallest one that is narrow enough is searched for. By the same intervals that are printed
later, and not by the normal approximation, which promises too much where relevant documents are
rare.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import OptionError, check_word
from cleverdon.pool.recall.weighted import gamma_ends

ALLOCATIONS = {
    "proportional": "each stratum by its size",
    "equal": "the same number from each stratum",
    "neyman": "by size, and by how much its documents differ, as guessed by --share",
}
"""How a sample is divided among strata."""


def allocated(
    total: int,
    sizes: Sequence[int],
    *,
    how: str = "proportional",
    shares: Sequence[float] | None = None,
) -> list[int]:
    """So many documents of each stratum; of every one at least one, if there are enough.

    `shares` are guesses of how much of each stratum is relevant, for `neyman` (Neyman 1934).

    >>> allocated(100, [1000, 9000]), allocated(100, [1000, 9000], how="equal")
    ([10, 90], [50, 50])
    >>> allocated(100, [1000, 9000], how="neyman", shares=[0.2, 0.001])
    [58, 42]
    """
    check_word("how", how, ALLOCATIONS)
    if total < 0:
        raise OptionError(f"total={total}: a sample has no fewer than 0 documents")
    weights = [float(size) for size in sizes]
    if how == "equal":
        weights = [float(size > 0) for size in sizes]
    elif how == "neyman":
        if shares is None or len(shares) != len(sizes):
            raise OptionError("neyman needs a guessed share of relevant documents of each stratum")
        if not all(0 < share < 1 for share in shares):
            raise OptionError("a guessed share of relevant documents lies between 0 and 1")
        weights = [
            size * sqrt(share * (1 - share)) for size, share in zip(sizes, shares, strict=True)
        ]
    divided = _divided(min(total, sum(sizes)), np.array(weights), np.array(sizes, dtype=np.int64))
    return [int(count) for count in divided]


def _divided(total: int, weights: Floats, sizes: Ints) -> Ints:
    """Whole numbers in proportion to weights, none above its size; others get what is cut off."""
    given = np.zeros(len(sizes), dtype=np.int64)
    if total >= np.count_nonzero(sizes):
        given = np.minimum(sizes, 1)
    while (left := total - int(given.sum())) > 0:
        open_ = given < sizes
        weighing = np.where(open_, weights, 0.0)
        if not weighing.sum():
            weighing = open_.astype(float)
        target = total * weighing / weighing.sum()
        lacking = np.where(open_, np.maximum(target - given, 0.0), 0.0)
        share = (
            left * lacking / lacking.sum() if lacking.sum() else left * weighing / weighing.sum()
        )
        whole = np.minimum(np.floor(share).astype(np.int64), sizes - given)
        if not whole.any():
            # What is left are fractions: the largest first.
            for at in np.argsort(-share, kind="stable")[:left]:
                if open_[at]:
                    whole[at] = 1
        given = given + whole
    return given


def sample_size(
    sizes: Sequence[int],
    shares: Sequence[float],
    *,
    half_width: float,
    found: int | None = None,
    how: str = "proportional",
    confidence: float = 0.95,
) -> int:
    """The smallest sample whose interval is expected to reach no further than `half_width`.

    `sizes` are the strata that are not in the pool, and `shares` how much of each is guessed to be
    relevant. `half_width` is in documents; with `found`, the relevant documents of the pool, it
    is that of recall. The whole collection is always enough.

    >>> sample_size([10_000], [0.01], half_width=50)
    1515
    >>> sample_size([10_000], [0.01], half_width=0.1, found=200)
    1706
    """
    if not half_width > 0:
        raise OptionError(f"half_width={half_width}: a precision is above 0")
    if len(sizes) != len(shares) or not all(0 <= share <= 1 for share in shares):
        raise OptionError("every stratum has a guessed share of relevant documents, from 0 to 1")
    if found is not None and found < 1:
        raise OptionError("the recall of a pool that found nothing has no precision to be reached")
    whole = sum(sizes)

    def wide(total: int) -> bool:
        low, high = _expected(sizes, shares, total, how=how, confidence=confidence)
        reach = high - low if found is None else found / (found + low) - found / (found + high)
        return reach / 2 > half_width

    first = sum(size > 0 for size in sizes)  # every stratum is to have one
    return _smallest(first, whole, wide)


def _expected(
    sizes: Sequence[int], shares: Sequence[float], total: int, *, how: str, confidence: float
) -> tuple[float, float]:
    """The interval of the number of relevant documents, if as many are drawn as guessed."""
    kept = [(size, share) for size, share in zip(sizes, shares, strict=True) if size]
    if not kept:
        return 0.0, 0.0
    stratum = np.array([size for size, _ in kept], dtype=np.int64)
    share = np.array([share for _, share in kept])
    guesses = [min(max(value, 1e-9), 1 - 1e-9) for value in share.tolist()]
    drawn = np.array(allocated(total, stratum.tolist(), how=how, shares=guesses), dtype=float)
    fixed = np.ones(len(kept), dtype=bool)
    low, high = gamma_ends(
        (drawn * share)[None], drawn, drawn / stratum, fixed, confidence=confidence
    )
    relevant = float((drawn * share).sum())
    return float(low[0]), min(float(high[0]), relevant + float((stratum - drawn).sum()))


def _smallest(low: int, high: int, too_small: Callable[[int], bool]) -> int:
    while low < high:
        middle = (low + high) // 2
        if too_small(middle):
            low = middle + 1
        else:
            high = middle
    return low

"""Samples: division among strata, sizes for a wanted precision, draws with unequal probabilities.

How large a sample must be is found by search, with the intervals that are printed later, and not by
the normal approximation, which promises too much where what is counted is rare.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import sqrt

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon.errors import OptionError, check_word
from cleverdon.stats.proportions import gamma_interval


def allocate_sample(
    total: int,
    sizes: Sequence[int],
    *,
    how: str = "proportional",
    shares: Sequence[float] | None = None,
) -> list[int]:
    """Divide a sample among strata; `shares` are guesses for `neyman` (Neyman 1934).

    >>> allocate_sample(100, [1000, 9000]), allocate_sample(100, [1000, 9000], how="equal")
    ([10, 90], [50, 50])
    >>> allocate_sample(100, [1000, 9000], how="neyman", shares=[0.2, 0.001])
    [58, 42]
    """
    check_word("how", how, ("proportional", "equal", "neyman"))
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
    divided = _divide_sample(
        min(total, sum(sizes)), np.array(weights), np.array(sizes, dtype=np.int64)
    )
    return [int(count) for count in divided]


def _divide_sample(total: int, weights: Floats, sizes: Ints) -> Ints:
    """Divide in proportion to weights, none above its size; others get what is cut off."""
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
    """Return the smallest sample whose interval is expected to be no wider than `half_width`.

    Args:
        sizes: The sizes of the strata that are not in the pool.
        shares: The share of each that is guessed to be relevant.
        half_width: Half the width of the interval, in documents; with `found`, in recall.
        found: The number of relevant documents in the pool.
        how: How the sample is divided among strata: "proportional", "equal" or "neyman".
        confidence: The confidence of the interval.

    Returns:
        The number of documents to draw. The whole collection is always enough.

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

    def fits(total: int) -> bool:
        low, high = _expected_interval(sizes, shares, total, how=how, confidence=confidence)
        reach = high - low if found is None else found / (found + low) - found / (found + high)
        return reach / 2 <= half_width

    first = sum(size > 0 for size in sizes)  # every stratum is to have one
    return first + bisect_left(range(first, whole), True, key=fits)


def _expected_interval(
    sizes: Sequence[int], shares: Sequence[float], total: int, *, how: str, confidence: float
) -> tuple[float, float]:
    """Return the interval of relevant documents, if as many are drawn as guessed."""
    kept = [(size, share) for size, share in zip(sizes, shares, strict=True) if size]
    if not kept:
        return 0.0, 0.0
    stratum = np.array([size for size, _ in kept], dtype=np.int64)
    share = np.array([share for _, share in kept])
    guesses = [min(max(value, 1e-9), 1 - 1e-9) for value in share.tolist()]
    drawn = np.array(allocate_sample(total, stratum.tolist(), how=how, shares=guesses), dtype=float)
    fixed = np.ones(len(kept), dtype=bool)
    low, high = gamma_interval(
        (drawn * share)[None], drawn, drawn / stratum, fixed, confidence=confidence
    )
    relevant = float((drawn * share).sum())
    return float(low[0]), min(float(high[0]), relevant + float((stratum - drawn).sum()))


def draw_of_each(group: Ints, wanted: Ints, random: np.random.Generator) -> Bools:
    """Draw `wanted` rows of each group at random."""
    order = np.lexsort((random.random(len(group)), group))
    ordered = group[order]
    place = np.arange(len(group)) - np.searchsorted(ordered, ordered)
    drawn = np.zeros(len(group), dtype=bool)
    drawn[order[place < wanted[ordered]]] = True
    return drawn


def inclusion_probabilities(weights: Floats, budget: int) -> Floats:
    """Return probabilities in proportion to weights, and never above 1.

    >>> inclusion_probabilities(np.array([6.0, 1.0, 1.0, 0.0]), 2).tolist()
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


def systematic_sample(shares: Floats, random: np.random.Generator) -> Bools:
    """Draw each with exactly its share as probability (Madow 1949, doi:10.1214/aoms/1177729988)."""
    drawn = shares >= 1
    order = random.permutation(np.flatnonzero(~drawn))
    upto = np.cumsum(shares[order])
    if len(order) and upto[-1] > 0:
        upto *= round(float(upto[-1])) / upto[-1]  # it is a whole number, but for its last bits
        start = random.random()
        taken = np.diff(np.floor(upto - start), prepend=np.floor(-start)) > 0
        drawn[order[taken]] = True
    return drawn

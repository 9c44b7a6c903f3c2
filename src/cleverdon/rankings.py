"""Rankings as arrays, and what can be counted of two: pairs in the same order, shared items.

The arithmetic behind `correlate`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import InputError

Ranking: TypeAlias = Iterable[Any] | Mapping[Any, float]
"""Ids, the best first, tied ones in inner lists; or a dict from ids to scores."""


@dataclass(frozen=True, eq=False)
class Ranks:
    """Each item's group of tied items: its first and last rank."""

    items: dict[Any, int]  # to its row
    first: Ints
    last: Ints

    def __len__(self) -> int:
        return len(self.items)


def ranking(given: Ranking) -> Ranks:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"a ranking is a list of ids or a dict of scores; found {given!r}")
    groups = _by_score(given) if isinstance(given, Mapping) else map(_group, given)
    items: dict[Any, int] = {}
    sizes = []
    for group in groups:
        for item in group:
            if item in items:
                raise InputError(f"{item!r} occurs twice in one ranking")
            items[item] = len(items)
        sizes.append(len(group))
    last = np.cumsum(sizes, dtype=np.int64)
    first = last - np.array(sizes, dtype=np.int64) + 1
    return Ranks(items, np.repeat(first, sizes), np.repeat(last, sizes))


def _group(item: Any) -> Collection[Any]:
    return item if isinstance(item, (list, tuple, set, frozenset)) else [item]


def _by_score(scores: Mapping[Any, float]) -> list[list[Any]]:
    groups: dict[float, list[Any]] = {}
    for item, score in scores.items():
        if not isinstance(score, (int, float, np.number)) or np.isnan(score):
            raise InputError(f"the score of {item!r} is no number that can be ordered: {score!r}")
        groups.setdefault(float(score), []).append(item)
    return [groups[score] for score in sorted(groups, reverse=True)]


def same_items(a: Ranking, b: Ranking) -> tuple[Ints, Ints]:
    """The first rank of each item's group in both rankings, which must have the same items."""
    one, other = ranking(a), ranking(b)
    for item in one.items.keys() ^ other.items.keys():
        raise InputError(
            f"{item!r} is in one ranking only; this compares two orders of the same items (rbo and "
            "overlap compare any)"
        )
    rows = np.array([other.items[item] for item in one.items], dtype=np.int64)
    return one.first, other.first[rows]


def middle(first: Ints) -> Floats:
    """Mean ranks, from the first rank of each item's group."""
    sizes = np.bincount(first, minlength=1)
    middle: Floats = first + (sizes[first] - 1) / 2
    return middle


# Pairs


def tied_pairs(groups: Ints) -> float:
    _, sizes = np.unique(groups, return_counts=True)
    return float(np.sum(sizes * (sizes - 1.0)) / 2)


def preceding(x: Ints, y: Ints) -> Ints:
    """For each item, how many others precede it in both rankings, ties not counted."""
    # In the order of x; items that are tied there by falling y, so that none precedes another.
    order = np.lexsort((-y, x))
    counts = np.empty(len(x), dtype=np.int64)
    counts[order] = _smaller_before(y[order])
    return counts


def _smaller_before(values: Ints) -> Ints:
    """For each place, how many of the values before it are smaller: by halves, in n log n steps."""
    n = len(values)
    place = np.arange(n)
    counts = np.zeros(n, dtype=np.int64)
    # Blocks of neighbouring places, each in the order of values; of equal ones the later place
    # first, so that it does not count the earlier. At first one block, then split again and again.
    order = np.lexsort((-place, values))
    width = 1 << max(n - 1, 0).bit_length()
    while width > 1:
        half = width // 2
        start = order // width * width
        is_left = order % width < half
        lefts = np.cumsum(is_left) - start // 2  # all blocks but the last are full
        counts[order[~is_left]] += lefts[~is_left]
        among_lefts = start + lefts - 1
        among_rights = np.minimum(start + half, n) + (place - start - lefts)
        split = np.empty(n, dtype=np.int64)
        split[np.where(is_left, among_lefts, among_rights)] = order
        order, width = split, half
    return counts


def earlier_equals(x: Ints, y: Ints) -> Ints:
    """For each item, how many that are tied with it in y precede it in x."""
    keys = y * (len(x) + 1) + x
    ordered = np.sort(keys)
    return np.searchsorted(ordered, keys) - np.searchsorted(ordered, y * (len(x) + 1))


def place_in_group(ordered: Ints) -> Ints:
    """Each row's place in its group of equal neighbours, from 0."""
    return np.arange(len(ordered)) - np.searchsorted(ordered, ordered)


# Shared items


def shared(a: Ranks, b: Ranks, depth: int, *, average: bool) -> Floats:
    """How many items both rankings have down to each depth.

    An item of a group that a depth cuts through is there in a share of the group's orders; or,
    where tied items are equal, altogether.
    """
    common = [item for item in a.items if item in b.items]
    in_a = np.array([a.items[item] for item in common], dtype=np.int64)
    in_b = np.array([b.items[item] for item in common], dtype=np.int64)

    def down_to(ranks_a: Ints, ranks_b: Ints) -> Ints:
        """How many common items have both these ranks at each depth or above."""
        met = np.maximum(ranks_a[in_a], ranks_b[in_b])
        counts = np.bincount(met[met <= depth], minlength=depth + 1)
        return np.cumsum(counts)[1:]

    begun = down_to(a.first, b.first)
    if not average:
        return begun.astype(float)
    whole, whole_a, whole_b = (
        down_to(a.last, b.last),
        down_to(a.last, b.first),
        down_to(a.first, b.last),
    )
    part_a, part_b = _part_reached(a, depth), _part_reached(b, depth)
    partly_a, partly_b = whole_b - whole, whole_a - whole
    partly_both = begun - whole_a - whole_b + whole
    parts = part_a * partly_a + part_b * partly_b + part_a * part_b * partly_both
    found: Floats = whole + parts
    return found


def _part_reached(ranks: Ranks, depth: int) -> Floats:
    """At each depth, how much of the group that stands there has been reached; 1 past the end."""
    part = np.ones(depth)
    upto = min(depth, len(ranks))
    rank = np.arange(1, upto + 1)
    first, last = ranks.first[:upto], ranks.last[:upto]
    part[:upto] = (rank - first + 1) / (last - first + 1)
    return part


def reached(ranks: Ranks, depth: int) -> Floats:
    """How many items have begun at each depth, tied ones all at once; past the end, the depth."""
    begun = np.arange(1, depth + 1, dtype=np.float64)
    upto = min(depth, len(ranks))
    begun[:upto] = ranks.last[:upto]
    return begun

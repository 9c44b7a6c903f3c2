"""Rank correlation: Kendall's tau, Spearman's rho, tau-AP, overlap, rank-biased overlap.

A ranking is a list of ids, the best first; ids in an inner list (or a set) are tied. Or it is a
dict from ids to scores, the highest first; equal scores are tied. So an ordering of systems is
simply `{system: score}`.

Kendall's and Spearman's coefficients and tau-AP compare two orders of the same items. Overlap,
rank-biased overlap and `kendall_union` compare rankings of which each may have items that the
other lacks.

`Orders` and `ResampledValues` compare thousands of pairs at once, for the bootstrap: one pair
takes a millisecond by the functions, whatever its size, and arrays are faster for orders of up to
some hundred items. Tests compare each method with the function of the same name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

import numpy as np

from cleverdon._common.arrays import Floats, Ints
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.stats.resampling import BLOCK

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


def ranks_of(given: Ranking) -> Ranks:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InputError(f"a ranking is a list of ids or a dict of scores; found {given!r}")
    groups = _grouped_by_score(given) if isinstance(given, Mapping) else map(_tied_group, given)
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


def _tied_group(item: Any) -> Collection[Any]:
    return item if isinstance(item, (list, tuple, set, frozenset)) else [item]


def _grouped_by_score(scores: Mapping[Any, float]) -> list[list[Any]]:
    groups: dict[float, list[Any]] = {}
    for item, score in scores.items():
        if not isinstance(score, (int, float, np.number)) or np.isnan(score):
            raise InputError(f"the score of {item!r} is no number that can be ordered: {score!r}")
        groups.setdefault(float(score), []).append(item)
    return [groups[score] for score in sorted(groups, reverse=True)]


def _same_items(a: Ranking, b: Ranking) -> tuple[Ints, Ints]:
    """Return the first rank of each item's group in both rankings, which have the same items."""
    one, other = ranks_of(a), ranks_of(b)
    for item in one.items.keys() ^ other.items.keys():
        raise InputError(
            f"{item!r} is in one ranking only; this compares two orders of the same items (rbo and "
            "overlap compare any)"
        )
    rows = np.array([other.items[item] for item in one.items], dtype=np.int64)
    return one.first, other.first[rows]


def mean_ranks(first: Ints) -> Floats:
    """Return mean ranks, from the first rank of each item's group."""
    sizes = np.bincount(first, minlength=1)
    return np.asarray(first + (sizes[first] - 1) / 2)


def _tied_pairs(groups: Ints) -> float:
    _, sizes = np.unique(groups, return_counts=True)
    return float(np.sum(sizes * (sizes - 1.0)) / 2)


def _count_preceding(x: Ints, y: Ints) -> Ints:
    """Count, for each item, the others that precede it in both rankings, without ties."""
    # In the order of x; items that are tied there by falling y, so that none precedes another.
    order = np.lexsort((-y, x))
    counts = np.empty(len(x), dtype=np.int64)
    counts[order] = _smaller_before(y[order])
    return counts


def _smaller_before(values: Ints) -> Ints:
    """Count, for each place, the smaller values before it: by halves, in n log n steps."""
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


def _count_shared(a: Ranks, b: Ranks, depth: int, *, average: bool) -> Floats:
    """Count common items down to each depth; in a group cut by it, in part if `average`."""
    common = [item for item in a.items if item in b.items]
    in_a = np.array([a.items[item] for item in common], dtype=np.int64)
    in_b = np.array([b.items[item] for item in common], dtype=np.int64)

    def down_to(ranks_a: Ints, ranks_b: Ints) -> Ints:
        """Return how many common items have both these ranks at each depth or above."""
        met = np.maximum(ranks_a[in_a], ranks_b[in_b])
        counts = np.bincount(met[met <= depth], minlength=depth + 1)
        return np.cumsum(counts)[1:]

    begun = down_to(a.first, b.first)
    if not average:
        return begun.astype(float)
    whole = down_to(a.last, b.last)
    whole_a, whole_b = down_to(a.last, b.first), down_to(a.first, b.last)
    part_a, part_b = _part_of_group(a, depth), _part_of_group(b, depth)
    partly_a, partly_b = whole_b - whole, whole_a - whole
    partly_both = begun - whole_a - whole_b + whole
    parts = part_a * partly_a + part_b * partly_b + part_a * part_b * partly_both
    return np.asarray(whole + parts)


def _part_of_group(ranks: Ranks, depth: int) -> Floats:
    """Return the share of the tied group at each depth that has been reached; 1 past the end."""
    part = np.ones(depth)
    upto = min(depth, len(ranks))
    rank = np.arange(1, upto + 1)
    first, last = ranks.first[:upto], ranks.last[:upto]
    part[:upto] = (rank - first + 1) / (last - first + 1)
    return part


def _count_reached(ranks: Ranks, depth: int) -> Floats:
    """Count the items begun at each depth, tied ones all at once; past the end, the depth."""
    begun = np.arange(1, depth + 1, dtype=np.float64)
    upto = min(depth, len(ranks))
    begun[:upto] = ranks.last[:upto]
    return begun


@dataclass(frozen=True)
class RBO:
    """Rank-biased overlap, with its bounds over the unseen rest of both rankings.

    Attributes:
        minimum: The value if the unseen rest has nothing in common.
        extrapolated: The value if it agrees as much as what is seen; NaN where nothing is seen.
        maximum: The value if it has all in common that it can.

    >>> RBO(0.25, 0.5, 0.75).residual
    0.5
    """

    minimum: float
    extrapolated: float
    maximum: float

    @property
    def residual(self) -> float:
        """The difference between the bounds."""
        return self.maximum - self.minimum


def kendall(a: Ranking, b: Ranking, *, variant: Literal["a", "b"] = "b") -> float:
    """Compute Kendall's tau: pairs in the same order less pairs in the opposite order, as a share.

    Of all pairs (variant a), or of those that are not tied, by the geometric mean over the two
    rankings (variant b). NaN where there is no such pair. Kendall 1938,
    doi:10.1093/biomet/30.1-2.81.

    Args:
        a: A ranking.
        b: Another.
        variant: "a" or "b".

    Returns:
        The coefficient, from -1 to 1.

    >>> kendall(["x", "y", "z"], ["x", "z", "y"])
    0.3333333333333333
    """
    check_word("variant", variant, ("a", "b"))
    x, y = _same_items(a, b)
    pairs = len(x) * (len(x) - 1) / 2
    in_x, in_y, in_both = _tied_pairs(x), _tied_pairs(y), _tied_pairs(x * (len(x) + 1) + y)
    same = float(_count_preceding(x, y).sum())
    opposite = pairs - in_x - in_y + in_both - same
    untied = (pairs, pairs) if variant == "a" else (pairs - in_x, pairs - in_y)
    return float(_normalised(same - opposite, *untied))


def kendall_union(a: Ranking, b: Ranking) -> float:
    """Compute Kendall's tau-b over all items of two rankings, of which each may lack some.

    What a ranking lacks stands below all that it has, tied. (The variants of Fagin, Kumar &
    Sivakumar 2003, doi:10.1137/S0895480102412856, differ in what such ties count.)

    Args:
        a: A ranking.
        b: Another.

    Returns:
        The coefficient.

    >>> kendall_union(["x", "y"], ["x", "z"])
    0.3333333333333333
    """
    one, other = ranks_of(a), ranks_of(b)
    pairs = (one, other), (other, one)
    whole = [
        {item: -int(own.first[row]) for item, row in own.items.items()}
        | {item: -len(own) - 1 for item in rest.items if item not in own.items}
        for own, rest in pairs
    ]
    return kendall(*whole)


def tau_ap(
    estimate: Ranking, truth: Ranking, *, variant: Literal["a", "b"] = "a", symmetric: bool = False
) -> float:
    """Compute AP correlation: Kendall's tau that minds the top of the estimated ranking more.

    Of the items above each one, the share that belongs there, averaged over all but the first.
    Yilmaz, Aslam & Robertson 2008, doi:10.1145/1390334.1390435. With ties (Urbano & Marrero 2017,
    doi:10.1145/3121050.3121106), variant a is the mean over all orders of the tied items, and
    variant b leaves tied pairs out. The two directions differ; `symmetric` is their mean. NaN where
    there is nothing to compare.

    Args:
        estimate: A ranking.
        truth: The ranking to compare with.
        variant: "a" or "b", for ties.
        symmetric: Whether to take the mean of both directions.

    Returns:
        The coefficient, from -1 to 1.

    >>> truth = ["a", "b", "c", "d"]
    >>> round(tau_ap(["a", "b", "d", "c"], truth), 4), round(tau_ap(["b", "a", "c", "d"], truth), 4)
    (0.7778, 0.3333)
    """
    check_word("variant", variant, ("a", "b"))
    x, y = _same_items(estimate, truth)
    directions = [(x, y), (y, x)] if symmetric else [(x, y)]
    one_way = _tau_ap_average if variant == "a" else _tau_ap_untied
    return float(np.mean([one_way(x, y) for x, y in directions]))


def spearman(a: Ranking, b: Ranking) -> float:
    """Compute Spearman's rho: the linear correlation of ranks, tied items sharing their mean rank.

    Spearman 1904, doi:10.2307/1412159.

    Args:
        a: A ranking.
        b: Another, of the same items.

    Returns:
        The coefficient, from -1 to 1; NaN where all items of a ranking are tied.

    >>> spearman(["x", "y", "z"], ["x", "z", "y"])
    0.5
    """
    x, y = (mean_ranks(ranks) for ranks in _same_items(a, b))
    center = (len(x) + 1) / 2
    x, y = x - center, y - center
    return float(_normalised(x @ y, x @ x, y @ y))


def pearson(a: Floats, b: Floats) -> float:
    """Compute Pearson's r of two series; NaN where one of them does not vary."""
    # Values that are all the same but for rounding correlate with nothing.
    flat = min(float(np.ptp(a)), float(np.ptp(b))) < 1e-12
    return np.nan if flat else float(np.corrcoef(a, b)[0, 1])


def _normalised(agreement: Any, one: Any, other: Any) -> Floats:
    """Divide by the geometric mean of two rankings' own totals; NaN where one of them is 0."""
    whole = np.sqrt(np.asarray(one, dtype=float) * other)
    return np.where(whole > 0, agreement / np.where(whole > 0, whole, 1), np.nan)


def footrule(a: Ranking, b: Ranking, *, normalised: bool = True) -> float:
    """Compute Spearman's footrule: the sum of the differences of ranks.

    Diaconis & Graham 1977, doi:10.1111/j.2517-6161.1977.tb01624.x.

    Args:
        a: A ranking.
        b: Another, of the same items.
        normalised: Whether to divide by the largest possible sum, floor(n^2 / 2): 0 for the same
            order, 1 for the opposite one.

    Returns:
        The distance; lower is more alike.

    >>> footrule(["x", "y"], ["y", "x"]), footrule(["x", "y"], ["y", "x"], normalised=False)
    (1.0, 2.0)
    """
    x, y = _same_items(a, b)
    apart = float(np.abs(mean_ranks(x) - mean_ranks(y)).sum())
    most = len(x) ** 2 // 2
    if not normalised:
        return apart
    return apart / most if most else float("nan")


def overlap(a: Ranking, b: Ranking, *, k: int | None = None) -> float:
    """Return the share of the first k that both rankings have in common.

    Where a tied group reaches across rank k, the mean over all its orders. Without k, the length of
    the longer ranking; NaN where both are empty.

    Args:
        a: A ranking.
        b: Another.
        k: The cut-off.

    Returns:
        The share, from 0 to 1.

    >>> overlap(["a", "b", "c"], ["c", "a", "d"], k=2)
    0.5
    """
    first, second = ranks_of(a), ranks_of(b)
    depth = max(len(first), len(second)) if k is None else k
    if not isinstance(depth, int) or depth < (k is not None):
        raise OptionError(f"k={k!r}: a cut-off is a whole number from 1 on")
    if depth == 0:
        return float("nan")
    return float(_count_shared(first, second, depth, average=True)[-1]) / depth


def rbo(
    a: Ranking, b: Ranking, *, p: float = 0.9, ties: Literal["average", "equal"] = "average"
) -> RBO:
    """Compute rank-biased overlap: overlap at every depth, depth d weighing (1 - p) p^(d-1).

    Webber, Moffat & Zobel 2010, doi:10.1145/1852102.1852106. Tied items either stand in an order
    that is not known: then each value is the mean over all orders (`average`). Or they share one
    rank, the first of their group (`equal`): then the overlap at a depth is divided by the mean
    number of items that stand there or above. These are variants a and w of Corsi & Urbano 2024,
    doi:10.1145/3626772.3657700.

    Args:
        a: A ranking.
        b: Another.
        p: The persistence.
        ties: "average" or "equal".

    Returns:
        The bounds and the extrapolated value.

    >>> found = rbo(["a", "b", "c"], ["b", "a", "d"], p=0.5)
    >>> [round(value, 4) for value in (found.minimum, found.extrapolated, found.maximum)]
    [0.3863, 0.4167, 0.4583]
    """
    if not isinstance(p, (int, float)) or not 0 < p < 1:
        raise OptionError(f"p={p!r}: the persistence is above 0 and below 1")
    check_word("ties", ties, ("average", "equal"))
    short, long = sorted((ranks_of(a), ranks_of(b)), key=len)
    s, n = len(short), len(long)
    if n == 0:
        return RBO(0.0, float("nan"), 1.0)
    depth = np.arange(1, n + 1)
    common = _count_shared(short, long, n, average=ties == "average")
    read = depth.astype(float)
    if ties == "equal":
        read = (_count_reached(short, n) + _count_reached(long, n)) / 2
    unseen = np.maximum(depth - s, 0)  # results of the shorter ranking that nobody has seen
    agreement = float(common[s - 1] / read[s - 1]) if s else float("nan")
    weight = p**depth

    def down_to_the_end(common: Floats) -> float:
        return float(np.sum(common / read * weight))

    # At the end all groups are complete: what is in common there is a whole number.
    in_all = round(float(common[-1]))
    deeper = max(float(np.log(1 / (1 - p)) - np.sum(weight / depth)), 0.0)
    # At best, both rankings go on with items that the other has had; from there on all is common.
    all_met = n + s - in_all
    beyond = np.arange(n + 1, all_met + 1)
    meeting = float(np.sum((2 * beyond - n - s + in_all) / beyond * p**beyond))
    extrapolated = (in_all + (n - s) * agreement) / n
    scale = (1 - p) / p
    return RBO(
        minimum=scale * (down_to_the_end(common) + in_all * deeper),
        extrapolated=scale * down_to_the_end(common + unseen * agreement) + extrapolated * p**n,
        maximum=scale * (down_to_the_end(common + unseen) + meeting) + p**all_met,
    )


def _tau_ap_average(x: Ints, y: Ints) -> float:
    """Return the mean over all orders of tied items, of the estimate x and of the truth y."""
    n = len(x)
    if n < 2:
        return float("nan")
    # Reciprocal of the number of items above each rank, summed: to average over a group's ranks.
    above = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, n))))
    sizes = np.bincount(x, minlength=1)[x]
    before = x - 1
    mean = (above[before + sizes - 1] - above[np.maximum(before - 1, 0)]) / sizes
    # For each item, how many that are tied with it in the truth precede it in the estimate.
    keys, group = y * (n + 1) + x, y * (n + 1)
    tied_in_truth = np.searchsorted(np.sort(keys), keys) - np.searchsorted(np.sort(keys), group)
    outside = np.sum((_count_preceding(x, y) + tied_in_truth / 2) * np.where(before > 0, mean, 0))
    # Within a group every pair is in the right order in half of the orders: the item at rank r has
    # (r - first) / 2 rightly above it.
    ordered = np.sort(x)
    place = np.arange(n) - np.searchsorted(ordered, ordered)  # in its group, from 0
    inside = np.sum(place[1:] / 2 / (ordered + place - 1)[1:])
    return float(2 / (n - 1) * (outside + inside) - 1)


def _tau_ap_untied(x: Ints, y: Ints) -> float:
    """Only pairs that are tied nowhere, as shares of the items above each one's group."""
    below = x > 1
    if not below.any():
        return float("nan")
    shares = _count_preceding(x, y)[below] / (x[below] - 1)
    return float(2 * shares.mean() - 1)


class Orders:
    """Many orders of the same systems, from their scores: the highest first, equal ones tied."""

    def __init__(self, scores: Floats) -> None:
        """`scores` are orders x systems."""
        self.count = scores.shape[1]
        differences = scores[:, None, :] - scores[:, :, None]
        self.above = np.sign(differences).astype(np.int8)
        """Orders x systems x others: 1 where the other is above, -1 below, 0 tied."""
        self.before: Ints = (self.above > 0).sum(axis=2)
        """The number of systems above each."""
        self.size: Ints = (self.above == 0).sum(axis=2)
        """The size of each system's group of tied systems."""

    def kendall(self, other: Orders) -> Floats:
        """Compute Kendall's tau-b."""
        agreed = (self.above * other.above).sum(axis=(1, 2))
        untied = [np.count_nonzero(orders.above, axis=(1, 2)) for orders in (self, other)]
        return _normalised(agreed, *untied)

    def spearman(self, other: Orders) -> Floats:
        """Compute Spearman's rho: half of those above less those below is a centred mean rank."""
        x, y = (orders.above.sum(axis=2) / 2 for orders in (self, other))
        return _normalised(*((u * v).sum(axis=1) for u, v in ((x, y), (x, x), (y, y))))

    def tau_ap(self, truth: Orders, *, symmetric: bool = False) -> Floats:
        """Compute AP correlation, the mean over all orders of tied systems."""
        if symmetric:
            return (self.tau_ap(truth) + truth.tau_ap(self)) / 2
        n = self.count
        if n < 2:
            return np.full(len(self.above), np.nan)
        rightly = ((1 + truth.above) / 2 * (self.above > 0)).sum(axis=2)
        # Each rank's share of the mean is one over the number of systems above it; none at the top.
        share = np.concatenate(([0.0, 0.0], np.cumsum(1 / np.arange(1, n))))
        before, size = self.before, self.size
        outside = rightly * (share[before + size] - share[before]) / size
        # Of tied systems, half stand rightly above: a rank's number of those, over all above it.
        at = np.arange(n)
        within = np.where(at[:, None] + at > 0, at / 2 / np.maximum(at[:, None] + at, 1), 0)
        inside = np.cumsum(within, axis=1)[before, size - 1] / size
        return np.asarray(2 / (n - 1) * (outside + inside).sum(axis=1) - 1)

    def rbo(self, other: Orders, *, p: float = 0.9) -> Floats:
        """Compute rank-biased overlap, extrapolated; the mean over all orders of tied systems."""
        n = self.count
        depth = np.arange(1, n + 1)
        there = [
            np.clip((depth - orders.before[:, :, None]) / orders.size[:, :, None], 0, 1)
            for orders in (self, other)
        ]
        common = np.einsum("osd,osd->od", *there)
        return np.asarray((1 - p) / p * (common / depth) @ p**depth + p**n)


def coefficient_functions(
    *, symmetric: bool, p: float
) -> Mapping[str, Callable[[Orders, Orders], Floats]]:
    """Return the coefficients of `Orders` by name, with their options."""
    return {
        "kendall": Orders.kendall,
        "tau_ap": partial(Orders.tau_ap, symmetric=symmetric),
        "spearman": Orders.spearman,
        "rbo": partial(Orders.rbo, p=p),
    }


class ResampledValues:
    """One value of each unit, of which resamples draw some several times.

    The methods take another value of the same units, and how often each resample drew each
    unit (resamples x units). They return NaN where all values of a resample are tied.
    """

    def __init__(self, values: Floats) -> None:
        self.values = values
        self._order: Ints = np.argsort(values, kind="stable")
        distinct, self.group = np.unique(values, return_inverse=True)
        self._starts = np.searchsorted(self.group[self._order], np.arange(len(distinct)))

    def kendall(self, other: ResampledValues, counts: Floats) -> Floats:
        """Compute Kendall's tau-b of each resample."""
        n = len(self.values)
        agreed = np.zeros(len(counts))
        single = counts.astype(np.float32)  # sums of whole numbers, exact up to 16 million
        at_a_time = max(1, BLOCK // n)
        for start in range(0, n, at_a_time):
            rows = slice(start, start + at_a_time)
            signs = np.sign(self.values[rows, None] - self.values)
            signs *= np.sign(other.values[rows, None] - other.values)
            agreed += (counts[:, rows] * (single @ signs.astype(np.float32).T)).sum(axis=1)
        pairs = counts.sum(axis=1) ** 2
        untied = [pairs - (of.sizes(counts) ** 2).sum(axis=1) for of in (self, other)]
        return np.clip(_normalised(agreed, *untied), -1, 1)

    def spearman(self, other: ResampledValues, counts: Floats) -> Floats:
        """Compute Spearman's rho of each resample."""
        return _linear_correlation(self.ranks(counts), other.ranks(counts), counts)

    def pearson(self, other: ResampledValues, counts: Floats) -> Floats:
        """Compute Pearson's r of each resample."""
        return _linear_correlation(self.centred(counts), other.centred(counts), counts)

    def sizes(self, counts: Floats) -> Floats:
        """Resamples x groups: the number of draws from each group of ties, lowest first."""
        return np.asarray(np.add.reduceat(counts[:, self._order], self._starts, axis=1))

    def ranks(self, counts: Floats) -> Floats:
        """Resamples x units: each one's rank less the middle; equals share their mean rank."""
        sizes = self.sizes(counts)
        middle = np.cumsum(sizes, axis=1) - sizes / 2 - counts.sum(axis=1, keepdims=True) / 2
        return np.asarray(middle[:, self.group])

    def centred(self, counts: Floats) -> Floats:
        """Resamples x units: each one's value less the mean of its resample."""
        values = self.values - self.values.mean()
        found: Floats = values - (counts @ values)[:, None] / counts.sum(axis=1, keepdims=True)
        # Rounding is no spread.
        found[(self.sizes(counts) > 0).sum(axis=1) < 2] = 0
        return found


def _linear_correlation(x: Floats, y: Floats, counts: Floats) -> Floats:
    spread = [(counts * of * of).sum(axis=1) for of in (x, y)]
    return np.clip(_normalised((counts * x * y).sum(axis=1), *spread), -1, 1)

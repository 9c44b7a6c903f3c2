"""How alike two rankings are: of documents by two systems, or of systems by two measures.

A ranking is a list of ids, the best first; ids that stand in an inner list (or a set) are tied. Or
it is a dict from ids to scores, the highest first; equal scores are tied. So an ordering of systems
is simply `{system: score}`.

Kendall's and Spearman's coefficients and tau-AP compare two orders of the same items. Overlap,
rank-biased overlap and `kendall_union` compare rankings of which each may have items that the other
lacks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from cleverdon.arrays import Floats, Ints
from cleverdon.errors import InputError, OptionError, check_word
from cleverdon.rankings import (
    Ranking,
    earlier_equals,
    middle,
    place_in_group,
    preceding,
    ranking,
    reached,
    same_items,
    shared,
    tied_pairs,
)


@dataclass(frozen=True)
class RBO:
    """Rank-biased overlap: what is seen of two rankings bounds it from both sides."""

    minimum: float  # were the unseen rest to have nothing in common
    extrapolated: float  # were it to agree as much as what is seen; NaN where nothing is
    maximum: float  # were it to have all in common that it can

    @property
    def residual(self) -> float:
        """How much is not known."""
        return self.maximum - self.minimum


def kendall(a: Ranking, b: Ranking, *, variant: Literal["a", "b"] = "b") -> float:
    """Kendall's tau: pairs in the same order less pairs in the opposite order, as a share.

    Of all pairs (variant a), or of those that are not tied, by the geometric mean over the two
    rankings (variant b). NaN where there is no such pair. Kendall 1938,
    doi:10.1093/biomet/30.1-2.81.

    >>> kendall(["x", "y", "z"], ["x", "z", "y"])
    0.3333333333333333
    """
    check_word("variant", variant, ("a", "b"))
    x, y = same_items(a, b)
    pairs = len(x) * (len(x) - 1) / 2
    in_x, in_y, in_both = tied_pairs(x), tied_pairs(y), tied_pairs(x * (len(x) + 1) + y)
    same = float(preceding(x, y).sum())
    opposite = pairs - in_x - in_y + in_both - same
    whole = pairs if variant == "a" else np.sqrt((pairs - in_x) * (pairs - in_y))
    return (same - opposite) / float(whole) if whole > 0 else float("nan")


def kendall_union(a: Ranking, b: Ranking) -> float:
    """Kendall's tau-b over all items of two rankings, of which each may lack some.

    What a ranking lacks stands below all that it has, tied. (The variants of Fagin, Kumar &
    Sivakumar 2003, doi:10.1137/S0895480102412856, differ in what such ties count.)

    >>> kendall_union(["x", "y"], ["x", "z"])
    0.3333333333333333
    """
    one, other = ranking(a), ranking(b)
    pairs = (one, other), (other, one)
    whole = [
        {item: -int(own.first[row]) for item, row in own.items.items()}
        | {item: -len(own) - 1 for item in rest.items if item not in own.items}
        for own, rest in pairs
    ]
    return kendall(*whole)


def tau_ap(
    estimate: Ranking,
    truth: Ranking,
    *,
    variant: Literal["a", "b"] = "a",
    symmetric: bool = False,
) -> float:
    """AP correlation: Kendall's tau that minds the top of the estimated ranking more.

    Of the items above each one, the share that belongs there, averaged over all but the first.
    Yilmaz, Aslam & Robertson 2008, doi:10.1145/1390334.1390435. With ties (Urbano & Marrero 2017,
    doi:10.1145/3121050.3121106), variant a is the mean over all orders of the tied items, and
    variant b leaves tied pairs out. The two directions differ; `symmetric` is their mean. NaN where
    there is nothing to compare.

    >>> truth = ["a", "b", "c", "d"]
    >>> round(tau_ap(["a", "b", "d", "c"], truth), 4), round(tau_ap(["b", "a", "c", "d"], truth), 4)
    (0.7778, 0.3333)
    """
    check_word("variant", variant, ("a", "b"))
    x, y = same_items(estimate, truth)
    directions = [(x, y), (y, x)] if symmetric else [(x, y)]
    one_way = _tau_ap_average if variant == "a" else _tau_ap_untied
    return float(np.mean([one_way(x, y) for x, y in directions]))


def spearman(a: Ranking, b: Ranking) -> float:
    """Spearman's rho: the linear correlation of the ranks, tied items sharing their mean rank.

    NaN where all items of a ranking are tied. Spearman 1904, doi:10.2307/1412159.
    """
    x, y = (middle(ranks) for ranks in same_items(a, b))
    center = (len(x) + 1) / 2
    x, y = x - center, y - center
    spread = float(np.sqrt((x @ x) * (y @ y)))
    return float(x @ y) / spread if spread > 0 else float("nan")


def footrule(a: Ranking, b: Ranking, *, normalised: bool = True) -> float:
    """Spearman's footrule: how many ranks items are apart, in sum; lower is more alike.

    Normalised, the share of the most that is possible, floor(n^2 / 2): 0 for the same order, 1 for
    the opposite one. Diaconis & Graham 1977, doi:10.1111/j.2517-6161.1977.tb01624.x.
    """
    x, y = same_items(a, b)
    apart = float(np.abs(middle(x) - middle(y)).sum())
    most = len(x) ** 2 // 2
    if not normalised:
        return apart
    return apart / most if most else float("nan")


def overlap(a: Ranking, b: Ranking, *, k: int | None = None) -> float:
    """The share of the first k that both rankings have in common.

    Where a tied group reaches across rank k, the mean over all its orders. Without k, the length of
    the longer ranking; NaN where both are empty.

    >>> overlap(["a", "b", "c"], ["c", "a", "d"], k=2)
    0.5
    """
    first, second = ranking(a), ranking(b)
    depth = max(len(first), len(second)) if k is None else k
    if not isinstance(depth, int) or depth < (k is not None):
        raise OptionError(f"k={k!r}: a cut-off is a whole number from 1 on")
    if depth == 0:
        return float("nan")
    return float(shared(first, second, depth, average=True)[-1]) / depth


def rbo(
    a: Ranking, b: Ranking, *, p: float = 0.9, ties: Literal["average", "equal"] = "average"
) -> RBO:
    """Rank-biased overlap: overlap at every depth, depth d weighing (1 - p) p^(d-1).

    Webber, Moffat & Zobel 2010, doi:10.1145/1852102.1852106. Tied items either stand in an order
    that is not known: then each value is the mean over all orders (`average`). Or they share one
    rank, the first of their group (`equal`): then the overlap at a depth is divided by the mean
    number of items that stand there or above. These are variants a and w of Corsi & Urbano 2024,
    doi:10.1145/3626772.3657700.

    >>> found = rbo(["a", "b", "c"], ["b", "a", "d"], p=0.5)
    >>> [round(value, 4) for value in (found.minimum, found.extrapolated, found.maximum)]
    [0.3863, 0.4167, 0.4583]
    """
    if not isinstance(p, (int, float)) or not 0 < p < 1:
        raise OptionError(f"p={p!r}: the persistence is above 0 and below 1")
    check_word("ties", ties, ("average", "equal"))
    short, long = sorted((ranking(a), ranking(b)), key=len)
    s, n = len(short), len(long)
    if n == 0:
        return RBO(0.0, float("nan"), 1.0)
    depth = np.arange(1, n + 1)
    common = shared(short, long, n, average=ties == "average")
    read = depth.astype(float)
    if ties == "equal":
        read = (reached(short, n) + reached(long, n)) / 2
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


def correlate_runs(
    run_a: Any, run_b: Any, *, how: str = "rbo", k: int | None = None, **options: Any
) -> dict[str, float]:
    """How alike two runs rank the documents of each query that both have.

    `how` is one of `HOW`, `options` are those of its function; of rank-biased overlap it is the
    extrapolated value. With k, the first k results only. The coefficients that compare orders of
    the same items look at the documents that both runs returned, and are NaN where these are fewer
    than two.

    >>> correlate_runs({"q1": {"d1": 3, "d2": 2}}, {"q1": {"d2": 5, "d1": 1}}, how="kendall")
    {'q1': -1.0}
    """
    from cleverdon.data import Run

    check_word("how", how, HOW)
    runs = [run if isinstance(run, Run) else Run.read(run) for run in (run_a, run_b)]
    same_items = how not in _ANY
    if how == "overlap":
        options["k"] = k
    found = {}
    for query in sorted(set(runs[0].queries) & set(runs[1].queries), key=str.encode):
        a, b = (dict(run.ranking(query)[:k]) for run in runs)
        if same_items:
            common = a.keys() & b.keys()
            a, b = ({doc: score for doc, score in r.items() if doc in common} for r in (a, b))
        found[query] = HOW[how](a, b, **options)
    if not found:
        raise InputError(
            f"the runs have no query in common: one has {runs[0].queries[0]!r}, the other "
            f"{runs[1].queries[0]!r}"
        )
    return found


def _extrapolated(a: Ranking, b: Ranking, **options: Any) -> float:
    return rbo(a, b, **options).extrapolated


HOW: dict[str, Callable[..., float]] = {
    "rbo": _extrapolated,
    "overlap": overlap,
    "kendall": kendall,
    "kendall_union": kendall_union,
    "tau_ap": tau_ap,
    "tau_ap_symmetric": partial(tau_ap, symmetric=True),
    "spearman": spearman,
    "footrule": footrule,
}
"""By which names `correlate_runs` knows the functions."""

_ANY = ("rbo", "overlap", "kendall_union")
"""Those that compare any two rankings, and not two orders of the same items."""


def _tau_ap_average(x: Ints, y: Ints) -> float:
    """The mean over all orders of tied items, of the estimate x and of the truth y."""
    n = len(x)
    if n < 2:
        return float("nan")
    # Reciprocal of the number of items above each rank, summed: to average over a group's ranks.
    above = np.concatenate(([0.0], np.cumsum(1 / np.arange(1, n))))
    sizes = np.bincount(x, minlength=1)[x]
    before = x - 1
    mean = (above[before + sizes - 1] - above[np.maximum(before - 1, 0)]) / sizes
    tied_in_truth = earlier_equals(x, y)
    outside = np.sum((preceding(x, y) + tied_in_truth / 2) * np.where(before > 0, mean, 0))
    # Within a group every pair is in the right order in half of the orders: the item at rank r has
    # (r - first) / 2 rightly above it.
    ranks = np.sort(x) + place_in_group(np.sort(x))
    inside = np.sum((ranks - np.sort(x))[1:] / 2 / (ranks[1:] - 1))
    return float(2 / (n - 1) * (outside + inside) - 1)


def _tau_ap_untied(x: Ints, y: Ints) -> float:
    """Only pairs that are tied nowhere, as shares of the items above each one's group."""
    below = x > 1
    if not below.any():
        return float("nan")
    shares = preceding(x, y)[below] / (x[below] - 1)
    return float(2 * shares.mean() - 1)

"""Bounds: the lowest and highest value that ties and unjudged results could give.

Three things may not be known: the order of results with equal scores, the grades of results
that nobody judged, and how a ranking that was cut off would have gone on.

For a measure that never gets worse by exchanging a result with a better one below it (its
promise `swap`), the best order puts the better first, and the worst order last. Grades are
harder, since for measures normalised by what is relevant (AP, nDCG, recall) neither 'all
unjudged results are relevant' nor 'none is' need be an extreme: they join R and the ideal
ranking. But of m that are relevant, the m topmost do most and the m deepest do least, by the
same promise: so m is scanned. Measures of several grades need more of an argument; where there
is none, they are refused.

For measures that are weighted gains over a normaliser (`measures.base.WeightedGain`: recall, F,
nDCG; P, DCG and RBP with nothing to divide by), the bounds are exact, by cutting gains into
levels. With the distinct gains s_1 < s_2 < ... of the judgments, a gain is the sum of the
heights s_l - s_{l-1} up to it; so the sum over a ranking, and the whole, are sums over levels,
and on each level a document is either in or out. How many are in decides the whole, and which
ones decides the sum.

- The lowest value: a linear function over a convex one is quasi-concave in the gains, so it is
  lowest at a corner, where each unjudged result has no gain or the largest. Of m with the
  largest, the m deepest do least. So m is scanned.
- The highest value t is where the largest `sum - t * whole` is 0 (Dinkelbach 1967,
  doi:10.1287/mnsc.13.7.492). On each level some number of results is in, the topmost ones, and
  no more than on the level below: the best such numbers are found from the highest level down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from cleverdon._common.arrays import Bools, Floats, Ints
from cleverdon._common.progress import Progress, as_callback, shows_progress
from cleverdon.errors import OptionError, check_count, check_word
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure, WeightedGain, worst_value
from cleverdon.measures.notation import parse
from cleverdon.scores import average, has_no_value
from cleverdon.settings import CHOICES
from cleverdon.tables.numbers import format_decimal
from cleverdon.tables.result import Result
from cleverdon.tables.sections import Section
from cleverdon.tables.table import TextTable

_ROUNDS = 1000
"""The most rounds of Dinkelbach's method, which usually needs fewer than ten."""


@dataclass(frozen=True, eq=False)
class GainLevel:
    """One level of gains."""

    height: float
    judged: Ints  # per query: how many judged documents reach it
    within_reach: bool  # whether the largest gain that an unjudged result could have reaches it
    known: Hits  # the results that reach it, at no certain place within their tied groups


def gain_levels(share: WeightedGain, hits: Hits, largest: float) -> list[GainLevel]:
    """The levels of the judgments' gains, and of the largest that is possible."""
    ideal = hits.best_by(share.gain)
    gain, judged_gain = share.gain(hits), share.gain(ideal)
    edges = np.unique(np.append(judged_gain, largest))
    edges = edges[edges > 0]
    return [
        GainLevel(
            height=float(edge - below),
            judged=ideal.count(judged_gain >= edge),
            within_reach=bool(edge <= largest),
            known=hits.where(gain >= edge),
        )
        for below, edge in zip(np.append(0.0, edges), edges, strict=False)
    ]


@dataclass(frozen=True, eq=False)
class WeightedGainBounds:
    """Shares with unjudged results, `slots`, that may gain anything up to the largest gain.

    Below the last rank that has a weight, one slot stands for all: those results only enter the
    whole, which is largest with all of them and smallest with none.
    """

    share: WeightedGain
    whole: Callable[[Ints], Floats]
    levels: list[GainLevel]
    slots: Hits  # unjudged results, in their order
    stands_for: Floats  # how many results each slot is

    @cached_property
    def undefined(self) -> Bools:
        """The queries that have no judged document with any gain."""
        judged = sum((level.judged for level in self.levels), start=np.zeros(len(self.slots)))
        none: Bools = judged == 0
        return none

    def lowest(self, known: Floats) -> Floats:
        """The lowest share, where the known results, in their worst order, sum up to `known`."""
        upwards = np.lexsort((-self.slots.rank, self.slots.query))
        slots = self.slots.where(upwards)
        number = slots.running(self.stands_for[upwards]).astype(np.int64)
        total, whole = known[slots.query], np.zeros(len(upwards))
        for level in self.levels:
            judged = level.judged[slots.query]
            if level.within_reach:
                weight = self.share.weight(self._ranks(level, "worst")[upwards])
                total = total + level.height * slots.running(weight)
                judged = judged + number
            whole = whole + level.height * self.whole(judged)
        least = np.where(self.undefined, np.nan, known / self._whole_of_known)
        np.fmin.at(least, slots.query, total / whole)
        return least

    def highest(self, known: Floats) -> Floats:
        """The highest share, where the known results, in their best order, sum up to `known`."""
        slots = self.slots
        number = slots.running(self.stands_for).astype(np.int64)
        taken = []
        for level in self.levels:
            if level.within_reach:
                weight = self.share.weight(self._ranks(level, "best"))
                more = self.whole(level.judged[slots.query] + number)
                cost = more - self.whole(level.judged)[slots.query]
                taken.append((level.height * slots.running(weight), level.height * cost))
        most = highest_ratio(slots, known, self._whole_of_known, taken)
        return np.where(self.undefined & (np.diff(slots.starts) == 0), np.nan, most)

    @cached_property
    def _whole_of_known(self) -> Floats:
        return sum(
            (level.height * self.whole(level.judged) for level in self.levels),
            start=np.zeros(len(self.slots)),
        )

    def _ranks(self, level: GainLevel, order: Literal["best", "worst"]) -> Ints:
        """Return the ranks of slots among those of their groups that reach a level."""
        slots = self.slots
        before, last = (slots.rows_up_to(r) for r in (slots.tied_from - 1, slots.tied_to))
        known_before, known_last = (
            level.known.rows_up_to(r, slots.query) for r in (slots.tied_from - 1, slots.tied_to)
        )
        known = known_last - known_before
        up, down = slots.ordinal - before, last - slots.ordinal
        ranks: Ints = slots.tied_from + known + up - 1
        return ranks if order == "best" else slots.tied_to - known - down


def highest_ratio(
    slots: Hits, known: Floats, base: Floats, taken: list[tuple[Floats, Floats]]
) -> Floats:
    """The highest quotient, of a sum over levels and a whole, by Dinkelbach's method.

    `taken` has for each level, the lowest first, what is gained and what it costs when a query's
    slots down to this one are taken; on a higher level no more may be than on a lower one.
    """
    best = np.zeros(len(known))
    some = np.flatnonzero(np.diff(slots.starts))
    last = slots.starts[some + 1] - 1
    row = np.arange(len(slots.query))
    for _ in range(_ROUNDS):
        worth = total = whole = np.zeros(len(row))
        for gained, cost in reversed(taken):
            worth = worth + gained - best[slots.query] * cost
            # Of all numbers up to this row's, the one that is worth most; none, if nothing is.
            most = slots.running(worth, np.maximum)
            at = slots.running(np.where(worth == most, row, 0), np.maximum).astype(np.int64)
            total, whole = (
                np.where(most > 0, (so_far + more)[at], 0)
                for so_far, more in ((total, gained), (whole, cost))
            )
            worth = np.maximum(most, 0)
        numerator, denominator = known.copy(), base.copy()
        numerator[some] += total[last]
        denominator[some] += whole[last]
        better = np.where(denominator > 0, numerator / np.where(denominator > 0, denominator, 1), 0)
        if np.all(better <= best):
            break
        best = np.maximum(best, better)
    return best


_BLOCK_RESULTS = 1 << 20
"""The number of results, each of which may get a row, that are processed together."""


@dataclass(frozen=True, eq=False)
class Bounds(Result):
    """The lowest and highest value of a measure for each query."""

    measure: Measure
    lowest: Floats  # NaN where the value is undefined for all grades of the unjudged results
    highest: Floats
    undefined: Bools  # where it is undefined for some grades of the unjudged results
    over: tuple[str, ...] = ()  # what was not known: ties, unjudged, rest
    queries: Sequence[str] = ()

    def sections(self, *, exact: bool = False) -> list[Section]:
        """Return one table, with the lowest and highest value of each query."""
        rows = [
            [query, *(format_decimal(float(end), exact=exact) for end in ends)]
            for query, *ends in zip(self.queries, self.lowest, self.highest, strict=True)
        ]
        header = ["query", f"{self.measure} lowest", f"{self.measure} highest"]
        return [Section("bounds", TextTable(header, rows, 1, []), titled=False)]

    def means(
        self, *, undefined: str = "worst", evaluated: Bools | None = None
    ) -> tuple[float, float]:
        """The lowest and highest average over queries; NaN where no query can have a value."""
        check_word("undefined", undefined, CHOICES["undefined"])
        asked = np.ones(len(self.lowest), dtype=bool) if evaluated is None else evaluated
        lowest, highest, optional = self.lowest[asked], self.highest[asked], self.undefined[asked]
        if has_no_value(self.measure, lowest, undefined=undefined):
            return float("nan"), float("nan")
        if undefined == "skip":
            least = _extreme_mean(self.measure, lowest, optional, sign=1)
            return least, _extreme_mean(self.measure, highest, optional, sign=-1)
        worst = np.where(optional, worst_value(self.measure), np.nan)
        ends = np.fmin(lowest, worst), np.fmax(highest, worst)
        lower, upper = (average(self.measure, values) for values in ends)
        return lower, upper


def _extreme_mean(measure: Measure, values: Floats, optional: Bools, *, sign: int) -> float:
    """Return the least average (sign 1) or the largest (-1); optional queries may be left out."""
    certain = values[~optional]
    candidates = values[optional & ~np.isnan(values)]
    candidates = candidates[np.argsort(sign * candidates)]
    means = [
        average(measure, np.concatenate((certain, candidates[:n])))
        for n in range(len(candidates) + 1)
    ]
    return float(sign * np.nanmin(sign * np.array(means))) if len(values) else float("nan")


@shows_progress("computing bounds")
def bounds(
    measure: Measure | str,
    hits: Hits,
    *,
    ties: bool = True,
    unjudged: bool | float = True,
    rest: bool = False,
    docs: int | None = None,
    progress: Progress | bool | None = None,
) -> Bounds:
    """Find the lowest and highest value that a measure could have, for each query.

    A document that was neither returned nor judged counts as not relevant. To a binary measure any
    unjudged result may be relevant. A measure of grades that is no share (nERR, Compat) has bounds
    where the judgments have one positive grade only; an unjudged result then gets that, or 0.

    Args:
        measure: The measure, or how it is written.
        hits: The judged results of one run.
        ties: Whether to vary the order of tied results.
        unjudged: Whether to vary the grades of results that nobody judged, up to the largest grade
            of the judgments; or the largest grade that they could get.
        rest: Whether to vary how the ranking goes on through the rest of the collection.
        docs: The number of documents in the collection, which `rest` needs.
        progress: False shows no progress bar. A function is called with the step, how much of it is
            done, and of how much.

    Returns:
        The lowest and highest values, by query.

    Raises:
        OptionError: The measure has no bounds, or `docs` is missing.

    >>> from cleverdon.measures.worked import ranking
    >>> found = bounds("AP", ranking("1 - 0 -"))
    >>> found.lowest, found.highest
    (array([0.75]), array([1.]))
    """
    progress = as_callback(progress)
    measure = measure if isinstance(measure, Measure) else parse(measure)
    if not isinstance(hits, Hits):
        raise OptionError(
            f"bounds needs Hits, not {type(hits).__name__!r}; evaluate(..., bounds=True) takes "
            "judgments and runs"
        )
    size = hits.judgments.docs if docs is None else check_count("docs", docs)
    if rest and size is None:
        raise OptionError(
            "--rest needs --docs N, or docs=N in the ranking: how many documents the collection "
            "has; in Python, rest=True needs docs=N"
        )
    check_has_bounds(measure, hits, unjudged)
    parts = [
        _block_bounds(measure, block, ties, unjudged, size if rest else None, progress)
        for block in _blocks(hits)
    ]
    lowest, highest, undefined = (np.concatenate(column) for column in zip(*parts, strict=True))
    asked = {"ties": ties, "unjudged": unjudged is not False, "rest": rest}
    over = tuple(what for what, wanted in asked.items() if wanted)
    return Bounds(measure, lowest, highest, undefined, over, hits.judgments.queries)


def check_has_bounds(measure: Measure, hits: Hits, unjudged: bool | float) -> None:
    """Raise an OptionError for a measure whose bounds are not proved."""
    if measure.needs or measure.text or not measure.keeps("swap"):
        raise OptionError(
            f"{measure} has no bounds: it is not known which order of the results is best for it"
        )
    rel = getattr(measure, "rel", None)
    if rel is not None and rel <= 0:
        raise OptionError(f"{measure} has no bounds: its rel must be above 0")
    if not _gains_rise(measure, hits):
        raise OptionError(f"{measure} has no bounds: its gains do not rise with the grades")
    if unjudged is False:
        return
    if not isinstance(unjudged, (bool, int, float)) or not 0 <= unjudged < np.inf:
        raise OptionError(f"unjudged={unjudged!r}: True, False, or the largest grade, from 0 on")
    if measure.judged_only:
        raise OptionError(
            f"{measure} leaves out what nobody judged; its bounds are those of ties "
            "(unjudged=False), or of the measure without judged_only"
        )
    if not is_binary(measure) and unjudged is not True and unjudged > hits.judgments.top_grade:
        raise OptionError(
            f"unjudged={unjudged:g} is above the largest grade of the judgments, "
            f"{hits.judgments.top_grade:g}, and nothing says what it would gain"
        )
    if not (measure.keeps("gain") or _whole_share(measure) or _one_grade(measure, hits, unjudged)):
        raise OptionError(
            f"{measure} has no bounds over unjudged results where judgments have several grades; "
            "it has bounds over ties (unjudged=False)"
        )


def is_binary(measure: Measure) -> bool:
    """Tell whether a measure only depends on which results are relevant."""
    return getattr(measure, "rel", None) is not None and "gains" not in measure.defaults


def _one_grade(measure: Measure, hits: Hits, unjudged: bool | float) -> bool:
    """Tell whether the measure only distinguishes relevant documents from others."""
    # With one positive grade in the judgments, an unjudged result is taken to get that one: a
    # grade in between could take Rndcg and Compat further.
    if is_binary(measure):
        return True
    judged = hits.judgments
    same = np.all((judged.grade <= 0) | (judged.grade == judged.top_grade))
    return bool(same) and best_grade(measure, hits, unjudged) == judged.top_grade


def _whole_share(measure: Measure) -> WeightedGain | None:
    share = measure.as_share()
    return share if share is not None and share.whole is not None else None


def _gains_rise(measure: Measure, hits: Hits) -> bool:
    gains = getattr(measure, "gains", None)
    if gains is None:
        return True
    grades = np.unique(np.concatenate(([0.0], hits.judgments.grade, list(gains))))
    rows = np.zeros(len(grades), dtype=np.int64)
    worth = measure.gain_of(replace(hits, query=rows, rank=rows, grade=grades, doc=rows))  # type: ignore[attr-defined]
    return bool(np.all(np.diff(worth) >= 0) and np.all(worth[grades <= 0] == 0))


def best_grade(measure: Measure, hits: Hits, unjudged: bool | float) -> float:
    """The largest grade that an unjudged result could get; 0 where it cannot become relevant."""
    if is_binary(measure):
        rel = float(measure.rel)  # type: ignore[attr-defined]
        return rel if unjudged is True or unjudged >= rel else 0.0
    top = max(hits.judgments.top_grade, 0.0)
    return top if unjudged is True else float(unjudged)


def _blocks(hits: Hits) -> Iterator[Hits]:
    """Cut the hits into parts of whole queries, none of too many results."""
    done = np.cumsum(hits.returned) // _BLOCK_RESULTS
    edges = np.flatnonzero(np.diff(done)) + 1
    if len(edges) == 0:
        yield hits
        return
    for start, stop in pairwise(np.unique([0, *edges, len(hits)]).tolist()):
        yield hits.queries_between(start, stop)


_Part = tuple[Floats, Floats, Bools]


def _block_bounds(
    measure: Measure,
    hits: Hits,
    ties: bool,
    unjudged: bool | float,
    size: int | None,
    progress: Progress | None,
) -> _Part:
    if not ties:
        hits = replace(hits, tied_from=hits.rank, tied_to=hits.rank)
    grade = 0.0 if unjudged is False else best_grade(measure, hits, unjudged)
    if grade == 0:
        worst, best = _ordered(hits, "worst", size), _ordered(hits, "best", size)
        return _span(measure(worst), measure(best))
    if measure.keeps("gain"):
        good = hits.assume(grade, join=True)
        worst, best = _ordered(hits, "worst", size), _ordered(good, "best", size)
        return _span(measure(worst), measure(best))
    share = _whole_share(measure)
    if share is not None:
        return _weighted_gain_bounds(share, hits, grade, size)
    whole = hits.assume(-1.0, join=True)  # a row for every result: below 0 where nobody judged it
    return _scan_bounds(measure, whole, grade, size, progress)


def _ordered(hits: Hits, order: Literal["best", "worst"], size: int | None) -> Hits:
    """Put ties and the unseen rest in their best, or worst, order."""
    hits = hits.tied(order)
    return hits if size is None else hits.completed(order, size=size)


def _span(one: Floats, other: Floats) -> _Part:
    """Return the lowest and highest value of each query, and where one is undefined."""
    return np.fmin(one, other), np.fmax(one, other), np.isnan(one) | np.isnan(other)


def _weighted_gain_bounds(share: WeightedGain, hits: Hits, grade: float, size: int | None) -> _Part:
    slots, stands_for = _unjudged_slots(share, hits)
    judged_best = replace(slots, grade=np.full(len(slots.grade), grade))
    largest = float(share.gain(judged_best).max(initial=0))
    assert share.whole is not None
    sharing = WeightedGainBounds(
        share, share.whole, gain_levels(share, hits, largest), slots, stands_for
    )

    def known(order: Literal["best", "worst"]) -> Floats:
        ordered = _ordered(hits, order, size)
        return ordered.total(share.gain(ordered) * share.weight(ordered.rank))

    with np.errstate(divide="ignore", invalid="ignore"):
        return sharing.lowest(known("worst")), sharing.highest(known("best")), sharing.undefined


def _unjudged_slots(share: WeightedGain, hits: Hits) -> tuple[Hits, Floats]:
    """Return a row for each unjudged result that could have a weight, and one for the others.

    The numbers say how many results each row stands for.
    """
    weights = share.weight(np.arange(1, int(hits.returned.max(initial=0)) + 1))
    last = int(np.count_nonzero(weights))
    depth = np.minimum(hits.returned, last)
    # A tied group that begins with a weight is there down to its end.
    reaching = hits.tied_from <= last
    np.maximum.at(depth, hits.query[reaching], hits.tied_to[reaching])
    above = hits.unjudged_down_to(depth)
    below = hits.returned - depth
    judged_below = (hits.grade >= 0) & (hits.rank > depth[hits.query])
    below -= hits.count(judged_below)
    query = np.flatnonzero(below)
    rank = hits.returned[query] + 1  # a place of its own, below all results
    slots = above.and_rows(above.with_rows(query, rank, np.full(len(query), -1.0), rank))
    stands_for = np.ones(len(slots.query))
    stands_for[slots.starts[query + 1] - 1] = below[query]
    return slots, stands_for


def _scan_bounds(
    measure: Measure, whole: Hits, grade: float, size: int | None, progress: Progress | None
) -> _Part:
    """Find the extremes where the m topmost, or the m deepest, unjudged results are relevant."""
    if is_binary(measure):
        whole = as_relevance(measure, whole)
    orders: tuple[Literal["best", "worst"], ...] = ("best", "worst")
    parts = [_scan_one_way(measure, whole, order, grade, size, progress) for order in orders]
    (low, high, undefined), (lower, higher, also) = parts
    return np.fmin(low, lower), np.fmax(high, higher), undefined | also


def _scan_one_way(
    measure: Measure,
    whole: Hits,
    order: Literal["best", "worst"],
    grade: float,
    size: int | None,
    progress: Progress | None,
) -> _Part:
    """Find the extremes as one unjudged result after the other becomes relevant."""
    ranked = _ordered(whole, order, size)
    rows = np.flatnonzero((ranked.grade < 0) & (ranked.rank <= whole.returned[ranked.query]))
    known = _with_grades(ranked, rows, np.zeros(len(rows)))
    if order == "worst":
        rows = rows[np.lexsort((-ranked.rank[rows], ranked.query[rows]))]
    turned = ranked.where(rows)
    values = measure(known)
    low, high, undefined = values.copy(), values.copy(), np.isnan(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        each = measure.as_found(known, turned, downwards=order == "best")
    if each is not None:
        each = np.where(np.isinf(each), np.nan, each)
        np.fmin.at(low, turned.query, each)
        np.fmax.at(high, turned.query, each)
        return low, high, undefined | (turned.count(np.isnan(each)) > 0)
    most = int(np.diff(turned.starts).max(initial=0))
    for m in range(1, most + 1):
        values = measure(_with_grades(ranked, rows, np.where(turned.ordinal <= m, grade, 0.0)))
        low, high = np.fmin(low, values), np.fmax(high, values)
        undefined |= np.isnan(values)
        if progress is not None:
            progress(f"bounds of {measure}", m, most)
    return low, high, undefined


def as_relevance(measure: Measure, hits: Hits) -> Hits:
    """Replace grades as a binary measure sees them: `rel` from there on, at most 0 below."""
    rel = float(measure.rel)  # type: ignore[attr-defined]

    def seen(grade: Floats) -> Floats:
        return np.where(grade >= rel, rel, np.minimum(grade, 0))

    judged = replace(hits.judgments, grade=seen(hits.judgments.grade))
    return replace(hits, grade=seen(hits.grade), judgments=judged)


def _with_grades(hits: Hits, rows: np.ndarray, grades: Floats) -> Hits:
    grade, judged = hits.grade.copy(), hits.judgments.grade.copy()
    grade[rows] = grades
    judged[hits.doc[rows]] = grades
    return replace(hits, grade=grade, judgments=replace(hits.judgments, grade=judged))

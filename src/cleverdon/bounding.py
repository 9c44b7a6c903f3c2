"""Bounds: the lowest and highest value that what is not known could give.

Three things may not be known: the order of results with equal scores, the grades of results that
nobody judged, and how a ranking that was cut off would have gone on.

For a measure that never gets worse by exchanging a result with a better one below it (its promise
`swap`), the best order puts the better first, and the worst order last. Grades are harder, since
for measures normalised by what is relevant (AP, nDCG, recall) neither 'all unjudged results are
relevant' nor 'none is' need be an extreme: they join R and the ideal ranking. But of m that are
relevant, the m topmost do most and the m deepest do least, by the same promise: so m is scanned.
Measures of several grades need more of an argument; where there is none, they are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

import numpy as np

from cleverdon.aggregate import average, unknown, worst_value
from cleverdon.arrays import Bools, Floats
from cleverdon.errors import OptionError, check_count, check_word
from cleverdon.hits import Hits
from cleverdon.measures.base import Measure
from cleverdon.measures.notation import parse
from cleverdon.settings import CHOICES
from cleverdon.shares import Share, Sharing, levels_of

_BLOCK_RESULTS = 1 << 20
"""How many results, each of which may get a row, are looked at together."""

Progress = Callable[[int, int], object]


@dataclass(frozen=True, eq=False)
class Bounds:
    """The lowest and highest value of a measure for each query."""

    measure: Measure
    lowest: Floats  # NaN where the value is undefined whatever the unjudged results are
    highest: Floats
    undefined: Bools  # where it is undefined for some grades of the unjudged results
    over: tuple[str, ...] = ()  # what was not known: ties, unjudged, rest

    def means(
        self, *, undefined: str = "worst", evaluated: Bools | None = None
    ) -> tuple[float, float]:
        """The lowest and highest average over queries; NaN where no query can have a value."""
        check_word("undefined", undefined, CHOICES["undefined"])
        asked = np.ones(len(self.lowest), dtype=bool) if evaluated is None else evaluated
        lowest, highest, optional = self.lowest[asked], self.highest[asked], self.undefined[asked]
        if unknown(self.measure, lowest, undefined=undefined):
            return float("nan"), float("nan")
        if undefined == "skip":
            return (
                _extreme_mean(self.measure, lowest, optional, sign=1),
                _extreme_mean(self.measure, highest, optional, sign=-1),
            )
        worst = np.where(optional, worst_value(self.measure), np.nan)
        ends = np.fmin(lowest, worst), np.fmax(highest, worst)
        lower, upper = (average(self.measure, values) for values in ends)
        return lower, upper


def _extreme_mean(measure: Measure, values: Floats, optional: Bools, *, sign: int) -> float:
    """The least average, or with sign -1 the largest, where optional queries may be left out."""
    certain = values[~optional]
    candidates = values[optional & ~np.isnan(values)]
    candidates = candidates[np.argsort(sign * candidates)]
    means = [
        average(measure, np.concatenate((certain, candidates[:n])))
        for n in range(len(candidates) + 1)
    ]
    return float(sign * np.nanmin(sign * np.array(means))) if len(values) else float("nan")


def bounds(
    measure: Measure | str,
    hits: Hits,
    *,
    ties: bool = True,
    unjudged: bool | float = True,
    rest: bool = False,
    docs: int | None = None,
    progress: Progress | None = None,
) -> Bounds:
    """The lowest and highest value of a measure, for each query.

    Over all orders of tied results (`ties`); over all grades that the results that nobody judged
    could get, were they judged (`unjudged`: up to the largest grade of the judgments, or up to the
    grade that is given); and over all ways in which the ranking could go on through a collection of
    `docs` documents (`rest`). What was neither returned nor judged counts as not relevant. To a
    binary measure any unjudged result may be relevant. A measure of grades that is no share (nERR,
    Compat) has bounds where the judgments have one positive grade only; an unjudged result is then
    taken to get that, or 0.

    >>> from cleverdon.measures.worked import ranking
    >>> found = bounds("AP", ranking("1 - 0 -"))
    >>> found.lowest, found.highest
    (array([0.75]), array([1.]))
    """
    measure = measure if isinstance(measure, Measure) else parse(measure)
    if not isinstance(hits, Hits):
        raise OptionError(
            f"bounds are of Hits, not of {type(hits).__name__!r}; evaluate(..., bounds=True) takes "
            "judgments and runs"
        )
    size = hits.judgments.docs if docs is None else check_count("docs", docs)
    if rest and size is None:
        raise OptionError("rest=True needs docs=: how many documents the collection has")
    check(measure, hits, unjudged)
    parts = [
        _of_block(measure, block, ties, unjudged, size if rest else None, progress)
        for block in _blocks(hits)
    ]
    lowest, highest, undefined = (np.concatenate(column) for column in zip(*parts, strict=True))
    asked = {"ties": ties, "unjudged": unjudged is not False, "rest": rest}
    over = tuple(what for what, wanted in asked.items() if wanted)
    return Bounds(measure, lowest, highest, undefined, over)


def check(measure: Measure, hits: Hits, unjudged: bool | float) -> None:
    """Refuse what has no proof."""
    if measure.needs or measure.text or not measure.keeps("swap"):
        raise OptionError(
            f"{measure} has no bounds: it is not known which order of the results is best for it"
        )
    rel = getattr(measure, "rel", None)
    if rel is not None and rel <= 0:
        raise OptionError(f"{measure} has no bounds: rel is above 0 for that")
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
            "those of ties it has (unjudged=False)"
        )


def is_binary(measure: Measure) -> bool:
    """Whether it only minds which results are relevant."""
    return getattr(measure, "rel", None) is not None and "gains" not in measure.defaults


def _one_grade(measure: Measure, hits: Hits, unjudged: bool | float) -> bool:
    """Whether documents are either relevant or not, in the eyes of the measure.

    With one positive grade in the judgments, that is all that an unjudged result is taken to get: a
    grade in between could take Rndcg and Compat further.
    """
    if is_binary(measure):
        return True
    judged = hits.judgments
    same = np.all((judged.grade <= 0) | (judged.grade == judged.top_grade))
    return bool(same) and best_grade(measure, hits, unjudged) == judged.top_grade


def _whole_share(measure: Measure) -> Share | None:
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
    """The same in parts of whole queries, none of too many results."""
    done = np.cumsum(hits.returned) // _BLOCK_RESULTS
    edges = np.flatnonzero(np.diff(done)) + 1
    if len(edges) == 0:
        yield hits
        return
    for start, stop in pairwise(np.unique([0, *edges, len(hits)]).tolist()):
        yield hits.queries_between(start, stop)


_Part = tuple[Floats, Floats, Bools]


def _of_block(
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
    whole = hits.assume(-1.0, join=True)  # a row for every result: below 0 where nobody judged it
    share = _whole_share(measure)
    if share is not None:
        return _of_share(share, hits, whole, grade, size)
    return _scanned(measure, whole, grade, size, progress)


def _ordered(hits: Hits, order: Literal["best", "worst"], size: int | None) -> Hits:
    """The best, or worst, order of ties and of the unseen rest."""
    hits = hits.tied(order)
    return hits if size is None else hits.completed(order, size=size)


def _span(one: Floats, other: Floats) -> _Part:
    """The lowest and highest of values for each query, and where any is undefined."""
    return np.fmin(one, other), np.fmax(one, other), np.isnan(one) | np.isnan(other)


def _of_share(share: Share, hits: Hits, whole: Hits, grade: float, size: int | None) -> _Part:
    slots = whole.where(whole.grade < 0)
    judged_best = replace(slots, grade=np.full(len(slots.grade), grade))
    largest = float(share.gain(judged_best).max(initial=0))
    assert share.whole is not None
    sharing = Sharing(share, share.whole, levels_of(share, hits, largest), slots)

    def known(order: Literal["best", "worst"]) -> Floats:
        ordered = _ordered(hits, order, size)
        return ordered.total(share.gain(ordered) * share.weight(ordered.rank))

    with np.errstate(divide="ignore", invalid="ignore"):
        return sharing.lowest(known("worst")), sharing.highest(known("best")), sharing.undefined


def _scanned(
    measure: Measure, whole: Hits, grade: float, size: int | None, progress: Progress | None
) -> _Part:
    """The extremes over m, the m topmost or the m deepest unjudged results being relevant."""
    if is_binary(measure):
        whole = as_relevance(measure, whole)
    orders: tuple[Literal["best", "worst"], ...] = ("best", "worst")
    parts = [_turning(measure, whole, order, grade, size, progress) for order in orders]
    (low, high, undefined), (lower, higher, also) = parts
    return np.fmin(low, lower), np.fmax(high, higher), undefined | also


def _turning(
    measure: Measure,
    whole: Hits,
    order: Literal["best", "worst"],
    grade: float,
    size: int | None,
    progress: Progress | None,
) -> _Part:
    """The extremes as one unjudged result after the other is relevant, downwards or upwards."""
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
            progress(m, most)
    return low, high, undefined


def as_relevance(measure: Measure, hits: Hits) -> Hits:
    """The same with grades as a binary measure sees them: what is below `rel` is as good as 0."""
    rel = float(measure.rel)  # type: ignore[attr-defined]

    def seen(grade: Floats) -> Floats:
        return np.where(grade >= rel, rel, np.minimum(grade, 0))

    judged = replace(hits.judgments, grade=seen(hits.judgments.grade))
    return replace(hits, grade=seen(hits.grade), judgments=judged)


def _with_grades(hits: Hits, rows: np.ndarray, grades: Floats) -> Hits:
    """The same with these rows judged to have these grades."""
    grade, judged = hits.grade.copy(), hits.judgments.grade.copy()
    grade[rows] = grades
    judged[hits.doc[rows]] = grades
    return replace(hits, grade=grade, judgments=replace(hits.judgments, grade=judged))

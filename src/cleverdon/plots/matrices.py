"""Matrices: confusion, grades by rank, rank correlations of measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from math import isnan, nan
from typing import Any

import numpy as np

from cleverdon._common.arrays import Bools, Ints, json_number
from cleverdon._common.text import counted
from cleverdon.charts.base import Chart, Datasets, Row, alt, finish_chart, tooltips
from cleverdon.charts.matrices import check_matrix_size, heat_maps, matrix_cell, matrix_chart
from cleverdon.comparison.orderings import correlate
from cleverdon.comparison.samples import Sample, samples
from cleverdon.errors import OptionError, check_word
from cleverdon.hits import Hits, cut_off
from cleverdon.measures.base import Measure
from cleverdon.measures.confusion import TNR
from cleverdon.plots.inputs import hits_of, queries_note, select_systems
from cleverdon.scores import Scores
from cleverdon.stats.correlation import kendall, pearson, spearman
from cleverdon.stats.resampling import TOOLTIP_RESAMPLES

_UNJUDGED = ("not relevant", "apart")  # the choices for unjudged documents in a confusion matrix
_COLUMNS = 3  # the number of matrices in a row


def confusion(
    scores: Scores,
    *,
    k: int | None = None,
    rel: float = 1,
    systems: str | Sequence[str] | None = None,
    unjudged: str = "not relevant",
) -> Chart:
    """Draw a confusion matrix for each system, summed over queries.

    Correctly rejected documents are known only if evaluate(..., docs=N) was told the size of the
    collection.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        k: Look at the first k results; by default at all.
        rel: The lowest grade that counts as relevant.
        systems: The systems to draw; by default all.
        unjudged: "not relevant", as measures have it, or "apart" for a row of their own.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP", keep=10)
    >>> chart = confusion(scores, k=5)
    """
    named = select_systems(scores, systems)
    depth = "all results" if k is None else f"the first {k:,} results"
    return finish_chart(
        _confusion_chart(named, scores.systems),
        confusion_rows(scores, k=k, rel=rel, systems=named, unjudged=unjudged),
        title="Confusion matrix",
        subtitle=f"Summed over {queries_note(scores)}; returned: among {depth}. "
        f"Relevant: grade {rel:g} or above.",
    )


def confusion_rows(
    scores: Scores,
    *,
    k: int | None = None,
    rel: float = 1,
    systems: Sequence[str] | None = None,
    unjudged: str = "not relevant",
) -> Datasets:
    """Return the cells of each system's matrix: count, share of the row, and text."""
    check_word("unjudged", unjudged, _UNJUDGED)
    cells: list[Row] = []
    for system in scores.systems if systems is None else systems:
        evaluated = scores.evaluated[scores.systems.index(system)]
        for truth, pair in _counts(hits_of(scores, system), evaluated, k, rel, unjudged).items():
            whole = sum(pair)  # NaN where one of them is not known
            for outcome, count in zip(("returned", "not returned"), pair, strict=True):
                known = not np.isnan(count)
                share = float(count / whole) if whole > 0 else None
                cells.append(
                    {
                        "system": system,
                        "truth": truth,
                        "outcome": outcome,
                        "count": int(count) if known else None,
                        "share": share,
                        "text": f"{int(count):,}" if known else "unknown",
                    }
                )
    return {"cells": cells}


def _counts(
    hits: Hits, evaluated: Any, k: int | None, rel: float, unjudged: str
) -> dict[str, tuple[float, float]]:
    """Return how many (not) relevant documents were returned, and not; NaN if unknown."""
    top = hits.top(None if k is None else cut_off(k))
    a, b, c, d = (float(part[evaluated].sum()) for part in TNR(rel=rel).parts(top))
    if unjudged == "not relevant":
        return {"relevant": (a, c), "not relevant": (b, d)}
    judged = hits.judgments
    poor = (top.grade >= 0) & (top.grade < rel)
    seen = float(top.count(poor)[evaluated].sum())
    all_poor = judged.count((judged.grade >= 0) & (judged.grade < rel))
    left = float(all_poor[evaluated].sum()) - seen
    return {"relevant": (a, c), "not relevant": (seen, left), "not judged": (b - seen, d - left)}


def _confusion_chart(systems: Sequence[str], every: Sequence[str] | None = None) -> Any:
    """Draw matrices next to each other; `every` are the systems that may be drawn instead."""
    matrices = heat_maps(
        alt.X("outcome:N", sort=["returned", "not returned"], title=None),
        alt.Y("truth:N", sort=["relevant", "not relevant", "not judged"], title=None),
        "system",
        systems,
        tooltip=tooltips(
            "system:N",
            "documents=truth:N",
            "are=outcome:N",
            "how many=text:N",
            "share of the row=share:Q .4f",
        ),
        share="share of the row",
        cell=(90, 46),
        in_row=2 if len(systems) == 4 else _COLUMNS,
        names=every,
    )
    return matrices.resolve_axis(x="independent")  # else it stands below the last row only


_BANDS = (1, 5, 10, 20, 100, 1000)  # the last rank of each band
_MOST_GRADES = 12
_NOT_JUDGED, _NOT_RETURNED = "not judged", "not returned"


def grades_by_rank(
    scores: Scores, *, bands: Sequence[int] = _BANDS, systems: str | Sequence[str] | None = None
) -> Chart:
    """Draw how many documents of each grade stand in each band of ranks.

    Judged documents below the last band, and those that were not returned, have a column of their
    own.

    Args:
        scores: Scores of an evaluation with `keep=k`, which retains the rankings.
        bands: The last rank of each band.
        systems: The systems to draw; by default all.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> scores = evaluate({"q1": {"d1": 1}}, {"a": {"q1": {"d1": 2, "d2": 1}}}, "AP", keep=10)
    >>> chart = grades_by_rank(scores, bands=(1, 5))
    """
    named = select_systems(scores, systems)
    rows = grades_by_rank_rows(scores, bands=bands, systems=named)
    grades = list(dict.fromkeys(row["grade"] for row in rows["cells"]))
    return finish_chart(
        _grades_by_rank_chart(named, grades, scores.systems),
        rows,
        title="Grades by rank",
        subtitle=f"Summed over {queries_note(scores)}.",
    )


def grades_by_rank_rows(
    scores: Scores, *, bands: Sequence[int] = _BANDS, systems: Sequence[str] | None = None
) -> Datasets:
    """Return the cells of each system's matrix: count, and share of the band."""
    named = scores.systems if systems is None else systems
    deepest = max(int(hits_of(scores, system).returned.max(initial=1)) for system in named)
    edges = [0]
    for last in sorted({cut_off(last) for last in bands}):
        if edges[-1] < deepest:  # a band below all results would be empty
            edges.append(min(last, deepest))
    rest = _NOT_RETURNED if edges[-1] >= deepest else f"not in 1-{edges[-1]}"
    cells: list[Row] = []
    for system in named:
        evaluated = scores.evaluated[scores.systems.index(system)]
        cells += [
            {"system": system} | cell
            for cell in _cells(hits_of(scores, system), evaluated, np.array(edges), rest)
        ]
    return {"cells": cells}


def _cells(hits: Hits, evaluated: Bools, edges: Ints, rest: str) -> list[Row]:
    judged = hits.judgments
    grades = np.unique(judged.grade[judged.grade >= 0])[::-1].tolist()
    if len(grades) > _MOST_GRADES:
        raise OptionError(
            f"there are {len(grades)} different grades; a matrix can have {_MOST_GRADES}"
        )
    depths = np.minimum(hits.returned[evaluated][:, None], edges).sum(axis=0)
    returned = np.diff(depths)
    names = [
        f"{low + 1}" if high == low + 1 else f"{low + 1}-{high}"
        for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)
    ]
    counted = evaluated[hits.query]
    table: dict[str, list[int | None]] = {}
    within = np.zeros((len(grades), len(names)), dtype=np.int64)
    for row, grade in zip(within, grades, strict=True):
        row[:] = np.histogram(hits.rank[counted & (hits.grade == grade)], bins=edges + 0.5)[0]
        whole = int((judged.grade[evaluated[judged.query]] == grade).sum())
        table[f"grade {grade:g}"] = [*row.tolist(), whole - int(row.sum())]
    # What stands in a band and has no grade was not judged; how much of that is left is not known.
    table[_NOT_JUDGED] = [*(returned - within.sum(axis=0)).tolist(), None]
    wholes = [*returned.tolist(), sum(row[-1] or 0 for row in table.values())]
    return [
        {
            "grade": grade,
            "band": band,
            "count": count,
            "share": count / whole if whole and count is not None else None,
            "text": "" if count is None else f"{count:,}",
        }
        for grade, row in table.items()
        for band, count, whole in zip([*names, rest], row, wholes, strict=True)
    ]


def _grades_by_rank_chart(
    systems: Sequence[str], grades: Sequence[str], every: Sequence[str] | None = None
) -> Any:
    """Draw matrices below each other; `every` are the systems that may be drawn instead."""
    return heat_maps(
        alt.X("band:N", sort=None, title="ranks"),  # as they come in the rows
        alt.Y("grade:N", sort=list(grades), title=None),
        "system",
        systems,
        tooltip=tooltips(
            "system:N",
            "grade:N",
            "ranks=band:N",
            "documents=count:Q",
            "share of the column=share:Q .4f",
        ),
        share="share of the column",
        cell=(66, 24),
        in_row=1,
        names=every,
    )


_COEFFICIENTS = {
    "systems": {
        "kendall": "Kendall's tau-b",
        "tau_ap": "AP correlation",
        "spearman": "Spearman's rho",
    },
    "queries": {
        "kendall": "Kendall's tau-b",
        "spearman": "Spearman's rho",
        "pearson": "Pearson's r",
    },
}
"""The coefficients for orders of systems, and for values of queries."""


def correlation(
    scores: Scores,
    *,
    of: str = "systems",
    coefficient: str = "kendall",
    measures: str | Measure | Iterable[str | Measure] | None = None,
    confidence: float = 0.95,
) -> Chart:
    """Draw how alike measures order the systems, or the queries, as a matrix.

    Measures of which lower is better are reversed. Of queries it is the mean over systems.

    Args:
        scores: The scores of an evaluation.
        of: "systems" or "queries".
        coefficient: "kendall", "spearman" or "tau_ap".
        measures: Some of the measures of the scores; by default all.
        confidence: The confidence of the intervals that tooltips show, of orders of systems.

    Returns:
        An altair chart.

    >>> from cleverdon import evaluate
    >>> runs = {"a": {"q1": {"d1": 2}}, "b": {"q1": {"d2": 2}}}
    >>> scores = evaluate({"q1": {"d1": 1}}, runs, ["AP", "P@5"])
    >>> chart = correlation(scores)
    """
    check_word("of", of, _COEFFICIENTS)
    check_word("coefficient", coefficient, _COEFFICIENTS[of])
    numeric = [measure for measure in scores.measures if not measure.text]
    found = samples(scores, measures=numeric if measures is None else measures)
    name = _COEFFICIENTS[of][coefficient]
    systems = counted(len(found[0].systems), "system")
    queries = counted(len(found[0].queries), "query")
    rests = {
        "systems": f"{name} of the orders of {systems}, by {queries}.",
        "queries": f"{name} over {queries}, the mean of {systems}.",
    }
    ends = ("low", "high") if of == "systems" else ()
    return finish_chart(
        matrix_chart([str(sample.measure) for sample in found], "coefficient", *ends),
        _correlation_rows(found, scores, of=of, coefficient=coefficient, confidence=confidence),
        title=f"How alike measures order {of}",
        subtitle=rests[of],
    )


def _correlation_rows(
    found: list[Sample],
    scores: Scores,
    *,
    of: str = "systems",
    coefficient: str = "kendall",
    confidence: float = 0.95,
) -> Datasets:
    if len(found) < 2:
        raise OptionError(f"there is only one measure, {found[0].measure}: name another")
    check_matrix_size(len(found), "measures")
    names = [str(sample.measure) for sample in found]
    pairs: dict[tuple[str, str], Row] = {}
    if of == "systems":
        wanted = [sample.measure for sample in found]
        systems = found[0].systems
        for one in correlate(
            scores,
            measures=wanted,
            systems=systems,
            confidence=confidence,
            resamples=TOOLTIP_RESAMPLES,
        ):
            made = getattr(one, coefficient)
            ends = {"low": json_number(made.interval.low), "high": json_number(made.interval.high)}
            pairs[one.first, one.second] = _cell(made.value) | ends
    else:
        for first, second in combinations(found, 2):
            value = _over_queries(first, second, coefficient)
            pairs[str(first.measure), str(second.measure)] = _cell(value)
    return {
        "cells": [
            matrix_cell(a, b, **({} if a == b else pairs.get((a, b)) or pairs[b, a]))
            for a in names
            for b in names
        ]
    }


def _cell(value: float) -> Row:
    if isnan(value):
        return {"text": "-", "coefficient": None, "shade": 0.0}
    return {"text": f"{value:.2f}", "coefficient": value, "shade": value}


def _over_queries(first: Sample, second: Sample, coefficient: str) -> float:
    """Return the mean over systems of the correlation over queries; NaN if none is defined."""
    rows = zip(first.merits, second.merits, strict=True)
    found = [_QUERY_COEFFICIENTS[coefficient](a, b) for a, b in rows]
    defined = [value for value in found if not isnan(value)]
    return float(np.mean(defined)) if defined else nan


_QUERY_COEFFICIENTS: dict[str, Callable[[Any, Any], float]] = {
    "kendall": lambda a, b: kendall(dict(enumerate(a)), dict(enumerate(b))),
    "spearman": lambda a, b: spearman(dict(enumerate(a)), dict(enumerate(b))),
    "pearson": pearson,
}

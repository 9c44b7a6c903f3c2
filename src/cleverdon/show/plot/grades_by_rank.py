"""Which grades stand where: a matrix of grades and bands of ranks for each system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Ints
from cleverdon.errors import OptionError
from cleverdon.hits import Hits, cut_off
from cleverdon.scores import Scores
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, name_labels, table
from cleverdon.show.plot.confusion import heat
from cleverdon.show.plot.kept import chosen, hits_of, resting_on

BANDS = (1, 5, 10, 20, 100, 1000)
"""The last rank of each band."""

_MOST_GRADES = 12
_NOT_JUDGED, _NOT_RETURNED = "not judged", "not returned"


def grades_by_rank(
    scores: Scores,
    *,
    bands: Sequence[int] = BANDS,
    systems: str | Sequence[str] | None = None,
) -> Chart:
    """A matrix for each system: how many documents of each grade stand in each band of ranks.

    `bands` are the last ranks of each; the last band ends where the results end. Judged documents
    that stand in none of them, or were not returned, are in a column of their own.
    """
    named = chosen(scores, systems)
    rows = grades_by_rank_rows(scores, bands=bands, systems=named)
    grades = list(dict.fromkeys(row["grade"] for row in rows["cells"]))
    return finished(
        grades_by_rank_chart(named, grades, scores.systems),
        rows,
        title="Grades by rank",
        subtitle=f"Summed over {resting_on(scores)}.",
    )


def grades_by_rank_rows(
    scores: Scores, *, bands: Sequence[int] = BANDS, systems: Sequence[str] | None = None
) -> Datasets:
    """The cells of each system's matrix: how many, and what share of the band, or of the rest."""
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


def grades_by_rank_chart(
    systems: Sequence[str], grades: Sequence[str], every: Sequence[str] | None = None
) -> Any:
    """Matrices below each other; a cell is the darker, the more of its column is in it.

    `every` are the systems whose matrices may be drawn in place of these.
    """
    base = alt.Chart(table("cells")).encode(
        x=alt.X(
            "band:N",
            sort=None,  # as they come in the rows
            title="ranks",
            axis=alt.Axis(labelAngle=0, domain=False, ticks=False),
        ),
        y=alt.Y(
            "grade:N",
            sort=list(grades),
            title=None,
            axis=alt.Axis(domain=False, ticks=False),
        ),
        tooltip=[
            alt.Tooltip("system:N"),
            alt.Tooltip("grade:N"),
            alt.Tooltip("band:N", title="ranks"),
            alt.Tooltip("count:Q", title="documents"),
            alt.Tooltip("share:Q", title="share of the column", format=".4f"),
        ],
    )
    header = alt.Header(**name_labels(every or systems))
    facet = alt.Facet("system:N", title=None, sort=list(systems), header=header)
    return heat(base, "share:Q", "share of the column", cell=(66, 24)).facet(facet=facet, columns=1)

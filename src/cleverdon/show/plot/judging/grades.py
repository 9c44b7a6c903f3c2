"""The grades of two judges on the same documents: a matrix for each pair."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from cleverdon.errors import OptionError
from cleverdon.judge.agreement import Agreed
from cleverdon.show.agree_cells import named
from cleverdon.show.grid import counted
from cleverdon.show.plot.base import LIMIT, Chart, Datasets, Row, alt, finished, name_labels, table
from cleverdon.show.plot.confusion import heat

_COLUMNS = 3
"""How many matrices stand beside each other."""


def grades_of_judges(agreed: Agreed, models: Collection[str] = ()) -> Chart:
    """A matrix for each pair of judges: what one gave where the other gave a grade.

    `models` are the judges that are marked as such.
    """
    cells = len(agreed.pairs) * len(agreed.labels.grades) ** 2
    if cells > LIMIT:
        raise OptionError(
            f"{counted(len(agreed.pairs), 'pair')} of judges and "
            f"{counted(len(agreed.labels.grades), 'grade')} are too many for a plot: name some of "
            "the judges, or merge grades"
        )
    grades = [f"{grade:g}" for grade in agreed.labels.grades]
    return finished(
        grades_chart(_names(agreed, models), grades),
        grades_rows(agreed, models),
        title="Grades of judges",
        subtitle=f"{counted(agreed.items, 'document')} that two judges at least have judged. "
        "Colour: the share of the row.",
    )


def grades_rows(agreed: Agreed, models: Collection[str] = ()) -> Datasets:
    """The cells of each pair's matrix: how many documents, and what share of the row."""
    cells: list[Row] = []
    grades = [f"{grade:g}" for grade in agreed.labels.grades]
    for name, pair in zip(_names(agreed, models), agreed.pairs, strict=True):
        for first, times in zip(grades, pair.table.tolist(), strict=True):
            whole = sum(times)
            for second, count in zip(grades, times, strict=True):
                cells.append(
                    {
                        "pair": name,
                        "first": first,
                        "second": second,
                        "count": count,
                        "share": count / whole if whole else None,
                        "text": f"{count:,}",
                    }
                )
    return {"cells": cells}


def _names(agreed: Agreed, models: Collection[str]) -> list[str]:
    return [f"{named(pair.first, models)} by {named(pair.second, models)}" for pair in agreed.pairs]


def grades_chart(pairs: Sequence[str], grades: Sequence[str]) -> Any:
    """Matrices beside each other; a cell is the darker, the more of its row is in it."""
    second = alt.Axis(labelAngle=0, domain=False, ticks=False)
    first = alt.Axis(domain=False, ticks=False)
    base = alt.Chart(table("cells")).encode(
        x=alt.X("second:N", sort=list(grades), title="grade of the second judge", axis=second),
        y=alt.Y("first:N", sort=list(grades), title="grade of the first judge", axis=first),
        tooltip=[
            alt.Tooltip("pair:N"),
            alt.Tooltip("first:N", title="first gave"),
            alt.Tooltip("second:N", title="second gave"),
            alt.Tooltip("count:Q", title="documents"),
            alt.Tooltip("share:Q", title="share of the row", format=".4f"),
        ],
    )
    header = alt.Header(**name_labels(pairs))
    matrices = heat(base, "share:Q", "share of the row", cell=(56, 40)).facet(
        facet=alt.Facet("pair:N", title=None, sort=list(pairs), header=header), columns=_COLUMNS
    )
    return matrices.resolve_axis(x="independent")

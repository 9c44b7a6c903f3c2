"""Plots of agreement: a matrix of grades for each pair of judges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon._common.text import counted
from cleverdon.agreement.agreement import Agreement
from cleverdon.agreement.tables import judge_name
from cleverdon.charts.base import LIMIT, Chart, Datasets, Row, alt, finish_chart
from cleverdon.charts.matrices import heat_maps
from cleverdon.errors import OptionError

_COLUMNS = 3
"""Matrices in a row."""


def grades_of_judges(agreed: Agreement) -> Chart:
    """Draw a matrix for each pair of judges: the second judge's grades by the first's."""
    cells = len(agreed.pairs) * len(agreed.all_labels.grades) ** 2
    if cells > LIMIT:
        raise OptionError(
            f"{counted(len(agreed.pairs), 'pair')} of judges and "
            f"{counted(len(agreed.all_labels.grades), 'grade')} are too many for a plot: name some "
            "of the judges, or merge grades"
        )
    grades = [f"{grade:g}" for grade in agreed.all_labels.grades]
    documents = counted(int(agreed.all_labels.shared.sum()), "document")
    return finish_chart(
        _grades_chart(_pair_names(agreed), grades),
        _grades_rows(agreed),
        title="Grades of judges",
        subtitle=f"{documents} that two judges at least have judged. Colour: the share of the row.",
    )


def _grades_rows(agreed: Agreement) -> Datasets:
    """Return the cells of each pair's matrix: documents, and the share of the row."""
    cells: list[Row] = []
    grades = [f"{grade:g}" for grade in agreed.all_labels.grades]
    for name, pair in zip(_pair_names(agreed), agreed.pairs, strict=True):
        for first, times in zip(grades, pair.confusion.tolist(), strict=True):
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


def _pair_names(agreed: Agreement) -> list[str]:
    return [
        f"{judge_name(pair.first, agreed.models)} by {judge_name(pair.second, agreed.models)}"
        for pair in agreed.pairs
    ]


def _grades_chart(pairs: Sequence[str], grades: Sequence[str]) -> Any:
    matrices = heat_maps(
        alt.X("second:N", sort=list(grades), title="grade of the second judge"),
        alt.Y("first:N", sort=list(grades), title="grade of the first judge"),
        "pair",
        pairs,
        tooltip=[
            alt.Tooltip("pair:N"),
            alt.Tooltip("first:N", title="first gave"),
            alt.Tooltip("second:N", title="second gave"),
            alt.Tooltip("count:Q", title="documents"),
            alt.Tooltip("share:Q", title="share of the row", format=".4f"),
        ],
        share="share of the row",
        cell=(56, 40),
        in_row=_COLUMNS,
    )
    return matrices.resolve_axis(x="independent")

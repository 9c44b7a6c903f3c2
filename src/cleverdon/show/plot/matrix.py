"""Square matrices: what each of some things has to do with every other, in words and colour."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

from cleverdon.errors import OptionError
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import LIMIT, Row, alt, name_labels, table
from cleverdon.show.plot.topicwise import exactly

_DARK = "datum.shade > 0.75 || datum.shade < -0.5"
"""Where letters are white; cells have the same colours on paper and in the dark."""


MOST_NAMES = isqrt(LIMIT)
"""A matrix of more would have more cells than a plot can have."""


def check_size(count: int, what: str) -> None:
    """Raise an OptionError where there are more than anyone could read."""
    if count > MOST_NAMES:
        raise OptionError(f"{count} {what} are too many for a matrix: choose some of them")


def cell(row: str, column: str, **more: Any) -> Row:
    """A cell with a `text`, a `shade` between -1 and 1, and bold if it is `strong`; or empty."""
    return {"row": row, "column": column, "text": "", "shade": 0.0, "strong": False} | more


def matrix_chart(names: Sequence[str], *numbers: str) -> Any:
    """The dataset `cells`, of every two of the names: they stand as they come in it.

    `numbers` are shown in tooltips.
    """
    few = len(names) <= 8
    step = 52 if few else 40
    labels = name_labels(names)
    columns = alt.Axis(orient="top", labelAngle=-45, domain=False, ticks=False, **labels)
    rows = alt.Axis(domain=False, ticks=False, **labels)
    cells = alt.Chart(table("cells")).encode(
        alt.X("column:N", sort=None, axis=columns, title=None),
        alt.Y("row:N", sort=None, axis=rows, title=None),
    )
    scale = alt.Scale(scheme=theme.DIVERGING, domain=[-1, 1])
    tooltip = [alt.Tooltip("row:N"), alt.Tooltip("column:N"), *exactly(*numbers)]
    ink = alt.condition(_DARK, alt.value("#ffffff"), alt.value("#1a1a1a"))
    texts = cells.encode(text=alt.Text("text:N"), color=ink, tooltip=tooltip)
    size = 11 if few else 10
    return alt.layer(
        # Empty cells are there for the order only: the first layer says which row comes first.
        cells.mark_rect(opacity=0),
        cells.transform_filter("datum.text")
        .mark_rect()
        .encode(color=alt.Color("shade:Q", scale=scale, legend=None), tooltip=tooltip),
        texts.transform_filter("!datum.strong").mark_text(fontSize=size),
        texts.transform_filter("datum.strong").mark_text(fontSize=size, fontWeight="bold"),
    ).properties(width=alt.Step(step), height=alt.Step(step * 0.6))

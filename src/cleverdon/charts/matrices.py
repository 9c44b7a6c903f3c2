"""Matrix charts: cells with a number in words and colour."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any

from cleverdon.charts import theme
from cleverdon.charts.base import LIMIT, Row, alt, named_data, number_tooltips, tooltips
from cleverdon.charts.theme import name_labels
from cleverdon.errors import OptionError

_DARK = "datum.shade > 0.75 || datum.shade < -0.5"
"""The cells with white letters; colours of cells are the same on paper and in the dark."""
MOST_NAMES = isqrt(LIMIT)  # a matrix of more would have more cells than a plot can have


def check_matrix_size(count: int, what: str) -> None:
    """Raise an OptionError if there are too many names."""
    if count > MOST_NAMES:
        raise OptionError(f"{count} {what} are too many for a matrix: choose some of them")


def matrix_cell(row: str, column: str, **more: Any) -> Row:
    """Return a cell with `text`, a `shade` from -1 to 1, and bold if it is `strong`."""
    return {"row": row, "column": column, "text": "", "shade": 0.0, "strong": False} | more


def matrix_chart(names: Sequence[str], *numbers: str) -> Any:
    """Draw the dataset `cells` of every two of the names, with `numbers` in tooltips."""
    few = len(names) <= 8
    step = 52 if few else 40
    labels = name_labels(names)
    columns = alt.Axis(orient="top", labelAngle=-45, domain=False, ticks=False, **labels)
    rows = alt.Axis(domain=False, ticks=False, **labels)
    cells = alt.Chart(named_data("cells")).encode(
        alt.X("column:N", sort=None, axis=columns, title=None),
        alt.Y("row:N", sort=None, axis=rows, title=None),
    )
    scale = alt.Scale(scheme=theme.DIVERGING, domain=[-1, 1])
    tooltip = [*tooltips("row:N", "column:N"), *number_tooltips(*numbers)]
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


def heat_maps(
    columns: alt.X,
    rows: alt.Y,
    facet: str,
    panels: Sequence[str],
    *,
    tooltip: list[alt.Tooltip],
    share: str,
    cell: tuple[int, int],
    in_row: int,
    names: Sequence[str] | None = None,
) -> Any:
    """Draw the dataset `cells` as matrices, one for each of the `panels` that a `facet` names.

    A cell is the darker, the larger its `share`; its `text` is printed in it. `in_row` matrices are
    next to each other. `names` are all panels that may be drawn in place of these.
    """
    base = alt.Chart(named_data("cells")).encode(
        x=columns.axis(domain=False, labelAngle=0, ticks=False),
        y=rows.axis(domain=False, ticks=False),
        tooltip=tooltip,
    )
    header = alt.Header(**name_labels(names or panels))
    panel = alt.Facet(f"{facet}:N", title=None, sort=list(panels), header=header)
    return _heat_map_layers(base, share, cell).facet(facet=panel, columns=in_row)


def _heat_map_layers(base: Any, share: str, cell: tuple[int, int]) -> Any:
    value = alt.datum["share"]
    colour = alt.Color(
        "share:Q",
        title=share,
        scale=alt.Scale(domain=[0, 1], scheme=theme.RISING),
        legend=alt.Legend(format=".0%", gradientLength=110),
    )
    known = alt.expr.isValid(value)
    ink = {"dark": "#10202e", "pale": "#ffffff"}
    cells = base.transform_filter(known).mark_rect().encode(color=colour)
    words = base.mark_text(fontSize=12).encode(text=alt.Text("text:N"))
    dark = words.transform_filter(known & (value < 0.6)).encode(color=alt.ColorValue(ink["dark"]))
    pale = words.transform_filter(known & (value >= 0.6)).encode(color=alt.ColorValue(ink["pale"]))
    plain = words.transform_filter(~known)
    return alt.layer(cells, dark, pale, plain).properties(
        width=alt.Step(cell[0]), height=alt.Step(cell[1])
    )

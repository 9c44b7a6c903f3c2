"""Systems as points of two values each, with names beside them, and a line along the front."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cleverdon.show.plot import theme
from cleverdon.show.plot.base import alt, name_labels, system_colour, table
from cleverdon.show.plot.beside import has_legend, name_layers

_AREA, _INNER = 90, 28
"""Square pixels of a point, and of its hollow."""


def fronted(
    systems: Sequence[str],
    across: alt.X,
    up: alt.Y,
    about: list[alt.Tooltip],
    *,
    intervals: bool = False,
    areas: bool = False,
    shown: Sequence[str] | None = None,
) -> Any:
    """A chart of `points` and `front`; those whose `front` is false are hollow.

    `intervals` are drawn as cross hairs, from `x_low` to `x_high` and from `y_low` to `y_high`;
    those that are `x_open` go on to the right, in dashes.
    With `areas`, a point is as large as its `area`, and its hollow as `inner`. `systems` have the
    colours, and those that are `shown` the points. Their `label` stands beside them, and they are
    in a legend as well where colours repeat.
    """
    drawn = list(systems if shown is None else shown)
    legend = None
    if has_legend(drawn):
        legend = alt.Legend(symbolOpacity=1, values=drawn, **name_labels(systems))
    colour = system_colour(systems, legend=legend)
    shapes = alt.Scale(domain=list(systems), range=theme.shapes(systems))
    shape = alt.Shape("system:N", scale=shapes, title="system", legend=legend)
    points = alt.Chart(table("points")).encode(across, up)
    # Those that are not on the front are hollow: filled with the colour of the paper.
    hollow = points.transform_filter("datum.front === false")
    hairs = points.mark_rule(opacity=0.6).encode(color=colour)
    crosses = [
        hairs.encode(x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q")),
        hairs.encode(y=alt.Y("y_low:Q"), y2=alt.Y2("y_high:Q")),
        points.transform_filter("datum.x_open")
        .mark_rule(opacity=0.6, strokeDash=[2, 3])
        .encode(x=alt.X("x_high:Q"), x2=alt.value("width"), color=colour),
    ]
    marks = points.mark_point(size=_AREA, filled=True, opacity=1).encode(
        color=colour, shape=shape, tooltip=about
    )
    inner = hollow.mark_point(size=_INNER, filled=True, opacity=1, style="paper").encode(
        shape=shape, tooltip=about
    )
    if areas:
        marks = marks.encode(size=alt.Size("area:Q", scale=None))
        inner = inner.encode(size=alt.Size("inner:Q", scale=None))
    lines, names = name_layers(points, about)
    return alt.layer(
        alt.Chart(table("front")).mark_line(strokeDash=[5, 3], color="#8f8f8f").encode(across, up),
        *(crosses if intervals else []),
        lines,
        marks,
        inner,
        names,
    )

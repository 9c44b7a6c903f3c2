"""Line charts with the names at the right end, moved apart where they would overlap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon.charts import theme
from cleverdon.charts.base import Row, alt, named_data, thin_rows
from cleverdon.charts.theme import name_labels

_MOST_LABELS = 20  # more names than that do not fit beside a plot: they get a legend

_LINE = 13  # the height of a line of text, in pixels of the chart
_LEADER = 24  # the length of what leads from a line's end to its name
_FAR = 2.5  # by how many lines of text a label may stand above or below what it names


def line_style(names: Sequence[str], field: str = "system", **options: Any) -> dict[str, Any]:
    """Return colour and dash of lines; with a legend only if there are too many for labels."""
    legend: dict[str, Any] = {"legend": None}
    if len(names) > _MOST_LABELS:
        legend = {"legend": alt.Legend(**name_labels(names))}
    shown = {"title": field} | legend | options
    domain = list(names)
    colour = alt.Scale(domain=domain, range=theme.colours(names))
    dash = alt.Scale(domain=domain, range=theme.dashes(names))
    return {
        "color": alt.Color(f"{field}:N", scale=colour, **shown),
        "strokeDash": alt.StrokeDash(f"{field}:N", scale=dash, **shown),
    }


def label_rows(
    ends: Sequence[Row], *, span: float = 1.0, height: float = theme.HEIGHT, low: float = 0.0
) -> list[Row]:
    """Add to the ends of lines (x, y, merit) the `place` of each label.

    Labels are near the ends, in the same order, between `low` and `low + span`, on `height` pixels.
    Where lines end too near each other, labels are a list, the one of most `merit` on top.
    """
    if len(ends) > _MOST_LABELS or not ends:
        return []
    gap = span * _LINE / height
    order = sorted(range(len(ends)), key=lambda at: ends[at]["y"])
    wanted = np.array([ends[at]["y"] for at in order])
    places = _spread_labels(wanted, gap, low, low + span)
    nearest = np.diff(wanted).min(initial=np.inf)
    if np.abs(places - wanted).max() > _FAR * gap or nearest < gap / 6:
        order = sorted(range(len(ends)), key=lambda at: -ends[at]["merit"])
        listed = {at: low + span - gap * n for n, at in enumerate(order)}
        return [end | {"y": listed[at], "place": listed[at]} for at, end in enumerate(ends)]
    placed = dict(zip(order, places.tolist(), strict=True))
    return [end | {"place": placed[at]} for at, end in enumerate(ends)]


def _spread_labels(wanted: Floats, gap: float, low: float, high: float) -> Floats:
    """Return the nearest places to these rising ones that are a gap apart."""
    offsets = gap * np.arange(len(wanted))
    # Less the room that those below take, places may coincide but not change their order: the
    # nearest such are means of neighbours, pooled until they rise.
    pools: list[list[float]] = []
    for value in (wanted - offsets).tolist():
        pools.append([value])
        while len(pools) > 1 and np.mean(pools[-2]) > np.mean(pools[-1]):
            last = pools.pop()
            pools[-1] += last
    flat = [float(np.mean(pool)) for pool in pools for _ in pool]
    places: Floats = np.clip(flat, low, max(low, high - offsets[-1])) + offsets
    return places


def labels(
    names: Sequence[str], x: Any = None, *, field: str = "system", dataset: str = "ends"
) -> list[Any]:
    """Return the layers of labels over rows of `label_rows`; none where there is a legend."""
    if len(names) > _MOST_LABELS:
        return []
    ends = alt.Chart(named_data(dataset)).encode(x=alt.X("x:Q") if x is None else x)
    leaders = ends.mark_rule(strokeWidth=1.5, xOffset=3, x2Offset=_LEADER).encode(
        y=alt.Y("y:Q"), x2=alt.X2("x:Q"), y2=alt.Y2("place:Q"), **line_style(names, field)
    )
    words = ends.mark_text(align="left", dx=_LEADER + 4).encode(
        y=alt.Y("place:Q"), text=alt.Text("label:N"), tooltip=alt.Tooltip("label:N", title=field)
    )
    return [leaders, words]


def line_end(
    name: str, label: str, *, x: float, y: float, merit: float, field: str = "system"
) -> Row:
    """Return the end of a line, as `label_rows` takes it."""
    return {field: name, "label": label, "merit": merit, "x": x, "y": y}


def pointed_lines(
    chart: Any,
    names: Sequence[str],
    tooltip: list[alt.Tooltip],
    *,
    size: int = 28,
    x: Any = None,
    field: str = "system",
) -> Any:
    """Draw lines with points, which have tooltips, and names at their ends."""
    style = line_style(names, field)
    points = chart.mark_point(filled=True, size=size, opacity=1)
    return alt.layer(
        chart.mark_line().encode(**style),
        points.encode(color=style["color"], tooltip=tooltip),
        *labels(names, x, field=field),
    )


def thin_line(rows: list[Row], limit: int) -> list[Row]:
    """Return every n-th row of a line, and its last."""
    kept = thin_rows(rows, max(limit - 1, 1))
    return kept if not rows or kept[-1] is rows[-1] else [*kept, rows[-1]]

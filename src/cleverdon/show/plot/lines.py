"""Lines with their names at the right end, moved apart where they would cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import Row, alt, name_labels, table, thinned

MOST_LABELS = 20
"""More names than that do not fit beside a plot: they get a legend."""

_LINE = 13
"""The height of a line of text, in pixels of the chart."""
_LEADER = 24
"""The length of what leads from a line's end to its name."""
_FAR = 2.5
"""By how many lines of text a label may stand above or below what it names."""


def line_style(names: Sequence[str], field: str = "system", **options: Any) -> dict[str, Any]:
    """Colour and dash of the lines that a `field` names, so that one shows through another.

    With a legend only where there are too many for labels, unless `options` of both channels have
    another.
    """
    legend: dict[str, Any] = {"legend": None}
    if len(names) > MOST_LABELS:
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
    """The ends of lines (x, y, merit), each with the `place` where its label is to stand.

    Labels stand as near to their lines' ends as they can, in the same order, between `low` and
    `low + span`, which is what the axis shows in `height` pixels. Where lines end too near each
    other for that, labels are a list instead, the one of most `merit` on top; what leads to a label
    is then a key, and `y` is as its place is.
    """
    if len(ends) > MOST_LABELS or not ends:
        return []
    gap = span * _LINE / height
    order = sorted(range(len(ends)), key=lambda at: ends[at]["y"])
    wanted = np.array([ends[at]["y"] for at in order])
    places = _apart(wanted, gap, low, low + span)
    nearest = np.diff(wanted).min(initial=np.inf)
    if np.abs(places - wanted).max() > _FAR * gap or nearest < gap / 6:
        order = sorted(range(len(ends)), key=lambda at: -ends[at]["merit"])
        listed = {at: low + span - gap * n for n, at in enumerate(order)}
        return [end | {"y": listed[at], "place": listed[at]} for at, end in enumerate(ends)]
    placed = dict(zip(order, places.tolist(), strict=True))
    return [end | {"place": placed[at]} for at, end in enumerate(ends)]


def _apart(wanted: Floats, gap: float, low: float, high: float) -> Floats:
    """The places nearest to these rising ones that are a gap apart, between low and high."""
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
    """The layers of labels over rows that `label_rows` made; none where there is a legend.

    A name is written in the colour of all text, which can be read on any paper; what leads to it
    has the colour and the dash of its line.
    """
    if len(names) > MOST_LABELS:
        return []
    ends = alt.Chart(table(dataset)).encode(x=alt.X("x:Q") if x is None else x)
    leaders = ends.mark_rule(strokeWidth=1.5, xOffset=3, x2Offset=_LEADER).encode(
        y=alt.Y("y:Q"), x2=alt.X2("x:Q"), y2=alt.Y2("place:Q"), **line_style(names, field)
    )
    words = ends.mark_text(align="left", dx=_LEADER + 4).encode(
        y=alt.Y("place:Q"), text=alt.Text("label:N"), tooltip=alt.Tooltip("label:N", title=field)
    )
    return [leaders, words]


def thinned_line(rows: list[Row], limit: int) -> list[Row]:
    """Every n-th row of a line, and its last."""
    kept = thinned(rows, max(limit - 1, 1))
    return kept if not rows or kept[-1] is rows[-1] else [*kept, rows[-1]]

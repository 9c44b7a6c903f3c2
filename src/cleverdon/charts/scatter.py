"""Scatter plots of named points, with a line along the Pareto front.

A name stands right beside its point where that is nearer to it than all other points are. Where
it is not, the name stands farther off and a thin line leads to it. It is left out where there
is no room for that either, and a legend names the point.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from math import cos, hypot, inf, pi, sin
from typing import Any

import numpy as np

from cleverdon._common.arrays import Floats
from cleverdon._common.text import text_width
from cleverdon.charts import theme
from cleverdon.charts.base import Row, alt, named_data, system_colour
from cleverdon.charts.theme import MOST_SYSTEMS, name_labels

ROOM = 24  # pixels between the outermost points and the ends of the axes
_LETTER, _LINE = 6.2, 13.0  # about how wide a letter is, and how high a line, in pixels
_RADIUS = 6.0  # of points that have the usual size
_BESIDE = 160
"""Pixels to the right of the plot that names may reach into where no legend stands there."""
_NEARER = 8.0
"""By how many pixels a name without a line is nearer to its own point than to any other."""
_SIDES = ((9, 0), (-9, 0), (0, -13), (0, 13), (8, -11), (8, 11), (-8, -11), (-8, 11))
"""The distances of a name from its point without a line; the first free place is taken."""
_DISTANCES = (24, 36, 50, 66, 86, 110, 140, 180, 230, 290)
"""The same with a line; as many directions are tried at each."""
_DIRECTIONS = 16
_DOUBTFUL = 3  # the penalty of a place whose line crosses others; to cross a hair costs 1

_Box = tuple[float, float, float, float]
_Place = tuple[float, float]


def _has_legend(systems: Sequence[str]) -> bool:
    """Tell whether a legend names the points: where colours repeat and all fit in it."""
    return len(theme.PALETTE) < len(systems) <= MOST_SYSTEMS


def place_names(
    points: list[Row],
    order: Sequence[int],
    *,
    radius: float = _RADIUS,
    logarithmic: Collection[str] = (),
    width: int = theme.WIDTH,
) -> None:
    """Add to each point the place of its `label`, in this `order` of importance.

    `dx` and `dy` are pixels from the point, `lead_x` and `lead_y` the end of the line to the name;
    `align` is empty if the name is left out. `logarithmic` are axes.
    """
    across = _pixels(points, "x", width, logarithmic)
    down = theme.HEIGHT - _pixels(points, "y", theme.HEIGHT, logarithmic)
    centres = [(float(a), float(d)) for a, d in zip(across, down, strict=True)]
    legend = _has_legend([row["system"] for row in points])
    drawn = _Drawn(
        centres,
        radius,
        end=width if legend else width + _BESIDE,
        hairs=_hairs(points, centres, logarithmic, width),
    )
    for row in points:
        row |= _NOWHERE
    for at in list(order)[:MOST_SYSTEMS]:
        wide = _LETTER * text_width(points[at]["label"])
        points[at] |= drawn.place(at, wide, anywhere=len(points) <= len(theme.PALETTE))


_NOWHERE: Row = {"dx": 0.0, "dy": 0.0, "align": "", "lead_x": 0.0, "lead_y": 0.0}


@dataclass
class _Drawn:
    """The parts of a plot, in pixels."""

    centres: list[_Place]
    radius: float
    end: float  # how far to the right names may reach
    hairs: list[_Box]
    names: list[_Box] = field(default_factory=list)
    lines: list[_Box] = field(default_factory=list)

    def place(self, at: int, wide: float, *, anywhere: bool) -> Row:
        """Find and take the best place for a name; `anywhere`: even if its line crosses others."""
        own = self.centres[at]
        marks = [_square(centre, self.radius) for n, centre in enumerate(self.centres) if n != at]
        apart = [one for one in self.centres if hypot(one[0] - own[0], one[1] - own[1]) > 2]
        best, least = (_NOWHERE, _box(own, 0, (0, 0)), list[_Box]()), _DOUBTFUL + 9 * anywhere
        for shift, line in _places(self.radius, hairs=bool(self.hairs)):
            box = _box(own, wide, shift)
            inside = box[0] >= 0 and box[2] <= self.end and box[1] >= 0 and box[3] <= theme.HEIGHT
            if not inside or _meets(box, marks) or _meets(box, self.names):
                continue
            lead = _lead(own, box) if line else (0.0, 0.0)
            steps = _steps(own, lead, self.radius)
            doubtful = _meets(box, self.lines)
            if line:
                doubtful |= any(_meets(step, marks) or _meets(step, self.names) for step in steps)
            elif min((_gap(box, one) for one in apart), default=inf) < _gap(box, own) + _NEARER:
                continue
            badness = _DOUBTFUL * doubtful + line + _meets(box, self.hairs)
            if badness < least:
                row = {"dx": shift[0], "dy": shift[1], "align": _align(shift)}
                best = row | {"lead_x": lead[0], "lead_y": lead[1]}, box, steps
                least = badness
            if badness <= line:  # nothing better follows
                break
        row, box, steps = best
        self.names.append(box)
        self.lines += steps
        return row


def _name_layers(points: Any, about: list[alt.Tooltip]) -> list[Any]:
    lines = points.transform_filter("datum.lead_x || datum.lead_y")
    names = points.transform_filter("datum.align")
    return [
        lines.mark_rule(
            strokeWidth=0.8, x2Offset=alt.expr("datum.lead_x"), y2Offset=alt.expr("datum.lead_y")
        ).encode(x2=alt.X2("x:Q"), y2=alt.Y2("y:Q")),
        names.mark_text(
            dx=alt.expr("datum.dx"), dy=alt.expr("datum.dy"), align=alt.expr("datum.align")
        ).encode(text=alt.Text("label:N"), tooltip=about),
    ]


def _places(radius: float, *, hairs: bool) -> Iterator[tuple[_Place, bool]]:
    """List the places for a name, and whether a line leads there; between cross hairs first."""
    more = radius - _RADIUS
    for right, down in sorted(_SIDES, key=lambda side: hairs and 0 in side):
        yield (right + more * float(np.sign(right)), down + more * float(np.sign(down))), False
    for distance in _DISTANCES:
        for turn in range(_DIRECTIONS):
            angle = 2 * pi * (turn + 0.5) / _DIRECTIONS
            far = distance + more
            yield (round(far * cos(angle), 1), round(far * sin(angle), 1)), True


def _align(shift: _Place) -> str:
    # A name on the right of its point begins at its place.
    right, down = shift
    return "center" if abs(right) < abs(down) / 2 else "left" if right > 0 else "right"


def _box(own: _Place, wide: float, shift: _Place) -> _Box:
    x, y = own[0] + shift[0], own[1] + shift[1]
    left = x - wide * {"right": 1.0, "center": 0.5, "left": 0.0}[_align(shift)]
    return left, y - _LINE / 2, left + wide, y + _LINE / 2


def _square(centre: _Place, radius: float) -> _Box:
    x, y = centre
    return x - radius, y - radius, x + radius, y + radius


def _lead(own: _Place, box: _Box) -> _Place:
    """Return the way from a point to where its name is nearest."""
    x = min(max(own[0], box[0] - 2), box[2] + 2)
    y = min(max(own[1], box[1] + 2), box[3] - 2)
    return round(x - own[0], 1), round(y - own[1], 1)


def _steps(own: _Place, lead: _Place, radius: float) -> list[_Box]:
    """Return small boxes along a line, from the edge of its point on."""
    length = hypot(*lead)
    found = []
    for at in np.arange(radius + 1, length, 3.0).tolist():
        x, y = own[0] + lead[0] * at / length, own[1] + lead[1] * at / length
        found.append(_square((x, y), 1.0))
    return found


def _gap(box: _Box, point: _Place) -> float:
    """Return the distance from a box to the middle of a point."""
    x, y = point
    return hypot(max(box[0] - x, 0, x - box[2]), max(box[1] - y, 0, y - box[3]))


def _hairs(
    points: list[Row], centres: list[_Place], logarithmic: Collection[str], width: int
) -> list[_Box]:
    if not points or "x_low" not in points[0]:
        return []
    left, right = (_pixels(points, "x", width, logarithmic, end=end) for end in ("low", "high"))
    low, high = (
        theme.HEIGHT - _pixels(points, "y", theme.HEIGHT, logarithmic, end=end)
        for end in ("low", "high")
    )
    right = np.where([bool(row.get("x_open")) for row in points], width, right)
    found: list[_Box] = []
    for at, (x, y) in enumerate(centres):
        found.append((float(left[at]), y, float(right[at]), y))
        found.append((x, float(high[at]), x, float(low[at])))
    return found


def _pixels(
    points: list[Row], axis: str, size: int, logarithmic: Collection[str], *, end: str = ""
) -> Floats:
    """Return where the scale of an axis puts the points, or an `end` of their intervals."""
    names = (axis, f"{axis}_low", f"{axis}_high")
    known = [row[name] for row in points for name in names if row.get(name) is not None]
    wanted = f"{axis}_{end}" if end else axis
    values = np.array([row[axis if row[wanted] is None else wanted] for row in points], dtype=float)
    low, high = min(known), max(known)
    if axis in logarithmic:
        low, high, values = np.log(low), np.log(high), np.log(values)
    if low == high:
        return np.full(len(values), size / 2)
    found: Floats = ROOM + (size - 2 * ROOM) * (values - low) / (high - low)
    return found


def _meets(box: _Box, others: list[_Box]) -> bool:
    left, top, right, bottom = box
    return any(
        left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
        for other in others
    )


_AREA, _INNER = 90, 28  # square pixels of a point, and of its hollow


def front_chart(
    systems: Sequence[str],
    across: alt.X,
    up: alt.Y,
    about: list[alt.Tooltip],
    *,
    intervals: bool = False,
    areas: bool = False,
    shown: Sequence[str] | None = None,
) -> Any:
    """Draw `points`, hollow where their `front` is false, and the line `front`.

    `intervals` are cross hairs, those that are `x_open` dashed to the right. With `areas`, a point
    is as large as its `area`, and its hollow as `inner`. `systems` have colours; `shown` are drawn.
    """
    drawn = list(systems if shown is None else shown)
    legend = None
    if _has_legend(drawn):
        legend = alt.Legend(symbolOpacity=1, values=drawn, **name_labels(systems))
    colour = system_colour(systems, legend=legend)
    shapes = alt.Scale(domain=list(systems), range=theme.shapes(systems))
    shape = alt.Shape("system:N", scale=shapes, title="system", legend=legend)
    points = alt.Chart(named_data("points")).encode(across, up)
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
    lines, names = _name_layers(points, about)
    return alt.layer(
        alt.Chart(named_data("front"))
        .mark_line(strokeDash=[5, 3], color="#8f8f8f")
        .encode(across, up),
        *(crosses if intervals else []),
        lines,
        marks,
        inner,
        names,
    )

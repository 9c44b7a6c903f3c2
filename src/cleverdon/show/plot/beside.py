"""Names beside points, where they cover neither each other nor the points."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import Row, alt

ROOM = 24
"""Pixels between the outermost points and the ends of the axes."""
_LETTER, _LINE = 6.2, 13.0
"""About how wide a letter is, and how high a line, in pixels."""
_WIDEST = 200
RADIUS = 6.0
"""Of points that have the usual size."""
_BESIDE = 160
"""Pixels to the right of the plot that names may reach into where no legend stands there."""
_SIDES = {
    "right": (9, 0),
    "left": (-9, 0),
    "above": (0, -13),
    "below": (0, 13),
    "right above": (8, -11),
    "right below": (8, 11),
    "left above": (-8, -11),
    "left below": (-8, 11),
    "far above": (0, -27),
    "far below": (0, 27),
}
"""Where a point's name may stand, and how far from it; the first that is free is taken."""
_ALIGN: dict[str, Any] = {"center": "center", "right": "left", "left": "right"}
"""A name that stands on the right begins at its point."""

_Box = tuple[float, float, float, float]


def many(systems: Sequence[str]) -> bool:
    """Whether there is a legend, beside the names that have room."""
    return len(systems) > len(theme.PALETTE)


def sides(
    points: list[Row],
    *,
    legend: bool,
    radius: float = RADIUS,
    label: str = "system",
    logarithmic: Collection[str] = (),
) -> list[str]:
    """Where the name of each point, its `label`, stands.

    Where there is no room, a name is left to the legend; or stands on the right if there is none.
    It may stand over a cross hair where there is no room beside them. The points are at `x` and
    `y`, on scales that reach from the lowest to the highest, with ROOM at either end;
    `logarithmic` are the axes that are so.
    """
    across = _pixels(points, "x", theme.WIDTH, logarithmic)
    down = theme.HEIGHT - _pixels(points, "y", theme.HEIGHT, logarithmic)
    hairs = _hairs(points, across, down, logarithmic)
    end = theme.WIDTH if legend else theme.WIDTH + _BESIDE
    taken: list[_Box] = [
        (a - radius, d - radius, a + radius, d + radius) for a, d in zip(across, down, strict=True)
    ]
    found = []
    for at, row in enumerate(points):
        wide = min(_WIDEST, _LETTER * len(row[label]))
        others = taken[:at] + taken[at + 1 :]
        boxes = {
            side: _box(float(across[at]), float(down[at]), wide, _shift(side, radius))
            for side in _order(hairs=bool(hairs))
        }
        free = [
            side
            for side, box in boxes.items()
            if box[0] >= 0 and box[2] <= end and not _meets(box, others)
        ]
        clear = [side for side in free if not _meets(boxes[side], hairs)]
        best = next(iter(clear or free), None)
        if best is not None:
            taken.append(boxes[best])
        found.append(best or ("" if legend else "right"))
    return found


def name_layers(
    points: Any, about: list[alt.Tooltip], *, radius: float = RADIUS, label: str = "system"
) -> list[Any]:
    """The names: a layer for each `side` that a row may have."""
    return [
        points.transform_filter(f"datum.side == '{side}'")
        .mark_text(limit=_WIDEST, dx=right, dy=down, align=_ALIGN[_towards(right)])
        .encode(text=alt.Text(f"{label}:N"), tooltip=about)
        for side, (right, down) in ((side, _shift(side, radius)) for side in _SIDES)
    ]


def _shift(side: str, radius: float) -> tuple[float, float]:
    """How far a name stands from its point's middle: the farther, the larger points are."""
    right, down = _SIDES[side]
    more = radius - RADIUS
    return right + more * float(np.sign(right)), down + more * float(np.sign(down))


def _order(*, hairs: bool) -> list[str]:
    """The sides in the order they are tried; where there are cross hairs, those between them."""
    return sorted(_SIDES, key=lambda side: hairs and 0 in _SIDES[side])


def _hairs(
    points: list[Row], across: Floats, down: Floats, logarithmic: Collection[str]
) -> list[_Box]:
    """What cross hairs cover, where there are some."""
    if not points or "x_low" not in points[0]:
        return []
    left, right = (
        _pixels(points, "x", theme.WIDTH, logarithmic, end=end) for end in ("low", "high")
    )
    low, high = (
        theme.HEIGHT - _pixels(points, "y", theme.HEIGHT, logarithmic, end=end)
        for end in ("low", "high")
    )
    return [
        *zip(left, down, np.where(_open(points), theme.WIDTH, right), down, strict=True),
        *zip(across, high, across, low, strict=True),
    ]


def _open(points: list[Row]) -> list[bool]:
    return [bool(row.get("x_open")) for row in points]


def _pixels(
    points: list[Row], axis: str, size: int, logarithmic: Collection[str], *, end: str = ""
) -> Floats:
    """Where the scale of an axis puts the points, or an `end` of their intervals.

    The scale is of points and intervals together.
    """
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


def _box(x: float, y: float, wide: float, shift: tuple[float, float]) -> _Box:
    right, down = shift
    left = x + right - wide * {"left": 1.0, "center": 0.5, "right": 0.0}[_towards(right)]
    return left, y + down - _LINE / 2, left + wide, y + down + _LINE / 2


def _towards(right: float) -> str:
    return "center" if right == 0 else "right" if right > 0 else "left"


def _meets(box: _Box, others: list[_Box]) -> bool:
    left, top, right, bottom = box
    return any(
        left < other[2] and other[0] < right and top < other[3] and other[1] < bottom
        for other in others
    )

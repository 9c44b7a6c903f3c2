"""Two measures at once: which systems are not beaten on both?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cleverdon.arrays import Bools, Floats, plain
from cleverdon.compare.intervals import average_intervals
from cleverdon.compare.samples import Sample, samples
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, system_colour, table
from cleverdon.show.plot.topicwise import exactly, named, rests_on

_LETTER, _LINE = 6.2, 13.0
"""About how wide a letter is, and how high a line, in pixels."""
_WIDEST = 200
_ROOM = 24
"""Pixels between the outermost points and the ends of the axes."""
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


def trade_off(
    scores: Scores,
    x: str | Measure,
    y: str | Measure,
    *,
    systems: Iterable[str] | None = None,
    intervals: bool = False,
    confidence: float = 0.95,
) -> Chart:
    """Systems as points, their average by one measure against that by another.

    A line connects those that no other system beats or equals on both measures and beats on one:
    the Pareto front. `intervals` are drawn as cross hairs.
    """
    found = samples(scores, measures=[x, y], systems=systems)
    if len(found) < 2:
        raise OptionError(f"{found[0].measure} against itself is no trade-off: name another")
    first, second = found
    front = "Line and filled points: no other system is as good on both and better on one."
    lines = f" Cross hairs: {confidence:.0%} intervals." if intervals else ""
    return finished(
        trade_off_chart(
            scores.systems, named(first.measure), named(second.measure), intervals=intervals
        ),
        trade_off_rows(first, second, scores, confidence=confidence if intervals else None),
        title=f"{second.measure} against {first.measure}",
        subtitle=[
            f"{rests_on(first)}.{lines}",
            front
            if _directed(found)
            else "No front, since of one of the measures no value is better than another.",
        ],
    )


def trade_off_rows(
    first: Sample, second: Sample, scores: Scores, *, confidence: float | None = None
) -> Datasets:
    """A point for each system, and again those of the front, from left to right."""
    x, y = (np.array([s.mean(name) for name in s.systems]) for s in (first, second))
    directed = _directed([first, second])
    front = _front(_merit(first, x), _merit(second, y)).tolist() if directed else [None] * len(x)
    points: list[Row] = [
        {"system": system, "x": float(x[at]), "y": float(y[at]), "front": front[at]}
        for at, system in enumerate(first.systems)
    ]
    if confidence is not None:
        for axis, sample in (("x", first), ("y", second)):
            ends = average_intervals(
                scores, measures=sample.measure, systems=sample.systems, confidence=confidence
            )
            for row in points:
                end = ends[row["system"], sample.measure]
                row |= {f"{axis}_low": plain(end.low), f"{axis}_high": plain(end.high)}
    for row, side in zip(points, _sides(points, legend=_many(scores.systems)), strict=True):
        row["side"] = side
    steps = sorted((row for row in points if row["front"]), key=lambda row: (row["x"], row["y"]))
    return {"points": points, "front": [{"x": row["x"], "y": row["y"]} for row in steps]}


def _directed(found: Sequence[Sample]) -> bool:
    return all(sample.measure.better != "neither" for sample in found)


def _merit(sample: Sample, means: Floats) -> Floats:
    return -means if sample.measure.better == "lower" else means


def _front(x: Floats, y: Floats) -> Bools:
    """Which points no other is as good as on both, and better than on one."""
    no_worse = (x[:, None] >= x) & (y[:, None] >= y)
    better = (x[:, None] > x) | (y[:, None] > y)
    return np.asarray(~(no_worse & better).any(axis=0))


def _sides(points: list[Row], *, legend: bool) -> list[str]:
    """Where each point's name stands, so that names do not cover each other, nor points.

    Where there is no room, a name is left to the legend; or stands on the right if there is none.
    """
    across = _pixels(points, "x", theme.WIDTH)
    down = theme.HEIGHT - _pixels(points, "y", theme.HEIGHT)
    end = theme.WIDTH if legend else theme.WIDTH + _BESIDE
    taken: list[_Box] = [(a - 6, d - 6, a + 6, d + 6) for a, d in zip(across, down, strict=True)]
    sides = []
    for at, row in enumerate(points):
        wide = min(_WIDEST, _LETTER * len(row["system"]))
        free = "" if legend else "right"
        for side in _order(hairs="x_low" in row):
            box = _box(float(across[at]), float(down[at]), wide, side)
            others = taken[:at] + taken[at + 1 :]
            inside = box[0] >= 0 and box[2] <= end
            if inside and not any(_meet(box, other) for other in others):
                taken.append(box)
                free = side
                break
        sides.append(free)
    return sides


def _order(*, hairs: bool) -> list[str]:
    """The sides in the order they are tried; where there are cross hairs, those between them."""
    return sorted(_SIDES, key=lambda side: hairs and 0 in _SIDES[side])


def _pixels(points: list[Row], axis: str, size: int) -> Floats:
    """Where the scale of an axis puts the points, and where there are intervals, with theirs."""
    names = (axis, f"{axis}_low", f"{axis}_high")
    all_values = [row[name] for row in points for name in names if row.get(name) is not None]
    low, high = min(all_values), max(all_values)
    values = np.array([row[axis] for row in points])
    if low == high:
        return np.full(len(values), size / 2)
    found: Floats = _ROOM + (size - 2 * _ROOM) * (values - low) / (high - low)
    return found


def _many(systems: Sequence[str]) -> bool:
    """Whether there is a legend, beside the names that have room."""
    return len(systems) > len(theme.PALETTE)


_Box = tuple[float, float, float, float]


def _box(x: float, y: float, wide: float, side: str) -> _Box:
    right, down = _SIDES[side]
    left = x + right - wide * {"left": 1.0, "center": 0.5, "right": 0.0}[_towards(right)]
    return left, y + down - _LINE / 2, left + wide, y + down + _LINE / 2


def _towards(right: int) -> str:
    return "center" if right == 0 else "right" if right > 0 else "left"


def _meet(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def trade_off_chart(systems: Sequence[str], x: str, y: str, *, intervals: bool = False) -> Any:
    """Points with their names beside them; a legend as well where systems are many."""
    many = _many(systems)
    legend = alt.Legend(symbolOpacity=1) if many else None
    colour = system_colour(systems, legend=legend)
    scale = alt.Scale(zero=False, nice=False, padding=_ROOM)
    across = alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(tickCount=8))
    up = alt.Y("y:Q", title=y, scale=scale)
    shapes = alt.Scale(domain=list(systems), range=theme.shapes(systems))
    shape = alt.Shape("system:N", scale=shapes, title="system", legend=legend)
    points = alt.Chart(table("points")).encode(across, up)
    ends = ["x_low", "x_high", "y_low", "y_high"] if intervals else []
    front = alt.Tooltip("front:N", title="on the front")
    about = [alt.Tooltip("system:N"), *exactly("x", "y", *ends), front]
    name = alt.Text("system:N")
    # Those that are not on the front are hollow: filled with the colour of the paper.
    hollow = points.transform_filter("datum.front === false")
    names = [
        points.transform_filter(f"datum.side == '{side}'")
        .mark_text(limit=_WIDEST, dx=right, dy=down, align=_ALIGN[_towards(right)])
        .encode(text=name, tooltip=about)
        for side, (right, down) in _SIDES.items()
    ]
    hairs = points.mark_rule(opacity=0.6).encode(color=colour)
    crosses = [
        hairs.encode(x=alt.X("x_low:Q"), x2=alt.X2("x_high:Q")),
        hairs.encode(y=alt.Y("y_low:Q"), y2=alt.Y2("y_high:Q")),
    ]
    return alt.layer(
        alt.Chart(table("front")).mark_line(strokeDash=[5, 3], color="#8f8f8f").encode(across, up),
        *(crosses if intervals else []),
        points.mark_point(size=90, filled=True, opacity=1).encode(
            color=colour, shape=shape, tooltip=about
        ),
        hollow.mark_point(size=28, filled=True, opacity=1, style="paper").encode(
            shape=shape, tooltip=about
        ),
        *names,
    )


_ALIGN: dict[str, Any] = {"center": "center", "right": "left", "left": "right"}
"""A name that stands on the right begins at its point."""

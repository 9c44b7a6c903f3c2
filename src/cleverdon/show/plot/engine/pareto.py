"""Quality against response time: which systems are worth what they cost?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, sqrt
from typing import Any

from cleverdon.arrays import plain
from cleverdon.compare.front import front
from cleverdon.compare.standings import Standing, Standings, merits, standings
from cleverdon.costs import Cost, Costs, spoken
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.costs import beaten_by
from cleverdon.show.grid import counted
from cleverdon.show.plot import theme
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, short_names
from cleverdon.show.plot.beside import ROOM, place_names
from cleverdon.show.plot.fronted import fronted
from cleverdon.show.plot.topicwise import exactly, named
from cleverdon.show.plot.trade_off import names_note
from cleverdon.show.quantities import amount, size

TIME, SIZE = "p99", "index_size"
_SMALLEST, _LARGEST = 60.0, 420.0
"""Square pixels of points: that of the largest index, and one that can still be seen."""
_HOLLOW = 0.3
_RADIUS = sqrt(_LARGEST) / 2
_DASHES = ", dashed where nobody knows how far they reach"


def pareto(
    scores: Scores,
    costs: Mapping[str, Costs],
    measure: str | Measure,
    *,
    systems: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> Chart:
    """Systems as points, their average by a measure against the p99 of their response times.

    A line connects those that no other equals on both and beats on one. Points are as large as
    indexes are, and filled where no other system equals them when that counts as well.
    """
    found = standings(scores, costs, measure, systems=systems, confidence=confidence)
    return finished(
        pareto_chart(
            scores.systems,
            named(found.measure),
            shown=[one.system for one in found.systems if one.cost(TIME)],
        ),
        pareto_rows(found),
        title=f"{found.measure} against response time",
        subtitle=pareto_notes(found, confidence=confidence),
    )


def pareto_notes(found: Standings, *, confidence: float = 0.95) -> list[str]:
    """What is to be said below the title; the first line is of the topics."""
    more = [spoken(name) for name in found.axes if name != TIME]
    line = "no other system is as good by both and better by one (the Pareto front)."
    times = [cost for cost in (one.cost(TIME) for one in found.systems) if cost]
    dashes = any(cost.ends[1] == inf for cost in times)
    hairs = f"Cross hairs: {confidence:.0%} intervals{_DASHES if dashes else ''}."
    many = names_note(len(times))
    lines = [
        f"{counted(found.topics, 'topic')}. {hairs}",
        f"Line: {line}" if more else f"Line and filled: {line}",
        *([f"Filled: nor when {' and '.join(more)} counts as well."] if more else []),
    ]
    sizes = [cost.value for cost in (one.cost(SIZE) for one in found.systems) if cost]
    if sizes:
        lines.append(f"Areas: sizes of indexes, up to {size(max(sizes))}.")
    left_out = [one.system for one in found.systems if one.cost(TIME) is None]
    if left_out:
        lines.append(f"Not drawn, since no {TIME} was measured: {', '.join(left_out)}.")
    if found.not_valid:
        lines.append("Not valid: the measurement says itself that it should not be believed.")
    return [*lines, many] if many else lines


def pareto_rows(found: Standings, *, width: int = theme.WIDTH) -> Datasets:
    """A point for each system whose response time is known, and again those of the line."""
    drawn = [one for one in found.systems if one.cost(TIME) is not None]
    if not drawn:
        raise OptionError(f"no {TIME} was measured of any system, and there is nothing to draw")
    largest = max((cost.value for cost in (one.cost(SIZE) for one in drawn) if cost), default=0.0)
    short = short_names([one.system for one in found.systems])
    points = [_point(one, largest, short) for one in drawn]
    sign = -1 if found.measure.better == "lower" else 1
    order = sorted(
        range(len(points)), key=lambda at: (not points[at]["front"], -sign * points[at]["y"])
    )
    place_names(points, order, radius=_RADIUS, logarithmic="x", width=width)
    valid = [one for one in drawn if one.cost(TIME, valid=True) is not None]
    better = found.measure.better
    steps: list[Row] = []
    if valid and better != "neither":
        on = front(*merits(valid, (TIME,), better))
        ends = [one for one, there in zip(valid, on, strict=True) if there]
        steps = [
            {"x": row["x"], "y": row["y"]} for row in (_point(one, largest, short) for one in ends)
        ]
    return {"points": points, "front": sorted(steps, key=lambda row: (row["x"], row["y"]))}


def _point(one: Standing, largest: float, short: Mapping[str, str]) -> Row:
    time, held = one.cost(TIME), one.cost(SIZE)
    assert time is not None  # since only those are drawn that have one
    valid = one.cost(TIME, valid=True) is not None
    area = max(_SMALLEST, _LARGEST * held.value / largest) if held and largest else _SMALLEST
    x, x_low, x_high = _milliseconds(time)
    return {
        "system": one.system,
        "label": short[one.system] if valid else f"{short[one.system]} (not valid)",
        "x": x,
        "x_low": x_low,
        "x_high": x_high,
        "x_open": time.ends[1] == inf,
        "y": one.average,
        "y_low": plain(one.interval.low),
        "y_high": plain(one.interval.high),
        "index_size": amount(held.value, "B") if held else "not measured",
        "area": area,
        "inner": _HOLLOW * area,
        "front": bool(one.front),
        "beaten": beaten_by(one),
        "valid": "yes" if valid else "no",
    }


def _milliseconds(cost: Cost) -> tuple[float, float, float]:
    """The value and its interval, all above 0, where logarithmic axes end.

    Where an end of the interval is not known, the cross hair is drawn otherwise from the value on.
    """
    ends = (cost.value if end is None else end for end in (cost.value, cost.low, cost.high))
    value, low, high = (max(1e-6, 1e3 * end) for end in ends)
    return value, low, high


def pareto_chart(systems: Sequence[str], y: str, *, shown: Sequence[str] | None = None) -> Any:
    """Points with their names beside them, times on a logarithmic axis."""
    scale = alt.Scale(zero=False, nice=False, padding=ROOM)
    times = alt.Scale(type="log", nice=False, padding=ROOM)
    across = alt.X(
        "x:Q",
        title=f"{TIME} of response times, in ms",
        scale=times,
        axis=alt.Axis(tickCount=6, format="~g"),
    )
    up = alt.Y("y:Q", title=y, scale=scale)
    about = [
        alt.Tooltip("system:N"),
        *(
            alt.Tooltip(f"{field}:Q", format=".3~g", title=title)
            for field, title in (("x", f"{TIME} (ms)"), ("x_low", "from"), ("x_high", "to"))
        ),
        *exactly("y", "y_low", "y_high"),
        alt.Tooltip("index_size:N", title="index size"),
        alt.Tooltip("valid:N"),
        alt.Tooltip("beaten:N", title="beaten by"),
    ]
    return fronted(systems, across, up, about, intervals=True, areas=True, shown=shown)

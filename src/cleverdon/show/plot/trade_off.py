"""Two measures at once: which systems are not beaten on both?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cleverdon.arrays import Floats, plain
from cleverdon.compare.front import front as pareto_front
from cleverdon.compare.intervals import average_intervals
from cleverdon.compare.samples import Sample, samples
from cleverdon.errors import OptionError
from cleverdon.measures.base import Measure
from cleverdon.scores import Scores
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, short_names
from cleverdon.show.plot.beside import ROOM, place_names
from cleverdon.show.plot.fronted import fronted
from cleverdon.show.plot.kept import MOST_SYSTEMS, with_note
from cleverdon.show.plot.topicwise import exactly, named, rests_on


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
    the Pareto front. `intervals` are drawn as cross hairs. Of more than 15 systems all are drawn,
    and those of the front and the best have names; `systems` are those that are wanted.
    """
    found = samples(scores, measures=[x, y], systems=systems)
    if len(found) < 2:
        raise OptionError(f"{found[0].measure} against itself is no trade-off: name another")
    first, second = found
    front = "Line and filled points: no other system is as good on both and better on one."
    rows = trade_off_rows(first, second, scores, confidence=confidence if intervals else None)
    lines = ""
    if intervals:
        known = any(row["x_low"] is not None for row in rows["points"])
        lines = (
            f" Cross hairs: {confidence:.0%} intervals."
            if known
            else " Too few topics for intervals."
        )
    return finished(
        trade_off_chart(
            scores.systems,
            named(first.measure),
            named(second.measure),
            intervals=intervals,
            shown=first.systems,
        ),
        rows,
        title=f"{second.measure} against {first.measure}",
        subtitle=with_note(
            [
                f"{rests_on(first)}.{lines}",
                front
                if _directed(found)
                else "No front, since of one of the measures no value is better than another.",
            ],
            names_note(len(first.systems)),
        ),
    )


def names_note(count: int) -> str:
    """What is said where not every one of so many systems can have its name beside its point."""
    if count <= MOST_SYSTEMS:
        return ""
    return (
        f"Names: of {count:,} systems, those on the front and the best, {MOST_SYSTEMS} at most. "
        "Choose with cleverdon plot --system, or systems= in Python."
    )


def trade_off_rows(
    first: Sample, second: Sample, scores: Scores, *, confidence: float | None = None
) -> Datasets:
    """A point for each system, and again those of the front, from left to right."""
    x, y = (np.array([s.mean(name) for name in s.systems]) for s in (first, second))
    directed = _directed([first, second])
    front = (
        pareto_front(_merit(first, x), _merit(second, y)).tolist() if directed else [None] * len(x)
    )
    short = short_names(scores.systems)
    points: list[Row] = [
        {
            "system": system,
            "label": short[system],
            "x": float(x[at]),
            "y": float(y[at]),
            "front": front[at],
        }
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
    merit = _merit(first, x)
    place_names(points, sorted(range(len(x)), key=lambda at: (not front[at], -merit[at])))
    steps = sorted((row for row in points if row["front"]), key=lambda row: (row["x"], row["y"]))
    return {"points": points, "front": [{"x": row["x"], "y": row["y"]} for row in steps]}


def _directed(found: Sequence[Sample]) -> bool:
    return all(sample.measure.better != "neither" for sample in found)


def _merit(sample: Sample, means: Floats) -> Floats:
    return -means if sample.measure.better == "lower" else means


def trade_off_chart(
    systems: Sequence[str],
    x: str,
    y: str,
    *,
    intervals: bool = False,
    shown: Sequence[str] | None = None,
) -> Any:
    """Points with their names beside them."""
    scale = alt.Scale(zero=False, nice=False, padding=ROOM)
    across = alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(tickCount=8))
    up = alt.Y("y:Q", title=y, scale=scale)
    ends = ["x_low", "x_high", "y_low", "y_high"] if intervals else []
    front = alt.Tooltip("front:N", title="on the front")
    about = [alt.Tooltip("system:N"), *exactly("x", "y", *ends), front]
    return fronted(systems, across, up, about, intervals=intervals, shown=shown)

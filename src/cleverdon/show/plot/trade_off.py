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
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished
from cleverdon.show.plot.beside import ROOM, many, sides
from cleverdon.show.plot.fronted import fronted
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
    front = (
        pareto_front(_merit(first, x), _merit(second, y)).tolist() if directed else [None] * len(x)
    )
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
    for row, side in zip(points, sides(points, legend=many(scores.systems)), strict=True):
        row["side"] = side
    steps = sorted((row for row in points if row["front"]), key=lambda row: (row["x"], row["y"]))
    return {"points": points, "front": [{"x": row["x"], "y": row["y"]} for row in steps]}


def _directed(found: Sequence[Sample]) -> bool:
    return all(sample.measure.better != "neither" for sample in found)


def _merit(sample: Sample, means: Floats) -> Floats:
    return -means if sample.measure.better == "lower" else means


def trade_off_chart(systems: Sequence[str], x: str, y: str, *, intervals: bool = False) -> Any:
    """Points with their names beside them; a legend as well where systems are many."""
    scale = alt.Scale(zero=False, nice=False, padding=ROOM)
    across = alt.X("x:Q", title=x, scale=scale, axis=alt.Axis(tickCount=8))
    up = alt.Y("y:Q", title=y, scale=scale)
    ends = ["x_low", "x_high", "y_low", "y_high"] if intervals else []
    front = alt.Tooltip("front:N", title="on the front")
    about = [alt.Tooltip("system:N"), *exactly("x", "y", *ends), front]
    return fronted(systems, across, up, about, intervals=intervals)

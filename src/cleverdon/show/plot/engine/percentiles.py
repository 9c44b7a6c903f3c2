"""Times by percentile, on a scale on which each further nine has as much room as the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil, log10
from typing import Any

import numpy as np

from cleverdon.arrays import Floats
from cleverdon.engine.load.cold import ColdWarm
from cleverdon.engine.load.latencies import CONFIDENCE, Latencies, latencies
from cleverdon.engine.load.records import Load
from cleverdon.errors import OptionError
from cleverdon.show.bench.about import described, percentage
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.lines import line_style
from cleverdon.show.plot.theme import PALETTE
from cleverdon.show.quantities import seconds

_POINTS = 200
_TICKS = {0.0: "0%", 0.30103: "50%", 1.0: "90%", 2.0: "99%", 3.0: "99.9%", 4.0: "99.99%"}
"""Places on the axis, and what stands there."""
_BEYOND = 0.12
"""Room at the right end of lines for the longest time, which no percentile is short of."""
_LEAST = 1e-6
"""Shorter times are drawn as a microsecond: a scale by factors has no 0."""


def percentile_curve(load: Load, *, system: str = "", confidence: float = CONFIDENCE) -> Chart:
    """Response and service times of a load by percentile; bars are intervals."""
    return finished(
        percentile_chart(["response time", "service time"]),
        percentile_rows(
            {"response time": load.response, "service time": load.service},
            intervals=latencies(load.response, confidence=confidence)
            if len(load.response)
            else None,
        ),
        title=f"Response times{_of(system)} at {described(load.pattern)}",
        subtitle="Response time runs from when a request was to be sent, service time from when it "
        f"was. Bars: {percentage(confidence)} intervals.",
    )


def cold_warm_curve(found: ColdWarm, *, system: str = "") -> Chart:
    """Times of the cold and of the warm pass by percentile."""
    how = "emptied by a command" if found.emptied else "not emptied"
    times = {
        which: values[np.isfinite(values)]
        for which, values in (("cold", found.cold), ("warm", found.warm))
    }
    return finished(
        percentile_chart(list(times)),
        percentile_rows(times),
        title=f"Cold and warm caches{_of(system)}",
        subtitle=f"Each query once (caches were {how} before), and once again.",
    )


def _of(system: str) -> str:
    return f" of {system}" if system else ""


def percentile_rows(times: Mapping[str, Floats], *, intervals: Latencies | None = None) -> Datasets:
    """A row for each line and place on the axis; and for each interval that has two ends."""
    rows: list[Row] = []
    for line, values in times.items():
        if not len(values):
            raise OptionError("there are no times to draw: no request was answered")
        ordered = np.sort(values)
        last = log10(len(ordered)) + _BEYOND
        for place in np.linspace(0, last, _POINTS):
            share = 1 - 10.0**-place
            rank = min(len(ordered), max(1, ceil(share * len(ordered) - 1e-9)))
            rows.append(_row(line, float(place), share, float(ordered[rank - 1])))
    return {"times": rows, "intervals": _intervals(intervals)}


def _row(line: str, place: float, share: float, value: float) -> Row:
    return {
        "line": line,
        "place": place,
        "percentile": f"{100 * share:.6g}%",
        "ms": 1000 * max(value, _LEAST),
        "told": seconds(value),
    }


def _intervals(of: Latencies | None) -> list[Row]:
    found = []
    for one in of.percentiles if of is not None else ():
        if one.low is not None and one.high is not None:
            place = -log10(1 - float(one.name[1:]) / 100)
            ends = {"low": 1000 * max(one.low, _LEAST), "high": 1000 * max(one.high, _LEAST)}
            found.append({"place": place, "percentile": one.name, **ends})
    return found


def percentile_chart(lines: Sequence[str]) -> Any:
    """Lines that rise to the right; intervals stand upright on the first of them."""
    words = "; ".join(f"datum.value == {place} ? '{word}'" for place, word in _TICKS.items())
    axis = alt.Axis(
        values=list(_TICKS),
        labelExpr=f"{words.replace(';', ' :')} : ''",
        grid=True,
    )
    across = alt.X("place:Q", title="percentile", axis=axis, scale=alt.Scale(nice=False))
    up = alt.Y("ms:Q", title="milliseconds", scale=alt.Scale(type="log"), axis=_by_factors())
    told = [
        alt.Tooltip("line:N", title="what"),
        alt.Tooltip("percentile:N"),
        alt.Tooltip("told:N", title="time"),
    ]
    style = line_style(lines, "line", legend=alt.Legend(title=None, orient="top-left"))
    drawn = (
        alt.Chart(table("times"))
        .mark_line(interpolate="step-after")
        .encode(x=across, y=up, tooltip=told, **style)
    )
    bars = (
        alt.Chart(table("intervals"))
        .mark_rule(size=2, color=PALETTE[0], opacity=0.6)
        .encode(x=across, y=alt.Y("low:Q"), y2=alt.Y2("high:Q"))
    )
    return alt.layer(drawn, bars)


def _by_factors() -> alt.Axis:
    return alt.Axis(tickCount=5, format="~g")

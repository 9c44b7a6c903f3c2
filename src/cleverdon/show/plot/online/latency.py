"""Latency over time, and against how much there is to do; with spikes flagged."""

from __future__ import annotations

from typing import Any

from cleverdon.online.metrics.load import LEAST_SEARCHES, SPIKE
from cleverdon.online.series import Point, Series
from cleverdon.show.grid import counted
from cleverdon.show.observed import significant
from cleverdon.show.plot.base import LIMIT, Chart, Datasets, Row, alt, finished, table
from cleverdon.show.plot.lines import line_style
from cleverdon.show.plot.online.times import drawable, places, time_axis, when
from cleverdon.show.plot.theme import PALETTE

_SPIKE = PALETTE[1]


def latency_over_time(series: Series) -> Chart:
    """Percentiles of latency in each minute, hour or day; of `online.series.latencies`."""
    return finished(
        latency_over_time_chart(_names(series)),
        latency_over_time_rows(series),
        title=f"Latency by {series.span}",
        subtitle=about_spikes(series),
    )


def about_spikes(series: Series) -> str:
    """What is flagged, and how much of it there is."""
    flagged = sum(point.times is not None for point in series.points)
    usual = series.usual
    if usual is None:
        return f"No {series.span} has {LEAST_SEARCHES} searches: too few to tell spikes."
    spans = counted(flagged, series.span)
    return (
        f"Triangles: p90 at least {SPIKE} times the usual {significant(usual)} ms ({spans}, of "
        f"those with at least {LEAST_SEARCHES} searches)."
    )


def _names(series: Series) -> list[str]:
    return list(series.points[0].latency)


def latency_over_time_rows(series: Series) -> Datasets:
    """A row for each span and percentile, and a row for each spike."""
    names = _names(series)
    drawn = places(series)
    lines = [
        {
            "line": name,
            "at": drawn[point.at, point.ahead][0],
            "when": when(point, series.span),
            "value": point.latency[name],
            "searches": point.searches,
        }
        for name in names
        for point in drawable(series.points, LIMIT // len(names))
    ]
    flagged = drawable([point for point in series.points if point.times is not None])
    spikes = [_of(point, series) | {"at": drawn[point.at, point.ahead][0]} for point in flagged]
    return {"latencies": lines, "spikes": spikes}


def latency_over_time_chart(names: list[str]) -> Any:
    """A line for each percentile, on a scale by factors: spikes are many times the usual."""
    style = line_style(names, "line", legend=alt.Legend(title=None))
    up = _by_factors("value:Q", "milliseconds")
    rows = alt.Chart(table("latencies")).transform_filter("datum.value === null || datum.value > 0")
    lines = rows.mark_line(strokeWidth=1.3).encode(x=time_axis(), y=up, **style)
    return alt.layer(lines, _spikes(time_axis(), alt.Y("p90:Q")))


def latency_by_load(series: Series) -> Chart:
    """A point for each span: how much there was to do, and the 90th percentile of latency."""
    return finished(
        latency_by_load_chart(series.span),
        latency_by_load_rows(series),
        title="Latency against load",
        subtitle=about_spikes(series),
    )


def latency_by_load_rows(series: Series) -> Datasets:
    """A row for each span with enough searches; the busiest of them where many."""
    enough = [point for point in series.points if point.timed >= LEAST_SEARCHES]
    usual = [point for point in enough if point.times is None]
    flagged = [point for point in enough if point.times is not None]
    return {
        "spans": [_of(point, series) for point in drawable(usual)],
        "spikes": [_of(point, series) for point in drawable(flagged)],
    }


def latency_by_load_chart(span: str) -> Any:
    """Points, of which spikes stand out by colour and shape."""
    title = f"searches a{'n' if span == 'hour' else ''} {span}"
    across = alt.X("searches:Q", title=title)
    up = _by_factors("p90:Q", "90th percentile, milliseconds")
    points = alt.Chart(table("spans")).transform_filter("datum.p90 > 0")
    usual = points.mark_point(filled=True, size=22, opacity=0.5, color=PALETTE[0]).encode(
        x=across, y=up, tooltip=_told()
    )
    return alt.layer(usual, _spikes(across, up))


def _by_factors(field: str, title: str) -> alt.Y:
    return alt.Y(field, title=title, scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=5))


def _of(point: Point, series: Series) -> Row:
    return {
        "at": point.at,
        "when": when(point, series.span),
        "searches": point.searches,
        "p90": point.latency["p90"],
        "times": point.times,
    }


def _spikes(x: alt.X, y: alt.Y) -> Any:
    shown = alt.Chart(table("spikes"))
    tooltip = [*_told(), alt.Tooltip("times:Q", format=".1f", title="times the usual")]
    marks = shown.mark_point(shape="triangle-up", filled=True, size=70, opacity=1, color=_SPIKE)
    return marks.encode(x=x, y=y, tooltip=tooltip)


def _told() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("when:N", title="from"),
        alt.Tooltip("searches:Q", format=","),
        alt.Tooltip("p90:Q", format=",.4~r", title="p90, ms"),
    ]

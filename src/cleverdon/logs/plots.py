"""Plots of search logs: one function each, which returns an altair chart.

Times on an axis are those of the log's own clock, whatever the time zone of the reader.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from cleverdon._common.text import counted
from cleverdon.charts import theme
from cleverdon.charts.base import (
    LIMIT,
    Chart,
    Datasets,
    Row,
    alt,
    facet_panels,
    finish_chart,
    named_data,
)
from cleverdon.charts.lines import line_style
from cleverdon.charts.theme import PALETTE, WIDTH, name_labels
from cleverdon.errors import OptionError
from cleverdon.logs.calendar import DAY, as_date, as_offset, as_time
from cleverdon.logs.compute import MetricList, MetricResults, MetricValue
from cleverdon.logs.metrics.base import Count, Ratio, find_metric
from cleverdon.logs.metrics.lists import LEAST_SEARCHES, SPIKE
from cleverdon.logs.plot_data import (
    Bin,
    BusyHour,
    Distribution,
    DistributionKind,
    Funnel,
    Series,
    SeriesPoint,
)
from cleverdon.logs.tables import format_significant, format_value

_TIME_LENGTHS = {"minute": 16, "hour": 16, "day": 10}


def _span_label(point: SeriesPoint, span: str) -> str:
    return as_time(point.at)[: _TIME_LENGTHS[span]] + as_offset(point.ahead)


def _axis_places(series: Series) -> dict[tuple[int, int | None], tuple[int, int]]:
    """Return the place of each point on the axis; two spans of one local time share it."""
    found: dict[int, list[int | None]] = {}
    for point in series.points:
        found.setdefault(point.at, []).append(point.ahead)
    drawn = {}
    for at, same in found.items():
        width = series.length // len(same)
        for part, ahead in enumerate(same):
            drawn[at, ahead] = (at + part * width, at + (part + 1) * width)
    return drawn


def _time_axis(field: str = "at", **options: Any) -> alt.X:
    # Local times are drawn as if they were in UTC.
    return alt.X(f"{field}:T", scale=alt.Scale(type="utc"), title=None, **options)


def _drawable_points(points: Sequence[SeriesPoint], limit: int = LIMIT) -> list[SeriesPoint]:
    """Return all points, or the busiest if they are too many to draw."""
    if len(points) <= limit:
        return list(points)
    busiest = sorted(points, key=lambda point: -point.searches)[:limit]
    return sorted(busiest, key=lambda point: point.at)


def searches_over_time(series: Series) -> Chart:
    """Draw a bar for each minute, hour or day."""
    most = max(series.points, key=lambda point: point.searches)
    return finish_chart(
        _searches_over_time_chart(series.span),
        _searches_over_time_rows(series),
        title=f"Searches a{'n' if series.span == 'hour' else ''} {series.span}",
        subtitle=f"Most: {most.searches:,}, {_span_label(most, series.span)}.",
    )


def _searches_over_time_rows(series: Series) -> Datasets:
    drawn = _axis_places(series)
    rows = []
    for point in _drawable_points(series.points):
        start, end = drawn[point.at, point.ahead]
        label = {"when": _span_label(point, series.span), "searches": point.searches}
        rows.append({"at": start, "end": end, **label})
    return {"spans": rows}


def _searches_over_time_chart(span: str) -> Any:
    title = f"searches a{'n' if span == 'hour' else ''} {span}"
    return (
        alt.Chart(named_data("spans"))
        .mark_rect(color=PALETTE[0], x2Offset=-1 if span == "day" else 0)
        .encode(
            x=_time_axis(),
            x2=alt.X2("end:T"),
            y=alt.Y("searches:Q", title=title, scale=alt.Scale(zero=True)),
            y2=alt.datum(0),
            tooltip=[alt.Tooltip("when:N", title="from"), alt.Tooltip("searches:Q", format=",")],
        )
    )


_SPIKE_COLOUR = PALETTE[1]


def latency_over_time(series: Series) -> Chart:
    """Draw percentiles of latency in each minute, hour or day of a `latency_series`."""
    return finish_chart(
        _latency_over_time_chart(list(series.points[0].latency)),
        _latency_over_time_rows(series),
        title=f"Latency by {series.span}",
        subtitle=_about_spikes(series),
    )


def _about_spikes(series: Series) -> str:
    flagged = sum(point.times is not None for point in series.points)
    usual = series.usual
    if usual is None:
        return f"No {series.span} has {LEAST_SEARCHES} searches: too few to detect spikes."
    spans = counted(flagged, series.span)
    return (
        f"Triangles: p90 at least {SPIKE} times the usual {format_significant(usual)} ms ({spans}, "
        f"of those with at least {LEAST_SEARCHES} searches)."
    )


def _latency_over_time_rows(series: Series) -> Datasets:
    """Return a row for each span and percentile, and a row for each spike."""
    names = list(series.points[0].latency)
    drawn = _axis_places(series)
    lines = [
        {
            "line": name,
            "at": drawn[point.at, point.ahead][0],
            "when": _span_label(point, series.span),
            "value": point.latency[name],
            "searches": point.searches,
        }
        for name in names
        for point in _drawable_points(series.points, LIMIT // len(names))
    ]
    spikes = [
        _drawn_percentiles(point, series) | {"at": drawn[point.at, point.ahead][0]}
        for point in _drawable_points([one for one in series.points if one.times is not None])
    ]
    return {"latencies": lines, "spikes": spikes}


def _latency_over_time_chart(names: list[str]) -> Any:
    style = line_style(names, "line", legend=alt.Legend(title=None))
    up = _by_factors("value:Q", "milliseconds")
    rows = alt.Chart(named_data("latencies")).transform_filter(
        "datum.value === null || datum.value > 0"
    )
    lines = rows.mark_line(strokeWidth=1.3).encode(x=_time_axis(), y=up, **style)
    return alt.layer(lines, _spikes(_time_axis(), alt.Y("p90:Q")))


def latency_by_load(series: Series) -> Chart:
    """Draw the searches and the 90th percentile of latency of each span."""
    return finish_chart(
        _latency_by_load_chart(series.span),
        _latency_by_load_rows(series),
        title="Latency against load",
        subtitle=_about_spikes(series),
    )


def _latency_by_load_rows(series: Series) -> Datasets:
    enough = [point for point in series.points if point.timed >= LEAST_SEARCHES]
    usual = [point for point in enough if point.times is None]
    flagged = [point for point in enough if point.times is not None]
    return {
        "spans": [_drawn_percentiles(point, series) for point in _drawable_points(usual)],
        "spikes": [_drawn_percentiles(point, series) for point in _drawable_points(flagged)],
    }


def _latency_by_load_chart(span: str) -> Any:
    title = f"searches a{'n' if span == 'hour' else ''} {span}"
    across = alt.X("searches:Q", title=title)
    up = _by_factors("p90:Q", "90th percentile, milliseconds")
    points = alt.Chart(named_data("spans")).transform_filter("datum.p90 > 0")
    usual = points.mark_point(filled=True, size=22, opacity=0.5, color=PALETTE[0]).encode(
        x=across, y=up, tooltip=_latency_tooltip()
    )
    return alt.layer(usual, _spikes(across, up))


def _by_factors(field: str, title: str) -> alt.Y:
    return alt.Y(field, title=title, scale=alt.Scale(type="log"), axis=alt.Axis(tickCount=5))


def _drawn_percentiles(point: SeriesPoint, series: Series) -> Row:
    return {
        "at": point.at,
        "when": _span_label(point, series.span),
        "searches": point.searches,
        "p90": point.latency["p90"],
        "times": point.times,
    }


def _spikes(x: alt.X, y: alt.Y) -> Any:
    shown = alt.Chart(named_data("spikes"))
    tooltip = [*_latency_tooltip(), alt.Tooltip("times:Q", format=".1f", title="times the usual")]
    marks = shown.mark_point(
        shape="triangle-up", filled=True, size=70, opacity=1, color=_SPIKE_COLOUR
    )
    return marks.encode(x=x, y=y, tooltip=tooltip)


def _latency_tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("when:N", title="from"),
        alt.Tooltip("searches:Q", format=","),
        alt.Tooltip("p90:Q", format=",.4~r", title="p90, ms"),
    ]


_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def busy_hours(hours: Sequence[BusyHour], *, zone: str = "UTC") -> Chart:
    """Draw a heat map of the hours of the week, from `weekly_hours`."""
    return finish_chart(
        _busy_hours_chart(),
        _busy_hours_rows(hours),
        title="When users search",
        subtitle=f"Searches an hour, on average over all such hours; the clock is that of {zone}.",
    )


def _busy_hours_rows(hours: Sequence[BusyHour]) -> Datasets:
    named = ({**vars(one), "weekday": _WEEKDAYS[one.weekday], "mean": one.mean} for one in hours)
    return {"hours": list(named)}


def _busy_hours_chart() -> Any:
    legend = alt.Legend(title="searches an hour", gradientLength=150)
    return (
        alt.Chart(named_data("hours"))
        .mark_rect()
        .encode(
            x=alt.X("hour:O", title="hour", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
            y=alt.Y("weekday:N", sort=list(_WEEKDAYS), title=None),
            color=alt.Color("mean:Q", scale=alt.Scale(scheme=theme.RISING), legend=legend),
            tooltip=[
                alt.Tooltip("weekday:N"),
                alt.Tooltip("hour:O"),
                alt.Tooltip("mean:Q", format=",.1f", title="searches an hour"),
                alt.Tooltip("searches:Q", format=",", title="searches in all"),
                alt.Tooltip("hours:Q", title="such hours"),
            ],
        )
        .properties(height=alt.Step(26))
    )


_ALL_LABEL = "all"  # the name of the only line
_MOST_DAYS = 1000


def by_day(results: MetricResults, metric: str, *, percentile: str | None = None) -> Chart:
    """Draw a metric, or a percentile of its values, for each day and at most one more group."""
    name = axis_name(find_metric(metric), percentile)
    return finish_chart(
        by_day_chart(name, lines_of(results)),
        by_day_rows(results, metric, percentile=percentile),
        title=f"{name} by day",
        subtitle=about_days(results),
    )


def about_days(results: MetricResults) -> str:
    zone = results.tables.settings.timezone
    return (
        f"Days in {zone}; the first and the last may not be whole. "
        f"Band: {results.confidence:.0%} interval."
    )


def axis_name(metric: Any, percentile: str | None = None) -> str:
    """Return the metric with the unit of its axis: `Success, %`, `Latency p95, ms`."""
    name = f"{metric} {percentile}" if percentile else str(metric)
    if isinstance(metric, Count):
        return name
    unit = "%" if metric.kind == "share" else metric.measured_in
    return f"{name}, {unit}" if unit else name


def lines_of(results: MetricResults) -> list[str]:
    """Return the names of the lines: one, or one for each value of the second group."""
    if "day" not in results.by or len(results.by) > 2:
        raise OptionError(
            'expected a metric by day, and by at most one more name: measure_log(log, by="day")'
        )
    if len(results.by) == 1:
        return [_ALL_LABEL]
    place = 1 - results.by.index("day")
    return list(dict.fromkeys(str(g[place]) for g in results.groups if g[place] is not None))


def by_day_rows(results: MetricResults, metric: str, *, percentile: str | None = None) -> Datasets:
    """Return a row for each line and day, including days without a value."""
    wanted = find_metric(metric)
    lines = lines_of(results)
    place = results.by.index("day")
    values = [value for value in results.values if str(value.metric) == str(wanted)]
    if not values:
        raise OptionError(f"{wanted} was not requested, or the log lacks a column that it needs")
    found = {
        (_ALL_LABEL if len(one.group) == 1 else one.group[1 - place], one.group[place]): one
        for one in values
    }
    rows: list[Row] = []
    for line in lines:
        for at, day in _all_days(values, place):
            row = _day_row(found.get((line, day)), percentile)
            rows.append(row | {"line": line, "at": at, "day": day})
    return {"days": rows}


def _all_days(values: Sequence[MetricValue], place: int) -> list[tuple[int, str]]:
    """Return every day from the first to the last; if too many, those with a value."""
    days = {date.fromisoformat(day) for v in values if (day := v.group[place]) is not None}
    numbers = sorted((day - date(1970, 1, 1)).days for day in days)
    every: Sequence[int] = range(numbers[0], numbers[-1] + 1)
    if len(every) > _MOST_DAYS:
        every = numbers[-_MOST_DAYS:]
    return [(day * DAY, as_date(day)) for day in every]


def _day_row(value: MetricValue | None, percentile: str | None) -> Row:
    """Return the values in the unit of the axis, and the text of the tooltip."""
    if value is None:
        return {"value": None, "low": None, "high": None, "shown": "-", "of": ""}
    metric = value.metric
    times = 100 if isinstance(metric, Ratio) and metric.kind == "share" else 1
    numbers = {"value": value.value, "low": value.low, "high": value.high}
    if percentile:
        numbers = {"value": value.percentiles.get(percentile), "low": None, "high": None}
    drawn = {name: None if one is None else times * one for name, one in numbers.items()}
    of = ""
    if isinstance(metric, Ratio) and value.denominator is not None:
        of = f"{format_significant(value.denominator)} {metric.over}"
    return {**drawn, "shown": format_value(metric, numbers["value"]), "of": of}


def by_day_chart(name: str, lines: Sequence[str]) -> Any:
    look = {"title": None, "symbolType": "stroke", "symbolOpacity": 1, **name_labels(lines)}
    legend = {"legend": alt.Legend(**look)} if len(lines) > 1 else {}
    style = line_style(lines, "line", **legend)
    tooltip = [
        *([alt.Tooltip("line:N", title="variant")] if len(lines) > 1 else []),
        alt.Tooltip("day:N"),
        alt.Tooltip("shown:N", title="value"),
        alt.Tooltip("of:N", title="over"),
    ]
    rows = alt.Chart(named_data("days")).encode(x=_time_axis())
    across = alt.Y("value:Q", title=name, scale=alt.Scale(zero=False))
    band = rows.mark_area(opacity=0.18).encode(
        y=alt.Y("low:Q", title=name, scale=alt.Scale(zero=False)),
        y2=alt.Y2("high:Q"),
        color=style["color"],
    )
    drawn = rows.encode(y=across, **style)
    points = rows.mark_point(filled=True, size=36, opacity=1).encode(
        y=across, color=style["color"], tooltip=tooltip
    )
    return alt.layer(band, drawn.mark_line(strokeWidth=1.5), points)


_STEP_RATIO = 1.25  # the drawn width of a bin of times without an end


def distribution(found: Distribution) -> Chart:
    return finish_chart(
        _distribution_chart(found.kind),
        _distribution_rows(found),
        title=found.kind.title,
        subtitle=f"{found.total:,} {found.kind.of}.",
    )


def _distribution_rows(found: Distribution) -> Datasets:
    rows = []
    for one in found.bins:
        start = one.low
        if found.kind.scale == "time" and start == 0 and one.high is not None:
            start = one.high / _STEP_RATIO  # a logarithmic axis has no 0
        rows.append(
            {
                "from": start,
                "to": one.low * _STEP_RATIO if one.high is None else one.high,
                "label": _bin_label(one, found.kind),
                "count": one.count,
                "share": one.count / found.total,
            }
        )
    return {"bins": rows}


def _bin_label(one: Bin, kind: DistributionKind) -> str:
    if kind.scale == "count":
        return f"{one.low:g}+" if one.high is None else f"{one.low:g}"
    return f"from {one.low:g} on" if one.high is None else f"{one.low:g} to {one.high:g}"


def _distribution_chart(kind: DistributionKind) -> Any:
    """Times have a logarithmic scale, counts a bar each."""
    rows = alt.Chart(named_data("bins"))
    up = alt.Y("count:Q", title=kind.of, scale=alt.Scale(zero=True))
    tooltip = [
        alt.Tooltip("label:N", title=kind.value),
        alt.Tooltip("count:Q", format=",", title=kind.of),
        alt.Tooltip("share:Q", format=".1%"),
    ]
    if kind.scale == "count":
        across = alt.X("label:N", sort=None, title=kind.value, axis=alt.Axis(labelAngle=0))
        bars = rows.mark_bar(color=PALETTE[0])
        return bars.encode(x=across, y=up, tooltip=tooltip).properties(width=WIDTH)
    return rows.mark_rect(color=PALETTE[0], x2Offset=-1).encode(
        x=alt.X("from:Q", scale=alt.Scale(type="log", nice=False), title=kind.value),
        x2=alt.X2("to:Q"),
        y=up,
        y2=alt.datum(0),
        tooltip=tooltip,
    )


_BANDS = ("head", "torso", "tail")
_BAND_TOTALS = {"texts": "different queries", "count": "all queries asked"}


def bands(listed: MetricList) -> Chart:
    """Draw HeadTorsoTail as two bars: of different queries, and of all queries."""
    if str(listed.metric) != "HeadTorsoTail":
        raise OptionError(f"expected the list HeadTorsoTail, not {listed.metric}")
    return finish_chart(
        _bands_chart(),
        _bands_rows(listed),
        title="Head, torso and tail",
        subtitle="The shares of frequent and of rare queries in the traffic.",
    )


def _bands_rows(listed: MetricList) -> Datasets:
    rows = []
    for field, of in _BAND_TOTALS.items():
        total = sum(row[field] for row in listed.rows)
        start = 0.0
        for row in listed.rows:
            share = row[field] / total if total else 0.0
            rows.append(
                {
                    "of": of,
                    "band": row["band"],
                    "count": row[field],
                    "from": start,
                    "to": start + share,
                    "middle": start + share / 2,
                    "share": share,
                    # A narrow bar has no room for text.
                    "told": f"{row['band']} {share:.0%}" if share >= 0.1 else "",
                }
            )
            start += share
    return {"bands": rows}


def _bands_chart() -> Any:
    colours = [PALETTE[0], PALETTE[4], PALETTE[6]]
    scale = alt.Scale(domain=list(_BANDS), range=colours)
    rows = alt.Chart(named_data("bands")).encode(y=alt.Y("of:N", sort=None, title=None))
    across = alt.X("from:Q", title="share", axis=alt.Axis(format="%"), scale=alt.Scale(nice=False))
    tooltip = [
        alt.Tooltip("of:N"),
        alt.Tooltip("band:N"),
        alt.Tooltip("count:Q", format=","),
        alt.Tooltip("share:Q", format=".1%"),
    ]
    bars = rows.mark_bar().encode(
        x=across,
        x2=alt.X2("to:Q"),
        color=alt.Color("band:N", scale=scale, legend=alt.Legend(title=None, orient="bottom")),
        tooltip=tooltip,
    )
    # On bars, whose colours are the same on paper and in the dark.
    ink = alt.condition("datum.band === 'head'", alt.value("#ffffff"), alt.value("#1a1a1a"))
    room = alt.expr("(datum.to - datum.from) * width > 56 ? 1 : 0")  # pages may draw it narrower
    words = rows.mark_text(opacity=room).encode(
        x=alt.X("middle:Q"), text=alt.Text("told:N"), color=ink
    )
    return alt.layer(bars, words).properties(height=alt.Step(44))


_NO_GROUP = "(none)"  # the name of the sessions without a value in the split column


def funnel(found: Sequence[Funnel]) -> Chart:
    """Draw the funnel of sessions, in a panel for each funnel."""
    return finish_chart(
        _funnel_chart(),
        _funnel_rows(found),
        title="From session to success",
        subtitle="Bars: share of all sessions. In brackets: share of the previous step.",
    )


def _funnel_rows(found: Sequence[Funnel], *, everything: str = "all sessions") -> Datasets:
    rows = []
    for place, one in enumerate(found):
        first = not place and one.group is None
        name = everything if first else _NO_GROUP if one.group is None else one.group
        total = counted(one.steps[0].count, "session")
        panel = name if first else f"{name}: {total}"
        rows += [
            _step_row(one, at) | {"panel": panel, "place": place} for at in range(len(one.steps))
        ]
    return {"steps": rows}


def _step_row(one: Funnel, at: int) -> Row:
    step, share, passed = one.steps[at], one.share(at), one.passed(at)
    text = f"{step.count:,}"
    if at and share is not None:
        text += f"  {share:.1%}"
    # For the second step it would be the same number.
    if at > 1 and passed is not None:
        text += f" ({passed:.1%})"
    return {
        "step": step.name,
        "sessions": step.count,
        "share": share,
        "passed": passed,
        "told": text,
    }


def _funnel_chart() -> Any:
    rows = alt.Chart().encode(y=alt.Y("step:N", sort=None, title=None))
    across = alt.X(
        "share:Q",
        title="share of all sessions",
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format="%", tickCount=5),
    )
    tooltip = [
        alt.Tooltip("panel:N", title="of"),
        alt.Tooltip("step:N"),
        alt.Tooltip("sessions:Q", format=","),
        alt.Tooltip("share:Q", format=".2%", title="of all sessions"),
        alt.Tooltip("passed:Q", format=".2%", title="of the previous step"),
    ]
    layers = [
        rows.mark_bar(color=PALETTE[0]).encode(x=across, tooltip=tooltip),
        rows.mark_text(align="left", dx=10).encode(text=alt.Text("told:N"), x=alt.value("width")),
    ]
    width = WIDTH - 130
    return facet_panels(alt.layer(*layers), named_data("steps"), width=width, height=alt.Step(26))

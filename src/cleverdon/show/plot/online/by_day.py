"""A metric day by day, with its interval; in one line, or in a line for each variant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from cleverdon.errors import OptionError
from cleverdon.online.days import DAY, as_date
from cleverdon.online.metrics.base import Count, Ratio
from cleverdon.online.metrics.registry import find
from cleverdon.online.observing import Observed, Value
from cleverdon.show.observed import significant, written
from cleverdon.show.plot.base import Chart, Datasets, Row, alt, finished, name_labels, table
from cleverdon.show.plot.lines import line_style
from cleverdon.show.plot.online.times import time_axis

ALL = "all"
"""The name of the one line, where nothing was split but days."""
_MOST_DAYS = 1000
"""More than that are too many to be told apart."""


def by_day(observed: Observed, metric: str, *, percentile: str | None = None) -> Chart:
    """A metric for each day, of what was observed by `day`, or by `day` and one thing more.

    With `percentile`, as in `p95`, that of its values and not their mean; it has no interval.
    """
    name = axis_name(find(metric), percentile)
    return finished(
        by_day_chart(name, lines_of(observed)),
        by_day_rows(observed, metric, percentile=percentile),
        title=f"{name} by day",
        subtitle=about_days(observed),
    )


def about_days(observed: Observed) -> str:
    """What is to be said of any such plot."""
    zone = observed.stages.settings.timezone
    return (
        f"Days in {zone}; the first and the last may not be whole. "
        f"Band: {observed.level:.0%} interval."
    )


def axis_name(metric: Any, percentile: str | None = None) -> str:
    """The metric with the unit that its axis has: `Success, %`, `Latency p95, ms`."""
    name = f"{metric} {percentile}" if percentile else str(metric)
    if isinstance(metric, Count):
        return name
    unit = "%" if metric.kind == "share" else metric.measured_in
    return f"{name}, {unit}" if unit else name


def lines_of(observed: Observed) -> list[str]:
    """The lines: one, or one for each value that days were split by."""
    _check(observed)
    if len(observed.by) == 1:
        return [ALL]
    place = 1 - observed.by.index("day")
    return list(dict.fromkeys(str(g[place]) for g in observed.groups if g[place] is not None))


def by_day_rows(observed: Observed, metric: str, *, percentile: str | None = None) -> Datasets:
    """A row for each line and day, also for days of which there is nothing to say."""
    wanted = find(metric)
    place = observed.by.index("day") if "day" in observed.by else 0
    lines = lines_of(observed)
    values = [value for value in observed.values if str(value.metric) == str(wanted)]
    if not values:
        raise OptionError(f"{wanted} was not asked for, or the log does not have what it needs")
    found = {(_line(value, place), value.group[place]): value for value in values}
    rows: list[Row] = []
    for line in lines:
        for at, day in _days(values, place):
            rows.append(_row(found.get((line, day)), percentile) | _when(line, at, day))
    return {"days": rows}


def _check(observed: Observed) -> None:
    if "day" not in observed.by or len(observed.by) > 2:
        raise OptionError(
            'it takes a metric by day, and by one thing more at most: observe(log, by="day")'
        )


def _line(value: Value, place: int) -> str | None:
    return ALL if len(value.group) == 1 else value.group[1 - place]


def _days(values: Sequence[Value], place: int) -> list[tuple[int, str]]:
    """Every day from the first to the last; only those with a value where they are too many."""
    told = {date.fromisoformat(day) for v in values if (day := v.group[place]) is not None}
    numbers = sorted((day - date(1970, 1, 1)).days for day in told)
    every: Sequence[int] = range(numbers[0], numbers[-1] + 1)
    if len(every) > _MOST_DAYS:
        every = numbers[-_MOST_DAYS:]
    return [(day * DAY, as_date(day)) for day in every]


def _when(line: str, at: int, day: str) -> Row:
    return {"line": line, "at": at, "day": day}


def _row(value: Value | None, percentile: str | None) -> Row:
    """What is drawn, in the unit of the axis, and what a reader is told of it."""
    if value is None:
        return {"value": None, "low": None, "high": None, "shown": "-", "of": ""}
    metric = value.metric
    times = 100 if isinstance(metric, Ratio) and metric.kind == "share" else 1
    numbers = (value.value, value.low, value.high)
    if percentile:
        numbers = (value.percentiles.get(percentile), None, None)
    drawn = [None if number is None else times * number for number in numbers]
    of = ""
    if isinstance(metric, Ratio) and value.denominator is not None:
        of = f"{significant(value.denominator)} {metric.over}"
    return {
        **dict(zip(("value", "low", "high"), drawn, strict=True)),
        "shown": written(metric, numbers[0]),
        "of": of,
    }


def by_day_chart(name: str, lines: Sequence[str]) -> Any:
    """A line with a band around it, or several."""
    look = {"title": None, "symbolType": "stroke", "symbolOpacity": 1, **name_labels(lines)}
    legend = {"legend": alt.Legend(**look)} if len(lines) > 1 else {}
    style = line_style(lines, "line", **legend)
    tooltip = [
        *([alt.Tooltip("line:N", title="variant")] if len(lines) > 1 else []),
        alt.Tooltip("day:N"),
        alt.Tooltip("shown:N", title="value"),
        alt.Tooltip("of:N", title="over"),
    ]
    rows = alt.Chart(table("days")).encode(x=time_axis())
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

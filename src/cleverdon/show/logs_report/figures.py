"""The plots of a report of a log, each in its section."""

from __future__ import annotations

from collections.abc import Iterator

from cleverdon.online.observing import Observed
from cleverdon.online.series import busy_hours as busiest
from cleverdon.show.logs_report.content import daily_picks
from cleverdon.show.logs_report.gathering import Gathered
from cleverdon.show.page.figure import WIDE, Figure, of_drawn, packed, spec_of
from cleverdon.show.plot.base import unchecked
from cleverdon.show.plot.online import (
    bands,
    busy_hours,
    distribution,
    effects,
    funnel,
    latency_by_load,
    latency_over_time,
    searches_over_time,
)
from cleverdon.show.plot.online.by_day import about_days, by_day_chart, by_day_rows, lines_of

METRIC, AXIS = "⟦metric⟧", "⟦axis⟧"
"""What stands in place of the metric that the reader picks, and of that with its unit."""


def figures(gathered: Gathered) -> list[Figure]:
    """Every plot that the log gives rise to."""
    with unchecked():  # tests hold the charts against the schema
        return [
            *_over_time(gathered),
            *_of_sessions(gathered),
            *_of_latency(gathered),
            *_of_variants(gathered),
        ]


def _over_time(gathered: Gathered) -> Iterator[Figure]:
    yield _by_day("by_day", f"{METRIC} by day", gathered.daily, gathered)
    if gathered.daily_by_variant is not None and lines_of(gathered.daily_by_variant):
        title = f"{METRIC} by day and variant"
        yield _by_day("by_day_and_variant", title, gathered.daily_by_variant, gathered)
    yield of_drawn(
        "searches", searches_over_time(gathered.searches), place="time-figures", wide=True
    )
    if gathered.hours.whole:
        zone = gathered.stages.settings.timezone
        hours = busy_hours(busiest(gathered.hours), zone=zone)
        yield of_drawn("busy_hours", hours, place="time-figures", wide=True)


def _by_day(id: str, title: str, observed: Observed, gathered: Gathered) -> Figure:
    """A plot for each metric and percentile that can be picked."""
    lines = lines_of(observed)
    return Figure(
        id,
        title,
        about_days(observed),
        "metric",
        spec_of(by_day_chart(AXIS, lines), width=WIDE),
        {
            str(at): packed(by_day_rows(observed, pick["metric"], percentile=pick["percentile"]))
            for at, pick in enumerate(daily_picks(gathered))
        },
        wide=True,
        place="daily-figures",
    )


def _of_sessions(gathered: Gathered) -> Iterator[Figure]:
    if gathered.funnels:
        yield of_drawn("funnel", funnel(gathered.funnels), place="funnel-figures")
    for listed in gathered.observed.lists:
        if str(listed.metric) == "HeadTorsoTail" and listed.rows:
            yield of_drawn("bands", bands(listed), place="list-HeadTorsoTail")
    for one in gathered.distributions:
        place = "latency-figures" if one.kind.name == "latency" else "spread-figures"
        yield of_drawn(one.kind.name, distribution(one), place=place)


def _of_latency(gathered: Gathered) -> Iterator[Figure]:
    series = gathered.latency
    if series is None or not any(point.timed for point in series.points):
        return
    yield of_drawn("latency_by_load", latency_by_load(series), place="latency-figures")
    yield of_drawn(
        "latency_over_time", latency_over_time(series), place="latency-figures", wide=True
    )


def _of_variants(gathered: Gathered) -> Iterator[Figure]:
    if gathered.test is not None:
        yield of_drawn("effects", effects(gathered.test), place="abtest-figures", wide=True)

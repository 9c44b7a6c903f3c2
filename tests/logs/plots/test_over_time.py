"""Searches and latency over time, against load, and by the hours of the week."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cleverdon.charts.base import LIMIT
from cleverdon.logs.plot_data import BusyHour, Series, SeriesPoint
from cleverdon.logs.plot_data import search_series as counted
from cleverdon.logs.plot_data import weekly_hours as busiest
from cleverdon.logs.plots import (
    _drawable_points,
    busy_hours,
    latency_by_load,
    latency_over_time,
    searches_over_time,
)
from tests.logs.plots.examples import MIDNIGHT, tables
from tests.plots.made import datasets, subtitle

HOUR = 3_600_000


def point(hour: int, searches: int, p90: float | None, times: float | None = None) -> SeriesPoint:
    latency = {"p50": p90 and p90 / 2, "p90": p90}
    return SeriesPoint(MIDNIGHT + hour * HOUR, searches, latency, searches, times)


SERIES = Series(
    "hour",
    (point(0, 40, 100.0), point(1, 0, None), point(2, 24, 450.0, 4.5), point(3, 4, 90.0)),
    {},
)


def test_a_bar_for_each_span() -> None:
    chart = searches_over_time(SERIES)
    rows = datasets(chart)["spans"]
    assert [row["searches"] for row in rows] == [40, 0, 24, 4]
    assert [row["when"][11:] for row in rows] == ["00:00", "01:00", "02:00", "03:00"]
    assert all(row["end"] - row["at"] == HOUR for row in rows)
    assert subtitle(chart) == "Most: 40, 2026-01-01 00:00."
    assert chart.to_dict()["title"]["text"] == "Searches an hour"


def test_percentiles_over_time_with_spikes() -> None:
    chart = latency_over_time(SERIES)
    found = datasets(chart)
    p90 = [row["value"] for row in found["latencies"] if row["line"] == "p90"]
    assert p90 == [100.0, None, 450.0, 90.0]
    (spike,) = found["spikes"]
    assert (spike["p90"], spike["times"], spike["searches"]) == (450.0, 4.5, 24)
    assert "at least 3 times the usual 275 ms (1 hour" in subtitle(chart)


def test_hours_that_the_clock_shows_twice_are_drawn_side_by_side() -> None:
    twice = [replace(point(2, 7, 9.0), ahead=ahead * HOUR) for ahead in (2, 1)]
    series = Series("hour", (point(1, 3, 5.0), *twice, point(3, 1, 4.0)), {})
    rows = datasets(searches_over_time(series))["spans"]
    half = HOUR // 2
    assert [row["at"] - MIDNIGHT for row in rows] == [HOUR, 2 * HOUR, 2 * HOUR + half, 3 * HOUR]
    assert [row["end"] - row["at"] for row in rows] == [HOUR, half, half, HOUR]
    assert rows[2]["when"] == "2026-01-01 02:00 (UTC+01:00)"
    assert subtitle(searches_over_time(series)) == "Most: 7, 2026-01-01 02:00 (UTC+02:00)."
    lines = datasets(latency_over_time(series))["latencies"]
    assert [row["at"] for row in lines if row["line"] == "p90"] == [row["at"] for row in rows]


def test_latency_against_load_is_of_spans_with_enough_searches() -> None:
    found = datasets(latency_by_load(SERIES))
    assert [(row["searches"], row["p90"]) for row in found["spans"]] == [(40, 100.0)]
    assert [row["searches"] for row in found["spikes"]] == [24]


def test_too_few_searches_to_tell() -> None:
    few = Series("minute", (point(0, 3, 10.0),), {})
    assert "too few to detect spikes" in subtitle(latency_over_time(few))
    assert datasets(latency_by_load(few)) == {"spans": [], "spikes": []}


def test_what_is_too_much_to_be_drawn_is_told_by_its_busiest() -> None:
    many = tuple(point(hour, hour % 7, 10.0) for hour in range(LIMIT + 100))
    assert len(datasets(searches_over_time(Series("hour", many, {})))["spans"]) == LIMIT
    datasets(latency_over_time(Series("hour", many, {})))
    kept = _drawable_points(many, 3)
    assert [one.searches for one in kept] == [6, 6, 6]
    assert [one.at for one in kept] == sorted(one.at for one in kept)


def test_hours_of_the_week() -> None:
    chart = busy_hours([BusyHour(0, 9, 30, 4), BusyHour(6, 23, 0, 4)], zone="Asia/Tokyo")
    first, second = datasets(chart)["hours"]
    assert (first["weekday"], first["hour"], first["mean"]) == ("Monday", 9, 7.5)
    assert (second["weekday"], second["mean"]) == ("Sunday", 0.0)
    assert "Asia/Tokyo" in subtitle(chart)


def test_of_a_log() -> None:
    hours = counted(tables(), "hour")
    rows = datasets(busy_hours(busiest(hours)))["hours"]
    assert {(row["weekday"], row["hour"]): row["searches"] for row in rows if row["searches"]} == {
        ("Thursday", 0): 6,
        ("Saturday", 0): 6,
    }
    assert sum(row["searches"] for row in datasets(searches_over_time(hours))["spans"]) == 12
    assert hours.points[0].at == pytest.approx(MIDNIGHT)

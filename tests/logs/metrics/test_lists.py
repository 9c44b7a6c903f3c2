"""Latency against load, on minutes that are made for it."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cleverdon.logs.calendar import DAY, _utc_offsets, as_offset, as_time
from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import Log, log_of
from cleverdon.logs.plot_data import _Span, search_series
from cleverdon.logs.session_tables import build_session_tables
from cleverdon.logs.settings import Settings
from tests.logs.reference import LENGTHS, Reference

MINUTE = 60_000


def log(*minutes: list[float]) -> Log:
    """A search for each latency; a list for each minute from 1970 on."""
    queries: list[dict[str, Any]] = []
    for number, latencies in enumerate(minutes):
        for place, latency in enumerate(latencies):
            queries.append(
                {
                    "query_id": f"{number}-{place}",
                    "time": number * MINUTE + place,
                    "latency_ms": latency,
                }
            )
    return log_of(queries, [])


def test_a_spike_is_found_with_its_length_and_height() -> None:
    usual, slow = [10.0] * 20, [10.0] * 17 + [50.0] * 3
    found = measure_log(log(usual, usual, slow, [40.0] * 25, usual), ["LatencySpikes"])
    assert found.list("LatencySpikes").rows == [
        {"start": "1970-01-01 00:02", "minutes": 2, "searches": 45, "p90": 50.0, "times": 5.0}
    ]


def test_a_single_slow_search_and_a_minute_of_few_are_no_spike() -> None:
    usual, one = [10.0] * 20, [10.0] * 19 + [9000.0]
    found = measure_log(log(usual, one, usual, [500.0] * 19), ["LatencySpikes"])
    assert found.list("LatencySpikes").rows == []


def test_load_in_five_groups_and_its_correlation_with_latency() -> None:
    minutes = [[float(10 * n)] * (20 + n) for n in range(1, 11)]
    listed = measure_log(log(*minutes), ["LatencyByLoad"]).list("LatencyByLoad")
    assert [row["load"] for row in listed.rows] == [
        "21 to 22",
        "23 to 24",
        "25 to 26",
        "27 to 28",
        "29 to 30",
    ]
    assert [row["p95"] for row in listed.rows] == [15.0, 35.0, 55.0, 75.0, 95.0]
    assert listed.notes == (
        "10 of 10 minutes with searches have at least 20, and are used.",
        "Spearman's correlation of load and 95th percentile is 1.00.",
    )


def test_peaks_are_of_local_time() -> None:
    """23:30 on New Year's Eve in UTC is next year in Berlin."""
    queries = [{"query_id": "q", "time": 1_798_759_800_000}]
    found = measure_log(
        log_of(queries, []), ["QueriesPerTime"], settings=Settings(timezone="Europe/Berlin")
    )
    peaks = {row["span"]: row["peak_at"] for row in found.list("QueriesPerTime").rows}
    assert peaks == {
        "second": "2027-01-01 00:30:00",
        "minute": "2027-01-01 00:30",
        "hour": "2027-01-01 00h",
        "day": "2027-01-01",
        "month": "2027-01",
    }


def searches_at(*times: datetime) -> list[dict[str, Any]]:
    return [
        {"query_id": f"q{at}", "user": None, "session": None, "text": "x", "latency_ms": 5.0}
        | {"time": round(time.timestamp() * 1000), "page": 1, "results": 3}
        for at, time in enumerate(times)
    ]


def times_of(queries: list[dict[str, Any]], zone: str) -> dict[str, dict[str, Any]]:
    settings = Settings(timezone=zone)
    found = measure_log(log_of(queries, []), ["QueriesPerTime"], settings=settings)
    return {row["span"]: row for row in found.list("QueriesPerTime").rows}


def test_an_hour_that_the_clock_shows_twice_is_two() -> None:
    night = datetime(2026, 10, 25, tzinfo=UTC)
    half_hours = [night + timedelta(minutes=minute) for minute in (0, 10, 20, 60, 70, 80)]
    found = times_of(searches_at(*half_hours), "Europe/Berlin")
    assert found["hour"]["peak"] == 3
    assert found["hour"]["peak_at"] == "2026-10-25 02h (UTC+02:00)"
    assert (found["hour"]["spans"], found["hour"]["mean"]) == (2, 3)
    assert (found["minute"]["peak"], found["minute"]["spans"]) == (1, 81)
    assert found["minute"]["peak_at"] == "2026-10-25 02:00 (UTC+02:00)"
    assert (found["day"]["peak"], found["day"]["peak_at"]) == (6, "2026-10-25")
    busier = times_of(searches_at(*half_hours, night + timedelta(minutes=90)), "Europe/Berlin")
    assert busier["hour"]["peak"] == 4
    assert busier["hour"]["peak_at"] == "2026-10-25 02h (UTC+01:00)"


def test_an_hour_that_the_clock_skips_is_none() -> None:
    before, after = (datetime(2026, 3, 8, hour, 30, tzinfo=UTC) for hour in (6, 7))
    found = times_of(searches_at(before, after, after), "America/New_York")
    assert (found["hour"]["spans"], found["hour"]["mean"]) == (2, 1.5)
    assert (found["hour"]["peak"], found["hour"]["peak_at"]) == (2, "2026-03-08 03h")
    assert found["minute"]["spans"] == 61
    assert (found["day"]["spans"], found["month"]["spans"]) == (1, 1)


def test_a_log_whose_last_search_has_the_earlier_time_on_the_clock() -> None:
    first, last = (datetime(2026, 10, 25, hour, minute, tzinfo=UTC) for hour, minute in _BACK)
    found = times_of(searches_at(first, last), "Europe/Berlin")  # 02:59, and then 02:01
    assert {span: row["spans"] for span, row in found.items()} == {
        "second": 121,
        "minute": 3,
        "hour": 2,
        "day": 1,
        "month": 1,
    }
    log, settings = log_of(searches_at(first, last), []), Settings(timezone="Europe/Berlin")
    assert "From 2026-10-25 02:59:00 (UTC+02:00) to 2026-10-25 02:01:00 (UTC+01:00)" in " ".join(
        str(measure_log(log, ["Pages"], settings=settings)).split()
    )


_BACK = ((0, 59), (1, 1))

CHANGES = [
    ("Europe/Berlin", "2026-10-25 01:00"),
    ("Europe/Berlin", "2026-03-29 01:00"),
    ("America/New_York", "2026-03-08 07:00"),
    ("America/New_York", "2026-11-01 06:00"),
    ("Australia/Lord_Howe", "2026-04-04 15:00"),  # half an hour back
    ("Australia/Lord_Howe", "2026-10-03 15:30"),
    ("Asia/Beirut", "2026-03-28 22:00"),  # these have no midnight ...
    ("Africa/Cairo", "2026-04-23 22:00"),
    ("America/Santiago", "2026-09-06 04:00"),
    ("America/Santiago", "2026-04-05 03:00"),  # ... and these repeat the hour before it
    ("Asia/Beirut", "2026-10-24 21:00"),
    ("America/St_Johns", "2010-11-07 02:31"),  # from 00:01 back to the day before
    ("Pacific/Apia", "2011-12-30 10:00"),  # skips a day
    ("Asia/Colombo", "2006-04-14 18:30"),
    ("UTC", "2026-10-25 01:00"),
]


@pytest.mark.parametrize(("zone", "change"), CHANGES)
def test_where_clocks_change_all_spans_are_as_in_plain_python(zone: str, change: str) -> None:
    draw = random.Random(change)
    at = datetime.fromisoformat(change).replace(tzinfo=UTC)
    minutes = [draw.randrange(-reach, reach) for reach in (120, 1800) for _ in range(30)]
    queries = searches_at(*(at + timedelta(minutes=minute) for minute in minutes))
    reference = Reference(queries, [], timezone=zone)
    tables = build_session_tables(log_of(queries, []), Settings(timezone=zone))
    listed = measure_log(tables, ["QueriesPerTime"]).list("QueriesPerTime").rows
    found = {row["span"]: row for row in listed}
    assert {span: (row["peak"], row["peak_at"]) for span, row in found.items()} == reference.peaks()
    for kind in ("minute", "hour", "day", "month"):
        assert found[kind]["spans"] == reference.spans(kind), kind
        assert found[kind]["mean"] == len(queries) / reference.spans(kind)
    spans: tuple[_Span, ...] = ("minute", "hour", "day")
    for span in spans:
        counts = Counter(reference.span(query["time"], span) for query in queries)
        series = search_series(tables, span)
        assert len(series.points) == reference.spans(span)
        assert series.whole
        assert {
            as_time(point.at)[: LENGTHS[span]] + as_offset(point.ahead): point.searches
            for point in series.points
            if point.searches
        } == {reference.written(key, span).replace("h", ""): n for key, n in counts.items()}


def test_a_spike_goes_on_where_clocks_change() -> None:
    """Two slow minutes before the clocks are put back, and two after: one spike of four."""
    change = datetime(2026, 10, 25, 1, 0, tzinfo=UTC)
    queries = []
    for minute in range(-10, 10):
        queries += searches_at(*[change + timedelta(minutes=minute)] * 20)
    for number, query in enumerate(queries):
        query["query_id"] = f"q{number}"
        query["latency_ms"] = 90.0 if 8 <= number // 20 < 12 else 10.0
    settings = Settings(timezone="Europe/Berlin")
    found = measure_log(log_of(queries, []), ["LatencySpikes"], settings=settings)
    (spike,) = found.list("LatencySpikes").rows
    assert (spike["start"], spike["minutes"]) == ("2026-10-25 02:58 (UTC+02:00)", 4)
    assert spike["searches"] == 80


def test_the_minute_at_which_clocks_change_is_found_from_any_millisecond() -> None:
    change = 1_792_890_000_000  # 2026-10-25 01:00
    for first in (change - DAY + 300, change - DAY - 300, change - 1, change - DAY):
        assert _utc_offsets("Europe/Berlin", first, change + 300) == [
            (first, 7_200_000),
            (change, 3_600_000),
        ]


@pytest.mark.parametrize("percent", [1, 50, 99.9, 100])
def test_any_percentile_can_be_asked_for(percent: float) -> None:
    found = measure_log(
        log([float(n) for n in range(1, 1001)]),
        ["Latency"],
        settings=Settings(percentiles=(percent,)),
    )
    assert found.value("Latency").percentiles == {f"p{percent:g}": percent * 10}

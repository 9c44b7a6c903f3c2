"""Latency against load, on minutes that are made for it."""

from __future__ import annotations

from typing import Any

import pytest

from cleverdon.online.log import Log
from cleverdon.online.observing import observe
from cleverdon.online.settings import Settings
from cleverdon.online.worked import log_of

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
    found = observe(log(usual, usual, slow, [40.0] * 25, usual), ["LatencySpikes"])
    assert found.list("LatencySpikes").rows == [
        {"start": "1970-01-01 00:02", "minutes": 2, "searches": 45, "p90": 50.0, "times": 5.0}
    ]


def test_a_single_slow_search_and_a_minute_of_few_are_no_spike() -> None:
    usual, one = [10.0] * 20, [10.0] * 19 + [9000.0]
    found = observe(log(usual, one, usual, [500.0] * 19), ["LatencySpikes"])
    assert found.list("LatencySpikes").rows == []


def test_load_in_five_groups_and_its_correlation_with_latency() -> None:
    minutes = [[float(10 * n)] * (20 + n) for n in range(1, 11)]
    listed = observe(log(*minutes), ["LatencyByLoad"]).list("LatencyByLoad")
    assert [row["load"] for row in listed.rows] == [
        "21 to 22",
        "23 to 24",
        "25 to 26",
        "27 to 28",
        "29 to 30",
    ]
    assert [row["p95"] for row in listed.rows] == [15.0, 35.0, 55.0, 75.0, 95.0]
    assert listed.notes == (
        "10 of 10 minutes with searches have at least 20, and are looked at.",
        "Spearman's correlation of load and 95th percentile is 1.00.",
    )


def test_peaks_are_of_local_time() -> None:
    """23:30 on New Year's Eve in UTC is next year in Berlin."""
    queries = [{"query_id": "q", "time": 1_798_759_800_000}]
    found = observe(
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


@pytest.mark.parametrize("percent", [1, 50, 99.9, 100])
def test_any_percentile_can_be_asked_for(percent: float) -> None:
    found = observe(
        log([float(n) for n in range(1, 1001)]),
        ["Latency"],
        settings=Settings(percentiles=(percent,)),
    )
    assert found.value("Latency").percentiles == {f"p{percent:g}": percent * 10}

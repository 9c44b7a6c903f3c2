"""Searches and their latency, span of time by span of time."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import pytest

from cleverdon.errors import InputError
from cleverdon.logs.calendar import DAY, HOUR, MINUTE
from cleverdon.logs.log import log_of
from cleverdon.logs.plot_data import _fitting_span, latency_series, search_series, weekly_hours
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.logs.settings import Settings

MIDNIGHT = 1_767_225_600_000
"""Of a Thursday: the first of January 2026, in UTC."""


def tables(times: list[int], latency: Sequence[float | None] = (), **how: Any) -> SessionTables:
    """A search at each time after midnight, by a user each."""
    pages: list[dict[str, Any]] = [
        {"query_id": f"q{at}", "user": f"u{at}", "time": MIDNIGHT + time, "text": "shoes"}
        for at, time in enumerate(times)
    ]
    for page, ms in zip(pages, latency, strict=False):
        page["latency_ms"] = ms
    return build_session_tables(log_of(pages, []), Settings(**how))


def test_every_span_is_there_also_without_a_search() -> None:
    found = search_series(tables([0, 59 * MINUTE, 3 * HOUR, 3 * HOUR + 1]), "hour")
    assert [point.searches for point in found.points] == [2, 0, 0, 2]
    assert [point.at for point in found.points] == [MIDNIGHT + h * HOUR for h in range(4)]
    assert found.length == HOUR
    assert found.whole
    assert list(found.asked) == ["searches by hour"]


def test_spans_are_by_the_clock_on_the_wall() -> None:
    # Where clocks are put back in Berlin, the hour from two to three is there twice.
    sunday = 297 * DAY  # 2026-10-25
    times = [sunday + hour * HOUR for hour in range(-1, 3)]
    found = search_series(tables(times, timezone="Europe/Berlin"), "hour")
    assert [point.searches for point in found.points] == [1, 1, 1, 1]
    midnight = MIDNIGHT + sunday
    assert [(point.at - midnight) // HOUR for point in found.points] == [1, 2, 2, 3]
    assert [point.ahead for point in found.points] == [None, 2 * HOUR, HOUR, None]
    week = {one.hour: (one.searches, one.hours) for one in weekly_hours(found)}
    assert week == {1: (1, 1), 2: (2, 2), 3: (1, 1)}
    latency = latency_series(tables(times, [1.0, 2.0, 3.0, 4.0], timezone="Europe/Berlin"), "hour")
    assert [point.latency["p50"] for point in latency.points] == [1.0, 2.0, 3.0, 4.0]
    evening = [0, 22 * HOUR + 59 * MINUTE, 23 * HOUR]
    days = search_series(tables(evening, timezone="Europe/Berlin"), "day")
    assert [point.searches for point in days.points] == [2, 1]
    assert days.points[0].at == MIDNIGHT


def test_the_span_fits_the_log() -> None:
    assert _fitting_span(tables([0, DAY])) == "minute"
    assert _fitting_span(tables([0, 40 * DAY])) == "hour"
    assert _fitting_span(tables([0, 90 * DAY])) == "day"
    assert search_series(tables([0, 90 * DAY])).span == "day"


def test_a_time_that_is_wrong_by_decades_does_not_fill_the_memory() -> None:
    found = search_series(tables([-55 * 365 * DAY, 0, 1]), "hour")
    assert [point.searches for point in found.points] == [1, 2]
    assert not found.whole


def test_latency_where_it_is_known() -> None:
    found = latency_series(
        tables([0, 1, 2, 3, 2 * HOUR, 3 * HOUR], [30.0, 10.0, None, 20.0, None, 5.0]), "hour"
    )
    assert [point.searches for point in found.points] == [4, 0, 1, 1]
    assert [point.timed for point in found.points] == [3, 0, 0, 1]
    assert found.points[0].latency == {"p50": 20.0, "p90": 30.0, "p99": 30.0}
    assert found.points[1].latency == dict.fromkeys(("p50", "p90", "p99"))
    assert found.points[2].latency["p50"] is None
    assert found.usual is None  # no hour has twenty searches


def test_spikes_are_told_by_the_usual_span() -> None:
    times = [h * HOUR + n for h in range(5) for n in range(20)]
    levels = [10.0, 10.0, 29.9, 30.0, 70.0]
    found = latency_series(tables(times, [level for level in levels for _ in range(20)]), "hour")
    assert found.usual == 29.9
    assert [point.times for point in found.points] == [None] * 5
    levels = [10.0, 10.0, 10.0, 30.0, 29.9]
    found = latency_series(tables(times, [level for level in levels for _ in range(20)]), "hour")
    assert [point.times for point in found.points] == [None, None, None, 3.0, None]


def test_few_searches_are_no_spike() -> None:
    times = [*range(20), *(HOUR + n for n in range(19))]
    found = latency_series(tables(times, [10.0] * 20 + [900.0] * 19), "hour")
    assert found.usual == 10.0
    assert [point.times for point in found.points] == [None, None]


def test_a_log_without_latency_says_what_it_lacks() -> None:
    with pytest.raises(InputError, match=r"queries\.latency_ms"):
        latency_series(tables([0]))


def test_hours_of_the_week() -> None:
    # From Thursday 00:30 to the Thursday after, 01:10.
    found = weekly_hours(
        search_series(tables([MINUTE * 30, 7 * DAY, 7 * DAY + 70 * MINUTE]), "hour")
    )
    assert len(found) == 7 * 24
    assert sum(one.searches for one in found) == 3
    assert sum(one.hours for one in found) == 7 * 24 + 2
    thursday = {one.hour: one for one in found if one.weekday == 3}
    assert (thursday[0].searches, thursday[0].hours, thursday[0].mean) == (2, 2, 1.0)
    assert (thursday[1].searches, thursday[1].hours) == (1, 2)
    assert (thursday[2].searches, thursday[2].hours) == (0, 1)


@pytest.mark.parametrize("seed", range(3))
def test_the_same_as_in_plain_python(seed: int) -> None:
    draw = random.Random(seed)
    times = [draw.randrange(30 * HOUR) for _ in range(400)]
    latency = [draw.choice([None, draw.expovariate(0.01), 50.0]) for _ in times]
    found = latency_series(tables(times, latency), "hour", which=(50, 95))
    buckets: dict[int, list[float]] = defaultdict(list)
    counts: dict[int, int] = defaultdict(int)
    for time, ms in zip(times, latency, strict=True):
        counts[time // HOUR] += 1
        if ms is not None:
            buckets[time // HOUR].append(ms)
    for point in found.points:
        hour = (point.at - MIDNIGHT) // HOUR
        known = sorted(buckets[hour])
        assert point.searches == counts[hour]
        assert point.timed == len(known)
        for name, share in (("p50", 50), ("p90", 90), ("p95", 95)):
            rank = -(-len(known) * share // 100)
            assert point.latency[name] == (known[rank - 1] if known else None)

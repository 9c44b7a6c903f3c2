"""Metrics against the plain-Python reference, on DuckDB; `test_engines.py` has the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.online.log import EVENTS, QUERIES, Log
from cleverdon.online.observing import observe
from cleverdon.online.settings import Settings
from cleverdon.online.worked import log_of
from tests.online.agreement import check
from tests.online.made import logs

HOWS: list[dict[str, Any]] = [
    {},
    {"sessions": "log", "idle_minutes": 5},
    {"sessions": "idle"},
    {"idle_minutes": 5, "keystroke_seconds": 30.0},
    {"idle_minutes": 0.5},
    {"idle_minutes": 120},
    {"success": ("copy",), "least_users": 1, "timezone": "Europe/Berlin"},
    {"dwell_seconds": 40, "least_users": 2, "top": 2, "head": 0.2, "torso": 0.3},
]


def log_with_all(queries: list[dict[str, Any]], events: list[dict[str, Any]]) -> Log:
    """The log, of which every field counts as there, even where it is always null."""
    return replace(log_of(queries, events), lacks=frozenset())


@settings(max_examples=max(5, settings.default.max_examples // 2))  # each takes two seconds
@given(made=logs(), how=st.sampled_from(HOWS))
def test_every_metric_agrees_with_the_reference(made: Any, how: dict[str, Any]) -> None:
    check(log_with_all(*made), *made, **how)


PAGES = [
    {"query_id": "q1", "user": "ann", "time": 0, "text": "shoes", "variant": "A", "device": "m"},
    {"query_id": "q2", "user": "bob", "time": 0, "text": "hats", "variant": "B", "device": "m"},
    {"query_id": "q3", "user": "bob", "time": 86_400_000, "text": "hats", "variant": "B"},
]
CLICKS = [{"event_id": "e", "query_id": "q2", "user": "bob", "time": 5, "action": "click"}]


def small() -> Log:
    return log_of(PAGES, CLICKS, segments=("device",))


def test_values_are_split_by_day() -> None:
    found = observe(small(), ["PageCTR", "Users"], by="day")
    assert found.groups == [("1970-01-01",), ("1970-01-02",)]
    first, second = (found.value("PageCTR", *group) for group in found.groups)
    assert (first.numerator, first.denominator) == (1, 2)
    assert (second.numerator, second.denominator) == (0, 1)
    assert found.value("Users", "1970-01-02").value == 1


def test_values_are_split_by_variant_and_segment_and_what_has_none_comes_last() -> None:
    found = observe(small(), ["Pages"], by=["variant", "device"])
    assert {value.group: value.value for value in found.values} == {
        ("A", "m"): 1,
        ("B", "m"): 1,
        ("B", None): 1,
    }
    assert found.groups[-1] == ("B", None)


def test_null_is_not_zero() -> None:
    found = observe(small())
    assert found.missing["ZeroResults"] == ("queries.results",)
    assert found.missing["Latency"] == ("queries.latency_ms",)
    assert "ZeroResults" not in {str(value.metric) for value in found.values}
    shown = found.value("ImpressionCTR")
    assert (shown.value, shown.denominator) == (None, 0)


def test_a_log_without_events_has_no_abandonment() -> None:
    log = log_of(PAGES, [])
    found = observe(log, ["Abandonment", "Sessions"])
    assert found.missing == {"Abandonment": ("events.action",)}
    assert found.value("Sessions").value == 3


def test_a_log_without_users_and_sessions_counts_pages() -> None:
    rows = [{"query_id": f"q{n}", "time": n, "text": "a"} for n in range(6)]
    found = observe(log_of(rows, []))
    assert found.value("Pages").value == 6
    assert found.missing["Sessions"] == ("queries.user",)
    assert [row["count"] for row in found.list("TopQueries").rows] == [6]


def test_sessions_by_the_logs_own_ids_where_users_are_not_named() -> None:
    rows = [{"query_id": f"q{n}", "time": n, "text": "a", "session": f"s{n % 2}"} for n in range(6)]
    found = observe(log_of(rows, []), ["Sessions"])
    assert found.value("Sessions").value == 2
    assert "own ids" in found.stages.notes[0]


def test_dwell_is_inferred_where_the_log_does_not_say() -> None:
    """A click lasts until the next click or search; of the last one nobody knows."""
    pages = [
        {"query_id": "q1", "user": "ann", "time": 0, "text": "shoes"},
        {"query_id": "q2", "user": "ann", "time": 100_000, "text": "boots"},
        {"query_id": "q3", "user": "bob", "time": 0, "text": "hats"},
    ]
    clicks = [
        {"event_id": "e1", "query_id": "q1", "user": "ann", "time": 10_000, "action": "click"},
        {"event_id": "e2", "query_id": "q1", "user": "ann", "time": 30_000, "action": "click"},
        {"event_id": "e3", "query_id": "q3", "user": "bob", "time": 5_000, "action": "click"},
    ]
    found = observe(log_of(pages, clicks), ["Dwell", "Success"])
    assert (found.value("Dwell").numerator, found.value("Dwell").denominator) == (90, 2)
    # Ann read for 70 seconds, and Bob, after whose click nothing came, counts as satisfied.
    assert found.value("Success").value == 1


def test_a_log_without_a_click_does_not_say_that_nothing_was_clicked() -> None:
    shown = [{"event_id": "e", "query_id": "q1", "time": 5, "action": "impression"}]
    found = observe(log_of(PAGES, shown), ["PageCTR", "Abandonment", "Pages"])
    assert found.missing == {"PageCTR": ("events.click",), "Abandonment": ("events.click",)}


def test_users_who_all_agree_leave_something_open() -> None:
    """Nobody clicked on day two; that is no proof that nobody ever would."""
    found = observe(small(), ["SessionCTR", "QueriesPerSession"], by="variant")
    nobody = found.value("SessionCTR", "A")
    assert (nobody.value, nobody.low, nobody.users) == (0, None, 1)
    pages = [{"query_id": f"q{n}", "user": f"u{n}", "time": n, "results": 1} for n in range(10)]
    found = observe(log_of(pages, []), ["ZeroResults", "QueriesPerSession"])
    share, mean = found.value("ZeroResults"), found.value("QueriesPerSession")
    assert (share.value, share.low) == (0, 0)
    assert share.high == pytest.approx(0.27753, abs=1e-5)
    assert (mean.value, mean.low, mean.high) == (1, None, None)


def test_lists_of_queries_are_split_too() -> None:
    found = observe(small(), ["TopQueries"], by="variant", settings=Settings(least_users=1))
    assert found.list("TopQueries").rows == [
        {"variant": "A", "text": "shoes", "count": 1, "users": 1, "share": 1.0},
        {"variant": "B", "text": "hats", "count": 2, "users": 1, "share": 1.0},
    ]


def test_the_same_split_twice_is_one() -> None:
    assert observe(small(), ["Pages"], by=["day", "day"]).by == ("day",)


def test_times_that_no_log_spans_are_refused() -> None:
    far = [{**PAGES[0]}, {**PAGES[1], "time": 10**17}]
    with pytest.raises(InputError, match="which no log spans"):
        observe(log_of(far, CLICKS))


def test_what_does_not_exist_is_refused_with_a_hint() -> None:
    with pytest.raises(NotationError, match="did you mean 'PageCTR'"):
        observe(small(), ["PageCTRs"])
    with pytest.raises(InputError, match="no segment 'devise'; did you mean 'device'"):
        observe(small(), ["PageCTR"], by="devise")
    with pytest.raises(InputError, match="not one search"):
        observe(log_of([], []))
    with pytest.raises(OptionError, match="level"):
        observe(small(), ["PageCTR"], level=2)


@pytest.mark.parametrize(
    "wrong",
    [
        {"sessions": "clock"},
        {"idle_minutes": 0},
        {"success": ()},
        {"success": ("clicks",)},
        {"percentiles": (0,)},
        {"percentiles": (101,)},
        {"head": 0.9, "torso": 0.2},
        {"least_users": 0},
        {"top": 0},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        Settings(**wrong)


def test_the_columns_of_logs_are_as_documented() -> None:
    log = small()
    assert tuple(log.queries.columns) == (*QUERIES, "device")
    assert tuple(log.events.columns) == tuple(EVENTS)

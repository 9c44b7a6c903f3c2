"""Metrics against the plain-Python reference, on DuckDB; `test_engines.py` has the others."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon.errors import InputError, NotationError, OptionError
from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import EVENTS, QUERIES, Log, log_of
from cleverdon.logs.settings import Settings
from tests.logs.agreement import check
from tests.logs.made import logs

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
    found = measure_log(small(), ["PageCTR", "Users"], by="day")
    assert found.groups == [("1970-01-01",), ("1970-01-02",)]
    first, second = (found.value("PageCTR", *group) for group in found.groups)
    assert (first.numerator, first.denominator) == (1, 2)
    assert (second.numerator, second.denominator) == (0, 1)
    assert found.value("Users", "1970-01-02").value == 1


def test_values_are_split_by_variant_and_segment_and_what_has_none_comes_last() -> None:
    found = measure_log(small(), ["Pages"], by=["variant", "device"])
    assert {value.group: value.value for value in found.values} == {
        ("A", "m"): 1,
        ("B", "m"): 1,
        ("B", None): 1,
    }
    assert found.groups[-1] == ("B", None)


def test_null_is_not_zero() -> None:
    found = measure_log(small())
    assert found.missing["ZeroResults"] == ("queries.results",)
    assert found.missing["Latency"] == ("queries.latency_ms",)
    assert "ZeroResults" not in {str(value.metric) for value in found.values}
    shown = found.value("ImpressionCTR")
    assert (shown.value, shown.denominator) == (None, 0)


def test_a_log_without_events_has_no_abandonment() -> None:
    log = log_of(PAGES, [])
    found = measure_log(log, ["Abandonment", "Sessions"])
    assert found.missing == {"Abandonment": ("events.action",)}
    assert found.value("Sessions").value == 3


def test_a_log_without_users_and_sessions_counts_pages() -> None:
    rows = [{"query_id": f"q{n}", "time": n, "text": "a"} for n in range(6)]
    found = measure_log(log_of(rows, []))
    assert found.value("Pages").value == 6
    assert found.missing["Sessions"] == ("queries.user",)
    assert [row["count"] for row in found.list("TopQueries").rows] == [6]


def test_sessions_by_the_logs_own_ids_where_users_are_not_named() -> None:
    rows = [{"query_id": f"q{n}", "time": n, "text": "a", "session": f"s{n % 2}"} for n in range(6)]
    found = measure_log(log_of(rows, []), ["Sessions"])
    assert found.value("Sessions").value == 2
    assert "own ids" in found.tables.notes[0]


def asked(number: int, minute: float, **who: str | None) -> dict[str, Any]:
    """A search at a minute, by a user, session or client."""
    at = round(minute * 60_000)
    return {"query_id": f"q{number}", "time": at, "text": f"t{number}", **who}


def done(number: int, minute: float, action: str = "click") -> dict[str, Any]:
    """An event of the search of that number."""
    at = round(minute * 60_000)
    return {"event_id": f"e{minute}", "query_id": f"q{number}", "time": at, "action": action}


def sessions(log: Log, **how: Any) -> float | None:
    return measure_log(log, ["Sessions"], settings=Settings(**how)).value("Sessions").value


def test_where_no_user_is_named_the_session_or_the_client_says_who_searched() -> None:
    who: list[dict[str, str | None]] = [
        {"user": "ann", "session": "s1"},
        {"user": None, "session": "s2"},
        {"user": None, "session": "s2"},
        {"user": None, "client": "c1"},
        {"user": None, "client": "c1"},
        {"user": None},
    ]
    log = log_of([asked(number, number, **one) for number, one in enumerate(who)], [])
    found = measure_log(log, ["Sessions", "Queries", "Users", "Pages", "QueriesPerSession"])
    values = {str(value.metric): value.value for value in found.values}
    assert values == {
        "Sessions": 3,
        "Queries": 5,
        "Users": 1,
        "Pages": 6,
        "QueriesPerSession": pytest.approx(5 / 3),
    }
    assert found.value("QueriesPerSession").users == 3
    lost = ("Left out: 1 of 6 searches without a user, session or client.",)
    assert found.notes == {
        "QueriesPerSession": lost,
        "Users": ("Left out: 5 of 6 searches without a user.",),
        "Sessions": lost,
        "Queries": lost,
    }
    assert found.tables.notes[2:] == (
        "4 of 6 searches name no user: the session (2) or the client (2) stands for the user.",
        "1 of 6 searches name no user, session or client: they are in no session.",
    )


@pytest.mark.parametrize("rule", ["idle", "log"])
def test_the_same_id_of_a_user_a_session_and_a_client_is_three_actors(rule: str) -> None:
    who = [{"user": "7", "session": "6"}, {"session": "8"}, {"session": "7"}, {"client": "7"}]
    rows = [asked(number, number, **one) for number, one in enumerate(who)]
    rows += [asked(9, 9, user="8", session="8"), asked(10, 10, user="9", session="8")]
    found = measure_log(log_of(rows, []), ["Sessions", "PageCTR"], settings=Settings(sessions=rule))
    # Session 8 has two users, so that nobody knows whose its anonymous search is.
    assert found.value("Sessions").value == 6


def test_a_user_who_logs_in_during_a_session_is_one() -> None:
    rows = [asked(1, 0, user=None, session="s"), asked(2, 1, user="ann", session="s")]
    assert sessions(log_of(rows, [])) == 1
    assert sessions(log_of(rows, []), sessions="idle") == 1


def test_sessions_of_different_users_are_not_merged() -> None:
    rows = [asked(1, 0, user="ann", session="1"), asked(2, 1, user="bob", session="1")]
    assert sessions(log_of(rows, [])) == 2


def test_a_log_with_session_ids_uses_them_unless_an_idle_time_is_given() -> None:
    rows = [asked(1, 0, user="ann", session="1"), asked(2, 90, user="ann", session="1")]
    log = log_of(rows, [])
    found = measure_log(log, ["Sessions"])
    assert found.value("Sessions").value == 1
    assert found.tables.settings.sessions == "log"
    assert "Sessions follow the log's own ids." in str(found)
    for how in ({"sessions": "idle"}, {"idle_minutes": 30}):
        found = measure_log(log, ["Sessions"], settings=Settings(**how))  # type: ignore[arg-type]
        assert found.value("Sessions").value == 2
        assert "session ends when its user does nothing\nfor 30 minutes." in str(found)
    assert sessions(log, sessions="log", idle_minutes=5) == 1


def test_searches_without_a_session_id_are_in_the_session_around_them() -> None:
    """As where only events have the ids, and a search that nobody clicked on has none."""
    ids = [None, "s1", None, "s1", None, None]
    minutes = [0, 5, 10, 15, 20, 120]
    rows = [
        asked(number, minute, user="ann", session=own)
        for number, (minute, own) in enumerate(zip(minutes, ids, strict=True))
    ]
    found = measure_log(log_of(rows, []), ["Sessions", "Queries"])
    assert (found.value("Sessions").value, found.value("Queries").value) == (2, 6)
    assert found.tables.notes[1].startswith("4 of 6 searches have no session id")


DAY = 24 * 60


@pytest.mark.parametrize("minutes", [0.5, 5, 30, 120])
def test_a_late_event_counts_for_its_search_and_joins_no_sessions(minutes: float) -> None:
    """A purchase on Thursday for a search on Monday; searches on Tuesday and Wednesday."""
    rows = [asked(day, day * DAY, user="ann") for day in range(3)]
    buys = [done(0, 0.4), done(0, 3 * DAY, "conversion")]
    log = log_of(rows, buys)
    found = measure_log(log, ["Sessions", "Success"], settings=Settings(idle_minutes=minutes))
    assert found.value("Sessions").value == 3
    assert (found.value("Success").numerator, found.value("Success").denominator) == (1, 3)


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([20, 40, 60], 1),  # each soon after the one before
        ([40, 60], 2),  # the first is late, and so is what follows it
        ([20, 60], 2),
        ([-30, 60], 2),  # a clock that runs behind
        ([30, 60], 1),  # as long as the idle time, and no longer
    ],
)
def test_a_gap_within_a_pages_own_events_ends_its_use(events: list[int], expected: int) -> None:
    rows = [asked(1, 0, user="ann"), asked(2, 65, user="ann")]
    log = log_of(rows, [done(1, minute) for minute in events])
    assert sessions(log) == expected


def test_dwell_is_not_inferred_from_what_somebody_else_did() -> None:
    """Of two searches that name nobody, the second does not end the first one's click."""
    rows = [asked(1, 0), asked(2, 1)]
    found = measure_log(log_of(rows, [done(1, 0.5)]), ["Dwell"])
    assert found.value("Dwell").denominator == 0


def test_notes_are_in_every_format() -> None:
    rows = [asked(1, 0, user="ann"), asked(2, 1, user=None)]
    found = measure_log(log_of(rows, []), ["Sessions", "TopQueries"])
    lost = "Left out: 1 of 2 searches without a user, session or client."
    for format in ("table", "markdown", "html", "latex", "csv", "tsv"):
        assert lost in found.render(format), format
    told = json.loads(found.render("json"))
    assert told["metric_notes"]["Sessions"] == [lost]
    assert lost in told["metric_notes"]["TopQueries"]
    assert told["notes"] == list(found.tables.notes)
    header, line = found.render("csv").splitlines()
    assert header.endswith(",notes")
    assert "A session ends when its user does nothing for 30 minutes." in line
    listed = measure_log(log_of(rows, []), ["TopQueries"], settings=Settings(least_users=1))
    assert lost in listed.render("csv").splitlines()[1]
    assert lost in listed.render("markdown")


def test_whatever_a_metric_leaves_out_is_noted() -> None:
    pages = [
        {**asked(1, 0, user="ann"), "latency_ms": 5, "results": 3, "page": 1},
        {**asked(2, 1, user="ann"), "text": None},
    ]
    events = [
        {**done(1, 0.5), "position": 2, "dwell_ms": 5},
        done(1, 0.6),
        done(2, 0.5),
        {**done(1, 0.2, "impression"), "position": 1},
        {**done(1, 0.7), "query_id": None},
        {**done(1, 0.8, "copy"), "query_id": "gone"},
    ]
    found = measure_log(log_of(pages, events)).notes
    stray = "Left out: 1 of 4 clicks that belong to no search in the log."
    assert found["PageCTR"] == (stray,)
    assert found["Success"] == (
        "Left out: 2 of 5 clicks, copies and conversions that belong to no search in the log.",
    )
    assert found["ImpressionCTR"][1] == (
        "Left out: 1 of 3 clicks on result pages without an impression."
    )
    assert found["ClickRank"] == (stray, "Left out: 2 of 3 clicks without a position.")
    assert found["Dwell"][1] == "Left out: 2 of 3 clicks with an unknown dwell time."
    assert found["TimeToClick"][1] == (
        "Left out: 1 of 2 result pages with a click whose first click is before the search."
    )
    assert found["Latency"] == ("Left out: 1 of 2 searches without a latency.",)
    assert found["ZeroResults"] == ("Left out: 1 of 2 searches with an unknown number of results.",)
    assert found["Pagination"] == ("Left out: 1 of 2 queries without a page number.",)
    assert found["DistinctQueries"] == ("Left out: 1 of 2 searches without a text.",)
    assert "Left out: 1 of 2 queries without a text." in found["HeadTorsoTail"]
    assert "Left out: 1 of 2 searches without a latency." in found["LatencySpikes"]
    assert not found.keys() & {"Pages", "Sessions", "Users", "QueriesPerTime"}


def test_sessions_that_stand_for_users_are_noted_beside_lists() -> None:
    rows = [asked(n, n, user=None if n else "ann", session=f"s{n}") for n in range(3)]
    (_, note) = measure_log(log_of(rows, []), ["TopQueries"]).list("TopQueries").notes
    assert note.startswith("If no user is named, each session counts as a user")


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
    found = measure_log(log_of(pages, clicks), ["Dwell", "Success"])
    assert (found.value("Dwell").numerator, found.value("Dwell").denominator) == (90, 2)
    # Ann read for 70 seconds, and Bob, after whose click nothing came, counts as satisfied.
    assert found.value("Success").value == 1


def test_a_log_without_a_click_does_not_say_that_nothing_was_clicked() -> None:
    shown = [{"event_id": "e", "query_id": "q1", "time": 5, "action": "impression"}]
    found = measure_log(log_of(PAGES, shown), ["PageCTR", "Abandonment", "Pages"])
    assert found.missing == {"PageCTR": ("events.click",), "Abandonment": ("events.click",)}


def test_users_who_all_agree_leave_something_open() -> None:
    """Nobody clicked on day two; that is no proof that nobody ever would."""
    found = measure_log(small(), ["SessionCTR", "QueriesPerSession"], by="variant")
    nobody = found.value("SessionCTR", "A")
    assert (nobody.value, nobody.low, nobody.users) == (0, None, 1)
    pages = [{"query_id": f"q{n}", "user": f"u{n}", "time": n, "results": 1} for n in range(10)]
    found = measure_log(log_of(pages, []), ["ZeroResults", "QueriesPerSession"])
    share, mean = found.value("ZeroResults"), found.value("QueriesPerSession")
    assert (share.value, share.low) == (0, 0)
    assert share.high == pytest.approx(0.27753, abs=1e-5)
    assert (mean.value, mean.low, mean.high) == (1, None, None)


def test_lists_of_queries_are_split_too() -> None:
    found = measure_log(small(), ["TopQueries"], by="variant", settings=Settings(least_users=1))
    assert found.list("TopQueries").rows == [
        {"variant": "A", "text": "shoes", "count": 1, "users": 1, "share": 1.0},
        {"variant": "B", "text": "hats", "count": 2, "users": 1, "share": 1.0},
    ]


def test_a_segment_with_the_name_of_a_column_of_ours_cannot_be_split_by() -> None:
    log = log_of([{**row, "actor": "x"} for row in PAGES], CLICKS, segments=("actor",))
    with pytest.raises(InputError, match="cannot be split by a segment named 'actor'"):
        measure_log(log, ["Pages"], by="actor")
    assert measure_log(log, ["Pages", "Sessions"]).value("Sessions").value == 3


def test_the_same_split_twice_is_one() -> None:
    assert measure_log(small(), ["Pages"], by=["day", "day"]).by == ("day",)


def test_times_that_no_log_spans_are_refused() -> None:
    far = [{**PAGES[0]}, {**PAGES[1], "time": 10**17}]
    with pytest.raises(InputError, match="which is too long for a log"):
        measure_log(log_of(far, CLICKS))


def test_what_does_not_exist_is_refused_with_a_hint() -> None:
    with pytest.raises(NotationError, match="did you mean 'PageCTR'"):
        measure_log(small(), ["PageCTRs"])
    with pytest.raises(InputError, match="no segment 'devise'; did you mean 'device'"):
        measure_log(small(), ["PageCTR"], by="devise")
    with pytest.raises(InputError, match="the log has no search"):
        measure_log(log_of([], []))
    with pytest.raises(OptionError, match="confidence=2"):
        measure_log(small(), ["PageCTR"], confidence=2)


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

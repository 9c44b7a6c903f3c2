"""What looks alike and is not wrong; and what checks say where there is more to say."""

from __future__ import annotations

from typing import Any

from cleverdon.logs.doctor.checks import examine
from cleverdon.logs.doctor.diagnosis import Limits
from cleverdon.logs.log import Log, log_of
from tests.logs.doctor.rows import (
    DAY,
    HOUR,
    SECOND,
    click,
    event,
    found,
    healthy,
    one,
    page,
    shown,
    with_rows,
)

PAGES, EVENTS = healthy()


def test_clicks_are_matched_by_position_where_there_is_no_document() -> None:
    nameless = [row | {"doc": None} for row in shown(PAGES[2], 1, 2)]
    fine = [click(PAGES[2], 1), click(PAGES[2], 2, doc=None)]
    wrong = [click(PAGES[2], 3), click(PAGES[0], 3, doc="elsewhere")]
    unknown = [click(PAGES[0], 3, doc=None, position=None)]
    finding = one(with_rows(events=[*nameless, *fine, *wrong, *unknown]), CLICKS)
    assert [(row["doc"], row["position"]) for row in finding.examples] == [
        ("elsewhere", 3),
        ("d3", 3),
    ]
    assert finding.count == 2
    assert finding.details == ()


CLICKS = "clicks-without-impressions"


def test_a_log_without_impressions_has_no_clicks_without_them() -> None:
    assert found(log_of(PAGES, [click(PAGES[0], 1)]), CLICKS) == []


def test_a_shift_of_whole_hours_is_told() -> None:
    shifted = [row | {"time": row["time"] - 2 * HOUR} for row in EVENTS]
    finding = one(log_of(PAGES, shifted), "events-before-page")
    assert (finding.count, finding.total) == (12, 12)
    assert "the tables seem to use different zones" in finding.details[1]


def test_unknown_actions_that_resemble_none_are_a_note() -> None:
    finding = one(with_rows(events=[event(PAGES[0], "hover", 1)]), "unknown-actions")
    assert (finding.severity, finding.details) == ("note", ())


def test_events_without_a_search_are_repeated_only_by_the_same_user() -> None:
    lost = [click(row, 1, query_id=None, time=PAGES[0]["time"]) for row in (PAGES[0], PAGES[2])]
    assert found(with_rows(events=lost), "repeated-events") == []
    assert one(with_rows(events=[*lost, lost[0]]), "repeated-events").count == 1


def test_few_of_something_are_a_note() -> None:
    many = [page(10 + n, f"u{n}", n) for n in range(1500)]
    log = with_rows(many, [click(row, 1) for row in many] + [click(many[0], 2, -30)])
    assert one(log, "events-before-page").severity == "note"


def test_bots_of_every_kind_and_those_who_only_look_like_them() -> None:
    day = [page(1000 + n, "all day", 700 * n) for n in range(31)]
    even = [page(2000 + n, "even", 300 * n) for n in range(12)]
    uneven = [page(3000 + n, "uneven", 300 * n + 40 * (n % 2)) for n in range(12)]
    clicks = [page(4000 + n, "clicks", 2 * n) for n in range(120)]
    slow = [page(5000 + n, "slow", 40 * n) for n in range(90)]
    pages = [*day, *even, *uneven, *clicks, *slow]
    rules = {"searches_per_day": 30, "regular_searches": 10}
    finding = one(_log(pages, [click(clicks[5], 1)]), "bots", bots=_rules(**rules))
    people = [row["user"] for row in finding.examples]
    assert people == ["slow", "all day", "even"]
    rules = {"searches_per_day": 100, "regular_searches": 100}
    assert found(_log(pages, [click(clicks[5], 1)]), "bots", bots=_rules(**rules)) == []


def test_what_bots_change_is_told() -> None:
    robot = [page(100 + n, "robot", 2 * n, results=0) for n in range(196)]
    finding = one(with_rows(robot), "bots")
    assert finding.details[2:] == (
        "Without them, PageCTR would be 75.0% rather than 1.5%.",
        "Without them, searches without a result would be 25.0% rather than 98.5%.",
    )


def test_microseconds_are_told_apart_from_milliseconds() -> None:
    log = log_of([page(n, latency_ms=90_000.0 + n) for n in range(4)], [])
    assert "microseconds" in one(log, "latency-unit", least_rows=4).what
    assert found(log, "latency-unit") == []  # too few to say
    fast = log_of([page(n, latency_ms=0.8 if n else 250.0) for n in range(4)], [])
    assert found(fast, "latency-unit", least_rows=4) == []


def test_quiet_weekends_are_usual() -> None:
    week = [40, 40, 40, 40, 40, 2, 2]
    log = _log(_of_days(week * 3))
    assert found(log, "quiet-days", least_a_day=20) == []
    gap = _log(_of_days([*week, 40, 3, *week[2:], *week]))
    assert [row["day"] for row in one(gap, "quiet-days", least_a_day=20).examples] == ["2026-03-10"]


def test_programs_do_not_make_a_day_look_as_if_events_were_lost() -> None:
    pages = _of_days([30, 30, 30])
    robot = [page(9000 + n, "robot", DAY // SECOND + n) for n in range(300)]
    log = _log([*pages, *robot], [click(row, 1) for row in pages])
    assert found(log, "days-without-events", least_a_day=30) == []


def test_values_may_be_missing_for_several_reasons() -> None:
    pages = [row | {"user": None, "variant": None} for row in PAGES[:1]] + PAGES[1:]
    log = log_of(pages, [click(PAGES[0], 1, dwell_ms=None, position=None)])
    told = {
        finding.what: (finding.severity, finding.count, finding.total, finding.noun)
        for finding in found(log, "missing-values")
    }
    assert told == {
        "queries.user is null": ("warning", 1, 4, "searches"),
        "queries.variant is null": ("note", 1, 4, "searches"),
        "events.position is null": ("warning", 1, 1, "impressions and clicks"),
        "events.dwell_ms is null": ("warning", 1, 1, "clicks"),
    }


def test_shares_of_variants_that_do_not_change_are_fine() -> None:
    pages = [
        row | {"user": row["query_id"], "variant": "AB"[n % 2]}
        for n, row in enumerate(_of_days([60, 80, 40, 3]))
    ]
    assert found(_log(pages), "changing-split") == []
    assert found(_log([row | {"variant": "A"} for row in pages]), "changing-split") == []


def test_a_log_without_anything() -> None:
    diagnosis = examine(log_of([], []))
    assert [finding.name for finding in diagnosis.findings] == ["no-searches"]
    assert (diagnosis.size.searches, diagnosis.size.first) == (0, None)
    assert not diagnosis.passes()


def test_what_cannot_be_looked_for_is_named() -> None:
    bare = log_of([{"query_id": "q", "time": PAGES[0]["time"]}], [])
    diagnosis = examine(bare, Limits(now=PAGES[0]["time"]))
    assert diagnosis.findings == ()
    assert diagnosis.skipped["bots"] == ("queries.user",)
    assert diagnosis.skipped["empty-texts"] == ("queries.text",)
    assert diagnosis.skipped["users-in-several-variants"] == ("queries.variant", "queries.user")
    assert "impossible-search-times" not in diagnosis.skipped


def _rules(**rules: Any) -> Any:
    from cleverdon.logs.bots import BotRules

    return BotRules(**rules)


def _log(pages: list[dict[str, Any]], events: list[dict[str, Any]] | None = None) -> Log:
    return log_of(pages, events or [])


def _of_days(counts: list[int]) -> list[dict[str, Any]]:
    return [
        page(1000 * day + n, f"u{n}", day * DAY // SECOND + 60 * n)
        for day, count in enumerate(counts)
        for n in range(count)
    ]

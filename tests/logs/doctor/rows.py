"""Rows of small logs, as whoever tests a check would write them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cleverdon.logs.doctor.checks import RowCheck, _count_rows, checks
from cleverdon.logs.doctor.diagnosis import Finding, Limits
from cleverdon.logs.doctor.facts import LogFacts
from cleverdon.logs.log import Log, log_of

START = 1_772_409_600_000
"""A Monday, the second of March 2026."""
SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000

LIMITS = Limits(now=START + 60 * DAY)

Records = list[dict[str, Any]]


def page(number: int, user: str | None = "ann", at: int = 0, **more: Any) -> dict[str, Any]:
    """A search: `at` is in seconds after the start."""
    row = {"query_id": f"q{number}", "user": user, "time": START + at * SECOND, "page": 1}
    return {**row, "text": f"text {number}", "results": 20, "latency_ms": 40.5 + number, **more}


def event(
    of: dict[str, Any], action: str, rank: int, after: int = 1, **more: Any
) -> dict[str, Any]:
    """What was done with a page: `after` is in seconds after it."""
    row = {"query_id": of["query_id"], "user": of["user"], "action": action}
    row |= {"time": of["time"] + after * SECOND, "doc": f"d{rank}", "position": rank}
    row["event_id"] = f"{of['query_id']} {action} {rank} {after}"
    return {**row, **more}


def shown(of: dict[str, Any], *ranks: int, **more: Any) -> Records:
    return [event(of, "impression", rank, **more) for rank in ranks]


def click(of: dict[str, Any], rank: int, after: int = 10, **more: Any) -> dict[str, Any]:
    return event(of, "click", rank, after, **{"dwell_ms": 5000, **more})


def healthy() -> tuple[Records, Records]:
    """Two users, four searches, clicks on what was shown."""
    pages = [
        page(1, "ann", 0, variant="A"),
        page(2, "ann", 100, page=2, text="text 1", variant="A"),
        page(3, "bob", 50, results=0, variant="B"),
        page(4, "bob", 90, variant="B", latency_ms=12.5),
    ]
    for row in pages:
        row["session"] = f"s of {row['user']}"
    first, second, _, fourth = pages
    events = [
        *shown(first, 1, 2, 3),
        click(first, 2),
        *shown(second, 11, 12),
        click(second, 11, dwell_ms=9000),
        *shown(fourth, 1, 2),
        event(fourth, "conversion", 1, 60),
        click(fourth, 1, 20),
        event(fourth, "copy", 2, 30),
    ]
    return pages, events


def found(log: Log, name: str, **limits: Any) -> list[Finding]:
    """What one check finds, if it is to be asked at all."""
    facts = LogFacts(log, replace(LIMITS, **limits))
    (check,) = (check for check in checks() if check.name == name)
    if not check.asks(facts):
        return []
    if isinstance(check, RowCheck):  # not those of all others over the same table
        facts.counts[check.table] = _count_rows(facts, check.table, [check])
    return list(check.find(facts))


def one(log: Log, name: str, **limits: Any) -> Finding:
    """The one thing that a check finds."""
    (finding,) = found(log, name, **limits)
    return finding


def with_rows(pages: Records | None = None, events: Records | None = None) -> Log:
    """A healthy log, and these rows as well."""
    good_pages, good_events = healthy()
    return log_of([*good_pages, *(pages or [])], [*good_events, *(events or [])])

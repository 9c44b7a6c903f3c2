"""Every check finds what it looks for, with exact counts and examples; and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from cleverdon.logs.doctor.checks import Check, check, checks, examine
from cleverdon.logs.log import Log, UnusableRows, log_of
from cleverdon.logs.metrics.base import metrics
from cleverdon.logs.reading.assembly import _FACETS, _OTHER_TEXT
from tests.logs.doctor.rows import (
    DAY,
    HOUR,
    LIMITS,
    SECOND,
    START,
    click,
    event,
    healthy,
    one,
    page,
    shown,
    with_rows,
)

PAGES, EVENTS = healthy()


@dataclass(frozen=True)
class Case:
    """A log, and what a check is to find in it."""

    log: Callable[[], Log]
    severity: str
    count: int
    total: int | None
    examples: list[dict[str, Any]]
    """Fields that examples must have, one record for each that is shown."""
    details: str = ""
    limits: dict[str, Any] = field(default_factory=dict)


def set_aside() -> Log:
    rows = UnusableRows("events", "the time is none", 4, ("e.jsonl:3: {}", "e.jsonl:9: {}"))
    odd = UnusableRows(
        "events", "position below 1: read as unknown", 1, ("e.jsonl:5: {}",), kept=True
    )
    return replace(with_rows(), aside=(rows, odd))


def sharing_ids() -> Log:
    merged = UnusableRows("queries", _FACETS, 3, ("q.jsonl:2: {}",))
    return replace(with_rows(), merged=(merged,), rows={"queries": 7})


def reusing_ids() -> Log:
    reused = UnusableRows("queries", _OTHER_TEXT, 2, ("q.jsonl:7: {}",))
    return replace(with_rows(), aside=(reused,), rows={"queries": 6})


def read_as_unknown() -> Log:
    gone = UnusableRows("queries", "no time", 4)
    odd = UnusableRows(
        "queries", "results below 0: read as unknown", 2, ("q.jsonl:1: {}",), kept=True
    )
    return replace(with_rows(), aside=(gone, odd))


def without_zone() -> Log:
    note = "queries.time has times without a time zone; they are taken to be in UTC"
    return replace(with_rows(), notes=("Read as ubi.", note))


def crowd() -> list[dict[str, Any]]:
    """Twenty users with five searches each."""
    return [page(100 + n, f"user {n // 5}", 700 * n) for n in range(100)]


def of_days(counts: list[int], **more: Any) -> list[dict[str, Any]]:
    """So many searches on each day."""
    return [
        page(1000 * day + n, f"u{n}", day * DAY // SECOND + 60 * n, **more)
        for day, count in enumerate(counts)
        for n in range(count)
    ]


def without_clicks_on_a_day() -> Log:
    pages = of_days([30, 30, 30])
    return log_of(pages, [click(row, 1) for row in pages if row["time"] < START + 2 * DAY])


def changing_split() -> Log:
    pages = [row | {"user": row["query_id"]} for row in of_days([100, 100])]
    for n, row in enumerate(pages):
        row["variant"] = "B" if n % (2 if n < 100 else 10) == 0 else "A"
    return log_of(pages, [])


CASES: dict[str, Case] = {
    "no-searches": Case(lambda: log_of([], [click(PAGES[0], 1)]), "error", 0, None, []),
    "rows-set-aside": Case(
        set_aside, "error", 4, 16, [{"row": "e.jsonl:3: {}"}, {"row": "e.jsonl:9: {}"}]
    ),
    "merged-requests": Case(sharing_ids, "note", 3, 7, [{"row": "q.jsonl:2: {}"}]),
    "reused-query-ids": Case(reusing_ids, "error", 2, 6, [{"row": "q.jsonl:7: {}"}]),
    "unknown-values": Case(read_as_unknown, "warning", 2, 4, [{"row": "q.jsonl:1: {}"}]),
    "zoneless-times": Case(without_zone, "warning", 1, None, [], details="taken to be in UTC"),
    "no-clicks": Case(lambda: log_of(PAGES, shown(PAGES[0], 1, 2)), "error", 2, 2, []),
    "no-impressions": Case(lambda: log_of(PAGES, [click(PAGES[0], 1)]), "note", 1, 1, []),
    "unknown-actions": Case(
        lambda: with_rows(events=[event(PAGES[0], "view", 1), event(PAGES[0], "Clicked", 2)]),
        "warning",
        2,
        14,
        [{"action": "Clicked", "events": 1}, {"action": "view", "events": 1}],
        details="'Clicked' is probably 'click'.",
    ),
    "clicks-without-impressions": Case(
        lambda: with_rows(
            events=[click(PAGES[0], 9), click(PAGES[0], 3, doc=None), click(PAGES[2], 1)]
        ),
        "error",
        2,
        6,
        [
            {"query_id": "q1", "doc": "d9", "position": 9, "shown_results": 3},
            {"query_id": "q3", "doc": "d1", "position": 1, "shown_results": 0},
        ],
        details="1 of them are on pages without any impression.",
    ),
    "events-without-query": Case(
        lambda: with_rows(events=[click(PAGES[0], 1, query_id=None)]),
        "warning",
        1,
        13,
        [{"query_id": None, "action": "click", "doc": "d1", "user": "ann"}],
    ),
    "events-of-unknown-pages": Case(
        lambda: with_rows(events=[click(PAGES[0], 1, query_id="lost")]),
        "error",
        1,
        13,
        [{"query_id": "lost", "doc": "d1"}],
    ),
    "events-on-empty-pages": Case(
        lambda: with_rows(events=[*shown(PAGES[2], 1), event(PAGES[2], "copy", 1)]),
        "error",
        1,
        14,
        [{"query_id": "q3", "action": "impression", "results": 0}],
    ),
    "events-of-other-users": Case(
        lambda: with_rows(events=[click(PAGES[0], 1, user="eve")]),
        "warning",
        1,
        13,
        [{"user": "eve", "asked_by": "ann"}],
    ),
    "impossible-search-times": Case(
        lambda: with_rows([page(7, time=17), page(8, time=START + 90 * DAY)]),
        "error",
        2,
        6,
        [{"query_id": "q7", "time": 17}, {"query_id": "q8"}],
    ),
    "impossible-event-times": Case(
        lambda: with_rows(events=[click(PAGES[0], 1, time=START // 1000)]),
        "error",
        1,
        13,
        [{"query_id": "q1", "time": START // 1000}],
    ),
    "events-before-page": Case(
        lambda: with_rows(
            events=[click(PAGES[0], 1, -60), click(PAGES[0], 2, -120), click(PAGES[0], 3, -1)]
        ),
        "error",
        2,
        15,
        [{"asked": START, "time": START - 120 * SECOND}, {"time": START - 60 * SECOND}],
        details="early by 90 s in the median, by 2 min at most; users with early events: 1.",
    ),
    "late-events": Case(
        lambda: with_rows(events=[click(PAGES[0], 1, 25 * 3600), click(PAGES[0], 1, 23 * 3600)]),
        "error",
        1,
        14,
        [{"query_id": "q1", "time": START + 25 * HOUR}],
    ),
    "clicks-before-impressions": Case(
        lambda: with_rows(events=[*shown(PAGES[0], 7, after=20), click(PAGES[0], 7, 10)]),
        "warning",
        1,
        4,
        [{"doc": "d7", "time": START + 10 * SECOND, "shown": START + 20 * SECOND}],
    ),
    "dwell-beyond-next": Case(
        lambda: with_rows(events=[click(PAGES[0], 1, 20, dwell_ms=80 * SECOND + 1001)]),
        "warning",
        1,
        2,
        [{"doc": "d1", "dwell_ms": 81_001, "until_next_ms": 80_000}],
    ),
    "odd-dwells": Case(
        lambda: with_rows(
            events=[click(PAGES[0], 1, dwell_ms=-1), click(PAGES[0], 3, dwell_ms=None)]
        ),
        "warning",
        1,
        4,
        [{"doc": "d1", "dwell_ms": -1}],
    ),
    "repeated-events": Case(
        lambda: with_rows(events=[EVENTS[0], EVENTS[0], EVENTS[3] | {"event_id": "another"}]),
        "error",
        3,
        15,
        [
            {"query_id": "q1", "action": "impression", "doc": "d1", "times": 3},
            {"query_id": "q1", "action": "click", "doc": "d2", "times": 2},
        ],
    ),
    "repeated-event-ids": Case(
        lambda: with_rows(events=[click(PAGES[0], 1, event_id=EVENTS[0]["event_id"])]),
        "error",
        1,
        13,
        [{"event_id": EVENTS[0]["event_id"], "times": 2}],
    ),
    "repeated-searches": Case(
        lambda: with_rows([PAGES[3] | {"query_id": "q9"}]),
        "error",
        1,
        5,
        [{"user": "bob", "text": "text 4", "page": 1, "times": 2}],
    ),
    "repeated-query-ids": Case(
        lambda: with_rows([page(4, "eve", 500)]), "error", 1, 5, [{"query_id": "q4", "times": 2}]
    ),
    "bots": Case(
        lambda: with_rows([page(10 + n, "robot", 2 * n, results=0) for n in range(101)]),
        "error",
        1,
        3,
        [{"user": "robot", "searches": 101, "first": START, "gap_ms": 2000.0}],
        details="They made 101 of 105 searches, 96.2%.",
    ),
    "heavy-users": Case(
        lambda: log_of([*crowd(), *(page(n, "proxy", 800 * n) for n in range(30))], []),
        "warning",
        1,
        21,
        [{"user": "proxy", "searches": 30, "share": "23.1%"}],
        details="More than 10% of 130 searches each.",
    ),
    "long-sittings": Case(
        lambda: with_rows(
            [page(10 + n, "proxy", 1700 * n + (5000 if n > 11 else 0)) for n in range(16)]
        ),
        "warning",
        1,
        None,
        [{"user": "proxy", "searches": 12, "first": START}],
        limits={"session_searches": 10},
    ),
    "long-sessions": Case(
        lambda: with_rows([page(10 + n, session="endless", at=4000 * n) for n in range(6)]),
        "warning",
        1,
        3,
        [{"session": "endless", "searches": 6, "last": START + 20_000 * SECOND}],
        limits={"session_searches": 5},
    ),
    "shared-sessions": Case(
        lambda: with_rows([page(7, "eve", session="s of ann"), page(8, "kim", session="other")]),
        "warning",
        1,
        3,
        [{"session": "s of ann", "user": "ann", "another": "eve", "searches": 3}],
    ),
    "missing-values": Case(
        lambda: with_rows([page(7, None, session="other", variant="A")]), "warning", 1, 5, []
    ),
    "constant-columns": Case(
        lambda: log_of([page(n, f"u{n}", page=1 + n) for n in range(5)], []),
        "warning",
        5,
        5,
        [],
        limits={"least_rows": 5},
    ),
    "empty-texts": Case(
        lambda: with_rows([page(7, text=" \t"), page(8, text=None)]),
        "warning",
        1,
        5,
        [{"query_id": "q7", "text": " \t"}],
    ),
    "huge-texts": Case(
        lambda: with_rows([page(7, text="ab" * 251), page(8, text="a" * 500)]),
        "warning",
        1,
        6,
        [{"query_id": "q7", "text": "ab" * 30 + "..."}],
    ),
    "odd-latencies": Case(
        lambda: with_rows(
            [page(5 + n, latency_ms=ms) for n, ms in enumerate((0, -1, 600_001, 600_000, None))]
        ),
        "error",
        3,
        8,
        [{"latency_ms": 0.0}, {"latency_ms": -1.0}, {"latency_ms": 600_001.0}],
        details="1 are zero, 1 below zero, 1 above 600 seconds.",
    ),
    "latency-unit": Case(
        lambda: log_of([page(n, latency_ms=0.2 + 0.3 * n) for n in range(5)], []),
        "warning",
        3,
        5,
        [{"latency_ms": 0.2}, {"latency_ms": 0.5}, {"latency_ms": 0.8}],
        limits={"least_rows": 5},
    ),
    "odd-numbers": Case(
        lambda: with_rows([page(7, results=-1), page(8, page=0), page(9, results=None)]),
        "error",
        2,
        7,
        [{"query_id": "q7", "results": -1}, {"query_id": "q8", "page": 0}],
    ),
    "positions-below-one": Case(
        lambda: with_rows(events=shown(PAGES[0], 0)), "error", 1, 13, [{"doc": "d0", "position": 0}]
    ),
    "huge-positions": Case(
        lambda: with_rows(events=shown(PAGES[0], 10_001)), "error", 1, 13, [{"position": 10_001}]
    ),
    "positions-within-pages": Case(
        lambda: with_rows(events=shown(PAGES[1], 1)),
        "warning",
        1,
        11,
        [{"query_id": "q2", "position": 1, "page": 2}],
    ),
    "position-gaps": Case(
        lambda: with_rows(events=shown(PAGES[0], 104)),
        "warning",
        1,
        3,
        [{"query_id": "q1", "impressions": 4, "first_position": 1, "last_position": 104}],
    ),
    "quiet-days": Case(
        lambda: log_of(of_days([5, 40, 9, 40, 0, 40, 5, 40, 40, 40, 1]), []),
        "warning",
        3,
        11,
        [
            {"day": "2026-03-06", "searches": 0, "usual": 40},
            {"day": "2026-03-08", "searches": 5, "usual": 40},
            {"day": "2026-03-04", "searches": 9, "usual": 40},
        ],
        limits={"least_a_day": 40},
    ),
    "days-without-events": Case(
        without_clicks_on_a_day,
        "warning",
        1,
        3,
        [{"day": "2026-03-04", "searches": 30, "clicks": 0, "usual": 30}],
        limits={"least_a_day": 30},
    ),
    "users-in-several-variants": Case(
        lambda: with_rows([page(7, variant="B")]),
        "error",
        1,
        2,
        [{"user": "ann", "variant": "A", "another": "B", "searches": 3}],
    ),
    "changing-split": Case(
        changing_split,
        "warning",
        2,
        2,
        [
            {"day": "2026-03-02", "users in A": 50, "users in B": 50},
            {"day": "2026-03-03", "users in A": 90, "users in B": 10},
        ],
        details="The probability of such a change by chance is 7e-10.",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_check_finds_what_it_looks_for(name: str) -> None:
    case = CASES[name]
    finding = one(case.log(), name, **case.limits)
    assert (finding.name, finding.severity) == (name, case.severity)
    assert (finding.count, finding.total) == (case.count, case.total)
    assert len(finding.examples) == len(case.examples)
    for example, expected in zip(finding.examples, case.examples, strict=True):
        assert {key: example[key] for key in expected} == expected
    assert case.details in " ".join(finding.details)
    assert finding.remedy


def test_every_check_has_a_case() -> None:
    assert set(CASES) == {check.name for check in checks()}


def test_no_check_finds_anything_in_a_healthy_log() -> None:
    diagnosis = examine(with_rows(), replace(LIMITS, least_rows=4))
    assert diagnosis.skipped == {}
    notes = {"events.dwell_ms is null", "queries.variant is null"}
    assert {finding.what for finding in diagnosis.findings} <= notes
    assert diagnosis.passes(strict=True)


def test_every_check_says_what_there_is_to_say() -> None:
    known = {cls.__name__ for cls in metrics()}
    for one_check in checks():
        assert one_check.what
        assert one_check.matters.endswith(".")
        assert one_check.remedy
        assert not one_check.remedy.endswith(".")
        assert set(one_check.spoils) <= known, one_check.name


def test_the_guide_lists_every_check() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "logs_check.md").read_text("utf-8")
    told = re.findall(r"^\| `([a-z-]+)` \| (.+?) \|", guide, flags=re.MULTILINE)
    assert told == [(one_check.name, one_check.what) for one_check in checks()]


def test_a_name_that_is_taken_is_refused() -> None:
    with pytest.raises(ValueError, match="there is a check 'Bots' already"):

        @check
        class Bots(Check):
            """Another one."""

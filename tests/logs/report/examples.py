"""Logs whose reports can be worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from cleverdon.logs.log import Log, UnusableRows, log_of
from cleverdon.logs.report.page import LogsReport, logs_report
from cleverdon.logs.settings import Settings

MIDNIGHT = 1_767_225_600_000
"""The first of January 2026, in UTC."""
DAY = 86_400_000
USERS = 24
ODD = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
SECRET = "classified"
"""What stands in every id, and in every text that only one user searched for."""


def usual_log(*, variants: bool = True) -> Log:
    """Three days, a search of each user on each; an odd text that many ask, and rare ones."""
    pages: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for at in range(3 * USERS):
        day, user = divmod(at, USERS)
        name = f"{SECRET}-q{at}"
        time = MIDNIGHT + day * DAY + user * 60_000
        page: dict[str, Any] = {
            "query_id": name,
            "user": f"{SECRET}-u{user}",
            "session": f"{SECRET}-s{at}",
            "time": time,
            "text": [ODD, "shoes", "Boots", f"{SECRET} words {user}"][user % 4],
            "page": 1,
            "results": 0 if user % 4 == 2 else 12,
            "latency_ms": 20.0 + user if day < 2 else None,
        }
        if variants:
            page["variant"] = ODD if user % 2 else "A"
        pages.append(page)
        shown = {"query_id": name, "user": page["user"], "time": time + 50, "doc": "sandals"}
        events.append(shown | {"action": "impression", "position": 1})
        if user % 3 == 0:
            dwell = {"dwell_ms": 45_000 if day else 2000}
            click = {"action": "click", "time": time + 4000, "position": 1 + user % 5}
            events.append(shown | click | dwell)
    return log_of(pages, events)


def bare_log() -> Log:
    """Times and texts, and nothing else."""
    rows = [{"query_id": f"q{at}", "time": MIDNIGHT + at, "text": "shoes"} for at in range(3)]
    return log_of(rows, [])


def with_aside(log: Log) -> Log:
    """The same with a row that could not be read, and that names a user."""
    aside = UnusableRows("queries", "no time", 2, (f"q.jsonl:3: user={SECRET}-u1",))
    return replace(log, aside=(aside,))


@cache
def usual() -> LogsReport:
    return made_anew()


def made_anew() -> LogsReport:
    """The usual report once more, which takes seconds."""
    return logs_report(
        with_aside(usual_log()), title=ODD, control="A", settings=Settings(least_users=3)
    )


@cache
def strict() -> LogsReport:
    """The same log with other settings, and without a doctor."""
    settings = Settings(least_users=20, sessions="log", fold=False)
    return logs_report(usual_log(), settings=settings, check=False, control="A")


@cache
def bare() -> LogsReport:
    return logs_report(bare_log())

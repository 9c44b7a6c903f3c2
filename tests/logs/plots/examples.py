"""A log that is small enough to be worked out by hand, and what is counted in it."""

from __future__ import annotations

from functools import cache
from typing import Any

from cleverdon.logs.log import log_of
from cleverdon.logs.session_tables import SessionTables, build_session_tables

MIDNIGHT = 1_767_225_600_000
"""The first of January 2026, in UTC: a Thursday."""
DAY = 86_400_000
ODD = "</script><script>alert('&')</script> of \"forty\""


@cache
def tables() -> SessionTables:
    """Three days, of which nothing happened on the second; two variants and some of neither.

    On each of the other days six users search: three of A, two of B, and one of no variant.
    """
    pages: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    for day in (0, 2):
        for user in range(6):
            name = f"q{day}-{user}"
            pages.append(
                {
                    "query_id": name,
                    "user": f"secret-user-{user}",
                    "session": f"secret-session-{day}-{user}",
                    "time": MIDNIGHT + day * DAY + user * 1000,
                    "text": "Shoes" if user < 5 else f"private words {day}",
                    "results": 0 if user == 3 else 8,
                    "latency_ms": 100.0 + user,
                    "variant": "AABBA-"[user] if user < 5 else None,
                }
            )
            events += [
                {
                    "query_id": name,
                    "time": MIDNIGHT + day * DAY + user * 1000 + 500,
                    "action": "click",
                    "doc": f"secret-doc-{user}",
                    "position": user + 1,
                    "dwell_ms": 40_000 if day else 1000,
                }
            ] * (user in (0, 2))
    return build_session_tables(log_of(pages, events), split=("variant",))

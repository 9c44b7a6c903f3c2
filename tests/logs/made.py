"""Small logs that hypothesis makes up: few users, few words, all that can be missing missing.

Users, sessions and clients have the same ids, so that whoever mixes them up is found out.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

START = 1_774_746_000_000 - 3 * 3_600_000
"""Three hours before the clocks change in Europe, so that days and hours are not all as long."""

WORDS = ["a", "A ", "ab", "abc", "b", "ß", "SS", "b  c", "B c", None]

_LATE = 3 * 24 * 3_600_000

_actions = st.sampled_from(
    ["impression", "impression", "click", "click", "copy", "conversion", "x"]
)


@st.composite
def logs(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Records of queries and of events."""
    queries: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    times = st.integers(0, 400).map(lambda minute: START + minute * 30_000) | st.integers(
        START, START + 12 * 3_600_000
    )
    for number in range(draw(st.integers(1, 25))):
        user = draw(st.sampled_from(["1", "2", "3", "4", "5", "6", None, None]))
        page = {
            "query_id": f"q{draw(st.integers(0, 9))}-{number}",
            "user": user,
            "session": draw(st.sampled_from([user, "1", "2", "7", "8", None])),
            "client": draw(st.sampled_from(["1", "9", None, None])),
            "time": draw(times),
            "text": draw(st.sampled_from(WORDS)),
            "page": draw(st.sampled_from([None, 1, 1, 2, 3])),
            "results": draw(st.sampled_from([None, 0, 0, 7])),
            "latency_ms": draw(st.sampled_from([None, 1.5, 10.0, 10.0, 99.25])),
            "variant": draw(st.sampled_from(["A", "B", None])),
        }
        queries.append(page)
        for _ in range(draw(st.integers(0, 4))):
            action = draw(_actions)
            known = draw(st.booleans())
            events.append(
                {
                    "event_id": f"e{len(events)}",
                    "query_id": page["query_id"] if draw(st.integers(0, 9)) else None,
                    "user": user,
                    "session": page["session"],
                    "client": page["client"],
                    "time": page["time"]
                    + draw(st.sampled_from([-5000, 0, 1000, 40_000, 1_500_000, 3_000_000, _LATE])),
                    "action": action,
                    "doc": draw(st.sampled_from(["d1", "d2", None])),
                    "position": draw(st.integers(1, 20)) if known else None,
                    "dwell_ms": draw(st.sampled_from([0, 29_999, 30_000, 45_000]))
                    if action == "click" and draw(st.booleans())
                    else None,
                }
            )
    return queries, events

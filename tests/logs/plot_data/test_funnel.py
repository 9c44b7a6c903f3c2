"""How far sessions come."""

from __future__ import annotations

from typing import Any

import pytest

from cleverdon.errors import InputError
from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import log_of, worked_log
from cleverdon.logs.plot_data import Funnel, count_funnels
from cleverdon.logs.session_tables import build_session_tables
from cleverdon.logs.settings import Settings

LOG = """
    ann 0:00 shoes results=9 click@1+40
    ann 5:00 boots results=9 click@1+2
    bob 0:00 shos  results=0
    bob 0:01 shoes results=3
    eve 0:00 shos  results=0
    joe 0:00 hats  results=4 copy
    kim 0:00 hats  results=4 click@2+1 conversion
    lee 0:00 caps
    moe 0:00 shos  results=0 click@1+1
    =
"""


def steps(found: Funnel) -> dict[str, int]:
    return {step.name: step.count for step in found.steps}


def test_each_step_by_hand() -> None:
    of = build_session_tables(worked_log(LOG)[0])
    (found,) = count_funnels(of)
    # Of lee's search nobody knows what it found; moe clicked on what is said not to be there.
    assert steps(found) == {"sessions": 8, "with results": 7, "with a click": 4, "a success": 2}
    assert found.share(0) == 1.0
    assert found.share(3) == 0.25
    assert (found.passed(0), found.passed(3)) == (None, 0.5)


def test_the_last_steps_are_those_of_the_metrics() -> None:
    for settings in (Settings(), Settings(success=("conversion",)), Settings(dwell_seconds=1)):
        of = build_session_tables(worked_log(LOG)[0], settings)
        (found,) = count_funnels(of)
        results = measure_log(of, ["SessionCTR", "Success"])
        assert steps(found)["with a click"] == results.value("SessionCTR").numerator
        assert steps(found)["a success"] == results.value("Success").numerator


def pages(*rows: tuple[str, str | None, int | None]) -> list[dict[str, Any]]:
    return [
        {"query_id": f"q{at}", "user": user, "time": 0, "text": "a", "variant": v, "results": found}
        for at, (user, v, found) in enumerate(rows)
    ]


def test_by_variant() -> None:
    log = log_of(
        pages(("ann", "B", 3), ("bob", "A", 0), ("eve", "A", 2), ("joe", None, 1)),
        [{"query_id": "q0", "time": 1, "action": "click", "dwell_ms": 99_000}],
    )
    found = count_funnels(build_session_tables(log, split=("variant",)), by="variant")
    assert [one.group for one in found] == ["A", "B", None]
    assert [list(steps(one).values()) for one in found] == [
        [2, 1, 0, 0],
        [1, 1, 1, 1],
        [1, 1, 0, 0],
    ]


def test_what_the_log_cannot_tell_is_left_out() -> None:
    page = {"query_id": "q", "user": "ann", "time": 0, "text": "a"}
    (bare,) = count_funnels(build_session_tables(log_of([page], [])))
    assert steps(bare) == {"sessions": 1}
    (counted,) = count_funnels(build_session_tables(log_of([page | {"results": 0}], [])))
    assert steps(counted) == {"sessions": 1, "with results": 0}
    (clicked,) = count_funnels(
        build_session_tables(log_of([page], [{"query_id": "q", "time": 1, "action": "click"}]))
    )
    # How long it was looked at is not known, and nothing followed: that is a sign of success.
    assert steps(clicked) == {"sessions": 1, "with a click": 1, "a success": 1}
    del page["user"]
    with pytest.raises(InputError, match="a funnel needs"):
        count_funnels(build_session_tables(log_of([page], [])))

"""How many searches, clicks or sessions have which value."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cleverdon.errors import InputError, OptionError
from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import log_of, worked_log
from cleverdon.logs.plot_data import (
    _DISTRIBUTIONS,
    _EDGES,
    Distribution,
    _distribution,
    distributions,
)
from cleverdon.logs.session_tables import SessionTables, build_session_tables
from cleverdon.logs.settings import Settings

LOG = """
    ann 0:00 shoes latency=10 click@1+30~2 click@3+5~20 click@25~30
    ann 0:05 boots latency=12.5
    ann 0:06 socks
    bob 0:00 hats  latency=0.5 click@1+2~1 copy
    eve 0:00 hats  latency=1 click+700~-4
    =
"""


def tables() -> SessionTables:
    return build_session_tables(worked_log(LOG)[0])


def counts(found: Distribution) -> dict[tuple[float, float | None], int]:
    return {(one.low, one.high): one.count for one in found.bins if one.count}


def test_edges_rise_by_about_a_quarter() -> None:
    ratios = [after / before for before, after in pairwise(_EDGES)]
    assert _EDGES[0] == 1
    assert _EDGES[-1] == 10_000_000
    assert min(ratios) == pytest.approx(1.25, abs=0.02)
    assert max(ratios) == pytest.approx(1.28, abs=0.02)


def test_a_value_at_an_edge_is_in_the_bin_that_begins_there() -> None:
    found = _distribution(tables(), "latency")
    assert counts(found) == {(0, 1): 1, (1, 1.25): 1, (10, 12.5): 1, (12.5, 16): 1}
    assert found.total == 4  # of one search it is not known, which is not 0
    # Bins between are there, so that a plot has no holes.
    assert [one.low for one in found.bins] == [0, *_EDGES[:12]]


def test_ranks_are_counted_one_by_one_up_to_the_last() -> None:
    found = _distribution(tables(), "click_rank")
    assert counts(found) == {(1, 2): 2, (3, 4): 1, (21, None): 1}


def test_clicks_before_their_page_are_left_out() -> None:
    assert counts(_distribution(tables(), "time_to_click")) == {(1, 1.25): 1, (2, 2.5): 1}


def test_dwell_and_sessions() -> None:
    assert counts(_distribution(tables(), "dwell")) == {
        (2, 2.5): 1,
        (5, 6.3): 1,
        (25, 31.5): 1,
        (630, 800): 1,
    }
    assert counts(_distribution(tables(), "queries_per_session")) == {(1, 2): 2, (3, 4): 1}


def test_they_add_up_to_what_metrics_divide_by() -> None:
    of = tables()
    found = {one.kind.name: one.total for one in distributions(of)}
    names = {
        "latency": "Latency",
        "click_rank": "ClickRank",
        "time_to_click": "TimeToClick",
        "dwell": "Dwell",
        "queries_per_session": "QueriesPerSession",
    }
    results = measure_log(of, list(names.values()))
    assert set(found) == set(names) == set(_DISTRIBUTIONS)
    for name, metric in names.items():
        assert found[name] == results.value(metric).denominator


def test_clicks_of_searches_that_do_not_count_do_not_count() -> None:
    pages = [
        {"query_id": "q1", "user": "ann", "time": 0, "text": "sho"},
        {"query_id": "q2", "user": "ann", "time": 500, "text": "shoes"},
    ]
    clicks = [
        {"query_id": page, "time": 900, "action": "click", "position": 1}
        for page in ("q2", "nowhere", None)
    ]
    of = build_session_tables(log_of(pages, clicks), Settings(keystroke_seconds=1))
    assert _distribution(of, "click_rank").total == 1


def test_what_the_log_does_not_have() -> None:
    of = build_session_tables(log_of([{"query_id": "q", "time": 0, "text": "shoes"}], []))
    assert distributions(of) == []
    with pytest.raises(InputError, match=r"queries\.latency_ms"):
        _distribution(of, "latency")
    with pytest.raises(InputError, match=r"queries\.user"):
        _distribution(of, "queries_per_session")
    with pytest.raises(OptionError, match="did you mean 'latency'"):
        _distribution(of, "latancy")


@settings(max_examples=12)
@given(st.lists(st.floats(0, 2e7), min_size=1, max_size=30))
def test_the_same_as_in_plain_python(values: list[float]) -> None:
    pages: list[dict[str, Any]] = [
        {"query_id": f"q{at}", "time": at, "text": "a", "latency_ms": value}
        for at, value in enumerate(values)
    ]
    log = log_of(pages, [])
    # Only what this needs of the tables, since making all of them takes long.
    table = log.queries
    of = SessionTables(log, Settings(), *[table] * 4, {}, {}, 0, len(values), {})
    found = counts(_distribution(of, "latency"))
    wanted: dict[tuple[float, float | None], int] = {}
    for value in values:
        at = bisect_right(_EDGES, value)
        ends = (_EDGES[at - 1] if at else 0, _EDGES[at] if at < len(_EDGES) else None)
        wanted[ends] = wanted.get(ends, 0) + 1
    assert found == wanted

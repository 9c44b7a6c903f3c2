"""Credit: clicks that count, and clicks and records that did not find each other."""

from __future__ import annotations

import ibis
import pytest

from cleverdon.errors import InputError
from cleverdon.logs.interleaving.base import Record, _RecordColumns
from cleverdon.logs.interleaving.credit import QueryCredit, credit_clicks, credit_log
from cleverdon.logs.log import EVENTS, QUERIES, Log, conform

RECORDS = [
    Record("q1", "team-draft", 0, ("x", "y", "z"), {"team": ("A", "B", None)}),
    Record("q2", "team-draft", 0, ("x", "y"), {"team": ("B", "A")}),
    Record("q3", "optimised", 0, ("x", "y"), {"credit_a": (1.0, 0.5), "credit_b": (0.5, 1.0)}),
    Record("q4", "team-draft", 0, (), {"team": ()}),
]
CLICKS = [
    ("q1", "x"),
    ("q1", "x"),
    ("q1", "z"),
    ("q1", "w"),
    ("q2", None),
    ("q3", "x"),
    ("q3", "y"),
    ("q9", "x"),
    ("q9", "y"),
    ("q8", "x"),
]


def log(*, users: str = "queries") -> Log:
    """The same clicks as a log, with a query more and a record's query missing."""
    of = {"q1": "u1", "q2": "u1", "q3": "u2"}
    # With `both`, one query names its user, and clicks on the others do.
    asked_by = {"queries": of, "both": {"q1": "u1"}}.get(users, {})
    done_by = {"events": of, "both": {"q2": "u1", "q3": "u2"}}.get(users, {})
    queries = [
        {"query_id": query, "time": 1, "user": asked_by.get(query)}
        for query in ("q1", "q2", "q3", "q8", "q9")
    ]
    events = [
        {
            "query_id": query,
            "time": 2,
            "action": "click",
            "doc": doc,
            "user": done_by.get(query),
        }
        for query, doc in CLICKS
    ]
    shown = {"query_id": "q2", "time": 2, "action": "impression", "doc": "y", "user": None}
    lost = {"query_id": None, "time": 2, "action": "click", "doc": "x", "user": None}
    schemas = [
        ibis.schema({name: columns[name] for name in row})
        for columns, row in ((QUERIES, queries[0]), (EVENTS, events[0]))
    ]
    return Log(
        conform(ibis.memtable(queries, schema=schemas[0]), QUERIES),
        conform(ibis.memtable([*events, shown, lost], schema=schemas[1]), EVENTS),
    )


def test_of_clicks() -> None:
    found = credit_clicks(RECORDS, CLICKS, users={"q1": "u1"})
    assert found.queries == (
        QueryCredit("q1", "u1", 1.0, 0.0, 1),
        QueryCredit("q2", None, 0.0, 0.0, 0),
        QueryCredit("q3", None, 1.5, 1.5, 2),
        QueryCredit("q4", None, 0.0, 0.0, 0),
    )
    assert [query.winner for query in found.queries] == ["A", "none", "tie", "none"]
    assert (found.counted, found.repeated, found.below, found.not_shown) == (3, 1, 1, 1)
    assert (found.without_doc, found.without_record, found.queries_without_record) == (1, 3, 2)
    assert found.methods == {"team-draft": 3, "optimised": 1}
    assert (found.clicked, found.users, found.not_logged) == (2, 1, None)
    assert not found.fair_by_wins  # for optimised interleaving is among them


@pytest.mark.parametrize("users", ["queries", "events", "both"])
def test_of_a_log_it_is_the_same(users: str) -> None:
    found = credit_log(log(users=users), RECORDS)
    plain = credit_clicks(RECORDS, CLICKS)
    assert [query._replace(user=None) for query in found.queries] == list(plain.queries)
    assert [query.user for query in found.queries] == ["u1", "u1", "u2", None]
    assert (found.counted, found.repeated, found.below, found.not_shown) == (3, 1, 1, 1)
    assert (found.without_doc, found.without_record, found.queries_without_record) == (1, 3, 2)
    assert found.not_logged == 1


def test_a_log_without_users_or_clicks() -> None:
    nobody = credit_log(log(users="nobody"), RECORDS)
    assert {query.user for query in nobody.queries} == {None}
    none = log()
    none = Log(none.queries, none.events.filter(none.events.action == "conversion"))
    found = credit_log(none, RECORDS)
    assert (found.counted, found.clicked, found.without_record) == (0, 0, 0)
    assert credit_log(log(), []).without_record == 10


def test_a_log_that_says_nothing_of_documents() -> None:
    of = log()
    with pytest.raises(InputError, match=r"interleaving needs columns .*events\.doc"):
        credit_log(Log(of.queries, of.events, lacks=frozenset({"events.doc"})), RECORDS)


def test_two_records_of_one_query() -> None:
    with pytest.raises(InputError, match="query 'q1' has two records"):
        credit_clicks([*RECORDS, RECORDS[0]], [])


def test_simple_credit_of_probabilistic_interleaving() -> None:
    columns: _RecordColumns = {"team": ("A", "B"), "share_a": (0.9, 0.2)}
    records = [Record("q1", "probabilistic", 0, ("x", "y"), columns)]
    clicks = [("q1", "x"), ("q1", "y")]
    by_team = credit_clicks(records, clicks, marginalised=False)
    assert (by_team.queries[0].a, by_team.queries[0].b) == (1.0, 1.0)
    assert by_team.fair_by_wins
    marginalised = credit_clicks(records, clicks)
    # Both are A's with 0.9 * 0.2, both B's with 0.1 * 0.8; else it is a tie.
    assert marginalised.queries[0].a == pytest.approx(0.18)
    assert marginalised.queries[0].b == pytest.approx(0.08)
    assert not marginalised.fair_by_wins

"""The click-through rate of links by users, against SQL of its own."""

from __future__ import annotations

import random
import sqlite3
from typing import Any

import pytest

from cleverdon.errors import InputError
from cleverdon.logs.compute import measure_log
from cleverdon.logs.log import Log, log_of
from cleverdon.logs.settings import Settings

Rows = list[dict[str, Any]]
EVERYBODY = Settings(least_users=1, top=100)
DAY = 86_400_000


def page(number: int, user: str | None, **more: Any) -> dict[str, Any]:
    return {"query_id": f"q{number}", "user": user, "time": 1000 * number, "text": "t"} | more


def event(number: int, action: str, doc: str | None, **more: Any) -> dict[str, Any]:
    return {"query_id": f"q{number}", "time": 1000 * number, "action": action, "doc": doc} | more


def links(log: Log, metric: str = "LinkCTR", **how: Any) -> list[tuple[Any, ...]]:
    found = measure_log(log, [metric], settings=EVERYBODY, **how).list(metric)
    return [tuple(row.values())[: len(found.by) + 3] for row in found.rows]


BY_SQL = """
    WITH done AS (
        SELECT {group} AS part, user, doc, action FROM queries JOIN events USING (query_id)
        WHERE user IS NOT NULL AND doc IS NOT NULL
    ),
    saw AS (SELECT DISTINCT part, user, doc FROM done WHERE action = 'impression'),
    clicked AS (SELECT DISTINCT part, user, doc FROM done WHERE action = 'click')
    SELECT saw.part, saw.doc, count(*) AS users, count(clicked.user)
    FROM saw LEFT JOIN clicked
    ON saw.part IS clicked.part AND saw.user = clicked.user AND saw.doc = clicked.doc
    GROUP BY saw.part, saw.doc
    ORDER BY saw.part IS NULL, saw.part, users DESC, saw.doc
"""


def by_sql(queries: Rows, events: Rows, group: str = "1") -> list[tuple[Any, ...]]:
    with sqlite3.connect(":memory:") as engine:
        for name, rows in (("queries", queries), ("events", events)):
            columns = list(rows[0])
            engine.execute(f"CREATE TABLE {name} ({', '.join(columns)})")
            places = ", ".join("?" * len(columns))
            values = [[row[column] for column in columns] for row in rows]
            engine.executemany(f"INSERT INTO {name} VALUES ({places})", values)
        found = engine.execute(BY_SQL.format(group=group)).fetchall()
    engine.close()
    return [row if group != "1" else row[1:] for row in found]


@pytest.fixture(scope="module")
def made() -> tuple[Rows, Rows]:
    """Repeated events, clicks without impressions, events without a search, missing users, docs."""
    chance = random.Random(3)
    users = [f"u{number}" for number in range(40)] + [None] * 4
    docs = [f"d{number}" for number in range(12)] + [None]
    queries = [
        page(number, chance.choice(users), time=chance.randrange(3 * DAY))
        | {"variant": chance.choice(["A", "B", None])}
        for number in range(600)
    ]
    events = []
    for _ in range(3000):
        action = chance.choice(["impression"] * 6 + ["click", "click", "copy"])
        events.append(event(chance.randrange(650), action, chance.choice(docs)))
    return queries, events + events[:200]


def test_all_links_agree_with_sql(made: tuple[Rows, Rows]) -> None:
    assert links(log_of(*made)) == by_sql(*made)


def test_one_link_agrees_with_sql(made: tuple[Rows, Rows]) -> None:
    (expected,) = [row for row in by_sql(*made) if row[0] == "d7"]
    assert links(log_of(*made), "LinkCTR(doc=d7)") == [expected]


def test_variants_agree_with_sql(made: tuple[Rows, Rows]) -> None:
    assert links(log_of(*made), by="variant") == by_sql(*made, "variant")


@pytest.mark.parametrize(
    ("zone", "hours"), [("UTC", 0), ("Asia/Kolkata", 5.5), ("America/Lima", -5)]
)
def test_days_agree_with_sql_in_every_time_zone(
    made: tuple[Rows, Rows], zone: str, hours: float
) -> None:
    settings = Settings(least_users=1, top=100, timezone=zone)
    found = measure_log(log_of(*made), ["LinkCTR"], by="day", settings=settings).list("LinkCTR")
    day = f"date((time + {hours} * 3600000) / 1000, 'unixepoch')"
    queries = [{**row, "time": row["time"]} for row in made[0]]
    events = [{name: row[name] for name in ("query_id", "action", "doc")} for row in made[1]]
    expected = by_sql(queries, events, day)
    assert [tuple(row.values())[:4] for row in found.rows] == expected


def test_few_users_have_a_wide_interval() -> None:
    log = log_of([page(1, "ann")], [event(1, "impression", "d"), event(1, "click", "d")])
    (row,) = measure_log(log, ["LinkCTR(doc=d)"]).list("LinkCTR(doc=d)").rows
    assert (row["users"], row["clicked"], row["share"], row["high"]) == (1, 1, 1.0, 1.0)
    assert row["low"] == pytest.approx(0.2065, abs=1e-4)  # z^2 / (1 + z^2) = 3.8415 / 4.8415
    listed = measure_log(log, ["LinkCTR"]).list("LinkCTR")
    assert listed.rows == []
    assert listed.notes == ("Only links that at least 5 users saw are listed.",)


def test_a_link_that_nobody_saw_has_no_rate() -> None:
    log = log_of(
        [page(1, "ann"), page(2, "bob")], [event(1, "impression", "d"), event(2, "click", "e")]
    )
    listed = measure_log(log, ["LinkCTR(doc=e)"]).list("LinkCTR(doc=e)")
    (row,) = listed.rows
    assert (row["users"], row["clicked"], row["share"], row["low"]) == (0, 0, None, None)
    assert "1 of 1 users who clicked the link, but have no impression" in listed.notes[1]
    unknown = measure_log(log, ["LinkCTR(doc=x)"]).list("LinkCTR(doc=x)")
    assert unknown.rows == []
    assert unknown.notes == ("The log has no impression of this link, and no click on it.",)


def test_what_is_left_out_is_told() -> None:
    pages = [page(1, "ann"), page(2, None)]
    events = [
        *(event(1, "impression", "d"), event(1, "impression", None), event(1, "click", "e")),
        *(event(2, "impression", "d"), event(9, "impression", "d")),
    ]
    listed = measure_log(log_of(pages, events), ["LinkCTR"], settings=EVERYBODY).list("LinkCTR")
    assert [(row["doc"], row["users"]) for row in listed.rows] == [("d", 1)]
    assert set(listed.notes) == {
        "From low to high is the 95% interval.",
        "Left out: 1 of 1 users who clicked a link (each link counts), but have no impression of "
        "it.",
        "Left out: 1 of 2 searches without a user, session or client.",
        "Left out: 1 of 5 impressions and clicks that belong to no search in the log.",
        "Left out: 1 of 4 impressions that name no document.",
    }


def test_sessions_stand_for_users_and_that_is_told() -> None:
    pages = [page(number, None, session=f"s{number}") for number in (1, 2)]
    events = [event(1, "impression", "d"), event(2, "impression", "d"), event(2, "click", "d")]
    found = measure_log(log_of(pages, events), ["LinkCTR"], settings=EVERYBODY)
    (row,) = found.list("LinkCTR").rows
    assert (row["users"], row["clicked"]) == (2, 1)
    assert "each session counts as a user" in found.list("LinkCTR").notes[1]


def test_without_anybody_or_without_impressions_there_is_no_value() -> None:
    events = [event(1, "impression", "d"), event(1, "click", "d")]
    nobody = log_of([{"query_id": "q1", "time": 0}], events)
    assert measure_log(nobody, ["LinkCTR"]).missing == {"LinkCTR": ("queries.user",)}
    with pytest.raises(InputError, match=r"LinkCTR needs columns .*user: the person who searched"):
        measure_log(nobody, ["LinkCTR"], strict=True)
    unseen = measure_log(log_of([page(1, "ann")], events[1:]), ["LinkCTR"])
    assert unseen.missing == {"LinkCTR": ("events.impression",)}
    assert "an event whose action is impression, of which there is none" in " ".join(
        str(unseen).split()
    )


def test_a_text_of_several_metrics_is_split_outside_of_brackets() -> None:
    log = log_of([page(1, "ann")], [event(1, "impression", "a, b"), event(1, "click", "a, b")])
    found = measure_log(log, "PageCTR, LinkCTR(doc=a, b)")
    assert [row["users"] for row in found.list("LinkCTR(doc=a, b)").rows] == [1]
    assert found.value("PageCTR").value == 1


def test_errors_in_the_log_are_told_of_one_link() -> None:
    events = [event(1, "impression", "d"), *(event(1, "click", f"e{n}") for n in range(9))]
    found = measure_log(log_of([page(1, "ann")], events), ["LinkCTR(doc=d)"], check=True)
    assert "clicks on results without an impression" in " ".join(found.notes["LinkCTR(doc=d)"])

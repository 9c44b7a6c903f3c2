"""Leaving programs out: who, how many rows, and that nothing else changes."""

from __future__ import annotations

from cleverdon.logs.bots import BotRules, searcher_activity, without_bots
from cleverdon.logs.log import EVENTS, QUERIES, ExcludedBots, Log, log_of
from tests.logs.doctor.rows import START, Records, click, healthy, page, shown

PAGES, DONE = healthy()


def robot(
    user: str | None = "robot", count: int = 101, seconds: int = 3, **more: object
) -> Records:
    return [page(100 + n, user, seconds * n, **more) for n in range(count)]


def rows(table: object) -> set[str]:
    return {str(row) for row in table.to_pyarrow().to_pylist()}  # type: ignore[attr-defined]


def test_programs_go_with_all_that_is_theirs() -> None:
    theirs = robot()
    lost = click(theirs[0], 1) | {"query_id": None, "action": "impression"}
    log = log_of([*PAGES, *theirs], [*DONE, *shown(theirs[0], 1, 2), lost])
    left = without_bots(log)
    assert (left.users, left.rows) == (1, 101 + 3)
    calm = log_of(PAGES, DONE)
    assert rows(left.log.queries) == rows(calm.queries)
    assert rows(left.log.events) == rows(calm.events)
    assert left.log.queries.columns == tuple(QUERIES)
    assert left.log.events.columns == tuple(EVENTS)
    gone = left.log.without_bots
    assert gone == ExcludedBots(users=1, searches=101, events=3, rules=str(BotRules()))
    assert str(gone).startswith(
        "Excluded as bots: 1 user, with 101 searches and 3 events (more than 100 searches"
    )
    again = without_bots(left.log)
    assert again[1:] == (0, 0)
    assert again.log.without_bots == gone
    assert log.without_bots is None


def test_whoever_clicks_is_no_program() -> None:
    theirs = robot()
    for done in (click(theirs[7], 1), click(theirs[7], 1, query_id=None)):
        log = log_of([*PAGES, *theirs], [*DONE, done])
        left = without_bots(log)
        assert left[1:] == (0, 0)
        assert left.log.queries is log.queries
        assert left.log.without_bots == ExcludedBots(0, 0, 0, str(BotRules()))


def test_an_hour_is_any_sixty_minutes() -> None:
    rules = BotRules(searches_per_hour=5)
    across = [page(n, "robot", 3300 + 100 * n) for n in range(6)]  # from 0:55 on
    assert without_bots(log_of(across, []), rules).users == 1
    slower = [page(n, "robot", 721 * n) for n in range(6)]
    assert without_bots(log_of(slower, []), rules).users == 0


def test_users_without_a_name_are_left_in() -> None:
    log = log_of([*PAGES, *robot(None)], DONE)
    assert without_bots(log).users == 0
    named = log_of([*PAGES, *robot(None, session="s")], DONE)
    assert without_bots(named)[1:] == (1, 101)


def test_a_log_that_names_nobody_is_left_alone() -> None:
    log = log_of([{"query_id": f"q{n}", "time": START + n} for n in range(200)], [])
    left = without_bots(log)
    assert left[1:] == (0, 0)
    assert left.log.queries is log.queries
    assert str(left.log.without_bots).startswith("Bots are not excluded: the log names neither")


def test_what_is_known_of_a_person() -> None:
    log: Log = log_of(PAGES, DONE)
    found = searcher_activity(log, BotRules()).order_by("person").to_pyarrow().to_pylist()
    assert [(row["person"], row["searches"], row["empty"], row["done"]) for row in found] == [
        ("u:ann", 2, 0, 2),
        ("u:bob", 2, 1, 3),
    ]
    assert [row["gap_ms"] for row in found] == [100_000, 40_000]
    assert [row["bot"] for row in found] == [0, 0]

"""Which documents come next, for whom, and how many are left."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from cleverdon.judging import clock
from cleverdon.judging.project import Project
from cleverdon.judging.queue import _LEASE_LASTS, _MOST_LEASES, Progress, progress, take_next
from cleverdon.judging.recording import EventKind, JudgmentEvent, record
from cleverdon.judging.store.schema import leases
from tests.judging.projects import made_project

ANN, BOB = 1, 2


def say(project: Project, person: int, item: int, kind: EventKind, **more: object) -> None:
    with project.database.writing() as connection:
        said = JudgmentEvent(f"request-{person}-{item}-{kind}", item, kind, **more)  # type: ignore[arg-type]
        record(connection, person, said, project.scale)


def test_two_people_do_not_get_the_same_document(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with project.database.writing() as connection:
        assert take_next(connection, ANN, n=2) == [1, 2]
        assert take_next(connection, BOB, n=2) == [3, 4]
        assert take_next(connection, ANN, n=2) == [1, 2], "one's own stay"
        assert take_next(connection, ANN, n=1, without=[1, 2]) == [5]
        assert take_next(connection, BOB, query=2) == [7]
        later = clock.now() + _LEASE_LASTS
        monkeypatch.setattr(clock, "now", lambda: later + 1)
        assert take_next(connection, BOB, n=2) == [1, 2], "who got them is no longer at them"


def test_a_clock_that_is_set_back_keeps_nothing_from_anybody(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    true = clock.now()
    with project.database.writing() as connection:
        monkeypatch.setattr(clock, "now", lambda: true + 86_400)
        assert take_next(connection, ANN, n=2) == [1, 2]
        monkeypatch.setattr(clock, "now", lambda: true)
        assert take_next(connection, BOB, n=2) == [1, 2]


def test_what_others_have_is_not_to_be_had_by_naming_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with project.database.writing() as connection:
        assert take_next(connection, BOB, n=2) == [1, 2]
        assert take_next(connection, ANN, without=[1, 2, 3]) == [4]
        assert held(connection) == {BOB: {1, 2}, ANN: {3, 4}}
        later = clock.now() + _LEASE_LASTS
        monkeypatch.setattr(clock, "now", lambda: later + 1)
        assert take_next(connection, BOB, n=1) == [1]
        # After a sleep a browser names what it has: what nobody took meanwhile is its own again.
        assert take_next(connection, ANN, without=[1, 2, 3, 4]) == [5]
        assert held(connection) == {BOB: {1}, ANN: {2, 3, 4, 5}}
        assert take_next(connection, BOB, n=2, without=[1]) == [6, 7]


def test_nobody_keeps_a_whole_project_from_the_others(tmp_path: Path) -> None:
    with (
        made_project(tmp_path / "project", queries=1, documents=150) as project,
        project.database.writing() as connection,
    ):
        assert take_next(connection, ANN, without=range(1, 101)) == [101]
        assert held(connection) == {ANN: set(range(52, 102))}, "the last ones"
        assert take_next(connection, ANN, n=20, without=[101]) == list(range(1, 21))
        assert len(held(connection)[ANN]) == _MOST_LEASES
        assert held(connection)[ANN] > {*range(1, 21), 101}, "what was asked for longest ago goes"
        assert take_next(connection, BOB, n=1)[0] not in held(connection)[ANN]


def held(connection: Connection) -> dict[int, set[int]]:
    """What is kept for whom."""
    found: dict[int, set[int]] = {}
    for row in connection.execute(select(leases).where(leases.c.until > clock.now())):
        found.setdefault(row.person_id, set()).add(row.item_id)
    return found


def test_what_is_done_is_passed_over_and_what_is_undone_comes_again(project: Project) -> None:
    for item in (1, 2, 3):
        say(project, ANN, item, "grade", grade=1)
    with project.database.writing() as connection:
        assert take_next(connection, ANN, query=1, n=9) == [4, 5, 6]
    say(project, ANN, 2, "undo")
    with project.database.writing() as connection:
        assert take_next(connection, ANN, query=1, n=9) == [2, 4, 5, 6]
        assert take_next(connection, ANN, n=6) == [2, 4, 5, 6, 7, 8], "query by query"
        assert take_next(connection, BOB, n=9) == [9, 10, 11, 12]


def test_what_one_has_judged_is_kept_from_nobody(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", wanted=2) as project:
        say(project, ANN, 1, "grade", grade=1)
        with project.database.writing() as connection:
            # A browser names what it has, also where the answer to a judgment is still on its way.
            assert take_next(connection, ANN, without=[1]) == [2]
            assert take_next(connection, BOB, n=2) == [1, 2]


def test_progress_counts_what_is_left_for_oneself(project: Project) -> None:
    say(project, ANN, 1, "grade", grade=2)
    say(project, BOB, 2, "skip", text="no")
    say(project, BOB, 3, "note", text="a note alone is not a judgment")
    with project.database.reading() as connection:
        ann, bob = progress(connection, ANN), progress(connection, BOB)
        assert progress(connection, BOB, query=1) == {1: bob[1]}
    assert ann == {1: Progress(6, 1), 2: Progress(6, 0)}
    assert bob[1] == Progress(5, 1), "ann's is done, and one judge is enough"
    assert bob[1].left == 4

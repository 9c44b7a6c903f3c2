"""What assessors say is kept, once, with its history."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from cleverdon.judging.errors import Conflict, Invalid, NotFound
from cleverdon.judging.project import Project
from cleverdon.judging.recording import (
    Judgment,
    JudgmentEvent,
    RecordedEvent,
    event_of_form,
    history_of,
    record,
)
from cleverdon.judging.store.schema import events, judgments

ANN, BOB = 1, 2


def say(
    project: Project, person: int, kind: str, *, item: int = 1, **more: object
) -> RecordedEvent:
    with project.database.writing() as connection:
        count = connection.execute(select(func.count()).select_from(events)).scalar()
        said = JudgmentEvent(
            **{"idempotency_key": f"request-{count}", "item": item, "kind": kind, **more}
        )  # type: ignore[arg-type]
        return record(connection, person, said, project.scale)


def test_a_grade_can_be_changed_and_undone(project: Project) -> None:
    say(project, ANN, "grade", grade=1)
    say(project, ANN, "flag", flagged=True)
    assert say(project, ANN, "grade", grade=3).judgment == Judgment(3, flagged=True)
    assert say(project, ANN, "undo").judgment == Judgment(1, flagged=True)
    assert say(project, ANN, "undo").judgment == Judgment(1)
    assert say(project, ANN, "undo").judgment == Judgment()
    with pytest.raises(Conflict, match="nothing to undo"):
        say(project, ANN, "undo")
    with project.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(events)).scalar() == 6
        assert connection.execute(select(func.count()).select_from(judgments)).scalar() == 1


def test_a_request_is_done_once(project: Project) -> None:
    first = say(project, ANN, "grade", grade=2, idempotency_key="the-same-one")
    again = say(project, ANN, "grade", grade=2, idempotency_key="the-same-one")
    assert (again.event, again.judgment, again.repeated) == (first.event, first.judgment, True)
    for other in ({"grade": 2, "item": 2}, {"grade": 1}):
        with pytest.raises(Conflict, match="used before"):
            say(project, ANN, "grade", idempotency_key="the-same-one", **other)
    for kind, said, other in [
        ("flag", {"flagged": True}, {"flagged": False}),
        ("note", {"text": " odd "}, {"text": "even"}),
        ("skip", {"text": "broken"}, {"text": "empty"}),
    ]:
        say(project, ANN, kind, idempotency_key=f"the-same-{kind}", **said)
        assert say(project, ANN, kind, idempotency_key=f"the-same-{kind}", **said).repeated
        with pytest.raises(Conflict, match="used before"):
            say(project, ANN, kind, idempotency_key=f"the-same-{kind}", **other)
    assert not say(project, BOB, "grade", grade=0, idempotency_key="the-same-one").repeated


def test_an_undo_may_say_what_it_takes_back(project: Project) -> None:
    say(project, ANN, "grade", grade=2, idempotency_key="the-first-one")
    with pytest.raises(Conflict, match="is not your last one"):
        say(project, ANN, "undo", undoes="never-taken")
    say(project, ANN, "note", text="odd", idempotency_key="the-second-one")
    with pytest.raises(Conflict, match="is not your last one"):
        say(project, ANN, "undo", undoes="the-first-one")
    assert say(project, ANN, "undo", undoes="the-second-one").judgment == Judgment(2)
    assert say(project, ANN, "undo", undoes="the-first-one").judgment == Judgment()


def test_a_form_says_again_what_it_said_before_something_else(project: Project) -> None:
    def press(grade: int) -> RecordedEvent:
        said = event_of_form("the-form", 1, "grade", grade=grade)
        with project.database.writing() as connection:
            return record(connection, ANN, said, project.scale)

    assert [press(grade).repeated for grade in (1, 1, 3, 3, 1, 1, 3)] == [
        False, True, False, True, False, True, False,
    ]  # fmt: skip
    undo = event_of_form("the-form", 1, "undo")
    with project.database.writing() as connection:
        record(connection, ANN, undo, project.scale)
    press(2)
    with project.database.writing() as connection:
        assert record(connection, ANN, undo, project.scale).repeated, "or it would take back the 2"
        said = [row.grade for row in history_of(connection, ANN, 1)]
    assert said == [1, 3, 1, 3, 1, 2]


def test_skipping_takes_a_grade_back(project: Project) -> None:
    say(project, ANN, "grade", grade=2)
    assert say(project, ANN, "skip", text=" not my field ").judgment == Judgment(
        skipped="not my field"
    )
    assert say(project, ANN, "grade", grade=0).judgment == Judgment(0)


def test_what_cannot_be_is_refused(project: Project) -> None:
    with pytest.raises(Invalid, match="it can be 0, 1, 2, 3"):
        say(project, ANN, "grade", grade=7)
    with pytest.raises(Invalid, match="reason"):
        say(project, ANN, "skip", text="  ")
    with pytest.raises(NotFound, match="assigned to you"):
        say(project, 3, "grade", grade=1)

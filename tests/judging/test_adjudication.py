"""Disputes come in order, rulings are kept, and the page hides who said what."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import update

from cleverdon.judging import clock
from cleverdon.judging.adjudication import (
    _load_case,
    list_cases,
    load_case_view,
    record_ruling,
    standing_rulings,
)
from cleverdon.judging.errors import Conflict, Invalid, NotFound
from cleverdon.judging.people.accounts import add_person, audit_lines
from cleverdon.judging.project import Project
from cleverdon.judging.queue import Progress, progress, take_next
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import documents
from cleverdon.judging.web.app import make_app
from cleverdon.judging.workload import compute_workload
from tests.judging.judged_projects import give
from tests.judging.projects import browser, made_project

ANN, BOB, EVE = 1, 2, 3


@pytest.fixture
def disputed(project: Project) -> Project:
    """Items 1 to 3 of t1 and 7 of t2 are in dispute; 4 is flagged, 5 was skipped by all."""
    give(
        project,
        {
            "ann": {("t1", "d1"): 1, ("t1", "d2"): 0, ("t1", "d3"): 3, ("t2", "d1"): 0},
            "bob": {("t1", "d1"): 2, ("t1", "d2"): 1, ("t1", "d3"): 1, ("t2", "d1"): 3},
        },
    )
    give(project, {"ann": {("t1", "d6"): 2}, "bob": {("t1", "d6"): 2}})
    say(project, ANN, 4, "flag", flagged=True)
    say(project, ANN, 5, "skip", text="empty")
    say(project, ANN, 1, "note", text="<b>unsure</b>")
    return project


def say(
    project: Project, person: int, item: int, kind: str, request: str = "first", **more: Any
) -> None:
    with project.database.writing() as connection:
        request = f"{kind}-{person}-{item}-{request}"
        said = JudgmentEvent(request, item, kind, **more)  # type: ignore[arg-type]
        record(connection, person, said, project.scale)


def settle(project: Project, item: int, grade: int | None, request: str = "ruling-1") -> Any:
    with project.database.writing() as connection:
        return record_ruling(
            connection,
            EVE,
            idempotency_key=request,
            item=item,
            grade=grade,
            note=" so ",
            scale=project.scale,
        )


def listed(project: Project, show: Any = "disputed", **more: Any) -> list[int]:
    with project.database.reading() as connection:
        return [one.item for one in list_cases(connection, show, n=10, **more).cases]


def test_the_largest_difference_comes_first(disputed: Project) -> None:
    assert listed(disputed) == [7, 3, 1, 2]
    assert listed(disputed, query="t1") == [3, 1, 2]
    assert listed(disputed, across=1) == [7, 2], "some say relevant and others do not"
    assert listed(disputed, skip=2) == [1, 2]
    assert listed(disputed, "flagged") == [4]
    assert listed(disputed, "skipped") == [5]
    with disputed.database.reading() as connection:
        found = _load_case(connection, 3)
        assert list_cases(connection, n=1).total == 4
    assert (found.grades, found.spread, found.crosses(1), found.crosses(2)) == (
        (3, 1),
        2,
        False,
        True,
    )


def test_a_ruling_is_kept_once_and_can_be_changed(disputed: Project) -> None:
    first = settle(disputed, 3, 2)
    again = settle(disputed, 3, 2)
    assert (again.ruling, again.repeated) == (first.ruling, True)
    assert listed(disputed) == [7, 1, 2]
    assert listed(disputed, "settled") == [3]
    settle(disputed, 3, 1, "ruling-2")
    settle(disputed, 7, 0, "ruling-3")
    assert listed(disputed, "settled") == [7, 3], "the latest first"
    with disputed.database.reading() as connection:
        assert {item: one.grade for item, one in standing_rulings(connection).items()} == {
            3: 1,
            7: 0,
        }
    settle(disputed, 3, None, "ruling-4")
    with disputed.database.reading() as connection:
        assert [one.grade for one in load_case_view(connection, 3).history] == [2, 1, None]
        assert standing_rulings(connection, among=[3]) == {}
    assert 3 in listed(disputed)


def test_the_audit_log_says_who_settled_what(disputed: Project) -> None:
    settle(disputed, 3, 2)
    settle(disputed, 3, 2)
    settle(disputed, 3, None, "ruling-2")
    with disputed.database.reading() as connection:
        told = [(line.actor, line.action, line.about) for line in audit_lines(connection, n=2)]
    assert told == [
        ("eve", "took a ruling back", "d3 of query t1"),
        ("eve", "settled a document", "d3 of query t1, as 2"),
    ]


def test_what_cannot_be_is_refused(disputed: Project) -> None:
    settle(disputed, 3, 2)
    with pytest.raises(Conflict, match="used before"):
        settle(disputed, 3, 1)
    with pytest.raises(Conflict, match="no ruling to take back"):
        settle(disputed, 1, None, "ruling-2")
    with pytest.raises(Invalid, match="it can be 0, 1, 2, 3"):
        settle(disputed, 1, 9, "ruling-3")
    with pytest.raises(Invalid, match="8 to 100"):
        settle(disputed, 1, 1, "short")
    with pytest.raises(Invalid, match="null character"):
        settle(disputed, 1, 1, "ruling-\0")
    with pytest.raises(NotFound, match="no document 99"):
        settle(disputed, 99, 1, "ruling-4")


@pytest.mark.parametrize(
    ("kind", "more"), [("grade", {"grade": 1}), ("skip", {"text": "in Latin"}), ("undo", {})]
)
def test_a_ruling_is_outdated_when_somebody_judges_again(
    disputed: Project, monkeypatch: pytest.MonkeyPatch, kind: str, more: dict[str, Any]
) -> None:
    settle(disputed, 3, 2)
    with disputed.database.reading() as connection:
        assert not _load_case(connection, 3).outdated
    later = clock.now() + 60
    monkeypatch.setattr(clock, "now", lambda: later)
    say(disputed, ANN, 3, "note", text="see d4")
    say(disputed, BOB, 3, "flag", flagged=True)
    say(disputed, BOB, 3, "undo")
    with disputed.database.reading() as connection:
        assert not _load_case(connection, 3).outdated, "nobody judged it again"
    page = browser(make_app(disputed), "eve").get("/adjudication?show=settled").text
    assert "Judged again since" not in page
    say(disputed, BOB, 3, kind, "again", **more)
    with disputed.database.reading() as connection:
        assert _load_case(connection, 3).outdated


@pytest.fixture
def app(disputed: Project) -> FastAPI:
    return make_app(disputed)


def test_the_page_settles_one_after_the_other(app: FastAPI) -> None:
    eve = browser(app, "eve")
    page = eve.get("/adjudication?across=true").text
    assert re.findall(r'href="/adjudication/(\d+)\?across=true', page) == ["7", "2"]
    one = eve.get("/adjudication/7?across=true").text
    form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', one))
    sent = {"data": {**form, "grade": "3", "note": "clearly"}, "follow_redirects": False}
    for _ in range(2):  # the second is a button pressed twice
        answer = eve.post("/adjudication/7?across=true", **sent)
        assert (answer.status_code, answer.headers["location"]) == (
            303,
            "/adjudication/2?across=true",
        )
    assert eve.get("/adjudication?show=settled").text.count("Perfectly relevant</span>") >= 1
    told = eve.get("/api/adjudication/7").json()
    assert [(one["grade"], one["note"], one["person"]) for one in told["rulings"]] == [
        (3, "clearly", "eve")
    ]


def test_one_that_is_left_open_does_not_come_back_at_once(app: FastAPI) -> None:
    eve = browser(app, "eve")
    first = eve.get("/adjudication/7").text
    assert re.findall(r'href="([^"]*)" id="next"', first) == ["/adjudication/3?skip=1"]
    second = eve.get("/adjudication/3?skip=1").text
    form = dict(re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)">', second))
    answer = eve.post("/adjudication/3?skip=1", data={**form, "grade": "3"}, follow_redirects=False)
    assert answer.headers["location"] == "/adjudication/1?skip=1", "and not the first one again"
    last = eve.get("/adjudication/2?skip=2").text
    assert 'id="next"' not in last
    assert eve.get("/adjudication/2?skip=-1").status_code == 422


def test_names_are_hidden_and_notes_are_text(app: FastAPI) -> None:
    eve = browser(app, "eve")
    blind = eve.get("/adjudication/1").text
    assert "Judge 1" in blind
    assert not re.search(r"\b(ann|bob)\b", blind)
    assert "&lt;b&gt;unsure&lt;/b&gt;" in blind
    assert "<mark>water</mark>" in blind, "the document as assessors see it"
    named = eve.get("/adjudication/1?names=true").text
    assert ">ann</span>" in named
    assert "Hide names" in named
    assert not re.search(r"\b(ann|bob)\b", eve.get("/adjudication").text)


def test_the_whole_of_a_long_text_can_be_read(disputed: Project, app: FastAPI) -> None:
    with disputed.database.writing() as connection:
        long = update(documents).where(documents.c.id == 1).values(text="water <b> " * 20_000)
        connection.execute(long)
    eve = browser(app, "eve")  # to whom no query is assigned
    case_page = eve.get("/adjudication/7?across=true&skip=1").text
    assert "characters are left out here" in case_page
    whole = "/adjudication/7/text?across=true&skip=1"
    assert f'href="{escape(whole)}"' in case_page
    first = eve.get(whole).text
    assert "Page 1 of 5" in first
    assert 'href="/adjudication/7?across=true&amp;skip=1">Back' in first
    assert 'rel="next" href="?across=true&amp;skip=1&amp;page=2"' in first
    last = eve.get(f"{whole}&page=5").text
    assert "<mark>water</mark> &lt;b&gt;" in last
    assert 'rel="prev" href="?across=true&amp;skip=1&amp;page=4"' in last
    assert 'href="/adjudication/7?across=true&amp;skip=1">Back' in last
    for missing in ("/adjudication/7/text?page=6", "/adjudication/99/text"):
        assert eve.get(missing).status_code == 404
    assert eve.get("/adjudication/7/text?page=0").status_code == 422


def test_only_administrators_settle(app: FastAPI) -> None:
    for name in ("ann", "vic"):
        other = browser(app, name)
        paths = ("/adjudication", "/adjudication/1", "/adjudication/1/text", "/api/adjudication")
        for path in paths:
            assert other.get(path).status_code == 403


def test_what_is_settled_is_nobodys_work_any_more(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=1, documents=2, wanted=2) as project:
        for item in (1, 2):
            settle(project, item, 1, f"ruling-{item}")
        with project.database.writing() as connection:
            assert take_next(connection, BOB, n=5) == []
            assert progress(connection, BOB)[1] == Progress(0, 0)
            work = compute_workload(connection)
            assert [each.left for each in work.people] == [0, 0]
            assert (work.queries[0].done, work.uncovered, work.short) == (2, [], [])
        settle(project, 2, None, "ruling-3")
        with project.database.writing() as connection:
            assert take_next(connection, BOB, n=5) == [2], "it was taken back"


def test_a_ruling_after_another_administrators_is_a_new_one(disputed: Project) -> None:
    with disputed.database.writing() as connection:
        eva = add_person(connection, "eva", "administrator").id

        def press(person: int, grade: int) -> bool:
            return record_ruling(
                connection,
                person,
                idempotency_key=f"form-of-{person}",
                item=3,
                grade=grade,
                scale=disputed.scale,
                may_recur=True,
            ).repeated

        assert [press(EVE, 2), press(EVE, 2), press(eva, 0), press(EVE, 2)] == [
            False, True, False, False,
        ]  # fmt: skip
        assert standing_rulings(connection)[3].grade == 2


def test_the_calls_list_and_settle(app: FastAPI) -> None:
    eve = browser(app, "eve")
    told = eve.get("/api/adjudication?n=1").json()
    assert (told["total"], told["cases"][0]["item"]) == (4, 7)
    assert [one["person"] for one in told["cases"][0]["judgments"]] == ["bob", "ann"]
    assert eve.get("/api/adjudication?show=skipped").json()["cases"][0]["judgments"] == [
        {
            "person": "ann",
            "grade": None,
            "skipped": "empty",
            "note": "",
            "flagged": False,
            "made_at": eve.get("/api/adjudication/5").json()["case"]["judgments"][0]["made_at"],
        }
    ]
    page = eve.get("/adjudication/7").text
    word = re.findall(r'name="csrf" value="([^"]*)"', page)[0]
    headers = {"x-csrf-token": word}
    body = {"request": "by-program", "grade": 1}
    for repeated in (False, True):
        answer = eve.post("/api/adjudication/7", json=body, headers=headers)
        assert (answer.status_code, answer.json()["repeated"]) == (200, repeated)
    for other, status in (({"grade": 8}, 422), ({"grade": 2}, 409), ({"note": "odd"}, 409)):
        answer = eve.post("/api/adjudication/7", json={**body, **other}, headers=headers)
        assert answer.status_code == status, other
    form = {"csrf": word, "request": "the-same-form"}
    for grade in (2, 3, 3, 2):  # as by going back in between
        eve.post("/adjudication/7", data={**form, "grade": grade})
    history = eve.get("/api/adjudication/7").json()["rulings"]
    assert [each["grade"] for each in history] == [1, 2, 3, 2]
    assert eve.get("/api/adjudication/99").status_code == 404

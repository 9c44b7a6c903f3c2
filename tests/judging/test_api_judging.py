"""Calls of assessors: what they give, and what they never give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import update
from starlette.testclient import TestClient

from cleverdon.judging.project import Project
from cleverdon.judging.store.schema import items
from cleverdon.judging.web.app import make_app
from tests.judging.projects import DOCUMENTS, asked, made_project, script

_REQUESTS = count()


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    with made_project(tmp_path_factory.mktemp("api") / "project", queries=8) as made:
        yield made


@pytest.fixture(scope="module")
def app(project: Project) -> FastAPI:
    return make_app(project)


@pytest.fixture(scope="module")
def ann(app: FastAPI) -> TestClient:
    return script(app, "ann")


@pytest.fixture(scope="module")
def bob(app: FastAPI) -> TestClient:
    return script(app, "bob")


def told(who: TestClient, path: str, status: int = 200, **body: object) -> Any:
    answer = who.post(path, json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


def said(who: TestClient, item: int, kind: str = "grade", status: int = 200, **more: object) -> Any:
    request = f"request-{next(_REQUESTS)}"
    return told(
        who, "/api/judgments", status, **{"request": request, "item": item, "kind": kind, **more}
    )


def test_what_a_document_is_sent_with_and_nothing_else(project: Project, ann: TestClient) -> None:
    with project.database.writing() as connection:
        hidden = {"gold": 3, "stratum": 17, "probability": 0.123}
        connection.execute(update(items).where(items.c.query_id == 1).values(**hidden))
    (found,) = told(ann, "/api/next", query="t1")["items"]
    assert found.pop("html").startswith("<article")
    assert found == {
        "item": 1,
        "query": "t1",
        "document": {
            "id": "d1",
            "title": "Title of d1",
            "url": "",
            "length": 37,
            "parts": [
                {
                    "kind": "text",
                    "characters": 37,
                    "text": "The text of d1, in which water moves.",
                    "marks": [[25, 30]],
                }
            ],
        },
        "standing": {"grade": None, "skipped": None, "note": "", "flagged": False},
    }
    page = ann.get("/queries/t1").text
    for word in ("gold", "stratum", "probability", "0.123", "rank", "score"):
        assert word not in page


def test_documents_are_fetched_ahead_and_kept_from_others(ann: TestClient, bob: TestClient) -> None:
    mine = told(ann, "/api/next", query="t2", n=2, parts=False)["items"]
    assert [found["document"]["parts"] for found in mine] == [[], []]
    ids = [found["item"] for found in mine]
    more = told(ann, "/api/next", query="t2", n=2, without=ids)["items"]
    his = told(bob, "/api/next", query="t2", n=20)["items"]
    everything = [*ids, *(found["item"] for found in [*more, *his])]
    assert len(set(everything)) == len(everything) == DOCUMENTS


def test_what_was_passed_over_comes_last(tmp_path: Path) -> None:
    with made_project(tmp_path / "project", queries=1) as made:
        ann = script(make_app(made), "ann")
        found = told(ann, "/api/next", query="t1", n=DOCUMENTS, past=4)["items"]
        assert [each["item"] for each in found] == [5, 6, 1, 2, 3, 4]
        assert told(ann, "/api/next", query="t1", past=99)["items"][0]["item"] == 1


def test_judging_counts_and_is_done_once(ann: TestClient) -> None:
    ids = [found["item"] for found in told(ann, "/api/next", query="t3", n=3)["items"]]
    first = said(ann, ids[0], grade=2, request="the-first-one", seconds=3.5)
    assert first["progress"] == {"total": DOCUMENTS, "done": 1, "left": DOCUMENTS - 1}
    again = said(ann, ids[0], grade=2, request="the-first-one")
    assert (again["event"], again["repeated"], again["progress"]) == (
        first["event"], True, first["progress"],
    )  # fmt: skip
    assert said(ann, ids[1], "note", text="look")["progress"]["done"] == 1
    assert said(ann, ids[1], "skip", text="no idea")["progress"]["done"] == 2
    assert said(ann, ids[1], grade=0)["progress"]["done"] == 2, "done before"
    undone = said(ann, ids[0], "undo")
    assert (undone["progress"]["done"], undone["standing"]["grade"]) == (1, None)
    counted = {each["query"]: each for each in asked(ann, "/api/queries")["queries"]}
    assert {key: counted["t3"][key] for key in ("total", "done", "left")} == undone["progress"]
    assert counted["t3"]["description"] == "What moves it?"


def test_what_others_have_done_is_not_counted(ann: TestClient, bob: TestClient) -> None:
    ids = [found["item"] for found in told(ann, "/api/next", query="t4", n=3)["items"]]
    assert said(ann, ids[0], grade=1)["progress"]["total"] == DOCUMENTS
    said(bob, ids[1], grade=1)
    assert said(ann, ids[2], grade=1)["progress"] == {"total": 5, "done": 2, "left": 3}


def test_ones_own_judgments_newest_first_and_page_by_page(ann: TestClient, bob: TestClient) -> None:
    ids = [found["item"] for found in told(ann, "/api/next", query="t5", n=3)["items"]]
    for item in ids:
        said(ann, item, grade=1, seconds=2)
    said(ann, ids[0], grade=3)
    first = asked(ann, "/api/judgments?query=t5&n=2")
    assert [found["item"] for found in first["judgments"]] == [ids[0], ids[2]]
    rest = asked(ann, f"/api/judgments?query=t5&n=2&before={first['before']}")
    assert [found["item"] for found in rest["judgments"]] == [ids[1]]
    assert rest["before"] is None
    assert asked(bob, "/api/judgments?query=t5")["judgments"] == []
    events = asked(ann, f"/api/items/{ids[0]}/history")["events"]
    assert [(event["kind"], event["grade"]) for event in events] == [("grade", 1), ("grade", 3)]
    assert asked(bob, f"/api/items/{ids[0]}/history")["events"] == []
    assert asked(ann, f"/api/items/{ids[0]}")["standing"]["grade"] == 3
    assert asked(bob, f"/api/items/{ids[0]}")["standing"]["grade"] is None


def test_what_is_not_assigned_is_not_there(app: FastAPI, ann: TestClient) -> None:
    with script(app, "eve") as eve:
        assert asked(eve, "/api/queries") == {"queries": []}
        assert told(eve, "/api/next")["items"] == []
        assert "assigned to you" in told(eve, "/api/next", 404, query="t1")["error"]
        assert "assigned to you" in asked(eve, "/api/items/1", 404)["error"]
        assert "assigned to you" in said(eve, 1, grade=1, status=404)["error"]
    with script(app, "vic") as vic:
        assert "not for viewers" in asked(vic, "/api/queries", 403)["error"]
    assert "no query" in told(ann, "/api/next", 404, query="a\0b")["error"]
    assert "not assigned to you" in asked(ann, "/api/items/9999/history", 404)["error"]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"grade": 7}, "it can be 0, 1, 2, 3"),
        ({"grade": None}, "it can be 0, 1, 2, 3"),
        ({"kind": "skip"}, "give a reason"),
        ({"kind": "praise"}, "kind"),
        ({"grade": 1, "request": "short"}, "request"),
        ({"grade": 1, "seconds": -1}, "seconds"),
        ({"grade": 1, "person": 2}, "person"),
        ({"kind": "note", "text": "x" * 10_001}, "text"),
        ({"kind": "note", "text": "a\0b"}, "null character"),
    ],
)
def test_values_that_cannot_be_are_refused_in_words(
    ann: TestClient, values: dict[str, Any], expected: str
) -> None:
    given = {"item": 40, "kind": "grade", **values}
    assert expected in said(ann, given.pop("item"), given.pop("kind"), 422, **given)["error"]


def test_a_number_that_json_has_no_word_for(ann: TestClient) -> None:
    body = json.dumps(
        {"request": "a" * 8, "item": 40, "kind": "grade", "grade": 1, "seconds": 1e999}
    )
    answer = ann.post("/api/judgments", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422


def test_half_a_character(ann: TestClient) -> None:
    body = '{"request": "abcdefgh", "item": 40, "kind": "note", "text": "\\ud800"}'
    answer = ann.post("/api/judgments", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 422

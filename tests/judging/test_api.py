"""Whatever pages do, calls do too; and what calls alone have to get right."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from sqlalchemy import update
from starlette.testclient import TestClient

from cleverdon.judging.item_views import _TEXT_PAGE
from cleverdon.judging.project import Project
from cleverdon.judging.store.schema import documents, queries
from cleverdon.judging.web.app import _declared_routes, _required_permissions, make_app
from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name
from tests.judging.judged_projects import give
from tests.judging.projects import asked, made_project, script

NO_CALL = "no call: "
CALLS = {
    "GET /sign-in": NO_CALL + "programs are known by tokens",
    "POST /sign-in": NO_CALL + "programs are known by tokens",
    "GET /sign-in/{key}": NO_CALL + "programs are known by tokens",
    "POST /sign-in/{key}": NO_CALL + "programs are known by tokens",
    "GET /": NO_CALL + "it leads to another page",
    "GET /queries": "GET /api/queries",
    "GET /queries/{name}/list": "POST /api/next, GET /api/judgments",
    "POST /queries/{name:path}": "POST /api/judgments",
    "GET /queries/{name:path}": "POST /api/next, GET /api/items/{item}, GET /api/judgments",
    "GET /items/{item}/text": "GET /api/items/{item}/text",
    "GET /scale.css": "GET /api/project",
    "GET /account": "GET /api/me, GET /api/account/tokens",
    "POST /account/password": "POST /api/account/password",
    "POST /account/tokens": "POST /api/account/tokens",
    "POST /account/tokens/{token}/revoke": "DELETE /api/account/tokens/{token}",
    "POST /account/sign-out": "POST /api/account/sign-out",
    "POST /account/sign-out-everywhere": "POST /api/account/sign-out",
    "GET /dashboard": "GET /api/watching",
    "GET /dashboard/queries/{name:path}": "GET /api/watching/queries/{name:path}",
    "GET /dashboard/people/{name:path}": "GET /api/watching/people/{name:path}",
    "GET /adjudication": "GET /api/adjudication",
    "GET /adjudication/{item}": "GET /api/adjudication/{item}",
    "GET /adjudication/{item}/text": "GET /api/adjudication/{item}/text",
    "POST /adjudication/{item}": "POST /api/adjudication/{item}",
    "GET /people": "GET /api/people",
    "POST /people": "POST /api/people",
    "POST /people/{person}/link": "POST /api/people/{person}/link",
    "POST /people/{person}/role": "PATCH /api/people/{person}",
    "POST /people/{person}/deactivate": "PATCH /api/people/{person}",
    "POST /people/{person}/reactivate": "PATCH /api/people/{person}",
    "GET /people/audit": "GET /api/audit",
    "GET /assignments": "GET /api/assignments",
    "POST /assignments/deal": "POST /api/assignments/deal, POST /api/assignments/rebalance",
    "POST /assignments/overlap": "POST /api/assignments/overlap",
    "POST /assignments/add": "POST /api/assignments",
    "POST /assignments/remove": "POST /api/assignments/remove",
    "GET /exports": NO_CALL + "it is a form, of which the downloads are calls",
    "GET /exports/qrels": "GET /api/exports/qrels",
    "GET /exports/history": "GET /api/exports/history",
    "GET /exports/agreement": "GET /api/exports/agreement",
    "GET /exports/datasheet": "GET /api/exports/datasheet",
    "GET /imports": NO_CALL + "it is a form",
    "POST /imports": "POST /api/imports",
}
"""Pages, each with the calls that do the same."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    folder = tmp_path_factory.mktemp("calls") / "project"
    with made_project(folder, wanted=2, settings={"overlap": "0.1"}) as made:
        yield made


@pytest.fixture(scope="module")
def app(project: Project) -> FastAPI:
    return make_app(project)


@pytest.fixture(scope="module")
def eve(app: FastAPI) -> TestClient:
    return script(app, "eve")


def test_every_page_has_its_call() -> None:
    rights = {
        f"{method} {path}": _required_permissions(route)
        for path, route in _declared_routes()
        for method in route.methods or ()
    }
    assert CALLS.keys() == {route for route in rights if "/api/" not in route}
    for page, calls in CALLS.items():
        if not calls.startswith(NO_CALL):
            for call in calls.split(", "):
                assert rights[call] == rights[page], f"{page}: {call}"


def test_the_whole_of_a_text_is_to_be_had_by_those_who_may_read_it(
    app: FastAPI, project: Project, eve: TestClient
) -> None:
    text = "water " * 20_000
    with project.database.writing() as connection:
        connection.execute(update(documents).where(documents.c.id == 1).values(text=text))
    ann = script(app, "ann")
    assert asked(ann, "/api/items/1")["document"]["parts"][-1]["kind"] == "gap"
    for who, path in ((ann, "/api/items/1/text"), (eve, "/api/adjudication/1/text")):
        pages = [asked(who, f"{path}?page={number}") for number in (1, 2, 3)]
        assert "".join(page["part"]["text"] for page in pages) == text
        assert {(page["query"], page["title"], page["pages"]) for page in pages} == {
            ("t1", "Title of d1", 3)
        }
        assert (pages[0]["page"], pages[0]["part"]["characters"]) == (1, _TEXT_PAGE)
        assert pages[0]["part"]["marks"][:2] == [[0, 5], [6, 11]]
        assert "no page 4" in asked(who, f"{path}?page=4", 404)["error"]
    assert "assigned to you" in asked(eve, "/api/items/1/text", 404)["error"]
    assert "not for assessors" in asked(ann, "/api/adjudication/1/text", 403)["error"]


def test_a_program_sees_what_it_settles(project: Project, eve: TestClient) -> None:
    give(project, {"ann": {("t1", "d2"): 0}, "bob": {("t1", "d2"): 3}})
    found = asked(eve, "/api/adjudication/2")
    assert (found["query_title"], found["description"]) == ("water in motion 1", "What moves it?")
    assert found["shown"]["title"] == "Title of d2"
    (part,) = found["shown"]["parts"]
    assert part["text"] == "The text of d2, in which water moves."
    assert part["marks"] == [[25, 30]]
    assert found["case"]["spread"] == 3


def test_ones_own_judgments_by_what_became_of_them(app: FastAPI, project: Project) -> None:
    bob = script(app, "bob")
    give(project, {"bob": {("t2", "d1"): 1}})
    flag = {"request": "flag-8-8", "item": 8, "kind": "flag", "flagged": True}
    assert bob.post("/api/judgments", json=flag).status_code == 200
    listed = {
        which: [each["item"] for each in asked(bob, f"/api/judgments?query=t2{which}")["judgments"]]
        for which in ("", "&which=judged", "&which=flagged", "&which=skipped")
    }
    assert list(listed.values()) == [[8, 7], [7], [8], []]


def test_the_overlap_that_is_set_is_told(eve: TestClient) -> None:
    assert asked(eve, "/api/assignments")["overlap"] == "0.1"
    assert eve.post("/api/assignments/overlap", json={"overlap": "50%"}).json()["overlap"] == "0.5"
    assert asked(eve, "/api/assignments")["overlap"] == "0.5"


@pytest.mark.parametrize(
    ("name", "asks"),
    [
        ("q~s1", ("q~s1", "q~~s1")),
        ("a/b", ("a/b", "a~sb", "a%2Fb")),
        ("..", ("%2e%2e", "~d~d")),
        ("100%", ("100%25", "100~p")),
    ],
)
def test_a_query_is_found_by_its_own_name_and_by_that_of_its_page(
    tmp_path: Path, name: str, asks: tuple[str, ...]
) -> None:
    with made_project(tmp_path / "project") as project:
        with project.database.writing() as connection:
            connection.execute(update(queries).where(queries.c.id == 2).values(name=name))
        eve = script(make_app(project), "eve")
        for ask in asks:
            assert asked(eve, f"/api/watching/queries/{ask}")["about"]["query"] == name, ask


def test_the_description_says_how_programs_and_browsers_are_known(
    project: Project, eve: TestClient
) -> None:
    described = asked(eve, "/api/openapi.json")
    schemes = described["components"]["securitySchemes"]
    assert schemes["token"]["scheme"] == "bearer"
    assert (schemes["cookie"]["in"], schemes["cookie"]["name"]) == ("cookie", cookie_name(project))
    assert (schemes["csrf"]["in"], schemes["csrf"]["name"]) == ("header", CSRF_HEADER)
    assert described["security"] == [{"token": []}, {"cookie": [], "csrf": []}]
    people = described["paths"]["/api/people"]
    assert people["get"]["security"] == [{"token": []}, {"cookie": []}]
    assert "security" not in people["post"]
    assert "405" in described["info"]["description"]

"""Small projects for tests, without the command line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from sqlalchemy import insert
from starlette.testclient import TestClient

from cleverdon.judging.contents import Document, Item, Query, fill_database
from cleverdon.judging.people.accounts import add_person, person_named
from cleverdon.judging.people.sessions import _new_session
from cleverdon.judging.project import Project, new_project
from cleverdon.judging.scale import _parse_scale
from cleverdon.judging.store.schema import assignments
from cleverdon.judging.web.authorization import CSRF_HEADER, cookie_name, csrf_token

DOCUMENTS = 6


def made_project(
    folder: Path,
    *,
    queries: int = 2,
    documents: int = DOCUMENTS,
    people: Mapping[str, str] | None = None,
    wanted: int = 1,
    database: str | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Project:
    """A project whose every document is pooled for every query, and is assigned to every assessor.

    Queries are called t1, t2, ..., documents d1, d2, ...; people have the roles that are given.
    """
    names = [f"d{number + 1}" for number in range(documents)]
    with new_project(folder, database=database) as (project, connection):
        fill_database(
            connection,
            title="Tests",
            scale=_parse_scale("0..3"),
            queries=[
                Query(f"t{number + 1}", f"water in motion {number + 1}", "What moves it?")
                for number in range(queries)
            ],
            documents=[
                Document(name, f"Title of {name}", f"The text of {name}, in which water moves.")
                for name in names
            ],
            items=[
                Item(f"t{query + 1}", name, position, wanted=wanted)
                for query in range(queries)
                for position, name in enumerate(names)
            ],
            settings={"seed": 0, **(settings or {})},
        )
        given = {"ann": "assessor", "bob": "assessor", "eve": "administrator", "vic": "viewer"}
        for name, role in (given if people is None else people).items():
            person = add_person(connection, name, role)
            if role == "assessor":
                rows = [{"query_id": query + 1, "person_id": person.id} for query in range(queries)]
                connection.execute(insert(assignments), rows)
    return project


def signed_in(project: Project, name: str) -> str:
    """The key of a cookie with which a person is signed in."""
    with project.database.writing() as connection:
        return _new_session(connection, person_named(connection, name).id)


def cookies(project: Project, name: str) -> dict[str, str]:
    """What a browser keeps in which a person is signed in."""
    return {cookie_name(project): signed_in(project, name)}


def browser(app: FastAPI, name: str) -> TestClient:
    """A browser in which a person is signed in: what it sends is what its forms hold."""
    return TestClient(app, cookies=cookies(app.state.project, name))


def script(app: FastAPI, name: str) -> TestClient:
    """The same with the word that scripts of our pages send along."""
    key = signed_in(app.state.project, name)
    sent = {CSRF_HEADER: csrf_token(key)}
    return TestClient(app, cookies={cookie_name(app.state.project): key}, headers=sent)


def asked(who: TestClient, path: str, status: int = 200) -> Any:
    """What a call tells."""
    answer = who.get(path)
    assert answer.status_code == status, answer.text
    return answer.json()

"""Projects in which something is judged, in a way that can be checked by hand."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy import insert, select

from cleverdon.judging.adjudication import record_ruling
from cleverdon.judging.people.accounts import person_named
from cleverdon.judging.project import Project
from cleverdon.judging.recording import JudgmentEvent, record
from cleverdon.judging.store.schema import documents, items, people, queries
from tests.judging.projects import made_project

_REQUESTS = count()

Grades = Mapping[str, Mapping[tuple[str, str], int]]
"""Judges to queries and documents to grades."""

TEAM = {
    "ann": "assessor",
    "bob": "assessor",
    "Cyd X": "assessor",
    "eve": "administrator",
    "vic": "viewer",
}
GRADES: Grades = {
    "ann": {("t1", "d1"): 2, ("t1", "d2"): 0, ("t1", "d3"): 1, ("t1", "d4"): 0, ("t2", "d10"): 3},
    "bob": {("t1", "d1"): 2, ("t1", "d2"): 1, ("t1", "d3"): 1, ("t1", "d4"): 3, ("t1", "d5"): 1},
    "Cyd X": {("t1", "d2"): 1, ("t1", "d5"): 2, ("t2", "d9"): 0},
}
"""d4 is ruled to be 2; d2 and d5 are in dispute, and d5 is a tie."""


def judged_project(folder: Path, **more: Any) -> Project:
    """Three people, a model that says 3 of everything, and a ruling."""
    project = made_project(folder, documents=10, people=TEAM, wanted=3, **more)
    give(project, GRADES)
    with project.database.writing() as connection:
        eve = person_named(connection, "eve").id
        item = items_of(connection)["t1", "d4"]
        record_ruling(
            connection, eve, idempotency_key="ruling-1", item=item, grade=2, scale=project.scale
        )
        connection.execute(
            insert(people).values(name="gpt", kind="model", active=True, created_at=0.0)
        )
    return project


def give(project: Project, grades: Grades) -> None:
    """Have people say these grades."""
    with project.database.writing() as connection:
        known = items_of(connection)
        for name, given in grades.items():
            person = person_named(connection, name).id
            for key, grade in given.items():
                said = JudgmentEvent(
                    f"request-{next(_REQUESTS)}", known[key], "grade", grade=grade, seconds=4.0
                )
                record(connection, person, said, project.scale)


def items_of(connection: Any) -> dict[tuple[str, str], int]:
    """Items by their queries and documents."""
    wanted = (
        select(queries.c.name, documents.c.name, items.c.id)
        .select_from(items)
        .join(queries, queries.c.id == items.c.query_id)
        .join(documents, documents.c.id == items.c.document_id)
    )
    return {(query, document): item for query, document, item in connection.execute(wanted)}

"""Every call of the API, with whatever its description allows: as described, and no defect.

What is sent is made by schemathesis from the OpenAPI description. Numbers and names that are there
are put in now and then, since chance hardly ever finds any.
"""

from __future__ import annotations

import logging
import os
import random
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import checks
from schemathesis.specs.openapi import checks as of_openapi
from sqlalchemy import delete, update

from cleverdon.judging.assignment import assign_query
from cleverdon.judging.people.accounts import COMMAND_LINE, person_named
from cleverdon.judging.people.sessions import new_token
from cleverdon.judging.project import Project
from cleverdon.judging.store.schema import people, tokens
from cleverdon.judging.web.app import _declared_routes, make_app
from tests.judging.projects import made_project
from tests.judging.served import headers
from tests.postgres import empty_database

EXAMPLES = 300 if os.environ.get("HYPOTHESIS_PROFILE") == "fuzz" else 5
SEED = int(os.environ.get("CLEVERDON_FUZZ_SEED", "1"))

CALLS = sorted(
    f"{method} /api{route.path_format}"
    for path, route in _declared_routes()
    if path.startswith("/api/")
    for method in route.methods
)
CHECKS: list[Any] = [
    checks.not_a_server_error,
    of_openapi.status_code_conformance,
    of_openapi.content_type_conformance,
    of_openapi.response_schema_conformance,
    of_openapi.response_headers_conformance,
    of_openapi.negative_data_rejection,
]
THERE: dict[str, list[Any]] = {
    "item": list(range(1, 13)),
    "query": ["t1", "t2"],
    "person": [1, 2, 3, 4],
    "people": [[1], [1, 2]],
    "name": ["ann", "t1"],
    "without": [[1, 2]],
    "grade": [0, 3],
}
"""Values that a project of the tests knows, by the names of fields."""


@pytest.fixture(scope="module")
def project(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Project]:
    database = None
    if request.param == "postgresql":
        database = empty_database(request.getfixturevalue("postgresql"))
    folder = tmp_path_factory.mktemp("calls") / "project"
    with made_project(folder, wanted=2, database=database) as made:
        with made.database.writing() as connection:  # who manages may judge as well
            assign_query(connection, COMMAND_LINE, "t1", person_named(connection, "eve"))
        yield made


@pytest.fixture(scope="module")
def schema(project: Project) -> Any:
    app = make_app(project)
    read = schemathesis.openapi.from_dict(app.openapi())
    read.app = app
    return read


@pytest.mark.parametrize(
    ("project", "name"),
    [("sqlite", "eve"), ("sqlite", "ann"), ("postgresql", "eve")],
    ids=["administrator", "assessor", "administrator on PostgreSQL"],
    indirect=["project"],
    scope="module",  # so that all calls are made of one project before the next is made
)
@pytest.mark.parametrize("call", CALLS)
def test_calls_do_what_their_description_says(
    call: str, name: str, project: Project, schema: Any, caplog: pytest.LogCaptureFixture
) -> None:
    method, path = call.split()
    # The log of what the app takes for its own defects is part of the failure, if there is one.
    caplog.set_level(logging.CRITICAL, logger="cleverdon.judge")
    chance = random.Random(f"{SEED} {call}")
    let_in(project)
    sent = of_program(project, name) if chance.random() < 0.5 else headers(project, name)

    @seed(SEED)
    @settings(
        max_examples=EXAMPLES,
        phases=[Phase.generate],  # what fails is shown as it was sent
        suppress_health_check=list(HealthCheck),
    )
    @given(case=schema[path][method].as_strategy())
    def ask(case: Any) -> None:
        if chance.random() < 0.7:
            for part in (case.path_parameters, case.query, case.body):
                put_in(part, chance)
        # Keys that are made up would take the place of the right one.
        for made_up in [known for known in case.headers if known.lower() == "authorization"]:
            del case.headers[made_up]
        answered.add(case.call_and_validate(headers=sent, checks=CHECKS).status_code)

    answered: set[int] = set()
    ask()
    assert answered != {401}, "nobody who is signed in gets only as far as that"


def put_in(part: Any, chance: random.Random) -> None:
    """Put values that are there in the place of some that are not."""
    if isinstance(part, dict):
        for field in part.keys() & THERE.keys():
            if chance.random() < 0.8:
                part[field] = chance.choice(THERE[field])


def let_in(project: Project) -> None:
    """Undo what calls did to people before: somebody may be deactivated, or have another role."""
    with project.database.writing() as connection:
        connection.execute(delete(tokens))
        for known, role in (("ann", "assessor"), ("eve", "administrator")):
            there = update(people).where(people.c.name == known)
            connection.execute(there.values(active=True, role=role))


def of_program(project: Project, name: str) -> dict[str, str]:
    """What a program of a person sends."""
    with project.database.writing() as connection:
        person = person_named(connection, name)
        _, key = new_token(connection, person.id, "fuzz", days=None)
    return {"Authorization": f"Bearer {key}"}

"""`cleverdon judge status` in the states of a project."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest
from sqlalchemy import delete

from cleverdon.judging.store.schema import assignments
from tests.commands import run_here
from tests.judging.judged_projects import give
from tests.judging.projects import made_project


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("status")
    with (
        made_project(where / "empty", queries=3) as project,
        project.database.writing() as connection,
    ):
        connection.execute(delete(assignments).where(assignments.c.query_id == 3))
    with made_project(where / "done", wanted=2) as project:
        keys = list(product(("t1", "t2"), (f"d{number}" for number in range(1, 7))))
        give(project, {"ann": {key: at % 3 for at, key in enumerate(keys)}})
        give(project, {"bob": {key: min(at % 3, 1) for at, key in enumerate(keys)}})
    return where


def test_a_finished_project(folder: Path) -> None:
    told = run_here(["judge", "status", "done", "--per-query", "--pairs"], folder)
    assert told.returncode == 0, told.stderr
    lines = told.stdout.splitlines()
    assert lines[0].startswith(
        "Tests: 24 of 24 judgments (100%), 12 of 12 documents complete, as of 20"
    )
    assert lines[1] == "2 queries: 2 complete, 0 begun; advice: 2 stop, 0 go on, 0 not decided"
    assert any(line.split()[:4] == ["t1", "12/12", "0", "0"] for line in lines)
    assert any(line.split()[:3] == ["ann", "12", "0"] for line in lines)
    assert any(line.startswith("ann    bob          12  0.67") for line in lines)
    assert "Agreement on 12 documents that two people have judged" in lines
    note = "95% intervals by Student's t over 12 documents, since there are too few queries"
    assert f"in brackets: {note}" in lines
    assert any(line.startswith("Stop looking") for line in lines)
    assert lines[-1] == "4 documents were given different grades, and wait to be settled."


def test_an_empty_project_says_why(folder: Path) -> None:
    told = run_here(["judge", "status", "empty"], folder)
    assert told.returncode == 0, told.stderr
    assert "t1 " not in told.stdout, "hundreds of queries would hide the rest"
    assert "Nobody has 1 query, t3; assign them to somebody." in told.stdout
    assert "Not decided: nothing is judged yet." in told.stdout
    assert (
        "No agreement yet: agreement needs 5 documents that two have judged: 0 so far."
        in told.stdout
    )


def test_json_has_all_of_it(folder: Path) -> None:
    told = json.loads(run_here(["judge", "status", "done", "-f", "json"], folder).stdout)
    assert told["progress"]["done"] == 24
    assert told["agreement"]["overall"]["agreement"]["value"] == pytest.approx(2 / 3)
    assert told["recall"]["coverage"]["recall"]["value"] is None
    assert told["recall"]["coverage"]["recall"]["why"]


def test_no_project_is_one_line(folder: Path) -> None:
    told = run_here(["judge", "status", "nowhere"], folder)
    assert told.returncode == 1
    assert "cleverdon judge init" in told.stderr

"""A full disk, a file that may not be written, one that is gone: said in words, nothing is lost."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from httpx import Client, Response
from sqlalchemy import event, select
from starlette.testclient import TestClient

from cleverdon.judging.project import Project
from cleverdon.judging.store.database import Database
from cleverdon.judging.store.schema import events
from cleverdon.judging.web.app import make_app
from tests.judging.projects import made_project
from tests.judging.served import headers, serving

SECRET = "correct-horse"
LONG = "what fills a disk " * 500


def say(client: Client, number: int) -> Response:
    """Note something long of a document."""
    said = {"request": f"request-{number}", "item": 1, "kind": "note", "text": f"{number} {LONG}"}
    return client.post("/api/judgments", json=said)


def said_until_full(client: Client) -> tuple[list[int], Response]:
    """Which notes were acknowledged before one was not, and what was said then."""
    for number in range(2_000):
        answer = say(client, number)
        if answer.status_code != 200:
            return list(range(number)), answer
    raise AssertionError("the disk is not full yet")


def notes(project: Project) -> list[int]:
    """Which notes are kept, in the order in which they were made."""
    with project.database.reading() as connection:
        kept = connection.execute(select(events.c.note).order_by(events.c.id)).scalars().all()
    return [int(note.split()[0]) for note in kept]


@pytest.fixture
def client(project: Project) -> Iterator[TestClient]:
    with TestClient(make_app(project), headers=headers(project, "ann")) as made:
        yield made


def check_full(answer: Response) -> None:
    assert answer.status_code == 503
    assert answer.json()["error"] == "the disk is full; nothing was changed: try again later"


@dataclass(frozen=True)
class SmallDisk:
    """A disk of a megabyte, which only what runs within it sees."""

    folder: Path

    def within(self, script: str) -> list[str]:
        """The command that runs a script of the shell beside it."""
        mount = f"mount -t tmpfs -o size=1m none {self.folder}"
        return ["unshare", "--map-root-user", "--mount", "sh", "-ec", f"{mount}; {script}"]


@pytest.fixture
def small_disk(tmp_path: Path) -> SmallDisk:
    disk = SmallDisk(tmp_path / "disk")
    disk.folder.mkdir()
    try:
        subprocess.run(disk.within("true"), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("a small disk cannot be mounted here: unshare --map-root-user --mount")
    return disk


def test_a_disk_that_is_really_full(tmp_path: Path, small_disk: SmallDisk) -> None:
    disk, made = small_disk.folder, tmp_path / "made"
    with made_project(made) as project:
        signed_in = headers(project, "ann")
    fill = f"cp -R {made} {disk}/project; head -c 200000 /dev/zero >{disk}/filling"
    with (
        serving(
            disk / "project", within=[*small_disk.within(f'{fill}; exec "$@"'), "sh"]
        ) as served,
        Client(base_url=served.url, headers=signed_in) as client,
    ):
        acknowledged, answer = said_until_full(client)
        check_full(answer)
        assert client.get("/api/queries").status_code == 200, "what is there can be read"
        served.kill()
        served.start()
        check_full(say(client, len(acknowledged)))
        Path(f"/proc/{served.pid}/root{disk}/filling").unlink()
        assert say(client, len(acknowledged)).status_code == 200
        history = client.get("/api/items/1/history").json()["events"]
    assert [int(each["note"].split()[0]) for each in history] == [*acknowledged, len(acknowledged)]


def test_commands_on_a_disk_that_is_really_full(tmp_path: Path, small_disk: SmallDisk) -> None:
    made_project(tmp_path / "made").close()
    fill = f"cp -R {tmp_path}/made {small_disk.folder}/project"
    filling = f"head -c 10000000 /dev/zero >{small_disk.folder}/filling || true"
    main = "from cleverdon.cli import main; main()"
    asked = f"{sys.executable} -c '{main}' judge status {small_disk.folder}/project"
    ran = subprocess.run(
        small_disk.within(f"{fill}; {filling}; {asked}"), capture_output=True, text=True
    )
    assert ran.returncode == 1, ran.stderr
    assert "the disk is full: free some space" in ran.stderr


def test_a_database_that_may_not_grow(project: Project, client: TestClient) -> None:
    def bound(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA max_page_count = 200")

    with connected(project, bound):
        acknowledged, answer = said_until_full(client)
        check_full(answer)
        assert notes(project) == acknowledged
    assert say(client, len(acknowledged)).status_code == 200
    assert notes(project) == [*acknowledged, len(acknowledged)]


def test_a_failure_tells_strangers_nothing_of_the_database(
    project: Project, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    url = f"postgresql://cyril:{SECRET}@127.0.0.1:1/cranfield"
    broken = replace(project, database=Database(url))
    broken.__dict__.update(key=project.key, title=project.title)
    client.app.state.project = broken  # type: ignore[attr-defined]
    for path in ("/sign-in/some-key", "/api/queries", "/account"):
        answer = client.get(path)
        assert answer.status_code == 503
        assert "he server cannot do this now; nothing was changed" in answer.text
        for secret in ("cyril", SECRET, "127.0.0.1", "cranfield", "database", "postgres"):
            assert secret not in answer.text
        assert "cyril:***@127.0.0.1:1/cranfield failed: connection" in caplog.messages[-1]
        assert SECRET not in caplog.text


def test_a_database_that_may_not_be_written(project: Project, client: TestClient) -> None:
    def refuse(connection: Any, _: Any) -> None:
        connection.execute("PRAGMA query_only = ON")

    with connected(project, refuse):
        answer = say(client, 1)
        assert answer.status_code == 503
        assert answer.json()["error"].startswith("the database cannot be written; nothing was")
        page = client.get("/")
        assert page.status_code == 200, "what is there can be read"
    assert say(client, 1).status_code == 200


def test_a_file_that_is_moved_away_and_back(
    project: Project, client: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    assert say(client, 1).status_code == 200
    file = project.folder / "judgments.db"
    file.rename(file.with_name("moved"))
    for number in (2, 3):
        answer = say(client, number)
        assert answer.status_code == 503
        assert answer.json()["error"].startswith("the database is gone; nothing was changed")
        assert f"{file} is gone, while it was in use: put it back" in caplog.messages[-1]
    assert not file.exists(), "none is made in its place"
    file.write_bytes(file.with_name("moved").read_bytes())
    answer = say(client, 2)
    assert (answer.status_code, "was replaced" in caplog.messages[-1]) == (503, True)
    file.with_name("moved").rename(file)
    for number in (2, 3):  # what was not acknowledged is sent again
        assert say(client, number).status_code == 200
    assert notes(project) == [1, 2, 3]


@contextmanager
def connected(project: Project, prepared: Callable[[Any, Any], None]) -> Iterator[None]:
    """Meanwhile, connections to the database are prepared in this way too."""
    engine = project.database.engine
    event.listen(engine, "connect", prepared)
    engine.dispose()
    yield
    event.remove(engine, "connect", prepared)
    engine.dispose()

"""Where PostgreSQL is stricter than SQLite: what it does not take is said to whoever gave it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from threading import Event, Thread

import psycopg
import pytest
from sqlalchemy import text

from cleverdon.errors import InputError
from cleverdon.judging import project
from cleverdon.judging.errors import DatabaseFailure
from cleverdon.judging.project import Project, open_project, server_lock
from cleverdon.judging.store import database
from cleverdon.judging.web.app import make_app
from tests.judging.projects import browser, made_project


@pytest.fixture
def on_postgresql(tmp_path: Path, empty_postgresql: str) -> Iterator[Project]:
    with made_project(tmp_path / "project", database=empty_postgresql) as project:
        yield project


def copied(project: Project, folder: Path) -> Project:
    copytree(project.folder, folder)
    return open_project(folder)


def test_a_copied_folder_does_not_start_a_second_server(
    on_postgresql: Project, tmp_path: Path
) -> None:
    with copied(on_postgresql, tmp_path / "copy") as copy:
        said = (
            r"is served already, by another server \(connected from .* since .* process \d+ of Post"
        )
        with server_lock(on_postgresql), pytest.raises(InputError, match=said), server_lock(copy):
            pass
        with server_lock(copy):
            pass


def test_projects_in_two_schemas_of_a_database_are_served_at_once(
    on_postgresql: Project, tmp_path: Path, empty_postgresql: str
) -> None:
    with psycopg.connect(empty_postgresql, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA other")
    url = f"{empty_postgresql}&options=-csearch_path%3Dother"
    with (
        made_project(tmp_path / "other", database=url) as other,
        server_lock(on_postgresql),
        server_lock(other),
        copied(other, tmp_path / "copy") as copy,
        pytest.raises(InputError, match="is served already"),
        server_lock(copy),
    ):
        pass


ENDED = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""


def test_the_lock_survives_lost_connections(
    on_postgresql: Project,
    tmp_path: Path,
    empty_postgresql: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(project, "_CHECK_EVERY", 0.05)
    monkeypatch.setattr(project, "_PATIENCE", 0.2)
    with copied(on_postgresql, tmp_path / "copy") as copy, server_lock(on_postgresql):
        for _ in range(3):
            with psycopg.connect(empty_postgresql, autocommit=True) as connection:
                holder = "SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted"
                before = connection.execute(holder).fetchall()
                connection.execute(ENDED)
                # A session ends some time after it was told to, and holds the lock until then.
                until = time.monotonic() + 30
                while (now := connection.execute(holder).fetchall()) == before or len(now) != 1:
                    assert time.monotonic() < until
                    time.sleep(0.02)
            with pytest.raises(InputError, match="is served already"), server_lock(copy):
                pass


def test_a_server_that_loses_the_lock_ends(
    on_postgresql: Project, tmp_path: Path, empty_postgresql: str
) -> None:
    """It could not be reached for a while, and another server was started meanwhile."""
    command = (sys.executable, "-c", "from cleverdon.cli import main; main()", "judge", "serve")
    arguments = [*command, str(on_postgresql.folder), "--port", "0"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with (
        copied(on_postgresql, tmp_path / "copy") as copy,
        subprocess.Popen(arguments, **pipes) as server,  # type: ignore[call-overload]
    ):
        try:
            assert server.stdout.readline().startswith("Tests: http://127.0.0.1:")
            server.send_signal(signal.SIGSTOP)
            with psycopg.connect(empty_postgresql, autocommit=True) as connection:
                connection.execute(ENDED)
            with server_lock(copy):
                server.send_signal(signal.SIGCONT)
                assert server.wait(timeout=60) == 1
            said = server.stderr.read()
            assert "is served already, by another server (connected from a local socket" in said
            assert "this one ends" in said
            assert "Traceback" not in said
        finally:
            server.kill()


def test_values_that_it_does_not_take(on_postgresql: Project) -> None:
    app = make_app(on_postgresql)
    listed = browser(app, "eve").get("/api/adjudication", params={"query": "t\0"})
    assert listed.status_code == 422
    assert "does not take a value that was given" in listed.json()["error"]
    page = browser(app, "ann").get("/items/1/text", params={"page": 2**31 - 1})
    assert page.status_code == 404


def test_a_commit_waits_for_the_disk_whatever_the_server_is_set_to(on_postgresql: Project) -> None:
    stored = on_postgresql.database
    asked = text("SHOW synchronous_commit")
    for default, durable in [("off", "on"), ("remote_apply", "remote_apply")]:
        with stored.writing() as connection:
            name = connection.execute(text("SELECT current_database()")).scalar()
            connection.execute(text(f"ALTER DATABASE {name} SET synchronous_commit = {default}"))
        stored.close()  # what follows is on connections that know of it
        with stored.reading() as connection:
            assert connection.execute(asked).scalar() == default
        with stored.writing() as connection:
            assert connection.execute(asked).scalar() == durable
        with stored.writing(durable=False) as connection:
            assert connection.execute(asked).scalar() == "off"


def test_a_connection_that_is_gone_is_noticed_by_the_client() -> None:
    made = database.Database("postgresql://me@nowhere/x?keepalives_idle=60")
    _, options = made.engine.dialect.create_connect_args(made.url)
    with pytest.MonkeyPatch.context() as patch:
        asked: dict[str, object] = {}
        patch.setattr(psycopg, "connect", lambda *_, **given: asked.update(given) or 1 / 0)
        with pytest.raises(ZeroDivisionError), made.engine.connect():
            pass
    assert options["keepalives_idle"] == asked["keepalives_idle"] == "60"
    assert asked["tcp_user_timeout"] == 10_000


def test_it_is_not_waited_for_without_end(
    on_postgresql: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process that writes holds no lock of ours, but the server's."""
    monkeypatch.setattr(database, "_PATIENCE", 0.2)
    holding, enough = Event(), Event()
    other = database.Database(on_postgresql.database.url)

    def hold() -> None:
        with other.writing():
            holding.set()
            enough.wait(60)

    thread = Thread(target=hold)
    thread.start()
    try:
        assert holding.wait(60)
        with (
            pytest.raises(DatabaseFailure, match="another program"),
            on_postgresql.database.writing(),
        ):
            pass
    finally:
        enough.set()
        thread.join()
        other.close()
    with on_postgresql.database.writing():
        pass

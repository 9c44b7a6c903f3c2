"""Where PostgreSQL is stricter than SQLite: what it does not take is said to whoever gave it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import psycopg
import pytest
from sqlalchemy import text

from cleverdon.assess.project import Project
from cleverdon.assess.store import StoreFailure, database
from cleverdon.assess.web.app import make_app
from tests.assess.making import browser, made_project


@pytest.fixture
def on_postgresql(tmp_path: Path, empty_postgresql: str) -> Iterator[Project]:
    with made_project(tmp_path / "project", database=empty_postgresql) as project:
        yield project


def test_values_that_it_does_not_take(on_postgresql: Project) -> None:
    app = make_app(on_postgresql)
    listed = browser(app, "eve").get("/api/adjudication", params={"topic": "t\0"})
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
        with pytest.raises(StoreFailure, match="another program"), on_postgresql.database.writing():
            pass
    finally:
        enough.set()
        thread.join()
        other.close()
    with on_postgresql.database.writing():
        pass

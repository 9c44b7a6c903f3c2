"""The form of the database: what migrations make is what the code knows, and nothing is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import MetaData, inspect, select, text

from cleverdon.judging.backup import restore_project
from cleverdon.judging.errors import DatabaseFailure
from cleverdon.judging.project import Project, new_project, open_project, read_project
from cleverdon.judging.scale import read_scale
from cleverdon.judging.store import database
from cleverdon.judging.store.database import Database, current_revision, migrate
from cleverdon.judging.store.schema import METADATA, assignments, items, queries
from tests.judging.judged_projects import give
from tests.judging.projects import made_project

THIRD = """
import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade():
    colour = sa.Column("colour", sa.Text(), server_default="blue", nullable=False)
    anew = "always" if op.get_bind().dialect.name == "sqlite" else "auto"
    with op.batch_alter_table("people", recreate=anew) as batch:
        batch.add_column(colour)  # of a table that most others refer to
    op.create_table("more", sa.Column("id", sa.Integer(), primary_key=True))
    {then}
"""


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A third migration, as a later version would bring it."""
    scripts = tmp_path / "migrations"
    shutil.copytree(database._SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(database, "_SCRIPTS", scripts)
    third = scripts / "versions" / "0003_third.py"
    third.write_text(THIRD.format(then=""))
    return third


@pytest.fixture(params=["sqlite", "postgresql"])
def older(request: pytest.FixtureRequest, tmp_path: Path, later: Path) -> Project:
    """A project of this version, closed, which a later version opens."""
    url = None if request.param == "sqlite" else request.getfixturevalue("empty_postgresql")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_SCRIPTS", Path(database.__file__).with_name("migrations"))
        with made_project(tmp_path / "p", database=url) as project:
            give(project, {"ann": {("t1", "d1"): 1}})
    return project


def compared(database: Database) -> list[object]:
    migrate(database)
    with database.reading() as connection:
        # SQLite's defaults read back otherwise than they were written.
        options = {"compare_type": True, "compare_server_default": not database.is_sqlite}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, METADATA))


def test_migrations_make_what_the_code_knows(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path}/x.db")
    assert compared(database) == []
    with database.reading() as connection:
        found = inspect(connection)
        for table in METADATA.sorted_tables:  # which the comparison passes over
            checks = {each["name"] for each in found.get_check_constraints(table.name)}
            assert checks == {
                each.name for each in table.constraints if str(each.name).startswith("ck_")
            }
            made = connection.execute(
                text("SELECT sql FROM sqlite_master WHERE name = :name"), {"name": table.name}
            ).scalar_one()
            assert ("AUTOINCREMENT" in made) == table.dialect_options["sqlite"]["autoincrement"]
    assert migrate(database) == ("0002", "0002"), "again changes nothing"
    database.close()


def test_the_same_on_postgresql(empty_postgresql: str) -> None:
    database = Database(empty_postgresql)
    assert compared(database) == []
    database.close()


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_project_of_version_0_1_still_opens(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    url = None if kind == "sqlite" else request.getfixturevalue("empty_postgresql")
    rows = {
        "settings": [
            {"name": "title", "value": "Drinks"},
            {"name": "scale", "value": read_scale("0..1")[0].to_json()},
            {"name": "made_of", "value": {"topics": "t.tsv", "BLAKE3": {"topics": ["f00"]}}},
        ],
        "topics": [
            {"id": 1, "name": "t1", "position": 0, "title": "tea"},
            {"id": 3, "name": "t2", "position": 1, "title": "milk"},
        ],
        "documents": [{"id": 7, "name": "d1"}],
        "items": [
            {"id": 5, "topic_id": 3, "document_id": 7, "position": 0},
            {"id": 6, "topic_id": 1, "document_id": 7, "position": 0},
        ],
        "people": [{"id": 2, "name": "ann", "role": "assessor", "active": True, "created_at": 1}],
        "assignments": [{"topic_id": 3, "person_id": 2, "part": "overlap"}],
        "events": [
            {"id": 9, "request": "a", "item_id": 5, "person_id": 2, "kind": "grade", "grade": 1}
            | {"flagged": False, "made_at": 2}
        ],
    }
    with new_project(tmp_path / "p", database=url, form="0001") as (project, connection):
        old = MetaData()
        old.reflect(connection)
        for table, values in rows.items():
            connection.execute(old.tables[table].insert(), values)
    project.close()

    def check(project: Project) -> None:
        assert compared(project.database) == []
        assert project.setting("made_of") == {"queries": "t.tsv", "BLAKE3": {"queries": ["f00"]}}
        with project.database.writing() as connection:
            found = connection.execute(
                select(queries.c.name, queries.c.title, items.c.id, assignments.c.part)
                .join(items)
                .outerjoin(assignments, assignments.c.query_id == queries.c.id)
                .order_by(queries.c.position)
            ).all()
            assert found == [("t1", "tea", 6, None), ("t2", "milk", 5, "overlap")]
            assert connection.execute(text("SELECT count(*) FROM events")).scalar() == 1
            names = connection.execute(
                text("SELECT name FROM sqlite_master WHERE sql LIKE '%topic%'")
                if project.database.is_sqlite
                else text("SELECT relname FROM pg_class WHERE relname LIKE '%topic%'")
            )
            assert list(names) == []
        with pytest.raises(DatabaseFailure), project.database.writing() as connection:
            connection.execute(items.delete())  # an event refers to one of them

    with open_project(tmp_path / "p") as opened:
        check(opened)
    restore_project(str(tmp_path / "p" / "before-0002.zip"), tmp_path / "again")
    with open_project(tmp_path / "again") as restored:
        check(restored)


def test_a_newer_form_is_refused(tmp_path: Path) -> None:
    with made_project(tmp_path / "p") as project, project.database.writing() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '7777'"))
    for opening in (open_project, lambda folder: read_project(folder, lambda _: None)):
        with pytest.raises(DatabaseFailure, match=r"newer Cleverdon \(its form is '7777'\)"):
            opening(tmp_path / "p")
    assert list((tmp_path / "p").glob("*.zip")) == []


def test_an_older_form_is_backed_up_and_brought_up(tmp_path: Path, older: Project) -> None:
    with pytest.raises(DatabaseFailure, match=r"older Cleverdon .* only read here"):
        read_project(tmp_path / "p", lambda _: None)
    with open_project(older.folder) as opened, opened.database.reading() as connection:
        assert current_revision(connection) == "0003"
        colours = connection.execute(text("SELECT DISTINCT colour FROM people")).scalars()
        assert list(colours) == ["blue"]
        assert connection.execute(text("SELECT count(*) FROM judgments")).scalar() == 1
        for table in ("events", "judgments", "assignments"):
            of = {each["referred_table"] for each in inspect(connection).get_foreign_keys(table)}
            assert "people" in of, "what referred to the old table refers to the new one"
        lost = pytest.raises(DatabaseFailure, match=r"(?i)foreign key")
        with lost, opened.database.writing() as connection:
            connection.execute(text("DELETE FROM people"))
    restore_project(str(older.folder / "before-0003.zip"), tmp_path / "again")
    with open_project(tmp_path / "again") as again, again.database.reading() as connection:
        assert current_revision(connection) == "0003", "an older backup is brought up"
        assert connection.execute(text("SELECT count(*) FROM events")).scalar() == 1


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("this is no SQL", "syntax error"),
        (
            "DELETE FROM items",
            "(a row of '.*' refers to one of 'items' that is not there|foreign key constraint)",
        ),
    ],
)
def test_a_migration_that_fails_leaves_the_old_form(
    older: Project, later: Path, then: str, said: str
) -> None:
    later.write_text(THIRD.format(then=f"op.execute({then!r})"))
    with pytest.raises(DatabaseFailure, match=f"{said}.*still '0002'.*before-0003.zip is a backup"):
        open_project(older.folder)
    database = Database(older.database.url)
    with database.reading() as connection:
        assert current_revision(connection) == "0002"
        assert not inspect(connection).has_table("more")
        assert "colour" not in {each["name"] for each in inspect(connection).get_columns("people")}
        assert connection.execute(text("SELECT count(*) FROM events")).scalar() == 1
    database.close()

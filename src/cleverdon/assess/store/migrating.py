"""Bringing a database to the form that this version knows."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from cleverdon.assess.store.database import Database
from cleverdon.assess.store.file import StoreFailure

_SCRIPTS = Path(__file__).with_name("migrations")


def _config(connection: Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", str(_SCRIPTS).replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def newest() -> str:
    """The form that this version knows."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None, "there are migrations"
    return head


def current(connection: Connection) -> str | None:
    """The form that a database has; None where it is empty."""
    return MigrationContext.configure(connection).get_current_revision()


def migrate(database: Database) -> tuple[str | None, str]:
    """Bring a database to the newest form in one transaction; gives the form before and after."""
    with database.writing(rebuilding=True) as connection:
        before = current(connection)
        if before is not None:
            check_known(before, what=database.name)
        if before != newest():
            upgrade(connection)
        return before, newest()


def upgrade(connection: Connection, to: str = "head") -> None:
    """Bring the database of a connection to a form, within its transaction.

    The transaction is one that is `rebuilding`; that every reference leads somewhere is checked.
    """
    command.upgrade(_config(connection), to)
    if connection.dialect.name == "sqlite":
        lost = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if lost is not None:
            raise StoreFailure(
                f"the tables do not fit together: a row of {lost[0]!r} refers to one of "
                f"{lost[2]!r} that is not there"
            )


def check_known(form: str, *, what: str) -> None:
    """Raise a StoreFailure where a form is not known: a later version has brought it."""
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if form not in known:
        raise StoreFailure(
            f"{what} was made by a newer Cleverdon (its form is {form!r}): install that version, "
            "pip install --upgrade cleverdon"
        )


def check_form(database: Database) -> None:
    """Raise a StoreFailure where a database that is only read has another form than the newest."""
    with database.reading() as connection:
        form = current(connection)
    if form is None:
        raise StoreFailure(f"{database.name} is empty; restore it from a backup")
    check_known(form, what=database.name)
    if form != newest():
        raise StoreFailure(
            f"{database.name} was made by an older Cleverdon (its form is {form!r}), and is only "
            "read here: bring it up first, by `cleverdon judge status` of its folder, which makes "
            "a backup beside it before"
        )

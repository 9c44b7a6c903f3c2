"""Bringing a database to the form that this version knows."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from cleverdon.assess.store.database import Database, StoreFailure

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
    with database.writing() as connection:
        before = current(connection)
        known = {
            script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()
        }
        if before is not None and before not in known:
            raise StoreFailure(
                f"{database.name} was made by a newer Cleverdon (its form is {before!r}): "
                "install that version, pip install --upgrade cleverdon"
            )
        if before != newest():
            command.upgrade(_config(connection), "head")
        return before, newest()

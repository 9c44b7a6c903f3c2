"""Topics are called queries: the table, the columns that refer to it, and the settings.

PostgreSQL renames everything in place. SQLite cannot rename constraints: there, new tables
are made, and the rows are copied.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_RENAMES = (
    "TABLE topics RENAME TO queries",
    "SEQUENCE topics_id_seq RENAME TO queries_id_seq",
    "TABLE queries RENAME CONSTRAINT pk_topics TO pk_queries",
    "TABLE queries RENAME CONSTRAINT uq_topics_name TO uq_queries_name",
    "TABLE items RENAME topic_id TO query_id",
    "TABLE items RENAME CONSTRAINT fk_items_topic_id TO fk_items_query_id",
    "TABLE items RENAME CONSTRAINT uq_items_topic_id_document_id TO uq_items_query_id_document_id",
    "INDEX ix_items_topic_id_position RENAME TO ix_items_query_id_position",
    "TABLE assignments RENAME topic_id TO query_id",
    "TABLE assignments RENAME CONSTRAINT fk_assignments_topic_id TO fk_assignments_query_id",
)


def upgrade() -> None:
    """Rename topics to queries."""
    if op.get_bind().dialect.name == "postgresql":
        for each in _RENAMES:
            op.execute(f"ALTER {each}")
    else:
        for table in ("topics", "items", "assignments"):
            _copy(table)
    _rename_settings()


def _renamed(text: str) -> str:
    return text.replace("topics", "queries").replace("topic_id", "query_id")


def _copy(table: str) -> None:
    """Copy a table of SQLite into one with the new names; both have the same columns in order."""
    wanted = sa.text("SELECT sql FROM sqlite_master WHERE tbl_name = :table AND type = :type")
    made, *indexes = (
        sql
        for kind in ("table", "index")
        for sql in op.get_bind().execute(wanted, {"table": table, "type": kind}).scalars()
        if sql is not None  # that of a constraint
    )
    # Under another name at first: the other tables keep their references to the old one.
    op.execute(_renamed(made.replace(f"CREATE TABLE {table}", "CREATE TABLE copied", 1)))
    op.execute(f"INSERT INTO copied SELECT * FROM {table}")
    op.drop_table(table)
    op.rename_table("copied", _renamed(table))
    for index in indexes:
        op.execute(_renamed(index))


def _rename_settings() -> None:
    """Rename the file of queries among the files that a project was made of, and its digest."""
    settings = sa.table("settings", sa.column("name"), sa.column("value", sa.JSON))
    is_wanted = settings.c.name == "made_of"
    files = op.get_bind().execute(sa.select(settings.c.value).where(is_wanted)).scalar()
    if isinstance(files, dict):
        files = {_renamed(key): value for key, value in files.items()}
        if isinstance(digests := files.get("BLAKE3"), dict):
            files["BLAKE3"] = {_renamed(key): value for key, value in digests.items()}
        op.execute(settings.update().where(is_wanted).values(value=files))

"""Alembic's environment: runs migrations over the connection that it is given.

To change a table of SQLite, `op.batch_alter_table` makes a new one from what it can read of the old
one. It cannot read CHECK and AUTOINCREMENT: repeat them in its `table_args` and `table_kwargs`. The
tests compare the tables that migrations make with those of `schema.py`, including these.
"""

from alembic import context

from cleverdon.judging.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite can change few things of a table that is there
)
context.run_migrations()

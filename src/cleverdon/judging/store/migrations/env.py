"""Alembic's environment: runs migrations over the connection that it is given.

Where a migration changes a table on SQLite, it makes a new one of what can be read of the old
(`op.batch_alter_table`), and CHECK and AUTOINCREMENT cannot: say them anew, by its `table_args` and
`table_kwargs`. The tests compare what migrations make with what the code knows, these included.
"""

from alembic import context

from cleverdon.judging.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite can change few things of a table that is there
)
context.run_migrations()

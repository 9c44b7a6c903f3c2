"""What Alembic runs: migrations over the connection that it is given."""

from alembic import context

from cleverdon.assess.store.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    render_as_batch=True,  # SQLite can change few things of a table that is there
)
context.run_migrations()

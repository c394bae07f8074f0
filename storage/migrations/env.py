"""Run by alembic: takes the connection it is given and runs the steps in one transaction."""

from alembic import context

from storage.tables.columns import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    # SQLite cannot alter most things in place: alembic copies the table there.
    render_as_batch=True,
)
context.run_migrations()

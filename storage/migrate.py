"""Bring a database to the version this program needs. Safe to run at every start and by several processes."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from storage.address import parse_address
from storage.engine import IMPATIENT, Patience, open_writing
from storage.errors import StorageError, translated
from storage.migrations import HEAD
from storage.repositories.audit import AuditTrail

MIGRATION_LOCK = 0x5377_6D67
"""Advisory lock on PostgreSQL: of several processes that start together, one migrates and the others wait."""


async def migrate(url: str, *, audit_key: bytes | None = None, patience: Patience = IMPATIENT) -> None:
    """Run the steps that are missing, all in one transaction; with none missing, nothing is written.

    Args:
        url: where the database is.
        audit_key: must be the one that the database was written with; None: the caller has no key.
        patience: how long to wait for another process that holds the SQLite file.

    Raises:
        StorageError: the address is wrong, another process uses the SQLite file, the database is newer than this
            program or was written with another key, or a step failed.
    """
    try:
        async with open_writing(parse_address(url), patience=patience) as line:
            await line.run(lambda connection: _upgrade(connection, audit_key))
    except SQLAlchemyError as error:
        raise translated(error) from error


def alembic_config() -> Config:
    """The configuration, made here instead of in an ini file."""
    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    return config


def see_version(connection: Connection) -> None:
    """Check that the tables are the ones that this program knows.

    Raises:
        StorageError: they are older or newer.
    """
    held = _version(connection)
    _refuse_newer(held)
    if held != HEAD:
        raise StorageError(
            f"The database is at version {held or 'none'}, this program needs {HEAD}.",
            mend="Run `switchboard migrate` with this version of the program.",
        )


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _refuse_newer(held: str | None) -> None:
    # The steps are numbered. An older program is not tested with newer tables.
    if held is not None and held > HEAD:
        raise StorageError(
            f"The database is at version {held}, which is newer than this program: it knows up to {HEAD}.",
            mend="Start the version of the program that was used last, or a later one.",
        )


def _upgrade(connection: Connection, audit_key: bytes | None) -> None:
    config = alembic_config()
    config.attributes["connection"] = connection
    with connection.begin():
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})").close()
        held = _version(connection)
        _refuse_newer(held)
        if held != HEAD:
            command.upgrade(config, "head")
        if audit_key is not None:
            AuditTrail(connection, key=audit_key).adopt_key()

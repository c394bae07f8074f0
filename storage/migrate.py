"""Bring a database to the version this program needs. Safe to run at every start and by several processes."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from storage.address import PostgresServer, parse_address
from storage.engine import LockFile, PostgresLine, SqliteLine, create_private
from storage.errors import translated

MIGRATION_LOCK = 0x5377_6D67
"""Advisory lock on PostgreSQL: of several processes that start together, one migrates and the others wait."""


async def migrate(url: str) -> None:
    """Run the steps that are missing, all in one transaction; with none missing, nothing is written.

    Raises:
        StorageError: the address is wrong, another process uses the SQLite file, or a step failed.
    """
    address = parse_address(url)
    try:
        if isinstance(address, PostgresServer):
            line = PostgresLine.open(address, writes=True, connections=1)
            try:
                await line.run(_upgrade)
            finally:
                await line.close()
            return
        lock = LockFile.take(address.path)
        try:
            create_private(address.path)
            sqlite = await SqliteLine.open(address, writes=True)
            try:
                await sqlite.run(_upgrade)
            finally:
                await sqlite.close()
        finally:
            lock.release()
    except SQLAlchemyError as error:
        raise translated(error) from error


def alembic_config() -> Config:
    """The configuration, made here instead of in an ini file."""
    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    return config


def _upgrade(connection: Connection) -> None:
    config = alembic_config()
    config.attributes["connection"] = connection
    with connection.begin():
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})").close()
        command.upgrade(config, "head")

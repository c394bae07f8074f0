"""Migrate a database to the version that this program needs. Safe at every start and in several processes."""

import re
from datetime import UTC, datetime

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import SQLAlchemyError

from storage import migrations
from storage.engine import IMPATIENT, LockPatience, open_writing, parse_address
from storage.errors import NewerDatabase, StorageError, translated
from storage.repositories.audit import AuditTrail
from storage.repositories.flags import Flags

MIGRATION_LOCK = 0x5377_6D67
"""Advisory lock on PostgreSQL: of several processes that start together, one migrates and the others wait."""

OLDEST = "oldest_program"
"""Flag with a version of the tables, and the oldest program that works with them."""
MOVED = "moved"
"""Flag of a SQLite file that was copied to a server, with that server."""
_SESSIONS = (
    "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_PROGRAM = re.compile(rf"{migrations.PROGRAM}(?: {migrations.PEERS})?(?: (\d+))?")


async def migrate(url: str, *, audit_key: bytes | None = None, patience: LockPatience = IMPATIENT) -> None:
    """Run the missing steps in one transaction. Raises StorageError, also if an incompatible older program runs."""

    def upgrade(connection: Connection) -> None:
        config = alembic_config()
        config.attributes["connection"] = connection
        with connection.begin():
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})").close()
            held = refuse_newer(connection)
            if held is not None:
                _refuse_moved(connection)
            if held is None or held < migrations.HEAD:
                # Each missing step defines the oldest program that works with its result, by default its own version.
                steps = ScriptDirectory.from_config(config).walk_revisions(held or "base", "heads")
                said = [getattr(step.module, "works_with", step.revision) for step in steps if step.revision != held]
                oldest = max(_oldest(connection, held), *said)
                # For a SQLite file, this process holds the lock. Programs older than this check don't report a version.
                if connection.dialect.name == "postgresql" and any(one < oldest for one in _programs(connection)):
                    raise StorageError(
                        "An earlier version of Switchboard uses this database, and this version takes away what it "
                        "needs.",
                        mend="Stop every process of the earlier version, then migrate again. Nothing was changed.",
                    )
                command.upgrade(config, "head")
                Flags(connection).set(OLDEST, [migrations.HEAD, oldest], datetime.now(UTC))
            if audit_key is not None:
                AuditTrail(connection, key=audit_key).ensure_key()

    try:
        async with open_writing(parse_address(url), patience=patience) as line:
            await line.run(upgrade)
    except SQLAlchemyError as error:
        raise translated(error) from error


def alembic_config() -> Config:
    """Return the configuration, which replaces an ini file."""
    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    return config


def check_version(connection: Connection, *, moving_to: str = "") -> None:
    """Raise StorageError if the tables are older, too new, or were copied to a database other than ``moving_to``."""
    if connection.dialect.name == "postgresql":
        # Either the process that migrates sees this one, or this one sees its result.
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock_shared({MIGRATION_LOCK})").close()
    held = refuse_newer(connection)
    if held is None or held < migrations.HEAD:
        raise StorageError(
            f"The database is at version {held or 'none'}, this program needs {migrations.HEAD}.",
            mend="Run `switchboard migrate` with this version of the program.",
        )
    _refuse_moved(connection, but_to=moving_to)


def refuse_newer(connection: Connection) -> str | None:
    """Return the version of the tables. Raises NewerDatabase if this program doesn't work with them."""
    has_any = inspect(connection).has_table("alembic_version")
    held = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if has_any else None
    # The steps are numbered. An older program isn't tested with tables that don't name it.
    if held is not None and held > migrations.HEAD and _oldest(connection, held) > migrations.HEAD:
        raise NewerDatabase(
            f"The database is at version {held}, which is newer than this program: it knows up to {migrations.HEAD}.",
            mend="Start the version of the program that was used last, or a later one.",
        )
    return held


def moved_to(flags: Flags) -> str:
    found = flags.get(MOVED)
    return str(found["to"]) if isinstance(found, dict) else ""


def _refuse_moved(connection: Connection, *, but_to: str = "") -> None:
    to = moved_to(Flags(connection))
    if to not in ("", but_to):
        raise StorageError(
            f"This database was moved to {to}.",
            mend="Set DATABASE_URL to that one. To go back to the file, restore a backup from before the copy.",
        )


def _oldest(connection: Connection, held: str | None) -> str:
    """Return the oldest program that works with these tables: their version, unless the steps define an older one."""
    found = Flags(connection).get(OLDEST) if inspect(connection).has_table("flag") else None
    match found:
        case [version, str(oldest)] if version == held:
            return oldest
    return held or ""


def keep_programs_out(connection: Connection) -> None:
    """Keep processes from starting on this PostgreSQL database in this transaction. Raises StorageError if one runs."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})").close()
    for _ in range(10):  # a session that was just closed is visible until the server has ended it
        if not _programs(connection):
            return
        connection.exec_driver_sql("SELECT pg_sleep(0.1), pg_stat_clear_snapshot()").close()
    raise StorageError("A process of Switchboard uses that database.", mend="Stop every process first.")


def _programs(connection: Connection) -> list[str]:
    found = [_PROGRAM.fullmatch(name or "") for (name,) in connection.exec_driver_sql(_SESSIONS)]
    return [program[1] or "" for program in found if program]

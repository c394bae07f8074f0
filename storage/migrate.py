"""Bring a database to the version this program needs. Safe to run at every start and by several processes."""

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
from storage.repositories.admin import Flags
from storage.repositories.audit import AuditTrail

MIGRATION_LOCK = 0x5377_6D67
"""Advisory lock on PostgreSQL: of several processes that start together, one migrates and the others wait."""

OLDEST = "oldest_program"
"""Flag: a version of the tables, and the oldest program that works on them."""
MOVED = "moved"
"""Flag of a SQLite file that was copied to a server: where to."""
_SESSIONS = (
    "SELECT application_name FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
_PROGRAM = re.compile(rf"{migrations.PROGRAM}(?: {migrations.PEERS})?(?: (\d+))?")


async def migrate(url: str, *, audit_key: bytes | None = None, patience: LockPatience = IMPATIENT) -> None:
    """Run the steps that are missing, all in one transaction. Raises StorageError, also where an older program runs."""

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
                # Each missing step says the oldest program that works on its result: as a rule the one it belongs to.
                steps = ScriptDirectory.from_config(config).walk_revisions(held or "base", "heads")
                said = [getattr(step.module, "works_with", step.revision) for step in steps if step.revision != held]
                oldest = max(_oldest(connection, held), *said)
                # Of a SQLite file this process holds the lock. Programs from before this check give no number.
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
    """The configuration, made here instead of in an ini file."""
    config = Config()
    config.set_main_option("script_location", "storage:migrations")
    return config


def check_version(connection: Connection, *, moving_to: str = "") -> None:
    """Raises StorageError when the tables are older, too new, or were copied to another database than ``moving_to``."""
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
    """The version of the tables. Raises NewerDatabase when this program does not work on those of a later one."""
    has_any = inspect(connection).has_table("alembic_version")
    held = connection.execute(text("SELECT version_num FROM alembic_version")).scalar() if has_any else None
    # The steps are numbered. An older program is not tested with tables that do not name it.
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
    """The oldest program that works on these tables: that of their version, unless their steps said an older one."""
    found = Flags(connection).get(OLDEST) if inspect(connection).has_table("flag") else None
    match found:
        case [version, str(oldest)] if version == held:
            return oldest
    return held or ""


def keep_programs_out(connection: Connection) -> None:
    """Until the transaction ends, no process starts on this PostgreSQL database. Raises StorageError when one runs."""
    connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({MIGRATION_LOCK})").close()
    for _ in range(10):  # a session that was just closed shows until the server has ended it
        if not _programs(connection):
            return
        connection.exec_driver_sql("SELECT pg_sleep(0.1), pg_stat_clear_snapshot()").close()
    raise StorageError("A process of Switchboard uses that database.", mend="Stop every process first.")


def _programs(connection: Connection) -> list[str]:
    found = [_PROGRAM.fullmatch(name or "") for (name,) in connection.exec_driver_sql(_SESSIONS)]
    return [program[1] or "" for program in found if program]

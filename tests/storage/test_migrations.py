"""The steps make exactly the tables the program knows, once, whoever runs them."""

import asyncio
import re
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Table, create_engine, inspect
from sqlalchemy.schema import CheckConstraint

from storage import Store, Tx, migrate
from storage.errors import InUse, StorageError
from storage.migrate import alembic_config
from storage.migrations import HEAD
from storage.tables.columns import metadata
from tests.storage.factories import KEY, instruction, unit
from tests.support.later import BESIDE, INSTEAD, later_program


def test_head_is_the_newest_step() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == HEAD


async def test_migrations_create_the_declared_tables(store: Store) -> None:
    def differences(tx: Tx) -> list[object]:
        connection = tx.flags._connection
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        return [*compare_metadata(context, metadata), *_checks_that_differ(connection)]

    assert await store.read(differences) == []


def _checks_that_differ(connection: Connection) -> list[object]:
    # alembic compares neither CHECKs nor the conditions of partial indexes.
    found: list[object] = []
    inspector = inspect(connection)
    for table in metadata.sorted_tables:
        held = {check["name"]: _words(check["sqltext"]) for check in inspector.get_check_constraints(table.name)}
        known = {
            str(check.name): _words(str(check.sqltext))
            for check in table.constraints
            if isinstance(check, CheckConstraint)
        }
        if held != known:
            found.append((table.name, held, known))
        found += _conditions_that_differ(connection, table)
    return found


def _words(condition: str) -> list[str]:
    """Names, values and operators: PostgreSQL writes ``IN`` as ``= ANY (ARRAY[...])`` and adds casts."""
    plain = condition.replace("::text", "").replace("= ANY", "IN").replace("ARRAY", "")
    return re.findall(r"'[^']*'|\w+|[<>=]+", plain)


def _conditions_that_differ(connection: Connection, table: Table) -> list[object]:
    option, key = connection.dialect.name, f"{connection.dialect.name}_where"
    held = {
        str(index["name"]): _words(str(index["dialect_options"][key]))
        for index in inspect(connection).get_indexes(table.name)
        if index.get("dialect_options", {}).get(key) is not None
    }
    known = {
        str(index.name): _words(str(index.dialect_options[option]["where"]))
        for index in table.indexes
        if index.dialect_options[option]["where"] is not None
    }
    return [] if held == known else [(table.name, held, known)]


@pytest.mark.postgres
async def test_processes_that_start_together_migrate_once(new_postgres_url: str) -> None:
    await asyncio.gather(*(migrate(new_postgres_url) for _ in range(4)))
    await (await Store.open(new_postgres_url, audit_key=KEY)).close()


@pytest.mark.postgres
async def test_later_version_migrates_beside_a_running_program(new_postgres_url: str, tmp_path: Path) -> None:
    """And the running one works on; one that starts meanwhile, too. What takes something away waits for its end."""
    await migrate(new_postgres_url)
    today = await Store.open(new_postgres_url, audit_key=KEY)
    with later_program(tmp_path, BESIDE):
        await migrate(new_postgres_url, audit_key=KEY)
        later = await Store.open(new_postgres_url, audit_key=KEY)
    made = instruction()
    assert await unit(today).instructions.insert(made, actor="U1")
    assert await unit(later).instructions.get(made.id) == made
    await migrate(new_postgres_url, audit_key=KEY)  # today's program, started again
    await (await Store.open(new_postgres_url, audit_key=KEY)).close()
    with later_program(tmp_path, INSTEAD):
        for running in (today, later):
            with pytest.raises(StorageError) as refused:
                await migrate(new_postgres_url, audit_key=KEY)
            assert str(refused.value.problem).startswith(
                "An earlier version of Switchboard uses this database, and this"
            )
            await running.close()
        await migrate(new_postgres_url, audit_key=KEY)
    with pytest.raises(StorageError) as too_new:
        await migrate(new_postgres_url, audit_key=KEY)
    assert str(too_new.value.problem).startswith("The database is at version 9002, which is newer than this program")


async def test_database_file_is_open_in_one_program(new_sqlite_url: str, tmp_path: Path) -> None:
    with later_program(tmp_path, BESIDE):
        await migrate(new_sqlite_url)
    today = await Store.open(new_sqlite_url, audit_key=KEY)
    with later_program(tmp_path, INSTEAD):
        with pytest.raises(InUse):
            await migrate(new_sqlite_url)
        await today.close()
        await migrate(new_sqlite_url)
    with pytest.raises(StorageError, match="newer than this program"):
        await Store.open(new_sqlite_url, audit_key=KEY)


def test_migration_keeps_older_programs_working(tmp_path: Path) -> None:
    """Its tables and columns stay, and new columns do without its values. The last step shows what would be found."""
    with later_program(tmp_path, INSTEAD) as later_config:
        config = later_config()
        steps = list(ScriptDirectory.from_config(config).walk_revisions())
        *beside, instead = [*(step for step in steps if hasattr(step.module, "works_with")), steps[0]]
        engine = create_engine("sqlite://")
        with engine.connect() as connection:
            config.attributes["connection"] = connection
            for step in reversed(beside):
                assert _taken(connection, config, step.module.works_with, step.revision) == []
            assert _taken(connection, config, beside[0].revision, instead.revision) == ["unread_answer"]
        engine.dispose()


def _taken(connection: Connection, config: Config, before: str, after: str) -> list[str]:
    """Tables and columns of one version that are not there in another, or want a value that they did not want."""
    command.upgrade(config, before)
    had = _columns(connection)
    command.upgrade(config, after)
    has = _columns(connection)
    lost = [name for name in had if name not in has]
    changed = [f"{table}.{name}" for table in had if table in has for name in had[table] if name not in has[table]]
    wanted = [
        f"{table}.{name}"
        for table in had
        for name, needs_a_value in has.get(table, {}).items()
        if needs_a_value and not had[table].get(name)
    ]
    return [*lost, *changed, *wanted]


def _columns(connection: Connection) -> dict[str, dict[str, bool]]:
    inspector = inspect(connection)
    inspector.clear_cache()
    return {
        table: {
            f"{column['name']} {column['type']}": not column["nullable"] and column["default"] is None
            for column in inspector.get_columns(table)
        }
        for table in inspector.get_table_names()
    }

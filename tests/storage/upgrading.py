"""A database that an earlier version filled, brought to this one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, inspect

from bot.domain.payments.instruction import Instruction
from storage import Store, migrate
from storage.repositories.requests import values_of
from tests.storage.factories import opened
from tests.support.fixtures import Patch


def stored_then(connection: Connection, made: Instruction) -> dict[str, object]:
    """A request under the columns that the earlier version had."""
    known = {column["name"] for column in inspect(connection).get_columns("instruction")}
    return {name: value for name, value in values_of(made).items() if name in known}


@asynccontextmanager
async def upgraded(url: str, patch: Patch, version: str, fill: Callable[[Connection], object]) -> AsyncIterator[Store]:
    upgrade = command.upgrade

    def then(config: Config, _revision: str) -> None:
        upgrade(config, version)
        fill(config.attributes["connection"])

    with patch.context() as patched:
        patched.setattr(command, "upgrade", then)
        await migrate(url)
    await migrate(url)
    async with opened(url) as store:
        yield store

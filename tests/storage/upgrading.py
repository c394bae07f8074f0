"""A database that an earlier version filled, brought to this one."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection

from storage import Store, migrate
from tests.storage.factories import KEY


@asynccontextmanager
async def upgraded(
    url: str, patch: pytest.MonkeyPatch, version: str, fill: Callable[[Connection], object]
) -> AsyncIterator[Store]:
    upgrade = command.upgrade

    def then(config: Config, _revision: str) -> None:
        upgrade(config, version)
        fill(config.attributes["connection"])

    with patch.context() as patched:
        patched.setattr(command, "upgrade", then)
        await migrate(url)
    await migrate(url)
    store = await Store.open(url, audit_key=KEY)
    try:
        yield store
    finally:
        await store.close()

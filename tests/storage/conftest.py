"""A migrated, open store on each database."""

from collections.abc import AsyncIterator

import pytest

from storage import Store
from tests.storage.factories import KEY


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    opened = await Store.open(database_url, audit_key=KEY)
    yield opened
    await opened.close()

"""A migrated, open store on each database."""

from collections.abc import AsyncIterator

import pytest

from storage import Store
from tests.storage.factories import opened


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    async with opened(database_url) as store:
        yield store

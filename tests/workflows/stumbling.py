"""A database that fails for units of work of one name."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from storage.errors import CommitUnknown, StorageError
from storage.store import Store
from tests.support.rig import Rig


class Stumbling:
    """Has the database fail for units of one name, so many times; a commit of unknown outcome has happened."""

    def __init__(self, store: Store, name: str, errors: Sequence[StorageError]) -> None:
        self._write: Callable[..., Awaitable[Any]] = store.write
        self._name = name
        self.errors = list(errors)

    async def __call__(self, work: Callable[..., Any], *, name: str = "") -> Any:
        if name != self._name or not self.errors:
            return await self._write(work, name=name)
        error = self.errors.pop(0)
        if isinstance(error, CommitUnknown):
            await self._write(work, name=name)
        raise error


def stumble(rig: Rig, name: str, *errors: StorageError) -> Stumbling:
    store = rig.switchboard.context.store
    stumbling = Stumbling(store, name, errors)
    store.write = stumbling  # type: ignore[method-assign]
    return stumbling

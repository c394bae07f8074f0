"""The readers: reads that wait together run together, in one transaction on one connection.

Handing work to a connection and opening a transaction cost several times what a small query does, and every busy
thread delays the event loop. So reads that arrive together share both, and a second connection is taken only while the
first is busy. A unit that fails does not affect the others.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from storage.engine import Line
from storage.errors import StorageClosed, translated
from storage.transaction import Tx

T = TypeVar("T")

BATCH_MAX = 16
"""Units that share a transaction: bounds what a quick one may have to wait for."""


@dataclass(slots=True, eq=False)
class _Unit:
    work: Callable[[Tx], Any]
    future: asyncio.Future[Any]

    def settle(self, value: Any) -> None:
        if self.future.done():  # the caller was cancelled
            return
        if isinstance(value, _Failed):
            self.future.set_exception(value.error)
        else:
            self.future.set_result(value)


@dataclass(frozen=True, slots=True)
class _Failed:
    error: Exception


class Readers:
    """The only user of the reading connections. For one event loop."""

    def __init__(self, lines: list[Line], *, make_tx: Callable[[Connection], Tx]) -> None:
        self._free = list(lines)
        self._make_tx = make_tx
        self._waiting: deque[_Unit] = deque()
        self._setting_out = False
        self._working: set[asyncio.Task[None]] = set()
        self._closed = False

    async def run(self, work: Callable[[Tx], T]) -> T:
        """Run on one consistent state of what was committed before this call.

        Raises:
            Exception: whatever ``work`` raised.
            StorageError: it could not be read, or ``work`` tried to write.
        """
        if self._closed:
            raise StorageClosed("The database was closed: the process is stopping.")
        unit = _Unit(work, asyncio.get_running_loop().create_future())
        self._waiting.append(unit)
        self._set_out()
        return cast("T", await unit.future)

    async def close(self) -> None:
        """Wait for every unit that runs or waits; refuse what comes later."""
        self._closed = True
        while self._working:
            await asyncio.wait(self._working)

    def _set_out(self) -> None:
        """Start a free connection on the waiting units, unless one is starting: it takes all that wait by then."""
        if self._setting_out or not self._free:
            return
        self._setting_out = True
        task = asyncio.create_task(self._work(self._free.pop()), name="reader")
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _work(self, line: Line) -> None:
        self._setting_out = False
        try:
            while batch := self._next_batch():
                await self._read(line, batch)
        finally:
            self._free.append(line)

    def _next_batch(self) -> list[_Unit]:
        batch: list[_Unit] = []
        while self._waiting and len(batch) < BATCH_MAX:
            unit = self._waiting.popleft()
            if not unit.future.done():
                batch.append(unit)
        if self._waiting:  # more units than fit into one batch
            self._set_out()
        return batch

    async def _read(self, line: Line, batch: list[_Unit]) -> None:
        try:
            values = await line.run(lambda connection: self._transact(connection, batch))
        except asyncio.CancelledError:
            for unit in batch:
                unit.future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, every waiting caller gets it
            told = translated(error) if isinstance(error, SQLAlchemyError) else error
            values = [_Failed(told)] * len(batch)
        for unit, value in zip(batch, values, strict=True):
            unit.settle(value)

    def _transact(self, connection: Connection, batch: list[_Unit]) -> list[Any]:
        values: list[Any] = []
        while len(values) < len(batch):
            values += self._until_one_fails(connection, batch[len(values) :])
        return values

    def _until_one_fails(self, connection: Connection, units: list[_Unit]) -> list[Any]:
        """Read in one transaction. On PostgreSQL a failing statement aborts it: the other units need a new one."""
        values: list[Any] = []
        transaction = connection.begin()
        try:
            tx = self._make_tx(connection)
            for unit in units:
                try:
                    values.append(unit.work(tx))
                except SQLAlchemyError as error:
                    values.append(_Failed(translated(error)))
                    break
                except Exception as error:  # noqa: BLE001 - it goes to this caller; the others go on
                    values.append(_Failed(error))
        finally:
            # There is nothing to commit, and a broken connection can be replaced only after a rollback.
            transaction.rollback()
        return values

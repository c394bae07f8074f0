"""The group writer: units that arrive during one commit are committed together by the next.

A durable commit costs the same for one row and for a hundred, so under load many requests share one. A single
request never waits for others. Each unit of work runs in a savepoint of its own, so its failure does not affect the
others.
"""

import asyncio
import logging
import secrets
import sqlite3
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from sqlalchemy import Connection, Transaction
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from storage.engine import Line
from storage.errors import StorageBusy, StorageClosed, StorageFull, commit_error, translated
from storage.room import Disk
from storage.transaction import Tx

T = TypeVar("T")

LOG = logging.getLogger(__name__)

Work = Callable[[Tx], Any]
Probe = Callable[[str], None]

WAITING_MAX = 1024
"""Units accepted and not yet committed; further callers wait before they are accepted."""

BATCH_MAX = 128
"""Units in one commit: bounds how long one of them may wait."""

WRITERS_LOCK = 0x5377_6274
"""Advisory lock on PostgreSQL that every write batch of every process takes first.

It makes writers run one after the other, as they do on SQLite. The audit chain needs that (each row seals the one
before it). Sums such as the daily limit are exact without further locks, and two batches that touch the same rows
in different order cannot deadlock.
"""


@dataclass(slots=True, eq=False)
class _Unit:
    work: Work
    name: str
    future: asyncio.Future[Any]


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: Any = None
    error: Exception | None = None


class _NotBegun(Exception):
    """The connection was found broken before any unit ran."""


NEWS = "switchboard"
"""PostgreSQL channel that notifies the other processes of every batch that changed a row."""


class GroupWriter:
    """The only user of the writing connection. One per process."""

    def __init__(
        self, line: Line, *, make_tx: Callable[[Connection], Tx], lock: bool, probe: Probe, disk: Disk
    ) -> None:
        self._line = line
        self._disk = disk
        self._make_tx = make_tx
        self._lock = lock
        self._probe = probe
        self._waiting: deque[_Unit] = deque()
        self._room = asyncio.Semaphore(WAITING_MAX)
        self._wake = asyncio.Event()
        self._closing = False
        self._dead: BaseException | None = None
        self._changed = False
        self._total = 0
        self.voice = secrets.token_hex(8)
        """Id in our notifications, to tell them from those of other processes."""
        self._task = asyncio.create_task(self._serve(), name="group writer")
        self.commits = 0
        self.changes = 0
        """Batches that changed a row."""

    async def submit(self, work: Callable[[Tx], T], *, name: str) -> T:
        """Run ``work`` in the next batch; returns when that is committed.

        Raises:
            Exception: whatever ``work`` raised; it wrote nothing then.
            StorageError: the batch could not be written; see its subclasses.
        """
        self._refuse_when_over()
        async with self._room:
            self._refuse_when_over()
            unit = _Unit(work, name, asyncio.get_running_loop().create_future())
            self._waiting.append(unit)
            self._wake.set()
            return cast("T", await unit.future)

    async def close(self) -> None:
        """Commit what was accepted; refuse what comes later."""
        self._closing = True
        self._wake.set()
        await asyncio.shield(self._task)

    def _refuse_when_over(self) -> None:
        if self._dead is not None:
            raise self._dead
        if self._closing:
            raise StorageClosed("The database was closed: the process is stopping.")

    async def _serve(self) -> None:
        try:
            while self._dead is None and not (self._closing and not self._waiting):
                await self._wake.wait()
                self._wake.clear()
                while batch := self._next_batch():
                    await self._write(batch)
        finally:
            # Reached by a simulated crash, or when the event loop is torn down without close().
            for unit in self._waiting:
                unit.future.cancel() if self._dead is None else _fail([unit], self._dead)
            self._waiting.clear()

    def _next_batch(self) -> list[_Unit]:
        batch: list[_Unit] = []
        while self._waiting and len(batch) < BATCH_MAX and self._dead is None:
            unit = self._waiting.popleft()
            if not unit.future.done():  # done: the caller was cancelled before it began
                batch.append(unit)
        return batch

    async def _write(self, batch: list[_Unit]) -> None:
        try:
            outcomes = await self._run(batch)
        except asyncio.CancelledError:
            for unit in batch:
                unit.future.cancel()
            raise
        except SQLAlchemyError as error:
            told = translated(error)
            self._disk.refused = isinstance(told, StorageFull)
            _fail(batch, told)
        except Exception as error:  # noqa: BLE001 - whatever it is, every waiting caller gets it
            self._disk.refused |= isinstance(error, StorageFull)
            _fail(batch, error)
        except BaseException as crash:  # noqa: BLE001 - a probe simulates a crash: nothing is done after it
            self._dead = crash
            self._closing = True
            _fail(batch, crash)
        else:
            self.commits += 1
            self.changes += self._changed
            self._disk.refused = any(isinstance(one.error, StorageFull) for one in outcomes)
            for unit, outcome in zip(batch, outcomes, strict=True):
                _settle(unit, outcome)

    async def _run(self, batch: list[_Unit]) -> list[_Outcome]:
        try:
            return await self._line.run(lambda connection: self._transact(connection, batch))
        except _NotBegun:
            # The server was restarted since the last batch. Nothing ran yet, so a retry is safe.
            try:
                return await self._line.run(lambda connection: self._transact(connection, batch))
            except _NotBegun as error:
                raise StorageBusy("The database is unreachable.", mend="See whether the server runs.") from error

    def _transact(self, connection: Connection, batch: list[_Unit]) -> list[_Outcome]:
        transaction = self._begin(connection)
        try:
            outcomes = self._run_units(connection, batch)
            self._changed = self._has_changed(connection)
            for unit in batch:
                self._probe(f"write.before:{unit.name}")
        except BaseException:
            _roll_back(connection, transaction)
            raise
        try:
            transaction.commit()
        except SQLAlchemyError as error:
            _roll_back(connection, transaction)
            raise commit_error(error) from error
        for unit in batch:
            self._probe(f"write.after:{unit.name}")
        return outcomes

    def _has_changed(self, connection: Connection) -> bool:
        """Whether this batch changed a row; if so, the other processes are notified."""
        if self._lock:
            told = f"SELECT pg_notify('{NEWS}', '{self.voice}') WHERE txid_current_if_assigned() IS NOT NULL"
            return connection.exec_driver_sql(told).first() is not None
        before, raw = self._total, cast("sqlite3.Connection", connection.connection.dbapi_connection)
        self._total = raw.total_changes
        return self._total != before

    def _run_units(self, connection: Connection, batch: list[_Unit]) -> list[_Outcome]:
        tx = self._make_tx(connection)
        outcomes: list[_Outcome] = []
        for unit in batch:
            outcomes.append(_run_unit(connection, tx, unit))
            if outcomes[-1].error is not None:
                tx = self._make_tx(connection)  # the rollback makes what the old Tx cached invalid
        return outcomes

    def _begin(self, connection: Connection) -> Transaction:
        transaction = connection.begin()
        if not self._lock:
            return transaction
        try:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})").close()
        except DBAPIError as error:
            _roll_back(connection, transaction)
            if error.connection_invalidated:
                raise _NotBegun from error
            raise
        return transaction


def _run_unit(connection: Connection, tx: Tx, unit: _Unit) -> _Outcome:
    connection.exec_driver_sql("SAVEPOINT unit")
    try:
        value = unit.work(tx)
    except Exception as error:  # noqa: BLE001 - it goes to this caller; the others in the batch go on
        try:
            connection.exec_driver_sql("ROLLBACK TO SAVEPOINT unit")
            connection.exec_driver_sql("RELEASE SAVEPOINT unit")
        except SQLAlchemyError as lost:
            # The connection broke, or a full disk made SQLite roll everything back: the batch is over.
            raise error if isinstance(error, SQLAlchemyError) else lost from None
        return _Outcome(error=translated(error) if isinstance(error, SQLAlchemyError) else error)
    connection.exec_driver_sql("RELEASE SAVEPOINT unit")
    return _Outcome(value=value)


def _roll_back(connection: Connection, transaction: Transaction) -> None:
    try:
        transaction.rollback()
        if not connection.invalidated:
            # After a COMMIT that failed, SQLAlchemy counts the transaction as over; the database may not.
            connection.connection.rollback()
            connection.rollback()
    except (SQLAlchemyError, connection.dialect.loaded_dbapi.Error) as error:
        LOG.warning("rolling back failed: %s", type(error).__name__)


def _settle(unit: _Unit, outcome: _Outcome) -> None:
    if unit.future.done():
        return
    if outcome.error is None:
        unit.future.set_result(outcome.value)
    else:
        unit.future.set_exception(outcome.error)


def _fail(units: list[_Unit], error: BaseException) -> None:
    for unit in units:
        if not unit.future.done():
            unit.future.set_exception(error)

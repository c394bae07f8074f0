"""Batching of waiting units of work: writes share a commit, reads share a transaction.

A durable commit costs the same for one row and for a hundred, so units that arrive during one commit are committed by
the next, each in a savepoint. A reading transaction costs several times what a small query does, so reads share it, and
a second connection is taken only while the first is busy. A unit that fails does not affect the others.
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

from storage.disk_space import Disk, DiskSpace, refusal
from storage.engine import Line
from storage.errors import StorageBusy, StorageClosed, StorageReadOnly, commit_error, translated
from storage.transaction import Tx

T = TypeVar("T")

LOG = logging.getLogger(__name__)

Probe = Callable[[str], None]

WAITING_MAX = 1024
"""Limit of writing units accepted but not yet committed; further callers wait to be accepted."""
WRITES_MAX = 128
"""Limit of units in one commit, which bounds how long one of them waits."""
READS_MAX = 16
"""Limit of units that share a reading transaction, which bounds how long a quick one waits."""
WRITERS_LOCK = 0x5377_6274
"""Advisory lock on PostgreSQL that every write batch of every process takes first.

Writers run one after the other, as on SQLite: each row of the audit seals the one before it, and sums such as the
daily limit are exact without further locks.
"""
NEWS = "switchboard"
"""PostgreSQL channel that notifies the other processes of every batch that changed a row."""


@dataclass(slots=True, eq=False)
class _Unit:
    work: Callable[[Tx], Any]
    future: asyncio.Future[Any]
    name: str = ""


@dataclass(frozen=True, slots=True)
class _Outcome:
    value: Any = None
    error: BaseException | None = None


class _NotBegun(Exception):
    """The connection was broken, or its server read-only, before any unit ran."""

    def __init__(self, problem: StorageBusy) -> None:
        super().__init__(problem)
        self.problem = problem


class GroupWriter:
    """The only user of the writing connection. One per process."""

    def __init__(
        self,
        line: Line,
        *,
        make_tx: Callable[[Connection], Tx],
        lock: bool,
        probe: Probe,
        disk: Disk,
        renew: Callable[[], None] = lambda: None,
    ) -> None:
        """Start the writer; ``renew`` is called when the connection is useless, as the readers' may be, too."""
        self._line = line
        self._renew = renew
        self._sees_at_begin = {DiskSpace.AWAY, DiskSpace.READ_ONLY} if lock else {DiskSpace.AWAY}
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
        """Id in our notifications, which distinguishes them from other processes'."""
        self._task = asyncio.create_task(self._serve(), name="group writer")
        self.commits = 0
        self.changes = 0  # batches that changed a row

    async def submit(self, work: Callable[[Tx], T], *, name: str) -> T:
        """Run ``work`` in the next batch; return its result after the commit."""
        self._refuse_when_over()
        async with self._room:
            self._refuse_when_over()
            unit = _Unit(work, asyncio.get_running_loop().create_future(), name)
            self._waiting.append(unit)
            self._wake.set()
            return cast("T", await unit.future)

    async def close(self) -> None:
        """Commit accepted units; refuse later ones."""
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
            while self._waiting or not self._closing:
                await self._wake.wait()
                self._wake.clear()
                while batch := _next_batch(self._waiting, WRITES_MAX):
                    await self._write(batch)
                    if self._dead is not None:
                        return
        finally:
            # Reached by a simulated crash, or when the event loop is torn down without close().
            for unit in self._waiting:
                unit.future.cancel() if self._dead is None else _settle(unit, _Outcome(error=self._dead))
            self._waiting.clear()

    async def _write(self, batch: list[_Unit]) -> None:
        try:
            outcomes = await self._run(batch)
        except asyncio.CancelledError:
            for unit in batch:
                unit.future.cancel()
            raise
        except SQLAlchemyError as error:
            failed = translated(error)
            self._disk.refused = refusal(failed)
            outcomes = [_Outcome(error=failed)] * len(batch)
        except Exception as error:  # noqa: BLE001 - whatever it is, every waiting caller gets it
            self._disk.refused = refusal(error) or self._disk.refused
            outcomes = [_Outcome(error=error)] * len(batch)
        except BaseException as crash:  # noqa: BLE001 - a probe simulates a crash: nothing is done after it
            self._dead = crash
            self._closing = True
            outcomes = [_Outcome(error=crash)] * len(batch)
        else:
            self.commits += 1
            self.changes += self._changed
            refused = {refusal(one.error) for one in outcomes} - {None, DiskSpace.AWAY}
            # A commit without a change proves only that a transaction could begin.
            if refused or self._changed or self._disk.refused in self._sees_at_begin:
                self._disk.refused = next(iter(refused), None)
        for unit, outcome in zip(batch, outcomes, strict=True):
            _settle(unit, outcome)

    async def _run(self, batch: list[_Unit]) -> list[_Outcome]:
        # A server that was restarted or replaced since the last batch has run nothing yet, so a retry is safe.
        try:
            return await self._line.run(lambda connection: self._transact(connection, batch))
        except _NotBegun:
            self._renew()
        try:
            return await self._line.run(lambda connection: self._transact(connection, batch))
        except _NotBegun as error:
            raise error.problem from error

    def _transact(self, connection: Connection, batch: list[_Unit]) -> list[_Outcome]:
        transaction = self._begin(connection)
        try:
            tx = self._make_tx(connection)
            outcomes: list[_Outcome] = []
            for unit in batch:
                outcomes.append(_run_unit(connection, tx, unit))
                if outcomes[-1].error is not None:
                    tx = self._make_tx(connection)  # the rollback makes what the old Tx cached invalid
            if self._lock:  # the other processes are notified of a batch that changed a row
                notify = f"SELECT pg_notify('{NEWS}', '{self.voice}') WHERE txid_current_if_assigned() IS NOT NULL"
                self._changed = connection.exec_driver_sql(notify).first() is not None
            else:
                before, raw = self._total, cast("sqlite3.Connection", connection.connection.dbapi_connection)
                self._total = raw.total_changes
                self._changed = self._total != before
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

    def _begin(self, connection: Connection) -> Transaction:
        transaction = connection.begin()
        if not self._lock:
            return transaction
        try:
            locked = f"SELECT pg_advisory_xact_lock({WRITERS_LOCK}), current_setting('transaction_read_only')"
            _, is_read_only = connection.exec_driver_sql(locked).one()
        except DBAPIError as error:
            _roll_back(connection, transaction)
            if error.connection_invalidated:
                away = StorageBusy("The database is unreachable.", mend="See whether the server runs.")
                raise _NotBegun(away) from error
            raise
        if is_read_only == "on":  # a standby, or a former primary: a new connection may reach the current one
            _roll_back(connection, transaction)
            raise _NotBegun(StorageReadOnly())
        return transaction


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
        """Run on one consistent state that includes all commits before this call."""
        if self._closed:
            raise StorageClosed("The database was closed: the process is stopping.")
        unit = _Unit(work, asyncio.get_running_loop().create_future())
        self._waiting.append(unit)
        self._set_out()
        return cast("T", await unit.future)

    async def close(self) -> None:
        """Wait for every running or waiting unit; refuse later ones."""
        self._closed = True
        while self._working:
            await asyncio.wait(self._working)

    def _set_out(self) -> None:
        if self._setting_out or not self._free:  # a reader that is starting takes all units that wait by then
            return
        self._setting_out = True
        task = asyncio.create_task(self._work(self._free.pop()), name="reader")
        self._working.add(task)
        task.add_done_callback(self._working.discard)

    async def _work(self, line: Line) -> None:
        self._setting_out = False
        try:
            while batch := _next_batch(self._waiting, READS_MAX):
                if self._waiting:  # more units than fit into one batch
                    self._set_out()
                await self._read(line, batch)
        finally:
            self._free.append(line)

    async def _read(self, line: Line, batch: list[_Unit]) -> None:
        try:
            outcomes = await line.run(lambda connection: self._transact(connection, batch))
        except asyncio.CancelledError:
            for unit in batch:
                unit.future.cancel()
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, every waiting caller gets it
            failed = translated(error) if isinstance(error, SQLAlchemyError) else error
            outcomes = [_Outcome(error=failed)] * len(batch)
        for unit, outcome in zip(batch, outcomes, strict=True):
            _settle(unit, outcome)

    def _transact(self, connection: Connection, batch: list[_Unit]) -> list[_Outcome]:
        outcomes: list[_Outcome] = []
        while len(outcomes) < len(batch):
            # On PostgreSQL a failing statement aborts the transaction: the other units need a new one.
            transaction = connection.begin()
            try:
                tx = self._make_tx(connection)
                for unit in batch[len(outcomes) :]:
                    try:
                        outcomes.append(_Outcome(unit.work(tx)))
                    except SQLAlchemyError as error:
                        outcomes.append(_Outcome(error=translated(error)))
                        break
                    except Exception as error:  # noqa: BLE001 - raised to this caller only
                        outcomes.append(_Outcome(error=error))
            finally:
                # Nothing needs a commit, and a broken connection can be replaced only after a rollback.
                transaction.rollback()
        return outcomes


def _run_unit(connection: Connection, tx: Tx, unit: _Unit) -> _Outcome:
    connection.exec_driver_sql("SAVEPOINT unit")
    try:
        value = unit.work(tx)
    except Exception as error:  # noqa: BLE001 - raised to this caller only, not to the others in the batch
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
            # After a failed COMMIT, SQLAlchemy considers the transaction ended, but the database may not.
            connection.connection.rollback()
            connection.rollback()
    except (SQLAlchemyError, connection.dialect.loaded_dbapi.Error) as error:
        LOG.warning("rolling back failed: %s", type(error).__name__)


def _next_batch(waiting: deque[_Unit], most: int) -> list[_Unit]:
    batch: list[_Unit] = []
    while waiting and len(batch) < most:
        unit = waiting.popleft()
        if not unit.future.done():  # done: the caller was cancelled before it began
            batch.append(unit)
    return batch


def _settle(unit: _Unit, outcome: _Outcome) -> None:
    if unit.future.done():  # the caller was cancelled
        return
    if outcome.error is None:
        unit.future.set_result(outcome.value)
    else:
        unit.future.set_exception(outcome.error)

"""The store: opens the database, runs units of work in it, closes it.

A unit of work is a synchronous function of a :class:`~storage.transaction.Tx`, so no network call can happen
while a transaction is open. On SQLite it runs in another thread, so it must use only its arguments.
"""

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from storage.batches import GroupWriter, Probe, Readers
from storage.damage import Damage
from storage.disk_space import Disk
from storage.engine import IMPATIENT, LockPatience, SqliteFile, open_lines, parse_address
from storage.errors import translated
from storage.migrate import check_version
from storage.repositories.audit import AuditTrail
from storage.transaction import Tx
from storage.walked import Walked

__all__ = ["Store", "Tx"]

T = TypeVar("T")


@dataclass(eq=False, kw_only=True)
class Store:
    writer: GroupWriter
    readers: Readers
    exclusive: bool
    """Whether no other process can hold leases (SQLite), so that other owners' leases are dead."""
    resources: AsyncExitStack
    disk: Disk
    damage: Damage
    renew: Callable[[], None]
    """Replaces every connection to a server before its next use."""

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        audit_key: bytes,
        readers: int = 3,
        probe: Probe | None = None,
        patience: LockPatience = IMPATIENT,
        beside: bool = False,
    ) -> "Store":
        """Open a migrated database. ``beside`` takes no lock, for a single write by a command while the bot may run.

        ``audit_key`` is the key with which the database was written. ``probe`` is called with ``write.before:<name>``
        and ``write.after:<name>`` around the commit of each unit, in the thread of the commit. A
        ``BaseException`` it raises simulates a crash of the process.
        """
        address = parse_address(url)
        damage = Damage()
        make_tx = partial(Tx, audit_key=audit_key, damage=damage, walked=Walked())
        async with AsyncExitStack() as stack:
            try:
                line, reading = await open_lines(address, readers, stack, None if beside else patience)

                def see(connection: Connection) -> None:
                    with connection.begin():
                        check_version(connection)
                        AuditTrail(connection, key=audit_key).ensure_key()

                await line.run(see)
            except SQLAlchemyError as error:
                raise translated(error) from error
            is_file = isinstance(address, SqliteFile)
            exclusive = is_file and not beside
            disk = Disk.under(address)

            def renew() -> None:
                for one in {line, *reading}:
                    one.renew()

            writer = GroupWriter(
                line,
                make_tx=make_tx,
                lock=not is_file,
                probe=probe or (lambda _: None),
                disk=disk,
                renew=renew,
            )
            stack.push_async_callback(writer.close)
            pool = Readers(reading, make_tx=make_tx)
            stack.push_async_callback(pool.close)
            resources = stack.pop_all()
        return cls(
            writer=writer,
            readers=pool,
            exclusive=exclusive,
            resources=resources,
            disk=disk,
            damage=damage,
            renew=renew,
        )

    async def write(self, work: Callable[[Tx], T], *, name: str = "") -> T:
        """Run a unit durably. Raises errors of ``work``, StorageBusy, or CommitUnknown if it may have been written."""
        # If the caller is cancelled, the unit ran as a whole or not at all, but it is unknown which.
        return await self.writer.submit(work, name=name)

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Run a unit of work on one consistent committed state. Raises StorageError if it writes."""
        return await self.readers.run(work)

    async def close(self) -> None:
        """Commit accepted units, then close every connection. Later calls raise ``StorageBusy``."""
        await self.resources.aclose()

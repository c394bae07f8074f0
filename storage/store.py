"""The store: opens the database, runs units of work in it, closes it.

A unit of work is a synchronous function of a :class:`~storage.transaction.Tx`, so no network call can happen
while a transaction is open. On SQLite it runs in another thread: it touches nothing but its arguments.
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
    """Whether no other process can hold leases (SQLite): what another owner holds is dead."""
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
        """Open a migrated database. ``beside``: a command writes once while the bot may run; no lock is taken.

        ``audit_key`` is the one that the database was written with. ``probe`` is called with ``write.before:<name>``
        and ``write.after:<name>`` around the commit of each unit, in whatever thread the commit runs. A
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
        """Run a unit of work durably. Raises what ``work`` raises, StorageBusy, CommitUnknown: it may be written."""
        # A caller that is cancelled does not know whether its unit ran; it never runs in part.
        return await self.writer.submit(work, name=name)

    async def read(self, work: Callable[[Tx], T]) -> T:
        """Run a unit of work on one consistent state of what is committed. Raises StorageError when it writes."""
        return await self.readers.run(work)

    async def close(self) -> None:
        """Commit what was accepted, then close every connection. Later calls raise ``StorageBusy``."""
        await self.resources.aclose()

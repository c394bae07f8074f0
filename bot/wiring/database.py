"""The database: migrated, opened, shared with other processes; the clock by which its rows are written; its anchors."""

import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from bot.clients.limiter import PartnerTurns, SendSlots, SlidingWindow
from bot.domain.clock import SharedClock
from bot.settings import Settings
from bot.wiring.surroundings import Surroundings
from bot.workflows.admin import clocks
from bot.workflows.keeping import at_start
from storage.anchors import AnchorFile, anchors_path
from storage.engine import PostgresServer, parse_address
from storage.migrate import migrate
from storage.peers import Peers
from storage.send_slots import SharedSlots
from storage.store import Store


def anchors_of(settings: Settings) -> Path:
    """The file of the audit's anchors: ``ANCHORS_FILE``, or where the database's address says."""
    chosen = settings.anchors_file
    return anchors_path(settings.database_url) if chosen is None else chosen.absolute()


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """The open database."""

    store: Store
    peers: Peers | None
    """The other processes of a PostgreSQL database; None: there are none."""
    clock: SharedClock
    """For times in rows: begins at that of the database's server, or at this machine's on SQLite."""
    anchors: AnchorFile
    slots: SendSlots
    """Ten requests a second to payments: kept in memory by one process, in the database by several."""


async def open_database(
    settings: Settings,
    around: Surroundings,
    stack: AsyncExitStack,
    *,
    heard: Callable[[], None],
    ended: Callable[[], None],
    anchored: Callable[[bool], None],
) -> Database:
    """Migrate and open it. ``heard`` is called when another process wrote something, ``ended`` when one ended."""
    key, address = settings.key_for("audit"), settings.database_url
    await migrate(address, audit_key=key, patience=around.patience)
    store = await Store.open(address, audit_key=key, probe=around.probe, patience=around.patience)
    stack.push_async_callback(store.close)
    peers, server, owner = None, parse_address(address), around.owner
    connected = [store.renew]
    if isinstance(server, PostgresServer):  # before any lease is taken
        voice = store.writer.voice

        def renew() -> None:
            for each in connected:
                each()

        peers = Peers(
            server=server,
            owner=owner,
            voice=voice,
            heard=heard,
            ended=ended,
            renew=renew,
            clock=time.monotonic,
        )
        await at_start(peers.join)
        stack.push_async_callback(peers.leave)
        now = around.clock.now()
        await at_start(lambda: store.write(lambda tx: tx.processes.arrive(owner, now), name="arrive"))
    clock = SharedClock(around.clock)
    await clocks.start(store, clock, server_now=around.server_now)
    earlier = [(one.until, one.anchors) for one in await store.read(lambda tx: tx.audit.closed_keys())]
    path = around.anchors or anchors_of(settings)
    file = AnchorFile(path, key=settings.key_for("anchor"), earlier=earlier, watch=anchored)
    slots = around.limiter
    if slots is None and store.exclusive:
        slots = PartnerTurns(SlidingWindow(clock=time.monotonic), clock=time.monotonic)
    elif slots is None:
        shared = SharedSlots(address)
        stack.push_async_callback(shared.close)
        connected.append(shared.renew)
        slots = PartnerTurns(shared, clock=time.monotonic)
    return Database(store=store, peers=peers, clock=clock, anchors=file, slots=slots)

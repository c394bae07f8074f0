"""The other processes of one PostgreSQL: what they write is heard, and only who died is gone."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.playground.process import free_port
from storage import Store
from storage.engine import PostgresServer, parse_address
from storage.errors import StorageBusy
from storage.migrations import PEERS, session_name
from storage.peers import Peers
from tests.storage.factories import KEY, NOW, end_sessions, unit
from tests.support.waiting import until

pytestmark = pytest.mark.postgres


class Process:
    def __init__(self, store: Store, url: str, owner: str) -> None:
        address = parse_address(url)
        assert isinstance(address, PostgresServer)
        self.store = store
        self.owner = owner
        self.news = asyncio.Event()
        self.ended = asyncio.Event()
        self.peers = Peers(
            server=address,
            owner=owner,
            voice=store.writer.voice,
            heard=self.news.set,
            ended=self.ended.set,
            clock=time.monotonic,
        )

    async def heard(self) -> None:
        await asyncio.wait_for(self.news.wait(), 10)
        self.news.clear()


@asynccontextmanager
async def process(url: str, owner: str) -> AsyncIterator[Process]:
    store = await Store.open(url, audit_key=KEY)
    found = Process(store, url, owner)
    try:
        await found.peers.join()
        await unit(store).processes.arrive(owner, NOW)
        yield found
        await found.peers.leave()
    finally:
        await store.close()


async def gone(process: Process) -> list[str]:
    return await process.store.read(lambda tx: tx.processes.gone())


async def test_only_writes_of_other_processes_are_notified(postgres_url: str) -> None:
    async with process(postgres_url, "one") as one, process(postgres_url, "two") as two:
        await one.heard()  # the other arrived
        await one.store.write(lambda tx: tx.flags.set("x", 1, NOW))
        await two.heard()
        await two.store.write(lambda tx: tx.flags.set("x", 2, NOW))
        await one.heard()
        assert not two.news.is_set()


async def test_process_is_gone_only_after_releasing_its_lock(postgres_url: str) -> None:
    async with process(postgres_url, "survivor") as survivor:
        async with process(postgres_url, "dead"):
            assert await gone(survivor) == []
        await until(lambda: gone(survivor))
        assert await gone(survivor) == ["dead"]
        await survivor.store.write(lambda tx: tx.processes.forget("dead"))
        assert await gone(survivor) == []


async def test_end_of_another_process_is_reported_until_replaced(postgres_url: str) -> None:
    async with process(postgres_url, "one") as one:
        async with process(postgres_url, "two"):
            one.peers.misses_nobody(one.peers.ends)
            assert not one.peers.may_miss_somebody()
            await until(lambda: asyncio.sleep(0, len(one.peers._held) == 2))
            assert not one.ended.is_set()
        await asyncio.wait_for(one.ended.wait(), 10)
        assert one.peers.may_miss_somebody()
        one.peers.misses_nobody(one.peers.ends - 1)  # that look was older than the last end
        assert one.peers.may_miss_somebody()
        one.peers.misses_nobody(one.peers.ends)
        assert not one.peers.may_miss_somebody()


async def test_server_refusing_connections_is_explained(postgres_url: str) -> None:
    address = parse_address(postgres_url)
    assert isinstance(address, PostgresServer)
    away = PostgresServer(address.url.set(port=free_port()))
    peers = Peers(server=away, owner="one", voice="", heard=lambda: None, ended=lambda: None, clock=time.monotonic)
    with pytest.raises(StorageBusy, match="unreachable"):
        await peers.join()
    await peers.leave()


async def test_broken_connection_is_replaced_and_its_lock_retaken(postgres_url: str) -> None:
    async with process(postgres_url, "one") as one, process(postgres_url, "two") as two:
        await one.heard()
        end_sessions(postgres_url, session_name(PEERS))
        await one.heard()  # it may have missed something
        await two.heard()
        assert await gone(one) == []
        assert one.peers.connected_for() > 0
        await two.store.write(lambda tx: tx.flags.set("x", 1, NOW))
        await one.heard()

"""A database that stops taking writes: what people, operators and machines see, and how service resumes."""

from collections.abc import Iterator
from contextlib import ExitStack

import aiohttp
import pytest
from sqlalchemy import Connection
from sqlalchemy.engine import make_url

from bot.presentation import answers
from tests.support.databases import migrated_database
from tests.support.postgres import REPLICATED, PostgresServer, postgres_server
from tests.support.proxy import Proxy
from tests.support.rig import ADA, ALERTS, FINANCE, MARIA, Rig
from tests.workflows.looking import alerts, ephemerals, requests


async def readiness(rig: Rig) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/readyz") as answer:
        return answer.status, str((await answer.json())["database"])


@pytest.fixture
def pair() -> Iterator[tuple[PostgresServer, PostgresServer, str]]:
    """A primary, its standby, and the address of a migrated database at the primary."""
    with ExitStack() as stack:
        primary = stack.enter_context(postgres_server(**REPLICATED))
        address = primary.url(migrated_database(primary))
        yield primary, stack.enter_context(postgres_server(standby_of=primary, **REPLICATED)), address


async def test_failover_is_refused_honestly_and_service_resumes(
    pair: tuple[PostgresServer, PostgresServer, str],
) -> None:
    primary, standby, address = pair
    direct = make_url(address)
    assert direct.port is not None
    async with Proxy(direct.port) as proxy:
        rig = await Rig.open(database_url=direct.set(port=proxy.port).render_as_string(hide_password=False))
        try:
            rig.add_payees("kim@example.com")
            await rig.pay("send ana@example.com 25.00 before")
            await rig.card()
            assert await readiness(rig) == (200, "ok")

            primary.stop_writes()
            await rig.pay("send kim@example.com 12.00 during")
            await rig.workspace.until(lambda: ephemerals(rig, MARIA)[-1] == answers.NOT_STORED.text)
            assert await readiness(rig) == (503, "read-only")
            await rig.workspace.until(lambda: "*Action needed: the database is read-only.*" in "".join(alerts(rig)))

            standby.promote(primary)
            proxy.target = make_url(standby.url("postgres")).port or 0
            await rig.pay("send kim@example.com 13.00 after")
            await rig.workspace.until(lambda: len(rig.cards()) == 2)
            assert [one.payload.description for one in await requests(rig)] == ["before", "after"]
            await rig.press("approve", user=ADA)
            await rig.workspace.until(lambda: rig.paid == [("kim@example.com", 1300)])
            await rig.workspace.until(lambda: "can be written again" in rig.workspace.messages(ALERTS)[-1].text)
            assert await readiness(rig) == (200, "ok")
            peers = rig.switchboard.context.peers
            assert peers is not None
            await rig.workspace.until(lambda: peers.connected_for() > 0)
        finally:
            await rig.close()


async def set_read_only(rig: Rig, value: int) -> None:
    """Let the connection of a SQLite file refuse writes as a file without the right to write does."""

    def run(connection: Connection) -> None:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        raw.execute(f"PRAGMA query_only = {value}")

    await rig.switchboard.context.store.writer._line.run(run)


async def look(rig: Rig) -> None:
    rig.clock.advance(15)
    ctx = rig.switchboard.context
    await ctx.chores["disk"](ctx)


async def test_read_only_database_is_alerted_and_its_recovery(rig: Rig) -> None:
    await set_read_only(rig, 1)
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "send ana@example.com 25.00 rent")
    await rig.workspace.until(lambda: ephemerals(rig, MARIA) == [answers.NOT_STORED.text])
    await look(rig)
    assert await readiness(rig) == (503, "read-only")
    await set_read_only(rig, 0)
    assert await readiness(rig) == (503, "read-only")  # nothing was written since
    await look(rig)
    await rig.pass_time(15)
    assert await readiness(rig) == (200, "ok")
    assert [text.partition("*")[2].partition("*")[0] for text in alerts(rig)] == [
        "Action needed: the database is read-only.",
        "The database can be written again.",
    ]
    assert await requests(rig) == []

"""What is on the disk before it is answered: votes and callbacks, many at once.

Run with ``python -m tests.benchmarks.bench_durable``. Callbacks are compared with the usual way, one SQLAlchemy session
and one commit a request, which gets the same requests in the same run; for votes the slowest of a hundred counts. Every
server is a process of its own. Rounds are interleaved and medians compared; in the end each answer must be a row.
"""

import asyncio
import json
import secrets
import sqlite3
import statistics
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from aiohttp import web
from sqlalchemy import event
from sqlalchemy.ext.asyncio import async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from bot.domain.payments.instruction import CallbackKind, Instruction, State
from bot.domain.policy import Requirement
from bot.domain.references import derived_key, token_hash
from storage.migrate import migrate
from storage.store import Store, Tx
from tests.benchmarks.load import click, fire, post, signed
from tests.benchmarks.processes import Spawned, quiet, said, switchboard, web_server
from tests.benchmarks.ratios import Ratio, options, share, verdict
from tests.storage.factories import instruction
from tests.support.rig import APPROVALS, SECRET_KEY, Rig

VOTES_GOAL = 0.05
"""Seconds that all but one vote of a hundred take at most, from the click to the ack."""
CALLBACKS_GOAL = 8.0
"""Times as many callbacks a second as with one commit a request."""
_CARDS = 2_000
_APPROVERS = [f"U0VOTER{n}" for n in range(8)]
_ADDRESSES = 200


# Servers


class _Base(DeclarativeBase):
    pass


class _Received(_Base):
    __tablename__ = "received"
    id: Mapped[int] = mapped_column(primary_key=True)
    token: Mapped[str]
    body: Mapped[str]


async def _one_commit_each(pipe: Connection) -> None:
    """The usual way: a session a request, committed before it is answered, as durable as ours."""
    folder = await said(pipe)
    engine = create_async_engine(f"sqlite+aiosqlite:///{folder}/usual.db", connect_args={"timeout": 30})

    @event.listens_for(engine.sync_engine, "connect")
    def durable(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA journal_mode=wal")
        connection.execute("PRAGMA synchronous=full")

    async with engine.begin() as connection:
        await connection.run_sync(_Base.metadata.create_all)
    sessions = async_sessionmaker(engine)

    async def receive(request: web.Request) -> web.Response:
        async with sessions() as session:
            session.add(_Received(token=request.match_info["token"], body=await request.text()))
            await session.commit()
        return web.json_response({"ok": True})

    app = web.Application()
    app.router.add_post("/callbacks/payments/{token}", receive)
    async with web_server(app) as url:
        pipe.send(url)
        await said(pipe)
    await engine.dispose()


@dataclass(frozen=True, slots=True)
class World:
    """What the load needs to know: cards with the value of their button, and addresses for callbacks."""

    settings: object
    cards: list[tuple[str, str]]
    tokens: list[str]


async def outside_of(pipe: Connection) -> None:
    """The workspace, the services, and a database with cards that wait and payouts that are followed."""
    quiet()
    database_url, cards = await said(pipe)
    rig = await Rig.open(database_url=database_url, poll_seconds=30, quiet_seconds=900, start=False)
    for voter in _APPROVERS:
        rig.workspace.add_user(voter, voter.lower(), real_name=voter)
    rig.workspace.add_group("S0TREASURY", "treasury", users=_APPROVERS)
    await migrate(rig.settings.database_url)
    store = await Store.open(rig.settings.database_url, audit_key=derived_key(SECRET_KEY, "audit"))
    # Cards that Slack has: one that is gone would be posted anew, and its old button would count no more.
    waiting = [
        (request(State.AWAITING), rig.workspace._state.post_as_bot(APPROVALS, text="x").ts) for _ in range(cards)
    ]
    paid = [replace(request(State.COMMITTED), remote_id=f"op-{n}", commits=1) for n in range(_ADDRESSES)]
    tokens = [secrets.token_urlsafe(32) for _ in paid]
    await store.write(partial(_put, waiting=waiting))

    def follow(tx: Tx) -> None:
        for one, token in zip(paid, tokens, strict=True):
            tx.instructions.insert(one, actor=one.requester)
            tx.tokens.put(token_hash=token_hash(token), instruction_id=one.id, kind=CallbackKind.CONFIRMATION)

    await store.write(follow)
    await store.close()
    pipe.send(World(rig.settings, [(f"{one.id}:1", ts) for one, ts in waiting], tokens))
    await said(pipe)
    await rig._stack.aclose()


def request(state: State) -> Instruction:
    """A payout in this state, whose approval takes the votes of all approvers; one of them never votes."""
    now = datetime.now(UTC)
    made = instruction(state=state, email=f"{secrets.token_hex(6)}@example.com", created_at=now, due_at=None)
    shown: dict[str, Any] = {"origin_channel": APPROVALS, "posted_at": now, "expires_at": now + timedelta(days=1)}
    return replace(made, requester="U0MARIA", requirement=Requirement(quorum=len(_APPROVERS)), **shown)


def _put(tx: Tx, *, waiting: list[tuple[Instruction, str]]) -> None:
    for one, ts in waiting:
        tx.instructions.insert(one, actor=one.requester)
        subject, now = f"request:{one.id}:approvals", one.created_at
        tx.boards.add(subject, channel=APPROVALS, thread_ts=None, requester="", instruction_id=one.id)
        tx.boards.posted(subject, channel=APPROVALS, ts=ts, version=1, now=now)


# Load


def votes_on(url: str, cards: Iterable[tuple[str, str]]) -> Iterator[list[bytes]]:
    """Rounds of signed clicks on Approve, each vote a new one: every card once, by one approver after the other."""
    numbers = count()
    for voter in _APPROVERS[:-1]:
        bodies = (click(voter, APPROVALS, ts, value, next(numbers)) for value, ts in cards)
        yield [post(f"{url}/slack/events", body, **signed(body)) for body in bodies]


def callbacks_to(url: str, tokens: list[str]) -> Iterator[bytes]:
    """Callbacks without end; no two bodies are the same, or the second would be known already."""
    for n in count():
        body = json.dumps({"svc_operation_hash": f"h{n}", "svc_status": "completed"}).encode()
        address = f"{url}/callbacks/payments/{tokens[n % len(tokens)]}"
        yield post(address, body, Content_Type="application/json")


@dataclass
class Figures:
    """Of each round: answers a second, seconds of the processor an answer, and every delay in seconds."""

    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    delays: list[list[float]] = field(default_factory=list)

    @property
    def answers(self) -> int:
        return sum(map(len, self.delays))

    @property
    def rate(self) -> float:
        return statistics.median(self.rates[1:])

    @property
    def slow(self) -> float:
        """Median of the rounds' p99; the first round warms up."""
        return statistics.median(share(round_, 0.99) for round_ in self.delays[1:])

    async def measure(
        self, server: Spawned, url: str, requests: Iterator[bytes], *, connections: int, seconds: float
    ) -> None:
        before = server.cpu
        rate, delays = await fire(url, requests, connections=connections, seconds=seconds)
        self.rates.append(rate)
        self.delays.append(delays)
        self.costs.append((server.cpu - before) / len(delays))


class Bench:
    def __init__(self, folder: Path, *, connections: int) -> None:
        self.folder = folder
        self.connections = connections
        self.votes, self.callbacks, self.usual = Figures(), Figures(), Figures()

    async def run(self, *, rounds: int, seconds: float) -> None:
        usual = Spawned(_one_commit_each, str(self.folder))
        outside = Spawned(outside_of, (f"sqlite+aiosqlite:///{self.folder}/bench.db", _CARDS))
        world: World = outside.told
        whole = Spawned(switchboard, world.settings)
        url = whole.told
        ours, theirs = callbacks_to(url, world.tokens), callbacks_to(usual.told, world.tokens)
        votes = votes_on(url, world.cards)
        many: Any = {"connections": self.connections, "seconds": seconds}
        try:
            for _ in range(min(rounds + 1, len(_APPROVERS) - 1)):
                await self.usual.measure(usual, usual.told, theirs, **many)
                await self.callbacks.measure(whole, url, ours, **many)
                await self.votes.measure(whole, url, iter(next(votes)), **many)
        finally:
            for one in (whole, outside, usual):
                one.stop()
        self._all_there()

    def _all_there(self) -> None:
        """Every answer is a row: on the disk, or it would not be here after the processes have ended."""
        for name, query, answers in (
            ("bench.db", "SELECT count(*) FROM vote", self.votes.answers),
            ("bench.db", "SELECT sum(hints) FROM inbox", self.callbacks.answers),
            ("usual.db", "SELECT count(*) FROM received", self.usual.answers),
        ):
            with sqlite3.connect(self.folder / name) as connection:
                (held,) = connection.execute(query).fetchone()
            if held < answers:
                raise RuntimeError(f"{answers} answers, but {held} rows: {query}")

    def ratios(self) -> list[Ratio]:
        return [
            Ratio("callbacks: rate / one commit a request", self.callbacks.rate / self.usual.rate, CALLBACKS_GOAL),
            Ratio("votes: p99 / 50 ms", self.votes.slow / VOTES_GOAL, 1.0, at_least=False),
        ]

    def table(self) -> str:
        head = f"{'durable before the answer':<34}{'a second':>10}{'CPU µs':>10}{'p50 ms':>10}{'p99 ms':>10}"
        lines = [f"{self.connections} at once", "", head]
        for name, one in (
            ("callback, one commit a request", self.usual),
            ("callback, Switchboard", self.callbacks),
            ("vote, Switchboard", self.votes),
        ):
            middle = statistics.median(share(round_, 0.5) for round_ in one.delays[1:])
            cost = statistics.median(one.costs[1:]) * 1e6
            lines.append(f"{name:<34}{one.rate:>10,.0f}{cost:>10,.0f}{middle * 1e3:>10.1f}{one.slow * 1e3:>10.1f}")
        return "\n".join(lines)


def main() -> int:
    given = options(__doc__, rounds=5, seconds=1.5, connections=64)  # at most 6 rounds: every vote is a new one
    with tempfile.TemporaryDirectory(prefix="switchboard-bench-") as name:
        bench = Bench(Path(name), connections=given.connections)
        asyncio.run(bench.run(rounds=given.rounds, seconds=given.seconds))
    print(bench.table())  # noqa: T201 - this is what it is for
    return verdict(bench.ratios())


if __name__ == "__main__":
    raise SystemExit(main())

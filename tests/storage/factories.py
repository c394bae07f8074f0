"""Records for the storage tests, and units of work of one call."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
from sqlalchemy import text

from bot.domain.bookings.booking import Booking, BookingKind, Stage
from bot.domain.payments.instruction import (
    Attempt,
    AttemptKind,
    Choice,
    Instruction,
    Kind,
    PayoutPayload,
    State,
    Vote,
    digest_of,
)
from bot.domain.policy import Requirement
from bot.domain.references import Letter, reference, ulid
from storage import Store, Tx
from storage.rows import Job, OutboxRow

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
KEY = b"k" * 32


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def instruction(
    *,
    state: State = State.NEW,
    email: str = "ana@example.com",
    cents: int = 2500,
    created_at: datetime = NOW,
    due_at: datetime | None = NOW,
    requester: str = "U1",
) -> Instruction:
    payload = PayoutPayload(email=email, cents=cents, description="March \u0000 translation \U0001f600")
    code, own = ulid(created_at), ulid(created_at)
    return Instruction(
        id=own,
        reference=reference(Letter.PAYOUT),
        kind=Kind.PAYOUT,
        payload=payload,
        code=code,
        digest=digest_of(kind=Kind.PAYOUT, code=code, payload=payload),
        requirement=Requirement(quorum=2, reasons=("because",)),
        state=state,
        round=1,
        version=1,
        requester=requester,
        origin_channel="C1",
        created_at=created_at,
        source_key=f"trigger-{own}",
        due_at=due_at,
    )


def vote(of: Instruction, person: str = "U2", *, round_: int = 1) -> Vote:
    return Vote(instruction_id=of.id, round=round_, person=person, choice=Choice.APPROVE, at=NOW)


def attempt(of: Instruction, n: int = 1) -> Attempt:
    return Attempt(
        instruction_id=of.id, n=n, kind=AttemptKind.COMMIT, request_hash="h", claimed_at=NOW, boot_at=12345.678901
    )


class _Calls:
    def __init__(self, store: Store, repository: str) -> None:
        self._store, self._repository = store, repository

    def __getattr__(self, method: str) -> Callable[..., Awaitable[Any]]:
        def call(*given: object, **named: object) -> Awaitable[Any]:
            return self._store.write(lambda tx: getattr(getattr(tx, self._repository), method)(*given, **named))

        return call


class unit:  # noqa: N801 - reads as what it is: await unit(store).votes.cast(vote)
    """Each call is a unit of work of its own."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, repository: str) -> _Calls:
        return _Calls(self._store, repository)


@asynccontextmanager
async def opened(url: str, **more: Any) -> AsyncIterator[Store]:
    store = await Store.open(url, **{"audit_key": KEY, **more})
    try:
        yield store
    finally:
        await store.close()


async def claims(store: Store, repository: str, seconds: float = 0, owner: str = "a", **more: Any) -> Any:
    """What is due then is claimed."""
    hold = {"now": later(seconds), "owner": owner, "lease_seconds": more.pop("lease", 30), "limit": 9}
    return await getattr(unit(store), repository).claim_due(**{**hold, **more})


async def ask(store: Store, **values: Any) -> Instruction:
    made = instruction(**values)
    stored = await unit(store).instructions.insert(made, actor="U1")
    assert isinstance(stored, Instruction)
    return stored


def post(name: str, *, now: datetime = NOW, **more: Any) -> OutboxRow:
    values: dict[str, Any] = {"subject": f"notice:{name}", "key": f"key-{name}", "action": "line", "place": ""}
    values |= {"channel": "C1", "payload": {}, "due_at": now, "created_at": now}
    return OutboxRow(id=name, **(values | more))


def booking(name: str = "B1", **changes: Any) -> Booking:
    values: dict[str, Any] = {"id": name, "reference": f"B-{name}", "external_id": f"ours-{name}", "version": 1}
    values |= {"kind": BookingKind.BOOKING, "store": "main", "stage": Stage.OPEN, "request": None, "detail": {}}
    values |= {"requester": "U1", "channel": "C1", "source_key": f"form-{name}", "created_at": NOW}
    return Booking(**(values | changes))


def job(name: str = "1", **changes: Any) -> Job:
    values: dict[str, Any] = {"id": name, "kind": "email", "state": "waiting", "payload": {"file": "F1"}, "detail": {}}
    values |= {"requester": "U1", "channel": "C1", "thread_ts": None, "source_key": f"click-{name}"}
    return Job(**(values | {"created_at": NOW, "due_at": NOW} | changes))


async def tamper(store: Store, *statements: str) -> None:
    """Past the triggers."""

    def work(tx: Tx) -> None:
        connection = tx.audit._connection
        if connection.dialect.name == "sqlite":
            for (name,) in connection.execute(text("SELECT name FROM sqlite_master WHERE type = 'trigger'")).all():
                connection.execute(text(f"DROP TRIGGER {name}"))
        else:
            for table in ("audit", "audit_head"):
                connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER ALL"))
        for statement in statements:
            connection.execute(text(statement))

    await store.write(work)


def end_sessions(url: str, application: str = "%") -> None:
    """End the sessions that others have in this database of PostgreSQL."""
    with psycopg.connect(url, autocommit=True) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE %s",
            (application,),
        )
        assert ended.fetchall()

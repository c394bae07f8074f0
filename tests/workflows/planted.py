"""Requests put into the database as they are, without what led there: for the functions that act on one."""

import sqlite3
from collections.abc import Awaitable, Callable, Iterable
from contextlib import closing
from itertools import count
from typing import Any, TypeVar

from bot.domain.money import Cents
from bot.domain.payments.bulk import CancelPayload, hashes_digest
from bot.domain.payments.bulk_records import BulkRow
from bot.domain.payments.instruction import Attempt, AttemptKind, AttemptOutcome, Choice, Instruction, Kind, Vote
from bot.domain.payments.operation import Operation
from bot.workflows.context import Unit
from tests.domain.made import bulk, instruction, payload, purchase
from tests.support.rig import Rig
from tests.workflows.restoring import path_of

T = TypeVar("T")


def on_one_rig(cases: Iterable[Any]) -> Callable[[Callable[..., Awaitable[None]]], Callable[[Rig], Awaitable[None]]]:
    """A test of many cases that each plant their own request: one rig does for all of them."""

    def around(test: Callable[..., Awaitable[None]]) -> Callable[[Rig], Awaitable[None]]:
        async def every_case(rig: Rig) -> None:
            for case in cases:
                try:
                    await test(rig, *(case if isinstance(case, tuple) else (case,)))
                except AssertionError as wrong:
                    wrong.add_note(f"in the case {case}")
                    raise

        every_case.__name__, every_case.__doc__ = test.__name__, test.__doc__
        return every_case

    return around


_MADE = {Kind.BULK: bulk, Kind.PURCHASE: purchase}
_NUMBERS = count(1)


def made(rig: Rig, kind: Kind = Kind.PAYOUT, **changes: Any) -> Instruction:
    """A request by Maria, made now, and a payout to somebody else than any other; nothing of it is stored."""
    number = next(_NUMBERS)
    if kind in (Kind.PAYOUT, Kind.ONE_STEP):
        changes = {"payload": payload(email=f"ana{number}@example.com"), **changes}
    own = {
        "id": f"01KAGT{number:020d}",
        "reference": f"P-{number:06d}",
        "code": f"01KAGC{number:020d}",
        "source_key": f"planted:{number}",
        "created_at": rig.clock.now(),
        "remote_id": f"r{number}",
    }
    values = {**own, "kind": kind, **changes}
    return _MADE.get(kind, instruction)(**values)


async def planted(rig: Rig, kind: Kind = Kind.PAYOUT, *, items: Any = (), **changes: Any) -> Instruction:
    one = made(rig, kind, **changes)

    def store(tx: Any) -> Instruction:
        stored = tx.instructions.insert(one, actor=one.requester)
        tx.bulk_items.add(one.id, items)
        assert isinstance(stored, Instruction)
        return stored

    return await rig.switchboard.context.store.write(store)


async def tried(
    rig: Rig,
    one: Instruction,
    n: int = 1,
    *,
    kind: AttemptKind = AttemptKind.COMMIT,
    outcome: AttemptOutcome = AttemptOutcome.OPEN,
) -> Attempt:
    now = rig.clock.now()
    attempt = Attempt(
        instruction_id=one.id, n=n, kind=kind, request_hash="", claimed_at=now, boot_at=0.0, outcome=outcome
    )
    await rig.switchboard.context.store.write(lambda tx: tx.attempts.open(attempt))
    return attempt


async def voted(rig: Rig, one: Instruction, *people: str, **like: Any) -> None:
    """These people have approved it just now, or voted as it says."""
    values = {"instruction_id": one.id, "round": one.round, "choice": Choice.APPROVE, "at": rig.clock.now(), **like}
    await write(rig, lambda uow: [uow.votes.cast(Vote(**values, person=person)) for person in people])


def record(one: Instruction, status: str = "created", **changes: Any) -> Operation:
    """What the service holds of it."""
    values: dict[str, Any] = {"id": one.remote_id or "r1", "code": one.code, "cents": Cents(one.cents)}
    return Operation(**{**values, "email": one.payload.email, "status": status, **changes})


async def write(rig: Rig, work: Callable[[Unit], T]) -> T:
    """Do this in one transaction, and wake nobody."""
    return await rig.switchboard.context.write(work, wakes=False)


async def stored(rig: Rig, one: Instruction) -> Instruction:
    found = await rig.switchboard.context.store.read(lambda tx: tx.instructions.get(one.id))
    assert found is not None
    return found


def cancellation(*hashes: str, cents: int = 100) -> tuple[CancelPayload, list[BulkRow]]:
    """What asks for these pending payments of a bulk payment to be canceled, and its items."""
    rows = [
        BulkRow(row=n, email=f"{name}@example.com", cents=Cents(cents), status="pending", hash=name)
        for n, name in enumerate(hashes, 1)
    ]
    payload = CancelPayload(
        bulk="L-4F7K2M",
        bulk_remote_id="b1",
        count=len(rows),
        cents=cents * len(rows),
        items_digest=hashes_digest({row.hash: int(row.cents) for row in rows}),
    )
    return payload, rows


def everything_stored(rig: Rig) -> list[str]:
    """Every row of the database, which is a file of SQLite."""
    with closing(sqlite3.connect(path_of(rig.settings.database_url))) as connection:
        return list(connection.iterdump())


async def queued(rig: Rig, one: Instruction) -> list[str]:
    """What is to be posted about it: each key without its id, oldest first."""
    keys = await rig.switchboard.context.store.read(
        lambda tx: tx._connection.exec_driver_sql(
            "SELECT key FROM outbox WHERE instruction_id = ? ORDER BY seq", (one.id,)
        ).scalars()
    )
    return [str(key).replace(f":{one.id}", "") for key in keys]

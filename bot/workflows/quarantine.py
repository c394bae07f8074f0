"""Run the step of a claimed row; its errors affect no other row.

The claim of a row counts the step. A step that ends in an unexpected exception is retried a few times. Then its row is
stopped, with an alert that has a retry button for admins. A row with a request in flight is never retried: its outcome
is unknown, and read.
"""

import secrets
from contextlib import suppress
from datetime import timedelta
from typing import Final, TypeVar

import structlog

from bot.domain.approvals import No, Role, in_role
from bot.domain.payments.instruction import Instruction
from bot.domain.tracking import back_off
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit, witness
from bot.workflows.workers import InFlight, Step, Work, nothing_in_flight
from storage.errors import RowUnreadable, StorageError
from storage.repositories.leased import Key, key_of
from storage.transaction import Tx

R = TypeVar("R")

log = structlog.get_logger(__name__)

MOST_TRIES: Final = 5
"""Steps that end in an exception, one after the other."""
_MOST_DEATHS: Final = 10
"""Steps that never end: each ended with its process, which may have had another cause."""
_AFTER_STORAGE: Final = timedelta(seconds=2)

_KEY: Final = "stopped:"


async def take(ctx: Context, work: Work[R], row: R, step: Step[R]) -> None:
    """Run the step of a claimed row. StorageError: the row is free again soon, or when its lease is over."""
    if getattr(row, "tries", 0) > _MOST_DEATHS:
        await stumbled(ctx, work.table, row, in_flight=work.in_flight)
        return
    try:
        await step(row)
    except StorageError:  # the database failed, not the row: retried soon, and not counted
        due = ctx.clock.now() + _AFTER_STORAGE

        def spare(uow: Unit) -> None:
            if not work.in_flight(uow, row):
                uow.steps.spare(work.table, key_of(work.table, row), owner=ctx.owner, due_at=due)

        await ctx.write(spare, name="spare", wakes=False)
        raise
    except Exception as error:
        number = secrets.token_hex(4)
        log.exception("a step failed", table=work.table, key=key_of(work.table, row), error_id=number)
        await stumbled(ctx, work.table, row, in_flight=work.in_flight, number=number, error=type(error).__name__)


async def stumbled(
    ctx: Context, table: str, row: object, *, in_flight: InFlight = nothing_in_flight, number: str = "", error: str = ""
) -> None:
    """A step failed: retried later; after the last try the row is stopped, with an alert."""
    now, key, tries = ctx.clock.now(), key_of(table, row), int(getattr(row, "tries", 0))
    number = number or secrets.token_hex(4)
    due = now + back_off(first=min(5.0, ctx.poll_seconds), attempts=tries, ceiling=60.0)

    def work(uow: Unit) -> None:
        if in_flight(uow, row):
            return
        if tries < MOST_TRIES:
            uow.steps.put_off(table, key, owner=ctx.owner, due_at=due)
        elif uow.steps.stop(table, key, owner=ctx.owner, number=number):
            _show(uow, table, key)
            log.error("a row is left alone after an internal error", table=table, key=key, error_id=number)
            if str(getattr(row, "key", "")).startswith(_KEY):
                return  # alerts about alerts would never end
            about = _request(uow, key[0] if table == "instruction" else getattr(row, "instruction_id", None) or "")
            name = getattr(row, "reference", "") or (about.reference if about else getattr(row, "name", ""))
            facts = {"topic": "stopped", "what": table, "name": name, "number": number, "error": error}
            tell_everybody(uow, key=f"{_KEY}{number}", facts=facts)
            witness(uow, "stopped", {"table": table, "key": list(key), "number": number}, about=about)

    await ctx.write(work, name="stumbled")


def _show(uow: Unit, table: str, key: Key) -> None:
    if table == "instruction":
        if found := _request(uow, key[0]):
            uow.instructions.touch(found, show=True, due_at=found.due_at)
    elif table == "booking":
        uow.boards.mark(f"booking:{key[0]}", now=uow.now, progress=False)


def _request(tx: Tx, instruction_id: str) -> Instruction | None:
    """The request; None also where it cannot be read."""
    with suppress(RowUnreadable):
        return tx.instructions.get(instruction_id)
    return None


async def try_again(ctx: Context, *, number: str, person: str) -> bool | No:
    """Retry, for an admin, the row stopped by this error; False: nothing is stopped by it any more."""
    standing = await ctx.people.standing(person)
    refusal = in_role(standing, (Role.ADMIN,), No.NOT_ADMIN, people=ctx.policy.people, home=ctx.home)
    if refusal is not None:
        return refusal
    now = ctx.clock.now()

    def work(uow: Unit) -> bool:
        released = [(table, key) for table, key in uow.steps.stopped(number) if uow.steps.go_on(table, key, now=now)]
        for table, key in released:
            _show(uow, table, key)
            ctx.store.damage.forget(table, key)
            about = _request(uow, key[0]) if table == "instruction" else None
            witness(uow, "tried_again", {"table": table, "key": list(key), "number": number}, actor=person, about=about)
        return bool(released)

    return await ctx.write(work, name="try_again")

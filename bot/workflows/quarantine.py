"""Run the step of a claimed row; its errors affect no other row.

The claim of a row counts the step. A step that ends in an unexpected exception is retried a few times. Then its row is
stopped, with an alert that has a retry button for admins. Steps that died with their process are counted separately,
because the process may have been killed for another reason. A row with a request in flight is never retried: its
outcome is unknown and is looked up.
"""

import secrets
from contextlib import suppress
from datetime import timedelta
from typing import Final, TypeVar

import structlog

from bot.domain.approvals import No, Role, in_role
from bot.domain.audit import SYSTEM
from bot.domain.payments.instruction import Instruction
from bot.domain.tracking import DIED, MOST_DEATHS, RETRIED, back_off
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit, witness
from bot.workflows.workers import InFlight, Step, Work, nothing_in_flight
from storage.errors import RowUnreadable, StorageError
from storage.repositories.leased import Key, key_of
from storage.transaction import Tx

R = TypeVar("R")

log = structlog.get_logger(__name__)

MOST_TRIES: Final = 5
"""Consecutive steps that may end in an exception."""
_LIVED: Final = timedelta(minutes=15)
"""Age at which a process retries rows whose steps died: by then, nothing kills every process at once."""
_AFTER_STORAGE: Final = timedelta(seconds=2)

_KEY: Final = "stopped:"


async def take(ctx: Context, work: Work[R], row: R, step: Step[R]) -> None:
    """Run the step of a claimed row. On a StorageError, the row is free again soon, or when its lease ends."""
    deaths = _deaths(row)
    if deaths == MOST_DEATHS or deaths > MOST_DEATHS + 1:  # MOST_DEATHS + 1 is the retry of :func:`retry_died`
        await _stop(ctx, work.table, row, in_flight=work.in_flight, number=f"{DIED}{deaths}-{secrets.token_hex(4)}")
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
    """Retry a failed step later; after the last try, stop its row with an alert."""
    errors = int(getattr(row, "errors", 0)) + 1
    if errors >= MOST_TRIES:
        await _stop(ctx, table, row, in_flight=in_flight, number=number or secrets.token_hex(4), error=error)
        return
    due = ctx.clock.now() + back_off(first=min(5.0, ctx.poll_seconds), attempts=errors, ceiling=60.0)

    def work(uow: Unit) -> None:
        if not in_flight(uow, row):
            uow.steps.put_off(table, key_of(table, row), owner=ctx.owner, due_at=due)

    await ctx.write(work, name="stumbled")


async def _stop(ctx: Context, table: str, row: object, *, in_flight: InFlight, number: str, error: str = "") -> None:
    """Stop a row and post an alert, unless its request is in flight. ``number`` identifies the error in the log."""
    key, deaths = key_of(table, row), _deaths(row)

    def work(uow: Unit) -> None:
        if in_flight(uow, row) or not uow.steps.stop(table, key, owner=ctx.owner, number=number):
            return
        _show(uow, table, key)
        log.error("row stopped", table=table, key=key, error_id=number, deaths=deaths, error=error)
        if str(getattr(row, "key", "")).startswith(_KEY):
            return  # alerts about alerts would never end
        about = _request(uow, key[0] if table == "instruction" else getattr(row, "instruction_id", None) or "")
        name = getattr(row, "reference", "") or (about.reference if about else getattr(row, "name", ""))
        facts = {"topic": "stopped", "what": table, "name": name, "number": number, "error": error}
        tell_everybody(uow, key=f"{_KEY}{number}", facts=facts)
        witness(uow, "stopped", {"table": table, "key": list(key), "number": number}, about=about)

    await ctx.write(work, name="stumbled")


def _deaths(row: object) -> int:
    """Return how many earlier steps of a claimed row died with their process."""
    return int(getattr(row, "tries", 1)) - int(getattr(row, "errors", 0)) - 1


async def retry_died(ctx: Context) -> int:
    """Retry rows that were stopped because processes died, each once; return their number.

    Nothing is retried before this process has run for a while.
    """
    if ctx.clock.now() - ctx.began < _LIVED:
        return 0
    if not await ctx.read(lambda uow: uow.steps.stopped(RETRIED)):
        return 0
    return await ctx.write(lambda uow: _resume(uow, RETRIED, tries=MOST_DEATHS + 1), name="retry_died")


def _resume(uow: Unit, number: str, *, tries: int = 0, actor: str = SYSTEM) -> int:
    """Resume the rows whose stop number starts with ``number``, as if ``tries`` steps had died; return their number."""
    stopped = uow.steps.stopped(number)
    for table, key in stopped:
        _show(uow, table, key)
        uow.steps.go_on(table, key, now=uow.now, tries=tries)
        uow.ctx.store.damage.forget(table, key)
        about = _request(uow, key[0]) if table == "instruction" else None
        witness(uow, "tried_again", {"table": table, "key": list(key), "number": number}, actor=actor, about=about)
    return len(stopped)


def _show(uow: Unit, table: str, key: Key) -> None:
    if table == "instruction":
        if found := _request(uow, key[0]):
            uow.instructions.touch(found, show=True, due_at=found.due_at)
    elif table == "booking":
        uow.boards.mark(f"booking:{key[0]}", now=uow.now, progress=False)


def _request(tx: Tx, instruction_id: str) -> Instruction | None:
    """Return the request, or None if it is missing or unreadable."""
    with suppress(RowUnreadable):
        return tx.instructions.get(instruction_id)
    return None


async def try_again(ctx: Context, *, number: str, person: str) -> bool | No:
    """Retry the row stopped by this error, for an admin; return False if no row is stopped by it any more."""
    standing = await ctx.people.standing(person)
    refusal = in_role(standing, (Role.ADMIN,), No.NOT_ADMIN, people=ctx.policy.people, home=ctx.home)
    if refusal is not None:
        return refusal
    if not number:
        return False
    return bool(await ctx.write(lambda uow: _resume(uow, number, actor=person), name="try_again"))

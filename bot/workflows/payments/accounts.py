"""Look up the accounts of all recipients of a bulk payment before approvers are asked.

Each address is looked up once, a few concurrently, at the lowest priority of all requests to the service; answers are
stored as they arrive, so a restart continues where it stopped. The results inform the approvers. The wait is limited:
after half an hour, or if the service stays silent, approvers are asked with the results so far.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Final

import structlog

from bot.clients.limiter import Lane
from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.bulk import BulkPayload, BulkProgress
from bot.domain.payments.instruction import Instruction, Recipient
from bot.domain.payments.lookups import Lookup, counted, recipient_of
from bot.domain.proof import MAX_CREATES
from bot.domain.troubles import full_reason
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import places, prepared, show_progress
from bot.workflows.requests.claim import lease

log = structlog.get_logger(__name__)


AT_ONCE: Final = 10
"""Addresses per concurrent group: as many as the service allows per second."""
_A_STEP: Final = 5
"""Groups per step: then steps of other bulk payments have their turn."""
WAITS: Final = timedelta(minutes=30)
"""Time after the request at which approvers are asked, even if look-ups are missing."""

_FRESH: Final = timedelta(hours=1)
"""How long look-ups of a check are reused."""

Trouble = ServiceNow | OperatorError


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: look up the accounts of all recipients, some per step, then ask the approvers. This pays nothing.

    Raises ServiceNow and OperatorError if the service gives no answer; the step is then retried, a limited number of
    times.
    """
    payments.require("create_bulk_payment")
    payload = instruction.payload
    assert isinstance(payload, BulkPayload)
    if payload.check and not await ctx.read(lambda uow: uow.lookups.count(instruction.id)):
        await ctx.write(lambda uow: _known_before(uow, instruction.id, payload.check), name="known_before", wakes=False)
    held = await ctx.read(lambda uow: replace(instruction, progress=_so_far(uow, instruction)))
    for _ in range(_A_STEP):
        few = await ctx.read(lambda uow: uow.bulk_items.not_looked_up(held.id, limit=AT_ONCE))  # noqa: B023
        if not few or ctx.clock.now() - held.created_at >= WAITS:
            await _ask_approvers(ctx, held)
            return
        found, trouble = await read_accounts(payments, list(few))
        if trouble is not None and held.version > instruction.version:
            break  # progress was stored, so the caller's put-off of ``instruction`` would have no effect
        if trouble is not None and held.puts_off < MAX_CREATES:
            raise trouble
        if trouble is not None:
            log.warning("the accounts of a bulk payment could not be read", reference=held.reference)
            await _ask_approvers(ctx, held)
            return
        after = await ctx.write(lambda uow: _store(uow, held, found, few), name="looked_up", wakes=False)  # noqa: B023
        if after is None:
            return
        held = after
    await ctx.write(lambda uow: uow.instructions.touch(held, due_at=uow.now), name="look_up_on")


def _so_far(uow: Unit, instruction: Instruction) -> BulkProgress:
    """Return the stored progress, recounted if it doesn't match the stored look-ups."""
    progress = instruction.progress or BulkProgress()
    if progress.to_look_up and progress.looked_up == uow.lookups.count(instruction.id):
        return progress
    names = uow.bulk_items.names(instruction.id)
    known = uow.lookups.of(instruction.id)
    return counted(
        BulkProgress(to_look_up=len(names)), ((known[payee], given) for payee, given in names.items() if payee in known)
    )


def _known_before(uow: Unit, instruction_id: str, check: str) -> None:
    """Copy the recent look-ups of a check of the file."""
    names, found = uow.bulk_items.names(instruction_id), uow.lookups.of(check, since=uow.now - _FRESH)
    read = [one for payee, one in found.items() if payee in names and one.recipient.problem is None]
    uow.lookups.add(instruction_id, read, uow.now)


def _store(
    uow: Unit, held: Instruction, found: Sequence[Lookup], names: Mapping[str, Collection[str]]
) -> Instruction | None:
    """Store the look-ups with the progress; None if the request was changed concurrently."""
    progress = counted(held.progress or BulkProgress(), ((one, names[one.email]) for one in found))
    after = uow.instructions.touch(held, progress=progress, puts_off=0, reason=None, **lease(uow.ctx))
    if after is not None:
        uow.lookups.add(held.id, found, uow.now)
        for place in places(uow.ctx, after):
            show_progress(uow, after, place)
    return after


async def _ask_approvers(ctx: Context, held: Instruction) -> None:
    progress = held.progress or BulkProgress()
    left = progress.to_look_up - progress.looked_up
    done = progress.model_copy(update={"looked_up": progress.to_look_up, "not_read": progress.not_read + left})
    await prepared(ctx, held, progress=done)


async def read_accounts(payments: PaymentsClient, emails: Sequence[str]) -> tuple[list[Lookup], Trouble | None]:
    """Return the accounts of these addresses; each address without an answer is retried once.

    If no address was answered, return only the first trouble.
    """
    found = await _asked(payments, emails)
    silent = [email for email, one in found.items() if not isinstance(one, Recipient)]
    found |= await _asked(payments, silent)
    troubles = [one for one in found.values() if not isinstance(one, Recipient)]
    if troubles and len(troubles) == len(emails):
        return [], troubles[0]

    def recipient(one: Recipient | Trouble) -> Recipient:
        return one if isinstance(one, Recipient) else Recipient(problem=full_reason(one))

    return [Lookup(email=email, recipient=recipient(one)) for email, one in found.items()], None


async def _asked(payments: PaymentsClient, emails: Sequence[str]) -> dict[str, Recipient | Trouble]:
    async def ask(email: str) -> Recipient | Trouble:
        try:
            return recipient_of(await payments.account_status(email, lane=Lane.LISTING))
        except ServiceNever as refused:
            return Recipient(problem=full_reason(refused))
        except (ServiceNow, OperatorError) as silent:
            log.info("an account could not be read", reason=str(silent))
            return silent

    return dict(zip(emails, await asyncio.gather(*map(ask, emails)), strict=True))

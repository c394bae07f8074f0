"""Look up the recipient's account before approvers are asked.

An address without an account waits for its requester first, as does one whose domain is a letter away from a paid one.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Final

from bot.clients.payments import PaymentsClient
from bot.domain.approvals import Refusal
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction, Recipient, State
from bot.domain.payments.lookups import recipient_of
from bot.domain.payments.recipient import awaits_requester, has_no_account, lookalike, suggestion
from bot.domain.proof import MAX_CREATES
from bot.domain.reasons import OfRequest, Reason
from bot.domain.troubles import full_reason
from bot.workflows.context import Context, Unit, witness
from bot.workflows.requests.announce import asked_in, end, news_of
from bot.workflows.requests.claim import lease
from bot.workflows.requests.decide import Decided, Decision, finish
from bot.workflows.requests.request import Requested, request_of
from storage.transaction import Tx

NO_ACCOUNT: Final = "no_account"
"""Topic of the message that asks the requester about the address."""
_COMPARED: Final = 2_000
"""Most recently paid addresses with which one without an account is compared."""


class _ReplacedError(Exception):
    """Edited although it no longer waits for its requester; the transaction is rolled back."""

    def __init__(self, found: Instruction) -> None:
        super().__init__(found.reference)
        self.found = found


async def with_recipient(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Instruction | None:
    """Return the instruction with the recipient's account looked up, once.

    None: it was changed concurrently, or its requester has to answer, on the card and in its thread, because the
    address has no account or resembles a paid one. They have as long to answer as approvers would have.
    """
    until = instruction.created_at + timedelta(seconds=instruction.requirement.expires_seconds)
    if instruction.recipient is None:
        recipient = await read_recipient(ctx, payments, instruction)
        if not awaits_requester(replace(instruction, recipient=recipient)):
            held = lease(ctx)
            return await ctx.write(
                lambda uow: uow.instructions.touch(instruction, recipient=recipient, **held),
                name="recipient",
                wakes=False,
            )

        def ask(uow: Unit) -> None:
            asked = uow.instructions.touch(
                instruction, show=True, recipient=recipient, due_at=until, puts_off=0, reason=None
            )
            if asked is not None:
                witness(uow, NO_ACCOUNT, {"instead": recipient.instead}, about=asked)
                news_of(uow, asked, asked_in(uow.ctx, asked), NO_ACCOUNT)

        await ctx.write(ask, name="no_account")
        return None
    if not awaits_requester(instruction):
        return instruction

    def wait(uow: Unit) -> None:
        if until <= uow.now:
            end(uow, instruction, State.EXPIRED, Reason(OfRequest.ADDRESS_NOT_CONFIRMED))
        else:
            uow.instructions.touch(instruction, due_at=until)

    await ctx.write(wait, name="no_answer")
    return None


async def read_recipient(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Recipient:
    """Read the account of its address; if there is none, add an address that may be meant."""
    try:
        account = await payments.account_status(instruction.payload.email)
    except (ServiceNow, OperatorError) as silent:
        if instruction.puts_off < MAX_CREATES:
            raise
        return Recipient(problem=full_reason(silent))
    except ServiceNever as refused:
        return Recipient(problem=full_reason(refused))
    found, email = recipient_of(account), instruction.payload.email
    if not awaits_requester(replace(instruction, recipient=found.model_copy(update={"instead": email}))):
        return found  # this kind of request never asks its requester, or no longer does
    return found.model_copy(update={"instead": await meant_by(ctx, email, found)})


async def meant_by(ctx: Context, email: str, found: Recipient) -> str:
    """Return the address probably meant instead of this one, with or without an account; empty if unclear."""

    def compared(uow: Unit) -> str:
        if uow.instructions.paid_before([email]):
            return ""
        like = suggestion if has_no_account(found) else lookalike
        return like(email, uow.instructions.latest_paid(limit=_COMPARED))

    return await ctx.read(compared)


async def send_anyway(ctx: Context, decision: Decision) -> Decided:
    """Pass the request on to the approvers, after its requester confirmed the address."""

    def work(uow: Unit) -> Decided:
        found = waiting(uow, decision)
        if isinstance(found, Decided):
            return found
        assert found.recipient is not None
        recipient = found.recipient.model_copy(update={"anyway": True})
        released = uow.instructions.touch(found, show=True, recipient=recipient, due_at=uow.now)
        if released is None:
            return Decided(found, Refusal.STALE)
        witness(uow, "sent_anyway", {}, actor=decision.person, about=released)
        return Decided(released)

    return await ctx.write(work, name="send_anyway")


async def edited(ctx: Context, decision: Decision, requested: Requested) -> Instruction | Decided:
    """Store the edited request and withdraw the one that it replaces, in one transaction.

    A request that no longer waits for its requester is left as it is: the result contains the refusal.
    """

    def make(uow: Unit) -> Requested:
        found = waiting(uow, decision)
        if isinstance(found, Decided):
            raise _ReplacedError(found.instruction)
        finish(uow, found, State.WITHDRAWN, decision.person, Reason(OfRequest.EDITED))
        payload = requested.payload.model_copy(update={"again_of": found.reference})
        return replace(requested, payload=payload)

    try:
        return await request_of(ctx, requested.source_key, make)
    except _ReplacedError as late:
        return Decided(late.found, Refusal.DECIDED)


def waiting(tx: Tx, decision: Decision) -> Instruction | Decided:
    """Return the request while this person has to decide whether it is sent; otherwise the refusal."""
    found = tx.instructions.get(decision.instruction_id)
    if found is None:
        raise LookupError(decision.instruction_id)
    if found.round != decision.round:
        return Decided(found, Refusal.STALE)
    if found.requester != decision.person:
        return Decided(found, Refusal.NOT_ASKED)
    return found if awaits_requester(found) else Decided(found, Refusal.DECIDED)

"""The recipient's account, read before anybody is asked.

An address without one waits for the requester first, and one whose domain is a letter away from one that was paid.
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
from bot.workflows.requests.attempt import lease
from bot.workflows.requests.decide import Decided, Decision, finish
from bot.workflows.requests.request import Requested, request_of
from storage.transaction import Tx

NO_ACCOUNT: Final = "no_account"
"""The news that the requester is asked."""
_COMPARED: Final = 2_000
"""Addresses paid last with which one that has no account is compared."""


class _ReplacedError(Exception):
    """Edited although it does not wait for the requester any more; the transaction is rolled back."""

    def __init__(self, found: Instruction) -> None:
        super().__init__(found.reference)
        self.found = found


async def with_recipient(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Instruction | None:
    """The instruction with the recipient's account looked up, once.

    None: somebody else was faster; or the requester is asked, on the card and in its thread, because the address has no
    account. They have as long to answer as approvers would have.
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
    """The account of its address, with an address that may be meant where it has none."""
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
        return found  # nobody is asked about this kind of request, or not any more
    return found.model_copy(update={"instead": await meant_by(ctx, email, found)})


async def meant_by(ctx: Context, email: str, found: Recipient) -> str:
    """The address that was probably meant by one with this account, or without one; empty where that is not clear."""

    def compared(uow: Unit) -> str:
        if uow.instructions.paid_before([email]):
            return ""
        like = suggestion if has_no_account(found) else lookalike
        return like(email, uow.instructions.latest_paid(limit=_COMPARED))

    return await ctx.read(compared)


async def send_anyway(ctx: Context, decision: Decision) -> Decided:
    """The requester says that the address is right: the request goes on to the approvers."""

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
    """Request what the edited form says, and withdraw the request that it replaces, in one transaction.

    A request that does not wait for the requester any more is left as it is: the result says why.
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
    """The request, while this person has to decide whether it is sent; otherwise the refusal."""
    found = tx.instructions.get(decision.instruction_id)
    if found is None:
        raise LookupError(decision.instruction_id)
    if found.round != decision.round:
        return Decided(found, Refusal.STALE)
    if found.requester != decision.person:
        return Decided(found, Refusal.NOT_ASKED)
    return found if awaits_requester(found) else Decided(found, Refusal.DECIDED)

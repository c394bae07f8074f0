"""Payouts in one step: nothing exists at the service before the approval, and one request moves the money.

Unlike a payout in two steps it has no id to be read by, so a lost answer is searched for by our own code.
"Not found" needs two complete lists that would have shown it, a spacing apart and after the quiet period. Then a
person decides: nothing is sent again automatically. A refusal is believed when those lists agree with it; until
then its outcome is unknown, as after a lost answer.
"""

from collections.abc import Sequence
from dataclasses import replace

from bot.clients.payments import PaymentsClient
from bot.clients.transport import Guard
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import Operation
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Context, Unit
from bot.workflows.payments import payout, reconcile
from bot.workflows.payments.payout import new_payout, paid, status_of
from bot.workflows.payments.recipient import with_recipient
from bot.workflows.payments.sought import by_code, find_by_code
from bot.workflows.requests.announce import alert
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.claim import Claimed
from bot.workflows.requests.look_again import found_after_send, is_absent, not_read
from bot.workflows.requests.send import not_now, sending
from bot.workflows.requests.settle import prepared

PAID = Answers(done=paid, says=status_of)


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: read the recipient's account and ask the approvers; nothing is created yet."""
    payments.require_one_step()
    looked_up = await with_recipient(ctx, payments, instruction)
    if looked_up is not None:
        await prepared(ctx, looked_up)


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, claim the one attempt, send it, store the outcome."""
    if await not_now(ctx, instruction):
        return
    payments.require_one_step()
    if instruction.commits:
        look = await by_code(ctx, payments, instruction)
        if not await is_absent(ctx, instruction, look, take_in=_take_in_first):
            return

    async def pay(_: Claimed, guard: Guard) -> Outcome[Operation]:
        new = new_payout(ctx, instruction)
        return await payments.one_step_payout(new, earlier_unknown=instruction.commits > 0, guard=guard)

    claim = sending(ctx, instruction, name="claim_commit")
    await attempt_once(ctx, payments.circuit, claim, pay, PAID, name="committed")


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: look for our code in the list of operations."""
    if instruction.remote_id is not None:
        await reconcile.read_outcome(ctx, payments, instruction)
        return
    look, absent = await by_code(ctx, payments, instruction), Reason(OfRequest.NOT_LISTED)
    await ctx.write(
        lambda uow: found_after_send(uow, instruction, look, take_in=_take_in, absent_because=absent),
        name="read_outcome",
    )


def _take_in(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
    if len(hits) == 1:
        reconcile.take_in(uow, instruction, hits[0])
        return
    reason = Reason(OfRequest.SEVERAL, records="payouts")
    alert(uow, instruction, "differs", reason=reason)
    not_read(uow, instruction, reason)


def _take_in_first(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
    reconcile.take_in(uow, instruction, hits[0])


KIND = replace(
    payout.KIND,
    kind=Kind.ONE_STEP,
    steps={
        State.NEW: prepare,
        State.APPROVED: send,
        State.COMMIT_UNKNOWN: read_outcome,
        State.NEEDS_HUMAN: read_outcome,
        State.CLOSED: reconcile.watch_closed,
        State.REFUSED: reconcile.watch_closed,
    },
    ready=PaymentsClient.require_one_step,
    find=find_by_code,
)

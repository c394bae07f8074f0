"""Payouts in one step: nothing exists at the service before the approval, and one request moves the money.

Unlike a payout in two steps it has no id to be read by, so a lost answer is looked for by our own code.
"Not found" is believed from two complete lists that would have shown it, a spacing apart and after the quiet
period, and then a person decides: nothing is ever sent again by itself. A refusal is believed when those lists
agree with it; until then it is as unknown as a lost answer.
"""

from bot.clients.payments import PaymentsClient
from bot.clients.transport import Guard
from bot.domain.outcome import Done, NotExecuted, Unknown, doubted
from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import Operation
from bot.workflows.context import Context
from bot.workflows.payments import reconcile
from bot.workflows.payments.commit import attempt_once, not_now
from bot.workflows.payments.create import ask_people, end_refused, new_payout, show_approvers, with_recipient
from bot.workflows.payments.sought import Look, by_code, hold_back, taken_note_of
from bot.workflows.requests.announce import alert
from storage.transaction import Tx


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: read the recipient's account and ask the approvers; the service hears nothing yet."""
    payments.require_one_step()
    looked_up = await with_recipient(ctx, payments, instruction)
    if looked_up is None:
        return
    now = ctx.clock.now()
    await ctx.store.write(
        lambda tx: show_approvers(ctx, tx, looked_up, {"puts_off": 0, "reason": ""}, action="prepared", now=now),
        name="prepared",
    )
    ctx.wake()


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, claim the one attempt, send it, store what came of it."""
    if await not_now(ctx, instruction):
        return
    payments.require_one_step()
    if instruction.commits and not await _is_absent(ctx, payments, instruction):
        return

    async def pay(guard: Guard) -> Done[Operation] | NotExecuted | Unknown:
        outcome = await payments.one_step_payout(
            new_payout(ctx, instruction), earlier_unknown=instruction.commits > 0, guard=guard
        )
        return doubted(outcome)

    await attempt_once(ctx, payments.circuit, instruction, pay)


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: look for our code in the list of operations."""
    if instruction.remote_id is not None:
        await reconcile.read_outcome(ctx, payments, instruction)
        return
    look = await by_code(ctx, payments, instruction)
    await ctx.store.write(lambda tx: _found(ctx, tx, instruction, look), name="read_outcome")
    ctx.wake()


async def _is_absent(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> bool:
    """Before a new attempt: the service holds nothing with our code. What it holds is taken in instead."""
    look = await by_code(ctx, payments, instruction)

    def work(tx: Tx) -> bool:
        now = ctx.clock.now()
        changes, absent = taken_note_of(ctx, instruction, look, now)
        if absent:
            return True
        if look.hits:
            reconcile.take_in(ctx, tx, instruction, look.hits[0])
        elif look.suspect is not None:
            ask_people(ctx, tx, instruction, look.doubt, now, suspect=look.suspect)
        else:
            hold_back(ctx, tx, instruction, look.doubt, changes)
        return False

    absent = await ctx.store.write(work, name="reread")
    ctx.wake()
    return absent


def _found(ctx: Context, tx: Tx, instruction: Instruction, look: Look[Operation]) -> None:
    now = ctx.clock.now()
    changes, absent = taken_note_of(ctx, instruction, look, now)
    if len(look.hits) > 1:
        facts = {"reason": "the service holds several payouts with our code"}
        alert(tx, instruction, topic="differs", facts=facts, policy=ctx.policy, now=now)
        reconcile.not_read(ctx, tx, instruction, facts["reason"])
    elif look.hits:
        reconcile.take_in(ctx, tx, instruction, look.hits[0])
    elif not look.shows_nothing:
        reconcile.not_read(ctx, tx, instruction, look.doubt, suspect=look.suspect)
    elif not absent or reconcile.asks_people_already(instruction):
        reconcile.later(ctx, tx, instruction, now, changes)
    elif instruction.refusal is not None:
        end_refused(ctx, tx, instruction, now)
    else:
        ask_people(ctx, tx, instruction, "the service does not list it", now)

"""Payouts in one step: nothing exists at the service before the approval, and one request moves the money.

Unlike a payout in two steps it has no id to be read by, so a lost answer is looked for by our own code.
"Not found" is believed from two complete lists that agree, after the quiet period, and then a person
decides: nothing is ever sent again by itself.
"""

from bot.clients.payments import PaymentsClient
from bot.domain.instruction import Attempt, Instruction
from bot.domain.operation import Operation, Search
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.workflows import reconcile
from bot.workflows.announce import alert
from bot.workflows.commit import attempt_once, not_now, still_fresh
from bot.workflows.context import Context
from bot.workflows.create import ask_people, new_payout, show_approvers, with_recipient
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

    async def pay(attempt: Attempt) -> Done[Operation] | NotExecuted | Unknown:
        return await payments.one_step_payout(
            new_payout(ctx, instruction),
            earlier_unknown=instruction.commits > 0,
            guard=still_fresh(ctx, attempt),
        )

    await attempt_once(ctx, instruction, pay)


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: look for our code in the list of operations."""
    if instruction.remote_id is not None:
        await reconcile.read_outcome(ctx, payments, instruction)
        return
    search, absent = await _look(ctx, payments, instruction)
    await ctx.store.write(lambda tx: _found(ctx, tx, instruction, search, absent=absent), name="read_outcome")
    ctx.wake()


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid: a payment that shows up after all is an alert, the state stays."""
    if instruction.remote_id is not None:
        await reconcile.watch_closed(ctx, payments, instruction)
        return
    search = await payments.find_by_code(instruction.code)
    now = ctx.clock.now()

    hit = search.hits[0] if search.hits else None
    await ctx.store.write(lambda tx: reconcile.seen_after_close(ctx, tx, instruction, hit, now), name="watch_closed")


async def _is_absent(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> bool:
    """Before a new attempt: the service holds nothing with our code. What it holds is taken in instead."""
    search, absent = await _look(ctx, payments, instruction)
    if absent:
        return True

    def work(tx: Tx) -> None:
        now = ctx.clock.now()
        if search.hits:
            reconcile.take_in(ctx, tx, instruction, search.hits[0])
        else:
            tx.instructions.touch(instruction, now=now, due_at=now + ctx.quiet.spacing)

    await ctx.store.write(work, name="reread")
    ctx.wake()
    return False


async def _look(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> tuple[Search, bool]:
    """What the list holds, and whether it proves that the service holds nothing."""
    search = await payments.find_by_code(instruction.code)
    if search.hits or not search.complete or not ctx.quiet.over(sent_at=instruction.sent_at, now=ctx.clock.now()):
        return search, False
    second = await payments.find_by_code(instruction.code)
    return second, second.complete and not second.hits and second.total == search.total


def _found(ctx: Context, tx: Tx, instruction: Instruction, search: Search, *, absent: bool) -> None:
    now = ctx.clock.now()
    if len(search.hits) > 1:
        facts = {"reason": "the service holds several payouts with our code"}
        alert(tx, instruction, topic="differs", facts=facts, policy=ctx.policy, now=now)
        reconcile.not_read(ctx, tx, instruction, facts["reason"])
    elif search.hits:
        reconcile.take_in(ctx, tx, instruction, search.hits[0])
    elif absent and not reconcile.asks_people_already(instruction):
        ask_people(ctx, tx, instruction, "the service does not list it", now)
    elif absent or search.complete:
        reconcile.later(ctx, tx, instruction, now)
    else:
        reconcile.not_read(ctx, tx, instruction, search.reason)

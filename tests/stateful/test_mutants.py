"""The promises can be seen to break: each of these mistakes in the product is found by the random histories."""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import bot.domain.approvals
import bot.workflows.requests.decide
import bot.workflows.requests.send
import handlers.pay_decisions
from bot.clients.payments import PaymentsClient
from bot.domain.approvals import Count, No, Role, Standing, full_member, listed
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.instruction import Instruction, Vote
from bot.domain.payments.operation import Operation
from bot.domain.policy import People
from bot.workflows.context import Context, Unit
from bot.workflows.payments import callbacks
from storage.rows import InboxRow
from tests.stateful.figures import NORMAL
from tests.stateful.invariants import Broken
from tests.stateful.machine import Payouts
from tests.stateful.process import replaced

Sent = Done[Operation] | NotExecuted | Unknown
Change = tuple[Any, str, object]
"""Owner, name, and what stands there in its place."""

HUNT = settings(NORMAL, max_examples=150, stateful_step_count=15, phases=[Phase.generate])
"""Several times what it takes to find any of them; a hunt ends at the first find."""

WITHOUT = ("light_the_fuse", "restart", "arm", "move", "stop", "decide_on_the_unknown", "people_change")
"""Rules that a hunt can do without. What is not a rule any more is drawn no more."""

LEAVING = "votes are not counted again before sending"
"""The mistake that shows when somebody leaves."""
UNRELATED = {
    LEAVING: ("stop", "freeze", "tamper", "nobody_knows_what_became_of_it"),
    "callbacks are believed": ("stop", "freeze", "tamper", "wait", "nobody_knows_what_became_of_it", "approve"),
    "any amount will do": ("stop", "freeze", "tamper", "nobody_knows_what_became_of_it", "lie_in_a_callback"),
}
"""More of them, for mistakes that only a rare history shows."""


def hunted(mutant: str) -> type[Payouts]:
    """The machine without the rules that this hunt can do without."""
    without = (*WITHOUT, *UNRELATED.get(mutant, ()))
    if mutant != LEAVING:
        without += ("somebody_leaves_before_it_is_sent",)
    return type("Hunted", (Payouts,), {"takes_to_the_end": False, **dict.fromkeys(without)})


def the_requester_counts(standing: Standing, *, requester: str, people: People, home: str) -> No | None:
    """``may_decide`` that does not ask whose request it is."""
    refusal = full_member(standing.person, home=home)
    return refusal or (None if listed(Role.APPROVER, standing, people) else No.NOT_APPROVER)


def votes_are_not_counted_again(
    _ctx: Context, _instruction: Instruction, votes: Sequence[Vote], _standings: object, *, seconds: float
) -> Count:
    """``count`` before sending that believes what was counted when people pressed."""
    assert seconds > 0
    return Count(frozenset(vote.person for vote in votes), {})


def sent_again(send: Callable[..., Awaitable[Sent]]) -> Callable[..., Awaitable[Sent]]:
    """A request that moves money, repeated when its answer does not come."""

    async def twice(*values: Any, **more: Any) -> Sent:
        outcome = await send(*values, **more)
        return await send(*values, **more) if isinstance(outcome, Unknown) else outcome

    return twice


async def callbacks_are_believed(reads: callbacks._Reads, row: InboxRow) -> None:
    """``verify`` that takes the address for the proof."""
    ctx = reads._ctx
    instruction = await ctx.store.read(lambda tx: tx.instructions.get(row.instruction_id))
    operation: Operation | None = None
    if instruction is not None and instruction.remote_id is not None and ctx.payments.client is not None:
        read = await ctx.payments.client.get_operation(instruction.remote_id)
        operation = read.model_copy(update={"status": "completed"})
    await ctx.store.write(lambda tx: callbacks._apply(Unit(tx, ctx), row, operation), name="verified")


MUTANTS: dict[str, tuple[list[Change], str]] = {
    "the requester counts": (
        [
            (module, "may_decide", the_requester_counts)
            for module in (bot.domain.approvals, bot.workflows.requests.decide, handlers.pay_decisions)
        ],
        "I4",
    ),
    LEAVING: (
        [(bot.workflows.requests.send, "count", votes_are_not_counted_again)],
        "I2",
    ),
    "silence is answered by sending again": (
        [
            (PaymentsClient, name, sent_again(getattr(PaymentsClient, name)))
            for name in ("commit_payout", "one_step_payout")
        ],
        "I1",
    ),
    "callbacks are believed": ([(callbacks._Reads, "verify", callbacks_are_believed)], "I7"),
    "any amount will do": ([(bot.workflows.requests.decide, "_is_amount", lambda *_: True)], "I2"),
    "payments are never frozen": ([(bot.workflows.requests.send, "frozen", lambda _: None)], "I2"),
}


def broken(error: BaseException) -> Iterator[str]:
    """The promises an error tells of; Hypothesis wraps one whose repetition went another way."""
    if isinstance(error, Broken):
        yield str(error)
    for inner in getattr(error, "exceptions", ()):
        yield from broken(inner)


@pytest.mark.campaign
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_mistake_is_found(name: str) -> None:
    changes, promise = MUTANTS[name]
    with ExitStack() as stack:
        for owner, attribute, value in changes:
            stack.enter_context(replaced(owner, attribute, value))
        with pytest.raises((Broken, BaseExceptionGroup)) as found:
            run_state_machine_as_test(hunted(name), settings=HUNT)
    assert any(promise in told for told in broken(found.value)), found.value

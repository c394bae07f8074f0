"""Every request to the payments service that has an effect: how it is brought to leave, and what is expected of it.

A law that holds for all of them is one test over ``EFFECTS``; what a law needs to know of one stands in its record.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.bulk import ask as ask_for_many
from tests.support.bulk import held, reference
from tests.support.clock import HOUR
from tests.support.elsewhere import made, take_in
from tests.support.rig import FINANCE, LIN, MARIA, Rig, approve_card
from tests.workflows.looking import approved, asked, attempts, newest, operation

SEND, NOW = "send ana@example.com 25.00 rent", "now ana@example.com 25.00 rent"
COLLECT = "collect ana@example.com rent web=1x25.00"
EXECUTED = [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE]
"""Faults of an answer whose request had its effect."""
VANISHED = [FaultKind.LOST, FaultKind.ERROR_500]
"""Faults of a request that had no effect, of which its answer says nothing."""


async def nothing(_: Rig) -> None:
    """What comes before a request that leaves as soon as somebody asks."""


async def _pending(rig: Rig) -> None:
    await held(rig)
    await rig.pay(f"bulk cancel {reference(rig)} all")


async def _in_escrow(rig: Rig) -> None:
    await rig.pay("send nobody@example.com 25.00 rent")
    await rig.press("send_anyway", user=MARIA, channel=FINANCE)
    await rig.press("approve")
    await rig.payments.settle(operation(rig).id, "pending")
    await rig.pass_time(120)
    await rig.press("return", user=MARIA, channel=FINANCE)


async def _taken(rig: Rig) -> None:
    await take_in(rig, made(rig, description="rent", code=None))


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One request with an effect.

    Attributes:
        operation: its name at the service.
        kind: of the request that it belongs to.
        before: everything up to the moment at which people approve it; for ``asks``, nothing.
        asks: the command with which it leaves, where nobody approves it.
        done: how often it had its effect at the service.
        read: the operation by which an unknown outcome is found out.
        unknown: state while its outcome is not known.
        found: state once the service has answered, or is found to have done it.
        refused: state after a refusal that holds.
        claim: name of the transaction that claims it; ``skip``: how often another one of that name comes before it.
        stored: name of the transaction that stores its answer.
    """

    operation: str
    kind: Kind
    before: Callable[[Rig], Awaitable[object]] = nothing
    asks: str = ""
    done: Callable[[Rig], int]
    read: str
    unknown: State = State.COMMIT_UNKNOWN
    found: State = State.COMMITTED
    refused: State = State.REFUSED
    claim: str
    skip: int = 0
    stored: str

    @property
    def ready(self) -> State:
        return State.NEW if self.asks else State.APPROVED

    @property
    def again(self) -> bool:
        """Whether it is sent again by itself, once the service provably does not have it."""
        return self.unknown is State.CREATE_UNKNOWN

    async def decided(self, rig: Rig) -> None:
        """It may leave; nothing has been done about that yet."""
        if self.asks:
            await rig.workspace.slash(MARIA, FINANCE, "/pay", self.asks)
        else:
            card = await rig.card()
            await approve_card(rig, card)

    async def leaves(self, rig: Rig, *faults: Fault) -> None:
        """It is brought to leave, with these faults from then on."""
        await self.before(rig)
        for fault in faults:
            rig.payments.faults.arm(fault)
        await self.decided(rig)
        await rig.settle()

    def fault(self, kind: FaultKind, **more: Any) -> Fault:
        return Fault(kind, self.operation, **more)

    def sent(self, rig: Rig) -> int:
        return asked(rig, self.operation)

    def at_its_claim(self, happens: Callable[[], None]) -> Callable[[str], None]:
        """A probe of the database with which this happens right after its claim is stored, once."""
        left = self.skip + 1

        def probe(point: str) -> None:
            nonlocal left
            left -= point == f"write.after:{self.claim}"
            if left == 0:
                left = -1
                happens()

        return probe

    async def outcomes(self, rig: Rig) -> list[AttemptOutcome]:
        creates = self.unknown is State.CREATE_UNKNOWN
        return [one.outcome for one in await attempts(rig) if (one.kind.value == "create") is creates]


CREATE = Effect(
    operation="create_payout", kind=Kind.PAYOUT, asks=SEND, done=lambda rig: len(rig.payments.operations),
    read="list_operations", unknown=State.CREATE_UNKNOWN, found=State.AWAITING, claim="claim_create", stored="created",
)  # fmt: skip
COMMIT = Effect(
    operation="commit_payout", kind=Kind.PAYOUT, before=lambda rig: rig.pay(SEND), done=lambda rig: len(rig.paid),
    read="get_operation", claim="claim_commit", stored="committed",
)  # fmt: skip
ONE_STEP = Effect(
    operation="one_step_payout", kind=Kind.ONE_STEP, before=lambda rig: rig.pay(NOW), done=lambda rig: len(rig.paid),
    read="list_operations", claim="claim_commit", stored="committed",
)  # fmt: skip
PURCHASE = Effect(
    operation="create_purchase", kind=Kind.PURCHASE, asks=COLLECT, done=lambda rig: len(rig.payments.operations),
    read="list_operations", unknown=State.CREATE_UNKNOWN, found=State.OPEN, claim="claim_create", stored="created",
)  # fmt: skip
SUBMIT = Effect(
    operation="create_bulk_payment", kind=Kind.BULK, before=ask_for_many,
    done=lambda rig: len(rig.payments.bulk_payments), read="list_bulk_payments", claim="claim_bulk", skip=1,
    stored="submitted",
)  # fmt: skip
CANCEL = Effect(
    operation="cancel_bulk_items", kind=Kind.BULK_CANCEL, before=_pending,
    done=lambda rig: rig.payments.bulk_payments[0].cancellations, read="list_bulk_items", found=State.COMPLETED,
    refused=State.FAILED, claim="claim_cancel", stored="canceled",
)  # fmt: skip
RETURN = Effect(
    operation="cancel_payout", kind=Kind.BULK_CANCEL, before=_in_escrow,
    done=lambda rig: sum(one.status == "canceled" for one in rig.payments.operations.values()),
    read="get_operation", found=State.COMPLETED, refused=State.FAILED, claim="claim_cancel", stored="canceled",
)  # fmt: skip
TAKEN = replace(COMMIT, before=_taken)
"""The same of a payout that was made elsewhere."""
EFFECTS = [CREATE, COMMIT, TAKEN, ONE_STEP, PURCHASE, SUBMIT, CANCEL, RETURN]
APPROVED = [one for one in EFFECTS if not one.asks]
"""What people approve."""
PAYING = [COMMIT, TAKEN, ONE_STEP, SUBMIT]
"""What moves money to somebody."""


def over(effects: Iterable[Effect]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "effect", list(effects), ids=lambda one: "taken_in" if one is TAKEN else one.operation
    )


async def before(rig: Rig) -> None:
    """An ordinary payout that went through, so that the service's list would show a code of ours."""
    await approved(rig, 'send luis@example.com 7.00 "before"')
    rig.clock.advance(HOUR)


async def retried(rig: Rig, *people: str) -> None:
    for person in people or (LIN,):
        await rig.press("retry", user=person)
        await rig.submit(person, {forms.AMOUNT: amount(await newest(rig))})


async def closed(rig: Rig, reason: str = "not in their list") -> None:
    await rig.press("close", user=LIN)
    await rig.submit(LIN, {forms.REASON: reason})


def amount(one: Instruction) -> str:
    return f"{one.cents / 100:.2f}"

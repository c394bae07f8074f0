"""Open a purchase at the service, find it again after a lost answer, follow it until the buyer decided.

Opening moves no money, but happens only once: the request is sent only after its attempt is stored, and after a lost
answer our own code is searched for before anything is sent again.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from bot.clients.payments import NewPurchase, PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import ServiceNever
from bot.domain.payments.instruction import FINAL, CallbackKind, Instruction, Kind, PurchasePayload, State, differences
from bot.domain.payments.operation import Operation, OperationStatus, Purchase
from bot.domain.reasons import OfRequest, Reason, given, together
from bot.domain.references import Letter
from bot.workflows.context import Context, RequestKind, Unit
from bot.workflows.payments.callbacks import callback_address
from bot.workflows.payments.follow import Again, again, follow, note_status, polling
from bot.workflows.payments.sought import by_code, code_is_free
from bot.workflows.requests.announce import Place, alert, alert_changed, end, on_record, show_file, tell
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.claim import Claimed, creating
from bot.workflows.requests.look_again import Look, found_after_create, watch_ended
from storage.rows import Tracked

PURCHASE = "purchase"
"""Kind of a tracked purchase."""
LINK = "link"
"""Name of the file with the checkout link of a purchase and its picture."""

_ENDS: Mapping[OperationStatus | None, State] = {
    OperationStatus.CONFIRMED: State.COMPLETED,
    OperationStatus.CANCELED: State.CANCELED,
    OperationStatus.FAILED: State.FAILED,
}

_WITHOUT_LINK = frozenset({State.MISMATCH, State.REFUSED})
"""Final states in which the service may hold a purchase whose link was not given out."""
_FORGOTTEN = timedelta(days=30)
"""Age from which an open purchase is read daily, and one whose link was never given out is no longer read."""


async def open_it(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: claim an attempt, send the create request once."""
    if not await code_is_free(ctx, payments, instruction):
        return
    new = new_purchase(ctx, instruction)
    content = {"code": instruction.sent_code, **instruction.payload.canonical()}

    async def request(claimed: Claimed, guard: Guard) -> Outcome[Purchase]:
        return await payments.create_purchase(new, earlier_unknown=claimed.earlier_unknown, guard=guard)

    await attempt_once(ctx, payments.circuit, creating(ctx, instruction, content), request, OPENED, name="created")


async def find_again(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CREATE_UNKNOWN and NEEDS_HUMAN: search the list of purchases for our code. A single hit is ours."""
    look = await by_code(ctx, payments, instruction)

    def found(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
        if len(hits) > 1:
            end(uow, instruction, State.MISMATCH, Reason(OfRequest.SEVERAL, records="purchases"))
        else:
            opened(uow, instruction, hits[0])

    await ctx.write(lambda uow: found_after_create(uow, instruction, look, found=found, give_up=_give_up), name="found")


def _give_up(uow: Unit, instruction: Instruction, look: Look[Operation]) -> None:
    """Close it as not listed; after a doubt, ask people to check the service and keep searching slowly."""
    if look.doubt is None:
        end(uow, instruction, State.CLOSED, Reason(OfRequest.NOT_LISTED))
        return
    moved = uow.instructions.move(
        instruction,
        State.NEEDS_HUMAN,
        action="needs_human",
        facts={"reason": look.doubt.stored()},
        reason=look.doubt,
        due_at=uow.now + uow.quiet.spacing * 60,
    )
    if moved is not None:
        tell(uow, moved)


async def watch_refused(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """REFUSED: follow a purchase that was opened nevertheless, without giving out its link; a payment is an alert."""

    def found(uow: Unit, _: Instruction, hits: Sequence[Operation]) -> None:
        uow.instructions.touch(instruction, remote_id=hits[0].id, due_at=None)
        for hit in hits:
            follow(uow, PURCHASE, instruction, hit.id)

    await watch_ended(ctx, instruction, await by_code(ctx, payments, instruction), found, name="watch_refused")


def new_purchase(ctx: Context, instruction: Instruction) -> NewPurchase:
    """Return the content of the create request, identical in every attempt."""
    payload = instruction.payload
    if not isinstance(payload, PurchasePayload):
        raise TypeError(f"{instruction.reference} is no purchase")
    return NewPurchase(
        code=instruction.sent_code,
        description=payload.description,
        email=payload.email,
        items=payload.items,
        confirmation_uri=callback_address(ctx, instruction, CallbackKind.CONFIRMATION),
        cancel_uri=callback_address(ctx, instruction, CallbackKind.CANCEL),
        callback_uri=callback_address(ctx, instruction, CallbackKind.PURCHASE),
        failure_uri=callback_address(ctx, instruction, CallbackKind.FAILURE),
    )


def link_of(ctx: Context, instruction: Instruction) -> str:
    """Return the checkout link; empty before and after the purchase can be paid."""
    if instruction.state is not State.OPEN or instruction.remote_id is None or ctx.payments.client is None:
        return ""
    return ctx.payments.client.checkout_url(instruction.remote_id)


def opened(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Compare the purchase that the service opened with the request, give out its link and follow it."""
    wrong = list(differences(instruction, operation))
    try:
        if uow.ctx.payments.client is not None:
            uow.ctx.payments.client.checkout_url(operation.id)
    except ServiceNever:
        wrong.append(Reason(OfRequest.NO_LINK))
    if wrong:
        end(uow, instruction, State.MISMATCH, together(wrong), remote_id=operation.id)
        return
    moved = uow.instructions.move(
        instruction,
        State.OPEN,
        action="opened",
        facts={"remote_id": operation.id, "status": operation.status},
        **on_record(operation.id, operation.status),
    )
    if moved is None:
        return
    follow(uow, PURCHASE, moved, operation.id)
    observe(uow, moved, operation)
    if (after := uow.instructions.get(moved.id) or moved).state is State.OPEN:
        show_file(uow, after, Place.REQUESTER, LINK, key=f"link:{after.id}")


def observe(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Apply a record read by its id; if it differs from the requested purchase, only alert.

    Returns whether the record ended the purchase, or the purchase was over already.
    """
    state = _ENDS.get(operation.state)
    if instruction.state in _WITHOUT_LINK:
        if state is State.COMPLETED:
            alert(uow, instruction, "paid_elsewhere", reason=Reason(OfRequest.SAYS, status=operation.status))
        return operation.is_final
    wrong = differences(instruction, operation)
    if wrong:
        alert(uow, instruction, "differs", reason=together(wrong))
        return False
    if instruction.state in FINAL:
        if state is not None and state is not instruction.state:
            alert_changed(uow, instruction, operation.status)
        return True
    if instruction.state is not State.OPEN:
        return False
    if state is None:
        note_status(uow, instruction, operation)
        return False
    reason = given(operation.failure_reason or "") if state is State.FAILED else None
    payer = (operation.email or "").strip()
    if state is State.COMPLETED and payer.casefold() not in ("", instruction.payload.email.casefold()):
        reason = Reason(OfRequest.PAID_BY, other=payer)
    moved = uow.instructions.move(
        instruction,
        state,
        action="observed",
        facts={"status": operation.status},
        remote_status=operation.status,
        reason=reason,
    )
    if moved is not None:
        uow.tracked.stop(PURCHASE, operation.id, uow.now)
        tell(uow, moved)
    return moved is not None


def _watch(uow: Unit, ended: Instruction) -> None:
    """Follow a purchase that differs from the request without giving out its link; a payment of it is an alert."""
    if ended.remote_id is not None and ended.state in _WITHOUT_LINK:
        follow(uow, PURCHASE, ended, ended.remote_id)


def _polled(uow: Unit, tracked: Tracked, instruction: Instruction, operation: Operation | None) -> Again | None:
    age = uow.now - tracked.created_at
    over = instruction.state in FINAL and instruction.state not in _WITHOUT_LINK
    if operation is not None and not over:
        observe(uow, instruction, operation)
        instruction = uow.instructions.get(instruction.id) or instruction
        over = instruction.state in FINAL and (operation.is_final or instruction.state not in _WITHOUT_LINK)
    if over or (instruction.state in _WITHOUT_LINK and age > _FORGOTTEN):
        return None
    return again(uow, tracked, operation, slow=age > _FORGOTTEN)


POLLS = polling(
    "purchases",
    kind=PURCHASE,
    slots=50,
    read=lambda _, payments, tracked: payments.get_purchase(tracked.remote_id),
    apply=_polled,
)
OPENED: Answers[Claimed, Purchase] = Answers(done=opened)
KIND = RequestKind(
    kind=Kind.PURCHASE,
    letter=Letter.PURCHASE,
    steps={
        State.NEW: open_it,
        State.CREATE_UNKNOWN: find_again,
        State.NEEDS_HUMAN: find_again,
        State.REFUSED: watch_refused,
    },
    called_back=tuple(CallbackKind),
    listed="purchase",
    browsed=(CallbackKind.CONFIRMATION, CallbackKind.CANCEL),
    read=lambda payments, remote_id: payments.get_purchase(remote_id),
    observe=observe,
    ended=_watch,
)

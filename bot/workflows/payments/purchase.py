"""Open a purchase at the service, find it again when the answer was lost, follow it until the buyer decided.

Opening moves no money, but happens only once: the request is sent only after its attempt is stored, and a lost
answer is searched for by our own code before anything is sent again.
"""

from collections.abc import Sequence
from datetime import timedelta

from bot.clients.payments import NewItem, NewPurchase, PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import ServiceNever
from bot.domain.money import Cents
from bot.domain.payments.evidence import PURCHASE_SETTLED, differences, purchase_state_of
from bot.domain.payments.instruction import FINAL, CallbackKind, Instruction, Kind, PurchasePayload, State
from bot.domain.payments.operation import Operation, Purchase
from bot.domain.reasons import OfRequest, Reason, given, together
from bot.domain.references import Letter
from bot.workflows.context import Context, RequestKind, Unit
from bot.workflows.payments.callbacks import callback_address
from bot.workflows.payments.follow import Again, again, follow, note_status, polling
from bot.workflows.payments.sought import by_code, find_by_code
from bot.workflows.requests.announce import Place, alert, alert_changed, end, on_record, show_file, tell
from bot.workflows.requests.attempt import Answers, Claimed, Outcome, attempt_once, creating
from bot.workflows.requests.look_again import Look, found_after_create, next_watch
from storage.rows import Tracked

PURCHASE = "purchase"
"""Kind of a tracked purchase."""
LINK = "link"
"""The file that is the checkout link of a purchase, with its picture."""

_WITHOUT_LINK = frozenset({State.MISMATCH, State.REFUSED})
"""Final states in which the service may hold a purchase whose link was not given out."""
_FORGOTTEN = timedelta(days=30)
"""After this time an open purchase is read daily, and one whose link was never given out no more."""


async def open_it(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: claim an attempt, send the create request once."""
    new = new_purchase(ctx, instruction)
    content = {"code": instruction.code, **instruction.payload.canonical()}

    async def request(claimed: Claimed, guard: Guard) -> Outcome[Purchase]:
        return await payments.create_purchase(new, earlier_unknown=claimed.earlier_unknown, guard=guard)

    await attempt_once(ctx, payments.circuit, creating(ctx, instruction, content), request, OPENED, name="created")


async def find_again(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CREATE_UNKNOWN and NEEDS_HUMAN: look for our code in the list of purchases. One hit is ours."""
    look = await by_code(ctx, payments, instruction)
    await ctx.write(
        lambda uow: found_after_create(uow, instruction, look, take_in=_take_in, give_up=_give_up), name="found"
    )


def _take_in(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
    if len(hits) > 1:
        end(uow, instruction, State.MISMATCH, Reason(OfRequest.SEVERAL, records="purchases"))
    else:
        adopt(uow, instruction, hits[0])


async def watch_refused(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """REFUSED: one that was opened nevertheless is followed without giving out its link; its payment is an alert."""
    look = await by_code(ctx, payments, instruction)

    def work(uow: Unit) -> None:
        now = ctx.clock.now()
        if not look.hits:
            uow.instructions.touch(instruction, due_at=next_watch(ctx, instruction, now))
            return
        uow.instructions.touch(instruction, remote_id=look.hits[0].id, due_at=None)
        for hit in look.hits:
            follow(uow, PURCHASE, instruction, hit.id)

    await ctx.write(work, name="watch_refused")


def new_purchase(ctx: Context, instruction: Instruction) -> NewPurchase:
    """Content of the create request, identical in every attempt."""
    payload = instruction.payload
    if not isinstance(payload, PurchasePayload):
        raise TypeError(f"{instruction.reference} is no purchase")
    return NewPurchase(
        code=instruction.code,
        description=payload.description,
        email=payload.email,
        items=tuple(
            NewItem(description=item.name, unit_cents=Cents(item.unit_cents), quantity=item.quantity)
            for item in payload.items
        ),
        confirmation_uri=callback_address(ctx, instruction, CallbackKind.CONFIRMATION),
        cancel_uri=callback_address(ctx, instruction, CallbackKind.CANCEL),
        callback_uri=callback_address(ctx, instruction, CallbackKind.PURCHASE),
        failure_uri=callback_address(ctx, instruction, CallbackKind.FAILURE),
    )


def link_of(ctx: Context, instruction: Instruction) -> str:
    """The checkout link; empty while there is nothing to pay, and once it is over."""
    if instruction.state is not State.OPEN or instruction.remote_id is None or ctx.payments.client is None:
        return ""
    return ctx.payments.client.checkout_url(instruction.remote_id)


def adopt(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Compare what the service opened with the request, give its link out, follow it."""
    wrong = (*differences(instruction, operation), *_no_link(uow.ctx, operation))
    if wrong:
        end(uow, instruction, State.MISMATCH, together(wrong), remote_id=operation.id)
        return
    opened = uow.instructions.move(
        instruction,
        State.OPEN,
        action="opened",
        facts={"remote_id": operation.id, "status": operation.status},
        **on_record(operation.id, operation.status),
    )
    if opened is None:
        return
    follow(uow, PURCHASE, opened, operation.id)
    observe(uow, opened, operation)
    after = uow.instructions.get(opened.id) or opened
    if after.state is State.OPEN:
        show_file(uow, after, Place.REQUESTER, LINK, key=f"link:{after.id}")


def observe(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Apply a record read by its id; one that is not the requested purchase changes nothing and alerts.

    Returns whether the record carried the purchase to its end, or had nothing new to say about one that ended.
    """
    if instruction.state in _WITHOUT_LINK:
        return _seen_after_stop(uow, instruction, operation)
    wrong = differences(instruction, operation)
    if wrong:
        alert(uow, instruction, "differs", reason=together(wrong))
        return False
    state = purchase_state_of(operation)
    if instruction.state in FINAL:
        if state in PURCHASE_SETTLED and state is not instruction.state:
            alert_changed(uow, instruction, operation.status)
        return True
    if instruction.state is State.OPEN and state is not None:
        return _settle(uow, instruction, operation, state)
    if instruction.state is State.OPEN:
        note_status(uow, instruction, operation)
    return False


def _give_up(uow: Unit, instruction: Instruction, look: Look[Operation]) -> None:
    """Close it as not listed; after a doubt, ask people to look at the service and go on looking, slowly."""
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


def _settle(uow: Unit, instruction: Instruction, operation: Operation, state: State) -> bool:
    """The buyer, or the service, decided."""
    moved = uow.instructions.move(
        instruction,
        state,
        action="observed",
        facts={"status": operation.status},
        remote_status=operation.status,
        reason=_reason(instruction, operation, state),
    )
    if moved is None:
        return False
    uow.tracked.stop(PURCHASE, operation.id, uow.now)
    tell(uow, moved)
    return True


def _no_link(ctx: Context, operation: Operation) -> tuple[Reason, ...]:
    try:
        if ctx.payments.client is not None:
            ctx.payments.client.checkout_url(operation.id)
    except ServiceNever:
        return (Reason(OfRequest.NO_LINK),)
    return ()


def _seen_after_stop(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    if purchase_state_of(operation) is State.COMPLETED:
        alert(uow, instruction, "paid_elsewhere", reason=Reason(OfRequest.SAYS, status=operation.status))
    return operation.is_final


def _reason(instruction: Instruction, operation: Operation, state: State) -> Reason | None:
    if state is State.FAILED:
        return given(operation.failure_reason or "")
    payer = (operation.email or "").strip()
    is_other = state is State.COMPLETED and payer.casefold() not in ("", instruction.payload.email.casefold())
    return Reason(OfRequest.PAID_BY, other=payer) if is_other else None


def _watch(uow: Unit, ended: Instruction) -> None:
    """What was opened is not what was requested: follow it without giving out its link; a payment is an alert."""
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
    return again(uow.ctx, tracked, operation, uow.now, slow=age > _FORGOTTEN)


POLLS = polling(
    "purchases",
    kind=PURCHASE,
    slots=50,
    read=lambda _, payments, tracked: payments.get_purchase(tracked.remote_id),
    take_in=_polled,
)
"""Read every followed purchase that is due."""


OPENED: Answers[Claimed, Purchase] = Answers(done=adopt, says=lambda _, operation: operation.status)
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
    find=find_by_code,
    read=lambda payments, remote_id: payments.get_purchase(remote_id),
    observe=observe,
    ended=_watch,
)

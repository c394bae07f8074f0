"""Open a purchase at the service, find it again when the answer was lost, follow it until the buyer decided.

Opening moves no money, but happens only once: the request is sent only after its attempt is stored, and a lost
answer is searched for by our own code before anything is sent again.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.clients.payments import NewItem, NewPurchase, PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import ServiceNever
from bot.domain.money import Cents
from bot.domain.payments.instruction import FINAL, CallbackKind, Instruction, Kind, PurchasePayload, State
from bot.domain.payments.operation import Operation, Purchase
from bot.domain.payments.purchase import SETTLED, differences, paid_by_somebody_else, state_of
from bot.domain.recovery import Finding
from bot.domain.references import Letter
from bot.workflows.context import SYSTEM, Context, RequestKind
from bot.workflows.payments.addresses import callback_address
from bot.workflows.payments.follow import note_status
from bot.workflows.payments.polls import Again, again, polling
from bot.workflows.payments.sought import by_code, find_by_code
from bot.workflows.requests.announce import alert, show_link, tell
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.claim import Claimed, creating
from bot.workflows.requests.look_again import Look, found_after_create, next_watch
from bot.workflows.requests.settle import end
from storage.rows import Tracked
from storage.transaction import Tx

PURCHASE = "purchase"
"""Kind of a tracked purchase."""

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
    look = await by_code(ctx, payments, instruction, "purchase")
    await ctx.store.write(
        lambda tx: found_after_create(ctx, tx, instruction, look, take_in=_take_in, give_up=_give_up), name="found"
    )
    ctx.wake()


def _take_in(ctx: Context, tx: Tx, instruction: Instruction, hits: Sequence[Operation], now: datetime) -> None:
    if len(hits) > 1:
        end(ctx, tx, instruction, State.MISMATCH, "the service holds several purchases with our code", now)
    else:
        adopt(ctx, tx, instruction, hits[0], now)


async def watch_refused(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """REFUSED: one that was opened nevertheless is followed without giving out its link; its payment is an alert."""
    look = await by_code(ctx, payments, instruction, "purchase")

    def work(tx: Tx) -> None:
        now = ctx.clock.now()
        if not look.hits:
            tx.instructions.touch(instruction, now=now, due_at=next_watch(ctx, instruction, now))
            return
        tx.instructions.touch(instruction, now=now, remote_id=look.hits[0].id, due_at=None)
        for hit in look.hits:
            _follow(ctx, tx, instruction, hit.id, now)

    await ctx.store.write(work, name="watch_refused")
    ctx.wake()


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


def adopt(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation, now: datetime) -> None:
    """Compare what the service opened with the request, give its link out, follow it."""
    wrong = (*differences(instruction, operation), *_no_link(ctx, operation))
    if wrong:
        end(ctx, tx, instruction, State.MISMATCH, "; ".join(wrong), now, remote_id=operation.id)
        return
    opened = tx.instructions.move(
        instruction,
        State.OPEN,
        now=now,
        actor=SYSTEM,
        action="opened",
        detail={"remote_id": operation.id, "status": operation.status},
        remote_id=operation.id,
        remote_status=operation.status,
        refusal=None,
        suspect=None,
        unknown_since=None,
        reads=0,
        puts_off=0,
        reason="",
        due_at=None,
    )
    if opened is None:
        return
    _follow(ctx, tx, opened, operation.id, now)
    observe(ctx, tx, opened, operation, now)
    after = tx.instructions.get(opened.id) or opened
    if after.state is State.OPEN:
        show_link(tx, after, policy=ctx.policy, now=now)


def observe(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation, now: datetime) -> bool:
    """Apply a record read by its id; one that is not the requested purchase changes nothing and alerts.

    Returns whether the record carried the purchase to its end, or had nothing new to say about one that ended.
    """
    if instruction.state in _WITHOUT_LINK:
        return _seen_after_stop(ctx, tx, instruction, operation, now)
    wrong = differences(instruction, operation)
    if wrong:
        alert(tx, instruction, topic="differs", facts={"reason": "; ".join(wrong)}, policy=ctx.policy, now=now)
        return False
    state = state_of(operation)
    if instruction.state in FINAL:
        if state in SETTLED and state is not instruction.state:
            facts = {"reason": f"it was {instruction.state.value}, now the service says {operation.status}"}
            alert(tx, instruction, topic="contradiction", facts=facts, policy=ctx.policy, now=now)
        return True
    if instruction.state is State.OPEN and state is not None:
        return _settle(ctx, tx, instruction, operation, state, now)
    if instruction.state is State.OPEN:
        note_status(ctx, tx, instruction, operation, now)
    return False


def _give_up(ctx: Context, tx: Tx, instruction: Instruction, look: Look[Operation], now: datetime) -> None:
    """Close it as not listed; after a doubt, ask people to look at the service and go on looking, slowly."""
    if not look.doubt:
        end(ctx, tx, instruction, State.CLOSED, "the service does not list it", now)
        return
    moved = tx.instructions.move(
        instruction,
        State.NEEDS_HUMAN,
        now=now,
        actor=SYSTEM,
        action="needs_human",
        detail={"reason": look.doubt},
        reason=look.doubt,
        due_at=now + ctx.quiet.spacing * 60,
    )
    if moved is not None:
        tell(tx, moved, policy=ctx.policy, now=now)


def _settle(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation, state: State, now: datetime) -> bool:
    """The buyer, or the service, decided."""
    moved = tx.instructions.move(
        instruction,
        state,
        now=now,
        actor=SYSTEM,
        action="observed",
        detail={"status": operation.status},
        remote_status=operation.status,
        reason=_reason(instruction, operation, state),
    )
    if moved is None:
        return False
    tx.tracked.stop(PURCHASE, operation.id, now)
    tell(tx, moved, policy=ctx.policy, now=now)
    return True


def _no_link(ctx: Context, operation: Operation) -> tuple[str, ...]:
    try:
        if ctx.payments.client is not None:
            ctx.payments.client.checkout_url(operation.id)
    except ServiceNever:
        return ("no checkout link can be made of its id",)
    return ()


def _seen_after_stop(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation, now: datetime) -> bool:
    if state_of(operation) is State.COMPLETED:
        facts = {"reason": f"the service says {operation.status}"}
        alert(tx, instruction, topic="paid_elsewhere", facts=facts, policy=ctx.policy, now=now)
    return operation.is_final


def _reason(instruction: Instruction, operation: Operation, state: State) -> str:
    if state is State.FAILED:
        return operation.failure_reason or ""
    other = paid_by_somebody_else(instruction, operation) if state is State.COMPLETED else ""
    return f"paid by {other}" if other else ""


def _watch(ctx: Context, tx: Tx, ended: Instruction, now: datetime) -> None:
    """What was opened is not what was requested: follow it without giving out its link; a payment is an alert."""
    if ended.remote_id is not None and ended.state in _WITHOUT_LINK:
        _follow(ctx, tx, ended, ended.remote_id, now)


def _follow(ctx: Context, tx: Tx, instruction: Instruction, remote_id: str, now: datetime) -> None:
    first = now + timedelta(seconds=ctx.poll_seconds)
    tx.tracked.follow(PURCHASE, remote_id, due_at=first, now=now, instruction_id=instruction.id)


async def read(payments: PaymentsClient, remote_id: str) -> Operation:
    """The service's record of a purchase."""
    return await payments.get_purchase(remote_id)


async def _read(_: Context, payments: PaymentsClient, tracked: Tracked) -> Operation:
    return await read(payments, tracked.remote_id)


def _polled(ctx: Context, tx: Tx, tracked: Tracked, operation: Operation | None, now: datetime) -> Again | None:
    age = now - tracked.created_at
    instruction = tx.instructions.get(tracked.instruction_id or "")
    over = instruction is None or (instruction.state in FINAL and instruction.state not in _WITHOUT_LINK)
    if instruction is not None and operation is not None and not over:
        observe(ctx, tx, instruction, operation, now)
        instruction = tx.instructions.get(instruction.id) or instruction
        over = instruction.state in FINAL and (operation.is_final or instruction.state not in _WITHOUT_LINK)
    if over or (instruction is not None and instruction.state in _WITHOUT_LINK and age > _FORGOTTEN):
        return None
    return again(ctx, tracked, operation, now, slow=age > _FORGOTTEN)


POLLS = polling("purchases", kind=PURCHASE, slots=50, read=_read, take_in=_polled)
"""Read every followed purchase that is due."""


async def _find(ctx: Context, payments: PaymentsClient, instruction: Instruction, sent: bool) -> Finding:
    return await find_by_code(ctx, payments, instruction, sent, "purchase")


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
    find=_find,
    read=read,
    observe=observe,
    ended=_watch,
)

"""Create the payout at the service, and find it again when the answer was lost.

Creating moves no money. Still it happens once: the request leaves only after its attempt is stored, and
an answer that was lost is looked for by our own code before anything is sent again.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TypedDict, TypeVar

from bot.clients.circuit import Seat
from bot.clients.payments import NewPayout, PaymentsClient
from bot.clients.service_errors import told
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown, tells_words
from bot.domain.payments.instruction import (
    Attempt,
    AttemptKind,
    AttemptOutcome,
    CallbackKind,
    Instruction,
    Kind,
    Recipient,
    State,
)
from bot.domain.payments.operation import Operation
from bot.domain.payments.payout import GUARD_SECONDS, MAX_CREATES, differences
from bot.domain.references import callback_token
from bot.domain.reminders import next_look
from bot.domain.tracking import back_off
from bot.workflows.context import SYSTEM, Context
from bot.workflows.holding import seated
from bot.workflows.keeping import claimed, keep
from bot.workflows.payments.orphans import left_by_code, watch, watch_each
from bot.workflows.payments.sought import Look, by_code, taken_note_of
from bot.workflows.requests.announce import Place, is_shown, show_card, tell
from bot.workflows.requests.suspend import read_refusal, suspend
from storage.leases import LEASE_SECONDS
from storage.repositories.instructions import Changes
from storage.transaction import Tx

Created = TypeVar("Created", bound=Operation)


async def create(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: read the recipient's account, claim an attempt, send the create request once."""
    if await _is_held(ctx, instruction):
        return
    looked_up = await with_recipient(ctx, payments, instruction)
    if looked_up is None:
        return
    instruction = looked_up
    new = new_payout(ctx, instruction)
    content = {"email": new.email, "cents": new.cents, "code": new.code, "description": new.description}
    with payments.circuit.seat() as seat:
        claimed = await claim(ctx, seat, instruction, content)
        if claimed is None:
            return
        attempt, creating, earlier_unknown = claimed
        guard = seat.guard(lambda: ctx.clock.boottime() - attempt.boot_at <= GUARD_SECONDS)
        outcome = await payments.create_payout(new, earlier_unknown=earlier_unknown, guard=guard)
        await keep(ctx, lambda tx: record(ctx, tx, creating, attempt, outcome, adopt=adopt), name="created")
    ctx.wake()


async def _is_held(ctx: Context, instruction: Instruction) -> bool:
    """Whether who asked may no longer ask: nothing is created for them. It is looked at again every few minutes."""
    no = await read_refusal(ctx, instruction)
    if no is None:
        return False
    now = ctx.clock.now()

    def work(tx: Tx) -> None:
        held = suspend(ctx, tx, instruction, no, now)
        if held is not None:
            tx.instructions.touch(held, now=now, due_at=now + ctx.quiet.spacing * 5)

    await ctx.store.write(work, name="suspend")
    ctx.wake()
    return True


async def find_again(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CREATE_UNKNOWN: look for our code in the list of operations.

    One hit is ours. None is believed only after the quiet period, from two complete lists that would have shown it.
    """
    look = await by_code(ctx, payments, instruction)
    await ctx.store.write(lambda tx: _found(ctx, tx, instruction, look), name="found")
    ctx.wake()


async def with_recipient(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Instruction | None:
    """The instruction with the recipient's account looked up, once; None when somebody else was faster."""
    if instruction.recipient is not None:
        return instruction
    recipient = await _recipient(payments, instruction)
    return await ctx.store.write(
        lambda tx: tx.instructions.touch(instruction, now=ctx.clock.now(), recipient=recipient, **lease(ctx)),
        name="recipient",
    )


async def _recipient(payments: PaymentsClient, instruction: Instruction) -> Recipient:
    try:
        account = await payments.account_status(instruction.payload.email)
    except (ServiceNow, OperatorError) as silent:
        if instruction.puts_off < MAX_CREATES:
            raise
        return Recipient(problem=told(silent))
    except ServiceNever as refused:
        return Recipient(problem=told(refused))
    return Recipient(
        full_name=account.full_name or None,
        active=account.active,
        verified=account.verified,
        primary=account.primary,
        country=account.country or None,
    )


def new_payout(ctx: Context, instruction: Instruction) -> NewPayout:
    """What the service is asked for, the same every time."""
    return NewPayout(
        email=instruction.payload.email,
        description=instruction.payload.description,
        cents=instruction.cents,
        code=instruction.code,
        confirmation_uri=callback_address(ctx, instruction, CallbackKind.CONFIRMATION),
        failure_uri=callback_address(ctx, instruction, CallbackKind.FAILURE),
        cancel_uri=callback_address(ctx, instruction, CallbackKind.CANCEL),
    )


def callback_address(ctx: Context, instruction: Instruction, kind: CallbackKind) -> str:
    """Where the service reports one thing about one instruction; a secret."""
    token = callback_token(key=ctx.token_key, instruction_id=instruction.id, kind=kind)
    return f"{callback_folder(ctx)}/{token}"


def callback_folder(ctx: Context) -> str:
    """What comes before the token in the addresses that the payments service is given."""
    return f"{ctx.callback_base}/callbacks/payments"


async def claim(
    ctx: Context, seat: Seat, instruction: Instruction, content: Mapping[str, object]
) -> tuple[Attempt, Instruction, bool] | None:
    """The one attempt to send a create request with this content, stored before anything leaves.

    Returns:
        The attempt, the instruction with it, and whether an earlier create may have been executed; None when
        somebody else was faster, and while the service answers nothing.
    """
    if not await seated(ctx, seat, instruction):
        return None
    now = ctx.clock.now()

    def work(tx: Tx) -> tuple[Attempt, Instruction, bool] | None:
        earlier = tx.attempts.of(instruction.id)
        moved = tx.instructions.move(
            instruction,
            State.CREATING,
            now=now,
            actor=SYSTEM,
            action="create",
            show=False,
            sent_at=now,
            creates=instruction.creates + 1,
            **lease(ctx),
        )
        if moved is None:
            return None
        attempt = Attempt(
            instruction_id=instruction.id,
            n=len(earlier) + 1,
            kind=AttemptKind.CREATE,
            request_hash=hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest(),
            claimed_at=now,
            boot_at=ctx.clock.boottime(),
        )
        tx.attempts.open(attempt)
        return attempt, moved, any(one.outcome is AttemptOutcome.UNKNOWN for one in earlier)

    def read_back(tx: Tx) -> tuple[Attempt, Instruction, bool] | None:
        held = held_claim(ctx, tx, instruction)
        earlier = tx.attempts.of(instruction.id)
        return (*held, any(one.outcome is AttemptOutcome.UNKNOWN for one in earlier)) if held is not None else None

    return await claimed(ctx, work, name="claim_create", read_back=read_back)


def held_claim(ctx: Context, tx: Tx, before: Instruction) -> tuple[Attempt, Instruction] | None:
    """The claim that this process has just made of an instruction, whose commit was not answered; None: it has none."""
    held = tx.instructions.get(before.id)
    still_open = [one for one in tx.attempts.of(before.id) if one.outcome is AttemptOutcome.OPEN]
    if held is None or held.version == before.version or held.lease_owner != ctx.owner or not still_open:
        return None
    return still_open[0], held


class Lease(TypedDict):
    """Who is on a step, and until when nobody else may take it."""

    lease_owner: str
    lease_until: datetime


def lease(ctx: Context, seconds: float = LEASE_SECONDS) -> Lease:
    """Keep a step ours, for longer than its request may take."""
    return {"lease_owner": ctx.owner, "lease_until": ctx.clock.now() + timedelta(seconds=seconds)}


def record(
    ctx: Context,
    tx: Tx,
    creating: Instruction,
    attempt: Attempt,
    outcome: Done[Created] | NotExecuted | Unknown,
    *,
    adopt: Callable[[Context, Tx, Instruction, Created, datetime], None],
) -> None:
    """Store what became of an attempt to create; ``adopt`` takes in what the service made of it."""
    now = ctx.clock.now()
    match outcome:
        case Done(value=operation):
            creating = close(tx, creating, attempt, AttemptOutcome.DONE, operation.status, now)
            adopt(ctx, tx, creating, operation, now)
        case NotExecuted(again=True, reason=reason, retry_after=wait):
            creating = close(tx, creating, attempt, AttemptOutcome.NOT_EXECUTED, reason, now)
            pause = back_off(first=max(wait or 0.0, 1.0), attempts=creating.puts_off, ceiling=60)
            tx.instructions.move(
                creating,
                State.NEW,
                now=now,
                actor=SYSTEM,
                action="create_put_off",
                detail=outcome.facts,
                creates=creating.creates - 1,
                puts_off=creating.puts_off + 1,
                due_at=now + pause,
            )
        case NotExecuted():
            lose(ctx, tx, creating, attempt, outcome.in_doubt(), now)
        case Unknown():
            lose(ctx, tx, creating, attempt, outcome, now)


def close(
    tx: Tx, under_way: Instruction, attempt: Attempt, outcome: AttemptOutcome, detail: str, now: datetime
) -> Instruction:
    """Store what became of an attempt. The request as it stands now, if the attempt was open until then.

    Its row may have been touched while the answer was on its way, say by another process that starts with a stricter
    policy; the answer counts all the same. Once somebody else has given the attempt up, only reading counts: the
    request is handed back as it was, and nobody's update of that takes effect.
    """
    if not tx.attempts.close(attempt.instruction_id, attempt.n, outcome, detail, now):
        return under_way
    tx.inbox.hasten(under_way.id, now)  # callbacks are faster than answers now and then
    return tx.instructions.get(under_way.id) or under_way


def lose(
    ctx: Context,
    tx: Tx,
    creating: Instruction,
    attempt: Attempt,
    outcome: Unknown,
    now: datetime,
) -> None:
    """The answer to a create request is lost, or says no: from here on we only read, after a refusal at once."""
    creating = close(tx, creating, attempt, AttemptOutcome.UNKNOWN, outcome.reason, now)
    tx.instructions.move(
        creating,
        State.CREATE_UNKNOWN,
        now=now,
        actor=SYSTEM,
        action="create_unknown",
        detail=outcome.facts,
        reason=outcome.told if outcome.words else creating.reason,
        refusal=outcome.refusal,
        suspect=None,
        unknown_since=now,
        reads=0,
        last_read_at=None,
        due_at=now if outcome.refusal is not None else now + ctx.quiet.spacing / 30,
    )


def _found(ctx: Context, tx: Tx, instruction: Instruction, look: Look[Operation]) -> None:
    now = ctx.clock.now()
    changes, absent = taken_note_of(ctx, instruction, look, now)
    if len(look.hits) > 1:
        end(ctx, tx, instruction, State.MISMATCH, "the service holds several payouts with our code", now)
        watch_each(ctx, tx, instruction, look.hits, now)
    elif look.hits:
        adopt(ctx, tx, instruction, look.hits[0], now)
    elif instruction.refusal is not None:
        end_refused(ctx, tx, instruction, now)
    elif absent and instruction.creates < MAX_CREATES:
        tx.instructions.move(instruction, State.NEW, now=now, actor=SYSTEM, action="create_again", due_at=now)
    elif absent:
        ask_people(ctx, tx, instruction, "its creation was tried several times", now)
    elif look.doubt and ctx.quiet.given_up(since=instruction.unknown_since, now=now):
        ask_people(ctx, tx, instruction, look.doubt, now, suspect=look.suspect)
    else:
        changes["due_at"] = now + ctx.quiet.spacing
        tx.instructions.touch(instruction, now=now, **changes)


def adopt(ctx: Context, tx: Tx, instruction: Instruction, operation: Operation, now: datetime) -> None:
    """Compare what the service created with what was asked, and show it to the approvers."""
    wrong = differences(instruction, operation)
    if wrong:
        end(ctx, tx, instruction, State.MISMATCH, "; ".join(wrong), now, remote_id=operation.id)
        return
    created: Changes = {
        "remote_id": operation.id,
        "remote_status": operation.status,
        "refusal": None,
        "suspect": None,
        "unknown_since": None,
        "reads": 0,
        "puts_off": 0,
        "reason": "",
        "decided_by": "",
    }
    show_approvers(ctx, tx, instruction, created, action="created", now=now)


def show_approvers(
    ctx: Context, tx: Tx, instruction: Instruction, changes: Changes, *, action: str, now: datetime
) -> None:
    """From here on people decide. The expiry clock starts when they can see the card, which may be already."""
    seen = is_shown(tx, instruction, Place.APPROVALS)
    expires = now + timedelta(seconds=instruction.requirement.expires_seconds)
    merged: Changes = {
        **changes,
        "posted_at": now if seen else None,
        "expires_at": expires if seen else None,
        "due_at": next_look(posted_at=now, expires_at=expires, now=now) if seen else None,
    }
    made = {"remote_id": changes["remote_id"]} if "remote_id" in changes else {}
    moved = tx.instructions.move(
        instruction, State.AWAITING, now=now, actor=SYSTEM, action=action, detail=made, **merged
    )
    if moved is not None:
        show_card(tx, moved, Place.APPROVALS, policy=ctx.policy, now=now)


def end(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    state: State,
    reason: str,
    now: datetime,
    *,
    remote_id: str | None = None,
    said: str = "",
) -> None:
    """A final state that nobody chose, told with its reason. What it leaves at the service is watched.

    ``remote_id`` is given where that is known from the record that ended it; ``said``: the service's own words, for
    the audit.
    """
    known = remote_id or instruction.remote_id
    moved = tx.instructions.move(
        instruction,
        state,
        now=now,
        actor=SYSTEM,
        action=state.value,
        detail={"reason": reason, "said": said} if said else {"reason": reason},
        reason=reason,
        decided_by="",
        remote_id=known,
        due_at=now + ctx.quiet.spacing * 60 if left_by_code(instruction, state, known) else None,
    )
    if moved is not None:
        watch(ctx, tx, moved, now)
        tell(tx, moved, policy=ctx.policy, now=now)


def end_refused(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """The service refused it, and what it shows agrees: nothing was paid, and what was held back for it is free."""
    for attempt in tx.attempts.of(instruction.id):
        tx.reservations.release(instruction.id, attempt.n)
    if instruction.kind is Kind.BULK:
        tx.bulk_flights.land(instruction.id)
    end(ctx, tx, instruction, State.REFUSED, instruction.refusal or instruction.reason, now)


def ask_people(
    ctx: Context, tx: Tx, instruction: Instruction, reason: str, now: datetime, *, suspect: str | None = None
) -> None:
    """Nobody can know by reading: a person decides, in a new round of votes.

    ``suspect`` is what the service holds and may be this one: until people know, nothing is sent again.
    """
    before = ""
    if instruction.refusal:
        before = f"the service refused it ({instruction.refusal}), but "
    elif instruction.state in (State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN) and tells_words(instruction.reason):
        before = f"the service gave {instruction.reason}, and now "
    moved = tx.instructions.move(
        instruction,
        State.NEEDS_HUMAN,
        now=now,
        actor=SYSTEM,
        action="needs_human",
        detail={"reason": reason, "suspect": suspect or ""},
        reason=f"{before}{reason}",
        suspect=suspect,
        decided_by="",
        round=instruction.round + 1,
        due_at=now + ctx.quiet.spacing * 60 if instruction.commits else None,
    )
    if moved is not None:
        show_card(tx, moved, Place.APPROVALS, policy=ctx.policy, now=now)  # they may never have seen it before
        tell(tx, moved, policy=ctx.policy, now=now)

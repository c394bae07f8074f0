"""A payout from request to end, in two steps or in one. Reading the outcome of a commit sends nothing.

In two steps it is created at the service, shown to the approvers, and committed once they have approved. Creating moves
no money, but happens only once: after a lost answer, our own code is searched for before anything is sent again. Before
the commit the payout is read again and compared with the digest: only what the card showed is sent.

In one step nothing exists at the service before the approval, and one request moves the money. After a lost answer
there is no id to read, so our own code is searched for. "Not found" needs two complete lists that would have shown it,
a spacing apart and after the quiet period. Then a person decides: nothing is sent again automatically. A refusal is
believed once those lists agree with it; until then its outcome is unknown, as after a lost answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from operator import methodcaller

from bot.clients.payments import NewPayout, PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted
from bot.domain.payments.earlier import Finding
from bot.domain.payments.instruction import (
    FINAL,
    SETTLED,
    UNPAID,
    CallbackKind,
    Instruction,
    Kind,
    PayoutPayload,
    State,
    changed_since,
    differences,
    is_paid,
    rank_of,
    state_of,
)
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.reasons import OfRequest, Reason, given, together
from bot.domain.references import Letter
from bot.workflows.context import Context, RequestKind, Unit
from bot.workflows.payments.callbacks import callback_address
from bot.workflows.payments.follow import Again, again, follow, note_status, polling
from bot.workflows.payments.own_rows import made_here
from bot.workflows.payments.recipient import with_recipient
from bot.workflows.payments.sought import by_code, code_is_free
from bot.workflows.requests.announce import (
    alert,
    alert_changed,
    alert_paid,
    ask_people,
    end,
    end_refused,
    on_record,
    prepared,
    show_approvers,
    tell,
)
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.claim import Claimed, creating
from bot.workflows.requests.earlier import hindrance, read_earlier
from bot.workflows.requests.look_again import (
    Look,
    found_after_create,
    found_after_send,
    is_absent,
    later,
    next_watch,
    not_read,
    still,
    watch_ended,
)
from bot.workflows.requests.send import not_now, read_refusal, sending, suspend
from storage.repositories.requests import Changes
from storage.rows import Tracked

PAYOUT = "payout"
"""Kind of a tracked payout."""
ORPHAN = "orphan"
"""Kind of a tracked payout that will not be committed."""
LEAVES_ONE = frozenset({State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.MISMATCH, State.REFUSED})
"""Final states that may leave an unpaid payout at the service."""
_WATCHED = timedelta(days=90)
_STILL_UNPAID = frozenset({OperationStatus.CREATED, OperationStatus.FAILED, OperationStatus.CANCELED})


async def create(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: read the recipient's account, claim an attempt, send the create request once.

    An external payout is read again instead. Nothing is created while the requester may not ask for money, which is
    rechecked every few minutes.
    """
    no = await read_refusal(ctx, instruction)
    if no is not None:

        def hold(uow: Unit) -> None:
            held = suspend(uow, instruction, no)
            if held is not None:
                uow.instructions.touch(held, due_at=uow.now + uow.quiet.spacing * 5)

        await ctx.write(hold, name="suspend")
        return
    looked_up = await with_recipient(ctx, payments, instruction)
    if looked_up is None:
        return
    if instruction.payload.taken:
        operation = await payments.get_operation(instruction.payload.taken)
        await ctx.write(lambda uow: _taken_in(uow, looked_up, operation), name="taken_in")
        return
    if not await code_is_free(ctx, payments, looked_up):
        return
    new = new_payout(ctx, looked_up)
    content = {"email": new.email, "cents": new.cents, "code": new.code, "description": new.description}

    async def request(claimed: Claimed, guard: Guard) -> Outcome[Operation]:
        return await payments.create_payout(new, earlier_unknown=claimed.earlier_unknown, guard=guard)

    await attempt_once(ctx, payments.circuit, creating(ctx, looked_up, content), request, CREATED, name="created")


def new_payout(ctx: Context, instruction: Instruction) -> NewPayout:
    """Return the content of the create request, identical in every attempt."""
    return NewPayout(
        email=instruction.payload.email,
        description=instruction.payload.description,
        cents=instruction.cents,
        code=instruction.sent_code,
        confirmation_uri=callback_address(ctx, instruction, CallbackKind.CONFIRMATION),
        failure_uri=callback_address(ctx, instruction, CallbackKind.FAILURE),
        cancel_uri=callback_address(ctx, instruction, CallbackKind.CANCEL),
    )


async def find_again(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CREATE_UNKNOWN: search the list of operations for our code. A single hit is ours."""
    look = await by_code(ctx, payments, instruction)

    def found(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
        if len(hits) == 1:
            created(uow, instruction, hits[0])
            return
        end(uow, instruction, State.MISMATCH, Reason(OfRequest.SEVERAL, records="payouts"))
        for hit in hits:
            follow(uow, ORPHAN, instruction, hit.id)

    def give_up(uow: Unit, instruction: Instruction, look: Look[Operation]) -> None:
        ask_people(uow, instruction, look.doubt or Reason(OfRequest.CREATED_IN_VAIN), suspect=look.suspect)

    await ctx.write(lambda uow: found_after_create(uow, instruction, look, found=found, give_up=give_up), name="found")


def created(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Compare what the service created with the request, and show it to the approvers."""
    wrong = differences(instruction, operation)
    if wrong:
        end(uow, instruction, State.MISMATCH, together(wrong), remote_id=operation.id)
        return
    changes: Changes = {**on_record(operation.id, operation.status), "decided_by": ""}
    show_approvers(uow, instruction, changes, action="created")


def _taken_in(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Show an external payout to the approvers if it is unchanged since the request and still awaits a commit."""
    if not _is_not_as_approved(uow, instruction, operation):
        changes: Changes = {**on_record(operation.id, operation.status), "decided_by": ""}
        show_approvers(uow, instruction, changes, action="taken_in")


async def send(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, claim the one attempt, send it, store the outcome."""
    if await not_now(ctx, instruction):
        return
    payments.require("commit_payout")
    operation = await payments.get_operation(instruction.remote_id or "")
    if await ctx.write(lambda uow: _is_not_as_approved(uow, instruction, operation), name="reread", wakes=False):
        ctx.wake()
        return

    async def commit(_: Claimed, guard: Guard) -> Outcome[Operation]:
        outcome = await payments.commit_payout(operation.id, earlier_unknown=instruction.commits > 0, guard=guard)
        return await reread(payments, instruction, outcome)

    earlier = await read_earlier(ctx, payments, instruction)
    claim = sending(ctx, instruction, name="claim_commit", hindrance=lambda uow: hindrance(uow, instruction, earlier))
    await attempt_once(ctx, payments.circuit, claim, commit, COMMITTED, name="committed")


def _is_not_as_approved(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Handle a re-read payout that is not as approved; return True if nothing may be sent."""
    wrong = differences(instruction, operation)
    if isinstance(instruction.payload, PayoutPayload) and instruction.payload.taken:
        wrong += changed_since(instruction.payload, operation)
        wrong += (reason,) if (reason := made_here(uow, operation)) is not None else ()
    if wrong and instruction.commits:  # the earlier attempt may have paid
        ask_people(uow, instruction, together(wrong))
    elif wrong:
        end(uow, instruction, State.MISMATCH, together(wrong))
    elif operation.state is OperationStatus.CREATED:
        return False
    elif instruction.commits:
        apply_record(uow, instruction, operation)
    else:
        end(uow, instruction, State.MISMATCH, Reason(OfRequest.UNASKED, status=operation.status))
    return True


async def reread(payments: PaymentsClient, instruction: Instruction, outcome: Outcome[Operation]) -> Outcome[Operation]:
    """Return the outcome of a commit; a refusal is checked against the payout's own record, which takes precedence.

    An executed commit can be answered with a refusal: a proxy repeats the request, and the second one is refused.
    """
    if not isinstance(outcome, NotExecuted) or outcome.again:
        return outcome
    try:
        operation = await payments.get_operation(instruction.remote_id or "")
    except (ServiceNow, ServiceNever, OperatorError):
        return outcome.in_doubt()
    if differences(instruction, operation):
        return outcome.in_doubt()
    if operation.state is OperationStatus.CREATED:
        return outcome
    return Done(value=operation) if state_of(operation) is not None else outcome.in_doubt()


def paid(uow: Unit, under_way: Instruction, operation: Operation) -> None:
    """Apply the record of a committed payout; alert if it differs from the approved request."""
    wrong = differences(under_way, operation)
    if wrong:
        alert(uow, under_way, "differs", reason=together(wrong))
    apply_record(uow, under_way, operation)


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: apply the service's record, or retry the read.

    "Still created" is believed after the quiet period and three reads, and then a person decides.
    """
    if instruction.remote_id is None:
        return
    try:
        operation = await payments.get_operation(instruction.remote_id)
    except (ServiceNow, ServiceNever) as silent:
        reason = Reason(OfRequest.UNREAD, service=silent.service, why=silent.full_reason)
        wait = silent.retry_after
        await ctx.write(lambda uow: not_read(uow, instruction, reason, wait=wait), name="not_read", wakes=False)
        return
    await ctx.write(lambda uow: read_again(uow, instruction, operation), name="read_outcome")


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: alert if a payment appears after all; the state stays.

    A payout found by our code is read by its id from then on. A failure needs no alert.
    """

    def found(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
        uow.instructions.touch(instruction, remote_id=hits[0].id, due_at=None)
        for operation in hits:
            _alert_if_paid(uow, instruction, operation)
            if state_of(operation) is None:
                follow(uow, ORPHAN, instruction, operation.id)

    if instruction.remote_id is None:
        await watch_ended(ctx, instruction, await by_code(ctx, payments, instruction), found)
        return
    operation = await payments.get_operation(instruction.remote_id)

    def seen(uow: Unit) -> None:
        _alert_if_paid(uow, instruction, operation)
        due = next_watch(uow, instruction) if state_of(operation) is None else None
        uow.instructions.touch(instruction, due_at=due)

    await ctx.write(seen, name="watch_closed", wakes=False)


def _alert_if_paid(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    if is_paid(operation):
        alert_paid(uow, instruction, Reason(OfRequest.SAYS, status=operation.status))


def read_again(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Update the instruction from a record read while the outcome is unknown."""
    wrong = differences(instruction, operation)
    if wrong:
        alert(uow, instruction, "differs", reason=together(wrong))
        later(uow, instruction)
    elif operation.state is not OperationStatus.CREATED:
        if not apply_record(uow, instruction, operation):
            later(uow, note_status(uow, instruction, operation))
    elif instruction.state is State.NEEDS_HUMAN:
        later(uow, instruction)
    elif instruction.refusal is not None:
        end_refused(uow, instruction)
    else:
        still(uow, instruction, Reason(OfRequest.STILL_NOT_COMMITTED), {"puts_off": 0})


def apply_record(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Move forward to the state in the service's own record; never backwards, never out of a final state.

    Returns whether the record moved the instruction forward, or the instruction was final already.
    """
    state = state_of(operation)
    if instruction.state in FINAL:
        if state in SETTLED and state is not instruction.state and instruction.state in SETTLED:
            alert_changed(uow, instruction, operation.status)
        return True
    if state is None or rank_of(state) <= rank_of(instruction.state):
        return False
    moved = uow.instructions.move(
        instruction,
        state,
        action="observed",
        facts={"status": operation.status},
        remote_id=instruction.remote_id or operation.id,
        remote_status=operation.status,
        svc_hash=operation.svc_hash or "",
        reason=given(operation.failure_reason or "") if state is State.FAILED else None,
        unknown_since=None,
        puts_off=0,
        due_at=None,
    )
    if moved is None:
        return False
    if state in SETTLED:
        uow.tracked.stop(PAYOUT, operation.id, uow.now)
    else:
        follow(uow, PAYOUT, instruction, operation.id)
    tell(uow, moved)
    return True


def observe(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Apply a record read by its id; one that is not the requested payout changes nothing and alerts."""
    if instruction.state in UNPAID:
        _alert_if_paid(uow, instruction, operation)
        return True
    wrong = differences(instruction, operation)
    if wrong:
        alert(uow, instruction, "differs", reason=together(wrong))
        return False
    if apply_record(uow, instruction, operation):
        return True
    note_status(uow, instruction, operation)
    return False


def watch(uow: Unit, instruction: Instruction) -> None:
    """Follow what a request that ended unpaid leaves behind at the service."""
    if instruction.remote_id is not None and instruction.state in LEAVES_ONE:
        follow(uow, ORPHAN, instruction, instruction.remote_id)


def _left_behind(uow: Unit, tracked: Tracked, instruction: Instruction, operation: Operation | None) -> Again | None:
    if operation is not None:
        _alert_if_paid(uow, instruction, operation)
    settled = operation is not None and state_of(operation) is not None
    over = settled or instruction.closed_at is None or uow.now - instruction.closed_at > _WATCHED
    return None if over else again(uow, tracked, operation, slow=True)


def _polled(uow: Unit, tracked: Tracked, instruction: Instruction, operation: Operation | None) -> Again | None:
    if instruction.state not in FINAL and operation is not None:
        observe(uow, instruction, operation)
        instruction = uow.instructions.get(instruction.id) or instruction
    if instruction.state in FINAL:
        return None
    return again(uow, tracked, operation, slow=instruction.state is State.PENDING_ESCROW)


async def _read(_: Context, payments: PaymentsClient, tracked: Tracked) -> Operation:
    return await payments.get_operation(tracked.remote_id)


POLLS = polling("polls", kind=PAYOUT, slots=100, read=_read, apply=_polled)
WATCH = polling("orphans", kind=ORPHAN, slots=20, read=_read, apply=_left_behind, stored_as="orphan")
CREATED: Answers[Claimed, Operation] = Answers(done=created)
COMMITTED: Answers[Claimed, Operation] = Answers(
    done=paid, refused=lambda uow, one, outcome: end(uow, one, State.REFUSED, outcome.full_reason, said=outcome.detail)
)
"""A refused commit counts as refused only if the payout's own record agrees."""
PAID: Answers[Claimed, Operation] = Answers(done=paid)


async def _still_unpaid(
    ctx: Context, payments: PaymentsClient, ended: Instruction, _rows: Sequence[int]
) -> Sequence[Finding]:
    """Re-read a payout that ended unpaid, by its id or by our code."""
    if ended.remote_id is not None:
        look: Look[Operation] = Look((await payments.get_operation(ended.remote_id),))
    else:
        look = await by_code(ctx, payments, ended)
    if look.doubt is not None or any(differences(ended, one) for one in look.hits):
        return [Finding(ended.reference, moved=False)]
    moved = [one for one in look.hits if one.state not in _STILL_UNPAID]
    return [Finding(ended.reference, moved=True, status=one.status) for one in moved[:1]]


KIND = RequestKind(
    kind=Kind.PAYOUT,
    letter=Letter.PAYOUT,
    steps={
        State.NEW: create,
        State.CREATE_UNKNOWN: find_again,
        State.APPROVED: send,
        State.COMMIT_UNKNOWN: read_outcome,
        State.NEEDS_HUMAN: read_outcome,
        State.CLOSED: watch_closed,
        State.REFUSED: watch_closed,
    },
    called_back=(CallbackKind.CONFIRMATION, CallbackKind.CANCEL, CallbackKind.FAILURE),
    listed="payout",
    ready=methodcaller("require", "commit_payout"),
    read=lambda payments, remote_id: payments.get_operation(remote_id),
    observe=observe,
    ended=watch,
    still_unpaid=_still_unpaid,
)


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: read the recipient's account and ask the approvers; nothing is created yet."""
    payments.require("one_step_payout")
    looked_up = await with_recipient(ctx, payments, instruction)
    if looked_up is not None and await code_is_free(ctx, payments, looked_up):
        await prepared(ctx, looked_up)


async def pay(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, claim the one attempt, send it, store the outcome."""
    if await not_now(ctx, instruction):
        return
    payments.require("one_step_payout")
    if instruction.commits:
        look = await by_code(ctx, payments, instruction)
        if not await is_absent(ctx, instruction, look, found=_found_by_code):
            return
    elif not await code_is_free(ctx, payments, instruction):
        return

    async def pay(_: Claimed, guard: Guard) -> Outcome[Operation]:
        new = new_payout(ctx, instruction)
        return await payments.one_step_payout(new, earlier_unknown=instruction.commits > 0, guard=guard)

    earlier = await read_earlier(ctx, payments, instruction)
    claim = sending(ctx, instruction, name="claim_commit", hindrance=lambda uow: hindrance(uow, instruction, earlier))
    await attempt_once(ctx, payments.circuit, claim, pay, PAID, name="committed")


async def find_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: search the list of operations for our code."""
    if instruction.remote_id is not None:
        await read_outcome(ctx, payments, instruction)
        return
    look, absent = await by_code(ctx, payments, instruction), Reason(OfRequest.NOT_LISTED)
    await ctx.write(
        lambda uow: found_after_send(uow, instruction, look, found=_found_by_code, absent_because=absent),
        name="read_outcome",
    )


def _found_by_code(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
    """Update the instruction from the one record with our code; if there are several, people decide."""
    if len(hits) == 1:
        read_again(uow, instruction, hits[0])
        return
    reason = Reason(OfRequest.SEVERAL, records="payouts")
    alert(uow, instruction, "differs", reason=reason)
    if instruction.state is State.APPROVED:
        ask_people(uow, instruction, reason)
    else:
        not_read(uow, instruction, reason)


ONE_STEP = replace(
    KIND,
    kind=Kind.ONE_STEP,
    steps={
        State.NEW: prepare,
        State.APPROVED: pay,
        State.COMMIT_UNKNOWN: find_outcome,
        State.NEEDS_HUMAN: find_outcome,
        State.CLOSED: watch_closed,
        State.REFUSED: watch_closed,
    },
    ready=methodcaller("require", "one_step_payout"),
)

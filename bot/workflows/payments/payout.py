"""A payout from request to end, in two steps or in one. Reading the outcome of a commit sends nothing.

In two steps it is created at the service, shown to the approvers, and committed once they have approved. Creating moves
no money, but happens only once: a lost answer is searched for by our own code before anything is sent again. Before the
commit the payout is read again and compared with the digest: only what the card showed is sent.

In one step nothing exists at the service before the approval, and one request moves the money. It has no id to be read
by, so a lost answer is searched for by our own code. "Not found" needs two complete lists that would have shown it, a
spacing apart and after the quiet period. Then a person decides: nothing is sent again automatically. A refusal is
believed when those lists agree with it; until then its outcome is unknown, as after a lost answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from operator import methodcaller

from bot.clients.payments import NewPayout, PaymentsClient
from bot.clients.transport import Guard
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.outcome import NotExecuted
from bot.domain.payments.evidence import differences, is_paid, state_of
from bot.domain.payments.instruction import CallbackKind, Instruction, Kind, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.reasons import OfRequest, Reason, together
from bot.domain.recovery import SearchResult, Seen
from bot.domain.references import Letter
from bot.workflows.context import Context, RequestKind, Unit
from bot.workflows.payments import follow
from bot.workflows.payments.callbacks import callback_address
from bot.workflows.payments.follow import apply_record, note_status, watch, watch_each
from bot.workflows.payments.recipient import with_recipient
from bot.workflows.payments.sought import by_code, find_by_code, reread, watch_by_code
from bot.workflows.requests.announce import (
    alert,
    alert_paid,
    ask_people,
    end,
    end_mismatch,
    end_refused,
    on_record,
    prepared,
    show_approvers,
)
from bot.workflows.requests.attempt import Answers, Claimed, Outcome, attempt_once, creating
from bot.workflows.requests.look_again import (
    Look,
    found_after_create,
    found_after_send,
    is_absent,
    later,
    next_watch,
    not_read,
    still,
)
from bot.workflows.requests.send import not_now, read_refusal, sending, suspend
from storage.repositories.requests import Changes


async def read_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: adopt what the service says, or go on looking.

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
    await ctx.write(lambda uow: take_in(uow, instruction, operation), name="read_outcome")


async def watch_closed(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CLOSED as not paid, or REFUSED: a payment that appears after all is an alert; the state stays."""
    if instruction.remote_id is None:
        await watch_by_code(ctx, payments, instruction)
        return
    operation = await payments.get_operation(instruction.remote_id)
    await ctx.write(lambda uow: seen_after_close(uow, instruction, operation), name="watch_closed", wakes=False)


def seen_after_close(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Alert when it was paid after all; keep reading while it may still be paid; a failure is no news."""
    state = state_of(operation)
    if is_paid(operation):
        alert_paid(uow, instruction, Reason(OfRequest.SAYS, status=operation.status))
    due = next_watch(uow.ctx, instruction, uow.now) if state is None else None
    uow.instructions.touch(instruction, due_at=due)


def take_in(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Act on a record read while the outcome is unknown."""
    wrong = differences(instruction, operation)
    if wrong:
        alert(uow, instruction, "differs", reason=together(wrong))
        later(uow, instruction)
        return
    if operation.state is not OperationStatus.CREATED:
        if not apply_record(uow, instruction, operation):
            later(uow, note_status(uow, instruction, operation))
        return
    if instruction.state is State.NEEDS_HUMAN:
        uow.instructions.touch(instruction, due_at=uow.now + uow.quiet.spacing * 60)
        return
    if instruction.refusal is not None:
        end_refused(uow, instruction)
        return
    still(uow, instruction, Reason(OfRequest.STILL_NOT_COMMITTED), {"puts_off": 0})


async def create(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: read the recipient's account, claim an attempt, send the create request once."""
    if await _is_held(ctx, instruction):
        return
    looked_up = await with_recipient(ctx, payments, instruction)
    if looked_up is None:
        return
    new = new_payout(ctx, looked_up)
    content = {"email": new.email, "cents": new.cents, "code": new.code, "description": new.description}

    async def request(claimed: Claimed, guard: Guard) -> Outcome[Operation]:
        return await payments.create_payout(new, earlier_unknown=claimed.earlier_unknown, guard=guard)

    await attempt_once(ctx, payments.circuit, creating(ctx, looked_up, content), request, CREATED, name="created")


async def _is_held(ctx: Context, instruction: Instruction) -> bool:
    """Whether the requester may no longer ask: then nothing is created. Checked again every few minutes."""
    no = await read_refusal(ctx, instruction)
    if no is None:
        return False
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        held = suspend(uow, instruction, no)
        if held is not None:
            uow.instructions.touch(held, due_at=now + ctx.quiet.spacing * 5)

    await ctx.write(work, name="suspend")
    return True


def new_payout(ctx: Context, instruction: Instruction) -> NewPayout:
    """Content of the create request, identical in every attempt."""
    return NewPayout(
        email=instruction.payload.email,
        description=instruction.payload.description,
        cents=instruction.cents,
        code=instruction.code,
        confirmation_uri=callback_address(ctx, instruction, CallbackKind.CONFIRMATION),
        failure_uri=callback_address(ctx, instruction, CallbackKind.FAILURE),
        cancel_uri=callback_address(ctx, instruction, CallbackKind.CANCEL),
    )


async def find_again(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """CREATE_UNKNOWN: look for our code in the list of operations. One hit is ours."""
    look = await by_code(ctx, payments, instruction)
    await ctx.write(
        lambda uow: found_after_create(uow, instruction, look, take_in=_take_in, give_up=_give_up), name="found"
    )


def _take_in(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
    if len(hits) > 1:
        end(uow, instruction, State.MISMATCH, Reason(OfRequest.SEVERAL, records="payouts"))
        watch_each(uow, instruction, hits)
    else:
        adopt(uow, instruction, hits[0])


def _give_up(uow: Unit, instruction: Instruction, look: Look[Operation]) -> None:
    reason = look.doubt or Reason(OfRequest.CREATED_IN_VAIN)
    ask_people(uow, instruction, reason, suspect=look.suspect)


def adopt(uow: Unit, instruction: Instruction, operation: Operation) -> None:
    """Compare what the service created with the request, and show it to the approvers."""
    wrong = differences(instruction, operation)
    if wrong:
        end(uow, instruction, State.MISMATCH, together(wrong), remote_id=operation.id)
        return
    created: Changes = {**on_record(operation.id, operation.status), "decided_by": ""}
    show_approvers(uow, instruction, created, action="created")


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

    claim = sending(ctx, instruction, name="claim_commit")
    await attempt_once(ctx, payments.circuit, claim, commit, COMMITTED, name="committed")


def _is_not_as_approved(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Handle a re-read payout that is not as approved; True when nothing may be sent."""
    wrong = differences(instruction, operation)
    if wrong:
        end_mismatch(uow, instruction, together(wrong))
        return True
    if operation.state is OperationStatus.CREATED:
        return False
    if instruction.commits:
        follow.apply_record(uow, instruction, operation)
        return True
    end(uow, instruction, State.MISMATCH, Reason(OfRequest.UNASKED, status=operation.status))
    return True


def paid(uow: Unit, under_way: Instruction, operation: Operation) -> None:
    """Apply the record of a committed payout; alert when it differs from what was approved."""
    wrong = differences(under_way, operation)
    if wrong:
        alert(uow, under_way, "differs", reason=together(wrong))
    follow.apply_record(uow, under_way, operation)


def _refused(uow: Unit, under_way: Instruction, outcome: NotExecuted) -> None:
    end(uow, under_way, State.REFUSED, outcome.full_reason, said=outcome.detail)


def status_of(_: Claimed, operation: Operation) -> str:
    """The service's status, kept with the attempt."""
    return operation.status


CREATED = Answers(done=adopt, says=status_of)
COMMITTED = Answers(done=paid, says=status_of, refused=_refused)
"""A refused commit counts as refused only if the payout's own record agrees."""


async def _find(ctx: Context, payments: PaymentsClient, instruction: Instruction, sent: bool) -> SearchResult:
    if instruction.remote_id is None:
        return await find_by_code(ctx, payments, instruction, sent)
    operation = await payments.get_operation(instruction.remote_id)
    if operation.state is OperationStatus.CREATED:
        return SearchResult(Seen.ABSENT, Reason(OfRequest.NOT_COMMITTED))
    return SearchResult(Seen.FOUND, Reason(OfRequest.SAYS, status=operation.status))


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
    find=_find,
    read=lambda payments, remote_id: payments.get_operation(remote_id),
    observe=follow.observe,
    ended=watch,
)


PAID = Answers(done=paid, says=status_of)


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: read the recipient's account and ask the approvers; nothing is created yet."""
    payments.require("one_step_payout")
    looked_up = await with_recipient(ctx, payments, instruction)
    if looked_up is not None:
        await prepared(ctx, looked_up)


async def pay(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """APPROVED: check everything again, claim the one attempt, send it, store the outcome."""
    if await not_now(ctx, instruction):
        return
    payments.require("one_step_payout")
    if instruction.commits:
        look = await by_code(ctx, payments, instruction)
        if not await is_absent(ctx, instruction, look, take_in=_take_in_first):
            return

    async def pay(_: Claimed, guard: Guard) -> Outcome[Operation]:
        new = new_payout(ctx, instruction)
        return await payments.one_step_payout(new, earlier_unknown=instruction.commits > 0, guard=guard)

    claim = sending(ctx, instruction, name="claim_commit")
    await attempt_once(ctx, payments.circuit, claim, pay, PAID, name="committed")


async def find_outcome(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """COMMIT_UNKNOWN and NEEDS_HUMAN: look for our code in the list of operations."""
    if instruction.remote_id is not None:
        await read_outcome(ctx, payments, instruction)
        return
    look, absent = await by_code(ctx, payments, instruction), Reason(OfRequest.NOT_LISTED)
    await ctx.write(
        lambda uow: found_after_send(uow, instruction, look, take_in=_take_in_found, absent_because=absent),
        name="read_outcome",
    )


def _take_in_found(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
    if len(hits) == 1:
        take_in(uow, instruction, hits[0])
        return
    reason = Reason(OfRequest.SEVERAL, records="payouts")
    alert(uow, instruction, "differs", reason=reason)
    not_read(uow, instruction, reason)


def _take_in_first(uow: Unit, instruction: Instruction, hits: Sequence[Operation]) -> None:
    take_in(uow, instruction, hits[0])


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
    find=find_by_code,
)

"""Payouts in two steps: created at the service, shown to the approvers, committed once they have approved.

Creating moves no money, but happens only once: a lost answer is searched for by our own code before anything is sent
again. Before the commit the payout is read again and compared with the digest: only what the card showed is sent.
"""

from collections.abc import Sequence

from bot.clients.payments import NewPayout, PaymentsClient
from bot.clients.transport import Guard
from bot.domain.outcome import NotExecuted
from bot.domain.payments.evidence import differences
from bot.domain.payments.instruction import CallbackKind, Instruction, Kind, State
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.reasons import OfRequest, Reason, together
from bot.domain.recovery import Finding, Seen
from bot.domain.references import Letter
from bot.workflows.context import Context, RequestKind, Unit
from bot.workflows.payments import follow, reconcile
from bot.workflows.payments.addresses import callback_address
from bot.workflows.payments.orphans import watch, watch_each
from bot.workflows.payments.recipient import with_recipient
from bot.workflows.payments.refused import reread
from bot.workflows.payments.sought import by_code, find_by_code
from bot.workflows.requests.announce import alert
from bot.workflows.requests.attempt import Answers, Outcome, attempt_once
from bot.workflows.requests.claim import Claimed, creating
from bot.workflows.requests.look_again import Look, found_after_create
from bot.workflows.requests.send import not_now, sending
from bot.workflows.requests.settle import ask_people, end, end_mismatch, on_record, show_approvers
from bot.workflows.requests.suspend import read_refusal, suspend
from storage.repositories.requests import Changes


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
            uow.instructions.touch(held, now=now, due_at=now + ctx.quiet.spacing * 5)

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
    payments.require_committable()
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
    end(uow, under_way, State.REFUSED, outcome.told, said=outcome.detail)


def status_of(_: Claimed, operation: Operation) -> str:
    """The service's status, kept with the attempt."""
    return operation.status


CREATED = Answers(done=adopt, says=status_of)
COMMITTED = Answers(done=paid, says=status_of, refused=_refused)
"""A refused commit counts as refused only if the payout's own record agrees."""


async def _find(ctx: Context, payments: PaymentsClient, instruction: Instruction, sent: bool) -> Finding:
    if instruction.remote_id is None:
        return await find_by_code(ctx, payments, instruction, sent)
    operation = await payments.get_operation(instruction.remote_id)
    if operation.state is OperationStatus.CREATED:
        return Finding(Seen.ABSENT, Reason(OfRequest.NOT_COMMITTED))
    return Finding(Seen.FOUND, Reason(OfRequest.SAYS, status=operation.status))


KIND = RequestKind(
    kind=Kind.PAYOUT,
    letter=Letter.PAYOUT,
    steps={
        State.NEW: create,
        State.CREATE_UNKNOWN: find_again,
        State.APPROVED: send,
        State.COMMIT_UNKNOWN: reconcile.read_outcome,
        State.NEEDS_HUMAN: reconcile.read_outcome,
        State.CLOSED: reconcile.watch_closed,
        State.REFUSED: reconcile.watch_closed,
    },
    called_back=(CallbackKind.CONFIRMATION, CallbackKind.CANCEL, CallbackKind.FAILURE),
    listed="payout",
    ready=PaymentsClient.require_committable,
    find=_find,
    read=lambda payments, remote_id: payments.get_operation(remote_id),
    observe=follow.observe,
    ended=watch,
)

"""A requester lost the right to ask for money: the request is held, and nobody can approve it or take it over.

Every approval so far is void: it was given to a requester who was allowed to ask. An admin may withdraw the request.
If the requester may ask again, approvers approve anew; an approved request does not resume by itself.
"""

from bot.domain.approvals import No, may_request
from bot.domain.errors import ServiceNow
from bot.domain.payments.instruction import Instruction, State
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import alert
from bot.workflows.requests.ballot import Standings
from bot.workflows.witness import witness
from storage.repositories.requests import Changes


def refusal_of_requester(ctx: Context, instruction: Instruction, standings: Standings) -> No | None:
    """Reason why the requester may no longer ask for money; None when they may."""
    return may_request(standings[instruction.requester], people=ctx.policy.people, home=ctx.home)


async def read_refusal(ctx: Context, instruction: Instruction) -> No | None:
    """The same, read now.

    Raises:
        ServiceNow: Slack did not say who they are.
    """
    standing = await ctx.people.standing(instruction.requester, patient=True)
    return may_request(standing, people=ctx.policy.people, home=ctx.home)


async def guessed_refusal(ctx: Context, instruction: Instruction) -> tuple[No | None, bool]:
    """The same for display, and whether it is known: while Slack does not answer, the last known reason stays."""
    try:
        return await read_refusal(ctx, instruction), True
    except ServiceNow:
        return None, False


def suspend(uow: Unit, instruction: Instruction, no: No) -> Instruction | None:
    """Back to the approvers with every approval void; None when somebody else changed it first.

    A request that does not wait for approvers yet keeps its state. One alert is posted.
    """
    back = instruction.state
    if back is State.APPROVED:
        back = State.NEEDS_HUMAN if instruction.commits else State.AWAITING
    votes = uow.votes.of(instruction.id, instruction.round)
    reason = Reason(OfRequest.HELD, no=no.value, sent_before=instruction.commits > 0)
    if back is instruction.state and instruction.reason == reason and not votes:
        return instruction
    changes: Changes = {"reason": reason, "round": instruction.round + 1 if votes else instruction.round}
    after = _put_back(uow, instruction, back, changes, no)
    if after is not None:
        alert(uow, after, f"suspended:{after.round}", reason=reason)
    return after


def followed(uow: Unit, instruction: Instruction, refusal: No | None, *, known: bool) -> Instruction | None:
    """The instruction, held or released as :func:`guessed_refusal` says; None when somebody else changed it first."""
    if refusal is not None:
        return suspend(uow, instruction, refusal)
    return resumed(uow, instruction) if known else instruction


def resumed(uow: Unit, instruction: Instruction) -> Instruction | None:
    """The instruction, no longer marked as held; None when somebody else changed it first."""
    if not has_code(instruction.reason, OfRequest.HELD):
        return instruction
    return uow.instructions.touch(instruction, now=uow.now, show=True, reason=None)


def _put_back(uow: Unit, instruction: Instruction, back: State, changes: Changes, no: No) -> Instruction | None:
    detail = {"why": no.value}
    if back is not instruction.state:
        due = uow.now + uow.quiet.spacing * 60 if back is State.NEEDS_HUMAN else uow.now
        changes = {**changes, "decided_by": "", "exec_deadline": None, "due_at": due}
        return uow.instructions.move(instruction, back, now=uow.now, action="suspended", detail=detail, **changes)
    after = uow.instructions.touch(instruction, now=uow.now, show=True, **changes)
    if after is not None:
        witness(uow, "suspended", detail, about=after)
    return after

"""States of a request with nothing in flight: shown to approvers, decided by people, or ended."""

from datetime import timedelta

from bot.domain.payments.bulk_progress import BulkProgress
from bot.domain.payments.instruction import Instruction, State
from bot.domain.reasons import OfRequest, Reason, stored
from bot.domain.reminders import next_look
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import FIRST, Place, is_shown, remind, show_card, show_file, tell
from storage.repositories.requests import Changes


def on_record(remote_id: str, status: str) -> Changes:
    """Changes of a request that the service has on record: nothing about it is in doubt any more."""
    return {
        "remote_id": remote_id,
        "remote_status": status,
        "refusal": None,
        "suspect": None,
        "unknown_since": None,
        "reads": 0,
        "puts_off": 0,
        "reason": None,
        "due_at": None,
    }


async def prepared(
    ctx: Context, instruction: Instruction, *, progress: BulkProgress | None = None, file: str = ""
) -> None:
    """Nothing has to be created: show it to the approvers, with this file in the thread of their card."""
    changes: Changes = {"puts_off": 0, "reason": None, "progress": progress or instruction.progress}

    def work(uow: Unit) -> None:
        show_approvers(uow, instruction, changes, action="prepared")
        if file:
            show_file(uow, instruction, Place.APPROVALS, file)

    await ctx.write(work, name="prepared")


def show_approvers(
    uow: Unit,
    instruction: Instruction,
    changes: Changes,
    *,
    action: str,
) -> None:
    """From here on approvers decide. The expiry clock starts when their card is posted, which may be already."""
    seen = is_shown(uow, instruction, Place.APPROVALS)
    expires = uow.now + timedelta(seconds=instruction.requirement.expires_seconds)
    merged: Changes = {
        **changes,
        "posted_at": uow.now if seen else None,
        "expires_at": expires if seen else None,
        "due_at": next_look(posted_at=uow.now, expires_at=expires, now=uow.now) if seen else None,
    }
    made = {"remote_id": changes["remote_id"]} if "remote_id" in changes else {}
    moved = uow.instructions.move(instruction, State.AWAITING, now=uow.now, action=action, detail=made, **merged)
    if moved is None:
        return
    show_card(uow, moved, Place.APPROVALS)
    if seen:
        remind(uow, moved, FIRST)


def end(
    uow: Unit,
    instruction: Instruction,
    state: State,
    reason: Reason | None,
    *,
    remote_id: str | None = None,
    said: str = "",
) -> None:
    """End a request in a final state that no person chose, and report the reason; then run its kind's ``ended``.

    ``remote_id``: from the record that ended it, where there is one; ``said``: the service's own words, for the audit.
    """
    known = remote_id or instruction.remote_id
    moved = uow.instructions.move(
        instruction,
        state,
        now=uow.now,
        action=state.value,
        detail={"reason": stored(reason), **({"said": said} if said else {})},
        reason=reason,
        decided_by="",
        remote_id=known,
        due_at=uow.now + uow.quiet.spacing * 60 if _left_unnamed(uow.ctx, instruction, state, known) else None,
    )
    if moved is not None:
        uow.kinds[moved.kind].ended(uow, moved)
        tell(uow, moved)


def end_mismatch(uow: Unit, instruction: Instruction, reason: Reason | None) -> None:
    """It is not what was approved, and ends. After an earlier attempt people decide: something may have been paid."""
    if instruction.commits:
        ask_people(uow, instruction, reason)
    else:
        end(uow, instruction, State.MISMATCH, reason)


def _left_unnamed(ctx: Context, instruction: Instruction, state: State, remote_id: str | None) -> bool:
    """Whether a request that ends like this may leave something at the service that has no id to be read by."""
    sent = instruction.creates or instruction.commits
    looked_for = State.REFUSED in ctx.kinds[instruction.kind].steps
    return state is State.REFUSED and remote_id is None and bool(sent) and looked_for


def end_refused(uow: Unit, instruction: Instruction) -> None:
    """The service refused it, and its records agree: nothing was paid, and the reservations are released."""
    for attempt in uow.attempts.of(instruction.id):
        uow.reservations.release(instruction.id, attempt.n)
    end(uow, instruction, State.REFUSED, instruction.refusal or instruction.reason)


def ask_people(uow: Unit, instruction: Instruction, reason: Reason | None, *, suspect: str | None = None) -> None:
    """Reading cannot settle the outcome: people decide, in a new round of votes.

    ``suspect``: id of a record that may be this request: until people decide, nothing is sent again.
    """
    moved = uow.instructions.move(
        instruction,
        State.NEEDS_HUMAN,
        now=uow.now,
        action="needs_human",
        detail={"reason": stored(reason), "suspect": suspect or ""},
        reason=_for_people(instruction, reason),
        suspect=suspect,
        decided_by="",
        round=instruction.round + 1,
        due_at=uow.now + uow.quiet.spacing * 60 if instruction.commits else None,
    )
    if moved is not None:
        show_card(uow, moved, Place.APPROVALS)  # approvers may never have seen it before
        tell(uow, moved)


def _for_people(instruction: Instruction, reason: Reason | None) -> Reason | None:
    """Why people have to decide, after what the service answered while the outcome was open."""
    if instruction.refusal is not None:
        return Reason(OfRequest.AFTER_REFUSAL, refusal=instruction.refusal, why=reason)
    before = instruction.reason
    if (
        instruction.state in (State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN)
        and before is not None
        and before.quotes_answer
    ):
        return Reason(OfRequest.AFTER_ANSWER, answer=before, why=reason)
    return reason

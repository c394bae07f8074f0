"""States of a request with nothing in flight: shown to approvers, decided by people, or ended."""

from datetime import datetime, timedelta

from bot.domain.payments.bulk_progress import BulkProgress
from bot.domain.payments.instruction import Instruction, State
from bot.domain.reasons import OfRequest, Reason, stored
from bot.domain.reminders import next_look
from bot.workflows.context import Context
from bot.workflows.requests.announce import FIRST, Place, is_shown, remind, show_card, show_file, tell
from storage.repositories.requests import Changes
from storage.transaction import Tx


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
    now = ctx.clock.now()
    changes: Changes = {"puts_off": 0, "reason": None, "progress": progress or instruction.progress}

    def work(tx: Tx) -> None:
        show_approvers(ctx, tx, instruction, changes, action="prepared", now=now)
        if file:
            show_file(ctx, tx, instruction, Place.APPROVALS, file, now)

    await ctx.write(work, name="prepared")


def show_approvers(
    ctx: Context, tx: Tx, instruction: Instruction, changes: Changes, *, action: str, now: datetime
) -> None:
    """From here on approvers decide. The expiry clock starts when their card is posted, which may be already."""
    seen = is_shown(tx, instruction, Place.APPROVALS)
    expires = now + timedelta(seconds=instruction.requirement.expires_seconds)
    merged: Changes = {
        **changes,
        "posted_at": now if seen else None,
        "expires_at": expires if seen else None,
        "due_at": next_look(posted_at=now, expires_at=expires, now=now) if seen else None,
    }
    made = {"remote_id": changes["remote_id"]} if "remote_id" in changes else {}
    moved = tx.instructions.move(instruction, State.AWAITING, now=now, action=action, detail=made, **merged)
    if moved is None:
        return
    show_card(ctx, tx, moved, Place.APPROVALS, now)
    if seen:
        remind(ctx, tx, moved, FIRST, now)


def end(
    ctx: Context,
    tx: Tx,
    instruction: Instruction,
    state: State,
    reason: Reason | None,
    now: datetime,
    *,
    remote_id: str | None = None,
    said: str = "",
) -> None:
    """End a request in a final state that no person chose, and report the reason; then run its kind's ``ended``.

    ``remote_id``: from the record that ended it, where there is one; ``said``: the service's own words, for the audit.
    """
    known = remote_id or instruction.remote_id
    moved = tx.instructions.move(
        instruction,
        state,
        now=now,
        action=state.value,
        detail={"reason": stored(reason), **({"said": said} if said else {})},
        reason=reason,
        decided_by="",
        remote_id=known,
        due_at=now + ctx.quiet.spacing * 60 if _left_unnamed(ctx, instruction, state, known) else None,
    )
    if moved is not None:
        ctx.kinds[moved.kind].ended(ctx, tx, moved, now)
        tell(ctx, tx, moved, now)


def end_mismatch(ctx: Context, tx: Tx, instruction: Instruction, reason: Reason | None, now: datetime) -> None:
    """It is not what was approved, and ends. After an earlier attempt people decide: something may have been paid."""
    if instruction.commits:
        ask_people(ctx, tx, instruction, reason, now)
    else:
        end(ctx, tx, instruction, State.MISMATCH, reason, now)


def _left_unnamed(ctx: Context, instruction: Instruction, state: State, remote_id: str | None) -> bool:
    """Whether a request that ends like this may leave something at the service that has no id to be read by."""
    sent = instruction.creates or instruction.commits
    looked_for = State.REFUSED in ctx.kinds[instruction.kind].steps
    return state is State.REFUSED and remote_id is None and bool(sent) and looked_for


def end_refused(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """The service refused it, and its records agree: nothing was paid, and the reservations are released."""
    for attempt in tx.attempts.of(instruction.id):
        tx.reservations.release(instruction.id, attempt.n)
    end(ctx, tx, instruction, State.REFUSED, instruction.refusal or instruction.reason, now)


def ask_people(
    ctx: Context, tx: Tx, instruction: Instruction, reason: Reason | None, now: datetime, *, suspect: str | None = None
) -> None:
    """Reading cannot settle the outcome: people decide, in a new round of votes.

    ``suspect``: id of a record that may be this request: until people decide, nothing is sent again.
    """
    moved = tx.instructions.move(
        instruction,
        State.NEEDS_HUMAN,
        now=now,
        action="needs_human",
        detail={"reason": stored(reason), "suspect": suspect or ""},
        reason=_for_people(instruction, reason),
        suspect=suspect,
        decided_by="",
        round=instruction.round + 1,
        due_at=now + ctx.quiet.spacing * 60 if instruction.commits else None,
    )
    if moved is not None:
        show_card(ctx, tx, moved, Place.APPROVALS, now)  # approvers may never have seen it before
        tell(ctx, tx, moved, now)


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

"""States of a request with nothing in flight: shown to approvers, decided by people, or ended."""

from datetime import datetime, timedelta

from bot.domain.outcome import tells_words
from bot.domain.payments.instruction import Instruction, State
from bot.domain.reminders import next_look
from bot.workflows.context import SYSTEM, Context
from bot.workflows.requests.announce import Place, is_shown, show_card, tell
from storage.repositories.instructions import Changes
from storage.transaction import Tx


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
    """End a request in a final state that no person chose, and report the reason; then run its kind's ``ended``.

    ``remote_id``: from the record that ended it, where there is one; ``said``: the service's own words, for the audit.
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
        due_at=now + ctx.quiet.spacing * 60 if _left_unnamed(ctx, instruction, state, known) else None,
    )
    if moved is not None:
        ctx.kinds[moved.kind].ended(ctx, tx, moved, now)
        tell(tx, moved, policy=ctx.policy, now=now)


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
    ctx: Context, tx: Tx, instruction: Instruction, reason: str, now: datetime, *, suspect: str | None = None
) -> None:
    """Reading cannot settle the outcome: people decide, in a new round of votes.

    ``suspect``: id of a record that may be this request: until people decide, nothing is sent again.
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
        show_card(tx, moved, Place.APPROVALS, policy=ctx.policy, now=now)  # approvers may never have seen it before
        tell(tx, moved, policy=ctx.policy, now=now)

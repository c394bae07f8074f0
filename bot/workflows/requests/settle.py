"""How a request stands when nothing is under way for it: shown to people, asked of people, or ended."""

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
    """A final state that nobody chose, told with its reason; then what the end of its kind causes.

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
        due_at=now + ctx.quiet.spacing * 60 if _left_unnamed(ctx, instruction, state, known) else None,
    )
    if moved is not None:
        ctx.kinds[moved.kind].ended(ctx, tx, moved, now)
        tell(tx, moved, policy=ctx.policy, now=now)


def _left_unnamed(ctx: Context, instruction: Instruction, state: State, remote_id: str | None) -> bool:
    """Whether what a request leaves behind, when it ends like this, can only be looked for: it has no id."""
    sent = instruction.creates or instruction.commits
    looked_for = State.REFUSED in ctx.kinds[instruction.kind].steps
    return state is State.REFUSED and remote_id is None and bool(sent) and looked_for


def end_refused(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """The service refused it, and what it shows agrees: nothing was paid, and what was held back for it is free."""
    for attempt in tx.attempts.of(instruction.id):
        tx.reservations.release(instruction.id, attempt.n)
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

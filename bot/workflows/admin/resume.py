"""After a restore: payments are unfrozen, and people check at the provider what may have been sent."""

from datetime import datetime
from typing import Final

from bot.domain.bookings.booking import Stage
from bot.domain.payments.instruction import (
    EFFECT_UNDER_WAY,
    MONEY_OUT,
    UNSETTLED,
    Attempt,
    AttemptKind,
    AttemptOutcome,
    Instruction,
    Kind,
    State,
)
from bot.domain.payments.moves import APPROVED, CREATES
from bot.domain.payments.sealed import MAY_BE_SENT, daily_key
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Unit, witness
from bot.workflows.requests.announce import Place, show_card
from bot.workflows.restored import EVERY, RESUMED, WAITS, Restored, announce, unknown_here
from storage.repositories.requests import Changes

OPERATOR = "operator"
"""Actor in audit rows of commands on the command line."""
_ORDER: Final = Reason(OfRequest.RESTORED)

_WITHOUT_LIMIT: Final = 1 << 62


def resume(uow: Unit, found: Restored, *, reason: str) -> list[str]:
    """Unfreeze payments; return the references of requests that people must check at the provider first.

    These are approved requests, requests of unknown outcome, and waiting requests that the anchors show as sent; none
    of them is sent automatically. Other waiting requests keep their state but lose their votes: a withdrawal of a vote
    may have been lost.
    """
    named = (uow.instructions.find(sent.partition(" ")[2]) for sent in found.sent)
    sent = {one.id for one in named if one is not None}
    to_check = []
    for one in uow.instructions.awaiting(UNSETTLED - EFFECT_UNDER_WAY, limit=EVERY):
        if one.created_at > found.since:
            if one.state in WAITS:
                uow.instructions.touch(one, show=True, reason=None, due_at=uow.now)
        elif one.state in WAITS - {State.APPROVED} and one.id not in sent and not _is_being_created(one):
            _ask_again(uow, one, due_at=uow.now)
        else:
            to_check.append(one.reference)
            if one.state is State.NEEDS_HUMAN:
                _ask_again(uow, one, due_at=uow.now if _is_read(one) else None)
            else:
                _hand_over(uow, one)
    for booking in uow.bookings.open(limit=EVERY):
        if booking.stage is Stage.NEW and booking.created_at <= found.since:
            # Treated like a lost answer: looked up by our own id, and never sent again.
            uow.bookings.move(booking, Stage.UNKNOWN, action="unknown", sent_at=uow.now, reason=_ORDER, due_at=uow.now)
    detail = {"reason": reason, "unknown": unknown_here(uow, found), "check": to_check}
    witness(uow, RESUMED, detail, actor=OPERATOR)
    announce(uow, "resumed", {"reason": reason, "check": to_check})
    return to_check


def _is_being_created(one: Instruction) -> bool:
    return one.state is State.NEW and one.kind in CREATES and not one.payload.taken


def _is_read(one: Instruction) -> bool:
    """Return whether the service can be read now; a payout that may have been created is read after the decision."""
    return bool(one.commits) or one.kind is not Kind.PAYOUT


def _ask_again(uow: Unit, one: Instruction, *, due_at: datetime | None) -> None:
    uow.instructions.touch(
        one,
        actor=OPERATOR,
        action="approve_again",
        facts={"reason": _ORDER.stored()},
        show=True,
        reason=_ORDER,
        round=one.round + 1,
        due_at=due_at,
    )


def _hand_over(uow: Unit, one: Instruction) -> None:
    """Let people decide on a request. An unsent one counts as sent, so that a new attempt looks it up first.

    Cancellations are always looked up first.
    """
    kind = AttemptKind.CREATE if _is_being_created(one) else AttemptKind.COMMIT
    counts = one.state in WAITS and one.kind is not Kind.BULK_CANCEL
    n = len(uow.attempts.of(one.id)) + 1
    facts: dict[str, object] = {"reason": _ORDER.stored()}
    changes: Changes = {"suspect": None, "decided_by": "", "exec_deadline": None, "round": one.round + 1}
    if counts:
        facts |= {"attempt": n, "kind": kind.value}
        changes |= {"creates": one.creates + 1} if kind is AttemptKind.CREATE else {"commits": one.commits + 1}
        changes |= {"sent_at": uow.now, "unknown_since": uow.now, "reads": 0, "last_read_at": None}
    moved = uow.instructions.move(
        one,
        State.NEEDS_HUMAN,
        actor=OPERATOR,
        action=MAY_BE_SENT if counts else "needs_human",
        facts=facts,
        reason=_ORDER,
        due_at=uow.now if _is_read(one) or "commits" in changes else None,
        **changes,
    )
    if moved is None:
        return
    if counts:
        uow.attempts.open(
            Attempt(
                instruction_id=one.id, n=n, kind=kind, request_hash=one.digest, claimed_at=one.created_at, boot_at=0.0
            )
        )
        uow.attempts.close(one.id, n, AttemptOutcome.UNKNOWN, str(_ORDER), uow.now)
    if counts and kind is AttemptKind.COMMIT and one.kind in MONEY_OUT:
        day, limit = daily_key(uow.now), _WITHOUT_LIMIT
        uow.reservations.reserve(one.id, n, day=day, cents=one.cents, limit_cents=limit)
    if moved.kind in APPROVED:
        show_card(uow, moved, Place.APPROVALS)  # approvers may never have seen it before

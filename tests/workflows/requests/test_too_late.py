"""Whoever acts on a request as it was before somebody else changed it changes nothing, and notifies nobody."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from bot.domain.approvals import No
from bot.domain.outcome import Unknown
from bot.domain.payments.bulk import BulkProgress
from bot.domain.payments.bulk_records import BulkJob
from bot.domain.payments.instruction import Attempt, AttemptKind, Instruction, Kind, State
from bot.domain.policy import Requirement
from bot.workflows.admin import resume
from bot.workflows.context import Unit
from bot.workflows.payments import bulk, bulk_cancel, payout, purchase
from bot.workflows.requests import announce, attempt, send
from tests.support.reasons import NO_ANSWER, own_words
from tests.support.rig import Rig
from tests.workflows.planted import cancellation, everything_stored, on_one_rig, planted, record, write

Late = tuple[Kind, State, Callable[[Unit, Instruction], Any], Mapping[str, Any]]
P, BUY, MANY, BACK = Kind.PAYOUT, Kind.PURCHASE, Kind.BULK, Kind.BULK_CANCEL
WHY = own_words("why")


def attempted(one: Instruction, now: datetime) -> Attempt:
    return Attempt(instruction_id=one.id, n=1, kind=AttemptKind.COMMIT, request_hash="", claimed_at=now, boot_at=0.0)


LATE: dict[str, Late] = {
    "shown": (P, State.CREATING, lambda u, i: announce.show_approvers(u, i, {}, action="created"), {}),
    "ended": (P, State.AWAITING, lambda u, i: announce.end(u, i, State.EXPIRED, WHY), {}),
    "given to people": (P, State.COMMIT_UNKNOWN, lambda u, i: announce.ask_people(u, i, WHY), {}),
    "lost": (P, State.SENDING, lambda u, i: attempt.lose(u, i, attempted(i, u.now), Unknown(reason=NO_ANSWER)), {}),
    "suspended": (P, State.APPROVED, lambda u, i: send.suspend(u, i, No.GONE), {}),
    "tightened": (P, State.AWAITING, send.tighten, {"requirement": Requirement(quorum=1, expires_seconds=1e9)}),
    "expired": (P, State.APPROVED, send._expire, {}),
    "paid": (P, State.COMMITTED, lambda u, i: payout.apply_record(u, i, record(i, "completed")) or None, {}),
    "restored": (P, State.APPROVED, resume._hand_over, {}),
    "opened": (BUY, State.CREATING, lambda u, i: purchase.opened(u, i, record(i, operation_type="purchase")), {}),
    "submitted": (MANY, State.SENDING, lambda u, i: bulk.submitted(u, i, BulkJob(id="b1", count=1)), {}),
    "canceled": (BACK, State.COMMITTED, lambda u, i: bulk_cancel._finish(u, i, BulkProgress()), {}),
    "canceled in part": (BACK, State.SENDING, bulk_cancel._next_chunk, {}),
}


@on_one_rig(LATE)
async def test_outdated_act_changes_nothing(rig: Rig, name: str) -> None:
    kind, state, act, like = LATE[name]
    payload, items = cancellation("ab", "cd")
    more = {"payload": payload, "items": items} if kind is BACK else {}
    one = await planted(rig, kind, state=state, version=2, **more, **like)
    before = everything_stored(rig)
    outdated = replace(one, version=1)
    assert await write(rig, lambda uow: act(uow, outdated)) is None
    assert everything_stored(rig) == before
    await write(rig, lambda uow: act(uow, one))
    assert everything_stored(rig) != before, "on the newest version it has its effect"

"""Whoever acts on a request as it was before somebody else changed it changes nothing, and tells nobody anything."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from bot.domain.approvals import No, Refusal
from bot.domain.money import Cents
from bot.domain.outcome import Unknown
from bot.domain.payments.bulk import BulkProgress
from bot.domain.payments.bulk_records import BulkJob, BulkRow
from bot.domain.payments.instruction import Attempt, AttemptKind, Instruction, Kind, State
from bot.domain.policy import Requirement
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Unit
from bot.workflows.payments import bulk, bulk_cancel, payout, purchase
from bot.workflows.payments.bulk import Read
from bot.workflows.requests import announce, attempt, decide, look_again, restore, send
from bot.workflows.requests.decide import Decided
from bot.workflows.requests.look_again import Look
from tests.support.reasons import NO_ANSWER, own_words
from tests.support.rig import ADA, MARIA, Rig
from tests.workflows.planted import cancellation, everything_stored, on_one_rig, planted, record, write

HELD = Reason(OfRequest.HELD, no=No.GONE.value, sent_before=False)
Work = Callable[[Unit, Instruction], Any]


class Late(NamedTuple):
    kind: Kind
    state: State
    work: Work
    like: Mapping[str, Any] = MappingProxyType({})


def attempted(one: Instruction, now: datetime) -> Attempt:
    return Attempt(instruction_id=one.id, n=1, kind=AttemptKind.COMMIT, request_hash="", claimed_at=now, boot_at=0.0)


def items(status: str) -> dict[str, Any]:
    return {"items": [BulkRow(row=1, email="ana@example.com", cents=Cents(100), status=status)]}


P, BUY, MANY, BACK = Kind.PAYOUT, Kind.PURCHASE, Kind.BULK, Kind.BULK_CANCEL
READ = Read(BulkJob(id="b1", status="done"))
SOFT = {"requirement": Requirement(quorum=1, expires_seconds=1e9)}
LATE: dict[str, Late] = {
    "shown to the approvers": Late(P, State.CREATING, lambda u, i: announce.show_approvers(u, i, {}, action="created")),
    "ended": Late(P, State.AWAITING, lambda u, i: announce.end(u, i, State.EXPIRED, own_words("too late"))),
    "given to people": Late(P, State.COMMIT_UNKNOWN, lambda u, i: announce.ask_people(u, i, own_words("unclear"))),
    "lost": Late(P, State.SENDING, lambda u, i: attempt.lose(u, i, attempted(i, u.now), Unknown(reason=NO_ANSWER))),
    "suspended": Late(P, State.AWAITING, lambda u, i: send.suspend(u, i, No.GONE)),
    "suspended after its approval": Late(P, State.APPROVED, lambda u, i: send.suspend(u, i, No.GONE)),
    "resumed": Late(P, State.AWAITING, send.resumed, {"reason": HELD}),
    "tightened": Late(P, State.AWAITING, send.tighten, SOFT),
    "not sent in time": Late(P, State.APPROVED, send._expire),
    "looked at later": Late(P, State.COMMIT_UNKNOWN, look_again.later),
    "paid, says the record": Late(
        P, State.COMMITTED, lambda u, i: payout.apply_record(u, i, record(i, "completed")) or None
    ),
    "there before the database was put back": Late(
        P, State.APPROVED, lambda u, i: restore._take_up(u, i, u.now, own_words("it is there"))
    ),
    "opened": Late(BUY, State.CREATING, lambda u, i: purchase.opened(u, i, record(i, operation_type="purchase"))),
    "settled by its buyer": Late(BUY, State.OPEN, lambda u, i: purchase.observe(u, i, record(i, "confirmed")) or None),
    "doubtful": Late(BUY, State.CREATE_UNKNOWN, lambda u, i: purchase._give_up(u, i, Look(doubt=own_words("no list")))),
    "not listed": Late(BUY, State.CREATE_UNKNOWN, lambda u, i: purchase._give_up(u, i, Look())),
    "submitted": Late(MANY, State.SENDING, lambda u, i: bulk.submitted(u, i, BulkJob(id="b1", count=1))),
    "done in bulk": Late(MANY, State.PENDING_ESCROW, lambda u, i: bulk._apply(u, i, READ), items("completed")),
    "gone on in bulk": Late(MANY, State.PENDING_ESCROW, lambda u, i: bulk._apply(u, i, READ), items("pending")),
    "canceled": Late(BACK, State.COMMITTED, lambda u, i: bulk_cancel._finish(u, i, BulkProgress())),
    "canceled in part": Late(BACK, State.SENDING, bulk_cancel._next_chunk),
    "named in full": Late(
        BACK, State.SENDING, lambda u, i: bulk_cancel._all_sent(u, i, BulkProgress()), {"commits": 1}
    ),
}


@on_one_rig(LATE)
async def test_who_comes_too_late_changes_nothing(rig: Rig, name: str) -> None:
    kind, state, work, like = LATE[name]
    payload, items = cancellation("ab", "cd")
    more = {"payload": payload, "items": items} if kind is Kind.BULK_CANCEL else {}
    one = await planted(rig, kind, state=state, version=2, **more, **like)
    before = everything_stored(rig)
    late = replace(one, version=1)
    assert await write(rig, lambda uow: work(uow, late)) is None
    assert everything_stored(rig) == before
    await write(rig, lambda uow: work(uow, one))
    assert everything_stored(rig) != before, "the same as it stands has its effect"


async def test_who_ends_it_too_late_is_told_how_it_stands(rig: Rig) -> None:
    ended = await planted(rig, state=State.REJECTED, version=2, decided_by=ADA)
    late = replace(ended, state=State.AWAITING, version=1, decided_by="")
    said = await write(rig, lambda uow: decide.finish(uow, late, State.WITHDRAWN, MARIA, None))
    assert said == Decided(ended, Refusal.DECIDED)


@on_one_rig([State.NEW, State.CREATING, State.AWAITING, State.APPROVED, State.COMMITTED])
async def test_what_is_no_news_is_told_nowhere(rig: Rig, state: State) -> None:
    one = await planted(rig, state=state)
    before = everything_stored(rig)
    await write(rig, lambda uow: announce.tell(uow, one))
    assert everything_stored(rig) == before

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
from bot.workflows.requests import announce as settle
from bot.workflows.requests import send as suspend
from bot.workflows.requests import send as tighten
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


LATE: dict[str, Late] = {
    "shown to the approvers": Late(
        Kind.PAYOUT, State.CREATING, lambda uow, one: settle.show_approvers(uow, one, {}, action="created")
    ),
    "ended": Late(
        Kind.PAYOUT, State.AWAITING, lambda uow, one: settle.end(uow, one, State.EXPIRED, own_words("too late"))
    ),
    "given to people": Late(
        Kind.PAYOUT, State.COMMIT_UNKNOWN, lambda uow, one: settle.ask_people(uow, one, own_words("unclear"))
    ),
    "lost": Late(
        Kind.PAYOUT,
        State.SENDING,
        lambda uow, one: attempt.lose(uow, one, attempted(one, uow.now), Unknown(reason=NO_ANSWER)),
    ),
    "suspended": Late(Kind.PAYOUT, State.AWAITING, lambda uow, one: suspend.suspend(uow, one, No.GONE)),
    "suspended after its approval": Late(
        Kind.PAYOUT, State.APPROVED, lambda uow, one: suspend.suspend(uow, one, No.GONE)
    ),
    "resumed": Late(Kind.PAYOUT, State.AWAITING, suspend.resumed, {"reason": HELD}),
    "tightened": Late(
        Kind.PAYOUT, State.AWAITING, tighten.tighten, {"requirement": Requirement(quorum=1, expires_seconds=1e9)}
    ),
    "not sent in time": Late(Kind.PAYOUT, State.APPROVED, send._expire),
    "looked at later": Late(Kind.PAYOUT, State.COMMIT_UNKNOWN, look_again.later),
    "paid, says the record": Late(
        Kind.PAYOUT,
        State.COMMITTED,
        lambda uow, one: payout.apply_record(uow, one, record(one, status="completed")) or None,
    ),
    "there before the database was put back": Late(
        Kind.PAYOUT, State.APPROVED, lambda uow, one: restore._take_up(uow, one, uow.now, own_words("it is there"))
    ),
    "opened": Late(
        Kind.PURCHASE,
        State.CREATING,
        lambda uow, one: purchase.opened(uow, one, record(one, operation_type="purchase")),
    ),
    "settled by its buyer": Late(
        Kind.PURCHASE,
        State.OPEN,
        lambda uow, one: purchase.observe(uow, one, record(one, status="confirmed")) or None,
    ),
    "doubtful": Late(
        Kind.PURCHASE,
        State.CREATE_UNKNOWN,
        lambda uow, one: purchase._give_up(uow, one, Look(doubt=own_words("no list"))),
    ),
    "not listed": Late(Kind.PURCHASE, State.CREATE_UNKNOWN, lambda uow, one: purchase._give_up(uow, one, Look())),
    "submitted": Late(Kind.BULK, State.SENDING, lambda uow, one: bulk.submitted(uow, one, BulkJob(id="b1", count=1))),
    "done in bulk": Late(
        Kind.BULK,
        State.PENDING_ESCROW,
        lambda uow, one: bulk._apply(uow, one, Read(BulkJob(id="b1", status="done"))),
        {"items": [BulkRow(row=1, email="ana@example.com", cents=Cents(100), status="completed")]},
    ),
    "gone on in bulk": Late(
        Kind.BULK,
        State.PENDING_ESCROW,
        lambda uow, one: bulk._apply(uow, one, Read(BulkJob(id="b1", status="done"))),
        {"items": [BulkRow(row=1, email="ana@example.com", cents=Cents(100), status="pending")]},
    ),
    "canceled": Late(Kind.BULK_CANCEL, State.COMMITTED, lambda uow, one: bulk_cancel._finish(uow, one, BulkProgress())),
    "canceled in part": Late(Kind.BULK_CANCEL, State.SENDING, bulk_cancel._next_chunk),
    "named in full": Late(
        Kind.BULK_CANCEL,
        State.SENDING,
        lambda uow, one: bulk_cancel._all_sent(uow, one, BulkProgress()),
        {"commits": 1},
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

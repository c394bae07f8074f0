"""Where a request is shown, what is told of it in each state, and in which conversation."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.approvals import Count
from bot.domain.errors import ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.bulk import BulkProgress, Tally
from bot.domain.payments.instruction import Choice, Kind, State, Vote
from bot.domain.payments.operation import Operation
from bot.workflows.context import Unit
from bot.workflows.payments.payout import reread
from bot.workflows.payments.subject import RequestSubject, Sight, _people_in, card_for
from bot.workflows.requests.advance import _put_off
from bot.workflows.requests.announce import Place, news_of, places, show_card, tell
from bot.workflows.requests.decide import _counted
from bot.workflows.requests.reach import approvers
from bot.workflows.requests.request import check_cards
from tests.support.reasons import NO_ANSWER, own_words
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, MONEY, POLICY, TOM, Rig
from tests.workflows.looking import read, there
from tests.workflows.planted import everything_stored, made, on_one_rig, planted, queued, stored, voted, write

WHY, NO = own_words("why"), own_words("no")
THREAD = "1700000000.000001"


def threaded(rig: Rig) -> Any:
    return made(rig, Kind.BULK).payload.model_copy(update={"thread_ts": THREAD})


@on_one_rig(
    [
        (Kind.PAYOUT, {}, (Place.APPROVALS, Place.REQUESTER)),
        (Kind.PURCHASE, {}, (Place.REQUESTER,)),
        (Kind.PAYOUT, {"origin_channel": APPROVALS}, (Place.APPROVALS,)),
        (Kind.PURCHASE, {"origin_channel": APPROVALS}, (Place.REQUESTER,)),
        (Kind.BULK, {"origin_channel": APPROVALS}, (Place.APPROVALS,)),
        (Kind.BULK, {"origin_channel": APPROVALS, "thread": True}, (Place.APPROVALS, Place.REQUESTER)),
    ]
)
async def test_a_request_has_a_card_in_each_of_its_places(
    rig: Rig, kind: Kind, like: dict[str, Any], expected: tuple[Place, ...]
) -> None:
    own = {"payload": threaded(rig)} if like.pop("thread", False) else {}
    assert places(rig.switchboard.context, made(rig, kind, **like, **own)) == expected


@on_one_rig(
    [
        (Place.REQUESTER, True, (FINANCE, THREAD, MARIA)),
        (Place.REQUESTER, False, (FINANCE, None, MARIA)),
        (Place.APPROVALS, True, (APPROVALS, None, "")),
    ]
)
async def test_the_requesters_card_is_theirs_and_in_the_thread_of_their_file(
    rig: Rig, place: Place, thread: bool, board: tuple[str, str | None, str]
) -> None:
    one = await planted(rig, Kind.BULK, **({"payload": threaded(rig)} if thread else {}))
    await write(rig, lambda uow: show_card(uow, one, place))
    found = there(await read(rig, lambda tx: tx.boards.get(f"request:{one.id}:{place}")))
    assert (found.channel, found.thread_ts, found.requester, found.instruction_id) == (*board, one.id)


NEWS = ["news:requester:{}:1"]


@on_one_rig([
    *((state, {"posted_at": True}, NEWS) for state in (
        State.COMPLETED, State.CANCELED, State.FAILED, State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.REFUSED,
        State.CLOSED, State.PENDING_ESCROW, State.COMMIT_UNKNOWN)),
    (State.NEEDS_HUMAN, {"posted_at": True}, ["alert:{}:1"]),
    (State.MISMATCH, {"posted_at": True}, [*NEWS, "alert:{}:1"]),
    (State.WITHDRAWN, {"by": MARIA}, []), (State.MISMATCH, {}, [*NEWS, "alert:{}:1"]),
])  # fmt: skip
async def test_each_state_is_told_once_where_it_was_requested_and_nobody_what_they_did(
    rig: Rig, state: State, like: dict[str, Any], keys: list[str]
) -> None:
    posted = rig.clock.now() if like.get("posted_at") else None
    one = await planted(rig, state=state, posted_at=posted, decided_by=like.get("by", ""))
    await write(rig, lambda uow: tell(uow, one))
    assert await queued(rig, one) == [key.format(state) for key in keys]


async def test_the_news_hold_what_was_true_then(rig: Rig) -> None:
    now = rig.clock.now()
    progress = BulkProgress(tally=Tally(counts={"failed": 1}, sums={"failed": 100}))
    one = await planted(
        rig, Kind.BULK, state=State.FAILED, reason=WHY, refusal=NO, decided_by=ADA, svc_hash="5f4d",
        progress=progress, posted_at=now, round=2,
    )  # fmt: skip
    await voted(rig, one, LIN, round=1)
    await voted(rig, one, ADA)
    await write(rig, lambda uow: tell(uow, one))
    row = there(await read(rig, lambda tx: tx.outbox.by_key(f"news:{one.id}:requester:failed:2")))
    assert row.payload == {
        "line": "news",
        "state": "failed",
        "reason": WHY.stored(),
        "refusal": NO.stored(),
        "decided_by": ADA,
        "voters": [ADA],
        "svc_hash": "5f4d",
        "tally": {"counts": {"failed": 1}, "sums": {"failed": 100}},
    }
    assert (row.channel, row.urgent, row.instruction_id) == (FINANCE, True, one.id)


async def posted_elsewhere(rig: Rig, kind: Kind) -> str | None:
    """Where news of such a request go that could not be posted; None: nowhere."""
    one = await planted(rig, kind)
    key = f"news:{one.id}:{Place.REQUESTER}:x"

    def given_up(uow: Unit) -> None:
        news_of(uow, one, Place.REQUESTER, "x")
        row = there(uow.outbox.by_key(key))
        assert RequestSubject().given_up(uow, row, WHY)

    await rig.switchboard.context.write(given_up)
    assert f"alert:undelivered:{Place.REQUESTER}" in await queued(rig, one)
    row = await read(rig, lambda tx: tx.outbox.by_key(f"{key}:elsewhere"))
    return row.channel if row is not None else None


async def test_news_that_could_not_be_posted_go_to_the_payments_channel(rig: Rig) -> None:
    assert await posted_elsewhere(rig, Kind.PAYOUT) == MONEY


@pytest.mark.rig(policy=POLICY.replace('payments = "C0MONEY"', 'payments = "C0APPROVE"'))
async def test_news_go_nowhere_else_where_that_channel_has_the_card(rig: Rig) -> None:
    assert await posted_elsewhere(rig, Kind.PAYOUT) is None
    assert await posted_elsewhere(rig, Kind.PURCHASE) == APPROVALS


@on_one_rig(
    [
        ({}, [MARIA, ""]),
        ({"decided_by": ADA, "voters": [LIN, TOM]}, [MARIA, ADA, LIN, TOM]),
        ({"decided_by": None, "voters": None}, [MARIA, ""]),
        ({"voters": "U0ADA"}, [MARIA, ""]),
    ]
)
async def test_a_message_names_who_asked_who_decided_and_who_voted(
    rig: Rig, payload: dict[str, object], people: list[str]
) -> None:
    assert _people_in(made(rig), payload) == people


@on_one_rig([("D0OTHER", False), ("C0RANDOM", True), ("same", False)])
async def test_a_card_that_only_its_requester_got_asks_to_invite_the_bot(rig: Rig, origin: str, hint: bool) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, origin_channel="D0MARIA" if origin == "same" else origin)
    await write(rig, lambda uow: show_card(uow, one, Place.REQUESTER))
    board = there(await read(rig, lambda tx: tx.boards.get(f"request:{one.id}:requester")))
    sight = Sight(instruction=one, votes=[], place=Place.REQUESTER, board=replace(board, channel="D0MARIA"))
    assert ("invite" in str((await card_for(ctx, sight)).blocks).casefold()) is hint


@on_one_rig([(None, 3), (1, 1), (2, 2), (3, 3), (9, 3)])
async def test_no_more_approvers_are_read_than_are_needed(rig: Rig, most: int | None, count: int) -> None:
    ctx = rig.switchboard.context
    found = await approvers(ctx.policy, ctx.people, home=ctx.home, most=most)
    assert len(found) == count
    assert {one.person.id for one in found if one.person} <= {ADA, LIN, TOM}


async def test_cards_are_checked_at_once_and_only_of_what_is_open(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    woken: list[bool] = []
    ctx = replace(ctx, wake=lambda: woken.append(True))
    for one, wakes in ((await planted(rig, state=State.CLOSED, closed_at=now), 0), (await planted(rig), 1)):
        await ctx.store.write(lambda tx, which=one: show_card(Unit(tx, ctx, now=now), which, Place.APPROVALS))  # type: ignore[misc]
        before = everything_stored(rig)
        await check_cards(ctx, one)
        assert (len(woken), everything_stored(rig) != before) == (wakes, bool(wakes))


async def test_a_vote_on_what_somebody_else_has_just_changed_shows_it_as_it_was(rig: Rig) -> None:
    now = rig.clock.now()
    one = await planted(rig, version=2)
    late = replace(one, version=1)
    cast = Vote(instruction_id=one.id, round=1, person=ADA, choice=Choice.APPROVE, at=now)
    none = Count(frozenset(), {})
    said = await write(rig, lambda uow: _counted(uow, late, cast, none))
    assert (said.instruction, said.voices) == (late, 0)


async def test_who_was_overtaken_alarms_nobody(rig: Rig) -> None:
    one = await planted(rig, version=2)
    before = everything_stored(rig)
    await _put_off(rig.switchboard.context, replace(one, version=1), wait=None, reason=own_words("the key is wrong"))
    assert everything_stored(rig) == before
    await _put_off(rig.switchboard.context, one, wait=None, reason=None)
    assert await queued(rig, one) == []
    assert (await stored(rig, one)).puts_off == 1


REFUSED = NotExecuted(reason=own_words("no money"), again=False)


@pytest.mark.parametrize(("outcome", "status", "differs", "kept"), [
    (REFUSED, "created", {}, "refused"), (REFUSED, "completed", {}, "done"), (REFUSED, "odd", {}, "doubted"),
    (REFUSED, "created", {"cents": Cents(1)}, "doubted"), (REFUSED, None, {}, "doubted"),
    (Unknown(reason=NO_ANSWER), "completed", {}, "unknown"),
])  # fmt: skip
async def test_a_refusal_counts_when_the_record_agrees(
    rig: Rig, outcome: Any, status: str | None, differs: dict[str, Any], kept: str
) -> None:
    one = made(rig, state=State.SENDING)
    found = Operation(
        **{"id": one.remote_id, "status": status or "", "code": one.code, "cents": Cents(one.cents), **differs}
    )

    class Service:
        async def get_operation(self, remote: str) -> Operation:
            assert remote == one.remote_id
            if status is None:
                raise ServiceNow("payments", NO_ANSWER)
            return found

    payments: Any = Service()
    after = await reread(payments, one, outcome)
    if kept in ("refused", "unknown"):
        assert after is outcome
    elif kept == "done":
        assert after == Done(value=found)
    else:
        assert isinstance(after, Unknown)
        assert after.refusal == own_words("no money")

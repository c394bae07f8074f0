"""A payout made elsewhere that is only created: shown, taken in with one button, approved as any other, paid once."""

import asyncio
import sqlite3
from contextlib import closing

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.workflows.context import Context
from bot.workflows.payments.take_in import Refused
from bot.workflows.payments.take_in import take_in as ask_to_commit
from tests.support.answers import ask
from tests.support.elsewhere import made, press, take_in
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, MARIA, OLGA, TOM, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import actions, asked, disagreements, newest, requests, state


async def test_it_is_shown_taken_in_approved_and_committed_once(rig: Rig) -> None:
    record = made(rig)
    told = await ask(rig, f"show {record.id}")
    [taking] = next(block["elements"] for block in told.blocks if block["type"] == "actions")
    assert (taking["text"]["text"], taking["confirm"]["text"]["text"]) == snapshot(
        (
            "Import payout",
            """$25.00 to \
ana@example.com. It was made elsewhere. Nothing is paid until it's approved here.""",
        )
    )
    said = await press(rig, told)
    assert shown(said.text) == snapshot(":memo: Request sent: $25.00 to ana@example.com. Needs 1 approval · P-······")
    found = await newest(rig)
    assert (found.kind, found.state, found.requester, found.remote_id) == (
        Kind.PAYOUT,
        State.AWAITING,
        MARIA,
        record.id,
    )
    card = await rig.card()
    assert shown(card.text.replace(record.id, "the id")) == snapshot("""\
Approve $25.00 to Ana Maria Lopez (ana@example.com)? Invoice 7, requested by Maria Silva (maria) · verified · Ecuador \
· \
code `PO-7` · created outside Switchboard as `the id` · P-······. 0 of 1 approvals · expires \
<!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. <!subteam^S0TREASURY>""")
    assert "created outside Switchboard" in card.plain
    assert record.status == "created", "nothing leaves before people approve it"
    await rig.press("approve", user=MARIA)
    assert asked(rig, "commit_payout") == 0, "who pressed is the requester"
    await rig.press("approve")
    await rig.payments.advance()
    await rig.pass_time(120, steps=2)
    assert rig.paid == [("ana@example.com", 2_500)]
    assert (await state(rig), asked(rig, "commit_payout"), asked(rig, "create_payout")) == (State.COMPLETED, 1, 0)
    assert await actions(rig) == ["requested", "taken_in", "approve", "send", "observed", "observed"]
    assert await disagreements(rig) == ()
    assert "*Paid*" in rig.news(FINANCE)[-1].text
    told = await ask(rig, f"show {record.id}")
    assert found.reference in told.text
    assert not told.buttons


async def test_pressed_by_two_it_is_asked_for_once_and_after_a_rejection_again(rig: Rig) -> None:
    record = made(rig)
    first = [await ask(rig, f"show {record.id}", user=user) for user in (MARIA, TOM)]
    await press(rig, first[0])
    again = await press(rig, first[1], user=TOM)
    [only] = await requests(rig)
    assert shown(again.text) == snapshot("""\
:information_source: This payout was already requested as P-······: $25.00 to Ana Maria Lopez, *waiting for \
approval*.""")
    await rig.press("reject")
    await rig.submit(ADA, {"reason": "Wrong invoice"})
    told = await ask(rig, f"show {record.id}", user=TOM)
    assert [one.text for one in told.buttons] == ["Import again"]
    await press(rig, told, user=TOM)
    second = await newest(rig)
    assert (second.id != only.id, second.requester, second.state) == (True, TOM, State.AWAITING)
    await press(rig, told, user=TOM)
    assert len(await requests(rig)) == 2
    await rig.press("approve")
    assert rig.paid == [("ana@example.com", 2_500)]


@pytest.mark.rig(on="both", clock=None)
@pytest.mark.both_databases
async def test_pressed_at_the_same_moment_in_two_processes_it_is_one_request(rig: Rig) -> None:
    processes = [rig.switchboard.context]
    if rig.settings.database_url.startswith("postgresql"):
        processes.append((await rig.start_another("another")).context)
    record = made(rig)

    async def pressed(ctx: Context, user: str) -> bool:
        found = await ask_to_commit(ctx, ctx.payments.required(), record.id, requester=user, channel=FINANCE)
        assert not isinstance(found, Refused)
        return found[1]

    new = await asyncio.gather(*(pressed(ctx, user) for ctx in processes for user in (MARIA, TOM, MARIA)))
    assert (sum(new), len(await requests(rig))) == (1, 1)
    await rig.workspace.until(lambda: len(rig.cards(APPROVALS)) or None)


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "completed"),
        ({"description": "x" * 501}, ""),
        ({"email": "ana@exämple.com"}, ""),
        ({"cents": 100_000_000}, ""),
    ],
)
async def test_what_people_could_not_decide_on_is_not_taken_in(
    rig: Rig, changes: dict[str, object], status: str
) -> None:
    record = made(rig, **changes)
    told = await ask(rig, f"show {record.id}") if status else None
    if status:
        await rig.payments.settle(record.id, status, force=True)
    offered = told or await ask(rig, f"show {record.id}")
    said = await press(rig, offered) if offered.buttons else None
    assert await requests(rig) == []
    assert said is None or "can't be imported" in said.text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cents": 2_501}, "amount"),
        ({"email": "eve@example.com"}, "recipient"),
        ({"email": ""}, "recipient"),
        ({"description": "Invoice 8"}, "description"),
        ({"code": None}, "code"),
        ({"code": "PO-8"}, "code"),
        ({"status": "completed"}, "although we sent nothing"),
        ({"failure_uri": "https://before.example/callbacks/payments/secret"}, "made with Switchboard"),
    ],
    ids=str,
)
async def test_what_changed_there_before_the_commit_ends_it(rig: Rig, change: dict[str, object], says: str) -> None:
    record = made(rig)
    await take_in(rig, record)
    for name, value in change.items():
        setattr(record, name, value)
    await rig.press("approve")
    found = await newest(rig)
    assert (found.state, asked(rig, "commit_payout"), rig.paid) == (State.MISMATCH, 0, [])
    assert says in (await rig.card()).text


async def test_an_address_without_an_account_is_asked_about_first(rig: Rig) -> None:
    await take_in(rig, made(rig, email="nobody@example.com", code=None))
    assert await state(rig) is State.NEW
    assert [one.text for one in (await rig.card(FINANCE)).buttons] == ["Send anyway", "Withdraw"]
    await rig.press("send_anyway", user=MARIA, channel=FINANCE)
    assert await state(rig) is State.AWAITING


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.LOST])
async def test_a_lost_answer_is_read_never_sent_again(rig: Rig, kind: FaultKind) -> None:
    await take_in(rig, made(rig))
    rig.payments.faults.arm(Fault(kind, operation="commit_payout"))
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.payments.advance()
    await rig.pass_time(7_200, steps=40)
    done = kind is not FaultKind.LOST
    assert (await state(rig), asked(rig, "commit_payout")) == (State.COMPLETED if done else State.NEEDS_HUMAN, 1)
    assert len(rig.paid) == done


async def test_a_forged_row_is_held(rig: Rig) -> None:
    record, other = made(rig), made(rig, cents=9_900, code="PO-9")
    await take_in(rig, record)
    await rig.press("approve", user=MARIA)  # counts for nothing
    with closing(sqlite3.connect(rig.settings.database_url.partition("///")[2])) as db, db:
        db.execute("UPDATE instruction SET remote_id = ?", [other.id])
    await rig.press("approve", force=True)
    await rig.pass_time(600, steps=3)
    assert (rig.paid, asked(rig, "commit_payout")) == ([], 0)


@pytest.mark.parametrize("user", [ADA, OLGA, ZOE, GUS, EVE])
async def test_only_who_may_ask_for_payments_takes_it_in(rig: Rig, user: str) -> None:
    record = made(rig)
    told = await ask(rig, f"show {record.id}", user=MARIA)
    await rig.workspace.click(user, FINANCE, told.ts, "payout.take_in", force=True)
    await rig.settle()
    assert await requests(rig) == []


async def test_a_payout_of_ours_whose_answer_was_lost_is_not_taken_in(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, operation="create_payout"))
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="list_operations", times=None))
    await rig.pay()
    ours, [record] = await newest(rig), rig.payments.operations.values()
    assert (ours.remote_id, record.code) == (None, ours.code)
    ctx = rig.switchboard.context
    assert ctx.payments.client is not None
    found = await ask_to_commit(ctx, ctx.payments.client, record.id, requester=TOM, channel=FINANCE)
    assert found == (ours, False)
    assert len(await requests(rig)) == 1

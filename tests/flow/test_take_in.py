"""A payout made elsewhere that is only created: shown, taken in with one button, approved as any other, paid once."""

import asyncio

import pytest

from bot.domain.payments.instruction import Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.workflows.context import Context
from bot.workflows.payments.take_in import Refused
from bot.workflows.payments.take_in import take_in as ask_to_commit
from tests.support.answers import ask
from tests.support.elsewhere import made, press, take_in
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, MARIA, OLGA, TOM, ZOE, Rig
from tests.support.rows import change_rows
from tests.workflows.looking import actions, asked, disagreements, newest, requests, state


async def test_external_payout_is_shown_imported_approved_and_committed_once(rig: Rig) -> None:
    record = made(rig)
    told = await ask(rig, f"show {record.id}")
    [taking] = next(block["elements"] for block in told.blocks if block["type"] == "actions")
    assert "Nothing is paid until it's approved here." in taking["confirm"]["text"]["text"]
    said = await press(rig, told)
    assert "Request sent: $25.00 to ana@example.com." in said.text
    found = await newest(rig)
    assert (found.kind, found.state, found.requester) == (Kind.PAYOUT, State.AWAITING, MARIA)
    assert found.remote_id == record.id
    card = await rig.card()
    assert f"code `PO-7` · created outside Switchboard as `{record.id}`" in card.text
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


async def test_import_by_two_people_is_one_request_until_rejected(rig: Rig) -> None:
    record = made(rig)
    first = [await ask(rig, f"show {record.id}", user=user) for user in (MARIA, TOM)]
    await press(rig, first[0])
    again = await press(rig, first[1], user=TOM)
    [only] = await requests(rig)
    assert "already requested" in again.text
    await rig.reject("Wrong invoice")
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


@pytest.mark.parametrize("changes", [{"description": "x" * 501}, {"email": "ana@exämple.com"}, {"cents": 100_000_000}])
async def test_payout_that_people_could_not_decide_on_is_not_imported(rig: Rig, changes: dict[str, object]) -> None:
    told = await ask(rig, f"show {made(rig, **changes).id}")
    assert not told.buttons or "can't be imported" in (await press(rig, told)).text
    assert await requests(rig) == []


async def test_payout_that_was_paid_meanwhile_is_not_imported(rig: Rig) -> None:
    record = made(rig)
    told = await ask(rig, f"show {record.id}")
    await rig.payments.settle(record.id, "completed", force=True)
    assert "can't be imported" in (await press(rig, told)).text
    assert await requests(rig) == []


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
async def test_external_change_before_commit_ends_the_import(rig: Rig, change: dict[str, object], says: str) -> None:
    record = made(rig)
    await take_in(rig, record)
    for name, value in change.items():
        setattr(record, name, value)
    await rig.press("approve")
    found = await newest(rig)
    assert (found.state, asked(rig, "commit_payout"), rig.paid) == (State.MISMATCH, 0, [])
    assert says in (await rig.card()).text


async def test_address_without_account_needs_confirmation(rig: Rig) -> None:
    await take_in(rig, made(rig, email="nobody@example.com", code=None))
    assert await state(rig) is State.NEW
    assert [one.text for one in (await rig.card(FINANCE)).buttons] == ["Send anyway", "Withdraw"]
    await rig.press("send_anyway", user=MARIA, channel=FINANCE)
    assert await state(rig) is State.AWAITING


async def test_forged_row_is_held(rig: Rig) -> None:
    record, other = made(rig), made(rig, cents=9_900, code="PO-9")
    await take_in(rig, record)
    await rig.press("approve", user=MARIA)  # counts for nothing
    change_rows(rig, f"UPDATE instruction SET remote_id = '{other.id}'")  # noqa: S608
    await rig.press("approve", force=True)
    await rig.pass_time(600, steps=3)
    assert (rig.paid, asked(rig, "commit_payout")) == ([], 0)


@pytest.mark.parametrize("user", [ADA, OLGA, ZOE, GUS, EVE])
async def test_only_requesters_import_payouts(rig: Rig, user: str) -> None:
    record = made(rig)
    told = await ask(rig, f"show {record.id}", user=MARIA)
    await rig.click(told, "payout.take_in", user=user, force=True)
    assert await requests(rig) == []


async def test_own_payout_with_lost_answer_is_not_imported(rig: Rig) -> None:
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

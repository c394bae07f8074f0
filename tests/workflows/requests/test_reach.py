"""A quorum that nobody can reach is refused at once; when people leave later, it is told once for each change."""

import pytest

from bot.cli import doctor
from bot.domain.payments.instruction import Kind, PayoutPayload, State
from bot.playground.faults import Fault, FaultKind
from bot.workflows.requests.request import Requested, request
from tests.support.bulk import ask as ask_for_many
from tests.support.clock import MINUTE
from tests.support.rig import ADA, ALERTS, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, POLICY, TOM, ZOE, Rig
from tests.workflows.looking import newest, requests, state

THREE = POLICY.replace("quorum = 2\ntyped_amount = true", "quorum = 3")
BIG = "send ana@example.com 1500.00 rent"

pytestmark = pytest.mark.rig(policy=THREE)


def told(rig: Rig, channel: str = FINANCE) -> list[str]:
    return [
        one.text for one in rig.workspace.messages(channel) if one.thread_ts not in ("", one.ts) and _says(one.text)
    ]


def alerts(rig: Rig) -> list[str]:
    return [one.text for one in rig.workspace.messages(ALERTS) if _says(one.text)]


def _says(text: str) -> bool:
    return "can approve it" in text


def big(source: str) -> Requested:
    payload = PayoutPayload(email="ana@example.com", cents=150_000, description="rent")
    return Requested(requester=MARIA, channel=FINANCE, kind=Kind.PAYOUT, payload=payload, source_key=source)


async def ask_and_lose(rig: Rig, left: list[str], text: str = BIG) -> None:
    """Request something, after which only these people are approvers."""
    await rig.pay(text)
    rig.workspace.set_group("S0TREASURY", left)
    await rig.pass_time(2 * MINUTE)


async def test_too_few_approvers_are_reported_once(rig: Rig) -> None:
    await ask_and_lose(rig, [ADA, LIN, GUS, EVE])
    assert "it needs 3 approvals, and only 2 people can approve it. The admins know." in told(rig)[0]
    assert "<@U0OLGA> Add an approver, or withdraw it." in alerts(rig)[0]
    for channel in (FINANCE, APPROVALS):
        assert "It needs 3 approvals, and only 2 people can approve it." in (await rig.card(channel)).text
    await rig.start_again()
    await rig.pass_time(3_600, steps=10)
    assert (len(told(rig)), len(alerts(rig))) == (1, 1)
    store, reference = rig.switchboard.context.store, (await newest(rig)).reference
    [finding] = await store.read(lambda tx: list(doctor.out_of_reach(tx)))
    assert (finding.level, finding.what.partition(":")[0]) == (doctor.Level.WARNING, reference)
    rig.workspace.set_group("S0TREASURY", [ADA, LIN, TOM])
    await rig.pass_time(2 * MINUTE)
    assert await store.read(lambda tx: list(doctor.out_of_reach(tx))) == []


@pytest.mark.parametrize(
    ("text", "user", "others"),
    [
        (BIG, MARIA, [ADA, LIN, GUS, EVE]),
        (BIG.replace("send", "now"), MARIA, [ADA, LIN]),
        (BIG, TOM, [ADA, LIN, TOM]),  # who asks is not counted
        (BIG.replace("ana", "lin"), MARIA, [ADA, LIN, TOM]),  # nor who is paid
        ("send ana@example.com 25.00 rent", MARIA, []),
    ],
)
async def test_request_that_cannot_be_approved_is_refused(rig: Rig, text: str, user: str, others: list[str]) -> None:
    rig.workspace.set_user(LIN, email="lin@example.com")
    rig.add_payees("lin@example.com")
    rig.workspace.set_group("S0TREASURY", others)
    ack = await rig.pay(text, user=user)
    can = "only 2 people can" if others else "no one can"
    needs = "3 approvals" if others else "1 approval"
    assert rig.workspace.ephemerals(user)[-1].text == (
        f":no_entry_sign: Not requested: it needs {needs}, and {can} approve it; ask an admin to add an approver."
    )
    assert ack.seconds < 3
    assert (await requests(rig), rig.cards(), rig.cards(FINANCE), alerts(rig)) == ([], [], [], [])
    rig.workspace.set_group("S0TREASURY", [ADA, LIN, TOM, ZOE])
    await rig.pass_time(6)
    await rig.pay(text, user=user)
    assert await state(rig) is State.AWAITING, "an approver who was added counts in a moment"


@pytest.mark.parametrize("change", [{"deleted": True}, {"restricted": True}, {"bot": True}])
async def test_departed_approver_is_reported_once(rig: Rig, change: dict[str, bool]) -> None:
    await rig.pay(BIG)
    assert told(rig) == []
    rig.workspace.set_user(TOM, **change)
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (len(told(rig)), len(alerts(rig))) == (1, 1)
    assert "only 2 people" in told(rig)[0]
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    rig.workspace.set_group("S0TREASURY", [ADA])
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (len(told(rig)), len(alerts(rig))) == (1, 1)
    assert "can approve it" not in (await rig.card()).text


@pytest.mark.parametrize("kind", [FaultKind.ERROR_500, FaultKind.LOST])
async def test_unreadable_groups_block_nothing_and_are_counted_later(rig: Rig, kind: FaultKind) -> None:
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    await rig.pay("send ana@example.com 25.00 rent")
    ctx = rig.switchboard.context
    rig.workspace.faults.arm(Fault(kind, "usergroups.list", times=None))
    rig.workspace.faults.arm(Fault(kind, "usergroups.users.list", times=None))
    rig.workspace.faults.arm(Fault(kind, "users.info", times=None))
    await rig.pass_time(2 * MINUTE)  # nothing is remembered of anybody
    await request(ctx, big("later"))
    await rig.settle()
    assert told(rig) == []
    assert (await newest(rig)).source_key == "later"
    rig.workspace.faults.clear()
    await rig.pass_time(11)
    assert len(told(rig)) == len(alerts(rig)) == 1
    assert await state(rig) is State.AWAITING


async def test_approver_leaving_again_is_reported_again(rig: Rig) -> None:
    await rig.pay(BIG)
    for count, users in ((1, [ADA, LIN]), (1, [ADA, LIN, TOM]), (2, [ADA, LIN]), (3, [ADA])):
        rig.workspace.set_group("S0TREASURY", users)
        await rig.pass_time(2 * MINUTE, steps=4)
        assert len(told(rig)) == len(alerts(rig)) == count
        assert ("can approve it" in (await rig.card()).text) is (len(users) < 3)


async def test_bulk_payment_that_cannot_be_approved_is_refused(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    await ask_for_many(rig, "ana@example.com,1500.00,rent")
    assert _says(rig.form(MARIA).plain)
    assert await requests(rig) == []

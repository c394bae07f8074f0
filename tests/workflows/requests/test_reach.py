"""A quorum that nobody can reach is refused at once; when people leave later, it is told once for each change."""

import pytest
from inline_snapshot import snapshot

from bot.cli import doctor
from bot.domain.payments.instruction import Kind, PayoutPayload, State
from bot.playground.faults import Fault, FaultKind
from bot.workflows.requests.request import Requested, request
from tests.support.bulk import ask as ask_for_many
from tests.support.clock import MINUTE
from tests.support.rig import ADA, ALERTS, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, POLICY, TOM, ZOE, Rig
from tests.support.shown import shown
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


async def test_the_requester_and_the_admins_hear_when_too_few_are_left(rig: Rig) -> None:
    await ask_and_lose(rig, [ADA, LIN, GUS, EVE])
    assert shown(told(rig)[0]) == snapshot("""\
:warning: <@U0MARIA> $1,500.00 to Ana Maria Lopez (P-······): it needs 3 approvals, and only 2 people can approve it. \
The admins know. You can withdraw it.""")
    assert shown(alerts(rig)[0]) == snapshot("""\
:rotating_light: *P-······* ($1,500.00 to Ana Maria Lopez (ana@example.com), requested by Maria Silva) can't be \
approved: there are too few approvers.
It needs 3 approvals, and only 2 people can approve it.
Look for `······`. <http://127.0.0.1/archives/C0APPROVE/p······|Open the card>
<@U0OLGA> Add an approver, or withdraw it.\
""")
    for channel in (FINANCE, APPROVALS):
        assert "It needs 3 approvals, and only 2 people can approve it." in (await rig.card(channel)).text
    await rig.pass_time(3_600, steps=10)
    assert (len(told(rig)), len(alerts(rig))) == (1, 1)


async def test_doctor_names_it_until_it_can_be_approved(rig: Rig) -> None:
    await ask_and_lose(rig, [ADA, LIN])
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


async def test_file_and_second_attempt_that_cannot_be_approved_are_refused(rig: Rig) -> None:
    await rig.pay(BIG)
    await rig.press("reject", confirm=False)
    await rig.submit(ADA, {"reason": "too early"})
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    await rig.pass_time(MINUTE)
    again = next(one for one in rig.news(FINANCE) if one.buttons)
    await rig.workspace.click(MARIA, FINANCE, again.ts, "payout.resend")
    await rig.submit(MARIA, {})
    assert _says(rig.form(MARIA).plain)
    await rig.workspace.close(MARIA)
    await ask_for_many(rig, "ana@example.com,1500.00,rent")
    assert _says(rig.form(MARIA).plain)
    assert len(await requests(rig)) == 1


@pytest.mark.parametrize("change", [{}, {"deleted": True}, {"restricted": True}, {"bot": True}])
async def test_when_somebody_goes_it_is_told_once_for_each_change(rig: Rig, change: dict[str, bool]) -> None:
    await rig.pay(BIG)
    assert told(rig) == []
    if change:
        rig.workspace.set_user(TOM, **change)
    else:
        rig.workspace.set_group("S0TREASURY", [ADA, LIN, GUS, EVE])
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (len(told(rig)), len(alerts(rig))) == (1, 1)
    assert "only 2 people" in told(rig)[0]
    rig.workspace.set_group("S0TREASURY", [ADA])
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (len(told(rig)), len(alerts(rig))) == (2, 2)
    assert "only 1 person can" in told(rig)[1]


async def test_who_comes_back_and_leaves_again_is_told_again(rig: Rig) -> None:
    await rig.pay(BIG)
    for count, users in ((1, [ADA, LIN]), (1, [ADA, LIN, TOM]), (2, [ADA, LIN])):
        rig.workspace.set_group("S0TREASURY", users)
        await rig.pass_time(2 * MINUTE, steps=4)
        assert len(told(rig)) == len(alerts(rig)) == count
        assert ("can approve it" in (await rig.card()).text) is (len(users) == 2)


@pytest.mark.parametrize("kind", [FaultKind.ERROR_500, FaultKind.LOST])
async def test_slack_that_does_not_say_blocks_nothing_and_it_is_counted_later(rig: Rig, kind: FaultKind) -> None:
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


async def test_slow_slack_delays_the_count_and_not_the_answer(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    rig.switchboard.context.counting.timeout = 0.5  # in production two seconds
    rig.workspace.faults.arm(Fault(FaultKind.SLOW, "users.info", skip=1, times=None, seconds=30))  # after the requester
    ack = await rig.pay(BIG)
    assert ack.seconds < 3
    assert (await state(rig), alerts(rig)) == (State.AWAITING, [])
    rig.workspace.faults.clear()
    await rig.switchboard.context.counting.close()  # what hangs
    await rig.pass_time(11)
    assert len(alerts(rig)) == 1


async def test_a_restart_tells_nothing_again(rig: Rig) -> None:
    await ask_and_lose(rig, [ADA, LIN])
    await rig.start_again()
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (len(told(rig)), len(alerts(rig))) == (1, 1)


async def test_what_is_over_is_not_counted_any_more(rig: Rig) -> None:
    await ask_and_lose(rig, [ADA, LIN])
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    rig.workspace.set_group("S0TREASURY", [ADA])
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (len(told(rig)), len(alerts(rig))) == (1, 1)
    assert "can approve it" not in (await rig.card()).text

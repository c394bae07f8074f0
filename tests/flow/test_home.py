"""The App Home is the place to work: each person sees and presses their own, and it is drawn again when it changes."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.home import BACK, ON, REFRESH
from tests.domain.made import instruction
from tests.support import deliveries
from tests.support.homes import calls, home_of, lines, opened, press
from tests.support.rig import ADA, EVE, FINANCE, GUS, LIN, MARIA, OLGA, TOM, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest, requests

PAYOUT, BULK, BOOK, EMAILS, LOCALIZE, FREEZE, UNFREEZE = (f"home.start.{number}" for number in range(7))


async def test_empty_home_says_what_to_do(rig: Rig) -> None:
    assert await opened(rig, MARIA) == snapshot("""\
[New payout] [Pay in bulk] [Check e-mails] [Localize] [Refresh]
Welcome to Switchboard
1. *Pay someone*: press *New payout*. It is sent once it's approved.
2. *Pay many*: drop a CSV file into a channel I'm in, and choose *Pay in bulk*.
3. *Check e-mail addresses*: press *Check e-mails*, or drop a file with them.

Updated 2026-11-20 09:00 UTC\
""")
    assert await opened(rig, ZOE) == snapshot("""\
[Check e-mails] [Localize] [Refresh]
Welcome to Switchboard
1. *Check e-mail addresses*: press *Check e-mails*, or drop a file with them.
2. *Translate, transcribe, convert*: drop a file or press *Localize*.

Updated 2026-11-20 09:00 UTC\
""")


async def test_home_shows_the_side_of_requester_and_approver(rig: Rig) -> None:
    await rig.pay("send ana@example.com 25.00 Rent", user=TOM)
    await rig.pay("send kim@example.com 1500.00 A laptop", user=TOM)
    assert await opened(rig, ADA) == snapshot("""\
[Check e-mails] [Localize] [Refresh]
1 needs you
*$25.00 to Ana Maria Lopez (ana@example.com)*
Rent · <@U0TOM>
0 of 1 approved · expires 2026-11-21 09:00 UTC · P-······
[Approve] [Reject] [Open]

[Freeze payments]
Updated 2026-11-20 09:00 UTC\
""")
    assert await opened(rig, TOM) == snapshot("""\
[New payout] [Pay in bulk] [Check e-mails] [Localize] [Refresh]
:tada: *You're all caught up.* Nothing needs your approval.
Your requests
*$1,500.00 to kim@example.com* · Preparing
A laptop
:question: No account found for kim@example.com. [Withdraw]
[Send anyway] [Edit]
*$25.00 to Ana Maria Lopez* · Waiting for approval (0 of 1)
Rent · expires 2026-11-21 09:00 UTC [Withdraw]

[Freeze payments]
Updated 2026-11-20 09:00 UTC\
""")
    assert await opened(rig, OLGA) == snapshot("""\
[Check e-mails] [Localize] [Refresh]
Controls
*$0.00* of $25,000.00 sent today [Freeze payments]
*Who approves*: <@U0ADA>, <@U0LIN>, <@U0TOM>, never the requester
• Every payment: 1 approval
• Over $1,000.00: 2 approvals, amount typed

Updated 2026-11-20 09:00 UTC\
""")


@pytest.mark.parametrize("user", [GUS, EVE])
async def test_strangers_and_guests_see_nothing(rig: Rig, user: str) -> None:
    await rig.pay()
    text = await opened(rig, user)
    assert "ana@example.com" not in text
    assert not [block for block in home_of(rig, user).blocks if block["type"] == "actions"]


async def test_slack_does_not_take_it(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "views.publish", times=1))
    assert (await rig.workspace.open_home(MARIA)).ok
    assert rig.workspace.home(MARIA) is None
    assert await opened(rig, MARIA)


async def test_messages_tab_publishes_no_home(rig: Rig) -> None:
    await rig.workspace.open_home(MARIA, tab="messages")
    assert rig.workspace.home(MARIA) is None


async def test_approver_decides_in_app_home(rig: Rig) -> None:
    for number in range(1, 8):
        await rig.pay(f"send ana@example.com {number}.00 Rent {number}")
    assert "7 need you" in await opened(rig, ADA)
    [first, second, *_] = await requests(rig)
    await press(rig, ADA, "payout.approve", block_id=f"home:{first.id}")
    await rig.settle()
    assert "6 need you" in lines(home_of(rig, ADA))
    assert rig.paid == [("ana@example.com", 100)]
    await press(rig, ADA, "payout.reject", block_id=f"home:{second.id}")
    await rig.submit(ADA, {"reason": "No invoice"})
    await rig.pass_time(4)
    assert "5 need you" in lines(home_of(rig, ADA))
    assert [one.state for one in await requests(rig)][:2] == [State.COMMITTED, State.REJECTED]


async def test_a_large_amount_is_typed_there_too(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 A laptop")
    for user in (ADA, LIN):
        await opened(rig, user)
        await press(rig, user, "payout.approve")
        await rig.submit(user, {"amount": "1500.01"})
        assert rig.form(user).errors == {"amount": snapshot("That doesn't match. Type 1500.00")}
        await rig.submit(user, {"amount": "1500.00"})
        assert rig.workspace.modal(user) is None
        assert "You're all caught up" in await opened(rig, user)
    await rig.settle()
    assert rig.paid == [("ana@example.com", 150_000)]


async def test_two_people_one_request_the_second_sees_it_decided(rig: Rig) -> None:
    await rig.pay()
    for user in (ADA, LIN):
        assert "1 needs you" in await opened(rig, user)
    await press(rig, ADA, "payout.approve")
    await press(rig, LIN, "payout.approve")  # it still stands there
    await rig.settle()
    assert shown(rig.workspace.modal(LIN)) == snapshot("""\
Switchboard
:information_source: $25.00 to Ana Maria Lopez (P-······) is now *sent*, approved by <@U0ADA>.\
""")
    assert "You're all caught up" in lines(home_of(rig, LIN))
    assert rig.workspace.modal(ADA) is None
    assert len(rig.paid) == 1


async def test_request_of_another_person_updates_home(rig: Rig) -> None:
    await opened(rig, ADA)
    await rig.pay()
    await rig.pass_time(4)
    assert "1 needs you" in lines(home_of(rig, ADA))
    await rig.press("approve", user=LIN)
    await rig.pass_time(4)
    assert "You're all caught up" in lines(home_of(rig, ADA))
    assert "You're all caught up" in await opened(rig, ADA)


async def test_unseen_home_is_not_refreshed(rig: Rig) -> None:
    await opened(rig, ADA)
    before = len(calls(rig))
    await rig.pass_time(1_900)
    await rig.pay()
    await rig.pass_time(10)
    assert len(calls(rig)) == before


async def test_many_changes_are_one_drawing(rig: Rig) -> None:
    await opened(rig, ADA)
    before = len(calls(rig))
    for number in range(1, 9):
        await rig.pay(f"send ana@example.com {number}.00 Rent")
    await rig.pass_time(3.5)
    assert len(calls(rig)) == before + 1


async def test_another_process_continues_with_a_newer_home(rig: Rig) -> None:
    await opened(rig, ADA)
    elsewhere = home_of(rig, ADA).source
    rig.workspace._state.views.publish(ADA, elsewhere)
    before = len(calls(rig))
    for number in (1, 2):
        await rig.pay(f"send ana@example.com {number}.00 Rent")
        await rig.pass_time(5)
    assert len(calls(rig)) == before + 1  # refused once, and then left alone
    assert home_of(rig, ADA).source == elsewhere


@pytest.mark.parametrize("user", [MARIA, TOM, ZOE, GUS, EVE])
async def test_non_approvers_are_refused_by_every_button(rig: Rig, user: str) -> None:
    await rig.pay(user=TOM)
    request = await newest(rig)
    await opened(rig, user)
    for action in ("payout.approve", "payout.reject", "payout.withdraw"):
        if (user, action) != (TOM, "payout.withdraw"):
            await press(rig, user, action, value=f"{request.id}:1", force=True)
            told = shown(rig.workspace.modal(user))
            assert told.startswith("Switchboard")
            assert "ana@example.com" not in told
            assert ("Guests" in told or "Only members" in told) == (user in (GUS, EVE))
    await rig.settle()
    assert (await newest(rig)).state is State.AWAITING


async def test_outdated_or_empty_button_changes_nothing(rig: Rig) -> None:
    await rig.pay()
    request = await newest(rig)
    await opened(rig, ADA)
    for value in (f"{request.id}:2", "nothing:1", "", ":"):
        await press(rig, ADA, "payout.approve", value=value, force=True)
        assert "has changed since" in shown(rig.workspace.modal(ADA))
    for action in (ON, BACK, REFRESH, PAYOUT):
        await press(rig, ADA, action, value="-1:99999", force=True)
    await rig.settle()
    assert (await newest(rig)).state is State.AWAITING
    assert "1 needs you" in lines(home_of(rig, ADA))


async def test_requester_withdraws_in_app_home(rig: Rig) -> None:
    await rig.pay()
    assert "[Withdraw]" in await opened(rig, MARIA)
    await press(rig, MARIA, "payout.withdraw")
    await rig.settle()
    assert (await newest(rig)).state is State.WITHDRAWN
    text = lines(home_of(rig, MARIA))
    assert "[Withdraw]" not in text
    assert "Withdrawn" in text
    await press(rig, MARIA, REFRESH)
    assert "Withdrawn" in lines(home_of(rig, MARIA)).partition("Finished")[2]


async def test_pages_are_turned_and_follow_what_is_left(rig: Rig) -> None:
    for number in range(12):
        await rig.pay(f"send ana@example.com 1.{10 + number} Rent")
    for user, one in ((ADA, "home.on"), (MARIA, "home.on")):
        assert "1 to 5 of 12" in await opened(rig, user)
        await press(rig, user, one)
        await rig.settle()
        assert "6 to 10 of 12" in lines(home_of(rig, user))
    await press(rig, ADA, ON)
    await rig.settle()
    assert "11 to 12 of 12" in lines(home_of(rig, ADA))
    for _ in range(2):  # a page that is empty by now is the last one that is not
        await press(rig, ADA, "payout.approve")
        await rig.settle()
    await press(rig, ADA, REFRESH)
    assert "6 to 10 of 10" in lines(home_of(rig, ADA))
    await press(rig, ADA, BACK)
    await rig.settle()
    assert "1 to 5 of 10" in lines(home_of(rig, ADA))


async def test_payout_can_start_in_app_home(rig: Rig) -> None:
    await opened(rig, MARIA)
    await press(rig, MARIA, PAYOUT)
    await rig.submit(MARIA, {"email": "ana@example.com", "amount": "25.00", "description": "Rent", "code": ""})
    request = await newest(rig)
    assert request.origin_channel.startswith("D")
    assert rig.cards(request.origin_channel)


async def test_forms_of_the_other_services(rig: Rig) -> None:
    await opened(rig, MARIA)
    for button in (BULK, EMAILS, LOCALIZE):
        await press(rig, MARIA, button)
        assert rig.form().submit
    await rig.submit(MARIA, {"verb": "translate"})
    assert "translate" in rig.form().private_metadata


async def test_missing_role_is_explained_at_the_start(rig: Rig) -> None:
    await opened(rig, ZOE)
    for button, value in ((PAYOUT, "pay send"), (FREEZE, "pay freeze"), (UNFREEZE, "pay unfreeze")):
        await press(rig, ZOE, button, value=value, force=True)
        form = rig.workspace.modal(ZOE)
        if form is not None and form.submit:
            await rig.submit(ZOE, {"reason": "why not"})
        assert rig.workspace.modal(ZOE) is not None
    assert not await requests(rig)
    assert "frozen" not in await opened(rig, OLGA)


async def test_payments_are_frozen_and_unfrozen_there(rig: Rig) -> None:
    await opened(rig, OLGA)
    await press(rig, OLGA, FREEZE)
    await rig.submit(OLGA, {"reason": "the bank called"})
    await rig.pass_time(4)
    assert "Payments are frozen" in lines(home_of(rig, OLGA))
    assert "[New payout]" not in await opened(rig, MARIA)
    assert "[Unfreeze]" in await opened(rig, ADA)
    await press(rig, ADA, UNFREEZE)
    await rig.pass_time(4)
    assert "frozen" not in lines(home_of(rig, ADA))
    assert "[New payout]" in lines(home_of(rig, MARIA))


async def test_admins_see_failures_and_unapprovable_requests(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.REFUSED, "commit_payout", times=None))
    await rig.pay()
    await rig.press("approve")
    await rig.pass_time(2_000, steps=20)
    await rig.pay("send ana@example.com 1500.00 A laptop")
    rig.workspace.set_group("S0TREASURY", [ADA])
    await rig.pass_time(120, steps=2)
    assert await opened(rig, OLGA) == snapshot("""\
[Check e-mails] [Localize] [Refresh]
Controls
*$0.00* of $25,000.00 sent today [Freeze payments]
*Who approves*: <@U0ADA>, never the requester
• Every payment: 1 approval
• Over $1,000.00: 2 approvals, amount typed
*Too few approvers*
:warning: *$1,500.00 to Ana Maria Lopez*: it needs 2 approvals, and only 1 person can approve it
*Failed in the last 7 days*
:x: *$25.00 to Ana Maria Lopez* · Failed · <@U0MARIA>

Updated 2026-11-20 09:35 UTC\
""")


async def test_calls_with_their_results(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/localize", "speak locale=en-GB Welcome aboard")
    for user in (MARIA, ADA):
        assert "*Speak a text* · " in await opened(rig, user)
    assert "*Speak a text* · " not in await opened(rig, ZOE)
    await rig.settle()
    await rig.pass_time(30)
    assert await opened(rig, MARIA) == snapshot("""\
[New payout] [Pay in bulk] [Check e-mails] [Localize] [Refresh]
Files and texts
*Speak a text* · Done · 2026-11-20 09:00 UTC · Results

Updated 2026-11-20 09:00 UTC\
""")


@pytest.mark.rig(opened_by=deliveries.open_rig)
async def test_bookings_by_store(rig: Rig) -> None:
    await deliveries.booked(rig)
    assert await opened(rig, MARIA) == snapshot("""\
[New payout] [Pay in bulk] [Book a delivery] [Check e-mails] [Localize] [Refresh]
Deliveries
*Centro*: 1 looking for a driver

Updated 2026-11-20 09:00 UTC\
""")
    await rig.pass_time(1_200)
    assert await opened(rig, TOM) == snapshot("""\
[New payout] [Pay in bulk] [Book a delivery] [Check e-mails] [Localize] [Refresh]
:tada: *You're all caught up.* Nothing needs your approval.
Deliveries
*Centro*: 1 looking for a driver · :warning: *1 late*

[Freeze payments]
Updated 2026-11-20 09:20 UTC\
""")
    assert "Deliveries" not in await opened(rig, ZOE)
    await press(rig, MARIA, BOOK)
    assert rig.form().submit


async def test_three_hundred_requests_fit(rig: Rig) -> None:
    names = [f"{number:026}" for number in range(300)]
    drawn = [
        instruction(id=name, code=name, source_key=name, reference=name, requester=[TOM, MARIA][number % 2])
        for number, name in enumerate(names)
    ]
    await rig.switchboard.context.write(lambda uow: [uow.instructions.insert(one, actor=TOM) for one in drawn])
    assert "300 need you" in await opened(rig, ADA)
    assert "150 need you" in await opened(rig, TOM)
    assert "1 to 5 of 150" in lines(home_of(rig, TOM))
    assert len(home_of(rig, TOM).blocks) <= 100


async def test_requester_confirms_the_address_in_app_home(rig: Rig) -> None:
    await rig.pay("send new@example.com 25.00 Rent")
    assert "[Send anyway] [Edit]" in await opened(rig, MARIA)
    await press(rig, MARIA, "payout.send_anyway")
    assert (await newest(rig)).state is State.AWAITING
    await opened(rig, ADA)
    assert ":warning: No account found for new@example.com" in lines(home_of(rig, ADA))
    await press(rig, ADA, "payout.approve")
    await rig.submit(ADA, {})
    assert (await newest(rig)).state is not State.AWAITING
    assert rig.payments.calls


async def test_refused_home_is_published_later(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "views.publish", times=1))
    await rig.workspace.open_home(MARIA)
    assert rig.workspace.home(MARIA) is None
    await rig.pass_time(10)
    assert "Welcome" in lines(home_of(rig, MARIA))

"""Pre-bookings: the link, wherever it comes from; those whose answer was lost, and those made in the dashboard."""

import re

import aiohttp
import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import Prebooking
from bot.presentation.bookings import cards
from bot.presentation.bookings import forms as views
from tests.support.deliveries import (
    CENTRO,
    SEARCHING,
    card,
    deliver,
    fact,
    heard,
    is_over,
    lines,
    offered,
    open_rig,
    prebook,
    reference_of,
    service_of,
    stands,
)
from tests.support.replaced import replaced
from tests.support.rig import ALERTS, FINANCE, MARIA, OLGA, TOM, Rig
from tests.support.shown import shown
from tests.workflows.looking import alerts

pytestmark = pytest.mark.rig(opened_by=open_rig)

ASKED = {
    "customerName": "Walk",
    "customerLastName": "In",
    "orderAmount": "9.90",
    "paymentMethod": "CASH",
    "externalBookingId": "shop-77",
}


async def lost(rig: Rig, kind: FaultKind = FaultKind.DONE_DROPPED) -> Prebooking | None:
    """A pre-booking whose answer was lost; the one that the service has, where it has one."""
    service_of(rig).faults.arm(Fault(kind, "create_prebooking"))
    await prebook(rig)
    return service_of(rig).prebookings[-1] if service_of(rig).prebookings else None


async def entered(rig: Rig, made: Prebooking) -> None:
    """The customer uses the link."""
    fields = {"address": "3 Hill Road", "latitude": "-0.19", "longitude": "-78.47"}
    async with (
        aiohttp.ClientSession() as customer,
        customer.post(f"{service_of(rig).base_url}/address/{made.id}", data=fields) as answer,
    ):
        assert answer.status == 200


async def take_in(rig: Rig, given: str, *, user: str = MARIA) -> str:
    """Press *I found it* and give this; returns what the form says then."""
    await rig.workspace.click(user, FINANCE, card(rig).ts, cards.FOUND)
    await rig.submit(user, {views.FOUND_ID: given})
    await rig.settle()
    told = shown(rig.form(user))
    await rig.workspace.close(user)
    return told


async def test_one_whose_answer_was_lost_is_taken_in_by_who_finds_it_in_the_dashboard(rig: Rig) -> None:
    made = await lost(rig)
    assert made is not None
    assert shown(card(rig).text) == snapshot("""\
*Ana Lopez · Link not confirmed*
Look in the delivery dashboard, then press *I found it* or *It isn't there*. Don't request another link yet.
Centro · 25.50 paid · V-······""")
    assert offered(rig) == ["I found it", "It isn't there", "Refresh", "Details"]
    assert shown("\n".join(lines(rig))) == snapshot(""":grey_question: <@U0MARIA> The link for Ana Lopez (V-······) \
is *not confirmed*. Look in the delivery dashboard, then press *I found it* or *It isn't there*.""")
    others = service_of(rig).book.prebook(service_of(rig).store("Centro"), ASKED).id
    given = (" ", "652f7a1e9b1d", others, f"{service_of(rig).base_url}/address/{made.id}?lang=en")
    told = [(await take_in(rig, one)).splitlines() for one in given]
    assert [form[0] for form in told] == [*["Which pre-booking is it?"] * 3, "Pre-booking"]
    assert "\n".join(form[1 if len(form) == 2 else 2] for form in told) == snapshot("""\
:warning: Ana Lopez (V-······): Centro has no pre-booking with this id. Copy it again from the dashboard. Now: *Link \
not confirmed*.
:warning: Ana Lopez (V-······): Centro has no pre-booking with this id. Copy it again from the dashboard. Now: *Link \
not confirmed*.
:warning: Ana Lopez (V-······): This pre-booking belongs to another request. Now: *Link not confirmed*.
:ballot_box_with_check: Waiting for the address: Ana Lopez (V-······).""")
    assert await fact(rig, "Address link") == "<http://127.0.0.1/address/······|open>"
    assert stands(rig).startswith("*Ana Lopez · Waiting for the address*")
    [picture] = [message for message in rig.news(FINANCE) if message.files]
    assert picture.text.startswith(f":link: <@{MARIA}> Send this link to Ana Lopez")
    await entered(rig, made)
    await rig.pass_time(46)
    assert stands(rig).startswith(SEARCHING)
    assert len(rig.cards(FINANCE)) == 1
    assert len(service_of(rig).calls_of("create_prebooking")) == 1


async def test_one_that_is_not_in_the_dashboard_is_closed_and_told_if_it_comes_after_all(rig: Rig) -> None:
    await deliver(rig, "webhooks on Centro", user=OLGA)
    await lost(rig, FaultKind.LOST)
    service, drawn = service_of(rig), card(rig)
    await rig.workspace.click(TOM, FINANCE, drawn.ts, cards.ABSENT)
    await rig.settle()
    assert shown(rig.workspace.ephemerals(TOM)[-1].text) == snapshot(
        ":ballot_box_with_check: Closed: Ana Lopez (V-······)."
    )
    assert stands(rig) == snapshot("*Ana Lopez · Closed*")
    assert is_over(rig)
    assert shown(lines(rig)[-1]) == snapshot("""\
:x: <@U0MARIA> The request for Ana Lopez (V-······) was *closed* by Tom Berg: no link was created.""")
    await rig.workspace.click(MARIA, FINANCE, drawn.ts, cards.FOUND, value=drawn.buttons[0].value, force=True)
    await rig.settle()
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("""\
:warning: Ana Lopez (V-······): It has just changed. Look at its card and try again. Now: *Closed*.""")
    [call] = service.calls_of("create_prebooking")
    reads = len(service.calls_of("get_booking"))
    await rig.pass_time(3_600, steps=4)
    assert len(service.calls_of("get_booking")) == reads  # closed: nothing asks for it any more
    late = service.book.prebook(service.store("Centro"), dict(call.body))  # type: ignore[call-overload]
    await entered(rig, late)
    await heard(rig)
    assert stands(rig).startswith(SEARCHING)
    assert "was booked after all" in rig.workspace.messages(ALERTS)[-1].text
    assert len(rig.cards(FINANCE)) == 1


async def test_a_link_that_was_used_all_the_same_is_found_by_our_own_number(rig: Rig) -> None:
    made = await lost(rig)
    assert made is not None
    await entered(rig, made)
    await rig.pass_time(60, steps=3)
    assert stands(rig).startswith(SEARCHING)
    assert not [button for button in card(rig).buttons if button.action_id in (cards.FOUND, cards.ABSENT)]


async def test_nobody_concludes_that_it_was_not_made_and_the_alerts_channel_hears_of_it_once(rig: Rig) -> None:
    await lost(rig)
    before = stands(rig)
    await rig.pass_time(7_200, steps=20)
    assert stands(rig) == before
    [alert] = [message for message in rig.workspace.messages(ALERTS) if "V-" in message.text]
    assert [button.text for button in alert.buttons] == ["I found it", "It isn't there", "Refresh"]
    assert shown(alert.text) == snapshot("""\
:warning: Action needed: the link for Ana Lopez (V-······) is *not confirmed*, and still unchecked. Look in the \
delivery dashboard, then press *I found it* or *It isn't there*.""")
    assert sum(f"<@{MARIA}>" in line for line in lines(rig)) == 1
    await rig.pass_time(90_000, steps=4)
    assert [button.action_id for button in card(rig).buttons][:2] == [cards.FOUND, cards.ABSENT]
    reads = len(service_of(rig).calls_of("get_booking"))
    await rig.pass_time(7_200, steps=4)
    assert len(service_of(rig).calls_of("get_booking")) == reads
    await take_in(rig, service_of(rig).prebookings[-1].id)  # days later, too
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    assert (row.closed_at, row.due_at is None) == (None, False)
    await deliver(rig, f"prebook cancel {reference_of(rig)} not wanted")
    assert service_of(rig).prebookings[-1].canceled
    assert stands(rig) == "*Ana Lopez · Canceled*"


async def test_two_of_ours_are_never_the_same_pre_booking(rig: Rig) -> None:
    service_of(rig).switches.forget_external = True
    await prebook(rig)
    made = service_of(rig).prebookings[-1]
    await lost(rig, FaultKind.LOST)
    assert await take_in(rig, made.id) == snapshot("""\
Which pre-booking is it?
V-······ · Centro → Ana Lopez
:warning: Ana Lopez (V-······): This pre-booking belongs to V-······ already. Now: *Link not confirmed*.
Id or link of the pre-booking
652f7a1e9b1d
From the delivery dashboard.""")


async def test_a_link_that_comes_on_reading_only_or_changes_is_taken(rig: Rig) -> None:
    service = service_of(rig)
    service.switches.late_link = True
    with replaced(service.shapes, "prebooking", lambda one: {"_id": one.id, "url": None}):
        await prebook(rig)
        assert (stands(rig), await fact(rig, "Address link")) == snapshot(("*Ana Lopez · Creating the link*", ""))
        await rig.pass_time(300, steps=4)
        assert shown(card(rig).text).splitlines()[-1] == snapshot(
            ":warning: May be out of date. Delivery sent an unexpected reply."
        )
    await rig.pass_time(600, steps=4)
    assert "May be out of date" not in card(rig).text
    assert await fact(rig, "Address link") == "<http://127.0.0.1/address/······|open>"
    assert len([message for message in rig.news(FINANCE) if message.files]) == 1
    made = service.prebookings[-1]
    service.book.prebookings["anew"] = made
    reference = reference_of(rig)
    said, url = service.shapes.prebooking, f"{service.base_url}/address/anew"
    with replaced(service.shapes, "prebooking", lambda one: {**said(one), "url": url}):
        assert url in await deliver(rig, f"prebook show {reference}")
        await rig.settle()
        assert url in card(rig).text
        assert len([message for message in rig.news(FINANCE) if message.files]) == 2
        await rig.pass_time(300, steps=4)
    assert len([message for message in rig.news(FINANCE) if message.files]) == 2


async def test_show_says_how_a_pre_booking_is_now_and_as_it_was_where_nobody_answers(rig: Rig) -> None:
    await prebook(rig)
    reference, service = reference_of(rig), service_of(rig)
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_prebooking"))
    told = shown(await deliver(rig, f"prebook show {reference}")).splitlines()
    assert told[0] == "*Ana Lopez · Waiting for the address*"
    assert told[-1] == snapshot("""\
:warning: May be out of date. Delivery is having problems. Try again in a minute.""")
    await entered(rig, service.prebookings[-1])
    assert "· Looking for a driver*" in await deliver(rig, f"prebook show {reference}")


async def test_one_made_in_the_dashboard_is_shown_whole(rig: Rig) -> None:
    service = service_of(rig)
    norte = service.add_store("Norte")
    await deliver(rig, "stores")
    made = service.book.prebook(norte, ASKED)
    assert shown(await deliver(rig, f"prebook show {made.id}")) == snapshot("""\
:link: *······* · Norte: *waiting for the address* · `PENDING`
Address link: <http://127.0.0.1/address/······>
Customer: Walk In
Order: 9.90 in cash, collected by the driver
External ID: shop-77
createdAt: 2026-11-20T09:00:00Z
Not booked here, and not followed.""")
    await entered(rig, made)
    told = re.sub(r"\b[0-9a-f]{24}\b", "······", shown(await deliver(rig, f"prebook show {made.id}")))
    assert told.splitlines()[0] == snapshot(":link: *······* · Norte: *the address was entered* · `BOOKED`")
    assert told.splitlines()[2] == snapshot("Booking: ······: `/deliver show ······`")
    service.book.cancel_prebooking(canceled := service.book.prebook(norte, {}))
    assert shown(await deliver(rig, f"prebook show {canceled.id}")).splitlines()[0] == snapshot(""":link: *······* · \
Norte: *canceled* · `CANCELLED`""")
    assert shown(await deliver(rig, "prebook show 652f7a1e9b1d")).splitlines()[0] == snapshot(
        ":pencil2: I can't find 652f7a1e9b1d. Check the reference."
    )


async def test_one_of_ours_is_recovered_by_who_only_looks_at_it(rig: Rig) -> None:
    made = await lost(rig)
    assert made is not None
    assert f"this link: <{service_of(rig).base_url}/address/{made.id}>" in await deliver(rig, f"prebook show {made.id}")
    await rig.settle()
    assert stands(rig).startswith("*Ana Lopez · Waiting for the address*")
    assert len([message for message in rig.news(FINANCE) if message.files]) == 1


async def test_one_made_in_the_dashboard_is_canceled_by_its_id_and_followed_from_then_on(rig: Rig) -> None:
    service = service_of(rig)
    first, second = (service.book.prebook(service.store("Centro"), ASKED) for _ in range(2))
    assert shown(await deliver(rig, f"prebook cancel {first.id}")) == snapshot(""":information_source: Walk In \
(V-······) wasn't booked here; I follow it from now on. To cancel it, add a reason: `/deliver cancel V-······ \
&lt;reason&gt;`""")
    assert shown(card(rig, CENTRO).text) == snapshot("""\
*Walk In · Waiting for the address*
Send the customer this link: <http://127.0.0.1/address/······>
Centro · 9.90 cash · V-······ · not booked here""")
    assert shown(await deliver(rig, f"prebook cancel {first.id} not wanted")) == snapshot(
        ":ballot_box_with_check: Canceled: Walk In (V-······)."
    )
    assert first.canceled
    assert stands(rig, CENTRO) == "*Walk In · Canceled*"
    assert shown(lines(rig, CENTRO)[-1]) == snapshot(
        ":x: Walk In (V-······) was *canceled* by Maria Silva before an address was entered."
    )
    await deliver(rig, f"prebook cancel {second.id}")
    await entered(rig, second)
    await rig.pass_time(46)
    assert "Looking for a driver" in stands(rig, CENTRO)
    assert len(rig.cards(CENTRO)) == 2


@pytest.mark.parametrize("kind", [FaultKind.LOST, FaultKind.DONE_DROPPED])
async def test_the_alert_of_an_unchecked_link_is_said_to_be_over(rig: Rig, kind: FaultKind) -> None:
    made = await lost(rig, kind)
    await rig.pass_time(7_200, steps=20)
    assert len(alerts(rig)) == 1
    if made is not None:
        await take_in(rig, made.id)
    else:
        await rig.workspace.click(TOM, FINANCE, card(rig).ts, cards.ABSENT)
        await rig.settle()
    assert [one.startswith(":sunny:") for one in alerts(rig)] == [False, True]

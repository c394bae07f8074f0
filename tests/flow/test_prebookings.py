"""Pre-bookings: the link, wherever it comes from; those whose answer was lost, and those made in the dashboard."""

import aiohttp
import pytest

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
from tests.support.shown import lacking, shown
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
    told = shown(rig.form(user))
    await rig.workspace.close(user)
    return told


async def test_lost_prebooking_is_imported_by_its_id(rig: Rig) -> None:
    made = await lost(rig)
    assert made is not None
    assert stands(rig).startswith("*Ana Lopez · Link not confirmed*")
    assert offered(rig) == ["I found it", "It isn't there", "Refresh", "Details"]
    assert [f"<@{MARIA}>" in line for line in lines(rig)] == [True]
    others = service_of(rig).book.prebook(service_of(rig).store("Centro"), ASKED).id
    given = (" ", "652f7a1e9b1d", others, f"{service_of(rig).base_url}/address/{made.id}?lang=en")
    told = [(await take_in(rig, one)).splitlines() for one in given]
    assert [form[0] for form in told] == [*["Which pre-booking is it?"] * 3, "Pre-booking"]
    assert [
        sum(word in line for form in told for line in form)
        for word in ("no pre-booking with this id", "another request")
    ] == [2, 1]
    assert await fact(rig, "Address link") == "<http://127.0.0.1/address/······|open>"
    assert stands(rig).startswith("*Ana Lopez · Waiting for the address*")
    [picture] = [message for message in rig.news(FINANCE) if message.files]
    assert picture.text.startswith(f":link: <@{MARIA}> Send this link to Ana Lopez")
    await entered(rig, made)
    await rig.pass_time(46)
    assert stands(rig).startswith(SEARCHING)
    assert len(rig.cards(FINANCE)) == 1
    assert len(service_of(rig).calls_of("create_prebooking")) == 1


async def test_absent_prebooking_is_closed_and_alerted_if_it_comes_later(rig: Rig) -> None:
    await deliver(rig, "webhooks on Centro", user=OLGA)
    await lost(rig, FaultKind.LOST)
    service, drawn = service_of(rig), card(rig)
    await rig.click(drawn, cards.ABSENT, user=TOM)
    assert "Closed: Ana Lopez" in rig.workspace.ephemerals(TOM)[-1].text
    assert stands(rig) == "*Ana Lopez · Closed*"
    assert is_over(rig)
    assert "was *closed* by Tom Berg" in lines(rig)[-1]
    await rig.click(drawn, cards.FOUND, value=drawn.buttons[0].value, force=True)
    assert "It has just changed." in rig.workspace.ephemerals(MARIA)[-1].text
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


async def test_lost_prebooking_is_found_by_our_number_once_used(rig: Rig) -> None:
    made = await lost(rig)
    assert made is not None
    await entered(rig, made)
    await rig.pass_time(60, steps=3)
    assert stands(rig).startswith(SEARCHING)
    assert not [button for button in card(rig).buttons if button.action_id in (cards.FOUND, cards.ABSENT)]


async def test_unconfirmed_prebooking_raises_one_alert_and_stays_open(rig: Rig) -> None:
    await lost(rig)
    before = stands(rig)
    await rig.pass_time(7_200, steps=20)
    assert stands(rig) == before
    [alert] = [message for message in rig.workspace.messages(ALERTS) if "V-" in message.text]
    assert [button.text for button in alert.buttons] == ["I found it", "It isn't there", "Refresh"]
    assert "*not confirmed*, and still unchecked" in alert.text
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
    assert "This pre-booking belongs to V-······ already." in await take_in(rig, made.id)


async def test_late_or_changed_link_is_used(rig: Rig) -> None:
    service = service_of(rig)
    service.switches.late_link = True
    with replaced(service.shapes, "prebooking", lambda one: {"_id": one.id, "url": None}):
        await prebook(rig)
        assert (stands(rig), await fact(rig, "Address link")) == ("*Ana Lopez · Creating the link*", "")
        await rig.pass_time(300, steps=4)
        assert "May be out of date." in card(rig).text
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


async def test_show_reads_a_prebooking_or_shows_its_stored_state(rig: Rig) -> None:
    await prebook(rig)
    reference, service = reference_of(rig), service_of(rig)
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_prebooking"))
    told = shown(await deliver(rig, f"prebook show {reference}")).splitlines()
    assert told[0] == "*Ana Lopez · Waiting for the address*"
    assert told[-1].startswith(":warning: May be out of date.")
    await entered(rig, service.prebookings[-1])
    assert "· Looking for a driver*" in await deliver(rig, f"prebook show {reference}")


async def test_prebooking_of_the_dashboard_is_shown(rig: Rig) -> None:
    service = service_of(rig)
    norte = service.add_store("Norte")
    await deliver(rig, "stores")
    made = service.book.prebook(norte, ASKED)
    told = await deliver(rig, f"prebook show {made.id}")
    assert not lacking(
        told, "*waiting for the address*", f"/address/{made.id}", "Walk In", "9.90 in cash", "shop-77", "not followed"
    )
    await entered(rig, made)
    told = await deliver(rig, f"prebook show {made.id}")
    assert not lacking(told, "*the address was entered* · `BOOKED`", f"`/deliver show {service.bookings[-1].id}`")
    service.book.cancel_prebooking(canceled := service.book.prebook(norte, {}))
    assert "*canceled* · `CANCELLED`" in await deliver(rig, f"prebook show {canceled.id}")
    assert "I can't find 652f7a1e9b1d" in await deliver(rig, "prebook show 652f7a1e9b1d")


async def test_own_prebooking_is_recovered_by_looking_at_it(rig: Rig) -> None:
    made = await lost(rig)
    assert made is not None
    assert f"this link: <{service_of(rig).base_url}/address/{made.id}>" in await deliver(rig, f"prebook show {made.id}")
    await rig.settle()
    assert stands(rig).startswith("*Ana Lopez · Waiting for the address*")
    assert len([message for message in rig.news(FINANCE) if message.files]) == 1


async def test_prebooking_of_the_dashboard_is_followed_and_canceled_by_its_id(rig: Rig) -> None:
    service = service_of(rig)
    first, second = (service.book.prebook(service.store("Centro"), ASKED) for _ in range(2))
    assert "I follow it from now on" in await deliver(rig, f"prebook cancel {first.id}")
    assert f"this link: <{service.base_url}/address/{first.id}>" in card(rig, CENTRO).text
    assert "Canceled: Walk In" in await deliver(rig, f"prebook cancel {first.id} not wanted")
    assert first.canceled
    assert stands(rig, CENTRO) == "*Walk In · Canceled*"
    assert "was *canceled* by Maria Silva" in lines(rig, CENTRO)[-1]
    await deliver(rig, f"prebook cancel {second.id}")
    await entered(rig, second)
    await rig.pass_time(46)
    assert "Looking for a driver" in stands(rig, CENTRO)
    assert len(rig.cards(CENTRO)) == 2


@pytest.mark.parametrize("kind", [FaultKind.LOST, FaultKind.DONE_DROPPED])
async def test_alert_of_an_unchecked_link_is_closed(rig: Rig, kind: FaultKind) -> None:
    made = await lost(rig, kind)
    await rig.pass_time(7_200, steps=20)
    assert len(alerts(rig)) == 1
    if made is not None:
        await take_in(rig, made.id)
    else:
        await rig.click(card(rig), cards.ABSENT, user=TOM)
    assert [one.startswith(":sunny:") for one in alerts(rig)] == [False, True]

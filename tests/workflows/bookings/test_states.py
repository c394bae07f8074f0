"""Each state of a booking and each way between two: what the card says, what is told, what is final."""

import itertools
import re

import pytest

from bot.domain.bookings.record import Status, StatusChange, change_of, is_final
from bot.playground.workspace import Message
from bot.presentation.bookings.states import word
from bot.workflows.bookings.evidence import gathered
from bot.workflows.bookings.observe import observe
from tests.support.deliveries import CENTRO, booked, card, deliver, heard, lines, open_rig, service_of
from tests.support.rig import ALERTS, OLGA, Rig

FIELDS = {"customerName": "Walk", "latitude": "-0.19", "longitude": "-78.47", "address": "5 Other Street"}
STATES = [status for status in Status if status is not Status.ON_HOLD]


pytestmark = pytest.mark.rig(opened_by=open_rig)


@pytest.mark.parametrize("status", STATES)
async def test_each_state_is_shown_and_told(rig: Rig, status: Status) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, status.value, reason="because", force=True)
    await rig.pass_time(31)
    shown = card(rig)
    assert f"`{status.value}`" in shown.text
    assert word(status.value) in shown.text.casefold()
    assert bool(shown.buttons) is not is_final(status.value)
    if status is not Status.READY_FOR_PICKUP:
        assert word(status.value) in lines(rig)[-1]
    if status.value.startswith("CANCELLED"):
        assert "Reason: because." in lines(rig)[-1]
        assert "Reason: because." in shown.text
    _, states = await rig.switchboard.context.store.read(gathered)
    assert status.value in states


async def test_every_way_between_two_states(rig: Rig) -> None:
    """Any state may be seen after any other: only final ones stay, and a driver who is gone is a restart."""
    await deliver(rig, "webhooks on Centro", user=OLGA)
    service = service_of(rig)
    ways = {
        way: service.book.create(service.store("Centro"), FIELDS | {"customerName": f"Walk {number:03}."})
        for number, way in enumerate(itertools.product(STATES, STATES))
    }
    await heard(rig)
    for (before, _), booking in ways.items():
        service.settle(booking, before.value, force=True)
    await heard(rig)
    told = {name: len(thread) for name, (_, thread) in walks(rig).items()}
    for (_, after), booking in ways.items():
        service.settle(booking, after.value, force=True)
    await heard(rig)
    seen = walks(rig)
    assert len(seen) == len(ways)
    for number, (before, after) in enumerate(ways):
        shown, thread = seen[f"{number:03}"]
        news = thread[told[f"{number:03}"] :]
        change = change_of(before.value, after.value)
        stays = change in (StatusChange.NONE, StatusChange.CONTRADICTION)
        assert f"`{(before if stays else after).value}`" in shown.text, (before, after)
        assert len(news) == (0 if stays else 1), (before, after, news)
        assert any("search restarted" in line for line in news) is (change is StatusChange.RESTARTED)
    contradictions = [one for one in rig.workspace.messages(ALERTS) if "had ended as" in one.text]
    ended = sum(1 for before, after in ways if is_final(before.value) and before != after)
    assert len(contradictions) == ended


def walks(rig: Rig) -> dict[str, tuple[Message, list[str]]]:
    """The card of each customer by number, with what was said in its thread."""
    threads: dict[str, list[str]] = {}
    for message in rig.news(CENTRO):
        threads.setdefault(str(message.thread_ts), []).append(message.text)
    cards = {found[1]: card for card in rig.cards(CENTRO) if (found := re.search(r"Walk (\d{3})\.", card.text))}
    return {number: (card, threads.get(card.ts, [])) for number, card in cards.items()}


async def test_a_restart_search_is_told_as_such(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "ACCEPTED")
    await rig.pass_time(31)
    assert "Diego Paz" in card(rig).text
    service_of(rig).book.restart(booking)
    await rig.pass_time(31)
    assert "search restarted" in lines(rig)[-1]
    assert "Diego Paz" not in card(rig).text
    assert "Search number 2" in card(rig).text
    service_of(rig).advance()
    await rig.pass_time(31)
    assert "Luz Mora" in card(rig).text


@pytest.mark.parametrize(("word_of_theirs", "final"), [("WAITING_FOR_RAIN", False), ("CANCELED_BY_WEATHER", True)])
async def test_a_state_nobody_knows_is_shown_as_it_came(rig: Rig, word_of_theirs: str, final: bool) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, word_of_theirs, force=True)
    await rig.pass_time(31)
    assert word_of_theirs in card(rig).text
    assert word_of_theirs in lines(rig)[-1]
    assert bool(card(rig).buttons) is not final
    reads = len(service_of(rig).calls_of("get_booking"))
    await rig.pass_time(600, steps=10)
    assert (len(service_of(rig).calls_of("get_booking")) > reads) is not final


async def test_a_reading_that_began_before_a_change_is_not_applied(rig: Rig) -> None:
    await booked(rig)
    ctx = rig.switchboard.context
    delivery = ctx.delivery.client
    assert delivery is not None
    (before,) = await ctx.store.read(lambda tx: tx.bookings.open())
    key = await ctx.store.read(lambda tx: delivery.key(tx, before.store))
    assert key is not None
    assert before.remote_id is not None
    record = await delivery.client.get_booking(before.remote_id, key=key)
    now = ctx.clock.now()
    assert await ctx.store.write(lambda tx: observe(ctx, tx, before, record, now)) is not None
    (current,) = await ctx.store.read(lambda tx: tx.bookings.open())
    await ctx.store.write(lambda tx: tx.bookings.change(current, reason="somebody was faster"))
    assert await ctx.store.write(lambda tx: observe(ctx, tx, current, record, now)) is None


async def test_what_has_ended_is_read_no_more(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "COMPLETED")
    await rig.pass_time(31)
    reads = len(service_of(rig).calls_of("get_booking"))
    await rig.pass_time(7_200, steps=8)
    assert len(service_of(rig).calls_of("get_booking")) == reads
    assert "*Completed*" in card(rig).text


async def test_no_driver_is_an_alarm(rig: Rig) -> None:
    service_of(rig).switches.no_provider = True
    await booked(rig)
    service_of(rig).advance()
    await rig.pass_time(31)
    assert "No driver found" in card(rig).text
    assert "no driver was found" in rig.workspace.messages(ALERTS)[-1].text
    assert "Cancel" in {button.text for button in card(rig).buttons}


async def test_a_card_says_when_it_may_be_behind(rig: Rig) -> None:
    await booked(rig)
    service_of(rig).switches.suspended = True
    await rig.pass_time(61, steps=2)
    assert "This may be behind" in card(rig).text
    assert "suspended" in card(rig).text
    service_of(rig).switches.suspended = False
    service_of(rig).advance()
    await rig.pass_time(600, steps=6)
    assert "This may be behind" not in card(rig).text
    assert "ACCEPTED" in card(rig).text


@pytest.mark.parametrize("by", ["number", "id"])
async def test_a_booking_made_elsewhere_is_canceled_by_its_number_at_the_service(rig: Rig, by: str) -> None:
    """Nobody here has heard of it: it is looked for in the stores, followed, and canceled like any other."""
    made = service_of(rig).book.create(service_of(rig).store("Centro"), ELSEWHERE)
    named = str(getattr(made, by))
    assert "say why" in await deliver(rig, f"cancel {named}")
    assert "Made outside of Switchboard" in card(rig, CENTRO).text
    assert "it is canceled" in await deliver(rig, f"cancel {named} customer called it off")
    assert made.status == "CANCELLED_BY_BUSINESS"
    assert len(rig.cards(CENTRO)) == 1
    assert "no booking of that name" in await deliver(rig, "cancel 999999 nobody")


async def test_the_search_for_one_made_elsewhere_is_started_by_its_number(rig: Rig) -> None:
    made = service_of(rig).book.create(service_of(rig).store("Centro"), {**ELSEWHERE, "cookTime": 900_000})
    assert "has been asked for" in await deliver(rig, f"start {made.number}")
    assert made.status == "READY_FOR_PICKUP"
    assert str(made.number) in await deliver(rig, f"prebook show {made.number}")


ELSEWHERE = {"customerName": "Walk", "customerLastName": "In", "latitude": "-0.19", "longitude": "-78.47"}

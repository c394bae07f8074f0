"""Each state of a booking and each way between two: what the card says, what is told, what is final."""

import itertools
import re

import pytest
from inline_snapshot import snapshot

from bot.domain.bookings.record import Status, StatusChange, change_of, has_driver, is_canceled, is_final, is_searching
from bot.playground.workspace import Message
from bot.presentation.bookings import cards
from bot.workflows.bookings.observe import gathered
from tests.support.deliveries import (
    CENTRO,
    SEARCHING,
    booked,
    card,
    deliver,
    fact,
    heard,
    is_over,
    lines,
    offered,
    open_rig,
    service_of,
    stands,
)
from tests.support.rig import ALERTS, OLGA, Rig

FIELDS = {"customerName": "Walk", "latitude": "-0.19", "longitude": "-78.47", "address": "5 Other Street"}
STATES = [status for status in Status if status is not Status.ON_HOLD]
pytestmark = pytest.mark.rig(opened_by=open_rig)


async def test_each_state_is_shown_and_announced(rig: Rig) -> None:
    """Five bookings, one for each end, and what comes before on the way there; the words: see presentation."""
    walks = (
        "READY_FOR_PICKUP ACCEPTED ARRIVED_AT_PICKUP WAY_TO_DELIVER ARRIVED_AT_DELIVERY COMPLETED",
        "PROVIDER_NOT_FOUND CANCELLED_BY_BUSINESS",
        "CANCELLED_BY_ADMIN",
        "CANCELLED_BY_DELIVERY_PROVIDER",
        "NOT_DELIVERED RETURNING RETURNED",
    )
    reached = set()
    for walk in walks:
        booking = await booked(rig)
        for status in walk.split():
            service_of(rig).settle(booking, status, reason="because", force=True)
            await rig.pass_time(60)
            reached.add(status)
            assert await fact(rig, "Provider status") == f"`{status}`"
            shown = status if not status.startswith("CANCELLED") else "canceled"
            assert f"· {cards.word(shown).capitalize() if shown == status else 'Canceled'}*" in card(rig).text
            why = status.startswith(("CANCELLED", "NOT_DELIVERED"))
            assert ("“because”" in card(rig).text) is why, status
            assert is_over(rig) is is_final(status), status
    assert reached == {status.value for status in STATES}
    _, states = await rig.switchboard.context.store.read(gathered)
    assert reached <= {one.word for one in states}


def ways_between() -> list[list[Status]]:
    """Walks that together take every way between two states once; none leaves the end that it has come to."""
    left = list(itertools.product(sorted(STATES, key=is_final), repeat=2))
    walks: list[list[Status]] = []
    while left:
        walks.append([at := left[0][0]])
        while ahead := [after for before, after in left if before is at]:
            left.remove((at, ahead[0]))
            walks[-1].append(ahead[0])
            at = at if is_final(at) else ahead[0]
    return walks


async def test_every_way_between_two_states(rig: Rig) -> None:
    """Any state may be seen after any other: only final ones stay, and a driver who is gone is a restart."""
    await deliver(rig, "webhooks on Centro", user=OLGA)
    service = service_of(rig)
    walks = {f"{number:03}": walk for number, walk in enumerate(ways_between())}
    service.callbacks.switches.drop = True
    bookings = {
        name: service.book.create(service.store("Centro"), FIELDS | {"customerName": f"Walk {name}."}) for name in walks
    }
    await heard(rig)
    service.callbacks.switches.drop = False
    standing: dict[str, Status] = {}
    told: dict[str, int] = {}
    taken = []
    for step in range(max(map(len, walks.values()))):
        going = {name: walk[step] for name, walk in walks.items() if step < len(walk)}
        rig.clock.advance(1)
        for name, after in going.items():
            service.settle(bookings[name], after.value, force=True)
        await heard(rig)
        seen = cards_of(rig)
        assert len(seen) == len(walks)
        for name, after in going.items():
            now, thread = seen[name]
            before, news = standing.get(name), thread[told.get(name, 0) :]
            told[name], standing[name] = len(thread), after
            if before is None:
                continue
            taken.append((before, after))
            change = change_of(before.value, after.value)
            if stays := change in (StatusChange.NONE, StatusChange.CONTRADICTION):
                standing[name] = before
            word = "canceled" if is_canceled(standing[name]) else cards.word(standing[name])
            assert f"· {word.capitalize()}*" in now.text, (before, after)
            restarted = change is StatusChange.RESTARTED
            found = has_driver(after) and is_searching(before)
            is_news = restarted or found or (after is not Status.READY_FOR_PICKUP and not has_driver(after))
            assert len(news) == int(is_news and not stays), (before, after, news)
            assert any("lost the driver" in line for line in news) is (
                restarted and after is not Status.PROVIDER_NOT_FOUND
            )
    assert sorted(taken) == sorted(itertools.product(STATES, STATES))
    contradictions = [one for one in rig.workspace.messages(ALERTS) if "had ended as" in one.text]
    assert len(contradictions) == sum(1 for before, after in taken if is_final(before.value) and before != after)


def cards_of(rig: Rig) -> dict[str, tuple[Message, list[str]]]:
    """The card of each customer by number, with what was said in its thread."""
    threads: dict[str, list[str]] = {}
    for message in rig.news(CENTRO):
        threads.setdefault(str(message.thread_ts), []).append(message.text)
    drawn = {found[1]: card for card in rig.cards(CENTRO) if (found := re.search(r"Walk (\d{3})\.", card.text))}
    return {number: (card, threads.get(card.ts, [])) for number, card in drawn.items()}


async def test_restarted_driver_search_is_announced(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "ACCEPTED")
    await rig.pass_time(31)
    assert (await fact(rig, "Driver")).startswith("Diego Paz · +593987000111 · Rapido · diego@rapido.example · <")
    service_of(rig).book.restart(booking)
    await rig.pass_time(31)
    assert "lost the driver" in lines(rig)[-1]
    assert not await fact(rig, "Driver")
    assert stands(rig).startswith(SEARCHING)
    service_of(rig).advance()
    await rig.pass_time(31)
    assert await fact(rig, "Driver") == snapshot("""Luz Mora · +593987000221 · MotoYa · luz@motoya.example · \
<http://127.0.0.1/driver/······|picture>""")


async def test_ended_request_is_not_polled(rig: Rig) -> None:
    booking = await booked(rig)
    service_of(rig).settle(booking, "COMPLETED")
    await rig.pass_time(31)
    reads = len(service_of(rig).calls_of("get_booking"))
    await rig.pass_time(7_200, steps=8)
    assert len(service_of(rig).calls_of("get_booking")) == reads
    assert "· Delivered*" in card(rig).text


async def test_no_driver_is_an_alarm(rig: Rig) -> None:
    service_of(rig).switches.no_provider = True
    await booked(rig)
    service_of(rig).advance()
    await rig.pass_time(31)
    assert "· No driver found*" in card(rig).text
    alert = rig.workspace.messages(ALERTS)[-1]
    assert "*no driver found*" in alert.text
    assert [button.text for button in alert.buttons] == ["Track", "Cancel", "Refresh"]
    assert "Cancel" in offered(rig)


async def test_card_says_when_it_may_be_outdated(rig: Rig) -> None:
    await booked(rig)
    service_of(rig).switches.suspended = True
    await rig.pass_time(61, steps=2)
    assert "May be out of date. " in card(rig).text.splitlines()[-1]
    service_of(rig).switches.suspended = False
    service_of(rig).advance()
    await rig.pass_time(600, steps=6)
    assert "May be out of date" not in card(rig).text
    assert "Driver on the way to the store" in stands(rig)


@pytest.mark.parametrize("by", ["number", "id"])
async def test_external_booking_is_canceled_by_its_service_number(rig: Rig, by: str) -> None:
    """Nobody here has heard of it: it is looked for in the stores, followed, and canceled like any other."""
    made = service_of(rig).book.create(service_of(rig).store("Centro"), ELSEWHERE)
    named = str(getattr(made, by))
    assert "To cancel it, add a reason" in await deliver(rig, f"cancel {named}")
    assert "not booked here" in card(rig, CENTRO).text
    assert "Canceled: Walk In" in await deliver(rig, f"cancel {named} customer called it off")
    assert made.status == "CANCELLED_BY_BUSINESS"
    assert len(rig.cards(CENTRO)) == 1
    assert "I can't find 999999." in await deliver(rig, "cancel 999999 nobody")


async def test_search_of_an_external_booking_starts_by_its_number(rig: Rig) -> None:
    made = service_of(rig).book.create(service_of(rig).store("Centro"), {**ELSEWHERE, "cookTime": 900_000})
    assert "Looking for a driver: Walk In" in await deliver(rig, f"start {made.number}")
    assert made.status == "READY_FOR_PICKUP"
    assert f"Provider ID: {made.number} · " in await deliver(rig, f"prebook show {made.number}")


ELSEWHERE = {"customerName": "Walk", "customerLastName": "In", "latitude": "-0.19", "longitude": "-78.47"}

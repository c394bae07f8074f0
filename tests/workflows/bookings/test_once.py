"""A booking is made once: lost answers, crashes around the request, forms sent twice."""

import contextlib

import pytest
from inline_snapshot import snapshot

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.payments.payout import GUARD_SECONDS
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from bot.presentation.bookings import forms as views
from tests.support.clock import ManualClock
from tests.support.deliveries import (
    CENTRO,
    FORM,
    STORE_KEY,
    ask_price,
    book,
    card,
    deliver,
    form_text,
    lines,
    open_rig,
    service_of,
    turned,
)
from tests.support.rig import ALERTS, FINANCE, MARIA, OLGA, Rig
from tests.support.shown import shown

pytestmark = pytest.mark.rig(on="both", opened_by=open_rig)


class Crash(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE])
async def test_an_answer_that_was_lost_is_read_and_it_is_booked_once(rig: Rig, kind: FaultKind) -> None:
    service_of(rig).faults.arm(Fault(kind, "create_booking"))
    await book(rig)
    assert "*Unknown*" in card(rig).text
    await rig.pass_time(120, steps=6)
    assert "READY_FOR_PICKUP" in card(rig).text
    assert len(service_of(rig).bookings) == 1
    assert len(service_of(rig).calls_of("create_booking")) == 1
    assert sum("*unknown*" in line for line in lines(rig)) == 1


async def test_a_record_without_our_number_is_found_all_the_same(rig: Rig) -> None:
    service_of(rig).switches.forget_external = True
    service_of(rig).faults.arm(Fault(FaultKind.DONE_DROPPED, "create_booking"))
    await deliver(rig, "webhooks on Centro", user=OLGA)
    await book(rig)
    await service_of(rig).delivered()
    await rig.pass_time(300, steps=10)
    assert "READY_FOR_PICKUP" in card(rig).text
    assert len(rig.cards(FINANCE)) == 1
    assert len(service_of(rig).bookings) == 1
    rows = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open())
    assert len(rows) == 1  # the webhook, which could not tell whose it is, made no second one


async def test_a_row_that_a_webhook_made_of_our_own_booking_joins_it(rig: Rig) -> None:
    service = service_of(rig)
    await deliver(rig, "webhooks on Centro", user=OLGA)
    service.switches.forget_external = True
    service.faults.arm(Fault(FaultKind.DONE_DROPPED, "create_booking"))
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=None))  # our own looking finds nothing out
    await book(rig)
    await service.delivered()
    await rig.pass_time(900, steps=30)
    service.faults.clear()
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open())
    # As if the webhook had been verified long after, while our own looking was still held up.
    made = service.bookings[0]
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.change(row, due_at=None))
    await rig.pass_time(3_700, steps=10)
    assert len(rig.cards(CENTRO)) == 1
    current = await rig.switchboard.context.store.read(lambda tx: tx.bookings.get(row.id))
    assert current is not None
    now = rig.switchboard.context.clock.now()
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.change(current, due_at=now))
    await rig.pass_time(60, steps=2)
    assert made.status in card(rig).text
    assert f"The same delivery as {row.reference}" in rig.cards(CENTRO)[0].text
    assert not rig.cards(CENTRO)[0].buttons


async def test_a_request_that_was_lost_is_never_repeated(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.LOST, "create_booking"))
    await book(rig)
    await rig.pass_time(1_200, steps=40)
    assert "*Not booked*" in card(rig).text
    assert any("*not booked*" in line and f"<@{MARIA}>" in line for line in lines(rig))
    assert shown(rig.workspace.messages(ALERTS)[-1].text) == snapshot(
        ":warning: <@U0MARIA> B-······ (Centro to Ana Lopez) was *not booked*, as far as anybody can read: the "
        "delivery service does not know it. Look at its dashboard before you book it again."
    )
    await rig.pass_time(7_200, steps=20)
    assert not service_of(rig).bookings
    assert len(service_of(rig).calls_of("create_booking")) == 1


async def unanswered(rig: Rig) -> Booking:
    """The one booking whose request was lost."""
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open())
    return row


async def test_nothing_is_said_to_be_lost_before_the_quiet_period_is_over(rig: Rig) -> None:
    service = service_of(rig)
    service.faults.arm(Fault(FaultKind.LOST, "create_booking"))
    await book(rig)
    sent_at = (await unanswered(rig)).sent_at
    assert sent_at is not None
    quiet = rig.switchboard.context.quiet.seconds
    while (left := quiet - (rig.switchboard.context.clock.now() - sent_at).total_seconds()) > 1:
        await rig.pass_time(min(10, left - 1))
    assert (await unanswered(rig)).reads >= 3
    assert (await unanswered(rig)).stage is Stage.UNKNOWN
    await rig.pass_time(300, steps=30)
    assert (await unanswered(rig)).stage is Stage.LOST


async def test_three_readings_prove_that_nothing_was_booked(rig: Rig) -> None:
    service = service_of(rig)
    service.faults.arm(Fault(FaultKind.LOST, "create_booking"))
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=None))
    await book(rig)
    await rig.pass_time(1_200, steps=40)
    service.faults.clear()
    seen: list[tuple[int, Stage]] = []
    while not seen or seen[-1][1] is Stage.UNKNOWN:
        await rig.pass_time(10)
        row = await unanswered(rig)
        seen.append((row.reads, row.stage))
    assert {stage for reads, stage in seen if reads < 3} == {Stage.UNKNOWN}
    assert seen[-1] == (3, Stage.LOST)


async def test_a_request_that_arrives_very_late_is_found_and_told(rig: Rig) -> None:
    service = service_of(rig)
    service.faults.arm(Fault(FaultKind.LOST, "create_booking"))
    await book(rig)
    await rig.pass_time(1_200, steps=40)
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open())
    assert row.stage is Stage.LOST
    fields = {**service.calls_of("create_booking")[0].body, "externalBookingId": row.external_id}  # type: ignore[dict-item]
    service.book.create(service.store("Centro"), fields)
    await rig.pass_time(1_800, steps=4)
    assert "READY_FOR_PICKUP" in card(rig).text
    assert shown(rig.workspace.messages(ALERTS)[-1].text) == snapshot(
        ":rotating_light: B-······ (Centro to Ana Lopez) appeared at the delivery service after all: *searching for "
        "a driver*. If it was booked again, one of the two has to be canceled."
    )


@pytest.mark.parametrize(
    ("kind", "words"),
    [(FaultKind.REFUSED, "did not take it"), (FaultKind.TOO_MANY, "READY_FOR_PICKUP")],
)
async def test_a_no_is_a_no_and_a_wait_is_a_wait(rig: Rig, kind: FaultKind, words: str) -> None:
    service_of(rig).faults.arm(Fault(kind, "create_booking"))
    await book(rig)
    await rig.pass_time(60, steps=4)
    assert words in card(rig).text
    assert len(service_of(rig).bookings) == (0 if kind is FaultKind.REFUSED else 1)


async def test_a_suspended_workspace_refuses_with_its_own_sentence(rig: Rig) -> None:
    await ask_price(rig)
    service_of(rig).switches.suspended = True
    await rig.submit(MARIA, {})
    await rig.settle()
    assert "is suspended at the delivery service" in card(rig).text


@pytest.mark.both_databases
@pytest.mark.parametrize(
    "point",
    [
        "write.before:confirm_booking",
        "write.after:confirm_booking",
        "write.before:claim_booking",
        "write.after:claim_booking",
        "write.before:booked",
        "write.after:booked",
    ],
)
async def test_a_crash_anywhere_around_the_request_books_once(rig: Rig, point: str) -> None:
    await ask_price(rig)
    armed = [True]

    def probe(name: str) -> None:
        if name == point and armed:
            armed.clear()
            raise Crash(name)

    await rig.start_again(probe=probe)
    with contextlib.suppress(Crash):
        await rig.submit(MARIA, {})
    assert not armed
    await rig.start_again(probe=None)
    await rig.settle()
    if rig.workspace.modal(MARIA) is not None and rig.workspace.modal(MARIA).submit:  # type: ignore[union-attr]
        await rig.submit(MARIA, {})  # nobody was told that it worked, so they press again
    await rig.pass_time(1_500, steps=50)
    sent = len(service_of(rig).calls_of("create_booking"))
    assert sent <= 1
    assert len(service_of(rig).bookings) == sent
    words = "READY_FOR_PICKUP" if sent else "*Not booked*"
    assert words in card(rig).text
    assert len(rig.cards(FINANCE)) == 1


async def test_a_claim_that_is_too_old_books_nothing(rig: Rig) -> None:
    """The machine sleeps between the claim and the request."""
    claims, sent = 0, []

    def probe(name: str) -> None:
        nonlocal claims
        if name == "write.after:claim_booking":
            claims += 1
            if claims == 1:
                rig.clock.advance(GUARD_SECONDS + 1)
        if name == "write.before:booked":
            sent.append(len(service_of(rig).calls_of("create_booking")))

    await ask_price(rig)
    await rig.start_again(probe=probe)
    await rig.submit(MARIA, {})
    await rig.settle()
    assert sent == [0, 1]
    assert len(service_of(rig).bookings) == 1


async def test_a_form_confirmed_twice_books_once(rig: Rig) -> None:
    await ask_price(rig)
    ack = await rig.submit(MARIA, {})
    await rig.workspace.resend(ack)
    await rig.settle()
    first = service_of(rig).bookings
    assert len(first) == 1
    assert len(rig.cards(FINANCE)) == 1


async def test_nothing_is_booked_without_the_second_button(rig: Rig) -> None:
    await ask_price(rig)
    await rig.workspace.close(MARIA)
    await rig.pass_time(3_600, steps=4)
    assert not service_of(rig).bookings
    assert not rig.cards(FINANCE)
    await rig.pass_time(25 * 3_600, steps=2)
    counts = await rig.switchboard.context.store.read(lambda tx: tx.bookings.counts())
    assert counts == {}  # who lives where is not kept for nothing


async def test_not_covered_and_an_outage_bring_the_form_back_as_it_was(rig: Rig) -> None:
    await deliver(rig, "book")
    await rig.submit(MARIA, {**FORM, views.POSITION: "-2.2, -79.9"})
    back = await turned(rig, "Not covered")
    assert "12 Market Street" in back
    service_of(rig).faults.arm(Fault(FaultKind.ERROR_500, "quote"))
    await rig.submit(MARIA, {views.POSITION: "-0.185, -78.47"})
    assert "Not covered" not in await turned(rig, "No price right now")
    await rig.submit(MARIA, {})
    await turned(rig, "Delivery fee")
    assert "Centro → Ana Lopez" in form_text(rig)


@pytest.mark.parametrize(
    ("kind", "words"),
    [(FaultKind.ERROR_500, "No price right now"), (FaultKind.REFUSED, "Not covered")],
    ids=["outage", "refusal"],
)
async def test_a_price_that_cannot_be_had_keeps_nobody_from_booking(rig: Rig, kind: FaultKind, words: str) -> None:
    """The service recommends the question before a booking; it does not require it."""
    service_of(rig).faults.arm(Fault(kind, "quote", times=None))
    await deliver(rig, "book")
    await rig.submit(MARIA, FORM)
    assert "tick the box at the end of the form" in await turned(rig, words)
    assert not service_of(rig).bookings
    await rig.submit(MARIA, {views.ANYWAY: views.ANYWAY})
    assert "It can be booked all the same" in await turned(rig, "There is no price")
    await rig.submit(MARIA, {})
    await rig.settle()
    [made] = service_of(rig).bookings
    assert made.fields["customerName"] == "Ana"
    assert "Booked *without a price*, which the service did not give: The " in card(rig).text


async def test_who_books_without_a_price_is_shown_one_that_came_back_meanwhile(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.ERROR_500, "quote"))
    await deliver(rig, "book")
    await rig.submit(MARIA, FORM)
    await turned(rig, "No price right now")
    await rig.submit(MARIA, {views.ANYWAY: views.ANYWAY})
    assert "There is no price" not in await turned(rig, "Delivery fee")


@pytest.mark.rig(on="sqlite", opened_by=None, delivery_base_url="https://d.example")
async def test_without_the_service_nothing_is_asked(rig: Rig) -> None:
    for verb in ("stores", "book", "quote", "prebook", "store add", "show B-222222", "certify"):
        ack = await rig.workspace.slash(MARIA, FINANCE, "/deliver", verb)
        assert "DELIVERY_MASTER_KEY" in str(ack.body), verb
        assert "DELIVERY_BASE_URL" not in str(ack.body)


async def open_with_our_key(database_url: str, *, master_key: str | None) -> Rig:
    """A rig that has a key for a store of its own, and one that lists all stores only if it is given."""
    service = DeliverySimulator()
    service.add_store("Theirs", token=STORE_KEY)
    rig = await Rig.open(
        database_url=database_url,
        clock=ManualClock(),
        delivery=service,
        public_url=None,
        delivery_master_key=master_key,
        delivery_store_keys={"Ours": STORE_KEY},
    )
    await rig.settle()
    return rig


@pytest.mark.rig(on="sqlite", opened_by=open_with_our_key, master_key=None)
async def test_keys_of_stores_do_without_a_master_key(rig: Rig) -> None:
    assert shown(await deliver(rig, "stores")) == snapshot("*1 store*\n• *Ours* (key from the settings)")
    await ask_price(rig, **{views.STORE: "Ours", views.PHONE: "+593 99 123 4567"})
    await rig.submit(MARIA, {})
    await rig.settle()
    assert len(service_of(rig).bookings) == 1
    await rig.workspace.close(MARIA)
    await deliver(rig, "store add", user=OLGA)
    await rig.submit(OLGA, STORE)
    assert "DELIVERY_MASTER_KEY" in await turned(rig, "Stores are made with", user=OLGA)
    assert not [call for call in service_of(rig).calls if call.operation in ("list_stores", "create_store")]


STORE = {
    views.NAME: "Harbour",
    views.EMAIL: "harbour@example.com",
    views.PHONE: "+593 2 234 5678",
    views.ADDRESS: "9 Quay",
    views.POSITION: "-0.2000, -78.4900",
}


@pytest.mark.rig(on="sqlite", opened_by=open_with_our_key, master_key="wrong")
async def test_a_key_from_the_settings_is_enough_for_its_store(rig: Rig) -> None:
    assert "Ours" in await deliver(rig, "store show ours")
    await deliver(rig, "store edit ours")
    await rig.submit(MARIA, {views.NAME: "Renamed there", views.PHONE: "+593 2 234 5678"})
    assert "This is the store now" in await turned(rig, "This is the store now")
    await rig.workspace.close(MARIA)
    assert "Renamed there" in str(service_of(rig).stores[0].fields)
    assert "1 Main Square" in await deliver(rig, "store show ours")  # the settings name it
    said = await deliver(rig, "stores")
    assert "DELIVERY_MASTER_KEY" in said

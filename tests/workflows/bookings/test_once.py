"""A booking is made once: lost answers, crashes around the request, forms sent twice."""

import contextlib
from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.domain.bookings.booking import Booking, Stage
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.workspace import View
from bot.presentation.bookings import forms as views
from bot.presentation.reasons import worded
from bot.workflows.bookings.book import _step
from tests.support.clock import ManualClock
from tests.support.deliveries import (
    CENTRO,
    FORM,
    SEARCHING,
    STORE_KEY,
    ask_price,
    book,
    card,
    deliver,
    lines,
    open_rig,
    service_of,
    stands,
    turned,
)
from tests.support.rig import ALERTS, FINANCE, MARIA, OLGA, Rig
from tests.support.shown import shown
from tests.workflows.bookings.made import planted, stored

GUARD_SECONDS = 5.0

pytestmark = pytest.mark.rig(on="both", opened_by=open_rig)


LOST = snapshot(
    """*Not booked*, as far as Switchboard can see: the answer was lost, and the delivery service does not know it. \
Look at its dashboard before you book it again."""
)
NO_PRICE = snapshot(
    ":warning: *No price right now*: The delivery service answered 500, saying “Internal server error”; try again in "
    "a minute. Nothing was booked. To book it without knowing the price, tick the box at the end of the form."
)


class Crash(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE])
async def test_an_answer_that_was_lost_is_read_and_it_is_booked_once(rig: Rig, kind: FaultKind) -> None:
    service_of(rig).faults.arm(Fault(kind, "create_booking"))
    await book(rig)
    assert stands(rig) == snapshot(
        "*Unknown*: the delivery service did not say whether it took it. Switchboard is looking for it by its own "
        "number; do not book it again."
    )
    await rig.pass_time(120, steps=6)
    assert stands(rig) == SEARCHING
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
    assert stands(rig) == SEARCHING
    assert len(rig.cards(FINANCE)) == 1
    assert len(service_of(rig).bookings) == 1
    rows = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    assert len(rows) == 1  # the webhook, which could not tell whose it is, made no second one


async def test_a_row_that_a_webhook_made_of_our_own_booking_joins_it(rig: Rig) -> None:
    service = service_of(rig)
    await deliver(rig, "webhooks on Centro", user=OLGA)
    service.switches.forget_external = True
    service.faults.arm(Fault(FaultKind.DONE_DROPPED, "create_booking"))
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=None))  # our own looking finds nothing out
    await book(rig)
    await service.delivered()
    await rig.pass_time(900, steps=6)
    service.faults.clear()
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    # As if the webhook had been verified long after, while our own looking was still held up.
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.touch(row, due_at=None))
    await rig.pass_time(3_700, steps=4)
    assert len(rig.cards(CENTRO)) == 1
    current = await rig.switchboard.context.store.read(lambda tx: tx.bookings.get(row.id))
    assert current is not None
    now = rig.switchboard.context.clock.now()
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.touch(current, due_at=now))
    await rig.pass_time(60, steps=2)
    assert stands(rig) == SEARCHING
    assert stands(rig, CENTRO) == snapshot("*The same delivery as B-······*; it goes on there.")
    assert not rig.cards(CENTRO)[0].buttons


async def test_a_lost_request_is_never_repeated_and_found_when_it_arrives_very_late(rig: Rig) -> None:
    service = service_of(rig)
    service.faults.arm(Fault(FaultKind.LOST, "create_booking"))
    await book(rig)
    await rig.pass_time(1_200, steps=12)
    assert stands(rig) == LOST
    for text in (lines(rig)[-1], rig.workspace.messages(ALERTS)[-1].text):
        assert shown(text) == snapshot(
            """:warning: <@U0MARIA> B-······ (Centro to Ana Lopez) was *not booked*, as far as Switchboard can see: \
the delivery service does not know it. Look at its dashboard before you book it again."""
        )
    await rig.pass_time(7_200, steps=8)
    assert not service.bookings
    [call] = service.calls_of("create_booking")
    fields = {**call.body, "externalBookingId": (await unanswered(rig)).external_id}  # type: ignore[dict-item]
    service.book.create(service.store("Centro"), fields)
    await rig.pass_time(1_800, steps=4)
    assert stands(rig) == SEARCHING
    assert shown(rig.workspace.messages(ALERTS)[-1].text) == snapshot(
        ":rotating_light: B-······ (Centro to Ana Lopez) appeared at the delivery service after all: *searching for "
        "a driver*. If it was booked again, one of the two has to be canceled."
    )
    assert len(service.calls_of("create_booking")) == 1


def form(rig: Rig, user: str = MARIA) -> View:
    found = rig.workspace.modal(user)
    assert found is not None
    return found


def problem(rig: Rig, user: str = MARIA) -> str:
    """What a form that came back says first, below its title."""
    return shown(form(rig, user)).splitlines()[1]


async def unanswered(rig: Rig) -> Booking:
    """The one booking whose request was lost."""
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    return row


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            FaultKind.REFUSED,
            snapshot(
                "*Not booked*: the delivery service did not take it. Reason: answer 422, saying “The request "
                "was refused”."
            ),
        ),
        (FaultKind.TOO_MANY, SEARCHING),
    ],
)
async def test_a_no_is_a_no_and_a_wait_is_a_wait(rig: Rig, kind: FaultKind, said: str) -> None:
    service_of(rig).faults.arm(Fault(kind, "create_booking"))
    await book(rig)
    await rig.pass_time(60, steps=4)
    assert stands(rig) == said
    assert len(service_of(rig).bookings) == (0 if kind is FaultKind.REFUSED else 1)


@pytest.mark.parametrize("stage", [Stage.NEW, Stage.UNKNOWN])
async def test_a_booking_whose_store_lost_its_key_is_tried_again_when_the_service_is_read_again(
    rig: Rig, stage: Stage
) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, store="Gone", stage=stage)
    await _step(ctx, ctx.delivery.required(), one)
    after = await stored(rig, one)
    assert (after.stage, after.due_at) == (stage, rig.clock.now() + timedelta(seconds=ctx.poll_seconds))
    assert "Gone" in worded(after.reason)
    assert service_of(rig).calls_of("create_booking") == []


@pytest.mark.parametrize("named", [1, 90])
async def test_a_wait_that_the_service_names_is_the_wait_for_a_booking_and_for_its_state(rig: Rig, named: int) -> None:
    service = service_of(rig)
    service.faults.arm(Fault(FaultKind.TOO_MANY, "create_booking", times=4, wait=str(named)))
    await book(rig)
    for sent in range(1, 5):
        assert len(service.calls_of("create_booking")) == sent
        await rig.pass_time(named - 0.5)
        assert len(service.calls_of("create_booking")) == sent
        await rig.pass_time(0.5)
    assert len(service.bookings) == 1
    service.faults.arm(Fault(FaultKind.TOO_MANY, "get_booking", wait=str(named)))
    await rig.pass_time(30)
    read = len(service.calls_of("get_booking"))
    await rig.pass_time(named)
    assert len(service.calls_of("get_booking")) == read + 1


async def test_a_suspended_workspace_refuses_with_its_own_sentence(rig: Rig) -> None:
    await ask_price(rig)
    service_of(rig).switches.suspended = True
    await rig.submit(MARIA, {})
    await rig.settle()
    assert stands(rig) == snapshot(
        """*Not booked*: the delivery service did not take it. Reason: the service has suspended the workspace, saying \
“This workspace is suspended”; ask it why in the chat of its dashboard; nothing is repeated until then."""
    )


@pytest.mark.parametrize("point", [
    "write.before:confirm_booking", "write.after:confirm_booking", "write.before:claim_booking",
    "write.after:claim_booking", "write.before:booked", "write.after:booked",
])  # fmt: skip
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
    await rig.pass_time(1_500, steps=15)
    sent = len(service_of(rig).calls_of("create_booking"))
    assert sent <= 1
    assert len(service_of(rig).bookings) == sent
    assert stands(rig) == (SEARCHING if sent else LOST)
    assert len(rig.cards(FINANCE)) == 1


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
    assert "12 Market Street" in await turned(rig, "Not covered")
    assert problem(rig) == snapshot(
        ":no_entry_sign: *Not covered*: the delivery service does not deliver this. This address is not covered from "
        "this store. Check the position, or choose another store. To book it without knowing the price, tick the box "
        "at the end of the form."
    )
    service_of(rig).faults.arm(Fault(FaultKind.ERROR_500, "quote"))
    await rig.submit(MARIA, {views.POSITION: "-0.185, -78.47"})
    await turned(rig, "No price right now")
    assert problem(rig) == NO_PRICE
    await rig.submit(MARIA, {})
    await turned(rig, "Delivery fee")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (FaultKind.ERROR_500, NO_PRICE),
        (
            FaultKind.REFUSED,
            snapshot(
                """:no_entry_sign: *No price*: The delivery service says: The request was refused. Nothing was booked. \
To book it without knowing the price, tick the box at the end of the form."""
            ),
        ),
    ],
    ids=["outage", "refusal"],
)
async def test_a_price_that_cannot_be_had_keeps_nobody_from_booking(rig: Rig, kind: FaultKind, said: str) -> None:
    """The service recommends the question before a booking; it does not require it."""
    service_of(rig).faults.arm(Fault(kind, "quote", times=None))
    await deliver(rig, "book")
    await rig.submit(MARIA, FORM)
    await turned(rig, "tick the box at the end of the form")
    assert problem(rig) == said
    assert not service_of(rig).bookings
    await rig.submit(MARIA, {views.ANYWAY: views.ANYWAY})
    await turned(rig, "There is no price")
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
    await turned(rig, "Delivery fee")
    assert shown(form(rig)) == snapshot("""\
Book it at this price?
:moneybag: *Delivery fee 1.97 USD (0.26 USD tax)*
About 12 minutes, 0.54 km
*B-······ · Centro → Ana Lopez*
12 Market Street · -0.1850, -78.4700
Order of 25.50 USD, cash: the driver collects it""")


@pytest.mark.rig(on="sqlite", opened_by=None, delivery_base_url="https://d.example")
async def test_without_the_service_nothing_is_asked(rig: Rig) -> None:
    for verb in ("stores", "book", "quote", "prebook", "store add", "show B-222222", "certify"):
        ack = await rig.workspace.slash(MARIA, FINANCE, "/deliver", verb)
        assert shown(ack.body["text"]) == snapshot(
            ":electric_plug: The delivery service is not configured. The operator has to set `DELIVERY_MASTER_KEY`."
        ), verb


async def open_with_our_key(database_url: str, *, master_key: str | None) -> Rig:
    """A rig that has a key for a store of its own, and one that lists all stores only if it is given."""
    service = DeliverySimulator()
    service.add_store("Theirs", token=STORE_KEY)
    rig = await Rig.open(
        database_url=database_url, clock=ManualClock(), delivery=service, public_url=None,
        delivery_master_key=master_key, delivery_store_keys={"Ours": STORE_KEY},
    )  # fmt: skip
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
    await turned(rig, "Stores are made with", user=OLGA)
    assert problem(rig, OLGA) == snapshot(
        ":warning: Stores are made with DELIVERY_MASTER_KEY, which is missing; the operator can set it."
    )
    assert not [call for call in service_of(rig).calls if call.operation in ("list_stores", "create_store")]


STORE = {
    views.NAME: "Harbour", views.EMAIL: "harbour@example.com", views.PHONE: "+593 2 234 5678", views.ADDRESS: "9 Quay",
    views.POSITION: "-0.2000, -78.4900",
}  # fmt: skip


@pytest.mark.rig(on="sqlite", opened_by=open_with_our_key, master_key="wrong")
async def test_a_key_from_the_settings_is_enough_for_its_store(rig: Rig) -> None:
    known = await deliver(rig, "store show ours")
    assert shown(known) == snapshot("""\
:convenience_store: *Ours*
Address: 1 Main Square
How to find it: Beside the church
Position: -0.1807, -78.4678
Phone: +593 22345678
E-mail: store@example.com""")
    await deliver(rig, "store edit ours")
    await rig.submit(MARIA, {views.NAME: "Renamed there", views.PHONE: "+593 2 234 5678"})
    await turned(rig, "This is the store now: *Ours*")
    await rig.workspace.close(MARIA)
    assert "Renamed there" in str(service_of(rig).stores[0].fields)
    assert await deliver(rig, "store show ours") == known  # the settings name it
    assert shown(await deliver(rig, "stores")) == snapshot(
        ":warning: The operator of Switchboard has to mend this: delivery: the master key is not accepted, saying "
        "“The key is not valid for this operation”; copy it again from the settings of the delivery dashboard into "
        "DELIVERY_MASTER_KEY."
    )

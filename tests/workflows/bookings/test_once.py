"""A booking is made once: lost answers, crashes around the request, forms sent twice."""

import contextlib
from datetime import timedelta

import pytest

from bot.domain.bookings.booking import Stage
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from bot.presentation.bookings import forms as views
from bot.presentation.reasons import worded
from bot.workflows.bookings.book import _step
from tests.support import deliveries
from tests.support.clock import ManualClock
from tests.support.rig import ALERTS, FINANCE, MARIA, OLGA, Rig
from tests.support.shown import shown
from tests.workflows.bookings.made import planted, stored

pytestmark = pytest.mark.rig(on="both", opened_by=deliveries.open_rig)

LOST = "*Ana Lopez · Probably not booked*"


class Crash(BaseException):
    """The process is gone."""


def problem(rig: Rig) -> str:
    """What a form that came back says first, below its title."""
    return shown(rig.form(MARIA)).splitlines()[1]


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE])
async def test_lost_answer_is_looked_up_and_booked_once(rig: Rig, kind: FaultKind) -> None:
    service = deliveries.service_of(rig)
    service.faults.arm(Fault(kind, "create_booking"))
    await deliveries.book(rig)
    assert deliveries.stands(rig).startswith("*Ana Lopez · Not confirmed yet*")
    await rig.pass_time(120, steps=6)
    assert deliveries.stands(rig) == deliveries.SEARCHING
    assert (len(service.bookings), len(service.calls_of("create_booking"))) == (1, 1)
    assert sum("*Not confirmed yet*" in line for line in deliveries.lines(rig)) == 1


async def test_record_without_our_number_is_found(rig: Rig) -> None:
    deliveries.service_of(rig).switches.forget_external = True
    deliveries.service_of(rig).faults.arm(Fault(FaultKind.DONE_DROPPED, "create_booking"))
    await deliveries.deliver(rig, "webhooks on Centro", user=OLGA)
    await deliveries.book(rig)
    await deliveries.service_of(rig).delivered()
    await rig.pass_time(300, steps=10)
    assert deliveries.stands(rig) == deliveries.SEARCHING
    assert len(rig.cards(FINANCE)) == 1
    assert len(deliveries.service_of(rig).bookings) == 1
    rows = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    assert len(rows) == 1  # the webhook, which could not tell whose it is, made no second one


async def test_webhook_row_of_our_booking_is_merged(rig: Rig) -> None:
    service = deliveries.service_of(rig)
    await deliveries.deliver(rig, "webhooks on Centro", user=OLGA)
    service.switches.forget_external = True
    service.faults.arm(Fault(FaultKind.DONE_DROPPED, "create_booking"))
    service.faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=None))  # our own looking finds nothing out
    await deliveries.book(rig)
    await service.delivered()
    await rig.pass_time(900, steps=6)
    service.faults.clear()
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    # As if the webhook had been verified long after, while our own looking was still held up.
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.touch(row, due_at=None))
    await rig.pass_time(3_700, steps=4)
    assert len(rig.cards(deliveries.CENTRO)) == 1
    current = await rig.switchboard.context.store.read(lambda tx: tx.bookings.get(row.id))
    assert current is not None
    now = rig.switchboard.context.clock.now()
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.touch(current, due_at=now))
    await rig.pass_time(60, steps=2)
    assert deliveries.stands(rig) == deliveries.SEARCHING
    assert deliveries.stands(rig, deliveries.CENTRO) == "*Ana Lopez · Duplicate*"
    assert deliveries.is_over(rig, deliveries.CENTRO)


async def test_lost_request_is_never_repeated_and_found_late(rig: Rig) -> None:
    service = deliveries.service_of(rig)
    service.faults.arm(Fault(FaultKind.LOST, "create_booking"))
    await deliveries.book(rig)
    await rig.pass_time(1_200, steps=12)
    assert deliveries.stands(rig).startswith(LOST)
    for text in (deliveries.lines(rig)[-1], rig.workspace.messages(ALERTS)[-1].text):
        assert "*Probably not booked*" in text
    await rig.pass_time(7_200, steps=8)
    assert not service.bookings
    [call] = service.calls_of("create_booking")
    (row,) = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    fields = {**call.body, "externalBookingId": row.external_id}  # type: ignore[dict-item]
    service.book.create(service.store("Centro"), fields)
    await rig.pass_time(1_800, steps=4)
    assert deliveries.stands(rig) == deliveries.SEARCHING
    assert "was booked after all" in rig.workspace.messages(ALERTS)[-1].text
    assert len(service.calls_of("create_booking")) == 1


async def test_refused_booking_is_not_made(rig: Rig) -> None:
    deliveries.service_of(rig).faults.arm(Fault(FaultKind.REFUSED, "create_booking"))
    await deliveries.book(rig)
    await rig.pass_time(60, steps=4)
    assert deliveries.stands(rig).startswith("*Ana Lopez · Not booked* ⏎ Delivery declined it.")
    assert deliveries.service_of(rig).bookings == []


@pytest.mark.parametrize("stage", [Stage.NEW, Stage.UNKNOWN])
async def test_booking_of_a_store_without_key_is_retried(rig: Rig, stage: Stage) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, store="Gone", stage=stage)
    await _step(ctx, ctx.delivery.required(), one)
    after = await stored(rig, one)
    assert (after.stage, after.due_at) == (stage, rig.clock.now() + timedelta(seconds=ctx.poll_seconds))
    assert "Gone" in worded(after.reason)
    assert deliveries.service_of(rig).calls_of("create_booking") == []


@pytest.mark.parametrize("named", [1, 90])
async def test_booking_honors_retry_after(rig: Rig, named: int) -> None:
    service = deliveries.service_of(rig)
    service.faults.arm(Fault(FaultKind.TOO_MANY, "create_booking", times=2, wait=str(named)))
    await deliveries.book(rig)
    for sent in (1, 2):
        await rig.pass_time(named - 0.5)
        assert len(service.calls_of("create_booking")) == sent
        await rig.pass_time(0.5)
    assert len(service.bookings) == 1
    service.faults.arm(Fault(FaultKind.TOO_MANY, "get_booking", wait=str(named)))
    await rig.pass_time(30)
    read = len(service.calls_of("get_booking"))
    await rig.pass_time(named)
    assert len(service.calls_of("get_booking")) == read + 1


@pytest.mark.parametrize("point", [
    "write.before:confirm_booking", "write.after:confirm_booking", "write.before:claim_booking",
    "write.after:claim_booking", "write.before:booked", "write.after:booked",
])  # fmt: skip
async def test_crash_around_the_request_books_once(rig: Rig, point: str) -> None:
    await deliveries.ask_price(rig)
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
    sent = len(deliveries.service_of(rig).calls_of("create_booking"))
    assert sent <= 1
    assert len(deliveries.service_of(rig).bookings) == sent
    assert deliveries.stands(rig).startswith(deliveries.SEARCHING if sent else LOST)
    assert len(rig.cards(FINANCE)) == 1


async def test_only_confirmation_books_and_only_once(rig: Rig) -> None:
    service = deliveries.service_of(rig)
    await deliveries.ask_price(rig)
    await rig.workspace.close(MARIA)
    await rig.pass_time(26 * 3_600, steps=6)
    assert (service.bookings, rig.cards(FINANCE)) == ([], [])
    counts = await rig.switchboard.context.store.read(lambda tx: tx.bookings.counts())
    assert counts == {}  # who lives where is not kept for nothing
    await deliveries.ask_price(rig)
    await rig.workspace.resend(await rig.submit(MARIA, {}))
    await rig.settle()
    assert (len(service.bookings), len(rig.cards(FINANCE))) == (1, 1)


async def test_uncovered_address_reopens_the_form_with_its_values(rig: Rig) -> None:
    await deliveries.deliver(rig, "book")
    await rig.submit(MARIA, {**deliveries.FORM, views.POSITION: "-2.2, -79.9"})
    assert "12 Market Street" in await deliveries.turned(rig, "Not covered")
    assert "outside Centro's delivery area. “This address is not covered from this store”" in problem(rig)
    await rig.submit(MARIA, {views.POSITION: "-0.185, -78.47"})
    await deliveries.turned(rig, "Delivery fee")


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (FaultKind.ERROR_500, ":warning: *No price right now*: Delivery is having problems"),
        (FaultKind.REFUSED, ":no_entry_sign: *No price*: Delivery: The request was refused."),
    ],
    ids=["outage", "refusal"],
)
async def test_missing_price_does_not_prevent_booking(rig: Rig, kind: FaultKind, said: str) -> None:
    """The service recommends the question before a booking; it does not require it."""
    deliveries.service_of(rig).faults.arm(Fault(kind, "quote", times=None))
    await deliveries.deliver(rig, "book")
    await rig.submit(MARIA, deliveries.FORM)
    await deliveries.turned(rig, "tick the box at the end")
    assert problem(rig).startswith(said)
    assert not deliveries.service_of(rig).bookings
    await rig.submit(MARIA, {views.ANYWAY: views.ANYWAY})
    await deliveries.turned(rig, "*No price*")
    await rig.submit(MARIA, {})
    await rig.settle()
    [made] = deliveries.service_of(rig).bookings
    assert made.fields["customerName"] == "Ana"
    assert (await deliveries.fact(rig, "Delivery fee")).startswith("$")


@pytest.mark.rig(on="sqlite", opened_by=None, delivery_base_url="https://d.example")
async def test_unconfigured_delivery_is_not_called(rig: Rig) -> None:
    for verb in ("stores", "book", "quote", "prebook", "store add", "show B-222222", "certify"):
        ack = await rig.workspace.slash(MARIA, FINANCE, "/deliver", verb)
        assert "set `DELIVERY_MASTER_KEY`" in ack.body["text"], verb


async def open_with_our_key(database_url: str, *, master_key: str | None) -> Rig:
    """A rig that has a key for a store of its own, and one that lists all stores only if it is given."""
    service = DeliverySimulator()
    service.add_store("Theirs", token=deliveries.STORE_KEY)
    rig = await Rig.open(
        database_url=database_url,
        clock=ManualClock(),
        delivery=service,
        public_url=None,
        delivery_master_key=master_key,
        delivery_store_keys={"Ours": deliveries.STORE_KEY},
    )
    await rig.settle()
    return rig


@pytest.mark.rig(on="sqlite", opened_by=open_with_our_key, master_key=None)
async def test_store_keys_work_without_a_master_key(rig: Rig) -> None:
    service = deliveries.service_of(rig)
    assert "• *Ours* (key in the settings)" in await deliveries.deliver(rig, "stores")
    await deliveries.ask_price(rig, **{views.STORE: "Ours", views.PHONE: "+593 99 123 4567"})
    await rig.submit(MARIA, {})
    await rig.settle()
    assert len(service.bookings) == 1
    await deliveries.deliver(rig, "store add", user=OLGA)
    await rig.submit(OLGA, {views.NAME: "Harbour", views.ADDRESS: "9 Quay", views.POSITION: "-0.2000, -78.4900"})
    await deliveries.turned(rig, "DELIVERY_MASTER_KEY", user=OLGA)
    assert not [call for call in service.calls if call.operation in ("list_stores", "create_store")]
    for address in ("1 Main Square", "5 New Street"):  # as it was read last
        service.stores[0].fields["fullAddress"] = address
        await deliveries.deliver(rig, "store show ours")
        assert f"• *Ours*: {address} (key in the settings)" in await deliveries.deliver(rig, "stores")


@pytest.mark.rig(on="sqlite", opened_by=open_with_our_key, master_key="wrong")
async def test_store_key_from_the_settings_is_sufficient(rig: Rig) -> None:
    known = await deliveries.deliver(rig, "store show ours")
    assert ":convenience_store: *Ours*" in known
    await deliveries.deliver(rig, "store edit ours")
    await rig.submit(MARIA, {views.NAME: "Renamed there", views.PHONE: "+593 2 234 5678"})
    await deliveries.turned(rig, "Saved. *Ours*")
    await rig.workspace.close(MARIA)
    assert "Renamed there" in str(deliveries.service_of(rig).stores[0].fields)
    assert await deliveries.deliver(rig, "store show ours") == known  # the settings name it
    assert "the master key isn't accepted" in await deliveries.deliver(rig, "stores")

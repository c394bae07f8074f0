"""Answers that never come: one request that hangs delays no other."""

from typing import Any

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from bot.presentation.bookings import forms as views
from tests.flow.localizing import Localizer
from tests.support.deliveries import DELIVERY_POLICY, FORM, STORE_KEY, service_of, turned
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, OLGA, RANDOM, TOM, Rig

FEW = 3

FOR_EVER = 3_600.0
"""Seconds: of an answer, and of every time-out. What waits for one of them does not happen in this test."""

HANGING = {"service_total": FOR_EVER, "slack_total": FOR_EVER}
pytestmark = pytest.mark.rig(on="both", clock=None, around=HANGING)


@pytest.fixture(autouse=True)
def stops_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.workflows.workers.STOP_SECONDS", 0.1)


def hangs(rig: Rig, operation: str, *, times: int = 1, skip: int = 0) -> Fault:
    fault = Fault(FaultKind.SLOW, operation, times=times, skip=skip, seconds=FOR_EVER)
    rig.payments.faults.arm(fault)
    return fault


async def hit(rig: Rig, fault: Fault) -> None:
    await rig.workspace.until(lambda: fault.times == 0)


async def approvable(rig: Rig, amount: str) -> str:
    def there() -> str | None:
        cards = [card for card in rig.cards(APPROVALS) if amount in card.text]
        return next((card.ts for card in cards if any(one.text == "Approve" for one in card.buttons)), None)

    return await rig.workspace.until(there)


async def paid_meanwhile(rig: Rig) -> None:
    """Another person's payout goes all its way: card, approval, commit, completion on card and in thread."""
    await rig.pay("send ana@example.com 31.00 rent", user=TOM)
    ts = await approvable(rig, "31.00")
    await rig.workspace.click(LIN, APPROVALS, ts, "payout.approve")

    def told() -> bool:
        decided = any(card.ts == ts and card.text.startswith("Paid: ") for card in rig.cards(APPROVALS))
        return decided and any(one.text.startswith("*Paid*: $31.00 ") for one in rig.news(FINANCE))

    await rig.workspace.until(told, timeout=30)
    assert ("ana@example.com", 3_100) in rig.paid


async def test_readings_that_hang(rig: Rig) -> None:
    await rig.pay()
    ts = await approvable(rig, "25.00")
    fault = hangs(rig, "get_operation")
    await rig.workspace.click(ADA, APPROVALS, ts, "payout.approve")
    await hit(rig, fault)
    await paid_meanwhile(rig)


async def test_hanging_post_in_another_conversation_delays_nothing(rig: Rig) -> None:
    rig.workspace.faults.arm(fault := Fault(FaultKind.SLOW, "chat.postMessage", seconds=FOR_EVER))
    await rig.pay(channel=RANDOM)
    await hit(rig, fault)
    await paid_meanwhile(rig)


async def everything_hangs(rig: Rig) -> None:
    commit, lookups = hangs(rig, "commit_payout"), hangs(rig, "account_status", times=5, skip=1)
    translations = Fault(FaultKind.SLOW, "paraphrase", times=2, seconds=FOR_EVER)
    rig.localization.faults.arm(translations)
    await rig.pay()
    await rig.workspace.click(ADA, APPROVALS, await approvable(rig, "25.00"), "payout.approve")
    await hit(rig, commit)
    for number in range(5):
        await rig.pay(f"send ana@example.com 2{number}.00 rent")
    for number in range(2):
        await Localizer(rig, user=MARIA, channel=FINANCE).type(f"paraphrase The meeting number {number} was moved.")
    await hit(rig, lookups)
    await hit(rig, translations)


async def test_everything_at_once(rig: Rig) -> None:
    await everything_hangs(rig)
    await paid_meanwhile(rig)


@pytest.mark.postgres
@pytest.mark.rig(on="postgres")
async def test_four_processes_keep_the_guarantees(rig: Rig) -> None:
    for number in range(3):
        await rig.start_another(f"another-{number}", **HANGING)
    await everything_hangs(rig)
    await paid_meanwhile(rig)


async def with_a_store(database_url: str, **variations: Any) -> Rig:
    service = DeliverySimulator()
    service.add_store("Centro", token=STORE_KEY)
    return await Rig.open(
        database_url=database_url,
        policy=DELIVERY_POLICY,
        delivery=service,
        delivery_store_keys={"Centro": STORE_KEY},
        **variations,
    )


booking = pytest.mark.rig(on="sqlite", opened_by=with_a_store, around={**HANGING, "handler_moment": 0.1})


async def ask_price(rig: Rig, user: str) -> None:
    await rig.workspace.slash(user, FINANCE, "/deliver", "book")
    await rig.workspace.until(lambda: rig.workspace.modal(user))
    await rig.workspace.submit(user, {**FORM, views.PHONE: "+593 99 123 4567"})


@booking
async def test_hanging_price_does_not_block_the_form(rig: Rig) -> None:
    fault = Fault(FaultKind.SLOW, "quote", seconds=FOR_EVER)
    service_of(rig).faults.arm(fault)
    await ask_price(rig, MARIA)
    await hit(rig, fault)
    await paid_meanwhile(rig)


@booking
async def test_bookings_that_hang_keep_no_other_waiting(rig: Rig) -> None:
    """As many as may be under way without an answer: then a read finds out whether the service lives."""
    hanging = (MARIA, ADA, OLGA)
    assert len(hanging) == FEW
    for user in (*hanging, TOM):
        await ask_price(rig, user)
        await turned(rig, "Delivery fee", user=user)
    fault = Fault(FaultKind.SLOW, "create_booking", times=FEW, seconds=FOR_EVER)
    service_of(rig).faults.arm(fault)
    for user in hanging:
        await rig.workspace.submit(user, {})
    await hit(rig, fault)
    await rig.workspace.submit(TOM, {})
    await rig.workspace.until(lambda: "· Looking for a driver*" in rig.cards(FINANCE)[-1].text)
    assert ["· Booking*" in card.text for card in rig.cards(FINANCE)] == [True] * FEW + [False], (
        "only the last is Tom's"
    )

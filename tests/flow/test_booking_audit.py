"""What people do to a booking, and what becomes of it, is in the audit, and told as a story."""

import re

import pytest

from bot.domain.references import derived_key
from bot.playground.faults import Fault, FaultKind
from bot.presentation.bookings import forms as views
from tests.support.deliveries import (
    CENTRO,
    FORM,
    ask_price,
    book,
    booked,
    deliver,
    fact,
    form_text,
    lines,
    open_rig,
    prebook,
    reference_of,
    service_of,
    step,
    turned,
)
from tests.support.rig import ADA, FINANCE, MARIA, OLGA, SECRET_KEY, TOM, ZOE, Rig
from tests.support.rows import audit_rows, verify
from tests.support.store_events import made_elsewhere

pytestmark = pytest.mark.rig(opened_by=open_rig)


async def audit(rig: Rig, *, user: str = OLGA, text: str = "") -> list[str]:
    reference = text or reference_of(rig)
    before = len(rig.workspace.ephemerals(user))
    await rig.workspace.slash(user, FINANCE, "/switchboard", f"audit {reference}")
    answer = await rig.workspace.until(lambda: rig.workspace.ephemerals(user)[before:])
    return [line.split("  ", 1)[-1] for line in answer[-1].text.splitlines()]


async def test_history_of_a_canceled_booking(rig: Rig) -> None:
    await booked(rig, cook="15")
    await deliver(rig, f"start {reference_of(rig)}", user=ADA)
    await rig.pass_time(31)
    await deliver(rig, f"cancel {reference_of(rig)} customer called it off", user=TOM)
    title, *told = await audit(rig)
    assert title.endswith("now canceled by the store")
    people = [line for line in told if line.startswith("<@")]
    assert [line.partition(">")[0][2:] for line in people] == [MARIA, ADA, TOM]
    assert people[-1].endswith("requested to cancel it. Reason: customer called it off.")
    assert told[-1] == "*canceled by the store*. Reason: customer called it off."


async def test_fee_is_equal_everywhere(rig: Rig) -> None:
    await ask_price(rig)
    [fee] = re.findall(r"Delivery fee (\$[\d.]+ \(\$[\d.]+ tax\))", form_text(rig))
    await rig.submit(MARIA, {})
    await rig.pass_time(31)
    assert await fact(rig, "Delivery fee") == fee  # the booking's own record was read by now
    assert (await audit(rig))[1] == f"<@{MARIA}> booked it, an order of 25.50, for a fee of {fee}."


async def test_history_of_a_booking_without_price(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.ERROR_500, "quote", times=None))
    await deliver(rig, "book")
    await rig.submit(MARIA, FORM)
    await turned(rig, "No price right now")
    await rig.submit(MARIA, {views.ANYWAY: views.ANYWAY})
    await turned(rig, "*No price*")
    await rig.submit(MARIA, {})
    assert (await audit(rig))[1].startswith(
        f"<@{MARIA}> booked it, an order of 25.50, without a price: Delivery is having problems"
    )


async def test_history_shows_a_lost_answer(rig: Rig) -> None:
    service_of(rig).faults.arm(Fault(FaultKind.DONE_DROPPED, "create_booking"))
    await book(rig)
    await rig.pass_time(120, steps=6)
    told = await audit(rig)
    assert told[3].startswith("Not confirmed; won't be resent.")
    assert told[4].startswith("Delivery accepted it as number")


async def test_whose_story_may_be_read(rig: Rig) -> None:
    await booked(rig)
    assert len(await audit(rig, user=MARIA)) > 2
    assert len(await audit(rig, user=ADA)) > 2
    for unknown in (await audit(rig, user=ZOE), await audit(rig, text="B-ZZZZZZ")):
        assert unknown[0].startswith(":pencil2: I can't find B-")


async def test_unconfirmed_form_has_no_history(rig: Rig) -> None:
    await deliver(rig, "book")
    rows = await rig.switchboard.context.store.read(audit_rows)
    assert rows == []


async def test_history_of_a_prebooking(rig: Rig) -> None:
    await prebook(rig)
    reference = reference_of(rig)
    await deliver(rig, f"prebook cancel {reference} no")
    told = await audit(rig)
    assert told[1] == f"<@{MARIA}> requested a link for the customer's address, an order of 25.50."
    assert told[2] == "Sent to Delivery (attempt 1)."
    assert told[3] == "The link for the customer was created."
    assert told[-1] == "The pre-booking was canceled."


async def test_history_of_an_external_booking(rig: Rig) -> None:
    await deliver(rig, "webhooks on Centro", user=OLGA)
    await made_elsewhere(rig)
    told = await audit(rig, text=reference_of(rig, CENTRO))
    assert told[1] == "Reported by a webhook: it was booked outside of Switchboard."


async def test_booking_audit_verifies_and_names_no_customer(rig: Rig) -> None:
    await booked(rig)
    await step(rig)
    rows = await rig.switchboard.context.store.read(audit_rows)
    assert verify(key=derived_key(SECRET_KEY, "audit"), rows=rows).bad_seq is None
    said = str(rows)
    assert not [word for word in ("Lopez", "991234567", "Market Street", views.NOTES) if word in said]


@pytest.mark.parametrize("is_booking", [True, False])
@pytest.mark.parametrize("user", [MARIA, TOM])
async def test_news_name_who_canceled_except_the_requester(rig: Rig, user: str, is_booking: bool) -> None:
    await (booked(rig) if is_booking else prebook(rig))
    verb = "cancel" if is_booking else "prebook cancel"
    await deliver(rig, f"{verb} {reference_of(rig)} no", user=user)
    assert f"<@{user}> requested to cancel it. Reason: no." in await audit(rig)
    told = [line for line in lines(rig) if "*canceled*" in line]
    assert [f"<@{MARIA}>" in line and "Tom Berg" in line for line in told] == ([] if user == MARIA else [True])

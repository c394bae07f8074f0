"""Bookings as people see them: within Slack's limits whatever stands in them, and calling nobody but their own."""

import re
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.bookings import record as records
from bot.domain.bookings.booking import Act, Booking, BookingKind, Stage
from bot.domain.reasons import Reason, Verbatim
from bot.domain.reasons import given as own_words
from bot.presentation.bookings import answers, details
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import forms as views
from bot.presentation.bookings import lines as booking_lines
from tests.presentation.bookings.moments import MARIA, NOW, booking
from tests.presentation.checks import calls_in, check_message

NOTES_LIMIT = 250

WORST = '<!channel> <@U0EVE> <http://evil.example|pay here> & "quotes" \u202e ' + "x" * 900
THEIRS = Reason(Verbatim.GIVEN, text=WORST)
URL = "https://track.example.com/" + "a" * 440


_DRIVER = records.Driver(name=WORST, mobile=WORST, email=WORST, image=URL, provider=WORST)
_REST = {f"{number}{WORST[:50]}": WORST[:200] for number in range(20)}
BOOKED = records.BookingRecord(
    id=WORST, status=WORST, numeric_id=WORST, external_id=WORST, tracking_url=URL, detail_url=URL, proof=URL, fee=WORST,
    driver=_DRIVER, orders=(records.Order(provider=WORST, status=WORST, driver=_DRIVER, rest=_REST),) * 50,
    validation_code=WORST, customer=WORST, address=WORST, amount=WORST, payment_method=WORST, cancel_reason=WORST,
)  # fmt: skip
PREBOOKED = records.PrebookingRecord(
    id=WORST, url=URL, booking_id=WORST, status=WORST, external_id=WORST, customer=WORST, amount=WORST, rest=_REST
)


def loaded(text: str, **changes: Any) -> Booking:
    """Everything that a service or a person may have filled in."""
    plain = booking().request
    assert plain is not None
    short = text[:60]
    request = plain.model_copy(
        update={"name": short, "last_name": short, "address": text[:200], "notes": text[:NOTES_LIMIT]}
    )
    detail = {
        "tracking_url": URL, "proof": URL, "link": URL, "fee": text[:500], "currency": text[:500],
        "cancel_reason": text[:500], "validation_code": text[:500],
        "driver": {"name": text, "mobile": text, "provider": text, "email": text, "image": URL},
        "detail_url": URL, "closed": {"by": MARIA},
        "orders": [
            {"provider": f"{text}{n}", "status": text, "driver": {"name": text, "image": URL}, "rest": {text: text}}
            for n in range(22)
        ],
        "driver_reported": True, "reported": {"status": text, "at": NOW.isoformat()},
        "history": [[NOW.isoformat(), "READY_FOR_PICKUP"]] * 30, "customer": text, "address": text,
        "quote": {"fee": text, "currency": text, "tax": text, "fee_with_tax": text, "eta": text, "distance": text},
    }  # fmt: skip
    values = {"request": request, "detail": detail, "reason": own_words(text), "numeric_id": text, "store": text[:75]}
    return booking(**{**values, **changes})


def ours(content: Any) -> set[str]:
    """Calls that may appear: who asked, instants, and addresses that were checked when they were read."""
    return {call for call in calls_in(content) if not call.startswith(("https://", "!date^")) and call != f"@{MARIA}"}


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("kind", BookingKind)
def test_largest_card_fits(stage: Stage, kind: BookingKind) -> None:
    for status in (*records.Status, WORST, ""):
        one = loaded(WORST, stage=stage, kind=kind, status=str(status), search_at=NOW + timedelta(minutes=9))
        shown = [booking_cards.card(one, now=NOW)]
        if not status:
            shown.append(details.details(one, now=NOW, unread=THEIRS))
        for content in shown:
            check_message(content)
            assert not ours(content)


@pytest.mark.parametrize("topic", booking_lines._TOPICS)
@pytest.mark.parametrize("status", [*records.Status, WORST])
def test_any_line(topic: str, status: str) -> None:
    facts = {
        "topic": topic, "status": str(status), "now": WORST, "before": WORST,
        "change": records.StatusChange.MOVED.value, "driver": {"name": WORST, "mobile": WORST, "provider": WORST},
        "reason": THEIRS.stored(), "proof": URL, "by": MARIA, "said": WORST, "other": WORST,
    }  # fmt: skip
    content = booking_lines.line(loaded(WORST), facts)
    check_message(content)
    assert not ours(content)
    stored = booking_lines.of_store(WORST, {**facts, "id": WORST})
    check_message(stored)
    assert not ours(stored)


def test_every_answer() -> None:
    line = records.KnownStore(name=WORST[:75], record={"address": WORST}, usable=False)
    hook = records.HookState(kind=records.WebhookKind.DRIVER, host=WORST, ours=False, trouble=THEIRS)
    quoted = records.Quote(fee=WORST, fee_with_tax=WORST, tax=WORST, currency=WORST, eta=WORST, distance=WORST)
    for content in (
        deliveries.stores([line] * 100, command="/deliver"),
        deliveries.store(WORST, {"address": WORST, "email": WORST, "latitude": WORST}),
        deliveries.hooks(WORST, [hook, hook], turned_on=True),
        deliveries.priced(WORST, quoted),
        answers.acted(loaded(WORST), Act.CANCEL, trouble=THEIRS),
        answers.acted(loaded(WORST), Act.CANCEL, trouble=None),
        deliveries.of_booking(deliveries.SAY_WHY, loaded(WORST), command="/deliver"),
        deliveries.elsewhere(loaded(WORST)),
        deliveries.no_stores("/deliver"),
        deliveries.record(WORST, BOOKED),
        deliveries.prebooking(WORST, PREBOOKED, command="/deliver"),
    ):
        check_message(content, longest=40_000)
        assert not ours(content)


def test_certification_checklist_shows_full_and_empty_state() -> None:
    seen = {point: records.Evidence(count=999, last=NOW, what=WORST) for point in records.Point}
    states = [
        records.SeenState(word=f"{WORST} {number}", status=f"{WORST} {number}", what="B-4F7K2M") for number in range(60)
    ]
    for content in (
        answers.checklist(seen, states, command="/deliver"),
        answers.checklist({}, [], command="/sb-deliver"),
    ):
        check_message(content, longest=40_000)
        assert not ours(content)
    text = answers.as_file(seen, states, command="/deliver", now=NOW)
    rows = [row for row in text.splitlines() if row.startswith("| ")]
    assert len(rows) == len(records.Point) + len(states) + 2
    assert all(row.replace("\\|", "").count("|") == 5 for row in rows)


@pytest.mark.parametrize(("left", "words"), [(900, "starts"), (1, "starts"), (0, "was due"), (-9, "was due")])
def test_when_the_search_starts(left: int, words: str) -> None:
    held = booking(status="ON_HOLD", search_at=NOW + timedelta(seconds=left))
    assert booking_cards.explanation(held, now=NOW).startswith(f"Driver search {words} <!date^")


def test_one_minute_is_one_minute() -> None:
    request = booking().request
    assert request is not None
    soon = booking(request=request.model_copy(update={"cook_minutes": 1}))
    for shown in (str(details.details(soon, now=NOW).blocks), str(views.confirm(soon)["blocks"])):
        assert re.findall("1 minutes?", shown) == ["1 minute"]


@pytest.mark.parametrize(
    ("fee", "tax", "shown"), [("4.14", "0.62", " ($0.62 tax)"), ("4.14", "", " ($0.62 tax)"), ("4.76", "", "")]
)
def test_fee_includes_tax_shown_in_brackets(fee: str, tax: str, shown: str) -> None:
    quoted = records.Quote(fee=fee, fee_with_tax="4.76", tax=tax, currency="USD")
    assert deliveries.quote_lines(quoted) == [f":moneybag: *Delivery fee $4.76{shown}*"]


@pytest.mark.parametrize(("fee", "shown"), [
    ("", "$4.76 ($0.62 tax), as quoted"), ("4.14", "$4.76 ($0.62 tax)"),
    ("4.76", "$4.76 ($0.62 tax)"), ("9.99", "$9.99"),
], ids=["not read yet", "the record says it without tax", "and with", "another one was charged"])  # fmt: skip
def test_details_show_the_fee_of_the_form(fee: str, shown: str) -> None:
    quoted = {"fee": "4.14", "fee_with_tax": "4.76", "tax": "0.62", "currency": "USD"}
    said = details.details(booking(detail={"quote": quoted, "fee": fee}), now=NOW).text
    assert [line for line in said.splitlines() if "fee" in line] == [f"Delivery fee: {shown}"]


def test_booking_without_price_says_so_until_its_fee_is_known() -> None:
    unpriced = {"unpriced": "The delivery service answered 500."}
    said = ":warning: Booked without a price."
    assert said in booking_cards.card(booking(detail=unpriced), now=NOW).text
    assert (
        "Delivery fee: Not known. The delivery service answered 500."
        in details.details(booking(detail=unpriced), now=NOW).text
    )
    known = booking(detail={**unpriced, "fee": "4.14", "currency": "USD"})
    assert said not in booking_cards.card(known, now=NOW).text
    assert "Delivery fee: $4.14" in details.details(known, now=NOW).text

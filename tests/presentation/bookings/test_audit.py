"""The audit of a booking as a story: each action in its sentence."""

from datetime import timedelta
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.reasons import given, stored
from bot.presentation.bookings.lines import _SAID, story
from tests.presentation.bookings.moments import NOW, booking
from tests.presentation.checks import lines_of

WORTH = {"amount": "25.50", "fee": "4.76", "tax": "0.62", "currency": "USD"}
DETAIL: dict[str, dict[str, Any]] = {
    "booked": WORTH, "prebooked": {"amount": "25.50"}, "joined": {"other": "B-2B2B2B"},
    "taken": {"number": "1042", "status": "ACCEPTED"}, "refused": {"reason": stored(given("the store is closed"))},
    "moved": {"status": "COMPLETED"},
}  # fmt: skip


def told(action: str, **detail: Any) -> VerifiedRow:
    """Two hours after the booking was made."""
    at = NOW + timedelta(hours=2)
    entry = Entry(at=at, instruction_id="i", actor="U0MARIA", action=action, before="", after="", detail=detail)
    return VerifiedRow(seq=1, entry=entry, is_intact=True)


def said(action: str, **detail: Any) -> str:
    """One line without its time."""
    return story(booking(), [told(action, **detail)]).text.splitlines()[1].split("  ", 1)[1]


def test_each_action_has_its_sentence() -> None:
    assert lines_of([said(action, **DETAIL.get(action, {})) for action in _SAID]) == snapshot("""\
<@U0MARIA> booked it, an order of 25.50, for a fee of $4.76 ($0.62 tax).
<@U0MARIA> requested a link for the customer's address, an order of 25.50.
Reported by a webhook: it was booked outside of Switchboard.
<@U0MARIA> named it by its provider ID: it was booked outside of Switchboard.
Matched to B-2B2B2B.
Sent to Delivery (attempt 1).
That attempt had no effect; will be sent again.
Delivery accepted it as number 1042: *driver on the way to the store*.
The link for the customer was created.
Delivery declined it. Reason: the store is closed.
Not confirmed; won't be resent.
Delivery doesn't list it: probably not booked.
*delivered*.
<@U0MARIA> requested to start the driver search.
<@U0MARIA> requested to cancel it.
Delivery confirmed it.
Delivery didn't do it.
Not confirmed; checking the booking instead.
The pre-booking was canceled.
Still not confirmed whether a link was created.
<@U0MARIA> found it in the dashboard.
<@U0MARIA> didn't find it in the dashboard, and closed it.\
""")


@pytest.mark.parametrize(("detail", "worth"), [
    ({}, "booked it."), ({"amount": "25.50"}, "booked it, an order of 25.50."),
    ({"fee": "4.14"}, "booked it, for a fee of 4.14."),
    ({"fee": "4.14", "currency": "USD"}, "booked it, for a fee of $4.14."),
    (WORTH, "booked it, an order of 25.50, for a fee of $4.76 ($0.62 tax)."),
    ({**WORTH, "unpriced": "no answer"}, "booked it, an order of 25.50, without a price: no answer."),
])  # fmt: skip
def test_booked_line_shows_the_price(detail: dict[str, Any], worth: str) -> None:
    assert said("booked", **detail) == f"<@U0MARIA> {worth}"


def test_missing_facts_are_omitted() -> None:
    assert said("taken", status="ACCEPTED") == snapshot("Delivery accepted it: *driver on the way to the store*.")
    assert said("moved") == snapshot("*unknown state (?)*.")
    assert said("joined") == snapshot("Matched to another one.")
    assert said("turned_round") == snapshot("<@U0MARIA>: turned round.")

"""What people see of a booking at every moment: its card, whole, the line in its thread for each event, each state."""

import re
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.bookings.record import Status
from bot.domain.reasons import given, stored
from bot.presentation.bookings import cards, details, lines
from tests.presentation.bookings.moments import MARIA, NOW, TOO_FAR, booking, moments
from tests.presentation.checks import alike, check_message, lines_of, seen

ON_EVERY_CARD = {"Ana Lopez", "Centro", "$25.50 cash", "25.50 cash", "B-4F7K2M"}


def every() -> dict[str, str]:
    """Moment -> what the card says besides customer, store, order and reference."""
    found = {}
    for name, one in moments().items():
        card = cards.card(one, now=NOW)
        check_message(card)
        text = seen(card).replace("Luis Mora · +593 98 765 4321", "(driver)")
        lines = [[part for part in line.split(" · ") if part not in ON_EVERY_CARD] for line in text.splitlines()]
        found[name] = "\n".join(" · ".join(parts) for parts in lines if parts)
        assert {"Ana Lopez", "Centro", "B-4F7K2M"} <= set(text.replace("\n", " · ").split(" · ")), name
    return found


def test_moments_cover_every_stage_and_status() -> None:
    found = moments().values()
    assert {one.stage for one in found} == set(Stage)
    assert {one.known_status for one in found} >= set(Status)


def test_card_shows_its_stage_and_allowed_buttons() -> None:
    assert lines_of(alike(every())) == snapshot("""\
quoted: Not booked ⏎ It isn't confirmed. ⏎ [… Refresh, Details]
new, sending: Booking ⏎ [… Details]
new, waits: Booking ⏎ The delivery service has not answered since 2026-11-20 11:00 UTC. ⏎ [… Details]
unknown: Not confirmed yet ⏎ Checking with the provider. Don't book it again. ⏎ [… Refresh, Details]
lost: Probably not booked ⏎ The provider doesn't list it. Check the delivery dashboard before you book it again. ⏎ [… \
Refresh, Details]
refused: Not booked ⏎ Delivery declined it. Reason: “too far away”. ⏎ [Book again] [… Details]
dropped, dropped, a pre-booking: Canceled ⏎ [Book again] [… Details]
waiting: Waiting for the address ⏎ Send the customer this link: <https://address.example.com/a1> ⏎ [… Refresh, Cancel, \
Details]
unknown, a pre-booking, lost, a pre-booking: Link not confirmed ⏎ Look in the delivery dashboard, then press *I found \
it* or *It isn't there*. Don't request another link yet. ⏎ [I found it] [It isn't there] [… Refresh, Details]
closed, a pre-booking: Closed ⏎ [Book again] [… Details] ⏎ <@U0TOM> reported that no link was created
on hold: Preparing ⏎ Driver search starts 2026-11-20 12:09 UTC ⏎ [… Start the search, Refresh, Cancel, Book again, \
Details]
READY_FOR_PICKUP: Looking for a driver ⏎ [Track] [… Refresh, Cancel, Book again, Details]
ACCEPTED: Driver on the way to the store ⏎ (driver) ⏎ [Track] [… Refresh, Cancel, Book again, Details]
ARRIVED_AT_PICKUP: Driver at the store ⏎ (driver) ⏎ [Track] [… Refresh, Cancel, Book again, Details]
WAY_TO_DELIVER: On the way ⏎ (driver) ⏎ [Track] [… Refresh, Cancel, Book again, Details]
ARRIVED_AT_DELIVERY: Driver at the door ⏎ (driver) ⏎ [Track] [… Refresh, Cancel, Book again, Details]
COMPLETED: Delivered ⏎ [Book again] [… Details] ⏎ Luis Mora
PROVIDER_NOT_FOUND: No driver found ⏎ No courier took it. Cancel it, or search again in the delivery dashboard. ⏎ \
[Track] [… Refresh, Cancel, Book again, Details]
CANCELLED_BY_BUSINESS: Canceled ⏎ [Book again] [… Details] ⏎ By the store · Luis Mora
CANCELLED_BY_ADMIN: Canceled ⏎ [Book again] [… Details] ⏎ By the provider · Luis Mora
CANCELLED_BY_DELIVERY_PROVIDER: Canceled ⏎ [Book again] [… Details] ⏎ By the courier · Luis Mora
NOT_DELIVERED: Not delivered ⏎ (driver) ⏎ The customer didn't get it. ⏎ [Track] [… Refresh, Book again, Details]
RETURNING: Coming back to the store ⏎ (driver) ⏎ [Track] [… Refresh, Book again, Details]
RETURNED: Returned to the store ⏎ [Book again] [… Details] ⏎ Luis Mora
a word nobody knows: Unknown state ⏎ (driver) ⏎ It may have ended. An admin can add this state: use the switchboard \
command with `unread`. ⏎ [Track] [… Refresh, Cancel, Book again, Details]
a cancellation nobody knows: Canceled ⏎ [Book again] [… Details] ⏎ “heavy rain” · Luis Mora
behind: Driver on the way to the store ⏎ (driver) _(reported, not confirmed)_ ⏎ [… Refresh, Cancel, Book again, \
Details] ⏎ :octagonal_sign: Stopped by an internal error (`0badcafe`). An admin can try it again in the alerts \
channel. ⏎ :grey_question: Reported as on the way, not confirmed. ⏎ :warning: May be out of date. Couldn't reach \
Delivery. ⏎ :warning: Booked without a price.
made elsewhere: Driver on the way to the store ⏎ [… Refresh, Cancel, Details] ⏎ not booked here
the same delivery: Duplicate ⏎ [… Details] ⏎ Duplicate of B-4F7K2M. Follow it there · not booked here\
""")


def test_details_show_every_fact_to_members() -> None:
    card = details.details(moments()["WAY_TO_DELIVER"], now=NOW)
    check_message(card)
    assert seen(card) == snapshot("""\
Ana Lopez · On the way
*Driver*: Luis Mora · +593 98 765 4321 · Rayo · luis@rayo.example · <https://d.example.com/luis.png|picture> | \
*Couriers*: Rayo: accepted, Ciclo: rejected (3 calls) | *Customer*: Ana Lopez · +593 991234567 | *Address*: 12 Market \
Street · <https://www.openstreetmap.org/?mlat=-0.18&mlon=-78.46#map=17/-0.18/-78.46|map> | *Store*: Centro | *Order*: \
$25.50 in cash, collected by the driver | *Delivery fee*: $4.76 ($0.62 tax) | *Prep time*: 15 minutes | *Delivery \
code*: 7731 | *Live map*: <https://track.example.com/1042|open>
*Provider's page*: <https://d.example.com/1042|open> | *Booked by*: <@U0MARIA> | *Provider status*: `WAY_TO_DELIVER` \
| *Provider ID*: 1042 · 652f7a1e | *Reference*: B-4F7K2M · our ID 01E
*Calls to couriers*: • *Rayo* · withdrawn · searchNumber: 1
• *Rayo* · accepted · Luis Mora · +593 98 765 4321 · Rayo · luis@rayo.example · \
<https://d.example.com/luis.png|picture> · fee: 1.50 · vehicle.kind: bike
• *Ciclo* · rejected · page: <https://o.example.com/2|open>""")
    for line in seen(card).replace(" | ", "\n").splitlines():
        assert re.sub(r"^\*([^*]+)\*:", r"\1:", line) in card.text or line.partition(": ")[2] in card.text, line


def moved(status: str, **more: Any) -> dict[str, Any]:
    return {"topic": "moved", "status": status, "driver": {"name": "Luis Mora"}, **more}


def unverified(**more: Any) -> dict[str, Any]:
    return {"topic": "unverified", "reason": stored(given("the delivery service gave no answer")), **more}


LUIS = {"name": "Luis Mora", "mobile": "+593 98 765 4321", "provider": "Rayo"}


@pytest.mark.parametrize(("facts", "words"), [
    *((moved(status), f"*{word}*") for status, word in {
        "ON_HOLD": "Preparing", "READY_FOR_PICKUP": "Looking for a driver", "ARRIVED_AT_PICKUP": "Driver at the store",
        "WAY_TO_DELIVER": "On the way", "ARRIVED_AT_DELIVERY": "Driver at the door", "COMPLETED": "Delivered",
        "PROVIDER_NOT_FOUND": "No driver found", "CANCELLED_BY_BUSINESS": "canceled by the store",
        "CANCELLED_BY_ADMIN": "canceled by the provider", "CANCELLED_BY_DELIVERY_PROVIDER": "canceled by the courier",
        "NOT_DELIVERED": "Not delivered", "RETURNING": "Coming back to the store", "RETURNED": "Returned to the store",
    }.items()),
    (moved("ACCEPTED"), "Driver found for (it): Luis Mora"),
    (moved("COMPLETED", proof="https://proof.example.com/1"), "<https://proof.example.com/1|see it>"),
    (moved("CANCELLED_BY_ADMIN", by=MARIA, reason="asked for twice"), "Maria *canceled* the delivery to (it): “asked"),
    (moved("NOT_DELIVERED", reason="nobody opened", call=MARIA), "<@U0MARIA> *Not delivered*: (it): “nobody opened”"),
    (moved("PROVIDER_NOT_FOUND", before="ACCEPTED", change="restarted", call=MARIA), "<@U0MARIA> *No driver found*"),
    (moved("LOST_IN_FOG"), "*unknown state* `LOST_IN_FOG`. It may have ended; I keep checking."),
    (moved("READY_FOR_PICKUP", before="ACCEPTED", change="restarted"), "(it) lost the driver. Looking for another"),
    ({"topic": "driver", "driver": LUIS}, "Driver found for (it): Luis Mora · +593 98 765 4321 · Rayo"),
    ({"topic": "driver", "driver": LUIS, "reported": True}, "_(reported, not confirmed)_"),
    (unverified(said="COMPLETED"), "(it) was reported as *delivered*. The delivery service gave no answer."),
    (unverified(), "(it) was reported to have a driver."),
    ({"topic": "unknown"}, "*Not confirmed yet*: (it). Checking with the provider. Don't book it again."),
    ({"topic": "lost"}, "<@U0MARIA> *Probably not booked*: (it)."), ({"topic": "no_provider"}, "*no driver found*"),
    ({"topic": "dropped"}, ":x: (it) was *canceled* before an address was entered."), ({"topic": "other"}, "(it)"),
    ({"topic": "dropped", "by": "U0TOM", "call": MARIA}, "<@U0MARIA> (it) was *canceled* by Tom before"),
    ({"topic": "closed", "by": "U0TOM", "call": MARIA}, "(it) was *closed* by Tom: no link was created."),
    ({"topic": "undecided"}, "the link for (it) is *not confirmed*, and still unchecked."),
    ({"topic": "found_late", "status": "ACCEPTED"}, "If it was booked again, cancel one of the two."),
    ({"topic": "refused", "reason": TOO_FAR.stored()}, "<@U0MARIA> *Not booked*: (it). Delivery declined it."),
    ({"topic": "started", "by": MARIA}, "Maria started the driver search for (it)."),
    ({"topic": "contradiction", "status": "COMPLETED", "now": "RETURNING"}, "now reports *coming back to the store*."),
])  # fmt: skip
def test_line_in_the_thread_tells_the_event(facts: dict[str, Any], words: str) -> None:
    content = lines.line(booking(), facts, names={MARIA: "Maria", "U0TOM": "Tom"})
    assert words in content.text.replace("Ana Lopez (B-4F7K2M)", "(it)")
    assert "Ana Lopez (B-4F7K2M)" in content.text


def test_lost_prebooking_mentions_who_must_check() -> None:
    lost = booking(kind=BookingKind.PREBOOKING, stage=Stage.UNKNOWN, status="", reference="V-4F7K2M")
    said = lines.line(lost, {"topic": "unknown", "call": MARIA}).text
    assert "<@U0MARIA> The link for Ana Lopez (V-4F7K2M) is *not confirmed*." in said


def test_store_line_names_its_booking() -> None:
    said = lines.of_store("Centro", unverified(said="COMPLETED", id="1042")).text
    assert "booking `1042` of Centro was reported as *delivered*. The delivery service gave no answer." in said


def test_address_link_has_a_qr_code() -> None:
    link = "https://address.example.com/a1"
    one = moments()["waiting"]
    assert lines_of(lines.picture(one, link=link)) == snapshot("""\
Address link of B-4F7K2M
QR code of the address link of B-4F7K2M: https://address.example.com/a1
:link: <@U0MARIA> Send this link to Ana Lopez (B-4F7K2M): <https://address.example.com/a1> ⏎ The driver search starts \
when the address is entered.""")


def test_address_cannot_break_out_of_its_link() -> None:
    def link(url: str) -> str:
        waiting = booking(kind=BookingKind.PREBOOKING, stage=Stage.WAITING, detail={"link": url})
        return cards.card(waiting, now=NOW).text.partition("this link: ")[2].partition("\n")[0]

    assert link("https://x.example/a|b?c=1&d=2") == "<https://x.example/a%7Cb?c=1&amp;d=2>"
    assert link("javascript:alert(1)") == "in the thread"


def test_cancellation_names_reason_and_person() -> None:
    why = {"cancel_reason": "customer called it off"}
    for status in ("CANCELLED_BY_BUSINESS", "NOT_DELIVERED", "COMPLETED"):
        said = cards.explanation(booking(status=status, detail=why), now=NOW)
        assert ("customer called it off" in said) == (status != "COMPLETED")
    ours = {"cancel": {"by": "U0TOM", "reason": "called it off", "done": True}}
    assert cards.explanation(booking(status="CANCELLED_BY_BUSINESS", detail=ours), now=NOW) == (
        "By <@U0TOM>: “called it off”"
    )


def test_proof_is_a_button_only_if_it_is_a_link() -> None:
    def shown(proof: str) -> str:
        return seen(cards.card(booking(stage=Stage.ENDED, status="COMPLETED", detail={"proof": proof}), now=NOW))

    assert "[Proof]" in shown("https://proof.example.com/1")
    assert "Proof: code 7731" in shown("code 7731")
    assert "Proof" not in shown("")


def test_cards_show_no_enum_names_or_masked_values() -> None:
    for name, card in every().items():
        for status in Status:
            assert status.value not in card or name == "a word nobody knows", (name, status)
        assert "••" not in card
        assert "991234567" not in card
        assert "12 Market Street" not in card

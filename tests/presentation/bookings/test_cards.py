"""What people see of a booking at every moment: its card, whole, the line in its thread for each event, each state."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.bookings.record import Status, StatusChange
from bot.domain.reasons import given, stored
from bot.presentation.bookings import cards, lines
from tests.presentation.bookings.moments import MARIA, NOW, TOO_FAR, booking, moments
from tests.presentation.checks import check_message, lines_of, seen

BEFORE = """*Customer*: Ana Lopez · +593 •••• | *Address*: •••• | *Order*: $25.50, cash: the driver collects it \
| *Fee*: $4.76 ($0.62 tax), as quoted | *Cook time*: 15 minutes"""
THERE = """*Driver*: Luis Mora · +593 98 765 4321 · Rayo · luis@rayo.example · \
<https://d.example.com/luis.png|picture> | *Providers*: Rayo: accepted, Ciclo: rejected (3 calls) | *Follow it*: \
<https://track.example.com/1042|where it is now> | *Booking page*: \
<https://d.example.com/1042|at the delivery service> | *Customer*: Ana Lopez · +593 •••• | *Address*: •••• | *Order*: \
$25.50, cash: the driver collects it | *Fee*: $4.76 ($0.62 tax) | *Cook time*: 15 minutes | *Delivery code*: \
••••
*Number at the service*: 1042 | *Asked by*: <@U0MARIA>"""
"""Facts that most cards have, before it is at the service and then."""


def every() -> dict[str, str]:
    """Moment -> the card without its headline, and without the facts that most have."""
    found = {}
    for name, one in moments().items():
        card = cards.card(one, now=NOW)
        check_message(card)
        text = seen(card).removeprefix("B-4F7K2M · Centro → Ana Lopez\n")
        found[name] = text.replace(THERE, "(what is known there)").replace(BEFORE, "(what was asked for)")
    return found


def test_no_stage_and_no_status_is_forgotten() -> None:
    found = moments().values()
    assert {one.stage for one in found} == set(Stage)
    assert {one.known_status for one in found} >= set(Status)


def test_a_booking() -> None:
    assert lines_of(every()) == snapshot("""\
quoted: *Not booked*: nobody has confirmed it. ⏎ (what was asked for) | *Asked by*: <@U0MARIA> ⏎ [Show contact]
new: *Being sent* to the delivery service. ⏎ (what was asked for) | *Asked by*: <@U0MARIA> ⏎ [Show contact]
new, waits: *Being sent* to the delivery service. The delivery service has not answered since 2026-11-20 11:00 UTC. ⏎ \
(what was asked for) | *Asked by*: <@U0MARIA> ⏎ [Show contact]
sending: *Being sent* to the delivery service. ⏎ (what was asked for) | *Asked by*: <@U0MARIA> ⏎ [Show contact]
unknown: *Unknown*: the delivery service did not say whether it took it. Switchboard is looking for it by its own \
number; do not book it again. ⏎ (what was asked for) | *Asked by*: <@U0MARIA> ⏎ :warning: No answer (timed out). ⏎ \
[Refresh] [Show contact]
lost: *Not booked*, as far as Switchboard can see: the answer was lost, and the delivery service does not know it. \
Look at its dashboard before you book it again. ⏎ (what was asked for) | *Asked by*: <@U0MARIA> ⏎ [Refresh] [Show \
contact]
refused: *Not booked*: the delivery service did not take it. Reason: answer 422, saying “too far away”. ⏎ (what was \
asked for) | *Asked by*: <@U0MARIA>
dropped: *Canceled*: it was called off; nothing will be delivered. ⏎ (what was asked for) | *Asked by*: <@U0MARIA>
waiting: *Waiting for the address*: send the customer the link below. The search starts when it is entered. ⏎ (what \
was asked for) | *Address link*: <https://address.example.com/a1> | *Asked by*: <@U0MARIA> ⏎ [Cancel] [Refresh] [Show \
contact]
dropped, a pre-booking: *Canceled*: the pre-booking was called off; nothing will be delivered. ⏎ (what was asked for) \
| *Asked by*: <@U0MARIA>
unknown, a pre-booking: *Not confirmed*: whether the link was made. Look in the delivery dashboard, then press *I \
found it* or *It is not there*. Don't ask for another link yet. ⏎ (what was asked for) | *Asked by*: <@U0MARIA> ⏎ [I \
found it] [It is not there] [Refresh] [Show contact]
lost, a pre-booking: *Not confirmed*: whether the link was made. Look in the delivery dashboard, then press *I found \
it* or *It is not there*. Don't ask for another link yet. ⏎ (what was asked for) | *Asked by*: <@U0MARIA> ⏎ [I found \
it] [It is not there] [Refresh] [Show contact]
closed, a pre-booking: *Closed* by <@U0TOM>: the link was not made. ⏎ (what was asked for) | *Asked by*: <@U0MARIA>
on hold: ⬜⬜⬜⬜⬜⬜  0 of 6 ⏎ :cook: *On hold* · `ON_HOLD`. 9 minutes of cook time left; the search for a driver \
starts 2026-11-20 12:09 UTC. ⏎ (what was asked for) | *Number at the service*: 1042 | *Asked by*: <@U0MARIA> ⏎ [Start \
search] [Cancel] [Refresh] [Show contact]
READY_FOR_PICKUP: 🟩⬜⬜⬜⬜⬜  1 of 6 ⏎ :mag: *Searching for a driver* · `READY_FOR_PICKUP`. ⏎ (what is known there) \
⏎ [Track] [Cancel] [Refresh] [Show contact]
ACCEPTED: 🟩🟩⬜⬜⬜⬜  2 of 6 ⏎ :bust_in_silhouette: *Driver assigned* · `ACCEPTED`. ⏎ (what is known there) ⏎ \
[Track] [Cancel] [Refresh] [Show contact]
ARRIVED_AT_PICKUP: 🟩🟩🟩⬜⬜⬜  3 of 6 ⏎ :convenience_store: *Driver at the store* · `ARRIVED_AT_PICKUP`. ⏎ (what is \
known there) ⏎ [Track] [Cancel] [Refresh] [Show contact]
WAY_TO_DELIVER: 🟩🟩🟩🟩⬜⬜  4 of 6 ⏎ :motor_scooter: *On the way* · `WAY_TO_DELIVER`. ⏎ (what is known there) ⏎ \
[Track] [Cancel] [Refresh] [Show contact]
ARRIVED_AT_DELIVERY: 🟩🟩🟩🟩🟩⬜  5 of 6 ⏎ :door: *Driver at the door* · `ARRIVED_AT_DELIVERY`. ⏎ (what is known \
there) ⏎ [Track] [Cancel] [Refresh] [Show contact]
COMPLETED: 🟩🟩🟩🟩🟩🟩  6 of 6 ⏎ :white_check_mark: *Completed* · `COMPLETED`. ⏎ (what is known there)
PROVIDER_NOT_FOUND: 🟩⬜⬜⬜⬜⬜  1 of 6 ⏎ :warning: *No driver found* · `PROVIDER_NOT_FOUND`. Nobody took it. Cancel \
it, or ask the delivery service to search again. ⏎ (what is known there) ⏎ [Track] [Cancel] [Refresh] [Show contact]
CANCELLED_BY_BUSINESS: :x: *Canceled by the business* · `CANCELLED_BY_BUSINESS`. ⏎ (what is known there)
CANCELLED_BY_ADMIN: :x: *Canceled by the delivery service* · `CANCELLED_BY_ADMIN`. ⏎ (what is known there)
CANCELLED_BY_DELIVERY_PROVIDER: :x: *Canceled by the delivery provider* · `CANCELLED_BY_DELIVERY_PROVIDER`. ⏎ (what \
is known there)
NOT_DELIVERED: 🟩🟩🟩🟩🟩⬜  5 of 6 ⏎ :warning: *Not delivered* · `NOT_DELIVERED`. The customer did not get it. ⏎ \
(what is known there) ⏎ [Track] [Refresh] [Show contact]
RETURNING: 🟩🟩🟩🟩🟩⬜  5 of 6 ⏎ :leftwards_arrow_with_hook: *Coming back to the store* · `RETURNING`. ⏎ (what is \
known there) ⏎ [Track] [Refresh] [Show contact]
RETURNED: 🟩🟩🟩🟩🟩⬜  5 of 6 ⏎ :leftwards_arrow_with_hook: *Returned to the store* · `RETURNED`. ⏎ (what is known \
there)
a word nobody knows: 🟩🟩🟩🟩⬜⬜  4 of 6 ⏎ :grey_question: *Unknown state* · `LOST_IN_FOG`. It may have ended. An \
admin can add the line for this state: use the switchboard command with `unread`. ⏎ (what is known there) ⏎ [Track] \
[Cancel] [Refresh] [Show contact]
a cancellation nobody knows: :x: *Canceled (CANCELED_BY_RAIN)*. Reason: heavy rain. ⏎ (what is known there)
behind: 🟩🟩⬜⬜⬜⬜  2 of 6 ⏎ :bust_in_silhouette: *Driver assigned* · `ACCEPTED`. ⏎ *Driver*: Luis Mora · +593 98 \
765 4321 · Rayo · luis@rayo.example · <https://d.example.com/luis.png|picture> _(reported, not confirmed)_ | \
*Customer*: Ana Lopez · +593 •••• | *Address*: •••• | *Order*: 25.50, cash: the driver collects it | *Fee*: not known \
yet | *Cook time*: 15 minutes | *Number at the service*: 1042 | *Asked by*: <@U0MARIA> ⏎ :octagonal_sign: Switchboard \
stopped here after an internal error (`0badcafe`). An admin can have it tried again in the alerts channel. ⏎ \
:grey_question: Reported as on the way, *not verified* by reading it. ⏎ :warning: This may be behind: The delivery \
service gave no answer. ⏎ :warning: Booked *without a price*, which the service did not give: The delivery service \
answered 500. ⏎ [Cancel] [Refresh] [Show contact]
made elsewhere: 🟩🟩⬜⬜⬜⬜  2 of 6 ⏎ :bust_in_silhouette: *Driver assigned* · `ACCEPTED`. ⏎ *Customer*: Ana Lopez | \
*Address*: •••• | *Order*: 25.50, cash: the driver collects it | *Fee*: $4.76 ⏎ Made outside of Switchboard; the \
delivery service told of it. ⏎ [Cancel] [Refresh] [Show contact]
the same delivery: *The same delivery as B-4F7K2M*; it goes on there. ⏎ *Customer*: Ana Lopez | *Address*: •••• | \
*Order*: 25.50, cash: the driver collects it | *Fee*: $4.76 ⏎ Made outside of Switchboard; the delivery service \
told of it.""")


def test_the_same_for_one_who_may_see_all_of_it() -> None:
    card = cards.card(moments()["WAY_TO_DELIVER"], now=NOW, private=True)
    check_message(card)
    assert seen(card) == snapshot("""\
B-4F7K2M · Centro → Ana Lopez
🟩🟩🟩🟩⬜⬜  4 of 6
:motor_scooter: *On the way* · `WAY_TO_DELIVER`.
*Driver*: Luis Mora · +593 98 765 4321 · Rayo · luis@rayo.example · <https://d.example.com/luis.png|picture> | \
*Providers*: Rayo: accepted, Ciclo: rejected (3 calls) | *Follow it*: <https://track.example.com/1042|where it is now> \
| *Booking page*: <https://d.example.com/1042|at the delivery service> | *Customer*: Ana Lopez · +593 991234567 | \
*Address*: 12 Market Street · <https://www.openstreetmap.org/?mlat=-0.18&mlon=-78.46#map=17/-0.18/-78.46|map> | \
*Order*: $25.50, cash: the driver collects it | *Fee*: $4.76 ($0.62 tax) | *Cook time*: 15 minutes | \
*Delivery code*: 7731
*Number at the service*: 1042 | *Asked by*: <@U0MARIA>
*Calls to providers*: • *Rayo* · withdrawn · searchNumber: 1
• *Rayo* · accepted · Luis Mora · +593 98 765 4321 · Rayo · luis@rayo.example · \
<https://d.example.com/luis.png|picture> · fee: 1.50 · vehicle.kind: bike
• *Ciclo* · rejected · page: <https://o.example.com/2|open>""")
    assert card.text == snapshot("""\
*Delivery B-4F7K2M · Centro → Ana Lopez*
:motor_scooter: *On the way* · `WAY_TO_DELIVER`.
Driver: Luis Mora · +593 98 765 4321 · Rayo · luis@rayo.example · <https://d.example.com/luis.png|picture>
Providers: Rayo: accepted, Ciclo: rejected (3 calls)
Follow it: <https://track.example.com/1042|where it is now>
Booking page: <https://d.example.com/1042|at the delivery service>
Customer: Ana Lopez · +593 991234567
Address: 12 Market Street · <https://www.openstreetmap.org/?mlat=-0.18&mlon=-78.46#map=17/-0.18/-78.46|map>
Order: $25.50, cash: the driver collects it
Fee: $4.76 ($0.62 tax)
Cook time: 15 minutes
Delivery code: 7731
Number at the service: 1042
Asked by: <@U0MARIA>
*Calls to providers*
• *Rayo* · withdrawn · searchNumber: 1
• *Rayo* · accepted · Luis Mora · +593 98 765 4321 · Rayo · luis@rayo.example · \
<https://d.example.com/luis.png|picture> · fee: 1.50 · vehicle.kind: bike
• *Ciclo* · rejected · page: <https://o.example.com/2|open>""")


EVENTS: list[dict[str, Any]] = [
    *({"topic": "moved", "status": status.value, "driver": {"name": "Luis Mora"}} for status in Status),
    {"topic": "moved", "status": "COMPLETED", "proof": "https://proof.example.com/1"},
    {"topic": "moved", "status": "CANCELLED_BY_ADMIN", "by": MARIA, "reason": "asked for twice"},
    {"topic": "moved", "status": "NOT_DELIVERED", "reason": "nobody opened", "call": MARIA},
    {"topic": "moved", "status": "PROVIDER_NOT_FOUND", "before": "ACCEPTED", "change": "restarted", "call": MARIA},
    {"topic": "moved", "status": "LOST_IN_FOG"},
    {"topic": "moved", "status": "READY_FOR_PICKUP", "before": "ACCEPTED", "change": StatusChange.RESTARTED.value},
    {"topic": "driver", "driver": {"name": "Luis Mora", "mobile": "+593 98 765 4321", "provider": "Rayo"}},
    {"topic": "driver", "driver": {"name": "Luis Mora"}, "reported": True},
    {"topic": "unverified", "said": "COMPLETED", "reason": stored(given("the delivery service says ACCEPTED"))},
    {"topic": "unverified", "reason": stored(given("the delivery service gave no answer"))},
    *({"topic": topic} for topic in ("unknown", "lost", "no_provider", "dropped", "other")),
    {"topic": "dropped", "by": "U0TOM", "call": MARIA},
    {"topic": "closed", "by": "U0TOM", "call": MARIA},
    {"topic": "undecided"},
    {"topic": "found_late", "status": "ACCEPTED"},
    {"topic": "refused", "reason": TOO_FAR.stored()},
    {"topic": "started", "by": MARIA},
    {"topic": "contradiction", "status": "COMPLETED", "now": "RETURNING"},
]


def test_lines() -> None:
    named = {MARIA: "Maria", "U0TOM": "Tom"}
    assert lines_of([lines.line(booking(), facts, names=named).text for facts in EVENTS]) == snapshot("""\
:cook: B-4F7K2M (Centro to Ana Lopez): *on hold*.
:mag: B-4F7K2M (Centro to Ana Lopez): *searching for a driver*.
:bust_in_silhouette: B-4F7K2M (Centro to Ana Lopez): *driver assigned*, Luis Mora.
:convenience_store: B-4F7K2M (Centro to Ana Lopez): *driver at the store*.
:motor_scooter: B-4F7K2M (Centro to Ana Lopez): *on the way*.
:door: B-4F7K2M (Centro to Ana Lopez): *driver at the door*.
:white_check_mark: B-4F7K2M (Centro to Ana Lopez) is *completed*: it was delivered.
:warning: B-4F7K2M (Centro to Ana Lopez): *no driver found*. Cancel it, or have it searched for again in the delivery \
dashboard.
:x: B-4F7K2M (Centro to Ana Lopez) is *canceled by the business*.
:x: B-4F7K2M (Centro to Ana Lopez) is *canceled by the delivery service*.
:x: B-4F7K2M (Centro to Ana Lopez) is *canceled by the delivery provider*.
:warning: B-4F7K2M (Centro to Ana Lopez): *not delivered*.
:leftwards_arrow_with_hook: B-4F7K2M (Centro to Ana Lopez): *coming back to the store*.
:leftwards_arrow_with_hook: B-4F7K2M (Centro to Ana Lopez): *returned to the store*.
:white_check_mark: B-4F7K2M (Centro to Ana Lopez) is *completed*: it was delivered. Proof of delivery: \
<https://proof.example.com/1|see it>
:x: B-4F7K2M (Centro to Ana Lopez) is *canceled by the delivery service*, asked by Maria. Reason: asked for twice.
:warning: <@U0MARIA> B-4F7K2M (Centro to Ana Lopez): *not delivered*. Reason: nobody opened.
:warning: <@U0MARIA> B-4F7K2M (Centro to Ana Lopez): *no driver found*. Cancel it, or have it searched for again in \
the delivery dashboard.
:grey_question: B-4F7K2M (Centro to Ana Lopez): *unknown state* `LOST_IN_FOG`. It may have ended; I keep checking.
:repeat: B-4F7K2M (Centro to Ana Lopez): *search restarted*. The driver is gone, and every provider is asked again \
(from driver assigned to searching for a driver).
:bust_in_silhouette: B-4F7K2M (Centro to Ana Lopez): driver Luis Mora · +593 98 765 4321 · Rayo.
:bust_in_silhouette: B-4F7K2M (Centro to Ana Lopez): driver Luis Mora _(reported, not confirmed)_.
:grey_question: B-4F7K2M (Centro to Ana Lopez): the service says that it is *completed*. This is *unverified*: the \
delivery service says ACCEPTED.
:grey_question: B-4F7K2M (Centro to Ana Lopez): the service says that it has a driver. This is *unverified*: the \
delivery service gave no answer.
:grey_question: B-4F7K2M (Centro to Ana Lopez): whether it was booked is *unknown*. It is looked for by our own \
number and not booked again.
:warning: <@U0MARIA> B-4F7K2M (Centro to Ana Lopez) was *not booked*, as far as Switchboard can see: the delivery \
service does not know it. Look at its dashboard before you book it again.
:warning: B-4F7K2M (Centro to Ana Lopez): no driver was found. It has to be canceled or searched for again.
:x: B-4F7K2M (Centro to Ana Lopez) was *canceled* before an address was entered.
:package: B-4F7K2M (Centro to Ana Lopez) has changed.
:x: <@U0MARIA> B-4F7K2M (Centro to Ana Lopez) was *canceled* by Tom before an address was entered.
:x: <@U0MARIA> B-4F7K2M (Centro to Ana Lopez) was *closed* by Tom: the link was not made.
:warning: B-4F7K2M (Centro to Ana Lopez): the link is *not confirmed*, and nobody has decided. Look in the delivery \
dashboard, then press *I found it* or *It is not there*.
:rotating_light: B-4F7K2M (Centro to Ana Lopez) appeared at the delivery service after all: *driver assigned*. If it \
was booked again, one of the two has to be canceled.
:x: <@U0MARIA> B-4F7K2M (Centro to Ana Lopez) was *not booked*: the delivery service did not take it. Reason: answer \
422, saying “too far away”.
:mag: B-4F7K2M (Centro to Ana Lopez): Maria started the search for a driver.
:rotating_light: B-4F7K2M (Centro to Ana Lopez) had ended as *completed*; now the delivery service says *coming back \
to the store*. The card keeps what was final.""")


def test_a_pre_booking_whose_answer_was_lost_calls_who_has_to_look() -> None:
    lost = booking(kind=BookingKind.PREBOOKING, stage=Stage.UNKNOWN, status="", reference="V-4F7K2M")
    assert lines.line(lost, {"topic": "unknown", "call": MARIA}).text == snapshot(""":grey_question: <@U0MARIA> \
V-4F7K2M (Centro to Ana Lopez): the link is *not confirmed*. Look in the delivery dashboard, then press *I found it* \
or *It is not there*.""")


def test_a_line_of_a_store() -> None:
    facts = {"said": "COMPLETED", "id": "1042", "reason": stored(given("the delivery service gave no answer"))}
    assert lines.of_store("Centro", facts).text == snapshot("""\
:grey_question: Centro: the service says that the booking `1042` is *completed*. This is *unverified*: the delivery \
service gave no answer.""")


def test_the_picture_of_an_address_link() -> None:
    link = "https://address.example.com/a1"
    one = moments()["waiting"]
    assert lines_of(lines.picture(one, link=link)) == snapshot("""\
Address link of B-4F7K2M
QR code of the address link of B-4F7K2M: https://address.example.com/a1
:link: <@U0MARIA> send this link to the customer of B-4F7K2M (Centro to Ana Lopez); the search for a driver starts \
when the address is entered: <https://address.example.com/a1>""")


def test_an_address_cannot_end_its_own_link() -> None:
    def link(url: str) -> str:
        waiting = booking(kind=BookingKind.PREBOOKING, stage=Stage.WAITING, detail={"link": url})
        return cards.card(waiting, now=NOW).text.partition("Address link: ")[2].partition("\n")[0]

    assert link("https://x.example/a|b?c=1&d=2") == "<https://x.example/a%7Cb?c=1&amp;d=2>"
    assert link("javascript:alert(1)") == "in the thread"


WHY = given("the reason")


def test_words_that_nobody_knows() -> None:
    found = {}
    for status in ("CANCELLED_BY_RAIN", "Odd <One>"):
        one = booking(status=status)
        shown = (cards.symbol(status), cards.word(status), cards.progress(one), cards.sentence(one, now=NOW))
        found[status] = " | ".join(shown)
    assert lines_of(found) == snapshot("""\
CANCELLED_BY_RAIN: :x: | canceled (CANCELLED_BY_RAIN) |  | :x: *Canceled (CANCELLED_BY_RAIN)*.
Odd <One>: :grey_question: | unknown state (Odd &lt;One&gt;) | ⬜⬜⬜⬜⬜⬜  0 of 6 | :grey_question: *Unknown state* \
· `Odd &lt;One&gt;`. It may have ended. An admin can add the line for this state: use the switchboard command with \
`unread`.""")


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage not in (Stage.OPEN, Stage.ENDED)])
def test_what_is_lost_or_dropped_is_told_by_its_kind_before_the_service_says_anything(stage: Stage) -> None:
    """What each stage says stands on its card: see test_cards."""
    told = {cards.sentence(booking(stage=stage, kind=kind, reason=WHY, status=""), now=NOW) for kind in BookingKind}
    assert len(told) == {Stage.DROPPED: 3, Stage.UNKNOWN: 2, Stage.LOST: 2}.get(stage, 1)


def test_a_second_search_is_counted() -> None:
    moved = [[NOW.isoformat(), "READY_FOR_PICKUP"], [NOW.isoformat(), "ACCEPTED"]]
    once = booking(status="READY_FOR_PICKUP", detail={"history": moved})
    assert cards.sentence(once, now=NOW) == snapshot(":mag: *Searching for a driver* · `READY_FOR_PICKUP`.")
    twice = booking(status="READY_FOR_PICKUP", detail={"history": [*moved, moved[0]]})
    assert cards.sentence(twice, now=NOW) == snapshot(
        ":mag: *Searching for a driver* · `READY_FOR_PICKUP`. Search number 2."
    )


def test_an_unknown_status_leaves_the_progress_where_it_was() -> None:
    history = [[NOW.isoformat(), "ACCEPTED"], [NOW.isoformat(), "WAY_TO_DELIVER"], [NOW.isoformat(), "ODD"]]
    assert cards.progress(booking(status="ODD", detail={"history": history})).endswith("  4 of 6")
    assert cards.progress(booking(status="ODD")).endswith("  0 of 6")
    assert cards.progress(booking(status="ACCEPTED", stage=Stage.WAITING)) == ""


def test_what_was_canceled_says_why() -> None:
    why = {"cancel_reason": "customer called it off"}
    for status in ("CANCELLED_BY_BUSINESS", "NOT_DELIVERED", "COMPLETED"):
        said = cards.sentence(booking(status=status, detail=why), now=NOW)
        assert ("customer called it off" in said) == (status != "COMPLETED")

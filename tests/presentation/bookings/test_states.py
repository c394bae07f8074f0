"""Every state of the delivery service: our word, its picture, how far along it is, and what is said of it."""

from datetime import timedelta

from inline_snapshot import snapshot

from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.bookings.record import Status
from bot.domain.reasons import given
from bot.presentation.bookings import cards
from tests.presentation.bookings.moments import NOW, booking

WHY = given("the reason")


def test_each_status() -> None:
    found = [
        f"{cards.symbol(status)} {cards.word(status)} {cards.progress(booking(status=str(status)))}"
        for status in (*Status, "CANCELLED_BY_RAIN", "Odd <One>")
    ]
    assert found == snapshot(
        [
            ":cook: on hold ⬜⬜⬜⬜⬜⬜  0 of 6",
            ":mag: searching for a driver 🟩⬜⬜⬜⬜⬜  1 of 6",
            ":bust_in_silhouette: driver assigned 🟩🟩⬜⬜⬜⬜  2 of 6",
            ":convenience_store: driver at the store 🟩🟩🟩⬜⬜⬜  3 of 6",
            ":motor_scooter: on the way 🟩🟩🟩🟩⬜⬜  4 of 6",
            ":door: driver at the door 🟩🟩🟩🟩🟩⬜  5 of 6",
            ":white_check_mark: completed 🟩🟩🟩🟩🟩🟩  6 of 6",
            ":warning: no driver found 🟩⬜⬜⬜⬜⬜  1 of 6",
            ":x: canceled by the business ",
            ":x: canceled by the delivery service ",
            ":x: canceled by the delivery provider ",
            ":warning: not delivered 🟩🟩🟩🟩🟩⬜  5 of 6",
            ":leftwards_arrow_with_hook: coming back to the store 🟩🟩🟩🟩🟩⬜  5 of 6",
            ":leftwards_arrow_with_hook: returned to the store 🟩🟩🟩🟩🟩⬜  5 of 6",
            ":x: canceled (CANCELLED_BY_RAIN) ",
            ":package: Odd &lt;One&gt; ⬜⬜⬜⬜⬜⬜  0 of 6",
        ]
    )


def test_where_each_status_stands() -> None:
    found = [cards.sentence(booking(status=str(status)), now=NOW) for status in (*Status, "CANCELLED_BY_RAIN", "Odd")]
    assert found == snapshot(
        [
            ":cook: *On hold* · `ON_HOLD`. The search for a driver starts when the cook time is over.",
            ":mag: *Searching for a driver* · `READY_FOR_PICKUP`.",
            ":bust_in_silhouette: *Driver assigned* · `ACCEPTED`.",
            ":convenience_store: *Driver at the store* · `ARRIVED_AT_PICKUP`.",
            ":motor_scooter: *On the way* · `WAY_TO_DELIVER`.",
            ":door: *Driver at the door* · `ARRIVED_AT_DELIVERY`.",
            ":white_check_mark: *Completed* · `COMPLETED`.",
            """:warning: *No driver found* · `PROVIDER_NOT_FOUND`. Nobody took it. Cancel it, or ask the delivery \
service to search again.""",
            ":x: *Canceled by the business* · `CANCELLED_BY_BUSINESS`.",
            ":x: *Canceled by the delivery service* · `CANCELLED_BY_ADMIN`.",
            ":x: *Canceled by the delivery provider* · `CANCELLED_BY_DELIVERY_PROVIDER`.",
            ":warning: *Not delivered* · `NOT_DELIVERED`. The customer did not get it.",
            ":leftwards_arrow_with_hook: *Coming back to the store* · `RETURNING`.",
            ":leftwards_arrow_with_hook: *Returned to the store* · `RETURNED`.",
            ":x: *Canceled (CANCELLED_BY_RAIN)*.",
            ":package: *Odd*. The service uses a word that Switchboard does not know; it counts as under way.",
        ]
    )


def test_where_each_stage_stands_before_the_service_says_anything() -> None:
    found: dict[str, list[str]] = {}
    for stage in Stage:
        for kind in BookingKind:
            if stage not in (Stage.OPEN, Stage.ENDED):
                said = cards.sentence(booking(stage=stage, kind=kind, reason=WHY, status=""), now=NOW)
                found.setdefault(said, []).append(f"{kind} {stage}")
    assert {", ".join(names): said for said, names in found.items()} == snapshot(
        {
            "booking quoted, prebooking quoted, foreign quoted": "*Not booked*: nobody has confirmed it.",
            "booking new, prebooking new, foreign new, booking sending, prebooking sending, foreign sending": """\
*Being sent* to the delivery service. The reason.""",
            "booking unknown, prebooking unknown, foreign unknown": """*Unknown*: the delivery service did not say \
whether it took it. Switchboard is looking for it by its own number; do not book it again.""",
            "booking waiting, prebooking waiting, foreign waiting": """*Waiting for the address*: send the customer \
the link below. The search starts when it is entered.""",
            "booking refused, prebooking refused, foreign refused": """*Not booked*: the delivery service did not take \
it. Reason: the reason.""",
            "booking lost, prebooking lost, foreign lost": """*Not booked*, as far as Switchboard can see: the answer \
was lost, and the delivery service does not know it. Look at its dashboard before you book it again.""",
            "booking dropped": "*Canceled*: it was called off; nothing will be delivered.",
            "prebooking dropped": "*Canceled*: the pre-booking was called off; nothing will be delivered.",
            "foreign dropped": "*The same delivery as the reason*; it goes on there.",
        }
    )


def test_a_booking_on_hold_says_when_the_search_starts() -> None:
    soon = booking(status="ON_HOLD", search_at=NOW + timedelta(minutes=9))
    assert cards.sentence(soon, now=NOW) == snapshot(
        """:cook: *On hold* · `ON_HOLD`. 9 minutes of cook time left; the search for a driver starts \
<!date^1795176540^{date_short_pretty} {time}|2026-11-20 12:09 UTC>."""
    )


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

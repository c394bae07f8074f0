"""Every state of the delivery service: our word, its picture, how far along it is, and what is said of it."""

from datetime import timedelta

import pytest
from inline_snapshot import snapshot

from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.reasons import given
from bot.presentation.bookings import cards
from tests.presentation.bookings.moments import NOW, booking
from tests.presentation.checks import lines_of

WHY = given("the reason")


def test_words_that_nobody_knows() -> None:
    found = {}
    for status in ("CANCELLED_BY_RAIN", "Odd <One>"):
        one = booking(status=status)
        shown = (cards.symbol(status), cards.word(status), cards.progress(one), cards.sentence(one, now=NOW))
        found[status] = " | ".join(shown)
    assert lines_of(found) == snapshot("""\
CANCELLED_BY_RAIN: :x: | canceled (CANCELLED_BY_RAIN) |  | :x: *Canceled (CANCELLED_BY_RAIN)*.
Odd <One>: :package: | Odd &lt;One&gt; | ⬜⬜⬜⬜⬜⬜  0 of 6 | :package: *Odd &lt;One&gt;*. The service uses a word \
that Switchboard does not know; it counts as under way.""")


@pytest.mark.parametrize("stage", [stage for stage in Stage if stage not in (Stage.OPEN, Stage.ENDED)])
def test_only_what_was_dropped_is_told_by_its_kind_before_the_service_says_anything(stage: Stage) -> None:
    """What each stage says stands on its card: see test_cards."""
    told = {cards.sentence(booking(stage=stage, kind=kind, reason=WHY, status=""), now=NOW) for kind in BookingKind}
    assert len(told) == (len(BookingKind) if stage is Stage.DROPPED else 1)


def test_a_booking_on_hold_says_when_the_search_starts() -> None:
    soon = booking(status="ON_HOLD", search_at=NOW + timedelta(minutes=9))
    assert cards.sentence(soon, now=NOW) == snapshot("""\
:cook: *On hold* · `ON_HOLD`. 9 minutes of cook time left; the search for a driver starts \
<!date^1795176540^{date_short_pretty} {time}|2026-11-20 12:09 UTC>.""")


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

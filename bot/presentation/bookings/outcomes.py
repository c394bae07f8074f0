"""What became of what somebody did to a booking, a store or its webhooks."""

from collections.abc import Mapping
from typing import Final

from bot.domain.bookings.booking import Act, Booking, Stage
from bot.domain.content import Content
from bot.presentation.blocks.text import message, quote, sentence_of
from bot.presentation.bookings.cards import named
from bot.presentation.bookings.states import word

CANNOT_START: Final = "The search starts by hand only while it is on hold."
CANNOT_CANCEL: Final = "It cannot be canceled now."
JUST_CHANGED: Final = "It has just changed. Look at its card and try again."
NOT_SAID: Final = (
    "The delivery service did not say whether it did that. The card shows what it says of the booking now."
)

STORE_ADDED: Final = ":white_check_mark: The store is there, and its key is kept sealed:"
STORE_CHANGED: Final = ":white_check_mark: This is the store now:"

_DONE: Final[Mapping[Act, str]] = {
    Act.START: "the search for a driver has been asked for",
    Act.CANCEL: "it is canceled",
    Act.REFRESH: "this is what the delivery service says now",
}


def acted(booking: Booking, act: Act, *, trouble: str) -> Content:
    """What became of what somebody did. ``trouble`` is one sentence, empty when all is well."""
    status = f" Its status: *{word(booking.status)}*." if booking.status else ""
    if trouble:
        return message(f":warning: {named(booking)}: {sentence_of(quote(trouble))}{status}")
    looked_for = act is Act.REFRESH and booking.stage in (Stage.UNKNOWN, Stage.LOST)
    done = "it is being looked for at the delivery service" if looked_for else _DONE[act]
    return message(f":ballot_box_with_check: {named(booking)}: {done}.{status}")

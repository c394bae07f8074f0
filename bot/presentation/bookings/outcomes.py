"""What became of what somebody did to a booking, a store or its webhooks."""

from collections.abc import Mapping
from typing import Final

from bot.domain.bookings.booking import Act, Booking, Stage
from bot.domain.content import Content
from bot.domain.reasons import Reason
from bot.presentation.blocks.text import message, quote, sentence_of
from bot.presentation.bookings.cards import named
from bot.presentation.bookings.states import word
from bot.presentation.reasons import worded

STORE_ADDED: Final = ":white_check_mark: The store is there, and its key is kept sealed:"
STORE_CHANGED: Final = ":white_check_mark: This is the store now:"

_DONE: Final[Mapping[Act, str]] = {
    Act.START: "the search for a driver has been asked for",
    Act.CANCEL: "it is canceled",
    Act.REFRESH: "this is what the delivery service says now",
}


def acted(booking: Booking, act: Act, *, trouble: Reason | None) -> Content:
    """What became of what somebody did. ``trouble``: None when all is well."""
    status = f" Its status: *{word(booking.status)}*." if booking.status else ""
    if trouble is not None:
        return message(f":warning: {named(booking)}: {sentence_of(quote(worded(trouble)))}{status}")
    looked_for = act is Act.REFRESH and booking.stage in (Stage.UNKNOWN, Stage.LOST)
    done = "it is being looked for at the delivery service" if looked_for else _DONE[act]
    return message(f":ballot_box_with_check: {named(booking)}: {done}.{status}")

"""The audit trail of one booking, in the form of a payment's."""

from collections.abc import Mapping, Sequence

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.bookings.booking import Booking
from bot.domain.bookings.record import Charge
from bot.domain.content import Content
from bot.presentation.audit import WORD_LIMIT, because, person, told_lines, told_story
from bot.presentation.blocks.text import quote, sentence_of
from bot.presentation.bookings.cards import charged, headline, word
from bot.presentation.reasons import in_words

_SAID: Mapping[str, str] = {
    "booked": "{who} booked it{worth}",
    "prebooked": "{who} asked for a link with which the customer enters the address{worth}",
    "appeared": "a webhook told of it: it was made outside of Switchboard",
    "named": "{who} named it by its number at the service: it was made outside of Switchboard",
    "joined": "it turned out to be {other}, which was waiting for its answer",
    "sent": "sent to the delivery service, attempt {nth}",
    "put_off": "that attempt was not executed; to be sent again",
    "taken": "the delivery service took it{number}, and says {status}",
    "link_made": "the delivery service made the link for the customer",
    "refused": "the delivery service did not take it",
    "unknown": "the delivery service did not say whether it took it; only looking for it from here on",
    "lost": "the delivery service does not know it: not booked, as far as Switchboard can see",
    "moved": "the delivery service says {status}",
    "search_asked": "{who} asked to start the search for a driver",
    "cancel_asked": "{who} asked to cancel it",
    "executed": "the delivery service did that",
    "not_executed": "the delivery service did not do that",
    "not_said": "the delivery service did not say whether it did that; the booking is read instead",
    "dropped": "the pre-booking was called off",
}
"""Action of the audit -> sentence. An action without one is shown by its name."""


def story(booking: Booking, rows: Sequence[VerifiedRow], *, is_complete: bool = True) -> Content:
    """The audit trail of one booking, oldest first.

    Args:
        booking: as it stands now.
        rows: its rows in order.
        is_complete: False: there are more of them than were read.
    """
    stands = word(booking.status) if booking.status else booking.stage.value
    about = f"{headline(booking)}, now {stands}"
    told = told_lines(rows, _sentence)
    return told_story(f"Audit of {booking.reference}", about, told, rows, is_complete=is_complete)


def _sentence(entry: Entry, nth: int) -> str:
    detail = {name: str(value) for name, value in entry.detail.items()}
    template = _SAID.get(entry.action)
    if template is None:
        said = f"{person(entry.actor)}: {quote(entry.action.replace('_', ' '), WORD_LIMIT)}"
    else:
        said = template.format_map(
            {
                "who": person(entry.actor),
                "nth": str(nth),
                "status": f"*{word(detail.get('status', '?'))}*",
                "number": f" as number {quote(detail['number'], WORD_LIMIT)}" if detail.get("number") else "",
                "other": quote(detail.get("other", "another one"), WORD_LIMIT),
                "worth": _worth({**detail, "unpriced": in_words(entry.detail.get("unpriced"))}),
            }
        )
    return sentence_of(said) + because(entry.detail)


def _worth(detail: Mapping[str, str]) -> str:
    order = f", an order of {quote(detail['amount'], WORD_LIMIT)}" if detail.get("amount") else ""
    if detail.get("unpriced"):
        return f"{order}, without a price: {quote(detail['unpriced'])}"
    if not detail.get("fee"):
        return order
    cost = Charge(amount=detail["fee"], tax=detail.get("tax", ""), currency=detail.get("currency", ""))
    return f"{order}, for a fee of {charged(cost)}"

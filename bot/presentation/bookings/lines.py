"""Lines in the thread of a booking's card: each event once."""

from collections.abc import Mapping
from typing import Any

from bot.domain.bookings.booking import Booking
from bot.domain.bookings.record import Status, StatusChange, is_canceled, read_status
from bot.domain.content import Content
from bot.domain.reasons import Reason
from bot.presentation.blocks.text import as_said, escape, mention, message, quote
from bot.presentation.bookings.cards import driver_line, named, proof, symbol, word
from bot.presentation.reasons import because, because_refused, in_words

_RAW_LIMIT = 80


def line(booking: Booking, facts: Mapping[str, Any]) -> Content:
    """One line; ``facts`` were stored when it happened."""
    # Some topics carry a number behind a colon, so that each is told again.
    told = _TOPICS.get(str(facts.get("topic", "")).partition(":")[0], _other)
    text = told(booking, facts)
    return message(text)


def of_store(store: str, facts: Mapping[str, Any]) -> Content:
    """A webhook for a booking that cannot be read, told in the channel of its store."""
    about = f"the booking `{quote(str(facts.get('id', '')), _RAW_LIMIT)}`"
    return message(f":grey_question: {quote(store, _RAW_LIMIT)}: the service {_reported(facts, about)}")


def _reported(facts: Mapping[str, Any], about: str) -> str:
    """What a webhook said that could not be verified."""
    said = f"is *{word(str(facts['said']))}*" if facts.get("said") else "has a driver"
    return f"says that {about} {said}. This is *unverified*: {as_said(quote(in_words(facts.get('reason'))))}"


def picture_title(booking: Booking) -> str:
    """What stands above the picture of the link, in plain text."""
    return f"Address link of {booking.reference}"


def picture_in_words(booking: Booking, *, link: str) -> str:
    """Alternative text of the picture."""
    return f"QR code of the address link of {booking.reference}: {link}"


def picture_comment(booking: Booking, *, link: str) -> str:
    """The link itself, beside the picture."""
    return (
        f":link: {mention(booking.requester)} send this link to the customer of {named(booking)}; the search for a "
        f"driver starts when the address is entered: <{escape(link).replace('|', '%7C')}>"
    )


def _moved(booking: Booking, facts: Mapping[str, Any]) -> str:
    status = str(facts.get("status", ""))
    lead = f"{symbol(status)} {named(booking)}"
    known = read_status(status)
    driver = driver_line(facts.get("driver") or {})
    why = because(str(facts.get("reason", "")))
    if facts.get("change") == StatusChange.RESTARTED:
        return (
            f":repeat: {named(booking)}: *search restarted*. The driver is gone, and every provider is asked again "
            f"(from {word(str(facts.get('before', '')))} to {word(status)})."
        )
    if is_canceled(status):
        by = f", asked by {mention(str(facts['by']))}" if facts.get("by") else ""
        return f"{lead} is *{word(status)}*{by}.{why}"
    if known is None:
        return f"{lead} is now `{quote(status, _RAW_LIMIT)}`, a word that Switchboard does not know."
    if known is Status.COMPLETED:
        shown = proof(str(facts.get("proof", "")))
        told = f"{lead} is *completed*: it was delivered."
        return f"{told} Proof of delivery: {shown}" if shown else told
    told = f"{lead}: *{word(status)}*{f', {driver}' if driver and known is Status.ACCEPTED else ''}."
    return f"{told}{why}" if known in (Status.NOT_DELIVERED, Status.RETURNING, Status.RETURNED) else told


def _driver(booking: Booking, facts: Mapping[str, Any]) -> str:
    reported = " _(reported, not confirmed)_" if facts.get("reported") else ""
    return f":bust_in_silhouette: {named(booking)}: driver {driver_line(facts.get('driver') or {})}{reported}."


def _unverified(booking: Booking, facts: Mapping[str, Any]) -> str:
    return f":grey_question: {named(booking)}: the service {_reported(facts, 'it')}"


def _unknown(booking: Booking, _: Mapping[str, Any]) -> str:
    return (
        f":grey_question: {named(booking)}: whether it was booked is *unknown*. It is looked for by our own number and "
        "not booked again."
    )


def _lost(booking: Booking, _: Mapping[str, Any]) -> str:
    who = f" {mention(booking.requester)}" if booking.requester else ""
    return (
        f":warning:{who} {named(booking)} was *not booked*, as far as Switchboard can see: the delivery service does "
        "not know it. Look at its dashboard before you book it again."
    )


def _found_late(booking: Booking, facts: Mapping[str, Any]) -> str:
    return (
        f":rotating_light: {named(booking)} appeared at the delivery service after all: "
        f"*{word(str(facts.get('status', '')))}*. If it was booked again, one of the two has to be canceled."
    )


def _refused(booking: Booking, facts: Mapping[str, Any]) -> str:
    who = f" {mention(booking.requester)}" if booking.requester else ""
    why = because_refused(Reason.read(facts.get("reason")))
    return f":x:{who} {named(booking)} was *not booked*: the delivery service did not take it.{why}"


def _dropped(booking: Booking, facts: Mapping[str, Any]) -> str:
    by = f" by {mention(str(facts['by']))}" if facts.get("by") else ""
    return f":x: {named(booking)} was *canceled*{by} before an address was entered."


def _started(booking: Booking, facts: Mapping[str, Any]) -> str:
    return f":mag: {named(booking)}: {mention(str(facts.get('by', '')))} started the search for a driver."


def _no_provider(booking: Booking, _: Mapping[str, Any]) -> str:
    return f":warning: {named(booking)}: no driver was found. It has to be canceled or searched for again."


def _contradiction(booking: Booking, facts: Mapping[str, Any]) -> str:
    return (
        f":rotating_light: {named(booking)} had ended as *{word(str(facts.get('status', '')))}*; now the delivery "
        f"service says *{word(str(facts.get('now', '')))}*. The card keeps what was final."
    )


def _other(booking: Booking, _: Mapping[str, Any]) -> str:
    return f":package: {named(booking)} has changed."


_TOPICS = {
    "moved": _moved,
    "driver": _driver,
    "unverified": _unverified,
    "unknown": _unknown,
    "lost": _lost,
    "found_late": _found_late,
    "refused": _refused,
    "dropped": _dropped,
    "started": _started,
    "no_provider": _no_provider,
    "contradiction": _contradiction,
}

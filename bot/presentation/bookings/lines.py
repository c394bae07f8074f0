"""Events of a booking: lines in its card's thread, one per event, and its audit trail."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.bookings.booking import Booking, BookingKind
from bot.domain.bookings.record import NO_DESK, Charge, Desk, Status, StatusChange, is_canceled, read_status
from bot.domain.content import Content
from bot.domain.reasons import Reason
from bot.domain.text import clean
from bot.presentation.audit import WORD_LIMIT, person, told_sentence, told_story
from bot.presentation.blocks import text as md
from bot.presentation.blocks.text import capital, linked, mention, message, quote, quote_sentence, typed
from bot.presentation.bookings.cards import (
    DECIDE,
    SEARCH_AGAIN,
    UNKNOWN_STATE,
    ask_about,
    desk_notes,
    driver_line,
    headline,
    named,
    proof,
    symbol,
    word,
)
from bot.presentation.bookings.details import charged
from bot.presentation.reasons import because_refused, in_words
from bot.presentation.unread import state_lines

_RAW_LIMIT = 80
_LOOKED_UP: Final = frozenset({"lost", "found_late", "no_provider", "contradiction", "stuck", "undecided"})


def line(
    booking: Booking,
    facts: Mapping[str, Any],
    *,
    names: Mapping[str, str] = MappingProxyType({}),
    desk: Desk = NO_DESK,
) -> Content:
    """Describe one event. The actor is named (``names``) without notification; ``call`` in the facts is mentioned.

    ``desk`` is linked if a person has to check something at the service.
    """
    content = _line(booking, facts, names)
    topic = str(facts.get("topic", "")).partition(":")[0]
    links = desk_notes(desk) if topic in _LOOKED_UP else []
    pressed = ask_about(booking) if topic in ("stuck", "undecided", "no_provider") else []
    text, blocks = "\n".join([content.text, *links]), [*content.blocks, *map(md.context, links), *pressed]
    return replace(content, text=text, blocks=blocks)


def _line(booking: Booking, facts: Mapping[str, Any], names: Mapping[str, str]) -> Content:
    # Some topics have a number after a colon, so that each occurrence is posted.
    topic = str(facts.get("topic", "")).partition(":")[0]
    template = _TOPICS.get(topic, ":package: {booking} has changed.")
    who = str(facts.get("by") or "")
    by = "its requester" if who == booking.requester and who not in names else md.named(who, names) if who else ""
    if callable(template):
        return message(template(booking, {**facts, "by": by}))
    slots = {
        "booking": named(booking),
        "asker": f" {mention(booking.requester)}" if booking.requester else "",
        "call": _call(facts),
        "by": by,
        "by_whom": f" by {by}" if by else "",
        "status": f"*{word(str(facts.get('status', '')))}*",
        "now": f"*{word(str(facts.get('now', '')))}*",
        "why_refused": because_refused(Reason.read(facts.get("reason"))) if facts.get("topic") == "refused" else "",
    }
    return message(template.format_map(slots))


def _call(facts: Mapping[str, Any]) -> str:
    return f" {mention(str(facts['call']))}" if facts.get("call") else ""


def of_store(store: str, facts: Mapping[str, Any]) -> Content:
    about = f"booking `{quote(str(facts.get('id', '')), _RAW_LIMIT)}` of {quote(store, _RAW_LIMIT)}"
    return message(_reported(facts, about))


def _reported(facts: Mapping[str, Any], about: str) -> str:
    said = f"as *{word(str(facts['said']))}*" if facts.get("said") else "to have a driver"
    why = quote_sentence(in_words(facts.get("reason")))
    return f":grey_question: Not confirmed: {about} was reported {said}. {why}"


def picture(booking: Booking, *, link: str) -> tuple[str, str, str]:
    """Return title, alternative text and comment of the address link's QR code."""
    who = f" {mention(booking.requester)}" if booking.requester else ""
    return (
        f"Address link of {booking.reference}",
        f"QR code of the address link of {booking.reference}: {link}",
        f":link:{who} Send this link to {named(booking)}: {linked(link)}\nThe driver search starts when the address is "
        "entered.",
    )


def story(booking: Booking, rows: Sequence[VerifiedRow], *, is_complete: bool = True) -> Content:
    """Show a booking's audit trail, oldest first; ``is_complete`` is False if not all rows were read."""
    about = f"{headline(booking)}, now {word(booking.status) if booking.status else booking.stage.value}"
    return told_story(booking.reference, about, rows, _sentence, is_complete=is_complete)


def _sentence(entry: Entry, nth: int) -> str:
    detail = {name: str(value) for name, value in entry.detail.items()}
    unpriced = in_words(entry.detail.get("unpriced"))
    worth = f", an order of {quote(detail['amount'], WORD_LIMIT)}" if detail.get("amount") else ""
    if unpriced:
        worth += f", without a price: {quote(unpriced)}"
    elif detail.get("fee"):
        cost = Charge(amount=detail["fee"], tax=detail.get("tax", ""), currency=detail.get("currency", ""))
        worth += f", for a fee of {charged(cost)}"
    values = {
        "who": person(entry.actor),
        "nth": str(nth),
        "status": f"*{word(detail.get('status', '?'))}*",
        "number": f" as number {quote(detail['number'], WORD_LIMIT)}" if detail.get("number") else "",
        "other": quote(detail.get("other", "another one"), WORD_LIMIT),
        "worth": worth,
    }
    return told_sentence(_SAID, entry, values)


def _unknown_state(booking: Booking, facts: Mapping[str, Any]) -> str:
    status = str(facts.get("status", ""))
    lead = f":grey_question: {named(booking)} is in the unknown state `{quote(status, _RAW_LIMIT)}`. It may have ended."
    return "\n".join([f"{lead} To fix it:", *state_lines([status])])


def _stuck(booking: Booking, facts: Mapping[str, Any]) -> str:
    status = str(facts.get("status", ""))
    return "\n".join(
        [
            f":rotating_light: Action needed: {named(booking)} has been in the unknown state "
            f"`{quote(status, _RAW_LIMIT)}` for a day. Check it in the delivery dashboard.",
            "Still going: press *Refresh* later, or *Cancel*. Ended:",
            *state_lines([status]),
        ]
    )


def _driver(booking: Booking, facts: Mapping[str, Any]) -> str:
    found = driver_line(facts.get("driver") or {})
    reported = " _(reported, not confirmed)_" if facts.get("reported") else ""
    lead = "New driver" if facts.get("again") else "Driver found"
    return f":bust_in_silhouette: {lead} for {named(booking)}{f': {found}{reported}' if found else '.'}"


def _moved(booking: Booking, facts: Mapping[str, Any]) -> str:  # noqa: PLR0911 - one arm per state
    status = str(facts.get("status", ""))
    call, known = _call(facts), read_status(status)
    reason = clean(str(facts.get("reason", "")))
    why = f": “{typed(reason)}”" if reason else ""
    if facts.get("change") == StatusChange.RESTARTED and known is not Status.PROVIDER_NOT_FOUND:
        return f":repeat: {named(booking)} lost the driver. Looking for another one."
    if is_canceled(status):
        if facts.get("by"):
            return f":x:{call} {facts['by']} *canceled* the delivery to {named(booking)}{why or '.'}"
        return f":x:{call} {named(booking)} is *{word(status)}*{why or '.'}"
    if known is None:
        return (
            f":grey_question:{call} {named(booking)}: *{UNKNOWN_STATE}* `{quote(status, _RAW_LIMIT)}`. "
            "It may have ended; I keep checking."
        )
    if known is Status.COMPLETED:
        shown = proof(str(facts.get("proof", "")))
        proved = f" Proof of delivery: {shown}" if shown else ""
        return f":white_check_mark:{call} *Delivered* to {named(booking)}.{proved}"
    if known is Status.PROVIDER_NOT_FOUND:
        return f":warning:{call} *No driver found* for {named(booking)}. {SEARCH_AGAIN}"
    if known is Status.ACCEPTED:
        return _driver(booking, facts)
    ended_badly = known in (Status.NOT_DELIVERED, Status.RETURNING, Status.RETURNED)
    return f"{symbol(status)}{call} *{capital(word(status))}*: {named(booking)}{why if why and ended_badly else '.'}"


def _unknown(booking: Booking, facts: Mapping[str, Any]) -> str:
    if booking.kind is BookingKind.PREBOOKING:
        return f":grey_question:{_call(facts)} The link for {named(booking)} is *not confirmed*. {DECIDE}"
    return f":grey_question: *Not confirmed yet*: {named(booking)}. Checking with the provider. Don't book it again."


_TOPICS: Final[Mapping[str, str | Callable[[Booking, Mapping[str, Any]], str]]] = {
    "moved": _moved,
    "unknown_state": _unknown_state,
    "stuck": _stuck,
    "driver": _driver,
    "unverified": lambda booking, facts: _reported(facts, named(booking)),
    "unknown": _unknown,
    "undecided": lambda booking, _: (
        f":warning: Action needed: the link for {named(booking)} is *not confirmed*, and still unchecked. {DECIDE}"
    ),
    "closed": ":x:{call} The request for {booking} was *closed*{by_whom}: no link was created.",
    "lost": (
        ":warning:{asker} *Probably not booked*: {booking}. The provider doesn't list it. Check the delivery dashboard "
        "before you book it again."
    ),
    "found_late": (
        ":rotating_light: {booking} was booked after all: {status}. If it was booked again, cancel one of the two."
    ),
    "refused": ":x:{asker} *Not booked*: {booking}. Delivery declined it.{why_refused}",
    "dropped": ":x:{call} {booking} was *canceled*{by_whom} before an address was entered.",
    "started": ":mag: {by} started the driver search for {booking}.",
    "over": ":sunny: {booking}: there's nothing more to do.",
    "no_provider": f":warning: Action needed: *no driver found* for {{booking}}. {SEARCH_AGAIN}",
    "contradiction": (
        ":rotating_light: {booking} had ended as {status}; the provider now reports {now}. The card keeps the first."
    ),
}
_SAID: Final[Mapping[str, str]] = {
    "booked": "{who} booked it{worth}",
    "prebooked": "{who} requested a link for the customer's address{worth}",
    "appeared": "reported by a webhook: it was booked outside of Switchboard",
    "named": "{who} named it by its provider ID: it was booked outside of Switchboard",
    "joined": "matched to {other}",
    "sent": "sent to Delivery (attempt {nth})",
    "put_off": "that attempt had no effect; will be sent again",
    "taken": "Delivery accepted it{number}: {status}",
    "link_made": "the link for the customer was created",
    "refused": "Delivery declined it",
    "unknown": "not confirmed; won't be resent",
    "lost": "Delivery doesn't list it: probably not booked",
    "moved": "{status}",
    "search_asked": "{who} requested to start the driver search",
    "cancel_asked": "{who} requested to cancel it",
    "executed": "Delivery confirmed it",
    "not_executed": "Delivery didn't do it",
    "not_said": "not confirmed; checking the booking instead",
    "dropped": "the pre-booking was canceled",
    "undecided": "still not confirmed whether a link was created",
    "taken_in": "{who} found it in the dashboard",
    "closed": "{who} didn't find it in the dashboard, and closed it",
}
"""Sentences by audit action. An action without one is shown by its name."""

"""What happened to a booking: lines in the thread of its card, each event once, and its audit trail."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.bookings.booking import Booking, BookingKind
from bot.domain.bookings.record import NO_DESK, Charge, Desk, Status, StatusChange, is_canceled, read_status
from bot.domain.content import Content
from bot.domain.reasons import Reason
from bot.presentation.audit import WORD_LIMIT, person, told_sentence, told_story
from bot.presentation.blocks import text as md
from bot.presentation.blocks.text import as_said, linked, mention, message, quote
from bot.presentation.bookings.cards import (
    DECIDE,
    UNKNOWN_STATE,
    ask_about,
    charged,
    desk_notes,
    driver_line,
    headline,
    named,
    proof,
    symbol,
    word,
)
from bot.presentation.reasons import because, because_refused, in_words
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
    """One event. Who did it is called by name and not notified (``names``); ``call`` in the facts is.

    ``desk``: linked where a person has to look something up at the service.
    """
    content = _line(booking, facts, names)
    topic = str(facts.get("topic", "")).partition(":")[0]
    links = desk_notes(desk) if topic in _LOOKED_UP else []
    pressed = ask_about(booking) if topic in ("stuck", "undecided", "no_provider") else []
    text, blocks = "\n".join([content.text, *links]), [*content.blocks, *map(md.context, links), *pressed]
    return replace(content, text=text, blocks=blocks)


def _line(booking: Booking, facts: Mapping[str, Any], names: Mapping[str, str]) -> Content:
    # Some topics carry a number behind a colon, so that each is told again.
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
        "driver": driver_line(facts.get("driver") or {}),
        "reported": " _(reported, not confirmed)_" if facts.get("reported") else "",
        "why_refused": because_refused(Reason.read(facts.get("reason"))) if facts.get("topic") == "refused" else "",
    }
    return message(template.format_map(slots))


def _call(facts: Mapping[str, Any]) -> str:
    return f" {mention(str(facts['call']))}" if facts.get("call") else ""


def of_store(store: str, facts: Mapping[str, Any]) -> Content:
    about = f"the booking `{quote(str(facts.get('id', '')), _RAW_LIMIT)}`"
    return message(f":grey_question: {quote(store, _RAW_LIMIT)}: the service {_reported(facts, about)}")


def _reported(facts: Mapping[str, Any], about: str) -> str:
    said = f"is *{word(str(facts['said']))}*" if facts.get("said") else "has a driver"
    return f"says that {about} {said}. This is *unverified*: {as_said(quote(in_words(facts.get('reason'))))}"


def picture(booking: Booking, *, link: str) -> tuple[str, str, str]:
    """Title, alternative text and comment of the address link as a picture."""
    who = f" {mention(booking.requester)}" if booking.requester else ""
    return (
        f"Address link of {booking.reference}",
        f"QR code of the address link of {booking.reference}: {link}",
        f":link:{who} send this link to the customer of {named(booking)}; the search for a "
        f"driver starts when the address is entered: {linked(link)}",
    )


def story(booking: Booking, rows: Sequence[VerifiedRow], *, is_complete: bool = True) -> Content:
    """The audit trail of one booking, oldest first. ``is_complete``: False if there are more rows than were read."""
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
            f"`{quote(status, _RAW_LIMIT)}` for a day. Check it in the provider's dashboard.",
            "Still going: press *Refresh* later, or *Cancel*. Ended:",
            *state_lines([status]),
        ]
    )


def _moved(booking: Booking, facts: Mapping[str, Any]) -> str:
    status = str(facts.get("status", ""))
    lead = f"{symbol(status)}{_call(facts)} {named(booking)}"
    known = read_status(status)
    driver = driver_line(facts.get("driver") or {})
    why = because(str(facts.get("reason", "")))
    if facts.get("change") == StatusChange.RESTARTED and known is not Status.PROVIDER_NOT_FOUND:
        return (
            f":repeat: {named(booking)}: *search restarted*. The driver is gone, and every provider is asked again "
            f"(from {word(str(facts.get('before', '')))} to {word(status)})."
        )
    if is_canceled(status):
        by = f", asked by {facts['by']}" if facts.get("by") else ""
        return f"{lead} is *{word(status)}*{by}.{why}"
    if known is None:
        return f"{lead}: *{UNKNOWN_STATE}* `{quote(status, _RAW_LIMIT)}`. It may have ended; I keep checking."
    if known is Status.COMPLETED:
        shown = proof(str(facts.get("proof", "")))
        return f"{lead} is *completed*: it was delivered.{f' Proof of delivery: {shown}' if shown else ''}"
    told = f"{lead}: *{word(status)}*{f', {driver}' if driver and known is Status.ACCEPTED else ''}."
    if known is Status.PROVIDER_NOT_FOUND:
        return f"{told} Cancel it, or have it searched for again in the delivery dashboard."
    return f"{told}{why}" if known in (Status.NOT_DELIVERED, Status.RETURNING, Status.RETURNED) else told


_TOPICS: Final[Mapping[str, str | Callable[[Booking, Mapping[str, Any]], str]]] = {
    "moved": _moved,
    "unknown_state": _unknown_state,
    "stuck": _stuck,
    "driver": ":bust_in_silhouette: {booking}: driver {driver}{reported}.",
    "unverified": lambda booking, facts: f":grey_question: {named(booking)}: the service {_reported(facts, 'it')}",
    "unknown": lambda booking, facts: (
        f":grey_question:{_call(facts)} {named(booking)}: the link is *not confirmed*. {DECIDE}"
        if booking.kind is BookingKind.PREBOOKING
        else f":grey_question: {named(booking)}: whether it was booked is *unknown*. It is looked for by our own "
        "number and not booked again."
    ),
    "undecided": lambda booking, _: (
        f":warning: {named(booking)}: the link is *not confirmed*, and nobody has decided. {DECIDE}"
    ),
    "closed": ":x:{call} {booking} was *closed*{by_whom}: the link was not made.",
    "lost": (
        ":warning:{asker} {booking} was *not booked*, as far as Switchboard can see: the delivery service does not "
        "know it. Look at its dashboard before you book it again."
    ),
    "found_late": (
        ":rotating_light: {booking} appeared at the delivery service after all: {status}. If it was booked again, one "
        "of the two has to be canceled."
    ),
    "refused": ":x:{asker} {booking} was *not booked*: the delivery service did not take it.{why_refused}",
    "dropped": ":x:{call} {booking} was *canceled*{by_whom} before an address was entered.",
    "started": ":mag: {booking}: {by} started the search for a driver.",
    "no_provider": ":warning: {booking}: no driver was found. It has to be canceled or searched for again.",
    "contradiction": (
        ":rotating_light: {booking} had ended as {status}; now the delivery service says {now}. The card keeps what "
        "was final."
    ),
}
_SAID: Final[Mapping[str, str]] = {
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
    "undecided": "nobody has said yet whether the link was made",
    "taken_in": "{who} found it at the delivery service",
    "closed": "{who} did not find it at the delivery service, and closed it",
}
"""Action of the audit -> sentence. An action without one is shown by its name."""

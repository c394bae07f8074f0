"""Answers to one person about stores, prices, webhooks and bookings; the certification checklist."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any, Final

from bot.domain.approvals import No
from bot.domain.bookings.booking import Act, Booking, Stage
from bot.domain.bookings.places import LinkFlaw
from bot.domain.bookings.record import (
    NO_DESK,
    OPTIONAL,
    BookingRecord,
    Desk,
    Evidence,
    HookState,
    KnownStore,
    Point,
    PrebookingRecord,
    Quote,
    SeenState,
    Told,
    charge,
    is_canceled,
    is_final,
    is_unknown,
    read_status,
    told_by,
)
from bot.domain.content import Content
from bot.domain.reasons import OfBooking, Reason
from bot.domain.text import clean, closest
from bot.presentation import answers
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, lines_under, turns
from bot.presentation.bookings.cards import (
    desk_notes,
    driver_line,
    link,
    named,
    order_as_told,
    price,
    proof,
    state,
    symbol,
    word,
)
from bot.presentation.bookings.details import charged, order_lines
from bot.presentation.lists import csv_button
from bot.presentation.reasons import worded

EXPORT = "certification.export"
PREVIOUS = "stores.previous"
NEXT = "stores.next"
STORE_LABELS: Final = {
    "exterior": "Street number outside",
    "interior": "Number inside",
    "number": "Address number",
    "building": "Building",
    "city": "City",
    "zip_code": "ZIP code",
    "country": "Country",
}
"""Optional fields of a store."""
Instant = Callable[[datetime], str]
_STATES_SHOWN = 20
_INSTANT = "{:%Y-%m-%d %H:%M} UTC"
FILE: Final = {
    "name": "delivery-certification.md",
    "title": "Delivery certification checklist",
    "alt": "The certification checklist as a Markdown table.",
    "comment": "Certification checklist",
}
_POINTS: Mapping[Point, tuple[str, str]] = {
    Point.QUOTE: ("Price requested before booking", "`{command} quote`"),
    Point.BOOK: ("Booking created with customer, amount and payment", "`{command} book`, then confirm the price"),
    Point.CASH: ("Cash booking: amount to collect", "`{command} book` with *Cash*"),
    Point.CARD: ("Card booking: nothing to collect", "`{command} book` with *Card*"),
    Point.COOK: ("Prep time: a booking waited on hold", "`{command} book` with a prep time"),
    Point.CANCEL: ("Booking canceled, as its record shows", "*Cancel* in the menu of a card"),
    Point.HOOK: ("Webhooks registered with our addresses", "`{command} webhooks on <store>`"),
    Point.STATUS_EVENT: ("State received by webhook and verified", "register the webhooks, then book"),
    Point.STATES: (
        "States read: in progress, finished, canceled, none unknown",
        "let one booking finish, and cancel one",
    ),
    Point.STORE: ("Store created, with its key", "`{command} store add`"),
    Point.STORE_READ: ("Store read", "`{command} store show <store>`"),
    Point.PREBOOK: ("Pre-booking created, with its link", "`{command} prebook`"),
    Point.ADDRESS: ("Address entered: the pre-booking became a booking", "`{command} prebook`, then open the link"),
    Point.PREBOOK_CANCEL: ("Pre-booking canceled", "`{command} prebook cancel V-…`"),
    Point.VIEW: ("Card shows status, order and tracking to the end", "let a booking finish"),
    Point.SEARCH: (
        "Driver search started by hand",
        "*Start the search* in the menu of a card, or `{command} start B-…`",
    ),
    Point.DRIVER_EVENT: ("Assigned driver received by webhook", "register the webhooks, then book"),
    Point.RESTART: ("Driver reassignment is shown", "have the provider take a driver off a booking"),
}
"""Steps of the review for the operator, and how to complete them."""
STORE_ADDED: Final = ":white_check_mark: Store added. Its API key is stored encrypted."
STORE_CHANGED: Final = ":white_check_mark: Saved."
_NAME_LIMIT = 60
_ADDRESS_LIMIT = 200
_STORES_A_PAGE = 30
STORES = "stores"
_NAMED_STORES = 10
_ODD_ADDRESS = "an address I can't read"
_ANYWAY = " To book without a price, tick the box at the end."
_ELSEWHERE: Final = "I'm not in this channel, so I'll message you. To add me: `/invite @Switchboard`"
CONFIRMED_BEFORE: Final = ":information_source: {reference} is already booked."
SAY_WHY: Final = (
    ":information_source: {booking} wasn't booked here; I follow it from now on. To cancel it, add a reason: "
    "`{command} cancel {reference} &lt;reason&gt;`"
)
SANDBOX_ONLY = md.message(
    ":no_entry_sign: Pre-bookings work only in the provider's sandbox. Ask the customer for the address and use `book`."
)
"""Pre-bookings exist only in the sandbox (documented)."""
_NO_PLACE: Final[Mapping[LinkFlaw, str]] = {
    LinkFlaw.NO_POSITION: "That link shows no position.",
    LinkFlaw.UNREACHABLE: "I couldn't open that link.",
    LinkFlaw.PRIVATE: "I may not open that link.",
}
FORM_IS_GONE = md.message(":hourglass: This form is out of date, and nothing was booked. Please fill it in again.")
"""A quoted price expires after a day."""
EXPORTED = md.message(":page_facing_up: I've sent you the checklist as a direct message.")


def checklist(
    seen: Mapping[Point, Evidence], states: Sequence[SeenState], *, command: str, desk: Desk = NO_DESK
) -> Content:
    lines = []
    for point, (what, how) in _POINTS.items():
        found, optional = seen.get(point), " _(optional)_" if point in OPTIONAL else ""
        told = md.escape(_how(point, how, states, command)) if found is None else _evidence(found, md.moment)
        lines.append(f":white_{'large_square' if found is None else 'check_mark'}: {what}{optional}: {told}")
    needed = [point for point in Point if point not in OPTIONAL]
    met = sum(point in seen for point in needed)
    lead = f"*Certification: {met} of {len(needed)} required steps done*"
    shown = ", ".join(f"`{md.quote(one.word, _NAME_LIMIT)}` {_read_as(one)}" for one in states[:_STATES_SHOWN])
    notes = [*([f"States seen: {shown}"] if shown else []), *desk_notes(desk)]
    export = actions([button("Export as a file", EXPORT, "file")], "certification")
    return lines_under(lead, lines, notes=notes, after=export)


def as_file(seen: Mapping[Point, Evidence], states: Sequence[SeenState], *, command: str, now: datetime) -> str:
    lines = ["# Delivery certification checklist", "", f"As of {_INSTANT.format(now)}.", ""]
    lines += ["| step | needed | done | evidence or what to do |", "|---|---|---|---|"]
    for point, (what, how) in _POINTS.items():
        found, needed = seen.get(point), "optional" if point in OPTIONAL else "yes"
        told = _evidence(found, _INSTANT.format) if found is not None else _how(point, how, states, command)
        lines.append(f"| {what} | {needed} | {'yes' if found else 'no'} | {_cell(told)} |")
    lines += ["", "## States seen", "", "| statusText | read as | final | first seen on |", "|---|---|---|---|"]
    for one in states:
        final = "yes" if is_final(one.status) else "not known" if is_unknown(one.status) else "no"
        lines.append(f"| {_cell(one.word)} | {_read_as(one)} | {final} | {_cell(one.what)} |")
    return "\n".join([*lines, ""])


def _how(point: Point, how: str, states: Sequence[SeenState], command: str) -> str:
    """Return how to complete a step, with the missing parts if it is partly done."""
    missing = [one.value for one in Told if one not in told_by(states)]
    missing += ["a line for each unknown one"] if any(is_unknown(one.status) for one in states) else []
    left = f" (missing: {', '.join(missing)})" if point is Point.STATES and states and missing else ""
    return f"{how.format(command=command)}{left}"


def _read_as(state: SeenState) -> str:
    return "unknown" if is_unknown(state.status) else word(state.status) if read_status(state.status) else "canceled"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _evidence(found: Evidence, at: Instant) -> str:
    times = "once" if found.count == 1 else f"{found.count} times"
    return f"{times}, last {at(found.last)}, {md.quote(found.what, 60)}"


def acted(booking: Booking, act: Act, *, trouble: Reason | None) -> Content:
    """Return the outcome of a person's action; ``trouble`` is None on success."""
    stands = md.escape(state(booking))
    if trouble is not None and trouble.code is OfBooking.CANNOT_CANCEL:
        why = f"it's {'already' if booking.closed_at else 'now'} {stands.lower()}"
        why = "it's still being booked" if booking.stage in (Stage.NEW, Stage.SENDING) else why
        return md.message(f":warning: {named(booking)} can't be canceled: {why}.")
    if trouble is not None:
        alone = trouble.code is OfBooking.NOT_SAID and trouble.words
        said = worded(Reason(OfBooking.NOT_SAID) if alone else trouble)
        quoted = f" Delivery answered: “{md.quote(trouble.words)}”." if alone else ""
        return md.message(f":warning: {named(booking)}: {md.quote_sentence(said)}{quoted} Now: *{stands}*.")
    if act is Act.REFRESH and booking.stage in (Stage.UNKNOWN, Stage.LOST):
        stands = "Checking with the provider"
    return md.message(f":ballot_box_with_check: {stands}: {named(booking)}.")


def elsewhere(booking: Booking) -> Content:
    """Confirm a booking in a channel in which its card cannot be posted."""
    return md.message(f":package: Booked: {named(booking)}. {_ELSEWHERE}")


def refused(no: No) -> Content:
    if no is not No.NO_ROLE:
        return answers.refused(no)
    return md.message(":no_entry_sign: You don't have permission to book deliveries. Ask an admin to add you.")


def no_stores(command: str) -> Content:
    return md.message(
        f":convenience_store: No stores yet. `{command} stores` loads them from the provider; `{command} store add` "
        "adds one."
    )


def store_rule(names: Sequence[str], *, given: str = "") -> str:
    """Suggest the store that was probably meant, or list the stores."""
    if not names:
        return "there is no store yet"
    none, meant = f"no store called “{given}”", closest(given, names)
    if meant:
        return f"{none}. Did you mean {meant}?"
    named = md.series(names[:_NAMED_STORES], len(names))
    return f"{none}. There is: {named}" if given else f"add a store: {named}"


def quote_lines(found: Mapping[str, Any] | Quote) -> list[str]:
    said = asdict(found) if isinstance(found, Quote) else found
    cost = charge(said)
    about = [f"about {md.quote(str(said['eta']), _NAME_LIMIT)} min"] if said.get("eta") else []
    about += [f"{md.quote(str(said['distance']), _NAME_LIMIT)} km"] if said.get("distance") else []
    fee = [f":moneybag: *Delivery fee {charged(cost)}*"] if cost is not None else []
    return [*fee, *([md.capital(", ".join(about))] if about else [])]


def priced(store: str, found: Quote) -> Content:
    by = f", {md.quote(found.vehicle, _NAME_LIMIT)}" if found.vehicle else ""
    lines = [*quote_lines(found), f"From {md.quote(store, _NAME_LIMIT)}{by}"]
    return Content(text=md.fallback_text(lines), blocks=[md.paragraph("\n".join(lines))])


def not_covered(words: str, *, store: str, bookable: bool = False) -> str:
    """Return in mrkdwn that an address isn't covered, which is no failure; ``bookable`` if it can be booked anyway."""
    where = f"{md.quote(store, _NAME_LIMIT)}'s delivery area"
    said = f" “{md.quote(words, _ADDRESS_LIMIT)}”" if words else ""
    return (
        f":no_entry_sign: *Not covered*: this address is outside {where}.{said} "
        f"Check the pin or choose another store.{_ANYWAY if bookable else ''}"
    )


def no_price(said: str, *, refused: bool, bookable: bool = False) -> str:
    """Return in mrkdwn that there is no price: the service ``refused``, or couldn't be reached."""
    lead = ":no_entry_sign: *No price*" if refused else ":warning: *No price right now*"
    return f"{lead}: {md.quote_sentence(said)} Nothing was booked.{_ANYWAY if bookable else ''}"


def no_place(flaw: LinkFlaw, rule: str = "") -> str:
    """Return in mrkdwn that a short link yielded no position, or one that breaks ``rule``."""
    return (
        f":warning: {rule}."
        if rule
        else f":warning: {_NO_PLACE[flaw]} Paste the full link, or coordinates like -0.1807, -78.4678."
    )


def of_booking(template: str, booking: Booking, *, command: str) -> Content:
    return md.message(template.format(booking=named(booking), reference=booking.reference, command=command))


def stores(found: Sequence[KnownStore], *, command: str, page: int = 1, desk: Desk = NO_DESK) -> Content:
    """Show a page of the stores; pages after the last one show the last one."""
    if not found:
        return no_stores(command)
    pages = -(-len(found) // _STORES_A_PAGE)
    page = min(page, pages)
    lines, first = [], (page - 1) * _STORES_A_PAGE
    for one in found[first : first + _STORES_A_PAGE]:
        address, state = md.quote(str(one.record.get("address", "")), _ADDRESS_LIMIT), ""
        if one.creating:
            state = " :hourglass_flowing_sand: not confirmed yet; checking"
        elif not one.usable:
            state = " :key: no API key, so it can't be used"
        elif one.given:
            state = " (key in the settings)"
        lines.append(f"• *{md.escape(clean(one.name))}*{f': {address}' if address else ''}{state}")
    lead = f"*{md.counted(len(found), 'store')}*{f', page {page} of {pages}' if pages > 1 else ''}"
    after = turns(STORES, page, pages, csv_button(STORES), back=PREVIOUS, on=NEXT)
    return lines_under("", [lead, *lines], notes=desk_notes(desk), after=after)


def store_rows(found: Sequence[KnownStore]) -> list[list[str]]:
    """Return the file of all stores, header first, with all fields that any of them has, except keys."""
    filled = (name for one in found for name, value in one.record.items() if value and name != "name")
    names = {name: str(name).replace("_", " ") for name in filled}
    rows = [
        [
            one.name,
            "not confirmed" if one.creating else "yes" if one.usable else "no",
            *(str(one.record.get(name) or "") for name in names),
        ]
        for one in found
    ]
    return [["name", "usable", *names.values()], *rows]


def store(name: str, record: Mapping[str, Any], *, lead: str = "", not_read: str = "", desk: Desk = NO_DESK) -> Content:
    """Show a store; ``not_read`` is a foreign sentence on why this is the stored record, not the service's latest."""
    facts = [
        ("Address", str(record.get("address", ""))),
        *((label, str(record.get(name, ""))) for name, label in STORE_LABELS.items()),
        ("How to find it", str(record.get("reference", ""))),
        ("Position", ", ".join(str(record[key]) for key in ("latitude", "longitude") if record.get(key))),
        ("Phone", f"{record.get('country_code', '')} {record.get('mobile', '')}".strip()),
        ("E-mail", str(record.get("email", ""))),
    ]
    lines = [f"{lead or ':convenience_store:'} *{md.quote(name, _NAME_LIMIT)}*"]
    lines += [f"{label}: {md.quote(value, _ADDRESS_LIMIT)}" for label, value in facts if value]
    stored = f":warning: May be out of date. {md.quote(not_read)}" if not_read else ""
    return lines_under("", lines, notes=[*([stored] if stored else []), *desk_notes(desk)])


def store_trouble(trouble: Reason, *, looked_for: str = "") -> Content:
    sought = f" Checking whether {md.quote(looked_for, _NAME_LIMIT)} was added; see `stores` in a minute."
    return md.message(f":warning: {md.quote_sentence(worded(trouble))}{sought if looked_for else ''}")


def hooks(name: str, found: Sequence[HookState], *, turned_on: bool | None) -> Content:
    """Show a store's webhooks and how they were changed. Addresses are secret, so only hosts are shown."""
    lead = f":satellite_antenna: *Webhooks for {md.quote(name, _NAME_LIMIT)}*"
    if turned_on is not None:  # claim success only if the service confirms it
        done = all((one.ours if turned_on else one.host == "") and not one.trouble for one in found)
        lead += f" are {'' if done else 'not all '}{'on' if turned_on else 'off'}."
    lines = [lead]
    for one in found:
        where = "off"
        if one.host != "":
            whose = "comes here" if one.ours else "goes elsewhere"
            where = f"{whose} ({md.quote(_ODD_ADDRESS if one.host is None else one.host, _NAME_LIMIT)})"
        trouble = f" :warning: {md.quote_sentence(worded(one.trouble))}" if one.trouble else ""
        lines.append(f"• `{md.quote(one.kind, _NAME_LIMIT)}`: {where}.{trouble}")
    return Content(text=md.fallback_text(lines), blocks=[md.paragraph("\n".join(lines))])


def record(store: str, found: BookingRecord) -> Content:
    raw = f" · `{md.quote(found.word or found.status, _NAME_LIMIT)}`" if not is_unknown(found.status) else ""
    lines = [
        f"{symbol(found.status)} *{md.quote(found.numeric_id or found.id, _NAME_LIMIT)}* · "
        f"{md.quote(store, _NAME_LIMIT)}: *{word(found.status)}*{raw}"
    ]
    facts = [
        ("Customer", md.quote(found.customer, _NAME_LIMIT)),
        ("Address", md.quote(found.address, _ADDRESS_LIMIT)),
        ("Driver", driver_line(asdict(found.driver), whole=True)),
        ("Order", order_as_told(found.amount, found.payment_method)),
        ("Prep time", md.counted(found.cook_minutes, "minute") if found.cook_minutes else ""),
        ("Fee", price(found.fee, found.currency)),
        ("Reason", md.quote(found.cancel_reason, _ADDRESS_LIMIT)),
        ("Delivery code", md.quote(found.validation_code, _NAME_LIMIT)),
        ("Proof of delivery", proof(found.proof)),
        ("Live map", link(found.tracking_url, "open")),
        ("Provider's page", link(found.detail_url, "open")),
        ("Provider ID", md.quote(found.id, _NAME_LIMIT) if found.numeric_id else ""),
        ("External ID", md.quote(found.external_id, _NAME_LIMIT)),
    ]
    lines += [f"{label}: {value}" for label, value in facts if value]
    lines += order_lines([asdict(one) for one in found.orders])
    note = "Not booked here, and not followed. Turn the store's webhooks on to follow such bookings."
    return lines_under("", lines, notes=[note])


def prebooking(store: str, found: PrebookingRecord, *, command: str) -> Content:
    """Show a pre-booking that isn't tracked here."""
    state = "*canceled*" if is_canceled(found.status) else "*waiting for the address*"
    if found.booking_id or found.has_address:
        state = "*the address was entered*"
    raw = f" · `{md.quote(found.status, _NAME_LIMIT)}`" if found.status else ""
    lines = [f":link: *{md.quote(found.id, _NAME_LIMIT)}* · {md.quote(store, _NAME_LIMIT)}: {state}{raw}"]
    booked = md.quote(found.booking_id, _NAME_LIMIT)
    facts = [
        ("Address link", md.linked(found.url) if found.url else ""),
        ("Booking", f"{booked}: `{command} show {booked}`" if booked else ""),
        ("Customer", md.quote(found.customer, _NAME_LIMIT)),
        ("Order", order_as_told(found.amount, found.payment_method)),
        ("External ID", md.quote(found.external_id, _NAME_LIMIT)),
        *((md.quote(name, _NAME_LIMIT), link(value, "open") or md.quote(value)) for name, value in found.rest.items()),
    ]
    lines += [f"{label}: {value}" for label, value in facts if value]
    return lines_under("", lines, notes=["Not booked here, and not followed."])

"""All details of a booking for people with access: ids, states in the provider's words, calls to couriers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.places import map_link
from bot.domain.bookings.record import NO_DESK, Charge, Desk, charge
from bot.domain.content import Content
from bot.domain.reasons import Reason
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.bookings.cards import (
    LINE_LIMIT,
    NAME_LIMIT,
    customer,
    desk_notes,
    driver_line,
    explanation,
    is_in_trouble,
    link,
    moment,
    order,
    price,
    proof,
    title,
    word,
)
from bot.presentation.reasons import in_words, worded

_NOTES_LIMIT = 300
_MOST_PROVIDERS = 10
_MOST_CALLS = 20
_MOST_MOVES: Final = 15
_CALL_LIMIT = 700  # characters of a line about a call
_RAW_LIMIT = 80
_REASON_LIMIT = 500


def details(booking: Booking, *, now: datetime, unread: Reason | None = None, desk: Desk = NO_DESK) -> Content:
    """Show the details; ``unread`` is the reason why the last read failed, which leaves earlier data."""
    facts = [(label, value) for label, value in _facts(booking) if value]
    said, notes = explanation(booking, now=now), desk_notes(desk) if is_in_trouble(booking) else []
    if unread is not None:
        notes.append(f":warning: May be out of date. {md.quote_sentence(worded(unread), _REASON_LIMIT)}")
    lines = [*_history(booking), *order_lines(booking.detail.get("orders"))]
    blocks = [
        md.header(clean(title(booking))),
        *([md.paragraph(said)] if said else []),
        *md.fields(*facts),
        *md.paragraphs(lines),
        *map(md.context, notes),
    ]
    told = [f"*{md.escape(title(booking))}*", *([said] if said else []), *(f"{name}: {value}" for name, value in facts)]
    return Content(text=md.fallback_text([*told, *lines, *notes]), blocks=blocks)


def _facts(booking: Booking) -> list[tuple[str, str]]:
    """Return labels with values in mrkdwn; foreign parts are escaped."""
    detail, request = booking.detail, booking.request
    cost = charge(detail.get("quote", {}), **{name: str(detail.get(name) or "") for name in ("fee", "currency")})
    fee = f"{charged(cost)}{', as quoted' if cost.quoted else ''}" if cost is not None else ""
    if detail.get("unpriced") and cost is None:
        fee = f"Not known. {md.quote_sentence(in_words(detail['unpriced']), _REASON_LIMIT)}"
    where = md.quote((request.address if request is not None else "") or str(detail.get("address", "")), LINE_LIMIT)
    if where and request is not None:
        where += f" ({md.quote(request.place_reference, LINE_LIMIT)})" if request.place_reference else ""
        where += f" · <{map_link(request.position)}|map>" if request.position is not None else ""
    cook = request.cook_minutes if request is not None else detail.get("cook_minutes")
    number = str(request.phone) if request is not None else ""
    raw = md.quote(str(detail.get("word") or booking.status), _RAW_LIMIT)
    ids = [md.quote(one, NAME_LIMIT) for one in (booking.numeric_id, booking.remote_id or "", booking.external_id)]
    return [
        ("Driver", driver_line(detail.get("driver", {}), whole=True)),
        ("Couriers", providers(detail.get("orders"))),
        ("Customer", " · ".join(filter(None, [md.quote(customer(booking), NAME_LIMIT), number]))),
        ("Address", where),
        ("Store", md.quote(booking.store, NAME_LIMIT)),
        ("Order", order(booking)),
        ("Delivery fee", fee),
        ("Prep time", md.counted(cook, "minute") if cook else ""),
        ("Notes", md.quote(request.notes, _NOTES_LIMIT) if request is not None else ""),
        ("Delivery code", md.quote(str(detail.get("validation_code", "")), NAME_LIMIT)),
        ("Proof of delivery", proof(str(detail.get("proof", "")))),
        ("Live map", link(str(detail.get("tracking_url", "")), "open")),
        ("Provider's page", link(str(detail.get("detail_url", "")), "open")),
        ("Address link", link(str(detail.get("link", "")), "open") if booking.stage is Stage.WAITING else ""),
        ("Booked by", md.mention(booking.requester) if booking.requester else ""),
        ("Provider status", f"`{raw}`" if raw else ""),
        ("Why", md.quote_sentence(worded(booking.reason), _REASON_LIMIT) if booking.reason is not None else ""),
        ("Provider ID", " · ".join(dict.fromkeys(filter(None, ids[:2])))),
        ("Reference", f"{booking.reference} · our ID {ids[2]}"),
    ]


def _history(booking: Booking) -> list[str]:
    moves = [
        " ".join(filter(None, ["•", moment(at), md.capital(word(str(status)))]))
        for at, status in booking.detail.get("history", [])[-_MOST_MOVES:]
    ]
    return ["*History*", *moves] if moves else []


def charged(found: Charge) -> str:
    tax = f" ({price(found.tax, found.currency)} tax)" if found.tax else ""
    return f"{price(found.amount, found.currency)}{tax}"


def providers(orders: object) -> str:
    """List the providers that were called, each with the state of its latest order."""
    found = _orders(orders)
    newest = {str(one.get("provider", "")): str(one.get("status", "")) for one in found}
    told = [
        f"{md.quote(name, NAME_LIMIT)}{f': {md.quote(status, NAME_LIMIT)}' if status else ''}"
        for name, status in newest.items()
        if clean(name)
    ]
    calls = f" ({len(found)} calls)" if len(found) > len(newest) else ""
    return f"{', '.join(md.listed(told, _MOST_PROVIDERS))}{calls}" if told else ""


def order_lines(orders: object) -> list[str]:
    """Return a line of mrkdwn per call to a provider: known facts, then the remaining fields unchanged."""
    lines = []
    for one in _orders(orders):
        driver, rest = one.get("driver"), one.get("rest")
        parts = [
            f"*{md.quote(str(one.get('provider', '')), NAME_LIMIT) or 'Courier not named'}*",
            md.quote(str(one.get("status", "")), NAME_LIMIT),
            driver_line(driver, whole=True) if isinstance(driver, dict) else "",
            *(
                f"{md.quote(name, NAME_LIMIT)}: {link(str(value), 'open') or md.quote(str(value), LINE_LIMIT)}"
                for name, value in (sorted(rest.items()) if isinstance(rest, dict) else ())
            ),
        ]
        lines.append(_within(f"• {' · '.join(filter(None, parts[:3]))}", parts[3:]))
    return ["*Calls to couriers*", *md.listed(lines, _MOST_CALLS)] if lines else []


def _within(lead: str, parts: Sequence[str]) -> str:
    """Append as many whole parts to a line as fit, and the number of the rest."""
    for at, part in enumerate(parts):
        if len(lead) + len(part) > _CALL_LIMIT:
            return f"{lead} · and {len(parts) - at} more"
        lead += f" · {part}"
    return lead


def _orders(orders: object) -> list[Mapping[str, Any]]:
    return [one for one in orders if isinstance(one, dict)] if isinstance(orders, list) else []

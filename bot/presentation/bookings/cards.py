"""The card of a booking, and its states in words. The service's own word always stands beside ours."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from bot.domain.bookings.booking import CLOSED, Booking, BookingKind, Stage
from bot.domain.bookings.fields import map_link
from bot.domain.bookings.record import (
    NO_DESK,
    Charge,
    Desk,
    Payment,
    Status,
    charge,
    is_canceled,
    is_unknown,
    read_status,
)
from bot.domain.content import Block, Content
from bot.domain.money import CURRENCY
from bot.domain.money import plain as amount
from bot.domain.reasons import Reason
from bot.domain.text import clean
from bot.presentation import notices
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, question
from bot.presentation.reasons import because, because_refused, in_words, reason_of, worded

_RAW_LIMIT = 80
UNKNOWN_STATE: Final = "unknown state"
_MAY_HAVE_ENDED: Final = (
    "It may have ended. An admin can add the line for this state: use the switchboard command with `unread`."
)
_LOOK_IT_UP: Final = "*Needs someone*: no change for a day. Check it in the provider's dashboard."
_REASON_LIMIT = 500
_STEPS: Final = 6  # a driver is searched for, assigned, at the store, on the way, at the door; delivered
START = "booking.start"
CANCEL = "booking.cancel"
REFRESH = "booking.refresh"
CONTACT = "booking.contact"
TRACK = "booking.track"
FOUND = "booking.found"
ABSENT = "booking.absent"
DECIDE: Final = "Look in the delivery dashboard, then press *I found it* or *It is not there*."
MASK = "••••"
_NAME_LIMIT = 60
_LINE_LIMIT = 200
_NOTES_LIMIT = 300
_MOST_PROVIDERS = 10
_MOST_CALLS = 20
_CALL_LIMIT = 700  # characters of a line about one call
_URL_LIMIT = 2_900  # characters of an address on a button
_SHOWN_URL = 500  # characters of an address in a text: three of them must fit into the 4,000 of an edit
Fact = tuple[str, str]  # what it is, and mrkdwn for it; foreign parts escaped


class _Shown(NamedTuple):
    word: str
    symbol: str
    step: int | None  # None: it says nothing about progress


_SHOWN: Final = {
    Status.ON_HOLD: _Shown("on hold", ":cook:", 0),
    Status.READY_FOR_PICKUP: _Shown("searching for a driver", ":mag:", 1),
    Status.ACCEPTED: _Shown("driver assigned", ":bust_in_silhouette:", 2),
    Status.ARRIVED_AT_PICKUP: _Shown("driver at the store", ":convenience_store:", 3),
    Status.WAY_TO_DELIVER: _Shown("on the way", ":motor_scooter:", 4),
    Status.ARRIVED_AT_DELIVERY: _Shown("driver at the door", ":door:", 5),
    Status.COMPLETED: _Shown("completed", ":white_check_mark:", 6),
    Status.PROVIDER_NOT_FOUND: _Shown("no driver found", ":warning:", 1),
    Status.CANCELLED_BY_BUSINESS: _Shown("canceled by the business", ":x:", None),
    Status.CANCELLED_BY_ADMIN: _Shown("canceled by the delivery service", ":x:", None),
    Status.CANCELLED_BY_DELIVERY_PROVIDER: _Shown("canceled by the delivery provider", ":x:", None),
    Status.NOT_DELIVERED: _Shown("not delivered", ":warning:", 5),
    Status.RETURNING: _Shown("coming back to the store", ":leftwards_arrow_with_hook:", 5),
    Status.RETURNED: _Shown("returned to the store", ":leftwards_arrow_with_hook:", 5),
}


def word(status: str) -> str:
    """Our word for a state of the service; an unknown state with the service's word, escaped."""
    known = read_status(status)
    if known is not None:
        return _SHOWN[known].word
    return f"{'canceled' if is_canceled(status) else UNKNOWN_STATE} ({md.quote(status, _RAW_LIMIT)})"


def symbol(status: str) -> str:
    known = read_status(status)
    return ":x:" if is_canceled(status) else _SHOWN[known].symbol if known is not None else ":grey_question:"


def progress(booking: Booking) -> str:
    """How far along it is, as a bar with words; empty where that says nothing."""
    if booking.stage not in (Stage.OPEN, Stage.ENDED) or is_canceled(booking.status):
        return ""
    statuses = [booking.status, *(status for _, status in reversed(booking.detail.get("history", [])))]
    known = (_SHOWN[status].step for status in map(read_status, statuses) if status is not None)
    step = next((step for step in known if step is not None), 0)  # a state that says nothing leaves the one before it
    return f"{'🟩' * step}{'⬜' * (_STEPS - step)}  {step} of {_STEPS}"


def sentence(booking: Booking, *, now: datetime) -> str:  # noqa: PLR0911 - one arm a stage
    """Where it stands, in mrkdwn, claiming no more than was observed."""
    match booking.stage:
        case Stage.QUOTED:
            return "*Not booked*: nobody has confirmed it."
        case Stage.NEW | Stage.SENDING:
            return f"*Being sent* to the delivery service. {reason_of(booking.reason, _REASON_LIMIT)}".strip()
        case Stage.UNKNOWN | Stage.LOST if booking.is_undecided:
            return f"*Not confirmed*: whether the link was made. {DECIDE} Don't ask for another link yet."
        case Stage.UNKNOWN:
            return (
                "*Unknown*: the delivery service did not say whether it took it. Switchboard is looking for it by its "
                "own number; do not book it again."
            )
        case Stage.LOST:
            return (
                "*Not booked*, as far as Switchboard can see: the answer was lost, and the delivery service does not "
                "know it. Look at its dashboard before you book it again."
            )
        case Stage.REFUSED:
            return f"*Not booked*: the delivery service did not take it.{because_refused(booking.reason)}"
        case Stage.DROPPED:
            return _dropped(booking)
        case Stage.WAITING if not booking.detail.get("link"):
            return "*Waiting for the link*: the pre-booking is made, and its link is asked for."
        case Stage.WAITING:
            return "*Waiting for the address*: send the customer the link below. The search starts when it is entered."
        case _:
            return _at_the_service(booking, now)


def _dropped(booking: Booking) -> str:
    if booking.kind is BookingKind.FOREIGN and booking.reason is not None:
        return f"*The same delivery as {md.quote(worded(booking.reason), _RAW_LIMIT)}*; it goes on there."
    if booking.detail.get("closed"):
        return f"*Closed* by {md.mention(str(booking.detail['closed'].get('by', '')))}: the link was not made."
    what = "the pre-booking" if booking.kind is BookingKind.PREBOOKING or booking.prebooking_id else "it"
    return f"*Canceled*: {what} was called off; nothing will be delivered."


def _at_the_service(booking: Booking, now: datetime) -> str:
    status, known = booking.status, booking.known_status
    why = because(str(booking.detail.get("cancel_reason", "")), _REASON_LIMIT)
    searches = [read_status(status) for _, status in booking.detail.get("history", [])].count(Status.READY_FOR_PICKUP)
    match known:
        case Status.ON_HOLD if booking.search_at is not None:
            minutes = ceil((booking.search_at - now).total_seconds() / 60)
            left = f"{md.counted(minutes, 'minute')} of cook time left" if minutes > 0 else "The cook time is over"
            rest = f"{left}; the search for a driver starts {md.moment(booking.search_at)}."
        case Status.ON_HOLD:
            rest = "The search for a driver starts when the cook time is over."
        case Status.READY_FOR_PICKUP if searches > 1:
            rest = f"Search number {searches}."
        case Status.PROVIDER_NOT_FOUND:
            rest = "Nobody took it. Cancel it, or ask the delivery service to search again."
        case Status.NOT_DELIVERED:
            rest = f"The customer did not get it.{why}"
        case None if not is_canceled(status):
            rest = _LOOK_IT_UP if booking.detail.get("asked") else _MAY_HAVE_ENDED
        case _:
            rest = why.strip() if is_canceled(status) else ""
    said = UNKNOWN_STATE if is_unknown(status) else word(status)
    raw = md.quote(str(booking.detail.get("word") or status), _RAW_LIMIT)
    beside = f" · `{raw}`" if known is not None or is_unknown(status) else ""
    return f"{symbol(status)} *{md.capital(said)}*{beside}. {rest}".strip()


def desk_notes(desk: Desk) -> list[str]:
    """Where a person looks things up at the service, or asks; nothing where no address is set."""
    links = [link(desk.dashboard, "Delivery dashboard"), link(desk.support, "Support chat")]
    return [" · ".join(filter(None, links))] if any(links) else []


def _is_in_trouble(booking: Booking) -> bool:
    odd = booking.known_status in (Status.PROVIDER_NOT_FOUND, Status.NOT_DELIVERED) or booking.detail.get("asked")
    behind = booking.reason is not None and booking.stage in (Stage.OPEN, Stage.WAITING, Stage.REFUSED)
    return booking.stage in (Stage.UNKNOWN, Stage.LOST) or bool(odd) or behind


def card(
    booking: Booking, *, now: datetime, private: bool = False, unread: Reason | None = None, desk: Desk = NO_DESK
) -> Content:
    """Everybody reads address, number and delivery code masked. ``private``: for who may see them; nothing to press.

    ``unread``: why it could not be read just now; what is shown was read before.
    """
    facts = [(label, value) for label, value in _facts(booking, masked=not private) if value]
    state, bar, notes = sentence(booking, now=now), progress(booking), _notes(booking)
    notes += desk_notes(desk) if _is_in_trouble(booking) else []
    if unread is not None:
        notes.append(f":warning: This is as it was read last. {md.quote_sentence(worded(unread), _REASON_LIMIT)}")
    calls = order_lines(booking.detail.get("orders")) if private else []
    blocks = [
        md.header(clean(headline(booking))),
        md.paragraph(f"{bar}\n{state}" if bar else state),
        *md.fields(*facts),
        *md.paragraphs(calls),
        *map(md.context, notes),
        *actions([] if private else _buttons(booking), f"booking:{booking.id}"),
    ]
    lines = [f"*Delivery {md.escape(headline(booking))}*", state, *(f"{label}: {value}" for label, value in facts)]
    return Content(text=md.fallback_text([*lines, *calls, *notes]), blocks=blocks)


def headline(booking: Booking) -> str:
    customer = md.shorten(_customer(booking), _NAME_LIMIT)
    store = md.shorten(clean(booking.store), _NAME_LIMIT)
    return f"{booking.reference} · {store}{f' → {customer}' if customer else ''}"


def named(booking: Booking) -> str:
    """The same in a sentence, escaped."""
    customer = md.quote(_customer(booking), _NAME_LIMIT)
    return f"{booking.reference} ({md.quote(booking.store, _NAME_LIMIT)}{f' to {customer}' if customer else ''})"


def driver_line(driver: Mapping[str, Any], *, whole: bool = False) -> str:
    """Who drives; ``whole``: with e-mail address and picture."""
    name, also = str(driver.get("name", "")), ("email",) if whole else ()
    parts = [md.name_of(name) if name else "", *(str(driver.get(part, "")) for part in ("mobile", "provider", *also))]
    picture = link(str(driver.get("image", "")), "picture") if whole else ""
    return " · ".join(
        [*(md.quote(part, _NAME_LIMIT) for part in parts if clean(part)), *([picture] if picture else [])]
    )


def providers(orders: object) -> str:
    """The providers that were called, each with the state of its newest order."""
    found = _orders(orders)
    newest = {str(one.get("provider", "")): str(one.get("status", "")) for one in found}
    told = [
        f"{md.quote(name, _NAME_LIMIT)}{f': {md.quote(status, _NAME_LIMIT)}' if status else ''}"
        for name, status in newest.items()
        if clean(name)
    ]
    calls = f" ({len(found)} calls)" if len(found) > len(newest) else ""
    return f"{', '.join(md.listed(told, _MOST_PROVIDERS))}{calls}" if told else ""


def order_lines(orders: object) -> list[str]:
    """One line a call to a provider: what is known of it, then the rest as it came; mrkdwn."""
    lines = []
    for one in _orders(orders):
        driver, rest = one.get("driver"), one.get("rest")
        parts = [
            f"*{md.quote(str(one.get('provider', '')), _NAME_LIMIT) or 'Provider not named'}*",
            md.quote(str(one.get("status", "")), _NAME_LIMIT),
            driver_line(driver, whole=True) if isinstance(driver, dict) else "",
            *(
                f"{md.quote(name, _NAME_LIMIT)}: {link(str(value), 'open') or md.quote(str(value), _LINE_LIMIT)}"
                for name, value in (sorted(rest.items()) if isinstance(rest, dict) else ())
            ),
        ]
        lines.append(_within(f"• {' · '.join(filter(None, parts[:3]))}", parts[3:]))
    return ["*Calls to providers*", *md.listed(lines, _MOST_CALLS)] if lines else []


def _within(lead: str, parts: Sequence[str]) -> str:
    """A line with as many whole parts as fit, and how many there are besides."""
    for at, part in enumerate(parts):
        if len(lead) + len(part) > _CALL_LIMIT:
            return f"{lead} · and {len(parts) - at} more"
        lead += f" · {part}"
    return lead


def _orders(orders: object) -> list[Mapping[str, Any]]:
    return [one for one in orders if isinstance(one, dict)] if isinstance(orders, list) else []


def link(url: str, label: str) -> str:
    """A link that the service gave; its address was checked when it was read."""
    return md.linked(url, label) if _is_link(url, most=_SHOWN_URL) else ""


def price(fee: str, currency: str) -> str:
    said = f"${fee}" if currency == CURRENCY else f"{fee} {currency}".strip()
    return md.quote(said, _NAME_LIMIT) if fee else ""


def _facts(booking: Booking, *, masked: bool) -> list[Fact]:
    detail, request = booking.detail, booking.request
    driver = driver_line(detail.get("driver", {}), whole=True)
    reported = " _(reported, not confirmed)_" if detail.get("driver_reported") else ""
    number = "" if request is None else f"{request.country_code} {MASK}" if masked else str(request.phone)
    charges = {name: str(detail.get(name) or "") for name in ("fee", "currency")}
    cost = charge(detail.get("quote", {}), **charges)
    fee = "not known yet" if detail.get("unpriced") and cost is None else ""
    fee = f"{charged(cost)}{', as quoted' if cost.quoted else ''}" if cost is not None else fee
    where = md.quote((request.address if request is not None else "") or str(detail.get("address", "")), _LINE_LIMIT)
    if where and request is not None:
        where += f" ({md.quote(request.place_reference, _LINE_LIMIT)})" if request.place_reference else ""
        where += f" · <{map_link(request.position)}|map>" if request.position is not None else ""
    code = md.quote(str(detail.get("validation_code", "")), _NAME_LIMIT)
    address, cook = str(detail.get("link", "")), request.cook_minutes if request is not None else None
    shown = md.linked(address) if _is_link(address, most=_SHOWN_URL) else "in the thread"
    return [
        ("Driver", f"{driver}{reported}" if driver else ""),
        ("Providers", providers(detail.get("orders"))),
        ("Follow it", link(str(detail.get("tracking_url", "")), "where it is now")),
        ("Booking page", link(str(detail.get("detail_url", "")), "at the delivery service")),
        ("Customer", f"{md.quote(_customer(booking), _NAME_LIMIT)}{f' · {number}' if number else ''}"),
        ("Address", MASK if masked and where else where),
        ("Order", order(booking)),
        ("Fee", fee),
        ("Cook time", md.counted(cook, "minute") if cook else ""),
        ("Notes", md.quote(request.notes, _NOTES_LIMIT) if request is not None else ""),
        ("Delivery code", MASK if masked and code else code),
        ("Proof of delivery", proof(str(detail.get("proof", "")))),
        ("Number at the service", md.quote(booking.numeric_id or booking.remote_id or "", _NAME_LIMIT)),
        ("Address link", shown if booking.stage is Stage.WAITING and address else ""),
        ("Asked by", md.mention(booking.requester) if booking.requester else ""),
    ]


def proof(text: str) -> str:
    return link(text, "see it") or md.quote(text, _LINE_LIMIT)


def _customer(booking: Booking) -> str:
    """Their name; empty where nobody said one."""
    name = booking.request.customer if booking.request is not None else str(booking.detail.get("customer", ""))
    return md.name_of(name) if name else ""


def order(booking: Booking) -> str:
    """What the order costs, with the currency where the service has named it, and who collects it; escaped."""
    request, detail = booking.request, booking.detail
    if request is None:
        return order_as_told(str(detail.get("amount", "")), str(detail.get("payment_method", "")))
    currency = str(detail.get("currency") or detail.get("quote", {}).get("currency", ""))
    return f"{price(amount(request.cents), currency)}, {_payment_words(request.payment)}"


def order_as_told(cost: str, method: str) -> str:
    """The same of an order that only the service knows, in its words where they are not known here; escaped."""
    known = method.upper() in list(Payment)
    how = _payment_words(Payment(method.upper())) if known else md.quote(method, _NAME_LIMIT)
    return ", ".join(part for part in (md.quote(cost, _NAME_LIMIT), how) if part)


def _payment_words(payment: Payment) -> str:
    """What the driver has to do about money."""
    return "cash: the driver collects it" if payment is Payment.CASH else "card: it was paid already"


def charged(found: Charge) -> str:
    tax = f" ({price(found.tax, found.currency)} tax)" if found.tax else ""
    return f"{price(found.amount, found.currency)}{tax}"


def _notes(booking: Booking) -> list[str]:
    found = [notices.note(booking.stopped)] if booking.stopped else []
    reported = booking.detail.get("reported")
    if isinstance(reported, dict) and reported.get("status"):
        found.append(f":grey_question: Reported as {word(str(reported['status']))}, *not verified* by reading it.")
    if booking.reason and booking.stage in (Stage.OPEN, Stage.WAITING):
        found.append(f":warning: This may be behind: {md.as_said(md.quote(worded(booking.reason), _REASON_LIMIT))}")
    if booking.reason and booking.stage is Stage.UNKNOWN:
        found.append(f":warning: {md.quote_sentence(worded(booking.reason), _REASON_LIMIT)}")
    if booking.detail.get("unpriced"):
        reason = md.quote_sentence(in_words(booking.detail["unpriced"]), _REASON_LIMIT)
        found.append(f":warning: Booked *without a price*, which the service did not give: {reason}")
    if booking.kind is BookingKind.FOREIGN:
        found.append("Made outside of Switchboard; the delivery service told of it.")
    return found


def ask_about(booking: Booking) -> list[Block]:
    """What a person can press in an alert about it."""
    return actions([one for one in _buttons(booking) if one["action_id"] in (TRACK, FOUND, ABSENT, CANCEL, REFRESH)])


def _buttons(booking: Booking) -> list[Block]:
    if booking.stage in CLOSED:
        return []
    url, detail = str(booking.detail.get("tracking_url", "")), booking.detail
    contact = booking.request is not None or detail.get("address") or detail.get("validation_code")
    offered = (
        (_is_link(url), TRACK, "Track", ""),
        (booking.can_start, START, "Start search", "primary"),
        (booking.is_undecided, FOUND, "I found it", "primary"),
        (booking.is_undecided, ABSENT, "It is not there", ""),
        (booking.can_cancel, CANCEL, "Cancel", "danger"),
        (booking.stage in (Stage.OPEN, Stage.WAITING, Stage.UNKNOWN, Stage.LOST), REFRESH, "Refresh", ""),
        (bool(contact), CONTACT, "Show contact", ""),
    )
    asked = question(
        "Is it not there?",
        "Look for it in the delivery dashboard first. This closes the request; then ask for a new link.",
        yes="Close it",
        no="Keep it",
    )
    return [
        button(
            name,
            to,
            booking.id,
            style=style,
            url=url if to == TRACK else "",
            spoken=f"{name}: {booking.reference}",
            confirm=asked if to == ABSENT else None,
        )
        for is_there, to, name, style in offered
        if is_there
    ]


def _is_link(url: str, *, most: int = _URL_LIMIT) -> bool:
    if not url.startswith(("https://", "http://")) or len(url) > most:
        return False
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False

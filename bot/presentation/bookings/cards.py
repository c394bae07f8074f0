"""The card of a booking: recipient and state, driver, time, a line of small print; and states in words."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from bot.domain.bookings.booking import CLOSED, Booking, BookingKind, Stage
from bot.domain.bookings.record import (
    NO_DESK,
    Desk,
    Payment,
    Status,
    charge,
    is_canceled,
    is_searching,
    read_status,
)
from bot.domain.content import Block, Content
from bot.domain.money import cents_of, plain, shown
from bot.domain.text import clean
from bot.presentation import notices
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, menu, question
from bot.presentation.reasons import answered, because_refused, reason_of, worded

_RAW_LIMIT = 80
UNKNOWN_STATE: Final = "unknown state"
_MAY_HAVE_ENDED: Final = "It may have ended. An admin can add this state: use the switchboard command with `unread`."
_LOOK_IT_UP: Final = "*Needs a decision*: no change for a day. Check it in the delivery dashboard."
_REASON_LIMIT = 500
START = "booking.start"
CANCEL = "booking.cancel"
REFRESH = "booking.refresh"
CONTACT = "booking.contact"
"""The predecessor of *Details* on older cards."""
TRACK = "booking.track"
FOUND = "booking.found"
ABSENT = "booking.absent"
DETAILS = "booking.details"
AGAIN = "booking.again"
PROOF = "booking.proof"
MENU = "booking.menu"
"""The menu of a card; an option's value is one of the ids above, a colon and the booking's id."""
DECIDE: Final = "Look in the delivery dashboard, then press *I found it* or *It isn't there*."
SEARCH_AGAIN: Final = "Cancel it, or search again in the delivery dashboard."
NAME_LIMIT = 60
LINE_LIMIT = 200
_URL_LIMIT = 2_900  # characters of an address on a button
SHOWN_URL = 500  # characters of an address in a text: three of them must fit into the 4,000 of an edit


class _Shown(NamedTuple):
    word: str
    symbol: str


_SHOWN: Final = {
    Status.ON_HOLD: _Shown("preparing", ":cook:"),
    Status.READY_FOR_PICKUP: _Shown("looking for a driver", ":mag:"),
    Status.ACCEPTED: _Shown("driver on the way to the store", ":bust_in_silhouette:"),
    Status.ARRIVED_AT_PICKUP: _Shown("driver at the store", ":convenience_store:"),
    Status.WAY_TO_DELIVER: _Shown("on the way", ":motor_scooter:"),
    Status.ARRIVED_AT_DELIVERY: _Shown("driver at the door", ":door:"),
    Status.COMPLETED: _Shown("delivered", ":white_check_mark:"),
    Status.PROVIDER_NOT_FOUND: _Shown("no driver found", ":warning:"),
    Status.CANCELLED_BY_BUSINESS: _Shown("canceled by the store", ":x:"),
    Status.CANCELLED_BY_ADMIN: _Shown("canceled by the provider", ":x:"),
    Status.CANCELLED_BY_DELIVERY_PROVIDER: _Shown("canceled by the courier", ":x:"),
    Status.NOT_DELIVERED: _Shown("not delivered", ":warning:"),
    Status.RETURNING: _Shown("coming back to the store", ":leftwards_arrow_with_hook:"),
    Status.RETURNED: _Shown("returned to the store", ":leftwards_arrow_with_hook:"),
}


def word(status: str) -> str:
    """Return our word for a state of the service; an unknown one includes the service's word, escaped."""
    known = read_status(status)
    if known is not None:
        return _SHOWN[known].word
    return f"{'canceled' if is_canceled(status) else UNKNOWN_STATE} ({md.quote(status, _RAW_LIMIT)})"


def symbol(status: str) -> str:
    known = read_status(status)
    return ":x:" if is_canceled(status) else _SHOWN[known].symbol if known is not None else ":grey_question:"


def state(booking: Booking) -> str:  # noqa: PLR0911 - one arm per stage
    """Return the state in one to six words of plain text, claiming no more than was observed."""
    match booking.stage:
        case Stage.NEW | Stage.SENDING:
            return "Creating the link" if booking.kind is BookingKind.PREBOOKING else "Booking"
        case Stage.WAITING:
            return "Waiting for the address" if booking.detail.get("link") else "Creating the link"
        case Stage.UNKNOWN | Stage.LOST if booking.is_undecided:
            return "Link not confirmed"
        case Stage.UNKNOWN:
            return "Not confirmed yet"
        case Stage.LOST:
            return "Probably not booked"
        case Stage.QUOTED | Stage.REFUSED:
            return "Not booked"
        case Stage.DROPPED:
            return "Duplicate" if _is_double(booking) else "Closed" if booking.detail.get("closed") else "Canceled"
        case _ if is_canceled(booking.status):
            return "Canceled"
        case _:
            known = booking.known_status
            return md.capital(UNKNOWN_STATE if known is None else _SHOWN[known].word)


def _is_double(booking: Booking) -> bool:
    return booking.kind is BookingKind.FOREIGN and booking.reason is not None


def explanation(booking: Booking, *, now: datetime) -> str:  # noqa: C901, PLR0911 - one arm per stage
    """Explain the state in mrkdwn; may be empty."""
    match booking.stage:
        case Stage.QUOTED:
            return "It isn't confirmed."
        case Stage.NEW | Stage.SENDING:
            return reason_of(booking.reason, _REASON_LIMIT)
        case Stage.UNKNOWN | Stage.LOST if booking.is_undecided:
            return f"{DECIDE} Don't request another link yet.{_answered(booking)}"
        case Stage.UNKNOWN:
            return f"Checking with the provider. Don't book it again.{_answered(booking)}"
        case Stage.LOST:
            helps = "The provider doesn't list it. Check the delivery dashboard before you book it again."
            return f"{helps}{_answered(booking)}"
        case Stage.REFUSED:
            return f"Delivery declined it.{because_refused(booking.reason)}"
        case Stage.DROPPED if _is_double(booking):
            return f"Duplicate of {md.quote(worded(booking.reason), _RAW_LIMIT)}. Follow it there."
        case Stage.DROPPED if booking.detail.get("closed"):
            return f"{md.mention(str(booking.detail['closed'].get('by', '')))} reported that no link was created."
        case Stage.DROPPED:
            return _canceled(booking)
        case Stage.WAITING if link := str(booking.detail.get("link", "")):
            shown_link = md.linked(link) if is_link(link, most=SHOWN_URL) else "in the thread"
            return f"Send the customer this link: {shown_link}"
        case Stage.WAITING:
            return ""
        case _:
            return _at_the_service(booking, now)


def _answered(booking: Booking) -> str:
    return f" {md.quote(answered(booking.reason, 'Delivery'))}".rstrip()


def _at_the_service(booking: Booking, now: datetime) -> str:  # noqa: PLR0911 - one arm per state
    said = _said(str(booking.detail.get("cancel_reason", "")))
    match booking.known_status:
        case _ if is_canceled(booking.status):
            return _canceled(booking)
        case Status.ON_HOLD if booking.search_at is not None:
            starts = "starts" if booking.search_at > now else "was due"
            return f"Driver search {starts} {md.moment(booking.search_at)}"
        case Status.ON_HOLD:
            return "The driver search starts after the prep time."
        case Status.PROVIDER_NOT_FOUND:
            return f"No courier took it. {SEARCH_AGAIN}"
        case Status.NOT_DELIVERED:
            return f"The customer didn't get it{said or '.'}"
        case None:
            return _LOOK_IT_UP if booking.detail.get("asked") else _MAY_HAVE_ENDED
        case _:
            return ""


def _canceled(booking: Booking) -> str:
    """Return who canceled it, and why, below a title that already shows that it is canceled."""
    status, who = booking.status, booking.canceled_by
    by = f"By {md.mention(who)}" if who else ""
    if not who and booking.known_status is not None:
        by = md.capital(word(status).removeprefix("canceled "))
    wish = str(booking.detail.get("cancel", {}).get("reason", "")) if who else ""
    return f"{by}{_said(str(booking.detail.get('cancel_reason', '')) or wish)}".removeprefix(": ")


def _said(reason: str) -> str:
    return f": “{md.typed(reason, _REASON_LIMIT)}”" if clean(reason) else ""


def desk_notes(desk: Desk) -> list[str]:
    """Link the service's dashboard and support, if their addresses are set."""
    links = [link(desk.dashboard, "Delivery dashboard"), link(desk.support, "Support chat")]
    return [" · ".join(filter(None, links))] if any(links) else []


def is_in_trouble(booking: Booking) -> bool:
    odd = booking.known_status in (Status.PROVIDER_NOT_FOUND, Status.NOT_DELIVERED) or booking.detail.get("asked")
    behind = booking.reason is not None and booking.stage in (Stage.OPEN, Stage.WAITING, Stage.REFUSED)
    return booking.stage in (Stage.UNKNOWN, Stage.LOST) or bool(odd) or behind


def card(booking: Booking, *, now: datetime, desk: Desk = NO_DESK) -> Content:
    """Show what the whole channel may see, in a few lines; address, number, codes and history are in *Details*."""
    is_over = booking.stage in (Stage.ENDED, Stage.DROPPED)
    said = explanation(booking, now=now)
    told = [] if is_over else list(filter(None, [_driver(booking), said or _since(booking)]))
    name = str(booking.detail.get("driver", {}).get("name", ""))
    who = md.quote(md.name_of(name), NAME_LIMIT) if name else ""
    over = [said.removesuffix("."), _since(booking), who] if is_over else []
    proof_text = str(booking.detail.get("proof", ""))
    if is_over and proof_text and not is_link(proof_text):
        over.append(f"Proof: {md.quote(proof_text, LINE_LIMIT)}")
    about = [md.quote(booking.store, NAME_LIMIT), order(booking, is_short=True), booking.reference]
    about += ["not booked here"] if booking.kind is BookingKind.FOREIGN else []
    grey, notes = " · ".join(filter(None, [*over, *about])), _notes(booking)
    notes += desk_notes(desk) if is_in_trouble(booking) else []
    blocks = [
        md.header(clean(title(booking))),
        *([md.paragraph("\n".join(told))] if told else []),
        *actions(_row(booking), f"booking:{booking.id}"),
        *map(md.context, [grey, *notes]),
    ]
    links = [("Live map", "tracking_url")] if not is_over else [("Proof of delivery", "proof")]
    also = [link(str(booking.detail.get(name, "")), label) for label, name in links]
    lines = [f"*{md.escape(title(booking))}*", *told, *filter(None, also), grey, *notes]
    return Content(text=md.fallback_text(lines), blocks=blocks)


def title(booking: Booking) -> str:
    """Return recipient and state; foreign text."""
    return f"{md.shorten(customer(booking), NAME_LIMIT) or booking.reference} · {state(booking)}"


def headline(booking: Booking) -> str:
    who = md.shorten(customer(booking), NAME_LIMIT)
    store = md.shorten(clean(booking.store), NAME_LIMIT)
    return f"{booking.reference} · {store}{f' → {who}' if who else ''}"


def named(booking: Booking) -> str:
    """Return recipient and reference for a sentence; escaped."""
    who = md.quote(customer(booking), NAME_LIMIT)
    return f"{who} ({booking.reference})" if who else booking.reference


def _driver(booking: Booking) -> str:
    if is_searching(booking.status):
        return ""
    reported = " _(reported, not confirmed)_" if booking.detail.get("driver_reported") else ""
    found = driver_line({**booking.detail.get("driver", {}), "provider": ""})  # the courier is in the details
    return f"{found}{reported}" if found else ""


def _since(booking: Booking) -> str:
    """Return the time of the current state, and the provider's estimate."""
    at = moment(booking.detail.get("changed_at"))
    if booking.stage is Stage.ENDED or not at:
        return at
    parts = [f"Since {at}"]
    eta = str(booking.detail.get("quote", {}).get("eta", ""))
    parts += [f"est. {md.quote(eta, NAME_LIMIT)} min"] if eta and booking.stage is Stage.OPEN else []
    return " · ".join(parts)


def moment(stored: object) -> str:
    """Format a stored instant; empty if it is missing or invalid."""
    try:
        return md.moment(datetime.fromisoformat(str(stored or "")))
    except ValueError:
        return ""


def driver_line(driver: Mapping[str, Any], *, whole: bool = False) -> str:
    """Describe the driver; ``whole`` adds e-mail address and picture."""
    name, also = str(driver.get("name", "")), ("email",) if whole else ()
    parts = [md.name_of(name) if name else "", *(str(driver.get(part, "")) for part in ("mobile", "provider", *also))]
    picture = link(str(driver.get("image", "")), "picture") if whole else ""
    return " · ".join([*(md.quote(part, NAME_LIMIT) for part in parts if clean(part)), *([picture] if picture else [])])


def link(url: str, label: str) -> str:
    """Link an address from the service, which was validated when it was read."""
    return md.linked(url, label) if is_link(url, most=SHOWN_URL) else ""


def price(fee: str, currency: str) -> str:
    """Format an amount from the service, in dollars like everywhere else, and escape it."""
    cents = cents_of(fee) if currency.upper() == "USD" else None
    return md.quote(shown(cents) if cents is not None else f"{fee} {currency}".strip(), NAME_LIMIT) if fee else ""


def proof(text: str) -> str:
    return link(text, "see it") or md.quote(text, LINE_LIMIT)


def customer(booking: Booking) -> str:
    """Return the customer's name, or an empty string."""
    name = booking.request.customer if booking.request is not None else str(booking.detail.get("customer", ""))
    return md.name_of(name) if name else ""


_PAYMENT: Final = {Payment.CASH: "in cash, collected by the driver", Payment.CARD: "already paid"}
_PAYMENT_SHORT: Final = {Payment.CASH: "cash", Payment.CARD: "paid"}


def order(booking: Booking, *, is_short: bool = False) -> str:
    """Return the order's total, with the currency if known, and who collects it; escaped."""
    request, detail, words = booking.request, booking.detail, _PAYMENT_SHORT if is_short else _PAYMENT
    if request is None:
        return order_as_told(str(detail.get("amount", "")), str(detail.get("payment_method", "")), words)
    currency = str(detail.get("currency") or detail.get("quote", {}).get("currency", ""))
    return f"{price(plain(request.cents), currency)} {words[request.payment]}"


def order_as_told(cost: str, method: str, words: Mapping[Payment, str] = _PAYMENT) -> str:
    """Describe an order known only to the service, in its own words if they are unknown here; escaped."""
    known = method.upper() in list(Payment)
    how = words[Payment(method.upper())] if known else md.quote(method, NAME_LIMIT)
    return " ".join(part for part in (md.quote(cost, NAME_LIMIT), how) if part)


def _notes(booking: Booking) -> list[str]:
    found = [notices.note(booking.stopped)] if booking.stopped else []
    reported = booking.detail.get("reported")
    if isinstance(reported, dict) and reported.get("status"):
        found.append(f":grey_question: Reported as {word(str(reported['status']))}, not confirmed.")
    if booking.reason and booking.stage in (Stage.OPEN, Stage.WAITING):
        found.append(f":warning: May be out of date. {md.quote_sentence(worded(booking.reason), _REASON_LIMIT)}")
    no_price = charge(booking.detail.get("quote", {}), fee=str(booking.detail.get("fee") or "")) is None
    if booking.detail.get("unpriced") and no_price and booking.stage not in CLOSED:
        found.append(":warning: Booked without a price.")
    return found


def ask_about(booking: Booking) -> list[Block]:
    """Return the buttons for an alert about a booking."""
    offered = ((CANCEL, "Cancel", booking.can_cancel), (REFRESH, "Refresh", booking.stage not in CLOSED))
    buttons = [_button(booking, to, name) for to, name, is_there in offered if is_there]
    return actions([*_track(booking), *_decisions(booking), *buttons]) if booking.stage not in CLOSED else []


def _row(booking: Booking) -> list[Block]:
    """Return the buttons of a card: frequent ones first, the rest in a menu."""
    if booking.stage in CLOSED:
        again = [_button(booking, AGAIN, "Book again")] if booking.can_repeat else []
        return [*_proof(booking), *again, menu(MENU, [("Details", f"{DETAILS}:{booking.id}")])]
    options = (
        (booking.can_start, START, "Start the search"),
        (booking.stage is not Stage.SENDING and booking.stage is not Stage.NEW, REFRESH, "Refresh"),
        (booking.can_cancel, CANCEL, "Cancel"),
        (booking.can_repeat and booking.stage is Stage.OPEN, AGAIN, "Book again"),
        (True, DETAILS, "Details"),
    )
    rest = [(name, f"{to}:{booking.id}") for is_there, to, name in options if is_there]
    return [*_track(booking), *_decisions(booking), menu(MENU, rest)]


def _track(booking: Booking) -> list[Block]:
    url = str(booking.detail.get("tracking_url", ""))
    return [_button(booking, TRACK, "Track", url=url)] if is_link(url) else []


def _proof(booking: Booking) -> list[Block]:
    return [_button(booking, PROOF, "Proof", url=url)] if is_link(url := str(booking.detail.get("proof", ""))) else []


def _decisions(booking: Booking) -> list[Block]:
    if not booking.is_undecided:
        return []
    asked = question(
        "Close this request?",
        "Look for it in the delivery dashboard first. This closes the request; then request a new link.",
        yes="Close it",
        no="Keep it",
    )
    found = _button(booking, FOUND, "I found it", style="primary")
    return [found, _button(booking, ABSENT, "It isn't there", confirm=asked)]


def _button(booking: Booking, to: str, name: str, **more: Any) -> Block:
    return button(name, to, booking.id, spoken=f"{name}: {booking.reference}", **more)


def is_link(url: str, *, most: int = _URL_LIMIT) -> bool:
    if not url.startswith(("https://", "http://")) or len(url) > most:
        return False
    try:
        return bool(urlsplit(url).hostname)
    except ValueError:
        return False

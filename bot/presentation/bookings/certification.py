"""The certification checklist: each point with what was seen here, or what to do to get it."""

from collections.abc import Callable, Mapping
from datetime import datetime

from bot.domain.bookings.certification import OPTIONAL, Evidence, Point
from bot.domain.bookings.record import is_final, read_status
from bot.domain.content import Block, Content
from bot.presentation.blocks.buttons import actions, button
from bot.presentation.blocks.text import context, escape, moment, mrkdwn, paragraphs, quote, section, spoken
from bot.presentation.bookings.states import word

EXPORT = "certification.export"

Instant = Callable[[datetime], str]

_STATES_SHOWN = 20

FILE_NAME = "delivery-certification.md"
FILE_TITLE = "Delivery certification checklist"
FILE_ALT = "The certification checklist as a Markdown table."
FILE_COMMENT = "The certification checklist, as it stands now."

_POINTS: Mapping[Point, tuple[str, str]] = {
    Point.QUOTE: ("Pre-checkout: a price is asked for", "`{command} quote`"),
    Point.BOOK: ("Create booking, with the customer's data", "`{command} book`, then confirm the price"),
    Point.CASH: ("Amount to collect: a booking paid in CASH", "`{command} book` with *Cash*"),
    Point.CARD: ("Payment methods: a booking paid by CARD", "`{command} book` with *Card*"),
    Point.COOK: ("Cook time: a booking that waits ON_HOLD", "`{command} book` with a cook time"),
    Point.SEARCH: (
        "Start search by hand from ON_HOLD",
        "press *Start search* on the card of a booking on hold, or `{command} start B-…`",
    ),
    Point.CANCEL: ("Cancel a booking", "press *Cancel* on the card of a booking, or `{command} cancel B-…`"),
    Point.HOOK: ("Register webhooks", "`{command} webhooks on <store>`"),
    Point.STATUS_EVENT: ("A state came to the webhook and was verified", "register the webhooks, then book"),
    Point.DRIVER_EVENT: (
        "An assigned driver came to the webhook",
        "register the webhooks, then book and wait for a driver",
    ),
    Point.STATES: ("Interpret the states", "book, and let the booking go on to its end"),
    Point.RESTART: ("A restart search was told as such", "ask the delivery service to take a driver off a booking"),
    Point.STORE: ("Create a store", "`{command} store add`"),
    Point.STORE_READ: ("Get a store", "`{command} store show <store>`"),
    Point.PREBOOK: ("Create a pre-booking", "`{command} prebook`"),
    Point.ADDRESS: (
        "Address link: the pre-booking became a booking",
        "`{command} prebook`, then open the link and enter an address",
    ),
    Point.PREBOOK_CANCEL: ("Cancel a pre-booking", "`{command} prebook cancel V-…`"),
    Point.VIEW: ("The end user sees state, order data and tracking", "book; the card shows all of it"),
}
"""What the operator wants to see, and how to get there."""


def checklist(seen: Mapping[Point, Evidence], states: Mapping[str, str], *, command: str) -> Content:
    """Every point: seen, and on what; or how to get there."""
    lines = [_line(point, seen.get(point), command) for point in Point]
    needed = [point for point in Point if point not in OPTIONAL]
    met = sum(1 for point in needed if point in seen)
    lead = f"*Certification: {met} of {len(needed)} required points seen here*"
    told = _states(states)
    blocks: list[Block] = [section(mrkdwn(lead)), *paragraphs(lines)]
    if told:
        blocks.append(context(told))
    blocks += actions([button("Export as a file", EXPORT, "file")], "certification")
    return Content(text=spoken([lead, *lines, *([told] if told else [])]), blocks=blocks)


def as_file(seen: Mapping[Point, Evidence], states: Mapping[str, str], *, command: str, now: datetime) -> str:
    """The same as a Markdown document."""
    lines = [
        "# Delivery certification checklist",
        "",
        f"As of {_instant(now)}.",
        "",
        "| point | needed | seen | evidence or what to do |",
        "|---|---|---|---|",
    ]
    for point in Point:
        found = seen.get(point)
        what = _evidence(found, _instant) if found is not None else _how(point, command)
        needed = "optional" if point in OPTIONAL else "yes"
        lines.append(f"| {_POINTS[point][0]} | {needed} | {'yes' if found else 'no'} | {_cell(what)} |")
    lines += ["", "## States seen", "", "| statusText | read as | final | first seen on |", "|---|---|---|---|"]
    for status, what in states.items():
        final = "yes" if is_final(status) else "no"
        known = word(status) if read_status(status) is not None else "unknown, shown as it came"
        lines.append(f"| {_cell(status)} | {known} | {final} | {_cell(what)} |")
    return "\n".join([*lines, ""])


def _line(point: Point, found: Evidence | None, command: str) -> str:
    optional = " _(optional)_" if point in OPTIONAL else ""
    if found is not None:
        return f":white_check_mark: {_POINTS[point][0]}{optional}: {_evidence(found, moment)}"
    return f":white_large_square: {_POINTS[point][0]}{optional}: {escape(_how(point, command))}"


def _evidence(found: Evidence, at: Instant) -> str:
    times = "once" if found.count == 1 else f"{found.count} times"
    return f"{times}, last {at(found.last)}, {quote(found.what, 60)}"


def _how(point: Point, command: str) -> str:
    return _POINTS[point][1].format(command=command)


def _states(states: Mapping[str, str]) -> str:
    if not states:
        return ""
    shown = [f"`{quote(status, 60)}` {word(status)}" for status in list(states)[:_STATES_SHOWN]]
    return f"States seen: {', '.join(shown)}"


def _instant(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

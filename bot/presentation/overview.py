"""The answers of ``/switchboard``: status, jobs, assumed routes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from bot.domain.content import Block, Content
from bot.domain.overview import (
    Assumption,
    Counts,
    Overview,
    Running,
    ServiceStatus,
    UnderWay,
    What,
    Word,
)
from bot.domain.payments.instruction import Kind, State
from bot.domain.services import DELIVERY, LOCALIZATION, Fault
from bot.presentation import words
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, lines_under
from bot.presentation.bookings import cards as booking_states
from bot.presentation.lists import csv_button
from bot.presentation.payments.answers import describe
from bot.presentation.payments.kinds import KINDS
from bot.presentation.reasons import to_set

_LATE_SECONDS = 60.0  # an item that waits longer than this deserves a look
_LISTED = 25
_NAME_LIMIT = 80
_PATH_LIMIT = 120
_NOUNS: Mapping[Kind | What, str] = {
    **{kind: words.noun for kind, words in KINDS.items()},
    What.LOCALIZATION: "localization call",
    What.EMAILS: "list of addresses",
    What.CHECK: "check of a payment file",
    What.BOOKING: "booking",
}
_PLURALS = {"list of addresses": "lists of addresses", "check of a payment file": "checks of payment files"}
_JOBS = {
    "email.run": What.EMAILS,
    "email.file": What.EMAILS,
    "check.bulk": What.CHECK,
    "localization.media": What.LOCALIZATION,
    "localization.text": What.LOCALIZATION,
    "localization.document": What.LOCALIZATION,
    "localization.batch": What.LOCALIZATION,
}
_QUEUES = {
    "messages": "Slack messages",
    "callbacks": "payment callbacks",
    "webhooks": "delivery webhooks",
    "files": "dropped files",
}
_FAULTS = {
    Fault.NO_ANSWER: "no answer",
    Fault.KEY: "our key or account is refused",
    Fault.ERRORS: "it answers with errors",
}
_LONGER = {LOCALIZATION: "content localization", DELIVERY: "delivery booking"}
"""Services whose name alone does not say what they are for."""
_STAGES = {
    "new": "being booked",
    "sending": "being booked",
    "unknown": "not confirmed yet",
    "lost": "not found",
    "waiting": "waiting for the address",
    "open": "in progress",
}
_JOB_STATES = {
    "waiting": "queued",
    "preparing": "in progress",
    "running": "in progress",
    "sending": "in progress",
    "handing_over": "in progress",
    "interrupted": "stopped",
    "canceled": "stopped",
    "unknown": "not confirmed",
    "unread": "needs someone",
}
"""Other states are their own words."""
_MARKS = {"A1": "high confidence", "A2": "medium confidence", "A3": "low confidence"}
JOBS = "jobs"
JOBS_HEADER = ("since (UTC)", "what", "name", "status", "requested by", "channel")


def status(found: Overview, *, command: str, now: datetime, for_admin: bool = True) -> Content:
    """Show services, work in progress and queues. ``command``: as typed here, e.g. ``/switchboard``."""
    blocked = [f":snowflake: {describe(found.frozen)}"] if found.frozen else []
    queues = []
    for name, since in found.oldest.items():
        age = max(0.0, (now - since).total_seconds()) if since is not None else 0.0
        told = f"the oldest waits {md.duration(age)}" if since is not None else "no backlog"
        queues.append(f"• {':warning: ' if age > _LATE_SECONDS else ''}{md.capital(_QUEUES[name])}: {told}")
    blocks: list[Block] = []
    lines: list[str] = []
    services, going_on = [service_line(one) for one in found.services], [*blocked, *_under_way(found.under_way)]
    for title, said in (("Services", services), ("In progress", going_on), ("Queues", queues)):
        lines += [f"*{title}*", *said]
        blocks += md.paragraphs([f"*{title}*", *said])
    count = found.blocking
    routes = md.counted(count, "money route")
    unconfirmed = f":warning: {routes} {'is' if count == 1 else 'are'} unconfirmed: `{command} routes`"
    notes = [unconfirmed] if count and for_admin else []
    notes.append(f"Details: `{command} jobs`")
    return Content(text=md.fallback_text([*lines, *notes]), blocks=[*blocks, md.context("\n".join(notes))])


def jobs(found: UnderWay) -> Content:
    if not found.rows:
        return md.message(":zzz: Nothing in progress.")
    lead = f"*{found.total} in progress*, oldest first"
    lines = md.listed([running_line(one) for one in found.rows], _LISTED, of=found.total)
    return lines_under(lead, lines, after=actions([csv_button(JOBS)]))


def job_row(one: Running) -> list[str]:
    """Return one row of the file of work in progress, by ``JOBS_HEADER``; people and channels as ids."""
    return [
        one.since.isoformat(timespec="seconds"),
        _NOUNS[one.what],
        one.name,
        stands(one),
        one.requester,
        one.channel,
    ]


def assumptions(found: Sequence[Assumption], words: Sequence[Word] = ()) -> Content:
    """Show unconfirmed API routes. ``words``: the delivery service's states, kinds of events and units."""
    told = [f"{title}: {', '.join(said)}." for title, said in _words(words) if said]
    if not found:
        fine = ":white_check_mark: Every API route is documented or confirmed."
        return lines_under(fine, [], notes=told)
    count, blocking = len(found), sum(one.blocks for one in found)
    money = f"; {blocking} {'moves' if blocking == 1 else 'move'} money and {'is' if blocking == 1 else 'are'}"
    blocked = f"{money} blocked in production" if blocking else ""
    lead = f"*{md.counted(count, 'API route')} {'is' if count == 1 else 'are'} unconfirmed*{blocked}."
    note = "To confirm one, an admin adds it to SERVICES_FILE: `[payments.commit_payout] confirmed = true`"
    lines = []
    for one in sorted(found, key=lambda one: not one.blocks):
        why = f"{_MARKS.get(one.mark, one.mark)}{', *moves money*' if one.blocks else ''}"
        lines.append(f"• `{md.quote(one.name, _NAME_LIMIT)}` {one.method} `{md.quote(one.path, _PATH_LIMIT)}`: {why}")
    return Content(
        text=md.fallback_text([lead, note, *lines, *told]),
        blocks=[md.paragraph(lead), *md.paragraphs(lines), *map(md.context, [note, *told])],
    )


def _words(found: Sequence[Word]) -> Iterator[tuple[str, list[str]]]:
    for table, title in (("states", "Delivery states"), ("events", "Delivery events"), ("units", "Delivery units")):
        lines = [one for one in found if one.table == table]
        yield title, [md.quote(one.ours if one.theirs == one.ours else f"{one.theirs} = {one.ours}") for one in lines]


def service_line(one: ServiceStatus) -> str:
    name = md.capital(_LONGER.get(one.name, one.name))
    if one.silent_since is not None:
        return f":red_circle: {name}: no answer since {md.moment(one.silent_since)}. Nothing is sent until it answers."
    if one.missing:
        return f":white_circle: {name}: not set up, {to_set(one.missing)}"
    if one.health is None:
        return f":white_circle: {name}: set up, not called yet"
    if one.health.fault is not None:
        return f":red_circle: {name}: calls fail since {md.moment(one.health.since)}, {_FAULTS[one.health.fault]}"
    return f":large_green_circle: {name}: working, last call {md.moment(one.health.at)}"


def _under_way(found: Counts) -> list[str]:
    """Count rows by kind and state, and rows with a kind or state unknown to this version."""
    counts: dict[str, Counter[str]] = {noun: Counter() for noun in _NOUNS.values()}
    unknown = 0
    for (kind, state), count in found.requests.items():
        if kind in list(Kind) and state in list(State):
            counts[_NOUNS[Kind(kind)]][words.word(State(state))] += count
        else:
            unknown += count
    for (kind, state), count in found.jobs.items():
        if kind in _JOBS:
            counts[_NOUNS[_JOBS[kind]]][_state(state)] += count
        else:
            unknown += count
    for stage, count in found.bookings.items():
        counts[_NOUNS[What.BOOKING]][_STAGES.get(stage, _state(stage))] += count
    told = []
    for noun, by_state in counts.items():
        if by_state:
            states = ", ".join(f"{count} {state}" for state, count in sorted(by_state.items()))
            told.append(f"• {md.counted(by_state.total(), noun, _PLURALS.get(noun, ''))}: {states}")
    if unknown:
        told.append(f"• :warning: {md.counted(unknown, 'row')} can't be read: see the alerts channel")
    return told or ["Nothing."]


def running_line(one: Running) -> str:
    name = f" {md.quote(one.name, _NAME_LIMIT)}" if one.name else ""
    who = f"by {md.mention(one.requester)}" if one.requester else "made outside of Switchboard"
    where = f" in {md.channel(one.channel)}" if one.channel.startswith(("C", "G")) else ""
    return f"• *{md.capital(_NOUNS[one.what])}*{name}: {stands(one)}, {who}{where}, {md.moment(one.since)}"


def noun(what: Kind | What) -> str:
    return _NOUNS[what]


def stands(one: Running) -> str:
    """Its state in a word or two."""
    if one.what is What.BOOKING:
        return md.capital(_STAGES.get(one.state) or booking_states.word(one.state))
    return md.capital(words.word(State(one.state)) if isinstance(one.what, Kind) else _state(one.state))


def _state(stored: str) -> str:
    return _JOB_STATES.get(stored) or md.quote(stored.replace("_", " "), _NAME_LIMIT)

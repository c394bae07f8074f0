"""The answers of ``/switchboard``: status, jobs, assumed routes."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from bot.domain.approvals import No
from bot.domain.content import Block, Content
from bot.domain.overview import (
    Assumption,
    Counts,
    Overview,
    Running,
    ServiceStatus,
    UnderWay,
    WaitingRequest,
    What,
    Word,
)
from bot.domain.payments.instruction import Instruction, Kind, State, Vote
from bot.domain.policy import Short
from bot.domain.services import DELIVERY, LOCALIZATION
from bot.presentation import notices, words
from bot.presentation.answers import refused
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, lines_under
from bot.presentation.bookings import cards as booking_states
from bot.presentation.lists import csv_button
from bot.presentation.payments.answers import describe, waiting_line
from bot.presentation.payments.kinds import KINDS, headline, sentence
from bot.presentation.reasons import short_of_people, to_set

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
}
_QUEUES = {
    "messages": "messages to Slack",
    "callbacks": "callbacks of payments",
    "webhooks": "webhooks of deliveries",
    "files": "dropped files",
}
_LONGER = {LOCALIZATION: "content localization", DELIVERY: "delivery booking"}
"""Services whose name alone does not say what they are for."""
_STAGES = {
    "new": "being sent",
    "sending": "being sent",
    "unknown": "unknown",
    "lost": "lost",
    "waiting": "waiting for the address",
    "open": "on the way",
}
_MARKS = {"A1": "on strong evidence", "A2": "by analogy", "A3": "by naming only"}
REFRESH = "home.refresh"
_LISTED_AT_HOME = 10
JOBS = "jobs"
JOBS_HEADER = ("since (UTC)", "what", "name", "status", "requested by", "channel")


def status(found: Overview, *, command: str, now: datetime) -> Content:
    """Services, what is under way, how long queues wait. ``command``: as people type it here, e.g. ``/switchboard``."""
    blocked = [notices.describe(found.reading_only)] if found.reading_only else []
    blocked += [f":snowflake: {describe(found.frozen)}"] if found.frozen else []
    queues = []
    for name, since in found.oldest.items():
        age = max(0.0, (now - since).total_seconds()) if since is not None else 0.0
        told = f"the oldest has waited {md.duration(age)}" if since is not None else "nothing waits"
        queues.append(f"• {':warning: ' if age > _LATE_SECONDS else ''}{_QUEUES[name]}: {told}")
    blocks: list[Block] = []
    lines: list[str] = []
    services, going_on = [service_line(one) for one in found.services], [*blocked, *_under_way(found.under_way)]
    for title, said in (("Services", services), ("Under way", going_on), ("Queues", queues)):
        lines += [f"*{title}*", *said]
        blocks += md.paragraphs([f"*{title}*", *said])
    count = found.blocking
    routes = "1 assumed route that moves money is" if count == 1 else f"{count} assumed routes that move money are"
    notes = [f":warning: {routes} not confirmed: `{command} routes`."] if count else []
    notes.append(f"`{command} jobs` names what is under way.")
    return Content(text=md.fallback_text([*lines, *notes]), blocks=[*blocks, md.context("\n".join(notes))])


def jobs(found: UnderWay) -> Content:
    if not found.rows:
        return md.message(":zzz: Nothing is under way.")
    lead = f"*{found.total} under way*, the oldest first"
    lines = md.listed([running_line(one) for one in found.rows], _LISTED, of=found.total)
    return lines_under(lead, lines, after=actions([csv_button(JOBS)]))


def job_row(one: Running) -> list[str]:
    """One row in the file of what is under way, by ``JOBS_HEADER``; people and channels by their ids."""
    return [
        one.since.isoformat(timespec="seconds"),
        _NOUNS[one.what],
        one.name,
        _stands(one),
        one.requester,
        one.channel,
    ]


def assumptions(found: Sequence[Assumption], words: Sequence[Word] = ()) -> Content:
    """``words``: of the delivery service, for its states, kinds of events and units."""
    told = [f"{title}: {', '.join(said)}." for title, said in _words(words) if said]
    if not found:
        fine = ":white_check_mark: Every route is documented or confirmed by the operator."
        return lines_under(fine, [], notes=told)
    blocking, many = sum(one.blocks for one in found), len(found) > 1
    lead = (
        f"*{f'{len(found)} routes are' if many else '1 route is'} assumed* and nobody has confirmed "
        f"{'them' if many else 'it'}"
        f"{f'; {blocking} of them move money, and production refuses those' if blocking else ''}."
    )
    note = "To vouch for one, the operator writes it into SERVICES_FILE: `[payments.commit_payout] confirmed = true`"
    lines = []
    for one in sorted(found, key=lambda one: not one.blocks):
        why = f"assumed {_MARKS.get(one.mark, one.mark)}{', *moves money*' if one.blocks else ''}"
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
        return (
            f":red_circle: {name}: has not answered since {md.moment(one.silent_since)}, so nothing is sent to it "
            "until it does"
        )
    if not one.missing:
        return f":large_green_circle: {name}: configured"
    return f":white_circle: {name}: not configured, {to_set(one.missing)}"


def _under_way(found: Counts) -> list[str]:
    """How many of each thing are in which state, and how many rows this version knows no kind or state of."""
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
        told.append(f"• :warning: {md.counted(unknown, 'row')} cannot be read: see the alerts channel")
    return told or ["Nothing."]


def running_line(one: Running) -> str:
    name = f" {md.quote(one.name, _NAME_LIMIT)}" if one.name else ""
    who = f"asked by {md.mention(one.requester)}" if one.requester else "made outside of Switchboard"
    where = f" in {md.channel(one.channel)}" if one.channel.startswith(("C", "G")) else ""
    return f"• *{md.capital(_NOUNS[one.what])}*{name}: {_stands(one)}, {who}{where}, {md.moment(one.since)}"


def _stands(one: Running) -> str:
    if one.what is What.BOOKING:
        return _STAGES.get(one.state) or booking_states.word(one.state)
    return words.word(State(one.state)) if isinstance(one.what, Kind) else _state(one.state)


def _state(stored: str) -> str:
    return md.quote(stored.replace("_", " "), _NAME_LIMIT)


def view(
    *,
    waiting: Sequence[WaitingRequest],
    asked: Sequence[tuple[Instruction, Sequence[Vote]]],
    running: Sequence[Running],
    services: Sequence[ServiceStatus],
    out_of_reach: Sequence[tuple[Instruction, Short]] = (),
    approvals_channel: str,
    now: datetime,
) -> Block:
    """``waiting`` and ``running`` are oldest first, ``asked`` newest first."""
    decide = [f"Decide in {md.channel(approvals_channel)}."] if waiting else []
    stuck = [
        f":warning: *{md.escape(headline(one))}* · {one.reference} · asked by {md.mention(one.requester)}: "
        f"{short_of_people(short)}."
        for one, short in out_of_reach
    ]
    mine = [
        f"• *{md.escape(headline(one))}* · {one.reference}\n{sentence(one, votes=len(votes))}" for one, votes in asked
    ]
    blocks = [
        md.header("Waiting for your approval"),
        *md.paragraphs([*_listed([waiting_line(one) for one in waiting]), *decide]),
        *([md.header("Too few approvers"), *md.paragraphs(md.listed(stuck, _LISTED_AT_HOME))] if stuck else []),
        md.header("What you asked for"),
        *md.paragraphs(_listed(mine)),
        md.header("Under way"),
        *md.paragraphs(_listed([running_line(one) for one in running])),
        md.header("Services"),
        *md.paragraphs([service_line(one) for one in services]),
        {"type": "divider"},
        md.context(f"As of {md.moment(now)}"),
        *actions([button("Refresh", REFRESH, "now")], "home"),
    ]
    return {"type": "home", "blocks": blocks}


def closed(refusal: No) -> Block:
    return {"type": "home", "blocks": [md.paragraph(refused(refusal).text)]}


def _listed(lines: Sequence[str]) -> list[str]:
    return md.listed(lines, _LISTED_AT_HOME) or [":zzz: Nothing."]

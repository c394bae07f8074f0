"""The answers of ``/switchboard``: status, jobs, assumed routes."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.approvals import No
from bot.domain.content import Block, Content
from bot.domain.overview import Assumption, Counts, Overview, Running, ServiceStatus, UnderWay, WaitingRequest, What
from bot.domain.payments.instruction import Instruction, State, Vote
from bot.domain.policy import Short
from bot.domain.services import DELIVERY, LOCALIZATION
from bot.presentation import notices, words
from bot.presentation.answers import refused
from bot.presentation.blocks.elements import actions, button
from bot.presentation.blocks.text import (
    capital,
    channel,
    context,
    counted,
    duration,
    escape,
    fallback_text,
    header,
    listed,
    mention,
    message,
    moment,
    mrkdwn,
    paragraphs,
    quote,
    section,
)
from bot.presentation.bookings import cards as booking_states
from bot.presentation.payments.answers import describe, waiting_line
from bot.presentation.payments.states import headline, sentence
from bot.presentation.reasons import short_of_people, to_set

_LATE_SECONDS = 60.0
"""An item that waits longer than this deserves a look."""
_LISTED = 25
_NAME_LIMIT = 80
_PATH_LIMIT = 120

_THINGS = {
    What.PAYOUT: ("payout", "payouts"),
    What.PURCHASE: ("purchase", "purchases"),
    What.BULK: ("bulk payment", "bulk payments"),
    What.BULK_CANCEL: ("cancellation", "cancellations"),
    What.LOCALIZATION: ("localization call", "localization calls"),
    What.EMAILS: ("list of addresses", "lists of addresses"),
    What.BOOKING: ("booking", "bookings"),
}
_KINDS = {
    "payout": What.PAYOUT,
    "one_step": What.PAYOUT,
    "purchase": What.PURCHASE,
    "bulk": What.BULK,
    "bulk_cancel": What.BULK_CANCEL,
    "email.run": What.EMAILS,
    "email.file": What.EMAILS,
    "localization.media": What.LOCALIZATION,
    "localization.text": What.LOCALIZATION,
}
_KNOWN = frozenset(state.value for state in State)
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


def status(found: Overview, *, command: str, now: datetime) -> Content:
    """Services, what is under way, how long queues wait.

    Args:
        found: everything at one moment.
        command: how people type this command here, e.g. ``/switchboard``.
        now: that moment.
    """
    blocks: list[Block] = []
    lines: list[str] = []
    for title, told in (
        ("Services", [service_line(one) for one in found.services]),
        ("Under way", [*_stopped(found), *_under_way(found.under_way)]),
        ("Queues", [_queue(name, since, now) for name, since in found.oldest.items()]),
    ):
        lines += [f"*{title}*", *told]
        blocks += paragraphs([f"*{title}*", *told])
    notes = [*_blocking(found.blocking, command), f"`{command} jobs` names what is under way."]
    return Content(text=fallback_text([*lines, *notes]), blocks=[*blocks, context("\n".join(notes))])


def jobs(found: UnderWay) -> Content:
    """What is under way, one line each."""
    if not found.rows:
        return message(":zzz: Nothing is under way.")
    lead = f"*{found.total} under way*, the oldest first"
    lines = listed([running_line(one) for one in found.rows], _LISTED, of=found.total)
    return Content(text=fallback_text([lead, *lines]), blocks=[section(mrkdwn(lead)), *paragraphs(lines)])


def assumptions(found: Sequence[Assumption]) -> Content:
    """Unconfirmed routes; first those that production refuses."""
    if not found:
        return message(":white_check_mark: Every route is documented or confirmed by the operator.")
    ordered = sorted(found, key=lambda one: not one.blocks)
    blocking, many = sum(one.blocks for one in found), len(found) > 1
    lead = (
        f"*{f'{len(found)} routes are' if many else '1 route is'} assumed* and nobody has confirmed "
        f"{'them' if many else 'it'}"
        f"{f'; {blocking} of them move money, and production refuses those' if blocking else ''}."
    )
    note = "To vouch for one, the operator writes it into SERVICES_FILE: `[payments.commit_payout] confirmed = true`"
    lines = [_assumption(one) for one in ordered]
    return Content(
        text=fallback_text([lead, note, *lines]), blocks=[section(mrkdwn(lead)), *paragraphs(lines), context(note)]
    )


def exporting() -> Content:
    """The file is being made."""
    return message(":hourglass_flowing_sand: Writing the audit into a file…")


def exported(rows: int) -> Content:
    """The audit was sent as a file."""
    return message(f":page_facing_up: The audit, {counted(rows, 'row')}, is in your direct messages.")


def service_line(one: ServiceStatus) -> str:
    """Whether a service is there, in mrkdwn."""
    name = capital(_LONGER.get(one.name, one.name))
    if one.silent_since is not None:
        return (
            f":red_circle: {name}: has not answered since {moment(one.silent_since)}, so nothing is sent to it "
            "until it does"
        )
    if not one.missing:
        return f":large_green_circle: {name}: configured"
    return f":white_circle: {name}: not configured, {to_set(one.missing)}"


def _stopped(found: Overview) -> list[str]:
    """Why nothing is sent."""
    reading = [notices.describe(found.reading_only)] if found.reading_only else []
    return [*reading, *([f":snowflake: {describe(found.frozen)}"] if found.frozen else [])]


def _under_way(found: Counts) -> list[str]:
    counted: dict[What, dict[str, int]] = {}
    unknown = 0
    for (kind, state), count in found.requests.items():
        if kind in _KINDS and state in _KNOWN:
            _count(counted, _KINDS[kind], words.word(State(state)), count)
        else:
            unknown += count
    for (kind, state), count in found.jobs.items():
        if kind in _KINDS:
            _count(counted, _KINDS[kind], _state(state), count)
        else:
            unknown += count
    for stage, count in found.bookings.items():
        _count(counted, What.BOOKING, _STAGES.get(stage, _state(stage)), count)
    told = [_things(what, counted[what]) for what in What if what in counted]
    return [*told, *_unknown(unknown)] or ["Nothing."]


def _unknown(count: int) -> list[str]:
    """Rows of a kind or in a state that this version does not know."""
    return [f"• :warning: {counted(count, 'row')} cannot be read: see the alerts channel"] if count else []


def _count(counted: dict[What, dict[str, int]], what: What, state: str, count: int) -> None:
    of_kind = counted.setdefault(what, {})
    of_kind[state] = of_kind.get(state, 0) + count


def _things(what: What, by_state: Mapping[str, int]) -> str:
    told = ", ".join(f"{count} {state}" for state, count in sorted(by_state.items()))
    return f"• {counted(sum(by_state.values()), *_THINGS[what])}: {told}"


def _queue(name: str, since: datetime | None, now: datetime) -> str:
    if since is None:
        return f"• {_QUEUES[name]}: nothing waits"
    age = max(0.0, (now - since).total_seconds())
    sign = ":warning: " if age > _LATE_SECONDS else ""
    return f"• {sign}{_QUEUES[name]}: the oldest has waited {duration(age)}"


def _blocking(count: int, command: str) -> list[str]:
    routes = "1 assumed route that moves money is" if count == 1 else f"{count} assumed routes that move money are"
    return [f":warning: {routes} not confirmed: `{command} routes`."] if count else []


def running_line(one: Running) -> str:
    """Something that is under way, in mrkdwn."""
    what = _THINGS[one.what][0]
    name = f" {quote(one.name, _NAME_LIMIT)}" if one.name else ""
    who = f"asked by {mention(one.requester)}" if one.requester else "made outside of Switchboard"
    where = f" in {channel(one.channel)}" if one.channel.startswith(("C", "G")) else ""
    return f"• *{capital(what)}*{name}: {_of_kind(one)}, {who}{where}, {moment(one.since)}"


def _of_kind(one: Running) -> str:
    match one.what:
        case What.LOCALIZATION | What.EMAILS:
            return _state(one.state)
        case What.BOOKING:
            return booking_states.word(one.state)
        case _:
            return words.word(State(one.state))


def _state(stored: str) -> str:
    return quote(stored.replace("_", " "), _NAME_LIMIT)


def _assumption(one: Assumption) -> str:
    why = _MARKS.get(one.mark, one.mark)
    money = ", *moves money*" if one.blocks else ""
    return f"• `{quote(one.name, _NAME_LIMIT)}` {one.method} `{quote(one.path, _PATH_LIMIT)}`: assumed {why}{money}"


REFRESH = "home.refresh"

_LISTED_AT_HOME = 10

_NOTHING = ":zzz: Nothing."


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
    """The whole tab.

    Args:
        waiting: what this person could decide, oldest first.
        asked: what they asked for and is not over, newest first.
        running: what is under way, oldest first.
        services: all of them.
        out_of_reach: requests that too few people can approve; the section is left out when there are none.
        approvals_channel: where decisions are made.
        now: shown as the time of the last update.
    """
    decide = [f"Decide in {channel(approvals_channel)}."] if waiting else []
    stuck = [f":warning: {_asked_short(one)}: {short_of_people(short)}." for one, short in out_of_reach]
    blocks = [
        header("Waiting for your approval"),
        *paragraphs([*_listed([waiting_line(one) for one in waiting]), *decide]),
        *([header("Too few approvers"), *paragraphs(listed(stuck, _LISTED_AT_HOME))] if stuck else []),
        header("What you asked for"),
        *paragraphs(_listed([_asked(one, votes) for one, votes in asked])),
        header("Under way"),
        *paragraphs(_listed([running_line(one) for one in running])),
        header("Services"),
        *paragraphs([service_line(one) for one in services]),
        {"type": "divider"},
        context(f"As of {moment(now)}"),
        *actions([button("Refresh", REFRESH, "now")], "home"),
    ]
    return {"type": "home", "blocks": blocks}


def closed(refusal: No) -> Block:
    """The tab of somebody who is no full member here."""
    return {"type": "home", "blocks": [section(mrkdwn(refused(refusal).text))]}


def _listed(lines: Sequence[str]) -> list[str]:
    return listed(lines, _LISTED_AT_HOME) or [_NOTHING]


def _asked_short(one: Instruction) -> str:
    return f"*{escape(headline(one))}* · {one.reference} · asked by {mention(one.requester)}"


def _asked(one: Instruction, votes: Sequence[Vote]) -> str:
    return f"• *{escape(headline(one))}* · {one.reference}\n{sentence(one, votes=len(votes))}"

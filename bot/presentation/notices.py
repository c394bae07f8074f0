"""Notices about no single request: clocks, the disk, silent services, reading-only mode, work that was stopped."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.domain.content import Content
from bot.domain.recovery import LastSearch, ReadingOnly
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button
from bot.presentation.reasons import in_words, worded

PAGE: Final = "docs/alerts.md"
SECTIONS: Final = {
    "needs_human": "needs-a-person",
    "mismatch": "not-what-was-asked-for",
    "differs": "differs-from-what-was-approved",
    "contradiction": "the-service-contradicts-itself",
    "unconfirmed": "reported-not-confirmed",
    "unknown_status": "unknown-status",
    "paid_after_close": "paid-after-the-end",
    "paid_after_end": "paid-after-the-end",
    "paid_elsewhere": "paid-elsewhere",
    "stuck": "cannot-go-on",
    "suspended": "not-sent",
    "out_of_reach": "too-few-approvers",
    "disagrees": "on-hold",
    "unaccounted": "bulk-payment-not-accounted-for",
    "unread": "bulk-payment-not-accounted-for",
    "unexplained": "bulk-payment-not-accounted-for",
    "stands_still": "bulk-payment-not-accounted-for",
    "undelivered": "message-not-posted",
    "no_approvals_channel": "message-not-posted",
    "denied": "slack-denies",
    "clock_skew": "clock-skew",
    "clock_set": "clock-set",
    "silent": "service-silent",
    "stopped": "stopped-after-an-internal-error",
    "unreadable": "row-that-cannot-be-read",
    "not_drawn": "older-state",
    "frozen": "payments-frozen",
    "reading_only": "reading-only",
    "no_anchor": "anchors-failing",
    "anchors_changed": "anchors-changed",
    "disk_low": "disk",
    "disk_full": "disk",
}
"""Headings of the page, as they stand in a link; other topics need nothing done."""
GOES_ON: Final = md.message(":arrow_forward: It is tried again now. Should it go on failing, this channel hears of it.")
NOTHING_STOPPED: Final = md.message(":information_source: Nothing is stopped by this error any more.")
Facts = Mapping[str, Any]
_MEGABYTE = 1_000_000
_LISTED = 20
TRY_AGAIN = "stopped.again"
_WHAT = {
    "instruction": "request",
    "inbox": "callback of",
    "outbox": "message about",
    "tracked": "following of",
    "job": "job",
    "dropped_file": "dropped file",
    "booking": "booking",
    "store_event": "webhook of a store",
    "board": "card",
    "store": "store",
    "vote": "vote about request",
    "attempt": "attempt of request",
    "bulk_item": "item of request",
    "callback_token": "callback address of request",
    "email_run": "list of addresses",
    "store_hook": "webhook address of a store",
    "flag": "setting",
    "unread_answer": "note of an answer of",
}
_ALONE = {"inbox": "callback", "outbox": "message", "tracked": "following of an operation"}
_NAME_LIMIT = 80
UNPREPARED = ":octagonal_sign: *stopped*: its preparation does not go on by itself."
"""Where a request stands that was stopped before people could decide on it."""


def runbook(topic: str) -> str:
    return f"\nRunbook: `{PAGE}#{SECTIONS[topic]}`" if topic in SECTIONS else ""


def notice(facts: Facts) -> Content:
    topic = str(facts["topic"])
    if topic in ("stopped", "unreadable"):
        return _stopped(facts, is_row=topic == "unreadable")
    said = _NOTICES[topic]
    return md.message((said(facts) if callable(said) else said.format_map(facts)) + runbook(topic))


def slack_says(code: str) -> str:
    return f"Slack says `{md.quote(code.replace('`', ''))}`."


def describe(mode: ReadingOnly) -> str:
    why = md.as_said(md.quote(worded(mode.reason)))
    return (
        f":rotating_light: *Reading only* since {mode.since:%Y-%m-%d %H:%M} UTC: {why} "
        "Nothing is sent until an operator runs `switchboard resume`."
    )


def report(mode: ReadingOnly, looked: Sequence[tuple[str, LastSearch | None]], unknown: Sequence[str]) -> list[str]:
    """What ``switchboard resume`` prints: why, what was looked for, what is not in this database. Plain lines."""
    lines = [f"Reading only since {mode.since:%Y-%m-%d %H:%M} UTC: {worded(mode.reason)}."]
    for reference, look in looked:
        lines.append(f"  {reference}: {f'{look.seen.value}: {worded(look.reason)}' if look else 'not looked for yet'}")
    if not looked:
        lines.append("  No request was open, so none had to be looked for.")
    if unknown:
        lines.append("Left before, and nothing in this database knows it; look for it at the service:")
        lines += [f"  {one}" for one in unknown]
    return lines


def _stopped(facts: Facts, *, is_row: bool) -> Content:
    """Which work was stopped or which row cannot be read. The button is for admins, where something was stopped."""
    number, column = str(facts["number"]), str(facts.get("column", ""))
    what, name = str(facts["what"]), md.quote(str(facts.get("name", "")), _NAME_LIMIT)
    named = f"{_WHAT.get(what, what)} {name}" if name else _ALONE.get(what, _WHAT.get(what, what))
    spoken = f"Try again what stopped with error {number}"
    text = (
        f":octagonal_sign: *Switchboard stopped after an internal error* at the {named}. "
        "It failed several times in a row, so it is left alone: nothing more is sent or read for it.\n"
        f"The operator finds `{md.quote(number)}` in the log. When that is mended, an admin presses *Try again*."
    )
    if is_row:
        spoken = f"Try again the row stopped by {number}"
        where = f", column `{md.quote(column)}`" if column else ""
        text = (
            f":octagonal_sign: *A row of the database cannot be read*: the {named}{where}. "
            f"{'It is left alone: nothing is sent or read for it. ' if number else ''}Everything else goes on.\n"
            "It was damaged or forged, or a newer version wrote it. The operator puts the row right from a backup"
            f"{'; then an admin presses *Try again*' if number else ''}."
        )
    again = [button("Try again", TRY_AGAIN, number, spoken=spoken)] if number else []
    text += runbook(str(facts["topic"]))
    return Content(text=text, blocks=[md.paragraph(text), *actions(again)])


def note(number: str) -> str:
    return (
        f":octagonal_sign: Switchboard stopped here after an internal error (`{md.quote(number)}`). "
        "An admin can have it tried again in the alerts channel."
    )


def _since(facts: Facts) -> str:
    return md.moment(datetime.fromisoformat(facts["since"]))


def _resumed(facts: Facts) -> str:
    text = f":sunny: *Switchboard sends again*, an operator decided. {md.quote_sentence(str(facts['reason']))}".rstrip()
    if not facts["again"]:
        return text
    again = md.series(facts["again"][:_LISTED], len(facts["again"]))
    return f"{text} The database was put back to an earlier moment, so these need approval again: {again}."


_NOTICES: Final[Mapping[str, str | Callable[[Facts], str]]] = {
    "undelivered": lambda facts: (
        ":rotating_light: A message could not be posted"
        + (f" in {md.channel(str(facts['channel']))}" if facts["channel"] else "")
        + f": {slack_says(in_words(facts['reason']))} Invite the app there, or ask an admin whether it may post."
    ),
    "denied": lambda facts: (
        f":rotating_light: Slack {(said := md.as_said(md.quote(in_words(facts['reason']))))[:1].lower()}{said[1:]} "
        "Until then nobody it concerns can ask or decide."
    ),
    "not_drawn": lambda facts: (
        f":rotating_light: *A message in {md.channel(str(facts['channel']))} shows an older state*: an internal error "
        "keeps it from being drawn anew. Ask Switchboard for the newest state. The operator finds the cause in the "
        f"log under `{facts['number']}`."
    ),
    "frozen": lambda facts: (
        f":snowflake: *Payments are frozen* by {md.mention(str(facts['by']))}: "
        f"{md.as_said(md.typed(str(facts['reason'])))}\n"
        f"Nothing is sent until approvers lift it with `{facts.get('command', '/pay')} unfreeze`."
    ),
    "unfrozen": lambda facts: (
        f":sunny: *Payments flow again*, decided by {md.mentions([str(person) for person in facts['by']])}."
    ),
    "clock_set": lambda facts: (
        f":alarm_clock: *The clock was set {'forward' if facts['seconds'] > 0 else 'back'} by "
        f"{md.duration(abs(facts['seconds']))}.* Everything that waits was moved along, so nothing stands still and no "
        "deadline is lost. The operator should have the machine's clock kept by NTP."
    ),
    "clock_skew": lambda facts: (
        f":alarm_clock: *The clock of a machine is {abs(facts['seconds'])} s "
        f"{'ahead of' if facts['seconds'] > 0 else 'behind'} the database server's.* Switchboard goes by the server's, "
        "so nothing is lost. The operator should set the machine's clock."
    ),
    "disk_low": lambda facts: (
        f":warning: *The disk of the database is almost full*: {int(facts['free']) // _MEGABYTE:,} of "
        f"{int(facts['whole']) // _MEGABYTE:,} MB are free. No new request is taken; what is under way goes on. The "
        "operator should make room; no restart is needed."
    ),
    "disk_full": (
        ":rotating_light: *The disk of the database is full.* Nothing can be stored, so nothing is taken and "
        "nothing is sent. The operator has to make room; no restart is needed."
    ),
    "disk_enough": ":sunny: *The disk of the database has room again.* What waited goes on by itself.",
    "silent": lambda facts: (
        f":electric_plug: *The {facts['service']} service has not answered* since {_since(facts)}. Nothing is sent to "
        "it, so that no outcome becomes unknown; one request at a time finds out when it answers, and then what waits "
        "goes on by itself."
    ),
    "answers": lambda facts: (
        f":sunny: *The {facts['service']} service answers again.* It had not since {_since(facts)}, for "
        f"{md.duration(float(facts['seconds']))}. What waited goes on by itself."
    ),
    "reading_only": lambda facts: (
        ":rotating_light: *Switchboard only reads.* The database may be older than the services: "
        f"{md.as_said(md.quote(in_words(facts['reason'])))} Nothing is sent, so that nothing is paid twice; every "
        "open request is looked for at the services. An operator has to look and run `switchboard resume`."
    ),
    "resumed": _resumed,
    "anchors_changed": lambda facts: (
        f":rotating_light: *The anchors of the audit were changed*: line {md.series(facts['lines'], facts['count'])} "
        f"of `{md.quote(str(facts['file']))}` was not written by Switchboard, or was changed since. "
        "The operator runs `switchboard audit verify`."
    ),
    "no_anchor": lambda facts: (
        ":rotating_light: *Nothing is sent*: before anything leaves it is written down in "
        f"`{md.quote(str(facts['file']))}`, and that file cannot be written: {md.quote_sentence(str(facts['reason']))}"
    ),
}

"""Notices about no single request: clocks, the disk, silent services, reading-only mode, work that was stopped."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.domain.content import Content
from bot.domain.recovery import LastSearch, ReadingOnly
from bot.presentation.blocks.elements import actions, button
from bot.presentation.blocks.text import as_said, duration, message, moment, mrkdwn, quote, section, sentence_of
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


def runbook(topic: str) -> str:
    """A last line for an alert, in mrkdwn."""
    return f"\nRunbook: `{PAGE}#{SECTIONS[topic]}`" if topic in SECTIONS else ""


CLOCKS = frozenset({"clock_skew", "clock_set"})
"""Notices of this module."""


def of_clocks(facts: Mapping[str, Any]) -> str:
    """For the alerts channel, in mrkdwn."""
    seconds = int(facts["seconds"])
    if facts["topic"] == "clock_set":
        return (
            f":alarm_clock: *The clock was set {'forward' if seconds > 0 else 'back'} by {duration(abs(seconds))}.* "
            "Everything that waits was moved along, so nothing stands still and no deadline is lost. The operator "
            "should have the machine's clock kept by NTP."
        )
    where = "ahead of" if seconds > 0 else "behind"
    return (
        f":alarm_clock: *The clock of a machine is {abs(seconds)} s {where} the database server's.* "
        "Switchboard goes by the server's, so nothing is lost. The operator should set the machine's clock."
    )


DISK = frozenset({"disk_low", "disk_full", "disk_enough"})
"""Notices of this module."""

_MEGABYTE = 1_000_000


def of_disk(facts: Mapping[str, Any]) -> str:
    """For the alerts channel, in mrkdwn."""
    match facts["topic"]:
        case "disk_low":
            free, whole = int(facts["free"]) // _MEGABYTE, int(facts["whole"]) // _MEGABYTE
            return (
                f":warning: *The disk of the database is almost full*: {free:,} of {whole:,} MB are free. No new "
                "request is taken; what is under way goes on. The operator should make room; no restart is needed."
            )
        case "disk_full":
            return (
                ":rotating_light: *The disk of the database is full.* Nothing can be stored, so nothing is taken and "
                "nothing is sent. The operator has to make room; no restart is needed."
            )
        case _:
            return ":sunny: *The disk of the database has room again.* What waited goes on by itself."


SILENCE = frozenset({"silent", "answers"})
"""Notices of this module."""


def of_silence(facts: Mapping[str, Any]) -> str:
    """For the alerts channel, in mrkdwn."""
    since, service = datetime.fromisoformat(facts["since"]), str(facts["service"])
    if facts["topic"] == "silent":
        return (
            f":electric_plug: *The {service} service has not answered* since {moment(since)}. Nothing is sent to it, "
            "so that no outcome becomes unknown; one request at a time finds out when it answers, and then what waits "
            "goes on by itself."
        )
    return (
        f":sunny: *The {service} service answers again.* It had not since {moment(since)}, for "
        f"{duration(float(facts['seconds']))}. What waited goes on by itself."
    )


RECOVERY = frozenset({"reading_only", "resumed", "no_anchor", "anchors_changed"})
"""Notices of this module."""

_LISTED = 20


def of_recovery(facts: Mapping[str, Any]) -> str:
    """For the approvers and the alerts channel, in mrkdwn."""
    match facts["topic"]:
        case "reading_only":
            return (
                ":rotating_light: *Switchboard only reads.* The database may be older than the services: "
                f"{as_said(quote(in_words(facts['reason'])))} Nothing is sent, so that nothing is paid twice; every "
                "open request is looked for at the services. An operator has to look and run `switchboard resume`."
            )
        case "resumed":
            again = [str(one) for one in facts["again"]]
            text = f":sunny: *Switchboard sends again*, an operator decided. {sentence_of(quote(str(facts['reason'])))}"
            if not again:
                return text.rstrip()
            more = f" and {len(again) - _LISTED} more" if len(again) > _LISTED else ""
            return (
                f"{text.rstrip()} The database was put back to an earlier moment, so these need approval again: "
                f"{', '.join(again[:_LISTED])}{more}."
            )
        case "anchors_changed":
            lines = ", ".join(str(one) for one in facts["lines"])
            more = f" and {facts['count'] - len(facts['lines'])} more" if facts["count"] > len(facts["lines"]) else ""
            return (
                f":rotating_light: *The anchors of the audit were changed*: line {lines}{more} of "
                f"`{quote(str(facts['file']))}` was not written by Switchboard, or was changed since. "
                "The operator runs `switchboard audit verify`."
            )
        case _:
            why = sentence_of(quote(str(facts["reason"])))
            return (
                ":rotating_light: *Nothing is sent*: before anything leaves it is written down in "
                f"`{quote(str(facts['file']))}`, and that file cannot be written: {why}"
            )


def describe(mode: ReadingOnly) -> str:
    """One line for ``/switchboard status``."""
    return (
        f":rotating_light: *Reading only* since {mode.since:%Y-%m-%d %H:%M} UTC: {as_said(quote(worded(mode.reason)))} "
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


TRY_AGAIN = "stopped.again"
STOPPED = frozenset({"stopped", "unreadable"})
"""Notices of this module."""

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
_ALONE = {
    "inbox": "callback",
    "outbox": "message",
    "tracked": "following of an operation",
}
_NAME_LIMIT = 80

UNPREPARED = ":octagonal_sign: *stopped*: its preparation does not go on by itself."
"""Where a request stands that was stopped before people could decide on it."""


def of_stopped(facts: Mapping[str, Any]) -> Content:
    """Which work was stopped, and who can do what; the button is for admins."""
    return _unreadable(facts) if facts["topic"] == "unreadable" else _stopped(facts)


def _stopped(facts: Mapping[str, Any]) -> Content:
    number = str(facts["number"])
    text = (
        f":octagonal_sign: *Switchboard stopped after an internal error* at the {_named(facts)}. "
        "It failed several times in a row, so it is left alone: nothing more is sent or read for it.\n"
        f"The operator finds `{quote(number)}` in the log. When that is mended, an admin presses *Try again*."
        f"{runbook('stopped')}"
    )
    again = button("Try again", TRY_AGAIN, number, spoken=f"Try again what stopped with error {number}")
    return Content(text=text, blocks=[section(mrkdwn(text)), *actions([again])])


def _unreadable(facts: Mapping[str, Any]) -> Content:
    """Which row cannot be read, and who can do what; with a button for admins where the row was stopped."""
    number, column = str(facts["number"]), str(facts["column"])
    where = f", column `{quote(column)}`" if column else ""
    text = (
        f":octagonal_sign: *A row of the database cannot be read*: the {_named(facts)}{where}. "
        f"{'It is left alone: nothing is sent or read for it. ' if number else ''}Everything else goes on.\n"
        "It was damaged or forged, or a newer version wrote it. The operator puts the row right from a backup"
        f"{'; then an admin presses *Try again*' if number else ''}.{runbook('unreadable')}"
    )
    again = [button("Try again", TRY_AGAIN, number, spoken=f"Try again the row stopped by {number}")] if number else []
    return Content(text=text, blocks=[section(mrkdwn(text)), *actions(again)] if again else [section(mrkdwn(text))])


def note(number: str) -> str:
    """One line of the card, in mrkdwn."""
    return (
        f":octagonal_sign: Switchboard stopped here after an internal error (`{quote(number)}`). "
        "An admin can have it tried again in the alerts channel."
    )


def goes_on() -> Content:
    """Confirmation that stopped work was released."""
    return message(":arrow_forward: It is tried again now. Should it go on failing, this channel hears of it.")


def nothing_stopped() -> Content:
    """Answer to a second press: it was released or decided already."""
    return message(":information_source: Nothing is stopped by this error any more.")


def _named(facts: Mapping[str, Any]) -> str:
    what, name = str(facts["what"]), quote(str(facts.get("name", "")), _NAME_LIMIT)
    word = _WHAT.get(what, what)
    return f"{word} {name}" if name else _ALONE.get(what, word)

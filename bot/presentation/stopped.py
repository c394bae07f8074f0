"""Work that was stopped after an internal error: the alert, the note on the card, and the button to try again."""

from collections.abc import Mapping
from typing import Any

from bot.domain.content import Content
from bot.presentation.blocks.buttons import actions, button
from bot.presentation.blocks.text import message, mrkdwn, quote, section
from bot.presentation.runbook import runbook

TRY_AGAIN = "stopped.again"
TOPICS = frozenset({"stopped", "unreadable"})
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


def notice(facts: Mapping[str, Any]) -> Content:
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
    """It was released."""
    return message(":arrow_forward: It is tried again now. Should it go on failing, this channel hears of it.")


def nothing_stopped() -> Content:
    """It was released or decided already."""
    return message(":information_source: Nothing is stopped by this error any more.")


def _named(facts: Mapping[str, Any]) -> str:
    what, name = str(facts["what"]), quote(str(facts.get("name", "")), _NAME_LIMIT)
    word = _WHAT.get(what, what)
    return f"{word} {name}" if name else _ALONE.get(what, word)

"""Notices while Switchboard only reads because the database may be older than the services, and afterwards."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.domain.recovery import Look, ReadingOnly
from bot.presentation.blocks.text import as_said, quote, sentence_of
from bot.presentation.reasons import in_words, worded

TOPICS = frozenset({"reading_only", "resumed", "no_anchor", "anchors_changed"})
"""Notices of this module."""

_LISTED = 20


def notice(facts: Mapping[str, Any]) -> str:
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


def report(mode: ReadingOnly, looked: Sequence[tuple[str, Look | None]], unknown: Sequence[str]) -> list[str]:
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

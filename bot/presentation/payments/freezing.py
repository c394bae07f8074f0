"""Answers to the person who froze payments or lifts the freeze."""

from bot.domain.content import Content
from bot.domain.freeze import Frozen
from bot.presentation.blocks.text import as_said, mention, mentions, message, typed
from bot.presentation.reasons import worded


def freezing(frozen: Frozen | None, *, changed: bool, asked_to_freeze: bool, needed: int) -> Content:
    """The state after freezing or lifting was tried."""
    if frozen is None:
        return message(":sunny: Payments flow again." if changed else ":sunny: Payments are not frozen.")
    if asked_to_freeze:
        if changed:
            return message(":snowflake: Payments are frozen. Nothing is sent until approvers lift it.")
        return message(f":snowflake: {describe(frozen)}")
    have = f"{len(frozen.lifting)} of {needed}"
    recorded = "Your voice is recorded" if changed else "Your voice was recorded before"
    return message(
        f":ballot_box_with_check: {recorded}: {have} ({mentions(list(frozen.lifting))}). Payments stay frozen."
    )


def describe(frozen: Frozen) -> str:
    """Who froze them and why, in mrkdwn."""
    by = f" by {mention(frozen.by)}" if frozen.by else ""
    return f"Payments are frozen{by}: {as_said(typed(worded(frozen.reason)))}"


def refused_while_frozen(frozen: Frozen) -> Content:
    """A new request while nothing may be sent."""
    return message(f":snowflake: {describe(frozen)} Nothing can be asked for until approvers lift it.")

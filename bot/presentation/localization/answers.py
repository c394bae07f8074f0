"""What one person is told about localization calls."""

from bot.domain.content import Content
from bot.domain.localization.progress import CallState, Order, Sight
from bot.domain.localization.request import SOURCE
from bot.presentation.blocks.text import mention, message
from bot.presentation.localization.calls import settings

WHICH_LANGUAGE = "Which language is the text in? Its letters alone do not say it. Nothing was sent yet."


def asked(order: Order, *, position: int, member: bool) -> Content:
    """The call is queued."""
    title = order.request.capability.title
    queue = f" It is number {position} in the queue." if position else ""
    where = (
        "The answer comes here."
        if member
        else (
            "I am not a member of this channel, so the answer comes to you directly. "
            "`/invite @Switchboard` brings me here."
        )
    )
    languages = f" ({' · '.join(settings(order))})" if order.request.options.get(SOURCE) else ""
    return message(f":memo: *{title}*{languages}: on it.{queue} {where}")


def asked_several(count: int, *, member: bool) -> Content:
    """Several files at once."""
    where = "The answers come here." if member else "I am not a member of this channel; the answers come to you."
    return message(f":memo: On it: {count} files. {where}")


def no_cancel(sight: Sight | None) -> Content:
    """It cannot be canceled any more."""
    if sight is None:
        return message(":warning: This button is out of date.")
    ended = {CallState.HANDING_OVER: "is done already; its files are on their way", CallState.DONE: "is done already"}
    what = ended.get(sight.state, f"is over already: {sight.state.value}")
    return message(f":warning: There is nothing to cancel: it {what}.")


def not_yours(requester: str) -> Content:
    """Somebody else asked for it."""
    return message(f":warning: Only {mention(requester)}, who asked for it, or an admin can cancel it.")


def no_again(sight: Sight | None) -> Content:
    """It cannot be repeated, or was."""
    if sight is None:
        return message(":warning: This button is out of date.")
    if sight.progress.again:
        return message(f":warning: {mention(sight.progress.by)} has run it again already.")
    return message(":warning: There is nothing to run again.")

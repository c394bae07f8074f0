"""The App Home: drawn when a user opens it, presses a button in it, or turns a page; commands can be started there.

A request has the buttons of its card, with the same handlers. Starting a command is like typing it without arguments:
its form opens, and its outcome is sent as a direct message.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.domain.approvals import Refusal
from bot.domain.home import Laid, Start
from bot.presentation import answers, home
from bot.presentation.payments import cards
from bot.slack.messenger import Listener
from handlers import deliver, email, files, localize, pay
from handlers.grammar.admission import localization_for
from handlers.grammar.verbs import run
from handlers.incoming import Click, Command, Submission, an_id, reading
from handlers.replies import DeclinedError, Nothing, Open, Reply
from handlers.router import ClickHandler, Dependencies, EventHandler, SubmissionHandler

_COMMANDS: Final = {one.name: one for one in (pay.COMMAND, deliver.COMMAND, email.COMMAND, localize.COMMAND)}
_SOON: Final = 2.0
"""Seconds that the ack waits for the drawing, which then continues in the background."""


async def opened(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Draw the home that a user opens; ignore the messages tab."""
    event = body["event"]
    with reading():
        user = an_id(event.get("user"))
        laid = Laid.load(str((event.get("view") or {}).get("private_metadata")))
    if event.get("tab", "home") == "home":
        drawing = deps.homes.show(deps.ctx, user, laid, is_opening=True)
        await asyncio.wait({deps.ephemerals.begin(drawing)}, timeout=_SOON)


async def written(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Store the files of a message; answer direct messages and messages that begin with a mention of the bot."""
    await files.said(deps, body)
    event, us = body["event"], deps.ctx.bot_user
    thread_ts, text = str(event.get("thread_ts") or ""), str(event.get("text") or "").strip()
    is_direct = event.get("channel_type") == "im" and not thread_ts
    if not text or event.get("files") or not files.is_spoken(event) or not (is_direct or text.startswith(f"<@{us}>")):
        return
    with reading():
        user, channel = an_id(event.get("user")), an_id(event.get("channel"))
    if user != us:
        to = Listener(response_url="", channel=channel, user=user, thread_ts=thread_ts)
        deps.ephemerals.tell(answers.welcome([deps.spelled(name) for name in _COMMANDS]), to=to)


async def turn(deps: Dependencies, click: Click) -> Reply:
    """Draw the home with the page in the button's value, or from the start."""
    deps.ephemerals.begin(deps.homes.show(deps.ctx, click.user, Laid.load(click.metadata).turned(click.value)))
    return Nothing()


async def nothing(_deps: Dependencies, _click: Click) -> Reply:
    return Nothing()


@dataclass(frozen=True, slots=True)
class DrawnAfter:
    """A handler after which the home is redrawn with the same layout if the button was pressed there."""

    handler: ClickHandler

    async def __call__(self, deps: Dependencies, click: Click) -> Reply:
        try:
            return await self.handler(deps, click)
        finally:
            if click.at_home:
                deps.ephemerals.begin(deps.homes.show(deps.ctx, click.user, Laid.load(click.metadata)))


async def start(deps: Dependencies, click: Click) -> Reply:
    """Open the form of the command in the button's value."""
    if click.value not in list(Start):
        raise DeclinedError(answers.refused(Refusal.STALE))
    channel = await deps.messenger.direct_message(click.user)
    if click.value == Start.LOCALIZE:
        await localization_for(deps, click.user)
        verbs = [(one.name, one.summary) for one in localize.COMMAND.verbs]
        return Open(home.localize(verbs, channel=channel))
    name, _, verb = click.value.partition(" ")
    return await _run(deps, name, verb, user=click.user, channel=channel, trigger_id=click.trigger_id)


async def choose(deps: Dependencies, form: Submission) -> Reply:
    """Open the form of the chosen verb of ``/localize``."""
    verb = form.values.get(home.VERB, "")
    if verb not in [one.name for one in localize.COMMAND.verbs]:
        raise DeclinedError(answers.refused(Refusal.STALE))
    return await _run(deps, localize.NAME, verb, user=form.user, channel=form.channel, trigger_id=form.view_id)


async def _run(deps: Dependencies, name: str, text: str, **asked: str) -> Reply:
    command = Command(name=deps.spelled(name), text=text, response_url="", **asked)
    return await run(deps, command, slash=_COMMANDS[name])


BUTTONS: dict[str, ClickHandler] = {
    home.REFRESH: turn,
    home.BACK: turn,
    home.ON: turn,
    cards.LINK: nothing,
    **{f"{home.START}.{number}": DrawnAfter(start) for number in range(home.STARTS)},
}
FORMS: dict[str, SubmissionHandler] = {home.VERBS: choose}
EVENTS: dict[str, EventHandler] = {"app_home_opened": opened, "message": written}

"""Files: their events, the shortcut *Use this file*, and the buttons of an offer."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from bot.domain.errors import ServiceNow
from bot.domain.files.dropped import DroppedFile, Share, UnusableFile
from bot.domain.files.sniffing import FileKind
from bot.presentation import answers
from bot.presentation.files import offers
from bot.presentation.reasons import worded
from bot.workflows.context import OfferedAction
from bot.workflows.slack.dropped_files import dropped_together, fitting, forget, notice, pass_over, still_there
from handlers.grammar.admission import can_post
from handlers.incoming import Click, Shortcut, Submission, files_of, reading
from handlers.replies import Later, Nothing, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, EventHandler, Presses, ShortcutHandler, SubmissionHandler

_SPOKEN: Final = frozenset({"", "file_share", "thread_broadcast", "me_message"})
"""Subtypes of new messages by users; others, such as edits, aren't uploads."""


def is_spoken(event: Mapping[str, Any]) -> bool:
    """Return whether an event is a person's new message."""
    return str(event.get("subtype") or "") in _SPOKEN and not event.get("bot_id")


async def said(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Store the files in a person's message, with their thread, for reading later. An app's files get no offer."""
    with reading():
        event = body["event"]
        user, files = str(event.get("user") or ""), files_of(event)
        by_app = bool(event.get("bot_id")) or event.get("subtype") == "bot_message"
        if not files or user == deps.ctx.bot_user or not (by_app or (user and is_spoken(event))):
            return
        channel, message_ts, thread_ts = str(event["channel"]), str(event["ts"]), str(event.get("thread_ts") or "")
    if by_app:
        await pass_over(deps.ctx, files, channel=channel, user=user, message_ts=message_ts)
        return
    await notice(deps.ctx, files, channel=channel, user=user, message_ts=message_ts, thread_ts=thread_ts)


async def shared(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Store a shared file for reading later. The event has only ids, and often accompanies the message's event."""
    event = body["event"]
    with reading():
        file_id = str(event.get("file_id") or (event.get("file") or {}).get("id") or "")
        channel, user = str(event.get("channel_id") or ""), str(event.get("user_id") or "")
    if file_id and channel and user != deps.ctx.bot_user:
        await notice(deps.ctx, [file_id], channel=channel, user=user)


async def deleted(deps: Dependencies, body: Mapping[str, Any]) -> None:
    file_id = str(body["event"].get("file_id") or "")
    if file_id:
        await forget(deps.ctx, file_id)


async def use_file(deps: Dependencies, used: Shortcut) -> Reply:
    """Offer actions on each file of the message in a form, because a private message may go unnoticed."""
    if not used.files:
        return Open(offers.told(offers.NO_FILE))
    share = Share(channel=used.channel, ts=used.ts, thread_ts=used.thread_ts)

    async def examine(file_id: str) -> DroppedFile | UnusableFile:
        try:
            return await still_there(deps.ctx, file_id, share, vouched=True)
        except UnusableFile as unusable:
            return unusable

    async def look() -> Open:
        try:
            if not await can_post(deps.messenger, used.channel):
                direct = used.channel.startswith(("D", "G"))
                return Open(offers.told(offers.NOT_IN_DIRECT_MESSAGES if direct else offers.NOT_HERE))
            looked = await asyncio.gather(*map(examine, used.files))
        except ServiceNow as silent:
            return Open(offers.told(answers.try_again(f"{silent.service} {worded(silent.reason)}.")))
        found = [(file, fitting(deps.ctx, file)) for file in looked if isinstance(file, DroppedFile)]
        troubles = [trouble for trouble in looked if isinstance(trouble, UnusableFile)]
        return Open(offers.several(found, troubles, channel=used.channel))

    return Later(look, meanwhile=Open(offers.told(offers.LOOKING)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Files of one kind that were dropped together. ``first``: id of the file whose offer covers all of them."""

    first: str
    kind: FileKind
    files: Sequence[DroppedFile]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAction(OfferedAction):
    """One button of an offer."""

    start: Callable[[Dependencies, Click, DroppedFile], Awaitable[Reply]]
    """Handles a click; receives the file as just read again."""
    start_all: Callable[[Dependencies, Click, "Together"], Awaitable[Reply]] | None = None
    """Handles a click on the action for all files dropped together."""

    @property
    def for_all(self) -> bool:
        return self.start_all is not None


class Offers:
    """Handlers of file actions: a button for each, the menu that replaces many buttons, and the shortcut's form."""

    def __init__(self, actions: Sequence[FileAction]) -> None:
        self._actions = {action.name: action for action in actions}
        self._presses = Presses()
        self.buttons: dict[str, ClickHandler] = {
            **{f"{offers.USE}.{action.name}": partial(self._start, action=action) for action in actions},
            offers.USE: self._choose,
            **{f"{offers.USE_ALL}.{one.name}": partial(self._start_all, action=one) for one in actions if one.for_all},
            offers.USE_ALL: self._choose_all,
        }
        self.forms: dict[str, SubmissionHandler] = {offers.CHOSEN: self._submit}

    async def _choose(self, deps: Dependencies, click: Click) -> Reply:
        name, _, reference = click.value.partition("|")
        action = self._actions.get(name)
        if action is None:
            return Private(offers.STALE)
        return await self._start(deps, replace(click, value=reference), action=action)

    async def _choose_all(self, deps: Dependencies, click: Click) -> Reply:
        name, _, value = click.value.partition("|")
        action = self._actions.get(name)
        if action is None:
            return Private(offers.STALE)
        return await self._start_all(deps, replace(click, value=value), action=action)

    async def _start_all(self, deps: Dependencies, click: Click, *, action: FileAction) -> Reply:
        if self._presses.is_double(f"{action.name}.all", click, deps.ctx.clock.now()):
            return Nothing()
        first, _, named = click.value.partition("|")
        kind = FileKind(named) if named in frozenset(FileKind) else FileKind.OTHER
        files = await dropped_together(deps.ctx, first, kind, channel=click.channel)
        if action.start_all is None or not any(action.fits(file) for file in files):
            return Private(offers.STALE)
        return await action.start_all(deps, click, Together(first=first, kind=kind, files=files))

    async def _submit(self, deps: Dependencies, form: Submission) -> Reply:
        name, _, reference = form.values.get(offers.CHOICE, "").partition("|")
        action = self._actions.get(name)
        if action is None:
            return Private(offers.STALE)
        click = Click(
            action_id=f"{offers.USE}.{name}",
            value=reference,
            user=form.user,
            channel=form.metadata,
            ts="",
            trigger_id="",
            response_url="",
            view_id=form.view_id,
        )
        reply = await self._start(deps, click, action=action)
        return Replace(offers.STARTED) if isinstance(reply, Nothing) else reply

    async def _start(self, deps: Dependencies, click: Click, *, action: FileAction) -> Reply:
        if self._presses.is_double(action.name, click, deps.ctx.clock.now()):
            return Nothing()
        file_id, *others = click.value.split("|")
        if len(others) != 2 or not click.channel:  # noqa: PLR2004 - message and thread
            return Private(offers.STALE)
        ts, thread_ts = others
        file = await still_there(deps.ctx, file_id, Share(channel=click.channel, ts=ts, thread_ts=thread_ts))
        if not action.fits(file):
            return Private(offers.unfit(file, action.label))
        return await action.start(deps, click, file)


EVENTS: dict[str, EventHandler] = {"file_shared": shared, "file_deleted": deleted}
SHORTCUTS: dict[str, ShortcutHandler] = {offers.SHORTCUT: use_file}

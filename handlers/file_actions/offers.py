"""The buttons of an offer: which action, on which file."""

from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime, timedelta

from bot.domain.files.dropped import Share
from bot.presentation.files import offers
from bot.workflows.slack.dropped_files import still_there
from handlers.dependencies import Dependencies
from handlers.file_actions.file_action import FileAction
from handlers.incoming import Click, Submission
from handlers.replies import Nothing, Private, Replace, Reply
from handlers.router import ClickHandler, Router, SubmissionHandler

_PARTS = 3
"""Parts of a button's value: file, message, thread."""
_DOUBLE = timedelta(seconds=2)
"""Time within which a second press of the same button by the same user counts as a double click."""
_REMEMBERED = 200


def register(router: Router, actions: Sequence[FileAction]) -> None:
    """Register a button for each action, the menu that replaces them where they are many, and the shortcut's form."""
    presses = _Presses()
    for action in actions:
        router.actions[f"{offers.USE}.{action.name}"] = _button(action, presses)
    by_name = {action.name: action for action in actions}
    router.actions[offers.USE] = _menu(by_name, presses)
    router.views[offers.CHOSEN] = _form(by_name, presses)


class _Presses:
    """The last presses, so that a double click starts an action once: nothing else detects the repeat."""

    def __init__(self) -> None:
        self._at: OrderedDict[tuple[str, str, str], datetime] = OrderedDict()

    def is_double(self, action: FileAction, click: Click, now: datetime) -> bool:
        """Whether this user did the same a moment ago."""
        key = (action.name, click.value, click.user)
        before = self._at.get(key)
        self._at[key] = now
        self._at.move_to_end(key)
        while len(self._at) > _REMEMBERED:
            self._at.popitem(last=False)
        return before is not None and now - before < _DOUBLE


def _button(action: FileAction, presses: _Presses) -> ClickHandler:
    async def pressed(deps: Dependencies, click: Click) -> Reply:
        return await _start(action, click.value, deps, click, presses)

    return pressed


def _menu(by_name: dict[str, FileAction], presses: _Presses) -> ClickHandler:
    async def chosen(deps: Dependencies, click: Click) -> Reply:
        name, _, reference = click.value.partition("|")
        action = by_name.get(name)
        return Private(offers.stale()) if action is None else await _start(action, reference, deps, click, presses)

    return chosen


def _form(by_name: dict[str, FileAction], presses: _Presses) -> SubmissionHandler:
    async def submitted(deps: Dependencies, form: Submission) -> Reply:
        name, _, reference = form.values.get(offers.CHOICE, "").partition("|")
        action = by_name.get(name)
        if action is None:
            return Private(offers.stale())
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
        reply = await _start(action, reference, deps, click, presses)
        return Replace(offers.started()) if isinstance(reply, Nothing) else reply

    return submitted


async def _start(action: FileAction, reference: str, deps: Dependencies, click: Click, presses: _Presses) -> Reply:
    if presses.is_double(action, click, deps.ctx.clock.now()):
        return Nothing()
    parts = reference.split("|")
    if len(parts) != _PARTS or not click.channel:
        return Private(offers.stale())
    file_id, ts, thread_ts = parts
    file = await still_there(deps.ctx, file_id, Share(channel=click.channel, ts=ts, thread_ts=thread_ts))
    if not action.fits(file):
        return Private(offers.unfit(file, action.label))
    return await action.start(deps, click, file)

"""The buttons of an offer: which use, of which file."""

from collections.abc import Sequence

from bot.domain.files import Share
from bot.presentation import offers
from bot.workflows.intake import still_there
from handlers.desk import Desk
from handlers.incoming import Click
from handlers.replies import Private, Reply
from handlers.router import ClickHandler, Router
from handlers.uses.use import Use

_PARTS = 3
"""Of what a button knows: file, message, thread."""


def register(router: Router, uses: Sequence[Use]) -> None:
    """A button for each use, and the menu that stands for them where they are many."""
    for use in uses:
        router.actions[f"{offers.USE}.{use.name}"] = _button(use)
    router.actions[offers.USE] = _menu({use.name: use for use in uses})


def _button(use: Use) -> ClickHandler:
    async def pressed(desk: Desk, click: Click) -> Reply:
        return await _start(use, click.value, desk, click)

    return pressed


def _menu(by_name: dict[str, Use]) -> ClickHandler:
    async def chosen(desk: Desk, click: Click) -> Reply:
        name, _, reference = click.value.partition("|")
        use = by_name.get(name)
        return Private(offers.stale()) if use is None else await _start(use, reference, desk, click)

    return chosen


async def _start(use: Use, reference: str, desk: Desk, click: Click) -> Reply:
    parts = reference.split("|")
    if len(parts) != _PARTS or not click.channel:
        return Private(offers.stale())
    file_id, ts, thread_ts = parts
    file = await still_there(desk.ctx, file_id, Share(channel=click.channel, ts=ts, thread_ts=thread_ts))
    if not use.fits(file):
        return Private(offers.unfit(file, use.label))
    return await use.start(desk, click, file)

"""Registry of all handlers by their names in Slack's payloads; the only module that knows all services."""

from collections.abc import Sequence
from functools import partial
from typing import Final

from bot.presentation import answers, views
from handlers import (
    bulk,
    bulk_sent,
    deliver,
    email,
    files,
    home,
    localize,
    pay,
    pay_again,
    pay_reading,
    stores,
    switchboard,
)
from handlers.files import FileAction, Offers
from handlers.grammar.verbs import SlashCommand, press, run, submit
from handlers.lists import Lists
from handlers.router import Router

COMMANDS: Final[tuple[SlashCommand, ...]] = (
    pay.COMMAND,
    deliver.COMMAND,
    localize.COMMAND,
    email.COMMAND,
    switchboard.COMMAND,
)
FILE_ACTIONS: Final[tuple[FileAction, ...]] = (*localize.FILE_ACTIONS, *bulk.FILE_ACTIONS, *email.FILE_ACTIONS)
"""In the order of an offer's buttons."""

LISTS: Final = {**pay_reading.LISTS, **bulk_sent.LISTS, **stores.LISTS, **switchboard.LISTS}
"""Lists that can be exported as CSV."""


def make_router(actions: Sequence[FileAction], *, prefix: str, more: Sequence[SlashCommand] = ()) -> Router:
    """Return the tables of all handlers. ``actions``: file actions; ``more``: commands of extensions."""
    commands = {one.name: one for one in (*COMMANDS, *more)}
    offers, lists = Offers(actions), Lists(LISTS)
    return Router(
        commands={f"/{prefix}{name}": partial(run, slash=one) for name, one in commands.items()},
        actions={
            **{name: home.DrawnAfter(handler) for name, handler in pay.BUTTONS.items()},
            **pay_again.BUTTONS,
            **pay_reading.BUTTONS,
            **bulk.BUTTONS,
            **bulk_sent.BUTTONS,
            **deliver.BUTTONS,
            **localize.BUTTONS,
            **email.BUTTONS,
            **switchboard.BUTTONS,
            **home.BUTTONS,
            **offers.buttons,
            **lists.buttons,
            answers.OFFERED: partial(press, commands=commands),
        },
        views={
            views.VERB: partial(submit, commands=commands),
            **pay.FORMS,
            **pay_reading.FORMS,
            **bulk.FORMS,
            **deliver.FORMS,
            **localize.FORMS,
            **email.FORMS,
            **home.FORMS,
            **offers.forms,
        },
        shortcuts={**files.SHORTCUTS, **localize.SHORTCUTS},
        events={**files.EVENTS, **home.EVENTS},
    )

"""The buttons of a list's board."""

from bot.presentation.blocks.text import message
from bot.presentation.emails import lists as emails
from bot.workflows.emails.request import Press, Pressed, press
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.replies import Nothing, Private, Reply
from handlers.router import ClickHandler, Router


def register(router: Router) -> None:
    """Pause, Resume, Stop."""
    router.actions[emails.PAUSE] = _button(Press.PAUSE)
    router.actions[emails.RESUME] = _button(Press.RESUME)
    router.actions[emails.STOP] = _button(Press.STOP)


def _button(what: Press) -> ClickHandler:
    async def pressed(deps: Dependencies, click: Click) -> Reply:
        came, state = await press(deps.ctx, click.value, what, person=click.user)
        match came:
            case Pressed.NOT_YOURS:
                return Private(message(f":no_entry_sign: {emails.NOT_YOURS}"))
            case Pressed.TOO_LATE:
                return Private(message(f":information_source: {emails.refused_press(state)}"))
            case Pressed.DONE:
                return Nothing()

    return pressed

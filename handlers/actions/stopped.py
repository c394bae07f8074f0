"""The button of an alert about work that was stopped after an internal error."""

from bot.domain.approvals import No
from bot.presentation import answers, stopped
from bot.workflows import quarantine
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.replies import Private, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Try again."""
    router.actions[stopped.TRY_AGAIN] = try_again


async def try_again(deps: Dependencies, click: Click) -> Reply:
    """Resume the rows that the error with this number stopped, if the user is an admin."""
    done = await quarantine.try_again(deps.ctx, number=click.value, person=click.user)
    if isinstance(done, No):
        return Private(answers.refused(done))
    return Private(stopped.goes_on() if done else stopped.nothing_stopped())

"""The buttons of a localization call: Cancel, and Run again."""

from bot.domain.approvals import Role, listed
from bot.domain.localization.progress import CallState
from bot.presentation.localization import answers as told
from bot.presentation.localization.calls import AGAIN, CANCEL
from bot.workflows.localization import cancel, repeat, sight_of
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.input.admission import localization_for
from handlers.replies import Nothing, Private, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Both buttons by their action ids."""
    router.actions[CANCEL] = stop
    router.actions[AGAIN] = again


async def stop(deps: Dependencies, click: Click) -> Reply:
    """Stop waiting; allowed to the requester and admins."""
    await localization_for(deps, click.user)
    sight = await sight_of(deps.ctx, click.value)
    if sight is None:
        return Private(told.no_cancel(None))
    standing = await deps.ctx.people.standing(click.user)
    if click.user != sight.requester and not listed(Role.ADMIN, standing, deps.ctx.policy.people):
        return Private(told.not_yours(sight.requester))
    stopped = await cancel(deps.ctx, click.value, person=click.user)
    if stopped is None or stopped.state is not CallState.CANCELED or stopped.progress.by != click.user:
        return Private(told.no_cancel(stopped))
    return Nothing()


async def again(deps: Dependencies, click: Click) -> Reply:
    """Request the same again; allowed to any member."""
    await localization_for(deps, click.user)
    repeated = await repeat(deps.ctx, click.value, person=click.user)
    if repeated is None:
        return Private(told.no_again(await sight_of(deps.ctx, click.value)))
    return Nothing()

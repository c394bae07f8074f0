"""The App Home: published again whenever a user opens it, or presses *Refresh* there."""

from collections.abc import Mapping
from typing import Any

import structlog

from bot.domain.errors import OutcomeUnknown, ServiceNever
from bot.presentation import overview
from bot.workflows.admin.overview import look
from handlers.incoming import Click, an_id, reading
from handlers.replies import Nothing, Reply
from handlers.router import ClickHandler, Dependencies, EventHandler

log = structlog.get_logger(__name__)


async def opened(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Publish the home when a user opens it; the messages tab needs nothing."""
    event = body["event"]
    with reading():
        user = an_id(event.get("user"))
    if event.get("tab", "home") == "home":
        await _draw(deps, user)


async def refresh(deps: Dependencies, click: Click) -> Reply:
    await _draw(deps, click.user)
    return Nothing()


async def _draw(deps: Dependencies, user: str) -> None:
    ctx = deps.ctx
    found = await look(ctx, user)
    drawn = (
        overview.closed(found.refusal)
        if found.refusal is not None
        else overview.view(
            waiting=found.waiting,
            asked=found.asked,
            running=found.running,
            services=found.services,
            out_of_reach=[(one.instruction, one.short) for one in found.out_of_reach],
            approvals_channel=ctx.policy.channels.approvals,
            now=ctx.clock.now(),
        )
    )
    try:
        await deps.messenger.publish_home(user=user, view=drawn)
    except (ServiceNever, OutcomeUnknown) as refused:
        log.info("a home was not drawn", reason=str(refused))


BUTTONS: dict[str, ClickHandler] = {overview.REFRESH: refresh}
EVENTS: dict[str, EventHandler] = {"app_home_opened": opened}

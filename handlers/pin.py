"""Filter for requests of the workspace, organization and app that the token belongs to."""

from collections.abc import Awaitable, Callable

import structlog
from slack_bolt.middleware.async_middleware import AsyncMiddleware
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.slack.people import Identity
from handlers.incoming import origin, reading

log = structlog.get_logger(__name__)


class Pin(AsyncMiddleware):
    """Middleware that answers a signed request of another workspace, organization or app without effect."""

    def __init__(self, home: Identity) -> None:
        self._home = home

    async def async_process(
        self,
        *,
        req: AsyncBoltRequest,
        resp: BoltResponse,  # noqa: ARG002 - the library's signature
        next: Callable[[], Awaitable[BoltResponse]],  # noqa: A002 - the library's name
    ) -> BoltResponse | None:
        """Pass on only requests of our own workspace, organization and app."""
        with reading():
            team, enterprise = origin(req.body)
        ours = self._home.enterprise_id
        app = req.body.get("api_app_id")
        elsewhere = team != self._home.team_id or (ours and enterprise and enterprise != ours)
        if elsewhere or (app and self._home.app_id and app != self._home.app_id):
            log.warning(
                "ignored a request of another workspace", team=str(team), enterprise=str(enterprise), app=str(app)
            )
            return BoltResponse(status=200, body="")
        return await next()

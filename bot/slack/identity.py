"""The bot's identity in the workspace, read once at start."""

from dataclasses import dataclass

import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import OperatorError, ServiceNever
from bot.slack.calls import call

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """The answer of ``auth.test``."""

    team_id: str
    team: str
    bot_id: str
    bot_user_id: str
    enterprise_id: str | None
    app_id: str
    """Of the app that the token belongs to; empty when Slack did not say."""
    scopes: frozenset[str]
    """Granted to the bot token; empty when Slack did not say."""


async def who_we_are(client: AsyncWebClient) -> Identity:
    """Ask Slack.

    Raises:
        OperatorError: the token belongs to no single workspace.
        SwitchboardError: those of :func:`bot.slack.calls.call`.
    """
    headers: dict[str, str] = {}

    async def ask() -> object:
        response = await client.auth_test()
        headers.update({key.lower(): value for key, value in (response.headers or {}).items()})
        return response

    answer = await call(ask())
    team_id, enterprise_id = str(answer.get("team_id") or ""), answer.get("enterprise_id")
    if answer.get("is_enterprise_install") or not team_id or team_id == enterprise_id:
        # Requests carry the id of a workspace, never that of an organization: all of them would be refused.
        where = enterprise_id or "none is named"
        raise OperatorError(
            f"the bot token is good for a whole organization ({where}), not for one workspace",
            mend="install the app in one workspace, not in the organization, and put that token into SLACK_BOT_TOKEN",
        )
    return Identity(
        team_id=team_id,
        team=str(answer.get("team", "")),
        bot_id=str(answer.get("bot_id", "")),
        bot_user_id=str(answer.get("user_id", "")),
        enterprise_id=str(enterprise_id) if enterprise_id else None,
        app_id=await _app_of(client, str(answer.get("bot_id") or "")),
        scopes=frozenset(scope.strip() for scope in headers.get("x-oauth-scopes", "").split(",") if scope.strip()),
    )


async def _app_of(client: AsyncWebClient, bot_id: str) -> str:
    """The app of a bot; empty where the token may not read it (workspace and signing secret then identify it)."""
    if not bot_id:
        return ""
    try:
        answer = await call(client.bots_info(bot=bot_id))
    except (OperatorError, ServiceNever) as denied:
        log.warning("Slack did not say which app we are", reason=str(denied))
        return ""
    return str((answer.get("bot") or {}).get("app_id") or "")

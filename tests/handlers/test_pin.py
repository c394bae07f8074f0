"""Requests of another workspace, organization or app are answered and have no effect."""

from typing import Any

import pytest
from slack_bolt.async_app import AsyncBoltRequest
from slack_bolt.response import BoltResponse

from bot.slack.people import BotIdentity
from handlers.bolt import Pin


def home(enterprise: str | None = None, app: str = "A0OURS") -> BotIdentity:
    return BotIdentity(
        team_id="T0HOME", team="Home", bot_id="B1", bot_user_id="U0BOT", enterprise_id=enterprise, app_id=app,
        scopes=frozenset(),
    )  # fmt: skip


async def passes(body: dict[str, Any], ours: BotIdentity) -> bool:
    """Whether the request goes on to its handler; one that does not is answered with 200."""
    went_on = False

    async def go_on() -> BoltResponse:
        nonlocal went_on
        went_on = True
        return BoltResponse(status=204)

    request = AsyncBoltRequest(body=body, mode="socket_mode")
    answer = await Pin(ours).async_process(req=request, resp=BoltResponse(status=200), next=go_on)
    assert answer is not None
    assert (answer.status, answer.body) == ((204, "") if went_on else (200, ""))
    return went_on


@pytest.mark.parametrize(
    ("body", "ours", "goes_on"),
    [
        ({"team_id": "T0HOME"}, home(), True),
        ({"team": {"id": "T0HOME"}}, home(), True),
        ({"team_id": "T0OTHER"}, home(), False),
        ({}, home(), False),
        ({"team_id": "T0HOME", "api_app_id": "A0OURS"}, home(), True),
        ({"team_id": "T0HOME", "api_app_id": "A0OTHER"}, home(), False),
        ({"team_id": "T0HOME", "api_app_id": "A0OTHER"}, home(app=""), True),
        ({"team_id": "T0HOME", "enterprise_id": "E0OURS"}, home("E0OURS"), True),
        ({"team_id": "T0HOME", "enterprise": {"id": "E0OURS"}}, home("E0OURS"), True),
        ({"team_id": "T0HOME"}, home("E0OURS"), True),
        ({"team_id": "T0HOME", "enterprise_id": "E0OTHER"}, home("E0OURS"), False),
        ({"team_id": "T0HOME", "enterprise_id": "E0OTHER"}, home(), True),
        ({"team_id": "T0OTHER", "view": {"app_installed_team_id": "T0HOME"}}, home(), True),
        ({"team_id": "T0HOME", "view": {"app_installed_team_id": "T0OTHER"}}, home(), False),
        ({"team_id": "T0OTHER", "authorizations": [{"team_id": "T0HOME"}]}, home(), True),
        ({"team_id": "T0HOME", "authorizations": [{"team_id": "T0OTHER"}]}, home(), False),
        ({"authorizations": [{"team_id": "T0HOME", "enterprise_id": "E0OTHER"}]}, home("E0OURS"), False),
    ],
)
async def test_only_our_own_workspace_organization_and_app_are_heard(
    body: dict[str, Any], ours: BotIdentity, goes_on: bool
) -> None:
    assert await passes(body, ours) is goes_on

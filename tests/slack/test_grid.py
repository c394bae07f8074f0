"""Enterprise Grid and shared channels: who is at home where, and which token is good for it."""

from dataclasses import replace
from typing import Any

import pytest
from inline_snapshot import snapshot
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import OperatorError
from bot.playground.workspace import Workspace
from bot.slack.people import who_we_are
from tests.slack.conftest import Api
from tests.support.clock import ManualClock
from tests.support.fixtures import Printed
from tests.support.rig import ADA, MARIA, ZOE, Rig
from tests.workflows.looking import alerts, heard, newest, requests, votes

HOME, SISTER, ORG = "T0HOME", "T0SISTER", "E0ORG"


def in_a_grid(workspace: Workspace) -> None:
    """The workspace is one of an organization; its people are members of several."""
    workspace._state.identity = replace(workspace.identity, enterprise_id=ORG)


def org_wide(workspace: Workspace) -> None:
    workspace._state.identity = replace(workspace.identity, enterprise_id=ORG, org_wide=True)


async def open_grid(database_url: str) -> Rig:
    rig = await Rig.open(database_url=database_url, clock=ManualClock(), prepare=in_a_grid)
    for user in (MARIA, ADA):
        rig.workspace.set_user(user, team_id="", teams=(SISTER, HOME))
    return rig


pytestmark = pytest.mark.rig(opened_by=open_grid)


async def test_enterprise_grid_people_can_request_and_approve(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve", user=ADA)
    await rig.settle()
    assert (await newest(rig)).decided_by == ADA
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.parametrize("changes", [
    {"teams": (SISTER,)}, {"teams": (HOME, SISTER), "stranger": True},
    {"teams": (), "team_id": HOME, "stranger": True},
    {"teams": (HOME,), "restricted": True},
],ids=["another workspace of the organization", "a stranger", "a stranger with our id", "a guest"])  # fmt: skip
async def test_people_of_other_grid_workspaces_do_not_count(rig: Rig, changes: dict[str, Any]) -> None:
    rig.workspace.set_user(ADA, **{"team_id": "", **changes})
    await rig.pay()
    await rig.press("approve", user=ADA, force=True)
    assert not await votes(rig)


async def test_upload_from_the_other_side_of_a_shared_channel_is_seen(rig: Rig) -> None:
    ours = {"type": "app_home_opened", "user": ZOE, "tab": "home"}
    assert (await rig.workspace.send_event(ours, happened_in="T0PARTNER")).status == 200
    assert rig.workspace.home(ZOE) is not None


async def test_event_authorized_by_another_workspace_is_ignored(rig: Rig) -> None:
    rig.workspace._state.identity = replace(rig.workspace.identity, team_id="T0PARTNER")
    event = {"type": "app_home_opened", "user": ZOE, "tab": "home"}
    assert (await rig.workspace.send_event(event, happened_in=HOME)).status == 200
    assert rig.workspace.home(ZOE) is None


async def test_events_of_another_organization_are_ignored(rig: Rig) -> None:
    rig.workspace._state.identity = replace(rig.workspace.identity, enterprise_id="E0OTHER")
    assert (await rig.pay()).status == 200
    assert not await requests(rig)


@pytest.mark.rig(opened_by=None, prepare=org_wide, start=False)
async def test_organization_wide_token_is_refused_at_start(rig: Rig) -> None:
    with pytest.raises(OperatorError, match=r"whole organization \(E0ORG\)"):
        await rig.start()


@pytest.mark.parametrize("answer", [
    {"team_id": "T1", "is_enterprise_install": True},
    {"enterprise_id": "E1", "is_enterprise_install": True},
    {"team_id": "E1", "enterprise_id": "E1"}, {"enterprise_id": "E1"}, {},
])  # fmt: skip
async def test_token_without_workspace_is_reported(
    api: Api, web_client: AsyncWebClient, answer: dict[str, Any]
) -> None:
    api.say("auth.test", {"ok": True, "user_id": "U1", "bot_id": "B1", **answer})
    with pytest.raises(OperatorError, match="whole organization") as refused:
        await who_we_are(web_client)
    assert refused.value.mend == snapshot("""\
install the app in one workspace, not in the organization, and put that token into SLACK_BOT_TOKEN""")


async def test_lost_and_regained_scope_are_each_reported_once(rig: Rig, capsys: Printed) -> None:
    scopes = rig.workspace.identity.scopes

    async def asks_with(left: tuple[str, ...]) -> None:
        rig.workspace._state.identity = replace(rig.workspace.identity, scopes=left)
        await rig.pass_time(120)
        await rig.pay()
        await rig.settle()

    await asks_with(tuple(scope for scope in scopes if scope != "usergroups:read"))
    assert "usergroups:read" in await heard(rig, MARIA, "doesn't let us read the members of a user group")
    assert not await requests(rig)
    await rig.pay()
    await rig.settle()
    assert ["usergroups:read" in one for one in alerts(rig)] == [True]
    await asks_with(tuple(scopes))
    assert "*Slack answers again*" in alerts(rig)[1]
    assert "usergroups:read" in capsys.readouterr().out

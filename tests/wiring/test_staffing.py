"""F38: a rule that the people who exist can never meet is found when the bot joins, not when somebody waits."""

import pytest
from structlog.testing import capture_logs

from bot.playground.faults import Fault, FaultKind
from bot.settings import Environment, SettingsError
from tests.support.rig import ADA, EVE, GUS, LIN, MARIA, POLICY, TOM, Rig

THREE = POLICY + '\n[[approval.rule]]\nover = "5000.00"\nquorum = 3\n'


# Everything but the application, whose settings say that the money is real.
pytestmark = pytest.mark.rig(start=False, environment="production")


async def refusal(rig: Rig, policy: str = POLICY) -> str:
    """Why it does not start; empty when it does."""
    rig.settings.policy_file.write_text(policy)
    try:
        await rig.start()
    except SettingsError as refused:
        return str(refused)
    return ""


async def test_as_many_as_the_largest_quorum_besides_whoever_asked_are_enough(rig: Rig) -> None:
    """Ada, Lin and Tom; Tom may ask as well, so two are there for what he asks. Guest and stranger never count."""
    assert await refusal(rig) == ""
    assert rig.switchboard.joined


@pytest.mark.parametrize(
    ("group", "policy"),
    [
        pytest.param([ADA, TOM, GUS, EVE], POLICY, id="one of two may ask"),
        pytest.param([ADA, LIN, TOM], THREE, id="one of three may ask"),
        pytest.param([ADA, GUS, EVE], POLICY, id="guest and stranger never count"),
    ],
)
async def test_production_does_not_start_with_a_rule_that_nobody_can_meet(
    rig: Rig, group: list[str], policy: str
) -> None:
    rig.workspace.set_group("S0TREASURY", group)
    told = await refusal(rig, policy)
    assert "policy.toml: approval.rule" in told
    assert "besides the requester" in told
    assert 'approvers = ["S0TREASURY"]' in told
    assert not rig.switchboard.joined


async def test_a_deactivated_approver_is_none(rig: Rig) -> None:
    rig.workspace.set_user(LIN, deleted=True)
    assert "only 1 of the approvers is a full member" in await refusal(rig)


async def test_only_the_rules_that_cannot_be_met_are_named(rig: Rig) -> None:
    told = await refusal(rig, THREE)
    assert "approval.rule 2 (over 5000.00 USD): quorum: asks for 3" in told
    assert "approval.rule 1" not in told
    assert "approval.quorum:" not in told


async def test_nobody_at_all(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [])
    assert "approval.quorum: asks for 1" in await refusal(rig)


async def test_where_approvers_may_not_ask_all_of_them_are_there(rig: Rig) -> None:
    rig.workspace.set_group("S0FINANCE", [MARIA])
    assert await refusal(rig, THREE) == ""


async def test_everybody_may_ask(rig: Rig) -> None:
    everybody = POLICY.replace('requesters = ["S0FINANCE"]', 'requesters = ["*"]')
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    assert "approval.rule 1" in await refusal(rig, everybody)


async def test_the_sandbox_starts_and_says_so(rig: Rig) -> None:
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "environment": Environment.SANDBOX})
    rig.workspace.set_group("S0TREASURY", [ADA])
    with capture_logs() as logs:
        assert await refusal(rig) == ""
    assert [line["problem"] for line in logs if line["event"] == "nobody could approve this"]


async def test_the_sandbox_starts_while_slack_does_not_say_who_people_are(rig: Rig) -> None:
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "environment": Environment.SANDBOX})
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "usergroups.list", times=None))
    with capture_logs() as logs:
        assert await refusal(rig) == ""
    assert [line for line in logs if "is not known" in str(line.get("problem"))]


async def test_without_payments_nobody_has_to_approve_anything(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [])
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "payments_base_url": None})
    assert await refusal(rig) == ""

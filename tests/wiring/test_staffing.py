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


def unmet(key: str, needed: int, there: str) -> str:
    return (
        f"policy.toml: approval.{key}: asks for {needed} besides the requester, and only {there} of this workspace who "
        'did not ask. Example: approvers = ["S0TREASURY"]'
    )


ONE = unmet("rule 1 (over $1,000.00): quorum", 2, "1 of the approvers is a full member")
TWO = unmet("rule 2 (over $5,000.00): quorum", 3, "2 of the approvers are full members")
NONE = [
    unmet("quorum", 1, "0 of the approvers are full members"),
    unmet("rule 1 (over $1,000.00): quorum", 2, "0 of the approvers are full members"),
]


@pytest.mark.parametrize(
    ("group", "policy", "told"),
    [
        pytest.param([ADA, TOM, GUS, EVE], POLICY, ONE, id="one of two may ask"),
        pytest.param([ADA, LIN, TOM], THREE, TWO, id="one of three may ask"),
        pytest.param([ADA, GUS, EVE], POLICY, ONE, id="guest and stranger never count"),
        pytest.param([], POLICY, "\n".join(NONE), id="nobody at all"),
    ],
)
async def test_production_refuses_a_rule_nobody_can_meet(rig: Rig, group: list[str], policy: str, told: str) -> None:
    rig.workspace.set_group("S0TREASURY", group)
    assert await refusal(rig, policy) == told
    assert not rig.switchboard.joined


async def test_a_deactivated_approver_is_none(rig: Rig) -> None:
    rig.workspace.set_user(LIN, deleted=True)
    assert await refusal(rig) == ONE


async def test_where_approvers_may_not_ask_all_of_them_are_there(rig: Rig) -> None:
    rig.workspace.set_group("S0FINANCE", [MARIA])
    assert await refusal(rig, THREE) == ""


async def test_everybody_may_ask(rig: Rig) -> None:
    everybody = POLICY.replace('requesters = ["S0FINANCE"]', 'requesters = ["*"]')
    rig.workspace.set_group("S0TREASURY", [ADA, LIN])
    assert await refusal(rig, everybody) == ONE


async def test_the_sandbox_starts_and_says_so(rig: Rig) -> None:
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "environment": Environment.SANDBOX})
    rig.workspace.set_group("S0TREASURY", [ADA])
    with capture_logs() as logs:
        assert await refusal(rig) == ""
    assert [line["problem"] for line in logs if line["event"] == "no one can approve this"]


async def test_the_sandbox_starts_while_slack_does_not_say_who_people_are(rig: Rig) -> None:
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "environment": Environment.SANDBOX})
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "usergroups.list", times=None))
    with capture_logs() as logs:
        assert await refusal(rig) == ""
    problem = "can't check whether there are enough approvers: Slack couldn't say who you are"
    assert problem in [line.get("problem") for line in logs]


async def test_without_payments_nobody_has_to_approve_anything(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [])
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "payments_base_url": None})
    assert await refusal(rig) == ""

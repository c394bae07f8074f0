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


async def test_approvers_besides_the_requester_must_meet_the_largest_quorum(rig: Rig) -> None:
    """Ada, Lin and Tom; Tom may ask as well, so two are there for what he asks. Guest and stranger never count."""
    assert await refusal(rig) == ""
    assert rig.switchboard.joined


RULE = "approval.rule {}: quorum: asks for {} besides the requester, and only {} of the approvers"
ONE = RULE.format("1 (over $1,000.00)", 2, 1)
TWO = RULE.format("2 (over $5,000.00)", 3, 2)
EVERYBODY = POLICY.replace('requesters = ["S0FINANCE"]', 'requesters = ["*"]')


@pytest.mark.parametrize(
    ("group", "policy", "told"),
    [
        pytest.param([ADA, TOM, GUS, EVE], POLICY, [ONE], id="one of two may ask"),
        pytest.param([ADA, LIN, TOM], THREE, [TWO], id="one of three may ask"),
        pytest.param([ADA, GUS, EVE], POLICY, [ONE], id="guest and stranger never count"),
        pytest.param([ADA, LIN], EVERYBODY, [ONE], id="everybody may ask"),
        pytest.param([], POLICY, ["approval.quorum: asks for 1", RULE.format("1 (over $1,000.00)", 2, 0)], id="nobody"),
    ],
)
async def test_production_refuses_an_unmeetable_rule(rig: Rig, group: list[str], policy: str, told: list[str]) -> None:
    rig.workspace.set_group("S0TREASURY", group)
    lines = (await refusal(rig, policy)).splitlines()
    for line, problem in zip(lines, told, strict=True):
        assert line.startswith(f"policy.toml: {problem}")
    assert not rig.switchboard.joined


async def test_deactivated_approver_does_not_count(rig: Rig) -> None:
    rig.workspace.set_user(LIN, deleted=True)
    assert ONE in await refusal(rig)


async def test_all_approvers_count_if_none_can_request(rig: Rig) -> None:
    rig.workspace.set_group("S0FINANCE", [MARIA])
    assert await refusal(rig, THREE) == ""


async def test_sandbox_starts_with_a_warning(rig: Rig) -> None:
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "environment": Environment.SANDBOX})
    rig.workspace.set_group("S0TREASURY", [ADA])
    with capture_logs() as logs:
        assert await refusal(rig) == ""
    assert [line["problem"] for line in logs if line["event"] == "approver check failed"]


async def test_sandbox_starts_without_user_lookups(rig: Rig) -> None:
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "environment": Environment.SANDBOX})
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "usergroups.list", times=None))
    with capture_logs() as logs:
        assert await refusal(rig) == ""
    assert [line for line in logs if "can't check whether there are enough approvers" in line.get("problem", "")]


async def test_staffing_is_not_checked_without_payments(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [])
    rig.settings = type(rig.settings)(**{**rig.settings.model_dump(), "payments_base_url": None})
    assert await refusal(rig) == ""

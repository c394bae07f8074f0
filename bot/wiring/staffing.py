"""Whether there are enough approvers for the policy: checked when the bot joins, and by ``doctor``.

The requester never counts. A requester who is also an approver leaves one approver less for their own requests.
"""

from collections.abc import Collection

import structlog

from bot.domain.approvals import Standing, may_request
from bot.domain.errors import ServiceNow
from bot.domain.policy import Policy
from bot.presentation.reasons import worded
from bot.settings import Environment, Settings, SettingsError
from bot.settings_errors import policy_example
from bot.slack.calls import until_answered
from bot.slack.people import People
from bot.workflows.requests.reach import approvers

log = structlog.get_logger(__name__)


async def require(settings: Settings, policy: Policy, people: People, *, home: str) -> None:
    """Require that everything the policy allows can be approved. The sandbox only warns; production does not start.

    Raises:
        SettingsError: production, and a rule asks for more approvers than there are; names each rule.
    """

    async def read() -> list[Standing]:
        return await approvers(policy, people, home=home, most=enough(policy))

    if settings.environment is Environment.PRODUCTION:
        problems = unmet(policy, await until_answered(read, setting="SLACK_BOT_TOKEN"), home=home)
        if problems:
            raise SettingsError([f"{settings.policy_file.name}: {problem}" for problem in problems])
        return
    try:
        problems = unmet(policy, await read(), home=home)
    except ServiceNow as silent:
        problems = [f"whether the policy can be met is not known: Slack {worded(silent.reason)}"]
    for problem in problems:
        log.warning("nobody could approve this", problem=problem)


def enough(policy: Policy) -> int:
    """Number of approvers that is always enough: the largest quorum, one for a duplicate, one as the requester."""
    return max(quorum for quorum, _ in _asked(policy)) + 2


def unmet(policy: Policy, found: Collection[Standing], *, home: str) -> list[str]:
    """Rules that can never be met, one line each with the fix; empty when everything can be approved."""
    there = besides(policy, found, home=home)
    return [
        f"{key}: asks for {quorum} besides the requester, and only {there} of the approvers "
        f"{'is a full member' if there == 1 else 'are full members'} of this workspace who did not ask. "
        f"Example: {policy_example('people.approvers')}"
        for quorum, key in _asked(policy)
        if quorum > there
    ]


def besides(policy: Policy, found: Collection[Standing], *, home: str) -> int:
    """The number of these approvers who can vote on a request, whoever its requester is."""
    may_ask = any(may_request(one, people=policy.people, home=home) is None for one in found)
    return len(found) - (1 if may_ask else 0)


def too_few_for_duplicates(policy: Policy, found: Collection[Standing], *, home: str) -> bool:
    """Whether no approver is left for a duplicate, which needs one more."""
    return besides(policy, found, home=home) <= max(quorum for quorum, _ in _asked(policy))


def _asked(policy: Policy) -> list[tuple[int, str]]:
    rules = [
        (rule.quorum, f"approval.rule {number} ({rule.words}): quorum")
        for number, rule in enumerate(policy.approval.rule, 1)
    ]
    return [(policy.approval.quorum, "approval.quorum"), *rules]

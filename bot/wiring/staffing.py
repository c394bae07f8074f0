"""Whether there are enough approvers for the policy: checked when the bot joins, and by ``doctor``.

The requester never counts. A requester who is also an approver leaves one approver less for their own requests.
"""

from collections.abc import Collection, Sequence

import structlog

from bot.domain.approvals import Role, Standing, full_member, listed, may_request
from bot.domain.errors import ServiceNow
from bot.domain.policy import Policy
from bot.settings import Environment, Settings, SettingsError
from bot.settings_errors import policy_example
from bot.slack.calls import until_answered
from bot.slack.people import People

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
        problems = [f"whether the policy can be met is not known: Slack {silent.reason}"]
    for problem in problems:
        log.warning("nobody could approve this", problem=problem)


async def approvers(policy: Policy, people: People, *, home: str, most: int | None = None) -> list[Standing]:
    """Full members whom the policy names as approvers, read one after the other, at most so many.

    Raises:
        ServiceNow: Slack did not say who they are.
    """
    found: list[Standing] = []
    for user in await named(policy.people.approvers, people):
        if most is not None and len(found) >= most:
            break
        standing = await people.standing(user)
        if full_member(standing.person, home=home) is None and listed(Role.APPROVER, standing, policy.people):
            found.append(standing)
    return found


async def named(names: Sequence[str], people: People) -> list[str]:
    """The user ids behind the names of a list of the policy, groups taken apart."""
    users = {name for name in names if not name.startswith("S") and name != "*"}
    for group in names:
        if group.startswith("S"):
            users |= await people.members(group)
    return sorted(users)


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

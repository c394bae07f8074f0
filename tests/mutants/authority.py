"""Who asks, who decides, and what the policy wants."""

from tests.mutants.mutant import Mutant

_APPROVALS = ("tests/domain/test_approvals.py",)
_POLICY = ("tests/domain/test_policy.py",)

MUTANTS = (
    Mutant(
        name="the requester counts",
        file="bot/domain/approvals.py",
        old="    if standing.person is not None and standing.person.id == requester:",
        new='    if standing.person is not None and standing.person.id == f"{requester}?":',
        breaks="nobody approves their own request",
        tests=_APPROVALS,
    ),
    Mutant(
        name="votes of an earlier round count",
        file="bot/domain/approvals.py",
        old="        if vote.round != instruction.round:\n            continue\n",
        new="",
        breaks="a new attempt needs new approvals",
        tests=_APPROVALS,
    ),
    Mutant(
        name="guests count",
        file="bot/domain/approvals.py",
        old="return No.GUEST if person.guest else None",
        new="return None",
        breaks="a guest never counts",
        tests=_APPROVALS,
    ),
    Mutant(
        name="deactivated people count",
        file="bot/domain/approvals.py",
        old="    if person.deleted:\n        return No.GONE\n",
        new="",
        breaks="who has left never counts",
        tests=_APPROVALS,
    ),
    Mutant(
        name="a rule begins at its own limit",
        file="bot/domain/policy.py",
        old="facts.cents > self.over)",
        new="facts.cents >= self.over)",
        breaks="over 1000.00 means above it",
        tests=_POLICY,
    ),
    Mutant(
        name="the day is counted without the request itself",
        file="bot/domain/policy.py",
        old="facts.sent_today + facts.cents > self.daily_over",
        new="facts.sent_today > self.daily_over",
        breaks="a daily limit counts what is about to be sent",
        tests=_POLICY,
    ),
    Mutant(
        name="everybody may approve",
        file="bot/domain/policy.py",
        old='        for role in ("approvers", "admins"):',
        new='        for role in ("admins",):',
        breaks="approvers are named",
        tests=_POLICY,
    ),
)

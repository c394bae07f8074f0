"""Who asks, who decides, and what the policy wants."""

from tests.mutants.mutant import Mutant

_APPROVALS = ("tests/domain/test_approvals.py",)
_POLICY = ("tests/domain/test_policy.py",)
_IN_FORCE = ("tests/flow/test_policy_in_force.py",)
_CLAIM = ("tests/workflows/requests/test_authority_at_the_claim.py",)
_REQUESTER = ("tests/workflows/requests/test_requester_before_sending.py",)
_UNKNOWN = ("tests/workflows/payments/test_unknown.py",)
_SLOW_SLACK = ("tests/flow/test_slow_slack.py",)
_STAFFING = ("tests/wiring/test_staffing.py",)

MUTANTS = (
    Mutant(
        name="a claim takes of people what a click takes",
        file="bot/workflows/requests/ballot.py",
        old="await involved_in(ctx, instruction_id), patient=True)",
        new="await involved_in(ctx, instruction_id))",
        breaks="who left between the vote and the claim does not count, however slow Slack is",
        tests=_SLOW_SLACK,
    ),
    Mutant(
        name="a click takes what was known two minutes ago",
        file="bot/slack/people.py",
        old="if known and self._monotonic() - known[0] <= wanted.oldest:",
        new="if known and self._monotonic() - known[0] <= 2 * wanted.oldest:",
        breaks="what is known of a person serves for a minute",
        tests=("tests/slack/test_people.py",),
    ),
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
    Mutant(
        name="the requester votes for a retry",
        file="bot/workflows/requests/decide.py",
        old="may_decide(standing, requester=found.requester,",
        new='may_decide(standing, requester="" if state is State.NEEDS_HUMAN else found.requester,',
        breaks="nobody approves another attempt at their own request",
        tests=_CLAIM,
    ),
    Mutant(
        name="the window is not looked at in the claim",
        file="bot/workflows/requests/send.py",
        old="""    if instruction.exec_deadline is not None and now >= instruction.exec_deadline:
        _expire(ctx, tx, instruction, now)
        return None
""",
        new="",
        breaks="what was not sent in time after its approval is not sent",
        tests=_CLAIM,
    ),
    Mutant(
        name="the window of a cancellation is not looked at in the claim",
        file="bot/workflows/payments/bulk_cancel.py",
        old="late = instruction.exec_deadline is not None and now >= instruction.exec_deadline",
        new="late = False",
        breaks="what was not sent in time after its approval is not sent",
        tests=_CLAIM,
    ),
    Mutant(
        name="people may have been read at any time before the claim",
        file="bot/workflows/requests/send.py",
        old="    require_fresh(ctx, [instruction.requester, *(vote.person for vote in votes)], standings)\n",
        new="",
        breaks="votes are counted with people as they were within the last minute",
        tests=_CLAIM,
    ),
    Mutant(
        name="an answer from memory is as young as the question",
        file="bot/slack/people.py",
        old="min(person[0], members[0])",
        new="self._monotonic()",
        breaks="votes are counted with people as they were within the last minute",
        tests=_CLAIM,
    ),
    Mutant(
        name="who asked is not looked at before sending",
        file="bot/workflows/requests/send.py",
        old="    no = refusal_of_requester(ctx, tightened, standings)\n",
        new="    no = None\n",
        breaks="who asked must still be allowed to ask",
        tests=_REQUESTER,
    ),
    Mutant(
        name="who asked is not looked at when somebody approves",
        file="bot/workflows/requests/decide.py",
        old="    no = refusal_of_requester(ctx, found, people)\n",
        new="    no = None\n",
        breaks="who asked must still be allowed to ask",
        tests=_REQUESTER,
    ),
    Mutant(
        name="approvals from before who asked was gone count",
        file="bot/workflows/requests/suspend.py",
        old="instruction.round + 1 if votes else instruction.round",
        new="instruction.round",
        breaks="it is approved anew once who asked may ask again",
        tests=_REQUESTER,
    ),
    Mutant(
        name="something is created for whoever asked once",
        file="bot/workflows/payments/payout.py",
        old="    if await _is_held(ctx, instruction):\n        return\n",
        new="",
        breaks="nothing is created for somebody who may no longer ask",
        tests=_REQUESTER,
    ),
    Mutant(
        name="an approval without the amount counts",
        file="bot/domain/approvals.py",
        old="    if instruction.requirement.typed_amount and not vote.typed:\n        return Void.UNTYPED\n",
        new="",
        breaks="where the amount must be typed, everybody who approves types it",
        tests=_IN_FORCE,
    ),
    Mutant(
        name="approvals never grow old",
        file="bot/domain/approvals.py",
        old="return Void.TOO_OLD if vote.at < since else None",
        new="return None",
        breaks="an approval of another attempt counts no longer than an approval",
        tests=_UNKNOWN,
    ),
    Mutant(
        name="a stricter policy takes the extra approver from a duplicate",
        file="bot/workflows/requests/tighten.py",
        old="duplicates=_twins(tx, payload, asked_at, before) if alone else 0",
        new="duplicates=0",
        breaks="a duplicate needs one more approver than the policy of the day",
        tests=_IN_FORCE,
    ),
    Mutant(
        name="a stricter policy takes the extra approver from a list with repeated rows",
        file="bot/workflows/requests/tighten.py",
        old="extra=doubts_of(payload)",
        new="extra=()",
        breaks="a duplicate needs one more approver than the policy of the day",
        tests=_IN_FORCE,
    ),
    Mutant(
        name="who may ask is counted among those who approve it",
        file="bot/wiring/staffing.py",
        old="len(found) - (1 if may_ask else 0)",
        new="len(found)",
        breaks="production does not start with a rule that nobody can meet",
        tests=_STAFFING,
    ),
    Mutant(
        name="a cancellation ends with what was approved once",
        file="bot/workflows/payments/bulk_cancel.py",
        old="instruction.state is State.NEEDS_HUMAN and not lost and _left(tx, instruction)",
        new="False and _left(tx, instruction)",
        breaks="what is left of a cancellation waits for the approvals it lost",
        tests=_CLAIM,
    ),
    Mutant(
        name="an admin withdraws without a reason",
        file="bot/workflows/requests/decide.py",
        old="        if click.person != found.requester and not clean(reason):",
        new="        if False:",
        breaks="an admin who withdraws another's request says why",
        tests=("tests/workflows/requests/test_reject_and_withdraw.py",),
    ),
)

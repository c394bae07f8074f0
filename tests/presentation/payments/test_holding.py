"""Reasons of requests that wait."""

from inline_snapshot import snapshot

from bot.domain.approvals import No, Void
from bot.domain.errors import ServiceNow
from bot.domain.reasons import Exchange, OfRequest, Reason, has_code
from bot.domain.troubles import answered
from bot.presentation.reasons import worded
from bot.workflows.requests.attempt import not_what_it_said
from tests.domain.made import NOW
from tests.presentation.checks import alike, lines_of


def held(no: No, *, sent_before: bool) -> str:
    return worded(Reason(OfRequest.HELD, no=no.value, sent_before=sent_before))


def asked_again(void: set[No | Void], missing: int) -> str:
    return worded(Reason(OfRequest.VOTES_VOID, void=sorted(why.value for why in void), missing=missing))


def test_why_somebody_may_no_longer_ask_and_what_can_be_done() -> None:
    assert lines_of(alike({no: held(no, sent_before=False).partition(". ")[0] for no in No})) == snapshot("""\
unknown: held, because Slack does not know who asked for it any more
elsewhere: held, because who asked for it belongs to another workspace
guest: held, because who asked for it is a guest now
bot: held, because who asked for it is a bot
gone: held, because the account of who asked for it is deactivated
not_requester: held, because by the policy, who asked for it may no longer ask for payments
not_approver, own_request, no_role, not_in_charge, may_not_freeze, may_not_unfreeze, not_admin: held, because who \
asked for it may no longer ask for payments""")
    assert held(No.GONE, sent_before=False).partition(". ")[2] == snapshot(
        "An admin can withdraw it; if the requester may ask again, it needs new approvals"
    )
    assert held(No.GONE, sent_before=True).partition(". ")[2] == snapshot("""\
Approvers can close it once they know its outcome; if the requester may ask again, it needs new approvals""")


def test_why_votes_no_longer_suffice() -> None:
    assert lines_of(alike({no: asked_again({no}, 1) for no in (*No, *Void)})) == snapshot("""\
unknown: somebody who approved no longer counts (Slack does not know them any more), so one more approval is needed
elsewhere: somebody who approved no longer counts (they belong to another workspace), so one more approval is needed
guest: somebody who approved no longer counts (they are a guest now), so one more approval is needed
bot: somebody who approved no longer counts (they are a bot), so one more approval is needed
gone: somebody who approved no longer counts (their account is deactivated), so one more approval is needed
not_requester, no_role, not_in_charge, may_not_freeze, may_not_unfreeze, not_admin: somebody who approved no longer \
counts (they do not count here), so one more approval is needed
not_approver: somebody who approved no longer counts (they are no approver any more), so one more approval is needed
own_request: somebody who approved no longer counts (they asked for it themselves), so one more approval is needed
untyped: an approval without the amount typed no longer counts, because the policy asks for that now, so one more \
approval is needed
too_old: an approval no longer counts, because it was given too long ago, so one more approval is needed""")
    both = asked_again({No.GONE, No.GUEST, Void.TOO_OLD, Void.UNTYPED}, 2)
    assert both == snapshot("""\
somebody who approved no longer counts (their account is deactivated, they are a guest now); an approval no longer \
counts, because it was given too long ago; an approval without the amount typed no longer counts, because the policy \
asks for that now, so 2 more approvals are needed""")
    assert asked_again(set(), 1) == snapshot("the policy asks for more approvals now, so one more approval is needed")


def test_a_service_that_has_not_answered_is_named_with_the_time() -> None:
    unanswered = Reason(OfRequest.UNANSWERED, service="payments", since=NOW.isoformat(timespec="minutes"))
    assert worded(unanswered) == snapshot(
        "the payments service has not answered since 2026-11-20 09:00 UTC, so nothing was sent"
    )


OUT_OF_ORDER = Reason(Exchange.READ_ANSWERED, status=500).saying("Out of order")


def test_what_a_service_said_before_anything_was_sent_is_a_reason_of_its_own() -> None:
    said = answered(ServiceNow("payments", Reason(Exchange.READ_ANSWERED, status=500), words="Out of order"))
    assert worded(said) == "the payments service answered 500, saying “Out of order”"
    assert not has_code(said, OfRequest.HELD, OfRequest.UNANSWERED, OfRequest.ON_HOLD)
    assert not_what_it_said(said) is None
    assert not_what_it_said(Reason(OfRequest.DAILY_LIMIT)) == Reason(OfRequest.DAILY_LIMIT)
    assert answered(ServiceNow("payments", OUT_OF_ORDER)) == said, "of a list"


def test_a_service_that_said_nothing_leaves_the_reason_as_it_is() -> None:
    for reason in (
        Reason(Exchange.READ_ANSWERED, status=500),
        Reason(Exchange.NO_ANSWER, failure="timed out"),
        Reason(Exchange.UNREADABLE, problem=""),
    ):
        assert answered(ServiceNow("payments", reason)) is None


def test_what_was_not_sent_in_time_is_told_with_what_the_service_said() -> None:
    said = answered(ServiceNow("payments", OUT_OF_ORDER))
    assert worded(Reason(OfRequest.NOT_SENT_IN_TIME, held=said)) == (
        "it was not sent in time after approval: the payments service answered 500, saying “Out of order”"
    )
    assert worded(Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=said)) == (
        "the new attempt was not sent in time (the payments service answered 500, saying “Out of order”)"
    )

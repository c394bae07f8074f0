"""Reasons of requests that wait."""

import pytest
from inline_snapshot import snapshot

from bot.domain.approvals import No, Void
from bot.domain.errors import ServiceNow
from bot.presentation.payments.disagreeing import is_on_hold
from bot.presentation.payments.holding import (
    answered,
    asked_again,
    held,
    is_answered,
    is_held,
    is_unanswered,
    no_longer_answered,
    unanswered,
)
from bot.presentation.payments.reasons import not_sent_in_time
from tests.domain.made import NOW


@pytest.mark.parametrize("sent_before", [False, True])
def test_a_held_request_is_known_by_its_reason(sent_before: bool) -> None:
    assert [no for no in No if not is_held(held(no, sent_before=sent_before))] == []
    assert is_held(
        "held, because they left the group. *Withdraw* ends it; if they may ask again, it needs new approvals"
    )
    assert not is_held("the service did not answer")


def test_why_somebody_may_no_longer_ask_and_what_can_be_done() -> None:
    assert [held(no, sent_before=False).partition(". ")[0] for no in No] == snapshot(
        [
            "held, because Slack does not know who asked for it any more",
            "held, because who asked for it belongs to another workspace",
            "held, because who asked for it is a guest now",
            "held, because who asked for it is a bot",
            "held, because the account of who asked for it is deactivated",
            "held, because by the policy, who asked for it may no longer ask for payments",
            "held, because who asked for it may no longer ask for payments",
            "held, because who asked for it may no longer ask for payments",
            "held, because who asked for it may no longer ask for payments",
            "held, because who asked for it may no longer ask for payments",
            "held, because who asked for it may no longer ask for payments",
            "held, because who asked for it may no longer ask for payments",
            "held, because who asked for it may no longer ask for payments",
        ]
    )
    assert held(No.GONE, sent_before=False).partition(". ")[2] == snapshot(
        "An admin can withdraw it; if the requester may ask again, it needs new approvals"
    )
    assert held(No.GONE, sent_before=True).partition(". ")[2] == snapshot(
        "Approvers can close it once they know its outcome; if the requester may ask again, it needs new approvals"
    )


def test_why_votes_no_longer_suffice() -> None:
    assert [asked_again({no}, 1) for no in (*No, *Void)] == snapshot(
        [
            """somebody who approved no longer counts (Slack does not know them any more), so one more approval is \
needed""",
            "somebody who approved no longer counts (they belong to another workspace), so one more approval is needed",
            "somebody who approved no longer counts (they are a guest now), so one more approval is needed",
            "somebody who approved no longer counts (they are a bot), so one more approval is needed",
            "somebody who approved no longer counts (their account is deactivated), so one more approval is needed",
            "somebody who approved no longer counts (they do not count here), so one more approval is needed",
            "somebody who approved no longer counts (they are no approver any more), so one more approval is needed",
            "somebody who approved no longer counts (they asked for it themselves), so one more approval is needed",
            "somebody who approved no longer counts (they do not count here), so one more approval is needed",
            "somebody who approved no longer counts (they do not count here), so one more approval is needed",
            "somebody who approved no longer counts (they do not count here), so one more approval is needed",
            "somebody who approved no longer counts (they do not count here), so one more approval is needed",
            "somebody who approved no longer counts (they do not count here), so one more approval is needed",
            """an approval without the amount typed no longer counts, because the policy asks for that now, so one \
more approval is needed""",
            "an approval no longer counts, because it was given too long ago, so one more approval is needed",
        ]
    )
    both = asked_again({No.GONE, No.GUEST, Void.TOO_OLD, Void.UNTYPED}, 2)
    assert both == snapshot(
        """somebody who approved no longer counts (their account is deactivated, they are a guest now); an approval no \
longer counts, because it was given too long ago; an approval without the amount typed no longer counts, because the \
policy asks for that now, so 2 more approvals are needed"""
    )
    assert asked_again(set(), 1) == snapshot("the policy asks for more approvals now, so one more approval is needed")


def test_a_service_that_has_not_answered_is_named_with_the_time() -> None:
    assert unanswered("payments", NOW) == snapshot(
        "the payments service has not answered since 2026-11-20 09:00 UTC, so nothing was sent"
    )
    assert is_unanswered("payments", unanswered("payments", NOW))
    assert not is_unanswered("delivery", unanswered("payments", NOW))


def test_what_a_service_said_before_anything_was_sent_is_a_reason_of_its_own() -> None:
    said = answered(ServiceNow("payments", "it answered 500", words="Out of order"))
    assert said == "the payments service answered 500, saying “Out of order”"
    assert (is_answered("payments", said), is_answered("delivery", said)) == (True, False)
    assert (is_held(said), is_unanswered("payments", said), is_on_hold(said)) == (False, False, False)
    assert not is_answered("payments", unanswered("payments", NOW))
    assert no_longer_answered("payments", said) == ""
    assert no_longer_answered("payments", "the daily limit is reached") == "the daily limit is reached"
    assert answered(ServiceNow("payments", "it answered 500, saying “Out of order”")) == said, "of a list"


def test_a_service_that_said_nothing_leaves_the_reason_as_it_is() -> None:
    for reason in ("it answered 500", "no answer (timed out)", "its answer could not be read"):
        assert answered(ServiceNow("payments", reason)) == ""


def test_what_was_not_sent_in_time_is_told_with_what_the_service_said() -> None:
    said = answered(ServiceNow("payments", "it answered 500", words="Out of order"))
    assert not_sent_in_time(said, again=False) == (
        "it was not sent in time after approval: the payments service answered 500, saying “Out of order”"
    )
    assert not_sent_in_time(said, again=True) == (
        "the new attempt was not sent in time (the payments service answered 500, saying “Out of order”)"
    )

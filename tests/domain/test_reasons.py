"""Reasons as values: compared, asked about by their codes, written into logs."""

import copy
from typing import Final

import pytest

from bot.domain.errors import ServiceNever
from bot.domain.reasons import SUBJECTS, Exchange, Fact, OfRequest, Reason, Verbatim, has_code, slack_error
from tests.presentation.sampled import NO_ANSWER, sample

CODES: Final = [code for subject in SUBJECTS for code in subject]


@pytest.mark.parametrize(
    "facts", [{}, {"no": "gone"}, {"no": "gone", "sent_before": True, "why": ""}, {"words": "x"}], ids=str
)
def test_reason_needs_exactly_the_facts_of_its_code(facts: dict[str, Fact]) -> None:
    with pytest.raises(TypeError, match="facts"):
        Reason(OfRequest.HELD, **facts)


def test_reason_is_immutable() -> None:
    reason = sample(OfRequest.HELD)
    with pytest.raises(AttributeError):
        reason.code = OfRequest.FROZEN
    assert copy.deepcopy(reason) is reason
    assert Reason(Verbatim.ALL, parts=[NO_ANSWER]) == Reason(Verbatim.ALL, parts=(NO_ANSWER,))
    assert reason != Reason(OfRequest.HELD, no="gone", sent_before=True)
    assert reason != "held"


def test_reasons_are_compared_by_code() -> None:
    held = sample(OfRequest.HELD)
    assert held.is_(OfRequest.HELD)
    assert has_code(held, OfRequest.FROZEN, OfRequest.HELD)
    assert not held.is_(OfRequest.ON_HOLD)
    assert Reason(OfRequest.UNDECIDED, held=held).tells_of(OfRequest.HELD)
    assert Reason(Verbatim.ALL, parts=[NO_ANSWER, held]).tells_of(OfRequest.HELD)
    assert not Reason(OfRequest.UNDECIDED, held=held).is_(OfRequest.HELD)
    assert not has_code(None, OfRequest.HELD)
    assert not Reason(OfRequest.UNDECIDED, held=None).tells_of(OfRequest.HELD)


def test_unclear_answer_with_words_is_quoted() -> None:
    answers = {Exchange.ANSWERED, Exchange.ANSWERED_AFTER_UNKNOWN, Exchange.UNEXPECTED}
    assert {code for code in CODES if sample(code).saying("x").quotes_answer} == answers
    assert [code for code in CODES if sample(code).quotes_answer] == []


def test_slack_error_keeps_the_name_of_slack() -> None:
    assert slack_error(Reason(Exchange.SLACK_ERROR, error="not_in_channel")) == "not_in_channel"
    assert [code for code in CODES if slack_error(sample(code))] == [Exchange.SLACK_ERROR]
    assert ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error="not_in_channel")).error == "not_in_channel"

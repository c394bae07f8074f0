"""Reasons whose facts change more than a word of the sentence, and sentences that hold a reason."""

import pytest

from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.files.tables import Flaw, TableProblem
from bot.domain.reasons import Exchange, Failed, OfCall, OfList, OfRequest, Reason, given, together
from bot.domain.troubles import FileTrouble
from bot.presentation.blocks.text import moment
from bot.presentation.reasons import (
    because,
    because_refused,
    file_trouble,
    problem_of,
    reason_of,
    rule_of,
    told,
    worded,
)
from bot.presentation.table_problems import table_problem
from tests.domain.made import NOW
from tests.presentation.sampled import NO_ANSWER


def test_other_reasons_with_the_name_of_the_service() -> None:
    assert worded(given("odd"), by="payments") == "The payments service: odd"
    mended = Reason(Failed.MENDED, why=Reason(Exchange.SUSPENDED).saying("see the bill"), mend="pay it")
    assert worded(mended) == "the service has suspended the workspace, saying “see the bill”; pay it"
    assert worded(mended, by="delivery") == (
        "The delivery service has suspended the workspace, saying “see the bill”; pay it"
    )


@pytest.mark.parametrize(
    ("status", "fields", "said"),
    [
        (401, (), "the service did not accept our credentials (401)"),
        (403, ("amount",), "the service does not allow us this (403)"),
        (404, (), "the service does not know what was asked for (404)"),
        (422, ("amount",), "the service does not accept the amount (422)"),
        (422, (), "the service refused the request (422)"),
        (None, (), "the service refused the request"),
    ],
)
def test_a_refusal_by_its_status(status: int | None, fields: tuple[str, ...], said: str) -> None:
    assert worded(Reason(Exchange.REFUSED, status=status, fields=fields)) == said


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (Reason(Exchange.NO_ANSWER, failure=""), "no answer"),
        (Reason(Exchange.UNREADABLE, problem=""), "its answer could not be read"),
        (
            Reason(Exchange.SLACK_DENIES, what="group", error="plan_upgrade_required", needed=""),
            "does not let us read the members of a user group (plan_upgrade_required); user groups need a paid plan of "
            "Slack: name people by their U… ids in the policy instead",
        ),
        (
            Reason(Exchange.SLACK_DENIES, what="person", error="invalid_auth", needed=""),
            "does not let us read who somebody is (invalid_auth); Slack does not accept the bot token: copy it again "
            "into SLACK_BOT_TOKEN",
        ),
        (Reason(OfRequest.OUT_OF_REACH, needs=1, can=0), "it needs 1 approval, and nobody can approve it"),
        (Reason(OfRequest.OUT_OF_REACH, needs=3, can=2), "it needs 3 approvals, and only 2 people can approve it"),
        (Reason(OfRequest.UNDECIDED, held=None), "nobody decided in time"),
        (Reason(OfRequest.NOT_SENT_IN_TIME, held=None), "it was not sent in time after approval"),
        (Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=None), "the new attempt was not sent in time"),
        (Reason(OfRequest.SEVERAL_BULK, ids=("a", "b")), "the service holds 2 bulk payments with our items: a, b"),
        (Reason(OfRequest.MISMATCHED_ITEMS, doubles=0, different=0, strangers=2), "2 payments were not asked for"),
        (
            Reason(OfRequest.PAID_AS, id="bulk-7", status="odd", count=None, completed=None, pending=None, failed=None),
            "the service holds it as bulk-7, odd",
        ),
        (
            Reason(OfRequest.UNCONFIRMED, kind="confirmation"),
            "a callback reported completion, but the service's record never confirmed it",
        ),
        (
            Reason(OfRequest.UNCONFIRMED, kind="failure"),
            "a callback reported failure, but the service's record never confirmed it",
        ),
        (
            Reason(OfRequest.UNCONFIRMED, kind="purchase"),
            "a callback reported payment, but the service's record never confirmed it",
        ),
        (
            Reason(OfRequest.UNACCOUNTED, under_way=0, missing=1),
            "the service says it is through, with 1 payment missing from its list",
        ),
        (Reason(OfRequest.CHANGED_HERE, is_purchase=True), "our own record was changed after it was asked for"),
        (Reason(OfRequest.OTHER_KIND, is_purchase=False), "it is no payout"),
        (Reason(OfList.FILE_RULE, rule=Reason(OfRequest.OTHER_ID)), "It has another id."),
        (
            Reason(OfCall.BAD_INPUT, rule=Reason(OfCall.QUEUE_FULL, most=20), example=""),
            "You have 20 calls under way or waiting, which is the most; wait for one, or cancel one.",
        ),
    ],
    ids=str,
)
def test_facts_that_change_the_sentence(reason: Reason, said: str) -> None:
    assert worded(reason) == said


def test_a_list_has_all_its_parts() -> None:
    both = together([Reason(OfRequest.OTHER_ID), Reason(OfRequest.OTHER_AMOUNT, theirs="26.00", ours="25.00")])
    assert worded(both) == "it has another id; the amount is 26.00 instead of 25.00"
    assert together([Reason(OfRequest.OTHER_ID)]) == Reason(OfRequest.OTHER_ID)
    assert together([]) is None


def test_behind_a_refusal_what_names_nothing_is_its_status_alone() -> None:
    def behind(status: int | None, *fields: str) -> str:
        return because_refused(Reason(Exchange.REFUSED, status=status, fields=fields).saying("no"))

    assert behind(422) == " Reason: answer 422, saying “no”."
    assert behind(422, "amount") == " Reason: the service does not accept the amount (422), saying “no”."
    assert behind(404) == " Reason: the service does not know what was asked for (404), saying “no”."
    assert behind(None) == " Reason: the service refused the request, saying “no”."
    assert because_refused(Reason.read("the service refused the request (422), saying “no”")) == behind(422)
    assert because_refused(given("the service refused the request (422)")) == (
        " Reason: the service refused the request (422)."
    )
    assert because_refused(NO_ANSWER) == because(NO_ANSWER) == " Reason: no answer (timed out)."
    assert because_refused(None) == because(None) == ""


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (ServiceNow("payments", NO_ANSWER), "no answer (timed out)"),
        (ServiceNever("payments", Reason(Exchange.ANSWERED, status=409), words="no"), "answer 409, saying “no”"),
        (OperatorError("it refuses the key", service="delivery"), "delivery: it refuses the key"),
        (OperatorError(Reason(Exchange.STORE_KEY)), "the key of this store is not accepted"),
        (OperatorError("the file is missing", words="no"), "the file is missing, saying “no”"),
        (
            OperatorError(Reason(Exchange.STORE_KEY), service="delivery", words="no"),
            "delivery: the key of this store is not accepted, saying “no”",
        ),
    ],
    ids=str,
)
def test_a_trouble_in_a_few_words(trouble: ServiceTrouble | OperatorError, said: str) -> None:
    assert told(trouble) == said


def test_the_problem_alone_for_the_terminal() -> None:
    assert problem_of(OperatorError("it refuses the key", service="delivery", words="no")) == (
        "it refuses the key, saying “no”"
    )
    assert problem_of(OperatorError(Reason(Exchange.STORE_KEY), service="delivery")) == (
        "the key of this store is not accepted"
    )


def test_a_rule_in_words() -> None:
    def rule(found: str | Reason) -> str:
        return rule_of(PersonError(argument="text", rule=found, example=""))

    assert rule("it is odd") == "it is odd"
    assert rule(Reason(OfCall.TEXT_ONLY)) == "this takes a text, no file"


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (PersonError(argument="file", rule="it holds no rows", example=""), "It holds no rows."),
        (
            ServiceNow("Slack", Reason(Exchange.SLACK_UNREACHABLE), words="busy"),
            "Slack cannot be reached, saying “busy”. Try again in a minute.",
        ),
        (
            ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error="file_not_found"), words="no"),
            "Slack file_not_found.",
        ),
        (
            OperatorError("Slack denies the file", mend="add the scope"),
            "The operator of Switchboard has to mend this: Slack denies the file; add the scope.",
        ),
    ],
    ids=repr,
)
def test_why_a_file_gave_no_table(trouble: FileTrouble, said: str) -> None:
    assert file_trouble(trouble) == said


@pytest.mark.parametrize("flaw", Flaw)
def test_what_is_wrong_with_a_table_is_kept_whole(flaw: Flaw) -> None:
    problem = TableProblem(flaw, rows=[3, 4], names=["zip", "b"], allowed=5, counts={3: 1, 4: 2}, more=6)
    assert file_trouble(problem, example="email,amount") == table_problem(problem, example="email,amount")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("silent since 2026-11-20 09:00 UTC, so", f"Silent since {moment(NOW)}, so."),
        ("<b> at 2026-13-20 09:00 UTC", "&lt;b&gt; at 2026-13-20 09:00 UTC."),
        ("", ""),
    ],
)
def test_an_instant_in_a_reason_is_told_in_the_readers_time_zone(text: str, said: str) -> None:
    assert reason_of(given(text)) == said
    assert reason_of(given(text), after_colon=True) == said.replace("Silent", "silent")


def test_a_reason_is_a_sentence_and_nothing_where_none_was_given() -> None:
    assert because("the <bank> called") == because(given("the <bank> called")) == " Reason: the &lt;bank&gt; called."
    assert because("\u200b") == because(given("\u200b")) == because("") == ""

"""Every reason in words, as people read them, and in the sentences that hold it; reasons as values that are stored."""

import json
from typing import Final

import pytest
from inline_snapshot import snapshot

from bot.domain.approvals import No, Void
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.payments.sealed import Odd
from bot.domain.reasons import (
    SUBJECTS,
    Code,
    Exchange,
    Failed,
    OfCall,
    OfList,
    OfRequest,
    Reason,
    Verbatim,
    given,
    has_code,
    stored,
    together,
)
from bot.domain.troubles import FileTrouble, answered
from bot.presentation.blocks.text import moment
from bot.presentation.reasons import (
    because,
    because_refused,
    file_trouble,
    in_words,
    reason_of,
    told,
    worded,
)
from bot.workflows.requests.claim import not_what_it_said
from tests.domain.made import NOW
from tests.presentation.checks import alike, lines_of
from tests.presentation.sampled import NO_ANSWER, sample

CODES: Final = [code for subject in SUBJECTS for code in subject.__members__.values()]


def test_each_code_in_words() -> None:
    assert lines_of({code.value: worded(sample(code)) for code in CODES}) == snapshot("""\
given: the bank called
all: its ID is different; the code is different
no_answer: no answer (timed out)
not_left: the request did not leave (timed out)
sends_nothing: Switchboard isn't sending anything right now
rests: the provider has not answered for a while, so nothing is sent to it
not_asked: the provider has not answered for a while, so we didn't ask it
too_many: too many requests
answered: answer 500
answered_after_unknown: answer 500 after an attempt that isn't confirmed
no_json: answer 500 with a body that isn't JSON
unexpected: answer 500 with an unexpected body
refused: the provider doesn't accept the amount and the e-mail (422)
read_answered: it answered 500
unreadable: its answer couldn't be read (no amount)
page: sent a web page instead of an answer
asks_to_wait: it asks to wait
list_gap: its list has an empty page before the last one
list_changed: its list changed while we read it
list_ends: its list ends with page 3
other_type: this is a payout, not a purchase
other_page: sent page 1 of the list instead of page 2
other_size: sent 1 operations a page instead of 2
other_type_listed: sent a purchase where only payouts were requested
scan_changed: the list changed while we read it
scan_double: the list showed an operation twice
scan_stands: the list repeats its pages
scan_gap: the list showed an empty page before its end
scan_long: the list has more than 20 pages
scan_count: the list counts 7 operations and showed 6
payment_required: the provider requires payment (500)
method_unknown: the provider doesn't have this (500)
gone: the provider doesn't offer this any more (500)
plain_refusal: the provider rejected the request (500)
file_too_large: the file is too large (500)
address_too_long: the address is too long (500)
kind_of_file: the provider doesn't take this kind of file (500)
booking_fixed: the booking can't be canceled now
search_begun: the search has started already
prebooking_fixed: the pre-booking can't be canceled any more
suspended_workspace: the provider has suspended the workspace
other_environment: the key belongs to the other environment
master_key: the master key isn't accepted
store_key: the key of this store isn't accepted
result_too_large: made a result of 3000 bytes, which is too large
result_over_limit: made a result of more than 3000 bytes, which is too large
result_redirects: redirected us too often for its result
result_private: named a private address for its result
result_no_address: named an invalid address for its result
result_unreachable: has its result at a host we can't reach
result_not_handed: didn't return the result (503)
result_gone: no longer has the result; links to results expire (500)
not_configured_here: isn't configured
slack_error: missing_scope
slack_unreachable: can't be reached
slack_broke: the connection broke (missing_scope)
slack_wait: asked us to wait
slack_unreadable: answered 500 without a readable body
slack_file_kept: didn't return the file (503)
slack_file_refused: didn't take the file (TimeoutError)
slack_upload_address: named an upload address that isn't its own
slack_upload_length: was promised 3000 bytes, and another number came
slack_upload_status: upload_answered_500
slack_nobody: couldn't say who you are
slack_slow_people: takes too long to look people up
slack_message_missing: hasn't taken this message yet
slack_denies: doesn't let us read who people are (missing_scope, users:read); the bot token lacks a scope: paste the \
manifest into the app's settings and reinstall the app
answer_lost: Switchboard failed before the answer was stored
process_ended: the process ended before the answer was stored
failed_named: Payments gave no answer (timed out)
failed_mended: no answer (timed out); list the stores
failed_now: Couldn't reach Payments. Try again in 30 s.
failed_never: Payments doesn't have this. Check what you entered.
failed_operator: An admin has to fix this: no answer (timed out); list the stores.
not_executed: Payments is too busy. Nothing was done. Try again in a minute.
outcome_unknown: Payments is having problems, saying “try again later”. It's not confirmed yet whether this was done. \
We're checking. Don't do it again.
unanswered: Payments has not answered since 2026-11-20 09:00 UTC, so nothing was sent
service_said: payments answered 500
held: on hold, because the requester's account is deactivated. An admin can withdraw it; once the requester may \
request again, it needs new approvals
on_hold: on hold: the database and the audit log disagree: its row was changed in the database; rows 7, 9 of the audit \
were changed
restored: the database was restored to an earlier moment, so check at the provider first
votes_void: 2 more approvals needed: an approval expired, and an approver's account is deactivated
frozen: payments are frozen: no answer (timed out)
over_today: $20.00 of everyone's daily limit of $50.00 is left today: send less, send it after midnight UTC, or ask \
an admin to raise it
another_is_sent: another bulk payment is being sent
earlier_not_unpaid: not sent, because it may pay twice: the provider now lists P-4F7K2M as paid; the provider doesn't \
confirm that rows 2 and 4 of L-4F7K2M are unpaid; an admin can release it or withdraw it
not_configured: Payments isn't configured: an admin has to set PAYMENTS_BASE_URL, PAYMENTS_API_KEY
out_of_reach: it needs 2 approvals, and only 1 person can approve it
undecided: the database was restored to an earlier moment, so check at the provider first; the time for that is over
not_shown: the approvers' card couldn't be posted in time
not_sent_in_time: it wasn't sent in time after approval: the database was restored to an earlier moment, so check at \
the provider first
new_attempt_not_sent: the new attempt wasn't sent in time (the database was restored to an earlier moment, so check \
at the provider first)
address_not_confirmed: the address wasn't confirmed in time
edited: replaced by an edited request
created_in_vain: it couldn't be created after several attempts
no_link: no checkout link can be built from its ID
no_way_back: PUBLIC_URL is missing, so buyers couldn't return from the checkout; an admin can set it
not_listed: the provider doesn't list it
not_in_history: the provider's history doesn't show it
note_changed: the provider's history changed in a way we can't explain
still_not_committed: the provider still lists it as not sent
still_pending: the provider still lists them as waiting
no_items: its list of items is empty
disagrees_with_audit: its state in the audit: needs a decision
unread: it can't be read (payments: no answer (timed out))
list_unusable: the list can't be used: no answer (timed out)
history_unusable: the history can't be used: no answer (timed out)
no_codes: the provider's list doesn't show our codes, so we can't find this in it
paid_by: paid by eve@example.com
several: the provider has several payouts with our code
several_bulk: the provider has 6 bulk payments with our items: bulk-1, bulk-2, bulk-3, bulk-4, bulk-5
miscounted: the provider counts 9 payments instead of 10
mismatched_items: 1 payment reported twice, so possibly paid twice; 2 payments with another amount or address than \
approved; 3 payments never requested
lists_disagree: 1 payment ended in two ways; 2 failures fit no payment
may_be_this_bulk: the bulk payment op-77 is new at the provider and may be this one. Check its payments there
may_be_ours: the payout op-77 at the provider has the same recipient and amount but not our code. Check whether it's \
this one
row_of_bulk: it's row 2 of the bulk payment L-4F7K2M
may_be_row: it may be row 2 of the bulk payment L-4F7K2M
carries_mark: it was made with Switchboard: the provider's record has P-4F7K2M
says: the provider lists it as waiting for sign-up
unasked: the provider lists it as sent, although we sent nothing
contradicted: it was paid, and the provider now lists it as failed
paid_as: the provider has it as op-77, paid
unconfirmed: a callback reported cancellation, but the provider's record doesn't confirm it
unaccounted: the provider calls it finished, with 1 payment still open and 2 payments missing from its list
stands_still: nothing has changed for a long time; 1 payment still open and 2 payments missing from its list
after_refusal: the provider rejected the request (422), saying “the limit is reached”, but no answer (timed out)
after_answer: the provider answered “try again later”, and now no answer (timed out)
changed_here: our own record was changed after it was approved
other_id: its ID is different
other_amount: the amount is 25.01 instead of 25.00
other_recipient: the recipient is different
other_code: the code is different
other_description: the description is different
code_taken: the code INV-7 is taken by op-77
other_kind: it isn't a purchase
joined: B-4F7K2M
cannot_start: The search can't be started now.
cannot_cancel: It can't be canceled now.
just_changed: It has just changed. Look at its card and try again.
not_said: Not confirmed yet. The card shows how the booking is now.
no_master_key: Adding stores needs DELIVERY_MASTER_KEY. An admin can set it.
no_key: there is no API key for the store Centro
name_taken: There's already a store called Centro. Choose another name.
no_public_url: PUBLIC_URL is missing, so Delivery has no address to call, and nothing was registered
no_such_prebooking: Centro has no pre-booking with this id. Copy it again from the dashboard.
other_prebooking: This pre-booking belongs to another request.
taken_in: This pre-booking belongs to L-4F7K2M already.
list_answer_lost: Switchboard was restarted while the file was being checked
empty_result: its result is empty
result_not_fetched: it no answer (timed out)
list_given_up: no answer (timed out) (3 times)
asked_to_wait: E-mail check was too busy 3 times in a row (no answer (timed out))
not_working: E-mail check isn't working right now: no answer (timed out)
asked_in_vain: tried 3 times: no answer (timed out)
account_refused: no answer (timed out)
list_busy: E-mail check is too busy; try again in a minute
list_try_again: no answer (timed out); try again in a minute
no_column: the file no longer has that column
hardly_addresses: the column “name” has few e-mail addresses (1 of 20 cells); choose another one, for example email
unusable_file: The file is empty. It needs a first row with column names and at least one row below. Example: email
file_rule: The file has too many columns.
file_later: payments didn't return the file (503). Try again in a minute.
file_never: payments no answer (timed out).
restarted: Switchboard was restarted before the answer came
result_lost: the result was lost in a restart
broken: something went wrong on our side; an admin finds it in the log
file_cut_off: the file couldn't be read to its end
text_only: this takes a text, not a file
localization_not_configured: Localization isn't configured
queue_full: you have 20 calls in progress, the maximum. Wait for one to finish or cancel one
call_unknown: Localization gave no answer (timed out)
file_refused: Slack doesn't take the file (no answer (timed out))
service_refused: it was done, but payments no answer (timed out)
not_handed_over: it was done, but its files couldn't be uploaded: no answer (timed out)
archive_full: one run can return 20 MB in total. Run this file on its own
bad_input: The file has too many columns. Example: email
older: the database is older than what was sent; an operator has to run switchboard resume
mode_changed: row 2 of the audit was changed
freeze_unreadable: we can't read the freeze setting, so nothing is sent
rows_unreadable: its rows can't be read (missing_scope)
not_in_database: it is in the audit but not in the database
freeze_lost: payments are frozen in the audit log but not in the database
freeze_forged: payments are frozen in the database but not in the audit log\
""")


def beginning(code: Code) -> str:
    """How the sentence begins by itself, and with the name of the service."""
    alone, named = worded(sample(code)), worded(sample(code), by="payments")
    end = next(alone[at:] for at in range(len(alone)) if named.endswith(alone[at:]))
    return f"“{alone.removesuffix(end)}” → “{named.removesuffix(end)}”"


def test_exchange_sentence_begins_with_the_service() -> None:
    assert lines_of(alike({code.value: beginning(code) for code in Exchange})) == snapshot("""\
no_answer, answered, answered_after_unknown, no_json, unexpected: “” → “Payments gave ”
not_left: “the request” → “The request to Payments”
sends_nothing, page, other_type, other_page, other_size, other_type_listed, scan_changed, scan_double, scan_stands, \
scan_gap, scan_long, scan_count, file_too_large, address_too_long, booking_fixed, search_begun, prebooking_fixed, \
other_environment, master_key, store_key, result_too_large, result_over_limit, result_redirects, result_private, \
result_no_address, result_unreachable, result_not_handed, result_gone, not_configured_here, slack_error, \
slack_unreachable, slack_broke, slack_wait, slack_unreadable, slack_file_kept, slack_file_refused, \
slack_upload_address, slack_upload_length, slack_upload_status, slack_nobody, slack_slow_people, \
slack_message_missing, slack_denies, answer_lost, process_ended: “” → “Payments: ”
rests, not_asked, refused, payment_required, method_unknown, gone, plain_refusal, kind_of_file, suspended_workspace: \
“the provider” → “Payments”
too_many: “” → “Payments got ”
read_answered, asks_to_wait: “it” → “Payments”
unreadable, list_gap, list_changed, list_ends: “its” → “Payments'”\
""")


def test_no_reason_has_no_words() -> None:
    assert (worded(None), in_words(None), in_words(""), given(""), stored(None)) == ("", "", "", None, "")


def test_service_message_is_cut_at_300_characters() -> None:
    answer = Reason(Exchange.ANSWERED, status=500)
    assert worded(answer.saying("x" * 300)) == f"answer 500, saying “{'x' * 300}”"
    assert worded(answer.saying("x" * 301)) == f"answer 500, saying “{'x' * 299}…”"
    assert answer.saying("x" * 301).words == "x" * 301
    assert answer.saying("") == answer


@pytest.mark.parametrize("code", CODES, ids=str)
def test_reason_round_trips_through_json(code: Code) -> None:
    for reason in (sample(code), sample(code).saying("their words")):
        found = Reason.read(json.loads(json.dumps(stored(reason))))
        assert found == reason
        assert hash(found) == hash(reason)
        assert worded(found) == in_words(reason.stored()) == worded(reason)
        assert has_code(found, code)


def test_reasons_in_reasons_are_read_again() -> None:
    nested = Reason(
        Verbatim.ALL,
        parts=[
            Reason(OfRequest.UNDECIDED, held=Reason(OfRequest.FROZEN, why=given("the bank called"), person="U0OLGA")),
            Reason(OfRequest.AFTER_ANSWER, answer=NO_ANSWER.saying("x"), why=Reason(OfRequest.UNDECIDED, held=None)),
        ],
    )
    assert Reason.read(json.loads(json.dumps(nested.stored()))) == nested
    assert Reason.read(nested) is nested
    assert worded(nested) == (
        "payments are frozen: the bank called; the time for that is over; "
        "the provider gave no answer (timed out), saying “x”, and now not approved in time"
    )


@pytest.mark.parametrize("found", [
    {"code": "of_tomorrow"}, {"code": ["held"]}, {"code": "held"}, {"code": "held", "facts": {"no": "gone"}},
    {"code": "daily_limit", "facts": {"why": "x"}}, {"code": "daily_limit", "facts": ["why"]},
    {"code": "daily_limit", "facts": {"code": "held"}}, {"code": "frozen", "facts": {"why": {"code": "of_tomorrow"}}},
    {"facts": {}}, {}, [], 5, True,
], ids=str)  # fmt: skip
def test_invalid_stored_reason_is_refused(found: object) -> None:
    assert in_words(found) == "it can't be read"
    with pytest.raises(ValueError, match="no reason"):
        Reason.read(found)


@pytest.mark.parametrize("facts", [
    {"code": "ended_here", "facts": {"found": "x", "state": "odd"}}, {"code": "not_sent_in_time", "facts": {"held": 5}},
    {"code": "votes_void", "facts": {"void": 5, "missing": 1}}, {"code": "on_hold", "facts": {"found": [["gap", []]]}},
    {"code": "unconfirmed", "facts": {"kind": "odd"}},
], ids=str)  # fmt: skip
def test_forged_reason_is_shown_as_unreadable(facts: object) -> None:
    assert in_words(facts) == "it can't be read"


def test_other_reasons_with_the_name_of_the_service() -> None:
    assert worded(given("odd"), by="payments") == "Payments: odd"
    mended = Reason(Failed.MENDED, why=Reason(Exchange.SUSPENDED).saying("see the bill"), mend="pay it")
    assert worded(mended) == "the provider has suspended the workspace, saying “see the bill”; pay it"
    assert worded(mended, by="delivery") == ("Delivery has suspended the workspace, saying “see the bill”; pay it")


@pytest.mark.parametrize(("status", "fields", "said"), [
    (401, (), "the provider didn't accept our credentials (401)"),
    (403, ("amount",), "the provider doesn't allow this (403)"), (404, (), "the provider doesn't have this (404)"),
    (422, ("amount",), "the provider doesn't accept the amount (422)"),
    (422, (), "the provider rejected the request (422)"), (None, (), "the provider rejected the request"),
])  # fmt: skip
def test_refusal_is_worded_by_status(status: int | None, fields: tuple[str, ...], said: str) -> None:
    assert worded(Reason(Exchange.REFUSED, status=status, fields=fields)) == said


def test_facts_that_change_the_sentence() -> None:
    found = [
        Reason(Exchange.NO_ANSWER, failure=""), Reason(Exchange.UNREADABLE, problem=""),
        Reason(Exchange.SLACK_DENIES, what="group", error="plan_upgrade_required", needed=""),
        Reason(Exchange.SLACK_DENIES, what="person", error="invalid_auth", needed=""),
        Reason(OfRequest.OUT_OF_REACH, needs=1, can=0), Reason(OfRequest.OUT_OF_REACH, needs=3, can=2),
        Reason(OfRequest.UNDECIDED, held=None), Reason(OfRequest.NOT_SENT_IN_TIME, held=None),
        Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=None), Reason(OfRequest.SEVERAL_BULK, ids=("a", "b")),
        Reason(OfRequest.MISMATCHED_ITEMS, doubles=0, different=0, strangers=2),
        Reason(OfRequest.PAID_AS, id="bulk-7", status="odd", count=None, completed=None, pending=None, failed=None),
        Reason(OfRequest.UNCONFIRMED, kind="confirmation"), Reason(OfRequest.UNCONFIRMED, kind="failure"),
        Reason(OfRequest.UNCONFIRMED, kind="purchase"), Reason(OfRequest.UNACCOUNTED, under_way=0, missing=1),
        Reason(OfRequest.CHANGED_HERE, is_purchase=True), Reason(OfRequest.OTHER_KIND, is_purchase=False),
        Reason(OfList.FILE_RULE, rule=Reason(OfRequest.OTHER_ID)),
        Reason(OfCall.BAD_INPUT, rule=Reason(OfCall.QUEUE_FULL, most=20), example=""),
    ]  # fmt: skip
    assert lines_of(list(map(worded, found))) == snapshot("""\
no answer
its answer couldn't be read
doesn't let us read the members of a user group (plan_upgrade_required); user groups need a paid Slack plan: list \
people by their U… ids in the policy instead
doesn't let us read who people are (invalid_auth); Slack doesn't accept the bot token: copy it into SLACK_BOT_TOKEN \
again
it needs 1 approval, and no one can approve it
it needs 3 approvals, and only 2 people can approve it
not approved in time
it wasn't sent in time after approval
the new attempt wasn't sent in time
the provider has 2 bulk payments with our items: a, b
2 payments never requested
the provider has it as bulk-7, odd
a callback reported completion, but the provider's record doesn't confirm it
a callback reported failure, but the provider's record doesn't confirm it
a callback reported payment, but the provider's record doesn't confirm it
the provider calls it finished, with 1 payment missing from its list
our own record was changed after it was requested
it isn't a payout
Its ID is different.
You have 20 calls in progress, the maximum. Wait for one to finish or cancel one.""")


def test_list_shows_all_its_parts() -> None:
    both = together([Reason(OfRequest.OTHER_ID), Reason(OfRequest.OTHER_AMOUNT, theirs="26.00", ours="25.00")])
    assert worded(both) == "its ID is different; the amount is 26.00 instead of 25.00"
    assert together([Reason(OfRequest.OTHER_ID)]) == Reason(OfRequest.OTHER_ID)
    assert together([]) is None


def test_plain_refusal_shows_only_the_service_message() -> None:
    def behind(status: int | None, *fields: str) -> str:
        return because_refused(Reason(Exchange.REFUSED, status=status, fields=fields).saying("no"))

    assert behind(422) == " Reason: “no”."
    assert behind(422, "amount") == " Reason: the provider doesn't accept the amount, saying “no”."
    assert behind(404) == " Reason: the provider doesn't have this, saying “no”."
    assert behind(None) == " Reason: the provider rejected the request, saying “no”."
    assert because_refused(given("the provider rejected the request (422)")) == (
        " Reason: the provider rejected the request (422)."
    )
    assert because_refused(NO_ANSWER) == because(NO_ANSWER) == " Reason: no answer came."
    assert because_refused(None) == because(None) == ""


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (ServiceNow("payments", NO_ANSWER), "no answer (timed out)"),
        (ServiceNever("payments", Reason(Exchange.ANSWERED, status=409), words="no"), "answer 409, saying “no”"),
        (OperatorError("it refuses the key", service="delivery"), "delivery: it refuses the key"),
        (OperatorError(Reason(Exchange.STORE_KEY)), "the key of this store isn't accepted"),
        (OperatorError("the file is missing", words="no"), "the file is missing, saying “no”"),
        (
            OperatorError(Reason(Exchange.STORE_KEY), service="delivery", words="no"),
            "Delivery: the key of this store isn't accepted, saying “no”",
        ),
    ],
    ids=str,
)
def test_trouble_is_shown_briefly(trouble: ServiceTrouble | OperatorError, said: str) -> None:
    assert told(trouble) == said


@pytest.mark.parametrize(("trouble", "said"), [
    (PersonError(argument="file", rule="it holds no rows", example=""), "It holds no rows."),
    (
        ServiceNow("Slack", Reason(Exchange.SLACK_UNREACHABLE), words="busy"),
        "Slack can't be reached, saying “busy”. Try again in a minute.",
    ),
    (ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error="file_not_found"), words="no"), "Slack file_not_found."),
    (
        OperatorError("Slack denies the file", mend="add the scope"),
        "An admin has to fix this: Slack denies the file; add the scope.",
    ),
], ids=repr)  # fmt: skip
def test_why_a_file_gave_no_table(trouble: FileTrouble, said: str) -> None:
    assert file_trouble(trouble) == said


@pytest.mark.parametrize(("text", "said"), [
    ("silent since 2026-11-20 09:00 UTC, so", f"Silent since {moment(NOW)}, so."),
    ("<b> at 2026-13-20 09:00 UTC", "&lt;b&gt; at 2026-13-20 09:00 UTC."), ("", ""),
])  # fmt: skip
def test_instant_in_a_reason_uses_the_readers_time_zone(text: str, said: str) -> None:
    assert reason_of(given(text)) == said
    assert reason_of(given(text), after_colon=True) == said.replace("Silent", "silent")


def test_reason_is_a_sentence_or_empty() -> None:
    assert because("the <bank> called") == because(given("the <bank> called")) == " Reason: the &lt;bank&gt; called."
    assert because("\u200b") == because(given("\u200b")) == because("") == ""


def held(no: No, *, sent_before: bool) -> str:
    return worded(Reason(OfRequest.HELD, no=no.value, sent_before=sent_before))


def asked_again(void: set[No | Void], missing: int) -> str:
    return worded(Reason(OfRequest.VOTES_VOID, void=sorted(why.value for why in void), missing=missing))


def test_lost_requester_role_names_the_remedy() -> None:
    assert lines_of(alike({no: held(no, sent_before=False).partition(". ")[0] for no in No})) == snapshot("""\
unknown: on hold, because Slack no longer knows the requester
elsewhere: on hold, because the requester belongs to another workspace
guest: on hold, because the requester is a guest now
bot: on hold, because the requester is a bot
gone: on hold, because the requester's account is deactivated
not_requester, not_approver, own_request, own_payment, no_role, not_in_charge, may_not_freeze, may_not_unfreeze, \
not_admin: on hold, because the requester may no longer request payments\
""")
    assert held(No.GONE, sent_before=False).partition(". ")[2] == snapshot("""\
An admin can withdraw it; once the requester may request again, it needs new approvals""")
    assert held(No.GONE, sent_before=True).partition(". ")[2] == snapshot("""\
Approvers can close it once they know its outcome; once the requester may request again, it needs new approvals""")


def test_why_votes_no_longer_suffice() -> None:
    assert lines_of(alike({no: asked_again({no}, 1) for no in (*No, *Void)})) == snapshot("""\
unknown: 1 more approval needed: Slack no longer knows an approver
elsewhere: 1 more approval needed: an approver belongs to another workspace
guest: 1 more approval needed: an approver is a guest now
bot: 1 more approval needed: an approver is a bot
gone: 1 more approval needed: an approver's account is deactivated
not_requester, no_role, not_in_charge, may_not_freeze, may_not_unfreeze, not_admin: 1 more approval needed: an \
approval no longer counts
not_approver: 1 more approval needed: an approver was removed
own_request: 1 more approval needed: the requester's approval doesn't count
own_payment: 1 more approval needed: the recipient's approval doesn't count
untyped: 1 more approval needed: the policy now needs the amount typed
too_old: 1 more approval needed: an approval expired
fewer: 1 more approval needed: fewer people can approve it now""")
    assert asked_again({No.GONE, No.GUEST, Void.TOO_OLD, Void.UNTYPED}, 2) == snapshot("""\
2 more approvals needed: an approval expired, an approver is a guest now, an approver's account is deactivated, and \
the policy now needs the amount typed""")
    assert asked_again(set(), 1) == snapshot("1 more approval needed: the policy now needs more")


OUT_OF_ORDER = Reason(Exchange.READ_ANSWERED, status=500).saying("Out of order")


def test_service_problem_before_sending_is_its_own_reason() -> None:
    said = answered(ServiceNow("payments", Reason(Exchange.READ_ANSWERED, status=500), words="Out of order"))
    assert worded(said) == "payments answered 500, saying “Out of order”"
    assert not has_code(said, OfRequest.HELD, OfRequest.UNANSWERED, OfRequest.ON_HOLD)
    assert not_what_it_said(said) is None
    assert not_what_it_said(Reason(OfRequest.RESTORED)) == Reason(OfRequest.RESTORED)
    assert answered(ServiceNow("payments", OUT_OF_ORDER)) == said, "of a list"


def test_reason_without_service_message_is_unchanged() -> None:
    for reason in (
        Reason(Exchange.READ_ANSWERED, status=500),
        Reason(Exchange.NO_ANSWER, failure="timed out"),
        Reason(Exchange.UNREADABLE, problem=""),
    ):
        assert answered(ServiceNow("payments", reason)) is None


FACTS_OF_ODD: dict[Odd, tuple[str, ...]] = {
    Odd.CHANGED_ROW: ("7",), Odd.GAP: ("9",), Odd.STATE: ("needs_human",), Odd.VOTES: ("U0ADA",),
}  # fmt: skip


def disagreeing(*found: tuple[Odd, tuple[str, ...]]) -> str:
    return worded(Reason(OfRequest.DISAGREES, found=found))


def test_each_way_has_its_words() -> None:
    assert lines_of(disagreeing(*((odd, FACTS_OF_ODD.get(odd, ())) for odd in Odd)).split("; ")) == snapshot("""\
the audit log has no request for it
row 7 of the audit was changed
the audit log breaks off at row 9
its row was changed in the database
its state in the audit: needs a decision
its send attempts differ from the audit log
an approval was added, changed or deleted
the amount reserved from the daily limit doesn't match what was sent
its payments differ from those requested""")


def test_rows_and_votes_are_worded_in_plural() -> None:
    assert disagreeing((Odd.CHANGED_ROW, ("7", "9")), (Odd.VOTES, ("U0ADA", "U0LIN"))) == snapshot(
        "rows 7, 9 of the audit were changed; 2 approvals were added, changed or deleted"
    )

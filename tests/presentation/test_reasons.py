"""Every reason in words, as people read them, and in the sentences that hold it; reasons as values that are stored."""

import json
from string import Formatter
from typing import Final

import pytest
from inline_snapshot import snapshot

from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.files.tables import Flaw, TableProblem
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
from bot.domain.troubles import FileTrouble
from bot.presentation import reasons
from bot.presentation.blocks.text import moment
from bot.presentation.reasons import (
    because,
    because_refused,
    file_trouble,
    in_words,
    problem_of,
    reason_of,
    rule_of,
    told,
    worded,
)
from bot.presentation.table_problems import table_problem
from tests.domain.made import NOW
from tests.presentation.checks import alike, lines_of
from tests.presentation.sampled import FACTS, NO_ANSWER, sample

CODES: Final = [code for subject in SUBJECTS for code in subject.__members__.values()]
SLOTS: Final = {"it", "its", "the_service", "the_request", "gave", "got", "who"}
"""What a template holds besides the facts of its code."""


def test_codes_are_told_apart_by_what_is_stored_of_them() -> None:
    assert len({code.value for code in CODES}) == len(CODES)
    assert {code for code in CODES if code.facts} == set(FACTS)


def test_each_code_has_words_and_nothing_else_has() -> None:
    assert len(reasons._WORDS) == len(CODES)
    assert set(reasons._WORDS) == set(CODES)


@pytest.mark.parametrize("code", CODES, ids=str)
def test_a_template_tells_the_facts_of_its_code(code: Code) -> None:
    words = reasons._WORDS[code]
    assert not code.facts & {*SLOTS, "by", "words"}
    if isinstance(words, str):
        fields = {name for _, name, _, _ in Formatter().parse(words) if name is not None}
        untold = {"was"} if code is Verbatim.AS_STORED else set()
        assert fields - SLOTS == code.facts - untold


def test_each_code_in_words() -> None:
    assert lines_of({code.value: worded(sample(code)) for code in CODES}) == snapshot("""\
as_stored: the list cannot be used
given: the bank called
all: it has another id; the code is another one
no_answer: no answer (timed out)
not_left: the request did not leave (not connected)
sends_nothing: Switchboard sends nothing at the moment
rests: the service has not answered for a while, so nothing is sent to it
not_asked: it has not answered for a while, so it was not asked
too_many: too many requests
answered: answer 500
answered_after_unknown: answer 409 after an attempt of unknown outcome
no_json: answer 200 with a body that is no JSON
unexpected: answer 200 with an unexpected body
refused: the service does not accept the amount and the e-mail (422)
read_answered: it answered 503
unreadable: its answer could not be read (no amount)
page: a page came instead of an answer
asks_to_wait: it asks to wait
list_gap: its list has an empty page before the last one
list_changed: its list changed while it was read
list_ends: its list ends with page 3
other_type: this operation is a payout, not a purchase
other_page: page 2 of the list was asked for, page 1 came
other_size: 100 operations a page were asked for, the answer says 25
other_type_listed: only payouts were asked for, a purchase came
scan_changed: the list changed while it was read
scan_double: the list showed an operation twice
scan_stands: the list's pages do not advance
scan_gap: the list showed an empty page before its end
scan_long: the list has more than 1000 pages
scan_count: the list says 7 operations and showed 6
payment_required: the service wants to be paid first (402)
method_unknown: the service does not know what was asked for (405)
gone: the service does not offer this any more (410)
plain_refusal: the service refused the request (411)
file_too_large: the file is larger than the service takes (413)
address_too_long: the address is longer than the service takes (414)
kind_of_file: the service does not take this kind of file (415)
booking_fixed: the booking cannot be canceled now
search_begun: the search starts only from ON_HOLD, and the booking is not on hold any more
prebooking_fixed: the pre-booking cannot be canceled any more
suspended_workspace: the service has suspended the workspace
other_environment: the key belongs to the other environment
master_key: the master key is not accepted
store_key: the key of this store is not accepted
result_too_large: made a result of 3000 bytes, which is too large
result_over_limit: made a result of more than 2000 bytes, which is too large
result_redirects: sent us from address to address for its result
result_private: named a private address for its result
result_no_address: named an address for its result that is none
result_unreachable: has a result at a host that cannot be reached
result_not_handed: did not hand its result over (503)
result_gone: has no result at the address it named any more (404); such addresses expire
not_configured_here: is not configured
slack_error: not_in_channel
slack_unreachable: cannot be reached
slack_broke: the connection broke (ClientOSError)
slack_wait: asked us to wait
slack_unreadable: answered 502 without a readable body
slack_file_kept: did not hand the file over (503)
slack_file_refused: did not take the file (TimeoutError)
slack_upload_address: named an upload address that is not its own
slack_upload_length: was promised 4000 bytes, and another number came
slack_upload_status: upload_answered_500
slack_nobody: did not say who you are
slack_slow_people: takes too long to say who people are
slack_message_missing: has not taken the message of this call yet
slack_denies: does not let us read who somebody is (missing_scope, users:read); the bot token lacks a scope: put the \
manifest into the app's settings and install the app again
answer_lost: Switchboard failed before the answer was stored
process_ended: the process ended before the answer was stored
failed_named: delivery: the key of this store is not accepted
failed_mended: the key of this store is not accepted; list the stores
failed_now: The payments service gave no answer (timed out); try again in 30 s.
failed_never: The payments service does not know what was asked for (404); check what you gave.
failed_operator: The operator of Switchboard has to mend this: delivery: the master key is not accepted; set \
DELIVERY_MASTER_KEY.
not_executed: The payments service got too many requests; nothing was executed, try again in a minute.
outcome_unknown: The payments service gave answer 500, saying “try again later”; whether it was executed is not known \
yet, so it is looked up and not repeated.
unanswered: the payments service has not answered since 2026-11-20 09:00 UTC, so nothing was sent
service_said: the payments service answered 500
held: held, because the account of who asked for it is deactivated. An admin can withdraw it; if the requester may ask \
again, it needs new approvals
on_hold: on hold, as the database and the audit disagree: it is not what was asked for; rows 7, 9 of the audit were \
changed
restored: held: the database may be older than the services, so an operator has to look
ask_again: the database was put back to an earlier moment, so what was decided before needs deciding again
votes_void: somebody who approved no longer counts (their account is deactivated); an approval no longer counts, \
because it was given too long ago, so 2 more approvals are needed
frozen: payments are frozen: the bank called
daily_limit: the daily limit is reached
another_is_sent: another bulk payment is being submitted
not_configured: payments is not configured: the operator has to set PAYMENTS_BASE_URL, PAYMENTS_API_KEY
out_of_reach: it needs 2 approvals, and only 1 person can approve it
undecided: held: the database may be older than the services, so an operator has to look; the time for that is over
not_sent_in_time: it was not sent in time after approval: the payments service answered 500, saying “Out of order”
new_attempt_not_sent: the new attempt was not sent in time (the daily limit is reached)
address_not_confirmed: nobody said whether its address is right
edited: replaced by an edited request
created_in_vain: its creation was tried several times
no_link: no checkout link can be made of its id
not_listed: the service does not list it
not_in_history: the service's history does not show it
note_changed: what the history held before it was sent is not what was noted then
not_committed: it is created there, and not committed
still_not_committed: the service still shows it as not committed
still_pending: the service still shows them as pending
no_items: its list of items is empty
followed: it is followed at the service already
read_before: its items are read again before anything is canceled
disagrees_with_audit: its state in the audit: needs a person
found_after_restore: the service has it already: it was sent before the database was put back
ended_here: the list of payouts holds it; it is rejected here
unread: it cannot be read (payments: no answer (timed out))
list_unusable: the list cannot be used: the list's pages do not advance
history_unusable: the history cannot be used: its list changed while it was read
no_codes: the service's list does not show our codes, so this cannot be looked up in it; an admin names their field in \
SERVICES_FILE, [payments.records.operation] code = "…"
paid_by: paid by eve@example.com
several: the service holds several payouts with our code
several_bulk: the service holds 6 bulk payments with our items: bulk-1, bulk-2, bulk-3, bulk-4, bulk-5
miscounted: the service counts 9 payments instead of 10
mismatched_items: 1 payments were reported twice, so they may have been paid twice; 2 payments have another amount or \
address than was approved; 3 payments were not asked for
lists_disagree: 1 payment ended in two ways; 2 failures fit no payment
may_be_this_bulk: the service holds bulk-7, which is new and may be this one: look there which payments it makes
may_be_ours: the service holds op-77, made since this was sent, for the same recipient and amount and without our \
code: look whether that is this one
says: the service says pending in escrow
unasked: the service says sent, although Switchboard sent nothing
contradicted: it was completed, now the service says failed
paid_as: the service holds it as bulk-7, completed
unconfirmed: a callback reported cancellation, but the service's record never confirmed it
unaccounted: the service says it is through, with 1 payment neither done nor failed and 2 payments missing from its \
list
stands_still: nothing has changed for a long time; 3 payments neither done nor failed
after_refusal: the service refused the request (422), saying “the limit is reached”, but the list cannot be used: the \
list's pages do not advance
after_answer: the service gave answer 500, saying “try again later”, and now the service does not list it
changed_here: our own record was changed after it was approved
other_id: it has another id
other_amount: the amount is 25.01 instead of 25.00
other_recipient: the recipient is another one
other_code: the code is another one
other_description: the description is another one
code_taken: the code INV-7 is taken: the service holds op-77 under it
other_kind: it is no purchase
list_holds: the list of payouts holds it
list_lacks: the list of purchases does not hold it
history_holds: the history of bulk payments holds it
history_lacks: the history of bulk payments does not hold it
joined: B-4F7K2M
cannot_start: The search starts by hand only while it is on hold.
cannot_cancel: It cannot be canceled now.
just_changed: It has just changed. Look at its card and try again.
not_said: The delivery service did not say whether it did that. The card shows what it says of the booking now.
no_master_key: Stores are made with DELIVERY_MASTER_KEY, which is missing; the operator can set it.
no_key: there is no key for the store Centro
name_taken: There is a store called Centro already. Choose another name.
no_public_url: PUBLIC_URL is missing, so there is no address that the delivery service could reach, and nothing was \
registered
no_such_prebooking: Centro has no pre-booking with this id. Copy it again from the dashboard.
other_prebooking: This pre-booking belongs to another request.
taken_in: This pre-booking belongs to V-4F7K2M already.
list_answer_lost: Switchboard was restarted while the service had the file
empty_result: its result is empty
result_not_fetched: it has no result at the address it named any more (404); such addresses expire
list_given_up: no answer (timed out) (3 times)
asked_to_wait: the service asked to wait 5 times in a row (it asks to wait)
not_working: the service does not work at the moment: it answered 500
asked_in_vain: asked 4 times: no answer (timed out)
account_refused: no answer (timed out)
list_busy: the service has too much to do; try again in a minute
list_try_again: no answer (timed out); try again in a minute
no_column: the file has no such column any more
hardly_addresses: the column “name” hardly holds e-mail addresses (1 of 20 cells); choose the one that does, for \
example email
unusable_file: The file is empty. It needs a first row with names and at least one row below, for example email.
file_rule: The file has too many columns.
file_later: Slack did not hand the file over (503). Try again in a minute.
file_never: Slack file_not_found.
restarted: Switchboard was restarted before the answer came
result_lost: a restart lost what the service had made
broken: something went wrong here; the operator finds it in the log
file_cut_off: the file could not be read to its end
text_only: this takes a text, no file
localization_not_configured: localization is not configured
queue_full: you have 20 calls under way or waiting, which is the most; wait for one, or cancel one
call_unknown: the localization service gave no answer (timed out)
file_refused: Slack does not take the file (invalid_arguments)
service_refused: it was done, but the localization service named a private address for its result
not_handed_over: it was done, but its files could not be handed over: cannot be reached
bad_input: It must have at most 2,000 characters; this has 2,001. Example: The meeting was moved to Friday.
older: what was written down outside the database says that it once held more than it does now
mode_unreadable: it cannot be read whether Switchboard may send
mode_changed: row 7 of the audit was changed
freeze_unreadable: it cannot be read whether they are
rows_unreadable: its rows cannot be read (OperationalError)
not_in_database: it is in the audit and not in the database
freeze_lost: Payments are frozen, says the audit; the database says that they are not
freeze_forged: Payments are not frozen, says the audit; the database says that they are
unknown_here: the service holds what the database says was never sent: P-4F7K2M
nobody_asked: the payments service holds payments that report to us and that nothing in the database asked for""")


def beginning(code: Code) -> str:
    """How the sentence begins by itself, and with the name of the service."""
    alone, named = worded(sample(code)), worded(sample(code), by="payments")
    end = next(alone[at:] for at in range(len(alone)) if named.endswith(alone[at:]))
    return f"“{alone.removesuffix(end)}” → “{named.removesuffix(end)}”"


def test_what_an_exchange_came_to_begins_with_the_name_of_the_service() -> None:
    assert lines_of(alike({code.value: beginning(code) for code in Exchange})) == snapshot("""\
no_answer, answered, answered_after_unknown, no_json, unexpected: “” → “The payments service gave ”
not_left: “the request” → “The request to the payments service”
sends_nothing, page, other_type, other_page, other_size, other_type_listed, scan_changed, scan_double, scan_stands, \
scan_gap, scan_long, scan_count, file_too_large, address_too_long, booking_fixed, search_begun, prebooking_fixed, \
other_environment, master_key, store_key, result_too_large, result_over_limit, result_redirects, result_private, \
result_no_address, result_unreachable, result_not_handed, result_gone, not_configured_here, slack_error, \
slack_unreachable, slack_broke, slack_wait, slack_unreadable, slack_file_kept, slack_file_refused, \
slack_upload_address, slack_upload_length, slack_upload_status, slack_nobody, slack_slow_people, \
slack_message_missing, slack_denies, answer_lost, process_ended: “” → “The payments service: ”
rests, refused, payment_required, method_unknown, gone, plain_refusal, kind_of_file, suspended_workspace: “the” → “The \
payments”
not_asked, read_answered, asks_to_wait: “it” → “The payments service”
too_many: “” → “The payments service got ”
unreadable, list_gap, list_changed, list_ends: “it” → “The payments service'”""")


def test_no_reason_has_no_words() -> None:
    assert (worded(None), in_words(None), in_words(""), given(""), stored(None)) == ("", "", "", None, "")


def test_what_the_service_said_is_cut_at_300_characters() -> None:
    answer = Reason(Exchange.ANSWERED, status=500)
    assert worded(answer.saying("x" * 300)) == f"answer 500, saying “{'x' * 300}”"
    assert worded(answer.saying("x" * 301)) == f"answer 500, saying “{'x' * 299}…”"
    assert answer.saying("x" * 301).words == "x" * 301
    assert answer.saying("") == answer


@pytest.mark.parametrize("code", CODES, ids=str)
def test_what_is_stored_of_a_reason_is_read_again(code: Code) -> None:
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
            Reason(OfRequest.UNDECIDED, held=Reason(OfRequest.FROZEN, why=given("the bank called"))),
            Reason(OfRequest.AFTER_ANSWER, answer=NO_ANSWER.saying("x"), why=Reason(OfRequest.UNDECIDED, held=None)),
        ],
    )
    assert Reason.read(json.loads(json.dumps(nested.stored()))) == nested
    assert Reason.read(nested) is nested
    assert worded(nested) == (
        "payments are frozen: the bank called; the time for that is over; "
        "the service gave no answer (timed out), saying “x”, and now nobody decided in time"
    )


@pytest.mark.parametrize(
    "found",
    [
        {"code": "of_tomorrow"},
        {"code": ["held"]},
        {"code": "held"},
        {"code": "held", "facts": {"no": "gone"}},
        {"code": "daily_limit", "facts": {"why": "x"}},
        {"code": "daily_limit", "facts": ["why"]},
        {"code": "daily_limit", "facts": {"code": "held"}},
        {"code": "frozen", "facts": {"why": {"code": "of_tomorrow"}}},
        {"facts": {}},
        {},
        [],
        5,
        True,
    ],
    ids=str,
)
def test_what_is_no_reason_of_ours_is_refused(found: object) -> None:
    assert in_words(found) == "it cannot be read"
    with pytest.raises(ValueError, match="no reason"):
        Reason.read(found)


def test_text_of_a_version_without_codes_stays_as_it_is() -> None:
    assert Reason.read("it was said so") == Reason(Verbatim.AS_STORED, text="it was said so", was="")
    assert in_words("it was said so") == "it was said so"
    assert Reason.read("") is None
    assert Reason.read(None) is None


@pytest.mark.parametrize(
    "facts",
    [
        {"code": "ended_here", "facts": {"found": "x", "state": "odd"}},
        {"code": "not_sent_in_time", "facts": {"held": 5}},
        {"code": "votes_void", "facts": {"void": 5, "missing": 1}},
        {"code": "on_hold", "facts": {"found": [["gap", []]]}},
        {"code": "unconfirmed", "facts": {"kind": "odd"}},
    ],
    ids=str,
)
def test_a_reason_whose_facts_were_forged_is_told_as_unreadable(facts: object) -> None:
    assert in_words(facts) == "it cannot be read"


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


def test_facts_that_change_the_sentence() -> None:
    found = [
        Reason(Exchange.NO_ANSWER, failure=""),
        Reason(Exchange.UNREADABLE, problem=""),
        Reason(Exchange.SLACK_DENIES, what="group", error="plan_upgrade_required", needed=""),
        Reason(Exchange.SLACK_DENIES, what="person", error="invalid_auth", needed=""),
        Reason(OfRequest.OUT_OF_REACH, needs=1, can=0),
        Reason(OfRequest.OUT_OF_REACH, needs=3, can=2),
        Reason(OfRequest.UNDECIDED, held=None),
        Reason(OfRequest.NOT_SENT_IN_TIME, held=None),
        Reason(OfRequest.NEW_ATTEMPT_NOT_SENT, held=None),
        Reason(OfRequest.SEVERAL_BULK, ids=("a", "b")),
        Reason(OfRequest.MISMATCHED_ITEMS, doubles=0, different=0, strangers=2),
        Reason(OfRequest.PAID_AS, id="bulk-7", status="odd", count=None, completed=None, pending=None, failed=None),
        Reason(OfRequest.UNCONFIRMED, kind="confirmation"),
        Reason(OfRequest.UNCONFIRMED, kind="failure"),
        Reason(OfRequest.UNCONFIRMED, kind="purchase"),
        Reason(OfRequest.UNACCOUNTED, under_way=0, missing=1),
        Reason(OfRequest.CHANGED_HERE, is_purchase=True),
        Reason(OfRequest.OTHER_KIND, is_purchase=False),
        Reason(OfList.FILE_RULE, rule=Reason(OfRequest.OTHER_ID)),
        Reason(OfCall.BAD_INPUT, rule=Reason(OfCall.QUEUE_FULL, most=20), example=""),
    ]
    assert lines_of(list(map(worded, found))) == snapshot("""\
no answer
its answer could not be read
does not let us read the members of a user group (plan_upgrade_required); user groups need a paid plan of Slack: name \
people by their U… ids in the policy instead
does not let us read who somebody is (invalid_auth); Slack does not accept the bot token: copy it again into \
SLACK_BOT_TOKEN
it needs 1 approval, and nobody can approve it
it needs 3 approvals, and only 2 people can approve it
nobody decided in time
it was not sent in time after approval
the new attempt was not sent in time
the service holds 2 bulk payments with our items: a, b
2 payments were not asked for
the service holds it as bulk-7, odd
a callback reported completion, but the service's record never confirmed it
a callback reported failure, but the service's record never confirmed it
a callback reported payment, but the service's record never confirmed it
the service says it is through, with 1 payment missing from its list
our own record was changed after it was asked for
it is no payout
It has another id.
You have 20 calls under way or waiting, which is the most; wait for one, or cancel one.""")


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


@pytest.mark.parametrize(("trouble", "said"), [
    (PersonError(argument="file", rule="it holds no rows", example=""), "It holds no rows."),
    (
        ServiceNow("Slack", Reason(Exchange.SLACK_UNREACHABLE), words="busy"),
        "Slack cannot be reached, saying “busy”. Try again in a minute.",
    ),
    (ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error="file_not_found"), words="no"), "Slack file_not_found."),
    (
        OperatorError("Slack denies the file", mend="add the scope"),
        "The operator of Switchboard has to mend this: Slack denies the file; add the scope.",
    ),
], ids=repr)  # fmt: skip
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

"""What people see of a request at every moment: the card whole, for approvers and for who asked, and its parts."""

import re
from dataclasses import replace
from itertools import product

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction, Kind, Recipient, State
from bot.domain.policy import Requirement, Short
from bot.domain.reasons import given
from bot.presentation.payments import cards
from bot.presentation.payments.kinds import sentence
from bot.presentation.words import word
from tests.domain.made import cancellation, instruction, payload, purchase, vote
from tests.presentation.checks import alike, lines_of, readable, seen
from tests.presentation.payments.moments import HEADS, TO_DECIDE, card, differing, every, moments, reachable


@pytest.mark.parametrize("kind", Kind)
def test_no_state_is_forgotten(kind: Kind) -> None:
    same = moments(Kind.PAYOUT) if kind is Kind.ONE_STEP else {}
    assert {one.state for one in {**same, **moments(kind)}.values()} >= reachable(kind)


def test_heads() -> None:
    assert seen(card(moments(Kind.BULK)["awaiting"])).startswith(f"{HEADS[Kind.BULK]}\n{TO_DECIDE}\n")
    for kind, one in ((Kind.PAYOUT, instruction()), (Kind.PURCHASE, purchase()), (Kind.BULK_CANCEL, cancellation())):
        assert seen(card(one)).startswith(f"{HEADS[kind]}\n")


def test_cards() -> None:
    found = {f"{kind} {name}": text for kind in Kind for name, text in every(kind).items()}
    assert lines_of(alike(found)) == snapshot("""\
payout new, one_step new: $25.00 to ana@example.com ⏎ *Registered name*: not known | *Account*: not looked up yet | \
*Country*: not known | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M ⏎ For: March translation ⏎ \
:hourglass_flowing_sand: *being prepared*: the recipient is being looked up; no money moves before people approve it. \
⏎ Needs 1 approval besides the requester ⏎ [Withdraw]
payout awaiting, bulk_cancel awaiting: :hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 \
UTC. ⏎ (to decide) ⏎ [Approve] [Reject] [Withdraw]
payout awaiting, one of two: :hourglass_flowing_sand: *waiting for approval*: 1 of 2, until 2026-11-21 09:00 UTC. ⏎ To \
decide: <@U0ADA> <!subteam^S0TREASURY> ⏎ Approved by <@U0LIN> ⏎ Needs 2 approvals besides the requester, typing the \
amount (over $1,000.00) ⏎ [Approve] [Reject] [Withdraw]
payout awaiting again: :hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 UTC. Somebody \
who approved no longer counts (they are no approver any more); an approval no longer counts, because it was given too \
long ago, so one more approval is needed. ⏎ (to decide) ⏎ [Approve] [Reject] [Withdraw]
payout awaiting, stopped: :hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 UTC. ⏎ To \
decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY> ⏎ :octagonal_sign: Stopped by an internal error (`0badcafe`). An admin \
can try it again in the alerts channel. ⏎ Needs 1 approval besides the requester ⏎ [Approve] [Reject] [Withdraw]
payout approved, bulk_cancel approved: :hourglass_flowing_sand: *approved*: not sent yet. ⏎ (approved) ⏎ [Withdraw]
payout approved, frozen: :hourglass_flowing_sand: *approved*: not sent yet. Payments are frozen: the books are being \
audited. ⏎ (approved) ⏎ [Withdraw]
payout approved, over the limit: :hourglass_flowing_sand: *approved*: not sent yet. Today's limit is reached. ⏎ \
(approved) ⏎ [Withdraw]
payout approved, held: :hourglass_flowing_sand: *approved*: not sent yet. Held, because the account of who asked for \
it is deactivated. An admin can withdraw it; if the requester may ask again, it needs new approvals. ⏎ (approved) ⏎ \
[Withdraw]
payout approved, no answer: :hourglass_flowing_sand: *approved*: not sent yet. The payments service has not answered \
since 2026-11-20 09:00 UTC, so nothing was sent. ⏎ (approved) ⏎ [Withdraw]
payout sending: :hourglass_flowing_sand: *being sent*: the payment is on its way to the service; no answer yet. ⏎ \
(approved)
payout committed: :hourglass_flowing_sand: *sent*: the service has accepted it and is paying; it has not said yet that \
the money arrived. ⏎ (approved)
payout rejected, bulk rejected: :no_entry: *rejected* by <@U0ADA>. Reason: the invoice is wrong. Nothing was paid.
payout withdrawn, bulk withdrawn: :wastebasket: *withdrawn* by <@U0MARIA>. Nothing was paid.
payout withdrawn, by an admin: :wastebasket: *withdrawn* by <@U0TOM>. Reason: asked for twice. Nothing was paid.
payout expired, bulk expired: :alarm_clock: *expired*: not approved in time. Nothing was paid.
payout expired, late: :alarm_clock: *expired*: it wasn't sent in time after approval. Nothing was paid.
payout closed: :no_entry: *failed*: closed as not paid by <@U0ADA>. Reason: the service shows no payment.
payout new, stopped: $25.00 to ana@example.com ⏎ *Registered name*: not known | *Account*: not looked up yet | \
*Country*: not known | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M ⏎ For: March translation ⏎ :octagonal_sign: \
*Stopped* by an internal error. ⏎ :octagonal_sign: Stopped by an internal error (`0badcafe`). An admin can try it \
again in the alerts channel. ⏎ Needs 1 approval besides the requester ⏎ [Withdraw]
payout creating: $25.00 to ana@example.com ⏎ *Registered name*: not known | *Account*: not looked up yet | *Country*: \
not known | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M ⏎ For: March translation ⏎ :hourglass_flowing_sand: \
*being prepared*: the recipient is being looked up; no money moves before people approve it. ⏎ Needs 1 approval \
besides the requester
payout create_unknown: :grey_question: *unknown*: the service did not say whether it created the payout. Switchboard \
is looking. Nothing was paid. ⏎ Needs 1 approval besides the requester
payout create_unknown, it spoke: :grey_question: *unknown*: the service did not say whether it created the payout. \
Switchboard is looking. The service gave answer 500, saying “try again later”. Nothing was paid. ⏎ Needs 1 approval \
besides the requester
payout create_unknown, refused: :grey_question: *unknown*: the service refused it. Reason: “the limit is reached”. \
Switchboard is checking that it did not act all the same. Nothing was paid. ⏎ Needs 1 approval besides the requester
payout commit_unknown, one_step commit_unknown: :grey_question: *unknown*: the service did not say whether it paid. \
Switchboard is finding out. *Do not pay again.* ⏎ (approved)
payout commit_unknown, it spoke, one_step commit_unknown, it spoke: :grey_question: *unknown*: the service did not say \
whether it paid. Switchboard is finding out. The service gave answer 500, saying “try again later”. *Do not pay \
again.* ⏎ (approved)
payout commit_unknown, refused, one_step commit_unknown, refused: :grey_question: *unknown*: the service refused it. \
Reason: “the limit is reached”. Switchboard is checking that it did not act all the same. *Do not pay again.* ⏎ \
(approved)
payout pending_escrow, one_step pending_escrow: :lock: *pending in escrow*: the service holds the money until the \
recipient has signed up. ⏎ (approved) ⏎ [Cancel and return the money]
payout completed, one_step completed: :white_check_mark: *completed*: the service confirms that the recipient was \
credited. ⏎ Approved by <@U0LIN>
payout canceled, one_step canceled: :leftwards_arrow_with_hook: *canceled*: the service canceled it; the money went \
back. ⏎ Approved by <@U0LIN>
payout failed, one_step failed: :x: *failed*: the service could not pay. Reason: the account is closed. ⏎ Approved by \
<@U0LIN>
payout refused: :x: *failed*: the service refused it; its record says it is not paid. Reason: “the limit is reached”. \
⏎ Approved by <@U0LIN>
payout committed, as it calls it: :hourglass_flowing_sand: *sent*: the service has accepted it and is paying; it has \
not said yet that the money arrived. The service calls this “On &lt;Hold&gt;”, a status Switchboard does not know. ⏎ \
(approved)
payout refused, never sent: :x: *failed*: the service refused it. Nothing was paid. Reason: “the limit is reached”.
payout mismatch: :octagonal_sign: *failed*: not sent, because the service's record is not what was asked for. The \
amount is 26.00 instead of 25.00; the recipient is another one.
payout needs_human: :warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; \
a new attempt needs a new approval. Provider ID: `652f7a1e9b3c4d5e6f708192`. The provider still lists it as not sent. \
⏎ (to decide) ⏎ [Retry] [Close as not paid]
payout needs_human, never created: :warning: *needs a person*: whether the service created the payout is *unknown*; \
nothing was paid. Our code at the service: `01KAGT0000000000000000CODE`. It couldn't be created in several tries. ⏎ \
(to decide) ⏎ [Retry] [Close as not paid]
payout needs_human, one of two: :warning: *needs a person*: the outcome is *unknown*. Look it up at the service before \
you decide; a new attempt needs a new approval. Provider ID: `652f7a1e9b3c4d5e6f708192`. The new attempt wasn't sent \
in time. Approvals for a new attempt: 1 of 2. ⏎ To decide: <@U0ADA> <!subteam^S0TREASURY> ⏎ Approved by <@U0LIN> ⏎ \
Needs 2 approvals besides the requester ⏎ [Retry] [Close as not paid]
one_step refused: :x: *failed*: the service refused it, and its list does not show it: nothing was paid. Reason: “the \
limit is reached”. ⏎ Approved by <@U0LIN>
one_step commit_unknown, suspect: :grey_question: *unknown*: the service did not say whether it paid. Switchboard is \
finding out. *Do not pay again.* The provider has op-77, made since this was sent, for the same recipient and amount \
and without our code: check whether that is this one. ⏎ (approved)
one_step needs_human: :warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you \
decide; a new attempt needs a new approval. Our code at the service: `01KAGT0000000000000000CODE`. The provider \
doesn't list it. ⏎ (to decide) ⏎ [Retry] [Close as not paid]
one_step needs_human, suspect: :warning: *needs a person*: the outcome is *unknown*. Look it up at the service before \
you decide; a new attempt needs a new approval. Our code at the service: `01KAGT0000000000000000CODE`. The provider \
has op-77, made since this was sent, for the same recipient and amount and without our code: check whether that is \
this one. ⏎ (to decide) ⏎ [Close as not paid]
one_step needs_human, refused: :warning: *needs a person*: the outcome is *unknown*. Look it up at the service before \
you decide; a new attempt needs a new approval. Our code at the service: `01KAGT0000000000000000CODE`. The provider \
rejected the request, saying “the limit is reached”, but the list can't be used: its pages repeat. ⏎ (to decide) ⏎ \
[Retry] [Close as not paid]
purchase new: :hourglass_flowing_sand: *being prepared*: Creating a checkout link… ⏎ [Withdraw]
purchase creating: :hourglass_flowing_sand: *being prepared*: Creating a checkout link…
purchase create_unknown: :grey_question: *unknown*: We're checking whether the link was created. Don't send it again.
purchase create_unknown, refused: :grey_question: *unknown*: the service refused it. Reason: “the limit is reached”. \
Switchboard is checking that it did not act all the same. Don't send it again.
purchase needs_human: :warning: *needs a person*: We couldn't confirm this link. Check the provider's dashboard before \
you request it again. The list can't be used: its pages repeat.
purchase open: :link: *open*: Waiting for payment. ⏎ [Open checkout]
purchase open, as it calls it: :link: *open*: Not confirmed whether the buyer has paid. The service calls this “On \
&lt;Hold&gt;”, a status Switchboard does not know. ⏎ [Open checkout]
purchase completed: :white_check_mark: *completed*: The buyer paid.
purchase completed, by another: :white_check_mark: *completed*: The buyer paid. Paid by eve@example.com.
purchase canceled: :leftwards_arrow_with_hook: *canceled*: No money moved.
purchase failed: :x: *failed*: The payment didn't go through. Reason: card declined.
purchase refused: :x: *failed*: The provider declined it, so there is nothing to pay. Reason: “the limit is reached”.
purchase mismatch: :octagonal_sign: *failed*: The provider's record isn't what was requested, so we don't give the \
link out. The amount is 120.00 instead of 119.50.
purchase closed: :no_entry: *failed*: It was never opened. The provider doesn't list it.
purchase withdrawn: :wastebasket: *withdrawn* by <@U0MARIA>. It was never opened.
purchase withdrawn, by an admin: :wastebasket: *withdrawn* by <@U0TOM>. Reason: asked for twice. It was never opened.
bulk new: *Largest*: ⏎ • $900.00 to luis@example.com (row 4) ⏎ • $90.00 to ana@example.com (row 2) ⏎ *Duplicates*: Row \
7 repeats an earlier row (same address and amount) ⏎ *Never paid before*: 2 recipients ⏎ Looking up accounts: \
`████████░░░░░░░░░░░░ 44 %` 4 of 9 looked up ⏎ Read as: UTF-8 with commas: email, amount, note ⏎ \
:hourglass_flowing_sand: *being prepared*: the recipients are being looked up; no money moves before people approve \
it. ⏎ Needs 1 approval besides the requester ⏎ [Withdraw]
bulk awaiting: (what is decided on) ⏎ :hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 \
UTC. ⏎ (to decide) ⏎ [Approve] [Reject] [Withdraw]
bulk approved: (what is decided on) ⏎ :hourglass_flowing_sand: *approved*: not sent yet. ⏎ (approved) ⏎ [Withdraw]
bulk sending: (what is decided on) ⏎ :hourglass_flowing_sand: *being sent*: the payments are on their way to the \
service; no answer yet. ⏎ (approved)
bulk committed: :warning: *1 not active* (no account, signup not completed, or it cannot receive money now): \
eve@example.com ⏎ :hourglass_flowing_sand: *sent*: the service has the payments. ⏎ `██████░░░░░░░░░░░░░░ 30 %` 3 \
completed ($200.00), 0 failed ($0.00), 0 pending in escrow ($0.00), 7 not reported yet. ⏎ (approved)
bulk closed: :warning: *1 not active* (no account, signup not completed, or it cannot receive money now): \
eve@example.com ⏎ :no_entry: *failed*: closed as not paid by <@U0ADA>. Reason: the service shows no payment.
bulk commit_unknown: (what is decided on) ⏎ :grey_question: *unknown*: the service did not say whether it took the \
payments. Switchboard is finding out from the service's history. *Do not pay again.* ⏎ (approved)
bulk commit_unknown, refused: (what is decided on) ⏎ :grey_question: *unknown*: the service refused it. Reason: “the \
limit is reached”. Switchboard is checking that it did not act all the same. *Do not pay again.* ⏎ (approved)
bulk needs_human: (what is decided on) ⏎ :warning: *needs a person*: the outcome is *unknown*. Look it up at the \
service before you decide; a new attempt needs a new approval, and no other bulk payment is sent until you have \
decided. Its payments carry notes such as `L-4F7K2M/2` at the service. The provider's history doesn't show it. ⏎ (to \
decide) ⏎ [Retry] [Close as not paid]
bulk committed, not read: :warning: *1 not active* (no account, signup not completed, or it cannot receive money now): \
eve@example.com ⏎ :hourglass_flowing_sand: *sent*: the service has the payments. ⏎ `░░░░░░░░░░░░░░░░░░░░ 0 %` no \
payment reported yet. ⏎ (approved)
bulk pending_escrow: :warning: *1 not active* (no account, signup not completed, or it cannot receive money now): \
eve@example.com ⏎ :lock: *pending in escrow*: the service has gone through all of them; what is pending is followed. ⏎ \
`████████████████░░░░ 80 %` 7 completed ($1,100.00), 1 failed ($55.00), 2 pending in escrow ($95.00). ⏎ (approved) ⏎ \
[Cancel pending]
bulk completed: :warning: *1 not active* (no account, signup not completed, or it cannot receive money now): \
eve@example.com ⏎ :white_check_mark: *completed*: every payment is accounted for. ⏎ 10 completed ($1,250.00), 0 failed \
($0.00), 0 pending in escrow ($0.00). That is all 10 payments that were approved. ⏎ Approved by <@U0LIN>
bulk completed, some failed: :warning: *1 not active* (no account, signup not completed, or it cannot receive money \
now): eve@example.com ⏎ :warning: *finished*: 7 paid ($1,100.00), 1 failed ($55.00), 2 canceled ($95.00); every \
payment is accounted for. ⏎ The failed ones are listed in the thread. ⏎ Approved by <@U0LIN>
bulk failed: :x: *failed*: every payment is accounted for. ⏎ 0 completed ($0.00), 10 failed ($1,250.00), 0 pending in \
escrow ($0.00). That is all 10 payments that were approved. ⏎ Approved by <@U0LIN>
bulk canceled: :leftwards_arrow_with_hook: *canceled*: every payment is accounted for. ⏎ 0 completed ($0.00), 0 failed \
($0.00), 0 pending in escrow ($0.00), 10 canceled ($1,250.00). That is all 10 payments that were approved. ⏎ Approved \
by <@U0LIN>
bulk refused: :x: *failed*: the service refused it, and its history does not show it: nothing was paid. Reason: “the \
limit is reached”. ⏎ Approved by <@U0LIN>
bulk mismatch: :octagonal_sign: *failed*: not sent. Our own record was changed after it was approved.
bulk_cancel new: :hourglass_flowing_sand: *being prepared*: nothing is canceled before people approve it. ⏎ Needs 1 \
approval besides the requester ⏎ [Withdraw]
bulk_cancel sending: :hourglass_flowing_sand: *being sent*: the request is on its way to the service; no answer yet. ⏎ \
(approved)
bulk_cancel committed: :hourglass_flowing_sand: *sent*: everything was sent; the outcome of each payment is being \
read. ⏎ (approved)
bulk_cancel rejected: :no_entry: *rejected* by <@U0ADA>. Reason: the invoice is wrong. Nothing was canceled.
bulk_cancel withdrawn: :wastebasket: *withdrawn* by <@U0MARIA>. Nothing was canceled.
bulk_cancel expired: :alarm_clock: *expired*: not approved in time. Nothing was canceled.
bulk_cancel closed: :no_entry: *failed*: closed by <@U0ADA>. Reason: the service shows no payment.
bulk_cancel commit_unknown: :grey_question: *unknown*: the service did not say whether it canceled them. Switchboard \
is reading them again. ⏎ (approved)
bulk_cancel needs_human: :warning: *needs a person*: whether the service canceled them is *unknown*. The provider \
still lists them as waiting. ⏎ (to decide) ⏎ [Retry] [Close]
bulk_cancel needs_human, not all sent: :warning: *needs a person*: not all of them were sent to the service. Somebody \
who approved no longer counts (they are no approver any more), so one more approval is needed. ⏎ (to decide) ⏎ [Retry] \
[Close]
bulk_cancel committed, refused: :hourglass_flowing_sand: *sent*: everything was sent; the outcome of each payment is \
being read. The provider rejected the request, saying “the limit is reached”. ⏎ (approved)
bulk_cancel completed: :white_check_mark: *completed*: 1 payment canceled, $45.00 returned to the balance; 1 too late \
($50.00): 1 completed, 0 failed. ⏎ Approved by <@U0LIN>
bulk_cancel failed: :x: *failed*: 0 payments canceled, $0.00 returned to the balance; 2 too late ($95.00): 1 \
completed, 1 failed. ⏎ Approved by <@U0LIN>
bulk_cancel mismatch: :octagonal_sign: *failed*: our own record was changed after it was approved. Nothing was \
canceled.\
""")


def test_cards_for_who_asked() -> None:
    assert lines_of(differing()) == snapshot("""\
payout new, payout new, stopped, payout creating, payout create_unknown, payout create_unknown, it spoke, payout \
create_unknown, refused, bulk new, bulk_cancel new: - Needs 1 approval besides the requester ⏎ Needs 1 approval \
besides the requester · decided in <#C0APPROVE>
payout awaiting, payout awaiting again, bulk awaiting, bulk_cancel awaiting: - (to decide) ⏎ - [Approve] [Reject] \
[Withdraw] ⏎ Needs 1 approval besides the requester · decided in <#C0APPROVE> ⏎ [Withdraw]
payout awaiting, one of two: - To decide: <@U0ADA> <!subteam^S0TREASURY> ⏎ - Needs 2 approvals besides the requester, \
typing the amount (over $1,000.00) ⏎ - [Approve] [Reject] [Withdraw] ⏎ Needs 2 approvals besides the requester, \
typing the amount (over $1,000.00) · decided in <#C0APPROVE> ⏎ [Withdraw]
payout awaiting, stopped: - To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY> ⏎ - Needs 1 approval besides the \
requester ⏎ - [Approve] [Reject] [Withdraw] ⏎ Needs 1 approval besides the requester · decided in <#C0APPROVE> ⏎ \
[Withdraw]
payout needs_human, payout needs_human, never created, bulk needs_human: - (to decide) ⏎ - [Retry] [Close as not paid] \
⏎ Needs 1 approval besides the requester · decided in <#C0APPROVE>
payout needs_human, one of two: - To decide: <@U0ADA> <!subteam^S0TREASURY> ⏎ - Needs 2 approvals besides the \
requester ⏎ - [Retry] [Close as not paid] ⏎ Needs 2 approvals besides the requester · decided in <#C0APPROVE>
bulk_cancel needs_human, bulk_cancel needs_human, not all sent: - (to decide) ⏎ - [Retry] [Close] ⏎ Needs 1 approval \
besides the requester · decided in <#C0APPROVE>""")


def test_the_name_of_a_file_is_shown_up_to_120_characters() -> None:
    one = moments(Kind.BULK)["awaiting"]
    for letters, is_whole in ((116, True), (117, False)):
        name = f"{'n' * letters}.csv"
        named = replace(one, payload=one.payload.model_copy(update={"name": name}))
        assert (f"*File*: {name} |" in seen(card(named))) is is_whole


DECIDED = {State.REJECTED, State.WITHDRAWN, State.CLOSED}


def stands(state: State, **changes: object) -> Instruction:
    return instruction(**{"state": state, "decided_by": "U0ADA" if state in DECIDED else "", **changes})


def buttons(subject: Instruction) -> list[dict[str, object]]:
    return [element for block in card(subject).blocks if block["type"] == "actions" for element in block["elements"]]


def test_texts_of_notifications() -> None:
    texts = {
        kind.value: card(moments(kind)[name]).text
        for kind, name in (
            (Kind.PAYOUT, "awaiting, one of two"),
            (Kind.PURCHASE, "open"),
            (Kind.BULK, "awaiting"),
            (Kind.BULK_CANCEL, "awaiting"),
        )
    }
    assert lines_of(texts) == snapshot("""\
payout: Payout P-4F7K2M: $25.00 to ana@example.com (Ana Maria Lopez, active, verified, primary address, country: ECU) \
for “March translation”, asked by Maria Quispe. :hourglass_flowing_sand: *waiting for approval*: 0 of 2, until \
<!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. Needs 2 approvals besides the requester, typing \
the amount (over $1,000.00). To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>.
purchase: Purchase C-4F7K2M: $119.50 from ben@example.com for “Spring campaign” (2 × web at 10.00; 1 × Print ads at \
99.50), requested by <@U0MARIA>. :link: *open*: Waiting for payment. Checkout: <https://pay.example.com/checkout/op-1>
bulk: Bulk payment L-4F7K2M: $1,250.00 in 10 payments. File “march.csv”, 10 payments to 9 people, $1,250.00 together. \
*Largest*: ⏎ • $900.00 to luis@example.com (row 4) ⏎ • $90.00 to ana@example.com (row 2). *Duplicates*: Row 7 repeats \
an earlier row (same address and amount). *Never paid before*: 2 recipients. Accounts looked up: 9; 8 active ⏎ \
:warning: *1 not active* (no account, signup not completed, or it cannot receive money now): eve@example.com. Read as: \
UTF-8 with commas: email, amount, note. Asked by Maria Quispe. :hourglass_flowing_sand: *waiting for approval*: 0 of \
1, until <!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. Needs 1 approval besides the requester. \
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>.
bulk_cancel: Cancellation X-4F7K2M: $95.00 back from 2 payments still pending in escrow. Of bulk payment L-4F7K2M. \
Everything that was pending when it was asked for: 2 payments, each by its hash. Asked by Maria Quispe. \
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until <!date^1795251600^{date_short_pretty} {time}|2026-11-21 \
09:00 UTC>. Needs 1 approval besides the requester. To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>.\
""")


@pytest.mark.parametrize("state", list(State))
def test_the_card_holds_every_fact_in_blocks_and_in_its_text(state: State) -> None:
    subject = stands(state, payload=payload(cents=123_456, description="Rent & <b>heating</b>"))
    shown = card(subject, votes=[vote("U0LIN")])
    facts = ["$1,234.56", "ana@example.com", "Ana Maria Lopez", "Maria Quispe", "P-4F7K2M", "<@U0LIN>", word(state)]
    for fact in [*facts, "active", "verified", "primary address", sentence(subject, votes=1)]:
        assert fact in shown.text
        assert fact in readable(shown)
    assert readable(shown).count("For: Rent & <b>heating</b>") == 1
    assert shown.text.count("for “Rent &amp; &lt;b&gt;heating&lt;/b&gt;”") == 1


@pytest.mark.parametrize("state", [State.MISMATCH, State.CLOSED, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN])
def test_nobody_says_that_nothing_was_paid_where_nobody_can_know(state: State) -> None:
    facts = {"state": state.value, "decided_by": "U0ADA"}
    for text in (card(stands(state, commits=1)).text, cards.news(instruction(), facts).text):
        assert "othing was paid" not in text


def test_what_is_known_of_the_recipient() -> None:
    recipients = {
        "not looked up": None,
        "not read": Recipient(problem=given("no such account")),
        "nothing said": Recipient(),
        "no name": Recipient(full_name="", active=True, verified=True, primary=True),
        "bad": Recipient(full_name="Mia <Keller>", active=False, verified=False, primary=False),
    }
    found = {name: card(stands(State.AWAITING, recipient=one)) for name, one in recipients.items()}
    assert lines_of({name: seen(one).splitlines()[1] for name, one in found.items()}) == snapshot("""\
not looked up: *Registered name*: not known | *Account*: not looked up yet | *Country*: not known | *Asked by*: Maria \
Quispe | *Reference*: P-4F7K2M
not read: *Registered name*: not known | *Account*: could not be read: no such account | *Country*: not known | *Asked \
by*: Maria Quispe | *Reference*: P-4F7K2M
nothing said: *Registered name*: unknown | *Account*: active: not known, verified: not known, primary address: not \
known | *Country*: not known | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M
no name: *Registered name*: unknown | *Account*: active, verified, primary address | *Country*: not known | *Asked \
by*: Maria Quispe | *Reference*: P-4F7K2M
bad: *Registered name*: Mia &lt;Keller&gt; | *Account*: :warning: *not active* (no account, signup not completed, or \
it cannot receive money now), :warning: *not verified*, not the primary address | *Country*: not known | *Asked by*: \
Maria Quispe | *Reference*: P-4F7K2M""")
    assert lines_of({name: one.text.partition(" for “")[0] for name, one in found.items()}) == snapshot("""\
not looked up: Payout P-4F7K2M: $25.00 to ana@example.com (account not looked up yet)
not read: Payout P-4F7K2M: $25.00 to ana@example.com (account could not be read: no such account)
nothing said: Payout P-4F7K2M: $25.00 to ana@example.com (registered name unknown, active: not known, verified: not \
known, primary address: not known, country: not known)
no name: Payout P-4F7K2M: $25.00 to ana@example.com (registered name unknown, active, verified, primary address, \
country: not known)
bad: Payout P-4F7K2M: $25.00 to ana@example.com (Mia &lt;Keller&gt;, not active (no account, signup not completed, \
or it cannot receive money now), not verified, not the primary address, country: not known)""")


def test_an_address_with_lookalike_letters_is_flagged() -> None:
    flagged = card(stands(State.AWAITING, payload=payload(email="ana@xn--exmple-cua.com")))
    assert lines_of(seen(flagged).splitlines()[-2:]) == snapshot("""\
:warning: This address uses letters that can look like others. Check it with the recipient.
[Approve] [Reject] [Withdraw]""")
    assert flagged.text.endswith(" This address uses letters that can look like others. Check it with the recipient.")


def test_nothing_is_withdrawn_after_a_request_was_sent_once() -> None:
    assert buttons(stands(State.APPROVED, commits=1)) == []


def test_a_button_carries_which_request_and_round_and_nothing_else() -> None:
    subject = stands(State.AWAITING, round=3)
    assert {button["value"] for button in buttons(subject)} == {f"{subject.id}:3"}


def test_at_most_one_button_is_the_obvious_one() -> None:
    for state in State:
        styles = [button.get("style") for button in buttons(stands(state))]
        assert styles.count("primary") <= 1
        assert styles.count("danger") <= 1


@pytest.mark.parametrize("state", list(State))
def test_sentences_are_sentences(state: State) -> None:
    for reason, quorum in product(["", "the invoice is wrong", "Really?"], [1, 2]):
        said = sentence(stands(state, reason=given(reason), requirement=Requirement(quorum=quorum)), votes=0)
        assert said.endswith((".", "?", ".*"))
        assert not re.search(r"\s\s|\s[.,:]|\.\.|: by |[:.]\s*$(?<!\.)", said), said
    news_text = cards.news(instruction(), {"state": state.value, "voters": ["U0LIN"], "decided_by": "U0ADA"}).text
    assert not re.search(r"\s\s|\s[.,]|\.\.", news_text), news_text
    assert news_text.endswith((".", ".*"))


def test_a_card_that_too_few_can_approve_says_so_in_its_text_too() -> None:
    content = cards.card(
        instruction(requirement=Requirement(quorum=2)),
        [],
        for_approvers=True,
        approvals_channel="C0A",
        short=Short(needs=2, can=1),
    )
    assert content.text.partition(":warning: ")[2] == snapshot(
        "It needs 2 approvals, and only 1 person can approve it."
    )
    assert content.text.partition(":warning: ")[2] in seen(content)


def test_at_most_the_card_for_who_asked_says_where_it_is_decided() -> None:
    def decided_in(**changes: object) -> bool:
        content = cards.card(instruction(**changes), [], for_approvers=False, approvals_channel="C0A")
        return "decided in <#C0A>" in seen(content)

    assert decided_in()
    assert not decided_in(state=State.COMMITTED)

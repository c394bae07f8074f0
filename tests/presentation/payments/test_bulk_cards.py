"""What people see of a bulk payment and of a cancellation at every moment: the card whole."""

from dataclasses import replace

from inline_snapshot import snapshot

from bot.domain.payments.instruction import Kind
from tests.domain.made import cancellation
from tests.presentation.checks import seen
from tests.presentation.payments.moments import card, differing, every, moments

BULK = """\
Bulk payment: 1250.00 USD in 10 payments
*File*: march.csv | *Reference*: L-4F7K2M | *Asked by*: Maria Quispe | *Payments*: 10 payments to 9 people, 1250.00 \
USD together"""
CANCELLATION = """\
Cancellation: 95.00 USD back from 2 payments still pending in escrow
Of bulk payment L-4F7K2M. Everything that was pending when it was asked for: 2 payments, each by its hash
Asked by Maria Quispe, reference X-4F7K2M"""


TO_DECIDE = """\
*Largest*:
• 900.00 USD to luis@example.com (row 4)
• 90.00 USD to ana@example.com (row 2)
*Duplicates*: row 7 (same address and amount as an earlier row)
*Never paid before*: 2 recipients
Accounts looked up: 9; 8 active, :warning: *1 not active* (no account, signup not completed, or it cannot receive \
money now): eve@example.com
Read as: UTF-8 with commas: email, amount, note"""


def test_heads() -> None:
    assert seen(card(moments(Kind.BULK)["awaiting"])).startswith(f"{BULK}\n{TO_DECIDE}\n")
    assert seen(card(cancellation())).startswith(f"{CANCELLATION}\n")


def test_the_name_of_a_file_is_shown_up_to_120_characters() -> None:
    one = moments(Kind.BULK)["awaiting"]
    for letters, is_whole in ((116, True), (117, False)):
        name = f"{'n' * letters}.csv"
        named = replace(one, payload=one.payload.model_copy(update={"name": name}))
        assert (f"*File*: {name} |" in seen(card(named))) is is_whole


def test_a_bulk_payment() -> None:
    found = every(Kind.BULK, BULK)
    assert {name: text.replace(TO_DECIDE, "(what is decided on)") for name, text in found.items()} == snapshot(
        {
            "new": """\
*Largest*:
• 900.00 USD to luis@example.com (row 4)
• 90.00 USD to ana@example.com (row 2)
*Duplicates*: row 7 (same address and amount as an earlier row)
*Never paid before*: 2 recipients
Looking up accounts: `████████░░░░░░░░░░░░ 44 %`
Read as: UTF-8 with commas: email, amount, note
:hourglass_flowing_sand: *being prepared*: the recipients are being looked up; no money moves before people approve it.
Needs 1 approval besides the requester
[Withdraw]""",
            "awaiting": """\
(what is decided on)
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 UTC.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Approve] [Reject] [Withdraw]""",
            "approved": """\
(what is decided on)
:hourglass_flowing_sand: *approved*: not sent yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Withdraw]""",
            "sending": """\
(what is decided on)
:hourglass_flowing_sand: *being sent*: the payments are on their way to the service; no answer yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "committed": """\
:hourglass_flowing_sand: *sent*: the service has the payments.
`██████░░░░░░░░░░░░░░ 30 %` 3 completed (200.00 USD), 0 failed (0.00 USD), 0 pending in escrow (0.00 USD), 7 not \
reported yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "rejected": ":no_entry: *rejected* by <@U0ADA>. Reason: the invoice is wrong. Nothing was paid.",
            "withdrawn": ":wastebasket: *withdrawn* by <@U0MARIA>. Nothing was paid.",
            "expired": ":alarm_clock: *expired*: nobody decided in time. Nothing was paid.",
            "closed": ":no_entry: *failed*: closed as not paid by <@U0ADA>. Reason: the service shows no payment.",
            "commit_unknown": """\
(what is decided on)
:grey_question: *unknown*: the service did not say whether it took the payments. Switchboard is finding out from \
the service's history. *Do not pay again.*
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "commit_unknown, refused": """\
(what is decided on)
:grey_question: *unknown*: the service refused it. Reason: answer 422, saying “the limit is reached”. Switchboard \
is checking that it did not act all the same. *Do not pay again.*
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "needs_human": """\
(what is decided on)
:warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new attempt \
needs a new approval, and no other bulk payment is sent until you have decided. Its payments carry notes such as \
`L-4F7K2M/2` at the service. The service's history does not show it.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Retry] [Close as not paid]""",
            "committed, not read": """\
:hourglass_flowing_sand: *sent*: the service has the payments.
`░░░░░░░░░░░░░░░░░░░░ 0 %` no payment reported yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "pending_escrow": """\
:lock: *pending in escrow*: the service has gone through all of them; what is pending is followed.
`████████████████░░░░ 80 %` 7 completed (1100.00 USD), 1 failed (55.00 USD), 2 pending in escrow (95.00 USD).
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Cancel pending]""",
            "completed": """\
:white_check_mark: *completed*: every payment is accounted for.
10 completed (1250.00 USD), 0 failed (0.00 USD), 0 pending in escrow (0.00 USD). That is all 10 payments that were \
approved.
Approved by <@U0LIN>""",
            "completed, some failed": """\
:warning: *finished*: 7 paid (1100.00 USD), 1 failed (55.00 USD), 2 canceled (95.00 USD); every payment is accounted \
for.
The failed ones are listed in the thread.
Approved by <@U0LIN>""",
            "failed": """\
:x: *failed*: every payment is accounted for.
0 completed (0.00 USD), 10 failed (1250.00 USD), 0 pending in escrow (0.00 USD). That is all 10 payments that were \
approved.
Approved by <@U0LIN>""",
            "canceled": """\
:leftwards_arrow_with_hook: *canceled*: every payment is accounted for.
0 completed (0.00 USD), 0 failed (0.00 USD), 0 pending in escrow (0.00 USD), 10 canceled (1250.00 USD). That is \
all 10 payments that were approved.
Approved by <@U0LIN>""",
            "refused": """\
:x: *failed*: the service refused it, and its history does not show it: nothing was paid. Reason: answer 422, \
saying “the limit is reached”.
Approved by <@U0LIN>""",
            "mismatch": ":octagonal_sign: *failed*: not sent. Our own record was changed after it was approved.",
        }
    )


def test_a_bulk_payment_for_who_asked() -> None:
    assert differing(Kind.BULK) == snapshot(
        {
            "new": """\
- Needs 1 approval besides the requester
Needs 1 approval besides the requester · decided in <#C0APPROVE>""",
            "awaiting": """\
- To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
- Needs 1 approval besides the requester
- [Approve] [Reject] [Withdraw]
Needs 1 approval besides the requester · decided in <#C0APPROVE>
[Withdraw]""",
            "needs_human": """\
- To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
- Needs 1 approval besides the requester
- [Retry] [Close as not paid]
Needs 1 approval besides the requester · decided in <#C0APPROVE>""",
        }
    )


def test_a_cancellation() -> None:
    assert every(Kind.BULK_CANCEL, CANCELLATION) == snapshot(
        {
            "new": """\
:hourglass_flowing_sand: *being prepared*: nothing is canceled before people approve it.
Needs 1 approval besides the requester
[Withdraw]""",
            "awaiting": """\
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 UTC.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Approve] [Reject] [Withdraw]""",
            "approved": """\
:hourglass_flowing_sand: *approved*: not sent yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Withdraw]""",
            "sending": """\
:hourglass_flowing_sand: *being sent*: the request is on its way to the service; no answer yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "committed": """\
:hourglass_flowing_sand: *sent*: everything was sent; the outcome of each payment is being read.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "rejected": ":no_entry: *rejected* by <@U0ADA>. Reason: the invoice is wrong. Nothing was canceled.",
            "withdrawn": ":wastebasket: *withdrawn* by <@U0MARIA>. Nothing was canceled.",
            "expired": ":alarm_clock: *expired*: nobody decided in time. Nothing was canceled.",
            "closed": ":no_entry: *failed*: closed by <@U0ADA>. Reason: the service shows no payment.",
            "commit_unknown": """\
:grey_question: *unknown*: the service did not say whether it canceled them. Switchboard is reading them again.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "needs_human": """\
:warning: *needs a person*: whether the service canceled them is *unknown*. The service still shows them as pending.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Retry] [Close]""",
            "needs_human, not all sent": """\
:warning: *needs a person*: not all of them were sent to the service. Somebody who approved no longer counts (they \
are no approver any more), so one more approval is needed.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Retry] [Close]""",
            "committed, refused": """\
:hourglass_flowing_sand: *sent*: everything was sent; the outcome of each payment is being read. The service \
refused the request (422), saying “the limit is reached”.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "completed": """\
:white_check_mark: *completed*: 1 payment canceled, 45.00 USD returned to the balance; 1 too late (50.00 USD): 1 \
completed, 0 failed.
Approved by <@U0LIN>""",
            "failed": """\
:x: *failed*: 0 payments canceled, 0.00 USD returned to the balance; 2 too late (95.00 USD): 1 completed, 1 failed.
Approved by <@U0LIN>""",
            "mismatch": """:octagonal_sign: *failed*: our own record was changed after it was approved. Nothing \
was canceled.""",
        }
    )


def test_a_cancellation_for_who_asked() -> None:
    assert differing(Kind.BULK_CANCEL) == snapshot(
        {
            "new": """\
- Needs 1 approval besides the requester
Needs 1 approval besides the requester · decided in <#C0APPROVE>""",
            "awaiting": """\
- To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
- Needs 1 approval besides the requester
- [Approve] [Reject] [Withdraw]
Needs 1 approval besides the requester · decided in <#C0APPROVE>
[Withdraw]""",
            "needs_human, needs_human, not all sent": """\
- To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
- Needs 1 approval besides the requester
- [Retry] [Close]
Needs 1 approval besides the requester · decided in <#C0APPROVE>""",
        }
    )

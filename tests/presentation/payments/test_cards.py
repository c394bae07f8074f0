"""What people see of a payout and of a purchase at every moment: the card whole, for approvers and for who asked."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Kind
from tests.domain.made import instruction, purchase
from tests.presentation.checks import seen
from tests.presentation.payments.moments import card, differing, every, moments, reachable

PAYOUT = """\
25.00 USD to ana@example.com
*Registered name*: Ana Maria Lopez | *Account*: active, verified, primary address | *Asked by*: Maria Quispe | \
*Reference*: P-4F7K2M
For: March translation"""
PURCHASE = """\
119.50 USD from ben@example.com
*Asked by*: <@U0MARIA> | *Reference*: C-4F7K2M
For: Spring campaign
Item | Quantity × each | USD
web | 2 × 10.00 | 20.00
Print ads | 1 × 99.50 | 99.50"""


@pytest.mark.parametrize("kind", Kind)
def test_no_state_is_forgotten(kind: Kind) -> None:
    same = moments(Kind.PAYOUT) if kind is Kind.ONE_STEP else {}
    assert {one.state for one in {**same, **moments(kind)}.values()} >= reachable(kind)


def test_heads() -> None:
    assert seen(card(instruction())).startswith(f"{PAYOUT}\n")
    assert seen(card(purchase())).startswith(f"{PURCHASE}\n")


def test_a_payout() -> None:
    assert every(Kind.PAYOUT, PAYOUT) == snapshot(
        {
            "new": """\
25.00 USD to ana@example.com
*Registered name*: not known | *Account*: not looked up yet | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M
For: March translation
:hourglass_flowing_sand: *being prepared*: the recipient is being looked up; no money moves before people approve it.
Needs 1 approval besides the requester
[Withdraw]""",
            "awaiting": """\
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 UTC.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Approve] [Reject] [Withdraw]""",
            "awaiting, one of two": """\
:hourglass_flowing_sand: *waiting for approval*: 1 of 2, until 2026-11-21 09:00 UTC.
To decide: <@U0ADA> <!subteam^S0TREASURY>
Approved by <@U0LIN>
Needs 2 approvals besides the requester, typing the amount (over 1000.00 USD)
[Approve] [Reject] [Withdraw]""",
            "awaiting again": """\
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 UTC. Somebody who approved no \
longer counts (they are no approver any more); an approval no longer counts, because it was given too long ago, so \
one more approval is needed.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Approve] [Reject] [Withdraw]""",
            "awaiting, stopped": """\
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until 2026-11-21 09:00 UTC.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
:octagonal_sign: Switchboard stopped here after an internal error (`0badcafe`). An admin can have it tried again \
in the alerts channel.
Needs 1 approval besides the requester
[Approve] [Reject] [Withdraw]""",
            "approved": """\
:hourglass_flowing_sand: *approved*: not sent yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Withdraw]""",
            "approved, frozen": """\
:hourglass_flowing_sand: *approved*: not sent yet. Payments are frozen: the books are being audited.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Withdraw]""",
            "approved, over the limit": """\
:hourglass_flowing_sand: *approved*: not sent yet. The daily limit is reached.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Withdraw]""",
            "approved, held": """\
:hourglass_flowing_sand: *approved*: not sent yet. Held, because the account of who asked for it is deactivated. An \
admin can withdraw it; if the requester may ask again, it needs new approvals.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Withdraw]""",
            "approved, no answer": """\
:hourglass_flowing_sand: *approved*: not sent yet. The payments service has not answered since 2026-11-20 09:00 \
UTC, so nothing was sent.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Withdraw]""",
            "sending": """\
:hourglass_flowing_sand: *being sent*: the payment is on its way to the service; no answer yet.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "committed": """\
:hourglass_flowing_sand: *sent*: the service has accepted it and is paying; it has not said yet that the money \
arrived.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "rejected": ":no_entry: *rejected* by <@U0ADA>. Reason: the invoice is wrong. Nothing was paid.",
            "withdrawn": ":wastebasket: *withdrawn* by <@U0MARIA>. Nothing was paid.",
            "withdrawn, by an admin": """:wastebasket: *withdrawn* by <@U0TOM>. Reason: asked for twice. Nothing \
was paid.""",
            "expired": ":alarm_clock: *expired*: nobody decided in time. Nothing was paid.",
            "expired, late": ":alarm_clock: *expired*: it was not sent in time after approval. Nothing was paid.",
            "closed": ":no_entry: *failed*: closed as not paid by <@U0ADA>. Reason: the service shows no payment.",
            "new, stopped": """\
25.00 USD to ana@example.com
*Registered name*: not known | *Account*: not looked up yet | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M
For: March translation
:octagonal_sign: *stopped*: its preparation does not go on by itself.
:octagonal_sign: Switchboard stopped here after an internal error (`0badcafe`). An admin can have it tried again in \
the alerts channel.
Needs 1 approval besides the requester
[Withdraw]""",
            "creating": """\
25.00 USD to ana@example.com
*Registered name*: not known | *Account*: not looked up yet | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M
For: March translation
:hourglass_flowing_sand: *being prepared*: the recipient is being looked up; no money moves before people approve it.
Needs 1 approval besides the requester""",
            "create_unknown": """\
:grey_question: *unknown*: the service did not say whether it created the payout. Switchboard is looking. Nothing was \
paid.
Needs 1 approval besides the requester""",
            "create_unknown, it spoke": """\
:grey_question: *unknown*: the service did not say whether it created the payout. Switchboard is looking. The service \
gave answer 500, saying “try again later”. Nothing was paid.
Needs 1 approval besides the requester""",
            "create_unknown, refused": """\
:grey_question: *unknown*: the service refused it. Reason: answer 422, saying “the limit is reached”. Switchboard is \
checking that it did not act all the same. Nothing was paid.
Needs 1 approval besides the requester""",
            "commit_unknown": """\
:grey_question: *unknown*: the service did not say whether it paid. Switchboard is finding out. *Do not pay again.*
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "commit_unknown, it spoke": """\
:grey_question: *unknown*: the service did not say whether it paid. Switchboard is finding out. The service gave \
answer 500, saying “try again later”. *Do not pay again.*
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "commit_unknown, refused": """\
:grey_question: *unknown*: the service refused it. Reason: answer 422, saying “the limit is reached”. Switchboard \
is checking that it did not act all the same. *Do not pay again.*
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "pending_escrow": """\
:lock: *pending in escrow*: the service holds the money until the recipient has signed up.
Approved by <@U0LIN>
Needed 1 approval besides the requester
[Cancel and return the money]""",
            "completed": """\
:white_check_mark: *completed*: the service confirms that the recipient was credited.
Approved by <@U0LIN>""",
            "canceled": """\
:leftwards_arrow_with_hook: *canceled*: the service canceled it; the money went back.
Approved by <@U0LIN>""",
            "failed": """\
:x: *failed*: the service could not pay. Reason: the account is closed.
Approved by <@U0LIN>""",
            "refused": """\
:x: *failed*: the service refused it; its record says it is not paid. Reason: answer 422, saying “the limit is \
reached”.
Approved by <@U0LIN>""",
            "committed, as it calls it": """\
:hourglass_flowing_sand: *sent*: the service has accepted it and is paying; it has not said yet that the money \
arrived. The service calls this “On &lt;Hold&gt;”, a status Switchboard does not know.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "refused, never sent": """:x: *failed*: the service refused it. Nothing was paid. Reason: answer 422, \
saying “the limit is reached”.""",
            "mismatch": """:octagonal_sign: *failed*: not sent, because the service's record is not what was asked \
for. The amount is 26.00 instead of 25.00; the recipient is another one.""",
            "needs_human": """\
:warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new attempt \
needs a new approval. The service's id: `652f7a1e9b3c4d5e6f708192`. The service still shows it as not committed.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Retry] [Close as not paid]""",
            "needs_human, never created": """\
:warning: *needs a person*: whether the service created the payout is *unknown*; nothing was paid. Our code at the \
service: `01KAGT0000000000000000CODE`. Its creation was tried several times.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Retry] [Close as not paid]""",
            "needs_human, one of two": """\
:warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new attempt \
needs a new approval. The service's id: `652f7a1e9b3c4d5e6f708192`. The new attempt was not sent in time. Approvals \
for a new attempt: 1 of 2.
To decide: <@U0ADA> <!subteam^S0TREASURY>
Approved by <@U0LIN>
Needs 2 approvals besides the requester
[Retry] [Close as not paid]""",
        }
    )


def test_a_payout_for_who_asked() -> None:
    assert differing(Kind.PAYOUT) == snapshot(
        {
            "new, new, stopped, creating, create_unknown, create_unknown, it spoke, create_unknown, refused": """\
- Needs 1 approval besides the requester
Needs 1 approval besides the requester · decided in <#C0APPROVE>""",
            "awaiting, awaiting again, awaiting, stopped": """\
- To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
- Needs 1 approval besides the requester
- [Approve] [Reject] [Withdraw]
Needs 1 approval besides the requester · decided in <#C0APPROVE>
[Withdraw]""",
            "awaiting, one of two": """\
- To decide: <@U0ADA> <!subteam^S0TREASURY>
- Needs 2 approvals besides the requester, typing the amount (over 1000.00 USD)
- [Approve] [Reject] [Withdraw]
Needs 2 approvals besides the requester, typing the amount (over 1000.00 USD) · decided in <#C0APPROVE>
[Withdraw]""",
            "needs_human, needs_human, never created": """\
- To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
- Needs 1 approval besides the requester
- [Retry] [Close as not paid]
Needs 1 approval besides the requester · decided in <#C0APPROVE>""",
            "needs_human, one of two": """\
- To decide: <@U0ADA> <!subteam^S0TREASURY>
- Needs 2 approvals besides the requester
- [Retry] [Close as not paid]
Needs 2 approvals besides the requester · decided in <#C0APPROVE>""",
        }
    )


def test_a_payout_that_is_made_by_one_request() -> None:
    first, one_step = every(Kind.PAYOUT, PAYOUT), every(Kind.ONE_STEP, PAYOUT)
    assert {name: text for name, text in one_step.items() if text != first.get(name)} == snapshot(
        {
            "refused": """\
:x: *failed*: the service refused it, and its list does not show it: nothing was paid. Reason: answer 422, saying \
“the limit is reached”.
Approved by <@U0LIN>""",
            "commit_unknown, suspect": """\
:grey_question: *unknown*: the service did not say whether it paid. Switchboard is finding out. *Do not pay \
again.* The service holds op-77, made since this was sent, for the same recipient and amount and without our code: \
look whether that is this one.
Approved by <@U0LIN>
Needed 1 approval besides the requester""",
            "needs_human": """\
:warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new attempt \
needs a new approval. Our code at the service: `01KAGT0000000000000000CODE`. The service does not list it.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Retry] [Close as not paid]""",
            "needs_human, suspect": """\
:warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new attempt \
needs a new approval. Our code at the service: `01KAGT0000000000000000CODE`. The service holds op-77, made since \
this was sent, for the same recipient and amount and without our code: look whether that is this one.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Close as not paid]""",
            "needs_human, refused": """\
:warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new attempt \
needs a new approval. Our code at the service: `01KAGT0000000000000000CODE`. The service refused the request (422), \
saying “the limit is reached”, but the list cannot be used: its pages repeat.
To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
Needs 1 approval besides the requester
[Retry] [Close as not paid]""",
        }
    )


def test_a_purchase() -> None:
    assert every(Kind.PURCHASE, PURCHASE) == snapshot(
        {
            "new": """\
:hourglass_flowing_sand: *being prepared*: the service is being asked for a checkout link; nobody can pay yet.
[Withdraw]""",
            "creating": """:hourglass_flowing_sand: *being prepared*: the service is being asked for a checkout \
link; nobody can pay yet.""",
            "create_unknown": """:grey_question: *unknown*: the service did not say whether it opened the \
purchase. Switchboard is finding out. Do not ask again.""",
            "create_unknown, refused": """:grey_question: *unknown*: the service refused it. Reason: answer 422, \
saying “the limit is reached”. Switchboard is checking that it did not act all the same. Do not ask again.""",
            "needs_human": """:warning: *needs a person*: whether the service opened the purchase is *unknown*. \
Look it up there before you ask again. The list cannot be used: its pages repeat.""",
            "open": """\
:link: *open*: waiting for the buyer; nothing has been paid.
[Open checkout]""",
            "open, as it calls it": """\
:link: *open*: whether the buyer has paid is *unknown*. The service calls this “On &lt;Hold&gt;”, a status Switchboard \
does not know.
[Open checkout]""",
            "completed": ":white_check_mark: *completed*: the service confirms that the buyer paid.",
            "completed, by another": """:white_check_mark: *completed*: the service confirms that the buyer paid. \
Paid by eve@example.com.""",
            "canceled": ":leftwards_arrow_with_hook: *canceled*: it was canceled at the service; no money moved.",
            "failed": ":x: *failed*: the service could not take the payment. Reason: card declined.",
            "refused": """:x: *failed*: the service refused it, so there is nothing to pay. Reason: answer 422, \
saying “the limit is reached”.""",
            "mismatch": """:octagonal_sign: *failed*: its link is not given out, because the service's record is \
not what was asked for. The amount is 120.00 instead of 119.50.""",
            "closed": ":no_entry: *failed*: it was never opened, so nobody can pay it. The service does not list it.",
            "withdrawn": ":wastebasket: *withdrawn* by <@U0MARIA>. It was never opened, so nobody can pay it.",
            "withdrawn, by an admin": """:wastebasket: *withdrawn* by <@U0TOM>. Reason: asked for twice. It was \
never opened, so nobody can pay it.""",
        }
    )

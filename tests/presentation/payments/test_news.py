"""What is told of a payment: one sentence at each of its ends, one alert for each topic, and notices about all of \
it."""

from typing import Any

from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.reasons import Exchange, OfRequest, Reason, given, stored
from bot.presentation import notices
from bot.presentation.payments import cards
from bot.presentation.payments.kinds import KINDS
from bot.workflows.requests.announce import TOLD
from tests.domain.made import instruction, purchase, vote
from tests.presentation.checks import alike, check_message, lines_of, seen
from tests.presentation.payments.moments import NAMES, facts_of, moments

NOT_IN_CHANNEL = Reason(Exchange.SLACK_ERROR, error="not_in_channel")


TAIL = "\nThe service says On &lt;Hold&gt;.\nLook for `652f7a1e9b3c4d5e6f708192`."


def alerts(one: Instruction, head: str, tail: str) -> dict[str, str]:
    """Topic -> the alert between its head and its tail, which is followed by where it is explained."""
    found = {}
    for topic in KINDS[one.kind].topics:
        by_slack = topic in ("undelivered", "no_approvals_channel")
        reason = NOT_IN_CHANNEL if by_slack else Reason(OfRequest.SAYS, status="On <Hold>")
        facts = {"topic": topic, "reason": reason.stored(), "channel": "C0FINANCE"}
        content = cards.alert(one, facts, names=NAMES)
        check_message(content)
        assert "docs/" not in content.text
        found[topic] = content.text.removesuffix(notices.advice(topic)).removeprefix(head).removesuffix(tail)
    return found


def test_news() -> None:
    found = {}
    for kind in Kind:
        for name, one in moments(kind).items():
            if one.state in TOLD:
                found[f"{kind} {name}"] = seen(cards.news(one, facts_of(one), names=NAMES))
    assert lines_of(alike(found)) == snapshot("""\
payout rejected: :no_entry: <@U0MARIA> *Rejected* by Ada Okafor: “the invoice is wrong”. $25.00 to Ana Maria Lopez \
(P-4F7K2M). Nothing was paid. ⏎ [Edit and resend]
payout withdrawn: :wastebasket: <@U0MARIA> *Withdrawn* by Maria Quispe. $25.00 to Ana Maria Lopez (P-4F7K2M). Nothing \
was paid.
payout withdrawn, by an admin: :wastebasket: <@U0MARIA> *Withdrawn* by <@U0TOM>: “asked for twice”. $25.00 to Ana \
Maria Lopez (P-4F7K2M). Nothing was paid.
payout expired: :alarm_clock: <@U0MARIA> *Expired*: $25.00 to Ana Maria Lopez (P-4F7K2M). Not approved in time. \
Nothing was paid. ⏎ [Try again] [Edit and resend] [Details]
payout expired, late: :alarm_clock: <@U0MARIA> *Expired*: $25.00 to Ana Maria Lopez (P-4F7K2M). It wasn't sent in time \
after approval. Nothing was paid. ⏎ [Try again] [Edit and resend] [Details]
payout closed: :no_entry: <@U0MARIA> *Failed*: Ada Okafor closed $25.00 to Ana Maria Lopez (P-4F7K2M) as not paid: \
“the service shows no payment”.
payout commit_unknown, payout commit_unknown, it spoke, one_step commit_unknown, one_step commit_unknown, it spoke, \
one_step commit_unknown, suspect: :grey_question: <@U0MARIA> *Not confirmed yet*: $25.00 to Ana Maria Lopez \
(P-4F7K2M). The provider hasn't confirmed it. We're checking. *Don't send it again.*
payout commit_unknown, refused, one_step commit_unknown, refused: :grey_question: <@U0MARIA> *Not confirmed yet*: \
$25.00 to Ana Maria Lopez (P-4F7K2M). The provider declined it: “the limit is reached”. We're checking that it didn't \
go through. *Don't send it again.*
payout pending_escrow, one_step pending_escrow: :lock: <@U0MARIA> *Waiting for sign-up*: $25.00 to Ana Maria Lopez \
(P-4F7K2M). The money is held until the recipient signs up. Approved by Lin Chen.
payout completed, one_step completed: :white_check_mark: <@U0MARIA> *Paid*: $25.00 to Ana Maria Lopez (P-4F7K2M). \
Approved by Lin Chen.
payout canceled, one_step canceled: :leftwards_arrow_with_hook: <@U0MARIA> *Canceled*: $25.00 to Ana Maria Lopez \
(P-4F7K2M). The provider canceled it and the money went back. Approved by Lin Chen.
payout failed, one_step failed: :x: <@U0MARIA> *Failed*: $25.00 to Ana Maria Lopez (P-4F7K2M). The provider couldn't \
pay it: “the account is closed”. Nothing was paid. ⏎ [Try again] [Edit and resend] [Details]
payout refused, payout refused, never sent, one_step refused: :x: <@U0MARIA> *Failed*: $25.00 to Ana Maria Lopez \
(P-4F7K2M). The provider declined it: “the limit is reached”. Nothing was paid. ⏎ [Try again] [Edit and resend] \
[Details]
payout mismatch: :octagonal_sign: <@U0MARIA> *Failed*: $25.00 to Ana Maria Lopez (P-4F7K2M) wasn't sent: the \
provider's record isn't what was requested. The amount is 26.00 instead of 25.00; the recipient is different.
payout needs_human: :warning: <@U0MARIA> *Needs a decision*: $25.00 to Ana Maria Lopez (P-4F7K2M) couldn't be \
confirmed. The provider still lists it as not sent.
payout needs_human, never created: :warning: <@U0MARIA> *Needs a decision*: $25.00 to Ana Maria Lopez (P-4F7K2M) \
couldn't be confirmed. It couldn't be created after several attempts.
payout needs_human, one of two: :warning: <@U0MARIA> *Needs a decision*: $25.00 to Ana Maria Lopez (P-4F7K2M) couldn't \
be confirmed. The new attempt wasn't sent in time.
one_step needs_human: :warning: <@U0MARIA> *Needs a decision*: $25.00 to Ana Maria Lopez (P-4F7K2M) couldn't be \
confirmed. The provider doesn't list it.
one_step needs_human, suspect: :warning: <@U0MARIA> *Needs a decision*: $25.00 to Ana Maria Lopez (P-4F7K2M) couldn't \
be confirmed. The payout op-77 at the provider has the same recipient and amount but not our code. Check whether it's \
this one.
one_step needs_human, refused: :warning: <@U0MARIA> *Needs a decision*: $25.00 to Ana Maria Lopez (P-4F7K2M) couldn't \
be confirmed. The provider rejected the request, saying “the limit is reached”, but the list can't be used: its pages \
repeat.
purchase needs_human: :warning: <@U0MARIA> *Needs a decision*: $119.50 from ben@example.com (C-4F7K2M). We couldn't \
find out whether the checkout was created. The list can't be used: its pages repeat.
purchase completed: :white_check_mark: <@U0MARIA> *Paid*: $119.50 from ben@example.com (C-4F7K2M).
purchase completed, by another: :white_check_mark: <@U0MARIA> *Paid*: $119.50 from ben@example.com (C-4F7K2M). Paid by \
eve@example.com.
purchase canceled: :leftwards_arrow_with_hook: <@U0MARIA> *Canceled*: $119.50 from ben@example.com (C-4F7K2M). No \
money moved.
purchase failed: :x: <@U0MARIA> *Failed*: $119.50 from ben@example.com (C-4F7K2M). The provider couldn't take the \
payment: “card declined”.
purchase refused: :x: <@U0MARIA> *Failed*: $119.50 from ben@example.com (C-4F7K2M). The provider declined it: “the \
limit is reached”. There is nothing to pay.
purchase mismatch: :octagonal_sign: <@U0MARIA> *Failed*: $119.50 from ben@example.com (C-4F7K2M). The provider's \
record isn't what was requested. Don't share any link. The amount is 120.00 instead of 119.50.
purchase closed: :no_entry: <@U0MARIA> *Failed*: $119.50 from ben@example.com (C-4F7K2M). It was never opened. The \
provider doesn't list it.
purchase withdrawn: :wastebasket: <@U0MARIA> *Withdrawn* by Maria Quispe. $119.50 from ben@example.com (C-4F7K2M). It \
was never opened.
purchase withdrawn, by an admin: :wastebasket: <@U0MARIA> *Withdrawn* by <@U0TOM>: “asked for twice”. $119.50 from \
ben@example.com (C-4F7K2M). It was never opened.
bulk rejected: :no_entry: <@U0MARIA> *Rejected* by Ada Okafor: “the invoice is wrong”. $1,250.00 · 10 payments \
(L-4F7K2M). Nothing was paid.
bulk withdrawn: :wastebasket: <@U0MARIA> *Withdrawn* by Maria Quispe. $1,250.00 · 10 payments (L-4F7K2M). Nothing was \
paid.
bulk expired: :alarm_clock: <@U0MARIA> *Expired*: $1,250.00 · 10 payments (L-4F7K2M). Not approved in time. Nothing \
was paid.
bulk closed: :no_entry: <@U0MARIA> *Failed*: Ada Okafor closed $1,250.00 · 10 payments (L-4F7K2M) as not paid: “the \
service shows no payment”.
bulk commit_unknown: :grey_question: <@U0MARIA> *Not confirmed yet*: $1,250.00 · 10 payments (L-4F7K2M). The provider \
hasn't confirmed it. We're checking. *Don't send it again.*
bulk commit_unknown, refused: :grey_question: <@U0MARIA> *Not confirmed yet*: $1,250.00 · 10 payments (L-4F7K2M). The \
provider declined it: “the limit is reached”. We're checking that it didn't go through. *Don't send it again.*
bulk needs_human: :warning: <@U0MARIA> *Needs a decision*: $1,250.00 · 10 payments (L-4F7K2M) couldn't be confirmed. \
The provider's history doesn't show it.
bulk pending_escrow: :warning: <@U0MARIA> *Some failed*: $1,250.00 · 10 payments (L-4F7K2M). 7 paid ($1,100.00), 1 \
failed ($55.00), 2 pending ($95.00). Approved by Lin Chen.
bulk completed: :white_check_mark: <@U0MARIA> *All 10 paid* · $1,250.00 · 10 payments (L-4F7K2M). 10 paid ($1,250.00), \
0 failed, 0 pending. Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: Paid 10)
bulk completed, some failed: :warning: <@U0MARIA> *7 paid, 1 failed, 2 canceled* · $1,250.00 · 10 payments (L-4F7K2M). \
7 paid ($1,100.00), 1 failed ($55.00), 0 pending, 2 canceled ($95.00). Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: \
Paid 7, Failed 1, Canceled 2)
bulk failed: :x: <@U0MARIA> *All 10 failed* · $1,250.00 · 10 payments (L-4F7K2M). 0 paid, 10 failed ($1,250.00), 0 \
pending. Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: Failed 10)
bulk canceled: :leftwards_arrow_with_hook: <@U0MARIA> *All 10 canceled* · $1,250.00 · 10 payments (L-4F7K2M). 0 paid, \
0 failed, 0 pending, 10 canceled ($1,250.00). Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: Canceled 10)
bulk refused: :x: <@U0MARIA> *Failed*: $1,250.00 · 10 payments (L-4F7K2M). The provider declined it: “the limit is \
reached”. Nothing was paid.
bulk mismatch: :octagonal_sign: <@U0MARIA> *Failed*: $1,250.00 · 10 payments (L-4F7K2M) wasn't sent. Nothing was paid. \
Our own record was changed after it was approved.
bulk_cancel rejected: :no_entry: <@U0MARIA> *Rejected* by Ada Okafor: “the invoice is wrong”. cancel 2 waiting \
payments ($95.00) (X-4F7K2M). Nothing was canceled.
bulk_cancel withdrawn: :wastebasket: <@U0MARIA> *Withdrawn* by Maria Quispe. cancel 2 waiting payments ($95.00) \
(X-4F7K2M). Nothing was canceled.
bulk_cancel expired: :alarm_clock: <@U0MARIA> *Expired*: cancel 2 waiting payments ($95.00) (X-4F7K2M). Not approved \
in time. Nothing was canceled.
bulk_cancel closed: :no_entry: <@U0MARIA> *Failed*: Ada Okafor closed cancel 2 waiting payments ($95.00) (X-4F7K2M): \
“the service shows no payment”.
bulk_cancel commit_unknown: :grey_question: <@U0MARIA> *Not confirmed yet*: cancel 2 waiting payments ($95.00) \
(X-4F7K2M). The provider hasn't confirmed it. We're checking.
bulk_cancel needs_human: :warning: <@U0MARIA> *Needs a decision*: cancel 2 waiting payments ($95.00) (X-4F7K2M) \
couldn't be confirmed. The provider still lists them as waiting.
bulk_cancel needs_human, not all sent: :warning: <@U0MARIA> *Needs a decision*: cancel 2 waiting payments ($95.00) \
(X-4F7K2M) couldn't be confirmed. 1 more approval needed: an approver was removed.
bulk_cancel completed: :white_check_mark: <@U0MARIA> *Done* (X-4F7K2M): 1 payment canceled, $45.00 returned; 1 already \
paid ($50.00). Approved by Lin Chen.
bulk_cancel failed: :x: <@U0MARIA> *Failed* (X-4F7K2M): 0 payments canceled, $0.00 returned; 1 already paid ($45.00); \
1 already failed ($50.00). Approved by Lin Chen.
bulk_cancel mismatch: :octagonal_sign: <@U0MARIA> *Failed*: cancel 2 waiting payments ($95.00) (X-4F7K2M) wasn't sent. \
Nothing was canceled. Our own record was changed after it was approved.\
""")


def test_alerts() -> None:
    head = ":rotating_light: Payout P-4F7K2M, $25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe: "
    assert lines_of(alerts(instruction(), head, TAIL)) == snapshot("""\
contradiction: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
has two conflicting final statuses at the provider. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
unconfirmed: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) was \
reported, but the provider's record doesn't confirm it. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
unknown_status: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
has a status that Switchboard doesn't know. It's still followed. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look \
for `652f7a1e9b3c4d5e6f708192`.
stuck: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) is \
blocked. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
needs_human: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
couldn't be confirmed. Retry it or close it on the card. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
mismatch: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) was \
stopped: the provider's record isn't what was requested. Switchboard didn't send it. ⏎ The provider lists it as On \
&lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
differs: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) differs \
at the provider from what was approved. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
paid_after_close: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
was closed as not paid, but the provider shows a payment. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
paid_after_end: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
ended as not paid, but the provider shows a payment. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
paid_elsewhere: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
was never sent by Switchboard, but was committed elsewhere. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
suspended: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) isn't \
sent. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
held_back: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) may \
pay twice, so it isn't sent. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`. ⏎ \
Release it on its card, or withdraw it.
out_of_reach: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
can't be approved: there are too few approvers. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`. ⏎ Add an approver, or withdraw it.
within_reach: :sunny: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com)) can be approved now: there are enough \
approvers again.
continues: :sunny: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com)) is no longer held.
disagrees: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) is on \
hold: the database and the audit disagree. Nothing is sent. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
unaccounted: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) has \
payments missing from the provider's list. Check the provider's dashboard. ⏎ The provider lists it as On \
&lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
unread: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) is done, \
but the provider's list of payments can't be read. We keep trying. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look \
for `652f7a1e9b3c4d5e6f708192`.
unexplained: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) is \
done, but the provider's list of failures can't be read. We keep trying. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ \
Look for `652f7a1e9b3c4d5e6f708192`.
stands_still: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) \
hasn't changed at the provider for a long time. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
undelivered: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) has \
news that couldn't be posted in <#C0FINANCE>: I'm not in it. ⏎ Invite me there: `/invite @Switchboard`. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
no_approvals_channel: :rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria \
Quispe) can't be shown to the approvers in <#C0FINANCE>: I'm not in it. ⏎ Invite me there: `/invite @Switchboard`. ⏎ \
Look for `652f7a1e9b3c4d5e6f708192`.\
""")


def test_alerts_of_a_purchase_where_they_differ() -> None:
    payout = alerts(
        instruction(), ":rotating_light: Payout P-4F7K2M, $25.00 to Ana Maria Lopez (ana@example.com), ", TAIL
    )
    found = alerts(purchase(), ":rotating_light: Purchase C-4F7K2M, $119.50 from ben@example.com, ", TAIL)
    assert lines_of({topic: text for topic, text in found.items() if text != payout[topic]}) == snapshot("""\
contradiction: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) has two \
conflicting final statuses at the provider. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
unconfirmed: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) was reported, but \
the provider's record doesn't confirm it. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
unknown_status: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) has a status \
that Switchboard doesn't know. It's still followed. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
stuck: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) is blocked. ⏎ The \
provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
needs_human: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) could not be \
confirmed. Check the provider's dashboard. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
mismatch: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) was stopped: the \
provider's record isn't what was requested. Its link wasn't given out. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ \
Look for `652f7a1e9b3c4d5e6f708192`.
differs: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) the provider's record \
differs from what was requested. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
paid_after_close: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) was closed as \
not paid, but the provider shows a payment. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
paid_after_end: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) ended as not \
paid, but the provider shows a payment. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
paid_elsewhere: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) was paid, \
although its link wasn't given out. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
suspended: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) isn't sent. ⏎ The \
provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
held_back: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) may pay twice, so it \
isn't sent. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`. ⏎ Release it on its \
card, or withdraw it.
out_of_reach: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) can't be approved: \
there are too few approvers. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`. ⏎ Add \
an approver, or withdraw it.
within_reach: :sunny: *C-4F7K2M* ($119.50 from ben@example.com) can be approved now: there are enough approvers again.
continues: :sunny: *C-4F7K2M* ($119.50 from ben@example.com) is no longer held.
disagrees: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) is on hold: the \
database and the audit disagree. Nothing is sent. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
unaccounted: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) has payments \
missing from the provider's list. Check the provider's dashboard. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look \
for `652f7a1e9b3c4d5e6f708192`.
unread: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) is done, but the \
provider's list of payments can't be read. We keep trying. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
unexplained: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) is done, but the \
provider's list of failures can't be read. We keep trying. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
stands_still: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) hasn't changed at \
the provider for a long time. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Look for `652f7a1e9b3c4d5e6f708192`.
undelivered: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) has news that \
couldn't be posted in <#C0FINANCE>: I'm not in it. ⏎ Invite me there: `/invite @Switchboard`. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.
no_approvals_channel: :rotating_light: *C-4F7K2M* ($119.50 from ben@example.com, requested by Maria Quispe) can't be \
shown to the approvers in <#C0FINANCE>: I'm not in it. ⏎ Invite me there: `/invite @Switchboard`. ⏎ Look for \
`652f7a1e9b3c4d5e6f708192`.\
""")


def test_an_alert_that_calls_who_decides_and_leads_to_the_card() -> None:
    facts = {"topic": "needs_human", "reason": stored(None)}
    content = cards.alert(
        instruction(), facts, names=NAMES, link="https://slack.example/p1", approvers=["U0MARIA", "U0ADA"]
    )
    assert content.text == snapshot("""\
:rotating_light: *P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Quispe) couldn't be \
confirmed. Retry it or close it on the card.
Look for `652f7a1e9b3c4d5e6f708192`. <https://slack.example/p1|Open the card>
<@U0ADA>, please decide.
Look it up at the provider first. If it's paid there, do nothing.\
""")


def test_a_reminder() -> None:
    two = moments(Kind.PAYOUT)["awaiting, one of two"]
    content = cards.reminder(two, [vote("U0LIN")], {"approvers": ["U0ADA", "S0TREASURY"]}, names=NAMES)
    assert seen(content) == snapshot("""\
:bell: <@U0ADA> <!subteam^S0TREASURY> $25.00 to Ana Maria Lopez (P-4F7K2M), requested by Maria Quispe, needs 1 more \
approval. Expires 2026-11-21 09:00 UTC.""")


NOTICES: list[dict[str, Any]] = [
    {"topic": "undelivered", "channel": "C0FINANCE", "reason": NOT_IN_CHANNEL.stored()},
    {"topic": "undelivered", "channel": "", "reason": NOT_IN_CHANNEL.stored()},
    {"topic": "denied", "reason": stored(given("does not let the app read who people are: missing_scope"))},
    {"topic": "clock_skew", "seconds": 90},
    {"topic": "clock_skew", "seconds": -90},
    {"topic": "not_drawn", "channel": "C0FINANCE", "number": "0badcafe"},
    {"topic": "stopped", "what": "instruction", "name": "P-4F7K2M", "number": "0badcafe"},
    {"topic": "stopped", "what": "inbox", "number": "0badcafe"},
    {"topic": "frozen", "by": "U0ADA", "reason": "the books are being audited", "command": "/sb-pay"},
    {"topic": "unfrozen", "by": ["U0ADA", "U0LIN"]},
    {"topic": "silent", "service": "payments", "since": "2026-11-20T09:00:00+00:00"},
    {"topic": "answers", "service": "payments", "since": "2026-11-20T09:00:00+00:00", "seconds": 5_400.0},
    {"topic": "reading_only", "reason": stored(given("the service holds what the database says was never sent"))},
    {"topic": "resumed", "reason": "the backup was taken an hour ago", "again": ["P-4F7K2M", "L-4F7K2M"]},
    {"topic": "no_anchor", "file": "/var/lib/switchboard/sent.log", "reason": "No space left on device"},
    {"topic": "anchors_work"},
    {"topic": "channel_works", "channel": "C0FINANCE"},
    {"topic": "clock_right"},
    {"topic": "database_read_only"},
    {"topic": "database_away"},
    {"topic": "database_writable"},
    {"topic": "disk_low", "free": 499_000_000, "whole": 20_000_000_000},
    {"topic": "disk_full"},
    {"topic": "disk_enough"},
]


def test_notices() -> None:
    found = [seen(notices.notice(facts)) for facts in NOTICES]
    assert lines_of(found) == snapshot("""\
:rotating_light: Action needed: a message couldn't be posted in <#C0FINANCE>: I'm not in it. Invite me there: `/invite \
@Switchboard`.
:rotating_light: Action needed: a message couldn't be posted: I'm not in it. Invite me there: `/invite @Switchboard`.
:rotating_light: Slack does not let the app read who people are: missing_scope. Until then requests and approvals \
stop. ⏎ `switchboard doctor` names every scope that is missing.
:alarm_clock: *The clock of a machine is 90 s ahead of the database server's.* Switchboard uses the server's, so no \
deadline is lost. Sync the clock with NTP.
:alarm_clock: *The clock of a machine is 90 s behind the database server's.* Switchboard uses the server's, so no \
deadline is lost. Sync the clock with NTP.
:rotating_light: *A message in <#C0FINANCE> is out of date*: an internal error keeps it from being updated. The cause \
is in the log under `0badcafe`. ⏎ The `show` commands give the newest state.
:octagonal_sign: *Action needed: the request P-4F7K2M is stopped* after several internal errors. Nothing more is sent \
or read for it. ⏎ Find `0badcafe` in the log, fix it, then press *Try again*. ⏎ [Try again]
:octagonal_sign: *Action needed: the callback is stopped* after several internal errors. Nothing more is sent or read \
for it. ⏎ Find `0badcafe` in the log, fix it, then press *Try again*. ⏎ [Try again]
:snowflake: <@U0ADA> froze all payments: “the books are being audited”. To resume: `/sb-pay unfreeze`
:sunny: <@U0ADA>, <@U0LIN> unfroze payments.
:electric_plug: *Payments hasn't answered* since 2026-11-20 09:00 UTC. Nothing is sent to it. We keep checking. \
Waiting requests resume once it answers. ⏎ Check the network and the provider's status page.
:sunny: *Payments answers again* after 1 hour. Waiting requests resume.
:rotating_light: *Action needed: Switchboard is read-only.* The database may be out of date: the service holds what \
the database says was never sent. Nothing is sent, so that nothing is paid twice. Check the open requests, then run \
`switchboard resume`.
:sunny: *Sending again*: an operator resumed it. The backup was taken an hour ago. The database was restored, so these \
need approval again: P-4F7K2M, L-4F7K2M.
:rotating_light: *Action needed: nothing is sent.* `/var/lib/switchboard/sent.log` can't be written: No space left on \
device. ⏎ Free some space there, or let the user that runs Switchboard write the file.
:sunny: *The anchor file can be written again.* Waiting requests resume.
:sunny: *<#C0FINANCE> can be used again.* Waiting messages are posted there now.
:sunny: *The machine's clock agrees with the database server's again.*
:rotating_light: *Action needed: the database is read-only.* Nothing can be saved, so nothing is requested or sent. \
Make it writable, or let DATABASE_URL reach the primary server; no restart is needed.
:rotating_light: *Action needed: the database has been locked or out of reach for a minute.* Nothing can be saved, so \
nothing is requested or sent. No restart is needed.
:sunny: *The database can be written again.* Requests in progress continue.
:warning: *Database disk almost full*: 499 of 20,000 MB are free. New requests are refused; requests in progress \
continue. Free some space; no restart is needed.
:rotating_light: *Database disk full.* New requests are refused, and nothing is sent. Free some space; no restart is \
needed.
:sunny: *Database disk space is back to normal.* Waiting requests resume.""")

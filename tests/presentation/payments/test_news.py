"""What is told of a payment: one sentence at each of its ends, one alert for each topic, and notices about all of \
it."""

from typing import Any

from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.reasons import Exchange, OfRequest, Reason, given, stored
from bot.presentation import notices
from bot.presentation.notices import SECTIONS
from bot.presentation.payments import cards
from bot.presentation.payments.kinds import KINDS
from bot.workflows.requests.announce import TOLD
from tests.domain.made import instruction, purchase, vote
from tests.presentation.checks import alike, check_message, lines_of, seen
from tests.presentation.payments.moments import NAMES, facts_of, moments

NOT_IN_CHANNEL = Reason(Exchange.SLACK_ERROR, error="not_in_channel")


HEADS = {
    Kind.PAYOUT: "$25.00 to ana@example.com (P-4F7K2M)",
    Kind.ONE_STEP: "$25.00 to ana@example.com (P-4F7K2M)",
    Kind.PURCHASE: "$119.50 from ben@example.com (C-4F7K2M)",
    Kind.BULK: "Bulk payment L-4F7K2M, $1,250.00 in 10 payments,",
    Kind.BULK_CANCEL: "Cancellation X-4F7K2M, $95.00 back from 2 payments still pending in escrow,",
}
"""Each piece of news begins with who asked and this."""
TAIL = "\nThe service says On &lt;Hold&gt;.\nProvider ID: `652f7a1e9b3c4d5e6f708192`"


def alerts(one: Instruction, head: str, tail: str) -> dict[str, str]:
    """Topic -> the alert between its head and its tail, which is followed by where it is explained."""
    found = {}
    for topic in KINDS[one.kind].topics:
        by_slack = topic in ("undelivered", "no_approvals_channel")
        reason = NOT_IN_CHANNEL if by_slack else Reason(OfRequest.SAYS, status="On <Hold>")
        facts = {"topic": topic, "reason": reason.stored(), "channel": "C0FINANCE"}
        content = cards.alert(one, facts, names=NAMES)
        check_message(content)
        text, _, last = content.text.rpartition("\n")
        assert last == f"Runbook: `docs/alerts.md#{SECTIONS[topic]}`"
        found[topic] = text.removeprefix(head).removesuffix(tail)
    return found


def test_news() -> None:
    """Without their first words, which name who asked and for what."""
    found = {}
    for kind in Kind:
        for name, one in moments(kind).items():
            if one.state in TOLD:
                text = seen(cards.news(one, facts_of(one), names=NAMES))
                found[f"{kind} {name}"] = text.replace(f"<@U0MARIA> {HEADS[kind]} ", "… ")
    assert lines_of(alike(found)) == snapshot("""\
payout rejected, bulk rejected: :no_entry: … was *rejected* by Ada Okafor. Reason: the invoice is wrong. Nothing was \
paid.
payout withdrawn, bulk withdrawn: :wastebasket: … was *withdrawn* by Maria Quispe. Nothing was paid.
payout withdrawn, by an admin: :wastebasket: … was *withdrawn* by <@U0TOM>. Reason: asked for twice. Nothing was paid.
payout expired, bulk expired: :alarm_clock: … has *expired*. Nothing was paid. Reason: not approved in time.
payout expired, late: :alarm_clock: … has *expired*. Nothing was paid. Reason: it wasn't sent in time after approval.
payout closed, bulk closed: :no_entry: … has *failed*: Ada Okafor closed it as not paid. Reason: the service shows no \
payment.
payout commit_unknown, one_step commit_unknown, one_step commit_unknown, suspect, bulk commit_unknown: :grey_question: \
… was sent, but its outcome is *unknown*. Switchboard is finding out. Do not pay again.
payout commit_unknown, it spoke, one_step commit_unknown, it spoke: :grey_question: … was sent, but its outcome is \
*unknown*. The service gave answer 500, saying “try again later”. Switchboard is finding out. Do not pay again.
payout commit_unknown, refused, one_step commit_unknown, refused, bulk commit_unknown, refused: :grey_question: … was \
sent, but its outcome is *unknown*. The service answered with a refusal. Reason: “the limit is reached”. Switchboard \
is finding out. Do not pay again.
payout pending_escrow, one_step pending_escrow: :lock: … is in escrow: the service holds the money until the recipient \
has signed up. Approved by Lin Chen.
payout completed, one_step completed: :white_check_mark: … is *completed*: the service confirms that the recipient was \
credited. Approved by Lin Chen. Hash `a1b2c3`.
payout canceled, one_step canceled: :leftwards_arrow_with_hook: … was *canceled* by the service; the money went back. \
Approved by Lin Chen.
payout failed, one_step failed: :x: … *failed* at the service. Reason: the account is closed. Approved by Lin Chen.
payout refused: :x: … has *failed*: the service refused it; its record says it is not paid. Reason: “the limit is \
reached”.
payout refused, never sent: :x: … has *failed*: the service refused it. Nothing was paid. Reason: “the limit is \
reached”.
payout mismatch: :octagonal_sign: … has *failed*: not sent, because the service's record is not what was asked for. \
Reason: the amount is 26.00 instead of 25.00; the recipient is another one.
payout needs_human: :warning: … *needs a person*: its outcome is *unknown*. Reason: the provider still lists it as not \
sent.
payout needs_human, never created: :warning: … *needs a person*: its outcome is *unknown*. Reason: it couldn't be \
created in several tries.
payout needs_human, one of two: :warning: … *needs a person*: its outcome is *unknown*. Reason: the new attempt wasn't \
sent in time.
one_step refused: :x: … has *failed*: the service refused it, and its list does not show it: nothing was paid. Reason: \
“the limit is reached”.
one_step needs_human: :warning: … *needs a person*: its outcome is *unknown*. Reason: the provider doesn't list it.
one_step needs_human, suspect: :warning: … *needs a person*: its outcome is *unknown*. Reason: the provider has op-77, \
made since this was sent, for the same recipient and amount and without our code: check whether that is this one.
one_step needs_human, refused: :warning: … *needs a person*: its outcome is *unknown*. Reason: the provider rejected \
the request, saying “the limit is reached”, but the list can't be used: its pages repeat.
purchase needs_human: :warning: … *needs a person*: we couldn't confirm this link. Reason: the list can't be used: its \
pages repeat.
purchase completed: :white_check_mark: … is *completed*.
purchase completed, by another: :white_check_mark: … is *completed*. Paid by eve@example.com.
purchase canceled: :leftwards_arrow_with_hook: … was *canceled*. No money moved.
purchase failed: :x: … has *failed*. Reason: card declined.
purchase refused: :x: … has *failed*: the provider declined it. Reason: “the limit is reached”.
purchase mismatch: :octagonal_sign: … has *failed*: the provider's record isn't what was requested. Don't send any \
link. Reason: the amount is 120.00 instead of 119.50.
purchase closed: :no_entry: … has *failed*: it was never opened. Reason: the provider doesn't list it.
purchase withdrawn: :wastebasket: … was *withdrawn* by Maria Quispe. It was never opened.
purchase withdrawn, by an admin: :wastebasket: … was *withdrawn* by <@U0TOM>. Reason: asked for twice. It was never \
opened.
bulk needs_human: :warning: … *needs a person*: its outcome is *unknown*. Reason: the provider's history doesn't show \
it.
bulk pending_escrow: :lock: … is not finished: so far 7 completed ($1,100.00), 1 failed ($55.00), 2 pending in escrow \
($95.00). What is pending is followed; the summary comes when every payment is final. Approved by Lin Chen.
bulk completed: :white_check_mark: … is *completed*. *Summary*: 10 completed ($1,250.00), 0 failed ($0.00), 0 pending \
in escrow ($0.00). That is all 10 payments that were approved. Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: \
Completed 10)
bulk completed, some failed: :warning: … is *finished*: 7 paid ($1,100.00), 1 failed ($55.00), 2 canceled ($95.00). \
*Summary*: 7 completed, 1 failed, 0 pending in escrow, 2 canceled. That is all 10 payments that were approved. \
Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: Completed 7, Failed 1, Canceled 2)
bulk failed: :x: … has *failed*. *Summary*: 0 completed ($0.00), 10 failed ($1,250.00), 0 pending in escrow ($0.00). \
That is all 10 payments that were approved. Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: Failed 10)
bulk canceled: :leftwards_arrow_with_hook: … was *canceled*. *Summary*: 0 completed ($0.00), 0 failed ($0.00), 0 \
pending in escrow ($0.00), 10 canceled ($1,250.00). That is all 10 payments that were approved. Approved by Lin Chen. \
⏎ (Payments of L-4F7K2M: Canceled 10)
bulk refused: :x: … has *failed*: the service refused it, and its history does not show it: nothing was paid. Reason: \
“the limit is reached”.
bulk mismatch: :octagonal_sign: … has *failed*: it was not sent. Nothing was paid. Reason: our own record was changed \
after it was approved.
bulk_cancel rejected: :no_entry: … was *rejected* by Ada Okafor. Reason: the invoice is wrong. Nothing was canceled.
bulk_cancel withdrawn: :wastebasket: … was *withdrawn* by Maria Quispe. Nothing was canceled.
bulk_cancel expired: :alarm_clock: … has *expired*. Nothing was canceled. Reason: not approved in time.
bulk_cancel closed: :no_entry: … has *failed*: Ada Okafor closed it. Reason: the service shows no payment.
bulk_cancel commit_unknown: :grey_question: … was sent, but its outcome is *unknown*. Switchboard is finding out.
bulk_cancel needs_human: :warning: … *needs a person*: its outcome is *unknown*. Reason: the provider still lists them \
as waiting.
bulk_cancel needs_human, not all sent: :warning: … *needs a person*: its outcome is *unknown*. Reason: somebody who \
approved no longer counts (they are no approver any more), so one more approval is needed.
bulk_cancel completed: :white_check_mark: … is *completed*: 1 payment canceled, $45.00 returned to the balance; 1 too \
late ($50.00): 1 completed, 0 failed. Approved by Lin Chen.
bulk_cancel failed: :x: … has *failed*: 0 payments canceled, $0.00 returned to the balance; 2 too late ($95.00): 1 \
completed, 1 failed. Approved by Lin Chen.
bulk_cancel mismatch: :octagonal_sign: … has *failed*: it was not sent. Nothing was canceled. Reason: our own record \
was changed after it was approved.\
""")


def test_alerts() -> None:
    head = ":rotating_light: Payout P-4F7K2M, $25.00 to ana@example.com, asked by Maria Quispe: "
    assert lines_of(alerts(instruction(), head, TAIL)) == snapshot("""\
contradiction: the service contradicts what it said before. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: \
`652f7a1e9b3c4d5e6f708192`
unconfirmed: was reported, not confirmed. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: \
`652f7a1e9b3c4d5e6f708192`
unknown_status: has a status at the service that Switchboard does not know; it goes on being followed. ⏎ The provider \
lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
stuck: cannot go on. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
needs_human: needs a person: its outcome is unknown. Look it up at the service, then decide on the card. ⏎ The \
provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
mismatch: was stopped: the service's record is not what was asked for. Switchboard did not send it. ⏎ The provider \
lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
differs: the service's record of it differs from what was approved. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ \
Provider ID: `652f7a1e9b3c4d5e6f708192`
paid_after_close: was closed as not paid, but the service shows a payment. ⏎ The provider lists it as On &lt;Hold&gt;. \
⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
paid_after_end: had ended as not paid, but the service shows a payment. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ \
Provider ID: `652f7a1e9b3c4d5e6f708192`
paid_elsewhere: was never sent by Switchboard, but was committed elsewhere. ⏎ The provider lists it as On \
&lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
suspended: is not sent. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
out_of_reach: cannot be approved by the people there are. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: \
`652f7a1e9b3c4d5e6f708192` ⏎ Add somebody to the approvers, or have it withdrawn.
disagrees: is on hold: the database holds what the audit does not. Nothing is sent. The operator has to look. ⏎ The \
provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
unaccounted: is not accounted for by the service's own list. Look it up at the service. ⏎ The provider lists it as On \
&lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
unread: is over at the service, but its list of payments cannot be read. Switchboard goes on asking for it. ⏎ The \
provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
unexplained: is over at the service, but its list of failures cannot be read. Switchboard keeps asking for it. ⏎ The \
provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
stands_still: does not move at the service. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: \
`652f7a1e9b3c4d5e6f708192`
undelivered: its outcome could not be posted in <#C0FINANCE>. Invite me there: `/invite @Switchboard` ⏎ Slack says \
`not_in_channel`. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
no_approvals_channel: cannot be shown to the approvers in <#C0FINANCE>. Invite me there: `/invite @Switchboard` ⏎ \
Slack says `not_in_channel`. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`\
""")


def test_alerts_of_a_purchase_where_they_differ() -> None:
    payout = alerts(instruction(), ":rotating_light: Payout P-4F7K2M, $25.00 to ana@example.com, ", TAIL)
    found = alerts(purchase(), ":rotating_light: Purchase C-4F7K2M, $119.50 from ben@example.com, ", TAIL)
    assert lines_of({topic: text for topic, text in found.items() if text != payout[topic]}) == snapshot("""\
needs_human: asked by Maria Quispe: could not be confirmed. Check the provider's dashboard. ⏎ The provider lists it as \
On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
mismatch: asked by Maria Quispe: was stopped: the provider's record isn't what was requested. Its link wasn't given \
out. ⏎ The provider lists it as On &lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
differs: asked by Maria Quispe: the provider's record differs from what was requested. ⏎ The provider lists it as On \
&lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`
paid_elsewhere: asked by Maria Quispe: was paid, although its link wasn't given out. ⏎ The provider lists it as On \
&lt;Hold&gt;. ⏎ Provider ID: `652f7a1e9b3c4d5e6f708192`\
""")


def test_an_alert_that_calls_who_decides_and_leads_to_the_card() -> None:
    facts = {"topic": "needs_human", "reason": stored(None)}
    content = cards.alert(
        instruction(), facts, names=NAMES, link="https://slack.example/p1", approvers=["U0MARIA", "U0ADA"]
    )
    assert content.text == snapshot("""\
:rotating_light: Payout P-4F7K2M, $25.00 to ana@example.com, asked by Maria Quispe: needs a person: its outcome is \
unknown. Look it up at the service, then decide on the card.
Provider ID: `652f7a1e9b3c4d5e6f708192` · <https://slack.example/p1|The card>
To decide: <@U0ADA>
Runbook: `docs/alerts.md#needs-a-person`\
""")


def test_a_reminder() -> None:
    two = moments(Kind.PAYOUT)["awaiting, one of two"]
    content = cards.reminder(two, [vote("U0LIN")], {"approvers": ["U0ADA", "S0TREASURY"]}, names=NAMES)
    assert seen(content) == snapshot("""\
:bell: <@U0ADA> <!subteam^S0TREASURY> $25.00 to ana@example.com (P-4F7K2M), asked by Maria Quispe, still needs one \
more approval, until 2026-11-21 09:00 UTC.""")


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
    {"topic": "disk_low", "free": 499_000_000, "whole": 20_000_000_000},
    {"topic": "disk_full"},
    {"topic": "disk_enough"},
]


def test_notices() -> None:
    """Without the line that leads to their page."""
    found = [seen(notices.notice(facts)).replace(notices.runbook(facts["topic"]), "") for facts in NOTICES]
    assert lines_of(found) == snapshot("""\
:rotating_light: Action needed: a message couldn't be posted in <#C0FINANCE>: Slack says `not_in_channel`. Invite the \
app there.
:rotating_light: Action needed: a message couldn't be posted: Slack says `not_in_channel`. Invite the app there.
:rotating_light: Slack does not let the app read who people are: missing_scope. Until then requests and approvals stop.
:alarm_clock: *The clock of a machine is 90 s ahead of the database server's.* Switchboard goes by the server's, so \
nothing is lost. Set the machine's clock.
:alarm_clock: *The clock of a machine is 90 s behind the database server's.* Switchboard goes by the server's, so \
nothing is lost. Set the machine's clock.
:rotating_light: *A message in <#C0FINANCE> is out of date*: an internal error keeps it from being updated. The cause \
is in the log under `0badcafe`.
:octagonal_sign: *Action needed: the request P-4F7K2M is stopped* after several internal errors. Nothing more is sent \
or read for it. ⏎ Find `0badcafe` in the log, fix it, then press *Try again*. ⏎ [Try again]
:octagonal_sign: *Action needed: the callback is stopped* after several internal errors. Nothing more is sent or read \
for it. ⏎ Find `0badcafe` in the log, fix it, then press *Try again*. ⏎ [Try again]
:snowflake: <@U0ADA> froze all payments: “the books are being audited”. To resume: `/sb-pay unfreeze`
:sunny: <@U0ADA>, <@U0LIN> unfroze payments.
:electric_plug: *Payments has not answered* since 2026-11-20 09:00 UTC. Nothing is sent to it. We keep checking, and \
what waits goes on once it answers.
:sunny: *Payments answers again* after 1 hour. What waited goes on.
:rotating_light: *Action needed: Switchboard is read-only.* The database may be out of date: the service holds what \
the database says was never sent. Nothing is sent, so that nothing is paid twice. Check the open requests, then run \
`switchboard resume`.
:sunny: *Sending again*: an operator resumed it. The backup was taken an hour ago. The database was restored, so these \
need approval again: P-4F7K2M, L-4F7K2M.
:rotating_light: *Action needed: nothing is sent.* `/var/lib/switchboard/sent.log` can't be written: No space left on \
device.
:warning: *The disk of the database is almost full*: 499 of 20,000 MB are free. No new request is taken; what is in \
progress goes on. Free some space; no restart is needed.
:rotating_light: *The disk of the database is full.* Nothing is taken and nothing is sent. Free some space; no restart \
is needed.
:sunny: *The disk of the database has room again.* What waited goes on.\
""")

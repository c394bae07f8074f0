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
from tests.domain.made import instruction, purchase
from tests.presentation.checks import alike, check_message, lines_of, seen
from tests.presentation.payments.moments import NAMES, facts_of, moments

NOT_IN_CHANNEL = Reason(Exchange.SLACK_ERROR, error="not_in_channel")


IN_NEWS = (
    *("$25.00 to Ana Maria Lopez (P-4F7K2M)", "$119.50 from ben@example.com (C-4F7K2M)"),
    *("$1,250.00 · 10 payments (L-4F7K2M)", "cancel 2 waiting payments ($95.00) (X-4F7K2M)", "(X-4F7K2M)"),
)


def bare(news: str) -> str:
    """With a mark where each of them says what was requested, and without the call of the requester."""
    assert "<@U0MARIA> " in news
    for about in IN_NEWS:
        news = news.replace(about, "(it)")
    assert news.count("(it)") == 1, news
    return news.replace("<@U0MARIA> ", "")


def test_news() -> None:
    found = {}
    for kind in Kind:
        for name, one in moments(kind).items():
            if one.state in TOLD:
                found[f"{kind} {name}"] = bare(seen(cards.news(one, facts_of(one), names=NAMES)))
    assert lines_of(alike(found)) == snapshot("""\
payout rejected: :no_entry: *Rejected* by Ada Okafor: “the invoice is wrong”. (it). Nothing was paid. ⏎ [Edit and \
resend]
payout withdrawn, bulk withdrawn: :wastebasket: *Withdrawn* by Maria Quispe. (it). Nothing was paid.
payout withdrawn, by an admin: :wastebasket: *Withdrawn* by <@U0TOM>: “asked for twice”. (it). Nothing was paid.
payout expired: :alarm_clock: *Expired*: (it). Not approved in time. Nothing was paid. ⏎ [Try again] [Edit and resend] \
[Details]
payout expired, late: :alarm_clock: *Expired*: (it). It wasn't sent in time after approval. Nothing was paid. ⏎ [Try \
again] [Edit and resend] [Details]
payout closed, bulk closed: :no_entry: *Failed*: Ada Okafor closed (it) as not paid: “the service shows no payment”.
payout commit_unknown, payout commit_unknown, it spoke, one_step commit_unknown, one_step commit_unknown, it spoke, \
one_step commit_unknown, suspect, bulk commit_unknown: :grey_question: *Not confirmed yet*: (it). The provider hasn't \
confirmed it. We're checking. *Don't send it again.*
payout commit_unknown, refused, one_step commit_unknown, refused, bulk commit_unknown, refused: :grey_question: *Not \
confirmed yet*: (it). The provider declined it: “the limit is reached”. We're checking that it didn't go through. \
*Don't send it again.*
payout pending_escrow, one_step pending_escrow: :lock: *Waiting for sign-up*: (it). The money is held until the \
recipient signs up. Approved by Lin Chen.
payout completed, one_step completed: :white_check_mark: *Paid*: (it). Approved by Lin Chen.
payout canceled, one_step canceled: :leftwards_arrow_with_hook: *Canceled*: (it). The provider canceled it and the \
money went back. Approved by Lin Chen.
payout failed, one_step failed: :x: *Failed*: (it). The provider couldn't pay it: “the account is closed”. Nothing was \
paid. ⏎ [Try again] [Edit and resend] [Details]
payout refused, payout refused, never sent, one_step refused: :x: *Failed*: (it). The provider declined it: “the limit \
is reached”. Nothing was paid. ⏎ [Try again] [Edit and resend] [Details]
payout mismatch: :octagonal_sign: *Failed*: (it) wasn't sent: the provider's record isn't what was requested. The \
amount is 26.00 instead of 25.00; the recipient is different.
payout needs_human: :warning: *Needs a decision*: (it) couldn't be confirmed. The provider still lists it as not sent.
payout needs_human, never created: :warning: *Needs a decision*: (it) couldn't be confirmed. It couldn't be created \
after several attempts.
payout needs_human, one of two: :warning: *Needs a decision*: (it) couldn't be confirmed. The new attempt wasn't sent \
in time.
one_step needs_human: :warning: *Needs a decision*: (it) couldn't be confirmed. The provider doesn't list it.
one_step needs_human, suspect: :warning: *Needs a decision*: (it) couldn't be confirmed. The payout op-77 at the \
provider has the same recipient and amount but not our code. Check whether it's this one.
one_step needs_human, refused: :warning: *Needs a decision*: (it) couldn't be confirmed. The provider rejected the \
request, saying “the limit is reached”, but the list can't be used: its pages repeat.
purchase needs_human: :warning: *Needs a decision*: (it). We couldn't find out whether the checkout was created. The \
list can't be used: its pages repeat.
purchase completed: :white_check_mark: *Paid*: (it).
purchase completed, by another: :white_check_mark: *Paid*: (it). Paid by eve@example.com.
purchase canceled: :leftwards_arrow_with_hook: *Canceled*: (it). No money moved.
purchase failed: :x: *Failed*: (it). The provider couldn't take the payment: “card declined”.
purchase refused: :x: *Failed*: (it). The provider declined it: “the limit is reached”. There is nothing to pay.
purchase mismatch: :octagonal_sign: *Failed*: (it). The provider's record isn't what was requested. Don't share any \
link. The amount is 120.00 instead of 119.50.
purchase closed: :no_entry: *Failed*: (it). It was never opened. The provider doesn't list it.
purchase withdrawn: :wastebasket: *Withdrawn* by Maria Quispe. (it). It was never opened.
purchase withdrawn, by an admin: :wastebasket: *Withdrawn* by <@U0TOM>: “asked for twice”. (it). It was never opened.
bulk rejected: :no_entry: *Rejected* by Ada Okafor: “the invoice is wrong”. (it). Nothing was paid.
bulk expired: :alarm_clock: *Expired*: (it). Not approved in time. Nothing was paid.
bulk needs_human: :warning: *Needs a decision*: (it) couldn't be confirmed. The provider's history doesn't show it.
bulk pending_escrow: :warning: *Some failed*: (it). 7 paid ($1,100.00), 1 failed ($55.00), 2 pending ($95.00). \
Approved by Lin Chen.
bulk completed: :white_check_mark: *All 10 paid* · (it). 10 paid ($1,250.00), 0 failed, 0 pending. Approved by Lin \
Chen. ⏎ (Payments of L-4F7K2M: Paid 10)
bulk completed, some failed: :warning: *7 paid, 1 failed, 2 canceled* · (it). 7 paid ($1,100.00), 1 failed ($55.00), 0 \
pending, 2 canceled ($95.00). Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: Paid 7, Failed 1, Canceled 2)
bulk failed: :x: *All 10 failed* · (it). 0 paid, 10 failed ($1,250.00), 0 pending. Approved by Lin Chen. ⏎ (Payments \
of L-4F7K2M: Failed 10)
bulk canceled: :leftwards_arrow_with_hook: *All 10 canceled* · (it). 0 paid, 0 failed, 0 pending, 10 canceled \
($1,250.00). Approved by Lin Chen. ⏎ (Payments of L-4F7K2M: Canceled 10)
bulk refused: :x: *Failed*: (it). The provider declined it: “the limit is reached”. Nothing was paid.
bulk mismatch: :octagonal_sign: *Failed*: (it) wasn't sent. Nothing was paid. Our own record was changed after it was \
approved.
bulk_cancel rejected: :no_entry: *Rejected* by Ada Okafor: “the invoice is wrong”. (it). Nothing was canceled.
bulk_cancel withdrawn: :wastebasket: *Withdrawn* by Maria Quispe. (it). Nothing was canceled.
bulk_cancel expired: :alarm_clock: *Expired*: (it). Not approved in time. Nothing was canceled.
bulk_cancel closed: :no_entry: *Failed*: Ada Okafor closed (it): “the service shows no payment”.
bulk_cancel commit_unknown: :grey_question: *Not confirmed yet*: (it). The provider hasn't confirmed it. We're checking.
bulk_cancel needs_human: :warning: *Needs a decision*: (it) couldn't be confirmed. The provider still lists them as \
waiting.
bulk_cancel needs_human, not all sent: :warning: *Needs a decision*: (it) couldn't be confirmed. 1 more approval \
needed: an approver was removed.
bulk_cancel completed: :white_check_mark: *Done* (it): 1 payment canceled, $45.00 returned; 1 already paid ($50.00). \
Approved by Lin Chen.
bulk_cancel failed: :x: *Failed* (it): 0 payments canceled, $0.00 returned; 1 already paid ($45.00); 1 already failed \
($50.00). Approved by Lin Chen.
bulk_cancel mismatch: :octagonal_sign: *Failed*: (it) wasn't sent. Nothing was canceled. Our own record was changed \
after it was approved.\
""")


ABOUT = {
    Kind.PAYOUT: "*P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com)",
    Kind.PURCHASE: "*C-4F7K2M* ($119.50 from ben@example.com",
}
INVITE = "Invite me there: `/invite @Switchboard`."


def alerts(one: Instruction) -> dict[str, str]:
    """Topic -> what the alert says of the request."""
    found = {}
    for topic in KINDS[one.kind].topics:
        by_slack = topic in ("undelivered", "no_approvals_channel")
        reason = NOT_IN_CHANNEL if by_slack else Reason(OfRequest.SAYS, status="On <Hold>")
        facts = {"topic": topic, "reason": reason.stored(), "channel": "C0FINANCE"}
        content = cards.alert(one, facts, names=NAMES)
        check_message(content)
        symbol, _, text = content.text.removesuffix(notices.advice(topic)).partition(ABOUT[one.kind])
        if symbol == ":rotating_light: ":
            text = text.removeprefix(", requested by Maria Quispe)")
            text, _, why = text.partition("\n")
            assert why.startswith(INVITE if by_slack else "The provider lists it as On &lt;Hold&gt;."), topic
            assert "Look for `652f7a1e9b3c4d5e6f708192`." in why, topic
            found[topic] = text.strip()
        else:
            found[topic] = f"{symbol}{text.removeprefix(')').strip()}"
    return found


def test_alerts() -> None:
    payout, of_purchase = alerts(instruction()), alerts(purchase())
    differs = {f"purchase {topic}": text for topic, text in of_purchase.items() if text != payout[topic]}
    assert lines_of({**payout, **differs}) == snapshot("""\
contradiction: has two conflicting final statuses at the provider.
unconfirmed: was reported, but the provider's record doesn't confirm it.
unknown_status: has a status that Switchboard doesn't know. It's still followed.
stuck: is blocked.
needs_human: couldn't be confirmed. Retry it or close it on the card.
mismatch: was stopped: the provider's record isn't what was requested. Switchboard didn't send it.
differs: differs at the provider from what was approved.
paid_after_close: was closed as not paid, but the provider shows a payment.
paid_after_end: ended as not paid, but the provider shows a payment.
paid_elsewhere: was never sent by Switchboard, but was committed elsewhere.
suspended: isn't sent.
held_back: may pay twice, so it isn't sent.
out_of_reach: can't be approved: there are too few approvers.
within_reach: :sunny: can be approved now: there are enough approvers again.
continues: :sunny: is no longer held.
disagrees: is on hold: the database and the audit disagree. Nothing is sent.
unaccounted: has payments missing from the provider's list. Check the provider's dashboard.
unread: is done, but the provider's list of payments can't be read. We keep trying.
unexplained: is done, but the provider's list of failures can't be read. We keep trying.
stands_still: hasn't changed at the provider for a long time.
undelivered: has news that couldn't be posted in <#C0FINANCE>: I'm not in it.
no_approvals_channel: can't be shown to the approvers in <#C0FINANCE>: I'm not in it.
purchase needs_human: could not be confirmed. Check the provider's dashboard.
purchase mismatch: was stopped: the provider's record isn't what was requested. Its link wasn't given out.
purchase differs: the provider's record differs from what was requested.
purchase paid_elsewhere: was paid, although its link wasn't given out.\
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


NOTICES: list[dict[str, Any]] = [
    {"topic": "undelivered", "channel": "C0FINANCE", "reason": NOT_IN_CHANNEL.stored()},
    {"topic": "undelivered", "channel": "", "reason": NOT_IN_CHANNEL.stored()},
    {"topic": "denied", "reason": stored(given("does not let the app read who people are: missing_scope"))},
    {"topic": "clock_off", "seconds": 7_200, "machine": True}, {"topic": "clock_off", "seconds": -90, "machine": False},
    {"topic": "rows_ahead", "seconds": 7_200},
    {"topic": "not_drawn", "channel": "C0FINANCE", "number": "0badcafe"},
    {"topic": "stopped", "what": "instruction", "name": "P-4F7K2M", "number": "0badcafe"},
    {"topic": "stopped", "what": "inbox", "number": "0badcafe"},
    {"topic": "frozen", "by": "U0ADA", "reason": "the books are being audited", "command": "/sb-pay"},
    {"topic": "unfrozen", "by": ["U0ADA", "U0LIN"]},
    {"topic": "silent", "service": "payments", "since": "2026-11-20T09:00:00+00:00"},
    {"topic": "answers", "service": "payments", "since": "2026-11-20T09:00:00+00:00", "seconds": 5_400.0},
    {"topic": "restored", "unknown": []}, {"topic": "restored", "unknown": ["payments.commit_payout 01KAGT"]},
    {"topic": "resumed", "reason": "the backup was taken an hour ago", "check": ["P-4F7K2M", "L-4F7K2M"]},
    {"topic": "no_anchor", "file": "/var/lib/switchboard/sent.log", "reason": "No space left on device"},
    {"topic": "anchors_work"}, {"topic": "channel_works", "channel": "C0FINANCE"}, {"topic": "clock_right"},
    {"topic": "database_read_only"}, {"topic": "database_away"}, {"topic": "database_writable"},
    {"topic": "disk_low", "free": 499_000_000, "whole": 20_000_000_000}, {"topic": "disk_full"},
    {"topic": "disk_enough"},
]  # fmt: skip


def test_notices() -> None:
    found = [seen(notices.notice(facts)) for facts in NOTICES]
    assert lines_of(found) == snapshot("""\
:rotating_light: Action needed: a message couldn't be posted in <#C0FINANCE>: I'm not in it. Invite me there: \
`/invite @Switchboard`.
:rotating_light: Action needed: a message couldn't be posted: I'm not in it. Invite me there: `/invite @Switchboard`.
:rotating_light: Slack does not let the app read who people are: missing_scope. Until then requests and approvals \
stop. ⏎ `switchboard doctor` names every scope that is missing.
:alarm_clock: *The clock of a machine is 2 hours ahead of Switchboard's.* No deadline moves. Sync it with NTP. If it \
is right already, stop all Switchboard processes, then start them.
:alarm_clock: *The clock of the database server is 1 minute behind Switchboard's.* No deadline moves. Sync it with \
NTP. If it is right already, stop all Switchboard processes, then start them.
:alarm_clock: *The newest rows in the database are 2 hours ahead of the clock.* If the clock is wrong, sync it with \
NTP, then restart Switchboard. If it was set back, deadlines stored before come that much later.
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
:rotating_light: *Action needed: payments are frozen.* The database is older than what was sent. Nothing is sent, so \
that nothing is paid twice. Check at the provider, then run `switchboard resume`.
:rotating_light: *Action needed: payments are frozen.* The database is older than what was sent. Nothing is sent, so \
that nothing is paid twice. Check at the provider, then run `switchboard resume`. ⏎ Sent, and not in this database: \
payments.commit_payout 01KAGT.
:sunny: *Payments are unfrozen*: an operator resumed them. The backup was taken an hour ago. The database was \
restored, so check these at the provider, then decide on each: P-4F7K2M, L-4F7K2M.
:rotating_light: *Action needed: nothing is sent.* `/var/lib/switchboard/sent.log` can't be written: No space left on \
device. ⏎ Free some space there, or let the user that runs Switchboard write the file.
:sunny: *The anchor file can be written again.* Waiting requests resume.
:sunny: *<#C0FINANCE> can be used again.* Waiting messages are posted there now.
:sunny: *The clock agrees with Switchboard's again.*
:rotating_light: *Action needed: the database is read-only.* Nothing can be saved, so nothing is requested or sent. \
Make it writable, or let DATABASE_URL reach the primary server; no restart is needed.
:rotating_light: *Action needed: the database has been locked or out of reach for a minute.* Nothing can be saved, so \
nothing is requested or sent. No restart is needed.
:sunny: *The database can be written again.* Requests in progress continue.
:warning: *Database disk almost full*: 499 of 20,000 MB are free. New requests are refused; requests in progress \
continue. Free some space; no restart is needed.
:rotating_light: *Database disk full.* New requests are refused, and nothing is sent. Free some space; no restart is \
needed.
:sunny: *Database disk space is back to normal.* Waiting requests resume.\
""")

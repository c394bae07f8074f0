"""What is told of a payment: news at each of its ends, one alert for each topic, and notices about all of it."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.reasons import Exchange, OfRequest, Reason, given, stored
from bot.presentation import notices
from bot.presentation.payments import cards
from bot.presentation.payments.kinds import KINDS
from bot.workflows.requests.announce import TOLD
from tests.domain.made import instruction, purchase
from tests.presentation.checks import alike, check_message, lines_of, seen
from tests.presentation.payments.moments import NAMES, cards_of, facts_of, moments

NOT_IN_CHANNEL = Reason(Exchange.SLACK_ERROR, error="not_in_channel")
SINCE = "2026-11-20T09:00:00+00:00"
ABOUT = {
    Kind.PAYOUT: "$25.00 to Ana Maria Lopez (P-4F7K2M)", Kind.ONE_STEP: "$25.00 to Ana Maria Lopez (P-4F7K2M)",
    Kind.PURCHASE: "$119.50 from ben@example.com (C-4F7K2M)", Kind.BULK: "$1,250.00 · 10 payments (L-4F7K2M)",
    Kind.BULK_CANCEL: "X-4F7K2M",
}  # fmt: skip
UNPAID = {State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.FAILED, State.REFUSED}


def news_of(kind: Kind) -> dict[str, str]:
    """Moment -> what is told of it in the thread."""
    told = {name: one for name, one in moments(kind).items() if one.state in TOLD}
    return {name: seen(cards.news(one, facts_of(one), names=NAMES)) for name, one in told.items()}


@pytest.mark.parametrize("kind", list(Kind))
def test_news_mention_the_requester_and_name_the_request(kind: Kind) -> None:
    for name, text in news_of(kind).items():
        assert "<@U0MARIA> " in text, name
        assert text.count(ABOUT[kind]) == 1, name


def test_each_final_state_has_its_symbol_and_buttons() -> None:
    found = {}
    for kind in Kind:
        for name, text in news_of(kind).items():
            sign, lead, _ = text.replace("<@U0MARIA> ", "").split("*", 2)
            _, _, pressed = text.partition("\n[")
            found[f"{kind} {name}"] = f"{sign}{lead}{' [' + pressed if pressed else ''}"
    assert lines_of(alike(found)) == snapshot("""\
payout rejected: :no_entry: Rejected [Edit and resend]
payout withdrawn, payout withdrawn, by an admin, purchase withdrawn, purchase withdrawn, by an admin, bulk withdrawn, \
bulk_cancel withdrawn: :wastebasket: Withdrawn
payout expired, payout expired, late: :alarm_clock: Expired [Try again] [Edit and resend] [Details]
payout closed, purchase closed, bulk closed, bulk_cancel closed: :no_entry: Failed
payout commit_unknown, payout commit_unknown, it spoke, payout commit_unknown, refused, one_step commit_unknown, \
one_step commit_unknown, it spoke, one_step commit_unknown, refused, one_step commit_unknown, suspect, bulk \
commit_unknown, bulk commit_unknown, refused, bulk_cancel commit_unknown: :grey_question: Not confirmed yet
payout pending_escrow, one_step pending_escrow: :lock: Waiting for sign-up
payout completed, one_step completed, purchase completed, purchase completed, by another: :white_check_mark: Paid
payout canceled, one_step canceled, purchase canceled: :leftwards_arrow_with_hook: Canceled
payout failed, payout refused, payout refused, never sent, one_step failed, one_step refused: :x: Failed [Try again] \
[Edit and resend] [Details]
payout mismatch, purchase mismatch, bulk mismatch, bulk_cancel mismatch: :octagonal_sign: Failed
payout needs_human, payout needs_human, never created, payout needs_human, one of two, one_step needs_human, one_step \
needs_human, suspect, one_step needs_human, refused, purchase needs_human, bulk needs_human, bulk_cancel needs_human, \
bulk_cancel needs_human, not all sent: :warning: Needs a decision
purchase failed, purchase refused, bulk refused, bulk_cancel failed: :x: Failed
bulk rejected, bulk_cancel rejected: :no_entry: Rejected
bulk expired, bulk_cancel expired: :alarm_clock: Expired
bulk pending_escrow: :warning: Some failed
bulk completed: :white_check_mark: All 10 paid
bulk completed, some failed: :warning: 7 paid, 1 failed, 2 canceled
bulk failed: :x: All 10 failed
bulk canceled: :leftwards_arrow_with_hook: All 10 canceled
bulk_cancel completed: :white_check_mark: Done\
""")


@pytest.mark.parametrize("kind", [Kind.PAYOUT, Kind.ONE_STEP, Kind.BULK])
def test_only_proven_unpaid_requests_are_called_unpaid(kind: Kind) -> None:
    told = news_of(kind)
    for name, one in moments(kind).items():
        for text in (seen(cards_of(kind)[name]), *([told[name]] if name in told else [])):
            if one.state in UNPAID - ({State.FAILED} if kind is Kind.BULK else set()):  # it tells of each payment
                assert "Nothing was paid." in text, name
            elif one.commits:
                assert "othing was paid" not in text, name
            assert ("*Don't send it again.*" in text) is (one.state is State.COMMIT_UNKNOWN), name


@pytest.mark.parametrize(("kind", "moment", "words"), [
    ("payout", "rejected", "“the invoice is wrong”"),
    ("payout", "withdrawn, by an admin", "<@U0TOM>: “asked for twice”"),
    ("payout", "expired, late", "It wasn't sent in time after approval."),
    ("payout", "closed", "“the service shows no payment”"), ("payout", "failed", "“the account is closed”"),
    ("payout", "commit_unknown, refused", "The provider declined it: “the limit is reached”."),
    ("payout", "refused", "The provider declined it: “the limit is reached”."),
    ("payout", "mismatch", "The amount is 26.00 instead of 25.00; the recipient is different."),
    ("payout", "needs_human", "The provider still lists it as not sent."),
    ("payout", "needs_human, never created", "It couldn't be created after several attempts."),
    ("payout", "needs_human, one of two", "The new attempt wasn't sent in time."),
    ("one_step", "pending_escrow", "The money is held until the recipient signs up."),
    ("one_step", "needs_human", "The provider doesn't list it."),
    ("one_step", "needs_human, suspect", "The payout op-77 at the provider has the same recipient and amount"),
    ("one_step", "needs_human, refused", "“the limit is reached”, but the list can't be used: its pages repeat."),
    ("purchase", "completed, by another", "Paid by eve@example.com."),
    ("purchase", "failed", "“card declined”"), ("purchase", "mismatch", "The amount is 120.00 instead of 119.50."),
    ("bulk", "mismatch", "Our own record was changed after it was approved."),
    ("bulk_cancel", "rejected", "Nothing was canceled."),
    ("bulk_cancel", "needs_human", "The provider still lists them as waiting."),
    ("bulk_cancel", "needs_human, not all sent", "1 more approval needed: an approver was removed."),
    ("bulk_cancel", "completed", "1 payment canceled, $45.00 returned; 1 already paid ($50.00)."),
])  # fmt: skip
def test_card_and_news_share_one_reason(kind: str, moment: str, words: str) -> None:
    assert words in seen(cards_of(Kind(kind))[moment])
    assert words in news_of(Kind(kind))[moment]


@pytest.mark.parametrize(("moment", "words"), [
    ("completed", "10 paid ($1,250.00), 0 failed, 0 pending. Approved by Lin Chen.\n(Payments of L-4F7K2M: Paid 10)"),
    ("completed, some failed", "7 paid ($1,100.00), 1 failed ($55.00), 0 pending, 2 canceled ($95.00)."),
    ("pending_escrow", "7 paid ($1,100.00), 1 failed ($55.00), 2 pending ($95.00)."),
    ("failed", "0 paid, 10 failed ($1,250.00), 0 pending."),
])  # fmt: skip
def test_bulk_news_show_counts_and_sums(moment: str, words: str) -> None:
    assert words in news_of(Kind.BULK)[moment]


@pytest.mark.parametrize(("one", "about"), [
    (instruction(), "*P-4F7K2M* ($25.00 to Ana Maria Lopez (ana@example.com)"),
    (purchase(), "*C-4F7K2M* ($119.50 from ben@example.com"),
])  # fmt: skip
def test_each_alert_names_request_and_reason(one: Instruction, about: str) -> None:
    found = set()
    for topic in KINDS[one.kind].topics:
        by_slack = topic in ("undelivered", "no_approvals_channel")
        reason = NOT_IN_CHANNEL if by_slack else Reason(OfRequest.SAYS, status="On <Hold>")
        content = cards.alert(one, {"topic": topic, "reason": reason.stored(), "channel": "C0FINANCE"}, names=NAMES)
        check_message(content)
        found.add(content.text.splitlines()[0])
        assert about in content.text
        if content.text.startswith(":rotating_light: "):
            assert "requested by Maria Quispe)" in content.text
            why = (
                "\nInvite me there: `/invite @Switchboard`."
                if by_slack
                else "\nThe provider lists it as On &lt;Hold&gt;."
            )
            assert why in content.text, topic
            assert "Look for `652f7a1e9b3c4d5e6f708192`." in content.text, topic
        else:
            assert topic in ("within_reach", "continues")
    assert len(found) == len(KINDS[one.kind].topics)


def test_alert_mentions_deciders_and_links_the_card() -> None:
    facts = {"topic": "needs_human", "reason": stored(None)}
    link = "https://slack.example/p1"
    content = cards.alert(instruction(), facts, names=NAMES, link=link, approvers=["U0MARIA", "U0ADA"])
    assert "Look for `652f7a1e9b3c4d5e6f708192`. <https://slack.example/p1|Open the card>" in content.text
    assert "\n<@U0ADA>, please decide.\n" in content.text


NOTICES: list[tuple[dict[str, Any], str]] = [
    ({"topic": "undelivered", "channel": "C0FINANCE", "reason": NOT_IN_CHANNEL.stored()}, " in <#C0FINANCE>: I'm not"),
    ({"topic": "undelivered", "channel": "", "reason": NOT_IN_CHANNEL.stored()}, "couldn't be posted: I'm not in it."),
    ({"topic": "denied", "reason": stored(given("no: missing_scope"))}, "Until then requests and approvals stop."),
    ({"topic": "clock_off", "seconds": 7_200, "machine": True}, "of a machine is 2 hours ahead"),
    ({"topic": "clock_off", "seconds": -90, "machine": False}, "of the database server is 1 minute behind"),
    ({"topic": "rows_ahead", "seconds": 7_200}, "rows in the database are 2 hours ahead of the clock"),
    ({"topic": "not_drawn", "channel": "C0FINANCE", "number": "0badcafe"}, "in the log under `0badcafe`"),
    ({"topic": "stopped", "what": "instruction", "name": "P-4F7K2M", "number": "0badcafe"}, "P-4F7K2M is stopped"),
    ({"topic": "stopped", "what": "inbox", "number": "0badcafe"}, "then press *Try again*.\n[Try again]"),
    ({"topic": "frozen", "by": "U0ADA", "reason": "an audit", "command": "/sb-pay"},
     "<@U0ADA> froze all payments: “an audit”. To resume: `/sb-pay unfreeze`"),
    ({"topic": "unfrozen", "by": ["U0ADA", "U0LIN"]}, ":sunny: <@U0ADA>, <@U0LIN> unfroze payments."),
    ({"topic": "silent", "service": "payments", "since": SINCE},
     "*Payments hasn't answered* since 2026-11-20 09:00 UTC. Nothing is sent to it."),
    ({"topic": "answers", "service": "payments", "since": SINCE, "seconds": 5_400.0}, "answers again* after 1 hour."),
    ({"topic": "restored", "unknown": []}, "Check at the provider, then run `switchboard resume`."),
    ({"topic": "restored", "unknown": ["payments.commit_payout 01KAGT"]}, "database: payments.commit_payout 01KAGT."),
    ({"topic": "resumed", "reason": "looked", "check": ["P-4F7K2M", "L-4F7K2M"]},
     "check these at the provider, then decide on each: P-4F7K2M, L-4F7K2M."),
    ({"topic": "no_anchor", "file": "/sent.log", "reason": "No space left on device"},
     "nothing is sent.* `/sent.log` can't be written: No space left on device."),
    ({"topic": "channel_works", "channel": "C0FINANCE"}, ":sunny: *<#C0FINANCE> can be used again.*"),
    ({"topic": "anchors_work"}, ":sunny: "), ({"topic": "clock_right"}, ":sunny: "),
    ({"topic": "database_read_only"}, "the database is read-only.*"),
    ({"topic": "database_away"}, "so nothing is requested or sent."), ({"topic": "database_writable"}, ":sunny: "),
    ({"topic": "disk_low", "free": 499_000_000, "whole": 20_000_000_000}, "499 of 20,000 MB are free."),
    ({"topic": "disk_full"}, "New requests are refused, and nothing is sent."), ({"topic": "disk_enough"}, ":sunny: "),
]  # fmt: skip


@pytest.mark.parametrize(("facts", "words"), NOTICES)
def test_notice_shows_its_facts(facts: dict[str, Any], words: str) -> None:
    content = notices.notice(facts)
    check_message(content)
    assert words in seen(content)

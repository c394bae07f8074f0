"""Parts of the card of a payout: its text for notifications, what is known of the recipient, its buttons."""

import re
from itertools import product

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction, Kind, Recipient, State
from bot.domain.policy import Requirement, Short
from bot.domain.reasons import given
from bot.presentation.payments import cards
from bot.presentation.payments.kinds import sentence
from bot.presentation.words import word
from tests.domain.made import instruction, payload, vote
from tests.presentation.checks import lines_of, readable, seen
from tests.presentation.payments.moments import card, moments

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
payout: Payout P-4F7K2M: 25.00 USD to ana@example.com (Ana Maria Lopez, active, verified, primary address) for “March \
translation”, asked by Maria Quispe. :hourglass_flowing_sand: *waiting for approval*: 0 of 2, until \
<!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. Needs 2 approvals besides the requester, typing \
the amount (over 1000.00 USD). To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>.
purchase: Purchase C-4F7K2M: 119.50 USD from ben@example.com for “Spring campaign” (2 × web at 10.00; 1 × Print ads at \
99.50), asked by <@U0MARIA>. :link: *open*: waiting for the buyer; nothing has been paid. Checkout: \
<https://pay.example.com/checkout/op-1>
bulk: Bulk payment L-4F7K2M: 1250.00 USD in 10 payments. File “march.csv”, 10 payments to 9 people, 1250.00 USD \
together. *Largest*: ⏎ • 900.00 USD to luis@example.com (row 4) ⏎ • 90.00 USD to ana@example.com (row 2). \
*Duplicates*: row 7 (same address and amount as an earlier row). *Never paid before*: 2 recipients. Accounts looked \
up: 9; 8 active, :warning: *1 not active* (no account, signup not completed, or it cannot receive money now): \
eve@example.com. Read as: UTF-8 with commas: email, amount, note. Asked by Maria Quispe. :hourglass_flowing_sand: \
*waiting for approval*: 0 of 1, until <!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. Needs 1 \
approval besides the requester. To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>.
bulk_cancel: Cancellation X-4F7K2M: 95.00 USD back from 2 payments still pending in escrow. Of bulk payment L-4F7K2M. \
Everything that was pending when it was asked for: 2 payments, each by its hash. Asked by Maria Quispe. \
:hourglass_flowing_sand: *waiting for approval*: 0 of 1, until <!date^1795251600^{date_short_pretty} {time}|2026-11-21 \
09:00 UTC>. Needs 1 approval besides the requester. To decide: <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>.""")


@pytest.mark.parametrize("state", list(State))
def test_the_card_holds_every_fact_in_blocks_and_in_its_text(state: State) -> None:
    subject = stands(state, payload=payload(cents=123_456, description="Rent & <b>heating</b>"))
    shown = card(subject, votes=[vote("U0LIN")])
    facts = ["1234.56 USD", "ana@example.com", "Ana Maria Lopez", "Maria Quispe", "P-4F7K2M", "<@U0LIN>", word(state)]
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
not looked up: *Registered name*: not known | *Account*: not looked up yet | *Asked by*: Maria Quispe | *Reference*: \
P-4F7K2M
not read: *Registered name*: not known | *Account*: could not be read: no such account | *Asked by*: Maria Quispe | \
*Reference*: P-4F7K2M
nothing said: *Registered name*: unknown | *Account*: active: not known, verified: not known, primary address: not \
known | *Asked by*: Maria Quispe | *Reference*: P-4F7K2M
no name: *Registered name*: unknown | *Account*: active, verified, primary address | *Asked by*: Maria Quispe | \
*Reference*: P-4F7K2M
bad: *Registered name*: Mia &lt;Keller&gt; | *Account*: :warning: *not active* (no account, signup not completed, or \
it cannot receive money now), :warning: *not verified*, not the primary address | *Asked by*: Maria Quispe | \
*Reference*: P-4F7K2M""")
    assert lines_of({name: one.text.partition(" for “")[0] for name, one in found.items()}) == snapshot("""\
not looked up: Payout P-4F7K2M: 25.00 USD to ana@example.com (account not looked up yet)
not read: Payout P-4F7K2M: 25.00 USD to ana@example.com (account could not be read: no such account)
nothing said: Payout P-4F7K2M: 25.00 USD to ana@example.com (registered name unknown, active: not known, verified: not \
known, primary address: not known)
no name: Payout P-4F7K2M: 25.00 USD to ana@example.com (registered name unknown, active, verified, primary address)
bad: Payout P-4F7K2M: 25.00 USD to ana@example.com (Mia &lt;Keller&gt;, not active (no account, signup not completed, \
or it cannot receive money now), not verified, not the primary address)""")


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

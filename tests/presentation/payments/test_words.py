"""The words others rely on, and that no state claims what another one means."""

import re
from datetime import timedelta
from itertools import product

import pytest

from bot.domain.payments.instruction import FINAL, Instruction, Recipient, State, Vote
from bot.domain.requirement import Requirement
from bot.presentation.payments import cards, news
from bot.presentation.payments.states import sentence
from bot.presentation.payments.words import word
from tests.domain.made import NOW, instruction, payload, vote
from tests.presentation.checks import readable

FINAL_WORDS = {"completed", "failed", "canceled", "rejected", "withdrawn", "expired"}
FINALS = sorted(FINAL)
OPEN = sorted(set(State) - FINAL)
DECIDED = {State.REJECTED, State.WITHDRAWN, State.CLOSED}


def stands(state: State, **changes: object) -> Instruction:
    by = "U0ADA" if state in DECIDED else ""
    return instruction(**{"state": state, "decided_by": by, "expires_at": NOW + timedelta(days=1), **changes})


def card_text(subject: Instruction, votes: list[Vote] | None = None, *, approvers: bool = True) -> str:
    card = cards.card(subject, votes or [], for_approvers=approvers, approvals_channel="C0APPROVE")
    return f"{card.text}\n{readable(card)}"


def told(state: State, **facts: object) -> str:
    return news.news(
        instruction(), {"state": state.value, "voters": ["U0LIN"], "decided_by": "U0ADA", "reason": "", **facts}
    ).text


def words_in(text: str) -> set[str]:
    return FINAL_WORDS & set(re.findall(r"[a-z]+", text.casefold()))


@pytest.mark.parametrize(
    ("state", "final"),
    [
        (State.COMPLETED, "completed"),
        (State.CANCELED, "canceled"),
        (State.FAILED, "failed"),
        (State.REFUSED, "failed"),
        (State.MISMATCH, "failed"),
        (State.CLOSED, "failed"),
        (State.REJECTED, "rejected"),
        (State.WITHDRAWN, "withdrawn"),
        (State.EXPIRED, "expired"),
    ],
)
def test_each_end_has_its_one_word_on_the_card_and_in_the_news(state: State, final: str) -> None:
    assert word(state) == final
    assert words_in(card_text(stands(state))) == {final}
    assert words_in(told(state)) == {final}
    assert f"*{final}*" in told(state)


@pytest.mark.parametrize("state", OPEN)
def test_no_end_is_claimed_before_it_was_observed(state: State) -> None:
    assert words_in(card_text(stands(state))) == set()


@pytest.mark.parametrize("state", [State.PENDING_ESCROW, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN])
def test_no_news_claims_an_end_before_it_was_observed(state: State) -> None:
    assert words_in(told(state)) == set()


def test_approved_sent_confirmed_and_unknown_are_different_words() -> None:
    said = [word(state) for state in (State.APPROVED, State.SENDING, State.COMMITTED, State.COMMIT_UNKNOWN)]
    assert len(set(said)) == 4
    assert word(State.COMPLETED) not in said


@pytest.mark.parametrize("state", [State.COMMIT_UNKNOWN, State.NEEDS_HUMAN])
def test_an_outcome_nobody_knows_is_called_unknown_everywhere(state: State) -> None:
    for text in (card_text(stands(state, commits=1)), told(state)):
        assert "unknown" in text


def test_what_needs_a_person_says_so() -> None:
    assert "needs a person" in card_text(stands(State.NEEDS_HUMAN))
    assert "needs a person" in told(State.NEEDS_HUMAN)


@pytest.mark.parametrize("state", [State.REJECTED, State.WITHDRAWN, State.CLOSED])
def test_who_decided_is_named(state: State) -> None:
    assert "<@U0ADA>" in card_text(stands(state))
    assert "<@U0ADA>" in told(state)


@pytest.mark.parametrize("state", [State.COMPLETED, State.FAILED, State.CANCELED, State.PENDING_ESCROW])
def test_what_the_service_did_names_who_approved(state: State) -> None:
    assert "Approved by <@U0LIN>" in told(state)


@pytest.mark.parametrize(
    "state", [State.REJECTED, State.WITHDRAWN, State.CLOSED, State.FAILED, State.REFUSED, State.MISMATCH, State.EXPIRED]
)
def test_the_reason_is_shown_whole(state: State) -> None:
    ours = state in (State.MISMATCH, State.EXPIRED)  # the others are the words of a person or of the service
    assert f"{'T' if ours else 't'}he invoice is wrong." in card_text(stands(state, reason="the invoice is wrong"))
    assert "the invoice is wrong." in told(state, reason="the invoice is wrong")


@pytest.mark.parametrize("state", [State.MISMATCH, State.CLOSED, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN])
def test_nobody_says_that_nothing_was_paid_where_nobody_can_know(state: State) -> None:
    assert "othing was paid" not in card_text(stands(state, commits=1))
    assert "othing was paid" not in told(state)


@pytest.mark.parametrize("state", [State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.REFUSED])
def test_that_nothing_was_paid_is_said_where_it_is_sure(state: State) -> None:
    assert "othing was paid" in card_text(stands(state))
    assert "othing was paid" in told(state)


@pytest.mark.parametrize("state", list(State))
def test_the_card_holds_every_fact_in_blocks_and_in_its_text(state: State) -> None:
    subject = stands(state, payload=payload(cents=123_456, description="Rent & <b>heating</b>"))
    card = cards.card(subject, [vote("U0LIN")], for_approvers=True, approvals_channel="C0APPROVE")
    facts = ["1234.56 USD", "ana@example.com", "Ana Maria Lopez", "<@U0MARIA>", "P-4F7K2M", "<@U0LIN>", word(state)]
    for fact in [*facts, "active", "verified", "primary address", sentence(subject, votes=1)]:
        assert fact in card.text
        assert fact in readable(card)
    assert "Rent & <b>heating</b>" in readable(card)
    assert "Rent &amp; &lt;b&gt;heating&lt;/b&gt;" in card.text


@pytest.mark.parametrize("state", OPEN)
def test_an_open_card_names_the_policy_and_its_reasons(state: State) -> None:
    needs = Requirement(quorum=2, typed_amount=True, reasons=("over 1000.00 USD",))
    subject = stands(state, requirement=needs)
    card = cards.card(subject, [], for_approvers=True, approvals_channel="C0APPROVE")
    waits = (State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING, State.NEEDS_HUMAN)
    verb = "Needs" if state in waits else "Needed"
    for text in (card.text, readable(card)):
        assert f"{verb} 2 approvals besides the requester, typing the amount (over 1000.00 USD)" in text


def test_how_many_approved_and_until_when_is_on_the_card() -> None:
    card = card_text(stands(State.AWAITING, requirement=Requirement(quorum=2)), [vote("U0LIN")])
    assert "1 of 2" in card
    assert "until <!date^" in card
    assert "2026-11-21 09:00 UTC" in card


@pytest.mark.parametrize(
    ("recipient", "said"),
    [
        (None, "account not looked up yet"),
        (Recipient(problem="no such account"), "account could not be read: no such account"),
        (Recipient(), "no registered name, active: not known, verified: not known, primary address: not known"),
        (
            Recipient(full_name="Mia Keller", active=False, verified=False, primary=False),
            "Mia Keller, not active (no account, signup not completed, or it cannot receive money now), "
            "not verified, not the primary address",
        ),
    ],
)
def test_what_is_not_known_of_the_recipient_is_said_to_be_not_known(recipient: Recipient | None, said: str) -> None:
    assert said in card_text(stands(State.AWAITING, recipient=recipient))


def test_accounts_that_are_not_active_or_not_verified_catch_the_eye() -> None:
    quiet = Recipient(full_name="Ana", active=True, verified=True, primary=True)
    assert ":warning:" not in card_text(stands(State.AWAITING, recipient=quiet))
    loud = card_text(stands(State.AWAITING, recipient=quiet.model_copy(update={"active": False, "verified": False})))
    assert ":warning: *not active* (no account, signup not completed, or it cannot receive money now)" in loud
    assert ":warning: *not verified*" in loud


def test_an_address_with_lookalike_letters_is_flagged() -> None:
    flagged = stands(State.AWAITING, payload=payload(email="ana@xn--exmple-cua.com"))
    assert card_text(flagged).count("letters that can look like others") == 2
    assert "look like" not in card_text(stands(State.AWAITING))


BUTTONS = {
    State.NEW: ["Withdraw"],
    State.AWAITING: ["Approve", "Reject", "Withdraw"],
    State.APPROVED: ["Withdraw"],
    State.NEEDS_HUMAN: ["Retry", "Close as not paid"],
}


def buttons(subject: Instruction, *, approvers: bool) -> list[str]:
    card = cards.card(subject, [], for_approvers=approvers, approvals_channel="C0APPROVE")
    return [
        element["text"]["text"] for block in card.blocks if block["type"] == "actions" for element in block["elements"]
    ]


@pytest.mark.parametrize(("state", "approvers"), list(product(State, [True, False])))
def test_buttons_are_those_that_can_do_something(state: State, approvers: bool) -> None:
    expected = BUTTONS.get(state, [])
    found = buttons(stands(state), approvers=approvers)
    assert found == (expected if approvers else [label for label in expected if label == "Withdraw"])


def test_nothing_is_withdrawn_after_a_request_was_sent_once() -> None:
    assert buttons(stands(State.APPROVED, commits=1), approvers=True) == []


def test_a_button_carries_which_request_and_round_and_nothing_else() -> None:
    subject = stands(State.AWAITING, round=3)
    card = cards.card(subject, [], for_approvers=True, approvals_channel="C0APPROVE")
    elements = card.blocks[-1]["elements"]
    assert {element["value"] for element in elements} == {f"{subject.id}:3"}


def test_at_most_one_button_is_the_obvious_one() -> None:
    for state in State:
        card = cards.card(stands(state), [], for_approvers=True, approvals_channel="C0APPROVE")
        styles = [e.get("style") for block in card.blocks if block["type"] == "actions" for e in block["elements"]]
        assert styles.count("primary") <= 1
        assert styles.count("danger") <= 1


@pytest.mark.parametrize("state", list(State))
def test_sentences_are_sentences(state: State) -> None:
    for reason, quorum in product(["", "the invoice is wrong", "Really?"], [1, 2]):
        said = sentence(stands(state, reason=reason, requirement=Requirement(quorum=quorum)), votes=0)
        assert said.endswith((".", "?", ".*"))
        assert not re.search(r"\s\s|\s[.,:]|\.\.|: by |[:.]\s*$(?<!\.)", said), said
    news_text = told(state, reason="the invoice is wrong")
    assert not re.search(r"\s\s|\s[.,]|\.\.", news_text), news_text
    assert news_text.endswith((".", ".*"))

"""What people see of a request at every moment: the card of the approvers, and the line for who asked."""

import re
from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import FINAL, Instruction, Kind, Recipient, State
from bot.domain.policy import Requirement, Short
from bot.domain.reasons import given
from bot.presentation.payments import cards
from bot.presentation.payments.kinds import KINDS
from bot.presentation.payments.wording import DECIDED, NEWS, News
from bot.presentation.words import word
from bot.workflows.requests.announce import TOLD
from tests.domain.made import instruction, payload, vote
from tests.presentation.checks import alike, lines_of, readable, seen
from tests.presentation.payments.moments import NAMES, card, cards_of, facts_of, moments, reachable

HEADS = {
    Kind.PAYOUT: "March translation",
    Kind.PURCHASE: """\
$119.50 from ben@example.com
*Requested by*: <@U0MARIA> | *Reference*: C-4F7K2M
For: Spring campaign
Item | Quantity × each | USD
web | 2 × 10.00 | 20.00
Print ads | 1 × 99.50 | 99.50""",
    Kind.BULK: "march.csv · 9 people · requested by Maria Quispe",
    Kind.BULK_CANCEL: "From L-4F7K2M: all that were waiting · requested by Maria Quispe",
}
every_kind = pytest.mark.parametrize("kind", list(Kind))


@every_kind
def test_no_state_is_forgotten(kind: Kind) -> None:
    same = moments(Kind.PAYOUT) if kind is Kind.ONE_STEP else {}
    assert {one.state for one in {**same, **moments(kind)}.values()} >= reachable(kind)


def test_card_header_names_the_request_and_requester() -> None:
    for kind, head in HEADS.items():
        assert head in seen(cards_of(kind)["open" if kind is Kind.PURCHASE else "awaiting"])


def test_each_moment_shows_its_state_and_buttons() -> None:
    found = {}
    for kind in Kind:
        for name, content in cards_of(kind).items():
            text = seen(content)
            state = re.findall(r"^:\w+: \*(.+?)\*", text, re.MULTILINE) or [text.splitlines()[0].partition(" · ")[0]]
            found[f"{kind} {name}"] = " ".join([state[0], *re.findall(r"\[[^]]+\]", text)])
    assert lines_of(alike(found)) == snapshot("""\
payout new, payout new, stopped, one_step new: Preparing [… Withdraw, History, Recipient]
payout awaiting, payout awaiting, one of two, payout awaiting again, payout awaiting, stopped: $25.00 USD to Ana Maria \
Lopez [Approve] [Reject] [… Withdraw, History, Recipient]
payout approved, payout approved, no answer: Approved [… Withdraw, History, Recipient]
payout approved, frozen, payout approved, over the limit, payout approved, held: On hold [… Withdraw, History, \
Recipient]
payout sending: Sending [… History, Recipient]
payout committed, payout committed, as it calls it: Sent [… History, Recipient]
payout rejected, bulk rejected, bulk_cancel rejected: Rejected
payout withdrawn, payout withdrawn, by an admin, purchase withdrawn, purchase withdrawn, by an admin, bulk withdrawn, \
bulk_cancel withdrawn: Withdrawn
payout expired, payout expired, late, bulk expired, bulk_cancel expired: Expired
payout closed, payout failed, payout refused, payout refused, never sent, payout mismatch, one_step failed, one_step \
refused, purchase failed, purchase refused, purchase mismatch, purchase closed, bulk closed, bulk refused, bulk \
mismatch, bulk_cancel closed, bulk_cancel failed, bulk_cancel mismatch: Failed
payout creating: Preparing [… History, Recipient]
payout create_unknown, payout create_unknown, it spoke, payout create_unknown, refused, payout commit_unknown, payout \
commit_unknown, it spoke, payout commit_unknown, refused, one_step commit_unknown, one_step commit_unknown, it spoke, \
one_step commit_unknown, refused, one_step commit_unknown, suspect: Not confirmed yet [… History, Recipient]
payout pending_escrow, one_step pending_escrow: Waiting for sign-up [Cancel and return the money] [… History, Recipient]
payout completed, one_step completed, purchase completed, purchase completed, by another: Paid
payout canceled, one_step canceled, purchase canceled: Canceled
payout needs_human, payout needs_human, never created, payout needs_human, one of two, one_step needs_human, one_step \
needs_human, refused: Needs a decision [Retry] [Close as not paid] [… History, Recipient]
one_step needs_human, suspect: Needs a decision [Close as not paid] [… History, Recipient]
purchase new: Preparing [Withdraw]
purchase creating: Preparing
purchase create_unknown, purchase create_unknown, refused: Not confirmed yet
purchase needs_human: Needs a decision
purchase open, purchase open, stopped, purchase open, as it calls it: Waiting for payment [Open checkout]
bulk new, bulk_cancel new: Preparing [View list] [… Withdraw, History]
bulk awaiting: $1,250.00 USD [Approve] [Reject] [View list] [… Withdraw, History]
bulk approved, bulk_cancel approved: Approved [View list] [… Withdraw, History]
bulk sending, bulk_cancel sending: Sending [View list] [… History]
bulk committed, bulk committed, not read, bulk_cancel committed, bulk_cancel committed, refused: Sent [View list] [… \
History]
bulk commit_unknown, bulk commit_unknown, refused, bulk_cancel commit_unknown: Not confirmed yet [View list] [… History]
bulk needs_human: Needs a decision [Retry] [Close as not paid] [View list] [… History]
bulk pending_escrow: Waiting for sign-up [View list] [Cancel 2 waiting] [… History]
bulk completed: All 10 paid
bulk completed, some failed: 7 paid, 1 failed, 2 canceled
bulk failed: All 10 failed
bulk canceled: All 10 canceled
bulk_cancel awaiting: Cancel 2 waiting payments ($95.00) [Approve] [Reject] [View list] [… Withdraw, History]
bulk_cancel needs_human, bulk_cancel needs_human, not all sent: Needs a decision [Retry] [Close] [View list] [… History]
bulk_cancel completed: Done\
""")


@pytest.mark.parametrize(("kind", "moment", "words"), [
    ("payout", "awaiting, one of two", "Needs 2 approvers because it's over $1,000. Each types the amount."),
    ("payout", "awaiting, one of two", "1 of 2 approvals · approved by <@U0LIN>"),
    ("payout", "awaiting again", "1 more approval needed: an approval expired, and an approver was removed."),
    ("payout", "awaiting, stopped", "Stopped by an internal error (`0badcafe`)."),
    ("payout", "approved, frozen", "Payments are frozen: the books are being audited. Frozen by <@U0OLGA>."),
    ("payout", "approved, over the limit", "$20.00 of everyone's daily limit of $50.00 is left today"),
    ("payout", "approved, held", "The requester's account is deactivated."),
    ("payout", "approved, no answer", "Payments has not answered since 2026-11-20 09:00 UTC, so nothing was sent."),
    ("payout", "create_unknown, it spoke", "The provider answered: “try again later”."),
    ("payout", "commit_unknown, refused", "The provider declined it: “the limit is reached”."),
    ("payout", "committed, as it calls it", "The provider calls its status “On &lt;Hold&gt;”."),
    ("payout", "needs_human", "Check `652f7a1e9b3c4d5e6f708192` in the provider's dashboard"),
    ("payout", "needs_human, never created", "Check our code `01KAGT0000000000000000CODE`"),
    ("payout", "needs_human, one of two", "Approved to retry: 1 of 2."),
    ("one_step", "commit_unknown, suspect", "The payout op-77 at the provider has the same recipient and amount"),
    ("bulk", "new", "4 of 9."),
    ("bulk", "awaiting", "1 of the 9 accounts checked can't receive money yet: eve@example.com."),
    ("bulk", "awaiting", "2 first-time recipients."),
    ("bulk", "awaiting", "Row 7 repeats an earlier row (same address and amount)."),
    ("bulk", "committed", "`██████░░░░░░░░░░░░░░ 30 %` 3 paid, 7 not reported yet."),
    ("bulk", "pending_escrow", "7 paid, 1 failed, 2 waiting for sign-up ($95.00)."),
    ("bulk", "needs_human", "No other bulk payment is sent until you decide."),
    ("bulk_cancel", "completed", "1 payment canceled, $45.00 returned; 1 already paid ($50.00)."),
    ("bulk_cancel", "failed", "$0.00 returned; 1 already paid ($45.00); 1 already failed ($50.00)."),
])  # fmt: skip
def test_card_shows_the_known_facts_of_each_state(kind: str, moment: str, words: str) -> None:
    assert words in seen(cards_of(Kind(kind))[moment])


@pytest.mark.parametrize("kind", [Kind.PAYOUT, Kind.BULK, Kind.BULK_CANCEL])
def test_requester_line_shows_state_reason_and_withdraw_button(kind: Kind) -> None:
    cards_then, lines_then = cards_of(kind), cards_of(kind, approvers=False)
    for name, one in moments(kind).items():
        card_text, (first, *rest) = seen(cards_then[name]), seen(lines_then[name]).splitlines()
        _, state, _ = first.split("*")
        assert state.partition(" (")[0] in (card_text.partition(" · ")[0], "Waiting for approval"), name
        assert f" · {one.reference}" in first
        assert ("[Withdraw]" in first) is ("[… Withdraw" in card_text), name
        assert all(line in card_text for line in rest if not line.startswith("Checking the recipient")), name
        assert not rest or one.state not in FINAL, "the news follows"


def test_file_name_is_cut_at_120_characters() -> None:
    one = moments(Kind.BULK)["awaiting"]
    for letters, is_whole in ((116, True), (117, False)):
        name = f"{'n' * letters}.csv"
        named = replace(one, payload=one.payload.model_copy(update={"name": name}))
        assert (f"\n{name} ·" in seen(card(named))) is is_whole


BY_PEOPLE = {State.REJECTED, State.WITHDRAWN, State.CLOSED}


def stands(state: State, **changes: object) -> Instruction:
    return instruction(**{"state": state, "decided_by": "U0ADA" if state in BY_PEOPLE else "", **changes})


def buttons(subject: Instruction) -> list[dict[str, object]]:
    return [element for block in card(subject).blocks if block["type"] == "actions" for element in block["elements"]]


@pytest.mark.parametrize("state", list(State))
def test_card_blocks_and_text_hold_every_fact(state: State) -> None:
    subject = stands(state, payload=payload(cents=123_456, description="Rent & <b>heating</b>"))
    shown = card(subject, votes=[vote("U0LIN")])
    facts = ["$1,234.56", "ana@example.com", "Ana Maria Lopez", "Maria Quispe", "P-4F7K2M", "<@U0LIN>"]
    facts += ["Approve"] if state is State.AWAITING else []
    facts += [word(state).capitalize()] if state not in (State.AWAITING, State.NEEDS_HUMAN) else []
    for fact in [*facts, "Rent &amp; &lt;b&gt;heating&lt;/b&gt;", KINDS[Kind.PAYOUT].why(subject, votes=1)]:
        assert fact in shown.text
        assert fact in readable(shown)


def test_known_facts_of_the_recipient_are_shown() -> None:
    recipients = {
        "not looked up": None,
        "not read": Recipient(problem=given("no such account")),
        "nothing said": Recipient(),
        "no name": Recipient(full_name="", active=True, verified=True, primary=True),
        "bad": Recipient(full_name="Mia <Keller>", active=False, verified=False, primary=False),
    }
    found = {name: card(stands(State.AWAITING, recipient=one)) for name, one in recipients.items()}
    small = "requested by Maria Quispe · 0 of 1 approvals · P-4F7K2M · <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>"
    shown = {name: seen(one).replace("\nMarch translation", "").split(f" · {small}")[0] for name, one in found.items()}
    assert lines_of(alike(shown)) == snapshot("""\
not looked up: $25.00 USD to ana@example.com ⏎ ana@example.com
not read, nothing said: $25.00 USD to ana@example.com ⏎ :warning: The account of ana@example.com couldn't be checked. \
⏎ ana@example.com
no name: $25.00 USD to ana@example.com ⏎ ana@example.com, verified
bad: $25.00 USD to Mia <Keller> ⏎ :warning: The account of ana@example.com isn't active: no account, signup not \
completed, or it can't receive money now. ⏎ :warning: The account of ana@example.com isn't verified. ⏎ :warning: \
ana@example.com isn't the account's primary address. ⏎ ana@example.com\
""")
    for one in found.values():
        assert all(line in one.text for line in seen(one).splitlines() if line.startswith(":warning:"))


def test_lookalike_letters_in_an_address_are_flagged() -> None:
    flagged = card(stands(State.AWAITING, payload=payload(email="ana@xn--exmple-cua.com")))
    warning = ":warning: This address uses letters that can look like others. Check it with the recipient."
    assert warning in seen(flagged).splitlines()
    assert warning in flagged.text


def test_nothing_is_withdrawn_after_a_request_was_sent_once() -> None:
    assert "Withdraw" not in seen(card(stands(State.APPROVED, commits=1)))


def test_button_value_holds_only_request_and_round() -> None:
    subject = stands(State.AWAITING, round=3)
    carried = {str(button["value"]) for button in buttons(subject) if button["type"] == "button"}
    chosen = {str(option["value"]) for one in buttons(subject) for option in one.get("options", [])}  # type: ignore[attr-defined]
    assert carried == {f"{subject.id}:3"}
    assert chosen == {f"{what}:{subject.id}:3" for what in (cards.WITHDRAW, cards.HISTORY, cards.RECIPIENT)}


def test_at_most_one_button_is_primary() -> None:
    for state in State:
        styles = [button.get("style") for button in buttons(stands(state))]
        assert styles.count("primary") <= 1
        assert styles.count("danger") <= 1


def test_card_text_says_when_too_few_can_approve() -> None:
    content = cards.card(
        instruction(requirement=Requirement(quorum=2)), [], for_approvers=True, approvals_channel="C0A",
        short=Short(needs=2, can=1),
    )  # fmt: skip
    assert content.text.partition(":warning: ")[2] == snapshot(
        "It needs 2 approvals, and only 1 person can approve it."
    )
    assert content.text.partition(":warning: ")[2] in seen(content)


FOLLOWED = {Kind.PAYOUT: {State.NEW}, Kind.ONE_STEP: {State.NEW}, Kind.BULK: {State.COMMITTED}}
"""News besides those of every kind: an address without an account, and payments that are unaccounted for."""


def told_states(kind: Kind) -> set[State]:
    return reachable(kind) & TOLD | FOLLOWED.get(kind, set())


def kin(kind: Kind) -> list[Kind]:
    """Kinds that people call the same, so that one says what the other does."""
    return [other for other in Kind if KINDS[other].noun == KINDS[kind].noun]


def in_each_state(kind: Kind) -> list[Instruction]:
    """A request of this kind in every state that it can be in, at the moments that there are."""
    found = list(moments(kind).values())
    left = reachable(kind) - {one.state for one in found}
    return found + [replace(found[0], state=state, decided_by="U0ADA") for state in left]


@every_kind
def test_every_state_that_the_arrows_lead_to_has_its_sentence(kind: Kind) -> None:
    words = KINDS[kind]
    assert reachable(kind) <= set(words.sentences)
    own = {state for state, said in words.sentences.items() if DECIDED.get(state) != said}
    assert own <= set.union(*map(reachable, kin(kind))), "a state that no arrow leads to"
    for one in in_each_state(kind):
        said = words.sentence(one, votes=0)
        assert said.endswith((".", "?", "*", "…")), said


@every_kind
def test_every_announced_state_has_its_news(kind: Kind) -> None:
    words = KINDS[kind]
    assert told_states(kind) <= set(words.news)
    own = {state for state, said in words.news.items() if NEWS.get(state) != said}
    assert own <= set.union(*map(told_states, kin(kind))), "a state that is never told"
    for one in in_each_state(kind):
        if one.state in told_states(kind):
            said = News(words, one, facts_of(one), NAMES).say(words.news[one.state])
            assert said.rstrip().endswith((".", ".*")), said

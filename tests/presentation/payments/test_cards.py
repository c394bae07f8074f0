"""What people see of a request at every moment: the card of the approvers, the line for who asked, and their parts."""

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
from tests.domain.made import instruction, payload, purchase, vote
from tests.presentation.checks import alike, lines_of, readable, seen
from tests.presentation.payments.moments import (
    HEADS,
    NAMES,
    TO_DECIDE,
    card,
    cards_of,
    every,
    facts_of,
    moments,
    reachable,
)


@pytest.mark.parametrize("kind", Kind)
def test_no_state_is_forgotten(kind: Kind) -> None:
    same = moments(Kind.PAYOUT) if kind is Kind.ONE_STEP else {}
    assert {one.state for one in {**same, **moments(kind)}.values()} >= reachable(kind)


def test_heads() -> None:
    for kind in (Kind.PAYOUT, Kind.PURCHASE, Kind.BULK, Kind.BULK_CANCEL):
        one = purchase() if kind is Kind.PURCHASE else moments(kind)["awaiting"]
        assert HEADS[kind] in seen(card(one))
    assert TO_DECIDE in seen(card(moments(Kind.BULK)["awaiting"]))


@pytest.mark.parametrize("kind", [Kind.PAYOUT, Kind.BULK, Kind.BULK_CANCEL])
def test_menu_has_the_account_of_a_payout_and_the_list_of_many(kind: Kind) -> None:
    for name, content in cards_of(kind).items():
        text, is_payout = seen(content), kind is Kind.PAYOUT
        if moments(kind)[name].state not in FINAL:
            assert ("Recipient]" in text, "[View list]" in text) == (is_payout, not is_payout), name


def test_cards() -> None:
    found = {f"{kind} {name}": text for kind in Kind for name, text in every(kind).items()}
    assert lines_of(alike(found)) == snapshot("""\
payout new, one_step new: Preparing ⏎ Checking the recipient… ⏎ (menu, Withdraw)
payout awaiting, bulk_cancel awaiting: 0 of 1 approvals · expires 2026-11-21 09:00 UTC · (call) ⏎ [Approve] [Reject] \
(menu, Withdraw)
payout awaiting, one of two: :warning: Needs 2 approvers because it's over $1,000. Each types the amount. ⏎ 1 of 2 \
approvals · (approved) · expires 2026-11-21 09:00 UTC · <@U0ADA> <!subteam^S0TREASURY> ⏎ [Approve] [Reject] (menu, \
Withdraw)
payout awaiting again: 1 more approval needed: an approval expired, and an approver was removed. ⏎ 0 of 1 approvals · \
expires 2026-11-21 09:00 UTC · (call) ⏎ [Approve] [Reject] (menu, Withdraw)
payout awaiting, stopped: 0 of 1 approvals · expires 2026-11-21 09:00 UTC · (call) ⏎ (stopped) ⏎ [Approve] [Reject] \
(menu, Withdraw)
payout approved, bulk_cancel approved: Approved ⏎ (approved) ⏎ (menu, Withdraw)
payout approved, frozen: On hold ⏎ Payments are frozen: the books are being audited. Frozen by <@U0OLGA>. It's sent \
once an approver unfreezes payments. ⏎ (approved) ⏎ (menu, Withdraw)
payout approved, over the limit: On hold ⏎ $20.00 of everyone's daily limit of $50.00 is left today: send less, send \
it after midnight UTC, or ask an admin to raise it. ⏎ (approved) ⏎ (menu, Withdraw)
payout approved, held: On hold ⏎ The requester's account is deactivated. An admin can withdraw it; once the requester \
may request again, it needs new approvals. ⏎ (approved) ⏎ (menu, Withdraw)
payout approved, no answer: Approved ⏎ Payments has not answered since 2026-11-20 09:00 UTC, so nothing was sent. ⏎ \
(approved) ⏎ (menu, Withdraw)
payout sending, bulk_cancel sending: Sending ⏎ (approved) ⏎ (menu)
payout committed: Sent ⏎ Waiting for confirmation that it arrived. ⏎ (approved) ⏎ (menu)
payout rejected, bulk rejected: Rejected ⏎ Rejected by <@U0ADA>: “the invoice is wrong”. Nothing was paid.
payout withdrawn, bulk withdrawn: Withdrawn ⏎ Withdrawn by <@U0MARIA>. Nothing was paid.
payout withdrawn, by an admin: Withdrawn ⏎ Withdrawn by <@U0TOM>: “asked for twice”. Nothing was paid.
payout expired, bulk expired: Expired ⏎ Not approved in time. Nothing was paid.
payout expired, late: Expired ⏎ It wasn't sent in time after approval. Nothing was paid.
payout closed, bulk closed: Failed ⏎ Closed as not paid by <@U0ADA>: “the service shows no payment”.
payout new, stopped: Preparing ⏎ (stopped) ⏎ (menu, Withdraw)
payout creating: Preparing ⏎ Nothing is paid until it's approved. ⏎ (menu)
payout create_unknown: Not confirmed yet ⏎ We're checking whether the provider created this payout. Nothing was paid. \
⏎ (menu)
payout create_unknown, it spoke: Not confirmed yet ⏎ We're checking whether the provider created this payout. The \
provider answered: “try again later”. Nothing was paid. ⏎ (menu)
payout create_unknown, refused: Not confirmed yet ⏎ The provider declined it: “the limit is reached”. We're checking \
that it didn't go through. Nothing was paid. ⏎ (menu)
payout commit_unknown, one_step commit_unknown: Not confirmed yet ⏎ We're checking with the provider. *Don't send it \
again.* ⏎ (approved) ⏎ (menu)
payout commit_unknown, it spoke, one_step commit_unknown, it spoke: Not confirmed yet ⏎ We're checking with the \
provider. The provider answered: “try again later”. *Don't send it again.* ⏎ (approved) ⏎ (menu)
payout commit_unknown, refused, one_step commit_unknown, refused: Not confirmed yet ⏎ The provider declined it: “the \
limit is reached”. We're checking that it didn't go through. *Don't send it again.* ⏎ (approved) ⏎ (menu)
payout pending_escrow, one_step pending_escrow: Waiting for sign-up ⏎ The money is held until the recipient signs up. \
⏎ (approved) ⏎ [Cancel and return the money] (menu)
payout completed, one_step completed: Paid ⏎ (approved)
payout canceled, one_step canceled: Canceled ⏎ The provider canceled it. The money went back. ⏎ (approved)
payout failed, one_step failed: Failed ⏎ The provider couldn't pay it: “the account is closed”. Nothing was paid. ⏎ \
(approved)
payout refused, one_step refused, bulk refused: Failed ⏎ The provider declined it: “the limit is reached”. Nothing was \
paid. ⏎ (approved)
payout committed, as it calls it: Sent ⏎ Waiting for confirmation that it arrived. The provider calls its status “On \
&lt;Hold&gt;”. ⏎ (approved) ⏎ (menu)
payout refused, never sent: Failed ⏎ The provider declined it: “the limit is reached”. Nothing was paid.
payout mismatch: Failed ⏎ Not sent: the provider's record isn't what was requested. The amount is 26.00 instead of \
25.00; the recipient is different.
payout needs_human: Needs a decision ⏎ We couldn't confirm this payout. The provider still lists it as not sent. Check \
`(id)` in the provider's dashboard, then retry or close it as not paid. ⏎ (call) ⏎ [Retry] [Close as not paid] (menu)
payout needs_human, never created: Needs a decision ⏎ We couldn't find out whether the provider created this payout. \
Nothing was paid. It couldn't be created after several attempts. Check our code `(code)` in the provider's dashboard, \
then retry or close it as not paid. ⏎ (call) ⏎ [Retry] [Close as not paid] (menu)
payout needs_human, one of two: Needs a decision ⏎ We couldn't confirm this payout. The new attempt wasn't sent in \
time. Check `(id)` in the provider's dashboard, then retry or close it as not paid. Approved to retry: 1 of 2. ⏎ \
(approved) · <@U0ADA> <!subteam^S0TREASURY> ⏎ [Retry] [Close as not paid] (menu)
one_step commit_unknown, suspect: Not confirmed yet ⏎ We're checking with the provider. *Don't send it again.* The \
payout op-77 at the provider has the same recipient and amount but not our code. Check whether it's this one. ⏎ \
(approved) ⏎ (menu)
one_step needs_human: Needs a decision ⏎ We couldn't confirm this payout. The provider doesn't list it. Check our code \
`(code)` in the provider's dashboard, then retry or close it as not paid. ⏎ (call) ⏎ [Retry] [Close as not paid] (menu)
one_step needs_human, suspect: Needs a decision ⏎ We couldn't confirm this payout. The payout op-77 at the provider \
has the same recipient and amount but not our code. Check whether it's this one. Check our code `(code)` in the \
provider's dashboard, then close it as not paid. ⏎ (call) ⏎ [Close as not paid] (menu)
one_step needs_human, refused: Needs a decision ⏎ We couldn't confirm this payout. The provider rejected the request, \
saying “the limit is reached”, but the list can't be used: its pages repeat. Check our code `(code)` in the provider's \
dashboard, then retry or close it as not paid. ⏎ (call) ⏎ [Retry] [Close as not paid] (menu)
purchase new: :hourglass_flowing_sand: *Preparing*: Creating a checkout link… ⏎ [Withdraw]
purchase creating: :hourglass_flowing_sand: *Preparing*: Creating a checkout link…
purchase create_unknown: :grey_question: *Not confirmed yet*: We're checking whether the checkout was created. Don't \
request it again.
purchase create_unknown, refused: :grey_question: *Not confirmed yet*: The provider declined it: “the limit is \
reached”. We're checking that it didn't go through. Don't request it again.
purchase needs_human: :warning: *Needs a decision*: We couldn't find out whether the checkout was created. Check the \
provider's dashboard before you request it again. The list can't be used: its pages repeat.
purchase open: :link: *Waiting for payment*: Nothing has been paid yet. ⏎ [Open checkout]
purchase open, stopped: :link: *Waiting for payment*: Nothing has been paid yet. ⏎ [Open checkout] ⏎ (stopped)
purchase open, as it calls it: :link: *Waiting for payment*: The provider calls its status “On &lt;Hold&gt;”. ⏎ [Open \
checkout]
purchase completed: :white_check_mark: *Paid*
purchase completed, by another: :white_check_mark: *Paid*: Paid by eve@example.com.
purchase canceled: :leftwards_arrow_with_hook: *Canceled*: No money moved.
purchase failed: :x: *Failed*: The provider couldn't take the payment: “card declined”.
purchase refused: :x: *Failed*: The provider declined it: “the limit is reached”. There is nothing to pay.
purchase mismatch: :octagonal_sign: *Failed*: The link isn't shown: the provider's record isn't what was requested. \
The amount is 120.00 instead of 119.50.
purchase closed: :no_entry: *Failed*: It was never opened. The provider doesn't list it.
purchase withdrawn: :wastebasket: *Withdrawn*: By <@U0MARIA>. It was never opened.
purchase withdrawn, by an admin: :wastebasket: *Withdrawn*: By <@U0TOM>: “asked for twice”. It was never opened.
bulk new: Preparing ⏎ Checking recipients: `████████░░░░░░░░░░░░ 44 %` 4 of 9. ⏎ :warning: 2 first-time recipients. ⏎ \
:warning: Row 7 repeats an earlier row (same address and amount). ⏎ (menu, Withdraw)
bulk awaiting: (warnings) ⏎ 0 of 1 approvals · expires 2026-11-21 09:00 UTC · (call) ⏎ [Approve] [Reject] (menu, \
Withdraw)
bulk approved: Approved ⏎ (warnings) ⏎ (approved) ⏎ (menu, Withdraw)
bulk sending: Sending ⏎ (warnings) ⏎ (approved) ⏎ (menu)
bulk committed: Sent ⏎ `██████░░░░░░░░░░░░░░ 30 %` 3 paid, 7 not reported yet. ⏎ :warning: 1 of the 9 accounts checked \
can't receive money yet: eve@example.com. ⏎ (approved) ⏎ (menu)
bulk commit_unknown: Not confirmed yet ⏎ We're checking with the provider. *Don't send it again.* ⏎ (warnings) ⏎ \
(approved) ⏎ (menu)
bulk commit_unknown, refused: Not confirmed yet ⏎ The provider declined it: “the limit is reached”. We're checking \
that it didn't go through. *Don't send it again.* ⏎ (warnings) ⏎ (approved) ⏎ (menu)
bulk needs_human: Needs a decision ⏎ We couldn't confirm this bulk payment. The provider's history doesn't show it. \
Check the provider's dashboard (notes such as `L-4F7K2M/2`), then retry or close it as not paid. No other bulk payment \
is sent until you decide. ⏎ (warnings) ⏎ (call) ⏎ [Retry] [Close as not paid] (menu)
bulk committed, not read: Sent ⏎ `░░░░░░░░░░░░░░░░░░░░ 0 %` Nothing reported yet. ⏎ :warning: 1 of the 9 accounts \
checked can't receive money yet: eve@example.com. ⏎ (approved) ⏎ (menu)
bulk pending_escrow: Waiting for sign-up ⏎ `████████████████░░░░ 80 %` 7 paid, 1 failed, 2 waiting for sign-up \
($95.00). ⏎ :warning: 1 of the 9 accounts checked can't receive money yet: eve@example.com. ⏎ (approved) ⏎ [View list] \
[Cancel 2 waiting] [… History]
bulk completed: All 10 paid ⏎ (approved)
bulk completed, some failed: 7 paid, 1 failed, 2 canceled ⏎ (approved)
bulk failed: All 10 failed ⏎ (approved)
bulk canceled: All 10 canceled ⏎ (approved)
bulk mismatch: Failed ⏎ Not sent. Our own record was changed after it was approved.
bulk_cancel new: Preparing ⏎ Nothing is canceled until it's approved. ⏎ (menu, Withdraw)
bulk_cancel committed: Sent ⏎ Reading the outcome of each payment. ⏎ (approved) ⏎ (menu)
bulk_cancel rejected: Rejected ⏎ Rejected by <@U0ADA>: “the invoice is wrong”. Nothing was canceled.
bulk_cancel withdrawn: Withdrawn ⏎ Withdrawn by <@U0MARIA>. Nothing was canceled.
bulk_cancel expired: Expired ⏎ Not approved in time. Nothing was canceled.
bulk_cancel closed: Failed ⏎ Closed by <@U0ADA>: “the service shows no payment”.
bulk_cancel commit_unknown: Not confirmed yet ⏎ We're checking with the provider whether they were canceled. ⏎ \
(approved) ⏎ (menu)
bulk_cancel needs_human: Needs a decision ⏎ We couldn't confirm whether they were canceled. The provider still lists \
them as waiting. ⏎ (call) ⏎ [Retry] [Close] (menu)
bulk_cancel needs_human, not all sent: Needs a decision ⏎ Not all of them were sent to the provider. 1 more approval \
needed: an approver was removed. ⏎ (call) ⏎ [Retry] [Close] (menu)
bulk_cancel committed, refused: Sent ⏎ Reading the outcome of each payment. The provider rejected the request, saying \
“the limit is reached”. ⏎ (approved) ⏎ (menu)
bulk_cancel completed: Done ⏎ 1 payment canceled, $45.00 returned; 1 already paid ($50.00). ⏎ (approved)
bulk_cancel failed: Failed ⏎ 0 payments canceled, $0.00 returned; 1 already paid ($45.00); 1 already failed ($50.00). \
⏎ (approved)
bulk_cancel mismatch: Failed ⏎ Our own record was changed after it was approved. Nothing was canceled.\
""")


@pytest.mark.parametrize("kind", [Kind.PAYOUT, Kind.BULK, Kind.BULK_CANCEL])
def test_line_of_requester_has_state_reason_and_withdraw_button_of_card(kind: Kind) -> None:
    cards_then, lines_then = cards_of(kind), cards_of(kind, approvers=False)
    for name, one in moments(kind).items():
        card_text, (first, *rest) = seen(cards_then[name]), seen(lines_then[name]).splitlines()
        _, state, _ = first.split("*")
        assert state.partition(" (")[0] in (card_text.partition(" · ")[0], "Waiting for approval"), name
        assert f" · {one.reference}" in first
        assert ("[Withdraw]" in first) is ("[… Withdraw" in card_text), name
        assert all(line in card_text for line in rest if not line.startswith("Checking the recipient")), name
        assert not rest or one.state not in FINAL, "the news follows"


def test_the_name_of_a_file_is_shown_up_to_120_characters() -> None:
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


def test_texts_of_notifications() -> None:
    texts = {
        kind.value: card(moments(kind)[name]).text
        for kind, name in (
            (Kind.PAYOUT, "awaiting, one of two"),
            (Kind.PURCHASE, "open"),
            (Kind.BULK_CANCEL, "awaiting"),
        )
    }
    assert lines_of(texts) == snapshot("""\
payout: Approve $25.00 to Ana Maria Lopez (ana@example.com)? March translation, requested by Maria Quispe · verified · \
Ecuador · P-4F7K2M. 0 of 2 approvals · expires <!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. \
:warning: Needs 2 approvers because it's over $1,000. Each types the amount. <@U0ADA> <@U0LIN> <!subteam^S0TREASURY>
purchase: Purchase C-4F7K2M: $119.50 from ben@example.com for “Spring campaign” (2 × web at 10.00; 1 × Print ads at \
99.50), requested by <@U0MARIA>. :link: *Waiting for payment*: Nothing has been paid yet. Checkout: \
<https://pay.example.com/checkout/op-1>
bulk_cancel: Approve canceling 2 waiting payments ($95.00)? From L-4F7K2M: all that were waiting, requested by Maria \
Quispe · X-4F7K2M. 0 of 1 approvals · expires <!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. \
<@U0ADA> <@U0LIN> <!subteam^S0TREASURY>\
""")


@pytest.mark.parametrize("state", list(State))
def test_the_card_holds_every_fact_in_blocks_and_in_its_text(state: State) -> None:
    subject = stands(state, payload=payload(cents=123_456, description="Rent & <b>heating</b>"))
    shown = card(subject, votes=[vote("U0LIN")])
    facts = ["$1,234.56", "ana@example.com", "Ana Maria Lopez", "Maria Quispe", "P-4F7K2M", "<@U0LIN>"]
    facts += ["Approve"] if state is State.AWAITING else []
    facts += [word(state).capitalize()] if state not in (State.AWAITING, State.NEEDS_HUMAN) else []
    for fact in [*facts, "Rent &amp; &lt;b&gt;heating&lt;/b&gt;", KINDS[Kind.PAYOUT].why(subject, votes=1)]:
        assert fact in shown.text
        assert fact in readable(shown)


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


def test_an_address_with_lookalike_letters_is_flagged() -> None:
    flagged = card(stands(State.AWAITING, payload=payload(email="ana@xn--exmple-cua.com")))
    warning = ":warning: This address uses letters that can look like others. Check it with the recipient."
    assert warning in seen(flagged).splitlines()
    assert warning in flagged.text


def test_nothing_is_withdrawn_after_a_request_was_sent_once() -> None:
    assert "Withdraw" not in seen(card(stands(State.APPROVED, commits=1)))


def test_a_button_carries_which_request_and_round_and_nothing_else() -> None:
    subject = stands(State.AWAITING, round=3)
    carried = {str(button["value"]) for button in buttons(subject) if button["type"] == "button"}
    chosen = {str(option["value"]) for one in buttons(subject) for option in one.get("options", [])}  # type: ignore[attr-defined]
    assert carried == {f"{subject.id}:3"}
    assert chosen == {f"{what}:{subject.id}:3" for what in (cards.WITHDRAW, cards.HISTORY, cards.RECIPIENT)}


def test_at_most_one_button_is_the_obvious_one() -> None:
    for state in State:
        styles = [button.get("style") for button in buttons(stands(state))]
        assert styles.count("primary") <= 1
        assert styles.count("danger") <= 1


def test_a_card_that_too_few_can_approve_says_so_in_its_text_too() -> None:
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
every_kind = pytest.mark.parametrize("kind", list(Kind))


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
def test_every_state_that_is_told_has_its_news(kind: Kind) -> None:
    words = KINDS[kind]
    assert told_states(kind) <= set(words.news)
    own = {state for state, said in words.news.items() if NEWS.get(state) != said}
    assert own <= set.union(*map(told_states, kin(kind))), "a state that is never told"
    for one in in_each_state(kind):
        if one.state in told_states(kind):
            said = News(words, one, facts_of(one), NAMES).say(words.news[one.state])
            assert said.rstrip().endswith((".", ".*")), said

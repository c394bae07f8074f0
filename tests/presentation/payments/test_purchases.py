"""Purchases as they are shown: within Slack's limits, calling nobody but their own people, honest in every state."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.payments.fields import item_lines as lines
from bot.domain.payments.instruction import Instruction, Item, PurchasePayload
from bot.presentation import answers
from bot.presentation.blocks import elements
from bot.presentation.payments import purchases
from bot.presentation.payments.kinds import sentence
from tests.domain.made import purchase
from tests.presentation.checks import calls_in, check_message
from tests.presentation.drawn import ORIGIN, foreign, ours, purchases_drawn

LINK = "https://pay.example.com/checkout/652f7a1e9b3c4d5e6f708192"


@given(purchases_drawn(), st.sampled_from(["", LINK]), st.sampled_from(["", ORIGIN]), st.booleans())
def test_cards(shown: Instruction, link: str, invite: str, buttons: bool) -> None:
    card = purchases.card(shown, link=link, invite_to=invite, buttons=buttons)
    check_message(card)
    check_message(type(card)(text=card.text, blocks=card.plainer))
    assert calls_in(card) <= ours([]) | {LINK}
    for blocks in (card.blocks, card.plainer):
        pressable = [one for block in blocks if block["type"] == "actions" for one in block["elements"]]
        labels = {one["text"]["text"] for one in pressable}
        assert labels <= ({"Open checkout", "Withdraw"} if buttons else {"Open checkout"})
    checkout = purchases.checkout(shown, link=LINK)
    check_message(checkout)
    assert calls_in(checkout) <= ours([]) | {LINK}


@pytest.mark.parametrize("known", ["", "CREATED", "confirmed"])
def test_known_status_uses_our_word(known: str) -> None:
    assert sentence(purchase(remote_status=known), votes=0) == snapshot(
        ":link: *Waiting for payment*: Nothing has been paid yet."
    )


def test_long_item_lists_are_counted_in_text_and_full_in_table() -> None:
    items = tuple(Item(name="&" * 60, quantity=9999, unit_cents=99_999_999) for _ in range(20))
    payload = PurchasePayload(email="ben@example.com", description="x", items=items)
    card = purchases.card(purchase(payload=payload), link=LINK)
    check_message(card)
    assert card.text.partition("), requested by")[0].endswith(" more")
    assert len(next(block for block in card.blocks if block["type"] == "table")["rows"]) == 21


@pytest.mark.parametrize(("longer", "told"), [(0, 20), (1, 19)])
def test_items_are_shown_up_to_1100_characters(longer: int, told: int) -> None:
    names = ["n" * 41] * 19 + ["n" * (41 + longer)]
    items = tuple(Item(name=name, quantity=1, unit_cents=100) for name in names)
    payload = PurchasePayload(email="ben@example.com", description="x", items=items)
    lines = [f"1 × {name} at 1.00" for name in names[:told]]  # 53 characters, and two after each
    rest = [] if told == len(names) else ["and 1 more"]
    card = purchases.card(purchase(payload=payload), link="")
    assert f"({'; '.join([*lines, *rest])}), requested by" in card.text


@given(st.lists(foreign(60), min_size=1, max_size=8))
def test_bad_lines_are_listed_briefly(typed: list[str]) -> None:
    _, errors = lines("\n".join(typed))
    if errors:
        assert len(answers.at_lines(errors)) < 1_500


def test_qr_code_holds_the_longest_link() -> None:
    for link in (LINK, LINK + "x" * (2_000 - len(LINK))):
        assert elements.png(link).startswith(b"\x89PNG\r\n")


def test_return_pages_reveal_nothing_about_the_payment() -> None:
    assert [page.partition("<body>")[2] for page in (purchases.THANKS, purchases.LEFT)] == snapshot(
        [
            "<h1>Thank you</h1><p>We'll tell the team once the payment is confirmed. You can close this page.</p>"
            "</body></html>\n",
            "<h1>You left the checkout</h1><p>Nothing was paid here. You can close this page.</p></body></html>\n",
        ]
    )

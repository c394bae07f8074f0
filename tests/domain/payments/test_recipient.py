"""What speaks against a recipient, and which address was probably meant."""

import pytest

from bot.domain.payments.instruction import Kind, Recipient, State
from bot.domain.payments.recipient import Concern, awaits_requester, concerns, lookalike, suggestion
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import distance
from tests.domain.made import instruction

FINE = Recipient(full_name="Ana Lopez", active=True, verified=True, primary=True)
NOBODY = Recipient(full_name=None, active=False, verified=False, primary=False)


@pytest.mark.parametrize(("changes", "found"), [
    ({}, ()), ({"country": "BRA"}, ()), ({"active": False}, (Concern.NOT_ACTIVE,)),
    ({"verified": False}, (Concern.NOT_VERIFIED,)), ({"primary": False}, (Concern.NOT_PRIMARY,)),
    ({"active": False, "verified": False, "primary": False}, tuple(Concern)[1:4]),
    ({"active": None}, (Concern.NOT_KNOWN,)),
    ({"problem": "the payments service gave no answer"}, (Concern.NOT_KNOWN,)), ({"verified": None}, ()),
    ({"full_name": None, "active": False, "verified": False}, (Concern.NO_ACCOUNT,)),
    ({"full_name": " ", "active": False}, (Concern.NO_ACCOUNT,)),
    ({"full_name": " ", "active": False, "instead": "ana@example.com"}, (Concern.NO_ACCOUNT,)),
    ({"instead": "ana@example.com", "anyway": True}, (Concern.LIKE_ANOTHER,)),
    ({"instead": "ana@example.com", "verified": False}, (Concern.LIKE_ANOTHER, Concern.NOT_VERIFIED)),
    ({"full_name": None}, ()),
])  # fmt: skip
def test_unusual_recipients_are_reported(changes: dict[str, object], found: tuple[Concern, ...]) -> None:
    assert concerns(FINE.model_copy(update=changes)) == found


@pytest.mark.parametrize(("changes", "waits"), [
    ({}, True), ({"kind": Kind.ONE_STEP}, True), ({"kind": Kind.PURCHASE}, False), ({"state": State.AWAITING}, False),
    ({"state": State.WITHDRAWN}, False), ({"creates": 1}, False), ({"commits": 1}, False), ({"recipient": None}, False),
    ({"recipient": FINE}, False), ({"recipient": FINE.model_copy(update={"instead": "ana@example.com"})}, True),
    ({"recipient": FINE.model_copy(update={"instead": "ana@example.com", "anyway": True})}, False),
    ({"recipient": FINE.model_copy(update={"instead": "ana@example.com"}), "kind": Kind.PURCHASE}, False),
    ({"recipient": NOBODY.model_copy(update={"anyway": True})}, False),
    ({"recipient": NOBODY.model_copy(update={"full_name": "Mia Keller"})}, False),
    ({"recipient": NOBODY.model_copy(update={"active": None})}, False),
    ({"recipient": Recipient(problem=Reason(Exchange.NO_ANSWER, failure=""), active=False)}, False),
])  # fmt: skip
def test_only_address_without_account_needs_confirmation(changes: dict[str, object], waits: bool) -> None:
    kind = changes.pop("kind", Kind.PAYOUT)
    found = instruction(**{"state": State.NEW, "recipient": NOBODY, **changes})
    object.__setattr__(found, "kind", kind)
    assert awaits_requester(found) is waits


@pytest.mark.parametrize(("one", "other", "letters"), [
    ("", "", 0), ("abc", "abc", 0), ("abc", "abd", 1), ("abc", "ab", 1), ("abc", "abcd", 1), ("exmaple", "example", 1),
    ("ba", "ab", 1), ("abcd", "", 4), ("kitten", "sitting", 3), ("ab", "xyzab", 3),
])  # fmt: skip
def test_swapped_letters_count_as_one_typo(one: str, other: str, letters: int) -> None:
    assert distance(one, other) == distance(other, one) == letters


PAID = frozenset({"ana@example.com", "ben.carter@corp.example", "josefina@corp.example"})


@pytest.mark.parametrize(("typed", "meant"), [
    ("ana@exmaple.com", "ana@example.com"), ("ANA@Exmaple.com", "ana@example.com"),
    ("anna@example.com", "ana@example.com"), ("ben.cartre@corp.example", "ben.carter@corp.example"),
    ("zoe@exmaple.com", "zoe@example.com"), ("zoe@gmial.com", "zoe@gmail.com"), ("zoe@hotmial.com", "zoe@hotmail.com"),
    ("zoe@gmail.com", ""), ("zoe@example.com", ""), ("eva@example.com", ""), ("ana@elsewhere.example", ""),
    ("ana@example.com", ""), ("josefa@corp.example", "josefina@corp.example"), ("jose@corp.example", ""),
])  # fmt: skip
def test_typo_in_a_domain_suggests_the_right_one(typed: str, meant: str) -> None:
    assert suggestion(typed, PAID) == meant


def test_without_history_only_common_domains_are_known() -> None:
    assert suggestion("ana@exmaple.com", frozenset()) == ""
    assert suggestion("ana@outlok.com", frozenset()) == "ana@outlook.com"


@pytest.mark.parametrize(("email", "meant"), [
    ("Ana@acne.com", "ana@acme.com"), ("ana@acme.co", "ana@acme.com"), ("ana@amce.com", "ana@acme.com"),
    ("new@acme.com", ""), ("ana@acme.org", ""), ("ana@ibn.com", ""), ("ana@gmx.net", ""), ("nobody", ""),
])  # fmt: skip
def test_domain_one_letter_from_a_paid_one_is_suspicious(email: str, meant: str) -> None:
    assert lookalike(email, {"luis@acme.com", "bo@ibm.com", "bo@gmx.nett"}) == meant
    assert lookalike(email, ()) == ""

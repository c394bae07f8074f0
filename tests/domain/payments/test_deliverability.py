"""What a checked list says of the rows of a payment file."""

import pytest

from bot.domain.emails.lists import Answer, Outcome
from bot.domain.files.tables import Row
from bot.domain.money import Cents
from bot.domain.payments.deliverability import NO_CHOICE, Choice, Doubt, DoubtfulRow, Verdicts, doubt_of, verdicts_in
from bot.domain.payments.instruction import Recipient
from bot.domain.payments.lookups import Lookup, doubtful_rows

LOST = Doubt.UNDELIVERABLE


@pytest.mark.parametrize(("column", "cell", "said"), [
    ("result", "undeliverable", "undeliverable"), ("Result", " Hard-Bounce ", "Hard-Bounce"),
    ("result (2)", "invalid", "invalid"), ("answer: data.verdict", "Mailbox not found", "Mailbox not found"),
    ("verdict", "rejected", "rejected"), ("email_status", "does_not_exist", "does_not_exist"),
    ("status", "bounced", "bounced"), ("answer: state", "undeliverable", "undeliverable"),
    ("answer: valid", "false", "valid: false"), ("Is Deliverable", "No", "Is Deliverable: No"),
    ("status", "rejected", None), ("status", "failed", None), ("result", "deliverable", None),
    ("result", "risky", None), ("result", "unknown", None), ("result", "", None), ("valid", "true", None),
    ("answer: score", "0", None), ("note", "undeliverable", None),
])  # fmt: skip
def test_words_for_what_nothing_can_be_delivered_to(column: str, cell: str, said: str | None) -> None:
    found = verdicts_in(["email", column], [Row(2, ("a@example.com", cell))])
    assert found.doubts == ({} if said is None else {2: (LOST, said)})
    assert verdicts_in(["email", column], [Row(2, ("a@example.com", cell))], used=(0, 1)) == Verdicts()


@pytest.mark.parametrize(("processing", "result", "doubt", "unchecked"), [
    ("answered", "deliverable", None, 0), ("answered", "undeliverable", (LOST, "undeliverable"), 0),
    ("refused", "", (Doubt.REFUSED, ""), 0), ("refused", "invalid", (LOST, "invalid"), 0),
    ("no address", "", (Doubt.NO_ADDRESS, ""), 0), ("no answer", "", None, 1), ("failed", "", None, 1),
    ("not asked", "", None, 1),
])  # fmt: skip
def test_our_own_columns_say_whether_it_was_asked(
    processing: str, result: str, doubt: tuple[Doubt, str] | None, unchecked: int
) -> None:
    rows = [Row(7, ("a@example.com", processing, result))]
    found = verdicts_in(["email", "processing", "result"], rows)
    assert found == Verdicts(doubts={} if doubt is None else {7: doubt}, unchecked=unchecked)


@pytest.mark.parametrize(("answer", "doubt"), [
    (Answer(outcome=Outcome.ANSWERED, result="undeliverable"), (LOST, "undeliverable")),
    (Answer(outcome=Outcome.ANSWERED, pairs=(("data.valid", "false"),)), (LOST, "data.valid: false")),
    (Answer(outcome=Outcome.ANSWERED, result="deliverable"), None),
    (Answer(outcome=Outcome.ANSWERED, text="nothing can be delivered"), None),
    (Answer(outcome=Outcome.REFUSED, result="odd"), (Doubt.REFUSED, "odd")),
    (Answer(outcome=Outcome.NO_ADDRESS), (Doubt.NO_ADDRESS, "")),
    (Answer(outcome=Outcome.NO_ANSWER, result="invalid"), None), (Answer(outcome=Outcome.FAILED), None),
])  # fmt: skip
def test_answers_are_read_like_columns(answer: Answer, doubt: tuple[Doubt, str] | None) -> None:
    assert doubt_of(answer) == doubt


def look_up(email: str, *, active: bool | None = True, result: str = "") -> tuple[str, Lookup]:
    answer = Answer(outcome=Outcome.ANSWERED, result=result) if result else None
    return email, Lookup(email=email, recipient=Recipient(active=active), answer=answer)


def test_who_is_left_out_and_who_is_taken_in() -> None:
    header = ["email", "amount", "result"]
    cells = [
        ("Ana@example.com", "1.00", "undeliverable"),
        ("ben@example.com", "2.00", ""),
        ("no address", "3.00", "invalid"),
        ("kim@example.com", "4.00", ""),
        ("lea@example.com", "5.00", "deliverable"),
    ]
    known = dict([look_up("ben@example.com", active=False), look_up("kim@example.com", result="bounced")])
    known |= dict([look_up("lea@example.com", active=None)])
    rows = [Row(n, one) for n, one in enumerate(cells, 2)]

    def found(choice: Choice) -> list[DoubtfulRow]:
        places = {"email": 0, "amount": 1}
        return doubtful_rows(header, rows, places, known, choice=choice, plain=lambda cell: cell)[0]

    ana = DoubtfulRow(row=2, kind=LOST, said="undeliverable", email="Ana@example.com", cents=Cents(100))
    ben = DoubtfulRow(row=3, kind=Doubt.NO_ACCOUNT, email="ben@example.com", cents=Cents(200), is_left_out=False)
    nobody = DoubtfulRow(row=4, kind=LOST, said="invalid")
    kim = DoubtfulRow(row=5, kind=LOST, said="bounced", email="kim@example.com", cents=Cents(400))
    assert found(NO_CHOICE) == [ana, ben, nobody, kim]
    left = {one.row for one in found(Choice(anyway=frozenset({2, 4, 9}))) if one.is_left_out}
    assert left == {4, 5}, "what is no payment cannot be taken in"
    left = {one.row for one in found(Choice(anyway=frozenset({5}), without_account=False)) if one.is_left_out}
    assert left == {2, 3, 4}

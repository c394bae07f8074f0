"""What a checked list says of the rows of a payment file."""

import pytest

from bot.domain.emails.lists import Answer, Outcome
from bot.domain.files.tables import Row
from bot.domain.payments.deliverability import Doubt, Verdicts, doubt_of, verdicts_in

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
def test_undeliverable_verdicts_are_recognized(column: str, cell: str, said: str | None) -> None:
    found = verdicts_in(["email", column], [Row(2, ("a@example.com", cell))])
    assert found.doubts == ({} if said is None else {2: (LOST, said)})
    assert verdicts_in(["email", column], [Row(2, ("a@example.com", cell))], used=(0, 1)) == Verdicts()


@pytest.mark.parametrize(("processing", "result", "doubt", "unchecked"), [
    ("answered", "deliverable", None, 0), ("answered", "undeliverable", (LOST, "undeliverable"), 0),
    ("refused", "", (Doubt.REFUSED, ""), 0), ("refused", "invalid", (LOST, "invalid"), 0),
    ("no address", "", (Doubt.NO_ADDRESS, ""), 0), ("no answer", "", None, 1), ("failed", "", None, 1),
    ("not asked", "", None, 1),
])  # fmt: skip
def test_our_columns_show_whether_a_row_was_checked(
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
def test_answer_raises_a_doubt_about_the_address(answer: Answer, doubt: tuple[Doubt, str] | None) -> None:
    assert doubt_of(answer) == doubt

"""What one person is told who looks at bulk payments, or freezes payments."""

from datetime import UTC, datetime
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.content import Content
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkProgress
from bot.domain.payments.bulk_records import BulkJob, BulkRow, JobPage
from bot.domain.payments.instruction import Kind, State
from bot.domain.policy import Frozen
from bot.domain.reasons import Reason, Verbatim
from bot.presentation.payments import answers
from bot.presentation.payments import bulk as words
from bot.presentation.payments.answers import freezing
from bot.presentation.payments.kinds import KINDS
from tests.domain.made import NOW, bulk, instruction
from tests.presentation.checks import cell_text, check_message, lines_of, seen


def test_history_uses_one_spelling_per_word() -> None:
    jobs = (BulkJob(id="a1", status="DONE", count=3), BulkJob(id="b2", status="done", count=3))
    assert answers.history(JobPage(jobs=jobs, page=1, pages=1), {}, command="/pay").text == snapshot("""\
*Bulk payments*, page 1 of 1
• a1 · finished · 3 payments
• b2 · finished · 3 payments""")


@pytest.mark.parametrize(
    ("figures", "word"),
    [
        ({"completed": 3, "failed": 0, "pending": 0}, "paid"),
        ({"completed": 2, "failed": 0, "pending": 0}, "finished"),  # one was canceled
        ({"completed": 0, "failed": 0, "pending": 0}, "finished"),
        ({"completed": 2, "failed": 1, "pending": 0}, "finished"),
        ({"completed": 2, "failed": 0, "pending": 1}, "waiting for sign-up"),
        ({"completed": 3}, "finished"),  # nothing is said of failures
    ],
)
def test_external_bulk_completes_when_every_item_completed(figures: dict[str, int], word: str) -> None:
    job = BulkJob(id="a1", status="DONE", count=3, **figures)
    assert f"Status: {word}\n" in answers.job(job).text + "\n"
    listed = answers.history(JobPage(jobs=(job,), page=1, pages=1), {}, command="/pay").text
    assert listed.splitlines()[1].startswith(f"• a1 · {word} · 3 payments")


def parts(content: Content) -> str:
    """What stands in the blocks; the text has every cell of the table, too."""
    for table in (block for block in content.blocks if block["type"] == "table"):
        assert all(
            cell_text(cell).lower() in content.text.lower()
            for row in table["rows"][1:]
            for cell in row[1:-1]
            if cell_text(cell) != "–"
        )
    return seen(content)


def test_page_lists_payments() -> None:
    shown = [
        BulkRow(row=2, email="ana@example.com", cents=Cents(2500), status="completed", hash="9f86d081"),
        BulkRow(row=3, email="ben@example.com", cents=Cents(1050)),
    ]
    told = answers.items("L-4F7K2M", shown, page=2, pages=3, total=42, failed=False, read_at=NOW)
    assert parts(told) == snapshot("""\
*Payments of L-4F7K2M*: 42, page 2 of 3
Row | Recipient | Amount | Status | Hash
2 | ana@example.com | $25.00 | paid | 9f86d081
3 | ben@example.com | $10.50 | Not reported | –
Checked 2026-11-20 09:00 UTC
[Previous] [Next] [Send as CSV]\
""")
    check_message(told)


@pytest.mark.parametrize(("page", "failed", "text"), [
    (1, False, "*Payments of L-4F7K2M*: none"), (1, True, "*Failed payments of L-4F7K2M*: none"),
    (3, True, "*Failed payments of L-4F7K2M*: none on page 3 of 2"),
])  # fmt: skip
def test_page_without_payments_says_so(page: int, failed: bool, text: str) -> None:
    told = answers.items("L-4F7K2M", [], page=page, pages=2, total=0, failed=failed, read_at=None)
    assert told.text == text
    assert seen(told).startswith(text)
    assert len(told.blocks) == 2


def test_history_is_paged() -> None:
    made = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
    jobs = (
        BulkJob(id="a1", status="DONE", count=1, completed=1, failed=0, pending=0, created_at=made),
        BulkJob(id="b2", status="RUNNING", count=3, completed=1, failed=2),
    )
    ours = {"b2": instruction(kind=Kind.BULK, payload=bulk().payload, reference="L-4F7K2M", state=State.COMMITTED)}
    told = answers.history(JobPage(jobs=jobs, page=2, pages=3), ours, command="/sb-pay")
    assert parts(told) == snapshot("""\
*Bulk payments*, page 2 of 3
Created | Bulk payment | Status | Payments | Paid | Failed
2026-11-20 09:00 UTC | a1 | paid | 1 | 1 | 0
– | L-4F7K2M | sent | 3 | 1 | 2
Details: `/sb-pay bulk show L-…`
[Previous] [Next] [Send as CSV]\
""")


REFUSALS = ("nothing pending", "unknown hash", "ambiguous", "unknown amount")


def test_why_nothing_is_canceled() -> None:
    statuses = ("completed", "failed", "canceled", "created", "committed", "odd")
    items = [BulkRow(row=n, email=f"p{n}@x.yz", cents=Cents(1), status=one) for n, one in enumerate(statuses, 2)]
    elsewhere = BulkRow(row=0, email="p@x.yz", cents=Cents(1), status="completed")
    early = BulkRow(row=9, email="", cents=Cents(1))
    found = [
        answers.cannot_cancel("unknown hash", ["999"], bulk="L-4F7K2M", rows=(2, 61)),
        *(answers.cannot_cancel(why, ["a1", "b2"], bulk="L-4F7K2M") for why in REFUSALS),
        *(answers.cannot_cancel("not pending", ["x"], [one], bulk="L-4F7K2M") for one in [*items, elsewhere, early]),
        answers.cannot_cancel("not pending", ["x"], items, bulk="L-4F7K2M"),
    ]
    assert lines_of([one.text.removeprefix(":pencil2: ") for one in found[:-1]]) == snapshot("""\
There's no row 999; L-4F7K2M has rows 2–61.
No payment of L-4F7K2M is waiting now, so there's nothing to cancel.
L-4F7K2M has no payment `a1`, `b2`. Use row numbers, or the first eight digits of a hash.
`a1`, `b2` fits several payments of L-4F7K2M. Use row numbers, or more digits of the hash.
The provider doesn't give the amount of `a1`, `b2`, so this can't be approved.
Row 2 (p2@x.yz) was already paid, so it can't be canceled.
Row 3 (p3@x.yz) already failed, so it can't be canceled.
Row 4 (p4@x.yz) was already canceled, so it can't be canceled.
Row 5 (p5@x.yz) hasn't been processed yet, so it can't be canceled.
Row 6 (p6@x.yz) is being paid now, so it can't be canceled.
Row 7 (p7@x.yz) is odd, not waiting, so it can't be canceled.
The payment to p@x.yz was already paid, so it can't be canceled.
Row 9 hasn't been processed yet, so it can't be canceled.\
""")
    assert found[-1].text.splitlines()[3:] == ["and 3 more"]


LOOKED_UP = {"to_look_up": 60, "looked_up": 60}


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        ({}, []),
        ({"not_read": 20}, ["20 of 60 accounts couldn't be checked"]),
        (
            {"inactive": 40, "inactive_emails": ("a@x.yz", "b@x.yz", "c@x.yz"), "not_read": 20},
            ["40 of the 40 accounts checked can't receive money yet (20 not checked)"],
        ),
        (
            {"inactive": 1, "inactive_emails": ("eve@x.yz",)},
            ["1 of the 60 accounts checked can't receive money yet: eve@x.yz"],
        ),
        (
            {"unverified": 1, "unverified_emails": ("a@x.yz",), "other_names": 2, "other_name_emails": ("b@x.yz", "c")},
            ["1 account not verified: a@x.yz", "2 accounts registered under another name: b@x.yz, c"],
        ),
        ({"unverified": 4, "unverified_emails": ("a@x.yz", "b", "c", "d")}, ["4 accounts not verified"]),
    ],
)
def test_accounts(progress: dict[str, Any], said: list[str]) -> None:
    assert words.account_warnings(BulkProgress(**LOOKED_UP, **progress)) == said


def test_at_most_ten_repeated_rows_are_named() -> None:
    rows = list(range(2, 14))
    end = "(same address and amount)"
    assert words.repeated(rows[:1], 1) == f"Row 2 repeats an earlier row {end}"
    assert words.repeated(rows[:10], 10).endswith(f"row 11 repeat earlier rows {end}")
    assert words.repeated(rows, 12).endswith(f"row 11 and 2 more repeat earlier rows {end}")
    assert words.repeated(rows[:10], 40).endswith(f"row 11 and 30 more repeat earlier rows {end}")


def test_each_exported_file_names_its_content() -> None:
    found = {
        f"{kind} {name} {count}": " | ".join(file.about(bulk(reference="L-4F7K2M"), count=count))
        for kind, words in KINDS.items()
        for name, file in words.files.items()
        for count in (1, 2)
        if count == 2 or name == "items"
    }
    assert lines_of(found) == snapshot("""\
bulk failed 2: L-4F7K2M: failed payments | A table of 2 payments | :page_facing_up: 2 payments failed. To change them, \
fix the rows and upload this file. To send them as they are, press *Retry*.
bulk_cancel request 2: L-4F7K2M: payments to cancel | A table of 2 payments | :page_facing_up: Payments to cancel (2 \
rows)
bulk_cancel result 2: L-4F7K2M: result of each payment | A table of 2 payments | :page_facing_up: Result of each \
payment (2 rows)\
""")


CALLED = Reason(Verbatim.GIVEN, text="the bank called")
FROZEN = Frozen(by="U0OLGA", reason=CALLED, at="2026-01-05T09:00:00Z", lifting=("U0ADA",))


def test_repeated_freeze_or_unfreeze_changes_nothing() -> None:
    assert freezing(None, changed=False, asked_to_freeze=False, needed=2).text == ":sunny: Payments aren't frozen."
    assert freezing(FROZEN, changed=True, asked_to_freeze=False, needed=2).text == snapshot(
        ":ballot_box_with_check: You voted to unfreeze (1 of 2). Payments stay frozen until 2 approvers have."
    )

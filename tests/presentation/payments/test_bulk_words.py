"""How many payments stand where, and what the accounts behind them say."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.bulk import BulkProgress
from bot.presentation.payments import bulk as words
from bot.presentation.payments.kinds import KINDS
from tests.domain.made import bulk
from tests.presentation.checks import lines_of

NOT_ACTIVE = "no account, signup not completed, or it cannot receive money now"


@pytest.mark.parametrize(
    ("progress", "said"),
    [
        (None, "Accounts: not looked up yet"),
        (BulkProgress(), "Accounts: not looked up yet"),
        (BulkProgress(to_look_up=9, looked_up=9), "Accounts looked up: 9; 9 active"),
        (BulkProgress(to_look_up=9, looked_up=9, not_read=2), "Accounts looked up: 9; 7 active, 2 could not be read"),
        (
            BulkProgress(to_look_up=9, looked_up=9, inactive=1, inactive_emails=("eve@example.com",), not_read=1),
            f"Accounts looked up: 9; 7 active, :warning: *1 not active* ({NOT_ACTIVE}): eve@example.com, "
            "1 could not be read",
        ),
        (
            BulkProgress(to_look_up=9, looked_up=9, inactive=3, inactive_emails=("a@x.yz", "b@x.yz", "c@x.yz")),
            f"Accounts looked up: 9; 6 active, :warning: *3 not active* ({NOT_ACTIVE}): a@x.yz, b@x.yz, c@x.yz",
        ),
        (
            BulkProgress(
                to_look_up=9, looked_up=9, inactive=5, inactive_emails=("a@x.yz", "b@x.yz", "c@x.yz", "d@x.yz")
            ),
            f"Accounts looked up: 9; 4 active, :warning: *5 not active* ({NOT_ACTIVE}): a@x.yz, b@x.yz, c@x.yz and "
            "2 more",
        ),
    ],
)
def test_accounts(progress: BulkProgress | None, said: str) -> None:
    assert words.accounts_line(progress) == said


def test_accounts_that_are_being_looked_up_have_a_bar() -> None:
    said = words.accounts_line(BulkProgress(to_look_up=4, looked_up=1))
    assert said == "Looking up accounts: `█████░░░░░░░░░░░░░░░ 25 %`"


@pytest.mark.parametrize(
    ("count", "people", "said"),
    [(1, 1, "1 payment to 1 person"), (3, 2, "3 payments to 2 people"), (3, 0, "3 payments"), (1, 0, "1 payment")],
)
def test_how_many_payments_to_how_many_people(count: int, people: int, said: str) -> None:
    assert words.payments_to(count, people) == said


def test_of_many_rows_that_repeat_ten_are_named() -> None:
    rows = list(range(2, 14))
    end = "(same address and amount as an earlier row)"
    assert words.repeated(rows[:1], 1) == f"row 2 {end}"
    assert words.repeated(rows[:10], 10).endswith(f"row 11 {end}")
    assert words.repeated(rows, 12).endswith(f"row 11 and 2 more {end}")
    assert words.repeated(rows[:10], 40).endswith(f"row 11 and 30 more {end}")


def test_each_file_says_what_stands_in_it() -> None:
    found = {
        f"{kind} {name} {count}": " | ".join(file.about(bulk(reference="L-4F7K2M"), count=count))
        for kind, words in KINDS.items()
        for name, file in words.files.items()
        for count in (1, 2)
        if count == 2 or name == "items"
    }
    assert lines_of(found) == snapshot("""\
bulk request 2: L-4F7K2M: what is to be paid | A table of 2 payments | :page_facing_up: The file behind L-4F7K2M: 2 \
payments, exactly as they would be sent.
bulk failed 2: L-4F7K2M: failed payments | A table of 2 payments | :page_facing_up: The 2 payments that failed, with \
the reasons. Mend the rows, drop the file here again and choose *Pay in bulk*.
bulk items 1: L-4F7K2M: every payment | A table of 1 payment | :page_facing_up: The payment with its final state and \
hash.
bulk items 2: L-4F7K2M: every payment | A table of 2 payments | :page_facing_up: All 2 payments with their final state \
and hash.
bulk_cancel request 2: L-4F7K2M: the payments to cancel | A table of 2 payments with their hashes | :page_facing_up: \
L-4F7K2M: the payments to cancel (2 payments)
bulk_cancel result 2: L-4F7K2M: outcome of each payment | A table of 2 payments with their hashes | :page_facing_up: \
L-4F7K2M: outcome of each payment (2 payments)""")

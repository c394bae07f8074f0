"""Rows that are typed or pasted, and the account of a recipient before anybody is asked."""

from dataclasses import replace
from typing import Any

import pytest

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.files.tables import Hidden, Row, Table
from bot.domain.payments.instruction import Recipient, State
from bot.domain.payments.operation import AccountStatus
from bot.workflows.payments.bulk_request import as_payments, read_typed
from bot.workflows.payments.recipient import read_recipient, with_recipient
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.planted import everything_stored, made, on_one_rig, planted, queued, stored


async def test_typed_rows_name_people_and_are_all_paid() -> None:
    found = await read_typed("email,amount,full name,result\na@example.com,1.00,Ana,undeliverable")
    assert [(one.email, one.name) for one in found.items] == [("a@example.com", "Ana")]
    assert found.doubtful == []


async def test_typed_rows_may_be_empty_quoted_or_incomplete() -> None:
    found = await read_typed('a@example.com,1.00\n\n  \nb@example.com,"2.50","a, b"\nc@example.com')
    assert [(one.email, one.cents, one.note) for one in found.items] == [
        ("a@example.com", 100, ""),
        ("b@example.com", 250, "a, b"),
    ]
    assert ([one.row for one in found.bad], found.rows) == ([5], 3)


@pytest.mark.parametrize("text", [
    "a@example.com,1.00\nb@example.com,2.50,note", "a@example.com;1.00\nb@example.com;2.50;note",
    "a@example.com\t1.00\nb@example.com\t2.50\tnote", "\na@example.com,1.00\nb@example.com,2.50,note\n\n",
    "email,amount,note\na@example.com,1.00,\nb@example.com,2.50,note",
    "note,amount,email\n,1.00,a@example.com\nnote,2.50,b@example.com",
])  # fmt: skip
async def test_typed_rows_are_read_with_or_without_names(text: str) -> None:
    found = await read_typed(text)
    assert [(one.email, one.cents, one.note) for one in found.items] == [
        ("a@example.com", 100, ""),
        ("b@example.com", 250, "note"),
    ]
    assert (list(found.bad), found.rows, found.name, found.read_as) == ([], 2, "typed rows", "")


async def test_a_bad_row_is_named_by_its_number_as_it_was_typed() -> None:
    typed = await read_typed("a@example.com,1.00\nb@example.com,x")
    assert [one.row for one in typed.bad] == [2]
    named = await read_typed("email,amount\na@example.com,1.00\nb@example.com,x")
    assert [one.row for one in named.bad] == [3]


class Accounts:
    def __init__(self, answer: Any) -> None:
        self.answer, self.asked = answer, 0

    async def account_status(self, _email: str) -> AccountStatus:
        self.asked += 1
        if isinstance(self.answer, Exception):
            raise self.answer
        found: AccountStatus = self.answer
        return found


ODD, AWAY = own_words("is odd"), own_words("is away")
FULL = AccountStatus(full_name="Ana Lopez", active=True, verified=False, primary=True, country="ECU")


@on_one_rig(
    [
        (FULL, 0, Recipient(full_name="Ana Lopez", active=True, verified=False, primary=True, country="ECU")),
        (AccountStatus(full_name="Ana", active=True), 0, Recipient(full_name="Ana", active=True)),
        (ServiceNever("payments", ODD), 0, Recipient(problem=ODD)),
        (ServiceNow("payments", AWAY), 3, Recipient(problem=AWAY)),
        (ServiceNow("payments", AWAY), 2, None),
        (OperatorError("no route"), 0, None),
    ]
)
async def test_an_account_that_cannot_be_read_at_the_fourth_time_is_named_as_such(
    rig: Rig, answer: Any, puts_off: int, kept: Recipient | None
) -> None:
    payments: Any = Accounts(answer)
    one = made(rig, puts_off=puts_off, recipient=None)
    if kept is not None:
        assert await read_recipient(rig.switchboard.context, payments, one) == kept
        return
    with pytest.raises((ServiceNow, OperatorError)):
        await read_recipient(rig.switchboard.context, payments, one)


async def test_an_account_is_read_once_and_its_owner_is_kept(rig: Rig) -> None:
    ctx = rig.switchboard.context
    accounts = Accounts(FULL)
    payments: Any = accounts
    one = await planted(rig, state=State.NEW, recipient=None, remote_id=None)
    looked_up = await with_recipient(ctx, payments, one)
    assert looked_up is not None
    assert (looked_up.lease_owner, looked_up.recipient) == (ctx.owner, (await stored(rig, one)).recipient)
    assert await with_recipient(ctx, payments, looked_up) is looked_up
    assert accounts.asked == 1


async def test_who_was_overtaken_asks_nobody_about_an_address(rig: Rig) -> None:
    payments: Any = Accounts(AccountStatus(active=False))
    one = await planted(rig, state=State.NEW, version=2, recipient=None)
    before = everything_stored(rig)
    assert await with_recipient(rig.switchboard.context, payments, replace(one, version=1)) is None
    assert everything_stored(rig) == before
    assert await with_recipient(rig.switchboard.context, payments, one) is None
    assert "news:requester:no_account" in await queued(rig, one)


def test_what_people_do_not_see_in_their_spreadsheet_is_told_of_the_columns_that_are_paid() -> None:
    hidden = Hidden(rows=((3, 4),), columns=(2,), formulas={0: ((2, 2),), 2: ((2, 9),)}, disguised={})
    header, rows = ("amount", "email", "secret"), [Row(2, ("1.00", "a@example.com", "x"))]
    table = Table(header=header, rows=rows, sheet="Sheet1", hidden=hidden)
    found = as_payments(table, "march.xlsx", places={"email": 1, "amount": 0})
    assert [(one.email, one.cents) for one in found.items] == [("a@example.com", 100)]
    assert found.marks.hidden_columns == ("secret",)
    assert (found.marks.hidden_rows.count, found.marks.formulas.spans) == (2, ((2, 2),))
    assert found.name == "march.xlsx"
    assert "Sheet1" in found.read_as

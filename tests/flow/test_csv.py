"""*Send as CSV* below a list: every page of it, in a direct message to the one who pressed."""

import csv
import io
from functools import partial

import pytest

from bot.playground.faults import Fault, FaultKind
from tests.support.answers import ask
from tests.support.bulk import ROWS, finished, reference
from tests.support.deliveries import STORE_KEY, booked, open_rig
from tests.support.elsewhere import made
from tests.support.exports import files, send
from tests.support.rig import FINANCE, MARIA, OLGA, ZOE, Rig
from tests.workflows.looking import newest

status = partial(ask, command="/switchboard", user=OLGA)


def table(content: str) -> list[list[str]]:
    assert content.startswith("\ufeff")
    return list(csv.reader(io.StringIO(content[1:], newline="")))


async def test_every_page_of_the_operations_and_no_formula(rig: Rig) -> None:
    uri = "https://elsewhere.example/secret-of-somebody"
    for n in range(123):
        orders = {"email": f"person{n}@example.com", "cents": 100 * n + 1, "code": f"code-{n}"}
        made(rig, **orders, description="=HYPERLINK(1)", confirmation_uri=uri, failure_uri=uri)
    await rig.pay()
    asked = await newest(rig)
    assert "124 rows" in await send(rig, await ask(rig, "list payouts"))
    [(name, content)] = files(rig, MARIA)
    assert name == "payouts-2026-11-20.csv"
    header, *rows = table(content)
    assert (header[0], header[-1], len(header)) == ("created (UTC)", "failure reason", 14)
    assert len(rows) == len({row[11] for row in rows}) == 124
    [ours] = [row for row in rows if row[9]]
    assert ours[2:6] == ["payout", "25.00", "USD", "ana@example.com"]
    assert ours[9:12] == [asked.reference, asked.code, asked.remote_id]
    [foreign] = [row for row in rows if row[5] == "person7@example.com"]
    assert (foreign[3], foreign[6], foreign[10]) == ("7.01", "'=HYPERLINK(1)", "code-7")
    assert "secret-of-somebody" not in content


async def test_the_items_and_the_history_of_bulk_payments(rig: Rig) -> None:
    await finished(rig, "\n".join([ROWS, *(f"late{n}@example.com, 1.00, =1+1" for n in range(21))]))
    named = reference(rig)
    told = [await send(rig, await ask(rig, f"bulk items {named}")), await send(rig, await ask(rig, "bulk history"))]
    assert ["24 rows" in told[0], ": 1 row," in told[1]] == [True, True]
    (items, content), (history, listed) = files(rig, MARIA)
    assert [items, history] == [f"{named}-payments-2026-11-20.csv", "bulk-payments-2026-11-20.csv"]
    header, *rows = table(content)
    assert (header[0], header[-1]) == ("row", "to check")
    assert [row[0] for row in rows] == [str(number) for number in range(1, 25)]
    assert [*rows[0][1:5], *rows[0][6:9]] == ["ana@example.com", "25.00", "USD", "March", "", "paid", ""]
    assert rows[0][5].startswith("L-")
    assert rows[-1][4] == "'=1+1"
    [head, job] = table(listed)
    made_of = dict(zip(head, job, strict=True))
    assert (made_of["provider status"], made_of["payments"], made_of["completed"]) == ("DONE", "24", "2")
    assert job[1:3] == [named, rig.payments.bulk_payments[0].id]


@pytest.mark.rig(opened_by=open_rig)
async def test_stores_are_listed_without_keys(rig: Rig) -> None:
    await booked(rig)
    assert "Stores: 1 row" in await send(rig, await ask(rig, "stores", command="/deliver"))
    assert "In progress: 1 row" in await send(rig, await status(rig, "jobs"), OLGA)
    [(_, stores)] = files(rig, MARIA)
    assert table(stores)[1][:3] == ["Centro", "yes", "1 Main Square"]
    assert STORE_KEY not in stores
    [(_, jobs)] = files(rig, OLGA)
    assert table(jobs)[1][3:] == ["Looking for a driver", MARIA, FINANCE]


async def test_audit_shows_one_request_only(rig: Rig) -> None:
    for amount in ("25.00", "26.00"):
        await rig.pay(f"send ana@example.com {amount} Rent", user=MARIA)
    asked = await newest(rig)
    listed = await ask(rig, f"audit {asked.reference}", command="/switchboard")
    told = await send(rig, listed)
    assert "3 rows" in told
    [(name, content)] = files(rig, MARIA)
    assert name == f"audit-{asked.reference}-2026-11-20.csv"
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["action"] for row in rows] == ["requested", "create", "created"]
    assert {row["instruction"] for row in rows} == {asked.id}
    refused = await send(rig, listed, ZOE, word=":")
    assert refused.startswith(":no_entry_sign:")
    assert files(rig, ZOE) == []


async def test_list_file_is_refused_without_permission(rig: Rig) -> None:
    await rig.pay()
    listed = await ask(rig, "list")
    told = [await send(rig, listed, ZOE, word=":"), await send(rig, listed, value="everything", word=":")]
    assert all(one.startswith(":no_entry_sign:") for one in told)
    assert files(rig, ZOE) == files(rig, MARIA) == []


async def test_service_silent_halfway_leaves_no_partial_file(rig: Rig) -> None:
    await rig.pay()
    listed = await ask(rig, "list")
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="list_operations", times=None))
    told = await send(rig, listed, word="Payments")
    assert "having problems" in told
    assert files(rig, MARIA) == []


async def test_pressed_twice_it_comes_once(rig: Rig) -> None:
    await rig.pay()
    listed = await ask(rig, "list")
    [button] = listed.buttons
    for _ in range(2):
        await rig.workspace.click(MARIA, FINANCE, listed.ts, button.action_id)
    await rig.workspace.until(lambda: "direct" in rig.workspace.ephemerals(MARIA)[-1].text or None)
    await rig.settle()
    assert len(files(rig, MARIA)) == 1

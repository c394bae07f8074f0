"""*Send as CSV* below a list: every page of it, in a direct message to the one who pressed."""

import csv
import io
import re
from functools import partial

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import PayoutOrder
from tests.support.answers import ask
from tests.support.bulk import ROWS, approve, reference, run
from tests.support.bulk import ask as ask_in_bulk
from tests.support.deliveries import booked, open_rig
from tests.support.exports import files, send
from tests.support.rig import FINANCE, MARIA, OLGA, ZOE, Rig
from tests.workflows.looking import newest

status = partial(ask, command="/switchboard", user=OLGA)


def table(content: str) -> list[list[str]]:
    assert content.startswith("\ufeff")
    return list(csv.reader(io.StringIO(content[1:], newline="")))


async def test_every_page_of_the_operations_and_no_formula(rig: Rig) -> None:
    for number in range(123):
        order = PayoutOrder(
            email=f"person{number}@example.com",
            description="=HYPERLINK(1)",
            cents=100 * number + 1,
            confirmation_uri="https://elsewhere.example/secret-of-somebody",
            failure_uri="https://elsewhere.example/secret-of-somebody",
            code=f"code-{number}",
        )
        rig.payments.add_payout(order)
    await rig.pay()
    asked = await newest(rig)
    assert await send(rig, await ask(rig, "list payouts")) == snapshot(
        ":page_facing_up: Payouts: 124 rows, in your direct messages."
    )
    [(name, content)] = files(rig, MARIA)
    assert name == "payouts-2026-11-20.csv"
    header, *rows = table(content)
    assert ", ".join(header) == snapshot("""\
created (UTC), changed (UTC), type, amount, currency, email, description, status, provider status, reference, code, \
provider id, hash, failure reason""")
    assert len(rows) == len({row[11] for row in rows}) == 124
    [ours] = [row for row in rows if row[9]]
    assert ours[2:9] == snapshot(
        ["payout", "25.00", "USD", "ana@example.com", "March translation", "waiting for approval", "created"]
    )
    assert ours[9:12] == [asked.reference, asked.code, asked.remote_id]
    [foreign] = [row for row in rows if row[5] == "person7@example.com"]
    assert foreign[2:11] == snapshot(
        ["payout", "7.01", "USD", "person7@example.com", "'=HYPERLINK(1)", "created, not sent", "created", "", "code-7"]
    )
    assert "secret-of-somebody" not in content


async def test_the_items_and_the_history_of_bulk_payments(rig: Rig) -> None:
    await ask_in_bulk(rig, "\n".join([ROWS, *(f"late{n}@example.com, 1.00, =1+1" for n in range(21))]))
    await approve(rig)
    await run(rig)
    named = reference(rig)
    told = [await send(rig, await ask(rig, f"bulk items {named}")), await send(rig, await ask(rig, "bulk history"))]
    assert told == snapshot(
        [
            ":page_facing_up: Payments of L-······: 24 rows, in your direct messages.",
            ":page_facing_up: Bulk payments: 1 row, in your direct messages.",
        ]
    )
    (items, content), (history, made) = files(rig, MARIA)
    assert [items, history] == [f"{named}-payments-2026-11-20.csv", "bulk-payments-2026-11-20.csv"]
    header, *rows = table(content)
    assert ", ".join(header) == snapshot(
        "row, email, amount, currency, note, internal note, user, status, why it failed, hash, name, registered name, \
active, verified, primary, country, to check"
    )
    assert [row[0] for row in rows] == [str(number) for number in range(1, 25)]
    assert [*rows[0][1:5], *rows[0][6:9]] == snapshot(["ana@example.com", "25.00", "USD", "March", "", "paid", ""])
    assert rows[0][5].startswith("L-")
    assert rows[-1][4] == "'=1+1"
    [head, job] = table(made)
    assert dict(zip(head[3:], job[3:], strict=True)) == snapshot(
        {
            "status": "waiting for sign-up",
            "provider status": "DONE",
            "payments": "24",
            "completed": "2",
            "failed": "0",
            "pending": "",
        }
    )
    assert job[1:3] == [named, rig.payments.bulk_payments[0].id]


@pytest.mark.rig(opened_by=open_rig)
async def test_the_stores_without_their_keys_and_what_is_under_way(rig: Rig) -> None:
    await booked(rig)
    assert await send(rig, await ask(rig, "stores", command="/deliver")) == snapshot(
        ":page_facing_up: Stores: 1 row, in your direct messages."
    )
    assert await send(rig, await status(rig, "jobs"), OLGA) == snapshot(
        ":page_facing_up: In progress: 1 row, in your direct messages."
    )
    [(_, stores)] = files(rig, MARIA)
    assert [re.sub("[0-9a-f]{24}", "…", ", ".join(row)) for row in table(stores)] == snapshot(
        [
            "name, usable, address, country code, email, id, latitude, longitude, mobile, reference",
            "Centro, yes, 1 Main Square, +593, store@example.com, …, -0.1807, -78.4678, 22345678, Beside the church",
        ]
    )
    [(_, jobs)] = files(rig, OLGA)
    assert [re.sub(r"B-\w+", "B-…", cell) for cell in table(jobs)[1][1:]] == snapshot(
        ["booking", "B-…", "Looking for a driver", "U0MARIA", "C0FINANCE"]
    )


async def test_the_audit_of_one_request_and_of_nobody_elses(rig: Rig) -> None:
    for amount in ("25.00", "26.00"):
        await rig.pay(f"send ana@example.com {amount} Rent", user=MARIA)
    asked = await newest(rig)
    listed = await ask(rig, f"audit {asked.reference}", command="/switchboard")
    told = await send(rig, listed)
    assert told == snapshot(":page_facing_up: Audit of P-······: 3 rows, in your direct messages.")
    [(name, content)] = files(rig, MARIA)
    assert name == f"audit-{asked.reference}-2026-11-20.csv"
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [row["action"] for row in rows] == ["requested", "create", "created"]
    assert {row["instruction"] for row in rows} == {asked.id}
    refused = await send(rig, listed, ZOE, word=":")
    assert refused == snapshot(":no_entry_sign: This request has changed since. Look at its card again.")
    assert files(rig, ZOE) == []


async def test_who_may_not_see_a_list_gets_no_file(rig: Rig) -> None:
    await rig.pay()
    listed = await ask(rig, "list")
    told = [await send(rig, listed, ZOE, word=":"), await send(rig, listed, value="everything", word=":")]
    assert told == snapshot(
        [
            ":no_entry_sign: You don't have permission to see payments. Ask an admin to add you.",
            ":no_entry_sign: This request has changed since. Look at its card again.",
        ]
    )
    assert files(rig, ZOE) == files(rig, MARIA) == []


async def test_a_service_that_falls_silent_halfway_leaves_no_half_file(rig: Rig) -> None:
    await rig.pay()
    listed = await ask(rig, "list")
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation="list_operations", times=None))
    told = await send(rig, listed, word="Payments")
    assert told == snapshot("""\
:warning: Payments is having problems. Try again in a minute.""")
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

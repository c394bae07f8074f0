"""Bulk payments in the simulator: jobs that advance, escrow, failures, cancellation, and what lists look like."""

import io
import json
from typing import Any

from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner


def rows(*cents: int, email: str = "ana@example.com") -> list[dict[str, Any]]:
    return [
        {"receiver_email": email, "amount": c / 100, "currency": "USD", "note": "March", "internal_note": f"B-1/{n}"}
        for n, c in enumerate(cents, 2)
    ]


async def submitted(partner: Partner, orders: list[dict[str, Any]]) -> str:
    reply = await partner("POST", "/bulk-payments", orders)
    assert reply.status == 201, reply
    assert reply.body["payments"] == {"count": len(orders)}
    return str(reply.body["id"])


async def test_cancel_without_rows_cancels_all_pending(simulator: PaymentsSimulator, partner: Partner) -> None:
    job = await submitted(partner, rows(200, 300, email="nobody@example.com"))
    await simulator.advance()
    await simulator.advance()
    told = await partner("POST", f"/bulk-payments/{job}/payments/cancel", {})
    assert len(told.body["successful"]) == 2
    assert simulator.ledger.paid_cents() == 0
    assert simulator.bulk_payments[0].canceled_all == 1


async def test_lists_come_in_pages_and_zeros_as_empty_texts(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.bulk_page_size = 2
    simulator.switches.bulk_fail_every = 2
    job = await submitted(partner, rows(100, 200, 300))
    await simulator.advance()
    history = (await partner("GET", "/bulk-payments")).body
    assert history["bulk_payments"][0]["payments"] == {"count": 3, "completed": "", "failed": ""}
    await simulator.advance()
    second = (await partner("GET", f"/bulk-payments/{job}/payments?page=2")).body
    assert (second["count"], second["pages"], second["currentPage"], len(second["payments"])) == (3, 2, 2, 1)
    failed = (await partner("GET", f"/bulk-payments/{job}/errors")).body
    assert [one["internal_note"] for one in failed["payments"]] == ["B-1/3"]
    assert failed["payments"][0]["error"]


async def test_one_bad_payment_refuses_all(simulator: PaymentsSimulator, partner: Partner) -> None:
    for wrong in ({"receiver_email": "nobody"}, {"amount": -1}, {"currency": "EUR"}):
        orders = rows(100, 200)
        orders[1] |= wrong
        assert (await partner("POST", "/bulk-payments", orders)).status == 422
    assert (await partner("POST", "/bulk-payments", [])).status == 422
    assert simulator.bulk_payments == []


async def test_stuck_job_keeps_its_state(simulator: PaymentsSimulator, partner: Partner) -> None:
    job = await submitted(partner, rows(100))
    for is_stuck, status in ((True, "pending"), (False, "done")):
        simulator.switches.bulk_stuck = is_stuck
        for _ in range(3):
            await simulator.advance()
        assert (await partner("GET", f"/bulk-payments/{job}")).body["status"].lower() == status


async def test_thousands_of_payments_in_one_request(simulator: PaymentsSimulator, partner: Partner) -> None:
    orders = rows(*([100] * 10_000))
    assert len(json.dumps(orders)) > 1 << 20
    body = io.BytesIO(json.dumps(orders).encode())
    assert (await partner("POST", "/bulk-payments", data=body)).status == 201
    assert len(simulator.bulk_payments[0].items) == 10_000


async def test_committed_item_is_paid_beside_its_bulk(simulator: PaymentsSimulator, partner: Partner) -> None:
    await submitted(partner, rows(100))
    [item] = simulator.bulk_payments[0].items
    assert (await partner("POST", f"/payouts/{item.operation_id}/commit", {})).status == 200
    await simulator.advance()
    await simulator.advance()
    assert [entry.cents for entry in simulator.ledger.entries] == [100, 100]

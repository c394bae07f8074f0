"""Bulk payments in the simulator: jobs that advance, escrow, failures, cancellation, and what lists look like."""

import io
import json
from typing import Any

from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner
from tests.support.clock import SecondsClock


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


async def test_a_job_pays_its_items_step_by_step(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.bulk_items_a_step = 2
    job = await submitted(partner, rows(100, 200, 300))
    assert simulator.ledger.paid_cents() == 0
    seen = []
    for _ in range(3):
        await simulator.advance()
        reply = (await partner("GET", f"/bulk-payments/{job}")).body
        seen.append((reply["status"].lower(), reply["payments"]["pending"], simulator.ledger.paid_cents()))
    assert seen == [("running", 3, 0), ("running", 1, 300), ("done", 0, 600)]
    items = (await partner("GET", f"/bulk-payments/{job}/payments")).body
    assert [one["internal_note"] for one in items["payments"]] == ["B-1/2", "B-1/3", "B-1/4"]
    assert {one["status"].lower() for one in items["payments"]} == {"completed"}
    assert len({one["hash"] for one in items["payments"]}) == 3


async def test_escrow_is_canceled_by_hash_and_money_comes_back(simulator: PaymentsSimulator, partner: Partner) -> None:
    job = await submitted(partner, [*rows(100), *rows(200, 300, email="nobody@example.com")])
    await simulator.advance()
    await simulator.advance()
    items = (await partner("GET", f"/bulk-payments/{job}/payments")).body["payments"]
    held = [one["hash"] for one in items if one["status"].lower() == "pending"]
    assert len(held) == 2
    assert simulator.ledger.paid_cents() == 600
    told = await partner(
        "POST",
        f"/bulk-payments/{job}/payments/cancel",
        {"paymentItems": [{"svc_operation_hash": held[0]}, {"svc_operation_hash": items[0]["hash"]}]},
    )
    assert told.body == {"successful": [held[0]]}
    assert simulator.ledger.paid_cents() == 400
    assert simulator.bulk_payments[0].canceled_all == 0


async def test_a_list_left_out_cancels_all_that_is_pending(simulator: PaymentsSimulator, partner: Partner) -> None:
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


async def test_who_signs_up_is_credited(simulator: PaymentsSimulator, partner: Partner) -> None:
    job = await submitted(partner, rows(200, email="later@example.com"))
    await simulator.advance()
    await simulator.advance()
    simulator.add_account("later@example.com", full_name="Lara Later")
    items = (await partner("GET", f"/bulk-payments/{job}/payments")).body["payments"]
    assert items[0]["status"].lower() == "completed"


async def test_a_stuck_job_stays_where_it_is(clock: SecondsClock) -> None:
    async with PaymentsSimulator(clock=clock, step_seconds=1.0) as simulator, Partner(simulator) as partner:
        simulator.switches.bulk_stuck = True
        job = await submitted(partner, rows(100))
        for _ in range(5):
            clock.now += 2
            simulator.tick()
        assert (await partner("GET", f"/bulk-payments/{job}")).body["status"].lower() == "pending"
        simulator.switches.bulk_stuck = False
        for _ in range(2):
            clock.now += 2
            simulator.tick()
        assert (await partner("GET", f"/bulk-payments/{job}")).body["status"].lower() == "done"


async def test_thousands_of_payments_in_one_request(simulator: PaymentsSimulator, partner: Partner) -> None:
    orders = rows(*([100] * 10_000))
    assert len(json.dumps(orders)) > 1 << 20
    body = io.BytesIO(json.dumps(orders).encode())
    assert (await partner("POST", "/bulk-payments", data=body)).status == 201
    assert len(simulator.bulk_payments[0].items) == 10_000


async def test_items_are_operations_that_say_as_much_as_the_switch_lets_them(
    simulator: PaymentsSimulator, partner: Partner
) -> None:
    job = await submitted(partner, [*rows(100), *rows(200, email="nobody@example.com")])
    await simulator.advance()
    await simulator.advance()
    [hashed, _] = [one["hash"] for one in (await partner("GET", f"/bulk-payments/{job}/payments")).body["payments"]]

    async def listed() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = (await partner("GET", "/operations?page=1&perPage=10")).body["data"]
        return sorted(found, key=lambda one: float(one["amount"]))

    for shows, given in (("hashed", (hashed, None)), ("noted", (hashed, "B-1/2")), ("bare", (None, None))):
        simulator.switches.bulk_operations = shows  # type: ignore[assignment]
        paid, held = await listed()
        assert (paid["svc_operation_hash"] or None, paid.get("internal_note")) == given
        assert (paid["operation_type"], paid["description"], paid["status"].lower()) == ("payout", "March", "completed")
        assert (held["status"].lower(), held["svc_operation_hash"] or None) == ("pending", None)
        assert (await partner("GET", f"/operations/{paid['id']}")).body["amount"] == "1.00"
    simulator.switches.bulk_operations = "unlisted"
    assert await listed() == []
    assert not simulator.operations


async def test_a_commit_of_an_item_pays_it_besides_its_bulk_payment(
    simulator: PaymentsSimulator, partner: Partner
) -> None:
    await submitted(partner, rows(100))
    [item] = simulator.bulk_payments[0].items
    assert (await partner("POST", f"/payouts/{item.operation_id}/commit", {})).status == 200
    await simulator.advance()
    await simulator.advance()
    assert [entry.cents for entry in simulator.ledger.entries] == [100, 100]

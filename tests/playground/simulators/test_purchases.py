"""Purchases, and the buyer's page."""

import pytest

from bot.playground.simulators.ledger import EntryKind
from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, Shop

FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def purchase(**changes: object) -> dict[str, object]:
    return {
        "code": "P1",
        "description": "Books <b>& more</b>",
        "amount": 25,
        "items": [
            {"description": "Book", "amount": 10, "quantity": 2},
            {"description": "Pen", "amount": 5, "quantity": 1},
        ],
        "svc_user_email": "ana@example.com",
    } | changes


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"code": ""}, "code"),
        ({"items": []}, "items"),
        ({"items": "Book"}, "items"),
        ({"items": [1]}, "items.0"),
        ({"items": [{"description": "x", "amount": 0}]}, "items.0"),
        ({"amount": 26}, "amount"),
        ({"callback_uri": "x"}, "callback_uri"),
    ],
)
async def test_wrong_purchases_are_refused(
    simulator: PaymentsSimulator, partner: Partner, changes: dict[str, object], field: str
) -> None:
    reply = await partner("POST", "/purchases", purchase(**changes))
    assert reply.status == 422
    assert set(reply.body["messages"]) == {field}
    assert not simulator.operations


async def test_item_amounts_may_be_for_the_line(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.item_amount = "line"
    assert (await partner("POST", "/purchases", purchase())).status == 422
    assert (await partner("POST", "/purchases", purchase(amount=15))).status == 200


async def test_the_buyer_pays(simulator: PaymentsSimulator, partner: Partner, shop: Shop) -> None:
    urls = {"callback_uri": shop.url("/bought"), "confirmation_uri": shop.url("/thanks")}
    bought = (await partner("POST", "/purchases", purchase(**urls))).body["id"]
    page = await partner("GET", f"/checkout/{bought}", headers={"Authorization": ""})
    assert page.status == 200
    assert "Books &lt;b&gt;&amp; more&lt;/b&gt;" in page.body
    assert 'value="pay"' in page.body
    paid = await partner("POST", f"/checkout/{bought}", data="choice=pay", headers=FORM)
    assert (paid.status, paid.headers["Location"]) == (303, shop.url("/thanks"))
    await simulator.delivered()
    ((path, body),) = shop.received
    assert (path, body["status"].lower()) == ("/bought", "confirmed")
    (entry,) = simulator.ledger.entries
    assert (entry.kind, entry.cents) == (EntryKind.PURCHASE, 2500)
    again = await partner("POST", f"/checkout/{bought}", data="choice=pay", headers=FORM)
    assert again.status == 409
    assert len(simulator.ledger.entries) == 1


async def test_the_buyer_cancels(simulator: PaymentsSimulator, partner: Partner) -> None:
    bought = (await partner("POST", "/purchases", purchase())).body["id"]
    reply = await partner("POST", f"/checkout/{bought}", data="choice=cancel", headers=FORM)
    assert (reply.status, "canceled" in reply.body) == (200, True)
    assert simulator.operations[bought].status == "canceled"
    assert not simulator.ledger.entries


async def test_payouts_and_purchases_do_not_mix(partner: Partner) -> None:
    bought = (await partner("POST", "/purchases", purchase())).body["id"]
    assert (await partner.commit(bought)).status == 404
    payout = await partner.create()
    assert (await partner("GET", f"/purchases/{payout}")).status == 404
    assert (await partner("GET", f"/checkout/{payout}")).status == 404

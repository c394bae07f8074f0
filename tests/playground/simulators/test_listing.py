"""The listing, and the proxies that spoil it."""

import pytest

from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, order

PURCHASE = {
    "code": "P1",
    "description": "Two books",
    "amount": 20,
    "items": [{"description": "Book", "amount": 10, "quantity": 2}],
}


async def many(partner: Partner, count: int) -> list[str]:
    return [await partner.create(code=f"C{number}") for number in range(count)]


async def test_newest_calls_come_first_ten_per_page(partner: Partner) -> None:
    created = await many(partner, 12)
    first = (await partner("GET", "/operations")).body
    assert {name: first[name] for name in first if name != "data"} == {
        "currentPage": 1, "lastPage": 2, "perPage": 10, "total": 12, "from": 1, "to": 10,
    }  # fmt: skip
    second = (await partner("GET", "/operations", {"page": 2})).body
    assert (second["from"], second["to"], second["currentPage"]) == (11, 12, 2)
    assert [row["id"] for row in first["data"] + second["data"]] == created[::-1]


async def test_empty_list_and_page_beyond_the_last(partner: Partner) -> None:
    empty = (await partner("GET", "/operations")).body
    assert (empty["total"], empty["lastPage"], empty["from"], empty["to"], empty["data"]) == (0, 1, 0, 0, [])
    await partner.create()
    behind = (await partner("GET", "/operations", {"page": 3})).body
    assert (behind["total"], behind["currentPage"], behind["data"]) == (1, 3, [])


async def test_page_has_at_most_100_rows(partner: Partner) -> None:
    page = (await partner("GET", "/operations?perPage=500")).body
    assert page["perPage"] == 100


async def test_body_precedes_the_query(partner: Partner) -> None:
    await many(partner, 5)
    page = (await partner("GET", "/operations?perPage=2&page=2", {"perPage": 3})).body
    assert (page["perPage"], page["currentPage"], page["from"]) == (3, 2, 4)


async def test_one_type_only(partner: Partner) -> None:
    payout = await partner.create()
    purchase = (await partner("POST", "/purchases", PURCHASE)).body["id"]
    for kind, wanted in (("payout", payout), ("purchase", purchase)):
        page = (await partner("GET", "/operations", {"type": kind})).body
        assert (page["total"], [row["id"] for row in page["data"]]) == (1, [wanted])


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "page=-1", "perPage=0", "perPage=1.5", "page=%C2%B2", "type=bulk"]
)
async def test_wrong_parameters_are_named(partner: Partner, query: str) -> None:
    reply = await partner("GET", f"/operations?{query}")
    assert reply.status == 422
    assert set(reply.body["messages"]) == {query.partition("=")[0]}


async def test_proxy_dropping_the_body_keeps_the_query(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.ignore_get_body = True
    assert (await partner("GET", "/operations", {"page": 2})).body["currentPage"] == 1
    assert (await partner("GET", "/operations?page=2", {"page": 2})).body["currentPage"] == 2
    simulator.switches.ignore_query = True
    assert (await partner("GET", "/operations?page=2", {"page": 2})).body["currentPage"] == 1


async def test_proxy_refusing_a_body_answers_html(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.refuse_get_body = True
    reply = await partner("GET", "/operations", {"page": 1})
    assert (reply.status, reply.headers["Content-Type"].partition(";")[0]) == (403, "text/html")
    assert (await partner("GET", "/operations?page=1")).status == 200
    assert (await partner("POST", "/payouts", order())).status == 200

"""The same service under other names."""

from bot.playground.simulators.payments import Dialect, PaymentsSimulator
from bot.playground.simulators.payments.dialect import ROUTES
from tests.playground.simulators.partner import Partner, order
from tests.support.clock import SecondsClock


async def test_another_prefix(clock: SecondsClock) -> None:
    async with PaymentsSimulator(clock=clock, field_prefix="acme") as simulator, Partner(simulator) as partner:
        created = (await partner("POST", "/payouts", order())).body
        assert {"acme_operation_id", "acme_user_id", "acme_user_email", "acme_operation_hash"} <= set(created)
        assert not [name for name in created if name.startswith("svc_")]


async def test_other_paths_and_names(clock: SecondsClock) -> None:
    dialect = Dialect(
        routes={**ROUTES, "create_payout": ("PUT", "/v2/pay"), "account_status": ("GET", "/v2/people")},
        names={
            "amount": "total_usd",
            "create_payout.email": "to",
            "currentPage": "page_no",
            "data": "rows",
            "perPage": "size",
            "fullName": "name",
        },
        prefix="acme",
        email_header="X-Recipient",
    )
    async with PaymentsSimulator(clock=clock, dialect=dialect) as simulator, Partner(simulator) as partner:
        body = order(email=None, amount=None) | {"to": "ana@example.com", "total_usd": 5}
        created = await partner("PUT", "/v2/pay", body)
        assert (created.status, created.body["total_usd"]) == (200, "5.00")
        wrong = await partner("PUT", "/v2/pay", order())
        assert set(wrong.body["messages"]) == {"to", "total_usd"}
        assert (await partner("POST", "/payouts", order())).status == 404
        page = (await partner("GET", "/operations?size=7")).body
        assert (page["size"], page["page_no"], page["rows"][0]["total_usd"]) == (7, 1, "5.00")
        person = await partner("GET", "/v2/people", headers={"X-Recipient": "ana@example.com"})
        assert person.body["name"] == "Ana Maria Lopez"


async def test_an_operation_can_be_missing(clock: SecondsClock) -> None:
    routes = {name: route for name, route in ROUTES.items() if name != "get_operation_by_code"}
    async with (
        PaymentsSimulator(clock=clock, dialect=Dialect(routes=routes)) as simulator,
        Partner(simulator) as partner,
    ):
        await partner.create(code="C1")
        assert (await partner("GET", "/code/C1")).status == 404


async def test_an_id_may_travel_beside_the_path(clock: SecondsClock) -> None:
    dialect = Dialect(
        routes={
            **ROUTES,
            "get_operation": ("GET", "/operation"),
            "commit_payout": ("PUT", "/commit"),
            "payout_events": ("GET", "/events"),
        },
        names={"get_operation.id": "operationId", "commit_payout.id": "payout", "payout_events.id": "X-Payout"},
        places={"commit_payout": "body", "payout_events": "header"},
    )
    async with PaymentsSimulator(clock=clock, dialect=dialect) as simulator, Partner(simulator) as partner:
        created = await partner.create(code="C1")
        assert (await partner("PUT", "/commit", {"payout": created})).body["code"] == "C1"
        assert (await partner("GET", f"/operation?operationId={created}")).body["operationId"] == created
        assert (await partner("GET", "/events", headers={"X-Payout": created})).status == 200
        for method, path, body in (("PUT", "/commit", {}), ("GET", "/operation", None), ("GET", "/events", None)):
            assert (await partner(method, path, body)).status == 404
        assert simulator.ledger.executions("C1") == 1

"""What every request must bring before anything happens."""

import pytest

from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, Reply, credentials, order
from tests.support.clock import SecondsClock


@pytest.mark.parametrize(
    "authorization", ["", "Bearer x", "Basic", "Basic !!", "Basic /w==", *credentials(secret="wrong").values()]
)
async def test_wrong_credentials_are_401(partner: Partner, authorization: str) -> None:
    reply = await partner("GET", "/partners/me", headers={"Authorization": authorization})
    assert reply.status == 401
    assert reply.body == {"status": 401, "message": "Unauthorized"}
    assert reply.headers["WWW-Authenticate"].startswith("Basic")


@pytest.mark.parametrize(("method", "path"), [("GET", "/partners/me"), ("POST", "/payouts"), ("GET", "/operations")])
async def test_content_type_is_required_on_get_and_post(partner: Partner, method: str, path: str) -> None:
    reply = await partner(method, path, headers={"Content-Type": "text/plain"}, data=b"")
    assert reply.status == 422
    assert reply.body["messages"] == {"Content-Type": ["must be application/json"]}


async def test_rate_limit_window_slides(simulator: PaymentsSimulator, partner: Partner, clock: SecondsClock) -> None:
    simulator.rate_limit = 2
    start = clock.now
    statuses = []
    for at in (0.0, 0.9, 1.0, 1.1, 1.9):
        clock.now = start + at
        statuses.append((await partner("GET", "/partners/me")).status)
    assert statuses == [200, 200, 200, 429, 200]
    assert simulator.busiest_second() == 3


async def test_refused_request_has_no_effect(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.rate_limit = 0
    reply = await partner("POST", "/payouts", order())
    assert reply.status == 429
    assert not simulator.operations
    assert not simulator.calls[0].effect


async def test_locked_partner_gets_the_documented_403(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.forbidden = True
    reply = await partner("GET", "/operations")
    assert (reply.status, reply.body) == (403, {"status": 403, "message": "Forbidden"})


@pytest.mark.parametrize(("method", "path"), [("GET", "/nope"), ("DELETE", "/payouts"), ("GET", "/payouts")])
async def test_unknown_paths_are_404(simulator: PaymentsSimulator, partner: Partner, method: str, path: str) -> None:
    reply = await partner(method, path)
    assert reply.status == 404
    assert set(reply.body) == {"data", "code", "message", "displayToUser"}
    assert simulator.calls[-1].operation == "unknown"


async def test_call_log_hides_credentials(simulator: PaymentsSimulator, partner: Partner) -> None:
    reply: Reply = await partner("POST", "/payouts", order(amount=25.1))
    (call,) = simulator.calls
    assert (call.operation, call.method, call.path, call.status) == ("create_payout", "POST", "/payouts", 200)
    assert call.body == order(amount=25.1)
    assert call.response == reply.body
    assert call.effect
    assert "authorization" not in {name.lower() for name in call.headers}
    assert "partner-secret" not in repr(call)

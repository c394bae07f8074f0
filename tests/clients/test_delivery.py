"""The delivery client against the simulator: the right key, the language, what the service is sent and answers."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path

import aiohttp
import pytest
from inline_snapshot import snapshot
from pydantic import SecretStr

from bot.clients.delivery import DeliveryClient, NotCovered, StoreForm
from bot.clients.transport import Transport
from bot.domain.bookings.record import Payment, WebhookKind
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.delivery.endpoints import MASTER, ROUTES
from bot.presentation.reasons import sentence, worded
from tests.clients.conftest import routes_of
from tests.clients.delivery_calls import BOOKING, HERE, KEY
from tests.clients.partner_server import Partner, said

MASTER_KEY = SecretStr("master-key")
Make = Callable[..., DeliveryClient]
Arrange = Callable[[DeliverySimulator], None]
Ask = Callable[[DeliveryClient], Awaitable[object]]


@pytest.fixture
async def service() -> AsyncIterator[DeliverySimulator]:
    async with DeliverySimulator() as running:
        running.add_store("Centro", token=KEY.get_secret_value())
        yield running


@pytest.fixture
def make(session: aiohttp.ClientSession, service: DeliverySimulator, tmp_path: Path) -> Make:
    def build(services: str = "", url: str = "", master_key: SecretStr | None = MASTER_KEY) -> DeliveryClient:
        return DeliveryClient(
            routes=routes_of(tmp_path, services, "production"),
            transport=Transport(session=session, base_url=url or service.base_url, service="delivery", total=5.0),
            master_key=master_key,
        )

    return build


@pytest.fixture
def client(make: Make) -> DeliveryClient:
    return make("")


LEVELS: dict[str, Ask] = {
    "create_store": lambda c: c.create_store(StoreForm(name="Norte")),
    "list_stores": lambda c: c.list_stores(),
    "get_store": lambda c: c.get_store(key=KEY),
    "update_store": lambda c: c.update_store(StoreForm(name="Norte"), key=KEY),
    "quote": lambda c: c.quote(key=KEY, position=HERE, payment=Payment.CARD, cents=100),
    "create_booking": lambda c: c.create_booking(*BOOKING, key=KEY),
    "get_booking": lambda c: c.get_booking("b-1", key=KEY),
    "cancel_booking": lambda c: c.cancel_booking("b-1", reason="changed", key=KEY),
    "start_search": lambda c: c.start_search("b-1", key=KEY),
    "list_webhooks": lambda c: c.list_webhooks(key=KEY),
    "register_webhook": lambda c: c.register_webhook(WebhookKind.STATUS, "https://bot.example/x", key=KEY),
    "delete_webhook": lambda c: c.delete_webhook(WebhookKind.STATUS, key=KEY),
    "create_prebooking": lambda c: c.create_prebooking(*BOOKING, key=KEY),
    "get_prebooking": lambda c: c.get_prebooking("p-1", key=KEY),
    "cancel_prebooking": lambda c: c.cancel_prebooking("p-1", key=KEY),
}


async def test_requests_carry_the_right_key_and_language(make: Make, partner: Partner) -> None:
    """Creating and listing stores is of the company and takes the master key; all else takes the store's own."""
    partner.answer = lambda _: said({"message": "no"}, 422)
    client, carried = make("", partner.url), {}
    for operation, call in LEVELS.items():
        with suppress(ServiceNever):
            await call(client)
        carried[operation] = partner.calls[-1].headers["authorization"]
    assert {"create_store", "list_stores"} == MASTER
    assert carried == dict.fromkeys(ROUTES, "Bearer store-key") | dict.fromkeys(MASTER, "Bearer master-key")
    assert len(partner.calls) == len(LEVELS) == 15
    assert {(one.headers["content-language"], one.headers["content-type"]) for one in partner.calls} == {
        ("en", "application/json")
    }


async def test_booking_request_matches_the_interface(service: DeliverySimulator, client: DeliveryClient) -> None:
    await client.create_booking(*BOOKING, key=KEY)
    assert service.calls[-1].method == "POST"
    assert service.calls[-1].body == {
        "latitude": -0.185, "longitude": -78.47, "address": "12 Market Street", "customerName": "Ana",
        "customerLastName": "Lopez", "customerCountryCode": "+593", "customerMobile": "991234567",
        "paymentMethod": "CASH", "orderAmount": 25.5, "bookingNotes": "Ring twice", "cookTime": 900_000,
        "externalBookingId": "01EXTERNAL",
    }  # fmt: skip


async def test_language_is_one_line_in_the_services_file(service: DeliverySimulator, make: Make) -> None:
    await make('[delivery]\nlanguage = "es-EC"\n').list_stores()
    assert service.calls[-1].headers["content-language"] == "es-EC"
    with pytest.raises(OperatorError, match="language tag"):
        make('[delivery]\nlanguage = "no such thing"\n')


@pytest.mark.parametrize(("words", "not_covered"), [
    ("This address is not covered from this store", True), ("Out of range", True), ("Sin cobertura en la zona", True),
    ("La dirección está fuera de la zona de reparto", True), ("El servicio está fuera de servicio", False),
    ("The order could not be recovered", False),
])  # fmt: skip
async def test_only_prices_are_refused_for_a_place(make: Make, partner: Partner, words: str, not_covered: bool) -> None:
    partner.answer = lambda _: said({"message": words}, 422)
    client = make("", partner.url)
    with pytest.raises(ServiceNever) as refused:
        await client.quote(key=KEY, position=HERE, payment=Payment.CARD, cents=100)
    assert (type(refused.value) is NotCovered, refused.value.words) == (not_covered, words)
    with pytest.raises(ServiceNever) as other:
        await client.get_store(key=KEY)
    assert type(other.value) is ServiceNever


@pytest.mark.parametrize("kind", [FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.LOST, FaultKind.GARBAGE])
async def test_outage_is_not_a_refused_price(
    service: DeliverySimulator, client: DeliveryClient, kind: FaultKind
) -> None:
    service.faults.arm(Fault(kind, "quote"))
    with pytest.raises(ServiceNow):
        await client.quote(key=KEY, position=HERE, payment=Payment.CARD, cents=100)


@pytest.mark.parametrize(("arrange", "ask", "words"), [
    (lambda s: setattr(s.switches, "other_environment", True), lambda c: c.list_stores(), "DELIVERY_BASE_URL"),
    (lambda s: setattr(s, "master_key", "another"), lambda c: c.list_stores(), "DELIVERY_MASTER_KEY"),
    (lambda _: None, lambda c: c.get_store(key=SecretStr("wrong")), "key of this store isn't accepted"),
])  # fmt: skip
async def test_each_locked_door_has_its_own_sentence(
    service: DeliverySimulator, client: DeliveryClient, arrange: Arrange, ask: Ask, words: str
) -> None:
    arrange(service)
    with pytest.raises(OperatorError) as caught:
        await ask(client)
    assert words in sentence(caught.value, for_admin=True)


async def test_stores_are_not_listed_without_the_master_key(service: DeliverySimulator, make: Make) -> None:
    client = make(master_key=None)
    with pytest.raises(OperatorError) as caught:
        await client.list_stores()
    assert "DELIVERY_MASTER_KEY" in caught.value.mend
    assert service.calls == []
    assert (await client.get_store(key=KEY)).name == "Centro"


SUSPENDED = {"message": "This workspace is suspended", "messageKey": "WORKSPACE_SUSPENDED"}
ANSWERS: list[tuple[int, object, bool]] = [
    *((status, SUSPENDED, True) for status in (200, 400, 401, 402, 403, 404, 409, 422, 423)),
    (200, {"error": {"code": "COMPANY_INACTIVE", "message": "Ask your operator"}}, True),
    (200, {"success": False, "error": "Your account has been disabled"}, True),
    (200, {"data": {"message": "La cuenta está suspendida"}}, True),
    (200, "Workspace suspended", True),
    (403, {"message": "Inactive"}, True),
    (400, {"messageKey": "SUSPENDED"}, True),
    (403, {"message": "Forbidden"}, False),
    (400, {"message": "Deliveries are suspended in this street"}, False),
    (422, {"message": "The customer's account is disabled"}, False),
    (200, {"data": {"_id": "a", "statusText": "ACCEPTED", "companyName": "Suspended Company"}}, False),
]


@pytest.mark.parametrize(("status", "body", "suspended"), ANSWERS)
async def test_suspended_workspace_is_recognized_by_message(
    make: Make, partner: Partner, status: int, body: object, suspended: bool
) -> None:
    """Whatever the status; for what is read and for what changes something, and nothing of it is repeated."""
    partner.answer = lambda _: said(body, status)
    client, words = make("", partner.url), "has suspended the workspace"
    for read in (client.get_booking("a", key=KEY), client.list_stores(), client.list_webhooks(key=KEY)):
        told = ""
        try:
            await read
        except (OperatorError, ServiceNever, ServiceNow) as refused:
            told = sentence(refused)
        assert (words in told) is suspended
    for change in (client.create_booking(*BOOKING, key=KEY), client.cancel_booking("a", reason="x", key=KEY)):
        outcome = await change
        told = sentence(outcome, service="delivery") if isinstance(outcome, NotExecuted) else ""
        assert (words in told) is suspended
        assert not isinstance(outcome, NotExecuted) or not outcome.again
    if suspended:
        assert "contact its operator: the chat of its dashboard; nothing is repeated until then" in told


@pytest.mark.parametrize(("kind", "outcome"), [
    (FaultKind.LOST, Unknown), (FaultKind.DONE_DROPPED, Unknown), (FaultKind.DONE_500, Unknown),
    (FaultKind.ERROR_500, Unknown), (FaultKind.GARBAGE, Unknown), (FaultKind.TOO_MANY, NotExecuted),
    (FaultKind.REFUSED, NotExecuted),
])  # fmt: skip
async def test_booking_outcome_is_never_guessed(
    service: DeliverySimulator, client: DeliveryClient, kind: FaultKind, outcome: type[object]
) -> None:
    service.faults.arm(Fault(kind, "create_booking"))
    assert isinstance(await client.create_booking(*BOOKING, key=KEY), outcome)
    assert len(service.calls_of("create_booking")) == 1


@pytest.mark.parametrize(("status", "body"), [(409, {"message": "It exists"}), (500, SUSPENDED)])
async def test_conflict_and_server_error_leave_a_booking_unknown(
    make: Make, partner: Partner, status: int, body: dict[str, str]
) -> None:
    partner.answer = lambda _: said(body, status)
    outcome = await make("", partner.url).create_booking(*BOOKING, key=KEY)
    assert isinstance(outcome, Unknown)
    assert (outcome.status, outcome.words) == (status, body["message"])


async def test_a_search_starts_only_from_on_hold(service: DeliverySimulator, client: DeliveryClient) -> None:
    booked = await client.create_booking(*BOOKING, key=KEY)
    assert isinstance(booked, Done)
    await client.start_search(booked.value.id, key=KEY)
    again = await client.start_search(booked.value.id, key=KEY)
    assert isinstance(again, NotExecuted)
    assert worded(again.reason) == snapshot("the search has started already")


async def test_another_dialect_is_lines_of_the_operator(service: DeliverySimulator, make: Make) -> None:
    client = make(
        """
        [delivery.records.booking]
        id     = "uuid"
        status = "phase"

        [delivery.create_booking]
        method = "PUT"
        path   = "/v2/jobs"

        [delivery.create_booking.fields]
        name      = "first"
        cook_time = "prep_ms"

        [delivery.get_booking]
        path = "/v2/jobs/{id}"
        """
    )
    await client.create_booking(*BOOKING, key=KEY)
    call = service.calls[-1]
    assert (call.method, call.path) == ("PUT", "/v2/jobs")
    assert isinstance(call.body, dict)
    assert (call.body["first"], call.body["prep_ms"]) == ("Ana", 900_000)
    with pytest.raises(ServiceNever):
        await client.get_booking("a/b", key=KEY)
    assert service.calls[-1].path == "/v2/jobs/a/b"  # as the server decodes it: one segment on the wire
    _, report = client.read_report({"uuid": "x", "phase": "COMPLETED"})
    assert (report.id, report.status) == ("x", "COMPLETED")

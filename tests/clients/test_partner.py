import pytest
from aiohttp import web

from bot.clients.payments import PaymentsClient
from bot.domain.errors import ServiceNow
from tests.clients.conftest import OpenClient
from tests.clients.partner_server import Partner, said

RECORD = {"id": "p-1", "name": "Acme", "email": "pay@acme.example", "currency": "USD", "balance": "1234.50"}


async def test_the_partner_is_read(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(RECORD | {"secret": "s3cret"})
    found = await client.partner()
    assert found.model_dump() == {
        "id": "p-1",
        "name": "Acme",
        "email": "pay@acme.example",
        "currency": "USD",
        "balance": 123450,
        "balance_text": "1234.50",
    }
    [call] = partner.calls
    assert (call.method, call.path, call.raw) == ("GET", "/partners/me", b"")


@pytest.mark.parametrize(
    ("raw", "cents", "text"),
    [
        ('"0.00"', 0, "0.00"),
        ("1234.5", 123450, "1234.5"),
        ("-12.34", -1234, "-12.34"),
        ('"-0.01"', -1, "-0.01"),
        ("12", 1200, "12"),
        ('"1,234.50"', None, "1,234.50"),
        ('"USD 5"', None, "USD 5"),
        ("0.005", None, "0.005"),
        ("1e30", None, "1E+30"),
        ("null", None, ""),
        ('""', None, ""),
        ("true", None, ""),
        ('{"available": 5}', None, ""),
    ],
)
async def test_a_balance_is_cents_or_shown_as_it_came(
    client: PaymentsClient, partner: Partner, raw: str, cents: int | None, text: str
) -> None:
    partner.answer = lambda _: web.Response(text=f'{{"id": "p-1", "balance": {raw}}}', content_type="application/json")
    found = await client.partner()
    assert (found.balance, found.balance_text) == (cents, text)


@pytest.mark.parametrize("body", [RECORD, {"data": RECORD}, {"partner": RECORD}, {"data": [], **RECORD}])
async def test_the_record_may_be_wrapped(client: PaymentsClient, partner: Partner, body: object) -> None:
    partner.answer = lambda _: said(body)
    assert (await client.partner()).name == "Acme"


@pytest.mark.parametrize("body", [{}, [], None, "x", {"balance": 5}, {"data": {}}, {"code": "E", "message": "no"}])
async def test_a_document_that_names_nobody_is_no_partner(
    client: PaymentsClient, partner: Partner, body: object
) -> None:
    partner.answer = lambda _: said(body)
    with pytest.raises(ServiceNow):
        await client.partner()


async def test_an_operators_names_are_used(open_client: OpenClient, partner: Partner) -> None:
    client = open_client(
        '[payments.partner]\npath = "/me"\nreply = { name = "title", balance = ["funds", "balance"] }\n'
    )
    partner.answer = lambda _: said({"id": "p-1", "title": "Acme", "funds": 5})
    found = await client.partner()
    assert (found.name, found.balance, partner.calls[0].path) == ("Acme", 500, "/me")

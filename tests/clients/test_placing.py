from decimal import Decimal
from pathlib import Path

import pytest

from bot.clients.routes import Route, place
from bot.clients.routes_file import load_routes
from bot.domain.errors import ServiceNever


def route(tmp_path: Path, operation: str, services: str) -> Route:
    file = tmp_path / "services.toml"
    file.write_text(f"[payments.{operation}]\n{services}\n", encoding="utf-8")
    return load_routes(file, environment="sandbox").use("payments", operation)


GET, COMMIT = "get_operation", "commit_payout"
ENCODED = "a%2Fb%2B1"


@pytest.mark.parametrize(
    ("operation", "services", "path", "headers", "body"),
    [
        (GET, "", f"/operations/{ENCODED}", {}, None),
        (GET, 'path = "/op"\nparameters = "query"\nfields.id = "op[id]"', f"/op?op%5Bid%5D={ENCODED}", {}, None),
        (GET, 'path = "/op"\nparameters = "header"\nfields.id = "X-Id"', "/op", {"X-Id": "a/b+1"}, None),
        (GET, 'path = "/op"\nparameters = "body"\nfields.id = "op"', "/op", {}, {"op": "a/b+1"}),
        (GET, 'path = "/op"\nparameters = "both"\nfields.id = "op"', f"/op?op={ENCODED}", {}, {"op": "a/b+1"}),
        (GET, 'method = "POST"', f"/operations/{ENCODED}", {}, {}),
        (COMMIT, "", f"/payouts/{ENCODED}/commit", {}, {}),
        (COMMIT, 'path = "/commit"\nfields.id = "payout"', "/commit", {}, {"payout": "a/b+1"}),
        (COMMIT, 'path = "/go"\nparameters = "query"\nfields.id = "payout"', f"/go?payout={ENCODED}", {}, {}),
        (COMMIT, 'fields.id = "payout"', f"/payouts/{ENCODED}/commit", {}, {}),
        (COMMIT, 'method = "PATCH"', f"/payouts/{ENCODED}/commit", {}, {}),
        (COMMIT, 'method = "PUT"', f"/payouts/{ENCODED}/commit", {}, {}),
        (COMMIT, 'method = "DELETE"', f"/payouts/{ENCODED}/commit", {}, None),
    ],
)
def test_an_id_goes_where_the_route_says(
    tmp_path: Path, operation: str, services: str, path: str, headers: dict[str, str], body: dict[str, object] | None
) -> None:
    placed = place(route(tmp_path, operation, services), {"id": "a/b+1"})
    assert (placed.path, placed.headers, placed.body) == (path, headers, body)


def test_amounts_stay_exact_everywhere(tmp_path: Path) -> None:
    values = {"email": "a+b@x.com", "amount": Decimal("10.10"), "cancel_uri": None}
    assert place(route(tmp_path, "create_payout", ""), values).body == {
        "email": "a+b@x.com",
        "amount": Decimal("10.10"),
    }
    queried = place(route(tmp_path, "create_payout", 'parameters = "query"'), values)
    assert queried.path == "/payouts?email=a%2Bb%40x.com&amount=10.10"
    assert queried.body == {}
    headed = place(route(tmp_path, "create_payout", 'parameters = "header"'), values)
    assert headed.headers == {"email": "a+b@x.com", "amount": "10.10"}


def test_a_header_cannot_be_broken_out_of(tmp_path: Path) -> None:
    headed = route(tmp_path, "account_status", 'parameters = "header"\nfields = { email = "X-Email" }')
    assert place(headed, {"email": "ü\r\nX-Evil: 1%"}).headers == {"X-Email": "%C3%BC%0D%0AX-Evil: 1%25"}


@pytest.mark.parametrize("place_of", ["path", "query", "header"])
def test_what_is_no_text_goes_nowhere(tmp_path: Path, place_of: str) -> None:
    services = "" if place_of == "path" else f'path = "/op"\nparameters = "{place_of}"\nfields = {{ id = "op" }}'
    with pytest.raises(ServiceNever) as caught:
        place(route(tmp_path, "get_operation", services), {"id": "\ud800"})
    assert caught.value.status == 404


def test_nothing_of_a_request_is_printed(tmp_path: Path) -> None:
    placed = place(route(tmp_path, "account_status", 'parameters = "both"'), {"email": "ana@example.com"})
    assert "ana" not in repr(placed)

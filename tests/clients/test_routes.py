import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.routes import Mark, Route, RouteTable, place
from bot.clients.routes_file import load_routes
from bot.domain.errors import OperatorError, ServiceNever
from bot.presentation.reasons import problem_of
from tests.clients.conftest import routes_of

Write = Callable[..., RouteTable]


@pytest.fixture
def operator(tmp_path: Path) -> Write:
    return partial(routes_of, tmp_path)


DOCUMENTED = {
    "payments": ["list_operations", "get_operation", "checkout"],
    "localization": [
        "gender_detection", "paraphrase", "summary_generation", "audio_extraction", "music_source_separation",
        "audio_conversion",
    ],
}  # fmt: skip
ANALOGOUS = {"payments": ["create_bulk_payment"], "localization": ["translation"]}


@pytest.mark.parametrize("service", DOCUMENTED)
def test_shipped_routes_mark_documented_and_assumed_entries(service: str) -> None:
    rows = [row for row in load_routes(None, environment="production").rows() if row.service == service]
    assert [row.operation for row in rows if row.mark is Mark.DOCUMENTED] == DOCUMENTED[service]
    assert [row.operation for row in rows if row.mark == "A2"] == ANALOGOUS[service]
    assert {row.mark for row in rows} == {"D", "A1", "A2"} | ({"A3"} if service == "localization" else set())


def test_record_override_applies_to_all_operations_and_reply_to_one(operator: Write) -> None:
    table = operator(
        """
        [payments]
        field_prefix = "acme"
        [payments.records.operation]
        amount = ["value", "amount"]
        hash = "svc_hash"
        [payments.create_payout.reply]
        id = "payout_id"
        """
    )
    create, read = table.use("payments", "create_payout"), table.use("payments", "get_operation")
    assert read.reply["hash"] == ("svc_hash",), "taken literally"
    assert create.reply["amount"] == read.reply["amount"] == ("value", "amount")
    assert (create.reply["id"], read.reply["id"]) == (("payout_id",), ("id",))


@pytest.mark.parametrize(("text", "key", "rule"), [
    ("[payment]\n", "payment", "no such service"),
    ("payments = 5\n", "payments", "it is a table"),
    ('[payments]\nfield_prefix = "a b"\n', "payments.field_prefix", "letters, digits"),
    ('[payments]\nlist_parameters = "url"\n', "payments.list_parameters", "one of query, body, both"),
    ("[payments]\nlist_page_size = 0\n", "payments.list_page_size", "number from 1"),
    ("[payments]\nlist_page_size = 1001\n", "payments.list_page_size", "number from 1 to 1000"),
    ("[payments]\nlist_page_size = true\n", "payments.list_page_size", "number from 1"),
    ('[payments]\nitem_amount = "each"\n', "payments.item_amount", "one of unit, line"),
    ("[payments.comit_payout]\n", "payments.comit_payout", "unknown; there is: field_prefix"),
    ("[payments.records.payout]\n", "payments.records.payout", "unknown; there is: operation"),
    ('[payments.commit_payout]\nmethod = "post"\n', "payments.commit_payout.method", "one of GET, POST"),
    ('[payments.commit_payout]\nmethod = "GET"\n', "payments.commit_payout.method", "is no GET"),
    ('[payments.commit_payout]\npath = "/commit"\n', "payments.commit_payout.path", "contains exactly {id}"),
    ('[payments.commit_payout]\npath = "/{id}/{id}"\n', "payments.commit_payout.path", "contains exactly {id}"),
    ('[payments.commit_payout]\npath = "/{id}/{code}"\n', "payments.commit_payout.path", "contains exactly {id}"),
    ('[payments.commit_payout]\npath = "payouts/{id}"\n', "payments.commit_payout.path", "begins with /"),
    ('[payments.commit_payout]\npath = "//evil/{id}"\n', "payments.commit_payout.path", "begins with /"),
    ('[payments.commit_payout]\npath = "/a/../{id}"\n', "payments.commit_payout.path", "begins with /"),
    ('[payments.commit_payout]\npath = "/{id}?x=1"\n', "payments.commit_payout.path", "without address, query"),
    ('[payments.get_operation]\npath = "/op"\nfields = { id = "op" }\n', "payments.get_operation.parameters",
     "does not hold id; say where"),
    ('[payments.account_status]\nparameters = "path"\n', "payments.account_status.parameters", "does not hold email"),
    ('[payments.create_purchase]\nparameters = "query"\n', "payments.create_purchase.parameters",
     "items is a list, which only a body holds"),
    ('[payments.list_operations]\nparameters = "query"\n', "payments.list_operations.parameters",
     "list_parameters of [payments] decides it"),
    ('[payments.checkout]\npath = "/checkout"\n', "payments.checkout.path", "contains exactly {id}"),
    ("[payments.commit_payout]\npath = 5\n", "payments.commit_payout.path", "begins with /"),
    ('[payments.commit_payout]\nconfirmed = "yes"\n', "payments.commit_payout.confirmed", "true or false"),
    ("[payments.commit_payout]\nmoves_money = false\n", "payments.commit_payout.moves_money", "cannot be set"),
    ('[payments.commit_payout]\nmark = "D"\n', "payments.commit_payout.mark", "cannot be set"),
    ('[payments.create_payout.fields]\nmail = "x"\n', "payments.create_payout.fields.mail",
     "unknown; there is: email"),
    ('[payments.create_payout.fields]\nemail = ""\n', "payments.create_payout.fields.email", "without spaces"),
    ('[payments.create_payout.fields]\nemail = "a b"\n', "payments.create_payout.fields.email", "without spaces"),
    ('[payments.create_payout.fields]\nemail = "code"\n', "payments.create_payout.fields.email", "is taken by code"),
    ("[payments.create_payout]\nfields = 1\n", "payments.create_payout.fields", "it is a table"),
    ('[payments.create_payout.reply]\nname = "x"\n', "payments.create_payout.reply.name", "unknown; there is: id"),
    ("[payments.create_payout.reply]\nid = [1]\n", "payments.create_payout.reply.id", "service's name"),
    ('[payments.account_status]\nparameters = "form"\n', "payments.account_status.parameters", "one of path, query"),
])  # fmt: skip
def test_routes_error_names_file_key_rule_and_example(operator: Write, text: str, key: str, rule: str) -> None:
    with pytest.raises(OperatorError) as caught:
        operator(text)
    assert re.match(rf".*services\.toml: {re.escape(key)}: ", problem_of(caught.value))
    assert rule in problem_of(caught.value)
    assert caught.value.mend.startswith("for example: ")


def test_missing_or_invalid_routes_file_is_named(operator: Write, tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"services\.toml: it is no TOML"):
        operator("[payments\n")
    with pytest.raises(OperatorError, match=r"missing\.toml cannot be read"):
        load_routes(tmp_path / "missing.toml", environment="sandbox")
    with pytest.raises(OperatorError, match="cannot be read"):
        load_routes(tmp_path, environment="sandbox")


def test_overridden_path_is_not_a_confirmation(operator: Write) -> None:
    table = operator('[payments.commit_payout]\npath = "/c/{id}"\n', environment="production")
    with pytest.raises(OperatorError):
        table.use("payments", "commit_payout")


ROUTE = Route(
    service="payments",
    operation="read",
    method="GET",
    path="/operations/{id}/x",
    mark=Mark.DOCUMENTED,
    moves_money=False,
)


@given(st.text(min_size=1, max_size=200))
def test_identifier_cannot_change_the_path(value: str) -> None:
    if not value.strip(" ."):
        with pytest.raises(ValueError, match="no identifier"):
            ROUTE.address(id=value)
        return
    try:
        path = ROUTE.address(id=value)
    except UnicodeEncodeError:
        return
    assert re.fullmatch(r"/operations/[A-Za-z0-9%._~-]+/x", path)


def test_identifier_and_page_size_are_limited(operator: Write) -> None:
    assert ROUTE.address(id="a" * 200) == f"/operations/{'a' * 200}/x"
    with pytest.raises(ValueError, match="no identifier"):
        ROUTE.address(id="a" * 201)
    for size in (1, 1_000):
        assert operator(f"[payments]\nlist_page_size = {size}\n").dialect("payments").list_page_size == size


def route(tmp_path: Path, operation: str, services: str) -> Route:
    return routes_of(tmp_path, f"[payments.{operation}]\n{services}\n").use("payments", operation)


GET, COMMIT = "get_operation", "commit_payout"
ENCODED = "a%2Fb%2B1"


@pytest.mark.parametrize(("operation", "services", "path", "headers", "body"), [
    (GET, "", f"/operations/{ENCODED}", {}, None),
    (GET, 'path = "/op"\nparameters = "query"\nfields.id = "op[id]"', f"/op?op%5Bid%5D={ENCODED}", {}, None),
    (GET, 'path = "/op"\nparameters = "header"\nfields.id = "X-Id"', "/op", {"X-Id": "a/b+1"}, None),
    (GET, 'path = "/op"\nparameters = "body"\nfields.id = "op"', "/op", {}, {"op": "a/b+1"}),
    (GET, 'path = "/op"\nparameters = "both"\nfields.id = "op"', f"/op?op={ENCODED}", {}, {"op": "a/b+1"}),
    (GET, 'method = "POST"', f"/operations/{ENCODED}", {}, {}),
    (COMMIT, 'path = "/commit"\nfields.id = "payout"', "/commit", {}, {"payout": "a/b+1"}),
    (COMMIT, 'path = "/go"\nparameters = "query"\nfields.id = "payout"', f"/go?payout={ENCODED}", {}, {}),
    *[(COMMIT, services, f"/payouts/{ENCODED}/commit", {}, {})
      for services in ("", 'fields.id = "payout"', 'method = "PATCH"', 'method = "PUT"')],
    (COMMIT, 'method = "DELETE"', f"/payouts/{ENCODED}/commit", {}, None),
])  # fmt: skip
def test_id_is_placed_as_the_route_declares(
    tmp_path: Path, operation: str, services: str, path: str, headers: dict[str, str], body: dict[str, object] | None
) -> None:
    placed = place(route(tmp_path, operation, services), {"id": "a/b+1"})
    assert (placed.path, placed.headers, placed.body) == (path, headers, body)


def test_amounts_stay_exact_everywhere(tmp_path: Path) -> None:
    values = {"email": "a+b@x.com", "amount": Decimal("10.10"), "cancel_uri": None}
    exact = {"email": "a+b@x.com", "amount": Decimal("10.10")}
    assert place(route(tmp_path, "create_payout", ""), values).body == exact
    queried = place(route(tmp_path, "create_payout", 'parameters = "query"'), values)
    assert queried.path == "/payouts?email=a%2Bb%40x.com&amount=10.10"
    assert queried.body == {}
    headed = place(route(tmp_path, "create_payout", 'parameters = "header"'), values)
    assert headed.headers == {"email": "a+b@x.com", "amount": "10.10"}


def test_a_header_cannot_be_broken_out_of(tmp_path: Path) -> None:
    headed = route(tmp_path, "account_status", 'parameters = "header"\nfields = { email = "X-Email" }')
    assert place(headed, {"email": "ü\r\nX-Evil: 1%"}).headers == {"X-Email": "%C3%BC%0D%0AX-Evil: 1%25"}


@pytest.mark.parametrize("place_of", ["path", "query", "header"])
def test_invalid_text_is_not_sent(tmp_path: Path, place_of: str) -> None:
    services = "" if place_of == "path" else f'path = "/op"\nparameters = "{place_of}"\nfields = {{ id = "op" }}'
    with pytest.raises(ServiceNever) as caught:
        place(route(tmp_path, "get_operation", services), {"id": "\ud800"})
    assert caught.value.status == 404


def test_nothing_of_a_request_is_printed(tmp_path: Path) -> None:
    placed = place(route(tmp_path, "account_status", 'parameters = "both"'), {"email": "ana@example.com"})
    assert "ana" not in repr(placed)

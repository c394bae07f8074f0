from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.payments import wire
from bot.clients.routes_file import load_routes
from bot.clients.transport import read_reply
from bot.clients.unread import flag
from tests.clients.partner_server import JsonObject, operation

TABLE = load_routes(None, environment="sandbox")
OPERATION = TABLE.use("payments", "get_operation")
LIST = TABLE.use("payments", "list_operations")
ACCOUNT = TABLE.use("payments", "account_status")

SCALARS = st.none() | st.booleans() | st.integers() | st.decimals() | st.text()
JSON = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3))


def shaped(*names: str) -> st.SearchStrategy[object]:
    """Documents with the right names and anything under them."""
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, JSON)) | JSON


PURCHASE = TABLE.use("payments", "get_purchase")
PARTNER = TABLE.use("payments", "partner")

READERS: list[tuple[Callable[[object], object], st.SearchStrategy[object]]] = [
    (lambda document: wire.read_operation(document, OPERATION), shaped(*operation())),
    (lambda document: wire.read_committed(document, OPERATION, operation_id="op-1"), shaped(*operation())),
    (lambda document: wire.read_page(document, LIST, OPERATION),
     shaped("currentPage", "lastPage", "perPage", "total", "from", "to", "data")),
    (lambda document: wire.read_account(document, ACCOUNT),
     shaped("fullName", "status", "is_verified", "isPrimary", "country_ID")),
    (lambda document: wire.read_one_step(document, OPERATION, code="code-1"), shaped(*operation())),
    (lambda document: wire.read_purchase(document, PURCHASE, item_amount="unit"), shaped(*operation(), "items")),
    (lambda document: wire.read_purchase(document, PURCHASE, item_amount="line"),
     st.builds(lambda items: operation(1) | {"items": items}, st.lists(shaped("description", "amount", "quantity")))),
    (lambda document: wire.read_partner(document, PARTNER),
     shaped("id", "name", "email", "currency", "balance", "data")),
]  # fmt: skip


@pytest.mark.parametrize(("read", "documents"), READERS)
@given(data=st.data())
def test_reader_returns_a_record_or_raises_value_error(
    data: st.DataObject, read: Callable[[object], object], documents: st.SearchStrategy[object]
) -> None:
    try:
        record = read(data.draw(documents))
    except ValueError:
        return
    assert record is not None


@pytest.mark.parametrize(("amount", "cents"), [
    ("25.00", 2500), ("25", 2500), ("25.1", 2510), (25, 2500), (Decimal("25.10"), 2510), (Decimal("0.07"), 7),
    ("25.000", 2500), ("25.001", None), ("1,000.00", None), ("-25.00", None), ("", None), (None, None), (True, None),
    ("NaN", None), ("Infinity", None), ("1e999999", None), ("9" * 100, None), pytest.param(10**4000, None, id="huge"),
    ("1" + "0" * 38 + ".5", None), ([], None),
])  # fmt: skip
def test_wire_amount_is_exact_or_none(amount: object, cents: int | None) -> None:
    assert wire.read_operation(operation(1, amount=amount), OPERATION).cents == cents


@given(st.integers(min_value=0, max_value=10**13), st.booleans())
def test_amounts_round_trip_as_number_and_text(cents: int, is_text: bool) -> None:
    plain = f"{cents // 100}.{cents % 100:02d}"
    amount = f'"{plain}"' if is_text else plain
    body = ('{"id":"a","status":"b","amount":' + amount + "}").encode()
    document = read_reply(status=200, headers={}, body=body).json
    assert wire.read_operation(document, OPERATION).cents == cents


@pytest.mark.parametrize("name", ["code", "svc_operation_hash", "failure_reason", "svc_user_id", "svc_user_email"])
@pytest.mark.parametrize("unset", [None, ""])
def test_unset_fields_are_none(name: str, unset: object) -> None:
    found = wire.read_operation(operation(1, **{name: unset}), OPERATION).model_dump()
    ours = {"svc_operation_hash": "svc_hash", "svc_user_id": "user_id", "svc_user_email": "email"}.get(name, name)
    assert found[ours] is None


def test_unstorable_characters_are_replaced() -> None:
    found = wire.read_operation(operation(1, description="a\x00b\ud800c"), OPERATION)
    assert found.description == "a\ufffdb?c"


@pytest.mark.parametrize(("figures", "is_page"), [
    ({"total": "25"}, True), ({"currentPage": Decimal(1)}, True), ({"from": None, "to": ""}, True),
    ({"total": None}, False), ({"perPage": -1}, False), ({"lastPage": True}, False), ({"total": "many"}, False),
    ({"data": {}}, False),
])  # fmt: skip
def test_page_needs_figures_which_may_be_text(figures: JsonObject, is_page: bool) -> None:
    page = {"currentPage": 1, "lastPage": 3, "perPage": 10, "total": 25, "from": 1, "to": 10, "data": []} | figures
    if is_page:
        found = wire.read_page(page, LIST, OPERATION)
        assert (found.page, found.total) == (1, 25)
    else:
        with pytest.raises(ValueError, match=r"is missing|no count|no list"):
            wire.read_page(page, LIST, OPERATION)


@pytest.mark.parametrize(("told", "meant"), [
    ("2026-11-20T09:00:00Z", datetime(2026, 11, 20, 9, tzinfo=UTC)),
    ("2026-11-20T09:00:00", datetime(2026, 11, 20, 9, tzinfo=UTC)),
    ("2026-11-20T09:00:00-05:00", datetime(2026, 11, 20, 14, tzinfo=UTC)),
    ("0001-01-01T00:00:00+14:00", None), ("9999-12-31T23:59:59-12:00", None), ("yesterday", None), ("", None),
    (None, None), (5, None), ("2026-13-01T00:00:00Z", None),
])  # fmt: skip
def test_instants_are_converted_to_utc(told: object, meant: datetime | None) -> None:
    found = wire.read_operation(operation(1, created_at=told), OPERATION)
    assert (found.id, found.created_at) == ("op-1", meant)
    assert found.created_at is None or found.created_at.tzinfo is UTC


@pytest.mark.parametrize(("told", "meant"), [
    (True, True), (False, False), ("true", True), (" True ", True), ("1", True), (1, True), ("yes", True),
    ("false", False), ("0", False), (0, False), ("No", False), ("maybe", None), ("2", None), ("", None), (None, None),
])  # fmt: skip
def test_booleans_are_read_in_usual_spellings(told: object, meant: bool | None) -> None:
    assert flag({"is": told}, ("is",)) is meant

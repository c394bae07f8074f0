import base64
import datetime as dt

import pytest
from inline_snapshot import snapshot

from bot.clients.limiter import Lane
from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.operation import OperationStatus
from bot.domain.reasons import Exchange, Reason
from tests.clients.conftest import CountingSlots, OpenClient
from tests.clients.partner_server import Call, Partner, operation, page_of_a_proxy, said
from tests.support.troubles import says


async def test_an_operation_is_read_with_all_we_keep(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(operation(1, status="Completed", svc_operation_hash="0xabc"))
    found = await client.get_operation("op-1")
    assert found.model_dump() == {
        "id": "op-1",
        "status": "Completed",
        "code": "code-1",
        "cents": 2500,
        "email": "ana@example.com",
        "description": "March translation",
        "operation_type": "payout",
        "svc_hash": "0xabc",
        "failure_reason": None,
        "user_id": "user-1",
        "reports_to": "https://bot.example/callbacks/payments",  # never the token behind it
        "created_at": dt.datetime(2026, 11, 20, 10, 0, 0, tzinfo=dt.UTC),
        "updated_at": dt.datetime(2026, 11, 20, 10, 0, 1, tzinfo=dt.UTC),
    }
    assert found.state is OperationStatus.COMPLETED
    [call] = partner.calls
    assert (call.method, call.path, call.raw) == ("GET", "/operations/op-1", b"")


async def test_the_record_of_another_operation_is_refused(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(operation(2))
    with pytest.raises(ServiceNow):
        await client.get_operation("op-1")


@pytest.mark.parametrize("body", [{}, [], None, "x", 1, {"id": "op-1"}, {"status": "created"}, {"code": "E"}])
async def test_a_success_that_is_no_operation_is_refused(
    client: PaymentsClient, partner: Partner, body: object
) -> None:
    partner.answer = lambda _: said(body)
    with pytest.raises(ServiceNow):
        await client.get_operation("op-1")


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (404, {"data": {}, "code": "E", "message": "none", "displayToUser": False}, ServiceNever),
        (404, {}, ServiceNever),
        (422, {"message": "odd", "displayToUser": False}, ServiceNever),
        (400, {"message": "", "messages": {}}, ServiceNever),
        (409, {"message": "<html>"}, ServiceNever),
        (401, {"status": 401, "message": "who"}, OperatorError),
        (403, {"status": 403, "message": "no"}, OperatorError),
        (302, {}, OperatorError),
        (408, {}, ServiceNow),
        (429, {}, ServiceNow),
        (500, {"status": 500, "message": "hm"}, ServiceNow),
        (503, {"error": {"message": "later"}}, ServiceNow),
    ],
)
async def test_errors_are_typed_by_who_must_act(
    client: PaymentsClient, partner: Partner, status: int, body: object, error: type[Exception]
) -> None:
    partner.answer = lambda _: said(body, status, Location="/x")
    with pytest.raises(error) as caught:
        await client.get_operation("op-1")
    if isinstance(caught.value, ServiceNever):
        assert (caught.value.status, caught.value.words) == (status, "")


@pytest.mark.parametrize("status", [200, 400, 403, 404, 500, 502])
async def test_a_proxys_page_is_never_shown(client: PaymentsClient, partner: Partner, status: int) -> None:
    partner.answer = lambda _: page_of_a_proxy(status)
    with pytest.raises((ServiceNow, OperatorError)) as caught:
        await client.get_operation("op-1")
    assert not any(word in str(vars(caught.value)) for word in ("<", "blocked"))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 429, 500, 503])
async def test_what_the_service_says_comes_along_without_our_credentials(
    client: PaymentsClient, partner: Partner, status: int
) -> None:
    shown = base64.b64encode("partner:pä:ss".encode()).decode()
    partner.answer = lambda _: said({"status": status, "message": f"Basic {shown} of partner:pä:ss is <odd>"}, status)
    with pytest.raises((ServiceNow, ServiceNever, OperatorError)) as caught:
        await client.get_operation("op-1")
    assert isinstance(caught.value, ServiceNow | ServiceNever | OperatorError)
    assert caught.value.words == "Basic [hidden] of [hidden] is <odd>"
    assert "odd" not in str(caught.value)


async def test_words_meant_for_people_reach_them(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said({"code": "E", "message": "No such payout", "displayToUser": True}, 404)
    with pytest.raises(ServiceNever) as caught:
        await client.get_operation("op-1")
    assert caught.value.words == "No such payout"


async def test_retry_after_is_handed_on(client: PaymentsClient, partner: Partner, slots: CountingSlots) -> None:
    partner.answer = lambda _: said({}, 429, **{"Retry-After": "9"})
    with pytest.raises(ServiceNow) as caught:
        await client.get_operation("op-1")
    assert (caught.value.retry_after, slots.slowed) == (9.0, [9.0])


async def test_what_cannot_be_an_identifier_is_not_asked(client: PaymentsClient, partner: Partner) -> None:
    for identifier in ("", "..", ".", "x" * 300, "\ud800"):
        with pytest.raises(ServiceNever) as caught:
            await client.get_operation(identifier)
        assert caught.value.status == 404
    assert partner.calls == []


async def test_without_a_slot_nothing_is_read(client: PaymentsClient, partner: Partner, slots: CountingSlots) -> None:
    slots.is_free = False
    with pytest.raises(ServiceNow):
        await client.get_operation("op-1")
    assert partner.calls == []
    assert (slots.departures, slots.open) == (0, 0)


async def test_a_read_leaves_once_and_is_known_to_have_arrived_when_it_is_answered(
    client: PaymentsClient, partner: Partner, slots: CountingSlots
) -> None:
    partner.answer = lambda _: said(operation(1))
    await client.get_operation("op-1")
    assert (slots.departures, slots.arrivals, slots.open) == (1, 1, 0)


ACCOUNT = {
    "country_ID": "BRA",
    "isPrimary": True,
    "status": "ACTIVE",
    "is_verified": False,
    "fullName": "Ana Souza",
}


async def test_the_account_is_read_and_the_address_encoded(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(ACCOUNT)
    found = await client.account_status("ana+x&y=1@example.com")
    assert found.model_dump() == {
        "full_name": "Ana Souza",
        "active": True,
        "verified": False,
        "primary": True,
        "country": "BRA",
        "status": "ACTIVE",
    }
    [call] = partner.calls
    assert call.path == "/account-status?email=ana%2Bx%26y%3D1%40example.com"
    assert call.query == {"email": "ana+x&y=1@example.com"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"status": "inactive"}, {"active": False}),
        ({"status": "suspended"}, {"active": None, "status": "suspended"}),
        ({"is_verified": "true"}, {"verified": True}),
        ({"is_verified": None}, {"verified": None}),
        ({"isPrimary": "maybe"}, {"primary": None}),
        ({"fullName": None}, {"full_name": ""}),
    ],
)
async def test_what_the_account_does_not_say_is_none(
    client: PaymentsClient, partner: Partner, change: dict[str, object], expected: dict[str, object]
) -> None:
    partner.answer = lambda _: said(ACCOUNT | change)
    found = (await client.account_status("ana@example.com")).model_dump()
    assert {name: found[name] for name in expected} == expected


@pytest.mark.parametrize(
    ("services", "check"),
    [
        ('parameters = "header"\nfields = { email = "X-Email" }', lambda call: call.headers["x-email"] == "a+b@x.com"),
        ('path = "/accounts/{email}"', lambda call: call.path == "/accounts/a%2Bb%40x.com"),
        ('method = "POST"\nparameters = "body"', lambda call: call.json == {"email": "a+b@x.com"}),
        (
            'fields = { email = "user email[]" }'.replace(" email[]", "[email]"),
            lambda call: "%5Bemail%5D=" in call.path,
        ),
    ],
)
async def test_the_address_goes_where_the_operator_says(
    open_client: OpenClient, partner: Partner, services: str, check: "object"
) -> None:
    assert callable(check)
    partner.answer = lambda _: said(ACCOUNT)
    await open_client(f"[payments.account_status]\n{services}\n").account_status("a+b@x.com")
    [call] = partner.calls
    assert check(call)


async def test_an_account_without_a_status_is_no_record(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said({"fullName": "Ana"})
    with pytest.raises(ServiceNow):
        await client.account_status("ana@example.com")


async def test_a_page_is_asked_for_in_the_query_and_in_the_body(client: PaymentsClient, partner: Partner) -> None:
    partner.operations = [operation(number) for number in range(1, 26)]
    found = await client.list_operations(2, 10, "payout")
    assert [one.id for one in found.operations] == [f"op-{number}" for number in range(11, 21)]
    assert (found.page, found.last_page, found.per_page, found.total, found.first, found.last) == (2, 3, 10, 25, 11, 20)
    [call] = partner.calls
    assert (call.method, call.query) == ("GET", {"page": "2", "perPage": "10", "type": "payout"})
    assert call.json == {"page": 2, "perPage": 10, "type": "payout"}


@pytest.mark.parametrize(("where", "query", "body"), [("query", True, False), ("body", False, True)])
async def test_an_operator_says_where_the_parameters_go(
    open_client: OpenClient, partner: Partner, where: str, query: bool, body: bool
) -> None:
    await open_client(f'[payments]\nlist_parameters = "{where}"\n').list_operations()
    [call] = partner.calls
    assert (bool(call.query), bool(call.raw)) == (query, body)
    assert "type" not in call.query


@pytest.mark.parametrize("status", [400, 403, 411, 413])
async def test_a_proxy_that_refuses_a_body_is_learned_once(
    client: PaymentsClient, partner: Partner, status: int
) -> None:
    partner.answer = lambda call: page_of_a_proxy(status) if call.raw else None
    partner.operations = [operation(1)]
    assert (await client.list_operations()).total == 1
    assert [bool(call.raw) for call in partner.calls] == [True, False]
    assert (await client.list_operations()).total == 1
    assert [bool(call.raw) for call in partner.calls] == [True, False, False]


async def test_the_services_own_403_teaches_nothing(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said({"status": 403, "message": "Forbidden"}, 403)
    with pytest.raises(OperatorError, check=says("does not allow us")):
        await client.list_operations()
    assert len(partner.calls) == 1


async def test_dropped_parameters_are_noticed(client: PaymentsClient, partner: Partner) -> None:
    partner.reads_body = partner.reads_query = False
    partner.operations = [operation(number) for number in range(1, 26)]
    assert (await client.list_operations()).page == 1
    with pytest.raises(OperatorError, check=says("page 2 of the list was asked for, page 1 came")) as caught:
        await client.list_operations(2)
    assert caught.value.mend == snapshot(
        'set [payments] list_parameters = "query" or "body" in the file that SERVICES_FILE names'
    )
    with pytest.raises(OperatorError, check=says("50 operations a page")):
        await client.list_operations(1, 50)


@pytest.mark.parametrize(
    ("found", "page", "asked", "error", "words"),
    [
        ({}, 1, None, None, ""),
        ({"data": [operation(1), operation(2, operation_type="")]}, 1, "payout", None, ""),
        ({"data": [operation(1, operation_type="PAYOUT")]}, 1, "payout", None, ""),
        ({"data": [operation(1, operation_type="purchase")]}, 1, None, None, ""),
        ({"data": [operation(1)]}, 1, "purchase", OperatorError, "only purchases were asked for, a payout came"),
        ({"currentPage": 3, "lastPage": 3}, 9, None, ServiceNever, "its list ends with page 3"),
        ({"currentPage": 1, "lastPage": 1}, 2, None, ServiceNever, "its list ends with page 1"),
        ({"currentPage": 1, "lastPage": 3}, 9, None, OperatorError, "page 9 of the list was asked for, page 1 came"),
        ({"currentPage": 3, "lastPage": 3, "perPage": 5}, 9, None, OperatorError, "page 9 of the list"),
        ({"currentPage": 4, "lastPage": 4}, 3, None, OperatorError, "page 3 of the list was asked for, page 4 came"),
        ({"currentPage": 9, "lastPage": 3}, 9, None, None, ""),
        ({"perPage": 15}, 1, None, OperatorError, "10 operations a page were asked for, the answer says 15"),
    ],
)
async def test_only_the_page_that_was_asked_for_is_shown(
    client: PaymentsClient,
    partner: Partner,
    found: dict[str, object],
    page: int,
    asked: OperationType | None,
    error: type[ServiceNever | OperatorError] | None,
    words: str,
) -> None:
    figures = {"currentPage": 1, "lastPage": 1, "perPage": 10, "total": 2, "from": 1, "to": 2, "data": []}
    partner.answer = lambda _: said(figures | found)
    if error is None:
        assert (await client.list_operations(page, 10, asked)).page == page
    else:
        with pytest.raises(error, check=says(words)):
            await client.list_operations(page, 10, asked)
    assert len(partner.calls) == 1


async def test_a_dropped_type_is_noticed_where_the_figures_cannot_tell(
    client: PaymentsClient, partner: Partner
) -> None:
    partner.reads_body = partner.reads_query = False
    partner.operations = [operation(1), operation(2, operation_type="purchase")]
    with pytest.raises(OperatorError, check=says("a payout came")) as caught:
        await client.list_operations(1, 10, "purchase")
    assert caught.value.mend == snapshot(
        'set [payments] list_parameters = "query" or "body" in the file that SERVICES_FILE names'
    )


async def test_what_is_no_address_is_not_asked(client: PaymentsClient, partner: Partner) -> None:
    with pytest.raises(ServiceNever):
        await client.account_status("\ud800@example.com")
    assert partner.calls == []


async def test_reads_let_effects_go_first(client: PaymentsClient, partner: Partner, slots: CountingSlots) -> None:
    def answer(call: Call) -> object:
        return said(operation(1)) if call.path == "/operations/op-1" else None

    partner.answer = answer  # type: ignore[assignment]
    await client.get_operation("op-1")
    await client.list_operations()
    await client.find_by_code("code-1")
    assert slots.lanes == [Lane.READ, Lane.READ, Lane.LISTING]


async def test_a_field_that_a_read_was_refused_for_is_named_in_our_words(
    open_client: OpenClient, partner: Partner
) -> None:
    client = open_client('[payments.account_status]\nfields = { email = "correo" }\n')
    partner.answer = lambda _: said({"message": "no", "messages": {"correo": ["is odd"]}}, 422)
    with pytest.raises(ServiceNever) as refused:
        await client.account_status("ana@example.com")
    assert refused.value.reason == Reason(
        Exchange.REFUSED,
        status=422,
        fields=("email",),
    )

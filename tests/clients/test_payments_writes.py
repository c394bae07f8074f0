import base64
import json
from collections.abc import Awaitable, Callable
from decimal import Decimal

import pytest
from aiohttp import web
from pydantic import SecretStr

from bot.clients.limiter import Lane
from bot.clients.payments import NewBulk, NewItem, NewPayout, NewPurchase, PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, Failure, NotExecuted, Unknown
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.operation import OperationStatus
from bot.presentation.reasons import worded
from tests.clients.conftest import CountingSlots, OpenClient
from tests.clients.partner_server import Partner, operation, page_of_a_proxy, said

NEW = NewPayout(
    email="ana+x@example.com",
    description='March "translation" — naïve',
    cents=Cents(1010),
    code="01JCODE",
    confirmation_uri="https://bot.example/c/1",
    failure_uri="https://bot.example/c/2",
    cancel_uri="https://bot.example/c/3",
)


PURCHASE = NewPurchase(
    code="01JCODE",
    description="Books",
    items=(NewItem(description="Book", unit_cents=Cents(1000), quantity=2),),
    confirmation_uri="https://bot.example/c/1",
    cancel_uri="https://bot.example/c/2",
    callback_uri="https://bot.example/c/3",
    failure_uri="https://bot.example/c/4",
)


async def test_create_sends_every_field_and_the_exact_amount(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(operation(7), 201)
    found = await client.create_payout(NEW, earlier_unknown=False)
    [call] = partner.calls
    assert (call.method, call.path) == ("POST", "/payouts")
    assert json.loads(call.raw, parse_float=Decimal) == {
        "email": "ana+x@example.com",
        "description": 'March "translation" — naïve',
        "amount": Decimal("10.10"),
        "code": "01JCODE",
        "confirmation_uri": "https://bot.example/c/1",
        "failure_uri": "https://bot.example/c/2",
        "cancel_uri": "https://bot.example/c/3",
    }
    assert b'"amount":10.10,' in call.raw
    assert isinstance(found, Done)
    assert (found.value.id, found.value.cents, found.value.email) == ("op-7", 2500, "ana@example.com")
    assert "s3cret" not in repr(found)


async def test_every_request_is_authenticated_as_documented(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(operation(1), 200)
    await client.create_payout(NEW, earlier_unknown=False)
    await client.get_operation("op-1")
    for call in partner.calls:
        kind, _, credentials = call.headers["authorization"].partition(" ")
        assert (kind, base64.b64decode(credentials).decode()) == ("Basic", "partner:pä:ss")
        assert call.headers["content-type"] == "application/json"


async def test_an_operators_names_are_used(open_client: OpenClient, partner: Partner) -> None:
    client = open_client(
        '[payments]\nfield_prefix = "acme"\n[payments.create_payout.fields]\nemail = "recipient"\namount = "value"\n'
    )
    partner.answer = lambda _: said(
        {"id": "op-1", "status": "created", "acme_user_email": "b@example.com", "acme_operation_hash": "h"}
    )
    found = await client.create_payout(NEW, earlier_unknown=False)
    assert {"recipient", "value"} <= set(partner.calls[0].json)
    assert isinstance(found, Done)
    assert (found.value.email, found.value.svc_hash) == ("b@example.com", "h")


@pytest.mark.parametrize(
    "status", ["committed", "COMMITTED", "Pending", "completed", "failed", "canceled", "cancelled"]
)
async def test_commit_is_done_when_this_operation_is_committed_or_further(
    client: PaymentsClient, partner: Partner, status: str
) -> None:
    partner.answer = lambda _: said(operation(1, status=status))
    found = await client.commit_payout("op-1", earlier_unknown=True)
    [call] = partner.calls
    assert (call.method, call.path, call.raw) == ("POST", "/payouts/op-1/commit", b"{}")
    assert isinstance(found, Done)
    assert found.value.state is not OperationStatus.CREATED


@pytest.mark.parametrize(
    "body",
    [
        operation(2, status="committed"),
        operation(1, status="created"),
        operation(1, status="confirmed"),
        operation(1, status="queued"),
        operation(1, status=""),
        operation(1, status=None),
        {"data": operation(1, status="committed")},
        [operation(1, status="committed")],
        {"code": "E1", "message": "None found"},
        {},
        None,
        "committed",
    ],
)
async def test_commit_is_unknown_when_the_answer_says_less(
    client: PaymentsClient, partner: Partner, body: object
) -> None:
    partner.answer = lambda _: said(body)
    assert isinstance(await client.commit_payout("op-1", earlier_unknown=False), Unknown)


@pytest.mark.parametrize(
    "body",
    [operation(1, status="pending"), operation(1, status="completed"), operation(2, status="canceled"), {}, None],
)
async def test_a_cancellation_is_unknown_when_the_answer_says_anything_else(
    client: PaymentsClient, partner: Partner, body: object
) -> None:
    partner.answer = lambda _: said(body)
    assert isinstance(await client.cancel_payout("op-1", earlier_unknown=False), Unknown)


async def test_a_canceled_payout_is_done(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said(operation(1, status="CANCELLED"))
    assert await client.cancel_payout("op-1", earlier_unknown=False) == Done(value=frozenset({"op-1"}))


Effect = Callable[[PaymentsClient, bool], Awaitable[object]]


async def create(client: PaymentsClient, earlier_unknown: bool) -> object:
    return await client.create_payout(NEW, earlier_unknown=earlier_unknown)


async def commit(client: PaymentsClient, earlier_unknown: bool) -> object:
    return await client.commit_payout("op-1", earlier_unknown=earlier_unknown)


async def one_step(client: PaymentsClient, earlier_unknown: bool) -> object:
    return await client.one_step_payout(NEW, earlier_unknown=earlier_unknown)


async def purchase(client: PaymentsClient, earlier_unknown: bool) -> object:
    return await client.create_purchase(PURCHASE, earlier_unknown=earlier_unknown)


EFFECTS = [create, commit, one_step, purchase]


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("status", [400, 401, 403, 404, 422, 429])
async def test_a_refusal_is_not_executed_unless_something_is_unknown(
    client: PaymentsClient, partner: Partner, effect: Effect, status: int
) -> None:
    partner.answer = lambda _: said({"message": "no", "displayToUser": True}, status)
    found = await effect(client, False)
    assert isinstance(found, NotExecuted)
    assert (found.status, found.again) == (status, status == 429)
    assert isinstance(await effect(client, True), Unknown)


@pytest.mark.parametrize("effect", EFFECTS)
@pytest.mark.parametrize("status", [202, 302, 307, 408, 409, 500, 502, 503, 504])
async def test_everything_else_is_unknown_and_sent_once(
    client: PaymentsClient, partner: Partner, effect: Effect, status: int
) -> None:
    partner.answer = lambda _: said({"message": "hm"}, status, Location="/operations/1")
    assert isinstance(await effect(client, False), Unknown)
    assert len(partner.calls) == 1


@pytest.mark.parametrize("effect", EFFECTS)
async def test_a_proxys_page_with_status_200_is_unknown(
    client: PaymentsClient, partner: Partner, effect: Effect
) -> None:
    partner.answer = lambda _: page_of_a_proxy(200)
    assert isinstance(await effect(client, False), Unknown)


@pytest.mark.parametrize("effect", EFFECTS)
async def test_a_connection_that_breaks_is_unknown_and_sent_once(
    client: PaymentsClient, partner: Partner, slots: CountingSlots, effect: Effect
) -> None:
    partner.answer = lambda _: web.Response(body=b"{", headers={"Content-Length": "100"})
    assert isinstance(await effect(client, False), Unknown)
    assert len(partner.calls) == 1
    assert (slots.departures, slots.arrivals, slots.open) == (1, 0, 0)


async def test_a_429_slows_everybody_down(client: PaymentsClient, partner: Partner, slots: CountingSlots) -> None:
    partner.answer = lambda _: said({}, 429, **{"Retry-After": "3"})
    found = await client.commit_payout("op-1", earlier_unknown=False)
    assert isinstance(found, NotExecuted)
    assert found.retry_after == 3.0
    assert slots.slowed == [3.0]
    assert slots.lanes == [Lane.EFFECT]
    assert slots.patience[0] < 5, "the send guard refuses what waited longer"


@pytest.mark.parametrize("may_leave", [True, False])
async def test_an_effect_is_counted_when_its_guard_lets_it_go(
    client: PaymentsClient, partner: Partner, slots: CountingSlots, may_leave: bool
) -> None:
    partner.answer = lambda _: said(operation(7), 201)
    found = await client.create_payout(NEW, earlier_unknown=False, guard=lambda: may_leave)
    assert isinstance(found, Done) is may_leave
    assert len(partner.calls) == slots.departures == int(may_leave)
    assert slots.open == 0


@pytest.mark.parametrize("effect", EFFECTS)
async def test_without_a_slot_nothing_is_sent(
    client: PaymentsClient, partner: Partner, slots: CountingSlots, effect: Effect
) -> None:
    slots.is_free = False
    found = await effect(client, True)
    assert isinstance(found, NotExecuted)
    assert (found.again, found.failure) == (True, Failure.NOT_SENT)
    assert partner.calls == []


@pytest.mark.parametrize("broken", ["acquire", "departs"])
async def test_slots_that_break_send_nothing(
    client: PaymentsClient, partner: Partner, slots: CountingSlots, broken: str
) -> None:
    slots.broken = broken
    found = await client.commit_payout("op-1", earlier_unknown=False)
    assert isinstance(found, NotExecuted)
    assert (found.again, found.failure) == (True, Failure.NOT_SENT)
    with pytest.raises(ServiceNow):
        await client.get_operation("op-1")
    assert partner.calls == []


Guarded = Callable[[PaymentsClient, Callable[[], bool]], Awaitable[object]]


@pytest.mark.parametrize(
    "effect",
    [
        lambda client, guard: client.create_payout(NEW, earlier_unknown=False, guard=guard),
        lambda client, guard: client.commit_payout("op-1", earlier_unknown=False, guard=guard),
        lambda client, guard: client.one_step_payout(NEW, earlier_unknown=False, guard=guard),
        lambda client, guard: client.create_purchase(PURCHASE, earlier_unknown=False, guard=guard),
    ],
)
async def test_a_refusing_guard_sends_nothing(client: PaymentsClient, partner: Partner, effect: Guarded) -> None:
    found = await effect(client, lambda: False)
    assert isinstance(found, NotExecuted)
    assert (found.again, found.failure) == (True, Failure.NOT_SENT)
    assert partner.calls == []


async def test_one_step_sends_what_create_sends_and_reads_a_committed_payout(
    client: PaymentsClient, partner: Partner
) -> None:
    partner.answer = lambda _: said(operation(7, status="Committed", code="01JCODE"), 201)
    await client.create_payout(NEW, earlier_unknown=False)
    found = await client.one_step_payout(NEW, earlier_unknown=False)
    create_call, call = partner.calls
    assert (call.method, call.path, call.raw) == ("POST", "/payouts/one-step", create_call.raw)
    assert isinstance(found, Done)
    assert (found.value.id, found.value.code, found.value.state) == ("op-7", "01JCODE", OperationStatus.COMMITTED)


@pytest.mark.parametrize("status", ["committed", "PENDING", "completed", "failed", "canceled", "Cancelled"])
@pytest.mark.parametrize("code", ["01JCODE", "01jcode", None, ""])
@pytest.mark.parametrize("kind", ["payout", "PAYOUT", None])
async def test_one_step_is_done_when_it_is_committed_or_further_under_our_code(
    client: PaymentsClient, partner: Partner, status: str, code: object, kind: object
) -> None:
    partner.answer = lambda _: said(operation(7, status=status, code=code, operation_type=kind))
    assert isinstance(await client.one_step_payout(NEW, earlier_unknown=True), Done)


@pytest.mark.parametrize(
    "changes",
    [
        {"status": "created"},
        {"status": "confirmed"},
        {"status": "queued"},
        {"status": ""},
        {"id": None},
        {"code": "another"},
        {"operation_type": "purchase"},
    ],
)
async def test_one_step_is_unknown_when_the_answer_says_less(
    client: PaymentsClient, partner: Partner, changes: dict[str, object]
) -> None:
    partner.answer = lambda _: said(operation(7) | {"status": "committed", "code": "01JCODE"} | changes)
    assert isinstance(await client.one_step_payout(NEW, earlier_unknown=False), Unknown)
    assert len(partner.calls) == 1


async def test_a_refusal_names_the_field_in_our_words(open_client: OpenClient, partner: Partner) -> None:
    client = open_client('[payments.create_payout.fields]\namount = "value"\n')
    partner.answer = lambda _: said(
        {"message": "Invalid", "messages": {"value": ["too much"], "email": "odd", "internal.rule": ["x"]}}, 422
    )
    found = await client.create_payout(NEW, earlier_unknown=False)
    assert isinstance(found, NotExecuted)
    assert worded(found.reason) == "the service does not accept the amount and the email (422)"
    assert found.words == "Invalid; amount: too much; email: odd; internal.rule: x"
    assert worded(found.told) == f"{worded(found.reason)}, saying “{found.words}”"
    assert found.detail == found.words


async def test_a_confirmed_dialect_is_spoken_in_production(open_client: OpenClient, partner: Partner) -> None:
    client = open_client(
        '[payments.commit_payout]\nmethod = "PUT"\npath = "/v2/payouts/{id}/confirm"\nconfirmed = true\n',
        environment="production",
    )
    client.require_committable()
    partner.answer = lambda _: said(operation(1, status="committed"))
    assert isinstance(await client.commit_payout("op-1", earlier_unknown=False), Done)
    assert (partner.calls[0].method, partner.calls[0].path) == ("PUT", "/v2/payouts/op-1/confirm")


async def test_an_identifier_cannot_reach_another_path(client: PaymentsClient, partner: Partner) -> None:
    partner.answer = lambda _: said({}, 404)
    await client.commit_payout("../bulk-payments?x=1#", earlier_unknown=False)
    assert partner.calls[0].path == "/payouts/..%2Fbulk-payments%3Fx%3D1%23/commit"
    with pytest.raises(ServiceNever):
        await client.commit_payout("..", earlier_unknown=False)
    assert len(partner.calls) == 1


@pytest.mark.parametrize("new", [NEW, PURCHASE])
def test_what_is_new_does_not_print_its_callback_addresses(new: object) -> None:
    assert "bot.example" not in repr(new)


async def test_what_may_leave_is_asked_with_the_operation_and_what_it_is_about(partner: Partner) -> None:
    """Its code, or its id; a bulk payment by our reference."""
    asked: list[str] = []

    async def may_leave(about: str) -> bool:
        asked.append(about)
        return False

    async with open_session() as session:
        client = PaymentsClient(
            routes=load_routes(None, environment="sandbox"),
            transport=Transport(session=session, base_url=partner.url, service="payments"),
            limiter=CountingSlots(),
            partner_id="partner",
            partner_secret=SecretStr("x"),
            may_leave=may_leave,
        )
        outcomes = [
            await client.create_payout(NEW, earlier_unknown=False),
            await client.commit_payout("op-1", earlier_unknown=False),
            await client.submit_bulk(
                NewBulk(
                    reference="L-4F7K2M",
                    items=[BulkItem(row=2, email="ana@example.com", cents=Cents(100), note="")],
                ),
                earlier_unknown=False,
            ),
        ]
    assert all(isinstance(one, NotExecuted) for one in outcomes)
    assert asked == [
        f"payments.create_payout {NEW.code}",
        "payments.commit_payout op-1",
        "payments.create_bulk_payment L-4F7K2M",
    ]
    assert partner.calls == []

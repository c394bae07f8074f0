"""Creating, committing and following payouts."""

import pytest

from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, order
from tests.support.clock import SecondsClock

DOCUMENTED = {
    "id", "partner_id", "status", "amount", "description", "confirmation_uri", "cancel_uri", "code", "svc_operation_id",
    "created_at", "updated_at", "svc_user_id", "svc_user_email", "operation_type", "failure_uri", "failure_reason",
    "callback_uri", "svc_operation_hash",
}  # fmt: skip


async def test_created_payout_moves_no_money(simulator: PaymentsSimulator, partner: Partner) -> None:
    reply = await partner("POST", "/payouts", order(amount=1234.5, code="C1", cancel_uri="https://shop.example/c"))
    assert (reply.status, set(reply.body), reply.body["status"].lower()) == (200, DOCUMENTED, "created")
    assert (
        reply.body
        | {
            "amount": "1234.50",
            "svc_user_email": "ana@example.com",
            "operation_type": "payout",
            "created_at": "2023-11-14T22:13:20.000Z",
        }
        == reply.body
    )
    assert not simulator.ledger.entries


@pytest.mark.parametrize(
    ("field", "value", "complaint"),
    [
        ("email", None, "is required"),
        ("email", "", "is required"),
        ("email", "ana", "must be a valid e-mail address"),
        ("email", 5, "must be a string"),
        ("description", None, "is required"),
        ("amount", None, "is required"),
        ("amount", "25.00", "must be a number"),
        ("amount", True, "must be a number"),
        ("amount", 0, "must be greater than 0 and within the limits of the service"),
        ("amount", -1, "must be greater than 0 and within the limits of the service"),
        ("amount", 1e300, "must be greater than 0 and within the limits of the service"),
        ("amount", 1.001, "must have at most two decimals"),
        ("confirmation_uri", None, "is required"),
        ("confirmation_uri", "ftp://x.example", "must be a valid http or https URL"),
        ("failure_uri", None, "is required"),
        ("failure_uri", "http://x.example/\r\nX: y", "must be a valid http or https URL"),
        ("cancel_uri", "nowhere", "must be a valid http or https URL"),
        ("code", 7, "must be a string"),
    ],
)
async def test_each_wrong_field_is_named(
    simulator: PaymentsSimulator, partner: Partner, field: str, value: object, complaint: str
) -> None:
    reply = await partner("POST", "/payouts", order(**{field: value}))
    assert reply.status == 422
    assert set(reply.body) == {"message", "messages"}
    assert reply.body["messages"] == {field: [complaint]}
    assert not simulator.operations


@pytest.mark.parametrize(
    "raw", [b"{", b"[]", b'"x"', b'{"amount": NaN}', b'{"amount": 1e99999999999999999999}', b"\xff"]
)
async def test_body_must_be_an_object(partner: Partner, raw: bytes) -> None:
    reply = await partner("POST", "/payouts", data=raw)
    assert reply.status == 422
    assert list(reply.body["messages"]) == ["body"]


async def test_all_complaints_come_at_once(partner: Partner) -> None:
    reply = await partner("POST", "/payouts", {})
    assert set(reply.body["messages"]) == {"email", "description", "amount", "confirmation_uri", "failure_uri"}


async def test_code_is_unique_unless_switched(simulator: PaymentsSimulator, partner: Partner) -> None:
    await partner.create(code="C1")
    reply = await partner("POST", "/payouts", order(code="C1"))
    assert (reply.status, reply.body["messages"]) == (422, {"code": ["is taken already"]})
    simulator.switches.accept_duplicate_codes = True
    await partner.create(code="C1")
    assert len(simulator.by_code("C1")) == 2


async def test_codes_may_be_left_out_any_number_of_times(simulator: PaymentsSimulator, partner: Partner) -> None:
    await partner.create()
    await partner.create(code="")
    assert [record.code for record in simulator.operations.values()] == [None, None]


async def test_worst_partner_repeats_every_commit(simulator: PaymentsSimulator, partner: Partner) -> None:
    payout = await partner.create(code="C1")
    replies = [await partner.commit(payout) for _ in range(2)]
    await simulator.advance()
    replies.append(await partner.commit(payout))
    assert [reply.status for reply in replies] == [200, 200, 200]
    assert simulator.ledger.executions("C1") == 3
    assert simulator.ledger.paid_cents("C1") == 7500
    assert simulator.operations[payout].status == "completed"


@pytest.mark.parametrize("status", [409, 422])
async def test_idempotent_partner_refuses_the_second_commit(clock: SecondsClock, status: int) -> None:
    async with PaymentsSimulator(clock=clock, worst_case=False) as simulator, Partner(simulator) as partner:
        simulator.switches.repeat_commit_status = status
        payout = await partner.create(code="C1")
        assert (await partner.commit(payout)).status == 200
        reply = await partner.commit(payout)
        assert reply.status == status
        assert not simulator.calls[-1].effect
        assert simulator.ledger.executions("C1") == 1


async def test_unknown_ids_have_the_documented_404(partner: Partner) -> None:
    for asked in ("GET /operations/x", "POST /payouts/x/commit", "GET /code/x", "GET /payouts/events/x"):
        reply = await partner(*asked.split())
        assert reply.status == 404
        assert set(reply.body) == {"data", "code", "message", "displayToUser"}
        assert reply.body["displayToUser"] is True


async def test_payout_advances_with_the_clock(clock: SecondsClock) -> None:
    async with PaymentsSimulator(clock=clock, step_seconds=30) as simulator, Partner(simulator) as partner:
        payout = await partner.pay()
        clock.now += 29.9
        assert (await partner("GET", f"/operations/{payout}")).body["status"].lower() == "committed"
        clock.now += 0.1
        assert (await partner("GET", f"/operations/{payout}")).body["status"].lower() == "completed"


async def test_escrow_waits_until_the_recipient_signs_up(clock: SecondsClock) -> None:
    async with PaymentsSimulator(clock=clock, step_seconds=1) as simulator, Partner(simulator) as partner:
        payout = await partner.pay(email="nobody@example.com")
        for _ in range(3):
            clock.now += 1
            simulator.tick()
            assert simulator.operations[payout].status == "pending"
        simulator.add_account("Nobody@Example.com", full_name="No Body")
        clock.now += 1
        assert (await partner("GET", f"/operations/{payout}")).body["status"].lower() == "completed"
        assert len(simulator.ledger.entries) == 1


async def test_pending_payout_is_canceled_and_refunded(simulator: PaymentsSimulator, partner: Partner) -> None:
    payout = await partner.create(email="mia@example.com", code="C1")
    assert (await partner("POST", f"/payouts/{payout}/cancel", {})).status == 409
    await partner.commit(payout)
    await simulator.advance()
    reply = await partner("POST", f"/payouts/{payout}/cancel", {})
    assert (reply.status, reply.body["status"].lower()) == (200, "canceled")
    assert simulator.ledger.paid_cents("C1") == 0
    assert simulator.ledger.balance_cents == simulator.ledger.opening_cents


async def test_failed_payout_has_a_reason_and_returns_the_money(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.fail_reason = "Account closed"
    payout = await partner.pay()
    await simulator.advance()
    read = (await partner("GET", f"/operations/{payout}")).body
    assert (read["status"].lower(), read["failure_reason"]) == ("failed", "Account closed")
    assert simulator.ledger.paid_cents() == 0


async def test_amounts_over_a_limit_wait(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.escrow_above_cents = 2499
    payout = await partner.pay()
    await simulator.advance()
    assert simulator.operations[payout].status == "pending"
    await simulator.settle(payout, "completed")
    assert simulator.operations[payout].status == "completed"


@pytest.mark.parametrize(
    ("email", "status", "name"),
    [
        ("ana%40example.com", "active", "Ana Maria Lopez"),
        ("ANA%40EXAMPLE.COM", "active", "Ana Maria Lopez"),
        ("ben%2Bwork%40example.com", "active", "Ben Carter"),
        ("ben+work%40example.com", "inactive", ""),
        ("mia%40example.com", "inactive", "Mia Keller"),
        ("nobody%40example.com", "inactive", ""),
    ],
)
async def test_account_status(partner: Partner, email: str, status: str, name: str) -> None:
    reply = await partner("GET", f"/account-status?email={email}")
    assert reply.status == 200
    assert set(reply.body) == {"country_ID", "isPrimary", "status", "is_verified", "fullName"}
    assert (reply.body["status"], reply.body["fullName"]) == (status, name)


async def test_account_status_needs_an_address(partner: Partner) -> None:
    reply = await partner("GET", "/account-status")
    assert (reply.status, reply.body["messages"]) == (422, {"email": ["is required"]})


async def test_spelling_and_unset_fields_alternate(simulator: PaymentsSimulator, partner: Partner) -> None:
    payout = await partner.create()
    reads = [(await partner("GET", f"/operations/{payout}")).body for _ in range(4)]
    assert {read["status"] for read in reads} == {"created", "CREATED"}
    assert {read["code"] for read in reads} == {None, ""}
    simulator.switches.mixed_case, simulator.switches.unset = False, "null"
    reads = [(await partner("GET", f"/operations/{payout}")).body for _ in range(4)]
    assert {(read["status"], read["code"]) for read in reads} == {("created", None)}


async def test_stale_reads_show_the_status_before(simulator: PaymentsSimulator, partner: Partner) -> None:
    payout = await partner.pay()
    simulator.switches.stale_reads = 2
    reads = [(await partner("GET", f"/operations/{payout}")).body["status"].lower() for _ in range(3)]
    assert reads == ["created", "created", "committed"]


async def test_amounts_can_come_as_numbers(simulator: PaymentsSimulator, partner: Partner) -> None:
    simulator.switches.numeric_amounts = True
    assert (await partner("POST", "/payouts", order(amount=0.29))).body["amount"] == 0.29

"""The ledger agrees with the operations, whatever happens in whatever order."""

import asyncio

import aiohttp
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.ledger import EntryKind, Ledger
from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, order
from tests.support.clock import SecondsClock

PEOPLE = ("ana@example.com", "mia@example.com", "nobody@example.com")

CREATE = st.tuples(st.sampled_from(["create", "one_step"]), st.sampled_from(PEOPLE), st.integers(1, 500_000))
ON_ONE = st.tuples(
    st.sampled_from(["commit", "cancel", "fail", "read"]), st.integers(0, 5), st.sampled_from([None, *FaultKind])
)
ON_ALL = st.tuples(st.sampled_from(["advance", "sign up", "later"]), st.just(0), st.just(None))


def check(simulator: PaymentsSimulator, commits: dict[str, int]) -> None:
    """Compare the ledger with the operations and with the commits that had an effect."""
    ledger = simulator.ledger
    for record in simulator.operations.values():
        entries = ledger.of_operation(record.id)
        payouts = [entry for entry in entries if entry.kind is EntryKind.PAYOUT]
        refunds = [entry for entry in entries if entry.kind is EntryKind.REFUND]
        assert len(payouts) == record.executions == commits.get(record.id, 0)
        assert all(entry.cents == record.cents and entry.email == record.email for entry in payouts)
        assert (record.status == "created") is not bool(payouts)
        assert bool(refunds) == (record.status in ("canceled", "failed"))
        assert len(refunds) <= 1
        assert ledger.held_cents(record.id) == ledger.paid_cents(record.code)
        assert bool(record.svc_operation_hash) == (record.status == "completed")
    assert ledger.balance_cents == ledger.opening_cents - ledger.paid_cents()
    assert ledger.balance_cents >= 0


class History:
    """Plays a list of steps against a running simulator and counts the commits that arrived."""

    def __init__(self, simulator: PaymentsSimulator, partner: Partner, clock: SecondsClock) -> None:
        self.simulator, self.partner, self.clock = simulator, partner, clock
        self.commits: dict[str, int] = {}
        self.created: list[str] = []

    async def play(self, step: tuple[str, object, object]) -> None:
        what, first, second = step
        match what:
            case "create" | "one_step":
                assert isinstance(second, int)
                await self.create(order(email=first, amount=second / 100, code=f"C{len(self.created)}"), what)
            case "advance":
                await self.simulator.advance()
            case "sign up":
                self.simulator.add_account("nobody@example.com")
            case "later":
                self.clock.now += 60
                self.simulator.tick()
            case _ if self.created:
                assert isinstance(first, int)
                await self.act(what, self.created[first % len(self.created)], second)

    async def create(self, body: dict[str, object], what: str) -> None:
        reply = await self.partner("POST", "/payouts" if what == "create" else "/payouts/one-step", body)
        if reply.status == 422:
            assert what == "one_step", "only money can be missing"
            assert self.simulator.ledger.balance_cents < round(float(str(body["amount"])) * 100)
            return
        self.created.append(reply.body["id"])
        if what == "one_step":
            self.commits[self.created[-1]] = 1

    async def act(self, what: str, payout: str, kind: object) -> None:
        if what == "fail":
            record = self.simulator.operations[payout]
            if record.status in ("committed", "pending"):
                await self.simulator.settle(payout, "failed")
            return
        if isinstance(kind, FaultKind):
            self.simulator.faults.arm(Fault(kind, seconds=0.001))
        method, path = {
            "commit": ("POST", f"/payouts/{payout}/commit"),
            "cancel": ("POST", f"/payouts/{payout}/cancel"),
            "read": ("GET", f"/operations/{payout}"),
        }[what]
        try:
            await self.partner(method, path, {} if method == "POST" else None)
        except aiohttp.ServerDisconnectedError:
            assert kind in (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS)
        if what == "commit" and self.simulator.calls[-1].effect:
            self.commits[payout] = self.commits.get(payout, 0) + 1


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(CREATE | ON_ONE | ON_ALL, max_size=25), worst_case=st.booleans())
def test_money_and_operations_agree(steps: list[tuple[str, object, object]], worst_case: bool) -> None:
    async def run() -> None:
        clock = SecondsClock()
        async with (
            PaymentsSimulator(
                clock=clock, rate_limit=None, worst_case=worst_case, step_seconds=60, balance_cents=1_500_000
            ) as simulator,
            Partner(simulator) as partner,
        ):
            simulator.callbacks.switches.drop = True
            history = History(simulator, partner, clock)
            for step in steps:
                finals = {record.id: record.status for record in simulator.operations.values() if record.final}
                await history.play(step)
                assert finals.items() <= {record.id: record.status for record in simulator.operations.values()}.items()
            check(simulator, history.commits)
            if not worst_case:
                assert all(count == 1 for count in history.commits.values())

    asyncio.run(run())


def test_ledger_entries_are_positive() -> None:
    ledger = Ledger(clock=lambda: 0.0)
    with pytest.raises(ValueError, match="positive"):
        ledger.append(EntryKind.PAYOUT, operation_id="x", code=None, email="a@b.example", cents=0)

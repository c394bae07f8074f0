"""What may happen, as rules that Hypothesis draws from. After each of them every promise is checked."""

import asyncio
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.playground.faults import FaultKind
from tests.stateful.people import POLICIES
from tests.stateful.world import World
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, OLGA, RANDOM, TOM, ZOE

T = TypeVar("T")

AMOUNTS = {"small": 2_500, "edge": 100_000, "above": 100_001, "large": 1_200_000}
EMAILS = ("ana@example.com", "mia@example.com", "nobody@example.com")
"""Active, inactive (the money waits in escrow), unknown to the service."""
APPROVERS = (ADA, LIN, TOM)
ANYBODY = (*APPROVERS, MARIA, OLGA, ZOE, GUS, EVE)
STATUSES = ("completed", "pending", "failed", "canceled", "committed")
SERVICE_FAULTS = {
    "commit_payout": (
        FaultKind.LOST,
        FaultKind.DONE_DROPPED,
        FaultKind.DONE_500,
        FaultKind.TOO_MANY,
        FaultKind.REFUSED,
    ),
    "one_step_payout": (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.TOO_MANY),
    "create_payout": (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.GARBAGE, FaultKind.ERROR_500),
    "get_operation": (FaultKind.ERROR_500, FaultKind.GARBAGE),
    "account_status": (FaultKind.ERROR_500,),
    "list_operations": (FaultKind.ERROR_500,),
    "callback": (FaultKind.LOST, FaultKind.DONE_500),
}
SLACK_FAULTS = {
    "chat.postMessage": (FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.ERROR_500, FaultKind.TOO_MANY),
    "chat.update": (FaultKind.DONE_DROPPED, FaultKind.TOO_MANY, FaultKind.REFUSED),
    "users.info": (FaultKind.ERROR_500,),
    "usergroups.users.list": (FaultKind.LOST,),
    "views.open": (FaultKind.ERROR_500,),
    "response_url": (FaultKind.LOST,),
}
FAULTS = [
    (side, operation, kind)
    for side, table in (("service", SERVICE_FAULTS), ("slack", SLACK_FAULTS))
    for operation, kinds in table.items()
    for kind in kinds
]
BODIES: tuple[object, ...] = ({"status": "completed", "amount": "1.00"}, "<html>Bad gateway</html>", {}, 0, 1)
"""What a forged callback says; a number: the true record of the operation with that number."""

_MOST_ASKED = 4
which = st.integers(0, _MOST_ASKED - 1)


class Payouts(RuleBasedStateMachine):
    """One run: a new database, the real application, people, a service and a clock."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None)
        self._loop = asyncio.new_event_loop()
        self._broken = True
        self.world: World
        self.world = self._do(World.open(Path(self._folder.name)))

    def _do(self, doing: Awaitable[T]) -> T:
        """Carry one act out; a run in which something broke is not taken to its end."""
        self._broken = True

        async def done() -> T:
            return await doing

        result = self._loop.run_until_complete(done())
        self._broken = False
        return result

    def teardown(self) -> None:
        """Take the run to its end, and everything down."""
        try:
            if not self._broken:
                self._do(self.world.converge())
        finally:
            self._loop.run_until_complete(self.world.close())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
            self._folder.cleanup()

    @invariant()
    def promises_hold(self) -> None:
        self._broken = True
        self.world.check()
        self._broken = False

    def _has_requests(self) -> bool:
        return bool(self.world.promises.asks)

    # people ask

    @initialize(amount=st.sampled_from(sorted(AMOUNTS)), user=st.sampled_from((MARIA, TOM)))
    def somebody_asks(self, amount: str, user: str) -> None:
        self.ask(user, "send", amount, EMAILS[0], FINANCE)

    @precondition(lambda self: len(self.world.promises.asks) < _MOST_ASKED)
    @rule(
        user=st.sampled_from((MARIA, TOM, MARIA, ZOE, ADA)),
        verb=st.sampled_from(("send", "send", "now")),
        amount=st.sampled_from(sorted(AMOUNTS)),
        email=st.sampled_from(EMAILS),
        channel=st.sampled_from((FINANCE, FINANCE, APPROVALS, RANDOM)),
    )
    def ask(self, user: str, verb: str, amount: str, email: str, channel: str) -> None:
        cents = AMOUNTS[amount]
        text = f'{verb} {email} {cents / 100:.2f} "March translation"'
        self._do(self.world.ask(user, text, email=email, cents=cents, channel=channel))

    # people decide

    def _press(self, which: int, user: str, action: str, *, right: bool = True, twice: bool = False) -> None:
        row = self.world.pick(which)
        typed = "" if row is None else f"{row['cents'] / 100:.2f}" if right else "1.00"
        if action in ("payout.reject", "payout.close"):
            typed = "No invoice"
        self._do(self.world.press(which, user, action, typed=typed, twice=twice))

    @precondition(_has_requests)
    @rule(which=which, user=st.sampled_from(APPROVERS), right=st.sampled_from((True, True, True, False)))
    def approve(self, which: int, user: str, right: bool) -> None:
        self._press(which, user, "payout.approve", right=right)

    @precondition(_has_requests)
    @rule(which=which, users=st.permutations(APPROVERS))
    def everybody_approves(self, which: int, users: list[str]) -> None:
        for user in users:
            self._press(which, user, "payout.approve")

    @precondition(_has_requests)
    @rule(which=which, user=st.sampled_from(ANYBODY))
    def somebody_approves(self, which: int, user: str) -> None:
        self._press(which, user, "payout.approve")

    @precondition(_has_requests)
    @rule(which=which, user=st.sampled_from(APPROVERS))
    def approve_twice_at_once(self, which: int, user: str) -> None:
        self._press(which, user, "payout.approve", twice=True)

    @precondition(_has_requests)
    @rule(which=which, user=st.sampled_from(ANYBODY), action=st.sampled_from(("reject", "close", "withdraw")))
    def stop(self, which: int, user: str, action: str) -> None:
        self._press(which, user, f"payout.{action}")

    @precondition(_has_requests)
    @rule(which=which, user=st.sampled_from(ANYBODY), right=st.booleans())
    def retry(self, which: int, user: str, right: bool) -> None:
        self._press(which, user, "payout.retry", right=right)

    @rule(user=st.sampled_from(ANYBODY), text=st.sampled_from(("freeze careful", "unfreeze", "unfreeze")))
    def freeze(self, user: str, text: str) -> None:
        self._do(self.world.say(user, text))

    # people come and go

    @rule(user=st.sampled_from((*APPROVERS, ZOE)), member=st.booleans())
    def regroup(self, user: str, member: bool) -> None:
        self.world.regroup(user, member=member)

    @rule(user=st.sampled_from((*APPROVERS, MARIA)), active=st.booleans())
    def employ(self, user: str, active: bool) -> None:
        self.world.employ(user, active=active)

    # the service

    @precondition(_has_requests)
    @rule(which=which, status=st.sampled_from(STATUSES))
    def move(self, which: int, status: str) -> None:
        self._do(self.world.move(which, status))

    @rule(
        drop=st.booleans(),
        double=st.booleans(),
        forged=st.booleans(),
        late=st.sampled_from((0.0, 0.0, 90.0, 7_200.0)),
        out_of_order=st.booleans(),
    )
    def callbacks_behave(self, drop: bool, double: bool, forged: bool, late: float, out_of_order: bool) -> None:
        switches = self.world.payments.callbacks.switches
        switches.drop, switches.double, switches.forged = drop, double, forged
        switches.late_seconds, switches.out_of_order = late, out_of_order

    @precondition(_has_requests)
    @rule(which=which, kind=st.integers(0, 2), body=st.sampled_from(BODIES))
    def call_back(self, which: int, kind: int, body: object) -> None:
        self._do(self.world.call_back(which, kind, body))

    @rule(token=st.sampled_from(("x", "0" * 43, "../healthz")))
    def guess_callback(self, token: str) -> None:
        self._do(self.world.guess_callback(token))

    # what goes wrong

    @rule(fault=st.sampled_from(FAULTS), skip=st.sampled_from((0, 0, 1)))
    def arm(self, fault: tuple[str, str, FaultKind], skip: int) -> None:
        side, operation, kind = fault
        self.world.arm(side, kind, operation, skip=skip)

    @rule(crossings=st.integers(0, 24))
    def light_the_fuse(self, crossings: int) -> None:
        """The process dies at one of the next things it does."""
        self.world.life.fuse = crossings

    @rule(policy=st.sampled_from((None, *sorted(POLICIES))), hard=st.booleans())
    def restart(self, policy: str | None, hard: bool) -> None:
        self._do(self.world.restart(policy, hard=hard))

    @rule(seconds=st.sampled_from((1.0, 10.0, 61.0, 300.0, 900.0, 3_700.0, 90_000.0)), steps=st.sampled_from((1, 1, 4)))
    def wait(self, seconds: float, steps: int) -> None:
        self._do(self.world.wait(seconds, steps=steps))

"""What may happen, as rules that Hypothesis draws from. After each of them every promise is checked."""

import asyncio
import tempfile
from collections.abc import Awaitable
from pathlib import Path
from typing import ClassVar, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from bot.playground.faults import FaultKind
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, LIN, MARIA, OLGA, RANDOM, TOM, ZOE
from tests.support.scratch import scratch
from tests.world.history import URIS, History
from tests.world.law import POLICIES

T = TypeVar("T")

FIGURES = settings(
    max_examples=15,
    stateful_step_count=30,
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=False,
    report_multiple_bugs=False,
    suppress_health_check=list(HealthCheck),
)
"""How many random histories are drawn, and how long they are."""

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
    "usergroups.list": (FaultKind.LOST,),
    "views.open": (FaultKind.ERROR_500,),
    "response_url": (FaultKind.LOST,),
}
FAULTS = [
    (side, operation, kind)
    for side, table in (("service", SERVICE_FAULTS), ("slack", SLACK_FAULTS))
    for operation, kinds in table.items()
    for kind in kinds
]
SENDING = [
    (operation, kind) for operation in ("commit_payout", "one_step_payout") for kind in SERVICE_FAULTS[operation]
]
"""What may go wrong with the one request that moves money."""
BODIES: tuple[object, ...] = ({"status": "completed", "amount": "1.00"}, "<html>Bad gateway</html>", {}, 0, 1)
"""What a forged callback says; a number: the true record of the operation with that number."""

# Hypothesis replays what it drew, so what may be drawn must not depend on the database: what cannot be done is skipped.
_MOST_ASKED = 4
which = st.integers(0, _MOST_ASKED - 1)


class Payouts(RuleBasedStateMachine):
    """One run: a new database, the real application, people, a service and a clock."""

    takes_to_the_end: ClassVar[bool] = True
    """False: a run is over when nothing more is drawn."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(dir=scratch())
        self._loop = asyncio.new_event_loop()
        self._broken = True
        self._asked = 0
        self.world: History
        self.world = self._do(History.open(Path(self._folder.name)))

    def _do(self, doing: Awaitable[T]) -> T:
        self._broken = True

        async def done() -> T:
            return await doing

        result = self._loop.run_until_complete(done())
        self._broken = False
        return result

    def teardown(self) -> None:
        try:
            if self.takes_to_the_end and not self._broken:
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

    @initialize(
        amounts=st.lists(st.sampled_from(sorted(AMOUNTS)), min_size=1, max_size=2), user=st.sampled_from((MARIA, TOM))
    )
    def somebody_asks(self, amounts: list[str], user: str) -> None:
        for amount, verb in zip(amounts, ("send", "now"), strict=False):
            self.ask(user, verb, amount, EMAILS[0], FINANCE)

    @precondition(lambda self: self._asked < _MOST_ASKED)
    @rule(
        user=st.sampled_from((MARIA, TOM, MARIA, ZOE)),
        verb=st.sampled_from(("send", "send", "now")),
        amount=st.sampled_from(sorted(AMOUNTS)),
        email=st.sampled_from(EMAILS),
        channel=st.sampled_from((FINANCE, FINANCE, APPROVALS, RANDOM)),
        trouble=st.sampled_from((None, None, *SERVICE_FAULTS["create_payout"])),
    )
    def ask(
        self, user: str, verb: str, amount: str, email: str, channel: str, trouble: FaultKind | None = None
    ) -> None:
        self._asked += 1
        if trouble is not None:
            self.world.arm("service", "create_payout", trouble)
        cents = AMOUNTS[amount]
        text = f'{verb} {email} {cents / 100:.2f} "March translation"'
        self._do(self.world.ask(user, text, email=email, cents=cents, channel=channel))

    def _back_to_work(self) -> None:
        """Everybody who may approve is there and may, and payments flow."""
        for user in APPROVERS:
            self.world.employ(user, active=True)
            self.world.regroup(user, member=True)
        for user in APPROVERS if self.world.books.is_frozen() else ():
            self._do(self.world.say(user, "unfreeze"))

    def _press(self, which: int, user: str, action: str, *, right: bool = True, twice: bool = False) -> None:
        row = self.world.pick(which)
        typed = "" if row is None else f"{row['cents'] / 100:.2f}" if right else "1.00"
        if action in ("payout.reject", "payout.close"):
            typed = "No invoice"
        self._do(self.world.press(which, user, action, typed=typed, twice=twice))

    @rule(which=which, user=st.sampled_from((*APPROVERS, *ANYBODY)), right=st.booleans(), twice=st.booleans())
    def approve(self, which: int, user: str, right: bool, twice: bool) -> None:
        """A press, also by people whose press must not count; or two at once and the same request again."""
        self._press(which, user, "payout.approve", right=right, twice=twice)

    @rule(which=which, users=st.permutations(APPROVERS), trouble=st.sampled_from((None, None, *SENDING)))
    def everybody_approves(self, which: int, users: list[str], trouble: tuple[str, FaultKind] | None) -> None:
        """On a good day a request goes all the way to the service, where its commit may go wrong."""
        if not self.world.stands("awaiting"):
            return
        self._back_to_work()
        if trouble is not None:
            self.world.arm("service", *trouble)
        for user in users:
            self._press(which, user, "payout.approve")

    @rule(which=which, who=st.sampled_from(APPROVERS), goes=st.booleans(), seconds=st.sampled_from((10.0, 90.0)))
    def somebody_leaves_before_it_is_sent(self, which: int, who: str, goes: bool, seconds: float) -> None:
        """The service is busy while a request is approved; by the time it is not, somebody no longer belongs."""
        if not self.world.stands("awaiting"):
            return
        self._back_to_work()
        self.world.arm("service", "*", FaultKind.TOO_MANY, times=2)
        for user in (who, *(one for one in APPROVERS if one != who)):
            self._press(which, user, "payout.approve")
        if goes:
            self.world.employ(who, active=False)
        else:
            self.world.regroup(who, member=False)
        self._do(self.world.wait(seconds))

    @rule(
        which=which,
        kind=st.sampled_from((FaultKind.LOST, FaultKind.LOST, FaultKind.DONE_DROPPED)),
        verb=st.sampled_from(("commit_payout", "one_step_payout")),
        then=st.sampled_from(("", "retry", "retry", "close")),
        users=st.permutations(APPROVERS),
    )
    def nobody_knows_what_became_of_it(
        self, which: int, kind: FaultKind, verb: str, then: str, users: list[str]
    ) -> None:
        """A commit is lost, or its answer; the quiet period passes, and people decide."""
        if not self.world.stands("awaiting"):
            return
        self._back_to_work()
        self.world.arm("service", verb, kind)
        for user in APPROVERS:
            self._press(which, user, "payout.approve")
        self._do(self.world.wait(1_000.0, steps=4))
        for user in users if then else ():
            self._press(which, user, f"payout.{then}")

    @rule(which=which, user=st.sampled_from((MARIA, TOM, *ANYBODY)), action=st.sampled_from(("reject", "withdraw")))
    def stop(self, which: int, user: str, action: str) -> None:
        self._press(which, user, f"payout.{action}")

    @rule(
        which=which, users=st.permutations(APPROVERS), right=st.sampled_from((True, True, False)), close=st.booleans()
    )
    def decide_on_the_unknown(self, which: int, users: list[str], right: bool, close: bool) -> None:
        if not self.world.stands("needs_human"):
            return
        for user in users if not close else users[:1]:
            self._press(which, user, "payout.close" if close else "payout.retry", right=right)

    @rule(
        user=st.sampled_from((*APPROVERS, OLGA, *ANYBODY)),
        which=which,
        then=st.sampled_from(("", "approve", "unfreeze")),
    )
    def freeze(self, user: str, which: int, then: str) -> None:
        self._do(self.world.say(user, "freeze careful"))
        for person in APPROVERS:
            if then == "approve":
                self._press(which, person, "payout.approve")
            elif then == "unfreeze":
                self._do(self.world.say(person, "unfreeze"))

    @rule(
        user=st.sampled_from((*APPROVERS, MARIA, ZOE)),
        what=st.sampled_from(("joins", "joins", "leaves", "goes", "returns", "returns")),
    )
    def people_change(self, user: str, what: str) -> None:
        if what in ("joins", "leaves"):
            self.world.regroup(user, member=what == "joins")
        else:
            self.world.employ(user, active=what == "returns")

    @rule(which=which, status=st.sampled_from(STATUSES))
    def move(self, which: int, status: str) -> None:
        self._do(self.world.move(which, status))

    @rule(which=which, cents=st.sampled_from((0, 100)))
    def tamper(self, which: int, cents: int) -> None:
        self.world.tamper(which, cents=cents)

    @rule(doubled=st.booleans(), late=st.sampled_from((0.0, 90.0, 7_200.0)), forged=st.booleans(), drop=st.booleans())
    def advance(self, doubled: bool, late: float, forged: bool, drop: bool) -> None:
        switches = self.world.payments.callbacks.switches
        switches.double, switches.late_seconds, switches.forged, switches.drop = doubled, late, forged, drop
        self._do(self.world.advance())

    @rule(which=which, kind=st.integers(0, 3), body=st.sampled_from(BODIES))
    def lie_in_a_callback(self, which: int, kind: int, body: object) -> None:
        """Somebody knows an address of ours (or guesses one) and says what they like."""
        if kind < len(URIS):
            self._do(self.world.call_back(which, kind, body))
        else:
            self._do(self.world.guess_callback("0" * 43))

    @rule(fault=st.sampled_from(FAULTS), skip=st.sampled_from((0, 0, 1)))
    def arm(self, fault: tuple[str, str, FaultKind], skip: int) -> None:
        self.world.arm(*fault, skip=skip)

    @rule(crossings=st.integers(0, 30))
    def light_the_fuse(self, crossings: int) -> None:
        self.world.fuse = crossings

    @rule(policy=st.sampled_from((None, *sorted(POLICIES))), hard=st.booleans())
    def restart(self, policy: str | None, hard: bool) -> None:
        self._do(self.world.restart(policy, hard=hard))

    @rule(seconds=st.sampled_from((1.0, 10.0, 61.0, 300.0, 900.0, 3_700.0)), steps=st.sampled_from((1, 1, 4)))
    def wait(self, seconds: float, steps: int) -> None:
        self._do(self.world.wait(seconds, steps=steps))

"""The flows: people, the service's behaviour, and faults that occur in every run of the flow.

A flow with a fault of its own (``base``) turns every single fault into a pair on the path that it opens:
a lost answer, a commit of unknown outcome, a second attempt by people.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments import PaymentsSimulator
from tests.chaos.people import Asker, Colleague, Decider, Liar, Person, Recipient, Reminded, Voucher
from tests.chaos.plans import Kind, Point, Side
from tests.support.rig import ADA, FINANCE, LIN, MARIA, RANDOM, TOM

_ANA = 'send ana@example.com 25.00 "March translation"'
_NEW = 'send nia@example.com 25.00 "March translation"'
_NOW = 'now ana@example.com 25.00 "March translation"'
_MUCH = 'send ana@example.com 2500.00 "Annual report"'


@dataclass(slots=True, kw_only=True)
class Flow:
    """One course of a payout. ``people`` look in their order; they hold state, so each run has its own."""

    name: str
    people: list[Person]
    ends: str
    """The state that it reaches without (further) faults."""
    email: str = "ana@example.com"
    cents: int = 2500
    quorum: int = 1
    requester: str = MARIA
    step_seconds: float = 20.0
    """Seconds of the service from one status to the next."""
    base: Mapping[Point, Kind] = field(default_factory=dict)
    overtaking: Mapping[Point, Person] = field(default_factory=dict)
    """People who act while a request of ours is under way."""
    paid_outside: int = 0
    """Number of payments made at the service without us."""
    calls_back: bool = True
    furnish_more: Callable[[PaymentsSimulator], None] | None = None

    def furnish(self, payments: PaymentsSimulator) -> None:
        """Set up the service."""
        payments.callbacks.switches.drop = not self.calls_back
        if self.furnish_more is not None:
            self.furnish_more(payments)


def _maria(text: str = _ANA, channel: str = FINANCE) -> Asker:
    return Asker(user=MARIA, channel=channel, text=text)


def _ada(action: str = "approve", **values: str) -> Decider:
    return Decider(user=ADA, action=f"payout.{action}", values=values)


def _lin(action: str = "approve", **values: str) -> Decider:
    return Decider(user=LIN, action=f"payout.{action}", values=values)


def _second() -> Decider:
    return Reminded(user=LIN, action="payout.approve")


def _commit(kind: Kind) -> dict[Point, Kind]:
    return {Point(Side.PAYMENTS, "commit_payout", 1): kind}


def _create(kind: Kind) -> dict[Point, Kind]:
    return {Point(Side.PAYMENTS, "create_payout", 1): kind}


def _one_step(kind: Kind) -> dict[Point, Kind]:
    return {Point(Side.PAYMENTS, "one_step_payout", 1): kind}


def _hides_codes(payments: PaymentsSimulator) -> None:
    payments.faults.arm(Fault(FaultKind.NO_CODES, "list_operations", times=None))


def _fails(payments: PaymentsSimulator) -> None:
    payments.switches.fail_reason = "The account is closed"


FLOWS: Mapping[str, Callable[[], Flow]] = {
    "callback": lambda: Flow(
        name="callback", people=[_maria(), _ada(), _second(), Liar()], ends="completed", step_seconds=12.0
    ),
    "polling": lambda: Flow(name="polling", people=[_maria(), _ada(), _second()], ends="completed", calls_back=False),
    "reject": lambda: Flow(name="reject", people=[_maria(), _ada("reject", reason="No invoice")], ends="rejected"),
    "withdraw": lambda: Flow(
        name="withdraw",
        people=[_maria(), Decider(user=MARIA, action="payout.withdraw", channel=FINANCE)],
        ends="withdrawn",
    ),
    "expire": lambda: Flow(name="expire", people=[_maria()], ends="expired"),
    "quorum": lambda: Flow(
        name="quorum",
        people=[
            Asker(user=TOM, channel=FINANCE, text=_MUCH),
            Decider(user=TOM, action="payout.approve", values={"amount": "2500.00"}, most=1),
            _ada(amount="2500.00"),
            _lin(amount="2500.00"),
        ],
        ends="completed",
        cents=250_000,
        quorum=2,
        requester=TOM,
    ),
    "escrow": lambda: Flow(
        name="escrow",
        people=[
            _maria(_NEW),
            Voucher(user=MARIA, channel=FINANCE),
            _ada(),
            _second(),
            Recipient(email="nia@example.com"),
        ],
        ends="completed",
        email="nia@example.com",
    ),
    "failed": lambda: Flow(name="failed", people=[_maria(), _ada(), _second()], ends="failed", furnish_more=_fails),
    "external": lambda: Flow(
        name="external", people=[_maria(), Colleague(), _ada(), _second()], ends="mismatch", paid_outside=1
    ),
    "overtaken": lambda: Flow(
        name="overtaken",
        people=[_maria(), _ada(), _second()],
        ends="withdrawn",
        overtaking={
            Point(Side.PAYMENTS, "get_operation", 1): Decider(
                user=MARIA, action="payout.withdraw", channel=FINANCE, most=1
            )
        },
    ),
    "outsider": lambda: Flow(name="outsider", people=[_maria(channel=RANDOM), _ada(), _second()], ends="completed"),
    "create unknown": lambda: Flow(
        name="create unknown", people=[_maria(), _ada(), _second()], ends="completed", base=_create(Kind.DONE_DROPPED)
    ),
    "create lost": lambda: Flow(
        name="create lost", people=[_maria(), _ada(), _second()], ends="completed", base=_create(Kind.LOST)
    ),
    "commit unknown": lambda: Flow(
        name="commit unknown", people=[_maria(), _ada(), _second()], ends="completed", base=_commit(Kind.DONE_DROPPED)
    ),
    "create refused": lambda: Flow(
        name="create refused", people=[_maria(), _ada(), _second()], ends="completed", base=_create(Kind.DONE_REFUSED)
    ),
    "commit refused": lambda: Flow(
        name="commit refused", people=[_maria(), _ada(), _second()], ends="completed", base=_commit(Kind.DONE_REFUSED)
    ),
    "one step": lambda: Flow(name="one step", people=[_maria(_NOW), _ada(), _second()], ends="completed"),
    "one step unknown": lambda: Flow(
        name="one step unknown",
        people=[_maria(_NOW), _ada(), _second()],
        ends="completed",
        base=_one_step(Kind.DONE_DROPPED),
    ),
    "one step refused": lambda: Flow(
        name="one step refused",
        people=[_maria(_NOW), _ada(), _second()],
        ends="completed",
        base=_one_step(Kind.DONE_REFUSED),
    ),
    "one step lost": lambda: Flow(
        name="one step lost",
        people=[_maria(_NOW), _ada(), _second(), _lin("retry", amount="25.00")],
        ends="completed",
        base=_one_step(Kind.LOST),
    ),
    "one step hidden": lambda: Flow(
        name="one step hidden",
        people=[_maria(_NOW), _ada(), _second(), _lin("retry", amount="25.00")],
        ends="needs_human",
        base=_one_step(Kind.DONE_DROPPED),
        calls_back=False,
        furnish_more=_hides_codes,
    ),
    "retry": lambda: Flow(
        name="retry",
        people=[_maria(), _ada(), _second(), _lin("retry", amount="25.00")],
        ends="completed",
        base=_commit(Kind.LOST),
    ),
    "close": lambda: Flow(
        name="close",
        people=[_maria(), _ada(), _second(), _lin("close", reason="Their dashboard shows nothing")],
        ends="closed",
        base=_commit(Kind.LOST),
    ),
}
"""Every flow by its name, made anew for each run. Earlier ones cover what later ones have in common with them."""

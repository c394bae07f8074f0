"""The flows: people, the service's behaviour, and faults that occur in every run of the flow.

A flow with a fault of its own (``base``) turns every single fault into a pair on the path that it opens:
a lost answer, a commit of unknown outcome, a second attempt by people.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments import PaymentsSimulator
from tests.support.rig import ADA, FINANCE, LIN, MARIA, RANDOM, TOM
from tests.world.people import Asker, Colleague, Decider, Liar, Person, Recipient, Reminded, Voucher
from tests.world.plans import Kind, Point, Side

_ANA = 'send ana@example.com 25.00 "March translation"'
_NIA = "nia@example.com"
_NEW = 'send nia@example.com 25.00 "March translation"'
_NOW = 'now ana@example.com 25.00 "March translation"'
_MUCH = 'send ana@example.com 2500.00 "Annual report"'


@dataclass(slots=True, kw_only=True)
class Flow:
    """One course of a payout. ``people`` look in their order; they hold state, so each run has its own."""

    people: list[Person]
    ends: str
    """The state that it reaches without (further) faults."""
    email: str = "ana@example.com"
    cents: int = 2500
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
        payments.callbacks.switches.drop = not self.calls_back
        if self.furnish_more is not None:
            self.furnish_more(payments)


def _usual(
    *more: Callable[[], Person],
    text: str = _ANA,
    channel: str = FINANCE,
    at: str = "",
    fault: Kind = Kind.LOST,
    ends: str = "completed",
    **differs: Any,
) -> Callable[[], Flow]:
    """Maria asks, Ada approves, Lin after a reminder; then ``more`` people. ``fault``: of the first request ``at``."""

    def flow() -> Flow:
        people = [Asker(user=MARIA, channel=channel, text=text), _ada(), Reminded(user=LIN, action="payout.approve")]
        base = {Point(Side.PAYMENTS, at, 1): fault} if at else {}
        return Flow(people=[*people, *(one() for one in more)], ends=ends, base=base, **differs)

    return flow


def _alone(ends: str, *more: Callable[[], Person]) -> Callable[[], Flow]:
    """Maria asks, and ``more`` people decide."""
    return lambda: Flow(people=[Asker(user=MARIA, channel=FINANCE, text=_ANA), *(one() for one in more)], ends=ends)


def _ada(action: str = "approve", **values: str) -> Decider:
    return Decider(user=ADA, action=f"payout.{action}", values=values)


def _lin(action: str = "approve", **values: str) -> Decider:
    return Decider(user=LIN, action=f"payout.{action}", values=values)


def _lin_retries() -> Decider:
    return _lin("retry", amount="25.00")


def _withdrawal(most: int = 8) -> Decider:
    return Decider(user=MARIA, action="payout.withdraw", channel=FINANCE, most=most)


def _hides_codes(payments: PaymentsSimulator) -> None:
    payments.faults.arm(Fault(FaultKind.NO_CODES, "list_operations", times=None))


def _fails(payments: PaymentsSimulator) -> None:
    payments.switches.fail_reason = "The account is closed"


def _quorum() -> Flow:
    tom = Decider(user=TOM, action="payout.approve", values={"amount": "2500.00"}, most=1)
    asker = Asker(user=TOM, channel=FINANCE, text=_MUCH)
    people = [asker, tom, _ada(amount="2500.00"), _lin(amount="2500.00")]
    return Flow(people=people, ends="completed", cents=250_000, requester=TOM)


def _escrow() -> Flow:
    voucher = Voucher(user=MARIA, channel=FINANCE)
    flow = _usual(lambda: Recipient(email=_NIA), text=_NEW, email=_NIA)()
    flow.people.insert(1, voucher)
    return flow


def _external() -> Flow:
    flow = _usual(ends="mismatch", paid_outside=1)()
    flow.people.insert(1, Colleague())
    return flow


def _overtaken() -> Flow:
    return _usual(ends="withdrawn", overtaking={Point(Side.PAYMENTS, "get_operation", 1): _withdrawal(most=1)})()


FLOWS: Mapping[str, Callable[[], Flow]] = {
    "callback": _usual(Liar, step_seconds=12.0),
    "polling": _usual(calls_back=False),
    "reject": _alone("rejected", lambda: _ada("reject", reason="No invoice")),
    "withdraw": _alone("withdrawn", _withdrawal),
    "expire": _alone("expired"),
    "quorum": _quorum,
    "escrow": _escrow,
    "failed": _usual(ends="failed", furnish_more=_fails),
    "external": _external,
    "overtaken": _overtaken,
    "outsider": _usual(channel=RANDOM),
    "create unknown": _usual(at="create_payout", fault=Kind.DONE_DROPPED),
    "create lost": _usual(at="create_payout"),
    "commit unknown": _usual(at="commit_payout", fault=Kind.DONE_DROPPED),
    "create refused": _usual(at="create_payout", fault=Kind.DONE_REFUSED),
    "commit refused": _usual(at="commit_payout", fault=Kind.DONE_REFUSED),
    "one step": _usual(text=_NOW),
    "one step unknown": _usual(text=_NOW, at="one_step_payout", fault=Kind.DONE_DROPPED),
    "one step refused": _usual(text=_NOW, at="one_step_payout", fault=Kind.DONE_REFUSED),
    "one step lost": _usual(_lin_retries, text=_NOW, at="one_step_payout"),
    "one step hidden": _usual(
        _lin_retries,
        text=_NOW,
        at="one_step_payout",
        fault=Kind.DONE_DROPPED,
        ends="needs_human",
        calls_back=False,
        furnish_more=_hides_codes,
    ),
    "retry": _usual(_lin_retries, at="commit_payout"),
    "close": _usual(lambda: _lin("close", reason="Their dashboard shows nothing"), at="commit_payout", ends="closed"),
}
"""Every flow by its name, made anew for each run. Earlier ones cover what later ones have in common with them."""

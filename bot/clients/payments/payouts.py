"""Payouts: create, commit, both in one step, and what the service told us about one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from bot.clients.payments import wire
from bot.clients.payments.calls import PartnerCalls
from bot.clients.payments.event_wire import read_events
from bot.clients.transport import Guard, decimal_of
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.operation import Operation, PayoutEvent


@dataclass(frozen=True, kw_only=True)
class NewPayout:
    """A payout to be created.

    Attributes:
        code: our unique code, stored before the request leaves: recovery finds the payout by it.
        confirmation_uri: where the service reports completion; holds a secret token, like the other two.
        failure_uri: where it reports failure.
        cancel_uri: where it reports cancellation.
    """

    email: str
    description: str
    cents: Cents
    code: str
    confirmation_uri: str = field(repr=False)
    failure_uri: str = field(repr=False)
    cancel_uri: str = field(repr=False)


class PayoutCalls(PartnerCalls):
    """Calls about payouts. Those that change something are sent once and never repeated here."""

    def require_committable(self) -> None:
        """Check before creating a payout that it could be committed.

        Raises:
            OperatorError: production, and the commit route is an unconfirmed assumption.
        """
        self._route("commit_payout")

    def require_cancel_payout(self) -> None:
        """Check before approval that a payout in escrow could be canceled.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption.
        """
        self._route("cancel_payout")

    def require_one_step(self) -> None:
        """Check before approval that a payout could be paid in one step.

        Raises:
            OperatorError: production, and the one-step route is an unconfirmed assumption.
        """
        self._route("one_step_payout")

    async def create_payout(
        self, new: NewPayout, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[Operation] | NotExecuted | Unknown:
        """Create a payout; no money moves. Done carries what the service made of it: compare before going on.

        Args:
            new: the payout.
            earlier_unknown: an earlier create with this code has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.
        """
        return await self._change(
            "create_payout", _fields(new), wire.read_operation, earlier_unknown=earlier_unknown, guard=guard
        )

    async def commit_payout(
        self, operation_id: str, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[Operation] | NotExecuted | Unknown:
        """Commit a payout: money moves. Done means this operation, committed or further (even failed).

        Args:
            operation_id: the service's id.
            earlier_unknown: an earlier commit of this operation has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; nothing was sent.
            ServiceNever: the id cannot be one; nothing was sent.
        """
        read = partial(wire.read_committed, operation_id=operation_id)
        return await self._change(
            "commit_payout", {"id": operation_id}, read, earlier_unknown=earlier_unknown, guard=guard
        )

    async def cancel_payout(
        self, operation_id: str, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[frozenset[str]] | NotExecuted | Unknown:
        """Cancel a payout in escrow: the money comes back. Done means this operation, canceled; carries its id.

        Args:
            operation_id: the service's id.
            earlier_unknown: an earlier cancellation of it has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; nothing was sent.
        """
        read = partial(wire.read_canceled, operation_id=operation_id)
        return await self._change(
            "cancel_payout", {"id": operation_id}, read, earlier_unknown=earlier_unknown, guard=guard
        )

    async def one_step_payout(
        self, new: NewPayout, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[Operation] | NotExecuted | Unknown:
        """Create and commit a payout in one request: money moves.

        Done means a payout that says it is committed or further (even failed) and, where it says a code, says
        ours; its amount and recipient are the service's word: compare. After Unknown look for it with
        ``find_by_code``.

        Args:
            new: the payout.
            earlier_unknown: an earlier request with this code has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; nothing was sent.
        """
        read = partial(wire.read_one_step, code=new.code)
        return await self._change("one_step_payout", _fields(new), read, earlier_unknown=earlier_unknown, guard=guard)

    async def payout_events(self, operation_id: str) -> tuple[PayoutEvent, ...]:
        """Read the service's log of its calls to a payout's addresses, in its order; empty when there are none.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such payout), OperatorError: see ``read_failure``.
        """
        return await self._look("payout_events", {"id": operation_id}, read_events)


def _fields(new: NewPayout) -> Mapping[str, object]:
    return {
        "email": new.email,
        "description": new.description,
        "amount": decimal_of(new.cents),
        "code": new.code,
        "confirmation_uri": new.confirmation_uri,
        "failure_uri": new.failure_uri,
        "cancel_uri": new.cancel_uri,
    }

"""Audit rows of a booking, written in the transaction of each change, before any effect.

A booking costs money, so the requester, the person who canceled it and the service's answers can be looked up like the
story of a payment. The customer's number and address are left out: the audit is kept for ever.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from bot.domain.audit import Entry
from bot.domain.bookings.booking import Booking
from bot.domain.bookings.record import charge
from bot.domain.money import plain
from bot.workflows.context import Unit

ITSELF: Final = "switchboard"
"""The actor of what no person did."""


def witness(
    uow: Unit,
    booking: Booking,
    action: str,
    *,
    actor: str = ITSELF,
    before: Booking | None = None,
    detail: Mapping[str, object] = MappingProxyType({}),
    **more: object,
) -> None:
    """Add a row about a booking.

    Args:
        uow: the unit of work.
        booking: as it is now.
        action: one that ``bot.presentation.bookings.audit`` has words for.
        actor: the person who did it.
        before: the booking before the change; None: unchanged, or new.
        detail: facts for the text; empty ones are left out.
        more: further ones.
    """
    facts = {"reference": booking.reference, "store": booking.store, **detail, **more}
    uow.audit.append(
        Entry(
            at=uow.now,
            instruction_id=booking.id,
            actor=actor,
            action=action,
            before=(before or booking).stage.value,
            after=booking.stage.value,
            detail={name: value for name, value in facts.items() if value},
        )
    )


def witness_wish(uow: Unit, booking: Booking, action: str, *, by: str, before: Booking | None = None) -> None:
    """Add the row of a new request: with its value, and the quoted price."""
    request = booking.request
    cost = charge(booking.detail.get("quote", {}))
    witness(
        uow,
        booking,
        action,
        actor=by,
        before=before,
        amount=plain(request.cents) if request is not None else "",
        payment=request.payment.value if request is not None else "",
        fee=cost.amount if cost is not None else "",
        tax=cost.tax if cost is not None else "",
        currency=cost.currency if cost is not None else "",
        unpriced=booking.detail.get("unpriced"),
    )

"""Earlier requests that ended unpaid: those that a request was made from, and those of the last day for the same.

A request is made from another by *Try again*, *Edit and resend* or *Retry these*. A failed payment can turn out paid,
so the service's records of all earlier ones are read again before the request is sent. If one isn't surely unpaid, the
request is held until an admin releases it in a form that names both.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from bot.clients.payments import PaymentsClient
from bot.domain.approvals import SAME_PAYMENT
from bot.domain.audit import Entry
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.payments.earlier import Finding, are_new, not_released
from bot.domain.payments.instruction import NOT_PAID, Instruction
from bot.domain.payments.sealed import HELD_BACK
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Context, Unit, witness
from bot.workflows.requests.announce import alert, reads_as_paid
from bot.workflows.requests.claim import OvertakenError
from bot.workflows.requests.repeats import made_from, readable
from storage.transaction import Tx

_READINGS: Final = 3
"""Most retries of a reading without an answer before the request is held for it."""


@dataclass(frozen=True, slots=True)
class _ToRead:
    """An earlier request; ``rows``: the rows of a list that are paid again."""

    request: Instruction
    rows: tuple[int, ...] = ()

    def unread(self) -> Finding:
        return Finding(self.request.reference, moved=False, rows=self.rows)


async def read_earlier(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> tuple[Finding, ...]:
    """Read the earlier requests at the service; return those that aren't surely unpaid. Raises ServiceNow 3 times."""

    def look(uow: Unit) -> list[_ToRead]:
        # An admin has to decide already: nothing that is read now would change that.
        return [] if not_released((), _entries(uow, instruction)) else _earlier(uow, instruction)

    found: list[Finding] = []
    for one in await ctx.read(look):
        try:
            found += await ctx.kinds[one.request.kind].still_unpaid(ctx, payments, one.request, one.rows)
        except ServiceNever:
            found.append(one.unread())
        except ServiceNow:
            if instruction.puts_off < _READINGS:
                raise
            found.append(one.unread())
    return tuple(found)


def hindrance(uow: Unit, instruction: Instruction, found: Collection[Finding]) -> Reason | None:
    """Return why an earlier request prevents sending, or None; checked in the transaction of the claim.

    Raises OvertakenError if the request was changed concurrently.
    ``found``: as just read. Whether a request it was made from has since read as paid is checked here.
    """
    chain, missing = made_from(uow, instruction.payload)
    late = [Finding(one.reference, moved=True) for one in chain if reads_as_paid(uow, one)]
    entries = _entries(uow, instruction)
    left = not_released([*found, *late, *([Finding(missing, moved=False)] if missing else [])], entries)
    if not left:
        return None
    if (now := uow.instructions.get(instruction.id)) is None or now.state is not instruction.state:
        raise OvertakenError  # e.g. withdrawn: the audit must not say that it was held
    reason = Reason(OfRequest.EARLIER_NOT_UNPAID, found=[one.stored for one in left])
    if are_new(left, entries):
        witness(uow, HELD_BACK, {"found": [one.stored for one in left]}, about=instruction)
        alert(uow, instruction, f"{HELD_BACK}:{sum(one.action == HELD_BACK for one in entries)}", reason=reason)
    return reason


def earlier_requests(tx: Tx, instruction: Instruction) -> list[Instruction]:
    """Return the requests that this one was made from, and those that it is held for."""
    held: Any = instruction.reason.facts.get("found", ()) if instruction.reason is not None else ()
    names = [one.reference for one in made_from(tx, instruction.payload)[0]]
    names += [Finding.read(one).reference for one in held]
    return [one for name in dict.fromkeys(names) if (one := readable(tx, name)) is not None]


def _entries(tx: Tx, instruction: Instruction) -> Sequence[Entry]:
    rows = tx.audit.verified(tx.audit.about(instruction.id))
    return [row.entry for row in rows if row.is_intact and row.entry is not None]


def _earlier(uow: Unit, instruction: Instruction) -> list[_ToRead]:
    """Return the earlier requests for which money may have moved; for lists, also others that retried the same rows."""
    items = uow.bulk_items.rows(instruction.id) if instruction.payload.has_items else []
    found, rows = [*_same(uow, instruction, items)], {row.row for row in items}
    for first in made_from(uow, instruction.payload)[0]:
        found.append(_ToRead(first, tuple(sorted(rows))))
        for other in uow.instructions.retries(first.id) if rows else ():
            its_own = rows & {row.row for row in uow.bulk_items.rows(other.id)}
            if other.id != instruction.id and other.state in NOT_PAID and its_own:
                found.append(_ToRead(other, tuple(sorted(its_own))))
    # A refused create moves no money; if it had an effect after all, an alert names who commits it.
    return list(
        {one.request.id: one for one in found if one.request.commits or one.request.remote_id is not None}.values()
    )


def _same(uow: Unit, instruction: Instruction, items: Sequence[Any]) -> Iterator[_ToRead]:
    """Yield requests of the last day that pay some of the same, except those that the approvers' card names."""
    same = uow.instructions.ended_unpaid(instruction.payload.payments(items), since=uow.now - SAME_PAYMENT)
    for name in {one.reference for one in same}.difference(
        (one.reference for one in instruction.requirement.repeats), [instruction.reference]
    ):
        if (request := readable(uow, name)) is not None:
            yield _ToRead(request, tuple(sorted(one.row for one in same if one.reference == name and one.row)))

"""Every request compared with its sealed audit rows, for the operator: which of them disagrees, and in which way.

Reads a database that was tampered with: whatever stands in a row, the rows after it are read.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.payments.instruction import MONEY_OUT
from bot.domain.payments.sealed import Disagreement, Odd, is_reserved_as
from bot.domain.reasons import OfMode, OfRequest, Reason
from bot.workflows.requests.authority import odd
from bot.workflows.requests.freeze import FREEZE, frozen, frozen_by_audit
from storage.transaction import Tx


@dataclass(frozen=True, slots=True)
class Compared:
    """What was compared: how many requests, and what disagrees, with the reference of the request, if it is one."""

    requests: int
    found: tuple[tuple[str, Reason], ...]


def compare(tx: Tx) -> Compared:
    """Compare all of them, and the flags that hold payments back."""
    count = 0
    found: list[tuple[str, Reason]] = []
    for instruction_id, reference in tx.instructions.names():
        count += 1
        odd_one = _of(tx, instruction_id)
        if odd_one is not None:
            found.append((reference, odd_one))
    found += [(reference, Reason(OfMode.NOT_IN_DATABASE)) for reference in tx.instructions.missing()]
    found += [("", flag) for flag in _flags(tx)]
    return Compared(count, tuple(found))


def _of(tx: Tx, instruction_id: str) -> Reason | None:
    try:
        instruction = tx.instructions.get(instruction_id)
        assert instruction is not None, "its name was read in the same transaction"
        found = odd(tx, instruction)
        if instruction.kind in MONEY_OUT:
            held, rows = tx.reservations.of(instruction_id), tx.audit.told(tx.audit.about(instruction_id))
            if not is_reserved_as(instruction, held, rows):
                found = (*found, Disagreement(Odd.RESERVED))
    except Exception as unreadable:  # noqa: BLE001 - anything can stand in a row that somebody else wrote
        return Reason(OfMode.ROWS_UNREADABLE, error=type(unreadable).__name__)
    return Reason(OfRequest.DISAGREES, found=[(one.odd.value, one.facts) for one in found]) if found else None


def _flags(tx: Tx) -> Iterator[Reason]:
    if frozen_by_audit(tx) is not None and not tx.flags.get(FREEZE):
        yield Reason(OfMode.FREEZE_LOST)
    elif frozen(tx) is not None and frozen_by_audit(tx) is None:
        yield Reason(OfMode.FREEZE_FORGED)

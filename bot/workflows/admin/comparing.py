"""Every request compared with its sealed audit rows, for the operator: which of them disagrees, and in which way.

Reads a database that was tampered with: whatever stands in a row, the rows after it are read.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.domain.payments.instruction import MONEY_OUT
from bot.domain.payments.sealed import Disagreement, Odd, is_reserved_as
from bot.presentation.payments.disagreeing import told
from bot.workflows.requests.authority import odd
from bot.workflows.requests.freeze import FREEZE, frozen, frozen_by_audit
from storage.transaction import Tx


@dataclass(frozen=True, slots=True)
class Compared:
    """What was compared: how many requests, and a line for each that disagrees."""

    requests: int
    lines: tuple[str, ...]


def compare(tx: Tx) -> Compared:
    """Compare all of them, and the flags that hold payments back."""
    count, lines = 0, []
    for instruction_id, reference in tx.instructions.names():
        count += 1
        said = _of(tx, instruction_id)
        if said:
            lines.append(f"{reference}: {said}.")
    lines += [f"{reference}: it is in the audit and not in the database." for reference in tx.instructions.missing()]
    lines += _flags(tx)
    return Compared(count, tuple(lines))


def _of(tx: Tx, instruction_id: str) -> str:
    try:
        instruction = tx.instructions.get(instruction_id)
        assert instruction is not None, "its name was read in the same transaction"
        found = odd(tx, instruction)
        if instruction.kind in MONEY_OUT:
            held, rows = tx.reservations.of(instruction_id), tx.audit.told(tx.audit.about(instruction_id))
            if not is_reserved_as(instruction, held, rows):
                found = (*found, Disagreement(Odd.RESERVED))
    except Exception as unreadable:  # noqa: BLE001 - anything can stand in a row that somebody else wrote
        return f"its rows cannot be read ({type(unreadable).__name__})"
    return told(found)


def _flags(tx: Tx) -> Iterator[str]:
    if frozen_by_audit(tx) is not None and not tx.flags.get(FREEZE):
        yield "Payments are frozen, says the audit; the database says that they are not."
    elif frozen(tx) is not None and frozen_by_audit(tx) is None:
        yield "Payments are not frozen, says the audit; the database says that they are."

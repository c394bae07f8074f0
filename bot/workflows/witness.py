"""Audit rows of what changes no state."""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.audit import SYSTEM, Entry
from bot.domain.payments.instruction import Instruction
from storage.transaction import Tx


def witness(
    tx: Tx,
    action: str,
    detail: Mapping[str, object],
    now: datetime,
    *,
    actor: str = SYSTEM,
    about: Instruction | None = None,
) -> None:
    """Add a row. ``about``: the request it belongs to; None: no single one."""
    name, state = (about.id, about.state.value) if about is not None else ("", "")
    tx.audit.append(
        Entry(at=now, instruction_id=name, actor=actor, action=action, before=state, after=state, detail=detail)
    )

"""Audit rows of events without a change of state."""

from collections.abc import Mapping

from bot.domain.audit import SYSTEM, Entry
from bot.domain.payments.instruction import Instruction
from bot.workflows.context import Unit


def witness(
    uow: Unit, action: str, detail: Mapping[str, object], *, actor: str = SYSTEM, about: Instruction | None = None
) -> None:
    """Add a row. ``about``: the request it belongs to; None: no single one."""
    name, state = (about.id, about.state.value) if about is not None else ("", "")
    uow.audit.append(
        Entry(at=uow.now, instruction_id=name, actor=actor, action=action, before=state, after=state, detail=detail)
    )

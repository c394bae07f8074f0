"""A database older than the last sent request: payments are frozen and nothing is sent until an operator resumes.

The freeze is stored in sealed audit rows, so it survives restarts, applies to every process and can't be forged.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from bot.domain.payments.instruction import Instruction, State
from bot.domain.reasons import OfMode, OfRequest, Reason
from bot.domain.references import ulid
from bot.workflows.alerts import tell
from bot.workflows.context import Context, Unit, witness
from storage.transaction import Tx

WAITS: Final = frozenset({State.NEW, State.AWAITING, State.APPROVED})
"""States in which nothing was sent, according to the database."""
EVERY: Final = 1_000_000
RESUMED: Final = "resumed"
_RESTORED: Final = "restored"
_AFTER_EVERYTHING: Final = datetime(2999, 1, 1, tzinfo=UTC)
_FROZEN: Final = Reason(OfRequest.FROZEN, why=Reason(OfMode.OLDER), person="")


@dataclass(frozen=True, slots=True)
class Restored:
    """When the restore was detected, and what the anchors show as sent since.

    ``sent`` contains operations, each followed by its code, id or reference.
    """

    since: datetime
    sent: tuple[str, ...]


def restored(tx: Tx) -> Restored | None:
    """Return the restore that blocks sending, or None; read it in the transaction that would send.

    A tampered audit row keeps the block.
    """
    rows = tx.audit.since(_RESTORED, RESUMED)
    if not rows or any(row.is_intact and row.entry and row.entry.action == RESUMED for row in rows):
        return None
    begun = rows[0]
    if begun.entry is None or not begun.is_intact:
        return Restored(_AFTER_EVERYTHING, ())
    detail = begun.entry.detail
    sent = detail["sent"]
    return Restored(datetime.fromisoformat(str(detail["since"])), tuple(sent) if isinstance(sent, list) else ())


def last_found(tx: Tx) -> tuple[str, ...]:
    """Return ``sent`` of the last detected restore, even after an operator has resumed."""
    entries = [row.entry for row in tx.audit.since(_RESTORED, _RESTORED) if row.is_intact]
    sent = entries[0].detail["sent"] if entries and entries[0] is not None else ()
    return tuple(sent) if isinstance(sent, list) else ()


def resumed_at(tx: Tx) -> datetime | None:
    """Return when an operator last accounted for the rows that the database lacks."""
    rows = tx.audit.since(RESUMED, RESUMED)
    return rows[0].entry.at if rows and rows[0].entry is not None and rows[0].is_intact else None


def unknown_here(tx: Tx, found: Restored) -> list[str]:
    """Return the sent requests and bookings that this database lacks."""
    names = {sent: sent.partition(" ")[2] for sent in found.sent}
    return [
        sent
        for sent, name in names.items()
        if tx.instructions.find(name) is None and tx.bookings.by_external(name) is None
    ]


def freeze_restored(uow: Unit, sent: Sequence[str]) -> None:
    """Block all sending and announce it once; add requests that another host's anchors show as sent."""
    before = restored(uow)
    known = before.sent if before is not None else ()
    if before is not None and set(sent) <= set(known):
        return
    found = Restored(before.since if before is not None else uow.now, tuple(dict.fromkeys((*known, *sent))))
    witness(uow, _RESTORED, {"since": found.since.isoformat(), "sent": list(found.sent)})
    if before is None:
        for waiting in uow.instructions.awaiting(WAITS, limit=EVERY):
            # Their cards may show changes that this database lacks, so redraw them with the reason.
            uow.instructions.touch(waiting, show=True, reason=_FROZEN, due_at=uow.now)
        announce(uow, "restored", {"unknown": unknown_here(uow, found)})


async def is_held(ctx: Context, instruction: Instruction) -> bool:
    """Hold a request that waits for an operator, including its deadlines; show it on the card; return whether held."""
    if instruction.state not in WAITS or await ctx.read(restored) is None:
        return False
    show, due = instruction.reason != _FROZEN, ctx.clock.now() + ctx.quiet.spacing
    await ctx.write(lambda uow: uow.instructions.touch(instruction, show=show, reason=_FROZEN, due_at=due), name="held")
    return True


def announce(uow: Unit, topic: str, facts: Mapping[str, object]) -> None:
    """Post to the channels of approvers, operators and payments, because it concerns all of them."""
    for channel in dict.fromkeys((uow.policy.channels.approvals, uow.policy.alerts, uow.policy.payments)):
        tell(uow, channel, key=f"{topic}:{ulid(uow.now)}", facts={"topic": topic, **facts})

"""Polling the payments service: what is followed there is read again and again, until it is final."""

from collections.abc import Awaitable, Callable
from functools import partial

from bot.clients.payments import PaymentsClient
from bot.workflows.context import Context
from bot.workflows.workers import Hold, Work
from storage.rows import Tracked
from storage.transaction import Tx

Read = Callable[[Context, PaymentsClient, Tracked], Awaitable[None]]


def polling(name: str, *, kind: str, slots: int, read: Read) -> Work[Tracked]:
    """The work of reading everything that is followed as this kind."""

    def claim(tx: Tx, hold: Hold) -> list[Tracked]:
        return tx.tracked.claim_due(kind=kind, **hold)

    return Work(
        name=name,
        table="tracked",
        kind=kind,
        slots=slots,
        claim=claim,
        step=lambda ctx: partial(read, ctx, ctx.payments.required()),
        ready=has_payments,
    )


def has_payments(ctx: Context) -> bool:
    """Whether the payments service is configured."""
    return ctx.payments.is_configured

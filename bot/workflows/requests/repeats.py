"""Find other requests with the same payments as a new one, and the requests that it was made from."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

from bot.domain.approvals import SAME_FILE, SAME_PAYMENT
from bot.domain.payments.bulk import Payment
from bot.domain.payments.earlier import noted
from bot.domain.payments.instruction import NOT_PAID, Instruction, Kind, Payload
from bot.domain.payments.sealed import HELD_BACK
from bot.domain.policy import MOST_REPEATS, Repeat
from bot.workflows.context import Unit
from storage.errors import RowUnreadable
from storage.repositories.requests import SamePayment
from storage.transaction import Tx

_MOST_ROWS = 100


def made_from(tx: Tx, payload: Payload) -> tuple[list[Instruction], str]:
    """Return the chain of requests that one with this payload was made from, latest first.

    Also returns the reference of one that is missing or unreadable, or an empty string.
    """
    found: list[Instruction] = []
    while payload.again_of:
        first = readable(tx, payload.again_of)
        if first is None or first in found:
            return found, payload.again_of
        found.append(first)
        payload = first.payload
    return found, ""


def readable(tx: Tx, reference: str) -> Instruction | None:
    with suppress(RowUnreadable):
        return tx.instructions.find(reference)
    return None


def repeats_of(
    uow: Unit, kind: Kind, payload: Payload, items: Sequence[Any], *, asked_at: datetime, before: str = ""
) -> tuple[Repeat, ...]:
    """Return earlier requests with some of the same payments (same amount and address), newest first.

    Call it in the transaction that stores the request. Writers are serialized, also across processes, so of two
    simultaneous requests one sees the other. ``before``: id of a stored request.
    """
    payments = payload.payments(items)
    if not payments:
        return ()
    firsts, week = made_from(uow, payload)[0], asked_at - SAME_FILE
    since = min([asked_at - SAME_PAYMENT, *(one.created_at for one in firsts[:1])])
    twin = None
    if payload.twin_digest:
        twin = uow.instructions.last_same(
            kind=kind, payee=payload.twin_digest, since=week, ignoring=NOT_PAID, before=before
        )
    found = {twin.reference: Repeat(reference=twin.reference)} if twin is not None else {}
    # A payout's predecessors are read again before it is sent; a retried list repeats only some of its rows.
    ignored = {*found, *(() if payload.has_items else (one.reference for one in firsts))}
    same = uow.instructions.same_payments(payments, since=since, again_since=week, before=before)
    same += _paid_after_all(uow, payments, since=asked_at - SAME_PAYMENT, until=asked_at)
    for name in list(dict.fromkeys(one.reference for one in same if one.reference not in ignored))[:MOST_REPEATS]:
        mine = {row for one in same if one.reference == name for row in payments[one.payment]}
        theirs = {one.row for one in same if one.reference == name and one.row}
        rows, their_rows = (tuple(sorted(some)[:_MOST_ROWS]) for some in (mine, theirs))
        found[name] = Repeat(reference=name, rows=rows, count=len(mine), theirs=their_rows)
    return tuple(found.values())[:MOST_REPEATS]


def _paid_after_all(
    uow: Unit, wanted: Collection[Payment], *, since: datetime, until: datetime
) -> Iterator[SamePayment]:
    """Yield payments that had failed, but turned out otherwise when a request for the same was about to be sent.

    That request is held and can be withdrawn; the payments keep the state in which they ended.
    """
    held = (uow.audit.verified(uow.audit.about(name)) for name in uow.instructions.held_back(since - SAME_FILE))
    entries = [row.entry for rows in held for row in rows if row.is_intact and row.entry is not None]
    for finding in noted([entry for entry in entries if since <= entry.at < until], HELD_BACK):
        first = readable(uow, finding.reference) if finding.moved else None
        if first is None:
            continue
        with suppress(RowUnreadable):
            paid = first.payload.payments([row for row in uow.bulk_items.rows(first.id) if row.row in finding.rows])
            for payment in paid.keys() & wanted:
                yield from (SamePayment(finding.reference, number, payment) for number in paid[payment] or (0,))

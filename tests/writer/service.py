"""What the payments service got, whole: what people approved is compared with exactly this."""

from collections import Counter
from collections.abc import Iterator

from bot.playground.simulators.ledger import EntryKind
from bot.playground.simulators.payments import PaymentsSimulator, Record
from bot.playground.simulators.recorder import Call

Unit = tuple[object, ...]
"""A payout, a bulk payment with all its items, or one hash that is named in a cancellation."""

EVERYTHING = "everything that is pending"
"""What a cancellation names that names nothing."""


def payout(email: str, cents: int, description: str, code: str | None) -> Unit:
    return ("payout", email, cents, description, code)


def bulk(items: list[tuple[str, int, str, str]]) -> Unit:
    """A bulk payment as people approve it: address, cents, note and our own note of each item, in order."""
    return ("bulk", *items)


def cancellation(whose: str, hashed: str) -> Unit:
    """One item of a cancellation: the service's id of the bulk payment and a hash, or of a payout, twice."""
    return ("cancel", whose, hashed)


def sent(payments: PaymentsSimulator) -> Counter[Unit]:
    found: Counter[Unit] = Counter()
    for entry in payments.ledger.entries:
        record = payments.operations.get(entry.operation_id)
        if record is not None and entry.kind is EntryKind.PAYOUT:
            found[_of_record(record, entry.cents)] += 1
    for job in payments.bulk_payments:
        orders = [item.order for item in job.items]
        found[bulk([(one.email, one.cents, one.note, one.internal_note) for one in orders])] += 1
    for call in payments.calls:
        found.update(_named(call))
    return found


def made(payments: PaymentsSimulator) -> set[Unit]:
    return {_of_record(record, record.cents) for record in payments.operations.values()}


def _of_record(record: Record, cents: int) -> Unit:
    return payout(record.email, cents, record.description, record.code)


def _named(call: Call) -> Iterator[Unit]:
    if call.operation == "cancel_payout":
        whose = call.path.split("/")[-2]
        yield cancellation(whose, whose)
    elif call.operation == "cancel_bulk_items":
        whose = call.path.split("/")[-3]
        items = call.body.get("paymentItems") if isinstance(call.body, dict) else None
        for item in items or [{}]:
            yield cancellation(whose, item.get("svc_operation_hash", EVERYTHING))

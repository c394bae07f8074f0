"""The law of people: what must hold of a history, read from the ledger, the simulator's records and the cards.

``repeat``: a payment that repeats recipient and amount of the last 24 hours was approved on a card that named the
earlier one, with one approver more than otherwise; or, if that one failed and turned out paid later, was released.
``turned``: a request made from one that failed and turned out paid is sent only after an admin released it in a form
that names both. ``unapproved``, ``twice``: nothing is paid without
enough approvers, or twice. ``done``: a row that says that it is done is not paid. ``press``, ``import``: see the scene.
"""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass

from bot.playground.simulators.ledger import EntryKind
from tests.people.history import History
from tests.people.scene import Request, own_reference, references
from tests.support.answers import ask
from tests.support.rig import ADA, LIN, TOM, Rig

_DAY = 24 * 3_600.0
_BASE = 1
"""Approvers that the policy of the rig asks of a small payment."""


@dataclass(frozen=True, slots=True)
class Payment:
    """Money that left and did not come back: of a request, and of its row in a list."""

    reference: str
    row: int
    email: str
    cents: int
    sent_at: float
    paid_at: float
    failed_at: float
    turned_at: float
    times: int

    def __str__(self) -> str:
        row = f" row {self.row}" if self.row else ""
        return f"{self.reference}{row} ({self.cents} cents to {self.email})"


async def violations(rig: Rig, history: History) -> list[str]:
    """What the history broke, each with the name of the law first."""
    paid = [one async for one in _payments(rig, history)]
    return [*history.scene.broken, *_each(history, paid), *_repeats(history, paid)]


async def _payments(rig: Rig, history: History) -> AsyncIterator[Payment]:
    payments, service = rig.payments, history.service
    nets: dict[str, list[float]] = {}
    for entry in payments.ledger.entries:
        left = nets.setdefault(entry.operation_id, [])
        if entry.kind is EntryKind.PAYOUT:
            left.append(entry.at)
        elif left:
            left.pop()
    items = {item.hash: (job, item) for job in payments.bulk_payments for item in job.items}
    for name, left in nets.items():
        if not left:
            continue
        if name in items:
            job, item = items[name]
            reference, _, row = item.order.internal_note.partition("/")
            email, cents, sent_at = item.order.email, item.order.cents, job.created_at
        else:
            record, row = payments.operations[name], ""
            shown = await ask(rig, f"show {name}")
            reference = own_reference(shown.text.partition("\n")[0])
            email, cents, sent_at = record.email, record.cents, payments.ledger.of_operation(name)[0].at
        yield Payment(
            reference=reference,
            row=int(row or 0),
            email=email,
            cents=cents,
            sent_at=sent_at,
            paid_at=left[-1],
            failed_at=service.failed.get(name, float("inf")),
            turned_at=service.turned.get(name, float("-inf")),
            times=len(left),
        )


def _each(history: History, paid: list[Payment]) -> Iterator[str]:
    for one in paid:
        request = history.scene.requests.get(one.reference)
        if one.times > 1:
            yield f"twice: {one} left {one.times} times"
        if request is None:
            yield f"unapproved: {one} was requested by nobody"
            continue
        if len(_voters(history, one)) < _BASE:
            yield f"unapproved: {one} was paid without an approval"
        if request.sheet is not None and request.sheet.says_done(one.row):
            yield f"done: {one} was paid, and its row in {request.sheet.name} says that it is done"


def _repeats(history: History, paid: list[Payment]) -> Iterator[str]:
    """Of each payment, the earlier ones that it repeats."""
    requests = history.scene.requests
    known = sorted(
        (one for one in paid if one.reference in requests), key=lambda one: (requests[one.reference].at, one.row)
    )
    for place, later in enumerate(known):
        request = requests[later.reference]
        same = [one for one in known[:place] if (one.email, one.cents) == (later.email, later.cents)]
        # A failed payment is read again for a day. If it turns out paid later, the bot can't know before it pays again.
        known_of = [one for one in same if one.turned_at <= request.at or later.sent_at - one.failed_at <= _DAY]
        repeated = [one for one in known_of if later.sent_at - max(one.paid_at, requests[one.reference].at) <= _DAY]
        yield from _repeated(history, later, request, repeated)


def _repeated(history: History, later: Payment, request: Request, repeated: list[Payment]) -> Iterator[str]:
    votes = [one for one in history.scene.votes if one.reference == later.reference and one.at <= later.sent_at]
    named = references(votes[-1].card) if votes else frozenset()
    firsts, alive = history.scene.made_from(later.reference), []
    for one in repeated:
        had_failed = one.failed_at <= request.at
        if one.reference in firsts and had_failed:
            yield from _made_from(history, later, one, named if one.reference == request.made_from else None)
        elif not had_failed or (one.turned_at <= later.sent_at and not _is_released(history, later, one)):
            alive.append(one)  # otherwise the service said that nothing was paid, or an admin has seen both
    if not alive:
        return
    about = f"{later} repeats {' and '.join(map(str, alive))}"
    others = {one.reference for one in alive} - {later.reference}
    if others and not others & named:
        yield f"repeat: {about}, and the card named none of them at the last approval"
    needed = min(_BASE + 1, len({ADA, LIN, TOM} - {request.requester}))
    if len(_voters(history, later)) < needed:
        yield f"repeat: {about}, with {len(_voters(history, later))} of {needed} approvers"


def _made_from(history: History, later: Payment, first: Payment, named: frozenset[str] | None) -> Iterator[str]:
    """``named``: on the card; None: another one was made in between, which it names."""
    about = f"{later} was made from {first}"
    if named is not None and first.reference not in named:
        yield f"repeat: {about}, and the card did not name it at the last approval"
    if first.turned_at <= later.sent_at and not _is_released(history, later, first):
        yield f"turned: {about}, which had turned out paid before, and no admin released it"


def _is_released(history: History, later: Payment, first: Payment) -> bool:
    both = {first.reference, later.reference}
    return any(at >= first.turned_at and both <= references(text) for at, text in history.scene.releases)


def _voters(history: History, payment: Payment) -> set[str]:
    return {one.user for one in history.scene.votes if one.reference == payment.reference}

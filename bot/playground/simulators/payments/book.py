"""The service's book: accounts, operations, their transitions and the movements of money."""

import hashlib
import uuid
from collections.abc import Callable, Iterable
from typing import Literal

from bot.playground.simulators.ledger import EntryKind, Ledger
from bot.playground.simulators.payments.records import (
    CANCELED,
    COMMITTED,
    COMPLETED,
    CONFIRMED,
    CREATED,
    FAILED,
    PAYOUT_STATUSES,
    PENDING,
    PURCHASE_STATUSES,
    Account,
    PayoutOrder,
    PurchaseOrder,
    Record,
    Shelf,
    Switches,
)

_MOVES: frozenset[tuple[str, str]] = frozenset({
    (CREATED, COMMITTED), (CREATED, FAILED), (CREATED, CONFIRMED), (CREATED, CANCELED),
    (COMMITTED, COMPLETED), (COMMITTED, PENDING), (COMMITTED, FAILED),
    (PENDING, COMPLETED), (PENDING, CANCELED), (PENDING, FAILED),
})  # fmt: skip


class NotAllowedError(Exception):
    """The operation's status doesn't allow this; nothing was done."""


class DuplicateCodeError(Exception):
    """The partner's code already belongs to another operation; nothing was done."""


class BalanceTooLowError(Exception):
    """The partner's balance is too low; nothing was done."""


class Book:
    """Keeps operations and accounts. Methods act at once; money moves only through the ledger."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        ledger: Ledger,
        switches: Switches,
        step_seconds: float | None,
        changed: Callable[[str, object], None],
        arrived: Callable[[Record], None],
    ) -> None:
        self.shelf = Shelf()
        self.accounts: dict[str, Account] = {}
        self.step_seconds = step_seconds
        self._moving: dict[str, Record] = {}
        self._clock = clock
        self._ledger = ledger
        self._switches = switches
        self._changed = changed
        self._arrived = arrived

    # accounts

    def add_account(self, account: Account) -> Account:
        """Open or replace the account of an e-mail; payouts held for it continue."""
        account.user_id = account.user_id or _number(account.email.casefold())
        self.accounts[account.email.casefold()] = account
        self._changed("account", account)
        for record in self._moving.values():
            if record.status == PENDING and record.email.casefold() == account.email.casefold():
                self._schedule(record)
        return account

    def account(self, email: str) -> Account | None:
        """Return the account of an e-mail, case-insensitive; None if it doesn't exist."""
        return self.accounts.get(email.strip().casefold())

    # operations

    def create_payout(self, order: PayoutOrder) -> Record:
        """Create a payout; no money moves.

        Raises:
            DuplicateCodeError: the code is taken.
        """
        self._refuse_taken(order.code)
        record = self._new("payout", order.email, order.description, order.cents, order.code)
        record.confirmation_uri, record.cancel_uri, record.failure_uri = (
            order.confirmation_uri,
            order.cancel_uri,
            order.failure_uri,
        )
        return self._shelve(record)

    def create_purchase(self, order: PurchaseOrder) -> Record:
        """Create a purchase that waits for its buyer.

        Raises:
            DuplicateCodeError: the code is taken.
        """
        self._refuse_taken(order.code)
        record = self._new("purchase", order.email, order.description, order.cents, order.code)
        record.items = order.items
        record.confirmation_uri, record.cancel_uri = order.confirmation_uri, order.cancel_uri
        record.failure_uri, record.callback_uri = order.failure_uri, order.callback_uri
        return self._shelve(record)

    def execute(self, record: Record) -> Record:
        """Commit a payout: the money leaves now, and again on each further call with ``worst_case`` on.

        Raises:
            NotAllowedError: it was already committed and ``worst_case`` is off, or it isn't a payout.
            BalanceTooLowError: the partner's balance is less than the amount.
        """
        if record.operation_type != "payout":
            raise NotAllowedError("Only payouts are committed")
        if record.status != CREATED and not self._switches.worst_case:
            raise NotAllowedError(f"The payout is {record.status}")
        if self._ledger.balance_cents < record.cents:
            raise BalanceTooLowError
        record.executions += 1
        self._move_money(EntryKind.PAYOUT, record, record.cents)
        if record.status == CREATED:
            self._move(record, COMMITTED)
            self._schedule(record)
        return record

    def settle(self, record: Record, status: str, *, reason: str | None = None, force: bool = False) -> Record:
        """Set the status of an operation and move its money.

        ``force`` overwrites any status, even a final one, without moving money, for contradictions in tests.

        Raises:
            NotAllowedError: the transition doesn't exist.
            BalanceTooLowError: a commit that the partner cannot pay.
        """
        known = PAYOUT_STATUSES if record.operation_type == "payout" else PURCHASE_STATUSES
        if status not in known:
            raise NotAllowedError(f"A {record.operation_type} is never {status}; choose from {', '.join(known)}")
        if force:
            self._move(record, status, reason=reason)
            return record
        if (record.status, status) not in _MOVES:
            raise NotAllowedError(f"A {record.operation_type} does not go from {record.status} to {status}")
        if status == COMMITTED:
            return self.execute(record)
        if status in (CANCELED, FAILED):
            self._give_back(record)
        if status == CONFIRMED:
            self._move_money(EntryKind.PURCHASE, record, record.cents)
        self._move(record, status, reason=reason)
        return record

    def listed(
        self, operation_type: str | None, *, also: Iterable[Record] = (), skip: int, count: int
    ) -> tuple[int, list[Record]]:
        """Return the total number (of a type) and one page, newest first, without those that lists don't show yet.

        ``also`` are operations kept by other books.
        """
        until = self._clock() - self._switches.lists_lag_seconds
        return self.shelf.newest_first(operation_type, also=also, skip=skip, count=count, until=until)

    def tick(self) -> list[Record]:
        """Move every operation that is due; return those moved."""
        now = self._clock()
        return self._step(record for record in self._moving.values() if record.due is not None and record.due <= now)

    def advance(self) -> list[Record]:
        """Move every operation that can move by one step, whatever the time; return those moved."""
        return self._step(self._moving.values())

    def next_due(self) -> float | None:
        """Return when the next operation is due; None if none is."""
        return min((record.due for record in self._moving.values() if record.due is not None), default=None)

    # inside

    def _step(self, records: Iterable[Record]) -> list[Record]:
        moved = []
        for record in list(records):
            record.due = None
            status = self._next_status(record)
            if status != record.status:
                reason = self._switches.fail_reason if status == FAILED else None
                moved.append(self.settle(record, status, reason=reason))
        return moved

    def _next_status(self, record: Record) -> str:
        if record.status == COMMITTED and self._switches.fail_reason is not None:
            return FAILED
        limit = self._switches.escrow_above_cents
        account = self.account(record.email)
        payable = account is not None and account.status == "active"
        return COMPLETED if payable and (limit is None or record.cents <= limit) else PENDING

    def _new(
        self, kind: Literal["payout", "purchase"], email: str, description: str, cents: int, code: str | None
    ) -> Record:
        now, account = self._clock(), self.account(email)
        identifier = uuid.uuid4().hex[:24]
        return Record(
            id=identifier,
            operation_type=kind,
            email=email,
            description=description,
            cents=cents,
            code=code,
            created_at=now,
            updated_at=now,
            svc_operation_id=_number(identifier),
            svc_user_id=account.user_id if account else None,
        )

    def _shelve(self, record: Record) -> Record:
        self.shelf.add(record)
        self._changed("operation", record)
        return record

    def _refuse_taken(self, code: str | None) -> None:
        if code is not None and code in self.shelf.by_code and not self._switches.accept_duplicate_codes:
            raise DuplicateCodeError(code)

    def _schedule(self, record: Record) -> None:
        if self.step_seconds is not None:
            record.due = self._clock() + self.step_seconds

    def _give_back(self, record: Record) -> None:
        held = self._ledger.held_cents(record.id)
        if held > 0:
            self._move_money(EntryKind.REFUND, record, held)

    def _move_money(self, kind: EntryKind, record: Record, cents: int) -> None:
        entry = self._ledger.append(kind, operation_id=record.id, code=record.code, email=record.email, cents=cents)
        self._changed("ledger", entry)

    def _move(self, record: Record, status: str, *, reason: str | None = None) -> None:
        record.before, record.status, record.updated_at = record.status, status, self._clock()
        record.due = None
        if status in (COMMITTED, PENDING):
            self._moving[record.id] = record
        else:
            self._moving.pop(record.id, None)
        if status == COMPLETED:
            account = self.account(record.email)
            record.svc_user_id = account.user_id if account else record.svc_user_id
            record.svc_operation_hash = hashlib.sha256(record.id.encode()).hexdigest()
        if status == FAILED:
            record.failure_reason = reason or "The payment could not be processed"
        self._changed("operation", record)
        self._arrived(record)


def _number(text: str) -> str:
    """Return a stable numeric id as text, like those of platforms."""
    return str(int(hashlib.sha256(text.encode()).hexdigest()[:12], 16))

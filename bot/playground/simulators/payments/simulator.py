"""The payments service as one object: a local HTTP server with its books, switches and callbacks."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Literal

from bot.playground.simulators.callbacks import Callback
from bot.playground.simulators.exchange import Answer, Ask, Refusal
from bot.playground.simulators.ledger import Ledger
from bot.playground.simulators.moving import MovingServer
from bot.playground.simulators.payments.book import Book
from bot.playground.simulators.payments.bulk import BulkBook, BulkJob
from bot.playground.simulators.payments.bulk_endpoints import BulkEndpoints
from bot.playground.simulators.payments.checkout import Checkout
from bot.playground.simulators.payments.dialect import Dialect
from bot.playground.simulators.payments.endpoints import Endpoints
from bot.playground.simulators.payments.gate import Gate
from bot.playground.simulators.payments.records import (
    CANCELED,
    COMPLETED,
    CONFIRMED,
    FAILED,
    Account,
    PayoutOrder,
    Record,
    Switches,
)
from bot.playground.simulators.payments.shapes import Shapes, answer_to, coded
from bot.playground.simulators.recorder import busiest_second

_CALLBACK_FIELDS: Mapping[tuple[str, str], str] = {
    ("payout", COMPLETED): "confirmation_uri",
    ("payout", CANCELED): "cancel_uri",
    ("payout", FAILED): "failure_uri",
    ("purchase", CONFIRMED): "callback_uri",
    ("purchase", FAILED): "failure_uri",
}
_LARGEST_BODY = 64 << 20
"""Bytes of a request; enough for thousands of payments."""


class PaymentsSimulator(MovingServer):
    """A payments service on loopback.

    Committed payouts move on after ``step_seconds`` by ``clock``; with None they move only by ``advance`` or
    ``settle``. Under a real clock a task moves them; under a test's clock they move at ``tick`` and at the next
    request. A frozen clock also freezes the rate limit's window: then pass ``rate_limit=None`` or move the clock.

    Attributes:
        faults: armed by operation name (see ``dialect.ROUTES``), or ``callback`` for what the service sends.
        switches: the service's manners; ``callbacks.switches`` those of its callbacks.
        ledger: the money that really moved.
        calls: every request that reached a partner operation, oldest first.
        operations: every operation by its id, without those of bulk payments.
    """

    def __init__(
        self,
        *,
        clock: Callable[[], float] = time.time,
        partner_id: str = "partner",
        partner_secret: str = "partner-secret",
        field_prefix: str = "svc",
        rate_limit: int | None = 10,
        worst_case: bool = True,
        step_seconds: float | None = None,
        balance_cents: int = 10_000_000,
        dialect: Dialect | None = None,
    ) -> None:
        super().__init__(clock=clock, answer_to=answer_to, largest_body=_LARGEST_BODY)
        self.partner_id, self.partner_secret = partner_id, partner_secret
        self.dialect = dialect or Dialect(prefix=field_prefix)
        self.switches = Switches(worst_case=worst_case)
        self.ledger = Ledger(clock=clock, opening_cents=balance_cents)
        self.shapes = Shapes(partner_id=partner_id, switches=self.switches)
        self.book = Book(
            clock=clock,
            ledger=self.ledger,
            switches=self.switches,
            step_seconds=step_seconds,
            changed=self._changed,
            arrived=self._call_back,
        )
        self.bulk = BulkBook(
            clock=clock,
            ledger=self.ledger,
            switches=self.switches,
            step_seconds=step_seconds,
            account=self.book.account,
            changed=self._changed,
        )
        self._gate = Gate(
            clock=clock,
            switches=self.switches,
            partner_id=partner_id,
            partner_secret=partner_secret,
            rate_limit=rate_limit,
        )
        self._add_routes()
        self._add_people()

    # looking

    @property
    def operations(self) -> dict[str, Record]:
        """Every operation by its id, in order of creation; the payments of bulk payments are in ``bulk``."""
        return self.book.shelf.by_id

    @property
    def bulk_payments(self) -> list[BulkJob]:
        """Every bulk payment, oldest first."""
        return list(self.bulk.jobs.values())

    @property
    def accounts(self) -> dict[str, Account]:
        """The recipients by e-mail in lower case."""
        return self.book.accounts

    @property
    def rate_limit(self) -> int | None:
        """Requests allowed in any second; None for no limit. May be changed."""
        return self._gate.rate_limit

    @rate_limit.setter
    def rate_limit(self, limit: int | None) -> None:
        self._gate.rate_limit = limit

    def by_code(self, code: str) -> list[Record]:
        """The operations that carry a partner's code, oldest first."""
        return list(self.book.shelf.by_code.get(code, ()))

    def busiest_second(self) -> int:
        """The most requests that arrived within any sliding second."""
        return busiest_second(call.at for call in self.calls if call.operation != "checkout")

    # acting

    def add_account(
        self,
        email: str,
        *,
        full_name: str = "",
        country: str = "ECU",
        status: Literal["active", "inactive"] = "active",
        is_primary: bool = True,
        is_verified: bool = True,
    ) -> Account:
        """Open or change an account; payouts held for it continue."""
        account = Account(
            email=email,
            full_name=full_name,
            country=country,
            status=status,
            is_primary=is_primary,
            is_verified=is_verified,
        )
        self._scheduled.set()
        if account.status == "active":
            self.bulk.signed_up(email)
        return self.book.add_account(account)

    def add_payout(self, order: PayoutOrder) -> Record:
        """Create a payout without a request, as somebody else at the partner would."""
        return self.book.create_payout(order)

    def tick(self) -> list[Record]:
        """Do what is due by the clock: operations that move, callbacks that were held. Returns what moved."""
        moved = self.book.tick()
        self.bulk.tick()
        self.callbacks.tick()
        return moved

    async def advance(self) -> list[Record]:
        """Move every committed or pending payout, and every bulk payment, by one step; the payouts that moved."""
        self.bulk.advance()
        return self.book.advance()

    async def settle(self, operation_id: str, status: str, *, reason: str | None = None, force: bool = False) -> Record:
        """Move one operation to a status, as the service (or its dashboard) would.

        ``committed`` executes it, with a ledger entry. ``force`` overwrites even a final status and moves no money.

        Raises:
            KeyError: no such operation.
            NotAllowedError: its status does not lead there.
        """
        return self.book.settle(self.operations[operation_id], status, reason=reason, force=force)

    # inside

    def _add_routes(self) -> None:
        single = Endpoints(
            book=self.book,
            bulk=self.bulk,
            ledger=self.ledger,
            shapes=self.shapes,
            switches=self.switches,
            dialect=self.dialect,
            partner_id=self.partner_id,
            deliveries=self.callbacks.deliveries,
        )
        bulk = BulkEndpoints(book=self.bulk, shapes=self.shapes, switches=self.switches, dialect=self.dialect)
        for operation, handle in {**single.table(), **bulk.table()}.items():
            if operation in self.dialect.routes:
                method, path = self.dialect.routes[operation]
                self.app.router.add_route(method, path, self._served(operation, self._guarded(handle)))
        checkout = Checkout(book=self.book)
        self.app.router.add_route("GET", "/checkout/{id}", self._served("checkout", checkout.show))
        self.app.router.add_route("POST", "/checkout/{id}", self._served("checkout", checkout.decide))
        self.app.router.add_route("*", "/{path:.*}", self._served("unknown", self._guarded(_unknown)))

    def _guarded(self, handle: Callable[[Ask], Answer]) -> Callable[[Ask], Answer]:
        """The handler behind the gate, with the dialect's field names in its answers."""

        def guarded(ask: Ask) -> Answer:
            self.tick()
            self._gate.admit(ask)
            answer = handle(ask)
            return replace(answer, body=self.dialect.outward(ask.operation, answer.body))

        return guarded

    def _dues(self) -> tuple[float | None, ...]:
        return self.book.next_due(), self.bulk.next_due()

    def _call_back(self, record: Record) -> None:
        """Send the callback of a status, if the partner gave a URL for it."""
        kind = _CALLBACK_FIELDS.get((record.operation_type, record.status))
        url = getattr(record, kind) if kind else None
        if kind and url:
            body = self.dialect.outward(kind, self.shapes.operation(record))
            self.callbacks.send(Callback(operation_id=record.id, kind=kind, url=url, body=body))

    def _forged(self, callback: Callback) -> object:
        """A body with wrong id, code, amount, person and status."""
        lies = {
            "id": "0" * 24,
            "code": "forged",
            "amount": "999999.00",
            "status": COMPLETED,
            "svc_user_email": "mallory@example.com",
        }
        assert isinstance(callback.body, dict)
        return {**callback.body, **{self.dialect.name(callback.kind, name): lie for name, lie in lies.items()}}

    def _add_people(self) -> None:
        self.add_account("ana@example.com", full_name="Ana Maria Lopez")
        self.add_account("luis@example.com", full_name="Luis Andrade", is_verified=False)
        self.add_account("joana.silva@example.com", full_name="Joana Silva", country="BRA", is_primary=False)
        self.add_account("ben+work@example.com", full_name="Ben Carter", country="USA")
        self.add_account("mia@example.com", full_name="Mia Keller", country="DEU", status="inactive")


def _unknown(_ask: Ask) -> Answer:
    raise Refusal(coded(404, "NOT_FOUND", "There is no such endpoint", display=False))

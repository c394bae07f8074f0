"""The service's operations, one method each, named like the operation."""

from collections.abc import Callable, Mapping, Sequence

from bot.playground.simulators.callbacks import CallbackAttempt
from bot.playground.simulators.exchange import Answer, Ask, Refusal
from bot.playground.simulators.ledger import Ledger
from bot.playground.simulators.payments.book import BalanceTooLowError, Book, DuplicateCodeError, NotAllowedError
from bot.playground.simulators.payments.bulk import BulkBook
from bot.playground.simulators.payments.dialect import Dialect
from bot.playground.simulators.payments.records import CANCELED, PENDING, PayoutOrder, Record, Switches
from bot.playground.simulators.payments.requests import (
    read_object,
    read_page,
    read_parameter,
    read_payout,
    read_purchase,
)
from bot.playground.simulators.payments.shapes import Shapes, account_status, coded, invalid, iso

PAGE_CAP = 100
"""Maximum number of rows in a listing, whatever is requested."""


class Endpoints:
    """The operations behind the gate. Each method answers, or raises Refusal when it did nothing."""

    def __init__(
        self,
        *,
        book: Book,
        bulk: BulkBook,
        ledger: Ledger,
        shapes: Shapes,
        switches: Switches,
        dialect: Dialect,
        partner_id: str,
        deliveries: Sequence[CallbackAttempt],
    ) -> None:
        self._book = book
        self._bulk = bulk
        self._ledger = ledger
        self._shapes = shapes
        self._switches = switches
        self._dialect = dialect
        self._partner_id = partner_id
        self._deliveries = deliveries

    def table(self) -> Mapping[str, Callable[[Ask], Answer]]:
        """The handler of each operation, by the name used in dialects and faults."""
        return {
            "list_operations": self.list_operations,
            "get_operation": self.get_operation,
            "get_operation_by_code": self.get_operation_by_code,
            "create_payout": self.create_payout,
            "one_step_payout": self.one_step_payout,
            "commit_payout": self.commit_payout,
            "cancel_payout": self.cancel_payout,
            "payout_events": self.payout_events,
            "create_purchase": self.create_purchase,
            "get_purchase": self.get_purchase,
            "partner": self.partner,
            "account_status": self.account_status,
        }

    def list_operations(self, ask: Ask) -> Answer:
        """A page of operations, newest first; the payments of bulk payments are among them."""
        page, size, kind = read_page(
            ask,
            self._dialect,
            use_body=not self._switches.ignore_get_body,
            use_query=not self._switches.ignore_query,
            cap=PAGE_CAP,
        )
        also = self._bulk.operations()
        total, records = self._book.listed(kind, also=also, skip=(page - 1) * size, count=size)
        return Answer(body=self._shapes.page(records, page=page, size=size, total=total))

    def get_operation(self, ask: Ask) -> Answer:
        """One operation of either type, by its id."""
        return self._read(self._wanted(ask))

    def get_operation_by_code(self, ask: Ask) -> Answer:
        """The newest operation that carries the partner's code."""
        records = self._book.shelf.by_code.get(read_parameter(ask, self._dialect, "code"))
        if not records:
            raise Refusal(coded(404, "OPERATION_NOT_FOUND", "No operation has this code"))
        return self._read(records[-1])

    def create_payout(self, ask: Ask) -> Answer:
        """Create a payout; it waits for its commit."""
        return self._done(self._create(ask, read_payout(ask, self._dialect)))

    def one_step_payout(self, ask: Ask) -> Answer:
        """Create a payout and commit it at once."""
        order = read_payout(ask, self._dialect)
        if order.cents > self._ledger.balance_cents:
            raise Refusal(_poor(ask, self._dialect))
        return self._done(self._book.execute(self._create(ask, order)))

    def commit_payout(self, ask: Ask) -> Answer:
        """Commit a payout: money leaves."""
        read_object(ask)
        record = self._wanted(ask, "payout")
        try:
            return self._done(self._book.execute(record))
        except NotAllowedError as problem:
            raise Refusal(self._repeated(str(problem))) from problem
        except BalanceTooLowError as problem:
            raise Refusal(_poor(ask, self._dialect)) from problem

    def cancel_payout(self, ask: Ask) -> Answer:
        """Cancel a payout that is held in escrow: money comes back."""
        record = self._wanted(ask, "payout")
        if record.status != PENDING or record.id not in self._book.shelf.by_id:
            raise Refusal(coded(409, "OPERATION_NOT_PENDING", f"The payout is {record.status}, not pending"))
        return self._done(self._book.settle(record, CANCELED))

    def payout_events(self, ask: Ask) -> Answer:
        """The calls made to the payout's URIs; none is a 200 whose body carries an error code."""
        record = self._wanted(ask, "payout")
        events = [
            {
                "operation_id": record.id,
                "type": delivery.callback.kind,
                "url": delivery.url,
                "response_status": delivery.status,
                "created_at": iso(delivery.at),
            }
            for delivery in self._deliveries
            if delivery.operation_id == record.id
        ]
        if not events:
            return coded(200, "EVENT_NOT_FOUND", "There is no event for this payout yet")
        return Answer(body={"data": events})

    def create_purchase(self, ask: Ask) -> Answer:
        """Create a purchase; it waits for its buyer."""
        order = read_purchase(ask, self._dialect, per_unit=self._switches.item_amount == "unit")
        try:
            return self._done(self._book.create_purchase(order))
        except DuplicateCodeError as problem:
            raise Refusal(_taken(ask, self._dialect)) from problem

    def get_purchase(self, ask: Ask) -> Answer:
        """One purchase with its items."""
        return self._read(self._wanted(ask, "purchase"))

    def partner(self, _ask: Ask) -> Answer:
        """The calling partner and its balance."""
        return Answer(
            body={
                "id": self._partner_id,
                "name": "Playground Partner",
                "email": "partner@example.com",
                "currency": "USD",
                "balance": self._shapes.amount(self._ledger.balance_cents),
                "plan": {"tier": "enterprise", "seats": 5, "secret": "of the playground"},
            }
        )

    def account_status(self, ask: Ask) -> Answer:
        """Whether an e-mail can be paid, and its owner."""
        header = self._dialect.email_header
        email = ask.headers.get(header.lower()) if header else read_parameter(ask, self._dialect, "email")
        if not email:
            raise Refusal(invalid({"email": ["is required"]}))
        return Answer(body=account_status(self._book.account(email)))

    # inside

    def _create(self, ask: Ask, order: PayoutOrder) -> Record:
        try:
            return self._book.create_payout(order)
        except DuplicateCodeError as problem:
            raise Refusal(_taken(ask, self._dialect)) from problem

    def _wanted(self, ask: Ask, kind: str | None = None) -> Record:
        wanted = read_parameter(ask, self._dialect, "id")
        # A commit pays an item of a bulk payment besides the bulk payment: nothing is known that would prevent it.
        record = self._book.shelf.by_id.get(wanted) or self._bulk.operation(wanted)
        if record is None or kind not in (None, record.operation_type):
            raise Refusal(coded(404, "OPERATION_NOT_FOUND", "There is no such operation"))
        return record

    def _read(self, record: Record) -> Answer:
        stale = self._switches.stale_reads > 0 and record.before is not None
        if stale:
            self._switches.stale_reads -= 1
        return Answer(body=self._shapes.operation(record, status=record.before if stale else None))

    def _done(self, record: Record) -> Answer:
        return Answer(body=self._shapes.operation(record), effect=True)

    def _repeated(self, message: str) -> Answer:
        if self._switches.repeat_commit_status == 422:  # noqa: PLR2004
            return invalid({"status": [message]})
        return coded(self._switches.repeat_commit_status, "OPERATION_ALREADY_COMMITTED", message)


def _poor(ask: Ask, dialect: Dialect) -> Answer:
    return invalid({dialect.name(ask.operation, "amount"): ["is more than the partner's balance"]})


def _taken(ask: Ask, dialect: Dialect) -> Answer:
    return invalid({dialect.name(ask.operation, "code"): ["is taken already"]})

"""The bulk operations, one method each, named like the operation."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from bot.playground.simulators.exchange import Answer, Ask, Refusal
from bot.playground.simulators.payments.bulk import BulkBook, BulkItem, BulkJob, BulkOrder, of_hashes
from bot.playground.simulators.payments.dialect import Dialect
from bot.playground.simulators.payments.records import COMMITTED, COMPLETED, CREATED, PENDING, Switches
from bot.playground.simulators.payments.requests import Fields, read_object, read_page_number, read_parameter
from bot.playground.simulators.payments.shapes import Shapes, coded, invalid, iso

T = TypeVar("T")


class BulkEndpoints:
    """The bulk operations behind the gate. Each method answers, or raises Refusal when it did nothing."""

    def __init__(self, *, book: BulkBook, shapes: Shapes, switches: Switches, dialect: Dialect) -> None:
        self._book = book
        self._shapes = shapes
        self._switches = switches
        self._dialect = dialect

    def table(self) -> Mapping[str, Callable[[Ask], Answer]]:
        """The handler of each operation, by the name used in dialects and faults."""
        return {
            "create_bulk_payment": self.create_bulk_payment,
            "get_bulk_payment": self.get_bulk_payment,
            "list_bulk_items": self.list_bulk_items,
            "list_bulk_failures": self.list_bulk_failures,
            "list_bulk_payments": self.list_bulk_payments,
            "cancel_bulk_items": self.cancel_bulk_items,
        }

    def create_bulk_payment(self, ask: Ask) -> Answer:
        """Take a bulk payment: an array of payments, alone or under ``payments``."""
        try:
            body = ask.json()
        except ValueError:
            raise Refusal(invalid({"body": ["must be valid JSON"]})) from None
        rows = body.get(self._dialect.name(ask.operation, "payments")) if isinstance(body, dict) else body
        if not isinstance(rows, list) or not rows:
            raise Refusal(invalid({"payments": ["must be a list of at least one payment"]}))
        job = self._book.create([self._order(ask, number, row) for number, row in enumerate(rows)])
        return Answer(
            status=201,
            body={"id": job.id, "status": self._spelled(job), "payments": {"count": len(job.items)}},
            effect=True,
        )

    def get_bulk_payment(self, ask: Ask) -> Answer:
        """Status and figures of one."""
        job = self._wanted(ask)
        waiting = job.count(CREATED, COMMITTED, PENDING)
        return Answer(
            body={
                "id": job.id,
                "status": self._spelled(job),
                "payments": {"count": len(job.items), "pending": waiting},
                "failure_reason": job.failure_reason or None,
            }
        )

    def list_bulk_items(self, ask: Ask) -> Answer:
        """A page of items with their hashes."""
        job = self._wanted(ask)
        every = self._switches.bulk_loses_every
        listed = [one for n, one in enumerate(job.items, 1) if not every or n % every]
        if self._switches.bulk_hides_failed:
            listed = [one for one in listed if not job.is_unprocessed(one)]
        return self._page(ask, "payments", listed, self._item)

    def list_bulk_failures(self, ask: Ask) -> Answer:
        """A page of the parts that could not be processed, with the reason."""
        job = self._wanted(ask)
        return self._page(
            ask,
            "payments",
            [item for item in job.items if job.is_unprocessed(item)],
            lambda item: {**self._common(item), **self._why(item.error)},
        )

    def list_bulk_payments(self, ask: Ask) -> Answer:
        """A page of the history, newest first; a zero comes as an empty text."""
        return self._page(
            ask,
            "bulk_payments",
            self._book.history(),
            lambda job: {
                "id": job.id,
                "status": self._spelled(job),
                "created_at": iso(job.created_at),
                "failure_reason": job.failure_reason or None,
                "payments": {
                    "count": len(job.items),
                    "completed": job.count(COMPLETED) or "",
                    "failed": sum(map(job.is_unprocessed, job.items)) or "",
                },
            },
        )

    def cancel_bulk_items(self, ask: Ask) -> Answer:
        """Cancel items held in escrow; without any hash, all of them."""
        job = self._wanted(ask)
        hashes = of_hashes(
            read_object(ask),
            items=self._dialect.name(ask.operation, "paymentItems"),
            hashed=self._dialect.name(ask.operation, "svc_operation_hash"),
        )
        canceled = self._book.cancel(job, hashes)
        return Answer(body={"successful": [item.hash for item in canceled]}, effect=bool(canceled))

    def _order(self, ask: Ask, number: int, row: object) -> BulkOrder:
        if not isinstance(row, dict):
            raise Refusal(invalid({f"payments.{number}": ["must be an object"]}))
        fields = Fields(row, operation=ask.operation, dialect=self._dialect)
        email = fields.email("receiver_email", required=True)
        cents = fields.cents("amount")
        fields.text("currency", required=True, fits=lambda text: text == "USD", rule="must be USD")
        note = fields.text("note", required=False)
        internal_note = fields.text("internal_note", required=False)
        fields.settle()
        return BulkOrder(email=email or "", cents=cents, note=note or "", internal_note=internal_note or "")

    def _item(self, item: BulkItem) -> dict[str, object]:
        account = self._book.account(item.order.email)
        known = {"id": item.operation_id} if self._switches.bulk_item_ids else {}
        return {**self._common(item), **known, "svc_user_id": account.user_id if account else "", "hash": item.hash}

    def _common(self, item: BulkItem) -> dict[str, object]:
        return {
            "receiver_email": item.order.email,
            "amount": self._shapes.amount(item.order.cents),
            "note": item.order.note,
            "internal_note": self._noted(item.order.internal_note),
            "status": self._shapes.spelled(item.status),
        }

    def _why(self, error: str) -> dict[str, object]:
        told = {"code": "PAYMENT_FAILED", "message": error}
        shapes: Mapping[str, dict[str, object]] = {
            "text": {"error": error},
            "object": {"error": told},
            "reason": {"reason": error},
            "failure_reason": {"failure_reason": error},
            "list": {"errors": [told, error]},
            "other": {"rejection": error},
        }
        return shapes[self._switches.bulk_failure_shape]

    def _noted(self, internal_note: str) -> str:
        rewritten = self._switches.bulk_rewrites_notes
        if self._switches.bulk_drops_notes:
            return ""
        return internal_note if rewritten is None else rewritten

    def _page(self, ask: Ask, name: str, records: Sequence[T], shape: Callable[[T], dict[str, object]]) -> Answer:
        size = self._switches.bulk_page_size
        page = 1 if self._switches.bulk_drops_page else read_page_number(ask, self._dialect)
        shown = records[(page - 1) * size : page * size]
        return Answer(
            body={
                name: [shape(record) for record in shown],
                "count": len(records),
                "pages": max(1, -(-len(records) // size)),
                "currentPage": page,
            }
        )

    def _spelled(self, job: BulkJob) -> str:
        return self._shapes.spelled(job.status)

    def _wanted(self, ask: Ask) -> BulkJob:
        job = self._book.jobs.get(read_parameter(ask, self._dialect, "id"))
        if job is None:
            raise Refusal(coded(404, "BULK_PAYMENT_NOT_FOUND", "There is no such bulk payment"))
        return job

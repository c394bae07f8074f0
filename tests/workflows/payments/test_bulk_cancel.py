"""Taking back what is pending in a bulk payment: what is read before, between and after, and what is named."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from inline_snapshot import snapshot

from bot.domain.payments.instruction import Kind, State
from bot.playground.simulators.payments.bulk import BulkItem, BulkJob
from storage.transaction import Tx
from tests.support.bulk import approve, held, reference
from tests.support.rig import FINANCE, Rig


def pending(rig: Rig) -> list[str]:
    return [item.hash for item in rig.payments.bulk_payments[0].items if item.status == "pending"]


def named(rig: Rig) -> list[list[str]]:
    """The hashes of each request to cancel."""
    bodies = [call.body for call in rig.payments.calls_of("cancel_bulk_items")]
    return [[one["svc_operation_hash"] for one in body["paymentItems"]] for body in bodies if isinstance(body, dict)]


async def test_what_went_through_since_the_approval_was_asked_for_is_not_named(rig: Rig) -> None:
    await held(rig)
    late, *others = pending(rig)
    await rig.pay(f"bulk cancel {reference(rig)} all")
    rig.payments.add_account("x1@example.com", full_name="Xavier")
    await rig.payments.advance()
    assert pending(rig) == others
    before = len(rig.payments.calls_of("list_bulk_items"))
    await approve(rig)
    assert len(rig.payments.calls_of("list_bulk_items")) > before
    assert named(rig) == [others]
    assert late not in named(rig)[0]


async def test_items_that_were_exchanged_after_the_approval_are_not_canceled(rig: Rig) -> None:
    await held(rig)
    await rig.pay(f"bulk cancel {reference(rig)} {pending(rig)[0]}")

    def exchange(tx: Tx) -> None:
        (asked,) = [one for one in tx.instructions.awaiting(tuple(State)) if one.kind is Kind.BULK_CANCEL]
        tx.bulk_items._connection.exec_driver_sql(
            "UPDATE bulk_item SET hash = ? WHERE instruction_id = ?", (pending(rig)[1], asked.id)
        )

    await rig.switchboard.context.store.write(exchange, name="tampered")
    await approve(rig)
    await rig.pass_time(300, steps=4)
    assert named(rig) == []
    assert (await rig.card()).text.partition("Silva (maria). ")[2] == snapshot(
        ":hourglass_flowing_sand: *approved*: not sent yet. On hold, as the database and the audit disagree: its "
        "payments are not those that were asked for. Approved by <@U0ADA>. Needed 1 approval besides the requester."
    )


async def test_what_still_reads_as_pending_is_looked_at_three_times(rig: Rig) -> None:
    await held(rig)
    await rig.pay(f"bulk cancel {reference(rig)} all")
    job = rig.payments.bulk_payments[0]
    waiting = [item for item in job.items if item.status == "pending"]
    slow = slow_list(rig)  # the service's list is slower than its answer
    await approve(rig)
    assert [item.status for item in waiting] == ["pending"] * 3
    slow.catch_up()
    await rig.pass_time(240, steps=4)
    told = [m.text for m in rig.news(FINANCE) if "payments canceled" in m.text]
    assert [text for text in told if "3 payments canceled" in text]
    assert not [text for text in told if "0 payments canceled" in text]


class Slow:
    """A list of items that shows a cancellation later than it was answered."""

    def __init__(self, job: BulkJob) -> None:
        self.job = job
        self.canceled: list[BulkItem] = []

    def canceling(self, original: Callable[..., list[BulkItem]]) -> Callable[..., list[BulkItem]]:
        def cancel(*values: Any) -> list[BulkItem]:
            self.canceled = original(*values)
            answered = [replace(item) for item in self.canceled]
            for item in self.canceled:
                item.status = "pending"
            return answered

        return cancel

    def catch_up(self) -> None:
        for item in self.canceled:
            item.status = "canceled"


def slow_list(rig: Rig) -> Slow:
    book = rig.payments.bulk
    slow = Slow(rig.payments.bulk_payments[0])
    book.cancel = slow.canceling(book.cancel)  # type: ignore[method-assign]
    return slow

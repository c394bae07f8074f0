"""Taking back what is pending in a bulk payment: what is read before, between and after, and what is named."""

from inline_snapshot import snapshot

from bot.domain.payments.instruction import Kind, State
from storage.transaction import Tx
from tests.support.bulk import approve, held, reference
from tests.support.rig import Rig


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

"""A cancellation names exactly the payments that were meant, as far as they still wait."""

from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain.errors import ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.bulk_records import ReportedItem
from bot.domain.payments.instruction import Kind
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.payments.bulk_cancel import CannotCancel, NotRequested, _meant, _reported
from tests.support.bulk import approve, held, reference
from tests.support.rig import Rig
from tests.workflows.planted import cancellation, made

LISTED = {
    name: ReportedItem(hash=name, status=status, cents=cents)
    for name, status, cents in (
        ("aa11111111", "pending", Cents(100)),
        ("aa11111122", "PENDING", Cents(200)),
        ("bb22222222", "completed", Cents(300)),
        ("cc33333333", "pending", None),
        ("12345678dd", "pending", Cents(400)),
    )
}
ROWS = {**dict(enumerate(LISTED, 1)), 6: "not listed yet", 7: ""}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["aa11111111"], ["aa11111111"]),
        (["AA11111122", "2"], ["aa11111122"]),
        (["2", "1"], ["aa11111122", "aa11111111"]),
        (["12345678"], ["12345678dd"]),
        (["1234567"], CannotCancel.UNKNOWN_HASH),
        (["aa111111"], CannotCancel.AMBIGUOUS),
        (["bb222222"], CannotCancel.NOT_PENDING),
        (["3"], CannotCancel.NOT_PENDING),
        (["6", "7"], CannotCancel.NOT_PENDING),
        (["9", "1", "x"], CannotCancel.UNKNOWN_HASH),
        (["٣"], CannotCancel.UNKNOWN_HASH),
        (["4"], CannotCancel.NO_AMOUNT),
        (None, CannotCancel.NO_AMOUNT),
    ],
)
def test_payments_are_meant_by_hash_its_first_eight_digits_or_row(
    given: list[str] | None, meant: list[str] | CannotCancel
) -> None:
    found = _meant(LISTED, given, ROWS)
    assert (found.why if isinstance(found, NotRequested) else [row.hash for row in found]) == meant


def test_nothing_is_meant_if_nothing_waits() -> None:
    paid = {"bb22222222": LISTED["bb22222222"]}
    assert _meant(paid, None, {}) == NotRequested(CannotCancel.NOTHING_PENDING)


async def test_empty_items_list_proves_nothing(rig: Rig) -> None:
    async def bulk_items(_: str) -> Any:
        yield SimpleNamespace(items=(ReportedItem(hash="", status="pending"),))

    payload, _ = cancellation("aa")
    payments: Any = SimpleNamespace(bulk_items=bulk_items)
    with pytest.raises(ServiceNow) as silent:
        await _reported(payments, made(rig, Kind.BULK_CANCEL, payload=payload))
    assert silent.value.reason == Reason(OfRequest.NO_ITEMS)


async def test_payment_completed_before_approval_is_not_canceled(rig: Rig) -> None:
    await held(rig)
    job = rig.payments.bulk_payments[0]
    await rig.pay(f"bulk cancel {reference(rig)} all")
    rig.payments.add_account("x1@example.com", full_name="Xavier")
    await rig.payments.advance()
    await approve(rig)
    (call,) = rig.payments.calls_of("cancel_bulk_items")
    assert call.body == {"paymentItems": [{"svc_operation_hash": item.hash} for item in job.items[2:]]}

"""What a record and a list prove, and when silence does."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.money import Cents
from bot.domain.payments.instruction import State, differences, folded, same_code, state_of
from bot.domain.payments.operation import Operation
from bot.domain.proof import Quiet, counts_as_read, silence_is_proven
from bot.domain.reasons import OfRequest, Reason
from bot.presentation.reasons import worded
from bot.workflows.payments.sought import Listing, Sought
from tests.domain.made import CODE, NOW, REMOTE, instruction, payload

SOUGHT = Sought(email="ana@example.com", cents=Cents(2500), since=NOW)
LATER = NOW + timedelta(minutes=1)


def record(number: int = 1, **changes: Any) -> Operation:
    """A payout of somebody else to somebody else, long ago."""
    values = {"id": f"op-{number}", "status": "created", "code": f"other-{number}", "cents": Cents(100)}
    return Operation(**{**values, "email": "ben@example.com", "created_at": (NOW - timedelta(days=3)), **changes})


def seen(*records: Operation, known: tuple[str, ...] = ()) -> Listing:
    listing = Listing(SOUGHT, known=frozenset(map(folded, known)))
    for one in records:
        listing.see(one)
    return listing


@pytest.mark.parametrize(("spelling", "is_same"), [
    *((spelling, True) for spelling in (CODE, CODE.lower(), f" {CODE} ", f"{CODE[:5]} {CODE[5:]}")),
    *((other, False) for other in (None, "", CODE[:-1], f"{CODE}x", f"x{CODE}")),
])  # fmt: skip
def test_codes_ignore_case_and_spacing(spelling: str | None, is_same: bool) -> None:
    assert same_code(spelling, CODE) is is_same


def test_empty_list_or_one_with_our_codes_proves_absence() -> None:
    assert not seen().doubt
    assert not seen(record(1), record(2, code="Ours-2 "), known=("OURS-2",)).doubt


@pytest.mark.parametrize("code", [None, "", "their own"])
def test_list_without_our_codes_proves_nothing(code: str | None) -> None:
    assert seen(record(code=code), known=("ours",)).doubt == Reason(OfRequest.NO_CODES)


def test_list_without_codes_since_sending_proves_nothing() -> None:
    old = record(1, code="ours")
    assert seen(old, record(2, code=None, created_at=LATER), known=("ours",)).doubt == Reason(OfRequest.NO_CODES)
    assert not seen(old, record(2, code="theirs", created_at=LATER), known=("ours",)).doubt


TWIN = {"email": "Ana@Example.com", "cents": Cents(2500), "created_at": LATER, "code": None}


@pytest.mark.parametrize("changes", [
    {}, {"code": "unknown"}, {"created_at": None}, {"created_at": NOW - timedelta(minutes=5)}, {"email": None},
    {"cents": None},
])  # fmt: skip
def test_possible_same_payment_is_suspect(changes: dict[str, Any]) -> None:
    listing = seen(record(1, code="ours"), record(2, **{**TWIN, **changes}), known=("ours",))
    assert [one.id for one in listing.suspects] == ["op-2"]


@pytest.mark.parametrize("changes", [
    {"code": "ours"}, {"created_at": NOW - timedelta(minutes=5, seconds=1)}, {"email": "ben@example.com"},
    {"cents": Cents(2501)},
])  # fmt: skip
def test_different_payment_is_no_match(changes: dict[str, Any]) -> None:
    assert not seen(record(2, **{**TWIN, **changes}), known=("ours",)).suspects


QUIET = Quiet(900)


def operation(**changes: Any) -> Operation:
    values: dict[str, Any] = {
        "id": REMOTE, "status": "created", "code": CODE, "cents": Cents(2500), "email": "ana@example.com",
        "operation_type": "payout",
    }  # fmt: skip
    return Operation(**{**values, **changes})


@pytest.mark.parametrize(("status", "state"), [
    ("created", None), ("COMMITTED", State.COMMITTED), ("Pending", State.PENDING_ESCROW),
    ("completed", State.COMPLETED), ("cancelled", State.CANCELED), ("FAILED", State.FAILED), ("confirmed", None),
    ("reversed", None),
])  # fmt: skip
def test_service_status_maps_to_a_state_or_none(status: str, state: State | None) -> None:
    assert state_of(operation(status=status)) is state


@pytest.mark.parametrize(
    "changes",
    [{}, {"code": None}, {"email": None}, {"email": ""}, {"operation_type": ""}, {"email": "ANA@Example.com"}],
)
def test_same_payout_has_no_differences(changes: dict[str, Any]) -> None:
    """Optional fields may be missing, and an address is the same in any case."""
    assert differences(instruction(), operation(**changes)) == ()


@pytest.mark.parametrize(("change", "said"), [
    ({"id": "other"}, "its ID is different"), ({"cents": Cents(2501)}, "the amount is 25.01 instead of 25.00"),
    ({"cents": None}, "the amount is unreadable instead of 25.00"),
    ({"email": "mallory@example.com"}, "the recipient is different"),
    ({"code": "01KAGT0000000000000OTHERS1"}, "the code is different"),
    ({"operation_type": "purchase"}, "it isn't a payout"),
])  # fmt: skip
def test_every_difference_is_named(change: dict[str, Any], said: str) -> None:
    assert any(said in worded(found) for found in differences(instruction(), operation(**change)))


def test_record_changed_after_approval_differs() -> None:
    changed = replace(instruction(), payload=payload(cents=250_000))
    assert worded(differences(changed, operation(cents=Cents(250_000)))[0]) == snapshot(
        "our own record was changed after it was approved"
    )


def test_quiet_period_ends_after_its_last_second() -> None:
    assert not QUIET.over(sent_at=NOW, now=NOW + timedelta(seconds=899))
    assert QUIET.over(sent_at=NOW, now=NOW + timedelta(seconds=900))
    assert QUIET.over(sent_at=None, now=NOW)
    assert not QUIET.given_up(since=NOW, now=NOW + timedelta(seconds=3_599))
    assert QUIET.given_up(since=NOW, now=NOW + timedelta(seconds=3_600))
    assert not QUIET.given_up(since=None, now=NOW)


def test_silence_needs_reads_and_the_quiet_period() -> None:
    sent, later = instruction(sent_at=NOW), NOW + timedelta(seconds=900)
    assert silence_is_proven(sent, reads=3, quiet=QUIET, now=later)
    assert not silence_is_proven(sent, reads=2, quiet=QUIET, now=later)
    assert not silence_is_proven(sent, reads=50, quiet=QUIET, now=later - timedelta(seconds=1))


def test_reads_too_close_together_count_once() -> None:
    read = instruction(last_read_at=NOW)
    assert not counts_as_read(read, quiet=QUIET, now=NOW + timedelta(seconds=50))
    assert counts_as_read(read, quiet=QUIET, now=NOW + timedelta(seconds=60))
    assert counts_as_read(instruction(), quiet=QUIET, now=NOW)
    assert QUIET.spacing == timedelta(seconds=60)
    assert Quiet(2).spacing * 3 < timedelta(seconds=2)

"""Instructions and votes of the tests' own making."""

from datetime import UTC, datetime
from typing import Any

from bot.domain.payments.bulk import BulkPayload, CancelPayload, Large
from bot.domain.payments.instruction import (
    Choice,
    Instruction,
    Item,
    Kind,
    PayoutPayload,
    PurchasePayload,
    Recipient,
    State,
    Vote,
    digest_of,
)
from bot.domain.policy import Requirement

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
CODE = "01KAGT0000000000000000CODE"
REMOTE = "652f7a1e9b3c4d5e6f708192"

ANA = Recipient(full_name="Ana Maria Lopez", active=True, verified=True, primary=True, country="ECU")


def payload(**changes: Any) -> PayoutPayload:
    return PayoutPayload(**{"email": "ana@example.com", "cents": 2500, "description": "March translation", **changes})


def instruction(**changes: Any) -> Instruction:
    """A request for $25.00 that waits for one approval, changed as told; its digest fits its payload."""
    asked = changes.pop("payload", payload())
    code = changes.pop("code", CODE)
    kind = changes.pop("kind", Kind.PAYOUT)
    values: dict[str, Any] = {
        "id": "01KAGT00000000000000000000", "reference": "P-4F7K2M", "kind": kind, "payload": asked, "code": code,
        "digest": digest_of(kind=kind, code=code, payload=asked), "requirement": Requirement(quorum=1),
        "state": State.AWAITING, "round": 1, "version": 1, "requester": "U0MARIA", "origin_channel": "C0FINANCE",
        "created_at": NOW, "source_key": "command:1", "recipient": ANA, "remote_id": REMOTE,
    }  # fmt: skip
    return Instruction(**{**values, **changes})


def purchase(**changes: Any) -> Instruction:
    asked = PurchasePayload(
        email="ben@example.com",
        description="Spring campaign",
        items=(Item(name="web", quantity=2, unit_cents=1000), Item(name="Print ads", quantity=1, unit_cents=9950)),
    )
    values = {"payload": asked, "reference": "C-4F7K2M", "recipient": None, "state": State.OPEN}
    return instruction(**{**values, "kind": Kind.PURCHASE, "remote_status": "created", **changes})


def bulk(**changes: Any) -> Instruction:
    asked = BulkPayload(
        name="march.csv",
        count=10,
        cents=125_000,
        items_digest="0" * 64,
        twin_digest="1" * 64,
        largest=(
            Large(row=4, email="luis@example.com", cents=90_000),
            Large(row=2, email="ana@example.com", cents=9_000),
        ),
        duplicates=(7,),
        duplicate_count=1,
        people=9,
        new_count=2,
        new_cents=9_000,
    )
    values = {"payload": asked, "reference": "L-4F7K2M", "recipient": None, "remote_id": None}
    return instruction(**{**values, "kind": Kind.BULK, **changes})


def cancellation(**changes: Any) -> Instruction:
    """A cancellation of the two pending payments of that bulk payment, which waits for approval, changed as told."""
    asked = CancelPayload(
        bulk="L-4F7K2M", bulk_remote_id="bulk-1", count=2, cents=9_500, items_digest="2" * 64, all_pending=True
    )
    values = {"payload": asked, "reference": "X-4F7K2M", "recipient": None, "remote_id": None}
    return instruction(**{**values, "kind": Kind.BULK_CANCEL, **changes})


def vote(person: str, **changes: Any) -> Vote:
    values: dict[str, Any] = {
        "instruction_id": "01KAGT00000000000000000000", "round": 1, "person": person, "choice": Choice.APPROVE,
        "at": NOW,
    }  # fmt: skip
    return Vote(**{**values, **changes})

"""Instructions and votes of the tests' own making."""

from datetime import UTC, datetime
from typing import Any

from bot.domain.payments.instruction import Choice, Instruction, Kind, PayoutPayload, Recipient, State, Vote, digest_of
from bot.domain.requirement import Requirement

NOW = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
CODE = "01KAGT0000000000000000CODE"
REMOTE = "652f7a1e9b3c4d5e6f708192"

ANA = Recipient(full_name="Ana Maria Lopez", active=True, verified=True, primary=True, country="ECU")


def payload(**changes: Any) -> PayoutPayload:
    return PayoutPayload(**{"email": "ana@example.com", "cents": 2500, "description": "March translation", **changes})


def instruction(**changes: Any) -> Instruction:
    """A request for 25.00 USD that waits for one approval, changed as told; its digest fits its payload."""
    asked = changes.pop("payload", payload())
    code = changes.pop("code", CODE)
    values: dict[str, Any] = {
        "id": "01KAGT00000000000000000000",
        "reference": "P-4F7K2M",
        "kind": Kind.PAYOUT,
        "payload": asked,
        "code": code,
        "digest": digest_of(kind=Kind.PAYOUT, code=code, payload=asked),
        "requirement": Requirement(quorum=1),
        "state": State.AWAITING,
        "round": 1,
        "version": 1,
        "requester": "U0MARIA",
        "origin_channel": "C0FINANCE",
        "created_at": NOW,
        "source_key": "command:1",
        "recipient": ANA,
        "remote_id": REMOTE,
    }
    return Instruction(**{**values, **changes})


def vote(person: str, **changes: Any) -> Vote:
    values: dict[str, Any] = {
        "instruction_id": "01KAGT00000000000000000000",
        "round": 1,
        "person": person,
        "choice": Choice.APPROVE,
        "at": NOW,
    }
    return Vote(**{**values, **changes})

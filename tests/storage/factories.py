"""Records for the storage tests."""

from datetime import UTC, datetime, timedelta

from bot.domain.payments.instruction import (
    Attempt,
    AttemptKind,
    Choice,
    Instruction,
    Kind,
    PayoutPayload,
    State,
    Vote,
    digest_of,
)
from bot.domain.policy import Requirement
from bot.domain.references import Letter, reference, ulid

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
KEY = b"k" * 32


def later(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def instruction(
    *,
    state: State = State.NEW,
    email: str = "ana@example.com",
    cents: int = 2500,
    created_at: datetime = NOW,
    due_at: datetime | None = NOW,
    requester: str = "U1",
) -> Instruction:
    payload = PayoutPayload(email=email, cents=cents, description="March \u0000 translation \U0001f600")
    code, own = ulid(created_at), ulid(created_at)
    return Instruction(
        id=own,
        reference=reference(Letter.PAYOUT),
        kind=Kind.PAYOUT,
        payload=payload,
        code=code,
        digest=digest_of(kind=Kind.PAYOUT, code=code, payload=payload),
        requirement=Requirement(quorum=2, reasons=("because",)),
        state=state,
        round=1,
        version=1,
        requester=requester,
        origin_channel="C1",
        created_at=created_at,
        source_key=f"trigger-{own}",
        due_at=due_at,
    )


def vote(of: Instruction, person: str = "U2", *, round_: int = 1) -> Vote:
    return Vote(instruction_id=of.id, round=round_, person=person, choice=Choice.APPROVE, at=NOW)


def attempt(of: Instruction, n: int = 1) -> Attempt:
    return Attempt(
        instruction_id=of.id, n=n, kind=AttemptKind.COMMIT, request_hash="h", claimed_at=NOW, boot_at=12345.678901
    )

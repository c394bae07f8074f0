"""Request a payout that was not paid once more, unchanged or edited. It is approved like any other.

The source key names the first request. It is unique, so all presses on one outcome make one request, even with two
processes. A payout of unknown outcome is never retried this way: it is looked up, not sent again.
"""

from collections.abc import Callable
from typing import Final

from bot.domain.approvals import Refusal
from bot.domain.payments.instruction import Instruction, PayoutPayload
from bot.domain.payments.moves import may_be_sent_again
from bot.workflows.context import Context, Unit, witness
from bot.workflows.requests.decide import Decided
from bot.workflows.requests.request import CodeTakenError, Requested, request_of

_KEY: Final = "payout-again:"


class _RefusedError(Exception):
    """It cannot be sent again, or not by this person; the transaction is rolled back."""

    def __init__(self, decided: Decided) -> None:
        super().__init__(decided.instruction.reference)
        self.decided = decided


def to_send_again(uow: Unit, instruction_id: str, person: str) -> Instruction | Decided:
    """Return the request if this person may send it again, otherwise the refusal. Raises LookupError if unknown."""
    found = uow.instructions.get(instruction_id)
    if found is None:
        raise LookupError(instruction_id)
    if found.requester != person:
        return Decided(found, Refusal.NOT_REQUESTED)
    return found if may_be_sent_again(found) else Decided(found, Refusal.DECIDED)


async def send_again(
    ctx: Context, instruction_id: str, person: str, payload: PayoutPayload | None = None
) -> tuple[Instruction, bool] | Decided:
    """Return the new request, and whether this press made it; ``payload``: the edited one, or None if unchanged.

    Raises: as :func:`bot.workflows.requests.request.request`.
    """
    try:
        return await _made(ctx, instruction_id, person, lambda first: payload or first)
    except CodeTakenError:
        if payload is not None:
            raise  # the form asks for another one
        return await _made(ctx, instruction_id, person, lambda first: first.model_copy(update={"code": ""}))
    except _RefusedError as refused:
        return refused.decided


async def _made(
    ctx: Context, instruction_id: str, person: str, as_now: Callable[[PayoutPayload], PayoutPayload]
) -> tuple[Instruction, bool]:
    key, is_new = f"{_KEY}{instruction_id}", False

    def make(uow: Unit) -> Requested:
        nonlocal is_new
        first = to_send_again(uow, instruction_id, person)
        if isinstance(first, Decided):
            raise _RefusedError(first)
        assert isinstance(first.payload, PayoutPayload)
        is_new = True
        witness(uow, "sent_again", {}, actor=person, about=first)
        return Requested(
            requester=person,
            channel=first.origin_channel,
            kind=first.kind,
            payload=as_now(first.payload).model_copy(update={"again_of": first.reference}),
            source_key=key,
        )

    return await request_of(ctx, key, make), is_new

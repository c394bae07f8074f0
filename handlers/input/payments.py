"""Requesting a payout or a purchase: the common end of the command line and the form."""

from bot.domain.approvals import Refusal
from bot.domain.errors import PersonError
from bot.domain.money import Cents
from bot.domain.payments.instruction import Instruction, Kind
from bot.presentation.payments import answers as payment_answers
from bot.workflows.payments.recipient import edited
from bot.workflows.requests.decide import Click, Decided
from bot.workflows.requests.request import Requested, request
from handlers.dependencies import Dependencies
from handlers.input import fields
from handlers.input.admission import payments_to_request
from handlers.input.grammar import mistake
from handlers.input.presence import can_post
from handlers.replies import DeclinedError, Private

COMMAND = "pay"
SEND_EXAMPLE = 'send ana@example.com 25.00 "March translation"'


async def request_payout(deps: Dependencies, requested: Requested) -> Private:
    """Check the person and the limit, store the request.

    Raises:
        MistakesError: the amount is above the daily limit.
    """
    await payments_to_request(deps, requested.requester, requested.kind, even_frozen=False)
    try:
        fields.within_limit(Cents(requested.payload.cents), deps.ctx.policy)
    except PersonError as broken:
        raise mistake(deps, COMMAND, SEND_EXAMPLE, broken) from None
    return await _requested(deps, await request(deps.ctx, requested))


async def request_edited(deps: Dependencies, replaced: Click, requested: Requested) -> Private:
    """The same for a request that takes the place of one whose address has no account."""
    await payments_to_request(deps, requested.requester, requested.kind, even_frozen=False)
    found = await edited(deps.ctx, replaced, requested)
    if isinstance(found, Decided):
        raise DeclinedError(payment_answers.refused(found.refusal or Refusal.DECIDED, found.instruction))
    return await _requested(deps, found)


async def _requested(deps: Dependencies, instruction: Instruction) -> Private:
    member = await can_post(deps.messenger, instruction.origin_channel)
    return Private(payment_answers.requested(instruction, member=member))


async def request_purchase(deps: Dependencies, requested: Requested) -> Private:
    """Check the person, store the request."""
    await payments_to_request(deps, requested.requester, Kind.PURCHASE)
    instruction = await request(deps.ctx, requested)
    return Private(payment_answers.collecting(instruction, member=await can_post(deps.messenger, requested.channel)))

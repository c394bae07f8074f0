"""Requesting a payout or a purchase: the common end of the command line and the form."""

from bot.domain.errors import PersonError
from bot.domain.money import Cents
from bot.domain.payments.instruction import Kind
from bot.presentation import answers
from bot.workflows.requests import ask
from bot.workflows.requests.ask import Asked
from handlers.dependencies import Dependencies
from handlers.input import fields
from handlers.input.admission import payments_to_request
from handlers.input.grammar import mistake
from handlers.input.presence import can_post
from handlers.replies import Private

COMMAND = "pay"
SEND_EXAMPLE = 'send ana@example.com 25.00 "March translation"'


async def request_payout(deps: Dependencies, asked: Asked) -> Private:
    """Check the person and the limit, store the request.

    Raises:
        MistakesError: the amount is above the daily limit.
    """
    payments = await payments_to_request(deps, asked.requester, asked.kind, even_frozen=False)
    if isinstance(payments, Private):
        return payments
    try:
        fields.within_limit(Cents(asked.payload.cents), deps.ctx.policy)
    except PersonError as broken:
        raise mistake(deps, COMMAND, SEND_EXAMPLE, broken) from None
    instruction = await ask.ask(deps.ctx, asked)
    return Private(answers.requested(instruction, member=await can_post(deps.messenger, asked.channel)))


async def request_purchase(deps: Dependencies, asked: Asked) -> Private:
    """Check the person, store the request."""
    payments = await payments_to_request(deps, asked.requester, Kind.PURCHASE)
    if isinstance(payments, Private):
        return payments
    instruction = await ask.ask(deps.ctx, asked)
    return Private(answers.collecting(instruction, member=await can_post(deps.messenger, asked.channel)))

"""A call to a service beside the ack: the answer follows, and an error becomes one sentence."""

from collections.abc import Awaitable, Callable
from functools import partial

import structlog

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.services import DELIVERY, PAYMENTS
from bot.presentation import answers
from bot.presentation.reasons import sentence
from handlers.replies import Answer, Later, Open, Private

log = structlog.get_logger(__name__)


def service_call(
    work: Callable[[], Awaitable[Answer | Open]], *, service: str = PAYMENTS, meanwhile: Answer | Open | None = None
) -> Later:
    """Run ``work`` beside the ack.

    Args:
        work: calls the service and makes the answer.
        service: its display name.
        meanwhile: shown when the answer takes longer than a moment; None: a notice that the service is being asked.
    """

    async def call() -> Answer | Open:
        try:
            return await work()
        except (ServiceNow, ServiceNever, OperatorError) as trouble:
            log.warning("a service could not be asked", service=service, reason=str(trouble))
            return Private(answers.trouble(sentence(trouble)))

    return Later(call, meanwhile or Private(answers.asking(service)))


delivery_call = partial(service_call, service=DELIVERY)
"""The same of the delivery service."""

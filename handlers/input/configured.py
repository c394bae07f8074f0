"""A service that is configured, or what is said where it is not."""

from typing import TypeVar

from bot.presentation import answers
from bot.workflows.services.service import Service
from handlers.replies import Private

C = TypeVar("C")


def configured(service: Service[C], name: str) -> C | Private:
    """The client of a service; or that the operator has to configure it, under the name that people know."""
    return service.client or Private(answers.not_configured(name, service.missing))

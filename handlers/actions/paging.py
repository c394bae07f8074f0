"""The buttons below a page of the service's list: the private answer is replaced by another page."""

from bot.clients.payments import OperationType
from bot.domain.approvals import Refusal
from bot.domain.errors import PersonError
from bot.presentation import answers
from bot.presentation.payments import operations
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.input import fields
from handlers.input.admission import payments_for
from handlers.input.operations import turn_page
from handlers.input.service_call import service_call
from handlers.replies import Nothing, Private, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Previous and Next."""
    router.actions[operations.PREVIOUS] = turn
    router.actions[operations.NEXT] = turn


async def turn(deps: Dependencies, click: Click) -> Reply:
    """Show the page that the button names, after checking again that the user may see it."""
    payments = await payments_for(deps, click.user)
    which, _, number = click.value.partition(":")
    try:
        operation_type: OperationType | None = fields.listing(which) if which else None
        page = fields.page(number)
    except PersonError:
        return Private(answers.refused(Refusal.STALE))
    return service_call(
        lambda: turn_page(deps, payments, page=page, operation_type=operation_type, instead=True), meanwhile=Nothing()
    )

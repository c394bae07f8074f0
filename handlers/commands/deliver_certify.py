"""``/deliver certify``: the operator's checklist, filled in from this workspace."""

from bot.presentation.bookings import certification
from bot.workflows.bookings.lookup import evidence
from bot.workflows.services.delivery import DeliveryService
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input.deliveries import COMMAND, with_delivery
from handlers.input.grammar import Values, Verb
from handlers.replies import Private, Reply


@with_delivery
async def _certify(deps: Dependencies, _delivery: DeliveryService, _command: Command, _values: Values) -> Reply:
    seen, states = await evidence(deps.ctx)
    return Private(certification.checklist(seen, states, command=deps.spelled(COMMAND)))


CERTIFY = Verb("certify", "the certification checklist, each point with what was seen here", _certify)

"""``/deliver certify``: the operator's checklist, filled in from this workspace."""

from bot.presentation.bookings import certification
from bot.workflows.bookings.lookup import evidence
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input.admission import delivery_for
from handlers.input.deliveries import COMMAND
from handlers.input.grammar import Values, Verb
from handlers.replies import Private, Reply


async def _certify(deps: Dependencies, command: Command, _values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    seen, states = await evidence(deps.ctx)
    return Private(certification.checklist(seen, states, command=deps.spelled(COMMAND)))


CERTIFY = Verb(
    name="certify",
    summary="the certification checklist, each point with what was seen here",
    example="certify",
    run=_certify,
)

"""``/deliver certify``: the operator's checklist with what was seen in this workspace, also as a file."""

from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.presentation import answers
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import certification
from bot.workflows.bookings.evidence import gathered
from handlers.dependencies import Dependencies
from handlers.incoming import Click, Command
from handlers.input.deliveries import COMMAND, admitted
from handlers.input.grammar import Values, Verb
from handlers.replies import Answer, Later, Nothing, Private, Reply

_FILE = "delivery-certification.md"


async def _certify(deps: Dependencies, command: Command, _values: Values) -> Reply:
    delivery = await admitted(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    seen, states = await deps.ctx.store.read(gathered)
    return Private(certification.checklist(seen, states, command=deps.spelled(COMMAND)))


async def export(deps: Dependencies, click: Click) -> Reply:
    """The button below the list: the same as a file, in a direct message."""
    delivery = await admitted(deps, click.user)
    if isinstance(delivery, Private):
        return delivery

    async def share() -> Answer:
        seen, states = await deps.ctx.store.read(gathered)
        now = deps.ctx.clock.now()
        text = certification.as_file(seen, states, command=deps.spelled(COMMAND), now=now)
        try:
            await deps.ctx.files.share(
                name=_FILE,
                content=text.encode(),
                title="Delivery certification checklist",
                alt="The certification checklist as a Markdown table.",
                comment="The certification checklist, as it stands now.",
                channel=await deps.messenger.direct_message(click.user),
                thread_ts=None,
            )
        except (ServiceNow, ServiceNever, OutcomeUnknown) as refused:
            return Private(answers.try_again(f"The file could not be shared ({refused.reason})."))
        return Private(deliveries.exported())

    return Later(share, Nothing())


CERTIFY = Verb(
    name="certify",
    summary="the certification checklist, each point with what was seen here",
    example="certify",
    run=_certify,
)

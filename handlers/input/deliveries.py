"""What all verbs, buttons and forms of ``/deliver`` share: who may, which store, which booking, asking the service."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import structlog

from bot.clients.service_errors import sentence
from bot.domain.approvals import No, Role, listed, may_look
from bot.domain.bookings.booking import Booking, Stage
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow
from bot.presentation import answers
from bot.presentation.bookings import answers as deliveries
from bot.presentation.views import View
from bot.workflows.bookings.stores import store_names
from bot.workflows.services.delivery import DeliveryService
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input.configured import configured
from handlers.input.delivery_fields import BOOKING_RULE
from handlers.input.grammar import MistakesError, Verb
from handlers.replies import Answer, Later, Open, Private, Reply

log = structlog.get_logger(__name__)

COMMAND: Final = "deliver"
_NAMED = 10


async def admitted(deps: Dependencies, user: str) -> DeliveryService | Private:
    """The service, for somebody who may use it; or why not. Any role of the policy is enough."""
    ctx = deps.ctx
    refusal = may_look(await ctx.people.standing(user), people=ctx.policy.people, home=ctx.home)
    if refusal is not None:
        return Private(deliveries.refused(refusal))
    return configured(ctx.delivery, "delivery")


async def admitted_as_admin(deps: Dependencies, user: str) -> DeliveryService | Private:
    """The service, for an admin: what changes the company's account, or where the service sends what it knows."""
    ctx = deps.ctx
    delivery = await admitted(deps, user)
    if isinstance(delivery, Private) or listed(Role.ADMIN, await ctx.people.standing(user), ctx.policy.people):
        return delivery
    return Private(deliveries.refused(No.NOT_ADMIN))


def asking(work: Callable[[], Awaitable[Answer]], *, meanwhile: Answer | None = None) -> Later:
    """Ask the service beside the ack; what goes wrong becomes one sentence."""

    async def ask() -> Answer:
        try:
            return await work()
        except (ServiceNow, ServiceNever, OperatorError) as trouble:
            log.warning("the delivery service could not be asked", reason=str(trouble))
            return Private(answers.trouble(sentence(trouble)))

    return Later(ask, meanwhile or Private(answers.asking("delivery")))


async def form_with_stores(deps: Dependencies, command: Command, make: Callable[[Sequence[str]], View]) -> Reply:
    """A form in which a store is chosen by name."""
    delivery = await admitted(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    names = await store_names(deps.ctx, delivery)
    return Open(make(names)) if names else Private(deliveries.no_stores(deps.spelled(COMMAND)))


async def chosen_store(deps: Dependencies, delivery: DeliveryService, given: str | None, *, action: str) -> str:
    """The store of that name; the only one where none is named.

    Raises:
        MistakesError: there is no such store; it names those there are.
    """
    names = await store_names(deps.ctx, delivery)
    if not given and len(names) == 1:
        return names[0]
    wanted = " ".join((given or "").split()).casefold()
    found = next((name for name in names if name.casefold() == wanted), None)
    if found is not None:
        return found
    known = ", ".join(names[:_NAMED]) or "none yet"
    rule = f"it must be the name of a store; there is: {known}"
    example = f"{deps.spelled(COMMAND)} {action} {names[0] if names else 'Centro'}"
    raise MistakesError([PersonError(argument="store", rule=rule, example=example, given=given or "")])


async def meant(deps: Dependencies, text: str, *, verb: Verb, argument: str) -> Booking:
    """The booking that somebody named.

    Raises:
        MistakesError: none of that name is known here.
    """
    found = await deps.ctx.store.read(lambda tx: tx.bookings.find(text))
    if found is not None and found.stage is not Stage.QUOTED:
        return found
    rule = f"no booking of that name is known here; it is {BOOKING_RULE}"
    raise MistakesError([mistake(PersonError(argument=argument, rule=rule, example="", given=text), verb, deps)])


def mistake(broken: PersonError, verb: Verb, deps: Dependencies) -> PersonError:
    """The same with the verb's example."""
    broken.example = f"{deps.spelled(COMMAND)} {verb.example}"
    return broken

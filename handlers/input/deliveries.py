"""Shared by the verbs, buttons and forms of ``/deliver``: which store, which booking."""

from collections.abc import Awaitable, Callable, Sequence
from functools import wraps
from typing import Concatenate, Final, ParamSpec, Protocol, TypeVar

from bot.domain.bookings.booking import Booking
from bot.domain.errors import PersonError
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import outcomes
from bot.presentation.mistakes import unknown
from bot.presentation.views import View
from bot.workflows.bookings.acting import Acted
from bot.workflows.bookings.lookup import find_booking, spelled
from bot.workflows.bookings.stores import store_names
from bot.workflows.services.delivery import DeliveryService
from handlers.dependencies import Dependencies
from handlers.input.admission import delivery_for
from handlers.input.delivery_fields import BOOKING_RULE
from handlers.input.grammar import Verb, wrong
from handlers.replies import Open, Private, Reply

COMMAND: Final = "deliver"

I = TypeVar("I", bound="FromPerson")  # noqa: E741 - incoming
P = ParamSpec("P")


class FromPerson(Protocol):
    """What a person sent: a command, a click or a form."""

    @property
    def user(self) -> str:
        """Id of the person."""
        ...


def with_delivery(
    run: Callable[Concatenate[Dependencies, DeliveryService, I, P], Awaitable[Reply]],
) -> Callable[Concatenate[Dependencies, I, P], Awaitable[Reply]]:
    """A handler that is given the delivery service; who may not use it is refused."""

    @wraps(run)
    async def admitted(deps: Dependencies, sent: I, /, *args: P.args, **more: P.kwargs) -> Reply:
        return await run(deps, await delivery_for(deps, sent.user), sent, *args, **more)

    return admitted


async def form_with_stores(
    deps: Dependencies, delivery: DeliveryService, make: Callable[[Sequence[str]], View]
) -> Reply:
    """Open a form in which a store is chosen by name."""
    names = await store_names(deps.ctx, delivery)
    return Open(make(names)) if names else Private(deliveries.no_stores(deps.spelled(COMMAND)))


async def chosen_store(deps: Dependencies, delivery: DeliveryService, given: str | None, *, action: str) -> str:
    """The store with that name; the only store where none is named.

    Raises:
        MistakesError: there is no such store; the error lists the stores.
    """
    names = await store_names(deps.ctx, delivery)
    if not given and len(names) == 1:
        return names[0]
    wanted = " ".join((given or "").split()).casefold()
    found = next((name for name in names if name.casefold() == wanted), None)
    if found is not None:
        return found
    example, rule = f"{action} {names[0] if names else 'Centro'}", deliveries.store_rule(names)
    raise wrong(deps, COMMAND, example, argument="store", rule=rule, given=given or "")


async def store_of(deps: Dependencies, delivery: DeliveryService, text: str) -> str:
    """The stored name of a store.

    Raises:
        PersonError: there is no such store; the error lists the stores.
    """
    name = await spelled(deps.ctx, delivery, text)
    if name is None:
        rule = deliveries.store_rule(await store_names(deps.ctx, delivery))
        raise PersonError(argument="store", rule=rule, example="", given=text)
    return name


async def meant(deps: Dependencies, text: str, *, verb: Verb, argument: str) -> Booking:
    """The booking that the user named.

    Raises:
        MistakesError: no such booking is stored here.
    """
    found = await find_booking(deps.ctx, text)
    if found is not None:
        return found
    rule = unknown("booking", BOOKING_RULE)
    raise wrong(deps, COMMAND, verb.example, argument=argument, rule=rule, given=text)


def told(result: Acted) -> Private:
    """The outcome of an action, as a private answer."""
    return Private(outcomes.acted(result.booking, result.act, trouble=result.trouble))

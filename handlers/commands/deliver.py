"""``/deliver``: stores, prices, bookings, pre-bookings, webhooks, and the certification checklist."""

import re
from collections.abc import Awaitable, Callable

from bot.domain.approvals import may_look
from bot.domain.bookings.booking import Booking
from bot.domain.errors import PersonError
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import cards as booking_cards
from bot.presentation.bookings import forms as views
from bot.workflows.bookings import acting, hooks, stores
from bot.workflows.bookings.elsewhere import take_in
from bot.workflows.bookings.follow import look_up
from bot.workflows.services.delivery import DeliveryService
from handlers.commands.deliver_certify import CERTIFY
from handlers.commands.deliver_edit import edit_form
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import delivery_fields as fields
from handlers.input import dispatch
from handlers.input.admission import admin, delivery_for
from handlers.input.deliveries import COMMAND, chosen_store, form_with_stores, meant, told, with_delivery
from handlers.input.grammar import Argument, Values, Verb, mistake
from handlers.input.service_call import delivery_call
from handlers.replies import Answer, MistakesError, Open, Private, Reply

NAME = COMMAND
SUMMARY = "Book deliveries and follow them to the door"


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)


@with_delivery
async def _stores(deps: Dependencies, delivery: DeliveryService, _command: Command, _values: Values) -> Reply:
    async def ask() -> Answer:
        found = await stores.list_stores(deps.ctx, delivery)
        return Private(deliveries.stores(found, command=deps.spelled(NAME)))

    return delivery_call(ask)


@with_delivery
async def _store(deps: Dependencies, delivery: DeliveryService, command: Command, values: Values) -> Reply:
    act, given = values["add|show|edit"], values["store"]
    if act == "add":
        await delivery_for(deps, command.user, admin)
        if given:
            return Open(views.store_add(channel=command.channel, values={views.NAME: given}))
        return Open(views.store_add(channel=command.channel))
    name = await chosen_store(deps, delivery, given, action=f"store {act}")
    if act == "show":
        return _show_store(deps, delivery, name)
    return edit_form(deps, delivery, name)


def _show_store(deps: Dependencies, delivery: DeliveryService, name: str) -> Reply:
    async def ask() -> Answer:
        found = await stores.read_store(deps.ctx, delivery, name)
        return Private(deliveries.store(found.name, found.record))

    return delivery_call(ask)


@with_delivery
async def _quote(deps: Dependencies, delivery: DeliveryService, _command: Command, _values: Values) -> Reply:
    return await form_with_stores(deps, delivery, views.price)


@with_delivery
async def _book(deps: Dependencies, delivery: DeliveryService, command: Command, _values: Values) -> Reply:
    return await form_with_stores(deps, delivery, lambda names: views.book(names, channel=command.channel))


@with_delivery
async def _show(deps: Dependencies, delivery: DeliveryService, _command: Command, values: Values) -> Reply:
    return await _shown(deps, delivery, values["booking"], verb=_SHOW, argument="booking")


async def _shown(deps: Dependencies, delivery: DeliveryService, text: str, *, verb: Verb, argument: str) -> Reply:
    """Show a booking, or one that is not stored here but exists at the service."""
    try:
        booking = await meant(deps, text, verb=verb, argument=argument)
    except MistakesError as unknown:

        async def ask() -> Answer | None:
            found = await look_up(deps.ctx, delivery, text)
            return None if found is None else Private(deliveries.record(*found))

        return _elsewhere(text, unknown, ask)
    return Private(booking_cards.card(booking, now=deps.ctx.clock.now(), private=True))


def _elsewhere(text: str, unknown: MistakesError, ask: Callable[[], Awaitable[Answer | None]]) -> Reply:
    """Ask the service about a booking that is not stored here; it does not know a reference of ours."""
    if re.match(r"[A-Z]-", text.upper()):
        raise unknown

    async def call() -> Answer:
        answer = await ask()
        if answer is None:
            raise unknown
        return answer

    return delivery_call(call)


@with_delivery
async def _cancel(deps: Dependencies, delivery: DeliveryService, command: Command, values: Values) -> Reply:
    return await _canceled(deps, delivery, command, values["booking"], values["reason"] or "", verb=_CANCEL)


async def _canceled(
    deps: Dependencies, delivery: DeliveryService, command: Command, text: str, reason: str, *, verb: Verb
) -> Reply:
    """Cancel with the given reason, or open the form that asks for one."""
    try:
        said = fields.reason(reason)
    except PersonError as broken:
        if reason:
            raise mistake(deps, NAME, verb.example, broken) from None
        said = ""

    async def act(booking: Booking) -> Answer:
        if not booking.can_cancel:
            return told(acting.cannot_cancel(booking))
        if not said:
            return Private(deliveries.say_why(booking, command=deps.spelled(NAME)))
        return told(await acting.cancel(deps.ctx, delivery, booking, reason=said, by=command.user))

    try:
        booking = await meant(deps, text, verb=verb, argument="booking")
    except MistakesError as unknown:
        return _act_elsewhere(deps, delivery, command, text, unknown, act)
    if booking.can_cancel and not said:
        return Open(views.cancel(booking))
    return delivery_call(lambda: act(booking)) if booking.can_cancel else await act(booking)


def _act_elsewhere(
    deps: Dependencies,
    delivery: DeliveryService,
    command: Command,
    text: str,
    unknown: MistakesError,
    act: Callable[[Booking], Awaitable[Answer]],
) -> Reply:
    """Act on a booking that is not stored here: if the service has it, follow it from now on and do this to it."""

    async def ask() -> Answer | None:
        booking = await take_in(deps.ctx, delivery, text, by=command.user)
        return None if booking is None else await act(booking)

    return _elsewhere(text, unknown, ask)


@with_delivery
async def _start(deps: Dependencies, delivery: DeliveryService, command: Command, values: Values) -> Reply:
    async def act(booking: Booking) -> Answer:
        return told(await acting.start_search(deps.ctx, delivery, booking, by=command.user))

    try:
        booking = await meant(deps, values["booking"], verb=_START, argument="booking")
    except MistakesError as unknown:
        return _act_elsewhere(deps, delivery, command, values["booking"], unknown, act)
    return delivery_call(lambda: act(booking))


@with_delivery
async def _prebook_form(deps: Dependencies, delivery: DeliveryService, command: Command) -> Reply:
    if delivery.production:
        return Private(deliveries.sandbox_only())
    return await form_with_stores(deps, delivery, lambda names: views.prebook(names, channel=command.channel))


@with_delivery
async def _prebook(deps: Dependencies, delivery: DeliveryService, command: Command, values: Values) -> Reply:
    if delivery.production:
        return Private(deliveries.sandbox_only())
    if values["show|cancel"] == "cancel":
        return await _canceled(deps, delivery, command, values["id"], values["reason"] or "", verb=_PREBOOK)
    return await _shown(deps, delivery, values["id"], verb=_PREBOOK, argument="id")


async def _webhooks(deps: Dependencies, command: Command, values: Values) -> Reply:
    which = values["on|off"]
    delivery = await delivery_for(deps, command.user, admin if which else may_look)
    name = await chosen_store(deps, delivery, values["store"], action="webhooks")

    async def ask() -> Answer:
        act = hooks.look if which is None else hooks.turn_on if which == "on" else hooks.turn_off
        found = await act(deps.ctx, delivery, name)
        return Private(deliveries.hooks(name, found, turned_on=None if which is None else which == "on"))

    return delivery_call(ask)


def _one_of(name: str, *, example: str, typed: str = "", optional: bool = False) -> Argument:
    allowed = name.split("|")
    rule = " or ".join(allowed)

    def read(text: str) -> str:
        chosen = text.strip().lower()
        if chosen not in allowed:
            raise PersonError(argument=name, rule=f"it must be {rule}", example=example, given=text)
        return chosen

    return Argument(name=name, rule=rule, read=read, typed=typed, optional=optional)


_BOOKING = Argument(name="booking", rule=fields.BOOKING_RULE, read=fields.booking)
_REASON = Argument(name="reason", rule="why", read=fields.store, rest=True, optional=True)
_STORES = Verb("stores", "every store by name", _stores)
_STORE = Verb(
    "store",
    "look at a store, change one; admins make one",
    _store,
    example="store show Centro",
    arguments=(
        _one_of("add|show|edit", typed="add|show|edit", example="store show Centro"),
        Argument(name="store", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)
_QUOTE = Verb("quote", "what a delivery would cost; nothing is booked", _quote)
_BOOK = Verb("book", "book a delivery; the price is shown before it is booked", _book)
_SHOW = Verb("show", "one booking as it is now", _show, example="show B-4F7K2M", arguments=(_BOOKING,))
_CANCEL = Verb(
    "cancel",
    "cancel a booking, with a reason",
    _cancel,
    example='cancel B-4F7K2M "customer called it off"',
    arguments=(_BOOKING, _REASON),
)
_START = Verb(
    "start",
    "search for a driver now, while the booking is on hold",
    _start,
    example="start B-4F7K2M",
    arguments=(_BOOKING,),
)
_PREBOOK = Verb(
    "prebook",
    "a link with which the customer enters the address (sandbox only)",
    _prebook,
    example="prebook show V-4F7K2M",
    alone=_prebook_form,
    arguments=(
        _one_of("show|cancel", typed="[show|cancel", example="prebook show V-4F7K2M"),
        Argument(name="id", typed="<id>]", rule=fields.BOOKING_RULE, read=fields.booking),
        _REASON,
    ),
)
_WEBHOOKS = Verb(
    "webhooks",
    "what is registered for a store; admins register our addresses, or take them away",
    _webhooks,
    example="webhooks on Centro",
    arguments=(
        _one_of("on|off", example="webhooks on Centro", optional=True),
        Argument(name="store", typed="<store>", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)

VERBS = (_STORES, _STORE, _QUOTE, _BOOK, _SHOW, _CANCEL, _START, _PREBOOK, _WEBHOOKS, CERTIFY)
"""In the order of the help."""

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
from bot.workflows.bookings.hooks import HookState
from bot.workflows.bookings.stores import KnownStore
from bot.workflows.services.delivery import DeliveryService
from handlers.commands.deliver_certify import CERTIFY
from handlers.commands.deliver_edit import edit_form
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import delivery_fields as fields
from handlers.input import dispatch
from handlers.input.admission import admin, delivery_for
from handlers.input.deliveries import COMMAND, chosen_store, form_with_stores, meant, told
from handlers.input.grammar import Argument, Values, Verb, mistake
from handlers.input.service_call import service_call
from handlers.replies import Answer, MistakesError, Open, Private, Reply

NAME = COMMAND
SUMMARY = "Book deliveries and follow them to the door"


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)


def stores_told(deps: Dependencies, found: list[KnownStore]) -> Private:
    """Every store by name."""
    lines = [
        deliveries.StoreLine(
            name=one.name, record=one.record, usable=one.usable, given=one.given, creating=one.creating
        )
        for one in found
    ]
    return Private(deliveries.stores(lines, command=deps.spelled(NAME)))


async def _stores(deps: Dependencies, command: Command, _values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery

    async def ask() -> Answer:
        return stores_told(deps, await stores.list_stores(deps.ctx, delivery))

    return service_call(ask, service="delivery")


async def _store(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    act, given = values["add|show|edit"], values["store"]
    if act == "add":
        allowed = await delivery_for(deps, command.user, admin)
        if isinstance(allowed, Private):
            return allowed
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

    return service_call(ask, service="delivery")


async def _quote(deps: Dependencies, command: Command, _values: Values) -> Reply:
    return await form_with_stores(deps, command, views.price)


async def _book(deps: Dependencies, command: Command, _values: Values) -> Reply:
    return await form_with_stores(deps, command, lambda names: views.book(names, channel=command.channel))


async def _show(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    text = values["booking"]
    try:
        booking = await meant(deps, text, verb=_SHOW, argument="booking")
    except MistakesError as unknown:
        return _show_elsewhere(deps, delivery, text, unknown)
    return Private(booking_cards.card(booking, now=deps.ctx.clock.now(), private=True))


def _show_elsewhere(deps: Dependencies, delivery: DeliveryService, text: str, unknown: MistakesError) -> Reply:
    """Show a booking that is not stored here but may exist at the service."""
    if _is_reference(text):
        raise unknown

    async def ask() -> Answer:
        found = await look_up(deps.ctx, delivery, text)
        if found is None:
            raise unknown
        return Private(deliveries.record(*found))

    return service_call(ask, service="delivery")


async def _cancel(deps: Dependencies, command: Command, values: Values) -> Reply:
    return await cancel(deps, command, values["booking"], values["reason"] or "", verb=_CANCEL)


async def cancel(deps: Dependencies, command: Command, text: str, reason: str, *, verb: Verb) -> Reply:
    """Cancel with the given reason, or open the form that asks for one."""
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    try:
        said = fields.words(reason, argument="reason", most=views.REASON_LIMIT, example="customer called it off")
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
    return service_call(lambda: act(booking), service="delivery") if booking.can_cancel else await act(booking)


def _act_elsewhere(
    deps: Dependencies,
    delivery: DeliveryService,
    command: Command,
    text: str,
    unknown: MistakesError,
    act: Callable[[Booking], Awaitable[Answer]],
) -> Reply:
    """Act on a booking that is not stored here: if the service has it, follow it from now on and do this to it."""
    if _is_reference(text):
        raise unknown

    async def ask() -> Answer:
        booking = await take_in(deps.ctx, delivery, text, by=command.user)
        if booking is None:
            raise unknown
        return await act(booking)

    return service_call(ask, service="delivery")


def _is_reference(text: str) -> bool:
    """Whether this is a reference of ours, which the service does not know."""
    return re.match(r"[A-Z]-", text.upper()) is not None


async def _start(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery

    async def act(booking: Booking) -> Answer:
        return told(await acting.start_search(deps.ctx, delivery, booking, by=command.user))

    try:
        booking = await meant(deps, values["booking"], verb=_START, argument="booking")
    except MistakesError as unknown:
        return _act_elsewhere(deps, delivery, command, values["booking"], unknown, act)
    return service_call(lambda: act(booking), service="delivery")


async def _prebook_form(deps: Dependencies, command: Command) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    if delivery.production:
        return Private(deliveries.sandbox_only())
    return await form_with_stores(deps, command, lambda names: views.prebook(names, channel=command.channel))


async def _prebook(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if isinstance(delivery, Private):
        return delivery
    if delivery.production:
        return Private(deliveries.sandbox_only())
    if values["show|cancel"] == "cancel":
        return await cancel(deps, command, values["id"], values["reason"] or "", verb=_PREBOOK)
    try:
        booking = await meant(deps, values["id"], verb=_PREBOOK, argument="id")
    except MistakesError as unknown:
        return _show_elsewhere(deps, delivery, values["id"], unknown)
    return Private(booking_cards.card(booking, now=deps.ctx.clock.now(), private=True))


async def _webhooks(deps: Dependencies, command: Command, values: Values) -> Reply:
    which = values["on|off"]
    delivery = await delivery_for(deps, command.user, admin if which else may_look)
    if isinstance(delivery, Private):
        return delivery
    name = await chosen_store(deps, delivery, values["store"], action="webhooks")

    async def ask() -> Answer:
        if which == "on":
            return hooks_told(name, await hooks.turn_on(deps.ctx, delivery, name), turned_on=True)
        if which == "off":
            return hooks_told(name, await hooks.turn_off(deps.ctx, delivery, name), turned_on=False)
        return hooks_told(name, await hooks.look(deps.ctx, delivery, name))

    return service_call(ask, service="delivery")


def hooks_told(name: str, found: list[HookState], *, turned_on: bool | None = None) -> Private:
    """The webhooks registered for a store."""
    lines = [
        deliveries.HookLine(kind=one.kind.value, host=one.host, ours=one.ours, trouble=one.trouble) for one in found
    ]
    return Private(deliveries.hooks(name, lines, turned_on=turned_on))


def _one_of(argument: str, *allowed: str, example: str) -> Argument:
    rule = " or ".join(allowed)

    def read(text: str) -> str:
        chosen = text.strip().lower()
        if chosen not in allowed:
            raise PersonError(argument=argument, rule=f"it must be {rule}", example=example, given=text)
        return chosen

    return Argument(name=argument, rule=rule, read=read, typed=argument)


_STORES = Verb(name="stores", summary="every store by name", example="stores", run=_stores)
_STORE = Verb(
    name="store",
    summary="look at a store, change one; admins make one",
    example="store show Centro",
    run=_store,
    arguments=(
        _one_of("add|show|edit", "add", "show", "edit", example="store show Centro"),
        Argument(name="store", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)
_QUOTE = Verb(name="quote", summary="what a delivery would cost; nothing is booked", example="quote", run=_quote)
_BOOK = Verb(name="book", summary="book a delivery; the price is shown before it is booked", example="book", run=_book)
_SHOW = Verb(
    name="show",
    summary="one booking as it stands",
    example="show B-4F7K2M",
    run=_show,
    arguments=(Argument(name="booking", rule=fields.BOOKING_RULE, read=fields.booking),),
)
_CANCEL = Verb(
    name="cancel",
    summary="cancel a booking, with a reason",
    example='cancel B-4F7K2M "customer called it off"',
    run=_cancel,
    arguments=(
        Argument(name="booking", rule=fields.BOOKING_RULE, read=fields.booking),
        Argument(name="reason", rule="why", read=fields.store, rest=True, optional=True),
    ),
)
_START = Verb(
    name="start",
    summary="search for a driver now, while the booking is on hold",
    example="start B-4F7K2M",
    run=_start,
    arguments=(Argument(name="booking", rule=fields.BOOKING_RULE, read=fields.booking),),
)
_PREBOOK = Verb(
    name="prebook",
    summary="a link with which the customer enters the address (sandbox only)",
    example="prebook show V-4F7K2M",
    run=_prebook,
    alone=_prebook_form,
    arguments=(
        Argument(
            name="show|cancel",
            typed="[show|cancel",
            rule="show or cancel",
            read=_one_of("show|cancel", "show", "cancel", example="prebook show V-4F7K2M").read,
        ),
        Argument(name="id", typed="<id>]", rule=fields.BOOKING_RULE, read=fields.booking),
        Argument(name="reason", typed="", rule="why", read=fields.store, rest=True, optional=True),
    ),
)
_WEBHOOKS = Verb(
    name="webhooks",
    summary="what is registered for a store; admins register our addresses, or take them away",
    example="webhooks on Centro",
    run=_webhooks,
    arguments=(
        Argument(
            name="on|off",
            rule="on or off",
            read=_one_of("on|off", "on", "off", example="webhooks on Centro").read,
            optional=True,
        ),
        Argument(name="store", typed="<store>", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)

VERBS = (_STORES, _STORE, _QUOTE, _BOOK, _SHOW, _CANCEL, _START, _PREBOOK, _WEBHOOKS, CERTIFY)
"""In the order of the help."""

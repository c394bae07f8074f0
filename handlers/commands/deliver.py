"""``/deliver``: stores, prices, bookings, pre-bookings, webhooks, and the certification checklist."""

import re
from collections.abc import Awaitable, Callable

from bot.domain.bookings.booking import Booking, Stage
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
from handlers.dependencies import Desk
from handlers.incoming import Command
from handlers.input import delivery_fields as fields
from handlers.input import dispatch
from handlers.input.deliveries import (
    admitted,
    admitted_as_admin,
    asking,
    chosen_store,
    form_with_stores,
    meant,
    mistake,
)
from handlers.input.grammar import Argument, MistakesError, Values, Verb
from handlers.replies import Answer, Open, Private, Reply

NAME = "deliver"
SUMMARY = "Book deliveries and follow them to the door"

_DEEDS = {
    acting.Act.START: "the search for a driver has been asked for",
    acting.Act.CANCEL: "it is canceled",
    acting.Act.REFRESH: "this is what the delivery service says now",
}


async def handle(desk: Desk, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(desk, command, name=NAME, summary=SUMMARY, verbs=VERBS)


def told(result: acting.Acted) -> Private:
    """What became of what somebody did, for their eyes."""
    looked_for = result.act is acting.Act.REFRESH and result.booking.stage in (Stage.UNKNOWN, Stage.LOST)
    deed = "it is being looked for at the delivery service" if looked_for else _DEEDS[result.act]
    return Private(deliveries.acted(result.booking, deed=deed, trouble=result.trouble))


def stores_told(desk: Desk, found: list[KnownStore]) -> Private:
    """Every store by name."""
    lines = [
        deliveries.StoreLine(
            name=one.name, record=one.record, usable=one.usable, given=one.given, creating=one.creating
        )
        for one in found
    ]
    return Private(deliveries.stores(lines, command=desk.spelled(NAME)))


async def _stores(desk: Desk, command: Command, _values: Values) -> Reply:
    delivery = await admitted(desk, command.user)
    if isinstance(delivery, Private):
        return delivery

    async def ask() -> Answer:
        return stores_told(desk, await stores.list_stores(desk.ctx, delivery))

    return asking(ask)


async def _store(desk: Desk, command: Command, values: Values) -> Reply:
    delivery = await admitted(desk, command.user)
    if isinstance(delivery, Private):
        return delivery
    act, given = values["add|show|edit"], values["store"]
    if act == "add":
        allowed = await admitted_as_admin(desk, command.user)
        if isinstance(allowed, Private):
            return allowed
        if given:
            return Open(views.store_add(channel=command.channel, values={views.NAME: given}))
        return Open(views.store_add(channel=command.channel))
    name = await chosen_store(desk, delivery, given, action=f"store {act}")
    if act == "show":
        return _show_store(desk, delivery, name)
    return edit_form(desk, delivery, name)


def _show_store(desk: Desk, delivery: DeliveryService, name: str) -> Reply:
    async def ask() -> Answer:
        found = await stores.read_store(desk.ctx, delivery, name)
        return Private(deliveries.store(found.name, found.record))

    return asking(ask)


async def _quote(desk: Desk, command: Command, _values: Values) -> Reply:
    return await form_with_stores(desk, command, views.price)


async def _book(desk: Desk, command: Command, _values: Values) -> Reply:
    return await form_with_stores(desk, command, lambda names: views.book(names, channel=command.channel))


async def _show(desk: Desk, command: Command, values: Values) -> Reply:
    delivery = await admitted(desk, command.user)
    if isinstance(delivery, Private):
        return delivery
    text = values["booking"]
    try:
        booking = await meant(desk, text, verb=_SHOW, argument="booking")
    except MistakesError as unknown:
        return _show_elsewhere(desk, delivery, text, unknown)
    return Private(booking_cards.card(booking, now=desk.ctx.clock.now(), private=True))


def _show_elsewhere(desk: Desk, delivery: DeliveryService, text: str, unknown: MistakesError) -> Reply:
    """Nobody here has heard of it; the service may have."""
    if _is_reference(text):
        raise unknown

    async def ask() -> Answer:
        found = await look_up(desk.ctx, delivery, text)
        if found is None:
            raise unknown
        return Private(deliveries.record(*found))

    return asking(ask)


async def _cancel(desk: Desk, command: Command, values: Values) -> Reply:
    return await cancel(desk, command, values["booking"], values["reason"] or "", verb=_CANCEL)


async def cancel(desk: Desk, command: Command, text: str, reason: str, *, verb: Verb) -> Reply:
    """With a reason at once, without one by its form."""
    delivery = await admitted(desk, command.user)
    if isinstance(delivery, Private):
        return delivery
    try:
        said = fields.words(reason, argument="reason", most=views.REASON_LIMIT, example="customer called it off")
    except PersonError as broken:
        if reason:
            raise MistakesError([mistake(broken, verb, desk)]) from None
        said = ""

    async def act(booking: Booking) -> Answer:
        if not booking.can_cancel:
            return told(acting.Acted(act=acting.Act.CANCEL, booking=booking, trouble=_CANNOT_CANCEL))
        if not said:
            return Private(deliveries.say_why(booking, command=desk.spelled(NAME)))
        return told(await acting.cancel(desk.ctx, delivery, booking, reason=said, by=command.user))

    try:
        booking = await meant(desk, text, verb=verb, argument="booking")
    except MistakesError as unknown:
        return _act_elsewhere(desk, delivery, command, text, unknown, act)
    if booking.can_cancel and not said:
        return Open(views.cancel(booking))
    return asking(lambda: act(booking)) if booking.can_cancel else await act(booking)


def _act_elsewhere(
    desk: Desk,
    delivery: DeliveryService,
    command: Command,
    text: str,
    unknown: MistakesError,
    act: Callable[[Booking], Awaitable[Answer]],
) -> Reply:
    """Nobody here has heard of it; where the service has, it is followed from now on, and this is done to it."""
    if _is_reference(text):
        raise unknown

    async def ask() -> Answer:
        booking = await take_in(desk.ctx, delivery, text, by=command.user)
        if booking is None:
            raise unknown
        return await act(booking)

    return asking(ask)


def _is_reference(text: str) -> bool:
    """Whether it is one of ours: the service knows nothing of those."""
    return re.match(r"[A-Z]-", text.upper()) is not None


_CANNOT_CANCEL = "It cannot be canceled as it stands."


async def _start(desk: Desk, command: Command, values: Values) -> Reply:
    delivery = await admitted(desk, command.user)
    if isinstance(delivery, Private):
        return delivery

    async def act(booking: Booking) -> Answer:
        return told(await acting.start_search(desk.ctx, delivery, booking, by=command.user))

    try:
        booking = await meant(desk, values["booking"], verb=_START, argument="booking")
    except MistakesError as unknown:
        return _act_elsewhere(desk, delivery, command, values["booking"], unknown, act)
    return asking(lambda: act(booking))


async def _prebook_form(desk: Desk, command: Command) -> Reply:
    delivery = await admitted(desk, command.user)
    if isinstance(delivery, Private):
        return delivery
    if delivery.production:
        return Private(deliveries.sandbox_only())
    return await form_with_stores(desk, command, lambda names: views.prebook(names, channel=command.channel))


async def _prebook(desk: Desk, command: Command, values: Values) -> Reply:
    delivery = await admitted(desk, command.user)
    if isinstance(delivery, Private):
        return delivery
    if delivery.production:
        return Private(deliveries.sandbox_only())
    if values["show|cancel"] == "cancel":
        return await cancel(desk, command, values["id"], values["reason"] or "", verb=_PREBOOK)
    try:
        booking = await meant(desk, values["id"], verb=_PREBOOK, argument="id")
    except MistakesError as unknown:
        return _show_elsewhere(desk, delivery, values["id"], unknown)
    return Private(booking_cards.card(booking, now=desk.ctx.clock.now(), private=True))


async def _webhooks(desk: Desk, command: Command, values: Values) -> Reply:
    which = values["on|off"]
    delivery = await (admitted_as_admin if which else admitted)(desk, command.user)
    if isinstance(delivery, Private):
        return delivery
    name = await chosen_store(desk, delivery, values["store"], action="webhooks")

    async def ask() -> Answer:
        if which == "on":
            return hooks_told(name, await hooks.turn_on(desk.ctx, delivery, name), "were registered:")
        if which == "off":
            return hooks_told(name, await hooks.turn_off(desk.ctx, delivery, name), "were taken away:")
        return hooks_told(name, await hooks.look(desk.ctx, delivery, name), "")

    return asking(ask)


def hooks_told(name: str, found: list[HookState], deed: str) -> Private:
    """What is registered for a store."""
    lines = [
        deliveries.HookLine(kind=one.kind.value, host=one.host, ours=one.ours, trouble=one.trouble) for one in found
    ]
    return Private(deliveries.hooks(name, lines, deed=deed))


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

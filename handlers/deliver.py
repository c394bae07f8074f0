"""``/deliver``: prices, bookings and pre-bookings, their forms, the buttons of their cards, and the deliveries."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from bot.clients.delivery import NotCovered
from bot.clients.short_links import NoPlaceError
from bot.domain.approvals import Refusal
from bot.domain.bookings import fields
from bot.domain.bookings.booking import Act, Booking, BookingKind, Stage
from bot.domain.bookings.record import BookingRecord, Position, PrebookingRecord
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.fields import amount, reference
from bot.domain.reasons import OfBooking, Reason
from bot.domain.references import letter_of
from bot.presentation import answers
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import cards, details, forms
from bot.presentation.payments.forms import NO_EFFECT_TITLE
from bot.presentation.reasons import sentence
from bot.presentation.views import View, notice, result
from bot.workflows.bookings import follow, prebookings, quote
from bot.workflows.bookings.customers import by_booking, by_phone, recent, usual_store
from bot.workflows.bookings.follow import Acted
from bot.workflows.bookings.stores import known_stores, store_names
from bot.workflows.services import DeliveryService
from handlers import stores
from handlers.grammar.admission import Opens, can_post, delivery_call, delivery_for, send_file, then
from handlers.grammar.arguments import Argument, Values, mistake, read_form, wrong
from handlers.grammar.references import BOOKINGS, other_kind
from handlers.grammar.verbs import SlashCommand, Verb
from handlers.incoming import Click, Command, Submission
from handlers.replies import Answer, DeclinedError, FieldErrors, Later, Nothing, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, SubmissionHandler
from handlers.stores import NAME

T = TypeVar("T")


def _opens(
    make: Callable[[Sequence[str], str, dict[str, str], Sequence[Booking]], View], *, sandbox: bool = False
) -> Opens:
    """Return a verb that opens the form by ``make``.

    ``make`` gets the stores, the channel, the store last used there, and each customer's last booking.
    """

    async def run(deps: Dependencies, command: Command, _values: object = None) -> Reply:
        delivery = await delivery_for(deps, command.user)
        if sandbox and delivery.production:
            return Private(deliveries.SANDBOX_ONLY)
        names = await store_names(deps.ctx, delivery)
        if not names:
            return Private(deliveries.no_stores(deps.spelled(NAME)))
        usual = await usual_store(deps.ctx, names, channel=command.channel, by=command.user)
        given = {forms.STORE: usual} if usual else {}
        known = await recent(deps.ctx, names, channel=command.channel, by=command.user)
        return Open(make(names, command.channel, given, known))

    return run


async def fill_customer(deps: Dependencies, click: Click) -> Reply:
    """Fill in a known customer who was chosen in the form or whose number was entered; else leave it unchanged."""
    delivery = await delivery_for(deps, click.user)
    if not click.view_id:
        raise DeclinedError(answers.refused(Refusal.STALE))
    names, channel = await store_names(deps.ctx, delivery), str(json.loads(click.metadata)["channel"])
    if click.action_id.startswith(forms.KNOWN):
        found = await by_booking(deps.ctx, names, click.value, channel=channel, by=click.user)
    else:
        found = await _of_number(deps, delivery, click, names, channel)
    if found is None:
        return Nothing()
    make = forms.book if forms.ADDRESS in click.values else forms.prebook
    values = {**click.values, **forms.customer_values(found)}
    known = await recent(deps.ctx, names, channel=channel, by=click.user)
    return Replace(make(names, channel=channel, values=values, known=known, filled=found.id))


async def _of_number(
    deps: Dependencies, delivery: DeliveryService, click: Click, names: Sequence[str], channel: str
) -> Booking | None:
    try:
        home, _ = await _home(deps, delivery, click.values.get(forms.STORE, ""))
        number = fields.phone(click.value, home=home)
    except PersonError:  # reported when the form is submitted
        return None
    return await by_phone(deps.ctx, names, number, channel=channel, by=click.user)


async def _home(deps: Dependencies, delivery: DeliveryService, store: str) -> tuple[str, Position | None]:
    """Return a store's country code, for numbers without one, and its position, for detecting swapped coordinates."""
    known = await known_stores(deps.ctx, delivery)
    record = next((one.record for one in known if one.name == store), {})
    return str(record.get("country_code", "")), fields.position_of(record)


async def price(deps: Dependencies, form: Submission) -> Reply:
    delivery = await delivery_for(deps, form.user)
    store, wrong = await _store(deps, delivery, form)
    _, near = await _home(deps, delivery, store)
    readers: dict[str, Callable[[str], Any]] = {
        forms.POSITION: partial(fields.position, near=near),
        forms.PAYMENT: fields.payment,
        forms.AMOUNT: amount,
        forms.VEHICLE: fields.vehicle,
    }
    link = stores.opened(delivery, form, readers)
    found, errors = read_form(form.values, readers)
    if errors or wrong:
        return FieldErrors({**errors, **wrong})

    async def ask() -> Answer:
        if link:
            found[forms.POSITION] = await delivery.links.position(link, near=near)
        asked = {"cents": found[forms.AMOUNT], **{name: found[name] for name in found if name != forms.AMOUNT}}
        quoted = await quote.price(deps.ctx, delivery, store, **asked)
        return Replace(result("Price of a delivery", deliveries.priced(store, quoted).blocks))

    def again(names: Sequence[str], problem: str) -> View:
        return forms.price(names, values=form.values, problem=problem)

    return _priced(deps, delivery, store, ask, again)


async def ask_price(deps: Dependencies, form: Submission) -> Reply:
    delivery = await delivery_for(deps, form.user)
    requested = await _read(deps, delivery, form, BookingKind.BOOKING)
    if isinstance(requested, FieldErrors):
        return requested
    link = stores.opened(delivery, form, {})
    _, near = await _home(deps, delivery, requested.store)

    async def ask() -> Answer:
        placed = quote.placed(requested, await delivery.links.position(link, near=near)) if link else requested
        booking = await quote.quote(deps.ctx, delivery, placed, even_unpriced=bool(form.choices.get(forms.ANYWAY)))
        return Replace(forms.confirm(booking))

    def again(names: Sequence[str], problem: str) -> View:
        return forms.book(names, channel=requested.channel, values=form.values, problem=problem, anyway=True)

    return _priced(deps, delivery, requested.store, ask, again, bookable=True)


def _priced(
    deps: Dependencies,
    delivery: DeliveryService,
    store: str,
    ask: Callable[[], Awaitable[Answer]],
    again: Callable[[Sequence[str], str], View],
    *,
    bookable: bool = False,
) -> Reply:
    """Ask for a price; on failure show the filled-in form again, which may continue unpriced if ``bookable``."""

    async def work() -> Answer:
        try:
            return await ask()
        except NotCovered as uncovered:
            problem = deliveries.not_covered(uncovered.words, store=store, bookable=bookable)
        except NoPlaceError as nowhere:
            problem = deliveries.no_place(nowhere.flaw, nowhere.rule)
        except (ServiceNow, ServiceNever, OperatorError) as trouble:
            refused = isinstance(trouble, ServiceNever)
            problem = deliveries.no_price(sentence(trouble), refused=refused, bookable=bookable)
        return Replace(again(await store_names(deps.ctx, delivery), problem))

    return delivery_call(work)


async def confirm(deps: Dependencies, form: Submission) -> Reply:
    await delivery_for(deps, form.user)
    wanted = str(form.about["id"])
    before = await follow.get_booking(deps.ctx, wanted)
    booking = await quote.confirm(deps.ctx, wanted, by=form.user)
    if booking is None or before is None:
        return Replace(notice("Booking", deliveries.FORM_IS_GONE.text))
    if before.stage is Stage.QUOTED:
        return await _posted(deps, booking)
    said = deliveries.of_booking(deliveries.CONFIRMED_BEFORE, booking, command=deps.spelled(NAME))
    return Replace(notice("Booking", said.text))


async def _posted(deps: Dependencies, booking: Booking) -> Reply:
    """Close the form, because the card is in the channel; if it can't be posted there, show where it is."""
    if await can_post(deps.messenger, booking.channel):
        return Nothing()
    return Replace(notice("Booking", deliveries.elsewhere(booking).text))


async def prebook(deps: Dependencies, form: Submission) -> Reply:
    delivery = await delivery_for(deps, form.user)
    if delivery.production:
        return Private(deliveries.SANDBOX_ONLY)
    requested = await _read(deps, delivery, form, BookingKind.PREBOOKING)
    if isinstance(requested, FieldErrors):
        return requested
    return await _posted(deps, await quote.request_prebooking(deps.ctx, requested))


async def _read(
    deps: Dependencies, delivery: DeliveryService, form: Submission, kind: BookingKind
) -> Booking | FieldErrors:
    store, wrong = await _store(deps, delivery, form)
    home, near = await _home(deps, delivery, store)
    readers = fields.booking_readers(home=home, near=near, with_place=kind is BookingKind.BOOKING)
    link = stores.opened(delivery, form, readers)
    found, errors = read_form(form.values, readers)
    if errors or wrong:
        return FieldErrors({**wrong, **errors})
    source_key = form.source_key
    if kind is BookingKind.BOOKING:
        # Submitting a form again makes a second booking only if its values differ.
        told = {name: str(value) for name, value in sorted({**found, "link": link}.items())}
        source_key += f":{form.values.get(forms.STORE, '')}:{json.dumps(told, sort_keys=True)}"
    return quote.draft(
        deps.ctx.clock.now(),
        kind=kind,
        store=store,
        request=fields.booking_request(found),
        by=form.user,
        channel=form.channel,
        source_key=source_key,
    )


async def _store(deps: Dependencies, delivery: DeliveryService, form: Submission) -> tuple[str, dict[str, str]]:
    given = fields.store(form.values.get(forms.STORE, ""))
    name = await follow.spelled(deps.ctx, delivery, given)
    if name is not None:
        return name, {}
    rule = deliveries.store_rule(await store_names(deps.ctx, delivery), given=given)
    return "", {forms.STORE: answers.at_field(PersonError(argument="store", rule=rule, example="", given=given))}


async def _show(deps: Dependencies, command: Command, values: Values) -> Reply:
    return await _shown(deps, await delivery_for(deps, command.user), values["booking"], by=command.user, verb=_SHOW)


async def _shown(deps: Dependencies, delivery: DeliveryService, text: str, *, by: str, verb: Verb) -> Reply:
    booking = await follow.find_booking(deps.ctx, text)
    if booking is not None:
        return delivery_call(partial(_as_now, deps, delivery, booking))

    async def show(found: tuple[str, BookingRecord]) -> Answer:
        return Private(deliveries.record(*found))

    async def show_prebooking(found: tuple[str, PrebookingRecord]) -> Answer:
        ours = await prebookings.recovered(deps.ctx, *found, by=by)
        if ours is not None:
            return await _as_now(deps, delivery, ours)
        return Private(deliveries.prebooking(*found, command=deps.spelled(NAME)))

    if verb is _PREBOOK:
        look_for = partial(follow.look_up_prebooking, deps.ctx, delivery, text)
        return _elsewhere(deps, text, look_for, show_prebooking, argument="id")
    look = partial(follow.look_up, deps.ctx, delivery, text)
    return _elsewhere(deps, text, look, show)


async def _as_now(deps: Dependencies, delivery: DeliveryService, booking: Booking) -> Answer:
    seen, unread = await follow.as_now(deps.ctx, delivery, booking)
    return Private(details.details(seen, now=deps.ctx.clock.now(), unread=unread, desk=delivery.desk))


async def _cancel(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    return await _canceled(deps, delivery, command, values["booking"], values["reason"] or "", verb=_CANCEL)


async def _canceled(
    deps: Dependencies, delivery: DeliveryService, command: Command, text: str, reason: str, *, verb: Verb
) -> Reply:
    look_for = follow.follow_prebooking if verb is _PREBOOK else follow.follow
    look = partial(look_for, deps.ctx, delivery, text, by=command.user)
    try:
        said = fields.reason(reason)
    except PersonError as broken:
        if reason:
            raise mistake(deps, NAME, verb.example, broken) from None
        said = ""

    async def act(booking: Booking) -> Answer:
        if not booking.can_cancel:
            return _acted(follow.cannot_cancel(booking))
        if not said:
            return Private(deliveries.of_booking(deliveries.SAY_WHY, booking, command=deps.spelled(NAME)))
        return _acted(await follow.cancel(deps.ctx, delivery, booking, reason=said, by=command.user))

    booking = await follow.find_booking(deps.ctx, text)
    if booking is None:
        return _elsewhere(deps, text, look, act)
    if booking.can_cancel and not said:
        return Open(forms.cancel(booking))
    return delivery_call(lambda: act(booking)) if booking.can_cancel else await act(booking)


async def cancel(deps: Dependencies, form: Submission) -> Reply:
    delivery = await delivery_for(deps, form.user)
    found, errors = read_form(form.values, {forms.REASON: fields.reason})
    if errors:
        return FieldErrors(errors)
    booking = await follow.get_booking(deps.ctx, str(form.about["id"]))
    if booking is None:
        return Replace(notice(NO_EFFECT_TITLE, deliveries.FORM_IS_GONE.text))

    async def ask() -> Answer:
        done = await follow.cancel(deps.ctx, delivery, booking, reason=found[forms.REASON], by=form.user)
        return Replace(notice("Cancel", _acted(done).content.text))

    return delivery_call(ask)


async def _start(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)

    async def act(booking: Booking) -> Answer:
        return _acted(await follow.start_search(deps.ctx, delivery, booking, by=command.user))

    text = values["booking"]
    booking = await follow.find_booking(deps.ctx, text)
    if booking is None:
        look = partial(follow.follow, deps.ctx, delivery, text, by=command.user)
        return _elsewhere(deps, text, look, act)
    return delivery_call(lambda: act(booking))


async def _prebook(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    if delivery.production:
        return Private(deliveries.SANDBOX_ONLY)
    if values["show|cancel"] == "cancel":
        return await _canceled(deps, delivery, command, values["id"], values["reason"] or "", verb=_PREBOOK)
    return await _shown(deps, delivery, values["id"], by=command.user, verb=_PREBOOK)


def _elsewhere(
    deps: Dependencies,
    text: str,
    look: Callable[[], Awaitable[T | None]],
    act: Callable[[T], Awaitable[Answer]],
    *,
    argument: str = "booking",
) -> Reply:
    """Look up a booking that isn't stored here at the service, and call ``act`` with it."""
    unknown = wrong(deps, NAME, "", argument=argument, rule=answers.unknown(text))
    if letter_of(text) is not None:  # a reference of ours, unknown to the service
        raise other_kind(text, takes=BOOKINGS, argument=argument) or unknown

    async def call() -> Answer:
        found = await look()
        if found is None:
            raise unknown
        return await act(found)

    return delivery_call(call)


def _acted(done: Acted) -> Private:
    return Private(deliveries.acted(done.booking, done.act, trouble=done.trouble))


async def _on_card(deps: Dependencies, click: Click) -> tuple[DeliveryService, Booking]:
    """Return the booking of a button; DeclinedError unless its message is the booking's card and the user may act."""
    delivery = await delivery_for(deps, click.user)
    booking = await follow.booking_on_card(deps.ctx, click.value, channel=click.channel, ts=click.ts)
    if booking is None:
        raise DeclinedError(answers.refused(Refusal.STALE))
    return delivery, booking


async def start_now(deps: Dependencies, click: Click) -> Reply:
    delivery, booking = await _on_card(deps, click)
    return delivery_call(then(lambda: follow.start_search(deps.ctx, delivery, booking, by=click.user), _acted))


async def open_cancel(deps: Dependencies, click: Click) -> Reply:
    _, booking = await _on_card(deps, click)
    return Open(forms.cancel(booking)) if booking.can_cancel else _acted(follow.cannot_cancel(booking))


async def open_found(deps: Dependencies, click: Click) -> Reply:
    _, booking = await _on_card(deps, click)
    if booking.is_undecided:
        return Open(forms.found(booking))
    return Private(deliveries.acted(booking, Act.TAKE_IN, trouble=Reason(OfBooking.JUST_CHANGED)))


async def take_in(deps: Dependencies, form: Submission) -> Reply:
    delivery = await delivery_for(deps, form.user)
    given = form.values.get(forms.FOUND_ID, "").strip()
    booking = await follow.get_booking(deps.ctx, str(form.about["id"]))
    if booking is None:
        return Replace(notice(NO_EFFECT_TITLE, deliveries.FORM_IS_GONE.text))

    async def ask() -> Answer:
        seen, trouble = await prebookings.take_in(deps.ctx, delivery, booking, given, by=form.user)
        said = deliveries.acted(seen, Act.TAKE_IN, trouble=trouble).text
        again = trouble is not None and seen.is_undecided
        return Replace(forms.found(seen, given=given, problem=said) if again else notice("Pre-booking", said))

    return delivery_call(ask)


async def close(deps: Dependencies, click: Click) -> Reply:
    _, booking = await _on_card(deps, click)
    closed, trouble = await prebookings.close(deps.ctx, booking, by=click.user)
    return Private(deliveries.acted(closed, Act.CLOSE, trouble=trouble))


async def refresh(deps: Dependencies, click: Click) -> Reply:
    delivery, booking = await _on_card(deps, click)
    return delivery_call(then(lambda: follow.refresh(deps.ctx, delivery, booking), _acted))


async def open_details(deps: Dependencies, click: Click) -> Reply:
    delivery, booking = await _on_card(deps, click)
    shown = details.details(booking, now=deps.ctx.clock.now(), desk=delivery.desk)
    return Open(result(f"Delivery {booking.reference}", shown.blocks))


async def book_again(deps: Dependencies, click: Click) -> Reply:
    delivery, booking = await _on_card(deps, click)
    if not booking.can_repeat:
        raise DeclinedError(answers.refused(Refusal.STALE))
    names = await store_names(deps.ctx, delivery)
    values = forms.booking_values(booking)
    known = await recent(deps.ctx, names, channel=click.channel, by=click.user)
    return Open(forms.book(names, channel=click.channel, values=values, known=known))


async def choose(deps: Dependencies, click: Click) -> Reply:
    """Handle a choice in a card's menu like the button of that name."""
    act, _, booking_id = click.value.partition(":")
    handler = _IN_MENU.get(act)
    if handler is None:
        raise DeclinedError(answers.refused(Refusal.STALE))
    return await handler(deps, replace(click, action_id=act, value=booking_id))


async def track(_deps: Dependencies, _click: Click) -> Reply:
    """Do nothing, because the browser opens the link itself and Slack needs only the ack."""
    return Nothing()


async def _certify(deps: Dependencies, command: Command, _values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    seen, states = await follow.evidence(deps.ctx, delivery)
    return Private(deliveries.checklist(seen, states, command=deps.spelled(NAME), desk=delivery.desk))


async def export(deps: Dependencies, click: Click) -> Reply:
    delivery = await delivery_for(deps, click.user)

    async def share() -> Answer:
        seen, states = await follow.evidence(deps.ctx, delivery)
        text = deliveries.as_file(seen, states, command=deps.spelled(NAME), now=deps.ctx.clock.now())
        try:
            await send_file(deps, click.user, text.encode(), **deliveries.FILE)
        except ServiceTrouble as refused:
            return Private(answers.not_shared(refused))
        return Private(deliveries.EXPORTED)

    return Later(share, Nothing())


_BOOKING = Argument(name="booking", rule=fields.BOOKING_RULE, read=reference)
_REASON = Argument(name="reason", rule="a reason in a few words", read=fields.store, rest=True, optional=True)
_QUOTE = Verb(
    "quote",
    "see what a delivery would cost",
    _opens(lambda names, _channel, given, _known: forms.price(names, values=given)),
)
_BOOK = Verb(
    "book",
    "book a delivery; you see the price first",
    _opens(lambda names, channel, given, known: forms.book(names, channel=channel, values=given, known=known)),
)
_SHOW = Verb("show", "show a booking", _show, example="show B-4F7K2M", arguments=(_BOOKING,))
_CANCEL = Verb(
    "cancel",
    "cancel a booking",
    _cancel,
    example='cancel B-4F7K2M "customer called it off"',
    arguments=(_BOOKING, _REASON),
)
_START = Verb(
    "start",
    "look for a driver now",
    _start,
    example="start B-4F7K2M",
    arguments=(_BOOKING,),
)
_PREBOOK = Verb(
    "prebook",
    "get a link on which the customer enters the address (sandbox only)",
    _prebook,
    example="prebook show V-4F7K2M",
    alone=_opens(
        lambda names, channel, given, known: forms.prebook(names, channel=channel, values=given, known=known),
        sandbox=True,
    ),
    arguments=(
        stores.one_of("show|cancel", typed="[show|cancel", example="prebook show V-4F7K2M"),
        Argument(name="id", typed="<id>]", rule=fields.BOOKING_RULE, read=reference),
        _REASON,
    ),
)
_CERTIFY = Verb("certify", "the certification checklist with its evidence", _certify)

COMMAND = SlashCommand(
    NAME,
    "Book deliveries and track them",
    (stores.STORES, stores.STORE, _QUOTE, _BOOK, _SHOW, _CANCEL, _START, _PREBOOK, stores.WEBHOOKS, _CERTIFY),
    (("Book a delivery", "book"), ("Get a price", "quote"), ("Link for a customer", "prebook"), ("Stores", "stores")),
)
_IN_MENU: dict[str, ClickHandler] = {
    cards.START: start_now,
    cards.CANCEL: open_cancel,
    cards.REFRESH: refresh,
    cards.DETAILS: open_details,
    cards.AGAIN: book_again,
}
BUTTONS: dict[str, ClickHandler] = {
    cards.START: start_now,
    cards.CANCEL: open_cancel,
    cards.REFRESH: refresh,
    cards.DETAILS: open_details,
    cards.CONTACT: open_details,
    cards.AGAIN: book_again,
    cards.MENU: choose,
    forms.KNOWN: fill_customer,
    forms.TYPED: fill_customer,
    cards.TRACK: track,
    cards.PROOF: track,
    cards.FOUND: open_found,
    cards.ABSENT: close,
    deliveries.EXPORT: export,
    **stores.BUTTONS,
}
FORMS: dict[str, SubmissionHandler] = {
    forms.BOOK: ask_price,
    forms.PREBOOK: prebook,
    forms.QUOTE: price,
    forms.CONFIRM: confirm,
    forms.CANCEL: cancel,
    forms.FOUND: take_in,
    **stores.FORMS,
}

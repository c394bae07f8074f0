"""The forms of bookings: ask for a price, book, pre-book, confirm, cancel."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bot.clients.delivery import NotCovered
from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow
from bot.presentation import mistakes
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import forms
from bot.presentation.payments.forms import NO_EFFECT_TITLE
from bot.presentation.reasons import sentence
from bot.presentation.views import View, notice, result
from bot.workflows.bookings import acting, pricing, request
from bot.workflows.bookings.lookup import get_booking
from bot.workflows.bookings.request import RequestedDelivery
from bot.workflows.bookings.stores import known_stores, store_names
from bot.workflows.services.delivery import DeliveryService
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input import delivery_fields as fields
from handlers.input.deliveries import COMMAND, store_of, told, with_delivery
from handlers.input.fields import amount, read_form
from handlers.input.service_call import delivery_call
from handlers.replies import Answer, FieldErrors, Private, Replace, Reply
from handlers.router import Router

_BOOKED = "Booking"
Again = Callable[[Sequence[str], str], View]


def register(router: Router) -> None:
    """Every form by its callback id."""
    router.views[forms.BOOK] = ask_price
    router.views[forms.PREBOOK] = prebook
    router.views[forms.QUOTE] = price
    router.views[forms.CONFIRM] = confirm
    router.views[forms.CANCEL] = cancel


@with_delivery
async def ask_price(deps: Dependencies, delivery: DeliveryService, form: Submission) -> Reply:
    """Show the price of the delivery, with the button that books it; mistakes are shown at their fields."""
    requested = await _read(deps, delivery, form, BookingKind.BOOKING)
    if isinstance(requested, FieldErrors):
        return requested
    channel = str(json.loads(form.metadata)["channel"])

    async def ask() -> Answer:
        anyway = bool(form.choices.get(forms.ANYWAY))
        booking = await request.quote(deps.ctx, delivery, requested, even_unpriced=anyway)
        return Replace(forms.confirm(booking))

    return _priced(
        deps,
        delivery,
        ask,
        lambda names, problem: forms.book(names, channel=channel, values=form.values, problem=problem, anyway=True),
        bookable=True,
    )


@with_delivery
async def price(deps: Dependencies, delivery: DeliveryService, form: Submission) -> Reply:
    """Replace the form by the price."""
    store, wrong = await _store(deps, delivery, form)
    readers = {forms.POSITION: fields.position, forms.PAYMENT: fields.payment, forms.AMOUNT: amount}
    found, errors = read_form(form.values, readers)
    if errors or wrong:
        return FieldErrors({**errors, **wrong})

    async def ask() -> Answer:
        quoted = await pricing.price(
            deps.ctx,
            delivery,
            store,
            position=found[forms.POSITION],
            payment=found[forms.PAYMENT],
            cents=found[forms.AMOUNT],
        )
        return Replace(result("Price of a delivery", deliveries.priced(store, quoted).blocks))

    return _priced(deps, delivery, ask, lambda names, problem: forms.price(names, values=form.values, problem=problem))


@with_delivery
async def confirm(deps: Dependencies, _delivery: DeliveryService, form: Submission) -> Reply:
    """Book the delivery whose price was shown, once."""
    wanted = str(json.loads(form.metadata)["id"])
    before = await get_booking(deps.ctx, wanted)
    booking = await request.confirm(deps.ctx, wanted, by=form.user)
    if booking is None or before is None:
        return Replace(notice(_BOOKED, deliveries.form_is_gone().text))
    first = before.stage is Stage.QUOTED
    said = deliveries.booked(booking, command=deps.spelled(COMMAND))
    return Replace(notice(_BOOKED, (said if first else deliveries.confirmed_before(booking)).text))


@with_delivery
async def prebook(deps: Dependencies, delivery: DeliveryService, form: Submission) -> Reply:
    """Make a pre-booking; the link comes on its card."""
    if delivery.production:
        return Private(deliveries.sandbox_only())
    requested = await _read(deps, delivery, form, BookingKind.PREBOOKING)
    if isinstance(requested, FieldErrors):
        return requested
    booking = await request.request_prebooking(deps.ctx, requested)
    return Replace(notice("Pre-booking", deliveries.prebooked(booking).text))


@with_delivery
async def cancel(deps: Dependencies, delivery: DeliveryService, form: Submission) -> Reply:
    """Cancel with a reason."""
    try:
        reason = fields.reason(form.values.get(forms.REASON, ""))
    except PersonError as broken:
        return FieldErrors({forms.REASON: mistakes.at_field(broken)})
    wanted = str(json.loads(form.metadata)["id"])
    booking = await get_booking(deps.ctx, wanted)
    if booking is None:
        return Replace(notice(NO_EFFECT_TITLE, deliveries.form_is_gone().text))

    async def ask() -> Answer:
        done = await acting.cancel(deps.ctx, delivery, booking, reason=reason, by=form.user)
        return Replace(notice("Cancel", told(done).content.text))

    return delivery_call(ask)


async def _read(
    deps: Dependencies, delivery: DeliveryService, form: Submission, kind: BookingKind
) -> RequestedDelivery | FieldErrors:
    store, wrong = await _store(deps, delivery, form)
    home = await _country_code(deps, delivery, store)
    readers = fields.booking_readers(home=home, with_place=kind is BookingKind.BOOKING)
    found, errors = read_form(form.values, readers)
    if errors or wrong:
        return FieldErrors({**wrong, **errors})
    return RequestedDelivery(
        requester=form.user,
        channel=str(json.loads(form.metadata)["channel"]),
        store=store,
        request=fields.booking_request(found),
        kind=kind,
        source_key=_source(form, kind, found),
    )


def _source(form: Submission, kind: BookingKind, found: Mapping[str, Any]) -> str:
    """Key of a submission: the same form with the same values makes one booking, with other values another."""
    if kind is BookingKind.PREBOOKING:
        return f"view:{form.view_id}"
    told = {name: str(value) for name, value in sorted(found.items())}
    return f"view:{form.view_id}:{form.values.get(forms.STORE, '')}:{json.dumps(told, sort_keys=True)}"


async def _store(deps: Dependencies, delivery: DeliveryService, form: Submission) -> tuple[str, dict[str, str]]:
    try:
        return await store_of(deps, delivery, fields.store(form.values.get(forms.STORE, ""))), {}
    except PersonError as broken:
        return "", {forms.STORE: mistakes.at_field(broken)}


async def _country_code(deps: Dependencies, delivery: DeliveryService, store: str) -> str:
    known = await known_stores(deps.ctx, delivery)
    record = next((one.record for one in known if one.name == store), {})
    return str(record.get("country_code", ""))


def _priced(
    deps: Dependencies, delivery: DeliveryService, ask: Callable[[], Any], again: Again, *, bookable: bool = False
) -> Reply:
    """Ask for a price; after a refusal or an outage the filled-in form is shown again with the problem.

    The service recommends a quote before booking and does not require it: ``bookable`` forms continue without one.
    """

    async def work() -> Answer:
        try:
            answer: Answer = await ask()
        except NotCovered as uncovered:
            problem = deliveries.not_covered(uncovered.words, bookable=bookable)
        except (ServiceNow, ServiceNever, OperatorError) as trouble:
            refused = isinstance(trouble, ServiceNever)
            problem = deliveries.no_price(sentence(trouble), refused=refused, bookable=bookable)
        else:
            return answer
        return Replace(again(await store_names(deps.ctx, delivery), problem))

    return delivery_call(work)

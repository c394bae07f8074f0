"""``/deliver stores``, ``store``, ``webhooks``: list, show, add and edit stores, and turn their webhooks on or off."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Final

from bot.clients.delivery import StoreForm
from bot.clients.short_links import NoPlaceError
from bot.domain.approvals import Refusal, may_look
from bot.domain.bookings import fields
from bot.domain.bookings.places import short_link
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow
from bot.domain.payments.fields import PAGE_RULE
from bot.domain.payments.fields import page as read_page
from bot.domain.services import DELIVERY
from bot.domain.text import closest
from bot.presentation import answers
from bot.presentation.blocks.text import escape
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import forms
from bot.presentation.reasons import sentence
from bot.presentation.views import notice, result
from bot.workflows.bookings import stores
from bot.workflows.services import DeliveryService
from handlers.grammar.admission import admin, delivery_call, delivery_for, then
from handlers.grammar.arguments import Argument, Values, read_form
from handlers.grammar.verbs import Verb, offer
from handlers.incoming import Click, Command, Submission
from handlers.lists import Listing, ListReader, Rows, write_table
from handlers.replies import Answer, Edit, FieldErrors, Later, MistakesError, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, SubmissionHandler

NAME: Final = "deliver"
_ADD_TITLE: Final = "Add a store"
_EDIT_TITLE: Final = "Edit a store"


async def _chosen(deps: Dependencies, delivery: DeliveryService, given: str | None, *, action: str) -> str:
    """Return the store with that name, or without a name the only store; else ``MistakesError`` lists the stores."""
    names = await stores.store_names(deps.ctx, delivery)
    if not given and len(names) == 1:
        return names[0]
    wanted = " ".join((given or "").split()).casefold()
    found = next((name for name in names if name.casefold() == wanted), None)
    if found is not None:
        return found
    rule, meant = deliveries.store_rule(names, given=given or ""), closest(wanted, names)
    offers = [offer(answers.use(meant), NAME, f"{action} {escape(meant)}")] if meant else []
    raise MistakesError([PersonError(argument="store", rule=rule, example="")], offers)


async def _stores(deps: Dependencies, command: Command, values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)
    ask, page = partial(stores.list_stores, deps.ctx, delivery), values["page"] or 1
    show = partial(deliveries.stores, command=deps.spelled(NAME), page=page, desk=delivery.desk)
    return delivery_call(then(ask, lambda found: Private(show(found))))


async def turn(deps: Dependencies, click: Click) -> Reply:
    """Show another page of the stored list, without a call to the service."""
    delivery = await delivery_for(deps, click.user)
    try:
        page = read_page(click.value.partition(":")[2])
    except PersonError:
        return Private(answers.refused(Refusal.STALE))
    found = await stores.known_stores(deps.ctx, delivery)
    return Edit(deliveries.stores(found, command=deps.spelled(NAME), page=page, desk=delivery.desk))


async def _all_stores(deps: Dependencies, user: str, _value: str) -> Listing:
    delivery = await delivery_for(deps, user)

    async def pages() -> AsyncIterator[Rows]:
        yield deliveries.store_rows(await stores.list_stores(deps.ctx, delivery))

    return Listing(title="Stores", name="stores", write=partial(write_table, pages()))


async def _store(deps: Dependencies, command: Command, values: Values) -> Reply:
    act, given = values["add|show|edit"], values["store"]
    delivery = await delivery_for(deps, command.user)
    if act == "add":
        await delivery_for(deps, command.user, admin)
        return Open(forms.store_add(channel=command.channel, values={forms.NAME: given} if given else {}))
    name = await _chosen(deps, delivery, given, action=f"store {act}")

    async def open_edit() -> Open:
        # Read the store first: saving outdated values would revert changes made elsewhere.
        try:
            found = await stores.read_store(deps.ctx, delivery, name)
        except (ServiceNow, ServiceNever, OperatorError) as trouble:
            return Open(notice(_EDIT_TITLE, answers.trouble(sentence(trouble)).text))
        return Open(forms.store_edit(found.name, values=forms.store_values(found.record)))

    if act == "edit":
        return Later(open_edit, meanwhile=Open(notice(_EDIT_TITLE, answers.asking(DELIVERY).text)))

    async def look_there() -> Private:
        try:
            found = await stores.read_store(deps.ctx, delivery, name)
        except (ServiceNow, ServiceNever, OperatorError) as trouble:
            known = await stores.known_stores(deps.ctx, delivery)
            record = next((one.record for one in known if one.name.casefold() == name.casefold()), {})
            if not record:
                raise
            return Private(deliveries.store(name, record, not_read=sentence(trouble), desk=delivery.desk))
        return Private(deliveries.store(found.name, found.record, desk=delivery.desk))

    return delivery_call(look_there)


def _as_it_was(read: Callable[[str], Any], text: str) -> Any:
    """Read an unchanged field; None if our rules refuse it, because the service may have accepted it."""
    try:
        return read(text)
    except PersonError:
        return None


def opened(delivery: DeliveryService, form: Submission, readers: dict[str, Any]) -> str:
    """Return the short link in the position field, else empty. It is resolved after the ack, so drop its reader."""
    link = short_link(form.values.get(forms.POSITION, ""), own=delivery.links.own)
    if link:
        readers.pop(forms.POSITION, None)
    return link


def _again(form: Submission, problem: str, *, new: bool) -> Answer:
    """Return a store's form as submitted, with the problem."""
    about = form.about
    if new:
        return Replace(forms.store_add(channel=about["channel"], values=form.values, problem=problem))
    return Replace(forms.store_edit(about["store"], values=form.values, problem=problem))


async def save(deps: Dependencies, form: Submission, *, new: bool) -> Reply:
    delivery = await delivery_for(deps, form.user, admin if new else may_look)
    about, title = form.about, _ADD_TITLE if new else _EDIT_TITLE
    known = [] if new else await stores.known_stores(deps.ctx, delivery)
    before = forms.store_values(next((one.record for one in known if one.name == about["store"]), {}))
    readers = fields.store_readers()
    for name in () if new else readers:
        if fields.store(form.values.get(name, "")) == fields.store(before[name]):
            readers[name] = partial(_as_it_was, readers[name])
    link = opened(delivery, form, readers)
    found, errors = read_form(form.values, readers)
    if errors:
        return FieldErrors(errors)

    async def ask() -> Answer:
        if link:
            try:
                found[forms.POSITION] = await delivery.links.position(link)
            except NoPlaceError as nowhere:
                return _again(form, deliveries.no_place(nowhere.flaw, nowhere.rule), new=new)
        # Clear fields that were emptied in the form; omit those that were empty before.
        given = {name: found[name] for name in found if form.values.get(name, "").strip() or before[name]}
        reference = given.pop(forms.PLACE_REFERENCE, None)
        entered = StoreForm(**given, reference=reference)
        if new:
            made = await stores.create_store(deps.ctx, delivery, entered, by=form.user)
        else:
            made = await stores.change_store(deps.ctx, delivery, about["store"], entered)
        if made.unknown and made.trouble:
            return Replace(result(title, deliveries.store_trouble(made.trouble, looked_for=made.name).blocks))
        if made.trouble:
            return _again(form, deliveries.store_trouble(made.trouble).text, new=new)
        lead = deliveries.STORE_ADDED if new else deliveries.STORE_CHANGED
        return Replace(result(title, deliveries.store(made.name, made.record, lead=lead).blocks))

    return delivery_call(ask)


async def _webhooks(deps: Dependencies, command: Command, values: Values) -> Reply:
    on = None if values["on|off"] is None else values["on|off"] == "on"
    delivery = await delivery_for(deps, command.user, may_look if on is None else admin)
    name = await _chosen(deps, delivery, values["store"], action="webhooks")
    ask = partial(stores.webhooks, deps.ctx, delivery, name, on=on)
    return delivery_call(then(ask, lambda found: Private(deliveries.hooks(name, found, turned_on=on))))


def one_of(name: str, *, example: str, typed: str = "", optional: bool = False) -> Argument:
    """Return an argument that accepts one of the words in its name, e.g. ``on|off``."""
    allowed = name.split("|")
    rule = f"{', '.join(allowed[:-1])} or {allowed[-1]}"

    def read(text: str) -> str:
        chosen = text.strip().lower()
        if chosen not in allowed:
            raise PersonError(argument=name, rule=f"use {rule}", example=example, given=text)
        return chosen

    return Argument(name=name, rule=rule, read=read, typed=typed, optional=optional)


STORES = Verb(
    "stores",
    "list the stores",
    _stores,
    example="stores 2",
    arguments=(Argument(name="page", rule=PAGE_RULE, read=read_page, optional=True),),
)
STORE = Verb(
    "store",
    "show, edit or add a store (admins add)",
    _store,
    example="store show Centro",
    arguments=(
        one_of("add|show|edit", typed="add|show|edit", example="store show Centro"),
        Argument(name="store", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)
WEBHOOKS = Verb(
    "webhooks",
    "show a store's webhooks; admins turn them on or off",
    _webhooks,
    example="webhooks on Centro",
    arguments=(
        one_of("on|off", example="webhooks on Centro", optional=True),
        Argument(name="store", typed="<store>", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)
BUTTONS: dict[str, ClickHandler] = {deliveries.PREVIOUS: turn, deliveries.NEXT: turn}
LISTS: dict[str, ListReader] = {deliveries.STORES: _all_stores}
FORMS: dict[str, SubmissionHandler] = {
    forms.STORE_ADD: partial(save, new=True),
    forms.STORE_EDIT: partial(save, new=False),
}

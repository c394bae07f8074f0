"""``/deliver stores``, ``store`` and ``webhooks``: which store is meant, its form, and what is registered for it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from bot.clients.delivery import StoreForm
from bot.domain.approvals import may_look
from bot.domain.bookings import fields
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow
from bot.domain.services import DELIVERY
from bot.presentation import answers
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import forms
from bot.presentation.reasons import sentence
from bot.presentation.views import View, notice, result
from bot.workflows.bookings import stores, webhooks
from bot.workflows.services import DeliveryService
from handlers.grammar.admission import admin, delivery_call, delivery_for
from handlers.grammar.fields import read_form
from handlers.grammar.verbs import Argument, Values, Verb, wrong
from handlers.incoming import Command, Submission
from handlers.replies import Answer, FieldErrors, Later, Open, Private, Replace, Reply
from handlers.router import Dependencies, SubmissionHandler

NAME: Final = "deliver"
_ADD_TITLE: Final = "Add a store"
_EDIT_TITLE: Final = "Edit a store"


async def form_with_stores(
    deps: Dependencies, delivery: DeliveryService, make: Callable[[Sequence[str]], View]
) -> Reply:
    """Open a form in which a store is chosen by name."""
    names = await stores.store_names(deps.ctx, delivery)
    return Open(make(names)) if names else Private(deliveries.no_stores(deps.spelled(NAME)))


async def _chosen(deps: Dependencies, delivery: DeliveryService, given: str | None, *, action: str) -> str:
    """The store with that name; the only store where none is named.

    Raises:
        MistakesError: there is no such store; the error lists the stores.
    """
    names = await stores.store_names(deps.ctx, delivery)
    if not given and len(names) == 1:
        return names[0]
    wanted = " ".join((given or "").split()).casefold()
    found = next((name for name in names if name.casefold() == wanted), None)
    if found is not None:
        return found
    example, rule = f"{action} {names[0] if names else 'Centro'}", deliveries.store_rule(names)
    raise wrong(deps, NAME, example, argument="store", rule=rule, given=given or "")


async def _stores(deps: Dependencies, command: Command, _values: Values) -> Reply:
    delivery = await delivery_for(deps, command.user)

    async def ask() -> Answer:
        found = await stores.list_stores(deps.ctx, delivery)
        return Private(deliveries.stores(found, command=deps.spelled(NAME)))

    return delivery_call(ask)


async def _store(deps: Dependencies, command: Command, values: Values) -> Reply:
    act, given = values["add|show|edit"], values["store"]
    delivery = await delivery_for(deps, command.user)
    if act == "add":
        await delivery_for(deps, command.user, admin)
        return Open(forms.store_add(channel=command.channel, values={forms.NAME: given} if given else {}))
    name = await _chosen(deps, delivery, given, action=f"store {act}")
    if act == "edit":
        return Later(
            lambda: _open_edit(deps, delivery, name), meanwhile=Open(notice(_EDIT_TITLE, answers.asking(DELIVERY).text))
        )

    async def ask() -> Answer:
        found = await stores.read_store(deps.ctx, delivery, name)
        return Private(deliveries.store(found.name, found.record))

    return delivery_call(ask)


async def _open_edit(deps: Dependencies, delivery: DeliveryService, name: str) -> Open:
    """The form with the store as the service has it now: saving older values would revert changes made elsewhere."""
    try:
        found = await stores.read_store(deps.ctx, delivery, name)
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        return Open(notice(_EDIT_TITLE, answers.trouble(sentence(trouble)).text))
    return Open(forms.store_edit(found.name, values=_store_values(found.record)))


def _store_values(record: object) -> dict[str, str]:
    said = record if isinstance(record, dict) else {}
    where = f"{said.get('latitude', '')}, {said.get('longitude', '')}" if said.get("latitude") else ""
    return {
        forms.NAME: str(said.get("name", "")),
        forms.EMAIL: str(said.get("email", "")),
        forms.PHONE: f"{said.get('country_code', '')} {said.get('mobile', '')}".strip(),
        forms.ADDRESS: str(said.get("address", "")),
        forms.POSITION: where,
        forms.PLACE_REFERENCE: str(said.get("reference", "")),
    }


async def add(deps: Dependencies, form: Submission) -> Reply:
    delivery = await delivery_for(deps, form.user, admin)
    found, errors = read_form(form.values, fields.store_readers())
    if errors:
        return FieldErrors(errors)
    channel = str(form.about["channel"])

    async def ask() -> Answer:
        made = await stores.create_store(deps.ctx, delivery, _to_send(found, had_reference=False), by=form.user)
        if made.trouble:
            trouble = deliveries.store_trouble(made.trouble, looked_for=made.name if made.unknown else "")
            if made.unknown:
                return Replace(result(_ADD_TITLE, trouble.blocks))
            return Replace(forms.store_add(channel=channel, values=form.values, problem=trouble.text))
        said = deliveries.store(made.name, made.record, lead=deliveries.STORE_ADDED)
        return Replace(result(_ADD_TITLE, said.blocks))

    return delivery_call(ask)


async def edit(deps: Dependencies, form: Submission) -> Reply:
    delivery = await delivery_for(deps, form.user)
    found, errors = read_form(form.values, fields.store_readers())
    if errors:
        return FieldErrors(errors)
    name = str(form.about["store"])

    async def ask() -> Answer:
        known = await stores.known_stores(deps.ctx, delivery)
        had = any(one.record.get("reference") for one in known if one.name == name)
        made = await stores.change_store(deps.ctx, delivery, name, _to_send(found, had_reference=had))
        if made.trouble:
            trouble = deliveries.store_trouble(made.trouble)
            return Replace(forms.store_edit(name, values=form.values, problem=trouble.text))
        said = deliveries.store(made.name, made.record, lead=deliveries.STORE_CHANGED)
        return Replace(result(_EDIT_TITLE, said.blocks))

    return delivery_call(ask)


def _to_send(found: dict[str, Any], *, had_reference: bool) -> StoreForm:
    """The values to send; a reference that the user removed from the form is cleared at the service, too."""
    reference = str(found[forms.PLACE_REFERENCE])
    return StoreForm(
        name=found[forms.NAME],
        email=found[forms.EMAIL],
        phone=found[forms.PHONE],
        position=found[forms.POSITION],
        address=found[forms.ADDRESS],
        reference=reference if reference or had_reference else None,
    )


async def _webhooks(deps: Dependencies, command: Command, values: Values) -> Reply:
    which = values["on|off"]
    delivery = await delivery_for(deps, command.user, admin if which else may_look)
    name = await _chosen(deps, delivery, values["store"], action="webhooks")

    async def ask() -> Answer:
        act = webhooks.look if which is None else webhooks.turn_on if which == "on" else webhooks.turn_off
        found = await act(deps.ctx, delivery, name)
        return Private(deliveries.hooks(name, found, turned_on=None if which is None else which == "on"))

    return delivery_call(ask)


def one_of(name: str, *, example: str, typed: str = "", optional: bool = False) -> Argument:
    """An argument that takes one of the words of its name, e.g. ``on|off``."""
    allowed = name.split("|")
    rule = " or ".join(allowed)

    def read(text: str) -> str:
        chosen = text.strip().lower()
        if chosen not in allowed:
            raise PersonError(argument=name, rule=f"it must be {rule}", example=example, given=text)
        return chosen

    return Argument(name=name, rule=rule, read=read, typed=typed, optional=optional)


STORES = Verb("stores", "every store by name", _stores)
STORE = Verb(
    "store",
    "look at a store, change one; admins make one",
    _store,
    example="store show Centro",
    arguments=(
        one_of("add|show|edit", typed="add|show|edit", example="store show Centro"),
        Argument(name="store", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)
WEBHOOKS = Verb(
    "webhooks",
    "what is registered for a store; admins register our addresses, or take them away",
    _webhooks,
    example="webhooks on Centro",
    arguments=(
        one_of("on|off", example="webhooks on Centro", optional=True),
        Argument(name="store", typed="<store>", rule=fields.STORE_RULE, read=fields.store, rest=True, optional=True),
    ),
)
FORMS: dict[str, SubmissionHandler] = {forms.STORE_ADD: add, forms.STORE_EDIT: edit}

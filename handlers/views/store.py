"""The forms of stores: add one, edit one."""

import json
from typing import Any

from bot.clients.delivery import StoreForm
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import forms, outcomes
from bot.presentation.views import result
from bot.workflows.bookings import stores
from bot.workflows.services.delivery import DeliveryService
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input import delivery_fields as fields
from handlers.input.admission import admin, delivery_for
from handlers.input.deliveries import with_delivery
from handlers.input.fields import read_form
from handlers.input.service_call import delivery_call
from handlers.replies import Answer, FieldErrors, Replace, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Both forms by their callback ids."""
    router.views[forms.STORE_ADD] = add
    router.views[forms.STORE_EDIT] = edit


async def add(deps: Dependencies, form: Submission) -> Reply:
    """Create a store; its key is stored sealed and never shown."""
    delivery = await delivery_for(deps, form.user, admin)
    found, errors = read_form(form.values, fields.store_readers())
    if errors:
        return FieldErrors(errors)
    channel = str(json.loads(form.metadata)["channel"])

    async def ask() -> Answer:
        made = await stores.create_store(deps.ctx, delivery, _form(found, had_reference=False), by=form.user)
        if made.trouble:
            trouble = deliveries.store_trouble(made.trouble, looked_for=made.name if made.unknown else "")
            if made.unknown:
                return Replace(result("Add a store", trouble.blocks))
            return Replace(forms.store_add(channel=channel, values=form.values, problem=trouble.text))
        said = deliveries.store(made.name, made.record, lead=outcomes.STORE_ADDED)
        return Replace(result("Add a store", said.blocks))

    return delivery_call(ask)


@with_delivery
async def edit(deps: Dependencies, delivery: DeliveryService, form: Submission) -> Reply:
    """Change a store, then read its new record."""
    found, errors = read_form(form.values, fields.store_readers())
    if errors:
        return FieldErrors(errors)
    name = str(json.loads(form.metadata)["store"])

    async def ask() -> Answer:
        known = await stores.known_stores(deps.ctx, delivery)
        had = any(one.record.get("reference") for one in known if one.name == name)
        made = await stores.change_store(deps.ctx, delivery, name, _form(found, had_reference=had))
        if made.trouble:
            trouble = deliveries.store_trouble(made.trouble)
            return Replace(forms.store_edit(name, values=form.values, problem=trouble.text))
        said = deliveries.store(made.name, made.record, lead=outcomes.STORE_CHANGED)
        return Replace(result("Edit a store", said.blocks))

    return delivery_call(ask)


def _form(found: dict[str, Any], *, had_reference: bool) -> StoreForm:
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

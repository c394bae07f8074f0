"""The forms of stores: add one, edit one."""

import json
from typing import Any

from bot.clients.delivery import StoreForm
from bot.presentation import answers
from bot.presentation.bookings import answers as deliveries
from bot.presentation.bookings import forms
from bot.presentation.views import result
from bot.workflows.bookings import stores
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input import delivery_fields as fields
from handlers.input.deliveries import admitted, admitted_as_admin, asking
from handlers.replies import Answer, FieldErrors, Private, Replace, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Both forms by their callback ids."""
    router.views[forms.STORE_ADD] = add
    router.views[forms.STORE_EDIT] = edit


async def add(deps: Dependencies, form: Submission) -> Reply:
    """Make a store; its key is kept sealed and never shown."""
    delivery = await admitted_as_admin(deps, form.user)
    if isinstance(delivery, Private):
        return delivery
    found, errors = fields.read_form(form.values, fields.store_readers())
    if errors:
        return FieldErrors(errors)
    channel = str(json.loads(form.metadata)["channel"])

    async def ask() -> Answer:
        made = await stores.create_store(deps.ctx, delivery, _form(found, had_reference=False), by=form.user)
        if made.trouble:
            trouble = deliveries.store_trouble(made.name, made.trouble, unknown=made.unknown)
            if made.unknown:
                return Replace(result("Add a store", trouble.blocks))
            return Replace(forms.store_add(channel=channel, values=form.values, problem=trouble.text))
        lead = ":white_check_mark: The store is there, and its key is kept sealed:"
        return Replace(result("Add a store", deliveries.store(made.name, made.record, lead=lead).blocks))

    return asking(ask, meanwhile=Private(answers.asking("delivery")))


async def edit(deps: Dependencies, form: Submission) -> Reply:
    """Change a store; what it is afterwards is read."""
    delivery = await admitted(deps, form.user)
    if isinstance(delivery, Private):
        return delivery
    found, errors = fields.read_form(form.values, fields.store_readers())
    if errors:
        return FieldErrors(errors)
    name = str(json.loads(form.metadata)["store"])

    async def ask() -> Answer:
        known = await stores.known_stores(deps.ctx, delivery)
        had = any(one.record.get("reference") for one in known if one.name == name)
        made = await stores.change_store(deps.ctx, delivery, name, _form(found, had_reference=had))
        if made.trouble:
            trouble = deliveries.store_trouble(made.name, made.trouble)
            return Replace(forms.store_edit(name, values=form.values, problem=trouble.text))
        lead = ":white_check_mark: This is the store now:"
        return Replace(result("Edit a store", deliveries.store(made.name, made.record, lead=lead).blocks))

    return asking(ask, meanwhile=Private(answers.asking("delivery")))


def _form(found: dict[str, Any], *, had_reference: bool) -> StoreForm:
    """What is sent; a reference that was there and is taken out of the form is emptied at the service, too."""
    reference = str(found[forms.PLACE_REFERENCE])
    return StoreForm(
        name=found[forms.NAME],
        email=found[forms.EMAIL],
        phone=found[forms.PHONE],
        position=found[forms.POSITION],
        address=found[forms.ADDRESS],
        reference=reference if reference or had_reference else None,
    )

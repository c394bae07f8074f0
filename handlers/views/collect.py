"""The form that requests a payment from a buyer."""

import json

from bot.domain.errors import PersonError
from bot.domain.payments.instruction import Item, Kind, PurchasePayload
from bot.presentation import mistakes, views
from bot.presentation.payments import forms
from bot.workflows.requests.request import Requested
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input import fields, items
from handlers.input.payments import request_purchase
from handlers.replies import FieldErrors, Replace, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """The form by its callback id."""
    router.views[forms.COLLECT] = submit


async def submit(deps: Dependencies, form: Submission) -> Reply:
    """Request a purchase; mistakes are shown at their fields, with the number of each bad line."""
    readers = {forms.EMAIL: fields.email, forms.DESCRIPTION: fields.description}
    read, errors = fields.read_form(form.values, readers)
    together, wrong = _items(form.values.get(forms.ITEMS, ""))
    if wrong:
        errors[forms.ITEMS] = mistakes.at_lines(wrong)
    if errors:
        return FieldErrors(errors)
    requested = Requested(
        requester=form.user,
        channel=str(json.loads(form.metadata)["channel"]),
        kind=Kind.PURCHASE,
        payload=PurchasePayload(email=read[forms.EMAIL], description=read[forms.DESCRIPTION], items=together),
        source_key=f"view:{form.view_id}",
    )
    answer = await request_purchase(deps, requested)
    return Replace(views.notice(forms.COLLECT_TITLE, answer.content.text))


def _items(text: str) -> tuple[tuple[Item, ...], list[PersonError]]:
    found, wrong = items.lines(text)
    if wrong:
        return (), wrong
    try:
        return items.together(found), []
    except PersonError as broken:
        return (), [broken]

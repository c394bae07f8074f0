"""``/deliver store edit``: the form with the store as the service has it now.

It is read each time: saving older values would revert changes made elsewhere.
"""

from typing import Final

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.services import DELIVERY
from bot.presentation import answers
from bot.presentation.bookings import forms as views
from bot.presentation.reasons import sentence
from bot.presentation.views import View, notice
from bot.workflows.bookings import stores
from bot.workflows.services.delivery import DeliveryService
from handlers.dependencies import Dependencies
from handlers.replies import Later, Open

_TITLE: Final = "Edit a store"


def edit_form(deps: Dependencies, delivery: DeliveryService, name: str) -> Later:
    """Open it; while a slow service is read, a form shows that."""

    async def read() -> Open:
        return Open(await _form(deps, delivery, name))

    return Later(read, meanwhile=Open(notice(_TITLE, answers.asking(DELIVERY).text)))


async def _form(deps: Dependencies, delivery: DeliveryService, name: str) -> View:
    try:
        found = await stores.read_store(deps.ctx, delivery, name)
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        return notice(_TITLE, answers.trouble(sentence(trouble)).text)
    return views.store_edit(found.name, values=store_values(found.record))


def store_values(record: object) -> dict[str, str]:
    """A store's record as the initial values of its form."""
    said = record if isinstance(record, dict) else {}
    where = f"{said.get('latitude', '')}, {said.get('longitude', '')}" if said.get("latitude") else ""
    return {
        views.NAME: str(said.get("name", "")),
        views.EMAIL: str(said.get("email", "")),
        views.PHONE: f"{said.get('country_code', '')} {said.get('mobile', '')}".strip(),
        views.ADDRESS: str(said.get("address", "")),
        views.POSITION: where,
        views.PLACE_REFERENCE: str(said.get("reference", "")),
    }

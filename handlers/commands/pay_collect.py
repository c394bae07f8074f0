"""``/pay collect``: request a payment from a buyer."""

from bot.domain.errors import PersonError
from bot.domain.payments.instruction import Kind, PurchasePayload
from bot.presentation.payments import forms
from bot.workflows.requests.request import Requested
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import fields, items
from handlers.input.admission import payments_to_request
from handlers.input.grammar import Argument, Values, Verb, mistake
from handlers.input.payments import COMMAND, request_purchase
from handlers.replies import Open, Reply


async def _request(deps: Dependencies, command: Command, values: Values) -> Reply:
    try:
        together = items.together(values["item"])
    except PersonError as broken:
        raise mistake(deps, COMMAND, COLLECT.example, broken) from None
    payload = PurchasePayload(email=values["email"], description=values["description"], items=together)
    requested = Requested(
        requester=command.user,
        channel=command.channel,
        kind=Kind.PURCHASE,
        payload=payload,
        source_key=f"command:{command.trigger_id}",
    )
    return await request_purchase(deps, requested)


async def _form(deps: Dependencies, command: Command) -> Reply:
    await payments_to_request(deps, command.user, Kind.PURCHASE)
    return Open(forms.collect(channel=command.channel))


COLLECT = Verb(
    "collect",
    "ask somebody for money; answers with a checkout link for them",
    _request,
    example='collect ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"',
    alone=_form,
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=fields.email),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description),
        Argument(name="item", typed="<item>=<qty>x<unit>…", rule=items.ITEM_RULE, read=items.word, each=True),
    ),
)

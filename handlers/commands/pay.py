"""``/pay``: request payouts, show them, list what waits."""

from functools import partial

from bot.domain.payments.instruction import Kind, PayoutPayload
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import forms
from bot.workflows.admin.home import decisions
from bot.workflows.requests.request import Requested
from handlers.commands import pay_bulk, pay_reading
from handlers.commands.pay_collect import COLLECT
from handlers.commands.pay_freeze import FREEZE, UNFREEZE
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import dispatch, fields
from handlers.input.admission import admit, payments_to_request
from handlers.input.grammar import Argument, Values, Verb
from handlers.input.payments import COMMAND, SEND_EXAMPLE, request_payout
from handlers.replies import Open, Private, Reply

NAME = COMMAND
SUMMARY = "Pay people, with approval"


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)


async def _form(deps: Dependencies, command: Command, *, kind: Kind) -> Reply:
    await payments_to_request(deps, command.user, kind)
    return Open(forms.request(channel=command.channel, kind=kind))


async def _request(deps: Dependencies, command: Command, values: Values, *, kind: Kind) -> Reply:
    payload = PayoutPayload(email=values["email"], cents=values["amount"], description=values["description"])
    requested = Requested(
        requester=command.user,
        channel=command.channel,
        payload=payload,
        source_key=f"command:{command.trigger_id}",
        kind=kind,
    )
    return await request_payout(deps, requested)


async def _approvals(deps: Dependencies, command: Command, _values: Values) -> Reply:
    ctx, standing = deps.ctx, await admit(deps, command.user)
    found = await decisions(ctx, standing, command.user)
    return Private(payment_answers.waiting(found, approvals_channel=ctx.policy.channels.approvals))


_SEND = Verb(
    "send",
    "ask for a payout; it is sent once enough people have approved it",
    partial(_request, kind=Kind.PAYOUT),
    example=SEND_EXAMPLE,
    alone=partial(_form, kind=Kind.PAYOUT),
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=fields.email),
        Argument(name="amount", rule=fields.AMOUNT_RULE, read=fields.amount, unit=fields.currency),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description, rest=True),
    ),
)
_NOW = Verb(
    "now",
    "the same in one step: nothing exists at the service before it is approved",
    partial(_request, kind=Kind.ONE_STEP),
    example='now ana@example.com 25.00 "March translation"',
    alone=partial(_form, kind=Kind.ONE_STEP),
    arguments=_SEND.arguments,
)
_APPROVALS = Verb("approvals", "what waits for approval, for you first", _approvals)

VERBS = (_SEND, _NOW, COLLECT, *pay_reading.VERBS, *pay_bulk.VERBS, _APPROVALS, FREEZE, UNFREEZE)
"""In the order of the help."""

"""``/pay``: ask for payouts, look at them, see what waits."""

from bot.clients.payments import PaymentsClient
from bot.clients.service_errors import sentence
from bot.domain.approvals import full_member, may_request
from bot.domain.errors import OperatorError, PersonError
from bot.domain.money import Cents
from bot.domain.payments.instruction import Kind, PayoutPayload
from bot.presentation import answers, views
from bot.presentation.payments.freezing import refused_while_frozen
from bot.workflows.admin.home import decisions
from bot.workflows.requests import ask as asking
from bot.workflows.requests.ask import Asked
from bot.workflows.requests.freeze import is_frozen
from handlers.commands import pay_bulk, pay_reading
from handlers.commands.pay_collect import COLLECT
from handlers.commands.pay_freeze import FREEZE, UNFREEZE
from handlers.dependencies import Desk
from handlers.incoming import Command
from handlers.input import dispatch, fields
from handlers.input.configured import configured
from handlers.input.grammar import Argument, MistakesError, Values, Verb
from handlers.input.presence import can_post
from handlers.replies import Open, Private, Reply

NAME = "pay"
SUMMARY = "Pay people, with approval"


async def handle(desk: Desk, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(desk, command, name=NAME, summary=SUMMARY, verbs=VERBS)


async def _send_form(desk: Desk, command: Command) -> Reply:
    return await _form(desk, command, Kind.PAYOUT)


async def _now_form(desk: Desk, command: Command) -> Reply:
    return await _form(desk, command, Kind.ONE_STEP)


async def _form(desk: Desk, command: Command, kind: Kind) -> Reply:
    payments = configured(desk.ctx.payments, "payments")
    if isinstance(payments, Private):
        return payments
    standing = await desk.ctx.people.standing(command.user)
    refusal = may_request(standing, people=desk.ctx.policy.people, home=desk.ctx.home)
    if refusal is not None:
        return Private(answers.refused(refusal))
    unsendable = _unsendable(payments, kind)
    return unsendable or Open(views.request(channel=command.channel, kind=kind))


async def _send(desk: Desk, command: Command, values: Values) -> Reply:
    return await _ask(desk, command, values, Kind.PAYOUT)


async def _now(desk: Desk, command: Command, values: Values) -> Reply:
    return await _ask(desk, command, values, Kind.ONE_STEP)


async def _ask(desk: Desk, command: Command, values: Values, kind: Kind) -> Reply:
    payload = PayoutPayload(email=values["email"], cents=values["amount"], description=values["description"])
    asked = Asked(
        requester=command.user,
        channel=command.channel,
        payload=payload,
        source_key=f"command:{command.trigger_id}",
        kind=kind,
    )
    return await ask(desk, asked)


async def ask(desk: Desk, asked: Asked) -> Private:
    """The common end of the command line and the form: check the person and the limit, store the request."""
    ctx = desk.ctx
    payments = configured(ctx.payments, "payments")
    if isinstance(payments, Private):
        return payments
    refusal = may_request(await ctx.people.standing(asked.requester), people=ctx.policy.people, home=ctx.home)
    if refusal is not None:
        return Private(answers.refused(refusal))
    unsendable = _unsendable(payments, asked.kind)
    if unsendable is not None:
        return unsendable
    stopped = await is_frozen(ctx)
    if stopped is not None:
        return Private(refused_while_frozen(stopped))
    example = f"{desk.spelled(NAME)} {_SEND.example}"
    try:
        fields.within_limit(Cents(asked.payload.cents), ctx.policy)
    except PersonError as broken:
        broken.example = example
        raise MistakesError([broken]) from None
    instruction = await asking.ask(ctx, asked)
    return Private(answers.requested(instruction, member=await can_post(desk.messenger, asked.channel)))


def _unsendable(payments: PaymentsClient, kind: Kind) -> Private | None:
    """What only the operator can mend and would keep this from being sent once it is approved."""
    try:
        if kind is Kind.ONE_STEP:
            payments.require_one_step()
        else:
            payments.require_committable()
    except OperatorError as unconfirmed:
        return Private(answers.trouble(sentence(unconfirmed)))
    return None


async def _approvals(desk: Desk, command: Command, _values: Values) -> Reply:
    ctx = desk.ctx
    standing = await ctx.people.standing(command.user)
    refusal = full_member(standing.person, home=ctx.home)
    if refusal is not None:
        return Private(answers.refused(refusal))

    found = await decisions(ctx, standing, command.user)
    return Private(answers.waiting(found, approvals_channel=ctx.policy.channels.approvals))


_SEND = Verb(
    name="send",
    summary="ask for a payout; it is sent once enough people have approved it",
    example='send ana@example.com 25.00 "March translation"',
    run=_send,
    alone=_send_form,
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=fields.email),
        Argument(name="amount", rule=fields.AMOUNT_RULE, read=fields.amount, unit=fields.currency),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description, rest=True),
    ),
)
_NOW = Verb(
    name="now",
    summary="the same in one step: nothing exists at the service before it is approved",
    example='now ana@example.com 25.00 "March translation"',
    run=_now,
    alone=_now_form,
    arguments=_SEND.arguments,
)
_APPROVALS = Verb(
    name="approvals", summary="what waits for approval, for you first", example="approvals", run=_approvals
)

VERBS = (_SEND, _NOW, COLLECT, *pay_reading.VERBS, *pay_bulk.VERBS, _APPROVALS, FREEZE, UNFREEZE)
"""In the order of the help."""

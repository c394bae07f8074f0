"""``/pay collect``: ask somebody for money."""

from bot.domain.approvals import may_request
from bot.domain.errors import PersonError
from bot.domain.payments.instruction import Kind, PurchasePayload
from bot.presentation import answers, views
from bot.workflows.requests.ask import Asked, ask
from handlers.dependencies import Desk
from handlers.incoming import Command
from handlers.input import fields, items
from handlers.input.configured import configured
from handlers.input.grammar import Argument, MistakesError, Values, Verb
from handlers.input.presence import can_post
from handlers.replies import Open, Private, Reply

_PAY = "pay"


async def collect(desk: Desk, asked: Asked) -> Private:
    """The common end of the command line and the form: check the person, store the request."""
    refusal = await _refusal(desk, asked.requester)
    if refusal is not None:
        return refusal
    instruction = await ask(desk.ctx, asked)
    return Private(answers.collecting(instruction, member=await can_post(desk.messenger, asked.channel)))


async def _collect(desk: Desk, command: Command, values: Values) -> Reply:
    try:
        together = items.together(values["item"])
    except PersonError as broken:
        broken.example = f"{desk.spelled(_PAY)} {COLLECT.example}"
        raise MistakesError([broken]) from None
    payload = PurchasePayload(email=values["email"], description=values["description"], items=together)
    asked = Asked(
        requester=command.user,
        channel=command.channel,
        kind=Kind.PURCHASE,
        payload=payload,
        source_key=f"command:{command.trigger_id}",
    )
    return await collect(desk, asked)


async def _form(desk: Desk, command: Command) -> Reply:
    return await _refusal(desk, command.user) or Open(views.collect(channel=command.channel))


async def _refusal(desk: Desk, user: str) -> Private | None:
    ctx = desk.ctx
    payments = configured(ctx.payments, "payments")
    if isinstance(payments, Private):
        return payments
    refusal = may_request(await ctx.people.standing(user), people=ctx.policy.people, home=ctx.home)
    return Private(answers.refused(refusal)) if refusal is not None else None


COLLECT = Verb(
    name="collect",
    summary="ask somebody for money; answers with a checkout link for them",
    example='collect ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"',
    run=_collect,
    alone=_form,
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=fields.email),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description),
        Argument(name="item", typed="<item>=<qty>x<unit>…", rule=items.ITEM_RULE, read=items.word, each=True),
    ),
)

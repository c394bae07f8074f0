"""``/pay``: request a payout or a payment from a buyer, on a line or in a form; what waits; the kill switch."""

from functools import partial

from bot.domain.approvals import Refusal
from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.fields import amount, email
from bot.domain.payments.instruction import Instruction, Kind, PayoutPayload, PurchasePayload
from bot.domain.text import clean
from bot.presentation import answers, views
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import forms, payouts
from bot.workflows.admin.overview import decisions
from bot.workflows.payments.recipient import edited
from bot.workflows.requests.authority import Freezing, freeze, unfreeze
from bot.workflows.requests.decide import Decided
from bot.workflows.requests.request import Requested, request
from handlers import bulk, pay_decisions, pay_reading
from handlers.grammar import fields, items
from handlers.grammar.admission import admit, can_post, opens, payments_to_request
from handlers.grammar.verbs import Argument, SlashCommand, Values, Verb, mistake
from handlers.incoming import Command, Submission
from handlers.pay_reading import NAME
from handlers.replies import DeclinedError, FieldErrors, Private, Replace, Reply
from handlers.router import Dependencies, SubmissionHandler

_KINDS = frozenset({Kind.PAYOUT, Kind.ONE_STEP})
"""What the form of a payout asks for; stored with its payload, any other kind could not be read."""


async def _payout(deps: Dependencies, command: Command, values: Values, *, kind: Kind) -> Reply:
    await payments_to_request(deps, command.user, kind, even_frozen=False)
    try:
        cents = fields.within_limit(values["amount"], deps.ctx.policy)
    except PersonError as broken:
        raise mistake(deps, NAME, _SEND.example, broken) from None
    requested = Requested(
        requester=command.user,
        channel=command.channel,
        payload=PayoutPayload(email=values["email"], cents=cents, description=values["description"]),
        source_key=command.source_key,
        kind=kind,
    )
    return Private(await _asked(deps, await request(deps.ctx, requested)))


async def submit_payout(deps: Dependencies, form: Submission) -> Reply:
    """Request a payout, or what was edited in place of the request whose address has no account."""
    about = form.about
    if about.get("kind") not in _KINDS:
        return Replace(views.notice(forms.PAYOUT_TITLE, forms.OTHER_VERSION))
    readers: dict[str, fields.Read] = {
        forms.EMAIL: email,
        forms.AMOUNT: lambda text: fields.within_limit(amount(text), deps.ctx.policy),
        forms.DESCRIPTION: fields.description,
    }
    read, errors = fields.read_form(form.values, readers)
    if errors:
        return FieldErrors(errors)
    requested = Requested(
        requester=form.user,
        channel=str(about["channel"]),
        payload=PayoutPayload(email=read[forms.EMAIL], cents=read[forms.AMOUNT], description=read[forms.DESCRIPTION]),
        source_key=form.source_key,
        kind=Kind(about["kind"]),
    )
    await payments_to_request(deps, form.user, requested.kind, even_frozen=False)
    if form.callback_id == payouts.EDIT:
        found = await edited(deps.ctx, pay_decisions.decision_of(form), requested)
        if isinstance(found, Decided):
            raise DeclinedError(payment_answers.refused(found.refusal or Refusal.DECIDED, found.instruction))
    else:
        found = await request(deps.ctx, requested)
    return Replace(views.notice(forms.PAYOUT_TITLE, (await _asked(deps, found)).text))


async def _asked(deps: Dependencies, instruction: Instruction) -> Content:
    member = await can_post(deps.messenger, instruction.origin_channel)
    return payment_answers.requested(instruction, member=member)


async def _collect(deps: Dependencies, command: Command, values: Values) -> Reply:
    try:
        together = items.together(values["item"])
    except PersonError as broken:
        raise mistake(deps, NAME, COLLECT.example, broken) from None
    payload = PurchasePayload(email=values["email"], description=values["description"], items=together)
    return Private(await _request_purchase(deps, payload, command, command.channel))


async def submit_purchase(deps: Dependencies, form: Submission) -> Reply:
    """Request a purchase; mistakes are shown at their fields, with the number of each bad line."""
    read, errors = fields.read_form(form.values, {forms.EMAIL: email, forms.DESCRIPTION: fields.description})
    found, wrong = items.lines(form.values.get(forms.ITEMS, ""))
    if not wrong:
        try:
            items.together(found)
        except PersonError as broken:
            wrong = [broken]
    if wrong:
        errors[forms.ITEMS] = answers.at_lines(wrong)
    if errors:
        return FieldErrors(errors)
    payload = PurchasePayload(email=read[forms.EMAIL], description=read[forms.DESCRIPTION], items=tuple(found))
    answer = await _request_purchase(deps, payload, form, str(form.about["channel"]))
    return Replace(views.notice(forms.COLLECT_TITLE, answer.text))


async def _request_purchase(
    deps: Dependencies, payload: PurchasePayload, asked: Command | Submission, channel: str
) -> Content:
    await payments_to_request(deps, asked.user, Kind.PURCHASE)
    requested = Requested(
        requester=asked.user, channel=channel, kind=Kind.PURCHASE, payload=payload, source_key=asked.source_key
    )
    instruction = await request(deps.ctx, requested)
    return payment_answers.requested(instruction, member=await can_post(deps.messenger, channel))


async def _approvals(deps: Dependencies, command: Command, _values: Values) -> Reply:
    ctx, standing = deps.ctx, await admit(deps, command.user)
    found = await decisions(ctx, standing, command.user)
    return Private(payment_answers.waiting(found, approvals_channel=ctx.policy.channels.approvals))


def _reason(text: str) -> str:
    cleaned = clean(text)
    if len(cleaned) > forms.REASON_LIMIT:
        raise PersonError(argument="reason", rule=f"it must have at most {forms.REASON_LIMIT} characters", example="")
    return cleaned


async def _freeze(deps: Dependencies, command: Command, values: Values) -> Reply:
    done = await freeze(deps.ctx, person=command.user, reason=values["reason"], command=deps.spelled(NAME))
    return _switched(done, asked_to_freeze=True)


async def _unfreeze(deps: Dependencies, command: Command, _values: Values) -> Reply:
    return _switched(await unfreeze(deps.ctx, person=command.user), asked_to_freeze=False)


def _switched(done: Freezing, *, asked_to_freeze: bool) -> Private:
    if done.refusal is not None:
        return Private(answers.refused(done.refusal))
    said = payment_answers.freezing(
        done.frozen, changed=done.changed, asked_to_freeze=asked_to_freeze, needed=done.needed
    )
    return Private(said)


_SEND = Verb(
    "send",
    "ask for a payout; it is sent once enough people have approved it",
    partial(_payout, kind=Kind.PAYOUT),
    example='send ana@example.com 25.00 "March translation"',
    alone=opens(
        partial(payments_to_request, kind=Kind.PAYOUT),
        lambda command: forms.request(channel=command.channel, kind=Kind.PAYOUT),
    ),
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=email),
        Argument(name="amount", rule=fields.AMOUNT_RULE, read=amount, unit=fields.currency),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description, rest=True),
    ),
)
_NOW = Verb(
    "now",
    "the same in one step: nothing exists at the service before it is approved",
    partial(_payout, kind=Kind.ONE_STEP),
    example='now ana@example.com 25.00 "March translation"',
    alone=opens(
        partial(payments_to_request, kind=Kind.ONE_STEP),
        lambda command: forms.request(channel=command.channel, kind=Kind.ONE_STEP),
    ),
    arguments=_SEND.arguments,
)
COLLECT = Verb(
    "collect",
    "ask somebody for money; answers with a checkout link for them",
    _collect,
    example='collect ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"',
    alone=opens(
        partial(payments_to_request, kind=Kind.PURCHASE), lambda command: forms.collect(channel=command.channel)
    ),
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=email),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description),
        Argument(name="item", typed="<item>=<qty>x<unit>…", rule=items.ITEM_RULE, read=items.word, each=True),
    ),
)
_APPROVALS = Verb("approvals", "what waits for approval, for you first", _approvals)
FREEZE = Verb(
    "freeze",
    "stop all sending at once; any approver or admin may",
    _freeze,
    example="freeze the bank called",
    arguments=(Argument(name="reason", rule="a few words that say why", read=_reason, rest=True),),
)
_UNFREEZE = Verb("unfreeze", "your voice for sending again; it takes a quorum of approvers", _unfreeze)

COMMAND = SlashCommand(
    NAME,
    "Pay people, with approval",
    (_SEND, _NOW, COLLECT, *pay_reading.VERBS, *bulk.VERBS, _APPROVALS, FREEZE, _UNFREEZE),
)
FORMS: dict[str, SubmissionHandler] = {
    forms.REQUEST: submit_payout,
    payouts.EDIT: submit_payout,
    forms.COLLECT: submit_purchase,
}

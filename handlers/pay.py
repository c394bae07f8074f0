"""``/pay``: request a payout or a payment from a buyer, on a line or in a form; what waits; the kill switch."""

import json
from collections.abc import Awaitable, Callable
from functools import partial

from bot.domain.approvals import Refusal
from bot.domain.errors import PersonError
from bot.domain.money import Cents
from bot.domain.payments.instruction import Instruction, Kind, PayoutPayload, PurchasePayload
from bot.domain.text import clean
from bot.presentation import answers, views
from bot.presentation import answers as mistakes
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import forms, payouts
from bot.presentation.payments.answers import freezing
from bot.presentation.payments.forms import REASON_LIMIT
from bot.workflows.admin.overview import decisions
from bot.workflows.payments.recipient import edited
from bot.workflows.requests.authority import freeze, unfreeze
from bot.workflows.requests.decide import Decided
from bot.workflows.requests.request import Requested, request
from handlers import bulk, pay_decisions, pay_reading
from handlers.grammar import fields, items
from handlers.grammar.admission import admit, can_post, payments_to_request
from handlers.grammar.verbs import Argument, SlashCommand, Values, Verb, mistake
from handlers.incoming import Command, Submission
from handlers.pay_reading import NAME
from handlers.replies import DeclinedError, FieldErrors, MistakesError, Open, Private, Replace, Reply
from handlers.router import Dependencies, SubmissionHandler

_KINDS = frozenset({Kind.PAYOUT, Kind.ONE_STEP})
"""What the form of a payout asks for; stored with its payload, any other kind could not be read."""


async def _payout(deps: Dependencies, command: Command, values: Values, *, kind: Kind) -> Reply:
    payload = PayoutPayload(email=values["email"], cents=values["amount"], description=values["description"])
    requested = Requested(
        requester=command.user,
        channel=command.channel,
        payload=payload,
        source_key=f"command:{command.trigger_id}",
        kind=kind,
    )
    return await _request_payout(deps, requested)


async def _payout_form(deps: Dependencies, command: Command, *, kind: Kind) -> Reply:
    await payments_to_request(deps, command.user, kind)
    return Open(forms.request(channel=command.channel, kind=kind))


async def submit_payout(deps: Dependencies, form: Submission) -> Reply:
    """Request a payout; mistakes are shown at their fields."""
    return await _submit_payout(deps, form, lambda requested: _request_payout(deps, requested))


async def submit_edited(deps: Dependencies, form: Submission) -> Reply:
    """Request what was edited, in place of the request whose address has no account."""

    async def ask(requested: Requested) -> Private:
        await payments_to_request(deps, requested.requester, requested.kind, even_frozen=False)
        found = await edited(deps.ctx, pay_decisions.decision_of(form), requested)
        if isinstance(found, Decided):
            raise DeclinedError(payment_answers.refused(found.refusal or Refusal.DECIDED, found.instruction))
        return await _requested(deps, found)

    return await _submit_payout(deps, form, ask)


async def _submit_payout(
    deps: Dependencies, form: Submission, ask: Callable[[Requested], Awaitable[Private]]
) -> FieldErrors | Replace:
    about = json.loads(form.metadata)
    if about.get("kind") not in _KINDS:
        return Replace(views.notice(forms.PAYOUT_TITLE, forms.OTHER_VERSION))
    readers: dict[str, fields.Read] = {
        forms.EMAIL: fields.email,
        forms.AMOUNT: lambda text: fields.within_limit(fields.amount(text), deps.ctx.policy),
        forms.DESCRIPTION: fields.description,
    }
    read, errors = fields.read_form(form.values, readers)
    if errors:
        return FieldErrors(errors)
    payload = PayoutPayload(email=read[forms.EMAIL], cents=read[forms.AMOUNT], description=read[forms.DESCRIPTION])
    requested = Requested(
        requester=form.user,
        channel=str(about["channel"]),
        payload=payload,
        source_key=f"view:{form.view_id}",
        kind=Kind(about["kind"]),
    )
    try:
        answer = await ask(requested)
    except MistakesError as broken:
        return FieldErrors({forms.AMOUNT: mistakes.at_field(broken.errors[0])})
    return Replace(views.notice(forms.PAYOUT_TITLE, answer.content.text))


async def _request_payout(deps: Dependencies, requested: Requested) -> Private:
    """Check the person and the limit, store the request.

    Raises:
        MistakesError: the amount is above the daily limit.
    """
    await payments_to_request(deps, requested.requester, requested.kind, even_frozen=False)
    try:
        fields.within_limit(Cents(requested.payload.cents), deps.ctx.policy)
    except PersonError as broken:
        raise mistake(deps, NAME, _SEND.example, broken) from None
    return await _requested(deps, await request(deps.ctx, requested))


async def _requested(deps: Dependencies, instruction: Instruction) -> Private:
    member = await can_post(deps.messenger, instruction.origin_channel)
    return Private(payment_answers.requested(instruction, member=member))


async def _collect(deps: Dependencies, command: Command, values: Values) -> Reply:
    try:
        together = items.together(values["item"])
    except PersonError as broken:
        raise mistake(deps, NAME, COLLECT.example, broken) from None
    payload = PurchasePayload(email=values["email"], description=values["description"], items=together)
    return await _request_purchase(
        deps, payload, user=command.user, channel=command.channel, source_key=f"command:{command.trigger_id}"
    )


async def _collect_form(deps: Dependencies, command: Command) -> Reply:
    await payments_to_request(deps, command.user, Kind.PURCHASE)
    return Open(forms.collect(channel=command.channel))


async def submit_purchase(deps: Dependencies, form: Submission) -> Reply:
    """Request a purchase; mistakes are shown at their fields, with the number of each bad line."""
    read, errors = fields.read_form(form.values, {forms.EMAIL: fields.email, forms.DESCRIPTION: fields.description})
    found, wrong = items.lines(form.values.get(forms.ITEMS, ""))
    if not wrong:
        try:
            items.together(found)
        except PersonError as broken:
            wrong = [broken]
    if wrong:
        errors[forms.ITEMS] = mistakes.at_lines(wrong)
    if errors:
        return FieldErrors(errors)
    payload = PurchasePayload(email=read[forms.EMAIL], description=read[forms.DESCRIPTION], items=tuple(found))
    channel = str(json.loads(form.metadata)["channel"])
    answer = await _request_purchase(deps, payload, user=form.user, channel=channel, source_key=f"view:{form.view_id}")
    return Replace(views.notice(forms.COLLECT_TITLE, answer.content.text))


async def _request_purchase(
    deps: Dependencies, payload: PurchasePayload, *, user: str, channel: str, source_key: str
) -> Private:
    await payments_to_request(deps, user, Kind.PURCHASE)
    requested = Requested(requester=user, channel=channel, kind=Kind.PURCHASE, payload=payload, source_key=source_key)
    instruction = await request(deps.ctx, requested)
    return Private(payment_answers.requested(instruction, member=await can_post(deps.messenger, channel)))


async def _approvals(deps: Dependencies, command: Command, _values: Values) -> Reply:
    ctx, standing = deps.ctx, await admit(deps, command.user)
    found = await decisions(ctx, standing, command.user)
    return Private(payment_answers.waiting(found, approvals_channel=ctx.policy.channels.approvals))


def _reason(text: str) -> str:
    cleaned = clean(text)
    if len(cleaned) > REASON_LIMIT:
        raise PersonError(argument="reason", rule=f"it must have at most {REASON_LIMIT} characters", example="")
    return cleaned


async def _freeze(deps: Dependencies, command: Command, values: Values) -> Reply:
    done = await freeze(deps.ctx, person=command.user, reason=values["reason"], command=deps.spelled(NAME))
    if done.refusal is not None:
        return Private(answers.refused(done.refusal))
    return Private(freezing(done.frozen, changed=done.changed, asked_to_freeze=True, needed=done.needed))


async def _unfreeze(deps: Dependencies, command: Command, _values: Values) -> Reply:
    done = await unfreeze(deps.ctx, person=command.user)
    if done.refusal is not None:
        return Private(answers.refused(done.refusal))
    return Private(freezing(done.frozen, changed=done.changed, asked_to_freeze=False, needed=done.needed))


_SEND = Verb(
    "send",
    "ask for a payout; it is sent once enough people have approved it",
    partial(_payout, kind=Kind.PAYOUT),
    example='send ana@example.com 25.00 "March translation"',
    alone=partial(_payout_form, kind=Kind.PAYOUT),
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=fields.email),
        Argument(name="amount", rule=fields.AMOUNT_RULE, read=fields.amount, unit=fields.currency),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description, rest=True),
    ),
)
_NOW = Verb(
    "now",
    "the same in one step: nothing exists at the service before it is approved",
    partial(_payout, kind=Kind.ONE_STEP),
    example='now ana@example.com 25.00 "March translation"',
    alone=partial(_payout_form, kind=Kind.ONE_STEP),
    arguments=_SEND.arguments,
)
COLLECT = Verb(
    "collect",
    "ask somebody for money; answers with a checkout link for them",
    _collect,
    example='collect ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"',
    alone=_collect_form,
    arguments=(
        Argument(name="email", rule=fields.EMAIL_RULE, read=fields.email),
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
    payouts.EDIT: submit_edited,
    forms.COLLECT: submit_purchase,
}

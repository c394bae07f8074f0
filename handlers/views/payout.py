"""The forms of a payout: requesting one, and deciding on one."""

import json
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from bot.domain.approvals import Refusal
from bot.domain.payments.instruction import Kind, PayoutPayload
from bot.domain.visible import clean
from bot.presentation import mistakes, views
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import cards, forms, recipients, withdrawing
from bot.workflows.context import Context
from bot.workflows.requests import decide
from bot.workflows.requests.decide import Click, Decided
from bot.workflows.requests.request import Requested
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input import fields
from handlers.input.payments import request_edited, request_payout
from handlers.replies import FieldErrors, MistakesError, Nothing, Private, Replace, Reply
from handlers.router import Router

_KINDS = frozenset({Kind.PAYOUT, Kind.ONE_STEP})
"""What the form of a payout asks for; stored with its payload, any other kind could not be read."""


class EndedWithReason(Protocol):
    """A function of :mod:`bot.workflows.requests.decide` that ends a request with a reason."""

    async def __call__(self, ctx: Context, click: Click, *, reason: str) -> Decided:
        """The request after the attempt."""
        ...


class Vote(Protocol):
    """A function of :mod:`bot.workflows.requests.decide` that counts an approval."""

    async def __call__(self, ctx: Context, click: Click, *, typed_amount: str) -> Decided:
        """The request after the vote."""
        ...


def register(router: Router) -> None:
    """Every form by its callback id."""
    router.views[forms.REQUEST] = request
    router.views[recipients.EDIT] = edit
    router.views[cards.APPROVE] = partial(approve, vote=_approve)
    router.views[cards.REJECT] = partial(end_with_reason, end=decide.reject)
    router.views[withdrawing.WITHDRAW] = partial(end_with_reason, end=decide.withdraw)
    router.views[cards.RETRY] = partial(approve, vote=decide.retry)
    router.views[cards.CLOSE] = partial(end_with_reason, end=decide.close_as_not_paid)


async def request(deps: Dependencies, form: Submission) -> Reply:
    """Request a payout; mistakes are shown at their fields."""
    return await _request(deps, form, lambda requested: request_payout(deps, requested))


async def edit(deps: Dependencies, form: Submission) -> Reply:
    """Request what was edited, in place of the request whose address has no account."""
    return await _request(deps, form, lambda requested: request_edited(deps, _click(form), requested))


async def _request(
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


async def approve(deps: Dependencies, form: Submission, *, vote: Vote) -> Reply:
    """Approve, or approve a new attempt, with the amount typed."""
    return _answer(await vote(deps.ctx, _click(form), typed_amount=form.values.get(forms.AMOUNT, "")))


async def _approve(ctx: Context, click: Click, *, typed_amount: str) -> Decided:
    """The form says what is not fine about the recipient, so who submits it confirms that."""
    return await decide.approve(ctx, click, typed_amount=typed_amount, confirmed=True)


async def end_with_reason(deps: Dependencies, form: Submission, *, end: EndedWithReason) -> Reply:
    """Reject, withdraw, or close as not paid, with a reason."""
    reason = clean(form.values.get(forms.REASON, ""))
    if not reason:
        return FieldErrors({forms.REASON: mistakes.NO_REASON})
    return _answer(await end(deps.ctx, _click(form), reason=reason))


def _click(form: Submission) -> Click:
    about = json.loads(form.metadata)
    return Click(instruction_id=str(about["id"]), round=int(about["round"]), person=form.user)


def _answer(decided: Decided) -> Reply:
    if decided.refusal is None:
        return Nothing()
    content = payment_answers.refused(decided.refusal, decided.instruction)
    if decided.refusal is Refusal.WRONG_AMOUNT:
        return FieldErrors({forms.AMOUNT: mistakes.wrong_amount(decided.instruction.cents)})
    return Replace(views.notice(forms.NO_EFFECT_TITLE, content.text))

"""The forms of a payout: requesting one, and deciding on one."""

import json
from typing import Protocol

from bot.domain.approvals import Refusal
from bot.domain.errors import PersonError
from bot.domain.payments.instruction import Kind, PayoutPayload
from bot.presentation import mistakes, views
from bot.presentation.blocks.text import clean
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import cards, forms, withdrawing
from bot.workflows.context import Context
from bot.workflows.requests import decide
from bot.workflows.requests.decide import Click, Decided
from bot.workflows.requests.request import Requested
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input import fields
from handlers.input.payments import request_payout
from handlers.replies import FieldErrors, MistakesError, Nothing, Replace, Reply
from handlers.router import Router


class EndedWithReason(Protocol):
    """A function of :mod:`bot.workflows.requests.decide` that ends a request with a reason."""

    async def __call__(self, ctx: Context, click: Click, *, reason: str) -> Decided:
        """The request after the attempt."""
        ...


def register(router: Router) -> None:
    """Every form by its callback id."""
    router.views[forms.REQUEST] = request
    router.views[cards.APPROVE] = approve
    router.views[cards.REJECT] = reject
    router.views[withdrawing.WITHDRAW] = withdraw
    router.views[cards.RETRY] = retry
    router.views[cards.CLOSE] = close


async def request(deps: Dependencies, form: Submission) -> Reply:
    """Request a payout; mistakes are shown at their fields."""
    errors: dict[str, str] = {}
    read = {}
    for block, reader in (
        (forms.EMAIL, fields.email),
        (forms.AMOUNT, lambda text: fields.within_limit(fields.amount(text), deps.ctx.policy)),
        (forms.DESCRIPTION, fields.description),
    ):
        try:
            read[block] = reader(form.values.get(block, ""))
        except PersonError as broken:
            errors[block] = mistakes.at_field(broken)
    if errors:
        return FieldErrors(errors)
    payload = PayoutPayload(email=read[forms.EMAIL], cents=read[forms.AMOUNT], description=read[forms.DESCRIPTION])
    about = json.loads(form.metadata)
    requested = Requested(
        requester=form.user,
        channel=str(about["channel"]),
        payload=payload,
        source_key=f"view:{form.view_id}",
        kind=Kind(about["kind"]),
    )
    try:
        answer = await request_payout(deps, requested)
    except MistakesError as broken:
        return FieldErrors({forms.AMOUNT: mistakes.at_field(broken.errors[0])})
    return Replace(views.notice(forms.PAYOUT_TITLE, answer.content.text))


async def approve(deps: Dependencies, form: Submission) -> Reply:
    """Approve with the amount typed."""
    typed = form.values.get(forms.AMOUNT, "")
    return _answer(await decide.approve(deps.ctx, _click(form), typed_amount=typed))


async def retry(deps: Dependencies, form: Submission) -> Reply:
    """Approve a new attempt, with the amount typed."""
    return _answer(await decide.retry(deps.ctx, _click(form), typed_amount=form.values.get(forms.AMOUNT, "")))


async def reject(deps: Dependencies, form: Submission) -> Reply:
    """Reject with a reason."""
    return await _with_reason(deps, form, decide.reject)


async def withdraw(deps: Dependencies, form: Submission) -> Reply:
    """Withdraw another user's request, with a reason."""
    return await _with_reason(deps, form, decide.withdraw)


async def close(deps: Dependencies, form: Submission) -> Reply:
    """Close as not paid, with a reason."""
    return await _with_reason(deps, form, decide.close_as_not_paid)


async def _with_reason(deps: Dependencies, form: Submission, end: EndedWithReason) -> Reply:
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

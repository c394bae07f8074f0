"""Buttons below a payout that ended unpaid: send it again unchanged or edited, and show its history.

Their values are the id of the first request; the user's permission is checked on every press.
"""

from bot.domain.approvals import Membership, Refusal, may_look
from bot.domain.payments import fields
from bot.domain.payments.instruction import Instruction
from bot.presentation import answers, views
from bot.presentation.audit import history
from bot.presentation.payments import again, forms
from bot.presentation.payments import answers as payment_answers
from bot.workflows.admin.audit import story
from bot.workflows.payments.payout_again import send_again, to_send_again
from bot.workflows.requests.decide import Decided
from handlers.grammar.admission import admit, for_requester, payments_to_request
from handlers.incoming import Click
from handlers.replies import DeclinedError, Open, Private, Reply
from handlers.router import ClickHandler, Dependencies


async def try_again(deps: Dependencies, click: Click) -> Reply:
    """Request an unpaid payout again; if that was done before, return the existing request."""
    first = await _first(deps, click)
    await payments_to_request(deps, click.user, first.kind, even_frozen=False)
    fields.within_limit(first.cents, deps.ctx.policy)
    made = await send_again(deps.ctx, first.id, click.user)
    if isinstance(made, Decided):
        raise DeclinedError(payment_answers.refused(made.refusal or Refusal.DECIDED, made.instruction))
    found, is_new = made
    if not is_new:
        return Private(payment_answers.asked_before(found, "payout"))
    return Private(payment_answers.requested(found, **await for_requester(deps, found, found.origin_channel)))


async def edit(deps: Dependencies, click: Click) -> Reply:
    first = await _first(deps, click)
    await payments_to_request(deps, click.user, first.kind, even_frozen=False)
    return Open(forms.resend(first))


async def details(deps: Dependencies, click: Click) -> Reply:
    standing = await admit(deps, click.user)
    found = await deps.ctx.read(lambda uow: uow.instructions.get(click.value))
    if found is None:
        raise DeclinedError(answers.refused(Refusal.STALE))
    require_look(deps, standing, click.user, found)
    return await whole_story(deps, found, title="Details")


def require_look(deps: Dependencies, standing: Membership, user: str, found: Instruction) -> None:
    """Raise DeclinedError unless the request is the user's own, or they may see all requests."""
    no = may_look(standing, people=deps.ctx.policy.people, home=deps.ctx.home)
    if no is not None and user != found.requester:
        raise DeclinedError(answers.refused(no))


async def whole_story(deps: Dependencies, found: Instruction, *, title: str) -> Open:
    """Open a view of a request's history and ids."""
    events = await story(deps.ctx.store, found.reference)
    if events is None:
        raise LookupError(found.reference)
    return Open(views.result(title, history(found, events.rows, is_complete=events.is_complete)))


async def _first(deps: Dependencies, click: Click) -> Instruction:
    if await deps.ctx.read(lambda uow: uow.instructions.get(click.value)) is None:
        raise DeclinedError(answers.refused(Refusal.STALE))
    first = await deps.ctx.read(lambda uow: to_send_again(uow, click.value, click.user))
    if isinstance(first, Decided):
        raise DeclinedError(payment_answers.refused(first.refusal or Refusal.DECIDED, first.instruction))
    return first


BUTTONS: dict[str, ClickHandler] = {again.TRY_AGAIN: try_again, again.RESEND: edit, again.DETAILS: details}

"""The buttons of a payout's card. Each button carries only which request and round it was made for."""

from typing import Protocol

from bot.domain.approvals import Refusal, may_decide, may_look
from bot.domain.content import Block
from bot.domain.payments.instruction import Instruction, State
from bot.presentation import answers
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import cards, forms, withdrawing
from bot.workflows.requests import decide
from bot.workflows.requests.buttons import Shown, shown_as
from bot.workflows.requests.decide import Decided
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.replies import Nothing, Open, Private, Reply
from handlers.router import Router


class FormMaker(Protocol):
    """A function of :mod:`bot.presentation.views` that makes a form about a request."""

    def __call__(self, instruction: Instruction, *, metadata: str) -> Block:
        """The form."""
        ...


def register(router: Router) -> None:
    """Approve, Reject, Withdraw; Retry and Close as not paid."""
    router.actions[cards.APPROVE] = approve
    router.actions[cards.REJECT] = reject
    router.actions[withdrawing.WITHDRAW] = withdraw
    router.actions[cards.RETRY] = retry
    router.actions[cards.CLOSE] = close


async def approve(deps: Dependencies, click: Click) -> Reply:
    """Count an approval, or open the form for the amount where the policy requires typing it."""
    shown = await _decidable(deps, click, State.AWAITING)
    if isinstance(shown, Private):
        return shown
    found, votes = shown
    voters = frozenset(vote.person for vote in votes)
    if found.requirement.typed_amount:
        if click.user in voters:
            return Private(payment_answers.refused(Refusal.REPEATED, found))
        return Open(forms.approve(found, metadata=forms.about(found, channel=click.channel, ts=click.ts)))
    return _told(await decide.approve(deps.ctx, _decision(click, found, involved=voters | {found.requester})))


async def reject(deps: Dependencies, click: Click) -> Reply:
    """Open the form that asks for the reason."""
    return await _form(deps, click, State.AWAITING, forms.reject)


async def retry(deps: Dependencies, click: Click) -> Reply:
    """Open the form that warns and asks for the amount."""
    return await _form(deps, click, State.NEEDS_HUMAN, forms.retry)


async def close(deps: Dependencies, click: Click) -> Reply:
    """Open the form that asks for the evidence that nothing was paid."""
    return await _form(deps, click, State.NEEDS_HUMAN, forms.close)


async def withdraw(deps: Dependencies, click: Click) -> Reply:
    """Withdraw the user's own request, or open the form that asks an admin for a reason to withdraw another's."""
    shown = await _meant(deps, click)
    if isinstance(shown, Private):
        return shown
    found, _ = shown
    decided = await decide.withdraw(deps.ctx, _decision(click, found))
    if decided.refusal is Refusal.NO_REASON:
        return Open(forms.withdraw(found, metadata=forms.about(found, channel=click.channel, ts=click.ts)))
    return Nothing() if decided.refusal is None else _told(decided)


async def _form(deps: Dependencies, click: Click, wanted: State, view: FormMaker) -> Reply:
    shown = await _decidable(deps, click, wanted)
    if isinstance(shown, Private):
        return shown
    found, _ = shown
    return Open(view(found, metadata=forms.about(found, channel=click.channel, ts=click.ts)))


async def _meant(deps: Dependencies, click: Click) -> Shown | Private:
    """The request of a button, if the message is one of its cards, posted by us."""
    instruction_id, _, round_text = click.value.partition(":")
    shown = await shown_as(deps.ctx, instruction_id, channel=click.channel, ts=click.ts)
    if shown is None:
        return Private(answers.refused(Refusal.STALE))
    found, _ = shown
    if round_text != str(found.round):
        return Private(payment_answers.refused(Refusal.STALE, found))
    return shown


async def _decidable(deps: Dependencies, click: Click, wanted: State) -> Shown | Private:
    """The request, if this user may decide on it now; the workflow checks everything again in its transaction.

    Users without any role are refused before the database is read, because anybody can press a button repeatedly.
    """
    ctx = deps.ctx
    standing = await ctx.people.standing(click.user)
    if may_look(standing, people=ctx.policy.people, home=ctx.home) is not None:
        no = may_decide(standing, requester="", people=ctx.policy.people, home=ctx.home)
        return Private(answers.refused(no or Refusal.STALE))
    shown = await _meant(deps, click)
    if isinstance(shown, Private):
        return shown
    found, _ = shown
    no = may_decide(standing, requester=found.requester, people=ctx.policy.people, home=ctx.home)
    if no is not None or found.state is not wanted:
        return Private(payment_answers.refused(no or Refusal.DECIDED, found))
    return shown


def _decision(click: Click, found: Instruction, *, involved: frozenset[str] = frozenset()) -> decide.Click:
    return decide.Click(instruction_id=found.id, round=found.round, person=click.user, involved=involved)


def _told(decided: Decided) -> Reply:
    if decided.refusal is not None:
        return Private(payment_answers.refused(decided.refusal, decided.instruction))
    return Private(payment_answers.recorded(decided.instruction, votes=decided.voices))

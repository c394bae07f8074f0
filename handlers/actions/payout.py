"""The buttons of a payout's card. Each button carries only which request and round it was made for."""

from typing import Protocol

from bot.domain.approvals import No, Refusal, may_decide
from bot.domain.content import Block
from bot.domain.instruction import Instruction, State
from bot.presentation import answers, cards, views
from bot.workflows import decide
from bot.workflows.decide import Decided
from bot.workflows.lookup import find_votes, get, is_copy
from handlers.desk import Desk
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
    router.actions[cards.WITHDRAW] = withdraw
    router.actions[cards.RETRY] = retry
    router.actions[cards.CLOSE] = close


async def approve(desk: Desk, click: Click) -> Reply:
    """Count a voice, or ask for the amount first where the policy wants it typed."""
    found = await _meant(desk, click)
    if isinstance(found, Private):
        return found
    refusal = await _forbidden(desk, click, found, State.AWAITING)
    if refusal is not None:
        return await _told(desk, Decided(found, refusal))
    if found.requirement.typed_amount:
        return Open(views.approve(found, metadata=views.about(found, channel=click.channel, ts=click.ts)))
    return await _told(desk, await decide.approve(desk.ctx, _decision(click, found)))


async def reject(desk: Desk, click: Click) -> Reply:
    """Open the form that asks for the reason."""
    return await _form(desk, click, State.AWAITING, views.reject)


async def retry(desk: Desk, click: Click) -> Reply:
    """Open the form that warns and asks for the amount."""
    return await _form(desk, click, State.NEEDS_HUMAN, views.retry)


async def close(desk: Desk, click: Click) -> Reply:
    """Open the form that asks how it is known that nothing was paid."""
    return await _form(desk, click, State.NEEDS_HUMAN, views.close)


async def withdraw(desk: Desk, click: Click) -> Reply:
    """Take a request back."""
    found = await _meant(desk, click)
    if isinstance(found, Private):
        return found
    decided = await decide.withdraw(desk.ctx, _decision(click, found))
    return Nothing() if decided.refusal is None else await _told(desk, decided)


async def _form(desk: Desk, click: Click, wanted: State, view: FormMaker) -> Reply:
    found = await _meant(desk, click)
    if isinstance(found, Private):
        return found
    refusal = await _forbidden(desk, click, found, wanted)
    if refusal is not None:
        return await _told(desk, Decided(found, refusal))
    return Open(view(found, metadata=views.about(found, channel=click.channel, ts=click.ts)))


async def _meant(desk: Desk, click: Click) -> Instruction | Private:
    """The request a button belongs to, if the message is a copy of its card that we posted ourselves."""
    instruction_id, _, round_text = click.value.partition(":")
    found = await get(desk.ctx, instruction_id)
    if found is None or not await is_copy(desk.ctx, found.id, channel=click.channel, ts=click.ts):
        return Private(answers.refused(Refusal.STALE))
    if round_text != str(found.round):
        return Private(answers.refused(Refusal.STALE, found))
    return found


async def _forbidden(desk: Desk, click: Click, found: Instruction, wanted: State) -> No | Refusal | None:
    """What can be said before a form opens; the workflow checks it all again when it is submitted."""
    ctx = desk.ctx
    standing = await ctx.people.standing(click.user)
    no = may_decide(standing, requester=found.requester, people=ctx.policy.people, home=ctx.home)
    if no is not None:
        return no
    return None if found.state is wanted else Refusal.DECIDED


def _decision(click: Click, found: Instruction) -> decide.Click:
    return decide.Click(instruction_id=found.id, round=found.round, person=click.user)


async def _told(desk: Desk, decided: Decided) -> Reply:
    if decided.refusal is not None:
        return Private(answers.refused(decided.refusal, decided.instruction))
    votes = await find_votes(desk.ctx, decided.instruction)
    return Private(answers.recorded(decided.instruction, votes=len(votes)))

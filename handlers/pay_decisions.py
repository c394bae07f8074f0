"""Deciding on a request: the buttons of its card, each of which carries only which request and round it was made for.

Where an amount, a confirmation or a reason is to be given, the button opens a form, and the form decides.
"""

from collections.abc import Awaitable, Callable
from functools import partial

from bot.domain.approvals import Refusal, may_decide, may_look
from bot.domain.content import Block
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.recipient import concerns
from bot.domain.text import clean
from bot.presentation import answers, views
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import cards, forms, payouts, wording
from bot.workflows.payments import recipient
from bot.workflows.requests import decide
from bot.workflows.requests.ballot import standing_of_voter
from bot.workflows.requests.decide import Decided, Shown, shown_as
from handlers.incoming import Click, Submission
from handlers.replies import DeclinedError, FieldErrors, Nothing, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, SubmissionHandler

_MakesForm = Callable[..., Block]
"""Makes the form of a decision about an instruction, with its metadata."""
_Decides = Callable[..., Awaitable[Decided]]
"""Decides with what the form says: the amount that was typed, or the reason."""


async def approve(deps: Dependencies, click: Click) -> Reply:
    """Count an approval, or open the form where the amount is to be typed or something about the account confirmed."""
    found, votes = await _decidable(deps, click, State.AWAITING)
    voters = frozenset(vote.person for vote in votes)
    if found.requirement.typed_amount or concerns(found.recipient):
        if click.user in voters:
            return Private(payment_answers.refused(Refusal.REPEATED, found))
        return _form(click, found, forms.approve)
    return _told(await decide.approve(deps.ctx, _decision(click, found, involved=voters | {found.requester})))


async def open_form(deps: Dependencies, click: Click, *, wanted: State, view: _MakesForm) -> Reply:
    found, _ = await _decidable(deps, click, wanted)
    return _form(click, found, view)


async def withdraw(deps: Dependencies, click: Click) -> Reply:
    """Withdraw the user's own request, or open the form that asks an admin for a reason to withdraw another's."""
    found, _ = await _meant(deps, click)
    decided = await decide.withdraw(deps.ctx, _decision(click, found))
    if decided.refusal is Refusal.NO_REASON:
        return _form(click, found, forms.withdraw)
    return Nothing() if decided.refusal is None else _told(decided)


async def send_anyway(deps: Dependencies, click: Click) -> Reply:
    found, _ = await _meant(deps, click)
    decided = await recipient.send_anyway(deps.ctx, _decision(click, found))
    return Nothing() if decided.refusal is None else _told(decided)


async def edit(deps: Dependencies, click: Click) -> Reply:
    """Open the form in which the requester changes a request whose address has no account."""
    found, _ = await _meant(deps, click)
    asked = await recipient.waiting(deps.ctx, _decision(click, found))
    if isinstance(asked, Decided):
        raise DeclinedError(payment_answers.refused(asked.refusal or Refusal.DECIDED, asked.instruction))
    return Open(forms.edit(asked))


def _form(click: Click, found: Instruction, view: _MakesForm) -> Open:
    return Open(view(found, metadata=forms.about(found, channel=click.channel, ts=click.ts)))


async def _meant(deps: Dependencies, click: Click) -> Shown:
    """The request of a button, if the message is one of its cards, posted by us."""
    instruction_id, _, round_text = click.value.partition(":")
    shown = await shown_as(deps.ctx, instruction_id, channel=click.channel, ts=click.ts)
    if shown is None:
        raise DeclinedError(answers.refused(Refusal.STALE))
    if round_text != str(shown[0].round):
        raise DeclinedError(payment_answers.refused(Refusal.STALE, shown[0]))
    return shown


async def _decidable(deps: Dependencies, click: Click, wanted: State) -> Shown:
    """The request, if this user may decide on it now; the workflow checks everything again in its transaction.

    Users without any role are refused before the database is read, because anybody can press a button repeatedly.
    """
    ctx = deps.ctx
    instruction_id, _, _ = click.value.partition(":")
    standing = await standing_of_voter(ctx, click.user, instruction_id)
    if may_look(standing, people=ctx.policy.people, home=ctx.home) is not None:
        no = may_decide(standing, requester="", people=ctx.policy.people, home=ctx.home)
        assert no is not None  # an approver has a role
        raise DeclinedError(answers.refused(no))
    shown = await _meant(deps, click)
    found, _ = shown
    no = may_decide(standing, requester=found.requester, people=ctx.policy.people, home=ctx.home)
    if no is not None or found.state is not wanted:
        raise DeclinedError(payment_answers.refused(no or Refusal.DECIDED, found))
    return shown


def _decision(click: Click, found: Instruction, *, involved: frozenset[str] = frozenset()) -> decide.Click:
    return decide.Click(instruction_id=found.id, round=found.round, person=click.user, involved=involved)


def _told(decided: Decided) -> Reply:
    if decided.refusal is not None:
        return Private(payment_answers.refused(decided.refusal, decided.instruction))
    return Private(payment_answers.recorded(decided.instruction, votes=decided.voices))


async def vote(deps: Dependencies, form: Submission, *, count: _Decides) -> Reply:
    """Approve, or approve a new attempt, with the amount typed."""
    return _answer(await count(deps.ctx, decision_of(form), typed_amount=form.values.get(forms.AMOUNT, "")))


async def end_with_reason(deps: Dependencies, form: Submission, *, end: _Decides) -> Reply:
    """Reject, withdraw, or close as not paid, with a reason."""
    reason = clean(form.values.get(forms.REASON, ""))
    if not reason:
        return FieldErrors({forms.REASON: answers.NO_REASON})
    return _answer(await end(deps.ctx, decision_of(form), reason=reason))


def decision_of(form: Submission) -> decide.Click:
    """The request and round that a form was opened for, and who decides."""
    return decide.Click(instruction_id=str(form.about["id"]), round=int(form.about["round"]), person=form.user)


def _answer(decided: Decided) -> Reply:
    if decided.refusal is None:
        return Nothing()
    if decided.refusal is Refusal.WRONG_AMOUNT:
        return FieldErrors({forms.AMOUNT: answers.wrong_amount(decided.instruction.cents)})
    content = payment_answers.refused(decided.refusal, decided.instruction)
    return Replace(views.notice(forms.NO_EFFECT_TITLE, content.text))


BUTTONS: dict[str, ClickHandler] = {
    cards.APPROVE: approve,
    cards.REJECT: partial(open_form, wanted=State.AWAITING, view=forms.reject),
    wording.WITHDRAW: withdraw,
    cards.RETRY: partial(open_form, wanted=State.NEEDS_HUMAN, view=forms.retry),
    cards.CLOSE: partial(open_form, wanted=State.NEEDS_HUMAN, view=forms.close),
    payouts.SEND_ANYWAY: send_anyway,
    payouts.EDIT: edit,
}
FORMS: dict[str, SubmissionHandler] = {
    # The form says what is not fine about the recipient, so who submits it confirms that.
    cards.APPROVE: partial(vote, count=partial(decide.approve, confirmed=True)),
    cards.REJECT: partial(end_with_reason, end=decide.reject),
    wording.WITHDRAW: partial(end_with_reason, end=decide.withdraw),
    cards.RETRY: partial(vote, count=decide.retry),
    cards.CLOSE: partial(end_with_reason, end=decide.close_as_not_paid),
}

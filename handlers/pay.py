"""``/pay``: request a payout or a payment from a buyer, on a line or in a form; decide; what waits; the kill switch.

The buttons of a request's card carry only which request and round it was made for. Where an amount, a confirmation or a
reason is to be given, the button opens a form, and the form decides.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from bot.domain.approvals import Refusal, Role, listed, may_decide, may_look, may_release, needs_confirming
from bot.domain.content import Block, Content
from bot.domain.errors import PersonError, ServiceNow
from bot.domain.fields import PAYEE_RULE, amount, email, payee
from bot.domain.payments import fields
from bot.domain.payments.instruction import Instruction, Kind, PayoutPayload, PurchasePayload, State
from bot.domain.text import clean
from bot.presentation import answers, views
from bot.presentation.blocks import text as md
from bot.presentation.payments import again, cards, forms, payouts, wording
from bot.presentation.payments import answers as payment_answers
from bot.workflows.admin.overview import decisions
from bot.workflows.payments import recipient
from bot.workflows.payments.payout_again import send_again
from bot.workflows.requests import decide
from bot.workflows.requests.authority import (
    Freezing,
    freeze,
    frozen,
    involved_in,
    refusal_of,
    sent_by_unfreezing,
    unfreeze,
)
from bot.workflows.requests.decide import Decided, Shown, shown_as, shown_at_home
from bot.workflows.requests.earlier import earlier_requests
from bot.workflows.requests.reach import short_of
from bot.workflows.requests.request import CodeTakenError, Requested, request
from handlers import bulk, pay_reading
from handlers.grammar.admission import admit, for_requester, opens, payee_address, payments_to_request
from handlers.grammar.arguments import Argument, Read, Values, mistake, read_form, wrong
from handlers.grammar.verbs import SlashCommand, Verb
from handlers.incoming import Click, Command, Submission
from handlers.pay_again import require_look, whole_story
from handlers.pay_reading import NAME
from handlers.replies import DeclinedError, Edit, FieldErrors, Nothing, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, SubmissionHandler

_KINDS = frozenset({Kind.PAYOUT, Kind.ONE_STEP})
"""What the form of a payout asks for; stored with its payload, any other kind could not be read."""
_MakesForm = Callable[..., Block]
"""Makes the form of a decision about an instruction, with its metadata."""
_Decides = Callable[..., Awaitable[Decided]]
"""Decides with what the form says: the amount that was typed, or the reason."""


async def _payout(deps: Dependencies, command: Command, values: Values, *, kind: Kind) -> Reply:
    _, address = await asyncio.gather(  # at once: two lookups one after the other may be too slow for the ack
        payments_to_request(deps, command.user, kind, even_frozen=False),
        payee_address(deps, command, values["email"]),
    )
    try:
        cents = fields.within_limit(values["amount"], deps.ctx.policy)
    except PersonError as broken:
        raise mistake(deps, NAME, _SEND.example, broken) from None
    code = values["code"] or ""
    payload = PayoutPayload(email=address, cents=cents, description=values["description"], code=code)
    try:
        asked = await request(deps.ctx, _requested(command, kind, payload))
        told = await for_requester(deps, asked, asked.origin_channel)
        # A button that was pressed is replaced; for a name, the answer says which address it stands for.
        is_plain = not command.asked_as and isinstance(values["email"], str)
        if is_plain and payment_answers.line_says_it(asked, **told):
            return Nothing()
        return Private(payment_answers.requested(asked, **told))
    except CodeTakenError as taken:
        rule = payment_answers.code_taken(taken.holder)
        raise wrong(deps, NAME, _SEND.example, argument="code", rule=rule, given=code) from None


async def submit_payout(deps: Dependencies, form: Submission) -> Reply:
    about = form.about
    if about.get("kind") not in _KINDS:
        return Replace(views.notice(forms.PAYOUT_TITLE, forms.OTHER_VERSION))
    readers: dict[str, Read] = {
        forms.EMAIL: email,
        forms.AMOUNT: lambda text: fields.within_limit(amount(text), deps.ctx.policy),
        forms.DESCRIPTION: fields.description,
        forms.CODE: _code,
    }
    read, errors = read_form(form.values, readers)
    if errors:
        return FieldErrors(errors)
    payload = PayoutPayload(
        email=read[forms.EMAIL],
        cents=read[forms.AMOUNT],
        description=read[forms.DESCRIPTION],
        code=read[forms.CODE],
    )
    kind = Kind(about["kind"])
    requested = _requested(form, kind, payload)
    await payments_to_request(deps, form.user, kind, even_frozen=False)
    try:
        if form.callback_id == payouts.EDIT:
            found = await recipient.edited(deps.ctx, _decision_of(form), requested)
        elif form.callback_id == again.RESEND:
            made = await send_again(deps.ctx, about["id"], form.user, payload)
            if not isinstance(made, Decided) and not made[1]:
                before = payment_answers.asked_before(made[0], "payout")
                return Replace(views.notice(forms.PAYOUT_TITLE, before.text))
            found = made if isinstance(made, Decided) else made[0]
        else:
            found = await request(deps.ctx, requested)
    except CodeTakenError as taken:
        return FieldErrors({forms.CODE: md.sentence_of(payment_answers.code_taken(taken.holder))})
    if isinstance(found, Decided):
        raise DeclinedError(payment_answers.refused(found.refusal or Refusal.DECIDED, found.instruction))
    return Replace(views.notice(forms.PAYOUT_TITLE, (await _asked(deps, found)).text))


def _code(text: str) -> str:
    return fields.code(text) if text.strip() else ""


def _requested(asked: Command | Submission, kind: Kind, payload: PayoutPayload | PurchasePayload) -> Requested:
    return Requested(
        requester=asked.user, channel=asked.channel, kind=kind, payload=payload, source_key=asked.source_key
    )


async def _asked(deps: Dependencies, instruction: Instruction) -> Content:
    return payment_answers.requested(instruction, **await for_requester(deps, instruction, instruction.origin_channel))


async def _collect(deps: Dependencies, command: Command, values: Values) -> Reply:
    try:
        together = fields.items_together(values["item"])
    except PersonError as broken:
        raise mistake(deps, NAME, COLLECT.example, broken) from None
    code = values["code"] or ""
    _, address = await asyncio.gather(
        payments_to_request(deps, command.user, Kind.PURCHASE), payee_address(deps, command, values["email"])
    )
    payload = PurchasePayload(email=address, description=values["description"], items=together, code=code)
    try:
        return Private(await _request_purchase(deps, payload, command))
    except CodeTakenError as taken:
        rule = payment_answers.code_taken(taken.holder)
        raise wrong(deps, NAME, COLLECT.example, argument="code", rule=rule, given=code) from None


async def submit_purchase(deps: Dependencies, form: Submission) -> Reply:
    readers: dict[str, Read] = {forms.EMAIL: email, forms.DESCRIPTION: fields.description, forms.CODE: _code}
    read, errors = read_form(form.values, readers)
    found, wrong = fields.item_lines(form.values.get(forms.ITEMS, ""))
    if wrong:
        errors[forms.ITEMS] = answers.at_lines(wrong)
    if errors:
        return FieldErrors(errors)
    payload = PurchasePayload(
        email=read[forms.EMAIL], description=read[forms.DESCRIPTION], items=tuple(found), code=read[forms.CODE]
    )
    try:
        answer = await _request_purchase(deps, payload, form)
    except CodeTakenError as taken:
        return FieldErrors({forms.CODE: md.sentence_of(payment_answers.code_taken(taken.holder))})
    return Replace(views.notice(forms.COLLECT_TITLE, answer.text))


async def _request_purchase(deps: Dependencies, payload: PurchasePayload, asked: Command | Submission) -> Content:
    await payments_to_request(deps, asked.user, Kind.PURCHASE)
    return await _asked(deps, await request(deps.ctx, _requested(asked, Kind.PURCHASE, payload)))


async def _approvals(deps: Dependencies, command: Command, _values: Values) -> Reply:
    return Private(await _waiting(deps, command.user))


async def _waiting(deps: Dependencies, user: str, laid: Sequence[str] = ()) -> Content:
    return payment_answers.waiting(await decisions(deps.ctx, await admit(deps, user), user, laid))


async def _freeze(deps: Dependencies, command: Command, values: Values) -> Reply:
    return _freezing(await freeze(deps.ctx, person=command.user, reason=values["reason"]), on=True)


async def _unfreeze(deps: Dependencies, command: Command, _values: Values) -> Reply:
    """Vote to unfreeze, at once if that sends nothing; otherwise show first what is sent."""
    ctx, standing = deps.ctx, await admit(deps, command.user)
    stopped, held = await ctx.read(lambda uow: (frozen(uow), sent_by_unfreezing(uow)))
    if stopped is None or stopped.is_restored or not held or not listed(Role.APPROVER, standing, ctx.policy.people):
        return _freezing(await unfreeze(ctx, person=command.user), on=False)
    votes = len({*stopped.lifting, command.user})
    return Open(forms.unfreeze(held, votes=votes, needed=ctx.policy.approval.quorum))


async def submit_unfreeze(deps: Dependencies, form: Submission) -> Reply:
    done = await unfreeze(deps.ctx, person=form.user)
    told = answers.refused(done.refusal) if done.refusal is not None else _frozen_or_not(done, on=False)
    return Replace(views.notice(forms.UNFREEZE_TITLE, told.text))


def _freezing(done: Freezing, *, on: bool) -> Reply:
    return Private(answers.refused(done.refusal) if done.refusal is not None else _frozen_or_not(done, on=on))


def _frozen_or_not(done: Freezing, *, on: bool) -> Content:
    return payment_answers.freezing(done.frozen, changed=done.changed, asked_to_freeze=on, needed=done.needed)


async def approve(deps: Dependencies, click: Click) -> Reply:
    """Count an approval, or open the form where the amount is to be typed or what may be wrong confirmed."""
    value, _, laid = click.value.partition("|")  # in a list: the requests that it shows
    click = replace(click, value=value)
    shown = await _decidable(deps, click, State.AWAITING)
    if shown is None:
        return Nothing()
    found, votes = shown
    voters = frozenset(vote.person for vote in votes)
    if found.requirement.typed_amount or needs_confirming(found):
        if click.user in voters:
            return Private(payment_answers.refused(Refusal.REPEATED, found))
        return await _form(deps, click, found, forms.approve)
    decision = _decision(click, found, involved=voters | {found.requester})
    decided = await decide.approve(deps.ctx, decision)
    if decided.refusal is None and click.is_private:
        return Edit(await _waiting(deps, click.user, laid.split()))
    return _after_click(decided)  # the card says that it counts


async def open_form(deps: Dependencies, click: Click, *, wanted: State, view: _MakesForm) -> Reply:
    shown = await _decidable(deps, click, wanted)
    return Nothing() if shown is None else await _form(deps, click, shown[0], view)


async def withdraw(deps: Dependencies, click: Click) -> Reply:
    """Withdraw the user's own request, or open the form that asks an admin for a reason to withdraw another's."""
    found, _ = await _meant(deps, click)
    decided = await decide.withdraw(deps.ctx, _decision(click, found))
    if decided.refusal is Refusal.NO_REASON:
        return await _form(deps, click, found, forms.withdraw)
    return _after_click(decided)


async def menu(deps: Dependencies, click: Click) -> Reply:
    """What was chosen behind the three dots of a card; its value is that of a button, after a word and a colon."""
    chosen, _, value = click.value.partition(":")
    click = replace(click, value=value)
    match chosen:
        case cards.WITHDRAW:
            found, _ = await _meant(deps, click)
            if click.user == found.requester:
                return Open(forms.take_back(found, metadata=_about(click, found)))
            return await withdraw(deps, click)
        case cards.HISTORY | cards.RECIPIENT:
            standing = await admit(deps, click.user)
            found, _ = await _meant(deps, click)
            require_look(deps, standing, click.user, found)
            if chosen == cards.RECIPIENT:
                return Open(views.result("Recipient", payouts.account(found).blocks))
            return await whole_story(deps, found, title="History")
    raise DeclinedError(answers.refused(Refusal.STALE))


async def open_release(deps: Dependencies, click: Click) -> Reply:
    """The form in which an admin lets a request be sent that may pay twice."""
    standing = await admit(deps, click.user)
    found, _ = await _meant(deps, click)
    no = may_release(standing, requester=found.requester, people=deps.ctx.policy.people, home=deps.ctx.home)
    if no is not None or not decide.is_held_back(found):
        raise DeclinedError(payment_answers.refused(no or Refusal.DECIDED, found))
    earlier = await deps.ctx.read(lambda uow: earlier_requests(uow, found))
    about = forms.about(found, channel=click.channel, ts=click.ts, seen=decide.seen_of(found))
    return Open(forms.release(found, earlier, metadata=about))


async def release(deps: Dependencies, form: Submission) -> Reply:
    return await end_with_reason(deps, form, end=partial(decide.release, seen=str(form.about["seen"])))


async def send_anyway(deps: Dependencies, click: Click) -> Reply:
    found, _ = await _meant(deps, click)
    return _after_click(await recipient.send_anyway(deps.ctx, _decision(click, found)))


async def edit(deps: Dependencies, click: Click) -> Reply:
    found, _ = await _meant(deps, click)
    asked = await deps.ctx.read(lambda uow: recipient.waiting(uow, _decision(click, found)))
    if isinstance(asked, Decided):
        raise DeclinedError(payment_answers.refused(asked.refusal or Refusal.DECIDED, asked.instruction))
    return Open(forms.edit(asked))


async def _form(deps: Dependencies, click: Click, found: Instruction, view: _MakesForm) -> Open:
    short = await deps.ctx.read(lambda uow: short_of(uow, found))
    return Open(view(found, metadata=_about(click, found), short=short))


def _about(click: Click, found: Instruction) -> str:
    return forms.about(found, channel=click.channel, ts=click.ts)


async def _meant(deps: Dependencies, click: Click) -> Shown:
    """The request of a button: of one of its cards, posted by us, of an App Home, or of a private answer."""
    instruction_id, _, round_text = click.value.partition(":")
    if click.at_home or click.is_private:
        await admit(deps, click.user)
        shown = await shown_at_home(deps.ctx, instruction_id)
    else:
        shown = await shown_as(deps.ctx, instruction_id, channel=click.channel, ts=click.ts)
    if shown is None:
        raise DeclinedError(answers.refused(Refusal.STALE))
    if round_text != str(shown[0].round):
        raise DeclinedError(payment_answers.refused(Refusal.STALE, shown[0]))
    return shown


async def _decidable(deps: Dependencies, click: Click, wanted: State) -> Shown | None:
    """The request, if this user may decide on it now; who has no role is refused before the database is read.

    None: the second tap of an approver's finger, before the row of their App Home has lost its buttons.
    """
    ctx = deps.ctx
    instruction_id, _, _ = click.value.partition(":")
    try:
        standing = await ctx.people.standing(click.user)
    except ServiceNow:  # Slack is too slow: all on whom the vote depends are asked for
        ctx.people.expect(await involved_in(ctx, instruction_id))
        raise
    if may_look(standing, people=ctx.policy.people, home=ctx.home) is not None:
        no = may_decide(standing, requester="", people=ctx.policy.people, home=ctx.home)
        assert no is not None  # an approver has a role
        raise DeclinedError(answers.refused(no))
    shown = await _meant(deps, click)
    found, votes = shown
    if click.at_home and click.user in {vote.person for vote in votes}:
        return None
    no = await ctx.read(lambda uow: refusal_of(uow, found, standing))
    if no is not None or found.state is not wanted:
        raise DeclinedError(payment_answers.refused(no or Refusal.DECIDED, found))
    return shown


def _decision(click: Click, found: Instruction, *, involved: frozenset[str] = frozenset()) -> decide.Decision:
    return decide.Decision(instruction_id=found.id, round=found.round, person=click.user, involved=involved)


def _after_click(decided: Decided) -> Reply:
    if decided.refusal is not None:
        return Private(payment_answers.refused(decided.refusal, decided.instruction))
    return Nothing()


async def vote(deps: Dependencies, form: Submission, *, count: _Decides) -> Reply:
    return _answer(await count(deps.ctx, _decision_of(form), typed_amount=form.values.get(forms.AMOUNT, "")))


async def end_with_reason(deps: Dependencies, form: Submission, *, end: _Decides) -> Reply:
    reason = clean(form.values.get(forms.REASON, ""))
    if not reason:
        return FieldErrors({forms.REASON: answers.NO_REASON})
    return _answer(await end(deps.ctx, _decision_of(form), reason=reason))


async def take_back(deps: Dependencies, form: Submission) -> Reply:
    if forms.REASON in form.values:
        return await end_with_reason(deps, form, end=decide.withdraw)
    return _answer(await decide.withdraw(deps.ctx, _decision_of(form)))


def _decision_of(form: Submission) -> decide.Decision:
    return decide.Decision(instruction_id=str(form.about["id"]), round=int(form.about["round"]), person=form.user)


def _answer(decided: Decided) -> Reply:
    if decided.refusal is None:
        return Nothing()
    if decided.refusal is Refusal.WRONG_AMOUNT:
        return FieldErrors({forms.AMOUNT: answers.wrong_amount(decided.instruction.cents)})
    content = payment_answers.refused(decided.refusal, decided.instruction)
    return Replace(views.notice(forms.NO_EFFECT_TITLE, content.text))


_CODE = Argument(name="code", rule=fields.CODE_RULE, read=fields.code, optional=True, apart=True)
_SEND = Verb(
    "send",
    "request a payout; it is sent once it's approved",
    partial(_payout, kind=Kind.PAYOUT),
    example='send ana@example.com 25.00 "March translation"',
    alone=opens(
        partial(payments_to_request, kind=Kind.PAYOUT),
        lambda command: forms.request(channel=command.channel, kind=Kind.PAYOUT),
    ),
    arguments=(
        Argument(name="email", rule=PAYEE_RULE, read=payee),
        Argument(
            name="amount", rule=fields.AMOUNT_RULE, read=amount, unit=fields.currency, continued=fields.continued_amount
        ),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description, rest=True),
        _CODE,
    ),
)
_NOW = Verb(
    "now",
    "the same, but creates the payout only after approval",
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
    "request money; you get a checkout link",
    _collect,
    example='collect ana@example.com "Spring campaign" web=2x10.00 "Print ads=1x99.50"',
    alone=opens(
        partial(payments_to_request, kind=Kind.PURCHASE), lambda command: forms.collect(channel=command.channel)
    ),
    arguments=(
        Argument(name="email", rule=PAYEE_RULE, read=payee),
        Argument(name="description", rule=fields.DESCRIPTION_RULE, read=fields.description),
        Argument(name="item", typed="<item>=<qty>x<unit>…", rule=fields.ITEM_RULE, read=fields.word, each=True),
        _CODE,
    ),
)
_APPROVALS = Verb("approvals", "what waits for approval, yours first", _approvals)
FREEZE = Verb(
    "freeze",
    "freeze all payments (approvers and admins)",
    _freeze,
    example="freeze the bank called",
    arguments=(Argument(name="reason", rule="a reason in a few words", read=fields.reason, rest=True),),
)
_UNFREEZE = Verb("unfreeze", "vote to unfreeze payments", _unfreeze)

COMMAND = SlashCommand(
    NAME,
    "Pay people, with approval",
    (_SEND, _NOW, COLLECT, *pay_reading.VERBS, *bulk.VERBS, _APPROVALS, FREEZE, _UNFREEZE),
    (
        ("Pay someone", "send"),
        ("Pay in bulk", "bulk"),
        ("Request money", "collect"),
        ("Approvals", "approvals"),
        ("Recent payments", "list"),
    ),
)
BUTTONS: dict[str, ClickHandler] = {
    cards.APPROVE: approve,
    cards.REJECT: partial(open_form, wanted=State.AWAITING, view=forms.reject),
    wording.WITHDRAW: withdraw,
    cards.MENU: menu,
    cards.RETRY: partial(open_form, wanted=State.NEEDS_HUMAN, view=forms.retry),
    cards.CLOSE: partial(open_form, wanted=State.NEEDS_HUMAN, view=forms.close),
    cards.RELEASE: open_release,
    payouts.SEND_ANYWAY: send_anyway,
    payouts.EDIT: edit,
}
FORMS: dict[str, SubmissionHandler] = {
    # The form says what is not fine about the recipient, so who submits it confirms that.
    cards.APPROVE: partial(vote, count=partial(decide.approve, confirmed=True)),
    cards.REJECT: partial(end_with_reason, end=decide.reject),
    wording.WITHDRAW: take_back,
    cards.RETRY: partial(vote, count=decide.retry),
    cards.CLOSE: partial(end_with_reason, end=decide.close_as_not_paid),
    cards.RELEASE: release,
    forms.UNFREEZE: submit_unfreeze,
    forms.REQUEST: submit_payout,
    payouts.EDIT: submit_payout,
    again.RESEND: submit_payout,
    forms.COLLECT: submit_purchase,
}

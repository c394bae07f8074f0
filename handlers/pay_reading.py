"""The read-only verbs of ``/pay`` (``show``, ``list``, ``events``, ``account``, ``partner``) with pages and a form."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http import HTTPStatus
from typing import Any, Final

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.approvals import Refusal, Role, listed, may_see_balance
from bot.domain.content import Content
from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow
from bot.domain.fields import PAYEE_RULE, email, payee, reference
from bot.domain.payments import fields
from bot.domain.payments.bulk_records import BulkJob
from bot.domain.payments.instruction import Instruction, Kind
from bot.domain.payments.lookups import recipient_of
from bot.domain.payments.operation import Operation
from bot.domain.payments.taken import may_be_taken
from bot.presentation import answers, views
from bot.presentation.audit import with_timeline
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import forms, operations, payouts
from bot.presentation.reasons import sentence
from bot.workflows.admin.audit import Story, story
from bot.workflows.context import Context
from bot.workflows.payments.bulk_again import paid_again
from bot.workflows.payments.own_rows import own_row
from bot.workflows.payments.purchase import link_of
from bot.workflows.payments.recipient import meant_by
from bot.workflows.payments.sought import PER_PAGE, every_operation, is_of, list_operations, named_there, record_of
from bot.workflows.payments.take_in import Refused, may_be_offered
from bot.workflows.payments.take_in import take_in as ask_to_commit
from bot.workflows.requests.request import check_cards, find, find_votes
from handlers.grammar.admission import (
    admit,
    for_requester,
    opens,
    payee_address,
    payments_for,
    payments_to_request,
    service_call,
    then,
)
from handlers.grammar.arguments import Argument, Values, read_form, wrong
from handlers.grammar.references import PAYMENTS, of_kind, other_kind
from handlers.grammar.verbs import Verb, offer
from handlers.incoming import Click, Command, Submission
from handlers.lists import Listing, ListReader, Rows, write_table
from handlers.replies import (
    Answer,
    DeclinedError,
    Edit,
    FieldErrors,
    Later,
    MistakesError,
    Nothing,
    Private,
    Replace,
    Reply,
)
from handlers.router import ClickHandler, Dependencies, SubmissionHandler

NAME: Final = "pay"


async def _show(deps: Dependencies, command: Command, values: Values) -> Reply:
    ctx, text = deps.ctx, values["operation"]
    payments = ctx.payments.client
    standing = await admit(deps, command.user)
    in_a_role = any(listed(role, standing, ctx.policy.people) for role in Role)
    found = await story(ctx.store, text)
    if found is not None and (in_a_role or found.about.requester == command.user):
        await check_cards(ctx, found.about)
        return Later(partial(_as_it_is_now, deps, found, takes=in_a_role), await _answer(deps, found))
    if (other := other_kind(text, takes=PAYMENTS, argument="operation")) is not None and found is None:
        raise other
    if found is not None or not in_a_role or payments is None:
        raise _unknown("operation", deps, text)

    async def look_there() -> Answer:
        with _or_unknown("operation", deps, text):
            operation, more = await named_there(payments, text)
        ours = await story(ctx.store, operation.id) or await story(ctx.store, operation.code or "")
        if ours is not None and is_of(ctx, ours.about, operation):
            return await _as_it_is_now(deps, ours, takes=in_a_role)
        row = await ctx.read(lambda uow: own_row(uow, operation))
        return Private(operations.record(operation, **await _ways_on(ctx, payments, operation), more=more, row=row))

    return service_call(look_there)


async def show(deps: Dependencies, name: str) -> Private:
    found = await story(deps.ctx.store, name)
    if found is None:
        raise LookupError(name)
    return await _as_it_is_now(deps, found)


async def _as_it_is_now(deps: Dependencies, found: Story[Instruction], *, takes: bool = False) -> Private:
    """Return the card with its history and the service's current record, or the stored state if it can't be read.

    ``takes``: the reader may import a payout that was created elsewhere.
    """
    about = found.about
    try:
        record = await record_of(deps.ctx, about)
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        return await _answer(deps, found, partial(operations.without_record, said=sentence(trouble)))
    if record is None:
        return await _answer(deps, found)
    if isinstance(record, BulkJob):
        return await _answer(deps, found, partial(operations.with_facts, known=payment_answers.job_facts(record)))
    takeable = takes and may_be_taken(about) and await may_be_offered(deps.ctx, record)
    return await _answer(deps, found, partial(operations.with_record, operation=record, takeable=takeable))


async def _ways_on(ctx: Context, payments: PaymentsClient, operation: Operation) -> dict[str, Any]:
    """Return the checkout link of an unpaid purchase, and whether a payout may be imported."""
    is_open = operation.operation_type == "purchase" and not operation.is_final
    link = ""
    with suppress(ServiceNever):  # its id is malformed
        link = payments.checkout_url(operation.id) if is_open else ""
    return {"link": link, "takeable": await may_be_offered(ctx, operation)}


async def take_in(deps: Dependencies, click: Click) -> Reply:
    payments = await payments_to_request(deps, click.user, Kind.PAYOUT, even_frozen=False)

    async def work() -> Answer:
        found = await ask_to_commit(deps.ctx, payments, click.value, requester=click.user, channel=click.channel)
        if isinstance(found, Refused):
            return Private(operations.taken_in(found.why, found.operation, found.reason))
        asked, is_new = found
        if not is_new:
            return Private(payment_answers.asked_before(asked, "payout"))
        return Private(payment_answers.requested(asked, **await for_requester(deps, asked, click.channel)))

    return service_call(work, meanwhile=Nothing())


async def _answer(
    deps: Dependencies, found: Story[Instruction], add: Callable[[Content], Content] | None = None
) -> Private:
    """Return the card with its history; ``add`` inserts content between them."""
    instruction = found.about
    votes = await find_votes(deps.ctx, instruction)
    approvals, link = deps.ctx.policy.channels.approvals, link_of(deps.ctx, instruction)
    again = await deps.ctx.read(lambda uow: paid_again(uow, instruction))
    card = payment_answers.shown_to(instruction, votes, approvals_channel=approvals, link=link, again=again)
    card = add(card) if add is not None else card
    return Private(with_timeline(card, instruction, found.rows, is_complete=found.is_complete))


async def _list(deps: Dependencies, command: Command, values: Values) -> Reply:
    payments = await payments_for(deps, command.user)
    which, page, per_page = values["payouts|purchases"], values["page"] or 1, values["per"] or PER_PAGE
    return service_call(then(lambda: _page(deps, payments, page, which, per_page), Private))


async def _whole(deps: Dependencies, user: str, value: str) -> Listing:
    payments = await payments_for(deps, user)
    try:
        which: OperationType | None = fields.listing(value) if value != "all" else None
    except PersonError:
        raise DeclinedError(answers.refused(Refusal.STALE)) from None

    async def pages() -> AsyncIterator[Rows]:
        yield [operations.CSV_HEADER]
        async for found, ours in every_operation(deps.ctx, payments, which):
            yield [operations.csv_row(one, ours) for one in found]

    name = f"{which or 'operation'}s"
    return Listing(title=name.capitalize(), name=name, write=partial(write_table, pages()))


async def turn(deps: Dependencies, click: Click) -> Reply:
    payments = await payments_for(deps, click.user)
    what, _, number = click.value.partition(":")
    which, _, per = what.partition("@")  # buttons of older messages have no page size
    try:
        per_page = fields.per_page(per) if per else PER_PAGE
        operation_type: OperationType | None = fields.listing(which) if which else None
        page = fields.page(number)
    except PersonError:
        return Private(answers.refused(Refusal.STALE))
    ask = partial(_page, deps, payments, page, operation_type, per_page)
    return service_call(then(ask, Edit), meanwhile=Nothing())


async def _page(
    deps: Dependencies, payments: PaymentsClient, page: int, which: OperationType | None, per_page: int
) -> Content:
    found, ours = await list_operations(deps.ctx, payments, page=page, operation_type=which, per_page=per_page)
    return operations.listing(found, ours, operation_type=which, command=deps.spelled(NAME), per_page=per_page)


async def _events(deps: Dependencies, command: Command, values: Values) -> Reply:
    payments, text = await payments_for(deps, command.user), values["payout"]
    instruction = await find(deps.ctx, text)
    if instruction is not None and instruction.kind not in (Kind.PAYOUT, Kind.ONE_STEP):
        raise of_kind(instruction.reference, deps.ctx.kinds[instruction.kind].letter, argument="payout")
    if instruction is None and (other := other_kind(text, takes=PAYMENTS, argument="payout")) is not None:
        raise other
    if instruction is not None and instruction.remote_id is None:
        return Private(operations.not_created(instruction.reference))
    named = instruction.reference if instruction is not None else text
    remote_id = (instruction.remote_id if instruction is not None else None) or text

    async def look_there() -> Answer:
        with _or_unknown("payout", deps, text):
            events = await payments.payout_events(remote_id)
        return Private(operations.events(named, events))

    return service_call(look_there)


async def _account(deps: Dependencies, command: Command, values: Values) -> Reply:
    payments, address = await asyncio.gather(
        payments_for(deps, command.user), payee_address(deps, command, values["email"])
    )

    async def look_there() -> Answer:
        found = await payments.account_status(address)
        meant, told = await meant_by(deps.ctx, address, recipient_of(found)), operations.account(address, found)
        return Private(
            answers.or_meant(told, meant, offer(f"Look up {meant}", NAME, f"account {meant}")) if meant else told
        )

    return service_call(look_there)


async def look_up(deps: Dependencies, form: Submission) -> Reply:
    read, errors = read_form(form.values, {forms.EMAIL: email})
    if errors:
        return FieldErrors(errors)
    address: str = read[forms.EMAIL]
    payments = await payments_for(deps, form.user)

    async def look_there() -> Answer:
        found = operations.account(address, await payments.account_status(address))
        return Replace(views.result(forms.ACCOUNT_TITLE, found.blocks))

    return service_call(look_there)


async def _partner(deps: Dependencies, command: Command, _values: Values) -> Reply:
    payments = await payments_for(deps, command.user, may_see_balance)
    return service_call(then(payments.partner, lambda found: Private(operations.partner(found))))


@contextmanager
def _or_unknown(argument: str, deps: Dependencies, given: str) -> Iterator[None]:
    """Turn the service's error for an unknown operation into a mistake."""
    try:
        yield
    except ServiceNever as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        raise _unknown(argument, deps, given, said=refused.words) from None


def _unknown(argument: str, deps: Dependencies, given: str, *, said: str = "") -> MistakesError:
    rule = answers.unknown(given, see=f"{deps.spelled(NAME)} list", said=said)
    return wrong(deps, NAME, "", argument=argument, rule=rule)


SHOW = Verb(
    "show",
    "show a payment and its history",
    _show,
    example="show P-4F7K2M",
    arguments=(Argument(name="operation", rule=fields.OPERATION_RULE, read=reference),),
)
LIST = Verb(
    "list",
    "list payouts and purchases",
    _list,
    example="list payouts page=2 per=25",
    arguments=(
        Argument(name="payouts|purchases", rule=fields.LISTING_RULE, read=fields.listing, optional=True),
        Argument(name="page", rule=fields.PAGE_RULE, read=fields.page, optional=True),
        Argument(name="per", rule=fields.PER_PAGE_RULE, read=fields.per_page, optional=True, apart=True),
    ),
)
EVENTS = Verb(
    "events",
    "webhook deliveries for a payout",
    _events,
    example="events P-4F7K2M",
    arguments=(Argument(name="payout", rule=fields.OPERATION_RULE, read=reference),),
)
ACCOUNT = Verb(
    "account",
    "look up the account behind an e-mail address",
    _account,
    example="account ana@example.com",
    alone=opens(payments_for, lambda _: forms.account()),
    arguments=(Argument(name="email", rule=PAYEE_RULE, read=payee),),
)
PARTNER = Verb("partner", "our account and balance (approvers and admins)", _partner)

VERBS = (SHOW, LIST, EVENTS, ACCOUNT, PARTNER)
"""In the order of the help text."""
BUTTONS: dict[str, ClickHandler] = {operations.PREVIOUS: turn, operations.NEXT: turn, payouts.TAKE_IN: take_in}
FORMS: dict[str, SubmissionHandler] = {forms.ACCOUNT: look_up}
LISTS: dict[str, ListReader] = {operations.LIST: _whole}

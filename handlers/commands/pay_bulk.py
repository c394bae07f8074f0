"""``/pay bulk``: ask for many payments with one file; look at bulk payments, cancel what is pending in them."""

from collections.abc import Callable
from typing import Final

from bot.clients.payments import PaymentsClient
from bot.clients.service_errors import sentence
from bot.domain.approvals import may_request
from bot.domain.content import Content
from bot.domain.errors import OperatorError, PersonError
from bot.domain.money import Cents
from bot.domain.payments.bulk_file import Checked
from bot.presentation import answers, views
from bot.presentation.mistakes import mistakes
from bot.presentation.payments import bulk_answers, bulk_files
from bot.presentation.payments.freezing import refused_while_frozen
from bot.tables import write_csv
from bot.workflows.payments.bulk_cancel_request import AskedCancel, NotAsked, request_cancel
from bot.workflows.payments.bulk_reading import Bulk, find_bulk, history_page, items_page
from bot.workflows.payments.bulk_request import AskedBulk, request_bulk
from bot.workflows.requests.freeze import is_frozen
from handlers.commands.pay_reading import admitted, asking, show
from handlers.dependencies import Desk
from handlers.incoming import Command
from handlers.input import fields
from handlers.input.configured import configured
from handlers.input.grammar import Argument, MistakesError, Values, Verb
from handlers.input.presence import can_post
from handlers.replies import Answer, Edit, Nothing, Open, Private, Reply

_PAY: Final = "pay"
EVERYTHING: Final = "all"
TEMPLATE_NAME: Final = "switchboard-bulk-template.csv"


# Asking


async def admit(desk: Desk, user: str) -> PaymentsClient | Private:
    """The service, for somebody who may ask for payments now; or why not."""
    ctx = desk.ctx
    payments = configured(ctx.payments, "payments")
    if isinstance(payments, Private):
        return payments
    refusal = may_request(await ctx.people.standing(user), people=ctx.policy.people, home=ctx.home)
    if refusal is not None:
        return Private(answers.refused(refusal))
    return payments


def unsendable(require: Callable[[], None]) -> Private | None:
    """What only the operator can mend and would keep this from being sent once it is approved."""
    try:
        require()
    except OperatorError as unconfirmed:
        return Private(answers.trouble(sentence(unconfirmed)))
    return None


async def admit_bulk(desk: Desk, user: str) -> PaymentsClient | Private:
    """The same for a new bulk payment: also nothing is frozen and the route is confirmed."""
    payments = await admit(desk, user)
    if isinstance(payments, Private):
        return payments
    stopped = await is_frozen(desk.ctx)
    if stopped is not None:
        return Private(refused_while_frozen(stopped))
    return unsendable(payments.require_bulk) or payments


async def ask(
    desk: Desk, checked: Checked, *, user: str, channel: str, source_key: str, thread_ts: str = ""
) -> Private:
    """Ask for what was read; nothing is requested while one row is bad."""
    problem = await problem_with(desk, checked, user=user)
    if problem is not None:
        return Private(problem)
    asked = AskedBulk(
        requester=user,
        channel=channel,
        name=checked.name,
        items=checked.items,
        source_key=source_key,
        read_as=checked.read_as,
        thread_ts=thread_ts,
    )
    instruction = await request_bulk(desk.ctx, asked)
    member = await can_post(desk.messenger, channel)
    return Private(bulk_answers.asked(instruction, member=member, name=checked.name, read_as=checked.read_as))


async def problem_with(desk: Desk, checked: Checked, *, user: str) -> Content | None:
    """What keeps it from being asked for. Bad rows that no message can hold go to this person as a file."""
    if checked.bad:
        if bulk_answers.needs_file(checked.bad):
            content = write_csv(bulk_answers.BAD_HEADER, bulk_answers.bad_lines(checked.bad))
            await _send_file(desk, user, content, name="rows-to-mend.csv", title="Rows to mend")
        return bulk_answers.bad_rows(checked.name, checked.bad, rows=checked.rows)
    try:
        fields.within_limit(Cents(sum(item.cents for item in checked.items)), desk.ctx.policy)
    except PersonError as broken:
        return mistakes([PersonError(argument="sum", rule=broken.rule, example="", given=broken.given)])
    return None


async def _form(desk: Desk, command: Command) -> Reply:
    payments = await admit_bulk(desk, command.user)
    return payments if isinstance(payments, Private) else Open(views.bulk(channel=command.channel))


async def _no_arguments(desk: Desk, command: Command, _values: Values) -> Reply:
    return await _form(desk, command)


async def _template(desk: Desk, command: Command, _values: Values) -> Reply:
    return await template(desk, command.user)


async def template(desk: Desk, user: str) -> Reply:
    """Send an empty table to fill in, to this person alone."""
    payments = await admit(desk, user)
    if isinstance(payments, Private):
        return payments

    async def work() -> Answer:
        content = write_csv(bulk_files.REQUEST_HEADER, bulk_files.TEMPLATE)
        await _send_file(desk, user, content, name=TEMPLATE_NAME, title="Template for a bulk payment")
        return Private(bulk_answers.template_sent())

    return asking(work, meanwhile=Nothing())


async def _send_file(desk: Desk, user: str, content: bytes, *, name: str, title: str) -> None:
    channel = await desk.messenger.direct_message(user)
    await desk.ctx.files.share(
        name=name, content=content, title=title, alt=title, comment=title, channel=channel, thread_ts=None
    )


# Looking


async def _show(desk: Desk, command: Command, values: Values) -> Reply:
    payments = await admitted(desk, command.user)
    if isinstance(payments, Private):
        return payments

    async def look_there() -> Answer:
        bulk = await _found(desk, payments, values["bulk"], SHOW)
        if bulk.job is not None:
            return Private(bulk_answers.job(bulk.job))
        return await show(desk, bulk.name)

    return asking(look_there)


async def _items(desk: Desk, command: Command, values: Values) -> Reply:
    return await _page(desk, command.user, values, failed=False)


async def _failed(desk: Desk, command: Command, values: Values) -> Reply:
    return await _page(desk, command.user, values, failed=True)


async def _page(desk: Desk, user: str, values: Values, *, failed: bool) -> Reply:
    payments = await admitted(desk, user)
    if isinstance(payments, Private):
        return payments
    page = values["page"] or 1
    return asking(lambda: turn_items(desk, payments, values["bulk"], page=page, failed=failed, instead=False))


async def turn_items(
    desk: Desk, payments: PaymentsClient, text: str, *, page: int, failed: bool, instead: bool
) -> Answer:
    """One page of items. ``instead``: in place of the page whose button was pressed."""
    bulk = await _found(desk, payments, text, FAILED if failed else ITEMS)
    found = await items_page(desk.ctx, payments, bulk, page=page, failed=failed)
    content = bulk_answers.items(
        bulk.name,
        found.rows,
        page=found.page,
        pages=found.pages,
        total=found.total,
        failed=failed,
        read_at=found.read_at,
    )
    return Edit(content) if instead else Private(content)


async def _history(desk: Desk, command: Command, values: Values) -> Reply:
    payments = await admitted(desk, command.user)
    if isinstance(payments, Private):
        return payments
    return asking(lambda: turn_history(desk, payments, page=values["page"] or 1, instead=False))


async def turn_history(desk: Desk, payments: PaymentsClient, *, page: int, instead: bool) -> Answer:
    """One page of all bulk payments."""
    found, ours = await history_page(desk.ctx, payments, page=page)
    content = bulk_answers.history(found, ours, command=desk.spelled(_PAY))
    return Edit(content) if instead else Private(content)


async def _found(desk: Desk, payments: PaymentsClient, text: str, verb: Verb) -> Bulk:
    bulk = await find_bulk(desk.ctx, payments, text)
    if bulk is None:
        rule = f"no bulk payment of that name is known here; it is {fields.BULK_RULE}"
        raise MistakesError([_mistake(desk, "bulk", rule, verb, text)])
    return bulk


# Canceling


async def _cancel(desk: Desk, command: Command, values: Values) -> Reply:
    hashes = values["hash"]
    everything = [one.lower() for one in hashes] == [EVERYTHING]
    return await cancel(
        desk,
        user=command.user,
        channel=command.channel,
        text=values["bulk"],
        hashes=None if everything else hashes,
        source_key=f"command:{command.trigger_id}",
    )


async def cancel(desk: Desk, *, user: str, channel: str, text: str, hashes: list[str] | None, source_key: str) -> Reply:
    """Ask to cancel; ``hashes`` None is everything that is pending now."""
    payments = await admit(desk, user)
    if isinstance(payments, Private):
        return payments
    refused = unsendable(payments.require_cancel)
    if refused is not None:
        return refused

    async def work() -> Answer:
        bulk = await _found(desk, payments, text, CANCEL)
        if not bulk.remote_id:
            rule = "it has not been sent, so nothing of it can be pending; withdraw it on its card"
            raise MistakesError([_mistake(desk, "bulk", rule, CANCEL, text)])
        asked = AskedCancel(
            requester=user,
            channel=channel,
            bulk=bulk.name,
            remote_id=bulk.remote_id,
            hashes=hashes,
            source_key=source_key,
        )
        found = await request_cancel(desk.ctx, payments, asked)
        if isinstance(found, NotAsked):
            rule = bulk_answers.cannot_cancel(found.why.value, found.hashes, found.statuses, bulk=bulk.name)
            raise MistakesError([_mistake(desk, "hash", rule, CANCEL, "")])
        return Private(answers.requested(found, member=await can_post(desk.messenger, channel)))

    return asking(work)


def _mistake(desk: Desk, argument: str, rule: str, verb: Verb, given: str) -> PersonError:
    return PersonError(argument=argument, rule=rule, example=f"{desk.spelled(_PAY)} {verb.example}", given=given)


def _hash(text: str) -> str:
    """A hash, its beginning, or a row number."""
    return text.strip().strip("`,;…").removesuffix("...")


_BULK = Argument(name="bulk", rule=fields.BULK_RULE, read=fields.operation)
_PAGE = Argument(name="page", rule=fields.PAGE_RULE, read=fields.page, optional=True)

FORM = Verb(
    name="bulk",
    summary="ask for many payments with one file or typed rows; they are sent once enough people have approved them",
    example="bulk",
    run=_no_arguments,
    alone=_form,
)
SHOW = Verb(
    name="bulk show",
    summary="one bulk payment as it stands",
    example="bulk show L-4F7K2M",
    run=_show,
    arguments=(_BULK,),
)
ITEMS = Verb(
    name="bulk items",
    summary="its payments with their hashes, page by page",
    example="bulk items L-4F7K2M 2",
    run=_items,
    arguments=(_BULK, _PAGE),
)
FAILED = Verb(
    name="bulk failed",
    summary="those that failed, with the reason",
    example="bulk failed L-4F7K2M",
    run=_failed,
    arguments=(_BULK, _PAGE),
)
HISTORY = Verb(
    name="bulk history",
    summary="all bulk payments of the account",
    example="bulk history",
    run=_history,
    arguments=(_PAGE,),
)
CANCEL = Verb(
    name="bulk cancel",
    summary="ask to cancel payments that are still pending: all of them, or some by row number or hash",
    example="bulk cancel L-4F7K2M 3 9f86d081",
    run=_cancel,
    arguments=(
        _BULK,
        Argument(name="hash", typed="<hash…|all>", rule=fields.HASHES_RULE, read=_hash, each=True),
    ),
)
TEMPLATE = Verb(
    name="bulk template",
    summary="a file to fill in, sent to you directly",
    example="bulk template",
    run=_template,
)

VERBS = (FORM, SHOW, ITEMS, FAILED, HISTORY, CANCEL, TEMPLATE)
"""In the order of the help."""

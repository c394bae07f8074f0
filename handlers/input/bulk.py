"""Shared by the commands, buttons and forms of bulk payments: request one, cancel items of one, show one."""

from typing import Final

from bot.clients.payments import PaymentsClient
from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.money import Cents
from bot.domain.payments.bulk_file import Checked
from bot.domain.payments.instruction import Kind
from bot.presentation.mistakes import mistakes, unknown
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import bulk_answers, bulk_files
from bot.tables import write_csv
from bot.workflows.payments import bulk_cancel_request, bulk_request
from bot.workflows.payments.bulk_cancel_request import NotRequested, RequestedCancel
from bot.workflows.payments.bulk_reading import Bulk, find_bulk, history_page, items_page
from bot.workflows.payments.bulk_request import RequestedBulk
from handlers.dependencies import Dependencies
from handlers.input import fields
from handlers.input.admission import payments_to_request
from handlers.input.grammar import wrong
from handlers.input.payments import COMMAND
from handlers.input.presence import can_post
from handlers.input.service_call import service_call
from handlers.replies import Answer, Edit, Nothing, Private, Reply

TEMPLATE_NAME: Final = "switchboard-bulk-template.csv"
ITEMS_EXAMPLE: Final = "bulk items L-4F7K2M 2"
FAILED_EXAMPLE: Final = "bulk failed L-4F7K2M"
CANCEL_EXAMPLE: Final = "bulk cancel L-4F7K2M 3 9f86d081"


async def request_bulk(
    deps: Dependencies, checked: Checked, *, user: str, channel: str, source_key: str, thread_ts: str = ""
) -> Private:
    """Request the payments that were read; a single bad row prevents the request."""
    problem = await problem_with(deps, checked, user=user)
    if problem is not None:
        return Private(problem)
    requested = RequestedBulk(
        requester=user,
        channel=channel,
        name=checked.name,
        items=checked.items,
        source_key=source_key,
        read_as=checked.read_as,
        marks=checked.marks,
        thread_ts=thread_ts,
    )
    instruction = await bulk_request.request_bulk(deps.ctx, requested)
    member = await can_post(deps.messenger, channel)
    return Private(bulk_answers.asked(instruction, checked, member=member))


async def problem_with(deps: Dependencies, checked: Checked, *, user: str) -> Content | None:
    """The problem that prevents the request, or None. Bad rows too many for a message go to this user as a file."""
    if checked.bad:
        if bulk_answers.needs_file(checked.bad):
            content = write_csv(bulk_answers.BAD_HEADER, bulk_answers.bad_lines(checked.bad))
            await _send_file(deps, user, content, name="rows-to-mend.csv", title=bulk_files.BAD_ROWS_TITLE)
        return bulk_answers.bad_rows(checked.name, checked.bad, rows=checked.rows)
    try:
        fields.within_limit(Cents(sum(item.cents for item in checked.items)), deps.ctx.policy)
    except PersonError as broken:
        return mistakes([PersonError(argument="sum", rule=broken.rule, example="", given=broken.given)])
    return None


async def send_template(deps: Dependencies, user: str) -> Reply:
    """Send an empty table to fill in, only to this user."""
    await payments_to_request(deps, user)

    async def work() -> Answer:
        content = write_csv(bulk_files.REQUEST_HEADER, bulk_files.TEMPLATE)
        await _send_file(deps, user, content, name=TEMPLATE_NAME, title=bulk_files.TEMPLATE_TITLE)
        return Private(bulk_answers.template_sent())

    return service_call(work, meanwhile=Nothing())


async def _send_file(deps: Dependencies, user: str, content: bytes, *, name: str, title: str) -> None:
    channel = await deps.messenger.direct_message(user)
    await deps.ctx.files.share(
        name=name, content=content, title=title, alt=title, comment=title, channel=channel, thread_ts=None
    )


async def request_cancellation(
    deps: Dependencies, *, user: str, channel: str, text: str, hashes: list[str] | None, source_key: str
) -> Reply:
    """Request to cancel; ``hashes`` None: everything that is pending now."""
    payments = await payments_to_request(deps, user, Kind.BULK_CANCEL)

    async def work() -> Answer:
        bulk = await named(deps, payments, text, example=CANCEL_EXAMPLE)
        if not bulk.remote_id:
            raise wrong(deps, COMMAND, CANCEL_EXAMPLE, argument="bulk", rule=bulk_answers.NOT_SENT, given=text)
        requested = RequestedCancel(
            requester=user,
            channel=channel,
            bulk=bulk.name,
            remote_id=bulk.remote_id,
            hashes=hashes,
            source_key=source_key,
        )
        found = await bulk_cancel_request.request_cancel(deps.ctx, payments, requested)
        if isinstance(found, NotRequested):
            rule = bulk_answers.cannot_cancel(found.why.value, found.hashes, found.statuses, bulk=bulk.name)
            raise wrong(deps, COMMAND, CANCEL_EXAMPLE, argument="hash", rule=rule)
        return Private(payment_answers.requested(found, member=await can_post(deps.messenger, channel)))

    return service_call(work)


async def turn_items(
    deps: Dependencies, payments: PaymentsClient, text: str, *, page: int, failed: bool, instead: bool
) -> Answer:
    """One page of items. ``instead``: in place of the page whose button was pressed."""
    bulk = await named(deps, payments, text, example=FAILED_EXAMPLE if failed else ITEMS_EXAMPLE)
    found = await items_page(deps.ctx, payments, bulk, page=page, failed=failed)
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


async def turn_history(deps: Dependencies, payments: PaymentsClient, *, page: int, instead: bool) -> Answer:
    """One page of all bulk payments."""
    found, ours = await history_page(deps.ctx, payments, page=page)
    content = bulk_answers.history(found, ours, command=deps.spelled(COMMAND))
    return Edit(content) if instead else Private(content)


async def named(deps: Dependencies, payments: PaymentsClient, text: str, *, example: str) -> Bulk:
    """The bulk payment with that name.

    Raises:
        MistakesError: there is none.
    """
    bulk = await find_bulk(deps.ctx, payments, text)
    if bulk is None:
        rule = unknown("bulk payment", fields.BULK_RULE)
        raise wrong(deps, COMMAND, example, argument="bulk", rule=rule, given=text)
    return bulk

"""Bulk payments after sending: show and list them, export them as files, cancel pending payments, return money."""

from collections.abc import AsyncIterator
from functools import partial

from bot.clients.payments import PaymentsClient
from bot.domain.approvals import Refusal
from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.fields import reference
from bot.domain.payments import fields
from bot.domain.payments.instruction import Kind
from bot.domain.payments.operation import Operation
from bot.domain.references import Letter
from bot.presentation import answers
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import bulk as bulk_files
from bot.presentation.payments import payouts
from bot.workflows.payments import bulk_shown
from bot.workflows.payments.bulk_cancel import NotRequested, request_cancel, request_return
from bot.workflows.requests.decide import shown_as
from bot.workflows.requests.request import find
from handlers.grammar.admission import for_requester, payments_for, payments_to_request, service_call, then
from handlers.grammar.arguments import Argument, Values, wrong
from handlers.grammar.references import of_kind, other_kind
from handlers.grammar.verbs import Verb
from handlers.incoming import Click, Command
from handlers.lists import Listing, ListReader, Rows, write_table
from handlers.pay_reading import NAME, show
from handlers.replies import Answer, DeclinedError, Edit, Nothing, Private, Reply
from handlers.router import ClickHandler, Dependencies


async def _named(deps: Dependencies, payments: PaymentsClient, text: str, *, canceled: bool = False) -> bulk_shown.Bulk:
    """Find a bulk payment by name; MistakesError if unknown. ``canceled``: also accept a cancellation's name."""
    bulk = await bulk_shown.find_bulk(deps.ctx, payments, text, canceled=canceled)
    if bulk is not None:
        return bulk
    other = await find(deps.ctx, text)
    if other is not None:
        raise of_kind(other.reference, deps.ctx.kinds[other.kind].letter, argument="bulk")
    rule = answers.unknown(text, see=f"{deps.spelled(NAME)} bulk history")
    wrong_kind = other_kind(text, takes={Letter.BULK}, argument="bulk")
    raise wrong_kind or wrong(deps, NAME, "", argument="bulk", rule=rule)


async def _show(deps: Dependencies, command: Command, values: Values) -> Reply:
    payments = await payments_for(deps, command.user)

    async def look_there() -> Answer:
        found = await _named(deps, payments, values["bulk"])
        if found.job is not None:
            job, counted = await bulk_shown.figures(payments, found.job)
            return Private(payment_answers.job(job, counted))
        return await show(deps, found.name)

    return service_call(look_there)


async def _items(deps: Dependencies, command: Command, values: Values, *, failed: bool) -> Reply:
    payments = await payments_for(deps, command.user)
    page = values["page"] or 1
    return service_call(then(lambda: _items_page(deps, payments, values["bulk"], page=page, failed=failed), Private))


async def _items_page(deps: Dependencies, payments: PaymentsClient, text: str, *, page: int, failed: bool) -> Content:
    bulk = await _named(deps, payments, text, canceled=True)
    found = await bulk_shown.items_page(deps.ctx, payments, bulk, page=page, failed=failed)
    sizes = {"page": found.page, "pages": found.pages, "total": found.total}
    read_at, known = found.read_at, found.known
    return payment_answers.items(bulk.name, found.rows, failed=failed, read_at=read_at, known=known, **sizes)


async def view_list(deps: Dependencies, click: Click) -> Reply:
    """List the payments of this card page by page, if the user may look at payments."""
    payments = await payments_for(deps, click.user)
    found = await shown_as(deps.ctx, click.value.partition(":")[0], channel=click.channel, ts=click.ts)
    if found is None:
        return Private(answers.refused(Refusal.STALE))
    name = found[0].reference
    return service_call(then(lambda: _items_page(deps, payments, name, page=1, failed=False), Private))


async def _history(deps: Dependencies, command: Command, values: Values) -> Reply:
    payments = await payments_for(deps, command.user)
    return service_call(then(lambda: _history_page(deps, payments, page=values["page"] or 1), Private))


async def _history_page(deps: Dependencies, payments: PaymentsClient, *, page: int) -> Content:
    found, ours = await bulk_shown.history_page(deps.ctx, payments, page=page)
    return payment_answers.history(found, ours, command=deps.spelled(NAME))


async def _all_items(deps: Dependencies, user: str, value: str) -> Listing:
    payments = await payments_for(deps, user)
    which, _, text = value.partition(":")
    if which not in ("items", "failed") or not text:
        raise DeclinedError(answers.refused(Refusal.STALE))
    failed = which == "failed"

    async def pages() -> AsyncIterator[Rows]:
        bulk, page, last = await _named(deps, payments, text, canceled=True), 1, 1
        yield [payment_answers.ITEMS_HEADER]
        while page <= last:
            found = await bulk_shown.items_page(deps.ctx, payments, bulk, page=page, failed=failed)
            yield [payment_answers.item_row(one, found.known) for one in found.rows]
            page, last = page + 1, found.pages

    title = f"{'Failed payments' if failed else 'Payments'} of {text}"
    name = f"{text}-{'failed' if failed else 'payments'}"
    return Listing(title=title, name=name, write=partial(write_table, pages()))


async def _whole_history(deps: Dependencies, user: str, _value: str) -> Listing:
    payments = await payments_for(deps, user)

    async def pages() -> AsyncIterator[Rows]:
        page, last = 1, 1
        yield [payment_answers.JOBS_HEADER]
        while page <= last:
            found, ours = await bulk_shown.history_page(deps.ctx, payments, page=page)
            yield [payment_answers.job_row(one, ours.get(one.id)) for one in found.jobs]
            page, last = page + 1, found.pages

    return Listing(title="Bulk payments", name="bulk-payments", write=partial(write_table, pages()))


async def turn(deps: Dependencies, click: Click) -> Reply:
    payments = await payments_for(deps, click.user)
    named, _, number = click.value.rpartition(":")
    what, _, name = named.partition(":")
    try:
        page = fields.page(number)
    except PersonError:
        return Private(answers.refused(Refusal.STALE))
    if what not in ("history", "items", "failed"):
        return Private(answers.refused(Refusal.STALE))
    ask = (
        partial(_history_page, deps, payments, page=page)
        if what == "history"
        else partial(_items_page, deps, payments, name, page=page, failed=what == "failed")
    )
    return service_call(then(ask, Edit), meanwhile=Nothing())


async def _cancel(deps: Dependencies, command: Command, values: Values) -> Reply:
    hashes = values["hash"]
    everything = [one.lower() for one in hashes] == ["all"]
    return await _request_cancel(deps, command, values["bulk"], hashes=None if everything else hashes)


async def cancel(deps: Dependencies, click: Click) -> Reply:
    """Request to cancel all payments of this card's bulk payment that are still pending."""
    await payments_to_request(deps, click.user)
    found = await shown_as(deps.ctx, click.value, channel=click.channel, ts=click.ts)
    if found is None:
        return Private(answers.refused(Refusal.STALE))
    return await _request_cancel(deps, click, found[0].reference, hashes=None)


async def _request_cancel(deps: Dependencies, asked: Command | Click, text: str, *, hashes: list[str] | None) -> Reply:
    """Request a cancellation; ``hashes`` is None for all payments that are still pending."""
    payments = await payments_to_request(deps, asked.user, Kind.BULK_CANCEL)

    async def work() -> Answer:
        bulk = await _named(deps, payments, text)
        if not bulk.remote_id:
            return Private(payment_answers.not_sent(bulk.name))
        by = {"requester": asked.user, "channel": asked.channel, "source_key": asked.source_key}
        found = await request_cancel(deps.ctx, payments, bulk, hashes=hashes, **by)
        if isinstance(found, NotRequested):
            return Private(
                payment_answers.cannot_cancel(found.why, found.typed, found.items, bulk=bulk.name, rows=found.rows)
            )
        return Private(payment_answers.requested(found, **await for_requester(deps, found, asked.channel)))

    return service_call(work)


async def return_money(deps: Dependencies, click: Click) -> Reply:
    payments = await payments_to_request(deps, click.user)
    found = await shown_as(deps.ctx, click.value, channel=click.channel, ts=click.ts)
    if found is None:
        return Private(answers.refused(Refusal.STALE))
    payout, _ = found

    async def work() -> Answer:
        by = {"requester": click.user, "channel": click.channel, "source_key": click.source_key}
        asked = await request_return(deps.ctx, payments, payout, **by)
        if isinstance(asked, Operation):
            return Private(payment_answers.not_returned(payout.reference, asked.status))
        return Private(payment_answers.requested(asked, **await for_requester(deps, asked, click.channel)))

    return service_call(work)


_BULK = Argument(name="bulk", rule=fields.BULK_RULE, read=reference)
_PAGE = Argument(name="page", rule=fields.PAGE_RULE, read=fields.page, optional=True)
_HASH = Argument(
    name="hash",
    typed="<row…|all>",
    rule=fields.HASHES_RULE,
    read=lambda text: text.strip().strip("`,;…").removesuffix("..."),
    each=True,
)
_SHOW = Verb("bulk show", "show a bulk payment", _show, example="bulk show L-4F7K2M", arguments=(_BULK,))
_ITEMS = Verb(
    "bulk items",
    "list its payments",
    partial(_items, failed=False),
    example="bulk items L-4F7K2M 2",
    arguments=(_BULK, _PAGE),
)
_FAILED = Verb(
    "bulk failed",
    "list the failed ones, with the reason",
    partial(_items, failed=True),
    example="bulk failed L-4F7K2M",
    arguments=(_BULK, _PAGE),
)
_HISTORY = Verb("bulk history", "list all bulk payments", _history, arguments=(_PAGE,))
_CANCEL = Verb(
    "bulk cancel",
    "request to cancel payments that are still waiting",
    _cancel,
    example="bulk cancel L-4F7K2M 3 5",
    arguments=(_BULK, _HASH),
)
VERBS = (_SHOW, _ITEMS, _FAILED, _HISTORY, _CANCEL)
BUTTONS: dict[str, ClickHandler] = {
    payment_answers.PREVIOUS: turn,
    payment_answers.NEXT: turn,
    bulk_files.LIST: view_list,
    bulk_files.CANCEL: cancel,
    payouts.RETURN: return_money,
}
LISTS: dict[str, ListReader] = {payment_answers.ITEMS: _all_items, payment_answers.HISTORY: _whole_history}

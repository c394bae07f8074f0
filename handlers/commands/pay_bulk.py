"""``/pay bulk``: request many payments with one file; show bulk payments, cancel pending items."""

from functools import partial
from typing import Final

from bot.domain.payments.instruction import Kind
from bot.presentation.payments import bulk_answers, forms
from handlers.commands.pay_reading import show
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import bulk, fields
from handlers.input.admission import payments_for, payments_to_request
from handlers.input.grammar import Argument, Values, Verb
from handlers.input.service_call import service_call
from handlers.replies import Answer, Open, Private, Reply

EVERYTHING: Final = "all"


async def _form(deps: Dependencies, command: Command, _values: Values) -> Reply:
    await payments_to_request(deps, command.user, Kind.BULK, even_frozen=False)
    return Open(forms.bulk(channel=command.channel))


async def _template(deps: Dependencies, command: Command, _values: Values) -> Reply:
    return await bulk.send_template(deps, command.user)


async def _show(deps: Dependencies, command: Command, values: Values) -> Reply:
    payments = await payments_for(deps, command.user)

    async def look_there() -> Answer:
        found = await bulk.named(deps, payments, values["bulk"], example=SHOW.example)
        if found.job is not None:
            return Private(bulk_answers.job(found.job))
        return await show(deps, found.name)

    return service_call(look_there)


async def _page(deps: Dependencies, command: Command, values: Values, *, failed: bool) -> Reply:
    payments = await payments_for(deps, command.user)
    page = values["page"] or 1
    return service_call(
        lambda: bulk.turn_items(deps, payments, values["bulk"], page=page, failed=failed, instead=False)
    )


async def _history(deps: Dependencies, command: Command, values: Values) -> Reply:
    payments = await payments_for(deps, command.user)
    return service_call(lambda: bulk.turn_history(deps, payments, page=values["page"] or 1, instead=False))


async def _cancel(deps: Dependencies, command: Command, values: Values) -> Reply:
    hashes = values["hash"]
    everything = [one.lower() for one in hashes] == [EVERYTHING]
    return await bulk.request_cancellation(
        deps,
        user=command.user,
        channel=command.channel,
        text=values["bulk"],
        hashes=None if everything else hashes,
        source_key=f"command:{command.trigger_id}",
    )


def _hash(text: str) -> str:
    """A hash, its beginning, or a row number."""
    return text.strip().strip("`,;…").removesuffix("...")


_BULK = Argument(name="bulk", rule=fields.BULK_RULE, read=fields.operation)
_PAGE = Argument(name="page", rule=fields.PAGE_RULE, read=fields.page, optional=True)

FORM = Verb(
    "bulk",
    "ask for many payments with one file or typed rows; they are sent once enough people have approved them",
    _form,
)
SHOW = Verb("bulk show", "one bulk payment as it is now", _show, example="bulk show L-4F7K2M", arguments=(_BULK,))
ITEMS = Verb(
    "bulk items",
    "its payments with their hashes, page by page",
    partial(_page, failed=False),
    example=bulk.ITEMS_EXAMPLE,
    arguments=(_BULK, _PAGE),
)
FAILED = Verb(
    "bulk failed",
    "those that failed, with the reason",
    partial(_page, failed=True),
    example=bulk.FAILED_EXAMPLE,
    arguments=(_BULK, _PAGE),
)
HISTORY = Verb("bulk history", "all bulk payments of the account", _history, arguments=(_PAGE,))
CANCEL = Verb(
    "bulk cancel",
    "ask to cancel payments that are still pending: all of them, or some by row number or hash",
    _cancel,
    example=bulk.CANCEL_EXAMPLE,
    arguments=(_BULK, Argument(name="hash", typed="<hash…|all>", rule=fields.HASHES_RULE, read=_hash, each=True)),
)
TEMPLATE = Verb("bulk template", "a file to fill in, sent to you directly", _template)

VERBS = (FORM, SHOW, ITEMS, FAILED, HISTORY, CANCEL, TEMPLATE)
"""In the order of the help."""

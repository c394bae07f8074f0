"""Requests for a bulk payment. The whole file was read before; its items are stored with the request."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.payments.bulk import (
    BulkPayload,
    BulkProgress,
    duplicates_in,
    items_digest,
    largest_of,
    people_in,
    sample_of,
    twin_digest,
)
from bot.domain.payments.bulk_file import Checked, FormMetadata, Preview
from bot.domain.payments.bulk_records import SAME_FILE
from bot.domain.payments.instruction import NOT_PAID, Instruction, Kind
from bot.workflows.context import Context, Unit
from bot.workflows.payments.bulk_reading import preview
from bot.workflows.requests.announce import places, prepared, show_progress
from bot.workflows.requests.attempt import lease
from bot.workflows.requests.request import Requested, request_of
from storage.transaction import Tx

log = structlog.get_logger(__name__)

REQUEST_FILE = "request"
OF_FILE = "file:"
"""Prefix of a dropped file's source key."""
_SAMPLE = 40
"""Accounts looked up before the approval: four seconds of what the service allows."""
_SHOWN_EVERY = 10
_SILENCES = 3
"""Accounts in a row that could not be read, after which no more are asked for."""
_KEPT_DUPLICATES = 100
_KEPT_INACTIVE = 5


class _Unread(Enum):
    """Why nothing is known of an account."""

    SILENT = "silent"
    REFUSED = "refused"


async def request_bulk(ctx: Context, checked: Checked, carried: FormMetadata, *, requester: str) -> Instruction:
    """Store the request with every item, its digest and its policy snapshot, durably.

    The same ``carried.key`` again returns the first row: a button pressed twice makes one request. Only a dropped
    file whose request ended unpaid may be requested again.

    Raises:
        StorageFull: see :func:`bot.workflows.requests.request.request`.
    """

    def make(uow: Unit) -> Requested:
        return Requested(
            requester=requester,
            channel=carried.channel,
            kind=Kind.BULK,
            payload=_payload(uow, checked, thread_ts=carried.thread_ts),
            source_key=_requested_before(uow, carried.key)[1],
            items=checked.items,
        )

    return await request_of(ctx, carried.key, make, known=lambda uow, key: _requested_before(uow, key)[0])


async def requested_before(ctx: Context, source_key: str) -> Instruction | None:
    """The request that this source made already, unless it ended unpaid and may be made again."""
    return await ctx.read(lambda uow: _requested_before(uow, source_key)[0])


def _requested_before(tx: Tx, key: str) -> tuple[Instruction | None, str]:
    """The request that this source made, and the key of a new one: a file that ended unpaid may be requested again."""
    known, n, free = tx.instructions.by_source(key), 1, key
    while known is not None and known.state in NOT_PAID and key.startswith(OF_FILE):
        n += 1
        free = f"{key}#{n}"
        known = tx.instructions.by_source(free)
    return known, free


def _payload(uow: Unit, checked: Checked, *, thread_ts: str) -> BulkPayload:
    items = checked.items
    known = uow.instructions.paid_before(item.email for item in items)
    fresh = [item for item in items if item.email.casefold() not in known]
    twin = twin_digest(items)
    same = uow.instructions.last_same(kind=Kind.BULK, payee=twin, since=uow.now - SAME_FILE, ignoring=NOT_PAID)
    repeated = duplicates_in(items)
    return BulkPayload(
        name=checked.name,
        count=len(items),
        cents=sum(item.cents for item in items),
        items_digest=items_digest(items),
        twin_digest=twin,
        largest=largest_of(items),
        duplicates=repeated[:_KEPT_DUPLICATES],
        duplicate_count=len(repeated),
        people=people_in(items),
        new_count=len({item.email.casefold() for item in fresh}),
        new_cents=max((item.cents for item in fresh), default=0),
        same_as=same.reference if same is not None else "",
        read_as=checked.read_as,
        marks=checked.marks,
        thread_ts=thread_ts,
    )


async def prepare(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> None:
    """NEW: look up accounts, all or a sample, and ask the approvers; this pays nothing."""
    payments.require("create_bulk_payment")
    emails = await ctx.read(lambda uow: _sample(uow, instruction))
    looked = await _look_up(ctx, payments, instruction, emails)
    if looked is not None:
        held, progress = looked
        await prepared(ctx, held, progress=progress, file=REQUEST_FILE)


def _sample(tx: Tx, instruction: Instruction) -> tuple[str, ...]:
    items = [row.item for row in tx.bulk_items.rows(instruction.id)]
    known = tx.instructions.paid_before(item.email for item in items)
    return sample_of(items, most=_SAMPLE, known=known)


async def _look_up(
    ctx: Context, payments: PaymentsClient, instruction: Instruction, emails: Sequence[str]
) -> tuple[Instruction, BulkProgress] | None:
    """Read one account after the other, showing progress; None when somebody else took over the request."""
    held, progress, silences = instruction, BulkProgress(to_look_up=len(emails)), 0
    for number, email in enumerate(emails, 1):
        active = await _is_active(payments, email) if silences < _SILENCES else _Unread.SILENT
        silences = silences + 1 if active is _Unread.SILENT else 0
        inactive = (email,) if active is False else ()
        progress = progress.model_copy(
            update={
                "looked_up": number,
                "inactive": progress.inactive + len(inactive),
                "inactive_emails": (*progress.inactive_emails, *inactive)[:_KEPT_INACTIVE],
                "not_read": progress.not_read + isinstance(active, _Unread),
            }
        )
        if number % _SHOWN_EVERY == 0:
            shown = await ctx.write(partial(_show, held=held, progress=progress), name="looked_up", wakes=False)
            if shown is None:
                return None
            held = shown
    return held, progress


async def _is_active(payments: PaymentsClient, email: str) -> bool | _Unread | None:
    """Whether this account can receive money, None when the service does not say; retried once without an answer."""
    for _ in range(2):
        try:
            return (await payments.account_status(email)).active
        except ServiceNow as silent:
            log.info("an account could not be read", reason=str(silent.reason))
        except ServiceNever:
            return _Unread.REFUSED
    return _Unread.SILENT


def _show(uow: Unit, *, held: Instruction, progress: BulkProgress) -> Instruction | None:
    after = uow.instructions.touch(held, progress=progress, **lease(uow.ctx))
    if after is not None:
        for place in places(uow.ctx, after):
            show_progress(uow, after, place)
    return after


class Why(Enum):
    """Why a file is shown again."""

    NOT_COUNTED = auto()
    """No sum was shown before."""
    CHANGED = auto()
    """The file has other content than when it was shown."""
    CHOSEN = auto()
    """Other columns were chosen."""


@dataclass(frozen=True, slots=True)
class ShownAgain:
    """Nothing is requested: the person has not seen this."""

    preview: Preview
    why: Why


async def look(ctx: Context, carried: FormMetadata, chosen: Mapping[str, int]) -> Instruction | Preview:
    """The file as it reads now, or the request that was made from it before.

    Raises:
        PersonError, TableProblem, ServiceTrouble, OperatorError: see
            :func:`bot.workflows.payments.bulk_reading.read_file`.
    """
    return await requested_before(ctx, carried.key) or await preview(ctx, carried.file, chosen)


async def confirm(ctx: Context, carried: FormMetadata, chosen: Mapping[str, int]) -> Instruction | Checked | ShownAgain:
    """What to request; or the request that was made from it before; or what to show instead.

    Args:
        ctx: what a workflow is given.
        carried: what was shown.
        chosen: our column -> its place.

    Raises: as :func:`look`.
    """
    seen = await look(ctx, carried, chosen)
    if isinstance(seen, Instruction):
        return seen
    if seen.fingerprint != carried.seen:
        return ShownAgain(seen, Why.CHANGED)
    if not carried.counted:
        return ShownAgain(seen, Why.NOT_COUNTED)
    if chosen != dict(carried.places) or seen.checked is None:
        return ShownAgain(seen, Why.CHOSEN)
    return seen.checked

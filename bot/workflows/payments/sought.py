"""Search the service by our own code, for operations that were not requested here, and for people.

A list that does not show our codes proves nothing, nor does one with a record that may be ours. Lists also contain
the payments of our bulk payments: they never have codes, and none of them is another request of ours. A service that
refuses a request may have executed it nevertheless: a proxy repeats a request, and the repeat is refused because the
first one succeeded. So a refusal is final once a read agrees with it, and reads continue for a month. For a payout
with an id, one read right after the refusal is enough. A request that can only be searched for in a list is handled as
an unknown outcome; the card shows at once that it was refused and is being checked. Creating moves no money, so one
look at the list is enough for a create.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Final

import structlog

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.bulk import CancelPayload
from bot.domain.payments.bulk_operations import SKEW, Known
from bot.domain.payments.bulk_records import BulkJob
from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind, State, folded, same_code
from bot.domain.payments.operation import Operation, OperationPage
from bot.domain.proof import MAX_CREATES
from bot.domain.reasons import OfRequest, Reason
from bot.domain.references import OURS
from bot.workflows.context import Context, Unit
from bot.workflows.payments.callbacks import callback_folder
from bot.workflows.payments.own_rows import own_row, readable_row
from bot.workflows.requests.announce import end
from bot.workflows.requests.look_again import Look
from storage.errors import RowUnreadable
from storage.transaction import Tx

log = structlog.get_logger(__name__)

PER_PAGE = 10
"""Operations per page: as many as fit on a phone."""
_LONGEST_CODE: Final = 200
_HAD_AN_EFFECT = frozenset({AttemptOutcome.OPEN, AttemptOutcome.UNKNOWN, AttemptOutcome.DONE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """The search criteria for a list: recipient or payer, amount, and the earliest time a request may have made it."""

    email: str
    cents: Cents
    since: datetime


class Listing:
    """Collects evidence from one reading of a list: records that may be ours, and whether the list shows codes.

    ``known``: our codes that it may show, folded. ``rows``: address and amount of the rows of our bulk payments.
    """

    def __init__(
        self, sought: Sought, *, known: frozenset[str], rows: frozenset[tuple[str, int]] = frozenset()
    ) -> None:
        self.suspects: list[Operation] = []
        self._sought = sought
        self._known = known
        self._rows = rows
        self._seen = self._ours = self._recent = self._recent_with_code = 0

    def see(self, operation: Operation) -> None:
        code, sought = folded(operation.code), self._sought
        same_person = operation.email is None or operation.email.casefold() == sought.email.casefold()
        same_amount = operation.cents is None or operation.cents == sought.cents
        is_recent = operation.created_at is None or operation.created_at >= sought.since - SKEW
        if code in self._known:
            self._ours += 1
        elif same_person and same_amount and is_recent:
            self.suspects.append(operation)
        if not code and ((operation.email or "").casefold(), operation.cents) in self._rows:
            return  # a row of a bulk payment never has a code, even in a list that shows codes
        self._seen += 1
        if is_recent:
            self._recent += 1
            self._recent_with_code += bool(code)

    @property
    def doubt(self) -> Reason | None:
        """Return why the list might not show our code, or None if it would. An empty list hides nothing."""
        hides_all = self._seen and not self._ours
        hides_the_latest = self._recent and not self._recent_with_code
        return Reason(OfRequest.NO_CODES) if hides_all or hides_the_latest else None


async def by_code(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> Look[Operation]:
    """Search the whole list that shows this kind of request once for the code of this one.

    A record may be ours if made since the first attempt was sent, allowing for a clock that was off.
    """
    listed = _list_of(ctx, instruction)
    kinds = frozenset(one.kind for one in ctx.kinds.values() if one.listed == listed)

    def listing_of(uow: Unit) -> Listing:
        sent = [one.claimed_at for one in uow.attempts.of(instruction.id) if one.outcome in _HAD_AN_EFFECT]
        since = min(sent, default=instruction.created_at) - ctx.clock.doubt
        sought = Sought(email=instruction.payload.email, cents=instruction.cents, since=since)
        known = frozenset(map(folded, uow.instructions.codes_at_the_service(kinds)))
        return Listing(sought, known=known, rows=uow.bulk_items.payments_sent())

    listing = await ctx.read(listing_of)
    search = await payments.find_by_code(instruction.sent_code, listed, see=listing.see)
    ours = tuple(one for one in search.hits if not _made_elsewhere(ctx, instruction, one))
    if ours:
        return Look(ours)
    if search.hits:
        return Look(doubt=_taken(instruction, search.hits[0]), suspect=search.hits[0].id)

    def first_suspect(uow: Unit) -> Operation | None:
        for one in _nobody_elses(uow, listing.suspects, instruction.id):
            row = readable_row(uow, one)
            if row is None or not row.is_certain:
                return one
        return None

    suspect = await ctx.read(first_suspect)
    if suspect is not None:
        return Look(doubt=Reason(OfRequest.MAY_BE_OURS, id=suspect.id), suspect=suspect.id)
    unusable = None if search.complete else Reason(OfRequest.LIST_UNUSABLE, why=search.reason)
    return Look(doubt=unusable or listing.doubt)


async def code_is_free(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> bool:
    """Whether the service has no operation with the chosen code; otherwise end the request with that reason.

    Check before the first request: later, an existing operation could not be distinguished from ours.

    Raises:
        ServiceNow: the list cannot be read to its end. After a few retries, the service's own refusal has to suffice.
    """
    if not instruction.payload.code or instruction.creates or instruction.commits:
        return True
    search = await payments.find_by_code(instruction.payload.code, None)
    if not search.hits and not search.complete and instruction.puts_off < MAX_CREATES:
        raise ServiceNow("payments", search.reason or Reason(OfRequest.NO_CODES))
    if not search.hits:
        return True
    why = _taken(instruction, search.hits[0])
    await ctx.write(lambda uow: end(uow, instruction, State.MISMATCH, why), name="code_taken")
    return False


async def named_there(payments: PaymentsClient, text: str) -> tuple[Operation, int]:
    """Return the operation with this id, or else with this code, and how many others have that code.

    A purchase comes with its items, from its own detail, if the service returns that.

    Raises:
        ServiceNever: not found (404), or unreadable.
        ServiceNow: no answer, or the list cannot be read to its end.
    """
    more = 0
    try:
        found = await payments.get_operation(text)
    except ServiceNever as unknown:
        if unknown.status != HTTPStatus.NOT_FOUND or OURS.fullmatch(text) or len(text) > _LONGEST_CODE:
            raise
        held = await _held_under(payments, text)
        if not held:
            raise
        found, more = held[0], len(held) - 1
    if found.operation_type == "purchase":
        with suppress(ServiceNow, ServiceNever, OperatorError):
            return await payments.get_purchase(found.id), more
    return found, more


async def _held_under(payments: PaymentsClient, code: str) -> tuple[Operation, ...]:
    with suppress(ServiceNever, OperatorError):  # some services lack the shortcut
        return (await payments.operation_by_code(code),)
    search = await payments.find_by_code(code, None)
    if not search.hits and not search.complete:
        raise ServiceNow("payments", search.reason or Reason(OfRequest.NO_CODES))
    return search.hits


async def record_of(ctx: Context, instruction: Instruction) -> Operation | BulkJob | None:
    """Read the service's current record of a request; None if it has no record that can be read by id."""
    payments, payload = ctx.payments.client, instruction.payload
    if payments is None:
        return None
    if isinstance(payload, CancelPayload):
        read = payments.get_operation if payload.payout_to else payments.get_bulk
        return await read(payload.bulk_remote_id)
    if instruction.remote_id is None:
        return None
    if instruction.kind is Kind.BULK:
        return await payments.get_bulk(instruction.remote_id)
    by_id = ctx.kinds[instruction.kind].read
    return None if by_id is None else await by_id(payments, instruction.remote_id)


def _made_elsewhere(ctx: Context, instruction: Instruction, hit: Operation) -> bool:
    """Whether an operation with a code that a person chose can't be ours: anybody can choose the same code."""
    if not instruction.payload.code:
        return False
    is_older = hit.created_at is not None and hit.created_at < instruction.created_at - SKEW
    return is_older or hit.reports_to not in (None, callback_folder(ctx))


def _taken(instruction: Instruction, hit: Operation) -> Reason:
    return Reason(OfRequest.CODE_TAKEN, given=instruction.payload.code, id=hit.id)


def _list_of(ctx: Context, instruction: Instruction) -> OperationType:
    listed = ctx.kinds[instruction.kind].listed
    if listed is None:
        raise TypeError(f"no list shows {instruction.reference}")
    return listed


def _nobody_elses(tx: Tx, held: Iterable[Operation], own: str) -> Iterator[Operation]:
    """Return the operations that belong to no other request of ours."""
    return (one for one in held if not tx.instructions.belongs_to_another(one.id, one.code, than=own))


def is_of(ctx: Context, instruction: Instruction, operation: Operation) -> bool:
    """Whether the request made this operation, judged by its code as long as the service's id is unknown."""
    if instruction.remote_id is not None or instruction.leaves_its_code:
        return instruction.remote_id == operation.id
    return same_code(operation.code, instruction.sent_code) and not _made_elsewhere(ctx, instruction, operation)


async def list_operations(
    ctx: Context,
    payments: PaymentsClient,
    *,
    page: int,
    operation_type: OperationType | None,
    per_page: int = PER_PAGE,
) -> tuple[OperationPage, Mapping[str, Known]]:
    """Return one page for people, with our requests and rows in it by the service's id."""
    found = await payments.list_operations(page=page, per_page=per_page, operation_type=operation_type)
    return found, await _ours_among(ctx, found.operations)


async def every_operation(
    ctx: Context, payments: PaymentsClient, operation_type: OperationType | None
) -> AsyncIterator[tuple[Sequence[Operation], Mapping[str, Known]]]:
    """Yield the whole list page by page, each operation once, with our requests and rows by the service's id."""
    seen: set[str] = set()
    async for page in payments.all_operations(operation_type):
        new = [one for one in page.operations if one.id not in seen]
        seen.update(one.id for one in new)
        yield new, await _ours_among(ctx, new)


async def _ours_among(ctx: Context, operations: Sequence[Operation]) -> Mapping[str, Known]:
    def work(uow: Unit) -> dict[str, Known]:
        ours: dict[str, Known] = {}
        for operation in operations:
            try:
                known = request_about(ctx, uow, operation) or own_row(uow, operation)
            except RowUnreadable:  # noted: an admin is notified, and the rest of the list is shown
                ours[operation.id] = None
                continue
            if known is not None:
                ours[operation.id] = known
        return ours

    return await ctx.read(work)


def request_about(ctx: Context, uow: Unit, operation: Operation) -> Instruction | None:
    """Return the request that made the operation, or committed it. Raises RowUnreadable."""
    if (one := uow.instructions.by_remote(operation.id)) is not None or not operation.code:
        return one
    # Its creation may have an unknown outcome: then we know the code, and not yet the id.
    same = uow.instructions.by_code(operation.code)
    return same if same is not None and is_of(ctx, same, operation) else None

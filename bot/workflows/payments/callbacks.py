"""Callback addresses: the payments service reports events to them."""

import asyncio
import hashlib
from collections.abc import Mapping
from datetime import datetime, timedelta

import structlog

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import FINAL, UNPAID, CallbackKind, Instruction, Kind, State
from bot.domain.payments.operation import Operation
from bot.domain.reasons import OfRequest, Reason
from bot.domain.references import PAYMENTS_CALLBACKS, callback_token, token_hash, ulid
from bot.domain.tracking import back_off
from bot.workflows.context import Context, RequestKind, Unit
from bot.workflows.requests.announce import alert
from bot.workflows.workers import Work
from storage.rows import InboxRow, InboxState
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_SET_PUBLIC_URL = "set PUBLIC_URL, e.g. PUBLIC_URL=https://switchboard.example.com"


def callback_address(ctx: Context, instruction: Instruction, kind: CallbackKind) -> str:
    """Return the secret address for one kind of callback about one instruction."""
    token = callback_token(key=ctx.token_key, instruction_id=instruction.id, kind=kind)
    return f"{callback_folder(ctx)}/{token}"


def check_way_back(ctx: Context, kind: Kind) -> None:
    """Raise OperatorError if buyers would be sent from the checkout to a name that doesn't exist."""
    if ctx.kinds[kind].browsed and ctx.callback_base.endswith(".invalid"):
        raise OperatorError(Reason(OfRequest.NO_WAY_BACK), mend=_SET_PUBLIC_URL)


def callback_folder(ctx: Context) -> str:
    """Return the prefix of the payments service's callback addresses, before the token."""
    return f"{ctx.callback_base}{PAYMENTS_CALLBACKS}"


_PROVEN = frozenset({State.COMMITTED, State.PENDING_ESCROW, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN, State.OPEN})
"""States in which a record may be applied: our commit was answered or given up. Before that it proves nothing."""
_PATIENCE = timedelta(hours=24)
_LONGEST_PAUSE = 3_600.0
_BETWEEN_READS = timedelta(seconds=3)
"""Minimum time between two reads of an operation caused by callbacks, however many arrive."""


async def exists(store: Store, *, now: datetime, token: str) -> bool:
    """Whether a callback address with this token exists."""
    return await store.read(lambda tx: tx.tokens.find(token_hash(token), now)) is not None


async def receive(store: Store, *, now: datetime, token: str, body: str) -> bool:
    """Store a callback durably and return True; False if the address is unknown.

    The body is untrusted and not stored; its hash detects repeats. Needs only the database, so callbacks
    are accepted while Slack or the service is unreachable.
    """
    hashed, body_hash = token_hash(token), hashlib.sha256(body.encode()).hexdigest()

    def note(tx: Tx) -> bool:
        noted = tx.inbox.receive(
            new_id=lambda: ulid(now), token_hash=hashed, body_hash=body_hash, now=now, pause=_BETWEEN_READS
        )
        return noted or tx.tokens.find(hashed, now) is not None

    return await store.write(note, name="callback")


async def back_from_checkout(
    store: Store, kinds: Mapping[Kind, RequestKind], *, now: datetime, token: str
) -> CallbackKind | None:
    """Store a buyer's return from the checkout as a callback, to be verified by a read.

    Returns:
        ``CONFIRMATION`` or ``CANCEL``, by the address; None if this address isn't one for browsers.
    """
    hashed = token_hash(token)

    def look(tx: Tx) -> CallbackKind | None:
        found = tx.tokens.find(hashed, now)
        instruction = tx.instructions.get(found.instruction_id) if found is not None else None
        return found.kind if found and instruction and found.kind in kinds[instruction.kind].browsed else None

    kind = await store.read(look)
    if kind is not None:
        await receive(store, now=now, token=token, body="")
    return kind


class _Reads:
    """Reads of operations: callbacks about the same instruction that are claimed together share one read.

    A callback that is too early to prove anything waits: the end of the attempt makes it due.
    """

    def __init__(self, ctx: Context) -> None:
        self._ctx = ctx
        self._by_instruction: dict[str, asyncio.Task[Operation | None]] = {}

    async def verify(self, row: InboxRow) -> None:
        """Read the operation that a callback is about, and apply the record."""
        ctx = self._ctx
        instruction = await ctx.read(lambda uow: uow.instructions.get(row.instruction_id))
        too_early = instruction is None or not (instruction.state in FINAL or instruction.state in _PROVEN)
        operation = await self._read(instruction) if instruction is not None and not too_early else None
        await ctx.write(lambda uow: _apply(uow, row, operation, too_early=too_early), name="verified")

    async def _read(self, instruction: Instruction) -> Operation | None:
        reading = self._by_instruction.get(instruction.id)
        if reading is None:
            reading = self._by_instruction[instruction.id] = asyncio.create_task(self._read_now(instruction))
        return await asyncio.shield(reading)  # other callbacks share this read

    async def _read_now(self, instruction: Instruction) -> Operation | None:
        payments, read = self._ctx.payments.client, self._ctx.kinds[instruction.kind].read
        if instruction.remote_id is None or payments is None or read is None:
            return None
        try:
            return await read(payments, instruction.remote_id)
        except (ServiceNow, ServiceNever, OperatorError) as silent:
            log.warning("a callback could not be verified yet", reason=str(silent))
            return None


def _apply(uow: Unit, row: InboxRow, operation: Operation | None, *, too_early: bool = False) -> None:
    instruction = uow.instructions.get(row.instruction_id)
    if instruction is None:
        _finish(uow, row, InboxState.STALE)
        return
    kind = uow.kinds[instruction.kind]
    pause = back_off(first=min(1.0, uow.poll_seconds), attempts=row.attempts, ceiling=_LONGEST_PAUSE)
    more_came = uow.inbox.hints(row.id) != row.hints
    later = uow.now + (min(pause, _BETWEEN_READS) if more_came else pause)
    if instruction.state in FINAL:
        unread = operation is None and instruction.state in UNPAID
        if operation is not None:
            kind.observe(uow, instruction, operation)
        elif unread and instruction.remote_id is None:
            uow.instructions.touch(instruction, due_at=uow.now)  # its step searches for it by our code
        elif unread and uow.now - row.received_at < _PATIENCE:  # an unpaid end has to be verified by a read
            uow.inbox.again(row.id, due_at=later)
            return
        _finish(uow, row, InboxState.STALE)
        return
    if operation is not None and instruction.state in _PROVEN and kind.observe(uow, instruction, operation):
        after = uow.instructions.get(row.instruction_id) or instruction
        if after.state in FINAL:
            _finish(uow, row, InboxState.APPLIED)
            return
    if uow.now - row.received_at >= _PATIENCE:
        _finish(uow, row, InboxState.UNCONFIRMED)
        if row.kind in kind.browsed:
            return  # anyone with the link can open this address without having paid
        alert(uow, instruction, f"unconfirmed:{row.kind}", reason=Reason(OfRequest.UNCONFIRMED, kind=row.kind.value))
        return
    uow.inbox.again(row.id, due_at=uow.now if too_early and instruction.state in _PROVEN else later)


def _finish(uow: Unit, row: InboxRow, state: InboxState) -> None:
    """Finish the row, unless another callback arrived after the read began: then make it due again."""
    if not uow.inbox.finish(row.id, state, hints=row.hints):
        uow.inbox.again(row.id, due_at=uow.now + _BETWEEN_READS)


CALLBACKS: Work[InboxRow] = Work(
    name="callbacks",
    table="inbox",
    slots=50,
    claim=lambda uow, hold: uow.inbox.claim_due(**hold),
    step=lambda ctx: _Reads(ctx).verify,
)

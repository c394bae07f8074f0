"""Somebody asks for a payout. Nothing is sent to the service before everything here has passed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from bot.domain.money import Cents
from bot.domain.payments.bulk_state import SAME_PAYMENT
from bot.domain.payments.instruction import NOT_PAID, CallbackKind, Instruction, Kind, PayoutPayload, State, digest_of
from bot.domain.payments.payout import daily_key
from bot.domain.policy import Facts
from bot.domain.references import Letter, callback_token, reference, token_hash, ulid
from bot.workflows.context import Context
from bot.workflows.requests.announce import Place, places, show_card
from storage.errors import CommitUnknown, StorageFull
from storage.room import Room
from storage.transaction import Tx

_CALLED_BACK = (CallbackKind.CONFIRMATION, CallbackKind.CANCEL, CallbackKind.FAILURE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A checked request for a payout. ``source_key`` names the command or form that made it."""

    requester: str
    channel: str
    payload: PayoutPayload
    kind: Kind = Kind.PAYOUT
    source_key: str


async def request_payout(ctx: Context, asked: Asked) -> Instruction:
    """Store the request with its code, digest, policy snapshot and callback addresses, durably.

    The same ``source_key`` again gives the row of the first time: a form submitted twice asks once.
    """
    now = ctx.clock.now()
    code = ulid(now)

    def work(tx: Tx) -> Instruction:
        known = tx.instructions.by_source(asked.source_key)
        if known is not None:
            return known
        instruction = _new(ctx, tx, asked, code=code, now=now)
        tx.instructions.insert(instruction, actor=asked.requester)
        for kind in _CALLED_BACK:
            token = callback_token(key=ctx.token_key, instruction_id=instruction.id, kind=kind)
            tx.tokens.put(token_hash=token_hash(token), instruction_id=instruction.id, kind=kind, expires_at=None)
        first = Place.REQUESTER if Place.REQUESTER in places(instruction, ctx.policy) else Place.APPROVALS
        show_card(tx, instruction, first, policy=ctx.policy, now=now)
        return instruction

    instruction = await store_once(ctx, work, source_key=asked.source_key)
    ctx.wake()
    return instruction


async def store_once(ctx: Context, work: Callable[[Tx], Instruction], *, source_key: str) -> Instruction:
    """Store a request. When the database does not say whether it did, look: who is told to try again asks twice.

    Raises:
        StorageFull: there is too little room to follow a new request to its end.
    """
    if ctx.store.disk.room() is not Room.ENOUGH:
        raise StorageFull
    try:
        return await ctx.store.write(work, name="request")
    except CommitUnknown:
        stored = await ctx.store.read(lambda tx: tx.instructions.by_source(source_key))
        if stored is None:
            raise
        return stored


def _new(ctx: Context, tx: Tx, asked: Asked, *, code: str, now: datetime) -> Instruction:
    cents = Cents(asked.payload.cents)
    since = now - SAME_PAYMENT
    twins = tx.instructions.recent_same(email=asked.payload.email, cents=cents, since=since, ignoring=NOT_PAID)
    facts = Facts(
        cents=cents,
        duplicates=twins,
        new_recipient=not tx.instructions.paid_before(asked.payload.email),
        sent_today=tx.reservations.sum(daily_key(now)),
    )
    return Instruction(
        id=ulid(now),
        reference=unused_reference(tx, Letter.PAYOUT),
        kind=asked.kind,
        payload=asked.payload,
        code=code,
        digest=digest_of(kind=asked.kind, code=code, payload=asked.payload),
        requirement=ctx.policy.requirement(facts),
        state=State.NEW,
        round=1,
        version=1,
        requester=asked.requester,
        origin_channel=asked.channel,
        created_at=now,
        source_key=asked.source_key,
        due_at=now,
    )


def unused_reference(tx: Tx, letter: Letter) -> str:
    """A reference that neither a request nor a booking has yet, e.g. ``P-4F7K2M``."""
    while tx.instructions.find(chosen := reference(letter)) is not None or tx.bookings.find(chosen) is not None:
        continue
    return chosen

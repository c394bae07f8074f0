"""Somebody asks for money to come in. Nobody has to approve that; the service hears of it once it is stored."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.payments.instruction import (
    CallbackKind,
    Instruction,
    Kind,
    PurchasePayload,
    Requirement,
    State,
    digest_of,
)
from bot.domain.references import Letter, callback_token, token_hash, ulid
from bot.workflows.context import Context
from bot.workflows.requests.announce import Place, show_card
from bot.workflows.requests.request import store_once, unused_reference
from storage.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedToCollect:
    """A checked request for a purchase. ``source_key`` names the command or form that made it."""

    requester: str
    channel: str
    payload: PurchasePayload
    source_key: str


async def request_purchase(ctx: Context, asked: AskedToCollect) -> Instruction:
    """Store the request with its code, digest and callback addresses, durably.

    The same ``source_key`` again gives the row of the first time: a form submitted twice asks once.
    """
    now = ctx.clock.now()
    code = ulid(now)

    def work(tx: Tx) -> Instruction:
        known = tx.instructions.by_source(asked.source_key)
        if known is not None:
            return known
        instruction = _new(tx, asked, code=code, now=now)
        tx.instructions.insert(instruction, actor=asked.requester)
        for kind in CallbackKind:
            token = callback_token(key=ctx.token_key, instruction_id=instruction.id, kind=kind)
            tx.tokens.put(token_hash=token_hash(token), instruction_id=instruction.id, kind=kind, expires_at=None)
        show_card(tx, instruction, Place.REQUESTER, policy=ctx.policy, now=now)
        return instruction

    instruction = await store_once(ctx, work, source_key=asked.source_key)
    ctx.wake()
    return instruction


def _new(tx: Tx, asked: AskedToCollect, *, code: str, now: datetime) -> Instruction:
    return Instruction(
        id=ulid(now),
        reference=unused_reference(tx, Letter.PURCHASE),
        kind=Kind.PURCHASE,
        payload=asked.payload,
        code=code,
        digest=digest_of(kind=Kind.PURCHASE, code=code, payload=asked.payload),
        requirement=Requirement(quorum=1),  # never asked for: no vote leads anywhere from a purchase's states
        state=State.NEW,
        round=1,
        version=1,
        requester=asked.requester,
        origin_channel=asked.channel,
        created_at=now,
        source_key=asked.source_key,
        due_at=now,
    )

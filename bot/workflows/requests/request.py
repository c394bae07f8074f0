"""Store new requests. Nothing is sent to a service before every check here has passed."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from bot.domain.addresses import mailbox
from bot.domain.payments.instruction import (
    MONEY_OUT,
    Instruction,
    Kind,
    Payload,
    Progress,
    State,
    Vote,
    digest_of,
)
from bot.domain.payments.moves import APPROVED
from bot.domain.policy import Requirement
from bot.domain.references import Letter, callback_token, reference, token_hash, ulid
from bot.slack.people import FRESH
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import asked_in, show_card
from bot.workflows.requests.reach import OutOfReachError, approvers_in_time, reachable
from bot.workflows.requests.send import required
from storage.errors import CommitUnknown, RowUnreadable, StorageFull
from storage.transaction import Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class Requested:
    """A checked request. ``source_key`` names the command or form that made it; ``items``: its rows, if any.

    ``remote_id``: the service's id of an external payment that the request is about.
    """

    requester: str
    channel: str
    kind: Kind
    payload: Payload
    source_key: str
    items: Sequence[Any] = ()
    remote_id: str | None = None

    @property
    def payees(self) -> Collection[str]:
        """Return the mailboxes that it pays."""
        if self.kind not in MONEY_OUT:
            return ()
        return {mailbox(item.email) for item in self.items} if self.items else (mailbox(self.payload.payee),)


class CodeTakenError(Exception):
    """The code that was chosen belongs to another request."""

    def __init__(self, holder: Instruction) -> None:
        super().__init__(holder.reference)
        self.holder = holder


Known = Callable[[Unit, str], Instruction | None]
"""Returns the request that a source already made, if any."""
_WithinReach = Callable[..., Requirement]
"""The requirement, if enough people can meet it; see :func:`bot.workflows.requests.reach.reachable`."""


async def request(ctx: Context, requested: Requested) -> Instruction:
    """Store the request with its code, digest, policy snapshot and callback addresses, durably.

    The same ``source_key`` again returns the first row: a form submitted twice makes one request.

    Raises:
        StorageFull: there is too little room to follow a new request to its end.
        CodeTakenError: its code was chosen for another request that may have left something at the service.
        OutOfReachError: too few people can ever approve it.
    """
    return await request_of(ctx, requested.source_key, lambda _: requested, decided=requested.kind in APPROVED)


async def request_of(
    ctx: Context,
    source_key: str,
    make: Callable[[Unit], Requested],
    *,
    known: Known = lambda uow, key: uow.instructions.by_source(key),
    decided: bool = True,
) -> Instruction:
    """Like :func:`request`, for a request that ``make`` builds inside the transaction, perhaps with a new source key.

    ``decided``: people approve it, so approvers are counted first.
    """
    if ctx.store.disk.space_left().is_short:
        raise StorageFull
    able = await approvers_in_time(ctx) if decided else None
    try:
        return await _request(ctx, source_key, make, known, partial(reachable, able=able, capped=False))
    except OutOfReachError:  # perhaps an approver was added since these people were read
        able = await approvers_in_time(ctx, fresh=FRESH)
        return await _request(ctx, source_key, make, known, partial(reachable, able=able, capped=True))


async def _request(
    ctx: Context, source_key: str, make: Callable[[Unit], Requested], known: Known, within_reach: _WithinReach
) -> Instruction:
    code = ulid(ctx.clock.now())

    def work(uow: Unit) -> Instruction:
        before = known(uow, source_key)
        if before is not None:
            return before
        requested = make(uow)
        kind, payload = uow.kinds[requested.kind], requested.payload
        holder = uow.instructions.by_code(payload.code) if payload.code and not payload.taken else None
        if holder is not None and not holder.leaves_its_code:
            raise CodeTakenError(holder)
        requirement = Requirement(quorum=1)
        if requested.kind in APPROVED:
            by_policy = required(uow, requested.kind, payload, requested.items, uow.now)
            who = requested.requester
            requirement = within_reach(uow.ctx, by_policy, requester=who, payees=requested.payees)
        instruction = Instruction(
            id=ulid(uow.now),
            reference=unused_reference(uow, kind.letter),
            kind=requested.kind,
            payload=payload,
            code=code,
            digest=digest_of(kind=requested.kind, code=code, payload=payload),
            requirement=requirement,
            state=State.NEW,
            round=1,
            version=1,
            requester=requested.requester,
            origin_channel=requested.channel,
            created_at=uow.now,
            source_key=requested.source_key,
            progress=Progress() if requested.items else None,
            remote_id=requested.remote_id,
            due_at=uow.now,
        )
        instruction = uow.instructions.insert(instruction, actor=requested.requester) or instruction
        uow.bulk_items.add(instruction.id, requested.items)
        for about in kind.called_back:
            token = callback_token(key=uow.ctx.token_key, instruction_id=instruction.id, kind=about)
            uow.tokens.put(token_hash=token_hash(token), instruction_id=instruction.id, kind=about, expires_at=None)
        show_card(uow, instruction, asked_in(uow.ctx, instruction), prepared=requested.kind not in APPROVED)
        return instruction

    try:
        instruction = await ctx.write(work, name="request", wakes=False)
    except CommitUnknown:  # an error here would make the requester repeat the request
        stored = await ctx.read(lambda uow: known(uow, source_key))
        if stored is None:
            raise
        instruction = stored
    ctx.wake()
    return instruction


def unused_reference(tx: Tx, letter: Letter) -> str:
    """Return a reference that no request or booking has yet, e.g. ``P-4F7K2M``."""
    while tx.instructions.find(chosen := reference(letter)) is not None or tx.bookings.find(chosen) is not None:
        continue
    return chosen


async def find(ctx: Context, text: str) -> Instruction | None:
    """Find a request by its reference, code or the service's id."""
    return await ctx.read(lambda uow: uow.instructions.find(text))


async def find_votes(ctx: Context, instruction: Instruction) -> list[Vote]:
    """Return the votes of a request's current round."""
    return await ctx.read(lambda uow: uow.votes.of(instruction.id, instruction.round))


async def check_cards(ctx: Context, instruction: Instruction) -> None:
    """Edit the cards of an open request; the edit reveals a deleted card, which is then reposted."""
    if instruction.closed_at is None:
        await ctx.write(lambda uow: uow.boards.mark_request(instruction.id, now=uow.now), name="check_cards")


def with_votes(tx: Tx, found: Iterable[Instruction]) -> list[tuple[Instruction, list[Vote]]]:
    """Return requests with the votes of their rounds, without those whose votes are unreadable."""
    listed = []
    for one in found:
        with suppress(RowUnreadable):  # noted: the request is held, and the operator is notified
            listed.append((one, tx.votes.of(one.id, one.round)))
    return listed

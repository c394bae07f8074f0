"""Search the services for what the database may have lost: by code, by id, in the history. Nothing is sent here.

Two occasions. In reading-only mode, every request that was not final is searched for until that is settled. And a
request older than this process is searched for once before its first effect, because other processes' anchors may
lie elsewhere. What is found becomes an unknown outcome, which the ordinary reads of its kind take in.
"""

from datetime import datetime

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import (
    EFFECT_UNDER_WAY,
    FINAL,
    MONEY_OUT,
    Attempt,
    AttemptKind,
    AttemptOutcome,
    Instruction,
    State,
)
from bot.domain.payments.moves import CREATES
from bot.domain.payments.sealed import daily_key
from bot.domain.reasons import OfMode, OfRequest, Reason
from bot.domain.recovery import LastSearch, ReadingOnly, SearchResult, Seen
from bot.domain.troubles import full_reason
from bot.workflows.context import Context, Unit
from bot.workflows.reading_only import WAITS, looks, note, reading_only
from bot.workflows.requests.announce import alert, note_paid
from storage.repositories.requests import Changes

log = structlog.get_logger(__name__)

_AT_ONCE = 3
_FOLLOWED = frozenset({State.OPEN, State.COMMITTED, State.PENDING_ESCROW})
_READ_ANYWAY = frozenset({State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN})
_WITHOUT_LIMIT = 1 << 62


async def look_due(ctx: Context) -> int:
    """In reading-only mode: search for the requests that are due; returns how many there were."""
    payments = ctx.payments.client
    if payments is None:
        return 0

    def due_now(uow: Unit) -> tuple[ReadingOnly | None, list[Instruction]]:
        mode, due = reading_only(uow), list[Instruction]()
        if mode is None:
            return None, due
        before = looks(uow)
        done = {key for key, found in before.items() if found.is_over}
        for wanted in (one for one in uow.instructions.not_over_at(mode.since) if one not in done):
            again_at = before[wanted].again_at if wanted in before else None
            found = uow.instructions.get(wanted) if again_at is None or again_at <= uow.now else None
            if found is not None and found.state not in EFFECT_UNDER_WAY:
                due.append(found)
            if len(due) == _AT_ONCE:
                break
        return mode, due

    mode, due = await ctx.read(due_now)
    if mode is None:
        return 0
    for instruction in due:
        finding = await _look(ctx, payments, instruction, until=mode.until)
        await ctx.write(lambda uow: _note(uow, mode, instruction.id, finding), name="looked", wakes=False)  # noqa: B023
    if due:
        ctx.wake()
    return len(due)


async def is_held(ctx: Context, instruction: Instruction) -> bool:
    """Whether the next step of a request waits for an operator; that is stored, and its card says so."""
    if instruction.state not in WAITS or await ctx.read(reading_only) is None:
        return False
    now = ctx.clock.now()
    held = Reason(OfRequest.RESTORED)
    show, due = instruction.reason != held, now + ctx.quiet.spacing
    await ctx.write(lambda uow: uow.instructions.touch(instruction, show=show, reason=held, due_at=due), name="held")
    return True


async def is_known_here(ctx: Context, payments: PaymentsClient, instruction: Instruction) -> bool:
    """Before the first effect of a request older than this process: whether the service holds nothing of it.

    False: it does, and every process is in reading-only mode from now on.
    """
    never_tried = not instruction.creates and not instruction.commits and instruction.remote_id is None
    is_first = instruction.state is (State.NEW if instruction.kind in CREATES else State.APPROVED)
    from_before = instruction.created_at < ctx.high_water.began and instruction.id not in ctx.high_water.looked
    if not (never_tried and is_first and from_before) or ctx.kinds[instruction.kind].find is None:
        return True  # besides: a payout with an id and a cancellation are read before their effect anyway
    finding = await _find(ctx, payments, instruction, sent=False)
    if finding.seen is Seen.UNREADABLE:
        raise ServiceNow("payments", finding.reason)
    if finding.seen is Seen.FOUND:
        await ctx.high_water.doubt(Reason(OfMode.UNKNOWN_HERE, reference=instruction.reference))
        await ctx.write(lambda uow: _take_up(uow, instruction, ctx.clock.now(), finding.reason), name="found")
        return False
    ctx.high_water.looked.add(instruction.id)
    return True


async def _look(ctx: Context, payments: PaymentsClient, instruction: Instruction, *, until: datetime) -> SearchResult:
    """What the service holds of a request; ``until``: the last time at which something of it may have been sent."""
    try:
        finding = await _find(ctx, payments, instruction, sent=True)
        over = ctx.quiet.over(sent_at=until, now=ctx.clock.now())
        if finding.seen is Seen.ABSENT and over:
            # A list that changes while it is read can hide a record.
            return await _find(ctx, payments, instruction, sent=True)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        return SearchResult(Seen.UNREADABLE, full_reason(silent))
    if finding.seen is Seen.ABSENT and not over:
        return SearchResult(Seen.NOT_YET, finding.reason)
    return finding


async def _find(ctx: Context, payments: PaymentsClient, instruction: Instruction, *, sent: bool) -> SearchResult:
    find = ctx.kinds[instruction.kind].find
    if instruction.state in _FOLLOWED:
        return SearchResult(Seen.FOUND, Reason(OfRequest.FOLLOWED))
    if find is None:
        return SearchResult(Seen.ABSENT, Reason(OfRequest.READ_BEFORE))
    return await find(ctx, payments, instruction, sent)


def _note(uow: Unit, mode: ReadingOnly, instruction_id: str, finding: SearchResult) -> None:
    over = finding.seen in (Seen.FOUND, Seen.ABSENT)
    again = None if over else uow.now + uow.quiet.spacing
    note(uow, instruction_id, LastSearch(seen=finding.seen, reason=finding.reason, again_at=again))
    instruction = uow.instructions.get(instruction_id)
    if finding.seen is Seen.FOUND and instruction is not None:
        _take_up(uow, instruction, mode.until, finding.reason)


def _take_up(uow: Unit, instruction: Instruction, sent_at: datetime, reason: Reason) -> None:
    """The service holds more than the database: from here on the outcome is read, as after any lost answer."""
    if instruction.state in FINAL:
        said = Reason(OfRequest.ENDED_HERE, found=reason, state=instruction.state.value)
        note_paid(uow, instruction, said)
        alert(uow, instruction, "paid_after_close", reason=said)
    elif instruction.state in _READ_ANYWAY:
        uow.instructions.touch(instruction, due_at=uow.now)
    if instruction.state not in WAITS:
        return
    n = len(uow.attempts.of(instruction.id)) + 1
    creates = instruction.state is State.NEW and instruction.kind in CREATES
    found = Reason(OfRequest.FOUND_AFTER_RESTORE)
    changes: Changes = {
        "reason": found,
        "sent_at": sent_at,
        "unknown_since": uow.now,
        "reads": 0,
        "last_read_at": None,
        "puts_off": 0,
        "due_at": uow.now,
    }
    changes |= {"creates": instruction.creates + 1} if creates else {"commits": instruction.commits + 1}
    moved = uow.instructions.move(
        instruction,
        State.CREATE_UNKNOWN if creates else State.COMMIT_UNKNOWN,
        action="found_after_restore",
        facts={"attempt": n},
        **changes,
    )
    if moved is None:
        return
    uow.attempts.open(
        Attempt(
            instruction_id=moved.id,
            n=n,
            kind=AttemptKind.CREATE if creates else AttemptKind.COMMIT,
            request_hash=moved.digest,
            claimed_at=sent_at,
            boot_at=uow.ctx.clock.boottime(),
        )
    )
    uow.attempts.close(moved.id, n, AttemptOutcome.UNKNOWN, str(found), uow.now)
    if not creates and moved.kind in MONEY_OUT:
        uow.reservations.reserve(moved.id, n, day=daily_key(sent_at), cents=moved.cents, limit_cents=_WITHOUT_LIMIT)

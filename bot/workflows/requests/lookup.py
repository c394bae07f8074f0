"""Look at requests without changing them."""

from collections.abc import Iterable
from contextlib import suppress

from bot.domain.payments.instruction import Instruction, State, Vote
from bot.domain.payments.moves import APPROVED
from bot.workflows.context import Context, Unit
from storage.errors import RowUnreadable
from storage.transaction import Tx

_WAITING = (State.AWAITING, State.NEEDS_HUMAN)


async def find(ctx: Context, text: str) -> tuple[Instruction, list[Vote]] | None:
    """A request by its reference, code or the service's id, with the votes of its round."""

    def work(uow: Unit) -> tuple[Instruction, list[Vote]] | None:
        found = uow.instructions.find(text)
        return (found, uow.votes.of(found.id, found.round)) if found is not None else None

    return await ctx.read(work)


async def find_votes(ctx: Context, instruction: Instruction) -> list[Vote]:
    """The votes of a request's present round."""
    return await ctx.read(lambda uow: uow.votes.of(instruction.id, instruction.round))


async def check_cards(ctx: Context, instruction: Instruction) -> None:
    """Edit the cards of an open request: one that was deleted is found out by that, and posted anew."""
    if instruction.closed_at is not None:
        return
    now = ctx.clock.now()
    await ctx.write(lambda uow: uow.boards.mark_request(instruction.id, now=now), name="check_cards", wakes=False)
    ctx.wake()


async def waiting(ctx: Context) -> list[tuple[Instruction, list[Vote]]]:
    """What waits for people, oldest first."""

    def work(uow: Unit) -> list[tuple[Instruction, list[Vote]]]:
        found = (one for one in uow.instructions.awaiting(_WAITING) if one.kind in APPROVED)
        return with_votes(uow, found)

    return await ctx.read(work)


def with_votes(tx: Tx, found: Iterable[Instruction]) -> list[tuple[Instruction, list[Vote]]]:
    """Requests with the votes of their rounds; one whose votes cannot be read is left out."""
    listed = []
    for one in found:
        with suppress(RowUnreadable):  # noted: it is held, and the operator is told
            listed.append((one, tx.votes.of(one.id, one.round)))
    return listed

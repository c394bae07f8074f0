"""An answer that is known is stored, whatever the database does; a claim whose commit broke off is read back."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from bot.domain.payments.instruction import AttemptOutcome, State
from bot.playground.faults import Fault, FaultKind
from bot.workflows.admin.takeover import recover
from bot.workflows.keeping import at_start
from storage.errors import CommitUnknown, StorageBusy, StorageClosed, StorageError
from tests.support.rig import FINANCE, Rig
from tests.workflows.looking import asked, attempts, state, told
from tests.workflows.stumbling import stumble

ONCE_MORE = [StorageBusy("locked"), StorageError("the disk is full"), CommitUnknown("the connection broke")]


@pytest.mark.parametrize("verb", ["send", "now"])
@pytest.mark.parametrize("kind", [None, FaultKind.TOO_MANY], ids=["done", "429"])
async def test_answer_is_retried_until_stored(rig: Rig, verb: str, kind: FaultKind | None) -> None:
    await rig.pay(f'{verb} ana@example.com 25.00 "March"')
    if kind is not None:
        rig.payments.faults.arm(Fault(kind, "one_step_payout" if verb == "now" else "commit_payout"))
    stumbling = stumble(rig, "committed", *ONCE_MORE)
    await rig.press("approve")
    assert not stumbling.errors
    assert await state(rig) is (State.COMMITTED if kind is None else State.APPROVED)
    await rig.pass_time(120, steps=4)
    assert rig.paid == [("ana@example.com", 2_500)]
    assert [one.outcome for one in await attempts(rig)].count(AttemptOutcome.UNKNOWN) == 0
    assert not told(rig, FINANCE, "unknown")


@pytest.mark.parametrize("verb", ["send", "now", "collect"])
async def test_claim_with_an_interrupted_commit_is_used(rig: Rig, verb: str) -> None:
    """Nothing has left yet; the database says whether the claim holds."""
    unit = "claim_commit" if verb == "now" else "claim_create"
    stumbling = stumble(rig, unit, CommitUnknown("the connection broke"))
    await rig.pay(
        'collect ben@example.com "Poster" A2=1x30.00' if verb == "collect" else f"{verb} ana@example.com 25 M"
    )
    if verb == "now":
        await rig.press("approve")
    assert not stumbling.errors
    assert len(await attempts(rig)) == 1
    assert (await attempts(rig))[0].outcome is AttemptOutcome.DONE
    assert asked(rig, {"send": "create_payout", "now": "one_step_payout", "collect": "create_purchase"}[verb]) == 1


async def test_uncommitted_claim_sends_nothing(rig: Rig) -> None:
    await rig.pay("now ana@example.com 25 M")
    store = rig.switchboard.context.store
    was = store.write

    async def lost(work: Callable[..., Any], *, name: str = "") -> Any:
        if name == "claim_commit":
            raise CommitUnknown("the connection broke")
        return await was(work, name=name)

    store.write = lost  # type: ignore[method-assign]
    await rig.press("approve")
    store.write = was  # type: ignore[method-assign]
    assert (await state(rig), asked(rig, "one_step_payout")) == (State.APPROVED, 0)
    await rig.pass_time(61)
    assert rig.paid == [("ana@example.com", 2_500)]


async def test_start_waits_for_the_lock_of_another_process(rig: Rig) -> None:
    stumbling = stumble(rig, "recover", StorageBusy("locked"), StorageBusy("the server starts again"))
    assert await at_start(partial(recover, rig.switchboard.context)) == 0
    assert not stumbling.errors


@pytest.mark.parametrize("error", [StorageBusy("locked"), StorageClosed("stopping"), StorageError("not migrated")])
async def test_start_fails_if_the_lock_stays(rig: Rig, error: StorageError) -> None:
    stumbling = stumble(rig, "recover", error, error)
    seconds = 0.0 if type(error) is StorageBusy else 60.0
    with pytest.raises(type(error)):
        await at_start(partial(recover, rig.switchboard.context), seconds=seconds)
    assert stumbling.errors == [error]

"""F94: the claim itself asks the audit: what is changed between the look before it and the claim is held, too."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from bot.domain.approvals import Membership
from bot.domain.payments.instruction import Attempt, AttemptKind, AttemptOutcome, Kind, State
from tests.support.rig import APPROVALS, MARIA, Rig
from tests.workflows.authority import KINDS, approved_just_now, sent
from tests.workflows.looking import alerts, asked, newest, state, there


async def forge(rig: Rig) -> None:
    found = await newest(rig)
    forged = Attempt(
        instruction_id=found.id,
        n=9,
        kind=AttemptKind.COMMIT,
        request_hash="h",
        claimed_at=rig.clock.now(),
        boot_at=1.0,
        outcome=AttemptOutcome.UNKNOWN,
    )
    await rig.switchboard.context.store.write(lambda tx: tx.attempts.open(forged))


@pytest.mark.parametrize("kind", KINDS)
async def test_row_forged_during_people_lookup_is_not_sent(
    rig: Rig, kind: Kind, monkeypatch: pytest.MonkeyPatch
) -> None:
    await approved_just_now(rig, kind)
    before, people = sent(rig, kind), rig.switchboard.context.people
    original, done = people.standings, list[str]()

    async def slow(users: Iterable[str], **more: Any) -> Mapping[str, Membership]:
        if not done:
            done.append("forged")
            await forge(rig)
        return await original(users, **more)

    monkeypatch.setattr(people, "standings", slow)
    await rig.settle()
    assert done
    assert sent(rig, kind) == before
    assert await state(rig) is State.APPROVED
    assert [one for one in alerts(rig) if "is on hold" in one]


async def test_row_forged_during_recipient_lookup_is_not_created(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.workspace.slash(MARIA, APPROVALS, "/pay", "send ana@example.com 25.00 rent")
    payments = there(rig.switchboard.context.payments.client)
    original = payments.account_status

    async def forged(email: str) -> Any:
        await forge(rig)
        return await original(email)

    monkeypatch.setattr(payments, "account_status", forged)
    await rig.settle()
    assert asked(rig, "create_payout") == 0
    assert await state(rig) is State.NEW

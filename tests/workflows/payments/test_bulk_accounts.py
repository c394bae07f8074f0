"""Before approvers see a bulk payment: all its accounts are looked up in steps, each once."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from bot.clients.limiter import Lane
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem, BulkProgress
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import AccountStatus
from bot.workflows.payments.accounts import prepare
from tests.support.rig import Rig
from tests.workflows.looking import there
from tests.workflows.planted import on_one_rig, planted, stored


class Accounts:
    """The account look-up of the payments service."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def require(self, operation: str) -> None:
        assert operation == "create_bulk_payment"

    async def account_status(self, email: str, *, lane: Lane) -> AccountStatus:
        assert lane is Lane.LISTING, "everything else goes first"
        self.asked.append(email)
        return AccountStatus(active=True)


def rows(count: int) -> list[BulkItem]:
    return [BulkItem(row=n, email=f"p{n}@example.com", cents=Cents(1)) for n in range(1, count + 1)]


async def requested(rig: Rig, items: Sequence[BulkItem], **changes: Any) -> Instruction:
    held = {"lease_owner": rig.switchboard.context.owner, "lease_until": rig.clock.now() + timedelta(minutes=1)}
    more = {"progress": BulkProgress(), "state": State.NEW, "remote_id": None, **held, **changes}
    return await planted(rig, Kind.BULK, items=items, **more)


async def step(rig: Rig, one: Instruction, accounts: Any) -> Instruction:
    await prepare(rig.switchboard.context, accounts, await stored(rig, one))
    return await stored(rig, one)


async def test_accounts_are_read_once_in_steps_of_fifty(rig: Rig) -> None:
    items = [*rows(93), BulkItem(row=99, email="P71@example.com", cents=Cents(9))]
    one, accounts = await requested(rig, items), Accounts()
    for state, count in ((State.NEW, 50), (State.NEW, 93), (State.AWAITING, 93)):
        one = await step(rig, one, accounts)
        progress = there(one.progress)
        assert (one.state, progress.looked_up, progress.to_look_up) == (state, count, 93)
        assert len({email.casefold() for email in accounts.asked}) == len(accounts.asked) == count
    assert accounts.asked[0].casefold() == "p71@example.com", "the largest sum comes first"


@on_one_rig([(29 * 60 + 59, State.NEW, 50, 0), (30 * 60, State.AWAITING, 0, 80)])
async def test_approvers_are_asked_after_thirty_minutes(
    rig: Rig, seconds: int, state: State, asked: int, unread: int
) -> None:
    ago, accounts = rig.clock.now() - timedelta(seconds=seconds), Accounts()
    one = await step(rig, await requested(rig, rows(80), created_at=ago), accounts)
    assert (one.state, len(accounts.asked), there(one.progress).not_read) == (state, asked, unread)

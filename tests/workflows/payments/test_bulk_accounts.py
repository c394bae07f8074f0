"""Before approvers see a bulk payment: all its accounts are looked up, each once, and what is known is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.clients.limiter import Lane
from bot.domain.emails.lists import RUN, RunState
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import refusal
from bot.domain.payments.bulk import BulkItem, BulkProgress
from bot.domain.payments.bulk_file import FormMetadata
from bot.domain.payments.instruction import Instruction, Kind, Recipient, State
from bot.domain.payments.lookups import CHECK, Lookup
from bot.domain.payments.operation import AccountStatus
from bot.workflows.context import Unit
from bot.workflows.payments.accounts import prepare, read_accounts
from bot.workflows.payments.bulk_check import carried_by
from storage.rows import Job
from tests.domain.made import bulk
from tests.support.reasons import NO_ANSWER
from tests.support.rig import Rig
from tests.workflows.planted import on_one_rig, planted, queued, stored, write

ON, OFF, UNSAID = AccountStatus(active=True), AccountStatus(active=False), AccountStatus()
SILENT, REFUSED = ServiceNow("payments", NO_ANSWER), ServiceNever("payments", refusal(422))
DENIED = OperatorError("the credentials are wrong", service="payments", mend="set them")


class Killed(Exception):
    """Its process has died."""


class Accounts:
    """The payments service, as far as accounts go: what it answers, one after the other, by address."""

    def __init__(self, answers: Mapping[str, Sequence[Any]] | None = None, *, otherwise: Any = ON) -> None:
        self.answers = {name: list(each) for name, each in (answers or {}).items()}
        self.otherwise = otherwise
        self.asked: list[str] = []

    def require(self, operation: str) -> None:
        assert operation == "create_bulk_payment"

    async def account_status(self, email: str, *, lane: Lane) -> AccountStatus:
        assert lane is Lane.LISTING, "everything else goes first"
        self.asked.append(email)
        answer = self.answers[email].pop(0) if self.answers.get(email) else self.otherwise
        if isinstance(answer, BaseException):
            raise answer
        found: AccountStatus = answer
        return found


def rows(count: int, first: int = 1) -> list[BulkItem]:
    return [BulkItem(row=n, email=f"p{n:05}@example.com", cents=Cents(1)) for n in range(first, first + count)]


async def asked_for(rig: Rig, items: Sequence[BulkItem], **changes: Any) -> Instruction:
    """Leased by this process, as its worker has it."""
    ctx = rig.switchboard.context
    held = {"lease_owner": ctx.owner, "lease_until": ctx.clock.now() + timedelta(minutes=1)}
    more = {"progress": BulkProgress(), "state": State.NEW, "remote_id": None, **held, **changes}
    return await planted(rig, Kind.BULK, items=items, **more)


async def step(rig: Rig, one: Instruction, accounts: Accounts) -> Instruction:
    payments: Any = accounts
    await prepare(rig.switchboard.context, payments, await stored(rig, one))
    return await stored(rig, one)


async def put_off(rig: Rig, one: Instruction, times: int) -> None:
    now = await stored(rig, one)
    await write(rig, lambda uow: uow.instructions.touch(now, puts_off=times))


@on_one_rig(
    [
        ([ON], (0, 0), 1),
        ([OFF], (1, 0), 1),
        ([UNSAID], (0, 1), 1),
        ([REFUSED], (0, 1), 1),
        ([SILENT, ON], (0, 0), 2),
        ([SILENT, OFF], (1, 0), 2),
        ([DENIED, ON], (0, 0), 2),
        ([SILENT, REFUSED], (0, 1), 2),
        ([SILENT, SILENT], (0, 1), 2),
    ]
)
async def test_an_account_is_asked_for_again_once_when_nothing_answered(
    rig: Rig, answers: list[Any], counts: tuple[int, int], asked: int
) -> None:
    accounts = Accounts({"a@example.com": answers})
    items = [BulkItem(row=n, email=f"{name}@example.com", cents=Cents(1)) for n, name in enumerate("ab", 2)]
    one = await step(rig, await asked_for(rig, items), accounts)
    assert one.progress is not None
    assert (one.state, one.progress.looked_up, one.progress.to_look_up) == (State.AWAITING, 2, 2)
    assert (one.progress.inactive, one.progress.not_read) == counts
    assert accounts.asked.count("a@example.com") == asked


async def test_many_are_asked_about_in_steps_and_each_address_once(rig: Rig) -> None:
    items = [*rows(73), BulkItem(row=90, email="P00071@example.com", cents=Cents(9)), *rows(20, first=100)]
    one, accounts = await asked_for(rig, items), Accounts()
    one = await step(rig, one, accounts)
    assert one.progress is not None
    assert (one.state, one.progress.looked_up, one.progress.to_look_up) == (State.NEW, 50, 93)
    assert (one.due_at, one.lease_owner) == (rig.clock.now(), "")
    assert accounts.asked[0].casefold() == "p00071@example.com", "who gets most comes first"
    one = await step(rig, await step(rig, one, accounts), accounts)
    assert one.progress is not None
    assert (one.state, one.progress.looked_up) == (State.AWAITING, 93)
    assert len(accounts.asked) == len({email.casefold() for email in accounts.asked}) == 93
    assert not [key for key in await queued(rig, one) if "file" in key]


async def test_another_process_goes_on_where_the_first_one_died(rig: Rig) -> None:
    first, second = Accounts({"p00015@example.com": [Killed()]}), Accounts({"p00003@example.com": [OFF]})
    one = await asked_for(rig, rows(30))
    with pytest.raises(Killed):
        await step(rig, one, first)
    found = (await stored(rig, one)).progress
    assert found is not None
    assert (found.looked_up, found.to_look_up) == (10, 30)
    one = await step(rig, one, second)
    assert second.asked == [f"p{n:05}@example.com" for n in range(11, 31)]
    assert one.state is State.AWAITING


@on_one_rig([(SILENT, ServiceNow), (DENIED, OperatorError)])
async def test_a_silent_service_is_asked_later_but_not_for_ever(
    rig: Rig, silence: Exception, raised: type[Exception]
) -> None:
    one = await asked_for(rig, rows(25))
    accounts = Accounts({f"p{n:05}@example.com": [ON] for n in range(1, 11)}, otherwise=silence)
    assert (await step(rig, one, accounts)).due_at == rig.clock.now(), "it is put off as it stands after an answer"
    for puts_off in (0, 1, 2):
        await put_off(rig, one, puts_off)
        with pytest.raises(raised):
            await step(rig, one, accounts)
    await put_off(rig, one, 3)
    accounts.asked.clear()
    after = await step(rig, one, accounts)
    assert len(accounts.asked) == 20, "ten addresses, each twice; nobody asks about the other five"
    assert after.progress == BulkProgress(looked_up=25, to_look_up=25, not_read=15)
    assert after.state is State.AWAITING


async def test_an_answer_in_between_begins_the_count_anew(rig: Rig) -> None:
    one = await asked_for(rig, rows(12), puts_off=3)
    accounts = Accounts({f"p{n:05}@example.com": [ON] for n in range(1, 11)}, otherwise=SILENT)
    assert (await step(rig, one, accounts)).puts_off == 0


@on_one_rig([(29 * 60 + 59, State.NEW), (30 * 60, State.AWAITING)])
async def test_after_half_an_hour_the_approvers_are_asked(rig: Rig, seconds: int, state: State) -> None:
    ago = rig.clock.now() - timedelta(seconds=seconds)
    accounts = Accounts()
    one = await step(rig, await asked_for(rig, rows(80), created_at=ago), accounts)
    assert one.state is state
    assert one.progress is not None
    assert (len(accounts.asked), one.progress.not_read) == ((50, 0) if state is State.NEW else (0, 80))


async def test_who_was_overtaken_stops_and_stores_nothing(rig: Rig) -> None:
    ctx = rig.switchboard.context
    one, accounts = await asked_for(rig, rows(30), version=2), Accounts()
    payments: Any = accounts
    await prepare(ctx, payments, replace(one, version=1))
    assert len(accounts.asked) == 10
    assert await stored(rig, one) == one
    assert await ctx.read(lambda uow: uow.lookups.of(one.id)) == {}


async def test_what_an_older_version_had_looked_up_is_looked_up_again(rig: Rig) -> None:
    older = BulkProgress(looked_up=10, to_look_up=40, inactive=4, inactive_emails=("eve@example.com",))
    accounts = Accounts({"p00002@example.com": [OFF]})
    one = await step(rig, await asked_for(rig, rows(45), progress=older), accounts)
    assert len(accounts.asked) == 45
    assert one.progress == BulkProgress(
        looked_up=45, to_look_up=45, inactive=1, inactive_emails=("p00002@example.com",)
    )


async def test_of_a_group_in_which_nobody_answers_nothing_is_kept() -> None:
    payments: Any = Accounts({"a@example.com": [SILENT, DENIED]}, otherwise=SILENT)
    assert await read_accounts(payments, ["a@example.com", "b@example.com"]) == ([], DENIED)
    assert await read_accounts(payments, []) == ([], None)


async def test_what_a_check_found_out_of_late_is_not_asked_again(rig: Rig) -> None:
    now = rig.clock.now()
    fine, gone = Recipient(active=True), Recipient(problem=NO_ANSWER)
    one = await asked_for(rig, rows(4), payload=bulk().payload.model_copy(update={"check": "J1"}))

    def found(uow: Unit) -> None:
        uow.lookups.add("J1", [Lookup(email="p00001@example.com", recipient=fine)], now - timedelta(seconds=3_601))
        uow.lookups.add("J1", [Lookup(email="P00002@example.com", recipient=fine)], now - timedelta(seconds=3_600))
        uow.lookups.add("J1", [Lookup(email="p00003@example.com", recipient=gone)], now)
        uow.lookups.add("J1", [Lookup(email="stranger@example.com", recipient=fine)], now)

    await write(rig, found)
    accounts = Accounts()
    one = await step(rig, one, accounts)
    assert accounts.asked == ["p00001@example.com", "p00003@example.com", "p00004@example.com"]
    assert one.progress == BulkProgress(looked_up=4, to_look_up=4)


@on_one_rig(
    [
        (CHECK, RunState.DONE, True),
        (CHECK, RunState.RUNNING, False),
        (CHECK, RunState.FAILED, False),
        (RUN, RunState.DONE, False),
        (None, None, False),
    ]
)
async def test_only_a_check_that_is_done_opens_the_form(
    rig: Rig, kind: str | None, state: RunState | None, opens: bool
) -> None:
    now = rig.clock.now()
    payload: dict[str, Any] = {"file": "F1", "name": "march.csv", "places": {"email": 1, "amount": 0}}
    payload |= {"column": 0, "column_name": "email", "concurrency": 1}
    job = Job(
        id=f"J{kind}{state}",
        kind=kind or "",
        state=state or "",
        payload=payload,
        detail={},
        requester="U0MARIA",
        channel="C0FINANCE",
        thread_ts="1.1",
        source_key=f"{kind}{state}",
        created_at=now,
        due_at=None,
    )
    if kind:
        await write(rig, lambda uow: uow.jobs.add(job))
    found = await carried_by(rig.switchboard.context, job.id)
    carried = FormMetadata(file="F1", channel="C0FINANCE", key="file:F1", thread_ts="1.1", check=job.id)
    assert found == ((carried, {"email": 1, "amount": 0}) if opens else None)

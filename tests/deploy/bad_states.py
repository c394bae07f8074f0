"""Bad states, one for each alert: the product is brought there as in real life, and scraped on the way."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final

from bot.app import Switchboard
from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.settings import load_policy
from bot.wiring.surroundings import Surroundings
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Unit
from bot.workflows.restored import freeze_restored
from storage.disk_space import DiskSpace
from tests.deploy.promtool import Scrape
from tests.support.clock import HOUR, MINUTE, QUIET
from tests.support.databases import locked
from tests.support.rig import ADA, FINANCE, MARIA, OLGA, Rig
from tests.support.waiting import until
from tests.workflows.calling import call, token
from tests.workflows.looking import approved, newest, requests, state
from tests.workflows.restoring import back_up, path_of, put_back

LATE: Final = 400.0


Case = Callable[["Observed"], Awaitable[None]]


class Observed:
    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.scrapes: list[Scrape] = []
        self.is_over = False
        """Whether the last scrape has been taken."""

    async def scrape(self, *, last: bool = False) -> None:
        self.scrapes.append(await Scrape.of(self.rig.switchboard.url))
        self.is_over = last

    def arm(self, kind: FaultKind, operation: str, times: int | None = None, *, seconds: float = 5.0) -> Fault:
        """A fault of the payments service."""
        fault = Fault(kind, operation, times=times, seconds=seconds)
        self.rig.payments.faults.arm(fault)
        return fault

    def arm_slack(self, kind: FaultKind, method: str, times: int | None = None, *, seconds: float = 5.0) -> Fault:
        fault = Fault(kind, method, times=times, seconds=seconds)
        self.rig.workspace.faults.arm(fault)
        return fault

    async def say_something(self) -> None:
        ctx = self.rig.switchboard.context
        now, policy = ctx.clock.now(), ctx.policy
        facts = {"topic": "silent", "service": "payments", "since": now.isoformat()}
        await ctx.store.write(lambda tx: tell_everybody(Unit(tx, now=now, policy=policy), key="k", facts=facts))


async def restarted_again_and_again(on: Observed) -> None:
    for number in range(3):
        on.rig.clock.advance(MINUTE)
        await on.rig.start_again()
        await on.scrape(last=number == 2)


async def slack_away(on: Observed) -> None:
    """It starts, and Slack answers nothing."""
    rig = on.rig
    await rig.switchboard.stop()
    on.arm_slack(FaultKind.LOST, "auth.test")
    around = Surroundings(clock=rig.clock, owner="again")
    rig.switchboard = Switchboard(
        settings=rig.settings, policy=load_policy(rig.settings.policy_file), surroundings=around
    )
    await rig.switchboard.start()


async def a_slow_ack(on: Observed) -> None:
    """Slack takes long to say who somebody is, and 2.5 seconds of the bot's clock pass."""
    fault = on.arm_slack(FaultKind.SLOW, "users.info", 1, seconds=1.0)

    async def passing() -> None:
        on.rig.clock.advance(2.5)

    await _meanwhile(fault, on.rig.pay(), passing)


async def older_copy(on: Observed) -> None:
    """An older copy of the database takes its place, on a host without the anchors."""
    rig, url = on.rig, on.rig.settings.database_url
    await rig.pay()
    kept = back_up(url, path_of(url).with_suffix(".copy"))
    await rig.press("approve")
    await on.scrape()
    await rig.switchboard.stop()
    put_back(url, kept)
    for anchors in path_of(url).parent.glob("*.anchors*"):
        anchors.unlink()
    await rig.start()


async def anchors_that_cannot_be_written(on: Observed) -> None:
    await on.rig.start_again(anchors=Path(on.rig.settings.policy_file.parent) / "nowhere" / "anchors")
    await on.rig.pay()


async def a_row_stopped(on: Observed) -> None:
    await on.rig.pay()
    ctx, found = on.rig.switchboard.context, await newest(on.rig)
    now, key = ctx.clock.now(), (found.id,)
    await ctx.store.write(
        lambda tx: tx.instructions.touch(found, now=now, due_at=now, lease_owner=ctx.owner, lease_until=now)
    )
    assert await ctx.store.write(lambda tx: tx.steps.stop("instruction", key, owner=ctx.owner, number="n1"))


async def restored_database(on: Observed) -> None:
    ctx = on.rig.switchboard.context
    await ctx.write(lambda uow: freeze_restored(uow, []))
    await on.rig.settle()


async def frozen(on: Observed) -> None:
    await on.rig.workspace.slash(OLGA, FINANCE, "/pay", "freeze something is odd")
    await on.rig.settle()


async def people_needed(on: Observed) -> None:
    await outcome_unknown(on)
    await on.rig.pass_time(QUIET + MINUTE, steps=4)
    assert await state(on.rig) is State.NEEDS_HUMAN


async def outcome_unknown(on: Observed) -> None:
    on.arm(FaultKind.LOST, "commit_payout", 1)
    await approved(on.rig)
    assert await state(on.rig) is State.COMMIT_UNKNOWN


async def answers_lost(on: Observed) -> None:
    """Three commits without an answer, one after the other; each is read and adopted soon after."""
    on.arm(FaultKind.DONE_DROPPED, "commit_payout", 3)
    for number in range(3):
        on.rig.add_payees(f"p{number}@example.com")
        await approved(on.rig, f"send p{number}@example.com {20 + number}.00 rent")
        await on.rig.pass_time(MINUTE)
    assert {one.state for one in await requests(on.rig)} == {State.COMMITTED}


async def attempt_that_hangs(on: Observed) -> None:
    """The commit is on its way, and the machine's clock goes on."""
    await on.rig.pay()
    fault = on.arm(FaultKind.DONE_HANGS, "commit_payout", 1, seconds=60.0)

    async def hanging() -> None:
        on.rig.clock.advance(LATE)
        await on.scrape(last=True)
        await on.rig.payments.stop()  # the connection drops

    await _meanwhile(fault, on.rig.press("approve"), hanging)


async def requests_left(on: Observed) -> None:
    """A request expires, and nobody sees to it."""
    await on.rig.pay()
    on.rig.clock.advance(25 * HOUR)


async def service_silent(on: Observed) -> None:
    on.arm(FaultKind.LOST, "*")
    for _ in range(3):
        await on.rig.workspace.slash(ADA, FINANCE, "/pay", "partner")
    await on.rig.settle()


async def asked_to_wait(on: Observed) -> None:
    """Slack answers one message with 429 a dozen times, then takes it."""
    fault = on.arm_slack(FaultKind.TOO_MANY, "chat.postMessage", 12)
    await on.say_something()
    await on.rig.pass_time(2 * MINUTE, steps=40)
    assert fault.times == 0


async def an_answer_unread(on: Observed) -> None:
    await on.rig.workspace.slash(OLGA, FINANCE, "/pay", "partner")
    await on.rig.settle()


async def callbacks_left(on: Observed) -> None:
    """A payout goes on at the service, and nobody looks at its callback."""
    await approved(on.rig)
    await on.rig.payments.advance()
    await on.rig.payments.delivered()
    on.rig.clock.advance(LATE)


async def callback_turned_away(on: Observed) -> None:
    """Another program holds the database while a callback comes."""
    await approved(on.rig)
    secret = token((await newest(on.rig)).id)
    with locked(on.rig.settings.database_url):
        assert (await call(on.rig, secret))[0] == HTTPStatus.SERVICE_UNAVAILABLE
    await on.rig.settle()


async def messages_left(on: Observed) -> None:
    await on.say_something()
    on.rig.clock.advance(LATE)


async def posts_refused(on: Observed) -> None:
    """Slack refuses a message until it is given up."""
    on.arm_slack(FaultKind.REFUSED, "chat.postMessage")
    await on.say_something()
    await on.rig.pass_time(10 * MINUTE, steps=20)


async def files_left(on: Observed) -> None:
    await on.rig.workspace.drop(MARIA, FINANCE, "talk.wav", b"RIFF....WAVE")
    on.rig.clock.advance(2 * HOUR)


def disk(free: int) -> Case:
    async def set_it(on: Observed) -> None:
        on.rig.switchboard.context.store.disk.usage = lambda: (free, 100_000_000_000)

    return set_it


async def read_only(on: Observed) -> None:
    on.rig.switchboard.context.store.disk.refused = DiskSpace.READ_ONLY


async def another_time(on: Observed) -> None:
    """The database's server says another time than this machine."""
    now = on.rig.clock.now
    await on.rig.start_again(server_now=lambda: now().replace(year=now().year - 1))


async def _meanwhile(
    fault: Fault, work: Coroutine[object, object, object], then: Callable[[], Awaitable[None]]
) -> None:
    """Do something while a request hangs in this fault."""

    async def hangs() -> bool:
        return fault.hits > 0

    running = asyncio.create_task(work)
    await until(hangs)
    await then()
    await running


CASES: Final[Mapping[str, Case]] = {
    "SwitchboardDown": lambda on: on.rig.switchboard.stop(),
    "SwitchboardRestarting": restarted_again_and_again,
    "SlackNotJoined": slack_away,
    "SlowAcks": a_slow_ack,
    "ClockSkew": another_time,
    "DatabaseUnreadable": lambda on: on.rig.switchboard.context.store.close(),
    "DatabaseReadOnly": read_only,
    "DiskLow": disk(499_999_999),
    "DiskFull": disk(19_999_999),
    "AuditRowsLost": older_copy,
    "AnchorsFailing": anchors_that_cannot_be_written,
    "RowsStopped": a_row_stopped,
    "DatabaseRestored": restored_database,
    "PaymentsFrozen": frozen,
    "PaymentNeedsPerson": people_needed,
    "OutcomeStaysUnknown": outcome_unknown,
    "AnswersLost": answers_lost,
    "AttemptStuck": attempt_that_hangs,
    "RequestsOverdue": requests_left,
    "ServiceSilent": service_silent,
    "TooManyRequests": asked_to_wait,
    "UnreadAnswers": an_answer_unread,
    "CallbacksOverdue": callbacks_left,
    "CallbacksTurnedAway": callback_turned_away,
    "MessagesOverdue": messages_left,
    "PostsFailing": posts_refused,
    "WorkOverdue": files_left,
}
"""By the name of the alert. A case that takes no scrape of its own at its end is scraped after it."""

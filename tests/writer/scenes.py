"""Requests brought to a state, each attacked in one way, and what was sent afterwards compared with what was approved.

People and the service are those of the rig. The service accepts a code twice, so that whatever is sent twice shows.
"""

import asyncio
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from bot.clients.transport import Transport
from bot.domain.payments.instruction import EFFECT_UNDER_WAY, Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.bulk import BulkItem
from bot.playground.workspace import Message
from bot.presentation.payments import forms
from storage.errors import StorageError
from tests.support.clock import ManualClock
from tests.support.databases import lay, migrated_file, sqlite_address
from tests.support.replaced import replaced
from tests.support.rig import ADA, ALERTS, APPROVALS, LIN, MARIA, POLICY, Rig, is_confirmation, offers, press
from tests.support.scratch import scratch
from tests.writer import service
from tests.writer.attacks import SHARED, Attack, commit, writing
from tests.writer.service import Unit
from tests.writer.states import APPROVALS_GIVEN, Scene

QUORUM = 2
_POLICY = POLICY.replace("quorum = 1", f"quorum = {QUORUM}", 1).replace("25000.00", "9000000.00")
_QUIET = 900.0
_MINUTE = 60.0
_MOST = 60
"""Requests of one batch."""
_MOST_NAMED = 40
"""Of one in which each names two payments of one that is typed into a form."""
_DOZEN = 12
"""Of one without answers: more are not sent before the first is looked for."""
_FEW = 3
"""Of one in which processes die: more are not under way at a time."""
_ONE_AT_A_TIME: Final = frozenset({State.SENDING, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN, State.CLOSED, State.REFUSED})
"""States on the way to which no other bulk payment is submitted."""
_SENDS: Final[Mapping[Kind, str]] = {
    Kind.PAYOUT: "commit_payout",
    Kind.ONE_STEP: "one_step_payout",
    Kind.BULK: "create_bulk_payment",
}

_THROUGH: Final[Mapping[State, State]] = {
    **dict.fromkeys((State.APPROVED, State.REJECTED, State.EXPIRED, State.MISMATCH), State.AWAITING),
    **dict.fromkeys((State.SENDING, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN, State.CLOSED), State.APPROVED),
    **dict.fromkeys((State.COMMITTED, State.COMPLETED, State.PENDING_ESCROW, State.FAILED), State.APPROVED),
    **dict.fromkeys((State.REFUSED, State.WITHDRAWN), State.APPROVED),
    State.CANCELED: State.PENDING_ESCROW,
}
"""The state that a request is brought to before."""
_NOT_SENT: Final = (FaultKind.ERROR_500, "", (State.COMMIT_UNKNOWN,), 30.0)
_FAULTS: Final[Mapping[State, tuple[FaultKind, str, tuple[State, ...], float]]] = {
    State.CREATE_UNKNOWN: (FaultKind.ERROR_500, "create_payout", (State.CREATE_UNKNOWN,), 1.0),
    State.COMMIT_UNKNOWN: (FaultKind.DONE_500, "", (State.COMMIT_UNKNOWN,), 5.0),
    State.REFUSED: (FaultKind.REFUSED, "", (State.COMMIT_UNKNOWN, State.REFUSED), 30.0),
    State.NEEDS_HUMAN: _NOT_SENT,
    State.CLOSED: _NOT_SENT,
}
"""The fault of an operation (or the one that sends), the states that it leads to first, and seconds between two looks.

Of those that are not sent, nothing is found: people are asked.
"""
_WAITED_FOR: Final = {
    State.REFUSED: State.REFUSED,
    State.NEEDS_HUMAN: State.NEEDS_HUMAN,
    State.CLOSED: State.NEEDS_HUMAN,
}
"""The state that follows a fault after the quiet period."""
_PRESSED: Final[Mapping[State, tuple[str, str, dict[str, str] | None]]] = {
    State.AWAITING: ("approve", ADA, None),
    State.APPROVED: ("approve", LIN, None),
    State.NEEDS_HUMAN: ("retry", ADA, {forms.AMOUNT: ""}),
    State.CLOSED: ("close", ADA, {forms.REASON: "no"}),
    State.WITHDRAWN: ("withdraw", MARIA, {}),
    State.REJECTED: ("reject", LIN, {forms.REASON: "no"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one attack: taken by the database, held with an alert, sent afterwards."""

    scene: Scene
    attack: Attack
    done: bool
    held: bool
    sent: bool
    violation: str
    """What was sent that nobody approved; empty: nothing."""

    def __str__(self) -> str:
        return f"{self.scene}: {self.attack}: {self.violation}"


class NotThereError(Exception):
    """Not all requests of a batch have come to the state; fewer of them do."""


def batches(scene: Scene, attacks: Sequence[Attack]) -> list[list[Attack]]:
    """Attacks that may share a database, and behind them those that may not, which fill what time is left."""
    alone = [[one] for one in attacks if one.table in SHARED]
    together = [one for one in attacks if one.table not in SHARED]
    most = _most(scene)
    return [*(together[start : start + most] for start in range(0, len(together), most)), *alone]


def _most(scene: Scene) -> int:
    if scene.kind is Kind.BULK and scene.state in _ONE_AT_A_TIME:
        return 1
    if scene.state in EFFECT_UNDER_WAY:
        return _FEW
    if scene.state is State.COMMIT_UNKNOWN:
        return _DOZEN
    return _MOST_NAMED if scene.kind is Kind.BULK_CANCEL and not scene.returns else _MOST


async def run(scene: Scene, attacks: Sequence[Attack]) -> list[Result]:
    async with _Batch(scene, attacks) as batch:
        return await batch.run()


class _Batch:
    def __init__(self, scene: Scene, attacks: Sequence[Attack]) -> None:
        self._scene, self._attacks = scene, attacks
        self._folder = tempfile.TemporaryDirectory(dir=scratch(), prefix="writer-")
        self._file = Path(self._folder.name) / "switchboard.db"
        self._ids: list[str] = []
        self._approved: list[frozenset[Unit]] = []
        """What each request sends, once it is approved."""
        self._before_us: frozenset[Unit] = frozenset()
        """What the requests are about that cancellations take back."""
        self._shown: list[Message | None] = []

    async def __aenter__(self) -> Self:
        lay(self._file, migrated_file())
        self._rig = await Rig.open(database_url=sqlite_address(self._file), clock=ManualClock(), policy=_POLICY)
        self._rig.payments.switches.accept_duplicate_codes = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._rig.close()
        self._folder.cleanup()

    async def run(self) -> list[Result]:
        await self._ask()
        await self._reach(self._scene.state)
        states = {state for (state,) in self._rows("SELECT state FROM instruction WHERE kind = ?", self._scene.kind)}
        if states != {self._scene.state}:
            raise NotThereError(f"{self._scene}: {states}")
        before = service.sent(self._rig.payments)
        done = self._attack()
        alone = before
        with suppress(StorageError):  # a database that cannot go on at all sends nothing
            if self._scene.state in EFFECT_UNDER_WAY:
                await self._rig.start_again()
            await self._rig.settle()
            alone = service.sent(self._rig.payments)
            await self._people_decide()
        after = service.sent(self._rig.payments)
        words = self._held()
        return [
            Result(
                scene=self._scene,
                attack=attack,
                done=done[n],
                held=self._ids[n] in words,
                sent=any(after[unit] > before[unit] for unit in self._approved[n]),
                violation=self._violation(n, before, alone, after),
            )
            for n, attack in enumerate(self._attacks)
        ]

    async def _ask(self) -> None:
        """Everybody asks; in the first states nothing is done about it yet."""
        asking = {Kind.BULK: self._ask_bulk, Kind.BULK_CANCEL: self._ask_cancellations}
        await asking.get(self._scene.kind, self._ask_payouts)()
        found = self._rows("SELECT id, reference, code FROM instruction WHERE kind = ? ORDER BY id", self._scene.kind)
        assert len(found) == len(self._attacks), (self._scene, len(found))
        self._ids = [str(row[0]) for row in found]
        if not self._approved:
            told = enumerate(found)
            self._approved = [frozenset({self._unit(n, str(name), str(code))}) for n, (_, name, code) in told]
        if self._scene.state not in (State.NEW, State.CREATING, State.CREATE_UNKNOWN):
            await self._rig.settle()
            await self._until(State.AWAITING, pause=10)  # only so many are created at a time

    async def _ask_payouts(self) -> None:
        verb = "now" if self._scene.kind is Kind.ONE_STEP else "send"
        for n in range(len(self._attacks)):
            self._rig.payments.add_account(f"p{n}@example.com", full_name="Somebody")
            self._rig.clock.advance(0.001)
            text = f"{verb} p{n}@example.com {_amount(n)} rent {n}"
            await self._rig.workspace.slash(MARIA, APPROVALS, "/pay", text)

    async def _ask_bulk(self) -> None:
        for n in range(len(self._attacks)):
            await self._ask_rows([f"p{n}{letter}@example.com, {_amount(n)}, rent {n}" for letter in "ab"])
            if self._scene.state not in (State.PENDING_ESCROW, State.CANCELED):
                for letter in "ab":
                    self._rig.payments.add_account(f"p{n}{letter}@example.com", full_name="Somebody")

    async def _ask_rows(self, rows: list[str]) -> None:
        rig = self._rig
        rig.clock.advance(0.01)
        await rig.workspace.slash(MARIA, APPROVALS, "/pay", "bulk")
        await rig.workspace.submit(MARIA, {"rows": "\n".join(rows)})
        view = rig.form(MARIA)
        await rig.workspace.until(lambda: "Reading" not in (rig.workspace.modal(MARIA) or view).plain or None)

    def _unit(self, n: int, reference: str, code: str) -> Unit:
        if self._scene.kind is not Kind.BULK:
            return service.payout(f"p{n}@example.com", 1_000 + n, f"rent {n}", code)
        rows = enumerate("ab", 1)
        items = [(f"p{n}{one}@example.com", 1_000 + n, f"rent {n}", f"{reference}/{row}") for row, one in rows]
        return service.bulk(items)

    async def _ask_cancellations(self) -> None:
        if self._scene.returns:
            await self._ask_for_returns()
        else:
            await self._ask_for_hashes()
        payments = self._rig.payments
        self._before_us = frozenset(service.sent(payments)) | service.made(payments)

    async def _ask_for_hashes(self) -> None:
        """One bulk payment that waits in escrow; each request names two of its payments, and one is named by none."""
        count = 2 * len(self._attacks)
        await self._ask_rows([f"q{n}@example.com, {_amount(n)}" for n in range(count + 1)])
        await self._pay_first(Kind.BULK)
        (job,) = self._rig.payments.bulk_payments
        ((reference,),) = self._rows("SELECT reference FROM instruction")
        for n in range(0, count, 2):
            mine = [item.hash for item in job.items[n : n + 2]]
            text = f"bulk cancel {reference} {' '.join(mine)}"
            await self._asked(self._rig.workspace.slash(MARIA, APPROVALS, "/pay", text))
            self._approved.append(frozenset(service.cancellation(job.id, one) for one in mine))

    async def _ask_for_returns(self) -> None:
        """A payout for each request, of which nobody has taken the money."""
        self._rig.payments.switches.escrow_above_cents = 0
        await self._ask_payouts()
        await self._pay_first(Kind.PAYOUT)
        of = {record.email: record.id for record in self._rig.payments.operations.values()}
        cards = self._cards(self._rows("SELECT reference FROM instruction ORDER BY id"))
        for n, card in enumerate(cards):
            assert card is not None
            await self._asked(self._rig.workspace.click(MARIA, APPROVALS, card.ts, "payout.return"))
            whose = of[f"p{n}@example.com"]
            self._approved.append(frozenset({service.cancellation(whose, whose)}))

    async def _asked(self, asking: Awaitable[object]) -> None:
        before = len(self._rows("SELECT id FROM instruction"))
        self._rig.clock.advance(0.001)
        await asking
        await self._rig.workspace.until(lambda: len(self._rows("SELECT id FROM instruction")) > before or None)

    async def _pay_first(self, kind: Kind) -> None:
        await self._until(State.AWAITING, of=kind, pause=10)
        self._shown = self._cards(self._rows("SELECT reference FROM instruction ORDER BY id"))
        await self._press("approve", ADA)
        await self._press("approve", LIN)
        await self._until(State.PENDING_ESCROW, of=kind, moving=True)

    def _cards(self, references: Sequence[tuple[object, ...]]) -> list[Message | None]:
        cards = self._rig.cards(APPROVALS)
        return [next((one for one in cards if f" {name[0]}" in one.text), None) for name in references]

    async def _press(self, action: str, user: str, values: dict[str, str] | None = None) -> None:
        for n, card in enumerate(self._shown):
            if card is None or not offers(self._now(card), action):
                continue
            await press(self._rig.workspace, self._now(card), action, user=user)
            if is_confirmation(self._rig.workspace.modal(user)):
                await self._rig.workspace.submit(user, {})
            elif values is not None and self._rig.workspace.modal(user) is not None:
                filled = {name: value or self._typed(n) for name, value in values.items()}
                await self._rig.workspace.submit(user, filled)

    def _typed(self, n: int) -> str:
        if self._scene.kind is Kind.BULK:
            return f"{2 * (1_000 + n) / 100:.2f}"
        if self._scene.kind is Kind.BULK_CANCEL and not self._scene.returns:
            return f"{(2 * (1_000 + 2 * n) + 1) / 100:.2f}"
        return _amount(n)

    def _now(self, card: Message) -> Message:
        return self._rig.workspace.message(card.channel, card.ts)

    async def _people_decide(self) -> None:
        """Whoever still sees a button to approve, or to try again, presses it; then time passes."""
        await self._press("approve", LIN)
        await self._press("retry", LIN, {forms.AMOUNT: ""})
        await self._rig.settle()
        for _ in range(2):
            await self._rig.payments.advance()
            await self._rig.pass_time(2 * _MINUTE)
        await self._rig.pass_time(2 * _QUIET, steps=2)

    async def _reach(self, state: State) -> None:
        """Bring all requests to a state, most of them through an earlier one."""
        if state in _THROUGH:
            await self._reach(_THROUGH[state])
        if state is State.AWAITING:
            mine = self._rows("SELECT reference FROM instruction WHERE kind = ? ORDER BY id", self._scene.kind)
            self._shown = self._cards(mine)
        if state in _FAULTS:
            kind, operation, first, pause = _FAULTS[state]
            with self._fault(kind, operation):
                await self._until(*first, pause=pause)
        if state in _WAITED_FOR:
            await self._until(_WAITED_FOR[state], pause=_QUIET / 2)
        if state in _PRESSED:
            await self._press(*_PRESSED[state])
        if state in (State.CLOSED, State.WITHDRAWN, State.REJECTED):
            await self._rig.settle()
        await self._let_happen(state)

    async def _let_happen(self, state: State) -> None:
        """What people don't do for it: the service moves, time passes, or the process ends."""
        payments = self._rig.payments
        match state:
            case State.CREATING | State.SENDING:
                await self._dying("create_payout" if state is State.CREATING else self._operation)
            case State.COMMITTED:
                with self._not_shown_yet():
                    await self._until(state)
            case State.PENDING_ESCROW | State.COMPLETED | State.FAILED:
                if state is State.PENDING_ESCROW:
                    payments.switches.escrow_above_cents = 0
                if state is State.FAILED:
                    await self._let_fail()
                await self._until(state, moving=True)
            case State.CANCELED:
                await self._settle_all("canceled")
                await self._until(state, pause=2 * _MINUTE)
            case State.MISMATCH:
                for record in list(payments.operations.values()):
                    await payments.settle(record.id, "committed")
                await self._press("approve", LIN)
                await self._until(state)
            case State.EXPIRED:
                await self._rig.pass_time(25 * 3_600, steps=2)

    async def _let_fail(self) -> None:
        if self._scene.kind is Kind.BULK_CANCEL:  # somebody has taken the money before
            await self._settle_all("completed")
        switches = self._rig.payments.switches
        switches.fail_reason, switches.bulk_fail_every = "closed", 1

    async def _settle_all(self, status: str) -> None:
        payments = self._rig.payments
        for record in payments.operations.values():
            await payments.settle(record.id, status)
        for job in payments.bulk_payments:
            for item in job.items:
                payments.bulk.settle(job, item.hash, status)

    @property
    def _operation(self) -> str:
        return _SENDS.get(self._scene.kind, "cancel_payout" if self._scene.returns else "cancel_bulk_items")

    @contextmanager
    def _fault(self, kind: FaultKind, operation: str = "") -> Iterator[None]:
        self._rig.payments.faults.arm(Fault(kind, operation or self._operation, times=None))
        yield
        self._rig.payments.faults.clear()

    async def _until(self, *states: State, of: Kind | None = None, pause: float = 30.0, moving: bool = False) -> None:
        """Wait until all have come there: only so many are under way at a time. ``moving``: the service moves on."""
        marks = ", ".join("?" for _ in states)
        query = f"SELECT 1 FROM instruction WHERE kind = ? AND state NOT IN ({marks})"  # noqa: S608 - marks alone
        for _ in range(60):
            await self._rig.settle()
            if not self._rows(query, of or self._scene.kind, *states):
                return
            if moving:
                await self._rig.payments.advance()
            self._rig.clock.advance(pause)

    async def _dying(self, operation: str) -> None:
        """The process ends while the request is under way, and the request is lost; another one starts afterwards."""
        original = Transport.send

        async def send(transport: Transport, request: Any, **more: Any) -> Any:
            if request.operation.endswith(operation):
                raise asyncio.CancelledError
            return await original(transport, request, **more)

        with replaced(Transport, "send", send):
            await self._rig.settle()

    @contextmanager
    def _not_shown_yet(self) -> Iterator[None]:
        """What the service has canceled reads as pending for a while."""
        if self._scene.kind is not Kind.BULK_CANCEL:
            yield
            return
        book, cancel = self._rig.payments.bulk, self._rig.payments.bulk.cancel

        def slow(*about: Any) -> list[BulkItem]:
            canceled = cancel(*about)
            for item in canceled:
                item.status = "pending"
            return canceled

        self._rig.payments.switches.stale_reads = 1_000
        with replaced(book, "cancel", slow):
            yield

    def _attack(self) -> list[bool]:
        now = int(self._rig.clock.seconds() * 1_000_000)
        with writing(self._file) as raw:
            pairs = zip(self._attacks, self._ids, strict=True)
            return [commit(raw, attack, request, now) for attack, request in pairs]

    def _rows(self, query: str, *values: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self._file)) as raw:
            return raw.execute(query, values).fetchall()

    def _held(self) -> set[str]:
        """Requests of which people read in an alert that they are on hold; a writer can keep one from being sent."""
        rows = self._rows(
            "SELECT outbox.instruction_id, reference FROM outbox "
            "JOIN instruction ON instruction.id = outbox.instruction_id "
            "WHERE key LIKE 'alert:%:disagrees'"
        )
        told = [one.text for one in self._rig.workspace.messages(ALERTS) if "on hold" in one.text]
        return {str(request) for request, name in rows if any(str(name) in text for text in told)}

    def _violation(self, n: int, before: Counter[Unit], alone: Counter[Unit], after: Counter[Unit]) -> str:
        approved = frozenset[Unit]().union(*self._approved) | self._before_us
        foreign = (after.keys() | service.made(self._rig.payments)) - approved
        if foreign and n == 0:
            return f"what nobody asked for was created or sent: {sorted(foreign, key=str)}"
        given = APPROVALS_GIVEN.get(self._scene.state, -1)
        earlier = before if self._scene.kind is Kind.BULK_CANCEL else Counter[Unit]()  # named again: nothing comes back
        for unit in self._approved[n]:
            times = after[unit] - earlier[unit]
            if times > 1:
                return f"sent {times} times: {unit}"
            if alone[unit] > before[unit] and given < QUORUM:
                return f"sent without its approvals: {unit}"
            if after[unit] > before[unit] and given < QUORUM - 1:
                return f"sent in the end without its approvals: {unit}"
        twice = [one for one in self._before_us if after[one] > max(1, before[one])] if n == 0 else []
        return f"sent again: {twice}" if twice else ""


def _amount(n: int) -> str:
    return f"{(1_000 + n) / 100:.2f}"

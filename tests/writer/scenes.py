"""Requests brought to a state, each attacked in one way, and what was sent afterwards compared with what was approved.

People and the service are those of the rig. The service accepts a code twice, so that whatever is sent twice shows.
"""

import sqlite3
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from bot.domain.payments.instruction import Kind
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.presentation.payments import forms
from storage.errors import StorageError
from tests.support.clock import ManualClock
from tests.support.databases import lay, migrated_file, sqlite_address
from tests.support.rig import ADA, ALERTS, APPROVALS, LIN, MARIA, POLICY, Rig
from tests.support.scratch import scratch
from tests.writer.attacks import SHARED, Attack, commit, writing

QUORUM = 2
_POLICY = POLICY.replace("quorum = 1", f"quorum = {QUORUM}", 1).replace("25000.00", "9000000.00")
_QUIET = 900.0
_MOST = 60
"""Requests of one batch."""
_PENDING, _MINUTE = "pending", 60.0
_COMMITS = {Kind.PAYOUT: "commit_payout", Kind.ONE_STEP: "one_step_payout"}


@dataclass(frozen=True, slots=True)
class Scene:
    """Where the requests of a batch stand when they are attacked."""

    kind: Kind
    standing: str

    def __str__(self) -> str:
        return f"{self.kind} {self.standing}"


ALONE = (Kind.PAYOUT, Kind.ONE_STEP)
STANDINGS = ("new", "awaiting", "approved", "unknown", "needs_human", "withdrawn", "rejected", "expired", "sent")
SCENES = (
    *(Scene(kind, standing) for kind in ALONE for standing in STANDINGS),
    *(Scene(Kind.BULK, standing) for standing in ("awaiting", "approved", "withdrawn", "sent")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What became of one attack.

    Attributes:
        done: the database took it.
        held: the request was held, with an alert.
        sent: it was sent afterwards.
        violation: what was sent that nobody approved; empty: nothing.
    """

    scene: Scene
    attack: Attack
    done: bool
    held: bool
    sent: bool
    violation: str

    def __str__(self) -> str:
        return f"{self.scene}: {self.attack}: {self.violation}"


def batches(scene: Scene, attacks: Sequence[Attack]) -> list[list[Attack]]:
    """Attacks that may share a database. More than three requests without an answer, and no more are sent."""
    most = 3 if scene.standing in ("unknown", "needs_human") else _MOST
    alone = [[one] for one in attacks if one.table in SHARED]
    together = [one for one in attacks if one.table not in SHARED]
    return [*alone, *(together[start : start + most] for start in range(0, len(together), most))]


async def run(scene: Scene, attacks: Sequence[Attack]) -> list[Result]:
    """One batch: one request for each attack."""
    async with _Batch(scene, attacks) as batch:
        return await batch.run()


class _Batch:
    def __init__(self, scene: Scene, attacks: Sequence[Attack]) -> None:
        self._scene, self._attacks = scene, attacks
        self._folder = tempfile.TemporaryDirectory(dir=scratch(), prefix="writer-")
        self._file = Path(self._folder.name) / "switchboard.db"
        self._ids: list[str] = []

    async def __aenter__(self) -> Self:
        lay(self._file, migrated())
        self._rig = await Rig.open(
            database_url=sqlite_address(self._file),
            clock=ManualClock(),
            policy=_POLICY,
        )
        self._rig.payments.switches.accept_duplicate_codes = True
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._rig.close()
        self._folder.cleanup()

    async def run(self) -> list[Result]:
        await self._ask()
        await _STANDING[self._scene.standing](self)
        states = {state for (state,) in self._rows("SELECT state FROM instruction")}
        assert states == {_STATES.get(self._scene.standing, self._scene.standing)}, (self._scene, states)
        before = self._sent()
        done = self._attack()
        alone = before
        with suppress(StorageError):  # a database that cannot go on at all sends nothing
            await self._rig.settle()
            alone = self._sent()
            await self._people_decide()
        after = self._sent()
        words = self._held()
        return [
            Result(
                scene=self._scene,
                attack=attack,
                done=done[n],
                held=self._ids[n] in words,
                sent=any(after[pair] > before[pair] for pair in self.wanted(n)),
                violation=self._violation(n, before, alone, after),
            )
            for n, attack in enumerate(self._attacks)
        ]

    # People

    async def _ask(self) -> None:
        """Everybody asks; with ``new`` nothing is done about it yet. Everybody who is paid has an account."""
        for email, _ in (pair for n in range(len(self._attacks)) for pair in self.wanted(n)):
            self._rig.payments.add_account(email, full_name="Somebody")
        if self._scene.kind is Kind.BULK:
            for n in range(len(self._attacks)):
                await self._ask_bulk(n)
        else:
            verb = "send" if self._scene.kind is Kind.PAYOUT else "now"
            for n in range(len(self._attacks)):
                self._rig.clock.advance(0.001)
                email, cents = self.wanted(n)[0]
                text = f"{verb} {email} {cents / 100:.2f} rent"
                await self._rig.workspace.slash(MARIA, APPROVALS, "/pay", text)
        if self._scene.standing != "new":
            await self._rig.settle()
            await self._rig.pass_time(_MINUTE, steps=6)  # only so many are created at a time
        rows = self._rows("SELECT id FROM instruction ORDER BY id")
        self._ids = [str(row[0]) for row in rows]
        assert len(self._ids) == len(self._attacks)

    async def _ask_bulk(self, n: int) -> None:
        rig = self._rig
        rig.clock.advance(0.01)
        await rig.workspace.slash(MARIA, APPROVALS, "/pay", "bulk")
        rows = "\n".join(f"{email}, {cents / 100:.2f}, rent" for email, cents in self.wanted(n))
        await rig.workspace.submit(MARIA, {"rows": rows})
        view = rig.form(MARIA)
        await rig.workspace.until(lambda: "Reading" not in (rig.workspace.modal(MARIA) or view).plain or None)

    def wanted(self, n: int) -> list[tuple[str, int]]:
        """Whom the request with this number pays, and how much."""
        if self._scene.kind is Kind.BULK:
            return [(f"p{n}{letter}@example.com", 1_000 + n) for letter in "ab"]
        return [(f"p{n}@example.com", 1_000 + n)]

    def _cards(self) -> list[Message | None]:
        """The card of each request, by its reference."""
        references = self._rows("SELECT reference, id FROM instruction")
        found = {str(request): str(reference) for reference, request in references}
        cards = self._rig.cards(APPROVALS)
        of = {reference: next((one for one in cards if reference in one.text), None) for reference in found.values()}
        return [of.get(found.get(request, "")) for request in self._ids]

    async def _press(self, action: str, user: str, values: dict[str, str] | None = None) -> None:
        for n, card in enumerate(self._shown):
            if card is None or not any(button.action_id == f"payout.{action}" for button in self._now(card).buttons):
                continue
            await self._rig.workspace.click(user, APPROVALS, card.ts, f"payout.{action}")
            if values is not None and self._rig.workspace.modal(user) is not None:
                filled = {name: value or f"{self.wanted(n)[0][1] / 100:.2f}" for name, value in values.items()}
                await self._rig.workspace.submit(user, filled)

    def _now(self, card: Message) -> Message:
        return self._rig.workspace.message(card.channel, card.ts)

    async def _people_decide(self) -> None:
        """Whoever still sees a button to approve, or to try again, presses it; then time passes."""
        await self._press("approve", LIN)
        await self._press("retry", LIN, {forms.AMOUNT: ""})
        await self._rig.settle()
        for _ in range(3):
            await self._rig.payments.advance()
            await self._rig.pass_time(2 * _MINUTE)
        await self._rig.pass_time(2 * _QUIET, steps=4)

    # States

    async def new(self) -> None:
        self._shown: list[Message | None] = []

    async def awaiting(self) -> None:
        self._shown = self._cards()
        await self._press("approve", ADA)

    async def approved(self) -> None:
        await self.awaiting()
        await self._press("approve", LIN)

    async def unknown(self) -> None:
        await self.approved()
        self._rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, _COMMITS[self._scene.kind], times=None))
        await self._until("commit_unknown")
        self._rig.payments.faults.clear()

    async def needs_human(self) -> None:
        await self.approved()
        self._rig.payments.faults.arm(Fault(FaultKind.LOST, _COMMITS[self._scene.kind], times=None))
        await self._until("commit_unknown")
        self._rig.payments.faults.clear()
        await self._rig.pass_time(2 * _QUIET, steps=8)
        await self._press("retry", ADA, {forms.AMOUNT: ""})

    async def _until(self, state: str) -> None:
        """Only so many are sent at a time, and fewer while no answer comes."""
        for _ in range(40):
            await self._rig.settle()
            if not self._rows("SELECT 1 FROM instruction WHERE state <> ?", state):
                return
            await self._rig.pass_time(30)

    async def withdrawn(self) -> None:
        await self.approved()
        await self._press("withdraw", MARIA)
        await self._rig.settle()

    async def rejected(self) -> None:
        await self.awaiting()
        await self._press("reject", LIN, {forms.REASON: "no"})
        await self._rig.settle()

    async def expired(self) -> None:
        await self.awaiting()
        await self._rig.pass_time(25 * 3_600, steps=2)

    async def sent(self) -> None:
        await self.approved()
        await self._rig.settle()
        for _ in range(4):
            await self._rig.payments.advance()
            await self._rig.pass_time(2 * _MINUTE)

    # The database, past the product

    def _attack(self) -> list[bool]:
        now = int(self._rig.clock.seconds() * 1_000_000)
        with writing(self._file) as raw:
            pairs = zip(self._attacks, self._ids, strict=True)
            return [commit(raw, attack, request, now) for attack, request in pairs]

    def _rows(self, query: str, *values: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self._file)) as raw:
            return raw.execute(query, values).fetchall()

    def _held(self) -> set[str]:
        """Requests of which an alert says that they are on hold."""
        rows = self._rows("SELECT instruction_id FROM outbox WHERE key LIKE 'alert:%:disagrees'")
        told = [one.text for one in self._rig.workspace.messages(ALERTS) if "on hold" in one.text]
        assert len(told) >= len(rows)
        return {str(row[0]) for row in rows}

    # What was sent

    def _sent(self) -> Counter[tuple[str, int]]:
        """Payments out of the account, and what was submitted in bulk, by recipient and amount."""
        if self._scene.kind is not Kind.BULK:
            return Counter(self._rig.paid)
        orders = [item.order for job in self._rig.payments.bulk_payments for item in job.items]
        return Counter((order.email, order.cents) for order in orders)

    def _violation(self, n: int, before: Counter, alone: Counter, after: Counter) -> str:  # type: ignore[type-arg]
        everything = {pair for number in range(len(self._attacks)) for pair in self.wanted(number)}
        made = {(one.email, one.cents) for one in self._rig.payments.operations.values()}
        foreign = (after.keys() | made) - everything
        if foreign and n == 0:
            return f"what nobody asked for was created or paid: {foreign}"
        given = _APPROVED[self._scene.standing]
        for pair in self.wanted(n):
            if after[pair] > 1:
                return f"paid {after[pair]} times"
            if alone[pair] > before[pair] and given < QUORUM:
                return "paid without its approvals"
            if after[pair] > before[pair] and given < QUORUM - 1:
                return "paid in the end without its approvals"
        return ""


_STANDING: dict[str, Callable[[_Batch], Awaitable[None]]] = {name: getattr(_Batch, name) for name in STANDINGS}
_STATES = {"unknown": "commit_unknown", "sent": "completed"}
_APPROVED = {"new": -1, "awaiting": 1, "approved": 2, "unknown": -1, "needs_human": 1}
_APPROVED |= dict.fromkeys(("withdrawn", "rejected", "expired", "sent"), -1)
"""Approvals that people have given for what is sent next; -1: nothing more may be sent, whoever presses."""
_FILES: list[bytes] = []


def migrated() -> bytes:
    """A migrated file, made once in a process."""
    if not _FILES:
        _FILES.append(_migrated_elsewhere())
    return _FILES[0]


def _migrated_elsewhere() -> bytes:
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - migrating runs a loop of its own

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(migrated_file).result()

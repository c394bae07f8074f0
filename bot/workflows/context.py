"""The context of every workflow. Built once by the composition root, passed down, never global."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from bot.clients.payments import OperationType, PaymentsClient
from bot.domain.audit import SYSTEM, Entry
from bot.domain.clock import SharedClock
from bot.domain.content import Content
from bot.domain.files.dropped import DroppedFile
from bot.domain.files.tables import Table
from bot.domain.overview import Assumption
from bot.domain.payments.earlier import Finding
from bot.domain.payments.instruction import AttemptKind, AttemptStep, CallbackKind, Instruction, Kind, State
from bot.domain.payments.operation import Operation
from bot.domain.policy import Policy
from bot.domain.proof import Quiet
from bot.domain.reasons import Reason
from bot.domain.references import Letter
from bot.slack.files import Downloads, Uploads
from bot.slack.messenger import Ephemerals, Messenger
from bot.slack.pace import Pace, Turns
from bot.slack.people import Directory
from bot.workflows.services import DeliveryService, EmailsService, LocalizationService, Service
from storage.leases import Leases
from storage.peers import Peers
from storage.rows import OutboxRow
from storage.store import Store
from storage.transaction import Tx

T = TypeVar("T")

PLAIN = "plain"
"""Key in a file's payload: the workspace takes no such file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file for a board's thread. ``name`` is unique in this thread: the file is found again by it.

    ``alt``: what it shows, in words. ``comment``: mrkdwn of the message; foreign parts must have been escaped.
    ``own_title``: its title is unique in this thread too.
    """

    name: str
    content: bytes
    title: str
    alt: str
    comment: str
    own_title: bool = True


class Subject:
    """Content of boards of one kind. None: there is nothing to say any more, and nothing is posted.

    ``id``: the part of the subject after the colon.
    """

    patient: bool = False
    """Whether a board's post that Slack refuses is retried for ever."""

    async def board(self, ctx: "Context", id: str) -> Content | None:  # noqa: A002, ARG002 - what it is
        """The message itself, as things stand now."""
        return None

    async def part(self, ctx: "Context", id: str) -> Content | None:  # noqa: A002
        """The same inside the message of another subject, which names what it is about."""
        return await self.board(ctx, id)

    async def lasts(self, ctx: "Context", id: str) -> bool:  # noqa: A002, ARG002
        """Whether a board that somebody deleted is posted anew."""
        return True

    async def line(self, ctx: "Context", id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002, ARG002
        """One message in the thread."""
        return None

    async def file(self, ctx: "Context", id: str, payload: Mapping[str, object]) -> Attachment | Content | None:  # noqa: A002, ARG002
        """One file in the thread, or a message instead; with :data:`PLAIN` in the payload the message, if any."""
        return None

    async def address(self, ctx: "Context", id: str) -> str:  # noqa: A002, ARG002
        """The response URL of the act that asked, where the answer is for the asker alone; empty: there is none."""
        return ""

    def posted(self, uow: "Unit", id: str) -> None:  # noqa: A002
        """A board was posted; called in the transaction that stores where."""

    def homeless(self, uow: "Unit", id: str, why: Reason) -> None:  # noqa: A002
        """A board cannot be posted, for example because the bot is not in the conversation. It is tried again."""

    def home(self, uow: "Unit", id: str) -> str:  # noqa: A002, ARG002
        """The channel that the policy names for this board now; empty: it isn't for the policy to say."""
        return ""

    def given_up(self, uow: "Unit", row: OutboxRow, why: Reason) -> bool:  # noqa: ARG002
        """A post was given up; True: handled here. Otherwise an alert is posted."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedAction:
    """An action on a file, as far as offering it goes; ``handlers.files`` executes it.

    Attributes:
        name: in ids, e.g. ``gender``; never changes, because old messages keep their buttons.
        suggested: whether it is offered below this file automatically; the shortcut *Use this file* lists all that fit.
        works: whether its services are configured; if not, it is not offered.
    """

    name: str
    label: str
    fits: Callable[[DroppedFile], bool]
    suggested: Callable[[DroppedFile], bool] = lambda _: True
    works: "Callable[[Context], bool]" = lambda _: True
    total: Callable[[Table], tuple[int, int] | None] = lambda _: None
    """Rows of a table for this action, and the cents that they sum to; None: no such table, or a row can't be read."""

    @property
    def for_all(self) -> bool:
        """Whether it can be done with many files at once."""
        return False


class HeldRows(Protocol):
    """Rows that this process works on: see :class:`bot.workflows.workers.Workers`."""

    freed: Callable[[str], None]
    stopping: bool

    def running(self, name: str) -> int: ...

    async def take_up(self, ctx: "Context", work: Any) -> int: ...

    async def finished(self, *, lasting: bool = False) -> None: ...

    async def stop(self) -> None: ...


Recovery = Callable[["Unit"], int]
"""Turns what dead processes left of one table into unknown outcomes; how many there were."""
Step = Callable[["Context", PaymentsClient, Instruction], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class WorkQueue:
    """Rows whose steps are taken side by side, at most ``slots`` at a time."""

    name: str
    slots: int


async def _not_made_from(_ctx: object, _payments: object, earlier: Instruction, _rows: object) -> Sequence[Finding]:
    raise TypeError(f"no request is made from {earlier.reference}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKind:
    """One kind of request: all that the engine in ``requests/`` uses of it. Its code defines the record.

    Attributes:
        queue: the default has as many slots as the service's ten requests a second times the longest time-out, so that
        a silent service leaves free slots.
        steps: the step of a due row, by state. While a row waits for approvers, the engine takes it.
        listed: the list of the service that shows it, where it is found by our code.
        ready: raises OperatorError where the client could not send it after its approval.
        browsed: of ``called_back``, the addresses to which the service sends the buyer's browser.
        observe: applies such a record. True: it moved the request forward, or has nothing new about one that ended.
        ended: effects of its end, in the transaction of the end.
        still_unpaid: reads an ended request at the service again, of a list these rows: what speaks against its being
        surely unpaid. For kinds from which other requests are made.
    """

    kind: Kind
    letter: Letter
    queue: WorkQueue = WorkQueue("instructions", 300)
    steps: Mapping[State, Step]
    called_back: Sequence[CallbackKind] = ()
    listed: OperationType | None = None
    ready: Callable[[PaymentsClient], None] = lambda _: None
    browsed: Sequence[CallbackKind] = ()
    read: Callable[[PaymentsClient, str], Awaitable[Operation]] | None = None
    observe: "Callable[[Unit, Instruction, Operation], bool]" = lambda *_: False
    ended: "Callable[[Unit, Instruction], None]" = lambda _uow, _ended: None
    still_unpaid: "Callable[[Context, PaymentsClient, Instruction, Sequence[int]], Awaitable[Sequence[Finding]]]" = (
        _not_made_from
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The outside world as workflows see it.

    Attributes:
        home: id of the workspace whose members count.
        owner: id of this process, under which it holds leases.
        began: when this process started.
        callback_base: what callback addresses begin with. Without ``PUBLIC_URL`` it is where this process listens,
            which only this machine reaches; in production a name that nobody has.
        counting: reads people like ``people``, only to count who can approve: no vote counts by what it read.
        quiet: what must pass before an unknown outcome may be called "not executed".
        wake: tells this process's workers that there is work. Optional: the next tick finds it anyway.
        turns: the order of posts within a conversation.
        chores: periodic work without rows of its own, by name; each returns how much was done.
        server_now: replaces the clock of the database's server where time is simulated.
        peers: the other processes of a PostgreSQL database; None: there are none.
        command_prefix: what every slash command begins with.
    """

    store: Store
    payments: Service[PaymentsClient]
    delivery: Service[DeliveryService]
    localization: LocalizationService
    emails: EmailsService
    messenger: Messenger
    ephemerals: Ephemerals
    files: Uploads
    downloads: Downloads
    people: Directory
    counting: Directory
    policy: Policy
    clock: SharedClock
    home: str
    owner: str
    began: datetime
    token_key: bytes
    callback_base: str
    public: bool
    poll_seconds: float
    quiet: Quiet
    wake: Callable[[], None]
    pace: Pace
    turns: Turns
    subjects: Mapping[str, Subject]
    file_actions: Sequence[OfferedAction]
    bot_user: str
    kinds: Mapping[Kind, RequestKind]
    recoveries: Sequence[Recovery]
    chores: "Mapping[str, Callable[[Context], Awaitable[int]]]"
    server_now: Callable[[], datetime] | None = None
    leases: Leases
    workers: HeldRows
    peers: Peers | None = None
    command_prefix: str = ""
    assumptions: Sequence[Assumption] = ()
    attempted: Callable[[AttemptKind, AttemptStep], None]

    def spelled(self, command: str) -> str:
        """A command as users type it here, e.g. ``/sb-pay``."""
        return f"/{self.command_prefix}{command}"

    async def write(self, work: "Callable[[Unit], T]", *, name: str = "", wakes: bool = True) -> T:
        """Run a transaction, then wake the workers for what it made due, unless ``wakes`` is False."""
        done = await self.store.write(lambda tx: work(Unit(tx, self)), name=name)
        if wakes:
            self.wake()
        return done

    async def read(self, work: "Callable[[Unit], T]") -> T:
        return await self.store.read(lambda tx: work(Unit(tx, self)))


class Unit(Tx):
    """What a transaction is handed: its rows, the moment, the policy, the kinds. Valid as long as the transaction.

    ``ctx`` is None for a command of the operator, beside the bot; ``now`` and ``policy`` are then given.
    """

    def __init__(
        self, tx: Tx, ctx: Context | None = None, *, now: datetime | None = None, policy: Policy | None = None
    ) -> None:
        vars(self).update(vars(tx))
        self._ctx = ctx
        self._policy = policy
        self.now = self.ctx.clock.now() if now is None else now
        for moving in (self.instructions, self.bookings, self.stores, self.jobs):
            moving.now = self.now

    @property
    def ctx(self) -> Context:
        assert self._ctx is not None, "an operator's command has no outside world"
        return self._ctx

    @property
    def policy(self) -> Policy:
        return self.ctx.policy if self._policy is None else self._policy

    @property
    def kinds(self) -> Mapping[Kind, RequestKind]:
        return self.ctx.kinds

    @property
    def quiet(self) -> Quiet:
        return self.ctx.quiet

    @property
    def owner(self) -> str:
        return self.ctx.owner

    @property
    def poll_seconds(self) -> float:
        return self.ctx.poll_seconds


def witness(
    uow: Unit, action: str, detail: Mapping[str, object], *, actor: str = SYSTEM, about: Instruction | None = None
) -> None:
    """Add an audit row of an event without a change of state. ``about``: the request it belongs to, if one."""
    name, state = (about.id, about.state.value) if about is not None else ("", "")
    uow.audit.append(
        Entry(at=uow.now, instruction_id=name, actor=actor, action=action, before=state, after=state, detail=detail)
    )

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
"""Key in a file's payload: the workspace rejects this file, so post a message instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file for a board's thread. ``name`` is unique in this thread, so that the file can be found by it.

    ``alt`` describes the content in words. ``comment`` is the message's mrkdwn; external parts must have been escaped.
    ``own_title``: the title is unique in this thread too.
    """

    name: str
    content: bytes
    title: str
    alt: str
    comment: str
    own_title: bool = True


class Subject:
    """Content of boards of one kind. A method that returns None has nothing to show, and nothing is posted.

    ``id`` is the part of the subject after the colon.
    """

    patient: bool = False
    """Whether a board's post is retried forever if Slack refuses it."""

    async def board(self, ctx: "Context", id: str) -> Content | None:  # noqa: A002, ARG002 - what it is
        """Return the current content of the message."""
        return None

    async def part(self, ctx: "Context", id: str) -> Content | None:  # noqa: A002
        """Return the content to show inside the message of another subject, which already names the topic."""
        return await self.board(ctx, id)

    async def lasts(self, ctx: "Context", id: str) -> bool:  # noqa: A002, ARG002
        """Return whether a deleted board is posted again."""
        return True

    async def line(self, ctx: "Context", id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002, ARG002
        """Return one message for the thread."""
        return None

    async def file(self, ctx: "Context", id: str, payload: Mapping[str, object]) -> Attachment | Content | None:  # noqa: A002, ARG002
        """Return one file for the thread, or a message instead; with :data:`PLAIN` in the payload only a message."""
        return None

    async def address(self, ctx: "Context", id: str) -> str:  # noqa: A002, ARG002
        """Return the response URL for an answer that only the requester sees; empty if there is none."""
        return ""

    def posted(self, uow: "Unit", id: str) -> None:  # noqa: A002
        """React to the post of a board, in the transaction that stores its place."""

    def homeless(self, uow: "Unit", id: str, why: Reason) -> None:  # noqa: A002
        """React to a board that can't be posted, e.g. because the bot isn't in the conversation; it is retried."""

    def home(self, uow: "Unit", id: str) -> str:  # noqa: A002, ARG002
        """Return the channel that the policy currently names for this board; empty if the policy doesn't decide it."""
        return ""

    def given_up(self, uow: "Unit", row: OutboxRow, why: Reason) -> bool:  # noqa: ARG002
        """React to a post that was given up; return True if it was handled here, False to post an alert."""
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedAction:
    """The offer of an action on a file; ``handlers.files`` executes the action.

    Attributes:
        name: part of ids, e.g. ``gender``; never changes, because old messages keep their buttons.
        suggested: whether it is offered below this file automatically; the shortcut *Use this file* lists all that fit.
        works: whether its services are configured; if not, it isn't offered.
    """

    name: str
    label: str
    fits: Callable[[DroppedFile], bool]
    suggested: Callable[[DroppedFile], bool] = lambda _: True
    works: "Callable[[Context], bool]" = lambda _: True
    total: Callable[[Table], tuple[int, int] | None] = lambda _: None
    """Returns how many rows of a table the action uses and their total in cents; None if unsuitable or unreadable."""

    @property
    def for_all(self) -> bool:
        """Whether one run can process many files."""
        return False


class HeldRows(Protocol):
    """Interface of :class:`bot.workflows.workers.Workers`: the rows that this process works on."""

    freed: Callable[[str], None]
    stopping: bool

    def running(self, name: str) -> int: ...

    async def take_up(self, ctx: "Context", work: Any) -> int: ...

    async def finished(self, *, lasting: bool = False) -> None: ...

    async def stop(self) -> None: ...


Recovery = Callable[["Unit"], int]
"""Marks requests that dead processes left in one table as unknown outcomes; returns their number."""
Step = Callable[["Context", PaymentsClient, Instruction], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class WorkQueue:
    """Rows whose steps run concurrently, at most ``slots`` at a time."""

    name: str
    slots: int


async def _not_made_from(_ctx: object, _payments: object, earlier: Instruction, _rows: object) -> Sequence[Finding]:
    raise TypeError(f"no request is made from {earlier.reference}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestKind:
    """One kind of request, as used by the engine in ``requests/``. The module of the kind defines the record.

    Attributes:
        queue: the default has as many slots as the service's ten requests per second times the longest timeout, so
        that a silent service leaves free slots.
        steps: the step of a due row, by state. While a row waits for approvers, the engine handles it.
        listed: the list of the service in which our code finds the request, if any.
        ready: raises OperatorError if the client couldn't send the request after its approval.
        browsed: the members of ``called_back`` to whose addresses the service sends the buyer's browser.
        observe: applies a record from ``read``. Returns True if it moved the request forward, or if the request has
        ended and the record has no news.
        ended: effects of the request's end, in the same transaction.
        still_unpaid: reads an ended request at the service again, for a list only the given rows, and returns evidence
        that it may have been paid. For kinds from which other requests are made.
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
    """The dependencies of workflows.

    Attributes:
        home: id of the workspace whose full members may use the bot.
        owner: id of this process, under which it holds leases.
        began: start time of this process.
        callback_base: prefix of callback addresses. Without ``PUBLIC_URL`` it is the address at which this process
            listens, reachable only from this machine; in production a domain that doesn't exist.
        counting: reads people like ``people``, but only to count possible approvers; votes are never checked with it.
        quiet: the conditions for treating an unknown outcome as "not executed".
        wake: wakes this process's workers early; without it they find the work at the next tick.
        turns: the order of posts within a conversation.
        chores: periodic work that has no queue, by name; each returns the amount of work done.
        server_now: replaces the clock of the database server if time is simulated.
        peers: the other processes of a PostgreSQL database; None if there can't be any.
        command_prefix: prefix of every slash command.
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
        """Return a command as users type it, e.g. ``/sb-pay``."""
        return f"/{self.command_prefix}{command}"

    async def write(self, work: "Callable[[Unit], T]", *, name: str = "", wakes: bool = True) -> T:
        """Run a transaction, wake the workers for rows now due unless ``wakes`` is False, and return its result."""
        done = await self.store.write(lambda tx: work(Unit(tx, self)), name=name)
        if wakes:
            self.wake()
        return done

    async def read(self, work: "Callable[[Unit], T]") -> T:
        return await self.store.read(lambda tx: work(Unit(tx, self)))


class Unit(Tx):
    """A unit of work: rows, time, policy and request kinds of one transaction, valid until it ends.

    ``ctx`` is None for an operator's command, which runs outside the bot; ``now`` and ``policy`` are then required.
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
    """Add an audit row for an event without a state change. ``about`` is the request it belongs to, if any."""
    name, state = (about.id, about.state.value) if about is not None else ("", "")
    uow.audit.append(
        Entry(at=uow.now, instruction_id=name, actor=actor, action=action, before=state, after=state, detail=detail)
    )

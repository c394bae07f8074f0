"""A request that people must approve before a service acts: its payload, its state, and how a record compares with it.

What is paid never changes after it was asked: the payload is frozen, votes are bound to its digest and round.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, ClassVar, Final

from pydantic import Field

from bot.domain.money import Cents, plain
from bot.domain.payments.bulk import BulkPayload, BulkProgress, CancelPayload, Payment
from bot.domain.payments.operation import Operation, OperationStatus
from bot.domain.policy import Requirement
from bot.domain.reasons import OfRequest, Reason
from bot.domain.values import Value


class Kind(StrEnum):
    PAYOUT = "payout"
    """In two steps: created at the service first, committed once approved."""
    ONE_STEP = "one_step"
    """Created and committed by one request, which is sent once approved."""
    PURCHASE = "purchase"
    """Requests money from a buyer. Nothing is sent, so it needs no approval."""
    BULK = "bulk"
    """Many payments of one file, submitted by one request once approved."""
    BULK_CANCEL = "bulk_cancel"
    """Takes back payments of a bulk payment that are still pending, named by their hashes."""


MONEY_OUT = frozenset({Kind.PAYOUT, Kind.ONE_STEP, Kind.BULK})


class State(StrEnum):
    """State of an instruction. The values are stored in the database."""

    NEW = "new"
    CREATING = "creating"
    CREATE_UNKNOWN = "create_unknown"
    OPEN = "open"
    """A purchase that waits for its buyer at the service."""
    AWAITING = "awaiting"
    APPROVED = "approved"
    SENDING = "sending"
    COMMIT_UNKNOWN = "commit_unknown"
    NEEDS_HUMAN = "needs_human"
    COMMITTED = "committed"
    PENDING_ESCROW = "pending_escrow"
    COMPLETED = "completed"
    CANCELED = "canceled"
    FAILED = "failed"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"
    REFUSED = "refused"
    MISMATCH = "mismatch"
    CLOSED = "closed"


class PayoutPayload(Value):
    """Payload of a payout: exactly this is shown, approved, compared and sent."""

    has_items: ClassVar[bool] = False
    """Whether it holds several payments, whose rows are in a separate table."""
    thread_ts: ClassVar[str] = ""
    """Thread in which it was requested, or empty."""
    twin_digest: ClassVar[str] = ""
    """Fingerprint shared by lists with the same payments; empty for other kinds."""

    email: str
    cents: Annotated[int, Field(gt=0)]
    description: str
    code: str = ""
    """Code at the service chosen by a person; empty for the request's own."""
    taken: str = ""
    """The service's id of an external payout that is only committed here; ``code`` is then that payout's code."""
    again_of: str = ""
    """Reference of the request that this one repeats or edits, or empty."""

    @property
    def payee(self) -> str:
        """Key shared by requests to the same recipient: the normalized address."""
        return self.email.casefold()

    def payments(self, _: object = ()) -> Mapping[Payment, Sequence[int]]:
        """Its only payment, of no row."""
        return {(self.payee, self.cents): ()}

    def canonical(self) -> dict[str, object]:
        chosen = {name: value for name, value in (("chosen", self.code), ("taken", self.taken)) if value}
        return {"email": self.email, "amount": plain(self.cents), "description": self.description, **chosen}


class Item(Value):
    name: Annotated[str, Field(min_length=1)]
    quantity: Annotated[int, Field(ge=1)]
    unit_cents: Annotated[int, Field(gt=0)]

    @property
    def cents(self) -> Cents:
        return Cents(self.quantity * self.unit_cents)


class PurchasePayload(Value):
    """Payload of a purchase. ``email`` is the buyer's address; the items add up to the amount."""

    has_items: ClassVar[bool] = False
    thread_ts: ClassVar[str] = ""
    twin_digest: ClassVar[str] = ""
    again_of: ClassVar[str] = ""

    email: str
    description: str
    items: Annotated[tuple[Item, ...], Field(min_length=1)]
    code: str = ""
    """As of a payout."""
    taken: ClassVar[str] = ""

    @property
    def cents(self) -> Cents:
        return Cents(sum(item.cents for item in self.items))

    @property
    def payee(self) -> str:
        return self.email.casefold()

    def payments(self, _: object = ()) -> Mapping[Payment, Sequence[int]]:
        """Return None: a purchase pays nothing to the buyer."""
        return {}

    def canonical(self) -> dict[str, object]:
        items = [[item.name, item.quantity, plain(item.unit_cents)] for item in self.items]
        chosen = {"chosen": self.code} if self.code else {}
        return {
            "email": self.email,
            "amount": plain(self.cents),
            "description": self.description,
            "items": items,
            **chosen,
        }


Payload = PayoutPayload | PurchasePayload | BulkPayload | CancelPayload
PAYLOADS: Final[Mapping[Kind, type[Payload]]] = {
    Kind.PAYOUT: PayoutPayload,
    Kind.ONE_STEP: PayoutPayload,
    Kind.PURCHASE: PurchasePayload,
    Kind.BULK: BulkPayload,
    Kind.BULK_CANCEL: CancelPayload,
}
Progress = BulkProgress


def digest_of(*, kind: Kind, code: str, payload: Payload) -> str:
    """SHA-256 (hex) of everything that must not change between asking and paying."""
    text = json.dumps({"kind": kind.value, "code": code, **payload.canonical()}, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


class Recipient(Value):
    """The account status record as it was read for the card; every field may be unknown."""

    full_name: str | None = None
    active: bool | None = None
    verified: bool | None = None
    primary: bool | None = None
    country: str | None = None
    problem: Reason | None = None
    """Why it could not be read; None when it was."""
    instead: str = ""
    """The address that was probably meant: of one without an account, or with a domain like one that was paid."""
    anyway: bool = False
    """The requester confirmed the recipient's address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instruction:
    """One row: the request with everything that decides what may happen next. Times are UTC."""

    id: str
    """ULID; also the order of asking."""
    reference: str
    kind: Kind
    payload: Payload
    code: str
    """Our unique code, made before the first request; the service's too, unless a person chose one."""
    digest: str
    requirement: Requirement
    state: State
    round: int
    version: int
    requester: str
    origin_channel: str
    created_at: datetime
    source_key: str
    """Slack's trigger or view id, which is unique: a repeated click makes no second row."""
    recipient: Recipient | None = None
    progress: BulkProgress | None = None
    """Combined progress of many items; None for kinds without items."""
    remote_id: str | None = None
    remote_status: str = ""
    svc_hash: str = ""
    reason: Reason | None = None
    """Reason for the state: of the rejection, of the failure, or of the mismatch."""
    decided_by: str = ""
    """Slack user id of the person who caused this state; empty if the service or a timeout did."""
    refusal: Reason | None = None
    """Why the service refused a request that it may have executed nevertheless."""
    suspect: str | None = None
    """Service id of a record without our code that may be this one: people check it before anything is resent."""
    posted_at: datetime | None = None
    """When the approvers first saw the card: the expiry clock starts here."""
    expires_at: datetime | None = None
    exec_deadline: datetime | None = None
    sent_at: datetime | None = None
    held_at: datetime | None = None
    """Since when it has been held for its present reason; see :func:`bot.domain.payments.moves.is_on_hold`."""
    unknown_since: datetime | None = None
    reads: int = 0
    """Conclusive reads since the outcome became unknown (or complete listings, for a create)."""
    last_read_at: datetime | None = None
    creates: int = 0
    commits: int = 0
    """Commit requests made so far whose outcome may have been an effect."""
    puts_off: int = 0
    """Times in a row that a step could not be taken, for the back-off."""
    due_at: datetime | None = None
    """When the worker continues; None if a person has to act first."""
    lease_owner: str = ""
    lease_until: datetime | None = None
    tries: int = 0
    errors: int = 0
    stopped: str = ""
    closed_at: datetime | None = None
    moves: int = 1
    """Changes that are in the audit, counted there too: an older copy of the row has fewer."""
    seal: str = field(default="", compare=False, repr=False)

    @property
    def cents(self) -> Cents:
        return Cents(self.payload.cents)

    @property
    def sent_code(self) -> str:
        """The code under which the service holds it, or would."""
        return self.payload.code or self.code

    @property
    def leaves_its_code(self) -> bool:
        """Whether it ended before anything of it left: the code that was chosen for it may be chosen again."""
        untouched = not self.creates and not self.commits and self.remote_id is None
        return untouched and self.state in LEAVES_CODE

    def intact(self) -> bool:
        return self.digest == digest_of(kind=self.kind, code=self.code, payload=self.payload)


class Choice(StrEnum):
    APPROVE = "approve"
    RETRY = "retry"
    """Another attempt after an unknown outcome; counted apart from the first approval by its round."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    instruction_id: str
    round: int
    person: str
    choice: Choice
    at: datetime
    typed: bool = False
    seal: str = field(default="", compare=False, repr=False)


class AttemptKind(StrEnum):
    CREATE = "create"
    COMMIT = "commit"


class AttemptOutcome(StrEnum):
    """Outcome of an attempt. OPEN: it may be in progress, or its process died."""

    OPEN = "open"
    DONE = "done"
    NOT_EXECUTED = "not_executed"
    UNKNOWN = "unknown"
    ABANDONED = "abandoned"
    """Never sent: the guard before the socket refused it."""


class AttemptStep(StrEnum):
    """How far an attempt has come, for figures: on its way, or the word for its end."""

    CLAIMED = "claimed"
    SENT = "sent"
    """At least a byte of its request left."""
    DONE = "done"
    NOT_EXECUTED = "not_executed"
    UNKNOWN = "unknown"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One HTTP send, claimed before it was made. ``boot_at`` is CLOCK_BOOTTIME seconds at the claim."""

    instruction_id: str
    n: int
    kind: AttemptKind
    request_hash: str
    claimed_at: datetime
    boot_at: float
    outcome: AttemptOutcome = AttemptOutcome.OPEN
    detail: str = ""
    finished_at: datetime | None = None
    seal: str = field(default="", compare=False, repr=False)


class CallbackKind(StrEnum):
    CONFIRMATION = "confirmation"
    CANCEL = "cancel"
    FAILURE = "failure"
    PURCHASE = "purchase"


EFFECT_UNDER_WAY = frozenset({State.CREATING, State.SENDING})
"""A request with an effect may be on its way: only its own process moves it on, or another after that process died."""
NOT_PAID: frozenset[State] = frozenset(
    {State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.REFUSED, State.MISMATCH, State.CANCELED, State.FAILED}
)
"""Final states in which no money stays with the recipient."""
FINAL = NOT_PAID | {State.COMPLETED, State.CLOSED}
UNSETTLED = frozenset(State) - FINAL - {State.OPEN, State.COMMITTED, State.PENDING_ESCROW}
"""States in which it may still be sent, or whether it was is not known."""
LEAVES_CODE = frozenset({State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.MISMATCH})
"""Final states in which nothing may have left; the index of chosen codes names them too."""


def same_code(one: str | None, other: str) -> bool:
    return folded(one) == folded(other)


def folded(code: str | None) -> str:
    """Return a code without the differences that services introduce (case, spacing); empty if there is none."""
    return "".join((code or "").split()).casefold()


def differences(instruction: Instruction, operation: Operation) -> tuple[Reason, ...]:
    """Return how the service's record differs from the request; empty if it is the same payout or purchase.

    Code and recipient may be absent from a record (fields differ and optional ones come back empty): the
    id ties it to our own create request. But neither may be another one, and the amount must be there.
    Of a purchase, the address may be another one: anybody with the link may pay, and the record then names who did.
    """
    sells = instruction.kind is Kind.PURCHASE
    found: list[Reason] = []
    if not instruction.intact():
        found.append(Reason(OfRequest.CHANGED_HERE, is_purchase=sells))
    if instruction.remote_id is not None and operation.id != instruction.remote_id:
        found.append(Reason(OfRequest.OTHER_ID))
    if operation.cents != instruction.cents:
        reported = "unreadable" if operation.cents is None else plain(operation.cents)
        found.append(Reason(OfRequest.OTHER_AMOUNT, theirs=reported, ours=plain(instruction.cents)))
    if not sells and operation.email and operation.email.casefold() != instruction.payload.email.casefold():
        found.append(Reason(OfRequest.OTHER_RECIPIENT))
    if operation.code and not same_code(operation.code, instruction.sent_code):
        found.append(Reason(OfRequest.OTHER_CODE))
    if operation.operation_type and operation.operation_type.casefold() != ("purchase" if sells else "payout"):
        found.append(Reason(OfRequest.OTHER_KIND, is_purchase=sells))
    return tuple(found)


def changed_since(payload: PayoutPayload, operation: Operation) -> tuple[Reason, ...]:
    """Return how the record of an external payout changed since its import, besides `differences`.

    Nothing but this record says what is paid, so nothing of it may be absent.
    """
    rules = (
        (not operation.email, OfRequest.OTHER_RECIPIENT),
        (operation.description != payload.description, OfRequest.OTHER_DESCRIPTION),
        (bool(payload.code) and not operation.code, OfRequest.OTHER_CODE),
    )
    return tuple(Reason(code) for is_broken, code in rules if is_broken)


_PAYOUT_STATES: Mapping[OperationStatus | None, State] = {
    OperationStatus.COMMITTED: State.COMMITTED,
    OperationStatus.PENDING: State.PENDING_ESCROW,
    OperationStatus.COMPLETED: State.COMPLETED,
    OperationStatus.CANCELED: State.CANCELED,
    OperationStatus.FAILED: State.FAILED,
}
_RANKS = {State.COMMITTED: 1, State.PENDING_ESCROW: 2}
SETTLED = frozenset({State.COMPLETED, State.CANCELED, State.FAILED})
UNPAID = FINAL - SETTLED
"""Final states without payment that the service didn't confirm: a record that reads as paid contradicts them."""


def state_of(operation: Operation) -> State | None:
    """The state our instruction takes from this record; None while it only says ``created`` or something unknown."""
    return _PAYOUT_STATES.get(operation.state)


def is_paid(operation: Operation) -> bool:
    return state_of(operation) not in (None, State.FAILED, State.CANCELED)


def rank_of(state: State) -> int:
    """How far the service has carried it: 0 before the commit, then committed, pending, final."""
    return 3 if state in FINAL else _RANKS.get(state, 0)

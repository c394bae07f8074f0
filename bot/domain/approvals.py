"""Authority: who may request, look and decide, and how many approvals a request needs. Every refusal is a value."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache, reduce

from bot.domain.addresses import address, mailbox
from bot.domain.errors import RuleError
from bot.domain.files.tables import NO_MARKS
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkPayload, BulkProgress, CancelPayload
from bot.domain.payments.instruction import Instruction, Payload, Vote
from bot.domain.payments.recipient import concerns, is_disguised
from bot.domain.policy import Facts, People, Policy, Repeat, Requirement

MEMBERSHIP_SECONDS = 60.0
"""Seconds for which Slack's answer about a person may be used where money depends on it."""
SAME_PAYMENT = timedelta(days=1)
"""How long a payment of the same amount to the same address is remembered as the same."""
SAME_FILE = timedelta(days=7)
"""How long a list of the same payments is, and a list that retries failed ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """What the workspace says of one of its users, as far as authority depends on it."""

    id: str
    team_id: str
    """Empty for people of an Enterprise Grid, who are at home where ``teams`` says."""
    teams: frozenset[str] = frozenset()
    name: str = ""
    handle: str = ""
    """Unique in the workspace."""
    deleted: bool = False
    bot: bool = False
    guest: bool = False
    stranger: bool = False
    email: str = ""
    """Of the profile; empty where there is none, or the app may not see it."""


class NoAddress(StrEnum):
    """Why a person who was named cannot be paid by the address of the profile."""

    UNKNOWN = "unknown"
    ELSEWHERE = "elsewhere"
    BOT = "bot"
    GONE = "gone"
    NONE = "none"


class No(StrEnum):
    UNKNOWN = "unknown"
    ELSEWHERE = "elsewhere"
    GUEST = "guest"
    BOT = "bot"
    GONE = "gone"
    NOT_REQUESTER = "not_requester"
    NOT_APPROVER = "not_approver"
    OWN_REQUEST = "own_request"
    OWN_PAYMENT = "own_payment"
    """The request pays to the address of their profile."""
    NO_ROLE = "no_role"
    NOT_IN_CHARGE = "not_in_charge"
    MAY_NOT_FREEZE = "may_not_freeze"
    MAY_NOT_UNFREEZE = "may_not_unfreeze"
    NOT_ADMIN = "not_admin"


class Void(StrEnum):
    UNTYPED = "untyped"
    """It was given without typing the amount, and the policy has required that since."""
    TOO_OLD = "too_old"
    FEWER = "fewer"
    """There are fewer approvers since, so everyone who is left has to approve."""


class Refusal(StrEnum):
    STALE = "stale"
    """The card or form is of an earlier round, or not the card this request was posted as."""
    DECIDED = "decided"
    """The request is in a state in which this has no effect."""
    REPEATED = "repeated"
    EXPIRED = "expired"
    WRONG_AMOUNT = "wrong_amount"
    UNCONFIRMED = "unconfirmed"
    """What is not fine about the recipient's account was not confirmed."""
    NOT_YOURS = "not_yours"
    NOT_ASKED = "not_asked"
    """Only who asked says whether the address is right."""
    NOT_REQUESTED = "not_requested"
    """Only who requested it sends it again."""
    NO_REASON = "no_reason"
    """An admin who withdraws what somebody else asked for says why."""
    TOO_LATE = "too_late"
    """It is being sent or was sent; nothing can be taken back."""
    SUSPECT = "suspect"
    """The service holds what may be this one, so nothing is sent again."""
    TOO_EARLY = "too_early"
    """It is being created at the service; a moment later it can be taken back."""
    DISAGREES = "disagrees"
    """What the database holds of it is not what the audit says."""
    RESTORED = "restored"
    """The database is older than what was sent, and an operator has not resumed yet."""
    HELD = "held"
    """Who asked may no longer ask for money."""


class Role(StrEnum):
    REQUESTER = "requesters"
    APPROVER = "approvers"
    ADMIN = "admins"


@dataclass(frozen=True, slots=True)
class Membership:
    """A person and the policy's user groups they are in, as of ``read_at``, in seconds of boot time."""

    person: Person | None
    groups: frozenset[str] = frozenset()
    read_at: float = float("-inf")

    def fresh(self, at: float) -> bool:
        """Whether it is recent enough to decide about money at this time of the same clock."""
        return at - self.read_at <= MEMBERSHIP_SECONDS


@dataclass(frozen=True, slots=True)
class Count:
    counted: frozenset[str]
    void: Mapping[str, No | Void]


@lru_cache(maxsize=1_000)
def profile_mailbox(person: Person | None) -> str:
    """The mailbox of a profile's address; empty: there is none that can be paid."""
    try:
        return mailbox(address(person.email)) if person is not None else ""
    except RuleError:
        return ""


def address_of(person: Person | None, *, home: str) -> str | NoAddress:
    """The address of the profile of somebody who works here, guests of this workspace included."""
    if person is None:
        return NoAddress.UNKNOWN
    no = full_member(replace(person, guest=False), home=home)
    if no is not None:
        return {No.ELSEWHERE: NoAddress.ELSEWHERE, No.BOT: NoAddress.BOT}.get(no, NoAddress.GONE)
    try:
        return address(person.email)
    except RuleError:
        return NoAddress.NONE


def full_member(person: Person | None, *, home: str) -> No | None:
    """None when the person is a full, active, human member of the home workspace; otherwise why not."""
    if person is None:
        return No.UNKNOWN
    if home not in {person.team_id, *person.teams} or person.stranger:
        return No.ELSEWHERE
    if person.deleted:
        return No.GONE
    if person.bot:
        return No.BOT
    return No.GUEST if person.guest else None


def listed(role: Role, standing: Membership, people: People) -> bool:
    """Whether the policy lists this person, by id or through a group. An empty list lists nobody."""
    if standing.person is None:
        return False
    names: Collection[str] = getattr(people, role.value)
    return "*" in names or standing.person.id in names or bool(standing.groups.intersection(names))


def in_role(standing: Membership, roles: Collection[Role], otherwise: No, *, people: People, home: str) -> No | None:
    """None when this person is a full member in one of these roles; ``otherwise``: why not, where they are in none."""
    refusal = full_member(standing.person, home=home)
    return refusal or (None if any(listed(role, standing, people) for role in roles) else otherwise)


def may_request(standing: Membership, *, people: People, home: str) -> No | None:
    return in_role(standing, (Role.REQUESTER,), No.NOT_REQUESTER, people=people, home=home)


def may_look(standing: Membership, *, people: People, home: str) -> No | None:
    """None when this person may look at what the services hold: a role of the policy is enough, any of them."""
    return in_role(standing, tuple(Role), No.NO_ROLE, people=people, home=home)


def may_see_balance(standing: Membership, *, people: People, home: str) -> No | None:
    return in_role(standing, (Role.APPROVER, Role.ADMIN), No.NOT_IN_CHARGE, people=people, home=home)


def may_decide(
    standing: Membership, *, requester: str, people: People, home: str, payees: Collection[str] = ()
) -> No | None:
    """None when this person's decision counts. ``payees``: mailboxes that are paid."""
    refusal = full_member(standing.person, home=home)
    if refusal is not None:
        return refusal
    assert standing.person is not None
    if standing.person.id == requester:
        return No.OWN_REQUEST
    if profile_mailbox(standing.person) in payees:
        return No.OWN_PAYMENT
    return None if listed(Role.APPROVER, standing, people) else No.NOT_APPROVER


def may_release(
    standing: Membership, *, requester: str, people: People, home: str, payees: Collection[str] = ()
) -> No | None:
    """None when this person may let a request be sent that may pay twice: an admin, unless it is theirs or pays them.

    ``payees``: as of :func:`may_decide`.
    """
    refusal = in_role(standing, (Role.ADMIN,), No.NOT_ADMIN, people=people, home=home)
    own = standing.person is not None and standing.person.id == requester
    return refusal or (
        No.OWN_REQUEST if own else No.OWN_PAYMENT if profile_mailbox(standing.person) in payees else None
    )


def counting(
    votes: Iterable[Vote],
    *,
    instruction: Instruction,
    standings: Mapping[str, Membership],
    people: People,
    home: str,
    since: datetime,
    payees: Collection[str] = (),
) -> Count:
    """Which votes of the present round count, and why the others do not; ``since``: older ones are void.

    ``payees``: mailboxes that are paid.
    """
    void: dict[str, No | Void] = {}
    counted = set()
    for vote in votes:
        if vote.round != instruction.round:
            continue
        standing = standings.get(vote.person, Membership(None))
        flaw: No | Void | None = may_decide(
            standing, requester=instruction.requester, people=people, home=home, payees=payees
        )
        if flaw is None and instruction.requirement.typed_amount and not vote.typed:
            flaw = Void.UNTYPED
        elif flaw is None and vote.at < since:
            flaw = Void.TOO_OLD
        if flaw is None:
            counted.add(vote.person)
        else:
            void[vote.person] = flaw
    return Count(frozenset(counted), void)


def facts_of(payload: Payload, *, sent_today: int, new_recipient: bool) -> tuple[Facts, ...]:
    """What the policy looks at: of a bulk payment its sum, its largest item and its largest to somebody new."""
    match payload:
        case BulkPayload():
            together = Facts(cents=payload.cents, new_recipient=payload.new_count > 0, sent_today=sent_today)
            largest = Facts(cents=payload.largest[0].cents, sent_today=sent_today)
            fresh = Facts(cents=payload.new_cents, new_recipient=True, sent_today=sent_today)
            return (together, largest, *([fresh] if payload.new_count else []))
        case CancelPayload():
            return (Facts(cents=payload.cents),)
        case _:
            return (Facts(cents=Cents(payload.cents), new_recipient=new_recipient, sent_today=sent_today),)


def doubt_of(payload: Payload) -> str:
    """Why a bulk payment by itself may be a mistake, a reason for one more approver; empty when nothing says so."""
    if not isinstance(payload, BulkPayload) or not payload.duplicate_count:
        return ""
    count = payload.duplicate_count
    return f"{'1 row repeats' if count == 1 else f'{count} rows repeat'} an earlier one"


def needs_confirming(one: Instruction) -> bool:
    """Whether an approval counts only from the form that shows what may be wrong with a request, whatever its kind."""
    payload, progress = one.payload, one.progress or BulkProgress()
    if one.requirement.extra or one.requirement.everyone:
        return True  # it may repeat another payment
    if isinstance(payload, BulkPayload):
        accounts = progress.inactive or progress.unverified or progress.other_names or progress.not_read
        rows = payload.left_out_count or payload.anyway or payload.done_anyway or payload.marks != NO_MARKS
        return bool(doubt_of(payload) or accounts or rows)
    return bool(concerns(one.recipient)) or is_disguised(payload.email)


def requirement_of(
    policy: Policy, facts: Iterable[Facts], payload: Payload, repeats: tuple[Repeat, ...] = ()
) -> Requirement:
    """What the policy asks of a request. One that may pay something twice needs one more approver, however often."""
    found, doubt = reduce(Requirement.tightened, map(policy.requirement, facts)), doubt_of(payload)
    return found.with_one_more(doubt, repeats) if doubt or repeats else found

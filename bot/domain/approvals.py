"""Authority: permission to request, view and decide, and the approvals a request needs. Refusals are values."""

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
"""Seconds for which Slack's answer about a person may be used to decide about money."""
SAME_PAYMENT = timedelta(days=1)
"""Time in which a payment of the same amount to the same address counts as the same."""
SAME_FILE = timedelta(days=7)
"""Time in which a list of the same payments, or one that retries failed ones, counts as the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The facts about a user of the workspace on which authority depends."""

    id: str
    team_id: str
    """Empty for people of an Enterprise Grid, whose home workspaces are ``teams``."""
    teams: frozenset[str] = frozenset()
    name: str = ""
    handle: str = ""
    """Unique in the workspace."""
    deleted: bool = False
    bot: bool = False
    guest: bool = False
    stranger: bool = False
    email: str = ""
    """Address in the profile; empty if there is none, or the app may not see it."""


class NoAddress(StrEnum):
    """Reason why a named person can't be paid by the address in the profile."""

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
    """The amount wasn't typed, which the policy now requires."""
    TOO_OLD = "too_old"
    FEWER = "fewer"
    """There are fewer approvers now, so all remaining ones have to approve."""


class Refusal(StrEnum):
    STALE = "stale"
    """The card or form is of an earlier round, or not the card this request was posted as."""
    DECIDED = "decided"
    """The request is in a state in which this has no effect."""
    REPEATED = "repeated"
    EXPIRED = "expired"
    WRONG_AMOUNT = "wrong_amount"
    UNCONFIRMED = "unconfirmed"
    """Problems of the recipient's account weren't confirmed."""
    NOT_YOURS = "not_yours"
    NOT_ASKED = "not_asked"
    """Only the requester can confirm the address."""
    NOT_REQUESTED = "not_requested"
    """Only the requester can send it again."""
    NO_REASON = "no_reason"
    """An admin has to give a reason to withdraw another person's request."""
    TOO_LATE = "too_late"
    """It is being sent or was sent, so it can't be withdrawn."""
    SUSPECT = "suspect"
    """The service has a record that may be this request, so it isn't sent again."""
    TOO_EARLY = "too_early"
    """It is being created at the service; it can be withdrawn in a moment."""
    DISAGREES = "disagrees"
    """Its database rows disagree with the audit."""
    RESTORED = "restored"
    """The database was restored to a time before requests that were sent, and no operator has resumed yet."""
    HELD = "held"
    """The requester may no longer request payments."""


class Role(StrEnum):
    REQUESTER = "requesters"
    APPROVER = "approvers"
    ADMIN = "admins"


@dataclass(frozen=True, slots=True)
class Membership:
    """A person and their user groups in the policy, as of ``read_at``, in seconds of boot time."""

    person: Person | None
    groups: frozenset[str] = frozenset()
    read_at: float = float("-inf")

    def fresh(self, at: float) -> bool:
        """Return whether it is recent enough to decide about money at this time of the same clock."""
        return at - self.read_at <= MEMBERSHIP_SECONDS


@dataclass(frozen=True, slots=True)
class Count:
    counted: frozenset[str]
    void: Mapping[str, No | Void]


@lru_cache(maxsize=1_000)
def profile_mailbox(person: Person | None) -> str:
    """Return the mailbox of a profile's address; empty if it has none that can be paid."""
    try:
        return mailbox(address(person.email)) if person is not None else ""
    except RuleError:
        return ""


def address_of(person: Person | None, *, home: str) -> str | NoAddress:
    """Return the profile's address of a member of this workspace, including guests, else why there is none."""
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
    """Return None if the person is a full, active, human member of the home workspace, else why not."""
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
    """Return whether the policy lists this person, by id, group or ``*``. An empty list contains no one."""
    if standing.person is None:
        return False
    names: Collection[str] = getattr(people, role.value)
    return "*" in names or standing.person.id in names or bool(standing.groups.intersection(names))


def in_role(standing: Membership, roles: Collection[Role], otherwise: No, *, people: People, home: str) -> No | None:
    """Return None if this person is a full member in one of the roles, ``otherwise`` if in none, else why not."""
    refusal = full_member(standing.person, home=home)
    return refusal or (None if any(listed(role, standing, people) for role in roles) else otherwise)


def may_request(standing: Membership, *, people: People, home: str) -> No | None:
    return in_role(standing, (Role.REQUESTER,), No.NOT_REQUESTER, people=people, home=home)


def may_look(standing: Membership, *, people: People, home: str) -> No | None:
    """Return None if this person, with any role of the policy, may view the services' records, else why not."""
    return in_role(standing, tuple(Role), No.NO_ROLE, people=people, home=home)


def may_see_balance(standing: Membership, *, people: People, home: str) -> No | None:
    return in_role(standing, (Role.APPROVER, Role.ADMIN), No.NOT_IN_CHARGE, people=people, home=home)


def may_decide(
    standing: Membership, *, requester: str, people: People, home: str, payees: Collection[str] = ()
) -> No | None:
    """Return None if this person's decision counts, else why not. ``payees`` are the mailboxes that are paid."""
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
    """Return None if this person may release a request that may pay twice, else why not.

    That is an admin who neither requested it nor is paid; ``payees`` is as in :func:`may_decide`.
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
    """Return which votes of the current round count, and why others don't; those before ``since`` are void.

    ``payees`` are the mailboxes that are paid.
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
    """Return facts for the policy; those of a bulk payment are its sum, largest item and largest to a new recipient."""
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
    """Return why a bulk payment may be a mistake and needs one more approver; empty if there are no signs."""
    if not isinstance(payload, BulkPayload) or not payload.duplicate_count:
        return ""
    count = payload.duplicate_count
    return f"{'1 row repeats' if count == 1 else f'{count} rows repeat'} an earlier one"


def needs_confirming(one: Instruction) -> bool:
    """Return whether an approval must be given in the form that shows possible problems of the request."""
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
    """Return the policy's requirement, with one more approver, only once, for a request that may pay twice."""
    found, doubt = reduce(Requirement.tightened, map(policy.requirement, facts)), doubt_of(payload)
    return found.with_one_more(doubt, repeats) if doubt or repeats else found

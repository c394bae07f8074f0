"""The policy file as values, its requirement for one request, the freeze, and whether enough people can approve."""

import hashlib
import re
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from bot.domain.errors import RuleError
from bot.domain.money import Cents, parse_amount, shown
from bot.domain.reasons import OfMode, Reason, has_code


@dataclass(frozen=True, slots=True)
class Short:
    """How many approvals a request needs, and how many people could give one (at most as many as are needed)."""

    needs: int
    can: int
    alerts: int = 0
    """How many times a shortage of approvers was reported."""

    @property
    def is_short(self) -> bool:
        return self.can < self.needs


class Repeat(BaseModel):
    """An earlier request with some of the same payments: equal amounts to equal addresses."""

    model_config = ConfigDict(frozen=True)

    reference: str
    rows: tuple[int, ...] = ()
    """Rows of the new request, at most 100; empty for the whole request."""
    count: int = 0
    """Number of those rows; 0 for all."""
    theirs: tuple[int, ...] = ()
    """Rows of the earlier request, at most 100; empty for the whole request."""


MOST_REPEATS = 20
"""Earlier requests that a card can name."""


class Requirement(BaseModel):
    """Requirement of the policy for one request when it was made: a snapshot that later changes don't soften."""

    model_config = ConfigDict(frozen=True)

    quorum: Annotated[int, Field(ge=1)]
    typed_amount: bool = False
    reasons: tuple[str, ...] = ()
    """Reason for the quorum, in words for the card."""
    extra: Annotated[int, Field(ge=0)] = 0
    """Approvals that a likely repeat adds to the quorum of the rules."""
    everyone: bool = False
    """The extra approvers were more than there are, so everyone who can approve has to."""
    repeats: tuple[Repeat, ...] = ()
    """Earlier requests that pay the same, for which the quorum has one more approver."""
    expires_seconds: float = 86_400.0
    execute_within_seconds: float = 3_600.0

    @property
    def by_rules(self) -> int:
        """The quorum that the policy's rules ask for; nothing lowers it."""
        return self.quorum - self.extra

    def with_one_more(self, doubt: str, repeats: tuple[Repeat, ...] = ()) -> "Requirement":
        """This one with one more approver, for a doubt or because it repeats these requests."""
        reasons = (*self.reasons, *([f"{doubt}: one more approver"] if doubt else []))
        more = {"quorum": self.quorum + 1, "extra": self.extra + 1, "reasons": reasons, "repeats": repeats}
        return self.model_copy(update=more)

    def capped(self, able: int) -> "Requirement":
        """This one where so many people can approve: extra approvers who don't exist aren't needed.

        Then everyone who can approve has to, typing the amount. The rules' own quorum stays, whether it can be met
        or not.
        """
        if not self.extra or able >= self.quorum:
            return self
        quorum = max(able, self.by_rules)
        capped = {"quorum": quorum, "extra": quorum - self.by_rules, "everyone": True, "typed_amount": True}
        return self.model_copy(update=capped)

    def tightened(self, other: "Requirement") -> "Requirement":
        """Combine with the stricter parts of ``other``: a later policy may delay open requests, never speed them up."""
        rules, theirs = max(self.by_rules, other.by_rules), other.by_rules if self.everyone else other.quorum
        quorum = max(self.quorum, theirs)
        needs_more = quorum > self.quorum or other.typed_amount > self.typed_amount
        known = {one.reference for one in self.repeats}
        repeats = (*self.repeats, *(one for one in other.repeats if one.reference not in known))
        wanted = self.model_copy(
            update={
                "quorum": quorum,
                "extra": quorum - rules,
                "everyone": self.everyone or other.everyone,
                "typed_amount": self.typed_amount or other.typed_amount,
                "reasons": (needs_more and other.reasons) or self.reasons,
                "repeats": repeats[:MOST_REPEATS],
                "expires_seconds": min(self.expires_seconds, other.expires_seconds),
                "execute_within_seconds": min(self.execute_within_seconds, other.execute_within_seconds),
            }
        )
        return self if wanted == self else wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """Who stopped all sending, when (ISO 8601) and why; ``lifting``: people who voted to resume."""

    by: str
    reason: Reason
    at: str
    lifting: tuple[str, ...] = ()

    @property
    def is_restored(self) -> bool:
        """Whether the database is older than the anchors: only an operator can resume, votes can't."""
        return has_code(self.reason, OfMode.OLDER)


_UNITS = {"s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0}
_LONGEST = 3_650 * _UNITS["d"]


def _seconds(value: Any) -> float:
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([smhd])", value.strip()) if isinstance(value, str) else None
    if found is None or float(found[1]) <= 0:
        raise ValueError('must be a positive duration with a unit s, m, h or d, e.g. "24h"')
    seconds = float(found[1]) * _UNITS[found[2]]
    if seconds > _LONGEST:
        raise ValueError('must be at most ten years, e.g. "24h"')
    return seconds


def _cents(value: Any) -> Cents:
    if not isinstance(value, str):
        raise ValueError('must be an amount in quotes, e.g. "1000.00"')  # noqa: TRY004 - pydantic reads ValueError
    try:
        return parse_amount(value)
    except RuleError as broken:
        raise ValueError(f'{broken.rule}, e.g. "1000.00"') from broken


def _channel(value: str) -> str:
    if value and not re.fullmatch(r"[CG][A-Z0-9]+", value):
        raise ValueError('must be a channel id, e.g. "C0APPROVE" (open the channel\'s details to copy it)')
    return value


def _needed_channel(value: str) -> str:
    if not value:
        raise ValueError('must be a channel id, e.g. "C0APPROVE": cards go there')
    return _channel(value)


def _member(value: str) -> str:
    if value != "*" and not re.fullmatch(r"[UWS][A-Z0-9]+", value):
        raise ValueError('must be a user id or a user group id, e.g. "U0ADMIN" or "S0FINANCE"')
    return value


Duration = Annotated[float, BeforeValidator(_seconds)]
Amount = Annotated[Cents, BeforeValidator(_cents)]
ChannelId = Annotated[str, AfterValidator(_channel)]
Members = tuple[Annotated[str, AfterValidator(_member)], ...]


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class Channels(_Section):
    """Channels. Cards are posted to ``approvals``, to which the others default."""

    approvals: Annotated[str, AfterValidator(_needed_channel)]
    payments: ChannelId = ""
    bookings: ChannelId = ""
    alerts: ChannelId = ""
    stores: dict[str, ChannelId] = {}


class People(_Section):
    """Roles as user ids and user group ids. An empty list allows nobody; ``*`` is valid for requesters only."""

    requesters: Members = ()
    approvers: Members = ()
    admins: Members = ()

    @model_validator(mode="after")
    def _no_open_doors(self) -> Self:
        for role in ("approvers", "admins"):
            if "*" in getattr(self, role):
                raise ValueError(f'{role} must name people or groups, not "*", e.g. {role} = ["S0TREASURY"]')
        return self


class ApprovalRule(_Section):
    over: Amount | None = None
    new_recipient: bool = False
    """Nothing was ever paid to this address through Switchboard."""
    daily_over: Amount | None = None
    """Matches if today's sum including this request exceeds it."""
    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    typed_amount: bool = False

    @model_validator(mode="after")
    def _conditional(self) -> Self:
        if self.over is None and not self.new_recipient and self.daily_over is None:
            raise ValueError('needs a condition: over = "1000.00", new_recipient = true or daily_over = "5000.00"')
        return self

    def matches(self, facts: "Facts") -> bool:
        return (
            (self.over is None or facts.cents > self.over)
            and (not self.new_recipient or facts.new_recipient)
            and (self.daily_over is None or facts.sent_today + facts.cents > self.daily_over)
        )

    @property
    def words(self) -> str:
        over = f"over {shown(self.over)}" if self.over is not None else ""
        new = "first payment to this recipient" if self.new_recipient else ""
        daily = f"more than {shown(self.daily_over)} today" if self.daily_over is not None else ""
        return ", ".join(part for part in (over, new, daily) if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Input of the rules, in cents."""

    cents: int
    new_recipient: bool = False
    sent_today: int = 0


class Approval(_Section):
    quorum: Annotated[int, Field(ge=1, le=20)] = 1
    expires: Duration = 86_400.0
    execute_within: Duration = 3_600.0
    daily_limit: Amount = Cents(2_500_000)
    rule: tuple[ApprovalRule, ...] = ()


class Policy(_Section):
    channels: Channels
    people: People = People()
    approval: Approval = Approval()

    @property
    def digest(self) -> str:
        """Return a 12-digit fingerprint of the policy, independent of the file's layout."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()[:12]

    @property
    def alerts(self) -> str:
        return self.channels.alerts or self.channels.approvals

    @property
    def payments(self) -> str:
        """Channel for news of payments without a conversation."""
        return self.channels.payments or self.channels.approvals

    def setting_of(self, channel: str) -> str:
        """Return the setting that names this channel, e.g. ``channels.approvals``, or empty if none does."""
        named = self.channels.model_dump(exclude={"stores"}) | self.channels.stores
        return next((f"channels.{name}" for name, one in named.items() if one and one == channel), "")

    @property
    def looks_at_recipients(self) -> bool:
        return any(rule.new_recipient for rule in self.approval.rule)

    @property
    def looks_at_the_day(self) -> bool:
        return any(rule.daily_over is not None for rule in self.approval.rule)

    def requirement(self, facts: Facts) -> Requirement:
        """Return the requirement for a request: per field, the strictest matching rule."""
        matching = [rule for rule in self.approval.rule if rule.matches(facts)]
        strictest = max(matching, key=lambda rule: (rule.quorum, rule.typed_amount, rule.over or 0), default=None)
        quorum = max([self.approval.quorum, *(rule.quorum for rule in matching)])
        reasons = [strictest.words] if strictest is not None else []
        return Requirement(
            quorum=quorum,
            typed_amount=any(rule.typed_amount for rule in matching),
            reasons=tuple(reasons),
            expires_seconds=self.approval.expires,
            execute_within_seconds=self.approval.execute_within,
        )

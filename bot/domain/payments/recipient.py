"""Concerns about paying a recipient, and the address that was probably meant."""

from collections.abc import Collection
from enum import StrEnum
from typing import Final

from bot.domain.payments.instruction import Instruction, Kind, Recipient, State
from bot.domain.text import clean, distance, is_near

USUAL_DOMAINS: Final = frozenset(
    """
    gmail.com googlemail.com outlook.com hotmail.com live.com yahoo.com icloud.com me.com aol.com proton.me
    protonmail.com gmx.com gmx.net gmx.de web.de
    """.split()  # noqa: SIM905
)
_TELLING: Final = 4
"""Least length of a domain name at which a single different letter is probably a typo."""


class Concern(StrEnum):
    """Something wrong with a recipient's account that an approver has to confirm."""

    NO_ACCOUNT = "no account"
    NOT_ACTIVE = "not active"
    NOT_VERIFIED = "not verified"
    NOT_PRIMARY = "not the primary address"
    NOT_KNOWN = "not known"
    OTHER_NAME = "registered under another name"
    LIKE_ANOTHER = "its domain is like one that was paid"


def concerns(recipient: Recipient | None) -> tuple[Concern, ...]:
    """Return all concerns, or just a missing account; none for a kind of request without a look-up."""
    if recipient is None:
        return ()
    if recipient.problem or recipient.active is None:
        return (Concern.NOT_KNOWN,)
    if has_no_account(recipient):
        return (Concern.NO_ACCOUNT,)
    flaws = {
        Concern.LIKE_ANOTHER: not recipient.instead,
        Concern.NOT_ACTIVE: recipient.active,
        Concern.NOT_VERIFIED: recipient.verified,
        Concern.NOT_PRIMARY: recipient.primary,
    }
    return tuple(concern for concern, fine in flaws.items() if fine is False)


def is_disguised(email: str) -> bool:
    """Whether an address contains letters that can look like other letters."""
    return "xn--" in email


def awaits_requester(instruction: Instruction) -> bool:
    """Whether the requester has to answer first: no account, or another address was probably meant.

    Only before approvers are notified and before anything was sent to the service.
    """
    recipient = instruction.recipient
    if instruction.kind not in (Kind.PAYOUT, Kind.ONE_STEP) or instruction.state is not State.NEW:
        return False
    untouched = not instruction.creates and not instruction.commits
    if not untouched or recipient is None or recipient.anyway:
        return False
    return bool(recipient.instead) or has_no_account(recipient)


def has_no_account(recipient: Recipient) -> bool:
    """Whether it is an inactive record without a name, which the service returns for an unknown address."""
    return not recipient.problem and recipient.active is False and not clean(recipient.full_name or "")


def suggestion(email: str, paid: Collection[str]) -> str:
    """Return the address probably meant: a similar one paid before, else the same name at a similar known domain."""
    typed = email.casefold()
    local, _, domain = typed.rpartition("@")
    close = []
    for address in paid:
        name, _, its = address.rpartition("@")
        if address != typed and is_near(local, name) and is_near(domain, its):
            close.append((distance(local, name) + distance(domain, its), address))
    if close:
        return min(close)[1]
    domains = {one.rpartition("@")[2] for one in paid}
    for known in (domains, USUAL_DOMAINS):
        if domain in known:
            return ""
        found = sorted((distance(domain, one), one) for one in known if is_near(domain, one))
        if found:
            return f"{local}@{found[0][1]}"
    return ""


def lookalike(email: str, paid: Collection[str]) -> str:
    """Return the same name at a paid domain that differs in one letter, unless this domain was paid or is usual."""
    local, _, domain = email.casefold().rpartition("@")
    known = {one.rpartition("@")[2] for one in paid}
    if domain in known or domain in USUAL_DOMAINS:
        return ""
    like = sorted(one for one in known if len(one.partition(".")[0]) >= _TELLING and distance(domain, one) == 1)
    return f"{local}@{like[0]}" if like else ""

"""Results of looking up the recipients of many payments: shown to people, without effect on what is paid."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final

from bot.domain.emails.lists import Answer, RunState
from bot.domain.files.tables import Row
from bot.domain.payments.bulk import BulkItem, BulkProgress
from bot.domain.payments.bulk_file import read_rows
from bot.domain.payments.deliverability import LEFT_OUT, Choice, Doubt, DoubtfulRow, doubt_of, verdicts_in
from bot.domain.payments.done_rows import done_rows
from bot.domain.payments.instruction import Recipient
from bot.domain.payments.names import fits_address, names_fit
from bot.domain.payments.operation import AccountStatus
from bot.domain.payments.recipient import Concern, concerns
from bot.domain.reasons import Reason

_NAMED: Final = 5
"""Addresses of each kind listed on a card; the file in its thread lists all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """The look-up of one address, with the answer of the e-mail service if it was queried."""

    email: str
    recipient: Recipient
    answer: Answer | None = None


CHECK: Final = "check.bulk"
"""Kind of the job that checks a payment file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileCheck:
    """A job that checks a payment file, for its status card.

    ``doubts`` has the number of rows and the first ones; ``answered`` counts addresses the e-mail service answered for.
    """

    id: str
    file: str
    state: RunState
    requester: str
    accounts: BulkProgress
    done: int = 0
    total: int = 0
    payments: int = 0
    cents: int = 0
    doubts: Mapping[Doubt, tuple[int, tuple[int, ...]]] = field(default_factory=dict)
    answered: int = 0
    reason: Reason | None = None


def recipient_of(account: AccountStatus) -> Recipient:
    return Recipient(
        full_name=account.full_name or None,
        active=account.active,
        verified=account.verified,
        primary=account.primary,
        country=account.country or None,
    )


def doubts(found: Recipient, email: str, names: Collection[str] = ()) -> tuple[Concern, ...]:
    """Return the concerns about an account; ``names`` are the recipient's names in any row of the file."""
    registered = found.full_name or ""
    fit = [names_fit(registered, name) for name in names if name] or [fits_address(registered, email)]
    return (*concerns(found), *((Concern.OTHER_NAME,) if False in fit else ()))


def counted(progress: BulkProgress, looked_up: Iterable[tuple[Lookup, Collection[str]]]) -> BulkProgress:
    """Add these look-ups to the progress, each with the names that the file has for the address."""
    values = {name: getattr(progress, name) for name in BulkProgress.model_fields}
    for one, names in looked_up:
        values["looked_up"] += 1
        found = doubts(one.recipient, one.email, names)
        values["not_read"] += Concern.NOT_KNOWN in found
        for count, named, about in _COUNTED:
            if about.intersection(found):
                values[count] += 1
                values[named] = (*values[named], one.email)[:_NAMED]
    return BulkProgress(**values)


def accounts_of(items: Iterable[BulkItem], known: Mapping[str, Lookup]) -> BulkProgress:
    """Count the look-ups of the recipients; those missing in ``known`` aren't looked up yet."""
    names: dict[str, set[str]] = {}
    for item in items:
        names.setdefault(item.email.casefold(), set()).add(item.name)
    found = [(known[payee], given) for payee, given in names.items() if payee in known]
    return counted(BulkProgress(to_look_up=len(names)), found)


def doubtful_rows(
    header: Sequence[str],
    rows: Sequence[Row],
    places: Mapping[str, int],
    known: Mapping[str, Lookup],
    *,
    choice: Choice,
    plain: Callable[[str], str],
    requested: Mapping[str, Doubt] = MappingProxyType({}),
    is_typed: bool = False,
) -> tuple[list[DoubtfulRow], int]:
    """Return doubtful rows, by the file's own columns or the look-ups, and the number of rows without a verdict.

    ``known`` is keyed by address in lower case. For ``plain`` see `read_rows`, for ``requested`` see `done_rows`.
    """
    # A person who types rows has seen any verdict in them, but maybe not a status in pasted text.
    verdicts = verdicts_in(() if is_typed else header, rows, used=places.values())
    done = done_rows(header, rows, requested, email=places["email"], amount=places["amount"])
    found: list[DoubtfulRow] = []
    for row in rows:
        one = known.get(plain(row.cells[places["email"]]).strip().casefold())
        against = done.get(row.number) or verdicts.doubts.get(row.number)
        against = against or (_against(one) if one is not None else None)
        if against is None:
            continue
        kind, said = against
        items, _ = read_rows([row], places, plain=plain)
        email, cents = (items[0].email, items[0].cents) if items else ("", None)
        made = DoubtfulRow(row=row.number, kind=kind, said=said, email=email, cents=cents)
        taken = row.number in choice.anyway or made.word in choice.words
        stays = taken and bool(items) if kind in LEFT_OUT else choice.without_account
        found.append(replace(made, is_left_out=not stays))
    return found, verdicts.unchecked


def _against(one: Lookup) -> tuple[Doubt, str] | None:
    against = doubt_of(one.answer) if one.answer is not None else None
    if against is None and one.recipient.problem is None and one.recipient.active is False:
        against = (Doubt.NO_ACCOUNT, "")
    return against


_COUNTED: Final = (
    ("inactive", "inactive_emails", frozenset({Concern.NO_ACCOUNT, Concern.NOT_ACTIVE})),
    ("unverified", "unverified_emails", frozenset({Concern.NOT_VERIFIED})),
    ("other_names", "other_name_emails", frozenset({Concern.OTHER_NAME})),
)

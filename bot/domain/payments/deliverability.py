"""Doubtful rows of a payment file, above all those the e-mail service doubts, in a result file or in its answers.

The service doesn't document its answers, so its words are matched loosely. Doubtful rows are left out until a person
includes them; an unknown word raises no doubt.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from bot.domain.emails.lists import Answer, Outcome
from bot.domain.files.tables import Row
from bot.domain.money import Cents

LOST: Final = frozenset(
    """
    undeliverable notdeliverable nondeliverable invalid notvalid invalidemail invalidaddress bounce bounced bounces
    hardbounce hardbounced nonexistent nonexisting doesnotexist notexist notexisting mailboxnotfound mailboxdoesnotexist
    mailboxunavailable mailboxfull nomailbox nosuchuser usernotfound unknownuser userunknown unroutable invaliddomain
    invalidsyntax syntaxerror nodomain domainnotfound nomx nomxrecord unreachable spamtrap donotmail
    """.split()  # noqa: SIM905
)
"""Verdicts meaning that nothing can be delivered to the address, without case, blanks and punctuation."""
_LOST_IN_VERDICTS: Final = LOST | frozenset({"bad", "dead", "disabled", "rejected", "notfound", "nonexistant", "ko"})
"""`LOST`, plus words that count only in a column of verdicts: a *status* may be that of an invoice."""
_VERDICTS: Final = frozenset(
    """
    result verdict deliverability emailstatus emailresult emailverdict validation validationstatus validationresult
    verification verificationstatus verificationresult
    """.split()  # noqa: SIM905
)
_STATES: Final = frozenset({"status", "state"})
_YES_OR_NO: Final = frozenset({"deliverable", "isdeliverable", "valid", "isvalid", "isvalidemail", "validemail"})
_NO: Final = frozenset({"no", "false", "0"})
_ANSWER: Final = "answer: "
_PROCESSING: Final = "processing"


class Doubt(StrEnum):
    PAID = "already paid"
    REQUESTED = "already requested"
    DONE = "marked as done"
    UNCLEAR = "with an unclear status"
    UNDELIVERABLE = "undeliverable"
    REFUSED = "refused by the e-mail service"
    NO_ADDRESS = "no address"
    NO_ACCOUNT = "no active account"


OF_ADDRESSES: Final = frozenset({Doubt.UNDELIVERABLE, Doubt.REFUSED, Doubt.NO_ADDRESS})
OF_STATUS: Final = frozenset({Doubt.PAID, Doubt.REQUESTED, Doubt.DONE, Doubt.UNCLEAR})
"""Doubts about rows that may be paid already."""
LEFT_OUT: Final = OF_ADDRESSES | OF_STATUS
"""Doubts whose rows are left out unless a person includes them; other rows stay unless a person excludes them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulRow:
    """A row with a doubt. ``email`` is empty and ``cents`` None if the row cannot be paid at all.

    ``said`` is the word used by the service or the file.
    """

    row: int
    kind: Doubt
    said: str = ""
    email: str = ""
    cents: Cents | None = None
    is_left_out: bool = True

    @property
    def word(self) -> str:
        """Digest of the status, by which all its rows are included together: form metadata has little room."""
        said = self.said.casefold().encode()
        return hashlib.sha256(said).hexdigest()[:12] if self.kind in (Doubt.DONE, Doubt.UNCLEAR) else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A person's choices: doubtful rows to pay anyway, and whether to pay rows without an active account.

    ``words`` are digests of statuses whose rows are all paid. ``good`` leaves out rows that cannot be paid instead of
    refusing the whole file. ``decimals`` is the decimal sign of amounts that have two readings.
    """

    anyway: frozenset[int] = frozenset()
    without_account: bool = True
    good: bool = False
    decimals: str = ""
    words: frozenset[str] = frozenset()


NO_CHOICE: Final = Choice()


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Doubts by row number, and the number of rows without an answer from the service."""

    doubts: Mapping[int, tuple[Doubt, str]] = field(default_factory=dict)
    unchecked: int = 0


def doubt_of(answer: Answer) -> tuple[Doubt, str] | None:
    """Return the doubt that an answer of the service raises, with its word, or None."""
    if answer.outcome is Outcome.REFUSED:
        return Doubt.REFUSED, answer.result
    if answer.outcome is Outcome.NO_ADDRESS:
        return Doubt.NO_ADDRESS, ""
    cells = [("result", answer.result), *((name, value) for name, value in answer.pairs)]
    return next(_lost(cells), None) if answer.outcome is Outcome.ANSWERED else None


def verdicts_in(header: Sequence[str], rows: Iterable[Row], *, used: Collection[int] = ()) -> Verdicts:
    """Read the verdict columns of a result file, ours or the service's, except ``used`` ones with another meaning."""
    ours = next(
        (at for at, name in enumerate(header) if name.partition(" (")[0] == _PROCESSING and at not in used), None
    )
    meant = _VERDICTS | _STATES | _YES_OR_NO
    names = {at: name for at, name in enumerate(header) if at not in used and _last(name) in meant}
    doubts: dict[int, tuple[Doubt, str]] = {}
    unchecked = 0
    if ours is None and not names:
        return Verdicts()
    for row in rows:
        outcome = row.cells[ours].strip() if ours is not None else Outcome.ANSWERED
        found = next(_lost((name, row.cells[at]) for at, name in names.items()), None)
        if outcome == Outcome.NO_ADDRESS:
            found = (Doubt.NO_ADDRESS, "")
        elif outcome == Outcome.REFUSED:
            found = found or (Doubt.REFUSED, "")
        if found is not None:
            doubts[row.number] = found
        elif outcome in (Outcome.NO_ANSWER, Outcome.FAILED, Outcome.NOT_ASKED):
            unchecked += 1
    return Verdicts(doubts=doubts, unchecked=unchecked)


def _lost(cells: Iterable[tuple[str, str]]) -> Iterator[tuple[Doubt, str]]:
    for name, cell in cells:
        last, word = _last(name), _loose(cell)
        words = _LOST_IN_VERDICTS if last in _VERDICTS else LOST if last in _STATES else frozenset()
        if word in words or (last in _YES_OR_NO and word in _NO):
            yield (
                Doubt.UNDELIVERABLE,
                cell.strip() if word in words else f"{name.removeprefix(_ANSWER)}: {cell.strip()}",
            )


def _last(name: str) -> str:
    """Return the last part of a dotted name (``answer: data.verdict``), without the number of a repeated column."""
    return _loose(name.removeprefix(_ANSWER).partition(" (")[0].rpartition(".")[2])


def _loose(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())

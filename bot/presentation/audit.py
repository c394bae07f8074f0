"""The audit trail of one request for people: one line for each row, with who did what and when."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.content import Content
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import OperationStatus
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions
from bot.presentation.lists import csv_button
from bot.presentation.payments.kinds import headline, word_of
from bot.presentation.reasons import because, in_words
from bot.presentation.words import NEEDS_PERSON, word

_MOST_CHARACTERS = 9_000  # of all lines together: Slack refuses messages of little more than twelve thousand
_TIMELINE_CHARACTERS = 5_000  # the same below a card
_REASON_LIMIT = 300
_SAID_LIMIT = 2_000  # of a service's own words: all that is kept of them, and still a line that fits into one paragraph
WORD_LIMIT = 80
_MOST_PEOPLE = 12
_USER = re.compile(r"[UW][A-Z0-9]{2,20}", re.ASCII)
_SAID: Mapping[str, str] = {
    "requested": "{who} asked for {what}",
    "create": "asked the service to create it, which moves no money (attempt {nth})",
    "create_put_off": "the service did not create it; to be tried again",
    "create_unknown": "the service did not say whether it created it; looking for it from here on",
    "create_again": "the service holds nothing of it; to be created again",
    "created": "the service created it as “{remote_id}”; shown to the approvers",
    "opened": "the service opened it as “{remote_id}”; the buyer can pay",
    "taken_in": "made elsewhere as “{remote_id}”, only created there; shown to the approvers",
    "prepared": "shown to the approvers; the service knows nothing of it yet",
    "no_account": "the address has no account; the requester is asked whether it is right",
    "sent_anyway": "{who} said that the address is right",
    "approve": "{who} approved{votes}",
    "retry": "{who} approved another attempt{votes}",
    "rejected": "{who} rejected it",
    "withdrawn": "{who} withdrew it",
    "expired": "it expired",
    "tightened": "the policy has become stricter; it needs {quorum} approvals now",
    "votes_no_longer_count": "the approvals did not suffice any more; still counted: {counted}",
    "recounted": "an approval does not count any more; still counted: {counted}",
    "suspended": "held, because who asked may no longer ask for money; the approvals so far are void",
    "send": "sent to the service, attempt {nth}, with the approval of {counted}",
    "found_after_restore": "the service had it already, though the database had been put back to before it was sent",
    "approve_again": "the database had been put back to an earlier moment; to be approved again",
    "send_put_off": "that attempt was not executed; to be sent again",
    "commit_unknown": "the service did not say whether it paid; only reading from here on",
    "observed": "the service says {status}",
    "chunk_sent": "the service answered; on to what is left to cancel",
    "all_sent": "everything was sent; the outcome of each payment is being read",
    "needs_human": f"it {NEEDS_PERSON}: nobody can know by reading",
    "refused": "the service refused it; nothing was paid",
    "mismatch": "stopped: the service's record is not what was asked for",
    "unreadable": "a row could not be read, and is left alone",
    "stopped": "Switchboard stopped here after an internal error",
    "tried_again": "{who} had it tried again",
    "closed": "{who} closed it as not paid",
}
"""Action of the audit -> sentence. An action without one is shown by its name."""
TITLE: Final = "Audit of Switchboard"
LIST: Final = "audit"
FILE: Final = {
    "alt": "The audit of everything that was asked, decided and sent, as a table.",
    "comment": "The audit as it stands now, one row a line.",
}


def story(instruction: Instruction, rows: Sequence[VerifiedRow], *, is_complete: bool = True) -> Content:
    """The audit trail of one request, oldest first. ``is_complete``: False if there are more rows than were read."""
    about = f"{headline(instruction)}, for “{clean(instruction.payload.description)}”, now {word_of(instruction)}"
    say = partial(_sentence, instruction)
    return told_story(instruction.reference, about, rows, say, is_complete=is_complete)


def told_story(
    reference: str, about: str, rows: Sequence[VerifiedRow], say: Callable[[Entry, int], str], *, is_complete: bool
) -> Content:
    """An audit trail under its title, with the proof that it is unaltered."""
    title = f"Audit of {reference}"
    told = _within(told_lines(rows, say), _MOST_CHARACTERS, is_complete=is_complete)
    blocks = [md.header(title), md.section(md.plain(md.shorten(about, md.SECTION_LIMIT))), *md.paragraphs(told)]
    if rows:
        span = f"Row {rows[0].seq}" if len(rows) == 1 else f"{len(rows)} rows, from {rows[0].seq} to {rows[-1].seq},"
        sealed = "*not all of them as they were written: tell your operator*"
        sealed = "each as it was written" if all(row.is_intact for row in rows) else sealed
        proof = f"{span} of the audit, {sealed}. `switchboard audit verify` shows whether one is missing."
        blocks += [md.context(proof), *actions([csv_button(LIST, reference)])]
    return Content(text="\n".join([f"*{title}*: {md.quote(about)}", *told]), blocks=blocks)


def with_timeline(
    card: Content, instruction: Instruction, rows: Sequence[VerifiedRow], *, is_complete: bool = True
) -> Content:
    told = _within(lines(instruction, rows), _TIMELINE_CHARACTERS, is_complete=is_complete)
    lead = "*What happened*"
    return Content(
        text="\n".join([card.text, lead, *told]),
        blocks=[*card.blocks, {"type": "divider"}, *md.paragraphs([lead, *told])],
    )


def lines(instruction: Instruction, rows: Sequence[VerifiedRow]) -> list[str]:
    return told_lines(rows, partial(_sentence, instruction))


def told_lines(rows: Sequence[VerifiedRow], say: Callable[[Entry, int], str]) -> list[str]:
    """One line a row, in mrkdwn. ``say`` puts an entry into words, given how many of its kind there were so far."""
    seen: Counter[str] = Counter()
    told = []
    for row in rows:
        if row.entry is None:
            told.append(f"• :warning: *Row {row.seq} cannot be read: it is not what was written.*")
            continue
        seen[row.entry.action] += 1
        said = say(row.entry, seen[row.entry.action])
        mark = "" if row.is_intact else ":warning: *this row is not what was written:* "
        at = row.entry.at  # to the second, in the reader's own time zone
        instant = f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time_secs}}|{at:%Y-%m-%d %H:%M:%S} UTC>"
        told.append(f"• {instant}  {mark}{said}")
    return told


def _sentence(instruction: Instruction, entry: Entry, nth: int) -> str:
    before, after = (
        word(State(value)) if value in list(State) else md.quote(value, WORD_LIMIT) or "nothing"
        for value in (entry.before, entry.after)
    )
    moved = f" ({before} → {after})" if entry.before != entry.after else ""
    detail = entry.detail
    counted, quorum = detail.get("counted"), detail.get("quorum")
    names = [person(str(name)) for name in counted] if isinstance(counted, list) else []
    said = str(detail.get("status") or "nothing")
    votes = f" ({len(names)} of {md.quote(str(quorum), WORD_LIMIT)})" if names and quorum is not None else ""
    if moved and entry.action in ("approve", "retry"):
        votes += ", which is enough"
    values = {
        "who": person(entry.actor),
        "what": md.quote(headline(instruction)),
        "nth": str(nth),
        "votes": votes,
        "counted": md.series(names[:_MOST_PEOPLE], len(names)) or "nobody",
        "quorum": md.quote(str(quorum), WORD_LIMIT),
        # A word of the service that is known is told in one spelling.
        "status": known if (known := said.casefold()) in list(OperationStatus) else md.quote(said, WORD_LIMIT),
        "remote_id": md.quote(str(detail.get("remote_id") or "?"), WORD_LIMIT),
    }
    return told_sentence(_SAID, entry, values, moved=moved)


def told_sentence(said: Mapping[str, str], entry: Entry, values: Mapping[str, str], *, moved: str = "") -> str:
    """An entry by the template of its action, or by its name where there is none."""
    otherwise = f"{person(entry.actor)}: {md.quote(entry.action.replace('_', ' '), WORD_LIMIT)}{moved}"
    sentence = said[entry.action].format_map(values) if entry.action in said else otherwise
    why, words = in_words(entry.detail.get("reason")), md.quote(str(entry.detail.get("said") or ""), _SAID_LIMIT)
    told = f"{md.sentence_of(sentence)}{because(why, _REASON_LIMIT)}"
    return f"{told} The service's words: “{words}”" if words else told


def person(actor: str) -> str:
    if _USER.fullmatch(actor):
        return md.mention(actor)
    return "Switchboard" if actor == "switchboard" else md.quote(actor, WORD_LIMIT)


def _within(told: list[str], most: int, *, is_complete: bool) -> list[str]:
    """All lines, or the first and the last of them around a mark that says how many are left out."""
    told = told if is_complete else [*told, "… there is more; `switchboard audit export` has all of it"]
    if sum(len(line) + 1 for line in told) <= most:
        return told
    first, last = [], []
    room = most // 3
    rest = list(told)
    while rest and len(rest[0]) < room:
        room -= len(rest[0]) + 1
        first.append(rest.pop(0))
    room += most // 2
    while rest and len(rest[-1]) < room:
        room -= len(rest[-1]) + 1
        last.append(rest.pop())
    mark = f"… {len(rest)} lines are left out here; `switchboard audit export` has all of them …"
    return [*first, mark, *reversed(last)]

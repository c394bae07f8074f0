"""The audit trail of one request for people: one line for each row, with who did what and when."""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.content import Block, Content
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import OperationStatus
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions
from bot.presentation.lists import csv_button
from bot.presentation.payments.kinds import in_full, word_in, word_of
from bot.presentation.reasons import because, in_words

_MOST_CHARACTERS = 9_000  # of all lines together: Slack refuses messages of little more than twelve thousand
_TIMELINE_CHARACTERS = 5_000  # the same below a card
_REASON_LIMIT = 300
_SAID_LIMIT = 2_000  # of a service's own words: all that is kept of them, and still a line that fits into one paragraph
WORD_LIMIT = 80
_MOST_PEOPLE = 12
_USER = re.compile(r"[UW][A-Z0-9]{2,20}", re.ASCII)
_SAID: Mapping[str, str] = {
    "requested": "{who} requested {what}",
    "create": "asked the provider to create it (attempt {nth}); no money moves",
    "create_put_off": "not created; will be tried again",
    "create_unknown": "not confirmed; looking for it",
    "create_again": "the provider doesn't have it; will be created again",
    "created": "created (“{remote_id}”); sent to approvers",
    "opened": "created (“{remote_id}”); the buyer can pay",
    "taken_in": "created elsewhere (“{remote_id}”); sent to approvers",
    "prepared": "sent to approvers",
    "no_account": "no account for this address; the requester is asked",
    "sent_anyway": "{who} confirmed the address",
    "sent_again": "{who} sent it again as a new request",
    "approve": "{who} approved{votes}",
    "retry": "{who} approved a retry{votes}",
    "rejected": "{who} rejected it",
    "withdrawn": "{who} withdrew it",
    "expired": "expired",
    "tightened": "the policy got stricter: {quorum} approvals needed",
    "held": "on hold{by}",
    "held_back": "not sent: an earlier request for it may have been paid",
    "released": "{who} released it",
    "paid_after_all": "the provider shows a payment",
    "votes_no_longer_count": "not enough approvals any more; still counted: {counted}",
    "capped": "fewer people can approve it: {quorum} approvals needed, with the amount typed",
    "recounted": "an approval no longer counts; still counted: {counted}",
    "suspended": "on hold: the requester may no longer request payments; earlier approvals are void",
    "send": "sent (attempt {nth}), approved by {counted}",
    "may_be_sent": "the database was restored: it may have been sent before, so it needs a decision",
    "approve_again": "the database was restored; needs approval again",
    "send_put_off": "that attempt had no effect; will be sent again",
    "commit_unknown": "not confirmed; won't be resent",
    "observed": "provider status: {status}",
    "chunk_sent": "the provider answered; next part",
    "all_sent": "all sent; checking the outcome of each payment",
    "needs_human": "needs a decision: checking can't tell the outcome",
    "refused": "the provider declined it; nothing was paid",
    "mismatch": "stopped: the provider's record differs from the request",
    "unreadable": "a row could not be read and is left alone",
    "stopped": "stopped after an internal error",
    "tried_again": "{who} had it tried again",
    "closed": "{who} closed it as not paid",
}
"""Action of the audit -> sentence. An action without one is shown by its name."""
TITLE: Final = "Audit log of Switchboard"
LIST: Final = "audit"
FILE: Final = {
    "alt": "Everything that was requested, approved and sent, as a table.",
    "comment": "The audit log as of now.",
}


def story(instruction: Instruction, rows: Sequence[VerifiedRow], *, is_complete: bool = True) -> Content:
    """The audit trail of one request, oldest first. ``is_complete``: False if there are more rows than were read."""
    about = f"{in_full(instruction)}, for “{clean(instruction.payload.description)}”, now {word_of(instruction)}"
    say = partial(_sentence, instruction)
    return told_story(instruction.reference, about, rows, say, is_complete=is_complete)


def history(instruction: Instruction, rows: Sequence[VerifiedRow], *, is_complete: bool = True) -> list[Block]:
    """The blocks of a modal: what happened, who did it, and under which ids it is found."""
    told = _within(lines(instruction, rows), _TIMELINE_CHARACTERS, is_complete=is_complete)
    stands = f"{in_full(instruction)} · {md.capital(word_of(instruction))}"
    ids = (
        ("Provider ID", instruction.remote_id or ""),
        ("Code", instruction.sent_code),
        ("Hash", instruction.svc_hash),
        ("Digest", instruction.digest),
    )
    known = [f"{label} `{md.quote(value.replace('`', ''), 200)}`" for label, value in ids if value]
    return [
        md.section(md.plain(md.shorten(stands, md.SECTION_LIMIT))),
        *md.paragraphs(told),
        md.context("\n".join([instruction.reference, *known])),
    ]


def told_story(
    reference: str, about: str, rows: Sequence[VerifiedRow], say: Callable[[Entry, int], str], *, is_complete: bool
) -> Content:
    """An audit trail under its title, with the proof that it is unaltered."""
    title = f"Audit of {reference}"
    told = _within(told_lines(rows, say), _MOST_CHARACTERS, is_complete=is_complete)
    blocks = [md.header(title), md.section(md.plain(md.shorten(about, md.SECTION_LIMIT))), *md.paragraphs(told)]
    if rows:
        count = md.counted(len(rows), "entry", "entries")
        changed = ":warning: *Not all of them are as they were written. Tell your operator.*"
        proof = f"{count}." if all(row.is_intact for row in rows) else f"{count}. {changed}"
        blocks += [md.context(proof), *actions([csv_button(LIST, reference)])]
    return Content(text="\n".join([f"*{title}*: {md.quote(about)}", *told]), blocks=blocks)


def with_timeline(
    card: Content, instruction: Instruction, rows: Sequence[VerifiedRow], *, is_complete: bool = True
) -> Content:
    told = _within(lines(instruction, rows), _TIMELINE_CHARACTERS, is_complete=is_complete)
    lead = "*History*"
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
            told.append(f"• :warning: *Row {row.seq} was changed after it was written.*")
            continue
        seen[row.entry.action] += 1
        said = say(row.entry, seen[row.entry.action])
        mark = "" if row.is_intact else ":warning: *this row was changed after it was written:* "
        at = row.entry.at  # to the second, in the reader's own time zone
        instant = f"<!date^{int(at.timestamp())}^{{date_short_pretty}} {{time_secs}}|{at:%Y-%m-%d %H:%M:%S} UTC>"
        told.append(f"• {instant}  {mark}{said}")
    return told


def _sentence(instruction: Instruction, entry: Entry, nth: int) -> str:
    before, after = (
        word_in(instruction, State(value)) if value in list(State) else md.quote(value, WORD_LIMIT) or "nothing"
        for value in (entry.before, entry.after)
    )
    moved = f" ({before} → {after})" if entry.before != entry.after else ""
    detail = entry.detail
    counted, quorum = detail.get("counted"), detail.get("quorum")
    names = [person(str(name)) for name in counted] if isinstance(counted, list) else []
    said = str(detail.get("status") or "nothing")
    votes = f" ({len(names)} of {md.quote(str(quorum), WORD_LIMIT)})" if names and quorum is not None else ""
    values = {
        "who": person(entry.actor),
        "what": md.quote(in_full(instruction)),
        "nth": str(nth),
        "votes": votes,
        "by": f", frozen by {person(by)}" if (by := str(detail.get("by") or "")) else "",
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
    return f"{told} Provider's words: “{words}”" if words else told


def person(actor: str) -> str:
    if _USER.fullmatch(actor):
        return md.mention(actor)
    return "Switchboard" if actor == "switchboard" else md.quote(actor, WORD_LIMIT)


def _within(told: list[str], most: int, *, is_complete: bool) -> list[str]:
    """All lines, or the first and the last of them around a mark that says how many are left out."""
    told = told if is_complete else [*told, "… there is more"]
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
    mark = f"… {len(rest)} lines left out …"
    return [*first, mark, *reversed(last)]

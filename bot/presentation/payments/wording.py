"""Wording of requests: the record that each kind of request defines, and phrases shared by several kinds.

Most of it is templates. A template is a text with names of :class:`Stands` or :class:`News` in braces, or a function of
one of them if a text isn't enough. The records are in :mod:`bot.presentation.payments.kinds`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

from bot.domain.content import Block, Content
from bot.domain.money import shown
from bot.domain.payments.bulk import BulkProgress, Tally
from bot.domain.payments.bulk_records import has_failed, has_failures
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.moves import is_on_hold
from bot.domain.payments.operation import read_status
from bot.domain.policy import MOST_REPEATS, Repeat, Requirement
from bot.domain.reasons import Exchange, OfMode, OfRequest, Reason, Verbatim, has_code
from bot.domain.text import clean
from bot.presentation import notices
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button, question
from bot.presentation.reasons import answered, reason_of, worded
from bot.presentation.words import DO_NOT_PAY_AGAIN, NEEDS_PERSON, NOTHING_PAID, UNKNOWN, symbol, word

WITHDRAW: Final = "payout.withdraw"
_ON_HOLD: Final = re.compile(r"\bOn hold(: |, because )")  # already in the title
_ID_LIMIT = 200
_STATUS_LIMIT = 100
_FEW = 5
_OVER = re.compile(r"over \$?([\d,]+)(\.\d\d)?(?: USD)?")


@dataclass(frozen=True, slots=True)
class _Slots:
    """Names for templates about a request: the fields, and ``slots``. All values are mrkdwn."""

    slots: ClassVar[Mapping[str, Callable[[Any], str]]]
    words: "Wording"
    instruction: Instruction

    def __getitem__(self, name: str) -> Any:
        return self.slots[name](self) if name in self.slots else getattr(self, name)

    def say(self, template: str | Callable[[Self], str]) -> str:
        return template(self) if callable(template) else template.format_map(self)


_OF_BOTH: Final[Mapping[str, Callable[[Any], str]]] = {
    "headline": lambda one: md.escape(one.words.headline(one.instruction)),
    "in_full": lambda one: md.escape(one.words.in_full(one.instruction)),
    # The reason for its state, as a sentence.
    "reason": lambda one: reason_of(one.given),
    # The reason with a space before it; empty if there is none.
    "why": lambda one: f" {said}" if (said := reason_of(one.given)) else "",
    # A colon and the words of a person or provider, or a full stop if there are none.
    "words_of": lambda one: _words_of(one.given),
    "declined": lambda one: f"The provider declined it{declined(one.given)}.",
    "nothing": lambda one: one.words.nothing,
}


@dataclass(frozen=True, slots=True)
class Stands(_Slots):
    """A request as it stands now, with how many have approved it."""

    votes: int = 0
    slots: ClassVar[Mapping[str, Callable[["Stands"], str]]] = {
        **_OF_BOTH,
        # How people find it at the provider: by its id there if known, else by an identifier that we gave it.
        "look_up": lambda one: (
            f"`{md.quote(one.instruction.remote_id.replace('`', ''), _ID_LIMIT)}`"
            if one.instruction.remote_id
            else one.say(one.words.look_up)
        ),
        "code": lambda one: f"`{md.quote(one.instruction.sent_code.replace('`', ''), _ID_LIMIT)}`",
        "needs": lambda one: md.escape(policy_line(one.instruction)).removesuffix("."),
        "by": lambda one: md.mention(one.instruction.decided_by) if one.instruction.decided_by else "us",
        # A sentence with the provider's word for an unknown status, with a space before it. No decision depends on it.
        "raw": lambda one: (
            f" The provider calls its status “{md.quote(said, _STATUS_LIMIT)}”."
            if (said := one.instruction.remote_status) and read_status(said) is None
            else ""
        ),
        # The provider's answer if it left the outcome open, as a separate sentence with a space before it.
        "answered": lambda one: (
            "" if one.instruction.refusal or one.instruction.suspect else f" {md.quote(answered(one.given))}".rstrip()
        ),
    }

    @property
    def given(self) -> Reason | None:
        return self.instruction.reason

    @property
    def tally(self) -> Tally:
        return (self.instruction.progress or BulkProgress()).tally

    def unless_refused(self, lost: str) -> str:
        """Describe a call of unknown outcome, by the provider's refusal if there is one, else by ``lost``."""
        if self.instruction.refusal:
            why = declined(self.instruction.refusal)
            lost = f"The provider declined it{why}. We're checking that it didn't go through."
        return f"{lost}{self['answered']}"

    def in_doubt(self, lost: str) -> str:
        """Like :meth:`unless_refused`, for a payment: adds not to pay again, and a suspected record to check."""
        suspect = f" {md.quote_sentence(worded(self.given))}" if self.instruction.suspect else ""
        return f"{self.unless_refused(lost)} *{DO_NOT_PAY_AGAIN}*{suspect}"


@dataclass(frozen=True, slots=True)
class News(_Slots):
    """A request's stored facts at the time of a change that is announced, and the ``names`` of people."""

    facts: Mapping[str, Any]
    names: Mapping[str, str]
    whole: bool = False  # with the address, for readers outside the thread
    slots: ClassVar[Mapping[str, Callable[["News"], str]]] = {
        **_OF_BOTH,
        "what": lambda one: f"{one['in_full' if one.whole else 'headline']} ({one.instruction.reference})",
        "by": lambda one: md.named(str(by), one.names) if (by := one.facts.get("decided_by")) else "us",
        # Whose approvals it was sent with; a sentence with a space before it.
        "approved": lambda one: (
            f" Approved by {', '.join(md.named(str(voter), one.names) for voter in voters)}."
            if (voters := one.facts.get("voters"))
            else ""
        ),
        "checking": lambda one: one.came or "The provider hasn't confirmed it. We're checking.",
    }

    @property
    def state(self) -> State:
        return State(str(self.facts["state"]))

    @property
    def given(self) -> Reason | None:
        return Reason.read(self.facts.get("reason"))

    @property
    def tally(self) -> Tally:
        return Tally.model_validate(self.facts["tally"]) if self.facts.get("tally") else Tally()

    @property
    def came(self) -> str:
        refusal = Reason.read(self.facts.get("refusal"))
        if refusal is None:
            return ""
        return f"The provider declined it{declined(refusal)}. We're checking that it didn't go through."


Sentence = str | Callable[[Stands], str]
Line = str | Callable[[News], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFile:
    """A file for a card's thread. Templates may contain ``reference``, and the counts ``payments`` and ``rows``."""

    title: str
    alt: str = "A table of {payments}"
    comment: str
    header: tuple[str, ...]
    row: Callable[..., Sequence[str]]  # of a BulkRow

    def about(self, instruction: Instruction, *, count: int) -> tuple[str, str, str]:
        slots = {"reference": instruction.reference}
        slots |= {f"{noun}s": md.counted(count, noun) for noun in ("payment", "row")}
        return self.title.format_map(slots), self.alt.format_map(slots), self.comment.format_map(slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Wording of one kind of request, for everything in which kinds differ."""

    noun: str
    headline: Callable[[Instruction], str]  # amount first, then the other party by name; plain text, never shortened
    in_full: Callable[[Instruction], str]  # the headline with the address
    title: Callable[[Instruction], str]  # the headline for the top of the card, with the currency
    nothing: str = NOTHING_PAID  # the effect that an unsent request didn't have
    states: Mapping[State, str] = field(default_factory=dict)  # words of states that differ for this kind
    ended: Callable[[Instruction], str] = lambda _: ""  # the outcome of many payments, which replaces the state's word
    look_up: Sentence = "our code {code}"  # as long as its id there is unknown
    requested: Sentence = "Request sent: {in_full}. {needs} · {instruction.reference}"  # the answer to the requester

    head: Callable[[Instruction, str], list[Block]]  # below the title while it is open; for whom, in mrkdwn
    small: Callable[[Instruction, str], list[str]] = lambda *_: []  # the start of its last line
    facts: Callable[[Instruction, str], list[str]]  # the details in a few words each, once it has ended
    text: Callable[[Instruction, str], list[str]]  # parts of the text for notifications and screen readers
    text_limit: int | None = None  # maximum characters of that text; None if it's never too long
    warnings: Callable[[Instruction], list[str]] = lambda _: []  # problems, shown until people have decided
    buttons: Callable[[Instruction], list[Block]] = lambda _: []  # besides those for a decision and for withdrawing
    look: Callable[[Instruction], list[Block]] = lambda _: []  # buttons for approvers to see more
    menu: Sequence[tuple[str, str]] = ()  # the overflow menu: labels, and the words that a choice sends
    card: Callable[..., Content] | None = None  # the whole card, for a kind without decisions

    sentences: Mapping[State, Sentence]  # explanation of the state on the card, in whole sentences; may be empty
    news: Mapping[State, Line]  # news in the thread
    news_symbol: Callable[[News], str] = lambda told: symbol(told.state)
    news_actions: Callable[[News], list[Block]] = lambda _: []  # buttons with the requester's next steps
    news_content: Callable[[News, str], Content] = lambda _, text: md.message(text)
    topics: Mapping[str, str]  # alerts for the alerts channel

    retry: Sentence = lambda stands: (
        ":warning: *First check the provider's dashboard.* If it was paid there, retrying could pay twice. We check "
        "once more before sending."
        if stands.instruction.commits
        else "The payout couldn't be created, so nothing was paid. Retrying creates it again."
    )
    """Shown to the approver of a new attempt, the only place where a person takes the risk of paying twice."""
    closed_as: str = " as not paid"
    close_title: str = "Close as not paid"
    close_hint: str = "How do you know that it wasn't paid?"
    files: Mapping[str, ThreadFile] = field(default_factory=dict)

    def word(self, instruction: Instruction) -> str:
        """Return the word for its state, or the outcome of many payments, never *paid* if some failed."""
        if has_failed(instruction):
            return word(State.FAILED)
        if is_held(instruction):
            return "on hold"
        return self.ended(instruction) or self.states.get(instruction.state) or word(instruction.state)

    def why(self, instruction: Instruction, *, votes: int) -> str:
        """Return the explanation of its state, in mrkdwn; empty if the word for the state is enough."""
        if instruction.stopped and instruction.state in (State.NEW, State.CREATING):
            return notices.why_stopped(instruction.stopped)
        why = Stands(self, instruction, votes).say(self.sentences.get(instruction.state, "{reason}")).strip()
        return md.capital(_ON_HOLD.sub("", why, count=1)) if is_held(instruction) else why

    def stands(self, instruction: Instruction, *, votes: int) -> str:
        """Return its state in a few words of mrkdwn: *Waiting for approval (1 of 2)*."""
        so_far = f" ({votes} of {instruction.requirement.quorum})" if instruction.state is State.AWAITING else ""
        mark = ":warning:" if has_failures(instruction) else symbol(instruction.state)
        mark = symbol(State.FAILED) if has_failed(instruction) else mark
        return f"{mark} *{md.capital(self.word(instruction))}{so_far}*"

    def sentence(self, instruction: Instruction, *, votes: int) -> str:
        """Return its state with the explanation."""
        why = self.why(instruction, votes=votes)
        return f"{self.stands(instruction, votes=votes)}{f': {why}' if why else ''}"

    def withdraw_button(self, instruction: Instruction) -> Block:
        asked = question(f"Withdraw this {self.noun}?", self.withdrawing(instruction), yes="Withdraw", no="Keep it")
        spoken = f"Withdraw the {self.noun} of {shown(instruction.cents)}"
        return button("Withdraw", WITHDRAW, value_of(instruction), spoken=spoken, confirm=asked)

    def withdrawing(self, instruction: Instruction) -> str:
        """Return the question before it is withdrawn, as plain text."""
        return f"Withdraw this {shown(instruction.cents)} request? You can send it again later."


def is_held(instruction: Instruction) -> bool:
    """Return whether its card is titled *On hold*: nothing can be decided or sent for now."""
    doubted = has_code(instruction.reason, OfRequest.ON_HOLD, OfRequest.FROZEN, OfRequest.HELD)
    return is_on_hold(instruction) or (doubted and instruction.state in (State.AWAITING, State.APPROVED))


def value_of(instruction: Instruction) -> str:
    """Return a button's value: request and round, nothing on which a decision depends."""
    return f"{instruction.id}:{instruction.round}"


def purpose(instruction: Instruction) -> Block:
    said = clean(instruction.payload.description) or "not said"
    return md.section(md.plain(md.shorten(f"For: {said}", md.SECTION_LIMIT)))


def chosen_code(instruction: Instruction) -> list[tuple[str, str]]:
    """Return the code chosen by a person, as a field of the card."""
    code = instruction.payload.code
    return [("Code", f"`{md.quote(code.replace('`', ''), _ID_LIMIT)}`")] if code else []


def policy_line(instruction: Instruction) -> str:
    """Return the number of approvals needed and anything unusual, in one or two sentences of plain text."""
    needs = instruction.requirement
    because = " and ".join(unusual(needs))
    people = md.counted(needs.quorum, "approver" if because else "approval")
    typed = f" {'Each types' if needs.quorum > 1 else 'They type'} the amount." if needs.typed_amount else ""
    everyone = " No one else can approve it." if needs.everyone else ""
    return f"Needs {people}{f' because {because}' if because else ''}.{everyone}{typed}"


def is_unusual(instruction: Instruction) -> bool:
    """Return whether the policy requires more than for an ordinary request."""
    return bool(unusual(instruction.requirement)) or instruction.requirement.typed_amount


def unusual(needs: Requirement) -> list[str]:
    """Return why it needs more than other requests, as clauses of plain text."""
    more = ["it repeats others"] if len(needs.repeats) == MOST_REPEATS else []
    rows = 10 if len(needs.repeats) <= _FEW else 3  # list all requests, even if that leaves less room for rows
    return [*map(_because, needs.reasons), *(_repeats(one, rows) for one in needs.repeats), *more]


def _repeats(one: Repeat, most: int) -> str:
    theirs = f"{md.numbered(one.theirs, len(one.theirs), most)} of {one.reference}" if one.theirs else one.reference
    if not one.rows:
        return f"it repeats {theirs}"
    return f"{md.numbered(one.rows, one.count, most)} {'repeats' if one.count == 1 else 'repeat'} {one.reference}"


def _because(reason: str) -> str:
    """Return the policy's reason as a clause."""
    reason = reason.removesuffix(": one more approver")
    over = _OVER.fullmatch(reason)
    if over is None:
        return reason
    cents = over[2] if over[2] and over[2] != ".00" else ""
    return f"it's over ${int(over[1].replace(',', '')):,}{cents}"


def declined(reason: Reason | None) -> str:
    """Return the provider's reason for declining: its words, or the rejected fields. Follows *declined it*."""
    if reason is None:
        return ""
    if reason.words:
        return f": “{md.quote(reason.words)}”"
    fields: Any = reason.facts["fields"] if reason.code is Exchange.REFUSED else ()
    return f" because of the {' and the '.join(fields)}" if fields else ""


def _words_of(reason: Reason | None) -> str:
    said = clean(worded(reason))
    if not said:
        return "."
    own = has_code(reason, Verbatim.GIVEN)
    return f": “{md.typed(said)}”." if own else f": {md.as_said(md.quote(said))}"


def why_held(instruction: Instruction, reason: Reason | None, names: Mapping[str, str] | None = None) -> str:
    """Explain why and by whom a request is on hold, what helps, and until when; in sentences of mrkdwn.

    Pass ``names`` for a new message, which would notify the people it mentions.
    """
    parts = [reason_of(reason)]
    if reason is not None and has_code(reason, OfRequest.FROZEN):
        by = str(reason.facts["person"])
        if by.startswith(("U", "W")):
            parts.append(f"Frozen by {md.mention(by) if names is None else md.named(by, names)}.")
        if reason.facts["why"] != Reason(OfMode.OLDER):
            parts.append("It's sent once an approver unfreezes payments.")
    if (at := instruction.exec_deadline) is not None:
        parts.append(f"It can be sent until {md.moment(at)}.")
    return " ".join(parts)


def _approved(stands: Stands) -> str:
    one = stands.instruction
    if not is_held(one):
        return str(stands["reason"])
    since = f"Since {md.moment(one.held_at)}: " if one.held_at is not None else ""
    return f"{since}{why_held(one, one.reason)}"


def _expired(why: Reason | None) -> str:
    return reason_of(why) or "Not approved in time."


DECIDED: Final[Mapping[State, Sentence]] = {
    State.AWAITING: "{reason}",
    State.APPROVED: _approved,
    State.REJECTED: "Rejected by {by}{words_of} {nothing}",
    State.WITHDRAWN: "Withdrawn by {by}{words_of} {nothing}",
    State.EXPIRED: lambda stands: f"{_expired(stands.given)} {stands.words.nothing}",
    State.REFUSED: "{declined} {nothing}",
    State.CLOSED: "Closed{words.closed_as} by {by}{words_of}",
}
"""Sentences about decisions and their outcomes, shared by every kind that is approved."""
NEWS: Final[Mapping[State, Line]] = {
    State.COMMIT_UNKNOWN: f"*{md.capital(UNKNOWN)}*: {{what}}. {{checking}} *{DO_NOT_PAY_AGAIN}*",
    State.NEEDS_HUMAN: f"*{md.capital(NEEDS_PERSON)}*: {{what}} couldn't be confirmed.{{why}}",
    State.REJECTED: "*Rejected* by {by}{words_of} {what}. {nothing}",
    State.WITHDRAWN: "*Withdrawn* by {by}{words_of} {what}. {nothing}",
    State.EXPIRED: lambda told: f"*Expired*: {told['what']}. {_expired(told.given)} {told.words.nothing}",
    State.REFUSED: "*Failed*: {what}. {declined} {nothing}",
    State.CLOSED: "*Failed*: {by} closed {what}{words.closed_as}{words_of}",
}
ALERTS: Final[Mapping[str, str]] = {
    "contradiction": "has two conflicting final statuses at the provider.",
    "unconfirmed": "was reported, but the provider's record doesn't confirm it.",
    "unknown_status": "has a status that Switchboard doesn't know. It's still followed.",
    "stuck": "is blocked.",
    "needs_human": "couldn't be confirmed. Retry it or close it on the card.",
    "mismatch": "was stopped: the provider's record isn't what was requested. Switchboard didn't send it.",
    "differs": "differs at the provider from what was approved.",
    "paid_after_close": "was closed as not paid, but the provider shows a payment.",
    "paid_after_end": "ended as not paid, but the provider shows a payment.",
    "paid_elsewhere": "was never sent by Switchboard, but was committed elsewhere.",
    "suspended": "isn't sent.",
    "held_back": "may pay twice, so it isn't sent.",
    "out_of_reach": "can't be approved: there are too few approvers.",
    "within_reach": "can be approved now: there are enough approvers again.",
    "continues": "is no longer held.",
    "disagrees": "is on hold: the database and the audit disagree. Nothing is sent.",
    "unaccounted": "has payments missing from the provider's list. Check the provider's dashboard.",
    "unread": "is done, but the provider's list of payments can't be read. We keep trying.",
    "unexplained": "is done, but the provider's list of failures can't be read. We keep trying.",
    "stands_still": "hasn't changed at the provider for a long time.",
    "undelivered": "has news that couldn't be posted in {channel}: {unusable}.",
    "no_approvals_channel": "can't be shown to the approvers in {channel}: {unusable}.",
}

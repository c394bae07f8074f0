"""What a kind of request says: the record that each kind fills in, and the phrases that several kinds share.

Most of it is templates. A template is a text with names of :class:`Stands` or :class:`News` in braces, or a function of
one of them where a text does not do. The records stand in :mod:`bot.presentation.payments.kinds`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final, Self

from bot.domain.content import Block, Content
from bot.domain.money import shown
from bot.domain.payments.bulk import BulkProgress, Tally
from bot.domain.payments.bulk_records import has_failed, has_failures
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import read_status
from bot.domain.reasons import Reason
from bot.domain.text import clean
from bot.presentation import notices
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button, question
from bot.presentation.reasons import because, because_refused, reason_of, worded
from bot.presentation.words import DO_NOT_PAY_AGAIN, FINISHED, NEEDS_PERSON, NOTHING_PAID, UNKNOWN, symbol, word

WITHDRAW: Final = "payout.withdraw"
_ID_LIMIT = 200
_STATUS_LIMIT = 100
_ABOUT = 150
BEFORE_DECIDING: Final = "Look it up at the service before you decide; a new attempt needs a new approval"


@dataclass(frozen=True, slots=True)
class _Slots:
    """What a template about a request may name: the fields, and ``slots``. All of it is mrkdwn."""

    slots: ClassVar[Mapping[str, Callable[[Any], str]]]
    words: "Wording"
    instruction: Instruction

    def __getitem__(self, name: str) -> Any:
        return self.slots[name](self) if name in self.slots else getattr(self, name)

    def say(self, template: str | Callable[[Self], str]) -> str:
        return template(self) if callable(template) else template.format_map(self)


_OF_BOTH: Final[Mapping[str, Callable[[Any], str]]] = {
    "headline": lambda one: md.escape(one.words.headline(one.instruction)),
    "why": lambda one: because(one.given),
    "why_refused": lambda one: because_refused(one.given),
    "refused": lambda one: (
        f"the service refused it{one.words.agrees if one.instruction.commits else f'. {NOTHING_PAID}'}"
    ),
}


@dataclass(frozen=True, slots=True)
class Stands(_Slots):
    """A request as it stands now, with how many have approved it."""

    votes: int = 0
    slots: ClassVar[Mapping[str, Callable[["Stands"], str]]] = {
        **_OF_BOTH,
        # The service's id where we know it; else what we gave it.
        "look_up": lambda one: (
            f"Provider ID: `{md.quote(one.instruction.remote_id.replace('`', ''), _ID_LIMIT)}`"
            if one.instruction.remote_id
            else one.say(one.words.look_up)
        ),
        "code": lambda one: f"`{md.quote(one.instruction.sent_code.replace('`', ''), _ID_LIMIT)}`",
        "until": lambda one: f", until {md.moment(at)}" if (at := one.instruction.expires_at) else "",
        "needs": lambda one: md.escape(policy_line(one.instruction)),
        "by": lambda one: f"by {md.mention(one.instruction.decided_by)}." if one.instruction.decided_by else "",
        "reason": lambda one: reason_of(one.given),
        "after_colon": lambda one: reason_of(one.given, after_colon=True),
        # The service's own word for an unknown status, with a space before it. No decision depends on it.
        "raw": lambda one: (
            f" The service calls this “{md.quote(said, _STATUS_LIMIT)}”, a status Switchboard does not know."
            if (said := one.instruction.remote_status) and read_status(said) is None
            else ""
        ),
        # What the service said while it left the outcome open; a sentence of its own with a space before it.
        "answered": lambda one: "" if one.instruction.refusal or one.instruction.suspect else _gave(one.given),
    }

    @property
    def given(self) -> Reason | None:
        return self.instruction.reason

    @property
    def tally(self) -> Tally:
        return (self.instruction.progress or BulkProgress()).tally

    def unless_refused(self, lost: str) -> str:
        """Whether something was done is unknown. ``lost``: what is said where no refusal came."""
        if self.instruction.refusal:
            why = because_refused(self.instruction.refusal)
            lost = f"the service refused it.{why} Switchboard is checking that it did not act all the same."
        return f"{lost}{self['answered']}"

    def in_doubt(self, lost: str) -> str:
        """The same of a payment, with what people should look at before anything is known."""
        suspect = f" {md.quote_sentence(worded(self.given))}" if self.instruction.suspect else ""
        return f"{self.unless_refused(lost)} *{DO_NOT_PAY_AGAIN}*{suspect}"


@dataclass(frozen=True, slots=True)
class News(_Slots):
    """What was stored of a request when it came to the state that is told. ``names``: what people are called."""

    facts: Mapping[str, Any]
    names: Mapping[str, str]
    slots: ClassVar[Mapping[str, Callable[["News"], str]]] = {
        **_OF_BOTH,
        "word": lambda one: word(one.state),
        "by": lambda one: md.named(str(by), one.names) if (by := one.facts.get("decided_by")) else "",
        # Whose approvals it was sent with; a sentence with a space before it.
        "approved": lambda one: (
            f" Approved by {', '.join(md.named(str(voter), one.names) for voter in voters)}."
            if (voters := one.facts.get("voters"))
            else ""
        ),
        "reason": lambda one: md.quote_sentence(worded(one.given)),
        "proof": lambda one: (
            f" Hash `{md.quote(str(found).replace('`', ''), 200)}`." if (found := one.facts.get("svc_hash")) else ""
        ),
        "sent": lambda one: f"was sent, but its outcome is *{UNKNOWN}*.{one.came} Switchboard is finding out.",
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
        return f" The service answered with a refusal.{because_refused(refusal)}" if refusal else _gave(self.given)


Sentence = str | Callable[[Stands], str]
Line = str | Callable[[News], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFile:
    """A file for the thread of a card. Templates may name ``reference`` and ``payments``, which counts them."""

    title: str
    alt: str = "A table of {payments}"
    comment: str
    header: tuple[str, ...]
    row: Callable[..., Sequence[str]]  # of a BulkRow; of the accounts, with its look-up

    def about(self, instruction: Instruction, *, count: int) -> tuple[str, str, str]:
        slots = {"reference": instruction.reference, "payments": md.counted(count, "payment")}
        slots["all"] = "The payment with its" if count == 1 else f"All {slots['payments']} with their"
        return self.title.format_map(slots), self.alt.format_map(slots), self.comment.format_map(slots)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """What one kind of request says, wherever the kinds differ."""

    noun: str
    headline: Callable[[Instruction], str]  # amount first; plain text, never shortened
    nothing: str = NOTHING_PAID  # which effect a request that was not sent did not have
    agrees: str = "; its record says it is not paid."  # what agrees with the service's refusal of what was sent
    look_up: Sentence = "Our code at the service: {code}"  # as long as we do not know its id there
    requested: Sentence = "Request sent: {headline}. {needs} · {instruction.reference}"  # the answer to who asked

    head: Callable[[Instruction, str], list[Block]]  # the card above the sentence of the state; for whom, in mrkdwn
    text: Callable[[Instruction, str], list[str]]  # the same as parts of the text for notifications and screen readers
    text_limit: int | None = None  # characters of that text; None: it is never too long
    buttons: Callable[[Instruction], list[Block]] = lambda _: []  # besides those for a decision and for withdrawing
    card: Callable[..., Content] | None = None  # the whole card, of a kind that nobody decides on

    sentences: Mapping[State, Sentence]  # after the word of the state on the card; of other states the reason alone
    news_lead: Line = "{headline} ({instruction.reference})"
    news: Mapping[State, Line]  # what follows that in the thread
    news_symbol: Callable[[News], str] = lambda told: symbol(told.state)
    news_content: Callable[[News, str], Content] = lambda _, text: md.message(text)
    topics: Mapping[str, str]  # what the alerts channel hears

    retry: Sentence = lambda stands: (
        f":warning: *Look this {stands.words.noun} up at the service first.* If it was paid there, a new attempt may "
        "pay it again. Switchboard reads it once more before it sends anything."
        if stands.instruction.commits
        else "The payout could not be created, so nothing was paid. A new attempt creates it again."
    )
    """For who approves a new attempt: the one place where a person takes the risk of paying twice."""
    closed_as: str = " as not paid"
    close_title: str = "Close as not paid"
    close_hint: str = "How do you know that it was not paid?"
    files: Mapping[str, ThreadFile] = field(default_factory=dict)

    def sentence(self, instruction: Instruction, *, votes: int) -> str:
        state = instruction.state
        if instruction.stopped and state in (State.NEW, State.CREATING):
            return notices.UNPREPARED
        rest = Stands(self, instruction, votes).say(self.sentences.get(state, "{reason}")).strip()
        if has_failed(instruction):
            return f":x: *{word(State.FAILED)}*: {rest}"
        if has_failures(instruction):
            return f":warning: *{FINISHED}*: {rest}"
        return f"{symbol(state)} *{word(state)}*{'' if rest.startswith('by ') else ':'} {rest}".strip()

    def withdraw_button(self, instruction: Instruction) -> Block:
        text = (
            f"{md.shorten(self.headline(instruction), _ABOUT)}. This cannot be undone. If somebody else asked for it, "
            "a form asks you for the reason."
        )
        asked = question(f"Withdraw this {self.noun}?", text, yes="Withdraw", no="Leave it")
        spoken = f"Withdraw the {self.noun} of {shown(instruction.cents)}"
        return button("Withdraw", WITHDRAW, value_of(instruction), spoken=spoken, confirm=asked)


def value_of(instruction: Instruction) -> str:
    """What a button carries: which request and which round, nothing that decides anything."""
    return f"{instruction.id}:{instruction.round}"


def purpose(instruction: Instruction) -> Block:
    said = clean(instruction.payload.description) or "not said"
    return md.section(md.plain(md.shorten(f"For: {said}", md.SECTION_LIMIT)))


def chosen_code(instruction: Instruction) -> list[tuple[str, str]]:
    """The code that a person chose, as a field of the card."""
    code = instruction.payload.code
    return [("Code", f"`{md.quote(code.replace('`', ''), _ID_LIMIT)}`")] if code else []


def policy_line(instruction: Instruction) -> str:
    needs = instruction.requirement
    people = md.counted(needs.quorum, "approval")
    why = f" ({'; '.join(needs.reasons)})" if needs.reasons else ""
    typed = ", typing the amount" if needs.typed_amount else ""
    return f"Needs {people} besides the requester{typed}{why}"


def _gave(reason: Reason | None) -> str:
    if reason is None or not reason.quotes_answer:
        return ""
    return f" The service gave {md.as_said(md.quote(worded(reason)))}"


DECIDED: Final[Mapping[State, Sentence]] = {
    State.AWAITING: "{votes} of {instruction.requirement.quorum}{until}. {reason}",
    State.APPROVED: "not sent yet. {reason}",
    State.OPEN: "the service waits for the buyer.",
    State.REJECTED: "{by}{why} {words.nothing}",
    State.WITHDRAWN: "{by}{why} {words.nothing}",
    State.EXPIRED: lambda stands: f"{stands['after_colon'] or 'nobody decided in time.'} {stands.words.nothing}",
    State.REFUSED: "{refused}{why_refused}",
    State.CLOSED: "closed{words.closed_as} {by}{why}",
}
"""Sentences of what people decide, and of what follows: the same for every kind that is approved."""
NEWS: Final[Mapping[State, Line]] = {
    State.COMMIT_UNKNOWN: f"{{sent}} {DO_NOT_PAY_AGAIN}",
    State.NEEDS_HUMAN: f"*{NEEDS_PERSON}*: its outcome is *{UNKNOWN}*.{{why}}",
    State.REJECTED: "was *{word}* by {by}.{why} {words.nothing}",
    State.WITHDRAWN: "was *{word}* by {by}.{why} {words.nothing}",
    State.EXPIRED: "has *expired*. {words.nothing}{why}",
    State.REFUSED: "has *failed*: {refused}{why_refused}",
    State.CLOSED: "has *failed*: {by} closed it{words.closed_as}.{why}",
}
ALERTS: Final[Mapping[str, str]] = {
    "contradiction": "the service contradicts what it said before.",
    "unconfirmed": "was reported, not confirmed.",
    "unknown_status": "has a status at the service that Switchboard does not know; it goes on being followed.",
    "stuck": "cannot go on.",
    "needs_human": f"{NEEDS_PERSON}: its outcome is {UNKNOWN}. Look it up at the service, then decide on the card.",
    "mismatch": "was stopped: the service's record is not what was asked for. Switchboard did not send it.",
    "differs": "the service's record of it differs from what was approved.",
    "paid_after_close": "was closed as not paid, but the service shows a payment.",
    "paid_after_end": "had ended as not paid, but the service shows a payment.",
    "paid_elsewhere": "was never sent by Switchboard, but was committed elsewhere.",
    "suspended": "is not sent.",
    "out_of_reach": "cannot be approved by the people there are.",
    "disagrees": "is on hold: the database holds what the audit does not. Nothing is sent. The operator has to look.",
    "unaccounted": "is not accounted for by the service's own list. Look it up at the service.",
    "unread": "is over at the service, but its list of payments cannot be read. Switchboard goes on asking for it.",
    "unexplained": "is over at the service, but its list of failures cannot be read. Switchboard keeps asking for it.",
    "stands_still": "does not move at the service.",
    "undelivered": "its outcome could not be posted in {channel}. Invite me there: `/invite @Switchboard`",
    "no_approvals_channel": "cannot be shown to the approvers in {channel}. Invite me there: `/invite @Switchboard`",
}

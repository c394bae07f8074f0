"""Messages in the thread of a card, and in the alerts channel. A message says what was observed, and who decided."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.domain.content import Content
from bot.domain.payments.bulk_state import is_many
from bot.domain.payments.instruction import Instruction, Kind, State, Vote
from bot.domain.policy import Short
from bot.domain.reasons import Reason
from bot.presentation import notices
from bot.presentation.blocks.text import (
    addressed,
    as_said,
    channel,
    escape,
    mention,
    mentions,
    message,
    moment,
    named,
    quote,
    sentence_of,
    typed,
)
from bot.presentation.notices import runbook
from bot.presentation.payments import bulk_cards as bulk
from bot.presentation.payments import purchases, states
from bot.presentation.payments.bulk_words import look_up
from bot.presentation.payments.states import approved_by, became, because_of, headline
from bot.presentation.reasons import in_words, short_of_people, worded
from bot.presentation.unread import hint
from bot.presentation.words import NEEDS_PERSON, TOPICS, UNKNOWN, noun, symbol

_TOPICS = {
    **TOPICS,
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
    "stands_still": "does not move at the service.",
    "undelivered": "its outcome could not be posted in {channel}. Invite me there: `/invite @Switchboard`",
    "no_approvals_channel": "cannot be shown to the approvers in {channel}. Invite me there: `/invite @Switchboard`",
}
_TOPICS_OF_PURCHASES = {
    **_TOPICS,
    "needs_human": f"{NEEDS_PERSON}: whether the service opened it is {UNKNOWN}. Look it up there.",
    "mismatch": "was stopped: the service's record is not what was asked for. Its link was not given out.",
    "differs": "the service's record of it differs from what was asked for.",
    "paid_elsewhere": "was paid, although its link was not given out.",
}
_SAID_BY_SLACK = frozenset({"undelivered", "no_approvals_channel"})
"""Topics whose reason is an error code of Slack."""


def news(instruction: Instruction, facts: Mapping[str, Any], *, names: Mapping[str, str] | None = None) -> Content:
    """News of a request, for the thread of a copy of its card.

    A new message rings whom it mentions. That is the requester; those who have decided are named (``names``: what
    people are called).
    """
    known = names or {}
    if is_many(instruction):
        return bulk.news(instruction, facts, names=known)
    told = purchases.told if instruction.kind is Kind.PURCHASE else _told
    text = (
        f"{symbol(State(str(facts['state'])))} {mention(instruction.requester)} {escape(headline(instruction))} "
        f"({instruction.reference}) {told(instruction, facts, known)}"
    )
    return message(text)


def reminder(
    instruction: Instruction, votes: Sequence[Vote], facts: Mapping[str, Any], *, names: Mapping[str, str] | None = None
) -> Content:
    """The approvers are asked again, in the thread of the card."""
    missing = max(1, instruction.requirement.quorum - len(votes))
    people = "one more approval" if missing == 1 else f"{missing} more approvals"
    until = f", until {moment(instruction.expires_at)}" if instruction.expires_at else ""
    asked = " ".join(addressed(str(name)) for name in facts.get("approvers", []))
    text = (
        f":bell: {asked} {escape(headline(instruction))} ({instruction.reference}), asked by "
        f"{named(instruction.requester, names or {})}, still needs {people}{until}."
    )
    return message(text)


def out_of_reach(instruction: Instruction, facts: Mapping[str, Any]) -> Content:
    """The requester is told that there are too few people to approve it."""
    why = short_of_people(Short(needs=int(facts["needs"]), can=int(facts["can"])))
    text = (
        f":warning: {mention(instruction.requester)} {escape(headline(instruction))} ({instruction.reference}): "
        f"{why}. The admins were told. You can withdraw it."
    )
    return message(text)


def notice(facts: Mapping[str, Any]) -> Content:
    """A notice that is about no single request."""
    if facts["topic"] == "undelivered":
        where = f" in {channel(str(facts['channel']))}" if facts["channel"] else ""
        text = (
            f":rotating_light: A message could not be posted{where}: {_slack_says(in_words(facts['reason']))} "
            "Invite the app there, or ask an admin whether it may post."
        )
    elif facts["topic"] == "denied":
        said = sentence_of(quote(in_words(facts["reason"])))
        text = f":rotating_light: Slack {said[:1].lower()}{said[1:]} Until then nobody it concerns can ask or decide."
    elif facts["topic"] in notices.CLOCKS:
        text = notices.of_clocks(facts)
    elif facts["topic"] == "not_drawn":
        text = (
            f":rotating_light: *A message in {channel(str(facts['channel']))} shows an older state*: an internal error "
            "keeps it from being drawn anew. Ask Switchboard for the newest state. The operator finds the cause in the "
            f"log under `{facts['number']}`."
        )
    elif facts["topic"] in notices.STOPPED:
        return notices.of_stopped(facts)
    elif facts["topic"] == "frozen":
        text = (
            f":snowflake: *Payments are frozen* by {mention(str(facts['by']))}: "
            f"{as_said(typed(str(facts['reason'])))}\n"
            f"Nothing is sent until approvers lift it with `{facts.get('command', '/pay')} unfreeze`."
        )
    elif facts["topic"] in notices.SILENCE:
        text = notices.of_silence(facts)
    elif facts["topic"] in notices.DISK:
        text = notices.of_disk(facts)
    elif facts["topic"] in notices.RECOVERY:
        text = notices.of_recovery(facts)
    else:
        text = f":sunny: *Payments flow again*, decided by {mentions([str(person) for person in facts['by']])}."
    return message(text + runbook(str(facts["topic"])))


def alert(
    instruction: Instruction,
    facts: Mapping[str, Any],
    *,
    names: Mapping[str, str] | None = None,
    link: str = "",
    approvers: Sequence[str] = (),
    admins: Sequence[str] = (),
) -> Content:
    """An alert: a person must look at the request.

    Args:
        instruction: the request.
        facts: the topic, and what goes with it.
        names: what people are called.
        link: to its card, where it is decided.
        approvers: of the policy, called where they have to decide.
        admins: of the policy, called where too few people can decide.
    """
    topic = str(facts["topic"])
    where = channel(str(facts["channel"])) if facts.get("channel") else "its channel"
    topics = _TOPICS_OF_PURCHASES if instruction.kind is Kind.PURCHASE else _TOPICS
    found = Reason.read(facts.get("reason"))
    why = worded(found)
    said = _slack_says(why) if topic in _SAID_BY_SLACK else f"{sentence_of(quote(why))}{hint(found)}"
    reason = f"\n{said}" if why else ""
    text = (
        f":rotating_light: {noun(instruction).capitalize()} {instruction.reference}, "
        f"{escape(headline(instruction))}, asked by {named(instruction.requester, names or {})}: "
        f"{topics[topic].replace('{channel}', where)}{reason}{_to_look_at(instruction, link)}"
        f"{_to_decide(topic, instruction, approvers)}{_to_add(topic, admins)}{runbook(topic)}"
    )
    return message(text)


def _slack_says(code: str) -> str:
    return f"Slack says `{quote(code.replace('`', ''))}`."


def _to_look_at(instruction: Instruction, link: str) -> str:
    """Where to look: at the service by its id or our code, and on the card."""
    card_there = f" · <{link}|The card>" if link else ""
    return f"\n{look_up(instruction)}{card_there}"


def _to_decide(topic: str, instruction: Instruction, approvers: Sequence[str]) -> str:
    able = [addressed(one) for one in approvers if one != instruction.requester]
    decides = topic == "needs_human" and instruction.kind is not Kind.PURCHASE
    return f"\nTo decide: {' '.join(able)}" if decides and able else ""


def _to_add(topic: str, admins: Sequence[str]) -> str:
    if topic != "out_of_reach":
        return ""
    called = f"{' '.join(addressed(one) for one in admins)} " if admins else ""
    return f"\n{called}Add somebody to the approvers, or have it withdrawn."


def _told(  # noqa: PLR0911 - one arm a state
    instruction: Instruction, facts: Mapping[str, Any], names: Mapping[str, str]
) -> str:
    approved, because = approved_by(facts, names), because_of(facts)
    match State(str(facts["state"])):
        case State.COMPLETED:
            proof = f" Hash `{quote(str(facts['svc_hash']).replace('`', ''), 200)}`." if facts.get("svc_hash") else ""
            return f"is *completed*: the service confirms that the recipient was credited.{approved}{proof}"
        case State.CANCELED:
            return f"was *canceled* by the service; the money went back.{approved}"
        case State.FAILED:
            return f"*failed* at the service.{because}{approved}"
        case State.PENDING_ESCROW:
            return f"is in escrow: the service holds the money until the recipient has signed up.{approved}"
        case State.NEW:
            return f"was not sent to the approvers yet. {states.question(instruction)} Decide on the card."
        case State.MISMATCH:
            return f"has *failed*: not sent, because the service's record is not what was asked for.{because}"
        case _:
            return became(instruction, facts, names)

"""Messages in the thread of a card, and in the alerts channel. A message says what was observed, and who decided."""

from collections.abc import Mapping, Sequence
from typing import Any

from bot.domain.content import Content
from bot.domain.payments.instruction import Instruction, Vote
from bot.domain.payments.moves import APPROVED
from bot.domain.policy import Short
from bot.domain.reasons import Reason
from bot.presentation import notices
from bot.presentation.blocks.text import (
    addressed,
    as_said,
    capital,
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
from bot.presentation.payments.kinds import KINDS, headline
from bot.presentation.payments.wording import News, Stands
from bot.presentation.reasons import in_words, short_of_people, worded
from bot.presentation.unread import hint

_SAID_BY_SLACK = frozenset({"undelivered", "no_approvals_channel"})
"""Topics whose reason is an error code of Slack."""


def news(instruction: Instruction, facts: Mapping[str, Any], *, names: Mapping[str, str] | None = None) -> Content:
    """News of a request, for the thread of a copy of its card.

    A new message rings whom it mentions. That is the requester; those who have decided are named (``names``: what
    people are called).
    """
    words = KINDS[instruction.kind]
    told = News(words, instruction, facts, names or {})
    said = told.say(words.news.get(told.state, "is *{word}*.{why}"))
    text = f"{words.news_symbol(told)} {mention(instruction.requester)} {told.say(words.news_lead)} {said}"
    return words.news_content(told, text.rstrip())


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
    words, topic = KINDS[instruction.kind], str(facts["topic"])
    where = channel(str(facts["channel"])) if facts.get("channel") else "its channel"
    found = Reason.read(facts.get("reason"))
    why = worded(found)
    said = _slack_says(why) if topic in _SAID_BY_SLACK else f"{sentence_of(quote(why))}{hint(found)}"
    lines = [
        f":rotating_light: {capital(words.noun)} {instruction.reference}, {escape(headline(instruction))}, asked by "
        f"{named(instruction.requester, names or {})}: {words.topics[topic].replace('{channel}', where)}",
        *([said] if why else []),
        f"{Stands(words, instruction).look_up}{f' · <{link}|The card>' if link else ''}",
    ]
    able = [addressed(one) for one in approvers if one != instruction.requester]
    if topic == "needs_human" and instruction.kind in APPROVED and able:
        lines.append(f"To decide: {' '.join(able)}")
    if topic == "out_of_reach":
        called = [addressed(one) for one in admins]
        lines.append(" ".join([*called, "Add somebody to the approvers, or have it withdrawn."]))
    return message("\n".join(lines) + runbook(topic))


def _slack_says(code: str) -> str:
    return f"Slack says `{quote(code.replace('`', ''))}`."

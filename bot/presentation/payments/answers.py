"""Answers to one person about requests: asked for, recorded, decided already, waiting."""

from collections.abc import Sequence

from bot.domain.approvals import No, Refusal
from bot.domain.content import Block, Content
from bot.domain.overview import Waiting
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State, Vote
from bot.domain.visible import clean
from bot.presentation import answers
from bot.presentation.blocks.text import (
    channel,
    context,
    escape,
    mention,
    mentions,
    message,
    moment,
    mrkdwn,
    plain,
    section,
    shorten,
    spoken,
    typed,
)
from bot.presentation.payments import purchases
from bot.presentation.payments.cards import card, policy_line
from bot.presentation.payments.states import headline, word_of
from bot.presentation.words import nothing, word

_LISTED = 15

_PURPOSE = 150


def requested(instruction: Instruction, *, member: bool) -> Content:
    """The request is stored; nothing was sent to anybody yet. ``member``: the bot can post where it was asked for."""
    return message(
        f":memo: Asked for {escape(headline(instruction))}, reference {instruction.reference}. "
        f"{escape(policy_line(instruction))}. {_where_to_hear(instruction, member=member)}"
    )


def collecting(instruction: Instruction, *, member: bool) -> Content:
    """The same for a purchase."""
    return message(
        f":memo: Asking for {escape(headline(instruction))}, reference {instruction.reference}. The checkout link "
        f"follows in a moment. {_where_to_hear(instruction, member=member)}"
    )


def _where_to_hear(instruction: Instruction, *, member: bool) -> str:
    if member:
        return "The outcome will be posted here."
    if instruction.origin_channel.startswith("D"):
        return "I am not part of this conversation, so I will send you the outcome in a direct message."
    return (
        f"\n*channel*: I can only post where I am a member, and I am not in {channel(instruction.origin_channel)}, so "
        "I will send you the outcome of this one in a direct message. "
        "To have the next one there, invite me: `/invite @Switchboard`"
    )


def refused(refusal: No | Refusal, instruction: Instruction) -> Content:
    """Why a click or command about a request had no effect; names who was first when somebody was."""
    if refusal is Refusal.DECIDED:
        return message(f":information_source: {decided_already(instruction)}")
    told = answers.refused(refusal)
    if refusal is Refusal.EXPIRED:
        return message(f"{told.text} {nothing(instruction)}")
    if refusal not in (Refusal.TOO_LATE, Refusal.STALE):
        return told
    return message(f"{told.text} Its status: *{word_of(instruction)}*.")


def decided_already(instruction: Instruction) -> str:
    """Says that the request has been decided already, by whom and when."""
    by = f"{_deed(instruction.state)} by {mention(instruction.decided_by)}" if instruction.decided_by else ""
    at = f" at {moment(instruction.closed_at)}" if instruction.closed_at else ""
    final = "already " if instruction.state in FINAL else "now "
    return f"{escape(headline(instruction))} ({instruction.reference}) is {final}*{word_of(instruction)}*{by}{at}."


def _deed(state: State) -> str:
    """People bring a request to some states; to the others the service does, after people approved."""
    return "" if state in (State.APPROVED, State.REJECTED, State.WITHDRAWN, State.CLOSED) else ", approved"


def recorded(instruction: Instruction, votes: int) -> Content:
    """The vote is recorded. This message is never edited, so it says nothing that will change."""
    enough = instruction.requirement.quorum
    return message(
        f":ballot_box_with_check: Your approval is recorded: {min(votes, enough)} of {enough}. "
        "The card shows how it goes on."
    )


def shown_to(instruction: Instruction, votes: Sequence[Vote], *, approvals_channel: str, link: str = "") -> Content:
    """The current card of one request, without decision buttons; ``link``: the checkout address of a purchase."""
    if instruction.kind is Kind.PURCHASE:
        return purchases.card(instruction, link=link, buttons=False)
    return card(instruction, votes, for_approvers=True, approvals_channel=approvals_channel, buttons=False)


def waiting(found: Sequence[Waiting], *, approvals_channel: str) -> Content:
    """What waits for approval, the reader's own decisions first."""
    if not found:
        return message(":tada: Nothing waits for approval.")
    mine = sum(1 for one in found if one.mine)
    lead = f"*{len(found)} waiting for approval*, {mine} of them for you. Decide in {channel(approvals_channel)}."
    lines = [waiting_line(one) for one in found[:_LISTED]]
    blocks: list[Block] = [section(mrkdwn(lead))]
    texts = [lead]
    for one, line in zip(found[:_LISTED], lines, strict=True):
        purpose = one.instruction.payload.description
        blocks += [
            section(mrkdwn(line)),
            {"type": "context", "elements": [plain(f"For: {shorten(clean(purpose), _PURPOSE)}")]},
        ]
        texts.append(f"{line} · For: {typed(purpose, _PURPOSE)}")
    if len(found) > _LISTED:
        more = f"and {len(found) - _LISTED} more"
        blocks.append(context(more))
        texts.append(more)
    return Content(text=spoken(texts), blocks=blocks)


def waiting_line(one: Waiting) -> str:
    """A request that waits, on one line of mrkdwn."""
    instruction = one.instruction
    until = f" · until {moment(instruction.expires_at)}" if instruction.expires_at else ""
    voted = [vote.person for vote in one.votes]
    votes = f" · approved by {mentions(voted)}" if voted else ""
    mark = ":point_right:" if one.mine else ":hourglass_flowing_sand:"
    return (
        f"{mark} *{escape(headline(instruction))}* · {instruction.reference} · asked by "
        f"{mention(instruction.requester)} · {word(instruction.state)}: {len(voted)} of "
        f"{instruction.requirement.quorum}{votes}{until}"
    )

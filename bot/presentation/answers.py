"""What one person is told about what they did: for their eyes only, never silence."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.approvals import No, Refusal
from bot.domain.content import Block, Content
from bot.domain.payments.instruction import FINAL, Instruction, Kind, State, Vote
from bot.presentation.blocks.text import (
    channel,
    context,
    escape,
    mention,
    mentions,
    moment,
    mrkdwn,
    plain,
    quote,
    section,
    shorten,
    spoken,
)
from bot.presentation.payments import purchases
from bot.presentation.payments.cards import card, policy_line
from bot.presentation.payments.states import headline, word, word_of

_LISTED = 15
_PURPOSE = 150

_REFUSED: dict[No | Refusal, str] = {
    No.UNKNOWN: "Slack does not know who you are here, so this has no effect.",
    No.ELSEWHERE: "Only members of this workspace can do this; you belong to another one.",
    No.GUEST: "Guests cannot do this. Ask a full member of the workspace.",
    No.BOT: "Bots cannot do this.",
    No.GONE: "Your account is deactivated, so this has no effect.",
    No.NOT_REQUESTER: (
        "*requester*: only people whom the policy names may ask for payments, and you are not among them. "
        'The operator can add you there, for example `requesters = ["S0FINANCE"]`.'
    ),
    No.NOT_APPROVER: "You are not among the approvers of the policy, so your decision does not count.",
    No.OWN_REQUEST: "You asked for this yourself, so somebody else has to decide.",
    No.NO_ROLE: (
        "Only people whom the policy names as requesters, approvers or admins may look at payments, and you are not "
        "among them. The operator can add you there."
    ),
    No.NOT_IN_CHARGE: "Only approvers and admins of the policy may see this, and you are not among them.",
    No.MAY_NOT_FREEZE: "Only approvers and admins of the policy may freeze payments, and you are not among them.",
    No.MAY_NOT_UNFREEZE: "Only approvers of the policy may let payments flow again, and you are not among them.",
    No.NOT_ADMIN: "Only admins of the policy may do this, and you are not among them.",
    Refusal.STALE: "This button is out of date; the request has changed since. Look at its card again.",
    Refusal.EXPIRED: "This request has expired; nothing was paid. It has to be asked for again.",
    Refusal.REPEATED: "Your approval is recorded already; each person counts once.",
    Refusal.NOT_YOURS: "Only the person who asked, or an admin, can withdraw this.",
    Refusal.NO_REASON: "You did not ask for this yourself, so withdrawing it needs a reason.",
    Refusal.TOO_LATE: "It is too late to withdraw this.",
    Refusal.TOO_EARLY: "It cannot be withdrawn while it is being created. Try again when it waits for approval.",
    Refusal.HELD: "Your approval is not recorded: who asked may not ask any more. The card says what can be done.",
    Refusal.SUSPECT: (
        "The service holds what may be this payment; the card names it. Look there first. As long as it stands nothing "
        "is sent again: if it is another one, close this as not paid and ask anew."
    ),
    Refusal.WRONG_AMOUNT: "This is not the amount on the card.",
}


@dataclass(frozen=True, slots=True)
class Waiting:
    """A request that waits, with the votes of its round and whether the reader could decide on it."""

    instruction: Instruction
    votes: Sequence[Vote]
    mine: bool


def private(text: str) -> Content:
    """A sentence for one person; foreign parts must have been escaped."""
    return Content(text=text, blocks=[section(mrkdwn(text))])


def requested(instruction: Instruction, *, member: bool) -> Content:
    """The request is stored; nothing was sent to anybody yet. ``member``: the bot can post where it was asked for."""
    return private(
        f":memo: Asked for {escape(headline(instruction))}, reference {instruction.reference}. "
        f"{escape(policy_line(instruction))}. {_where_to_hear(instruction, member=member)}"
    )


def collecting(instruction: Instruction, *, member: bool) -> Content:
    """The same for a purchase."""
    return private(
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


def refused(refusal: No | Refusal, instruction: Instruction | None = None) -> Content:
    """Why a click or command had no effect; names who was first when somebody was."""
    if refusal is Refusal.DECIDED and instruction is not None:
        return private(f":information_source: {decided_already(instruction)}")
    text = _REFUSED[refusal]
    if refusal in (Refusal.TOO_LATE, Refusal.STALE) and instruction is not None:
        text += f" Its status: *{word_of(instruction)}*."
    return private(f":no_entry_sign: {text}")


def decided_already(instruction: Instruction) -> str:
    """Who was first, and when."""
    by = f"{_deed(instruction.state)} by {mention(instruction.decided_by)}" if instruction.decided_by else ""
    at = f" at {moment(instruction.closed_at)}" if instruction.closed_at else ""
    final = "already " if instruction.state in FINAL else "now "
    return f"{escape(headline(instruction))} ({instruction.reference}) is {final}*{word_of(instruction)}*{by}{at}."


def _deed(state: State) -> str:
    """People bring a request to some states; to the others the service does, after people approved."""
    return "" if state in (State.APPROVED, State.REJECTED, State.WITHDRAWN, State.CLOSED) else ", approved"


def recorded(instruction: Instruction, votes: int) -> Content:
    """A vote. This message stays as it is, so it says nothing that will stop being true."""
    enough = instruction.requirement.quorum
    return private(
        f":ballot_box_with_check: Your approval is recorded, the {_nth(min(votes, enough))} of {enough}. "
        "The card shows how it goes on."
    )


def _nth(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")


def shown_to(instruction: Instruction, votes: Sequence[Vote], *, approvals_channel: str, link: str = "") -> Content:
    """One request as it stands, without buttons to decide with; ``link`` is where the buyer of a purchase pays."""
    if instruction.kind is Kind.PURCHASE:
        return purchases.card(instruction, link=link, buttons=False)
    return card(instruction, votes, for_approvers=True, approvals_channel=approvals_channel, buttons=False)


def waiting(found: Sequence[Waiting], *, approvals_channel: str) -> Content:
    """What waits for approval, the reader's own decisions first."""
    if not found:
        return private(":tada: Nothing waits for approval.")
    mine = sum(1 for one in found if one.mine)
    lead = f"*{len(found)} waiting for approval*, {mine} of them for you. Decide in {channel(approvals_channel)}."
    lines = [waiting_line(one) for one in found[:_LISTED]]
    blocks: list[Block] = [section(mrkdwn(lead))]
    texts = [lead]
    for one, line in zip(found[:_LISTED], lines, strict=True):
        purpose = shorten(one.instruction.payload.description, _PURPOSE)
        blocks += [section(mrkdwn(line)), {"type": "context", "elements": [plain(f"For: {purpose}")]}]
        texts.append(f"{line} · For: {escape(purpose)}")
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
        f"{mention(instruction.requester)} · {word(instruction.state)} {len(voted)} of "
        f"{instruction.requirement.quorum}{votes}{until}"
    )


def not_configured(service: str, missing: Sequence[str]) -> Content:
    """The service's settings are missing; everything else works."""
    names = ", ".join(f"`{name}`" for name in missing)
    return private(f":electric_plug: The {service} service is not configured. The operator has to set {names}.")


def storage_full() -> Content:
    """Nothing can be stored, so nothing is begun."""
    return trouble(
        "Switchboard cannot store anything new now: its disk is full. The operator has been told. Nothing was started; "
        "please try again later."
    )


def try_again(what: str) -> Content:
    """Nothing was recorded, and the person is the one who can repeat it."""
    return private(f":warning: {what} Nothing was recorded. Please try again in a moment.")


def not_shared(reason: str) -> Content:
    """Slack did not take a file."""
    return try_again(f"The file could not be shared ({reason}).")


def too_many(wait: float) -> Content:
    """Somebody asks for more than one person may at a time; ``wait`` is the seconds until they may again."""
    seconds = max(round(wait + 0.5), 1)
    return private(
        f":hourglass: You have asked for very much in a short time, so this was not done. Try again in {seconds} s; "
        "what you asked for before goes on."
    )


def asking(service: str) -> Content:
    """A service is asked and has not answered yet."""
    return private(f":hourglass_flowing_sand: Asking the {service} service…")


def trouble(said: str) -> Content:
    """One sentence about what went wrong; nothing was changed by it."""
    return private(f":warning: {quote(said)}")


def interrupted() -> Content:
    """The process stops before a service has answered."""
    return private(":arrows_counterclockwise: Switchboard is being restarted and has no answer yet. Please ask again.")


def uncertain(command: str) -> Content:
    """The database did not say whether it stored what was asked."""
    return private(
        ":grey_question: The database did not say whether this was recorded. Look at the card or at "
        f"`{command} approvals` before you repeat it."
    )


def slow(command: str) -> Content:
    """Slack waits three seconds and this took longer; it may still happen."""
    return private(
        ":snail: This takes longer than Slack waits. It may still happen: look at the card or at "
        f"`{command} approvals` before you repeat it."
    )


def broken(error_id: str) -> Content:
    """Something that is our fault; the id finds it in the logs."""
    return private(
        f":boom: Something went wrong on our side. Nothing more will happen by itself. If it stays like this, "
        f"tell your operator this number: `{error_id}`"
    )


def unknown_command(command: str) -> Content:
    """A command that Slack sent us and nobody here knows."""
    return private(f":question: `{escape(command)}` is not a command of Switchboard.")

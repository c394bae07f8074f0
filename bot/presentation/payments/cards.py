"""The card of a request: the same facts for everybody, buttons for those who can use them."""

from collections.abc import Mapping, Sequence
from typing import Final

from bot.domain.content import Block, Content
from bot.domain.money import shown
from bot.domain.payments.instruction import FINAL, Instruction, State, Vote
from bot.domain.policy import Short
from bot.presentation import notices
from bot.presentation.blocks.elements import actions, button
from bot.presentation.blocks.text import (
    addressed,
    capital,
    channel,
    context,
    escape,
    mentions,
    mrkdwn,
    named,
    section,
    shorten,
)
from bot.presentation.payments.kinds import KINDS, noun, sentence
from bot.presentation.payments.wording import policy_line, value_of
from bot.presentation.reasons import short_of_people

APPROVE: Final = "payout.approve"
REJECT: Final = "payout.reject"
RETRY: Final = "payout.retry"
CLOSE: Final = "payout.close"

_TO_COME = frozenset({State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING})
"""People have to act, or soon will."""
_UNDECIDED = _TO_COME | {State.NEEDS_HUMAN}
_DECIDABLE = frozenset({State.AWAITING, State.NEEDS_HUMAN})
_WITHDRAWABLE = frozenset({State.NEW, State.AWAITING, State.APPROVED})
_LOOKALIKES = "This address uses letters that can look like others. Check it with the recipient."


def card(
    instruction: Instruction,
    votes: Sequence[Vote],
    *,
    for_approvers: bool,
    approvals_channel: str,
    invite_to: str = "",
    buttons: bool = True,
    names: Mapping[str, str] | None = None,
    handle: str = "",
    approvers: Sequence[str] = (),
    short: Short | None = None,
) -> Content:
    """The card as it is now.

    Args:
        instruction: its present state.
        votes: the votes of its present round.
        for_approvers: with Approve and Reject; otherwise the requester's copy.
        approvals_channel: where the approvers see it, named on the requester's copy.
        invite_to: channel in which the request was made and the bot is no member, with the way to mend that.
        buttons: False for a picture of it that nobody can press.
        names: what people are called, of those who are not to be rung.
        handle: the requester's, shown to approvers, because a name can be anybody's.
        approvers: people and groups of the policy who are called on the approvers' copy, as long as they have to act.
        short: the approvals it needs, if more than people can give; None: enough people can approve.
    """
    words, state = KINDS[instruction.kind], instruction.state
    voters, asker = [vote.person for vote in votes], named(instruction.requester, names or {}, handle=handle)
    undecided = state in _UNDECIDED and len(voters) < instruction.requirement.quorum
    said, needs = sentence(instruction, votes=len(voters)), escape(_needs(instruction, undecided=undecided))
    left = [one for one in approvers if one != instruction.requester and one not in voters]
    # Approvers are called once there is something to decide. A request made in their channel already has its card
    # there, so they are called in its thread. Slack rings nobody for an edit.
    calls = for_approvers and undecided and state in _DECIDABLE and left
    call = [f"To decide: {' '.join(addressed(one) for one in left)}"] if calls else []
    stopped = [notices.note(instruction.stopped)] if instruction.stopped else []
    approved = [f"Approved by {mentions(voters)}"] if voters else []
    lookalikes = [_LOOKALIKES] if "xn--" in instruction.payload.email else []
    lacking = [f":warning: {capital(short_of_people(short))}."] if short is not None else []

    notes = [*call, *stopped, *approved]
    if state not in FINAL:
        where = f" · decided in {channel(approvals_channel)}" if undecided and not for_approvers else ""
        notes.append(f"{needs}{where}")
    notes += [f":warning: {line}" for line in lookalikes]
    if invite_to:
        notes.append(f"To have this in {channel(invite_to)}, invite me there: `/invite @Switchboard`")
    blocks = [*words.head(instruction, asker), section(mrkdwn(said))]
    blocks += [context(line) for line in [*notes, *lacking]]
    if buttons:
        blocks += actions(_buttons(instruction, for_approvers=for_approvers), f"decide:{instruction.id}")

    parts = [*words.text(instruction, asker), said, *stopped, *(f"{line}." for line in approved)]
    parts += [] if state in FINAL else [f"{needs}."]
    text = " ".join([*parts, *(f"{line}." for line in call), *lookalikes])
    text = text if words.text_limit is None else shorten(text, words.text_limit)
    return Content(text=" ".join([text, *lacking]), blocks=blocks)


def _needs(instruction: Instruction, *, undecided: bool) -> str:
    """What it needs while it is undecided; afterwards which rule it was decided by."""
    line = policy_line(instruction)
    return line if undecided else line.replace("Needs ", "Needed ", 1)


def _buttons(instruction: Instruction, *, for_approvers: bool) -> list[Block]:
    words, state, found = KINDS[instruction.kind], instruction.state, []
    if for_approvers and state is State.AWAITING:
        found += [
            _button("Approve", APPROVE, instruction, style="primary"),
            _button("Reject", REJECT, instruction, style="danger"),
        ]
    if for_approvers and state is State.NEEDS_HUMAN:
        # The service has a record that may be this one: paying again waits until people know.
        found += [] if instruction.suspect else [_button("Retry", RETRY, instruction, style="danger")]
        found.append(_button(f"Close{words.closed_as}", CLOSE, instruction))
    found += words.buttons(instruction)
    if state in _WITHDRAWABLE and not instruction.commits:
        found.append(words.withdraw_button(instruction))
    return found


def _button(label: str, action_id: str, instruction: Instruction, *, style: str = "") -> Block:
    spoken = f"{label} the {noun(instruction)} of {shown(instruction.cents)}"
    return button(label, action_id, value_of(instruction), style=style, spoken=spoken)

"""The card of a request: the same facts for everybody, buttons for those who can use them."""

from collections.abc import Mapping, Sequence

from bot.domain.content import Block, Content
from bot.domain.money import shown
from bot.domain.payments.bulk_state import is_many
from bot.domain.payments.instruction import FINAL, Instruction, Kind, Recipient, State, Vote
from bot.domain.policy import Short
from bot.domain.text import clean
from bot.presentation import notices
from bot.presentation.blocks.elements import actions, button, question
from bot.presentation.blocks.text import (
    SECTION_LIMIT,
    UNKNOWN,
    addressed,
    capital,
    channel,
    context,
    counted,
    escape,
    header,
    labelled,
    mentions,
    mrkdwn,
    name_of,
    named,
    plain,
    quote,
    section,
    shorten,
    typed,
)
from bot.presentation.payments import bulk_cards as bulk
from bot.presentation.payments import states
from bot.presentation.payments.states import headline, sentence
from bot.presentation.reasons import short_of_people, worded
from bot.presentation.words import NOT_ACTIVE, noun

WITHDRAW = "payout.withdraw"

_ABOUT = 150


def value_of(instruction: Instruction) -> str:
    """What a button carries: which request and which round, nothing that decides anything."""
    return f"{instruction.id}:{instruction.round}"


def withdraw_button(instruction: Instruction) -> Block:
    """The button. Withdrawing ends a request for everybody, so it asks for confirmation."""
    what = noun(instruction)
    text = (
        f"{shorten(headline(instruction), _ABOUT)}. This cannot be undone. If somebody else asked for it, a form asks "
        "you for the reason."
    )
    asked = question(f"Withdraw this {what}?", text, yes="Withdraw", no="Leave it")
    spoken = f"Withdraw the {what} of {shown(instruction.cents)}"
    return button("Withdraw", WITHDRAW, value_of(instruction), spoken=spoken, confirm=asked)


APPROVE = "payout.approve"
REJECT = "payout.reject"
RETRY = "payout.retry"
CLOSE = "payout.close"

_TO_COME = frozenset({State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING})
"""People have to act, or soon will."""
_UNDECIDED = _TO_COME | {State.NEEDS_HUMAN}
_DECIDABLE = frozenset({State.AWAITING, State.NEEDS_HUMAN})
_WITHDRAWABLE = frozenset({State.NEW, State.AWAITING, State.APPROVED})
_NAME_LIMIT = 300
_TEXT_NAME_LIMIT = 400
_TEXT_PURPOSE_LIMIT = 1_400
"""Characters with their escapes: an edit may have a text of 4,000, and the rest of a card needs its share."""
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
    voters, asker = [vote.person for vote in votes], named(instruction.requester, names or {}, handle=handle)
    call = _call(instruction, voters, approvers) if for_approvers else ""
    blocks = [*_head(instruction, asker), section(mrkdwn(sentence(instruction, votes=len(voters))))]
    notes = _notes(instruction, voters, for_approvers, approvals_channel, invite_to)
    lacking = [f":warning: {capital(short_of_people(short))}."] if short is not None else []
    blocks += [context(line) for line in [*([call] if call else []), *notes, *lacking]]
    pressable = _buttons(instruction, for_approvers=for_approvers) if buttons else []
    blocks += actions(pressable, f"decide:{instruction.id}")
    text = " ".join([_spoken(instruction, voters, call=call, asker=asker), *lacking])
    return Content(text=text, blocks=blocks)


def _head(instruction: Instruction, asker: str) -> list[Block]:
    if is_many(instruction):
        return [bulk.title(instruction), *bulk.facts(instruction, asker=asker)]
    return [
        header(headline(instruction)),
        {"type": "section", "fields": _facts(instruction, asker)},
        section(plain(shorten(f"For: {clean(instruction.payload.description)}", SECTION_LIMIT))),
    ]


def _spoken(instruction: Instruction, voters: Sequence[str], *, call: str, asker: str) -> str:
    """The whole card in one paragraph: what notifications and screen readers get."""
    many = is_many(instruction)
    parts = [
        f"Payout {instruction.reference}: {escape(headline(instruction))}",
        f"({quote(recipient_line(instruction.recipient), _TEXT_NAME_LIMIT)})",
        f"for “{typed(instruction.payload.description, _TEXT_PURPOSE_LIMIT)}”,",
        f"asked by {asker}.",
    ]
    if many:
        title = f"{noun(instruction).capitalize()} {instruction.reference}: {escape(headline(instruction))}."
        parts = [title, *(f"{line}." for line in bulk.lines(instruction)), f"Asked by {asker}."]
    parts.append(sentence(instruction, votes=len(voters)))
    if instruction.stopped:
        parts.append(notices.note(instruction.stopped))
    if voters:
        parts.append(f"Approved by {mentions(list(voters))}.")
    if instruction.state not in FINAL:
        parts.append(f"{escape(_needs(instruction, voters))}.")
    if call:
        parts.append(f"{call}.")
    if _has_lookalikes(instruction):
        parts.append(_LOOKALIKES)
    return shorten(" ".join(parts), SECTION_LIMIT + 900) if many else " ".join(parts)


def recipient_line(recipient: Recipient | None) -> str:
    """Registered name and what the account can do, in plain words."""
    if recipient is None:
        return "account not looked up yet"
    if recipient.problem is not None:
        return f"account could not be read: {worded(recipient.problem)}"
    name = name_of(recipient.full_name or "")
    whose = f"registered name {UNKNOWN}" if name == UNKNOWN else shorten(name, _NAME_LIMIT)
    return ", ".join([whose, account_line(recipient)])


def account_line(recipient: Recipient, *, marked: bool = False) -> str:
    """Active, verified, primary address; what is not known is said to be not known.

    ``marked``: as mrkdwn, in which what speaks against paying catches the eye.
    """
    before, after = (":warning: *", "*") if marked else ("", "")
    return ", ".join(
        (
            _told(recipient.active, "active", f"{before}not active{after} ({NOT_ACTIVE})"),
            _told(recipient.verified, "verified", f"{before}not verified{after}"),
            _told(recipient.primary, "primary address", "not the primary address"),
        )
    )


def policy_line(instruction: Instruction) -> str:
    """What this request needs, and why."""
    needs = instruction.requirement
    people = counted(needs.quorum, "approval")
    why = f" ({'; '.join(needs.reasons)})" if needs.reasons else ""
    typed = ", typing the amount" if needs.typed_amount else ""
    return f"Needs {people} besides the requester{typed}{why}"


def _needs(instruction: Instruction, voters: Sequence[str]) -> str:
    """What it needs while it is open; afterwards which rule it was decided by."""
    line = policy_line(instruction)
    return line if _is_open(instruction, voters) else line.replace("Needs ", "Needed ", 1)


def _is_open(instruction: Instruction, voters: Sequence[str]) -> bool:
    return instruction.state in _UNDECIDED and len(voters) < instruction.requirement.quorum


def _call(instruction: Instruction, voters: Sequence[str], approvers: Sequence[str]) -> str:
    """Who has to act is called by the first post of the card; Slack rings nobody for an edit.

    Approvers are called once there is something to decide. A request made in their channel already has its card there,
    so they are called in its thread.
    """
    if instruction.state not in _DECIDABLE or not _is_open(instruction, voters):
        return ""
    left = [one for one in approvers if one != instruction.requester and one not in voters]
    return f"To decide: {' '.join(addressed(one) for one in left)}" if left else ""


def _facts(instruction: Instruction, asker: str) -> list[Block]:
    recipient = instruction.recipient
    known = recipient is not None and not recipient.problem
    name = name_of(recipient.full_name or "") if recipient is not None and known else "not known"
    unread = quote(recipient_line(recipient).removeprefix("account "), _NAME_LIMIT)
    return [
        labelled("Registered name", quote(name, _NAME_LIMIT)),
        labelled("Account", account_line(recipient, marked=True) if recipient is not None and known else unread),
        labelled("Asked by", asker),
        labelled("Reference", instruction.reference),
    ]


def _notes(
    instruction: Instruction, voters: Sequence[str], for_approvers: bool, approvals_channel: str, invite_to: str
) -> list[str]:
    notes = [notices.note(instruction.stopped)] if instruction.stopped else []
    if voters:
        notes.append(f"Approved by {mentions(list(voters))}")
    if instruction.state not in FINAL:
        open_still = _is_open(instruction, voters) and not for_approvers
        where = f" · decided in {channel(approvals_channel)}" if open_still else ""
        notes.append(escape(_needs(instruction, voters)) + where)
    if _has_lookalikes(instruction):
        notes.append(f":warning: {_LOOKALIKES}")
    if invite_to:
        notes.append(f"To have this in {channel(invite_to)}, invite me there: `/invite @Switchboard`")
    return notes


def _buttons(instruction: Instruction, *, for_approvers: bool) -> list[Block]:
    state, found = instruction.state, []
    if for_approvers and state is State.AWAITING:
        found += [
            _button("Approve", APPROVE, instruction, style="primary"),
            _button("Reject", REJECT, instruction, style="danger"),
        ]
    if for_approvers and state is State.NEEDS_HUMAN:
        # The service has a record that may be this one: paying again waits until people know.
        found += [] if instruction.suspect else [_button("Retry", RETRY, instruction, style="danger")]
        found += [
            _button("Close" if instruction.kind is Kind.BULK_CANCEL else "Close as not paid", CLOSE, instruction),
        ]
    found += states.buttons(instruction, value_of(instruction))
    if state in _WITHDRAWABLE and not instruction.commits:
        found.append(withdraw_button(instruction))
    return found + bulk.cancel_button(instruction) + bulk.return_button(instruction)


def _button(label: str, action_id: str, instruction: Instruction, *, style: str = "") -> Block:
    spoken = f"{label} the {noun(instruction)} of {shown(instruction.cents)}"
    return button(label, action_id, value_of(instruction), style=style, spoken=spoken)


def _has_lookalikes(instruction: Instruction) -> bool:
    return "xn--" in instruction.payload.email


def _told(known: bool | None, yes: str, no: str) -> str:
    if known is None:
        return f"{yes}: not known"
    return yes if known else no

"""The card of a request and its line in the original channel; messages in its thread and the alerts channel."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from bot.domain.content import Block, Content
from bot.domain.money import shown
from bot.domain.payments.bulk_records import NOT_AGAIN, PaidAgain
from bot.domain.payments.instruction import FINAL, Instruction, State, Vote
from bot.domain.payments.moves import APPROVED
from bot.domain.policy import Short
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.presentation import notices
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, menu
from bot.presentation.notices import advice, channel_help, unusable
from bot.presentation.payments.bulk import again_button
from bot.presentation.payments.kinds import KINDS, headline, in_full, word_of
from bot.presentation.payments.wording import News, Stands, is_held, value_of, why_held
from bot.presentation.reasons import short_of_people, worded
from bot.presentation.unread import hint

APPROVE: Final = "payout.approve"
REJECT: Final = "payout.reject"
RETRY: Final = "payout.retry"
CLOSE: Final = "payout.close"
RELEASE: Final = "payout.release"
LINK: Final = "home.open"  # opens a card; needs no handling
MENU: Final = "payout.menu"
"""The overflow menu; an option's value is one of the following, a colon, and a button's value."""
WITHDRAW: Final = "withdraw"
HISTORY: Final = "history"
RECIPIENT: Final = "recipient"
_WARNINGS: Final = 1_500  # characters of a row's warnings: a row has 3,000 for everything
_UNDECIDED = frozenset({State.AWAITING, State.NEEDS_HUMAN})  # people have to act
_WITHDRAWABLE = frozenset({State.NEW, State.AWAITING, State.APPROVED})
_SAID_BY_SLACK = frozenset({"undelivered", "no_approvals_channel"})  # alerts whose reason is a Slack error code
_OVER = frozenset({"within_reach", "continues"})  # resolve an earlier alert
_PAID_AGAIN = 5


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
    again: PaidAgain = NOT_AGAIN,
) -> Content:
    """Build the approvers' card with the votes of the current round, or the line where it was requested.

    ``invite_to`` is that channel if the bot isn't in it. ``names`` are of people who must not be notified. ``handle``
    is the requester's, because names aren't unique. ``approvers`` are mentioned while they have to act. ``again`` has
    the requests that retry failed payments.
    """
    words, state = KINDS[instruction.kind], instruction.state
    voters, asker = [vote.person for vote in votes], md.named(instruction.requester, names or {}, handle=handle)
    left = [one for one in approvers if one != instruction.requester and one not in voters]
    # Mention approvers once they have to decide. Slack notifies nobody of an edit.
    call = " ".join(map(md.addressed, left)) if for_approvers and state in _UNDECIDED and left else ""
    is_stopped = instruction.stopped and state in (State.NEW, State.CREATING)  # its note explains the state
    why = "" if is_stopped else words.why(instruction, votes=len(votes))
    warned = warnings(instruction, short) if for_approvers and state not in FINAL else too_few(short)
    stopped = [notices.note(instruction.stopped)] if instruction.stopped else []
    paid = [
        f":repeat: Failed payments requested again as {one.reference}: {md.escape(headline(one))}, *{word_of(one)}*"
        for one in again.requests[-_PAID_AGAIN:]
    ]
    invited = [f"To have this in {md.channel(invite_to)}, invite me there: `/invite @Switchboard`"] if invite_to else []
    notes = [*stopped, *paid, *invited]
    if for_approvers:
        blocks = _blocks(instruction, voters, asker, why=why, warned=warned, call=call)
        blocks += [md.context(note) for note in notes]
        offered = [
            *deciding(instruction),
            *words.look(instruction),
            *words.buttons(instruction),
            *again_button(instruction, again),
            *_menu(instruction),
        ]
        blocks += actions(offered, f"decide:{instruction.id}") if buttons else []
    else:
        where = f" in {md.channel(approvals_channel)}" if state is State.AWAITING else ""
        pressed = [*words.buttons(instruction), *again_button(instruction, again)] if buttons else []
        notes = [*warned, *notes]
        blocks = _line(instruction, len(votes), where=where, why=why, notes=notes, pressed=pressed, buttons=buttons)

    parts = _told(instruction, voters, asker, decides=for_approvers and buttons)
    text = " ".join(md.as_said(part) for part in [*parts, why, *stopped, *paid] if part)
    text = text if words.text_limit is None else md.shorten(text, words.text_limit)
    return Content(text=" ".join([text, *warned, *([call] if call else [])]), blocks=blocks)


def warnings(instruction: Instruction, short: Short | None = None) -> list[str]:
    """Return all warnings for approvers: the same lines on the card, in forms and in App Home."""
    return [*(f":warning: {line}" for line in KINDS[instruction.kind].warnings(instruction)), *too_few(short)]


def doubts(instruction: Instruction, short: Short | None = None) -> list[str]:
    """Return the warnings for a row in a list, or their number if they are long."""
    found = warnings(instruction, short)
    if sum(map(len, found)) > _WARNINGS:
        return [f":warning: *{len(found)} warnings*: open the card to see them."]
    return found


def too_few(short: Short | None) -> list[str]:
    return [f":warning: {md.capital(short_of_people(short))}."] if short is not None else []


def _told(instruction: Instruction, voters: list[str], asker: str, *, decides: bool) -> list[str]:
    """Return the card as text, beginning with the question to the reader or the state."""
    words, waits = KINDS[instruction.kind], instruction.state is State.AWAITING
    what, votes = md.escape(in_full(instruction)), f"{len(voters)} of {instruction.requirement.quorum}"
    lead = f"{md.capital(words.word(instruction))}{f' ({votes})' if waits else ''}: {what}"
    until = f" · expires {md.moment(at)}" if (at := instruction.expires_at) else ""
    return [
        f"Approve {what}?" if decides and waits and not is_held(instruction) else lead,
        f"{' '.join(words.text(instruction, asker))} · {instruction.reference}",
        f"Approved by {md.mentions(voters)}" if voters else "",
        f"{votes} approvals{until}" if waits else "",
    ]


def _blocks(
    instruction: Instruction, voters: list[str], asker: str, *, why: str, warned: Sequence[str], call: str
) -> list[Block]:
    """Show an open request with details, warnings and state; an ended one with its outcome and one line."""
    words, state = KINDS[instruction.kind], instruction.state
    title = words.title(instruction)
    if state is not State.AWAITING or is_held(instruction):
        title = f"{md.capital(words.word(instruction))} · {title}"
    approved = [f"approved by {md.mentions(voters)}"] if voters else []
    if state in FINAL:
        ended = [md.moment(at)] if (at := instruction.closed_at) else []
        last = [*words.facts(instruction, asker), *approved, *ended, instruction.reference]
        return [md.header(title), *([md.paragraph(why)] if why else []), md.context(" · ".join(last))]
    so_far = [f"{len(voters)} of {instruction.requirement.quorum} approvals"] if state is State.AWAITING else []
    until = [f"expires {md.moment(at)}"] if state is State.AWAITING and (at := instruction.expires_at) else []
    last = [
        *words.small(instruction, asker),
        *so_far,
        *approved,
        *until,
        instruction.reference,
        *([call] if call else []),
    ]
    said = (
        []
        if not why
        else [md.paragraph(why)]
        if state is State.NEEDS_HUMAN or is_held(instruction)
        else [md.context(why)]
    )
    head = words.head(instruction, asker)
    # The reason for a hold comes first, because nothing else matters until a person acts.
    blocks = [md.header(title), *(said + head if is_held(instruction) else head + said)]
    return [*blocks, *([md.context("\n".join(warned))] if warned else []), md.context(" · ".join(last))]


def _line(
    instruction: Instruction,
    votes: int,
    *,
    where: str,
    why: str,
    notes: Sequence[str],
    pressed: Sequence[Block],
    buttons: bool,
) -> list[Block]:
    """Build one line, edited until the request ends; notes follow while it is open."""
    words = KINDS[instruction.kind]
    stands = words.stands(instruction, votes=votes)
    said = md.paragraph(f"{stands}{where} · {md.escape(headline(instruction))} · {instruction.reference}")
    blocks: list[Block] = [{**said, "block_id": f"line:{instruction.id}"}]
    withdraw = withdrawing(instruction) if buttons else []
    if withdraw and not pressed:
        blocks[0]["accessory"] = withdraw.pop()
    below = [*([why] if why and instruction.state not in FINAL else []), *notes]
    return [*blocks, *map(md.context, below), *actions([*pressed, *withdraw], f"decide:{instruction.id}")]


def news(instruction: Instruction, facts: Mapping[str, Any], *, names: Mapping[str, str] | None = None) -> Content:
    """Build a thread message. New messages notify people they mention: only the requester; others are named."""
    words = KINDS[instruction.kind]
    told, whom = News(words, instruction, facts, names or {}), md.mention(instruction.requester)
    line = words.news.get(told.state, "*{words.noun}*: {what}.{why}")
    content = words.news_content(told, f"{words.news_symbol(told)} {whom} {told.say(line).rstrip()}")
    pressed = actions(words.news_actions(told), f"next:{instruction.id}")
    return Content(
        text=f"{replace(told, whole=True).say(line).rstrip()} {whom}",
        blocks=[*content.blocks, *pressed],
        plainer=[*content.plainer, *pressed] if content.plainer else content.plainer,
    )


def reminder(
    instruction: Instruction, votes: Sequence[Vote], facts: Mapping[str, Any], *, names: Mapping[str, str] | None = None
) -> Content:
    missing = max(1, instruction.requirement.quorum - len(votes))
    until = f" Expires {md.moment(instruction.expires_at)}." if instruction.expires_at else ""
    asked = " ".join(md.addressed(str(name)) for name in facts.get("approvers", []))
    return md.message(
        f":bell: {asked} {md.escape(headline(instruction))} ({instruction.reference}), requested by "
        f"{md.named(instruction.requester, names or {})}, needs {md.counted(missing, 'more approval')}.{until}"
    )


def out_of_reach(instruction: Instruction, facts: Mapping[str, Any]) -> Content:
    why = short_of_people(Short(needs=int(facts["needs"]), can=int(facts["can"])))
    return md.message(
        f":warning: {md.mention(instruction.requester)} {md.escape(headline(instruction))} ({instruction.reference}): "
        f"{why}. The admins know. You can withdraw it."
    )


def not_shown(instruction: Instruction, facts: Mapping[str, Any]) -> Content:
    """Tell the requester why the approvers' card isn't posted yet."""
    why, until = unusable(worded(Reason.read(facts["reason"]))), datetime.fromisoformat(str(facts["until"]))
    return md.message(
        f":warning: {md.mention(instruction.requester)} {md.escape(headline(instruction))} ({instruction.reference}) "
        f"can't be shown to the approvers in {md.channel(str(facts['channel']))}, because {why}. The admins know. "
        f"It's posted once that's fixed. Otherwise it expires {md.moment(until)}."
    )


def held(instruction: Instruction, facts: Mapping[str, Any], *, names: Mapping[str, str]) -> Content:
    """Notify the requester that an approved request isn't sent. The person who held it is named, not mentioned."""
    what = f"{md.escape(headline(instruction))} ({instruction.reference})"
    why = why_held(instruction, Reason.read(facts["reason"]), names)
    return md.message(f":hourglass: {md.mention(instruction.requester)} *On hold*: {what}. {why}")


def alert(
    instruction: Instruction,
    facts: Mapping[str, Any],
    *,
    names: Mapping[str, str] | None = None,
    link: str = "",
    approvers: Sequence[str] = (),
    admins: Sequence[str] = (),
) -> Content:
    """Alert people; mention ``approvers`` if they have to decide, ``admins`` if there are too few of them."""
    words, topic, found = KINDS[instruction.kind], str(facts["topic"]), Reason.read(facts.get("reason"))
    where, why = (
        md.channel(str(facts["channel"])) if facts.get("channel") else "its channel",
        worded(found, for_admin=True),
    )
    said = f"{md.quote_sentence(why)}{hint(found)}"
    if topic in _SAID_BY_SLACK:
        said = channel_help(why, str(facts.get("setting", "")))
    what = words.topics[topic].replace("{channel}", where).replace("{unusable}", unusable(why))
    if topic in _OVER:
        return md.message(f":sunny: *{instruction.reference}* ({md.escape(in_full(instruction))}) {what}")
    lines = [
        f":rotating_light: *{instruction.reference}* ({md.escape(in_full(instruction))}, requested by "
        f"{md.named(instruction.requester, names or {})}) {what}",
        *([said] if why else []),
        f"Look for {Stands(words, instruction)['look_up']}.{f' <{link}|Open the card>' if link else ''}",
    ]
    able = [md.addressed(one) for one in approvers if one != instruction.requester]
    if topic == "needs_human" and instruction.kind in APPROVED and able:
        lines.append(f"{' '.join(able)}, please decide.")
    if topic == "out_of_reach":
        lines.append(" ".join([*map(md.addressed, admins), "Add an approver, or withdraw it."]))
    if topic == "held_back":
        lines.append(" ".join([*map(md.addressed, admins), "Release it on its card, or withdraw it."]))
    return md.message("\n".join(lines) + advice(topic))


def deciding(instruction: Instruction) -> list[Block]:
    """Return the approvers' buttons."""
    words, state = KINDS[instruction.kind], instruction.state
    decide: list[tuple[str, str, str]] = []
    if state is State.AWAITING:
        decide = [("Approve", APPROVE, "primary"), ("Reject", REJECT, "danger")]
    if state is State.NEEDS_HUMAN:
        # The provider has a record that may be this one: no retry until a person has checked.
        decide = [] if instruction.suspect else [("Retry", RETRY, "danger")]
        decide.append((f"Close{words.closed_as}", CLOSE, ""))
    if state is State.APPROVED and has_code(instruction.reason, OfRequest.EARLIER_NOT_UNPAID):
        decide = [("Release", RELEASE, "danger")]  # for admins
    about, value = f"the {words.noun} of {shown(instruction.cents)}", value_of(instruction)
    return [button(label, to, value, style=style, spoken=f"{label} {about}") for label, to, style in decide]


def opening(link: str) -> list[Block]:
    """Return the button that opens a card, if there is a link to it."""
    return [button("Open", LINK, url=link)] if link else []


def withdrawing(instruction: Instruction) -> list[Block]:
    """Return the button that withdraws a request, while that is possible."""
    return [KINDS[instruction.kind].withdraw_button(instruction)] if _may_be_withdrawn(instruction) else []


def _may_be_withdrawn(instruction: Instruction) -> bool:
    return instruction.state in _WITHDRAWABLE and not instruction.commits


def _menu(instruction: Instruction) -> list[Block]:
    """Return the menu of rarely used actions for an open request."""
    if instruction.state in FINAL:
        return []
    words = KINDS[instruction.kind]
    offered = [("Withdraw", WITHDRAW)] if _may_be_withdrawn(instruction) else []
    offered += [("History", HISTORY), *words.menu]
    value = value_of(instruction)
    options = [(label, f"{what}:{value}") for label, what in offered]
    return [menu(MENU, options)]

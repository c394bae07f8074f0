"""The card of a request, with buttons for those who can use them; messages in its thread and in the alerts channel."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.domain.content import Block, Content
from bot.domain.money import shown
from bot.domain.payments.bulk_records import NOT_AGAIN, PaidAgain
from bot.domain.payments.instruction import FINAL, Instruction, State, Vote
from bot.domain.payments.moves import APPROVED
from bot.domain.policy import Short
from bot.domain.reasons import Reason
from bot.presentation import notices
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button
from bot.presentation.notices import runbook, slack_says
from bot.presentation.payments.bulk import again_button
from bot.presentation.payments.kinds import KINDS, headline, sentence, word_of
from bot.presentation.payments.wording import News, Stands, policy_line, value_of
from bot.presentation.reasons import short_of_people, worded
from bot.presentation.unread import hint

APPROVE: Final = "payout.approve"
REJECT: Final = "payout.reject"
RETRY: Final = "payout.retry"
CLOSE: Final = "payout.close"
# People have to act, or soon will.
_UNDECIDED = frozenset({State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING, State.NEEDS_HUMAN})
_SAID_BY_SLACK = frozenset({"undelivered", "no_approvals_channel"})  # alerts whose reason is an error code of Slack
_PAID_AGAIN = 5
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
    again: PaidAgain = NOT_AGAIN,
) -> Content:
    """The card with the votes of its present round: with Approve and Reject, or the requester's copy.

    ``invite_to``: channel in which the request was made and the bot is no member. ``names``: of those who are not to be
    rung. ``handle``: the requester's, as a name can be anybody's. ``approvers``: called as long as they have to act.
    ``again``: of many payments, which requests pay again what failed.
    """
    words, state = KINDS[instruction.kind], instruction.state
    voters, asker = [vote.person for vote in votes], md.named(instruction.requester, names or {}, handle=handle)
    undecided = state in _UNDECIDED and len(voters) < instruction.requirement.quorum
    said, needs = sentence(instruction, votes=len(voters)), md.escape(policy_line(instruction))
    needs = needs if undecided else needs.replace("Needs ", "Needed ", 1)  # afterwards: which rule it was decided by
    left = [one for one in approvers if one != instruction.requester and one not in voters]
    # Approvers are called once there is something to decide. A request made in their channel already has its card
    # there, so they are called in its thread. Slack rings nobody for an edit.
    calls = for_approvers and undecided and state in (State.AWAITING, State.NEEDS_HUMAN) and left
    call = [f"To decide: {' '.join(md.addressed(one) for one in left)}"] if calls else []
    stopped = [notices.note(instruction.stopped)] if instruction.stopped else []
    approved = [f"Approved by {md.mentions(voters)}"] if voters else []
    lookalikes = [_LOOKALIKES] if "xn--" in instruction.payload.email else []
    paid = [
        f":repeat: Failed payments asked for again as {one.reference}: {md.escape(headline(one))}, *{word_of(one)}*"
        for one in again.requests[-_PAID_AGAIN:]
    ]
    lacking = [f":warning: {md.capital(short_of_people(short))}."] if short is not None else []

    notes = [*call, *stopped, *approved, *paid]
    if state not in FINAL:
        where = f" · decided in {md.channel(approvals_channel)}" if undecided and not for_approvers else ""
        notes.append(f"{needs}{where}")
    notes += [f":warning: {line}" for line in lookalikes]
    if invite_to:
        notes.append(f"To have this in {md.channel(invite_to)}, invite me there: `/invite @Switchboard`")
    blocks = [*words.head(instruction, asker), md.paragraph(said)]
    blocks += [md.context(line) for line in [*notes, *lacking]]
    if buttons:
        offered = [*_buttons(instruction, for_approvers=for_approvers), *again_button(instruction, again)]
        blocks += actions(offered, f"decide:{instruction.id}")

    parts = [*words.text(instruction, asker), said, *stopped, *(f"{line}." for line in [*approved, *paid])]
    parts += [] if state in FINAL else [f"{needs}."]
    text = " ".join([*parts, *(f"{line}." for line in call), *lookalikes])
    text = text if words.text_limit is None else md.shorten(text, words.text_limit)
    return Content(text=" ".join([text, *lacking]), blocks=blocks)


def news(instruction: Instruction, facts: Mapping[str, Any], *, names: Mapping[str, str] | None = None) -> Content:
    """News for the thread of a card. A new message rings whom it mentions: the requester; others are named."""
    words = KINDS[instruction.kind]
    told = News(words, instruction, facts, names or {})
    said = told.say(words.news.get(told.state, "is *{word}*.{why}"))
    text = f"{words.news_symbol(told)} {md.mention(instruction.requester)} {told.say(words.news_lead)} {said}"
    return words.news_content(told, text.rstrip())


def reminder(
    instruction: Instruction, votes: Sequence[Vote], facts: Mapping[str, Any], *, names: Mapping[str, str] | None = None
) -> Content:
    missing = max(1, instruction.requirement.quorum - len(votes))
    people = "one more approval" if missing == 1 else f"{missing} more approvals"
    until = f", until {md.moment(instruction.expires_at)}" if instruction.expires_at else ""
    asked = " ".join(md.addressed(str(name)) for name in facts.get("approvers", []))
    return md.message(
        f":bell: {asked} {md.escape(headline(instruction))} ({instruction.reference}), asked by "
        f"{md.named(instruction.requester, names or {})}, still needs {people}{until}."
    )


def out_of_reach(instruction: Instruction, facts: Mapping[str, Any]) -> Content:
    why = short_of_people(Short(needs=int(facts["needs"]), can=int(facts["can"])))
    return md.message(
        f":warning: {md.mention(instruction.requester)} {md.escape(headline(instruction))} ({instruction.reference}): "
        f"{why}. The admins were told. You can withdraw it."
    )


def alert(
    instruction: Instruction,
    facts: Mapping[str, Any],
    *,
    names: Mapping[str, str] | None = None,
    link: str = "",
    approvers: Sequence[str] = (),
    admins: Sequence[str] = (),
) -> Content:
    """A person must look at it. ``approvers`` are called where they have to decide, ``admins`` where too few can."""
    words, topic, found = KINDS[instruction.kind], str(facts["topic"]), Reason.read(facts.get("reason"))
    where, why = md.channel(str(facts["channel"])) if facts.get("channel") else "its channel", worded(found)
    said = slack_says(why) if topic in _SAID_BY_SLACK else f"{md.quote_sentence(why)}{hint(found)}"
    lines = [
        f":rotating_light: {md.capital(words.noun)} {instruction.reference}, {md.escape(headline(instruction))}, "
        f"asked by {md.named(instruction.requester, names or {})}: {words.topics[topic].replace('{channel}', where)}",
        *([said] if why else []),
        f"{Stands(words, instruction)['look_up']}{f' · <{link}|The card>' if link else ''}",
    ]
    able = [md.addressed(one) for one in approvers if one != instruction.requester]
    if topic == "needs_human" and instruction.kind in APPROVED and able:
        lines.append(f"To decide: {' '.join(able)}")
    if topic == "out_of_reach":
        lines.append(" ".join([*map(md.addressed, admins), "Add somebody to the approvers, or have it withdrawn."]))
    return md.message("\n".join(lines) + runbook(topic))


def _buttons(instruction: Instruction, *, for_approvers: bool) -> list[Block]:
    found = deciding(instruction) if for_approvers else []
    found += KINDS[instruction.kind].buttons(instruction)
    return [*found, *withdrawing(instruction)]


def deciding(instruction: Instruction) -> list[Block]:
    """The buttons of approvers."""
    words, state = KINDS[instruction.kind], instruction.state
    decide: list[tuple[str, str, str]] = []
    if state is State.AWAITING:
        decide = [("Approve", APPROVE, "primary"), ("Reject", REJECT, "danger")]
    if state is State.NEEDS_HUMAN:
        # The service has a record that may be this one: paying again waits until people know.
        decide = [] if instruction.suspect else [("Retry", RETRY, "danger")]
        decide.append((f"Close{words.closed_as}", CLOSE, ""))
    about, value = f"the {words.noun} of {shown(instruction.cents)}", value_of(instruction)
    return [button(label, to, value, style=style, spoken=f"{label} {about}") for label, to, style in decide]


def withdrawing(instruction: Instruction) -> list[Block]:
    """The button that takes a request back, while that is possible."""
    is_early = instruction.state in (State.NEW, State.AWAITING, State.APPROVED) and not instruction.commits
    return [KINDS[instruction.kind].withdraw_button(instruction)] if is_early else []

"""The App Home: one person's view of everything, drawn anew whenever they open it."""

from collections.abc import Sequence
from datetime import datetime

from bot.domain.approvals import No
from bot.domain.content import Block
from bot.domain.overview import Running, Service, Waiting
from bot.domain.payments.instruction import Instruction, Vote
from bot.domain.quorum import Short
from bot.presentation.answers import refused
from bot.presentation.blocks.buttons import actions, button
from bot.presentation.blocks.text import (
    channel,
    context,
    escape,
    header,
    listed,
    mention,
    moment,
    mrkdwn,
    paragraphs,
    section,
)
from bot.presentation.overview import running_line, service_line
from bot.presentation.payments.answers import waiting_line
from bot.presentation.payments.states import headline, sentence
from bot.presentation.reasons import short_of_people

REFRESH = "home.refresh"

_LISTED = 10

_NOTHING = ":zzz: Nothing."


def view(
    *,
    waiting: Sequence[Waiting],
    asked: Sequence[tuple[Instruction, Sequence[Vote]]],
    running: Sequence[Running],
    services: Sequence[Service],
    out_of_reach: Sequence[tuple[Instruction, Short]] = (),
    approvals_channel: str,
    now: datetime,
) -> Block:
    """The whole tab.

    Args:
        waiting: what this person could decide, oldest first.
        asked: what they asked for and is not over, newest first.
        running: what is under way, oldest first.
        services: all of them.
        out_of_reach: requests that too few people can approve; the section is left out when there are none.
        approvals_channel: where decisions are made.
        now: told, so that everybody sees how old this is.
    """
    decide = [f"Decide in {channel(approvals_channel)}."] if waiting else []
    stuck = [f":warning: {_asked_short(one)}: {short_of_people(short)}." for one, short in out_of_reach]
    blocks = [
        header("Waiting for your approval"),
        *paragraphs([*_listed([waiting_line(one) for one in waiting]), *decide]),
        *([header("Too few approvers"), *paragraphs(listed(stuck, _LISTED))] if stuck else []),
        header("What you asked for"),
        *paragraphs(_listed([_asked(one, votes) for one, votes in asked])),
        header("Under way"),
        *paragraphs(_listed([running_line(one) for one in running])),
        header("Services"),
        *paragraphs([service_line(one) for one in services]),
        {"type": "divider"},
        context(f"As of {moment(now)}"),
        *actions([button("Refresh", REFRESH, "now")], "home"),
    ]
    return {"type": "home", "blocks": blocks}


def closed(refusal: No) -> Block:
    """The tab of somebody who is no full member here."""
    return {"type": "home", "blocks": [section(mrkdwn(refused(refusal).text))]}


def _listed(lines: Sequence[str]) -> list[str]:
    return listed(lines, _LISTED) or [_NOTHING]


def _asked_short(one: Instruction) -> str:
    return f"*{escape(headline(one))}* · {one.reference} · asked by {mention(one.requester)}"


def _asked(one: Instruction, votes: Sequence[Vote]) -> str:
    return f"• *{escape(headline(one))}* · {one.reference}\n{sentence(one, votes=len(votes))}"

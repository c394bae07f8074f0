"""Content of request cards, and of the news and files in their threads.

A request has up to two cards, see :class:`bot.workflows.requests.announce.Place`. The time to decide begins when the
approvers can see theirs.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from bot.domain.content import Content
from bot.domain.errors import ServiceNow, ServiceTrouble
from bot.domain.payments.instruction import Instruction, State, Vote
from bot.domain.payments.operation import OperationStatus
from bot.domain.reasons import Exchange, OfRequest, Reason, has_code
from bot.domain.tracking import next_look
from bot.presentation.blocks import elements
from bot.presentation.payments import cards, purchases
from bot.presentation.payments.kinds import KINDS
from bot.slack.messenger import Posted
from bot.tables.delimited import write_csv
from bot.workflows.context import PLAIN, Attachment, Context, Subject, Unit
from bot.workflows.payments.bulk import FAILED_FILE
from bot.workflows.payments.bulk_again import paid_again
from bot.workflows.payments.purchase import LINK, link_of
from bot.workflows.requests.announce import (
    PAYMENTS,
    Line,
    Place,
    alert,
    places,
    queue_line,
    subject_of,
    tell_not_shown,
)
from bot.workflows.requests.reach import short_of
from bot.workflows.slack.boards import show_board
from storage.rows import Board, OutboxRow
from storage.transaction import Tx

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """A request, its votes, and its card in one place, if it has one."""

    instruction: Instruction
    votes: Sequence[Vote]
    place: str
    board: Board | None


class RequestSubject(Subject):
    """Cards of requests, by request id and place."""

    patient = True

    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - what it is
        sight = await ctx.read(lambda uow: _look(uow, id))
        return None if sight is None or _came_too_late(sight) else await card_for(ctx, sight)

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002
        """Return news as of when they were queued, a reminder, or an alert."""
        sight = await ctx.read(lambda uow: _look(uow, id))
        if sight is None:
            return None
        instruction, line = sight.instruction, Line(str(payload["line"]))
        names = await ctx.people.names(_people_in(instruction, payload))
        match line:
            case Line.NEWS | Line.HELD:
                told = cards.news if line is Line.NEWS else cards.held
                return told(instruction, payload, names=names)
            case Line.REMINDER:
                return cards.reminder(instruction, sight.votes, payload, names=names)
            case Line.NOT_SHOWN | Line.OUT_OF_REACH:
                warned = cards.not_shown if line is Line.NOT_SHOWN else cards.out_of_reach
                return warned(instruction, payload)
            case Line.ALERT:
                link, people = await self._link(ctx, instruction), ctx.policy.people
                return cards.alert(
                    instruction, payload, names=names, link=link, approvers=people.approvers, admins=people.admins
                )

    async def _link(self, ctx: Context, instruction: Instruction) -> str:
        """Return the link to the request's card; empty if it is not posted or Slack doesn't return the link."""
        subjects = [subject_of(instruction.id, place) for place in Place]
        boards = await ctx.read(lambda uow: [uow.boards.get(one) for one in subjects])
        posted = next((Posted(board.channel, board.ts) for board in boards if board and board.ts), None)
        try:
            return await ctx.messenger.permalink(posted) if posted is not None else ""
        except ServiceTrouble as silent:
            log.info("alert without link to its card", request=instruction.reference, reason=str(silent.reason))
            return ""

    async def file(
        self,
        ctx: Context,
        id: str,  # noqa: A002
        payload: Mapping[str, object],
    ) -> Attachment | Content | None:
        """Return the current items of a bulk payment or cancellation, or a checkout link as a picture.

        If the workspace rejects the picture, the link is sent alone, so that it doesn't delay the news behind it.
        """
        sight = await ctx.read(lambda uow: _look(uow, id))
        if sight is None:
            return None
        instruction, what = sight.instruction, str(payload["what"])
        if what != LINK:
            kind = what.partition(":")[0]
            statuses = [OperationStatus.FAILED.value] if kind == FAILED_FILE else []
            stored = await ctx.read(lambda uow: uow.bulk_items.rows(instruction.id, statuses=statuses))
            rows = [replace(row, internal_note=f"{instruction.reference}/{row.row}") for row in stored]
            made = KINDS[instruction.kind].files[kind]
            if not rows:
                return None
            table = await asyncio.to_thread(write_csv, made.header, map(made.row, rows))
            title, alt, comment = made.about(instruction, count=len(rows))
            name = f"{instruction.reference}-{what.replace(':', '-')}.csv"
            return Attachment(name=name, content=table, title=title, alt=alt, comment=comment, own_title=False)
        if instruction.state is not State.OPEN:
            return None  # no longer payable
        link = link_of(ctx, instruction)
        if not link:
            raise ServiceNow("payments", Reason(Exchange.NOT_CONFIGURED))
        content = purchases.checkout(instruction, link=link)
        if payload.get(PLAIN) or len(link) > elements.LONGEST:
            return content
        title, alt = purchases.picture(instruction, link=link)
        name, picture = f"{instruction.reference}.png", await asyncio.to_thread(elements.png, link)
        return Attachment(name=name, content=picture, title=title, alt=alt, comment=content.text)

    def posted(self, uow: Unit, id: str) -> None:  # noqa: A002
        """Start the time to decide once the approvers' card, which already shows its end, is posted."""
        sight = _look(uow, id)
        if sight is None or not _starts_the_clock(sight):
            return
        instruction, expires = sight.instruction, _expiry(sight.instruction, uow.now)
        due = next_look(posted_at=uow.now, expires_at=expires, now=uow.now)
        if uow.instructions.touch(instruction, posted_at=uow.now, expires_at=expires, due_at=due) is not None:
            show_board(uow, subject_of(instruction.id, Place.REQUESTER))

    def homeless(self, uow: Unit, id: str, why: Reason) -> None:  # noqa: A002
        """Tell operators and the requester when the approvers' card cannot be posted."""
        sight = _look(uow, id)
        if sight is not None and sight.place == Place.APPROVALS and not _came_too_late(sight):
            tell_not_shown(uow, sight.instruction, why)

    def home(self, uow: Unit, id: str) -> str:  # noqa: A002
        return uow.policy.channels.approvals if id.endswith(f":{Place.APPROVALS}") else ""

    def given_up(self, uow: Unit, row: OutboxRow, why: Reason) -> bool:
        """Post news about payments in the policy's payments channel instead; alerts have no fallback."""
        _, _, name = row.subject.partition(":")
        sight, line = _look(uow, name), row.payload.get("line")
        if sight is None or line == Line.ALERT:
            return True
        if line == Line.NEWS and sight.place in tuple(Place):
            home = uow.policy.channels.approvals
            here = uow.policy.payments == home and Place.APPROVALS in places(uow.ctx, sight.instruction)
            if not here:  # that channel does not have the card
                queue_line(uow, sight.instruction, PAYMENTS, f"{row.key}:elsewhere", row.payload)
        facts = {"channel": row.channel, "setting": uow.policy.setting_of(row.channel)}
        alert(uow, sight.instruction, f"undelivered:{sight.place}", reason=why, more=facts)
        return True


async def card_for(ctx: Context, sight: Sight) -> Content:
    """Return the current card for one place, with a hint to invite the bot if only the requester received it."""
    instruction, board = sight.instruction, sight.board
    if _starts_the_clock(sight):
        instruction = replace(instruction, expires_at=_expiry(instruction, ctx.clock.now()))
    asked_in = instruction.origin_channel
    direct = sight.place == Place.REQUESTER and board is not None and board.channel != asked_in
    hint = asked_in if direct and not asked_in.startswith("D") else ""
    if (own := KINDS[instruction.kind].card) is not None:
        return own(instruction, link=link_of(ctx, instruction), invite_to=hint)
    for_approvers = sight.place == Place.APPROVALS
    return cards.card(
        instruction,
        sight.votes,
        for_approvers=for_approvers,
        approvals_channel=ctx.policy.channels.approvals,
        invite_to=hint,
        names=await ctx.people.names([instruction.requester]),
        handle=await ctx.people.handle(instruction.requester) if for_approvers else "",
        approvers=ctx.policy.people.approvers,
        short=await ctx.read(lambda uow: short_of(uow, instruction)),
        again=await ctx.read(lambda uow: paid_again(uow, instruction)),
    )


def _people_in(instruction: Instruction, payload: Mapping[str, object]) -> list[str]:
    """Return the people whom a message names without notifying them."""
    voters, decided = payload.get("voters"), str(payload.get("decided_by") or "")
    reason = Reason.read(payload.get("reason"))
    froze = [str(reason.facts["person"])] if has_code(reason, OfRequest.FROZEN) and reason is not None else []
    return [instruction.requester, decided, *froze, *map(str, voters if isinstance(voters, list) else [])]


def _look(tx: Tx, name: str) -> Sight | None:
    instruction_id, _, place = name.partition(":")
    instruction = tx.instructions.get(instruction_id)
    if instruction is None:
        return None
    votes = tx.votes.of(instruction.id, instruction.round)
    board = tx.boards.get(subject_of(instruction_id, place))
    return Sight(instruction=instruction, votes=votes, place=place, board=board)


def _came_too_late(sight: Sight) -> bool:
    """Whether the request expired without its approvers ever having seen it."""
    unseen = sight.instruction.posted_at is None and (sight.board is None or not sight.board.ts)
    return unseen and sight.instruction.state is State.EXPIRED and sight.place == Place.APPROVALS


def _starts_the_clock(sight: Sight) -> bool:
    """Whether this is the first time that the approvers see the request."""
    waiting = sight.instruction.state is State.AWAITING and sight.instruction.posted_at is None
    return waiting and sight.place == Place.APPROVALS


def _expiry(instruction: Instruction, now: datetime) -> datetime:
    return now + timedelta(seconds=instruction.requirement.expires_seconds)

"""App Homes: one person's view of everything, redrawn while it may be open.

Slack sends an event when a home is opened, but not when it is left. Each process remembers for half an hour which homes
it drew, and redraws those whose content has changed: per person at most once every few seconds, and few per minute in
all. Redrawing is optional. If another process has drawn a home since, the hash of the view shows it, and only that
process continues. A redraw that the reader didn't request moves no row: they may be about to click a button.
"""

import asyncio
import json
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog

from bot.domain.approvals import (
    Membership,
    No,
    Role,
    full_member,
    listed,
    may_decide,
    may_look,
    may_request,
    may_see_balance,
)
from bot.domain.bookings.booking import Booking
from bot.domain.content import Block
from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.home import (
    Control,
    Home,
    Laid,
    Listed,
    Paged,
    Rows,
    Start,
    StoreLoad,
    Way,
    Work,
    is_late,
    way_of,
)
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.moves import APPROVED
from bot.domain.payments.sealed import daily_key
from bot.domain.policy import Frozen, Policy
from bot.slack.messenger import Messenger
from bot.workflows.admin.overview import WAITING, links_to, running_job, services
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import Place, subject_of
from bot.workflows.requests.authority import frozen, refusal_of
from bot.workflows.requests.reach import all_short, approvers, short_of
from bot.workflows.requests.request import with_votes
from storage.errors import RowUnreadable, StorageError
from storage.rows import Board

log = structlog.get_logger(__name__)

_OWN: Final = 500
"""Most open requests read per person."""
_ENDED: Final = 10
_FAILED: Final = 5
_STUCK: Final = 5
_WORKS: Final = 10
_BOOKINGS: Final = 1_000
_LATELY: Final = timedelta(days=7)
"""How long failed requests are shown to admins."""
_RESULTS: Final = timedelta(days=1)
"""How long a finished job is shown, with the link to its results."""
_APPROVERS: Final = 25
_KNOWN: Final = 60.0
"""Largest age in seconds of cached data about people in a view; every click is checked with fresh data."""
_BROKEN: Final = (State.FAILED, State.REFUSED, State.MISMATCH)


async def look(ctx: Context, user: str, laid: Laid) -> Home | No:
    """Return the current content of a person's home, or the reason for an empty one if they aren't a full member.

    ``laid`` is the layout to keep; a layout without rows is created from scratch.
    """
    standing = await ctx.people.standing(user, fresh=_KNOWN)
    refusal = full_member(standing.person, home=ctx.home)
    if refusal is not None:
        return refusal
    found, boards = await ctx.read(partial(_read, standing=standing, user=user, laid=laid))
    linked = await _linked(ctx.messenger, found, boards)
    if linked.control is None:
        return linked
    try:
        able = await approvers(ctx.policy, ctx.people, home=ctx.home, most=_APPROVERS, fresh=_KNOWN)
    except ServiceNow:
        return linked
    names = [one.person.id for one in able if one.person is not None]
    return replace(linked, control=replace(linked.control, approvers=names))


def _read(uow: Unit, *, standing: Membership, user: str, laid: Laid) -> tuple[Home, dict[str, Board]]:
    people = uow.policy.people
    is_admin = listed(Role.ADMIN, standing, people)
    in_charge = may_see_balance(standing, people=people, home=uow.ctx.home) is None
    decides = listed(Role.APPROVER, standing, people)
    laid = laid if laid.has_rows else laid.turned("")
    decidable, opened = _decidable(uow, standing, user), uow.instructions.open_for_requester(user, limit=_OWN)
    waiting = _paged(uow, decidable, laid.waiting, lambda found: decides and found.requester != user)
    own = _paged(uow, opened, laid.own, lambda found: found.requester == user)
    ended = uow.instructions.ended_for_requester(user, limit=_ENDED)
    works = _works(uow, user, everybody=in_charge)
    has_role = may_look(standing, people=people, home=uow.ctx.home) is None
    stopped = frozen(uow)
    bookings = uow.bookings.open(limit=_BOOKINGS) if uow.ctx.delivery.is_configured and has_role else []
    is_known = waiting.total or own.total or ended or works or any(one.requester == user for one in bookings)
    home = Home(
        user=user,
        decides=decides,
        starts=frozenset(_starts(uow, standing, stopped)),
        waiting=waiting,
        own=own,
        ended=[Listed(one) for one in ended if one.id not in {row.instruction.id for row in own.rows}],
        stores=_stores(bookings, uow.now),
        works=works,
        services=[one for one in services(uow) if one.is_unwell and not one.missing],
        frozen=stopped if has_role else None,
        control=_control(uow) if is_admin else None,
        is_new=not is_known and not in_charge,
        laid=_layout(laid, waiting, own, is_frozen=stopped is not None and has_role, now=uow.now),
    )
    shown = [*home.waiting.rows, *home.own.rows, *home.ended]
    if home.control is not None:
        shown += [*home.control.failed, *(one for one, _ in home.control.out_of_reach)]
    subjects = [subject_of(one.instruction.id, place) for one in shown for place in Place]
    return home, uow.boards.posted_of([*subjects, *(one.subject for one in works)])


def _decidable(uow: Unit, standing: Membership, user: str) -> list[Instruction]:
    """Return the requests that this person may decide and hasn't voted on, oldest first."""
    people, home = uow.policy.people, uow.ctx.home
    if may_decide(standing, requester="", people=people, home=home) is not None:
        return []
    voted = uow.votes.given_by(user, WAITING)
    return [
        one
        for one in uow.instructions.awaiting(WAITING)
        if one.kind in APPROVED and (one.id, one.round) not in voted and refusal_of(uow, one, standing) is None
    ]


def _listed(uow: Unit, found: Iterable[Instruction]) -> list[Listed]:
    return [Listed(one, votes, short=short_of(uow, one)) for one, votes in with_votes(uow, found)]


def _paged(uow: Unit, found: list[Instruction], rows: Rows, may_see: Callable[[Instruction], bool]) -> Paged[Listed]:
    """Return the rows of the layout in their current state, even if they left the list; without rows, a list page.

    The view's metadata isn't trusted: ``may_see`` is checked for each of its rows.
    """
    if rows.places is None:
        return Paged.of(found, rows.page, lambda page: _listed(uow, page))
    now, places = {one.id: one for one in found}, {place.partition(":")[0]: place for place in rows.places}
    kept = [one for name in places if (one := now.get(name) or _known(uow, name)) is not None and may_see(one)]
    shown = [
        replace(one, laid=places[one.instruction.id], is_over=one.instruction.id not in now)
        for one in _listed(uow, kept)
    ]
    return Paged(shown, rows.page, rows.total, now=len(found), gone=len(places.keys() - now.keys()))


def _known(uow: Unit, name: str) -> Instruction | None:
    with suppress(RowUnreadable):  # as in the lists, which leave it out
        return uow.instructions.get(name)
    return None


def _layout(laid: Laid, waiting: Paged[Listed], own: Paged[Listed], *, is_frozen: bool, now: datetime) -> Laid:
    """Return the layout, completed with the lists that it lacked."""

    def rows(kept: Rows, found: Paged[Listed]) -> Rows:
        places = tuple(row.place for row in found.rows)
        return kept if kept.places is not None else Rows(page=found.page, total=found.total, places=places)

    after = laid.model_copy(update={"waiting": rows(laid.waiting, waiting), "own": rows(laid.own, own)})
    if laid.waiting.places is None and laid.own.places is None:
        after = after.model_copy(update={"is_frozen": is_frozen})
    return after if after == laid else after.model_copy(update={"at": int(now.timestamp() * 1_000)})


def _starts(uow: Unit, standing: Membership, stopped: Frozen | None) -> Iterable[Start]:
    """Yield the actions that this person may start, by the same rules as the commands."""
    ctx, people = uow.ctx, uow.policy.people
    if ctx.payments.client is not None and may_request(standing, people=people, home=ctx.home) is None:
        for start, kind in ((Start.PAYOUT, Kind.PAYOUT), (Start.BULK, Kind.BULK)):
            try:
                ctx.kinds[kind].ready(ctx.payments.client)
            except OperatorError:
                continue
            if stopped is None:
                yield start
    if ctx.delivery.is_configured and may_look(standing, people=people, home=ctx.home) is None:
        yield Start.BOOK
    if ctx.emails.is_configured:
        yield Start.EMAILS
    if ctx.localization.is_configured:
        yield Start.LOCALIZE
    may_lift = stopped is not None and not stopped.is_restored
    if ctx.payments.is_configured and may_lift and listed(Role.APPROVER, standing, people):
        yield Start.UNFREEZE
    if (
        ctx.payments.is_configured
        and stopped is None
        and may_see_balance(standing, people=people, home=ctx.home) is None
    ):
        yield Start.FREEZE


def _works(uow: Unit, user: str, *, everybody: bool) -> list[Work]:
    """Return open jobs, oldest first, then this person's recently finished jobs, newest first."""
    jobs = [one for one in uow.jobs.open(limit=100) if everybody or one.requester == user]
    done = [one for one in uow.jobs.latest(user, since=uow.now - _RESULTS, limit=100) if one.closed_at is not None]
    found: list[Work] = []
    for job in (*jobs, *done):
        shown = running_job(job)
        if shown is not None and len(found) < _WORKS:
            found.append(Work(shown, subject=job.subject, is_over=job.closed_at is not None))
    return found


def _stores(bookings: Iterable[Booking], now: datetime) -> list[StoreLoad]:
    ways: defaultdict[str, Counter[Way]] = defaultdict(Counter)
    late: Counter[str] = Counter()
    for one in bookings:
        ways[one.store][way_of(one)] += 1
        late[one.store] += is_late(one, now)
    return [StoreLoad(store=store, ways=found, late=late[store]) for store, found in sorted(ways.items())]


def _control(uow: Unit) -> Control:
    return Control(
        sent_today=uow.reservations.sum(daily_key(uow.now)),
        approvers=None,
        out_of_reach=[(Listed(one.instruction), one.short) for one in all_short(uow)[:_STUCK]],
        failed=[Listed(one) for one in uow.instructions.ended_in(_BROKEN, since=uow.now - _LATELY, limit=_FAILED)],
    )


async def _linked(messenger: Messenger, home: Home, boards: dict[str, Board]) -> Home:
    """Add links to the posted messages, as far as Slack returns them."""
    links = await links_to(messenger, boards)

    def at(one: Listed, *places: Place) -> Listed:
        there = (links.get(subject_of(one.instruction.id, place), "") for place in places)
        return replace(one, link=next(filter(None, there), ""))

    def of_approvers(found: Sequence[Listed]) -> list[Listed]:
        return [at(one, Place.APPROVALS, Place.REQUESTER) for one in found]

    def of_requester(found: Sequence[Listed]) -> list[Listed]:
        return [at(one, Place.REQUESTER, Place.APPROVALS) for one in found]

    control = home.control
    if control is not None:
        stuck = [(at(one, Place.APPROVALS, Place.REQUESTER), short) for one, short in control.out_of_reach]
        control = replace(control, failed=of_approvers(control.failed), out_of_reach=stuck)
    return replace(
        home,
        waiting=replace(home.waiting, rows=of_approvers(home.waiting.rows)),
        own=replace(home.own, rows=of_requester(home.own.rows)),
        ended=of_requester(home.ended),
        works=[replace(work, link=links.get(work.subject, "")) for work in home.works],
        control=control,
    )


_FORGOTTEN: Final = 1_800.0
"""Seconds without a click or opening after which a home is no longer redrawn."""
_EVERY: Final = 3.0
"""Seconds between two automatic redraws of the same home."""
_ANYWAY: Final = 60.0
"""Seconds after which a home is read again even if the counters haven't changed."""
_PEOPLE: Final = 500
_AT_ONCE: Final = 10
_A_SECOND: Final = 0.8
"""Automatic redraws per second: Slack allows the app 100 per minute, whatever the number of processes."""
_LOOK: Final = 0.2
"""Cost of a read that leads to no redraw, in redraws: with hundreds of open requests it takes a moment."""
_HELD: Final = 5.0
"""Seconds without automatic redraws after a failed one, if Slack sends no Retry-After."""
_NOTHING: Final = (-1, -1)

Draw = Callable[[Home | No, Policy, datetime], Block]


@dataclass(slots=True)
class _Open:
    laid: Laid = field(default_factory=Laid)
    hash: str = ""
    """Slack's hash of the view that is shown; empty if unknown."""
    shown: str = ""
    touched_at: float = 0.0
    looked_at: float = float("-inf")
    seen: tuple[int, int] = _NOTHING
    """The change counters at the time of the last read."""
    drawing: asyncio.Lock = field(default_factory=asyncio.Lock)


class OpenHomes:
    """The homes that people opened in this process. ``draw`` renders the view."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw
        self._open: OrderedDict[str, _Open] = OrderedDict()
        self._left = float(_AT_ONCE)
        self._counted_at = 0.0
        self._held_until = float("-inf")

    async def show(self, ctx: Context, user: str, laid: Laid, *, is_opening: bool = False) -> None:
        """Draw a home now that was opened or clicked. Errors aren't raised, because the reader can refresh it.

        ``laid`` is the layout of the view that was opened or clicked.
        """
        home = self._open.pop(user, None) or _Open()
        home.touched_at = ctx.clock.boottime()
        self._open[user] = home
        while len(self._open) > _PEOPLE:
            self._open.popitem(last=False)
        await self._publish(ctx, user, home, laid, is_opening=is_opening)

    async def follow(self, ctx: Context) -> int:
        """Redraw changed homes, the least recently read first; return their number."""
        now = ctx.clock.boottime()
        for user in [user for user, home in self._open.items() if now - home.touched_at > _FORGOTTEN]:
            del self._open[user]
        due = [(user, home) for user, home in self._open.items() if now - home.looked_at >= _EVERY]
        if not due or now < self._held_until:
            return 0
        seen = await _counters(ctx)
        drawn = 0
        for user, home in sorted(due, key=lambda one: one[1].looked_at):
            if home.drawing.locked() or (home.seen == seen and now - home.looked_at < _ANYWAY):
                continue
            if not self._has_room(now):
                break
            drawn += await self._publish(ctx, user, home)
        return drawn

    async def _publish(
        self, ctx: Context, user: str, home: _Open, asked: Laid | None = None, *, is_opening: bool = False
    ) -> bool:
        async with home.drawing:
            # The layout of a view that was replaced in the meantime must not be restored.
            is_replaced = asked is not None and (asked.has_rows or is_opening) and asked.at < home.laid.at
            laid = home.laid if asked is None or is_replaced else asked
            if asked is not None:
                now = int(ctx.clock.now().timestamp() * 1_000)
                laid = (
                    laid.opened(now, pressed=home.laid.pressed)
                    if is_opening
                    else laid.model_copy(update={"pressed": now})
                )
            home.looked_at = ctx.clock.boottime()
            before, home.shown = home.shown, ""  # unknown until Slack accepts the view
            try:
                seen = await _counters(ctx)
                found = await look(ctx, user, laid)
                home.laid = home.laid if isinstance(found, No) else found.laid
                view = self._draw(found, ctx.policy, ctx.clock.now())
                shown = _without_moment(view)
                changed = asked is not None or shown != before
                self._left -= 1.0 if changed else _LOOK
                if changed:
                    replaced = home.hash if asked is None else ""
                    home.hash = await ctx.messenger.publish_home(user=user, view=view, hash=replaced)
            except ServiceNever as refused:  # another process has drawn it since, or the tab doesn't exist
                self._forget(user, home)
                log.info("a home is not drawn again", reason=str(refused))
                return False
            except (ServiceNow, OutcomeUnknown, StorageError) as trouble:
                home.hash, home.seen = "", _NOTHING
                self._held_until = home.looked_at + (getattr(trouble, "retry_after", None) or _HELD)
                log.info("a home was not drawn", reason=str(trouble))
                return False
            home.shown, home.seen = shown, seen
            if isinstance(found, No):
                self._forget(user, home)
            return changed

    def _forget(self, user: str, home: _Open) -> None:
        if self._open.get(user) is home:
            del self._open[user]

    def _has_room(self, now: float) -> bool:
        self._left = min(self._left + (now - self._counted_at) * _A_SECOND, float(_AT_ONCE))
        self._counted_at = now
        return self._left >= 1


async def _counters(ctx: Context) -> tuple[int, int]:
    """Return the change counters: audit rows of all processes, and the writes of this process."""
    rows = await ctx.read(lambda uow: uow.audit.head().seq)
    return rows, ctx.store.writer.changes


def _without_moment(view: Block) -> str:
    """Return the view without its last line, which shows when it was drawn."""
    return json.dumps({**view, "blocks": view["blocks"][:-1]}, sort_keys=True)

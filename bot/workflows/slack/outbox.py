"""The outbox worker sends each queued post once. If an answer was lost, it searches for the post before a retry."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import structlog

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.reasons import NO_PLACE, Reason, slack_error
from bot.domain.references import ulid
from bot.domain.tracking import back_off
from bot.slack.messenger import TOO_RICH, Posted, Stretch
from bot.slack.pace import Turn
from bot.slack.people import named
from bot.workflows.alerts import tell, tell_everybody
from bot.workflows.context import PLAIN, Attachment, Context, Subject, Unit
from bot.workflows.slack.boards import ELSEWHERE, PRIVATE, post_anew, queue, split
from bot.workflows.workers import Work
from storage.leases import LEASE_SECONDS
from storage.rows import Action, Board, OutboxRow, OutboxState

_KEY = "search"
"""Key in a payload: progress of an unfinished search for the post."""
_CLOCK_SKEW = timedelta(seconds=60)
"""By how much Slack's clock may differ from ours."""


def posted_between(ctx: Context, begun: datetime) -> tuple[float, float]:
    """Return the range of Slack timestamps for posts since ``begun``, widened by the possible error of both clocks."""
    now, wide = ctx.clock.now(), ctx.clock.doubt + _CLOCK_SKEW
    return (min(begun, now) - wide).timestamp(), (max(begun, now) + wide).timestamp()


DIRECT = "direct"
"""Key in a payload: send to the requester instead of the board's conversation."""
_FILE_TRIES = 4
"""Attempts before a message replaces a file, if possible: a file must not hold up later posts."""


def speaker_of(ctx: Context, row: OutboxRow) -> tuple[Subject, str]:
    """Return the subject that supplies the row's content, and the id to pass to it."""
    kind, name = split(row.subject)
    return ctx.subjects[kind], name


async def where(ctx: Context, row: OutboxRow, board: Board | None) -> tuple[str, str | None]:
    """Return the row's conversation and thread. Raises ServiceTrouble, see :func:`bot.slack.calls.call`."""
    if board is None or row.place == ELSEWHERE:
        is_person = row.channel.startswith(("U", "W"))
        return await ctx.messenger.direct_message(row.channel) if is_person else row.channel, None
    channel = board.channel
    if row.payload.get(DIRECT) or not channel:
        channel = await ctx.messenger.direct_message(board.requester)
    if row.action == Action.BOARD:
        return channel, board.thread_ts
    return channel, board.thread if channel == board.channel else None


async def _content(ctx: Context, row: OutboxRow) -> Attachment | Content | None:
    speaker, name = speaker_of(ctx, row)
    match Action(row.action):
        case Action.BOARD:
            return await speaker.board(ctx, name)
        case Action.LINE:
            return await speaker.line(ctx, name, row.payload)
        case Action.FILE:
            payload = {**row.payload, PLAIN: True} if row.attempts > _FILE_TRIES else row.payload
            return await speaker.file(ctx, name, payload)


log = structlog.get_logger(__name__)

SCAN_AFTER = timedelta(seconds=10)
"""Slack's own read-after-write lag: how long a message we may have posted can stay invisible."""
_FILE_SCAN_AFTER = timedelta(seconds=30)
"""Like :data:`SCAN_AFTER`, for a message with a file, which Slack processes first."""
_ENOUGH = timedelta(seconds=45)
"""Remaining lease that suffices: longer than a search and a post take."""
_DEAD_AFTER = 12
_BLIND_AFTER = 4
"""Attempts if Slack forbids the search: two such answers may be wrong, and more attempts would keep people waiting."""

_BELOW_NEW = "below_new"
"""Key in a payload: the board was posted again because its thread was gone; done only once per row."""
_NO_THREAD = "thread_not_found"
_UNUSABLE = "unusable:"
"""Prefix of the flag for a policy channel in which nothing can be posted, followed by its id."""
_SELDOM = timedelta(minutes=5)
"""Interval between attempts to post a card in a channel that has long been unusable."""


async def _deliver_ours(ctx: Context, row: OutboxRow) -> None:
    # Before the first await: rows enter the queue of their conversation in the order in which they were claimed.
    with ctx.turns.queued(row.channel, row.id) as turn:
        if row.before is not OutboxState.UNKNOWN:
            await (_whisper(ctx, row) if _is_whispered(row) else _deliver(ctx, row, turn))
            return
        turn.step_back()
        if _is_whispered(row):  # an ephemeral message can't be searched for; a direct message can
            await _redirected(ctx, row, None, "")
            return
        missing = await _missing(ctx, row) if await _is_ours(ctx, row) else None
        if missing is not None:
            await _deliver(ctx, missing, turn)


async def _is_ours(ctx: Context, row: OutboxRow) -> bool:
    """Return whether this process holds the row; its lease may have run out during earlier posts, so extend it."""
    now = ctx.clock.now()
    if row.lease_until is not None and row.lease_until - now > _ENOUGH:
        return True
    until = now + timedelta(seconds=LEASE_SECONDS)
    return await ctx.write(lambda uow: uow.outbox.hold(row, now=now, until=until), name="hold_post", wakes=False)


async def _deliver(ctx: Context, row: OutboxRow, turn: Turn) -> None:
    await turn.begin()
    if not await _is_ours(ctx, row):
        return
    board = await ctx.read(lambda uow: uow.boards.get(row.subject))
    try:
        channel, thread_ts = await where(ctx, row, board)
        if row.action != Action.FILE:
            turn.keep_pace(channel, first=row.urgent)
        content = await _content(ctx, row)
        if content is None:
            posted = None
        elif isinstance(content, Attachment):
            posted = await ctx.files.share(
                name=content.name,
                content=content.content,
                title=content.title,
                alt=content.alt,
                comment=content.comment,
                channel=channel,
                thread_ts=thread_ts,
            )
        else:  # the plainer blocks if Slack refused the original ones before
            plain = row.last_error in TOO_RICH
            said = Content(text=content.text, blocks=content.plainer) if plain else content
            posted = await ctx.messenger.post(channel=channel, content=said, marker=row.id, thread_ts=thread_ts)
    except ServiceNow as later:
        if later.retry_after is not None:
            turn.put_off(later.retry_after)
        await _again(ctx, row, wait=later.retry_after, why=later.reason)
    except OutcomeUnknown as lost:
        due = ctx.clock.now() + (_FILE_SCAN_AFTER if row.action == Action.FILE else SCAN_AFTER)
        error = _code(lost.reason)
        await ctx.write(
            lambda uow: uow.outbox.unknown(row.id, due_at=due, error=error), name="post_unknown", wakes=False
        )
    except ServiceNever as refused:
        await _refused(ctx, row, board, refused.reason)
    else:
        await ctx.write(lambda uow: store_posted(uow, row, board, posted), name="posted")


async def _missing(ctx: Context, row: OutboxRow) -> OutboxRow | None:
    """Return the row if its message was certainly not posted after an unknown outcome; otherwise store the outcome."""
    board = await ctx.read(lambda uow: uow.boards.get(row.subject))
    stretch: Stretch | None = None
    try:
        channel, thread_ts = await where(ctx, row, board)
        oldest, latest = posted_between(ctx, row.created_at)
        stretch = Stretch(channel=channel, thread_ts=thread_ts, oldest=oldest, latest=latest)
        begun = row.payload.get(_KEY)
        if isinstance(begun, Mapping) and begun["where"] == [channel, thread_ts]:
            stretch = replace(stretch, oldest=begun["oldest"], latest=begun["latest"], cursor=begun["cursor"])
        names: frozenset[str] = frozenset()  # a file is found by name; a message has its marker
        if row.action == Action.FILE:
            payload = {key: row.payload[key] for key in row.payload.keys() - {PLAIN}}
            file = await _content(ctx, replace(row, attempts=0, payload=payload))
            if isinstance(file, Attachment):
                names = frozenset({file.name, file.title} if file.own_title else {file.name})
        there = await ctx.messenger.find(stretch, marker=row.id, names=names)
    except ServiceTrouble as silent:
        await _not_searched(ctx, row, board, silent, stretch)
        return None
    if there is not None:
        await ctx.write(lambda uow: store_posted(uow, row, board, there, found=True), name="found_post")
        return None
    if _KEY not in row.payload:
        return row
    # Stored before posting again: the new message is outside every range that was already searched.
    payload = {key: value for key, value in row.payload.items() if key != _KEY}
    await ctx.write(lambda uow: uow.outbox.note(row.id, payload), name="searched", wakes=False)
    return replace(row, payload=payload)


async def _not_searched(
    ctx: Context, row: OutboxRow, board: Board | None, silent: ServiceTrouble, stretch: Stretch | None
) -> None:
    """Schedule another search before a resend; after too many failures, resend. Delays and progress aren't failures."""
    error = _code(silent.reason)
    is_final = isinstance(silent, ServiceNever)
    asked = silent.retry_after
    begun = row.payload.get(_KEY)
    known = begun["cursor"] if isinstance(begun, Mapping) else ""
    cursor = stretch.cursor if stretch is not None else ""
    counted = asked is None and cursor in ("", known)
    if not counted or row.attempts < (_BLIND_AFTER if is_final else _DEAD_AFTER):
        due = ctx.clock.now() + (_pause(row) if asked is None else timedelta(seconds=asked))
        payload = dict(row.payload)
        if stretch is not None and cursor:
            found = {"where": [stretch.channel, stretch.thread_ts], "oldest": stretch.oldest, "latest": stretch.latest}
            payload[_KEY] = {**found, "cursor": cursor}
        await ctx.write(
            lambda uow: uow.outbox.unknown(row.id, due_at=due, error=error, payload=payload, counted=counted),
            name="post_unknown",
            wakes=False,
        )
    elif is_final and error in NO_PLACE:
        await _refused(ctx, row, board, silent.reason)  # if the bot isn't a member, it can't edit its messages
    else:
        log.error("message delivery unconfirmed, resending", outbox=row.id, error=error)
        await _again(ctx, row, wait=None, why=silent.reason)  # posting twice is better than never


def store_posted(uow: Unit, row: OutboxRow, board: Board | None, at: Posted | None, *, found: bool = False) -> None:
    """Store where a message was posted. A message found by search may show an older state, so queue an edit of it."""
    if at is None:
        uow.outbox.dead(row.id, error="nothing to say any more")
        return
    uow.outbox.sent(row.id, channel=at.channel, ts=at.ts, now=uow.now)
    _note_channel(uow, at.channel, None)
    if row.action == Action.BOARD and board is not None:
        version = 0 if found else board.wanted_version
        uow.boards.posted(row.subject, channel=at.channel, ts=at.ts, version=version, now=uow.now)
        speaker, name = speaker_of(uow.ctx, row)
        speaker.posted(uow, name)


async def _refused(ctx: Context, row: OutboxRow, board: Board | None, why: Reason) -> None:
    """Handle a final refusal by Slack: try another conversation or plainer blocks, retry later, or give up."""
    error = _code(why)
    if await _redirected(ctx, row, board, error):
        return
    speaker, name = speaker_of(ctx, row)
    is_homeless = error in NO_PLACE and row.action == Action.BOARD
    channel = board.channel if board is not None and row.place != ELSEWHERE else row.channel
    if error in NO_PLACE:
        await ctx.write(lambda uow: _note_channel(uow, channel, why), name="no_place", wakes=False)
    if is_homeless:
        await ctx.write(lambda uow: speaker.homeless(uow, name, why), name="homeless", wakes=False)
    is_alert = channel == ctx.policy.alerts and (board is None or row.place == ELSEWHERE)
    if is_alert and error in NO_PLACE and row.action == Action.LINE and await _told_directly(ctx, row, why):
        return
    if error in TOO_RICH:
        log.error("Slack refused the blocks of a message", outbox=row.id, error=error)
    is_old = row.attempts >= _DEAD_AFTER
    insists = is_homeless or (row.action == Action.BOARD and speaker.patient)
    if row.action == Action.FILE or (is_old and not insists):
        log.error("a message could not be delivered", outbox=row.id, error=error)

        def give_up(uow: Unit) -> None:
            uow.outbox.dead(row.id, error=error)
            if not speaker.given_up(uow, row, why):
                _tell_undelivered(uow, row, channel, why)

        await ctx.write(give_up, name="dead", wakes=False)
        return
    if is_homeless and is_old and not speaker.patient:  # posted once the channel can be used again
        await ctx.write(lambda uow: _tell_undelivered(uow, row, channel, why), name="undelivered", wakes=False)
        await _again(ctx, row, wait=None, why=why, pause=_SELDOM)
        return
    await _again(ctx, row, wait=None, why=why)


def _tell_undelivered(uow: Unit, row: OutboxRow, channel: str, why: Reason) -> None:
    tell_everybody(uow, key=f"undelivered:{row.key}", facts={"subject": row.subject, **_unusable(uow, channel, why)})


def _unusable(uow: Unit, channel: str, why: Reason) -> dict[str, object]:
    """Return the facts for the alert that nothing can be posted in a channel."""
    setting = uow.policy.setting_of(channel)
    return {"topic": "undelivered", "channel": channel, "reason": why.stored(), "setting": setting}


def _note_channel(uow: Unit, channel: str, why: Reason | None) -> None:
    """Flag a policy channel as unusable, or if ``why`` is None, remove the flag and announce that the channel works."""
    if not uow.policy.setting_of(channel):
        return
    key = f"{_UNUSABLE}{channel}:"
    if why is not None:
        uow.flags.add(key, why.stored(), uow.now)
    elif uow.flags.readable(key) is not None and uow.flags.forget(key):
        tell_everybody(uow, key=f"channel_works:{ulid(uow.now)}", facts={"topic": "channel_works", "channel": channel})


async def _told_directly(ctx: Context, row: OutboxRow, why: Reason) -> bool:
    """Send an alert to each admin because the alerts channel is unusable; return False if none can be determined."""
    try:
        admins = await named(ctx.policy.people.admins, ctx.people)
    except ServiceNow:
        return False  # retried with the post
    day, channel = f"{ctx.clock.now():%Y-%m-%d}", ctx.policy.alerts

    def work(uow: Unit) -> None:
        uow.outbox.dead(row.id, error=_code(why))
        for admin in admins:
            tell(uow, admin, key=f"no_alerts_channel:{admin}:{day}", facts=_unusable(uow, channel, why))
            key, about = f"{row.key}:{admin}", row.instruction_id
            queue(uow, Action.LINE, row.subject, key, channel=admin, payload=row.payload, place=ELSEWHERE, about=about)

    if admins:
        await ctx.write(work, name="told_directly")
    return bool(admins)


def _is_whispered(row: OutboxRow) -> bool:
    return row.place == PRIVATE and not row.payload.get(DIRECT)


async def _whisper(ctx: Context, row: OutboxRow) -> None:
    """Show an ephemeral answer to the requester; send a direct message if that is impossible or unconfirmed."""
    speaker, name = speaker_of(ctx, row)
    content, address = await _content(ctx, row), await speaker.address(ctx, name)
    if not isinstance(content, Content):
        await ctx.write(lambda uow: store_posted(uow, row, None, None), name="posted")
        return
    try:
        await ctx.ephemerals.hand(content, response_url=address)
    except ServiceTrouble as lost:
        log.info("a private answer goes to the person directly", outbox=row.id, reason=str(lost.reason))
        await _redirected(ctx, row, None, "")
    else:
        now = ctx.clock.now()
        await ctx.write(lambda uow: uow.outbox.sent(row.id, channel="", ts="", now=now), name="posted")


async def _redirected(ctx: Context, row: OutboxRow, board: Board | None, error: str) -> bool:
    return await ctx.write(lambda uow: _redirect(uow, row, board, error), name="redirect")


def _redirect(uow: Unit, row: OutboxRow, board: Board | None, error: str) -> bool:
    """Queue the post elsewhere: directly, outside a deleted thread, below a new board, or without the file.

    Returns False if no alternative is left.
    """
    payload = dict(row.payload)
    personal = board if board is not None and board.requester else None
    if _is_whispered(row):
        payload[DIRECT] = True
    elif personal and error in NO_PLACE and personal.channel and not payload.get(DIRECT):
        if row.action == Action.BOARD:
            uow.boards.go_elsewhere(row.subject, direct=True)
        else:
            payload[DIRECT] = True
    elif board and error in NO_PLACE and _home(uow, row) not in ("", board.channel):
        uow.boards.move_to(row.subject, _home(uow, row))
    elif personal and error == _NO_THREAD and personal.thread_ts is not None:
        uow.boards.go_elsewhere(row.subject, direct=False)
    elif error == _NO_THREAD and board is not None and row.action != Action.BOARD and not payload.get(_BELOW_NEW):
        post_anew(uow, board)
        payload[_BELOW_NEW] = True
    elif row.action == Action.FILE and not payload.get(PLAIN):
        log.warning("Slack refused a file", outbox=row.id, error=error)
        payload[PLAIN] = True
    else:
        return False
    return uow.outbox.redirect(row.id, payload=payload, due_at=uow.now)


def _home(uow: Unit, row: OutboxRow) -> str:
    """Return the channel that the policy currently names for a card; empty for other posts."""
    if row.action != Action.BOARD:
        return ""
    speaker, name = speaker_of(uow.ctx, row)
    return speaker.home(uow, name)


async def _again(
    ctx: Context, row: OutboxRow, *, wait: float | None, why: Reason, pause: timedelta | None = None
) -> None:
    """Retry after Slack's Retry-After, uncounted, else with backoff. A file's retries count: text may replace it."""
    counted = wait is None or row.action == Action.FILE
    due = ctx.clock.now() + ((pause or _pause(row)) if wait is None else timedelta(seconds=wait))
    said = _code(why) if counted else row.last_error or _code(why)  # keeps Slack's objection to the blocks
    await ctx.write(
        lambda uow: uow.outbox.again(row.id, due_at=due, error=said, counted=counted), name="post_again", wakes=False
    )


def _code(why: Reason) -> str:
    """Return Slack's error code, or a text for the operator if the error isn't Slack's."""
    return slack_error(why) or str(why)


def _pause(row: OutboxRow) -> timedelta:
    return back_off(first=1.0, attempts=row.attempts, ceiling=60.0)


OUTBOX: Work[OutboxRow] = Work(
    name="outbox",
    table="outbox",
    slots=100,
    claim=lambda uow, hold: uow.outbox.claim_due(**hold),
    step=lambda ctx: partial(_deliver_ours, ctx),
)
"""Send queued posts."""

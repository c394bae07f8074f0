"""``/switchboard``: how it stands, its audit and the export, the button that resumes stopped work; the App Home."""

import tempfile
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, Final, Literal

import structlog

from bot.domain.approvals import No, Role, listed, may_see_balance
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceTrouble
from bot.domain.fields import reference
from bot.presentation import answers, notices, overview, unread
from bot.presentation import audit as audit_words
from bot.presentation.bookings import lines as booking_audit
from bot.workflows import quarantine
from bot.workflows.admin import audit
from bot.workflows.admin.overview import look, under_way, unread_answers
from bot.workflows.admin.overview import overview as everything
from bot.workflows.bookings.follow import unknown_states
from handlers.grammar.admission import admit, send_file
from handlers.grammar.verbs import Argument, SlashCommand, Values, Verb, wrong
from handlers.incoming import Click, Command, an_id, reading
from handlers.replies import Answer, Later, Nothing, Private, Reply
from handlers.router import ClickHandler, Dependencies, EventHandler

log = structlog.get_logger(__name__)

NAME: Final = "switchboard"
_PIECE: Final = 64 * 1024
_RULE: Final = "a reference such as P-4F7K2M or B-4F7K2M, or the operation's id"
_READERS: Final = (Role.ADMIN, Role.APPROVER)
"""Roles that may read the audit of every request; requesters may read that of their own."""


async def _page(
    deps: Dependencies, command: Command, _values: Values, *, page: Literal["status", "unread", "jobs", "routes"]
) -> Reply:
    await admit(deps, command.user, may_see_balance)
    ctx = deps.ctx
    match page:
        case "status":
            content = overview.status(await everything(ctx), command=deps.spelled(NAME), now=ctx.clock.now())
        case "unread":
            content = unread.listing(await unread_answers(ctx.store), await unknown_states(ctx))
        case "jobs":
            content = overview.jobs(await under_way(ctx))
        case "routes":
            words = ctx.delivery.client.client.words if ctx.delivery.client is not None else ()
            content = overview.assumptions(ctx.assumptions, words)
    return Private(content)


async def _audit(deps: Dependencies, command: Command, values: Values) -> Reply:
    standing = await admit(deps, command.user)
    reader = any(listed(role, standing, deps.ctx.policy.people) for role in _READERS)
    store, text = deps.ctx.store, values["id"]
    found = await audit.story(store, text)
    if found is not None and (reader or found.about.requester == command.user):
        return Private(audit_words.story(found.about, found.rows, is_complete=found.is_complete))
    delivery = await audit.booking_story(store, text)
    if delivery is not None and (reader or delivery.about.requester == command.user):
        return Private(booking_audit.story(delivery.about, delivery.rows, is_complete=delivery.is_complete))
    raise wrong(deps, NAME, _AUDIT.example, argument="id", rule=answers.unknown("request", _RULE), given=text)


async def _export(deps: Dependencies, command: Command, _values: Values) -> Reply:
    await admit(deps, command.user, may_see_balance)

    async def share() -> Answer:
        ctx = deps.ctx
        with tempfile.TemporaryFile() as kept:
            rows = await audit.export(ctx.store, kept)
            length = kept.tell()
            kept.seek(0)

            async def pieces() -> AsyncIterator[bytes]:
                while piece := kept.read(_PIECE):
                    yield piece

            name = f"switchboard-audit-{ctx.clock.now():%Y-%m-%d}.csv"
            try:
                await send_file(deps, command.user, pieces(), length, name=name, **audit_words.FILE)
            except ServiceTrouble as denied:
                return Private(answers.not_shared(denied))
        return Private(overview.exported(rows))

    return Later(share, Private(overview.EXPORTING))


async def try_again(deps: Dependencies, click: Click) -> Reply:
    """Resume the rows that the error with this number stopped, if the user is an admin."""
    done = await quarantine.try_again(deps.ctx, number=click.value, person=click.user)
    if isinstance(done, No):
        return Private(answers.refused(done))
    return Private(notices.GOES_ON if done else notices.NOTHING_STOPPED)


async def opened(deps: Dependencies, body: Mapping[str, Any]) -> None:
    """Publish the home when a user opens it; the messages tab needs nothing."""
    event = body["event"]
    with reading():
        user = an_id(event.get("user"))
    if event.get("tab", "home") == "home":
        await _draw(deps, user)


async def refresh(deps: Dependencies, click: Click) -> Reply:
    await _draw(deps, click.user)
    return Nothing()


async def _draw(deps: Dependencies, user: str) -> None:
    ctx = deps.ctx
    found = await look(ctx, user)
    drawn = (
        overview.closed(found)
        if isinstance(found, No)
        else overview.view(**found, approvals_channel=ctx.policy.channels.approvals, now=ctx.clock.now())
    )
    try:
        await deps.messenger.publish_home(user=user, view=drawn)
    except (ServiceNever, OutcomeUnknown) as refused:
        log.info("a home was not drawn", reason=str(refused))


_STATUS = Verb("status", "services, what is under way, how long queues wait", partial(_page, page="status"))
_UNREAD = Verb(
    "unread", "service answers that could not be read, and the lines to fix it", partial(_page, page="unread")
)
_JOBS = Verb("jobs", "what is under way: payments, calls, lists, bookings", partial(_page, page="jobs"))
_AUDIT = Verb(
    "audit",
    "what happened to one request or booking, who did it and when",
    _audit,
    example="audit P-4F7K2M",
    arguments=(Argument(name="id", rule=_RULE, read=reference),),
)
_EXPORT = Verb("audit export", "the whole audit as a file, in a direct message", _export)
_ROUTES = Verb("routes", "what is assumed about the services and not confirmed", partial(_page, page="routes"))

COMMAND = SlashCommand(
    NAME,
    "See how Switchboard stands, what it did, and who told it to",
    (_STATUS, _UNREAD, _JOBS, _AUDIT, _EXPORT, _ROUTES),
)
BUTTONS: dict[str, ClickHandler] = {notices.TRY_AGAIN: try_again, overview.REFRESH: refresh}
EVENTS: dict[str, EventHandler] = {"app_home_opened": opened}

"""``/switchboard``: how it stands, its audit and the export, the button that resumes stopped work; the App Home."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, Final, Literal

import structlog

from bot.domain.approvals import No, Refusal, Role, listed, may_see_balance
from bot.domain.bookings.booking import Booking
from bot.domain.errors import OutcomeUnknown, ServiceNever
from bot.domain.fields import reference
from bot.domain.payments.instruction import Instruction
from bot.presentation import answers, lists, notices, overview, unread
from bot.presentation import audit as audit_words
from bot.presentation.bookings import lines as booking_audit
from bot.workflows import quarantine
from bot.workflows.admin import audit
from bot.workflows.admin.overview import MOST_IN_A_FILE, look, under_way, unread_answers
from bot.workflows.admin.overview import overview as everything
from bot.workflows.bookings.follow import unknown_states
from handlers.grammar.admission import admit
from handlers.grammar.verbs import Argument, SlashCommand, Values, Verb, wrong
from handlers.incoming import Click, Command, an_id, reading
from handlers.lists import Listing, ListReader, Rows, share, write_table
from handlers.replies import DeclinedError, Later, Nothing, Private, Reply
from handlers.router import ClickHandler, Dependencies, EventHandler

log = structlog.get_logger(__name__)

NAME: Final = "switchboard"
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


async def _story(deps: Dependencies, user: str, text: str) -> audit.Story[Instruction] | audit.Story[Booking] | None:
    """The audit of a request or a booking, if there is one that this user may read."""
    standing = await admit(deps, user)
    reader = any(listed(role, standing, deps.ctx.policy.people) for role in _READERS)
    found: audit.Story[Instruction] | audit.Story[Booking] | None
    for look_up in (audit.story, audit.booking_story):
        found = await look_up(deps.ctx.store, text)
        if found is not None and (reader or found.about.requester == user):
            return found
    return None


async def _audit(deps: Dependencies, command: Command, values: Values) -> Reply:
    found = await _story(deps, command.user, values["id"])
    if found is None:
        rule = answers.unknown("request", _RULE)
        raise wrong(deps, NAME, _AUDIT.example, argument="id", rule=rule, given=values["id"])
    if isinstance(found.about, Booking):
        return Private(booking_audit.story(found.about, found.rows, is_complete=found.is_complete))
    return Private(audit_words.story(found.about, found.rows, is_complete=found.is_complete))


async def _audit_rows(deps: Dependencies, user: str, value: str) -> Listing:
    found = await _story(deps, user, value)
    if found is None:
        raise DeclinedError(answers.refused(Refusal.STALE))
    title, name = f"Audit of {found.about.reference}", f"audit-{found.about.reference}"
    return Listing(title=title, name=name, write=partial(audit.export, deps.ctx.store, about=found.about.id))


async def _export(deps: Dependencies, command: Command, _values: Values) -> Reply:
    await admit(deps, command.user, may_see_balance)
    whole = Listing(title=audit_words.TITLE, name="switchboard-audit", write=partial(audit.export, deps.ctx.store))
    return Later(partial(share, deps, command.user, whole, **audit_words.FILE), Private(lists.PREPARING))


async def _all_jobs(deps: Dependencies, user: str, _value: str) -> Listing:
    await admit(deps, user, may_see_balance)

    async def pages() -> AsyncIterator[Rows]:
        yield [overview.JOBS_HEADER]
        yield map(overview.job_row, (await under_way(deps.ctx, most=MOST_IN_A_FILE)).rows)

    return Listing(title="Under way", name="under-way", write=partial(write_table, pages()))


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
LISTS: dict[str, ListReader] = {overview.JOBS: _all_jobs, audit_words.LIST: _audit_rows}
BUTTONS: dict[str, ClickHandler] = {notices.TRY_AGAIN: try_again, overview.REFRESH: refresh}
EVENTS: dict[str, EventHandler] = {"app_home_opened": opened}

"""``/switchboard``: status, audit and its export, and the button that resumes stopped work."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Final, Literal

from bot.domain.approvals import No, Refusal, Role, listed, may_see_balance
from bot.domain.bookings.booking import Booking
from bot.domain.fields import reference
from bot.domain.payments.instruction import Instruction
from bot.presentation import answers, lists, notices, overview, unread
from bot.presentation import audit as audit_words
from bot.presentation.bookings import lines as booking_audit
from bot.workflows import quarantine
from bot.workflows.admin import audit
from bot.workflows.admin.overview import MOST_IN_A_FILE, under_way
from bot.workflows.admin.overview import overview as everything
from bot.workflows.admin.unread_log import unread_answers
from bot.workflows.bookings.follow import unknown_states
from handlers.grammar.admission import admit
from handlers.grammar.arguments import Argument, Values, wrong
from handlers.grammar.verbs import SlashCommand, Verb
from handlers.incoming import Click, Command
from handlers.lists import Listing, ListReader, Rows, share, write_table
from handlers.replies import DeclinedError, Later, Private, Reply
from handlers.router import ClickHandler, Dependencies

NAME: Final = "switchboard"
_RULE: Final = "a reference such as P-4F7K2M or B-4F7K2M"
_READERS: Final = (Role.ADMIN, Role.APPROVER)
"""Roles that may read the audit of every request; requesters may read only that of their own requests."""


async def _page(
    deps: Dependencies, command: Command, _values: Values, *, page: Literal["status", "unread", "jobs", "routes"]
) -> Reply:
    standing, ctx = await admit(deps, command.user, may_see_balance), deps.ctx
    match page:
        case "status":
            is_admin = listed(Role.ADMIN, standing, ctx.policy.people)
            found, command_here = await everything(ctx), deps.spelled(NAME)
            content = overview.status(found, command=command_here, now=ctx.clock.now(), for_admin=is_admin)
        case "unread":
            content = unread.listing(await unread_answers(ctx.store), await unknown_states(ctx))
        case "jobs":
            content = overview.jobs(await under_way(ctx))
        case "routes":
            words = ctx.delivery.client.client.words if ctx.delivery.client is not None else ()
            content = overview.assumptions(ctx.assumptions, words)
    return Private(content)


async def _story(deps: Dependencies, user: str, text: str) -> audit.Story[Instruction] | audit.Story[Booking] | None:
    """Return the audit of a request or booking; None if it doesn't exist or the user may not read it."""
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
        raise wrong(deps, NAME, "", argument="id", rule=answers.unknown(values["id"]))
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

    return Listing(title="In progress", name="in-progress", write=partial(write_table, pages()))


async def try_again(deps: Dependencies, click: Click) -> Reply:
    """Resume the rows stopped by the error with this number, if the user is an admin."""
    done = await quarantine.try_again(deps.ctx, number=click.value, person=click.user)
    if isinstance(done, No):
        return Private(answers.refused(done))
    return Private(notices.GOES_ON if done else notices.NOTHING_STOPPED)


_STATUS = Verb("status", "services, what is in progress, how long queues wait", partial(_page, page="status"))
_UNREAD = Verb("unread", "provider answers that could not be read, and how to fix it", partial(_page, page="unread"))
_JOBS = Verb("jobs", "what is in progress: payments, calls, lists, bookings", partial(_page, page="jobs"))
_AUDIT = Verb(
    "audit",
    "history of one request or booking",
    _audit,
    example="audit P-4F7K2M",
    arguments=(Argument(name="id", rule=_RULE, read=reference),),
)
_EXPORT = Verb("audit export", "the whole audit log as a file, in a direct message", _export)
_ROUTES = Verb("routes", "API routes that are not confirmed", partial(_page, page="routes"))

COMMAND = SlashCommand(
    NAME,
    "Status, jobs and audit log",
    (_STATUS, _UNREAD, _JOBS, _AUDIT, _EXPORT, _ROUTES),
    (("Status", "status"), ("Jobs", "jobs"), ("Unread answers", "unread"), ("Routes to confirm", "routes")),
)
LISTS: dict[str, ListReader] = {overview.JOBS: _all_jobs, audit_words.LIST: _audit_rows}
BUTTONS: dict[str, ClickHandler] = {notices.TRY_AGAIN: try_again}

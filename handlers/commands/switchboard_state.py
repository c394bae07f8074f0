"""``/switchboard status|unread|jobs|routes`` and ``audit export``: for those who run it."""

import tempfile
from collections.abc import AsyncIterator

from bot.domain.approvals import may_see_balance
from bot.domain.errors import ServiceTrouble
from bot.presentation import answers, overview, unread
from bot.presentation import audit as audit_words
from bot.workflows.admin import audit
from bot.workflows.admin.overview import overview as everything
from bot.workflows.admin.overview import under_way
from bot.workflows.admin.unread import unread_answers
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input.admission import admit
from handlers.input.grammar import Values, Verb
from handlers.replies import Answer, Later, Private, Reply

COMMAND = "switchboard"
_PIECE = 64 * 1024


async def _status(deps: Dependencies, command: Command, _values: Values) -> Reply:
    await admit(deps, command.user, may_see_balance)
    found = await everything(deps.ctx)
    return Private(overview.status(found, command=deps.spelled(COMMAND), now=deps.ctx.clock.now()))


async def _jobs(deps: Dependencies, command: Command, _values: Values) -> Reply:
    await admit(deps, command.user, may_see_balance)
    return Private(overview.jobs(await under_way(deps.ctx)))


async def _unread(deps: Dependencies, command: Command, _values: Values) -> Reply:
    await admit(deps, command.user, may_see_balance)
    return Private(unread.listing(await unread_answers(deps.ctx.store)))


async def _routes(deps: Dependencies, command: Command, _values: Values) -> Reply:
    await admit(deps, command.user, may_see_balance)
    return Private(overview.assumptions(deps.ctx.assumptions))


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

            try:
                await ctx.files.share_stream(
                    name=f"switchboard-audit-{ctx.clock.now():%Y-%m-%d}.csv",
                    chunks=pieces(),
                    length=length,
                    title=audit_words.FILE_TITLE,
                    alt=audit_words.FILE_ALT,
                    comment=audit_words.FILE_COMMENT,
                    channel=await deps.messenger.direct_message(command.user),
                    thread_ts=None,
                )
            except ServiceTrouble as denied:
                return Private(answers.not_shared(denied))
        return Private(overview.exported(rows))

    return Later(share, Private(overview.exporting()))


STATUS = Verb("status", "services, what is under way, how long queues wait", _status)
UNREAD = Verb("unread", "service answers that could not be read, and the lines to fix it", _unread)
JOBS = Verb("jobs", "what is under way: payments, calls, lists, bookings", _jobs)
EXPORT = Verb("audit export", "the whole audit as a file, in a direct message", _export)
ROUTES = Verb("routes", "what is assumed about the services and not confirmed", _routes)

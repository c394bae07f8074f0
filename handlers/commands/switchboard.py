"""``/switchboard``: the state of Switchboard, and its audit."""

from bot.domain.approvals import Role, listed
from bot.domain.content import Content
from bot.presentation import audit
from bot.presentation.bookings import audit as booking_audit
from bot.presentation.mistakes import unknown
from bot.workflows.admin.audit import booking_story, story
from handlers.commands.switchboard_state import EXPORT, JOBS, ROUTES, STATUS, UNREAD
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import dispatch, fields
from handlers.input.admission import admit
from handlers.input.grammar import Argument, Values, Verb, wrong
from handlers.replies import Private, Reply

NAME = "switchboard"
SUMMARY = "See how Switchboard stands, what it did, and who told it to"

_RULE = "a reference such as P-4F7K2M or B-4F7K2M, or the operation's id"
_READERS = (Role.ADMIN, Role.APPROVER)
"""Roles that may read the audit of every request; requesters may read that of their own."""


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)


async def _audit(deps: Dependencies, command: Command, values: Values) -> Reply:
    standing = await admit(deps, command.user)
    reader = any(listed(role, standing, deps.ctx.policy.people) for role in _READERS)
    told = await _told(deps, values["id"], reader=None if reader else command.user)
    if told is None:
        raise wrong(deps, NAME, _AUDIT.example, argument="id", rule=unknown("request", _RULE), given=values["id"])
    return Private(told)


async def _told(deps: Dependencies, text: str, *, reader: str | None) -> Content | None:
    """The story of a request or a booking; ``reader``: of those they asked for only, None: of any."""
    store = deps.ctx.store
    found = await story(store, text)
    if found is not None and reader in (None, found.about.requester):
        return audit.story(found.about, found.rows, is_complete=found.is_complete)
    delivery = await booking_story(store, text)
    if delivery is not None and reader in (None, delivery.about.requester):
        return booking_audit.story(delivery.about, delivery.rows, is_complete=delivery.is_complete)
    return None


_AUDIT = Verb(
    "audit",
    "what happened to one request or booking, who did it and when",
    _audit,
    example="audit P-4F7K2M",
    arguments=(Argument(name="id", rule=_RULE, read=fields.operation),),
)

VERBS = (STATUS, UNREAD, JOBS, _AUDIT, EXPORT, ROUTES)
"""In the order of the help."""

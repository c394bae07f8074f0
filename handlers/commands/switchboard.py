"""``/switchboard``: look at Switchboard itself and at what it did."""

from bot.domain.approvals import Role, full_member, listed
from bot.domain.errors import PersonError
from bot.presentation import answers
from bot.presentation.audit import story as told
from bot.workflows.audit import story
from handlers.commands import dispatch, fields
from handlers.commands.grammar import Argument, MistakesError, Values, Verb
from handlers.commands.switchboard_state import EXPORT, JOBS, ROUTES, STATUS
from handlers.desk import Desk
from handlers.incoming import Command
from handlers.replies import Private, Reply

NAME = "switchboard"
SUMMARY = "See how Switchboard stands, what it did, and who told it to"

_READERS = (Role.ADMIN, Role.APPROVER)
"""Who may read the audit of every request; besides them, who asked for it."""


async def handle(desk: Desk, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(desk, command, name=NAME, summary=SUMMARY, verbs=VERBS)


async def _audit(desk: Desk, command: Command, values: Values) -> Reply:
    ctx = desk.ctx
    standing = await ctx.people.standing(command.user)
    refusal = full_member(standing.person, home=ctx.home)
    if refusal is not None:
        return Private(answers.refused(refusal))
    found = await story(ctx.store, values["id"])
    reader = any(listed(role, standing, ctx.policy.people) for role in _READERS)
    if found is None or not (reader or found.instruction.requester == command.user):
        raise MistakesError(
            [
                PersonError(
                    argument="id",
                    rule=f"no request of that name is known here; it is {fields.OPERATION_RULE}",
                    example=f"{desk.spelled(NAME)} {_AUDIT.example}",
                    given=values["id"],
                )
            ]
        )
    return Private(told(found.instruction, found.rows, is_complete=found.is_complete))


_AUDIT = Verb(
    name="audit",
    summary="what happened to one request, who did it and when",
    example="audit P-4F7K2M",
    run=_audit,
    arguments=(Argument(name="id", rule=fields.OPERATION_RULE, read=fields.operation),),
)

VERBS = (STATUS, JOBS, _AUDIT, EXPORT, ROUTES)
"""In the order of the help."""

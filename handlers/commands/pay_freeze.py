"""``/pay freeze`` and ``/pay unfreeze``: the kill switch."""

from bot.domain.errors import PersonError
from bot.domain.visible import clean
from bot.presentation import answers
from bot.presentation.payments.forms import REASON_LIMIT
from bot.presentation.payments.freezing import freezing
from bot.workflows.requests.freeze import freeze, unfreeze
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input.grammar import Argument, Values, Verb
from handlers.replies import Private, Reply


def _reason(text: str) -> str:
    cleaned = clean(text)
    if len(cleaned) > REASON_LIMIT:
        raise PersonError(argument="reason", rule=f"it must have at most {REASON_LIMIT} characters", example="")
    return cleaned


async def _freeze(deps: Dependencies, command: Command, values: Values) -> Reply:
    done = await freeze(deps.ctx, person=command.user, reason=values["reason"], command=deps.spelled("pay"))
    if done.refusal is not None:
        return Private(answers.refused(done.refusal))
    return Private(freezing(done.frozen, changed=done.changed, asked_to_freeze=True, needed=done.needed))


async def _unfreeze(deps: Dependencies, command: Command, _values: Values) -> Reply:
    done = await unfreeze(deps.ctx, person=command.user)
    if done.refusal is not None:
        return Private(answers.refused(done.refusal))
    return Private(freezing(done.frozen, changed=done.changed, asked_to_freeze=False, needed=done.needed))


FREEZE = Verb(
    "freeze",
    "stop all sending at once; any approver or admin may",
    _freeze,
    example="freeze the bank called",
    arguments=(Argument(name="reason", rule="a few words that say why", read=_reason, rest=True),),
)
UNFREEZE = Verb("unfreeze", "your voice for sending again; it takes a quorum of approvers", _unfreeze)

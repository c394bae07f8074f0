"""Errors and outcomes as reasons, so that they can be stored and worded later."""

from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.files.tables import TableProblem
from bot.domain.outcome import NotExecuted, Unknown
from bot.domain.reasons import Exchange, Failed, OfList, OfRequest, Reason, Verbatim
from bot.domain.services import PAYMENTS

Trouble = ServiceNow | ServiceNever | OperatorError | NotExecuted | Unknown
"""What stands in the way, from a read or from a request that should have changed something."""


def full_reason(trouble: ServiceTrouble | OperatorError) -> Reason:
    if isinstance(trouble, ServiceTrouble):
        return trouble.full_reason
    if isinstance(trouble.problem, Reason):
        named = Reason(Failed.NAMED, service=trouble.service, why=trouble.problem)
        return (named if trouble.service else trouble.problem).saying(trouble.words)
    return Reason(Verbatim.GIVEN, text=str(trouble)).saying(trouble.words)


def answered(trouble: ServiceNow) -> Reason | None:
    """What the service said instead of what had to be read first, so nothing was sent; None where it said nothing."""
    found = trouble.full_reason
    if not found.words or found.code is not Exchange.READ_ANSWERED:
        return None
    said = Reason(OfRequest.SERVICE_SAID, service=trouble.service, status=found.facts["status"])
    return said.saying(found.words)


def failed(trouble: Trouble, *, service: str = PAYMENTS, advice: bool = True) -> Reason:
    """The trouble as a whole sentence; ``service``: of an outcome. ``advice``: False where Switchboard asks again."""
    match trouble:
        case ServiceNow(retry_after=wait):
            return Reason(Failed.NOW, service=trouble.service, why=trouble.full_reason, wait=wait, advice=advice)
        case ServiceNever(status=status):
            return Reason(Failed.NEVER, service=trouble.service, why=trouble.full_reason, status=status, advice=advice)
        case OperatorError(mend=mend):
            return Reason(Failed.OPERATOR, why=full_reason(trouble), mend=mend)
        case NotExecuted(again=again, retry_after=wait):
            return Reason(Failed.NOT_EXECUTED, service=service, why=trouble.full_reason, again=again, wait=wait)
        case Unknown():
            return Reason(Failed.UNKNOWN, service=service, why=trouble.full_reason)


FileTrouble = PersonError | TableProblem | ServiceTrouble | OperatorError


def unusable(trouble: FileTrouble, *, example: str) -> Reason:
    """Why a file gave no table. ``example``: a first row that would be right here."""
    match trouble:
        case TableProblem():
            return Reason(
                OfList.UNUSABLE_FILE,
                flaw=trouble.flaw.value,
                rows=trouble.rows,
                names=trouble.names,
                allowed=trouble.allowed,
                counts=tuple(trouble.counts.items()),
                more=trouble.more,
                example=example,
            )
        case PersonError(rule=rule):
            return Reason(OfList.FILE_RULE, rule=rule)
        case OperatorError():
            return failed(trouble)
        case ServiceNow(service=service):
            return Reason(OfList.FILE_LATER, service=service, why=trouble.full_reason)
        case _:
            return Reason(OfList.FILE_NEVER, service=trouble.service, why=trouble.reason)

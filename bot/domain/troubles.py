"""Convert errors and outcomes to reasons, which can be stored and worded later."""

from bot.domain.errors import OperatorError, PersonError, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.files.tables import TableProblem
from bot.domain.outcome import NotExecuted, Unknown
from bot.domain.reasons import Exchange, Failed, OfList, OfRequest, Reason, Verbatim
from bot.domain.services import PAYMENTS

Trouble = ServiceNow | ServiceNever | OperatorError | NotExecuted | Unknown
"""An error or outcome of a read, or of a request that should have changed something."""


def full_reason(trouble: ServiceTrouble | OperatorError) -> Reason:
    if isinstance(trouble, ServiceTrouble):
        return trouble.full_reason
    if isinstance(trouble.problem, Reason):
        named = Reason(Failed.NAMED, service=trouble.service, why=trouble.problem)
        return (named if trouble.service else trouble.problem).saying(trouble.words)
    return Reason(Verbatim.GIVEN, text=str(trouble)).saying(trouble.words)


def answered(trouble: ServiceNow) -> Reason | None:
    """Return the service's error if a preceding read failed, so that nothing was sent; None without a message."""
    found = trouble.full_reason
    if not found.words or found.code is not Exchange.READ_ANSWERED:
        return None
    said = Reason(OfRequest.SERVICE_SAID, service=trouble.service, status=found.facts["status"])
    return said.saying(found.words)


def failed(trouble: Trouble, *, service: str = PAYMENTS, advice: bool = True) -> Reason:
    """Return the trouble as a whole sentence about ``service``; ``advice`` is False if Switchboard retries itself."""
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
    """Return why a file contains no table; ``example`` is a valid first row."""
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

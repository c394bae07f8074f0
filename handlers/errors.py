"""What a user is told when a handler raises: one answer for each kind of error."""

import secrets

import structlog

from bot.domain.content import Content
from bot.domain.errors import OperatorError, PersonError, ServiceNow
from bot.domain.files.dropped import UnusableFile
from bot.presentation import answers
from bot.presentation.answers import mistakes
from bot.presentation.blocks.text import quote
from bot.presentation.files import offers
from bot.presentation.reasons import sentence, told
from bot.slack.people import Denied
from handlers.replies import DeclinedError, MistakesError
from storage.errors import CommitUnknown, RowUnreadable, StorageError, StorageFull

log = structlog.get_logger(__name__)


def answer_to(error: Exception, *, command: str) -> Content:  # noqa: C901, PLR0911, PLR0912 - one arm a trouble
    """The answer; what the operator has to know is logged. ``command``: how users type the payments command here."""
    match error:
        case DeclinedError(content=content):
            return content
        case MistakesError(errors=errors):
            return mistakes(errors)
        case UnusableFile():
            return offers.unusable(error)
        case PersonError():
            return mistakes([error])
        case Denied():
            log.error("Slack refuses what a request needs", reason=str(error))
            return answers.pass_on(f"{error.service} {quote(told(error))}.")
        case ServiceNow():
            log.warning("a request could not be handled", reason=str(error))
            return answers.try_again(f"{error.service} {told(error)}.")
        case RowUnreadable(name=name):
            log.error("a request needs a row that cannot be read", reason=str(error))
            return answers.unreadable(name)
        case CommitUnknown():
            log.error("a request may or may not have been stored", reason=str(error))
            return answers.uncertain(command)
        case StorageFull():
            log.error("a request could not be stored", problem=error.problem, mend=error.mend)
            return answers.STORAGE_FULL
        case StorageError():
            log.warning("a request could not be stored", reason=str(error))
            return answers.try_again("The database is busy.")
        case OperatorError():
            log.error("the operator has to mend something", problem=str(error), mend=error.mend)
            return answers.trouble(sentence(error))
        case TimeoutError():
            return answers.slow(command)
        case _:
            error_id = secrets.token_hex(4)
            log.error("a handler failed", error_id=error_id, exc_info=error)
            return answers.broken(error_id)

"""Errors, typed by who must act: the requester, the operator, or a service."""

from bot.domain.reasons import Reason, slack_error


class SwitchboardError(Exception):
    """Base of all our exceptions. ``retry_after`` is in seconds, if a service asked to wait."""

    retry_after: float | None = None


class PersonError(SwitchboardError):
    """Input that breaks a rule, shown to the person. ``example`` can be copied, ``given`` is shown escaped.

    ``rule`` is a sentence without its period, or the part after *it* (``it must be more than 0``). ``instead`` is the
    probable meaning, or empty, and ``also`` is another possible meaning.
    """

    def __init__(
        self, *, argument: str, rule: str | Reason, example: str, given: str = "", instead: str = "", also: str = ""
    ) -> None:
        super().__init__(f"{argument}: {rule}")
        self.argument = argument
        self.rule = rule
        self.example = example
        self.given = given
        self.instead = instead
        self.also = also


class RuleError(ValueError):
    """A text that breaks a rule; ``rule``, ``instead`` and ``also`` are like those of ``PersonError``."""

    def __init__(self, rule: str, *, instead: str = "", also: str = "") -> None:
        super().__init__(rule)
        self.rule = rule
        self.instead = instead
        self.also = also


class OperatorError(SwitchboardError):
    """A setting, credential or route that the operator has to fix; the service's ``words`` are kept out of ``str``."""

    def __init__(self, problem: str | Reason, *, mend: str = "", words: str = "", service: str = "") -> None:
        super().__init__(f"{service}: {problem}" if service else str(problem))
        self.problem = problem
        self.mend = mend
        self.words = words
        self.service = service


class ServiceTrouble(SwitchboardError):
    """A service didn't execute a request. Its ``words``, unless it forbids showing them, are kept out of ``str``."""

    def __init__(self, service: str, reason: Reason, *, words: str = "") -> None:
        super().__init__(f"{service}: {reason}")
        self.service = service
        self.reason = reason
        self.words = words

    @property
    def full_reason(self) -> Reason:
        return self.reason.saying(self.words)

    @property
    def error(self) -> str:
        """The error as named by Slack, e.g. ``not_in_channel``, or an empty string."""
        return slack_error(self.reason)


class ServiceNow(ServiceTrouble):
    """The service is temporarily unavailable; a retry may succeed."""

    def __init__(self, service: str, reason: Reason, *, retry_after: float | None = None, words: str = "") -> None:
        super().__init__(service, reason, words=words)
        self.retry_after = retry_after


class ServiceNever(ServiceTrouble):
    """The service refused permanently without executing anything; ``status`` is that of its answer, if any."""

    def __init__(self, service: str, reason: Reason, *, status: int | None = None, words: str = "") -> None:
        super().__init__(service, reason, words=words)
        self.status = status


class OutcomeUnknown(ServiceTrouble):
    """The request may have been executed: its outcome is read from the service, and it is never repeated."""

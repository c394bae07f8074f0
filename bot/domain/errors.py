"""Errors, typed by who must act: the person who asked, the operator, or a service."""

from bot.domain.reasons import Reason, slack_error


class SwitchboardError(Exception):
    """Root of everything we raise on purpose. ``retry_after``: seconds, when a service asked to wait."""

    retry_after: float | None = None


class PersonError(SwitchboardError):
    """Input that breaks a rule; the person sees all of it. ``example`` can be copied, ``given`` is shown escaped.

    ``rule``: a sentence without its full stop, or what follows *it* (``it must be more than 0``). ``instead``: what was
    probably meant; empty where there is no guess. ``also``: what else may have been meant.
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
    """A text is not what it should be; ``rule``, ``instead`` and ``also`` as of ``PersonError``."""

    def __init__(self, rule: str, *, instead: str = "", also: str = "") -> None:
        super().__init__(rule)
        self.rule = rule
        self.instead = instead
        self.also = also


class OperatorError(SwitchboardError):
    """A setting, credential or route that only the operator can mend; ``words``: the service's, no part of ``str``."""

    def __init__(self, problem: str | Reason, *, mend: str = "", words: str = "", service: str = "") -> None:
        super().__init__(f"{service}: {problem}" if service else str(problem))
        self.problem = problem
        self.mend = mend
        self.words = words
        self.service = service


class ServiceTrouble(SwitchboardError):
    """A service did not do what was asked. ``words`` are its own, unless it forbids showing them: not in ``str``."""

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
        """The error as Slack names it, e.g. ``not_in_channel``; empty where there is none."""
        return slack_error(self.reason)


class ServiceNow(ServiceTrouble):
    """The service is unavailable for now; a later try may work."""

    def __init__(self, service: str, reason: Reason, *, retry_after: float | None = None, words: str = "") -> None:
        super().__init__(service, reason, words=words)
        self.retry_after = retry_after


class ServiceNever(ServiceTrouble):
    """The service refused for good, nothing was executed; ``status`` is that of its answer, if there was one."""

    def __init__(self, service: str, reason: Reason, *, status: int | None = None, words: str = "") -> None:
        super().__init__(service, reason, words=words)
        self.status = status


class OutcomeUnknown(ServiceTrouble):
    """The request may or may not have been executed: what became of it is read, and it is never repeated."""

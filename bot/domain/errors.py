"""Errors, typed by who must act.

::

    SwitchboardError
    ├── PersonError      the person who asked mends it: argument, rule, one right example
    ├── OperatorError    the operator mends it: a setting, a credential, an unconfirmed route
    ├── ServiceNow       nobody: the service is unavailable for now, a later try may work
    ├── ServiceNever     the service refused for good; nothing was executed
    └── OutcomeUnknown   nobody yet: the effect may have happened, so it is read and never repeated
"""


class SwitchboardError(Exception):
    """Root of everything we raise on purpose."""


class PersonError(SwitchboardError):
    """Input that breaks a rule. All three parts are shown to the person who typed it.

    Args:
        argument: the name of the argument as ``help`` prints it, e.g. ``amount``.
        rule: what is allowed, e.g. ``it must be more than zero``.
        example: one right example, ready to be copied.
        given: what was given, shown shortened and escaped; empty when it was missing.
    """

    def __init__(self, *, argument: str, rule: str, example: str, given: str = "") -> None:
        super().__init__(f"{argument}: {rule}")
        self.argument = argument
        self.rule = rule
        self.example = example
        self.given = given


class RuleError(ValueError):
    """A text is not what it should be; ``rule`` says which rule it breaks, in words a person can act on."""

    def __init__(self, rule: str) -> None:
        super().__init__(rule)
        self.rule = rule


class OperatorError(SwitchboardError):
    """A setting, credential or route that only the operator can mend; ``mend`` says how.

    ``words`` are the service's own, where it said something: foreign text, and no part of ``str``.
    """

    def __init__(self, problem: str, *, mend: str = "", words: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.mend = mend
        self.words = words


class ServiceNow(SwitchboardError):
    """The service did not answer or asked to wait. ``retry_after`` is in seconds, when it said so.

    ``words`` are its own: foreign text, and no part of ``str``.
    """

    def __init__(self, service: str, reason: str, *, retry_after: float | None = None, words: str = "") -> None:
        super().__init__(f"{service}: {reason}")
        self.service = service
        self.reason = reason
        self.retry_after = retry_after
        self.words = words


class ServiceNever(SwitchboardError):
    """The service refused.

    ``words`` are its own, unless it forbids showing them: foreign text, and no part of ``str``.
    """

    def __init__(self, service: str, reason: str, *, status: int | None = None, words: str = "") -> None:
        super().__init__(f"{service}: {reason}")
        self.service = service
        self.reason = reason
        self.status = status
        self.words = words


class OutcomeUnknown(SwitchboardError):
    """The request may or may not have been executed."""

    def __init__(self, service: str, reason: str) -> None:
        super().__init__(f"{service}: {reason}")
        self.service = service
        self.reason = reason

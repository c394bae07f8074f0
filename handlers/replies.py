"""What a handler may answer. How it travels depends on what came in; the handler does not care."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.domain.content import Block, Content
from bot.domain.errors import PersonError


@dataclass(frozen=True, slots=True)
class Private:
    """A message for the one person who acted."""

    content: Content


@dataclass(frozen=True, slots=True)
class Edit:
    """The private message whose button was pressed turns into this one."""

    content: Content


@dataclass(frozen=True, slots=True)
class Open:
    """A form."""

    view: Block


@dataclass(frozen=True, slots=True)
class Replace:
    """The submitted form turns into this one."""

    view: Block


@dataclass(frozen=True, slots=True)
class FieldErrors:
    """The submitted form stays, with a sentence at each field that breaks a rule."""

    errors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Nothing:
    """Acknowledged; what there is to see happens elsewhere."""


Answer = Private | Edit | Replace | Nothing
"""What can be answered at any time."""


@dataclass(frozen=True, slots=True)
class Later:
    """The answer depends on somebody who may take longer than Slack waits.

    Attributes:
        work: makes the answer.
        meanwhile: said when the answer is not there in a moment; the answer then follows it. A form turns into the
            answer: its trigger lives three seconds, and the answer may take longer.
    """

    work: Callable[[], Awaitable[Answer | Open | FieldErrors]]
    meanwhile: Answer | Open


Reply = Answer | Open | FieldErrors | Later


class MistakesError(Exception):
    """Everything that is wrong with one line, so that it can be mended in one go."""

    def __init__(self, errors: Sequence[PersonError]) -> None:
        super().__init__("; ".join(str(error) for error in errors))
        self.errors = errors

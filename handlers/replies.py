"""Answers of handlers. How an answer is sent depends on the kind of request, not on the handler."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from bot.domain.content import Block, Content
from bot.domain.errors import PersonError
from bot.presentation.answers import Offer


@dataclass(frozen=True, slots=True)
class Private:
    """A message visible only to the user who acted."""

    content: Content


@dataclass(frozen=True, slots=True)
class Edit:
    """A replacement for the private message whose button was pressed."""

    content: Content


@dataclass(frozen=True, slots=True)
class Open:
    view: Block


@dataclass(frozen=True, slots=True)
class Replace:
    view: Block


@dataclass(frozen=True, slots=True)
class FieldErrors:
    """Errors for the submitted form, which stays open: a sentence at each field that breaks a rule."""

    errors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Nothing:
    """An ack only; the result shows elsewhere."""


Answer = Private | Edit | Replace | Nothing
"""Answers that are possible at any time."""


@dataclass(frozen=True, slots=True)
class Later:
    """An answer that may take longer than Slack waits.

    ``meanwhile`` is shown when the answer takes longer than a moment; the answer then follows it. A form is replaced by
    the answer, because its trigger expires after three seconds.
    """

    work: Callable[[], Awaitable[Answer | Open | FieldErrors]]
    meanwhile: Answer | Open


Reply = Answer | Open | FieldErrors | Later


class DeclinedError(Exception):
    """Nothing is done, and the user is told why: they may not, or the service is not configured."""

    def __init__(self, content: Content) -> None:
        super().__init__(content.text)
        self.content = content


class MistakesError(Exception):
    """All mistakes of one line, so that the user can fix them in one go; ``offers``: what was probably meant."""

    def __init__(self, errors: Sequence[PersonError], offers: Sequence[Offer] = ()) -> None:
        super().__init__("; ".join(str(error) for error in errors))
        self.errors = errors
        self.offers = offers

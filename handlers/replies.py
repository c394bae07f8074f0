"""Replies of handlers. How a reply is delivered depends on the kind of request, not on the handler."""

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
    """Errors for the submitted form, which stays open: field -> sentence."""

    errors: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Nothing:
    """Only an ack; the result is visible elsewhere."""


Answer = Private | Edit | Replace | Nothing
"""Replies that need no valid trigger."""


@dataclass(frozen=True, slots=True)
class Later:
    """An answer that may take longer than Slack waits.

    ``meanwhile`` is shown if the answer takes longer than a moment; the answer follows later. It replaces an open form,
    because the trigger for a new one expires after three seconds.
    """

    work: Callable[[], Awaitable[Answer | Open | FieldErrors]]
    meanwhile: Answer | Open


Reply = Answer | Open | FieldErrors | Later


class DeclinedError(Exception):
    """The request is refused because of missing permission or configuration; ``content`` tells the user why."""

    def __init__(self, content: Content) -> None:
        super().__init__(content.text)
        self.content = content


class MistakesError(Exception):
    """All mistakes of a line, so that the user can fix them together; ``offers``: buttons with likely corrections."""

    def __init__(self, errors: Sequence[PersonError], offers: Sequence[Offer] = ()) -> None:
        super().__init__("; ".join(str(error) for error in errors))
        self.errors = errors
        self.offers = offers

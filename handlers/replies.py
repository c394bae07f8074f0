"""What a handler may answer. How it travels depends on what came in; the handler does not care."""

from collections.abc import Mapping
from dataclasses import dataclass

from bot.domain.content import Block, Content


@dataclass(frozen=True, slots=True)
class Private:
    """A message for the one person who acted."""

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


Reply = Private | Open | Replace | FieldErrors | Nothing

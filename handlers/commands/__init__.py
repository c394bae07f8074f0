"""Slash commands, one module each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from handlers.commands import deliver, email, localize, pay, switchboard
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import verb_form
from handlers.input.grammar import Verb
from handlers.replies import Reply
from handlers.router import Router


class SlashCommand(Protocol):
    """A slash command: a module of this package, or an object like one."""

    @property
    def NAME(self) -> str:  # noqa: N802 - as the modules spell it
        """What people type, without slash and prefix."""
        ...

    @property
    def SUMMARY(self) -> str:  # noqa: N802
        """What it does, for the list of commands."""
        ...

    @property
    def VERBS(self) -> tuple[Verb, ...]:  # noqa: N802
        """In the order of the help."""
        ...

    async def handle(self, deps: Dependencies, command: Command, /) -> Reply:
        """Find the verb and run it."""
        ...


_COMMANDS: tuple[SlashCommand, ...] = (pay, deliver, localize, email, switchboard)


@dataclass(frozen=True, slots=True)
class Declared:
    """A command's entry for the manifest: its name without slash and prefix, its summary, its verbs."""

    name: str
    summary: str
    hint: str


def declared() -> tuple[Declared, ...]:
    """The declarations of all commands."""
    return tuple(Declared(one.NAME, one.SUMMARY, _hint(one.VERBS)) for one in _COMMANDS)


def _hint(verbs: Sequence[Verb]) -> str:
    return " | ".join([*dict.fromkeys(verb.name.split()[0] for verb in verbs), "help"])


def register(router: Router, *, prefix: str, more: Sequence[SlashCommand] = ()) -> None:
    """Register every command under the name people type, and the form of verbs typed without arguments."""
    commands = (*_COMMANDS, *more)
    router.commands.update({f"/{prefix}{one.NAME}": one.handle for one in commands})
    verb_form.register(router, {one.NAME: one.VERBS for one in commands})

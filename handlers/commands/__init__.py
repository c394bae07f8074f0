"""Slash commands, one module each."""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.commands import deliver, email, localize, pay, switchboard
from handlers.input import verb_form
from handlers.input.grammar import Verb
from handlers.router import Router

_COMMANDS = (pay, deliver, localize, email, switchboard)


@dataclass(frozen=True, slots=True)
class Declared:
    """What the manifest says of a command: its name without slash and prefix, what it does, its verbs."""

    name: str
    summary: str
    hint: str


def declared() -> tuple[Declared, ...]:
    """Every command there is."""
    return tuple(Declared(one.NAME, one.SUMMARY, _hint(one.VERBS)) for one in _COMMANDS)


def _hint(verbs: Sequence[Verb]) -> str:
    return " | ".join([*dict.fromkeys(verb.name.split()[0] for verb in verbs), "help"])


def register(router: Router, *, prefix: str) -> None:
    """Make every command known under the name people type, and the form of a verb without its arguments."""
    router.commands.update({f"/{prefix}{one.NAME}": one.handle for one in _COMMANDS})
    verb_form.register(router, {one.NAME: one.VERBS for one in _COMMANDS})

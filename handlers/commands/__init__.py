"""Slash commands, one module each."""

from collections.abc import Sequence
from dataclasses import dataclass

from handlers.commands import deliver, email, localize, pay, switchboard
from handlers.input.grammar import Verb
from handlers.router import Router


@dataclass(frozen=True, slots=True)
class Declared:
    """What the manifest says of a command: its name without slash and prefix, what it does, its verbs."""

    name: str
    summary: str
    hint: str


def declared() -> tuple[Declared, ...]:
    """Every command there is."""
    return (
        Declared(pay.NAME, pay.SUMMARY, _hint(pay.VERBS)),
        Declared(deliver.NAME, deliver.SUMMARY, _hint(deliver.VERBS)),
        Declared(localize.NAME, localize.SUMMARY, _hint(localize.VERBS)),
        Declared(email.NAME, email.SUMMARY, _hint(email.VERBS)),
        Declared(switchboard.NAME, switchboard.SUMMARY, _hint(switchboard.VERBS)),
    )


def verb_named(command: str, verb: str) -> Verb | None:
    """A verb by the names of its command and its own."""
    known = {one.NAME: one.VERBS for one in (pay, deliver, localize, email, switchboard)}
    return next((one for one in known.get(command, ()) if one.name == verb), None)


def _hint(verbs: Sequence[Verb]) -> str:
    return " | ".join([*dict.fromkeys(verb.name.split()[0] for verb in verbs), "help"])


def register(router: Router, *, prefix: str) -> None:
    """Make every command known under the name people type."""
    router.commands[f"/{prefix}{pay.NAME}"] = pay.handle
    router.commands[f"/{prefix}{deliver.NAME}"] = deliver.handle
    router.commands[f"/{prefix}{localize.NAME}"] = localize.handle
    router.commands[f"/{prefix}{email.NAME}"] = email.handle
    router.commands[f"/{prefix}{switchboard.NAME}"] = switchboard.handle

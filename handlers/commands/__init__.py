"""Slash commands, one module each."""

from dataclasses import dataclass

from handlers.commands import pay
from handlers.router import Router


@dataclass(frozen=True, slots=True)
class Declared:
    """What the manifest says of a command: its name without slash and prefix, what it does, its verbs."""

    name: str
    summary: str
    hint: str


def declared() -> tuple[Declared, ...]:
    """Every command there is."""
    verbs = " | ".join([*(verb.name for verb in pay.VERBS), "help"])
    return (Declared(pay.NAME, pay.SUMMARY, verbs),)


def register(router: Router, *, prefix: str) -> None:
    """Make every command known under the name people type."""
    router.commands[f"/{prefix}pay"] = pay.handle

"""Extensions: services beside the four, each with its part of the route table and a slash command of its own."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from bot.wiring.outside import Outside
from handlers.grammar.verbs import SlashCommand


class Extension(Protocol):
    """One service that is plugged in."""

    @property
    def routes(self) -> Path:
        """Its operations, in the form of ``bot/clients/routes.toml``; ``SERVICES_FILE`` is laid over them, too."""
        ...

    def command(self, outside: Outside) -> SlashCommand:
        """Its slash command, which holds its client; called once, at start."""
        ...


EXTENSIONS: Final[tuple[Extension, ...]] = ()
"""What this installation has beside the four services."""


def routes_of(extensions: Sequence[Extension] = EXTENSIONS) -> tuple[Path, ...]:
    """Files with their operations, for :func:`bot.clients.routes_file.load_routes`."""
    return tuple(one.routes for one in extensions)

"""Slash commands, one module each."""

from handlers.commands import pay
from handlers.router import Router


def register(router: Router, *, prefix: str) -> None:
    """Make every command known under the name people type."""
    router.commands[f"/{prefix}pay"] = pay.handle

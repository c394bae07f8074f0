"""Shortcuts on messages."""

from handlers.router import Router
from handlers.shortcuts import use_file


def register(router: Router) -> None:
    """Make every shortcut known by its callback id."""
    use_file.register(router)

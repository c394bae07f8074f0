"""Shortcuts on messages."""

from handlers.router import Router
from handlers.shortcuts import use_file


def register(router: Router) -> None:
    """Register every shortcut by its callback id."""
    use_file.register(router)

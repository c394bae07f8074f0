"""Events of the workspace."""

from handlers.events import files, home
from handlers.router import Router


def register(router: Router) -> None:
    """Register every event by its type."""
    files.register(router)
    home.register(router)

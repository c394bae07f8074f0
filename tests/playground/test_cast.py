"""Who and what lives in the playground."""

from bot.playground.cast import furnish
from bot.playground.workspace import Workspace
from handlers.commands import declared


def test_the_page_completes_what_the_bot_declares() -> None:
    workspace = Workspace()
    furnish(workspace)
    known = {one.command: (one.hint, one.description) for one in workspace.commands.values()}
    assert known == {f"/{one.name}": (one.hint, one.summary) for one in declared()}

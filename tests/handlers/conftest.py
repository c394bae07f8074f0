"""A rig whose commands, buttons, forms and events hold one more, which does what a test says."""

from typing import Any

import pytest

from handlers.registry import make_router
from handlers.replies import Reply
from handlers.router import Dependencies, Router
from tests.handlers.played import Behaviour, Played
from tests.support.rig import Rig


@pytest.fixture
def played(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Played:
    """The rig, and under ``boom`` what its handler does."""
    behaviours: dict[str, Behaviour] = {}

    async def handle(_deps: Dependencies, _given: Any) -> Reply:
        return await behaviours["boom"]()

    async def hear(_deps: Dependencies, _given: Any) -> None:
        await behaviours["boom"]()

    def router(*given: Any, **named: Any) -> Router:
        found = make_router(*given, **named)
        found.commands["/boom"] = found.actions["boom"] = found.views["boom"] = handle
        found.events["reaction_added"] = hear
        return found

    monkeypatch.setattr("bot.wiring.slack.make_router", router)
    rig: Rig = request.getfixturevalue("rig")
    rig.workspace.add_command("/boom")
    return rig, behaviours

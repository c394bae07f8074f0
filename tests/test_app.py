"""The application while it starts: what it is before Slack has answered, and in which order it goes on."""

from types import SimpleNamespace
from typing import Any

import pytest

from bot.app import Switchboard
from bot.domain.policy import Policy
from bot.workflows.admin import silence
from bot.workflows.admin.takeover import recover
from bot.workflows.requests.send import tighten_open
from tests.support.fixtures import Patch
from tests.support.rig import GivenSettings, Rig

POLICY = Policy.model_validate({"channels": {"approvals": "C0A"}, "approval": {"daily_limit": "1.00"}})


@pytest.mark.parametrize(
    ("session", "joined"),
    [(None, False), (SimpleNamespace(closed=True), False), (SimpleNamespace(closed=False), True)],
)
def test_over_the_socket_it_has_joined_while_the_socket_is_up(session: object, joined: bool) -> None:
    switchboard: Any = Switchboard(settings=GivenSettings(), policy=POLICY)
    assert not switchboard.joined
    with pytest.raises(RuntimeError, match="not joined yet"):
        _ = switchboard.context
    switchboard._bolt = object()
    switchboard._socket = SimpleNamespace(client=SimpleNamespace(current_session=session))
    assert switchboard.joined is joined


async def test_leftovers_are_recovered_before_workers_start(rig: Rig, monkeypatch: Patch) -> None:
    begun: list[str] = []

    def noted(name: str, done: Any) -> Any:
        async def note(*given: Any) -> Any:
            begun.append(name)
            return await done(*given)

        return note

    monkeypatch.setattr("bot.app.recover", noted("recover", recover))
    monkeypatch.setattr("bot.app.tighten_open", noted("tighten", tighten_open))
    monkeypatch.setattr(silence, "remember", noted("silence", silence.remember))
    await rig.start_again()
    assert begun == ["recover", "silence", "tighten"]

from typing import Any

import aiohttp
import pytest

from bot.playground.console.localization_panel import MANNERS
from bot.playground.console.localization_panel import OPERATIONS as LOCALIZATION_OPERATIONS
from bot.playground.console.panels import CallBook, CallLine
from bot.playground.console.payments_panel import OPERATIONS as PAYMENTS_OPERATIONS
from bot.playground.console.payments_panel import masked
from bot.playground.console.workspace_panel import OPERATIONS as SLACK_OPERATIONS
from bot.playground.console.workspace_panel import TITLES
from bot.playground.faults import FaultKind
from bot.playground.simulators.localization.rules import RULES
from bot.playground.simulators.payments.dialect import ROUTES
from bot.playground.workspace.methods import app, chat, conversations, files, people, views
from tests.playground.console.scene import FINANCE, NORA, Scene


async def service(scene: Scene, name: str = "payments") -> dict[str, Any]:
    [found] = [one for one in (await scene.state())["services"] if one["name"] == name]
    return dict(found)


def figures(panel: dict[str, Any]) -> dict[str, str]:
    return {figure["name"]: figure["value"] for figure in panel["figures"]}


async def test_ledger_shows_actual_payments(scene: Scene) -> None:
    assert figures(await service(scene))["moved"] == "$0.00"
    await scene.commit()
    panel = await service(scene)
    assert figures(panel) == {"moved": "$25.00", "balance": "$99,975.00", "payouts": "1"}
    moved = [call for call in panel["calls"] if call["moved"]]
    assert [(call["title"], call["moved"], call["status"]) for call in moved] == [("Commit payout", "$25.00", 200)]


async def test_fault_is_armed_shown_and_used_up(scene: Scene) -> None:
    await scene.do("faults", {"service": "payments", "operation": "commit_payout", "kind": "done_500", "times": 1})
    [armed] = (await service(scene))["armed"]
    assert (armed["title"], armed["when"]) == ("Do it, then answer 500", "– Commit payout, next time")
    await scene.commit()
    panel = await service(scene)
    assert panel["armed"] == []
    [call] = [call for call in panel["calls"] if call["operation"] == "commit_payout"]
    assert (call["status"], call["fault"], call["moved"]) == (500, "Do it, then answer 500", "$25.00")


async def test_lost_request_moves_nothing(scene: Scene) -> None:
    await scene.do("faults", {"service": "payments", "operation": "create_payout", "kind": "lost"})
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await scene.commit()
    panel = await service(scene)
    [call] = panel["calls"]
    assert (call["status"], call["outcome"], call["pending"], call["moved"]) == (None, "no answer", False, "")
    assert panel["armed"][0]["when"] == "– Create payout, every time"


async def test_callbacks_are_listed_as_sent_without_their_secret(scene: Scene) -> None:
    await scene.do("faults", {"service": "payments", "operation": "callback", "kind": "double"})
    await scene.commit()
    await scene.payments.advance()
    await scene.payments.delivered()
    await scene.workspace.until(lambda: len(scene.payments.deliveries) == 2)
    sent = [call for call in (await service(scene))["calls"] if call["direction"] == "out"]
    assert [(call["path"], call["status"]) for call in sent] == [("/callbacks/payments/…", 404)] * 2


async def test_bot_calls_are_listed_and_can_fail(scene: Scene) -> None:
    fault = {"service": "slack", "operation": "chat.postMessage", "kind": "refused", "times": 1}
    await scene.do("faults", fault)
    await scene.workspace.slash(NORA, FINANCE, "/pay", "send it")
    await scene.workspace.until(lambda: len(scene.workspace.calls) >= 2)
    panel = await service(scene, "slack")
    assert panel["armed"] == []
    posts = [call for call in panel["calls"] if call["operation"] == "chat.postMessage"]
    assert posts[0]["fault"]
    assert not posts[0]["ok"]
    assert int(figures(panel)["refused"]) >= 1


def test_call_log_is_bounded() -> None:
    book = CallBook(kept=2)
    for number in "123":
        book.put(CallLine(id=number, at=0, title="", method="GET", path="/", operation="x", status=None, ok=False))
    book.put(CallLine(id="3", at=0, title="", method="GET", path="/", operation="x", status=200, ok=True))
    assert [line.id for line in book.all()] == ["2", "3"]
    assert (book.count, book.get("1")) == (3, None)


def test_armed_operations_and_faults_exist() -> None:
    special = {"*", "callback", "outcome", "bulk outcome"}
    assert {operation.name for operation in PAYMENTS_OPERATIONS} - special <= set(ROUTES)
    assert {operation.name for operation in LOCALIZATION_OPERATIONS} == {"*", MANNERS, *RULES}
    kinds = {kind.value for kind in FaultKind}
    for operation in (*PAYMENTS_OPERATIONS, *SLACK_OPERATIONS):
        if operation.name not in special - {"*"}:
            assert {choice.kind for choice in operation.faults} <= kinds
        assert len({choice.title for choice in operation.faults}) == len(operation.faults)


def test_every_workspace_method_has_plain_words() -> None:
    served = {name for group in (app, chat, conversations, files, people, views) for name in group.METHODS}
    assert served - set(TITLES) == set()


def test_only_addresses_are_masked() -> None:
    told = {"a": [{"cancel_uri": "http://x/callbacks/t0ken", "note": "http://x/y"}], "failure_uri": "", "n": 3}
    shown = {"a": [{"cancel_uri": "http://x/callbacks/…", "note": "http://x/y"}], "failure_uri": "", "n": 3}
    assert masked(told) == shown

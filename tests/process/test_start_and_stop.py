"""Start and end of the process: requirements, waiting, refusals, shutdown, other settings, no descriptor left."""

import asyncio
import contextlib
import re
import resource
import signal
from pathlib import Path

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.process import free_port
from tests.process.bot_process import RUN, BotProcess
from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.support.answers import is_accepted
from tests.support.posting import signed
from tests.support.rig import APPROVALS

_A_FEW_SECONDS = 8.0


async def _json(scene: Scene, path: str) -> tuple[int, dict[str, object]]:
    async with scene.session.get(scene.bot.url + path) as answer:
        return answer.status, await answer.json()


async def test_health_answers_until_a_clean_exit(open_scene: Opening) -> None:
    scene = await open_scene(program=RUN)
    await scene.pay()
    assert await _json(scene, "/healthz") == (200, {"status": "alive"})
    status, told = await _json(scene, "/readyz")
    assert status == 200
    assert set(told) == {"status", "database", "slack", "mode", "oldest_seconds"}
    assert told["mode"] == "sending"
    assert "ana@example.com" not in str(told)
    limits = Path(f"/proc/{scene.bot.pid}/limits").read_text(encoding="ascii")  # noqa: ASYNC240 - no disk
    assert re.search(r"Max core file size +0 +0 ", limits)
    assert await scene.bot.stop(timeout=_A_FEW_SECONDS) == 0


@pytest.mark.parametrize(
    "socket_mode", [False, pytest.param(True, marks=pytest.mark.campaign)], ids=["http", "socket mode"]
)
async def test_while_slack_is_down_it_lives_waits_and_then_works(open_scene: Opening, socket_mode: bool) -> None:
    scene = await open_scene(start=False, socket_mode=socket_mode)
    asked = "apps.connections.open" if socket_mode else "auth.test"
    scene.workspace.faults.arm(Fault(kind=FaultKind.ERROR_500, operation=asked, times=2))
    scene.workspace.faults.arm(Fault(kind=FaultKind.LOST, operation=asked, times=1))
    await scene.bot.start()
    await scene.bot.ready(path="/healthz")
    status, told = await _json(scene, "/readyz")
    assert (status, told["status"], told["database"], told["slack"]) == (503, "not ready", "ok", "not connected")
    if not socket_mode:
        body = b"command=%2Fpay&text=approvals&team_id=T0HOME"
        status, _ = await scene.post(body, signed(body))
        assert status == 503
    await scene.bot.ready()
    await scene.pay_and_approve()
    await scene.completed_once()


async def test_callbacks_are_accepted_while_slack_is_down(open_scene: Opening) -> None:
    scene = await open_scene(simulator={"step_seconds": None}, POLL_SECONDS="3600")
    await scene.pay_and_approve()
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].text.startswith("Sent: "))
    await scene.bot.kill()
    scene.workspace.faults.arm(Fault(kind=FaultKind.ERROR_500, operation="auth.test", times=None))
    await scene.bot.start()
    await scene.bot.ready(path="/healthz")
    await scene.payments.advance()
    await scene.payments.delivered()
    assert [delivery.status for delivery in scene.payments.deliveries] == [200]
    scene.workspace.faults.clear()
    await scene.completed_once()


@pytest.mark.parametrize(("variable", "socket_mode"), [("SLACK_BOT_TOKEN", False), ("SLACK_APP_TOKEN", True)])
async def test_refused_token_is_explained(open_scene: Opening, variable: str, socket_mode: bool) -> None:
    scene = await open_scene(start=False, socket_mode=socket_mode)
    form = "xapp" if socket_mode else "xoxb"
    await scene.bot.start(**{variable: f"{form}-not-the-right-one"})
    assert await scene.bot.ended() == 1
    _says(scene.bot, f"{variable} (invalid_auth)")


async def test_second_process_on_a_database_file_is_refused(open_scene: Opening) -> None:
    scene = await open_scene()
    folder = scene.folder / "beside"
    folder.mkdir()
    second = BotProcess(environment={**scene.bot.environment, "PORT": str(free_port())}, folder=folder)
    await second.start()
    assert await second.ended() == 1
    await second.discard()
    _says(second, f"(id {scene.bot.pid}) uses {scene.database}")
    await scene.pay_and_approve()
    await scene.completed_once()


async def test_stop_during_a_payment_is_clean_and_loses_nothing(open_scene: Opening) -> None:
    scene = await open_scene()
    held = scene.payments_gate.hold("commit_payout", after_effect=True)
    await scene.pay_and_approve()
    await held.arrival()
    assert await scene.bot.stop(timeout=_A_FEW_SECONDS) == 0
    await scene.start()
    await scene.completed_once()


async def test_stop_answers_running_slack_requests(open_scene: Opening) -> None:
    scene = await open_scene()
    held = scene.slack_gate.hold("conversations.info", after_effect=False)
    asking = asyncio.create_task(scene.pay())
    await held.arrival()
    stopping = asyncio.create_task(scene.bot.stop(timeout=_A_FEW_SECONDS))
    await scene.bot.refusing()
    held.release()
    assert (await asking).ok
    assert await stopping == 0
    await scene.start()
    await scene.press("approve")
    await scene.completed_once()


async def test_interrupt_while_slack_hangs_ends_with_code_zero(open_scene: Opening) -> None:
    scene = await open_scene(program=RUN, start=False)
    scene.workspace.faults.arm(Fault(kind=FaultKind.DONE_HANGS, operation="auth.test", times=None, seconds=60))
    await scene.bot.start()
    await scene.bot.ready(path="/healthz")
    assert await scene.bot.stop(signal.SIGINT, timeout=_A_FEW_SECONDS) == 0


def _says(bot: BotProcess, fact: str) -> None:
    """Assert that the operator reads this in a problem and its remedy, without a traceback, then clear it."""
    assert bot.stderr.startswith("switchboard cannot go on:\n")
    assert fact in bot.stderr.splitlines()[1]
    assert bot.stderr.splitlines()[2].startswith("→ ")
    assert "Traceback" not in bot.stdout
    Path(bot.folder / "stderr.log").unlink()


async def test_socket_mode_needs_the_app_token_alone(open_scene: Opening) -> None:
    scene = await open_scene(socket_mode=True, POLL_SECONDS="3600")
    assert "SLACK_SIGNING_SECRET" not in scene.bot.environment
    async with scene.session.post(scene.slack_url, data=b"payload={}") as answer:
        assert answer.status == 404
    ack = await scene.pay('send ana@example.com 25.00 payload={"type":"block_actions"} &payload=1')
    assert is_accepted(ack)
    await scene.press("approve")
    await scene.completed_once()  # by the callback, which comes over HTTP
    assert "payload={type:block_actions} &amp;payload=1" in scene.cards(APPROVALS)[0].plain
    assert [delivery.status for delivery in scene.payments.deliveries] == [200]


@pytest.mark.timeout(60)
async def test_connections_wait_with_one_line_in_the_log(open_scene: Opening) -> None:
    scene = await open_scene()
    _, hard = resource.prlimit(scene.bot.pid, resource.RLIMIT_NOFILE)
    resource.prlimit(scene.bot.pid, resource.RLIMIT_NOFILE, (100, hard))
    host, port = "127.0.0.1", int(scene.bot.url.rpartition(":")[2])
    crowd = [await asyncio.open_connection(host, port) for _ in range(150)]
    await asyncio.sleep(2.0)  # another process offers nothing to await
    for _, writer in crowd:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
    await scene.bot.ready()
    assert scene.bot.stdout.count("no file descriptor is left") == 1
    assert "out of system resource" not in scene.bot.stdout
    assert scene.bot.stdout.count("\n") < 30

"""``kill -9`` in the middle of lists of addresses, bookings and localizations, and files that stream through the bot.

The full gigabyte is measured by ``make bench``.
"""

import csv
import io
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery import DeliverySimulator
from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.workspace import Message
from bot.presentation.localization import AGAIN
from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.process.streams import KEY, MEGA, bot_between, let_pass
from tests.support.deliveries import FORM, STORE_KEY
from tests.support.rig import FINANCE, MARIA

PATIENCE = 60.0
ROWS = 6_000
AT_ONCE = 200
LIST = b"n,email,name\r\n" + b"".join(b"%d,p%d@example.com,Ana\r\n" % (n, n // 2) for n in range(ROWS))
"""Every address in two rows."""


async def showing(scene: Scene, *words: str, number: int = 0) -> Message:
    """The message about the request with this number, once it has these words."""

    def there() -> Message | None:
        found = [one for one in scene.workspace.messages(FINANCE) if "Requested by " in one.text][number:]
        return found[0] if found and all(word in found[0].text for word in words) else None

    return await scene.workspace.until(there, timeout=PATIENCE)


async def ask_for_addresses(scene: Scene) -> None:
    await scene.workspace.slash(MARIA, FINANCE, "/email", "file")
    await scene.workspace.submit(MARIA, {"file": [scene.workspace.upload(MARIA, "people.csv", LIST)]})
    await scene.workspace.until(lambda: (form := scene.workspace.modal(MARIA)) and form.callback_id == "email.list")
    await scene.workspace.submit(MARIA, {"concurrent": str(AT_ONCE)})


async def result_of(scene: Scene, root: Message) -> bytes:
    """The content of the one file in a thread."""

    def files() -> list[bytes]:
        thread = scene.workspace.messages(FINANCE, thread_ts=root.ts)
        held = [scene.workspace.file(file_id) for one in thread for file_id in one.files]
        return [file.content for file in held if file is not None]

    await scene.workspace.until(files, timeout=PATIENCE)
    await scene.settled()
    (content,) = files()
    return content


@pytest.mark.parametrize("kills", [1, pytest.param(4, marks=pytest.mark.campaign)])
async def test_killed_list_resumes_where_it_was(open_scene: Opening, kills: int) -> None:
    scene = await open_scene()
    await ask_for_addresses(scene)
    for number in range(1, kills + 1):
        some = ROWS // 2 * number // (kills + 1)
        await scene.emails.until(lambda some=some: len(scene.emails.asked) >= some, timeout=PATIENCE)  # type: ignore[misc]
        await scene.restart()
    root = await showing(scene, "Done.")
    content = await result_of(scene, root)
    header, *rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    assert header[:4] == ["n", "email", "name", "processing"]
    assert [row[:3] for row in rows] == [[str(n), f"p{n // 2}@example.com", "Ana"] for n in range(ROWS)]
    assert {row[3] for row in rows} == {"answered"}
    assert len(scene.emails.asked) == ROWS // 2
    repeated = sum(scene.emails.asked.values()) - ROWS // 2
    [said] = re.findall(r"A restart made me check (\d+) addresses again", root.text)
    assert repeated <= int(said) <= AT_ONCE * kills


async def test_stop_repeats_no_address(open_scene: Opening) -> None:
    scene = await open_scene()
    await ask_for_addresses(scene)
    await scene.emails.until(lambda: len(scene.emails.asked) >= ROWS // 6, timeout=PATIENCE)
    assert await scene.bot.stop() == 0
    await scene.start()
    await result_of(scene, await showing(scene, "Done."))
    assert set(scene.emails.asked.values()) == {1}


@pytest.fixture
async def delivery() -> AsyncIterator[DeliverySimulator]:
    async with DeliverySimulator() as running:
        running.add_store("Centro", token=STORE_KEY)
        yield running


@pytest.mark.parametrize("is_answered", [False, True])
async def test_kill_while_booking_books_once(
    open_scene: Opening, delivery: DeliverySimulator, is_answered: bool
) -> None:
    """Killed while the service's answer is on its way, or right after the form was answered."""
    scene = await open_scene(
        DELIVERY_BASE_URL=delivery.base_url, DELIVERY_MASTER_KEY=delivery.master_key, QUIET_SECONDS="3"
    )
    await delivery.until(lambda: delivery.calls_of("list_stores"), timeout=PATIENCE)
    await scene.workspace.slash(MARIA, FINANCE, "/deliver", "stores")
    await scene.workspace.until(lambda: any("Centro" in said for said in scene.ephemerals(MARIA)), timeout=PATIENCE)
    await scene.workspace.slash(MARIA, FINANCE, "/deliver", "book")
    await scene.workspace.submit(MARIA, FORM)
    await scene.workspace.until(lambda: "Delivery fee" in str(scene.workspace.modal(MARIA)), timeout=PATIENCE)
    if not is_answered:
        delivery.faults.arm(Fault(FaultKind.DONE_HANGS, "create_booking", seconds=60))
    assert (await scene.workspace.submit(MARIA, {})).ok
    if not is_answered:
        await delivery.until(lambda: delivery.bookings, timeout=PATIENCE)
    await scene.restart()

    def ends() -> list[str]:
        texts = [card.text for card in scene.cards(FINANCE)]
        return [text for text in texts if "Looking for a driver" in text or "ot booked*" in text]

    (card,) = await scene.workspace.until(ends, timeout=PATIENCE)
    sent = len(delivery.calls_of("create_booking"))
    assert sent <= 1 if is_answered else sent == 1
    assert len(delivery.bookings) == sent
    assert ("Looking for a driver" in card) is bool(sent)
    assert len(scene.cards(FINANCE)) == 1


@pytest.fixture
async def localization() -> AsyncIterator[LocalizationSimulator]:
    async with LocalizationSimulator() as running:
        yield running


@pytest.fixture
async def localizing(open_scene: Opening, localization: LocalizationSimulator) -> Scene:
    # A sent post is searched for only once Slack certainly shows it.
    return await open_scene(
        LOCALIZATION_BASE_URL=localization.base_url, LOCALIZATION_API_KEY=localization.api_key, PLAY_SHOWN="1"
    )


async def test_kill_during_localization_offers_to_run_again(
    localizing: Scene, localization: LocalizationSimulator
) -> None:
    localization.work_seconds["*"] = 300.0
    await localizing.workspace.slash(MARIA, FINANCE, "/localize", "separate https://files.example.com/song.mp3")
    await showing(localizing, "Separating vocals and music…")
    await localization.until(lambda: localization.calls, timeout=PATIENCE)
    await localizing.restart()
    interrupted = await showing(localizing, "Interrupted by a restart")
    assert len(localization.calls) == 1
    localization.work_seconds["*"] = 0.0
    await localizing.workspace.click(MARIA, FINANCE, interrupted.ts, AGAIN)
    await showing(localizing, "Done", "2 files in thread.", number=1)
    assert len(localization.calls) == 2


async def test_kill_while_result_is_posted_posts_it_once(
    localizing: Scene, localization: LocalizationSimulator
) -> None:
    held = localizing.slack_gate.hold("files.completeUploadExternal", after_effect=True)
    await localizing.workspace.slash(MARIA, FINANCE, "/localize", "speak Welcome aboard")
    await held.arrival()
    await localizing.restart()
    done = await showing(localizing, "Done", "File in thread.")
    assert len([m for m in localizing.workspace.messages(FINANCE) if m.files and m.thread_ts == done.ts]) == 1
    assert len(localization.calls) == 1


async def test_streamed_file_does_not_stay_in_memory(tmp_path: Path) -> None:
    async with bot_between(tmp_path) as (scene, service):
        passed = await let_pass(scene, service, tmp_path, 200 * MEGA)
        assert passed.growth <= 64 * MEGA, passed
        assert service.keys == {f"Bearer {KEY}"}
        assert service.result_keys == {""}

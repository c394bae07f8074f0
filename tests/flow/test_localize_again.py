"""What was made and billed is not lost: an answer under other names is kept, and read again once they are known."""

import asyncio
from functools import partial

import pytest

from bot.presentation.localization import AGAIN, DETAILS, READ
from tests.flow.localizing import DONE, ENGLISH, Localizer
from tests.support import answers
from tests.support.rig import ADA, FINANCE, MARIA, OLGA, Rig

SONG = "separate https://files.example.com/song.mp3"
UNREAD = ":warning:"
ask = partial(answers.ask, command="/switchboard", user=OLGA)
pytestmark = pytest.mark.rig(services="", clock=None, on="both")


def made(rig: Rig) -> int:
    """How often the service did something, and billed it."""
    return len([call for call in rig.localization.calls if call.operation != "result"])


async def listed(rig: Rig, words: str) -> str:
    """What `/switchboard unread` says, once a tick has noted the answer."""
    text = ""
    async with asyncio.timeout(20):
        while words not in text:
            text = (await ask(rig, "unread")).text
    return text


async def learn(rig: Rig) -> str:
    """Add the lines that `/switchboard unread` shows, and restart."""
    told = await listed(rig, "```")
    assert "Only names and types of fields are kept, and answers of localization with their calls." in told
    lines = told.split("```")[1].strip()
    assert rig.settings.services_file is not None
    rig.settings.services_file.write_text(lines, encoding="utf-8")
    await rig.start_again()
    return lines


@pytest.mark.parametrize("parts", [("vocals", "music"), ("music",)])
async def test_parts_under_other_names_are_read_once_the_names_are_known(
    maria: Localizer, parts: tuple[str, ...]
) -> None:
    names = {part: f"{part}_stem" for part in parts}
    maria.rig.localization.switches.names = names
    await maria.type(SONG)
    board = await maria.board(UNREAD, "The answer is saved and won't be billed again")
    assert [button.action_id for button in board.buttons] == [READ, DETAILS]
    if len(parts) == 1:
        assert len(maria.files(await maria.results(board))) == 1
    await maria.press(board, READ)
    await maria.told("still can't read this answer")
    lines = "\n".join(f'{part} = "{name}"' for part, name in names.items())
    assert await learn(maria.rig) == f"[localization.music_source_separation.reply]\n{lines}"
    await asyncio.gather(*(maria.press(board, READ, user=user) for user in (MARIA, ADA)))
    board = await maria.board(DONE)
    results = await maria.results(board, 2)
    assert [file.name.rpartition("-")[0] for file in maria.files(results)] == ["song-vocals", "song-music"]
    assert (made(maria.rig), board.buttons, len(results)) == (1, [], 2)
    await maria.press(board, READ, force=True)
    await maria.told("out of date")


async def test_unread_field_gets_its_settings_line(maria: Localizer) -> None:
    maria.rig.localization.switches.names = {"summary": "abridged"}
    maria.rig.localization.switches.wraps = "payload"
    await maria.type(f"summarize {ENGLISH}")
    told = await maria.answer(UNREAD)
    assert await learn(maria.rig) == '[localization.summary_generation.reply]\ntext = "abridged"'
    await maria.press(told, READ)
    assert "The meeting was moved" in (await maria.answer("*Summarize*", number=1)).text
    assert made(maria.rig) == 1
    await listed(maria.rig, "Readable again: localization.summary_generation.")


@pytest.mark.rig(command_prefix="sb-", services="", clock=None)
async def test_unread_answer_names_the_command_with_its_prefix(rig: Rig) -> None:
    rig.workspace.add_command("/sb-localize")
    maria = Localizer(rig)
    rig.localization.switches.names = {"music": "music_stem"}
    await rig.workspace.slash(MARIA, FINANCE, "/sb-localize", SONG)
    board = await maria.board("`/sb-switchboard unread`")
    await maria.press(board, READ)
    await maria.told("`/sb-switchboard unread`")


@pytest.mark.parametrize("part", [False, True])
async def test_expired_result_address_is_reported(maria: Localizer, part: bool) -> None:
    """It is said so; to run it again may bill again, and asks first."""
    names = {"vocals": "vocals_stem", "music": "music_stem"}
    maria.rig.localization.switches.names = {"music": "music_stem"} if part else names
    await maria.type(SONG)
    board = await maria.board(UNREAD)
    if part:
        await maria.results(board)
    await learn(maria.rig)
    for held in maria.rig.localization.held.values():
        held.expires_at = 0.0
    await maria.press(board, READ)
    if part:
        board = await maria.board("File in thread. Missing: *music*. It was done, but I couldn't fetch the result.")
        assert [button.text for button in board.buttons] == ["Details"]
    else:
        board = await maria.board(":x:", "It was done, but I couldn't fetch the result.")
        assert [button.action_id for button in board.buttons] == [AGAIN, DETAILS]
        assert "Both may be billed." in str(board.blocks)
    assert made(maria.rig) == 1

"""Real media of every documented format, from the drop to the result in the same thread, decoded again."""

import asyncio
import struct
from pathlib import Path

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from storage.rows import DropState
from tests.flow.localizing import DONE, Localizer, errors
from tests.support import media
from tests.support.offers import choices, use_file
from tests.support.rig import ADA, FINANCE, MARIA, RANDOM, Rig
from tests.support.waiting import until

pytestmark = pytest.mark.rig(clock=None)


async def drop(maria: Localizer, path: Path, *, name: str | None = None, duration_ms: int | None = None) -> Message:
    return await maria.rig.workspace.drop(MARIA, FINANCE, name or path.name, path, duration_ms=duration_ms)


CONVERSIONS = [(extension, target) for extension in media.AUDIO for target in ("wav", "mp3")]


async def test_every_sound_is_converted(maria: Localizer, tmp_path: Path) -> None:
    for number, (extension, target) in enumerate(CONVERSIONS):
        dropped = await drop(maria, media.make(tmp_path, extension))
        await maria.choose("Convert", file=dropped)
        assert maria.form is not None, extension
        await maria.submit({"option.target_extension": target})
        board = await maria.board(DONE, "Convert audio", number=number)
        assert board.thread_ts == dropped.ts, extension
        results = await maria.results(board)
        (file,) = maria.files(results)
        assert file.name.endswith(f".{target}"), extension
        heard = media.heard(file.content, tmp_path)
        assert heard.codec == {"wav": "pcm_s16le", "mp3": "mp3float"}[target], extension
        assert heard.seconds == pytest.approx(1.0, abs=0.1), (extension, target)
        assert results[0].text.endswith(f"*Convert audio*, 0:01, .{target}"), extension
        assert results[0].thread_ts == dropped.ts, (extension, target)


async def test_sound_of_every_video_format_is_extracted(maria: Localizer, tmp_path: Path) -> None:
    films = [
        ("mp4", 16_000, 16, 1),
        ("mov", 22_050, 16, 2),
        ("mkv", 44_100, 32, 1),
        ("webm", 48_000, 32, 2),
        ("mpeg", 16_000, 32, 2),
        ("mpg", 22_050, 32, 1),
        ("avi", 44_100, 16, 2),
        ("flv", 48_000, 16, 1),
        ("m4v", 48_000, 16, 2),
    ]
    for number, (extension, rate, width, channels) in enumerate(films):
        dropped = await drop(maria, media.make(tmp_path, extension))
        assert await maria.offered(dropped) == ["Extract audio"], extension
        await maria.choose("Extract audio", file=dropped)
        await maria.submit(
            {"option.sample_rate": str(rate), "option.sample_width": str(width), "option.n_channels": str(channels)}
        )
        board = await maria.board(DONE, "Extract audio", number=number)
        (file,) = maria.files(await maria.results(board))
        heard = media.heard(file.content, tmp_path)
        assert (heard.rate, heard.width, heard.channels) == (rate, width, channels), extension
        assert heard.seconds == pytest.approx(1.0, abs=0.1), extension


async def test_operation_without_choices_starts_at_once(maria: Localizer, tmp_path: Path) -> None:
    for number, extension in enumerate(media.CLIPS):
        dropped = await drop(maria, media.make(tmp_path, extension))
        await maria.choose("Detect gender", file=dropped)
        assert maria.form is None, extension
        board = await maria.board(DONE, number=number)
        assert board.thread_ts == dropped.ts, extension
        assert " % sure)" in board.text, extension
        assert of_bot(maria, dropped) == [board], "the offer says it all"
        (call,) = maria.rig.localization.calls[number:]
        assert isinstance(call.body, dict)
        assert set(call.body) == {"audio_file"}, extension


async def test_two_tracks_that_can_be_played(maria: Localizer, tmp_path: Path) -> None:
    for number, extension in enumerate(media.CLIPS):
        dropped = await drop(maria, media.make(tmp_path, extension))
        await maria.choose("Separate vocals and music", file=dropped)
        board = await maria.board(DONE, number=number)
        results = await maria.results(board, 2)
        files = maria.files(results)
        assert [file.name.split("-")[-2] for file in files] == ["vocals", "music"], extension
        assert all(file.name.endswith(".mp3") and file.mimetype == "audio/mpeg" for file in files), extension
        for file in files:
            assert media.heard(file.content, tmp_path).seconds == pytest.approx(1.0, abs=0.1), extension
        assert {m.thread_ts for m in results} == {dropped.ts}, extension


async def test_offers_fit_the_file(maria: Localizer, tmp_path: Path) -> None:
    some = ["Convert", "Transcribe", "Emotion"]
    for extension, labels in {
        "mp3": ["Detect gender", "Separate vocals and music", *some],
        "wav": ["Detect gender", "Separate vocals and music", *some],
        "flac": some,
        "ogg": some,
        "aiff": some,
    }.items():
        assert await maria.offered(await drop(maria, media.make(tmp_path, extension))) == labels, extension


def boxed(*brands: bytes, behind: bytes = b"") -> bytes:
    """A file of the ISO family: its first brand, and those it is compatible with."""
    listed = b"".join((brands[0], bytes(4), *brands[1:]))
    return struct.pack(">I", len(listed) + 8) + b"ftyp" + listed + behind + bytes(400)


def tagged(content: bytes, tag: bytes = b"ID3\x04\0\0\0\0\0\x0a" + bytes(10)) -> bytes:
    return tag + content


def track(kind: bytes, codec: bytes) -> bytes:
    return b"hdlr" + bytes(8) + kind + bytes(60) + b"stsd" + bytes(12) + codec


PICTURE = b"mp4v" + bytes(82) + b"esds" + bytes(4) + b"\x03\x80\x80\x80\x1b" + bytes(3) + b"\x04\x80\x80\x80\x13l"
"""The codec of JPEG in an MP4 file, as FFmpeg writes it."""
JUNK = bytes(range(1, 250)) * 40
FRAMES = (b"\xff\xfb\x90\x64" + bytes(413)) * 4
APE = b"APETAGEX" + struct.pack("<4I", 2000, 40, 1, 1 << 31) + bytes(8 + 40)
COVER = b"ID3\x03\0\0\0\x06\x20\0" + b"\xff\xd8\xff\xe0" * 25_600  # 100 KB
PICTURES = ["Extract text"]
CLIP = ["Detect gender", "Separate vocals and music", "Convert", "Transcribe", "Emotion"]
SOUND = CLIP[2:]
SPEECH = CLIP[3:]
FILM = ["Extract audio"]
KINDS = [
    ("photo.avif", boxed(b"avif", b"avif", b"mif1", b"miaf", b"MA1B"), PICTURES),
    ("moving.avif", boxed(b"avis", b"msf1", b"iso8", b"mif1"), PICTURES),
    ("generic.avif", boxed(b"mif1", b"mif1", b"avif", b"miaf"), PICTURES),
    ("photo.heif", boxed(b"mif1", b"mif1", b"heic"), PICTURES),
    ("burst.heics", boxed(b"hevc", b"msf1", b"hevc", b"iso8"), PICTURES),
    ("photo.mp4", boxed(b"heic", b"mif1", b"heic"), PICTURES),
    ("photo.jxl", b"\0\0\0\x0cJXL \r\n\x87\n" + boxed(b"jxl ", b"jxl "), PICTURES),
    ("bare.jxl", b"\xff\x0a\xfa\x1f\x41\x91\x08\x06\x01\0" + bytes(90), PICTURES),
    ("scan.jp2", b"\0\0\0\x0cjP  \r\n\x87\n" + boxed(b"jp2 ", b"jp2 "), PICTURES),
    ("moving.webp", b"RIFF\x64\0\0\0WEBPVP8X\x0a\0\0\0\x02" + bytes(80), PICTURES),
    ("raw.cr3", boxed(b"crx ", b"crx ", b"isom"), []),
    ("film.mp4", boxed(b"zzzz", b"yyyy"), []),
    ("camera.mp4", boxed(b"XAVC", b"XAVC", b"mp42", b"iso2"), FILM),
    ("download.mp4", boxed(b"zzzz", b"isom"), FILM),
    ("book.m4b", boxed(b"M4B ", b"mp42", b"isom"), SPEECH),
    ("tag.mp3", tagged(b"fLaC\0\0\0\x22" + bytes(400)), SOUND),
    ("twice.flac", tagged(tagged(b"fLaC\0\0\0\x22" + bytes(400))), SOUND),
    ("cover.flac", COVER + b"fLaC\0\0\0\x22" + bytes(400), SOUND),
    ("ape.flac", tagged(b"fLaC\0\0\0\x22" + bytes(400), APE), SOUND),
    ("tag.aac", tagged((bytes([0xFF, 0xF1, 0x50, 0x80, 8, 0x1F]) + bytes(58)) * 3), SPEECH),
    ("tag.wav", tagged(b"RIFF\x64\0\0\0WAVEfmt " + bytes(90)), CLIP),
    ("odd.wav", b"RIFF\x64\0\0\0WAVEJUNK\x1c\0\0\0" + bytes(28) + b"bext" + bytes(90), CLIP),
    ("monkey.mp3", tagged(b"MAC \x96\x0f" + bytes(90)), SPEECH),
    ("song.mp3", tagged(bytes(900)), CLIP),
    ("junk.mp3", JUNK + FRAMES, CLIP),
    ("junk.bin", JUNK + FRAMES, []),
    ("radio.mp2", (b"\xff\xfd\x84\x04" + bytes(380)) * 4, SPEECH),
    ("low.mp3", (b"\xff\xf5\x84\x04" + bytes(380)) * 4, SPEECH),
    ("Audio Message.caf", b"caff\0\x01\0\0desc" + bytes(90), SPEECH),
    ("old.mov", b"\0\0\0\x08free\0\0\x06\x10moov" + bytes(90), FILM),
    ("album.m4a", boxed(b"mp42", behind=b"\0\x01\0\0moov" + track(b"soun", b"mp4a") + track(b"vide", b"jpeg")), SPEECH),
    ("cover.m4a", boxed(b"mp42", behind=b"\0\x01\0\0moov" + track(b"vide", PICTURE) + track(b"soun", b"mp4a")), SPEECH),
    ("film.m4a", boxed(b"mp42", behind=b"\0\x01\0\0moov" + track(b"soun", b"mp4a") + track(b"vide", b"avc1")), FILM),
    ("words.ogg", b"OggS\0\x02" + bytes(22) + b"\x01vorbis" + bytes(90) + b"ENCODER=ffmpeg2theora", SOUND),
    ("old.ogg", b"OggS\0\x02" + bytes(22) + b"\x80theora" + bytes(90), []),
    (
        "talk.wmv",
        b"\x30\x26\xb2\x75\x8e\x66\xcf\x11" + bytes(90) + b"\x40\x9e\x69\xf8\x4d\x5b\xcf\x11" + bytes(9),
        SPEECH,
    ),
]


@pytest.mark.parametrize(("name", "content", "labels"), KINDS, ids=[name for name, _, _ in KINDS])
async def test_offer_fits_what_the_bytes_are(maria: Localizer, name: str, content: bytes, labels: list[str]) -> None:
    dropped = await maria.rig.workspace.drop(MARIA, FINANCE, name, content)
    if labels:
        assert await maria.offered(dropped) == labels
        return
    store, state = maria.rig.switchboard.context.store, DropState.QUIET

    async def is_quiet() -> bool:
        row = await store.read(lambda tx: tx.dropped.get(dropped.files[0]))
        return row is not None and row.state is state

    await until(is_quiet)
    assert of_bot(maria, dropped) == []


@pytest.mark.parametrize("film", [False, True])
@pytest.mark.parametrize("extension", ["webm", "mkv", "mp4", "mov"])
async def test_recording_without_pictures_is_sound(
    maria: Localizer, tmp_path: Path, extension: str, film: bool
) -> None:
    options = {"movflags": "faststart"} if extension in ("mp4", "mov") else {}
    dropped = await drop(maria, media.make(tmp_path, extension, film=film, options=options))
    assert await maria.offered(dropped) == (FILM if film else SPEECH)


@pytest.mark.parametrize(
    ("name", "brand", "film", "labels"),
    [
        ("voice.m4a", b"3gp4", False, SPEECH),
        ("voice.ogg", b"isom", False, SPEECH),
        ("call.mp4", b"isom", False, SPEECH),
        ("film.mp3", b"isom", True, FILM),
    ],
)
async def test_tracks_that_are_listed_behind_the_media_decide(
    maria: Localizer, tmp_path: Path, name: str, brand: bytes, film: bool, labels: list[str]
) -> None:
    content = media.make(tmp_path, "mp4", seconds=6.0, film=film).read_bytes().replace(b"isom", brand, 1)
    assert b"moov" not in content[: 64 * 1024]
    assert await maria.offered(await maria.rig.workspace.drop(MARIA, FINANCE, name, content)) == labels


async def test_service_gets_the_real_type_of_a_file(maria: Localizer, tmp_path: Path) -> None:
    dropped = await drop(maria, media.make(tmp_path, "wav"), name='tr"ick\nname.mp3')
    await maria.choose("Detect gender", file=dropped)
    await maria.board(DONE)
    (call,) = maria.rig.localization.calls
    assert isinstance(call.body, dict)
    assert call.body["audio_file"]["filename"] == "file.wav"
    assert call.body["audio_file"]["content_type"] == "audio/wav"


async def test_document_with_long_text_returns_a_file(maria: Localizer) -> None:
    page = (
        "<!doctype html><html><body>" + "\n".join(f"Line {n} of the contract." for n in range(400)) + "</body></html>"
    )
    dropped = await maria.rig.workspace.drop(MARIA, FINANCE, "contract.html", page.encode())
    assert await maria.offered(dropped) == ["Extract text"]
    await maria.choose("Extract text", file=dropped)
    await maria.submit()
    board = await maria.board(DONE)
    results = await maria.results(board)
    (file,) = maria.files(results)
    assert file.name.endswith(".txt")
    assert file.content.decode() == page
    assert results[0].text.splitlines()[0] == f"<@{MARIA}> *Extract text*: {len(page):,} characters"
    assert results[0].thread_ts == dropped.ts


def stretched(path: Path, seconds: int) -> Path:
    """A Matroska file that says it plays so long."""
    content = path.read_bytes()
    at = content.index(b"\x44\x89\x88") + 3
    path.write_bytes(content[:at] + struct.pack(">d", seconds * 1_000) + content[at + 8 :])
    return path


@pytest.mark.parametrize("by_slack", [True, False])
async def test_video_over_ten_minutes_is_refused_before_it_is_sent(
    maria: Localizer, tmp_path: Path, by_slack: bool
) -> None:
    """Timed by Slack, or by its own header."""
    film = media.make(tmp_path, "mp4") if by_slack else stretched(media.make(tmp_path, "mkv"), 601)
    dropped = await drop(maria, film, duration_ms=601_000 if by_slack else None)
    await maria.choose("Extract audio", file=dropped)
    told = await maria.rig.workspace.until(lambda: maria.rig.workspace.ephemerals(MARIA))
    assert "at most 600 seconds long; this has 601" in told[-1].text
    assert maria.form is None
    if not by_slack:
        await maria.type("extract-audio")
        file = maria.rig.workspace.upload(MARIA, "film.mkv", film.read_bytes())
        assert "this has 601" in errors(await maria.submit({"file": [file]}))["file"]
    assert not maria.rig.localization.calls


async def test_key_is_sent_to_its_service_only(maria: Localizer, tmp_path: Path) -> None:
    dropped = await drop(maria, media.make(tmp_path, "mp3"))
    await maria.choose("Separate vocals and music", file=dropped)
    await maria.board(DONE)
    held = list(maria.rig.localization.held.values())
    assert [one.fetched for one in held] == [1, 1]
    assert not any(one.authorization for one in held)


async def test_several_files_at_once_from_a_form(maria: Localizer, tmp_path: Path) -> None:
    paths = [media.make(tmp_path, extension, seconds=seconds) for extension in media.CLIPS for seconds in (0.5, 1.0)]
    ids = [maria.rig.workspace.upload(MARIA, path.name, path.read_bytes()) for path in paths]
    await maria.type("gender")
    await maria.submit({"file": ids})
    await maria.rig.workspace.until(lambda: len([b for b in maria.boards() if DONE in b.text]) == 4, timeout=20)
    assert len(maria.rig.localization.calls) == 4
    assert {path.name for path in paths} == {b.text.split(":paperclip: ")[1].split("\n")[0] for b in maria.boards()}


async def test_nonmember_bot_writes_directly(rig: Rig) -> None:
    maria = Localizer(rig, channel=RANDOM)
    ack = await maria.type("convert https://files.example.com/talk.flac mp3")
    assert "/invite @Switchboard" in str(ack.body)
    direct = rig.workspace.open_dm(MARIA).id
    board = await maria.board(DONE, channel=direct)
    (result,) = await maria.results(board)
    assert maria.files([result])[0].name.endswith(".mp3")
    assert result.channel == direct


async def test_the_audio_itself_as_the_answer(maria: Localizer, tmp_path: Path) -> None:
    maria.rig.localization.switches.audio_as_bytes = True
    dropped = await drop(maria, media.make(tmp_path, "mkv"))
    await maria.choose("Extract audio", file=dropped)
    await maria.submit({"option.sample_rate": "16000", "option.sample_width": "16", "option.n_channels": "2"})
    board = await maria.board(DONE)
    (file,) = maria.files(await maria.results(board))
    heard = media.heard(file.content, tmp_path)
    assert (heard.rate, heard.width, heard.channels) == (16_000, 16, 2)


def of_bot(maria: Localizer, dropped: Message) -> list[Message]:
    return [m for m in maria.messages(thread=dropped.ts) if m.bot_id]


async def test_offer_becomes_the_status_and_one_file_follows(maria: Localizer, tmp_path: Path) -> None:
    dropped = await drop(maria, media.make(tmp_path, "wav"), name="talk.wav")
    offered = await maria.offered(dropped)
    await maria.choose("Convert", file=dropped)
    await maria.submit({"option.target_extension": "mp3"})
    board = await maria.board(DONE, "Convert audio")
    (result,) = await maria.results(board)
    assert [m.ts for m in of_bot(maria, dropped)] == [board.ts, result.ts]
    assert await maria.offered(dropped) == offered, "the others stay within reach, in a menu"
    await maria.choose("Detect gender", file=dropped)
    both = await maria.board(DONE, "Convert audio", "Detect gender", without="hourglass")
    assert " % sure)" in both.text
    assert (both.ts, len(of_bot(maria, dropped))) == (board.ts, 2)
    boards = await maria.rig.switchboard.context.read(lambda uow: uow.boards.within(f"file:{dropped.files[0]}"))
    assert len(boards) == 2
    maria.rig.localization.faults.arm(Fault(FaultKind.REFUSED, "music_source_separation"))
    await maria.choose("Separate vocals and music", file=dropped)
    failed = await maria.board(":x:")
    await maria.rig.workspace.click(MARIA, FINANCE, failed.ts, "localization.again")
    again = await maria.board(DONE, "*Separate vocals and music*", without=":x:")
    assert again.text.count("*Separate vocals and music*") == 1, "what was run again is not shown twice"
    assert again.ts == board.ts


async def test_concurrent_presses_of_two_people_both_run(rig: Rig, tmp_path: Path) -> None:
    maria, ada = Localizer(rig), Localizer(rig, user=ADA)
    dropped = await drop(maria, media.make(tmp_path, "wav"))
    await maria.offered(dropped)
    rig.localization.work_seconds["*"] = 300.0
    await asyncio.gather(
        maria.choose("Detect gender", file=dropped), ada.choose("Separate vocals and music", file=dropped)
    )
    board = await maria.board("Detecting gender", "Separating vocals", "by Maria Silva", "by Ada Okafor")
    await rig.workspace.until(lambda: len(rig.localization.calls) == 2)
    await rig.start_again()  # a kill in between: what was sent is not sent again, and can be run again
    rig.localization.work_seconds["*"] = 0.0
    later = await ada.board("Detect gender", "Separate vocals", without="hourglass")
    assert later.ts == board.ts
    assert later.text.count("Interrupted by a restart") == 2
    for button in (one for one in later.buttons if one.text == "Run again"):
        await rig.workspace.click(MARIA, FINANCE, board.ts, button.action_id, value=button.value)
    done = await maria.board(DONE, without="Interrupted")
    await maria.results(done, 2)
    assert {m.ts for m in maria.boards()} == {board.ts}


async def test_deleted_status_message_is_posted_again(rig: Rig, tmp_path: Path) -> None:
    maria = Localizer(rig)
    dropped = await drop(maria, media.make(tmp_path, "wav"))
    offer = await rig.workspace.until(lambda: maria._offer(dropped))
    rig.workspace._state.log.change(offer, deleted=True)
    await use_file(rig, dropped)
    await rig.workspace.submit(MARIA, {"choice": choices(rig.form(MARIA))["Detect gender"]})
    board = await maria.board(DONE, "Detect gender")
    assert board.ts != offer.ts
    assert " % sure)" in board.text


async def test_recorded_clip_with_a_video_name_is_audio(maria: Localizer, tmp_path: Path) -> None:
    clip = media.make(tmp_path, "mp4", seconds=5.0, film=False).read_bytes()
    assert b"moov" not in clip[: 64 * 1024]
    dropped = await maria.rig.workspace.drop(MARIA, FINANCE, "audio_message.mp4", clip, mimetype="audio/mp4")
    assert await maria.offered(dropped) == ["Transcribe", "Emotion"]
    await maria.choose("Transcribe", file=dropped)
    await maria.submit()
    await maria.board(DONE)

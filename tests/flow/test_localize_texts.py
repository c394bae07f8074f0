"""Texts from files and messages: cut, sent side by side, put together again; and what became of each piece."""

import io
import zipfile
from functools import partial

import pytest
from inline_snapshot import snapshot

from bot.domain.localization.progress import CallProgress
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.tables.prose import read_prose, write_document
from tests.flow.localizing import DONE, Localizer, errors
from tests.support.rig import FINANCE, MARIA, RANDOM
from tests.support.rows import jobs_of
from tests.support.shown import shown

pytestmark = pytest.mark.rig(clock=None)

SUBTITLES = """1
00:00:01,000 --> 00:00:02,500
<i>Where is the station?</i>

2
00:00:03,000 --> 00:00:04,000
It is near
the market.

3
00:00:05,000 --> 00:00:06,000
♪

4
00:00:07,000 --> 00:00:08,000
Thank you.
"""


async def drop(maria: Localizer, name: str, content: str | bytes) -> Message:
    data = content.encode() if isinstance(content, str) else content
    return await maria.rig.workspace.drop(MARIA, FINANCE, name, data)


def texts(maria: Localizer) -> list[str]:
    return [call.body["text"] for call in maria.rig.localization.calls if isinstance(call.body, dict)]


async def translate(maria: Localizer, name: str, content: str | bytes, target: str = "fr") -> Message:
    dropped = await drop(maria, name, content)
    await maria.choose("Translate", file=dropped)
    await maria.submit({"option.target_lang": target, "option.source_lang": "en"})
    return dropped


async def translated(maria: Localizer, name: str, content: str | bytes) -> str:
    await translate(maria, name, content)
    (file,) = maria.files(await maria.results(await maria.board(DONE)))
    return file.content.decode()


async def test_subtitles_keep_numbers_and_times(maria: Localizer) -> None:
    dropped = await drop(maria, "film.srt", SUBTITLES)
    labels = ["Extract text", "Translate", "Transliterate", "Paraphrase", "Summarize", "Speak", "Emotion"]
    assert await maria.offered(dropped) == labels
    await maria.choose("Translate", file=dropped)
    form = maria.form
    assert form is not None
    fields = {block["block_id"]: block for block in form.blocks if block["type"] == "input"}
    assert fields["option.source_lang"]["element"]["initial_option"]["value"] == "en"
    await maria.submit({"option.target_lang": "fr"})
    board = await maria.board(DONE)
    assert board.thread_ts == dropped.ts
    (result,) = await maria.results(board)
    (file,) = maria.files([result])
    assert file.name.startswith("film-fr-")
    assert file.name.endswith(".srt")
    assert file.content.decode() == SUBTITLES.replace("Where is", "[en → fr] Where is").replace(
        "It is near", "[en → fr] It is near"
    ).replace("Thank", "[en → fr] Thank")
    assert sorted(texts(maria)) == ["It is near\nthe market.", "Thank you.", "Where is the station?"]


START, END = "00:00:20,000", "00:00:24,000"
CUES = "1\n{}\nOne.\n\n2\n00:00:25,000 --> 00:00:26,000\nTwo.\n"
TIMES = {
    "full stop": "00:00:20.000 --> 00:00:24.000",
    "no milliseconds": "00:00:20 --> 00:00:24",
    "no hours": "0:20,5 --> 0:24,5",
    "a colon": "00:00:20:000 --> 00:00:24:000",
    "direction marks": f"\u200f{START} --> {END}\u202c",
    "wide letters": "００：００：２０，０００ --＞ 00:00:24,000",
    "places": f"{START} --> {END} X1:201 X2:516 Y1:397 Y2:423",
    "settings": "00:20.000 --> 00:24.000 align:start position:0%",
    "blanks by a translator": "00: 00: 20, 000 -> 00: 00: 24, 000",
    "no blanks": f"{START}-->{END}",
    "escaped": f"{START} --&gt; {END}",
    "arrow": f"{START} → {END}",
    "broken arrow": f"{START} -- > {END}",
    "below zero": f"-00:00:01,000 --> {END}",
}
ASS = (
    "[Script Info]\nTitle: A\n[Events]\n"
    "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Comment: 0,0:00:00.00,0:00:01.00,Default,,0,0,0,,by us\nDialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,"
    "{{\\an8}}{}One, and{}more.\nDialogue: 0,0:00:03.00,0:00:04.00,Default,,0,0,0,,{{\\p1}}m 0 0 l 9 9{{\\p0}}\n"
    "Dialogue: 0,0:00:05.00,0:00:06.00,Default,,0,0,0,,{}Two.\n"
)
SHAPES: dict[str, tuple[str, str]] = {
    **{name: (f"{name}.srt", CUES.format(times)) for name, times in TIMES.items()},
    "nothing between": ("a.srt", CUES.replace("\n\n", "\n").format(f"{START} --> {END}")),
    "carriage returns": ("a.srt", CUES.replace("\n", "\r\r\n").format(f"{START} --> {END}")),
    "number on the line": ("a.srt", CUES.replace("1\n{}", "1  {}").format(f"{START} --> {END}")),
    "text on the line": ("a.srt", CUES.replace("{}\nOne", "{} One").format(f"{START} --> {END}")),
    "damaged numbers": ("a.srt", CUES.replace("\n2\n", "\n二\n").format(f"{START} --> {END}")),
    "no numbers": ("a.srt", CUES.replace("1\n", "").replace("2\n", "").format(f"{START} --> {END}")),
    "called a text": ("a.txt", CUES.format(f"{START} --> {END}")),
    "names and notes": ("a.vtt", f"WEBVTT\n\nA\n{START} --> {END}\nOne.\n\nNOTE us\n\n00:25.0 --> 00:26.0\nTwo.\n"),
    "of YouTube": ("a.sbv", "0:00:20.000,0:00:24.000\nOne.\n\n0:00:25.000,0:00:26.000\nTwo.\n"),
    "lyrics": ("a.lrc", "[ar:Us]\n[00:20.00]One.\n[00:25.00][00:40.00] Two.\n"),
}  # fmt: skip


@pytest.mark.parametrize(("name", "content"), SHAPES.values(), ids=SHAPES)
async def test_every_shape_of_subtitles_is_understood(maria: Localizer, name: str, content: str) -> None:
    text = await translated(maria, name, content)
    assert sorted(texts(maria)) == ["One.", "Two."]
    assert text == content.replace("One.", "[en → fr] One.").replace("Two.", "[en → fr] Two.").replace("\r", "")


async def test_substation_keeps_styles_comments_drawings_and_breaks(maria: Localizer) -> None:
    text = await translated(maria, "film.ass", ASS.format("", r"{\k20}\N", ""))
    assert sorted(texts(maria)) == ["One, and\nmore.", "Two."]
    assert text == ASS.format("[en → fr] ", r"\N", "[en → fr] ")


UNCLEAR = (
    "Made by us\n\n1\n00:00:01,000 --> 00:00:02,000\nOne.\n\n2\n00:00:0x --> 00:00:04,000\nLost.\n\n"
    "3\n00:00:05,000 --> 00:00:06,000\nplease welcome\n\nAbby.\n"
)


async def test_lines_of_subtitles_that_are_not_understood_are_counted(maria: Localizer) -> None:
    await translate(maria, "film.srt", UNCLEAR)
    board = await maria.board(":warning:")
    assert "so not sent: what begins in lines 1, 8." in board.text
    (file,) = maria.files(await maria.results(board))
    assert sorted(texts(maria)) == ["One.", "please welcome\n\nAbby."]
    assert "\n2\n00:00:0x --> 00:00:04,000\nLost.\n" in file.content.decode()


LONG = (
    "\n\n".join(f"Chapter {n}. The meeting was moved to Friday. Everybody was told in time." for n in range(12)) + "\n"
)


# The service gets so little at once that a text of a page has several pieces.
in_pieces = pytest.mark.rig(clock=None, localization_text_characters=300)


@in_pieces
@pytest.mark.parametrize("name", ["notes.txt", "notes.md", "notes.docx", "notes.vtt"])
async def test_every_kind_of_text_keeps_its_format(maria: Localizer, name: str) -> None:
    said = LONG
    content = said.encode()
    if name.endswith("docx"):
        content = write_document(said)
    if name.endswith("vtt"):
        said = "WEBVTT\n\nNOTE by us\n\n00:01.000 --> 00:02.000 align:start\n- Hello!\n\n00:03.000 --> 00:04.000\nBye\n"
        content = said.encode("utf-16")
    dropped = await translate(maria, name, content)
    board = await maria.board(DONE)
    (file,) = maria.files(await maria.results(board))
    assert file.name.partition(".")[2] == name.partition(".")[2]
    text = read_prose(file.content, name=name, form=name.partition(".")[2])
    assert text.rstrip("\n").replace("[en → fr] ", "") == said.rstrip("\n")
    sent = texts(maria)
    assert len(sent) > 1
    assert all(len(one) <= 300 for one in sent)
    assert text.count("[en → fr] ") == len(sent)
    assert board.thread_ts == dropped.ts


@in_pieces
async def test_each_operation_handles_a_long_text(maria: Localizer) -> None:
    for number, (label, verb, expected) in enumerate(
        [
            ("Summarize", "summarize", "Chapter 0. (and"),
            ("Emotion", "emotion", "Neutral: Chapter 0. The meeting was moved to Friday. Everybody was t…\n"),
            ("Paraphrase", "paraphrase", "Chapter 0. The meeting was shifted to Friday."),
        ]
    ):
        await maria.choose(label, file=await drop(maria, "notes.txt", LONG))
        assert maria.form is None, label
        board = await maria.board(DONE, number=number)
        (file,) = maria.files(await maria.results(board))
        assert file.name.startswith(f"notes-{verb}-"), label
        assert file.content.decode().startswith(expected), label
    assert file.content.decode().count("* * *") == 2  # three ways to say it


async def test_fifty_elements_and_no_more_are_paraphrased_at_once(maria: Localizer) -> None:
    await maria.type("paraphrase " + "It is so. " * 50)
    await maria.answer("3. ")
    await maria.type("paraphrase " + "It is so. " * 51)
    direct = maria.rig.workspace.open_dm(MARIA).id
    board = await maria.board(DONE, "File in thread.", channel=direct)
    assert [one.text for one in board.buttons] == ["Post in channel"]
    assert not maria.boards()
    for _ in range(2):
        await maria.rig.workspace.click(MARIA, direct, board.ts, board.buttons[0].action_id)
    posted = await maria.rig.workspace.until(lambda: [m for m in maria.messages() if m.files])
    assert [one.text.splitlines()[0] for one in posted] == [snapshot("Maria Silva · *Paraphrase*: 1,611 characters")]
    assert sorted(one.count("It is so.") for one in texts(maria)) == [25, 26, 50]


@in_pieces
async def test_long_speech_is_returned_in_numbered_files(maria: Localizer) -> None:
    await maria.choose("Speak", file=await drop(maria, "talk.txt", LONG[:500]))
    await maria.submit()
    board = await maria.board(DONE, "2 files in thread.")
    names = [file.name for file in maria.files(await maria.results(board, 2))]
    assert [name.rpartition("-")[0] for name in sorted(names)] == ["talk-1-of-2-audio", "talk-2-of-2-audio"]


async def use_shortcut(maria: Localizer, text: str, *, channel: str = FINANCE) -> Message:
    said = await maria.rig.workspace.say(MARIA, channel, text)
    await maria.rig.workspace.shortcut(MARIA, "localize_text", channel=channel, ts=said.ts)
    return said


async def test_message_is_translated_into_its_thread(maria: Localizer) -> None:
    said = await use_shortcut(maria, "Wo ist der Bahnhof? Siehe https://example.com & frag Ana.")
    assert shown(maria.form).splitlines()[0] == "Localize this text"
    await maria.submit({"option.target_lang": "en"})
    board = await maria.board(DONE, "German → English")
    assert board.thread_ts == said.ts
    assert texts(maria) == ["Wo ist der Bahnhof? Siehe https://example.com & frag Ana."]
    await use_shortcut(maria, "Die Katze schläft heute im Garten.")
    refused = errors(await maria.submit({"operation": "summary_generation"}))
    assert refused["text"].startswith("Only English is understood here, and this looks like German")
    await maria.rig.workspace.close(MARIA)
    assert len(texts(maria)) == 1


@in_pieces
async def test_long_message_is_read_from_slack(maria: Localizer) -> None:
    said = await use_shortcut(maria, LONG * 6)
    assert "This message has" in shown(maria.form)
    await maria.submit({"option.target_lang": "de"})
    board = await maria.board(DONE)
    assert board.thread_ts == said.ts
    (file,) = maria.files(await maria.results(board))
    assert file.name.startswith("message-de-")
    assert file.content.decode().replace("[en → de] ", "").strip() == (LONG * 6).strip()
    await use_shortcut(maria, LONG * 6, channel=RANDOM)
    assert "I'm not in this channel" in shown(maria.form)


def bomb(inside: bytes, name: str = "word/document.xml", relations: str = "") -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/styles.xml", b"<x/>")
        archive.writestr(name, inside)
        if relations:
            archive.writestr("_rels/.rels", relations)
            archive.writestr("[Content_Types].xml", TYPES.format(name.replace("\\", "/")))
    return kept.getvalue()


TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/{}" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" '
    'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="{}"/>'
    "</Relationships>"
)


def said_in(*words: str) -> str:
    return "".join(f"<p><r><t>{word}</t></r></p>" for word in words)


def alternatives(first: str, other: str) -> str:
    return f"<AlternateContent><Choice>{first}</Choice><Fallback>{other}</Fallback></AlternateContent>"


BOX = f"<txbxContent>{said_in('Only until Sunday.')}</txbxContent>"
AS_WORD_SHOWS_IT = {
    "tracked move": (
        "<p><moveFrom><r><t>Pay on Friday.</t><tab/></r></moveFrom></p><p><del><r><delText>Never.</delText><br/></r>"
        "</del><moveTo><r><t>Pay on Friday.</t></r></moveTo></p>",
        "Pay on Friday.",
    ),
    "deleted end of a paragraph": (
        f"<p><pPr><rPr><del/></rPr></pPr><r><t>One </t></r></p>{said_in('line.', 'Two.')}",
        "One line.\nTwo.",
    ),
    "text box": (
        f"<p><r><t>Big sale </t></r><r>{alternatives(BOX, BOX)}</r><r><t>here.</t></r></p>{said_in('Come and see.')}",
        "Big sale here.\nOnly until Sunday.\nCome and see.",
    ),
    "old text box": (f"<p><r>{alternatives('<x/>', BOX)}</r></p>", "Only until Sunday."),
    "emoji": (f"<p><r><t>Good </t>{alternatives('<symEx/>', '<t>☺</t>')}<t> bye</t></r></p>", "Good ☺ bye"),
    "hyphens": ("<p><r><t>co</t><noBreakHyphen/><t>op</t><softHyphen/><t>s</t></r></p>", "co\u2011ops"),
    "ruby": (
        "<p><r><ruby><rt><r><t>kyo</t></r></rt><rubyBase><r><t>Kyoto</t></r></rubyBase></ruby></r></p>",
        "Kyoto",
    ),
    "tab stops": (
        "<p><pPr><tabs><tab/><tab/></tabs></pPr><r><t>1</t><tab/><t>One</t><ptab/><t>2</t></r></p>",
        "1\tOne\t2",
    ),
    "signs": (
        '<p><r><t>25 </t><sym xmlns:w="w" w:font="Symbol" w:char="20AC"/><sym xmlns:w="w" w:char="F0E0"/></r></p>',
        "25 €",
    ),
}


@pytest.mark.parametrize(("inside", "shown"), AS_WORD_SHOWS_IT.values(), ids=AS_WORD_SHOWS_IT)
async def test_word_document_is_read_as_word_shows_it(maria: Localizer, inside: str, shown: str) -> None:
    content = bomb(f"<document><body>{inside}</body></document>".encode())
    await translate(maria, "notes.docx", content)
    await maria.board(DONE)
    assert texts(maria) == [shown]


@pytest.mark.parametrize("name", ["word/document2.xml", "word\\document.xml", "Word/Main.xml"])
async def test_document_is_found_by_its_relationship(maria: Localizer, name: str) -> None:
    content = bomb(f"<document>{said_in('Good morning.')}</document>".encode(), name, RELATIONS.format(name))
    await translate(maria, "notes.docx", content)
    await maria.board(DONE)
    assert texts(maria) == ["Good morning."]


ENTITIES = b'<?xml version="1.0"?><!DOCTYPE d [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><d>&b;</d>'
UNUSABLE = [
    ("a.txt", "Größe der Straße über Köln".encode("cp1252"), "this text isn't utf-8; save it as utf-8"),
    ("a.txt", b"Good morning everybody, this is a text that is long enough." * 4_000, "this text is too long"),
    ("a.srt", b"No times here, only words.", "these aren't subtitles: no line has times"),
    ("a.md", "* * *\n\n— …\n".encode(), "there's no text in it"),
    ("a.docx", bomb(b"<w:document"), "this document is damaged"),
    ("a.docx", bomb(b" " * (41 << 20)), "this document is too complex"),
    ("a.docx", bomb(b"<p>" * 3_000_000), "this document is too complex"),
    ("a.docx", bomb(ENTITIES), "this document is damaged"),
    ("a.docx", bomb(b"<x/>", "word/other.xml"), "this document is damaged"),
    ("a.docx", write_document("Hello")[:-30], "this document is damaged"),
    ("a.docx", bomb(f"<document>{said_in('One.')}<altChunk/></document>".encode()), "this document is too complex"),
]


async def test_unusable_files_are_refused_in_one_sentence(maria: Localizer) -> None:
    for number, (name, content, rule) in enumerate(UNUSABLE):
        await maria.choose("Translate", file=await drop(maria, name, content))
        told = await maria.rig.workspace.until(partial(lambda n: maria.rig.workspace.ephemerals(MARIA)[n:], number))
        assert rule in told[-1].text.casefold(), name
    assert not maria.rig.localization.calls
    dropped = await drop(maria, "not.txt", b"PK\x00\x01\x02 binary" * 50)
    await maria.rig.settle()
    assert not [one for one in maria.messages(thread=dropped.ts) if one.bot_id]


async def test_foreign_language_file_is_not_summarized(maria: Localizer) -> None:
    await maria.choose("Summarize", file=await drop(maria, "brief.txt", "Die Katze schläft heute im Garten. " * 9))
    told = await maria.rig.workspace.until(lambda: maria.rig.workspace.ephemerals(MARIA))
    assert "Only English is understood here, and this looks like German" in told[-1].text
    assert "press Translate below the file first" in told[-1].text
    assert not maria.rig.localization.calls


@pytest.mark.rig(clock=None, localization_text_characters=300, on="both")
async def test_failed_call_shows_its_reason_and_reruns_alone(maria: Localizer) -> None:
    faults = maria.rig.localization.faults
    faults.arm(Fault(FaultKind.REFUSED, "translation"))
    faults.arm(Fault(FaultKind.DONE_DROPPED, "translation"))
    await translate(maria, "notes.txt", LONG)
    board = await maria.board("Not done, of", "*Not confirmed*")
    assert ":warning: *Translate* · Done" in board.text
    count = len(maria.rig.localization.calls)
    (file,) = maria.files(await maria.results(board))
    text = file.content.decode()
    assert text.replace("[en → fr] ", "") == LONG
    assert text.count("[en → fr] ") == count - 2
    assert [one.text for one in board.buttons] == ["Run the rest", "Details"]
    await maria.rig.workspace.click(MARIA, FINANCE, board.ts, board.buttons[0].action_id)
    again = await maria.board("*Not confirmed*", without="Not done")
    assert len(maria.rig.localization.calls) == count + 1  # what may be billed is not sent again
    assert again.ts == board.ts, "in the message of the file"
    assert [one.text for one in again.buttons] == ["Run again", "Details"]
    assert "Both may be billed." in str(again.blocks)
    await maria.rig.workspace.click(MARIA, FINANCE, again.ts, again.buttons[0].action_id)
    last = await maria.board(":white_check_mark:", without="Not confirmed")
    assert len(maria.rig.localization.calls) == count + 2
    assert last.buttons == []
    (file,) = maria.files((await maria.results(last, 3))[2:])
    assert file.content.decode().count("[en → fr] ") == count


@in_pieces
async def test_busy_service_is_retried_later(maria: Localizer) -> None:
    maria.rig.localization.faults.arm(Fault(FaultKind.TOO_MANY, "translation", times=2))
    await translate(maria, "notes.txt", LONG)
    board = await maria.board(DONE)
    assert "Not done" not in board.text
    assert len(maria.rig.localization.calls) == len(set(texts(maria))) + 2


@in_pieces
async def test_refused_credentials_stop_after_one_piece(maria: Localizer) -> None:
    maria.rig.localization.switches.key_is_wrong = True
    await translate(maria, "notes.txt", LONG * 3)
    board = await maria.board(":x:", "Failed", "Not done, of")
    assert "There's a problem with our Localization account. An admin has to fix it." in board.text
    assert len(maria.rig.localization.calls) <= 8
    maria.rig.localization.switches.key_is_wrong = False
    await maria.rig.workspace.click(MARIA, FINANCE, board.ts, board.buttons[0].action_id)
    await maria.board(DONE, without="failed")


@pytest.mark.rig(clock=None, localization_text_characters=300, services="")
async def test_parts_under_other_names_are_kept_and_read_again(maria: Localizer) -> None:
    maria.rig.localization.switches.names = {"translated_text": "rendered"}
    await translate(maria, "notes.txt", LONG)
    board = await maria.board("I can't read them yet")
    assert [one.text for one in board.buttons] == ["Read again", "Details"]
    count = len(maria.rig.localization.calls)
    assert maria.rig.settings.services_file is not None
    maria.rig.settings.services_file.write_text('[localization.translation.reply]\ntext = "rendered"\n')
    await maria.rig.start_again()
    await maria.rig.workspace.click(MARIA, FINANCE, board.ts, board.buttons[0].action_id)
    board = await maria.board(DONE)
    (file,) = maria.files(await maria.results(board))
    assert file.content.decode().count("[en → fr] ") == len(maria.rig.localization.calls) == count


@in_pieces
async def test_cancel_stops_new_rows_and_keeps_results(maria: Localizer) -> None:
    maria.rig.localization.work_seconds["*"] = 1.0
    await translate(maria, "notes.txt", LONG * 14)
    await maria.rig.workspace.until(lambda: len(maria.rig.localization.calls) > 4 or None)
    board = await maria.board("*Translating…*", " parts")
    await maria.rig.workspace.click(MARIA, FINANCE, board.ts, next(b.action_id for b in board.buttons))
    board = await maria.board("Stopped by Maria Silva", "Not done, of ")
    assert "*Not confirmed*" not in board.text
    (file,) = maria.files(await maria.results(board))
    assert file.content.decode().count("[en → fr] ") == len(maria.rig.localization.calls) < 30


@pytest.mark.rig(clock=None, localization_text_characters=300, on="both")
async def test_restart_in_a_long_text_sends_no_piece_twice(maria: Localizer) -> None:
    rig = maria.rig
    rig.localization.work_seconds["*"] = 1.0
    await translate(maria, "notes.txt", "".join(f"This is number {n} of them.\n" for n in range(400)))
    await rig.workspace.until(lambda: len(rig.localization.calls) > 4 or None)
    await rig.start_again()
    rig.localization.work_seconds.clear()
    board = await maria.board("*Not confirmed*")
    assert "Done" in board.text
    sent = texts(maria)
    await rig.settle()
    assert len(texts(maria)) == len(sent)
    assert len(set(sent)) == len(sent)
    lost = board.text.split("*Not confirmed*: ")[1].partition(".")[0].split(", ")
    assert 1 <= len(lost) <= 4
    (file,) = maria.files(await maria.results(board))
    done = file.content.decode().count("[en → fr] ")
    assert done + len(lost) >= len(sent) > done  # a piece that was claimed may not have left
    documents = await rig.switchboard.context.store.read(lambda tx: jobs_of(tx, MARIA))
    assert done == max(CallProgress.read(job.detail).parts for job in documents) - len(lost)

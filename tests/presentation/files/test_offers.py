"""What is said of files: everything fits, nothing of others gets loose, and each trouble has its sentence."""

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.content import Content
from bot.domain.files.dropped import DroppedFile, FileTrouble, UnusableFile
from bot.domain.files.sniffing import KIND_OF, FileKind
from bot.presentation.blocks.text import paragraph
from bot.presentation.files import offers
from tests.presentation.checks import calls_in, check_message, check_view
from tests.presentation.drawn import foreign


@dataclass(frozen=True)
class Named:
    name: str
    label: str


USES = [
    Named("gender", "Detect gender"), Named("separate", "Separate vocals and music"), Named("convert", "Convert"),
    Named("transcribe", "Transcribe"), Named("emotion", "Emotion"), Named("bulk", "Pay in bulk"),
    Named("emails", "Process e-mails"),
]  # fmt: skip


def file(**more: Any) -> DroppedFile:
    values: dict[str, Any] = {
        "id": "F0123456789", "name": "talk.wav", "size": 3_400_000, "mimetype": "audio/wav", "kind": FileKind.AUDIO,
        "format": "wav", "channel": "C1", "message_ts": "1700000000.000100", "thread_ts": "1700000000.000000",
        "user": "U1", "duration_ms": 125_000,
    }  # fmt: skip
    return DroppedFile(**(values | more))


FILES = st.builds(
    file, id=st.integers(10**9, 10**10).map(lambda number: f"F{number}"), name=foreign(), size=st.integers(0, 1 << 34),
    kind=st.sampled_from(FileKind), format=st.sampled_from(["", "zip", "ole", *KIND_OF]),
    duration_ms=st.none() | st.integers(0, 10**9),
)  # fmt: skip
FOUND = st.lists(
    st.tuples(FILES, st.lists(st.sampled_from(USES), unique=True)), max_size=5, unique_by=lambda one: one[0].id
)
TROUBLES = st.builds(UnusableFile, st.sampled_from(FileTrouble), name=foreign(), limit=st.just(10), size=st.just(99))


@given(FILES, st.lists(st.sampled_from(USES), unique=True))
def test_offers_fit_without_mentions(shown: DroppedFile, uses: list[Named]) -> None:
    for content in (offers.offer(shown, uses or USES[:1]), offers.gone(shown), offers.unfit(shown, "Convert")):
        check_message(content)
        assert calls_in(content) == set()


@given(FOUND, st.lists(TROUBLES, max_size=5))
def test_payment_forms_fit_without_mentions(
    found: list[tuple[DroppedFile, list[Named]]], troubles: list[UnusableFile]
) -> None:
    if found or troubles:
        view = offers.several(found, troubles, channel="C0")
        check_view(view)
        assert calls_in(Content(text="-", blocks=view["blocks"])) == set()
        assert ("submit" in view) == any(uses for _, uses in found)


@given(TROUBLES)
def test_troubles_fit_without_mentions(trouble: UnusableFile) -> None:
    check_message(offers.unusable(trouble))
    assert calls_in(offers.unusable(trouble)) == set()


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "WAV audio, 3.3 MB, 2:05"),
        ({"name": "talk.mp3"}, "WAV audio (named .mp3), 3.3 MB, 2:05"),
        (
            {"kind": FileKind.VIDEO, "format": "mp4", "name": "a.mp4", "duration_ms": 3_600_001},
            "MP4 video, 3.3 MB, 1:00:01",
        ),
        ({"kind": FileKind.DOCUMENT, "format": "png", "name": "a.png"}, "PNG picture, 3.3 MB"),
        ({"kind": FileKind.DOCUMENT, "format": "pdf", "name": "a.pdf", "size": 1_025}, "PDF document, 2 KB"),
        ({"kind": FileKind.TABLE, "format": "csv", "name": "a.csv", "size": 12}, "CSV table, 12 bytes"),
        ({"kind": FileKind.OTHER, "format": "zip", "name": "a.zip"}, "ZIP, 3.3 MB"),
        ({"kind": FileKind.OTHER, "format": "txt", "name": "a.txt"}, "text, 3.3 MB"),
        ({"kind": FileKind.OTHER, "format": "txt", "name": "a.mp3"}, "text, 3.3 MB"),
        ({"kind": FileKind.OTHER, "format": "", "name": "a.xyz"}, "unknown format, 3.3 MB"),
        ({"duration_ms": None}, "WAV audio, 3.3 MB"),
    ],
)
def test_facts(changes: dict[str, Any], expected: str) -> None:
    assert offers.facts(file(**changes)) == expected


def test_every_file_trouble_says_what_to_do() -> None:
    mega = 1024 * 1024
    said = [
        offers.unusable(UnusableFile(trouble, name="a.wav", limit=10 * mega, size=11 * mega)) for trouble in FileTrouble
    ]
    assert "\n".join(content.text for content in said) == snapshot("""\
:no_entry_sign: *a.wav*: This file was deleted.
:no_entry_sign: *a.wav*: I can't see this file; invite me to a channel it's in.
:no_entry_sign: *a.wav*: This file is stored outside Slack; upload it to Slack itself.
:no_entry_sign: *a.wav*: This is a Slack page, not a file; save it as a file and upload that.
:no_entry_sign: *a.wav*: Slack hides this file because of the workspace's plan; upload it again.
:no_entry_sign: *a.wav*: I'm not allowed to read this file; upload it again in a channel I'm in.
:hourglass: *a.wav*: Slack is still processing this file; try again in a moment.
:no_entry_sign: *a.wav*: This file is empty.
:no_entry_sign: *a.wav*: This file has 11 MB; the limit is 10 MB.
:no_entry_sign: *a.wav*: This text is too long; split it, at most 200,000 characters or 2,000 subtitles each.
:no_entry_sign: *a.wav*: There's no text in it.
:no_entry_sign: *a.wav*: This message was deleted, or I can't see it.
:no_entry_sign: *a.wav*: These aren't subtitles: no line has times, for example 00:00:01,000 --> 00:00:03,500.
:no_entry_sign: *a.wav*: This text isn't UTF-8; save it as UTF-8 and upload it again.
:no_entry_sign: *a.wav*: This file doesn't look like text.
:no_entry_sign: *a.wav*: This document is damaged; save it again as .docx and upload that.
:no_entry_sign: *a.wav*: This document is too complex to read; copy its text into a new document and upload that.
:no_entry_sign: *a.wav*: This file didn't arrive whole; try again.\
""")


def many(count: int) -> list[Named]:
    return [Named(f"use{number}", f"Use {number}") for number in range(count)]


def test_file_choices_are_radio_buttons_up_to_ten() -> None:
    def element(count: int) -> dict[str, Any]:
        found: dict[str, Any] = offers.several([(file(), many(count))], [], channel="C0")["blocks"][-1]["element"]
        return found

    ten, eleven = element(10), element(11)
    assert (ten["type"], len(ten["options"]), ten["initial_option"]["text"]["text"]) == ("radio_buttons", 10, "Use 0")
    assert (eleven["type"], [len(group["options"]) for group in eleven["option_groups"]]) == ("static_select", [11])
    assert ten["action_id"] == eleven["action_id"] == "choice"


def test_more_than_five_uses_are_a_menu() -> None:
    kinds = [offers.offer(file(), many(count)).blocks[-1]["elements"][0]["type"] for count in (5, 6)]
    assert kinds == ["button", "static_select"]


@pytest.mark.parametrize(("size", "said"), [
    (0, "0 bytes"), (1_023, "1023 bytes"), (1_024, "1 KB"), (1_025, "2 KB"), (1_048_575, "1024 KB"),
    (1_048_576, "1 MB"),
])  # fmt: skip
def test_size_is_shown_in_its_largest_unit(size: int, said: str) -> None:
    assert offers.size(size) == said


@given(st.lists(FILES, min_size=1, max_size=30, unique_by=lambda one: one.id), st.integers(0, 30))
def test_offer_for_many_files_fits_without_mentions(files: list[DroppedFile], works: int) -> None:
    kinds = [[one for one in files if one.kind is kind] for kind in FileKind]
    found = [(some, USES) for some in kinds if some]
    work = Content(text="done", blocks=[paragraph("done")] * 3)
    content = offers.together(files[0].id, found, [work] * works)
    check_message(content)
    assert calls_in(content) == set()

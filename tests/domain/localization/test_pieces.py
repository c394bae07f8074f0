"""Texts are cut without a loss, and subtitles put together again whatever the service answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.pieces import Piece, cues, cut, whole
from bot.domain.localization.results import Phrases, Result, Written

TEXTS = st.text(alphabet="ab. !?\n…。”é", min_size=1, max_size=400).filter(lambda text: text.strip() != "")


def together(pieces: list[Piece]) -> str:
    return "".join(one.before + one.text + one.after for one in pieces)


@given(TEXTS, st.integers(min_value=5, max_value=120), st.integers(min_value=1, max_value=9))
def test_pieces_keep_all_text_within_the_limit(text: str, limit: int, elements: int) -> None:
    found = cut(text, limit=limit, elements=elements)
    assert together(found) == text
    assert all(len(one.text) <= limit for one in found)


LINES = (
    "1", "2", "WEBVTT", "NOTE x", "", " ", "00:01 --> 00:02", "00:00:01,0 -> 00:00:02,0 Hi", "00:00:0x --> 1", "Hi",
    "7",
)  # fmt: skip


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=14))
def test_subtitle_lines_are_all_sent_without_times(lines: list[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    found, unclear = cues(text)
    if found:
        assert together(found) == text
        assert not any(">" in one.text for one in found)
        assert len(found) + len(unclear) >= sum(">" in line for line in lines)


CUE = "00:01 --> 00:02"
MUCH = [
    *(
        f"{CUE}\na{mark * 60_000}b\n{CUE}\n{mark * 60_000}"
        for mark in (" ", "\n", "<i>", "{\\i", "<", "}", "\u200e", "NOTE\n")
    ),
    *(f"Dialogue: 1,{mark * 60_000}\n" for mark in (",", "{", "\\p", "{\\")),
    f"{CUE} a:b" * 9_000,
    f"{CUE}\n" * 9_000,
]


@pytest.mark.parametrize("text", MUCH, ids=range(len(MUCH)))
def test_subtitle_parsing_time_is_linear(text: str) -> None:
    assert together(cues(text)[0]) in (text, "")


@pytest.mark.parametrize(("result", "shown"), [
    (Written(text=" Salut !\n\n\nÇa va ?\n"), "Salut !\nÇa va ?"), (Written(text="00:01 --> 00:02"), "00:01 → 00:02"),
    (Phrases(sentences=("Hello!", "Hey!")), "Hello!"), (None, "Hi!"),
])  # fmt: skip
def test_subtitles_stay_valid_for_any_answer(result: Result | None, shown: str) -> None:
    cue = Piece("Hi!", "1\n00:00:01,000 --> 00:00:02,000\n", "\n")
    found = whole(CallOperation.PARAPHRASE, "srt", [(cue, result), (cue, Written(text="Bye"))])
    assert isinstance(found, Written)
    assert found.text == f"{cue.before}{shown}\n{cue.before}Bye\n"

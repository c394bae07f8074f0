"""What a declaration says about the files of an operation."""

import pytest

from bot.domain.localization.declaration import Media, MediaKind, normal_format


def media(*formats: str, kind: MediaKind = MediaKind.AUDIO, is_closed: bool = True) -> Media:
    return Media(kind=kind, file="file", url="url", formats=formats, is_closed=is_closed)


@pytest.mark.parametrize(("is_closed", "kind", "found", "takes"), [
    (True, "audio", "mp3", True), (True, "audio", "wav", False), (True, "video", "mp3", False),
    (False, "audio", "mp3", True), (False, "audio", "wav", True), (False, "video", "mp3", True),
    (False, "video", "mp4", False),
])  # fmt: skip
def test_only_listed_values_are_accepted(is_closed: bool, kind: str, found: str, takes: bool) -> None:
    assert media("mp3", is_closed=is_closed).takes(kind, found) is takes


def test_aif_is_accepted_as_aiff() -> None:
    assert media("mp3", "aiff").extensions == ("mp3", "aiff", "aif")
    assert media("mp3", "wav").extensions == ("mp3", "wav")


@pytest.mark.parametrize(("written", "format_"), [
    (".AIF", "aiff"), ("aifc", "aiff"), ("wave", "wav"), ("oga", "ogg"), ("mpe", "mpeg"), ("qt", "mov"),
    (" .mp3 ", "mp3"), ("", ""),
])  # fmt: skip
def test_aliases_of_a_format_have_one_name(written: str, format_: str) -> None:
    assert normal_format(written) == format_

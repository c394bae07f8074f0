"""What the box makes of a document is its text, or a sample that nobody takes for it."""

import pytest

from bot.playground.simulators.localization import words


@pytest.mark.parametrize("text", ["Grüße\nzwei", "", "日本語"])
def test_text_file_is_read(text: str) -> None:
    assert words.document_text(text.encode(), "a.txt") == text
    assert words.document_text(text.encode("utf-8-sig"), "a.txt") == text


def test_text_cut_within_a_character_is_read() -> None:
    assert words.document_text("viele Grüße".encode()[:9], "a.txt") == "viele Gr"


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7\n1 0 obj <</Type /Catalog>>", "PDFs"),
        (b"\x89PNG\r\n\x1a\nIHDR", "pictures"),
        (b"\xff\xd8\xff\xe0JFIF", "pictures"),
        (b"PK\x03\x04word/document.xml\xff\xfe", "files of this kind"),
    ],
)
def test_unreadable_input_gives_sample_text(content: bytes, kind: str) -> None:
    assert words.document_text(content, "march.pdf") == (
        f"[Sample] The playground does not read {kind}. "
        "The localization service would return the text of march.pdf here."
    )

"""What a file is, by its bytes; names only decide where the bytes leave a choice."""

import io
import wave
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.files.sniffing import KIND_OF, FileKind, markup_of, sniff

FTYP = b"\0\0\0\x20ftyp"
EBML = b"\x1aE\xdf\xa3\x01\0\0\0\0\0\0\x1fB\x86\x81\x01B\xf7\x81\x01B\xf2\x81\x04B\xf3\x81\x08B\x82"


def mp3_frame(header: bytes = b"\xff\xfb\x90\x00") -> bytes:
    return header + bytes(417 - len(header))


def archive(*names: str, first: tuple[str, bytes] | None = None) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as made:
        if first:
            made.writestr(*first)
        for name in names:
            made.writestr(name, "<xml/>")
    return kept.getvalue()


def wav() -> bytes:
    kept = io.BytesIO()
    with wave.open(kept, "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(100))
    return kept.getvalue()


CASES = {
    "wav": wav(), "mp3": b"ID3\x04\0\0\0\0\0\0", "flac": b"fLaC\0\0\0\x22",
    "ogg": b"OggS\0\x02" + bytes(22) + b"\x01vorbis", "aiff": b"FORM\0\0\0\x2eAIFFCOMM", "m4a": FTYP + b"M4A \0\0\0\0",
    "aac": (bytes([0xFF, 0xF1, 0x50, 0x80, 8, 0x1F]) + bytes(58)) * 3, "amr": b"#!AMR\n\x3c" + bytes(31),
    "au": b".snd\0\0\0\x18",
    "mp4": FTYP + b"isom\0\0\x02\0", "m4v": FTYP + b"M4V \0\0\0\0", "mov": FTYP + b"qt  \0\0\0\0",
    "3gp": FTYP + b"3gp5\0\0\0\0", "mkv": EBML + b"\x88matroska", "webm": EBML + b"\x84webm",
    "avi": b"RIFF\0\0\0\0AVI LIST", "flv": b"FLV\x01\x05", "mpeg": b"\0\0\x01\xba\x44\0\x04\0",
    "ts": (b"G" + bytes(187)) * 4, "ogv": b"OggS\0\x02" + bytes(22) + b"\x80theora",
    "wmv": b"\x30\x26\xb2\x75\x8e\x66\xcf\x11" + bytes(20), "pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "docx": archive("[Content_Types].xml", "_rels/.rels", "word/document.xml"),
    "pptx": archive("[Content_Types].xml", "_rels/.rels", "ppt/presentation.xml"),
    "odt": archive("content.xml", first=("mimetype", b"application/vnd.oasis.opendocument.text")),
    "rtf": b"{\\rtf1\\ansi hello}", "html": b"\n<!DOCTYPE html><html><body>hi</body></html>",
    "png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF", "gif": b"GIF89a\x01\0\x01\0",
    "tiff": b"II*\0\x08\0\0\0", "webp": b"RIFF\0\0\0\0WEBPVP8 ", "bmp": b"BM\x46\0\0\0\0\0\0\0\x36\0\0\0",
    "heic": FTYP + b"heic\0\0\0\0", "xlsx": archive("docProps/app.xml", "xl/workbook.xml", "[Content_Types].xml"),
    "ods": archive("content.xml", first=("mimetype", b"application/vnd.oasis.opendocument.spreadsheet")),
    "csv": b"email,amount,note\r\nana@example.com,1.00,x\r\n",
}  # fmt: skip


@pytest.mark.parametrize("name", ["", "a", "a.bin", "a.mp3", "a.csv", "a.pdf", "a.mp4"])
@pytest.mark.parametrize("expected", [one for one in CASES if one not in ("mp4", "csv", "wmv")])
def test_file_kind_is_decided_by_bytes(expected: str, name: str) -> None:
    assert sniff(CASES[expected], name) == (KIND_OF[expected], expected)


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (CASES["mp4"], "a.mp4", "mp4"),
        (CASES["mp4"], "a.wav", "mp4"),
        (CASES["mp4"], "voice.m4a", "m4a"),
        (CASES["mp4"], "a.M4V", "m4v"),
        (CASES["mp4"], "a.mov", "mov"),
        (b"\0\0\x06\x10moov\0\0\0\x6cmvhd", "", "mov"),
        (CASES["mpeg"], "a.mpg", "mpg"),
        (CASES["ogg"], "a.opus", "opus"),
        (CASES["wmv"], "a.wma", "wma"),
        (archive("docProps/app.xml"), "a.docx", "docx"),
        (archive("docProps/app.xml"), "a.png", "zip"),
        (archive("a.txt"), "a.docx", "zip"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a.xls", "xls"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "a.mp3", "ole"),
        (mp3_frame() * 3, "", "mp3"),
        (b"\0" * 700 + mp3_frame() * 3, "x", "mp3"),
        (mp3_frame() + bytes(500), "a.mp3", ""),
        (mp3_frame(b"\xff\xfb\x00\x00") * 3, "x", ""),  # no bit rate
        (mp3_frame(b"\xff\xfb\x9c\x00") * 3, "x", ""),  # no sampling rate
    ],
)
def test_file_name_decides_between_ambiguous_kinds(head: bytes, name: str, expected: str) -> None:
    assert sniff(head, name).format == expected


@pytest.mark.parametrize(("text", "name", "expected"), [
    ("email\nana@example.com\n", "a.csv", "csv"), ("email\nana@example.com\n", "a.tsv", "csv"),
    ("email\nana@example.com\n", "", "csv"), ("email;amount\na@b.c;1\n", "list", "csv"),
    ("email\tamount\na@b.c\t1\n", "list.txt", "csv"), ("email;amount\na@b.c;1\n", "song.mp3", "csv"),
    ("Dear all,\nhow are you?\n", "letter.txt", "txt"), ('{"a": 1,\n"b": 2,\n"c": 3}', "a.json", "txt"),
    ("<html>", "a.csv", "html"), ("  \n", "a.csv", ""), ("", "a.csv", ""), ("", "", ""),
])  # fmt: skip
def test_text_is_a_table_by_content_or_name(text: str, name: str, expected: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        if text.strip() or encoding == "utf-8":
            assert sniff(text.encode(encoding), name).format == expected


@pytest.mark.parametrize(("text", "found"), [
    ("<TABLE><tr>", "html"), ("<meta charset=utf-8>", "html"), ("<head><title>", "html"), ("<body>", "html"),
    ("<html>", "html"), ("<workbook>", "xml"), ("\r\n<!doctype HTML>", "html"), ("MIME-Version: 1.0\r\n", "mhtml"),
    ('<?xml version="1.0"?>', "xml"), ('[{"a": 1}]\n', "json"), ("{name},amount\n1,2\n", ""), ("email,amount\n", ""),
])  # fmt: skip
def test_markup(text: str, found: str) -> None:
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert markup_of(text.encode(encoding)) == found


@given(st.binary(max_size=3_000), st.text(max_size=20))
def test_sniffing_any_bytes_returns_a_kind(head: bytes, name: str) -> None:
    kind, found = sniff(head, name)
    assert KIND_OF.get(found, FileKind.OTHER) is kind


@given(st.sampled_from(sorted(CASES)), st.integers(0, 600))
def test_truncated_beginning_is_never_another_kind_of_file(expected: str, length: int) -> None:
    cut = sniff(CASES[expected][:length])
    assert cut.format in (expected, "", "zip", "txt", "mkv", "ogg", "mp4", "ogv", "webm")

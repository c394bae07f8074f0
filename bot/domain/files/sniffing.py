"""Detect a file's type by its first bytes; its name decides only between formats with the same bytes."""

import re
from enum import StrEnum
from typing import NamedTuple

from bot.domain.files.columns import addresses_in

HEAD_BYTES = 64 * 1024


class FileKind(StrEnum):
    AUDIO = "audio"
    VIDEO = "video"
    DOCUMENT = "document"
    TABLE = "table"
    OTHER = "other"


class Sniffed(NamedTuple):
    """Kind and format, e.g. ``wav``, ``mp4``, ``docx``; the format is empty if unknown."""

    kind: FileKind
    format: str


PICTURES = ("png", "jpeg", "gif", "tiff", "webp", "bmp", "heic", "avif", "jxl", "jp2")
_KINDS = {
    FileKind.AUDIO: (
        *("wav", "mp3", "flac", "ogg", "opus", "aiff", "m4a", "aac", "amr", "wma", "au"),
        *("weba", "mka", "ape", "wv", "mp2", "caf"),
    ),
    FileKind.VIDEO: (*("mp4", "m4v", "mov", "mkv", "webm", "avi", "flv", "mpeg", "mpg", "ts", "3gp", "ogv", "wmv"),),
    FileKind.DOCUMENT: (
        *("pdf", "docx", "doc", "odt", "rtf", "pptx", "ppt", "odp", "epub", "html"),
        *PICTURES,
    ),
    FileKind.TABLE: ("csv", "xlsx", "xls", "ods"),
}
KIND_OF = {name: kind for kind, names in _KINDS.items() for name in names}

_ALIASES = {"jpg": "jpeg", "aif": "aiff", "tif": "tiff", "htm": "html", "oga": "ogg", "tsv": "csv", "tab": "csv"} | {
    "xlsm": "xlsx",
    "docm": "docx",
    "qt": "mov",
    "m2ts": "ts",
    "mpe": "mpeg",
    "heif": "heic",
    "m4b": "m4a",
    "m4r": "m4a",
    "3g2": "3gp",
    "heics": "heic",
    "avifs": "avif",
}
_SAME = ({"mpeg", "mpg"}, {"mp4", "m4v", "mov", "3gp"}, {"ogg", "opus"}, {"mkv", "webm", "mka", "weba"})
"""Extensions that are used interchangeably: confusing them is not reported."""
_PLAIN = frozenset(
    {"txt", "md", "log", "text", "json", "xml", "py", "js", "yaml", "yml", "ini", "sql"}
    | {"srt", "vtt", "sbv", "ass", "ssa", "lrc"}
)
"""Extensions of text that isn't a table, even if it has commas."""

_TRACK = re.compile(rb"hdlr.{8}(vide|soun)", re.DOTALL)
_STILL = rb"jpeg|png |mp4v.{82}esds.{4}\x03(?:\x80{3})?.{4}\x04(?:\x80{3})?.[lm]"
_PLAYED = re.compile(rb"hdlr.{8}(?:(vide)(?!.{,300}?stsd.{12}(?:" + _STILL + rb"))|(soun))", re.DOTALL)
"""Like ``_TRACK``, but without tracks of still pictures: album covers and chapters."""
_PICTURE_BRANDS = (
    (re.compile(rb"avi[fs]"), "avif"),
    (re.compile(rb"jxl "), "jxl"),
    (re.compile(rb"jp[2mx] "), "jp2"),
    (re.compile(rb"crx "), "cr3"),  # raw camera pictures
    (re.compile(rb"he[iv][a-z]|avci|m[is]f\d|miaf"), "heic"),
)
_FILM_BRANDS = (
    (re.compile(rb"M4[ABP] |F4[AB] |aax"), "m4a"),
    (re.compile(rb"qt  "), "mov"),
    (re.compile(rb"3g[2a-z]"), "3gp"),
    (re.compile(rb"M4V"), "m4v"),
    (re.compile(rb"iso\w|mp4\w|mp71|avc1|av01|hvc1|hev1|dash|cmf|dby1|F4V |MSNV|mmp4|ND[SX]|XAVC|piff|mjp2"), "mp4"),
)
_START = 1_024
_FRAMES_WITHIN = 4_096
"""Bytes searched for the first frame; a file with an audio extension may have more junk before it."""
_MARK = re.compile(rb"\xff(?=[\xe0-\xff])")
"""First eleven bits of a frame."""
_ID3_HEAD, _APE_HEAD = 10, 32
_CSV_LINES = 5
_SOUND = rb"(?!.*\x86.{1,8}?V_[A-Z]).*\x86.{1,8}?A_[A-Z]"
"""Codecs of a Matroska file without a video track."""
_ENTRY = rb"PK\x03\x04(?:.{26}|.*PK\x03\x04.{26})"
"""An archive up to the name of one of its first files."""
_SIGNATURES = tuple(
    (re.compile(start, re.DOTALL), found, others)
    for start, found, *others in (
        (rb"fLaC", "flac"),
        (rb"#!AMR", "amr"),
        (rb"\.snd", "au"),
        (rb"FLV\x01", "flv"),
        (rb"\x89PNG\r\n\x1a\n", "png"),
        (rb"\xff\xd8\xff", "jpeg"),
        (rb"GIF8[79]a", "gif"),
        (rb"II\*\0|MM\0\*", "tiff"),
        (rb"SQLite format 3\0", "sqlite"),
        (rb"PAR1", "parquet"),
        (rb"\x1f\x8b", "gz"),
        (rb"7z\xbc\xaf\x27\x1c", "7z"),
        (rb"Rar!\x1a\x07", "rar"),
        (rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "ole", "doc", "xls", "ppt"),
        (rb"\x30\x26\xb2\x75.{12,}\xc0\xef\x19\xbc\x4d\x5b\xcf\x11", "wmv"),
        (rb"\x30\x26\xb2\x75.{12,}\x40\x9e\x69\xf8\x4d\x5b\xcf\x11", "wma"),
        (rb"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "wmv", "wma"),
        (rb"(?:RIFF|RF64|RIFX|BW64).{4}WAVE", "wav"),
        (rb"(?:RIFF|RF64|RIFX).{4}AVI ", "avi"),
        (rb"(?:RIFF|RF64|RIFX).{4}WEBP", "webp"),
        (rb"FORM.{4}AIF[FC]", "aiff"),
        (rb"BM.{4}\0{4}", "bmp"),
        (rb"(?:\0\0\0\x0cJXL \r\n\x87\n|\xff\x0a)", "jxl"),
        (rb"\0\0\0\x0cjP  \r\n\x87\n", "jp2"),
        (rb".{4}(?:moov|mdat|wide|pnot|free|skip)", "mov"),
        (rb"caff\0\x01", "caf"),
        (rb"MAC ", "ape"),
        (rb"wvpk", "wv"),
        (rb"OggS.{,4086}(?:\x80theora|OVP80|BBCD\0|\x01video)", "ogv"),
        (rb"OggS", "ogg", "opus"),
        (rb"\x1aE\xdf\xa3.{,120}webm" + _SOUND, "weba"),
        (rb"\x1aE\xdf\xa3" + _SOUND, "mka"),
        (rb"\x1aE\xdf\xa3.{,120}webm", "webm"),
        (rb"\x1aE\xdf\xa3", "mkv"),
        (rb"\0\0\x01[\xba\xb3]", "mpeg", "mpg"),
        (rb"G.{187}G.{187}G", "ts"),
        (rb"PK\x03\x04.{,107}opendocument\.text", "odt"),
        (rb"PK\x03\x04.{,100}opendocument\.spreadsheet", "ods"),
        (rb"PK\x03\x04.{,99}opendocument\.presentation", "odp"),
        (rb"PK\x03\x04.{,116}epub\+zip", "epub"),
        (_ENTRY + rb"word[/\\]", "docx"),
        (_ENTRY + rb"xl[/\\]", "xlsx"),
        (_ENTRY + rb"ppt[/\\]", "pptx"),
        (_ENTRY + rb"(?:\[Content_Types\]|_rels[/\\]|docProps[/\\])", "zip", "docx", "xlsx", "pptx"),
        (rb"PK\x03\x04", "zip"),
    )
)
"""Start of a file, its format, and other formats that its name may select. The first match counts."""


def sniff(head: bytes, name: str = "") -> Sniffed:
    """Detect a file's type from its first bytes (up to ``HEAD_BYTES``); the name selects among matching formats."""
    suffix = suffix_of(name)
    text = _text(head)
    if b"%PDF-" in head[:_START]:
        found = "pdf"
    elif text is not None:  # text is none of the binary formats, however it starts
        found = _written(text, suffix)
    elif behind := tags_end(head):
        content = head[behind:].lstrip(b"\0")
        audio = suffix if not content and KIND_OF.get(suffix) is FileKind.AUDIO else "mp3"
        found = _signed(content, suffix) or audio
    else:
        found = _boxed(head, suffix) if head[4:8] == b"ftyp" else _signed(head, suffix)
    return Sniffed(KIND_OF.get(found, FileKind.OTHER), found)


def tags_end(head: bytes) -> int:
    """Return the offset after leading tags (ID3, APE), which may be beyond ``head``, or 0 if there are none.

    FLAC, AAC and WAV files may have tags too.
    """
    at = 0
    while True:
        if head.startswith(b"ID3", at):
            flags, *sizes = head[at + 5 : at + _ID3_HEAD].ljust(5, b"\0")
            length = sum(size << 7 * (3 - place) for place, size in enumerate(sizes))
            at += _ID3_HEAD + length + (_ID3_HEAD if flags & 0x10 else 0)  # footer flag
        elif head.startswith(b"APETAGEX", at):
            at += _APE_HEAD + int.from_bytes(head[at + 12 : at + 16], "little")
        else:
            return at


def markup_of(head: bytes) -> str:
    """Return ``html``, ``mhtml``, ``xml`` or ``json`` if the text begins like that, else an empty string."""
    text = (_text(head) or "").lstrip("\ufeff \r\n\t").casefold()
    if text.startswith(("{", "[")) and text.rstrip().endswith(("}", "]")):
        return "json"
    return next((found for start, found in _MARKUP if text.startswith(start)), "")


def suffix_of(name: str) -> str:
    """Return the format that a file name claims, or an empty string."""
    suffix = _parted(name)[1].lower()
    return _ALIASES.get(suffix, suffix)


def is_called_wrongly(name: str, true_format: str) -> bool:
    claimed = suffix_of(name)
    if not claimed or not true_format or claimed == true_format:
        return False
    if claimed in _PLAIN and true_format in ("csv", "txt"):
        return False
    return not any({claimed, true_format} <= same for same in _SAME)


def true_name(name: str, true_format: str) -> str:
    if not true_format or (suffix_of(name) and not is_called_wrongly(name, true_format)):
        return name
    wrong = suffix_of(name) in KIND_OF
    return f"{_parted(name)[0] if wrong else name}.{true_format}"


def _parted(name: str) -> tuple[str, str]:
    """Split a name into stem and extension; a leading dot starts no extension."""
    stem, point, ending = name.strip().rpartition(".")
    return (stem, ending) if point and stem and "/" not in ending else (name.strip(), "")


def _signed(head: bytes, suffix: str) -> str:
    fitting = (suffix if suffix in others else found for start, found, others in _SIGNATURES if start.match(head))
    return next(fitting, "") or _framed(head, len(head) if KIND_OF.get(suffix) is FileKind.AUDIO else _FRAMES_WITHIN)


def _boxed(head: bytes, suffix: str) -> str:
    """Return the format of a file with an ``ftyp`` box, by its brands and tracks; an unknown brand isn't video."""
    brands = [head[at : at + 4] for at in (8, *range(16, min(int.from_bytes(head[:4], "big"), _START), 4))]
    picture = next((found for start, found in _PICTURE_BRANDS if any(map(start.match, brands))), "")
    found = picture or next((found for one in brands for start, found in _FILM_BRANDS if start.match(one)), "")
    if picture or found == "m4a":
        return found
    movie = head.find(b"moov") - 4
    is_sound = KIND_OF.get(suffix) is FileKind.AUDIO
    matches = (_PLAYED if is_sound else _TRACK).finditer(head, max(movie, 0))
    tracks = {track[track.lastindex or 0] for track in matches}
    is_whole = movie + int.from_bytes(head[movie : movie + 4], "big") <= len(head)
    if found and tracks == {b"soun"} and (is_whole or is_sound):  # a video lists its video track first
        return "m4a"
    if suffix == "m4a" and b"vide" not in tracks:
        return found and suffix
    return suffix if found == "mp4" and suffix in ("m4v", "mov") else found


def _framed(head: bytes, within: int) -> str:
    """Return the format of two successive audio frames, of which the first starts within so many bytes."""
    for at in (found.start() for found in _MARK.finditer(head, 0, within)):
        length, found = _frame(head[at : at + 6])
        follows = head[at + length : at + length + 2]
        if found and len(follows) == 2 and _frame(head[at + length : at + length + 6])[1] == found:  # noqa: PLR2004
            return found
    return ""


MP3_BITRATES = {  # in kbit/s for layer III, by version and four header bits
    True: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0),
    False: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0),
}
_MP2_BITRATES = (0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 0)
"""Layer II of version 1; version 2 uses the rates of layer III."""
MP3_RATES = {3: (44_100, 48_000, 32_000, 0), 2: (22_050, 24_000, 16_000, 0), 0: (11_025, 12_000, 8_000, 0)}


def _frame(header: bytes) -> tuple[int, str]:
    """Return the length in bytes and the format of the frame at this header, or 0 and an empty string."""
    if len(header) < 6 or header[0] != 0xFF or header[1] & 0xE0 != 0xE0:  # noqa: PLR2004
        return 0, ""
    version, layer = header[1] >> 3 & 3, header[1] >> 1 & 3
    if layer == 0 and header[1] & 0xF0 == 0xF0:  # noqa: PLR2004 - ADTS
        length = (header[3] & 3) << 11 | header[4] << 3 | header[5] >> 5
        return (length, "aac") if length > 6 else (0, "")  # noqa: PLR2004
    if layer not in (1, 2) or version not in MP3_RATES:
        return 0, ""
    rate = MP3_RATES[version][header[2] >> 2 & 3]
    is_first, is_mp2 = version == 3, layer == 2  # noqa: PLR2004
    bits = (_MP2_BITRATES if is_first and is_mp2 else MP3_BITRATES[is_first])[header[2] >> 4] * 1000
    if not rate or not bits:
        return 0, ""
    length = (144 if is_first or is_mp2 else 72) * bits // rate + (header[2] >> 1 & 1)
    return length, "mp2" if is_mp2 else "mp3"


def _written(text: str, suffix: str) -> str:
    start = text[:_START].lstrip().casefold()
    if start.startswith("{\\rtf"):
        return "rtf"
    if start.startswith(_PAGES):
        return "html"
    if suffix == "csv":
        return "csv" if text.strip() else ""
    lines = [line for line in text.splitlines() if line.strip()][:_CSV_LINES]
    is_table = len(lines) > 1 and any(  # a header and at least one row
        lines[0].count(mark) and len({line.count(mark) for line in lines}) == 1 for mark in ",;\t|"
    )
    is_table = is_table or bool(lines and all(map(addresses_in, lines[1:] or lines)))
    return "csv" if is_table and suffix not in _PLAIN - {"txt", "text"} else "txt"


_PAGES = ("<!doctype html", "<html")
_MARKUP = (
    *((start, "html") for start in (*_PAGES, "<table", "<meta", "<head", "<body")),
    ("mime-version:", "mhtml"),
    ("<?xml", "xml"),
    ("<workbook", "xml"),
)


def _text(head: bytes) -> str | None:
    if not head:
        return None
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head[: len(head) // 2 * 2].decode("utf-16", errors="ignore")
    if any(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head):  # noqa: PLR2004 - control characters
        return None
    return head.decode("utf-8-sig", errors="replace")

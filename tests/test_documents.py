"""Documents are true: links resolve, commands parse, named functions and tests exist, diagrams match the code."""

import ast
import re
import shlex
import tomllib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, reduce
from importlib import import_module
from pathlib import Path

import pytest

from bot.cli.main import _parser
from bot.settings import Settings
from handlers.registry import COMMANDS
from tests.support.diagrams import DIAGRAMS, shown
from tests.support.pages import anchors

ROOT = Path(__file__).parent.parent
PLATES = [path for room in ("bot", "handlers", "storage", "tests") for path in (ROOT / room).rglob("README.md")]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *PLATES])
_LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s]+)\)")
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_COMMAND = re.compile(r"(?:^|[^/\w.])(?:python -m bot|(?<=`)switchboard) ([a-z][^`\n>]*)", re.MULTILINE)
_MAKE = re.compile(r"(?:`|^)make ([a-z]+)", re.MULTILINE)
_MODULE = re.compile(r"python -m (tests\.[\w.]+)(?![\w.<])")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def declared(path: Path) -> frozenset[str]:
    wanted = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, wanted))


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    assert not [link for link in _LINK.findall(page.read_text()) if not leads_somewhere(page, link)]


@every_page
def test_tests_that_are_named_exist(page: Path) -> None:
    missing = [
        f"{path}::{name}" if name else path
        for path, name in _TEST.findall(page.read_text())
        if not (ROOT / path).exists() or (name and name not in declared(ROOT / path))
    ]
    assert not missing


@every_page
def test_commands_that_are_named_are_understood(page: Path) -> None:
    text, parser = page.read_text(), _parser()
    for line in _COMMAND.findall(text):
        parser.parse_args(shlex.split(line))  # exits when it does not know the command
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(_MAKE.findall(text)) <= targets
    for module in _MODULE.findall(text):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


def test_the_readme_is_the_door_and_not_the_house() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 200


@pytest.mark.parametrize("name", DIAGRAMS)
def test_diagrams_are_drawn_from_the_code(name: str) -> None:
    page, drawn = shown(name)
    assert page.read_text() == drawn, "run make diagrams"


# coverage.md: a row for every point of the interface documents

COVERAGE = ROOT / "docs" / "coverage.md"
MARKS = {"D", "A1", "A2", "A3", "ours"}


@dataclass(frozen=True)
class Row:
    """One point. ``part``: the number of the part of its document, and the heading above it where there is one."""

    part: tuple[str, ...]
    cells: tuple[str, ...]

    @property
    def point(self) -> str:
        return self.cells[1]


@cache
def rows() -> tuple[Row, ...]:
    found, part = [], [""]
    for line in COVERAGE.read_text().splitlines():
        if line.startswith("### "):
            part = [line.split()[1]]
        elif line.startswith("#### "):
            part = [part[0], line[5:]]
        elif re.match(r"\| \d", line):
            found.append(Row(tuple(part), tuple(cell.strip() for cell in line.strip("| ").split(" | "))))
    return tuple(found)


@cache
def modules() -> dict[str, Path]:
    """Every module of the bot by its dotted name, the playground left out."""
    paths = [path for room in ("bot", "handlers", "storage") for path in (ROOT / room).rglob("*.py")]
    named = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in paths}
    return {name: path for name, path in named.items() if not name.startswith("bot.playground.")}


def resolved(name: str) -> object:
    """What ``Class.method``, ``module.function`` or ``module.Class.method`` names, if it names one thing."""
    *before, last = name.split(".")
    found = []
    for dotted, path in modules().items():
        for at in range(len(before) + 1):
            suffix, first = ".".join(before[:at]), [*before, last][at]
            if (not suffix or f".{dotted}".endswith(f".{suffix}")) and first in declared(path) and (at or before):
                with suppress(AttributeError):
                    found.append(reduce(getattr, [*before, last][at:], import_module(dotted)))
    assert len({id(one) for one in found}) == 1, f"{name} names {len(found)} things"
    assert callable(found[0]) or isinstance(found[0], property), f"{name} is no function"
    return found[0]


def test_every_point_of_the_documents_is_a_whole_row() -> None:
    numbers: dict[str, int] = {}
    for row in rows():
        number = numbers[row.part[0]] = numbers.get(row.part[0], 0) + 1
        assert len(row.cells) == 6, row.cells
        assert all(row.cells), row.cells
        assert row.cells[0] == f"{row.part[0]}.{number}"
        assert row.cells[2] in MARKS, row.cells
        assert all(re.fullmatch(r"tests/[\w/]+\.py::test_\w+", one.strip("`")) for one in row.cells[5].split(", ")), row
    assert len(rows()) >= 350


def test_every_function_that_carries_out_a_point_is_there() -> None:
    for name in {name.strip("`") for row in rows() for name in row.cells[4].split(", ")}:
        resolved(name)


def test_commands_and_settings_where_a_point_is_seen_are_there() -> None:
    verbs = {f"/{one.name} {verb.name}" for one in COMMANDS for verb in one.verbs}
    known = verbs | {f"/{one.name}" for one in COMMANDS} | {f"/{one.name} help" for one in COMMANDS}
    seen = " ".join(row.cells[3] for row in rows())
    lines = re.findall(r"`(/(?:pay|deliver|localize|email|switchboard)\b[^`]*)`", seen)
    assert len(lines) > 100
    assert [line for line in lines if not any(f"{line} ".startswith(f"{one} ") for one in verbs | known)] == []
    variables = {name.upper() for name in Settings.model_fields}
    assert set(re.findall(r"`([A-Z][A-Z_]{7,})`", seen)) <= variables


def test_every_operation_of_the_services_is_covered() -> None:
    table = tomllib.loads((ROOT / "bot" / "clients" / "routes.toml").read_text())
    routes = {
        f"{service}.{name}"
        for service, entries in table.items()
        for name, entry in entries.items()
        if isinstance(entry, dict) and "path" in entry
    }
    assert set(re.findall(r"`((?:payments|delivery|localization|email)\.\w+)`", COVERAGE.read_text())) == routes


OPERATION = (
    "`id` `partner_id` `status` `amount` `description` `confirmation_uri` `cancel_uri` `code` `svc_operation_id` "
    "`created_at` `updated_at` `svc_user_id` `svc_user_email` `operation_type` `failure_uri` `failure_reason` "
    "`callback_uri` `svc_operation_hash`"
)
OF_ITS_OWN = [
    ("1.2", "", "Anger Joy Sadness Love Fear Surprise Neutral", "Emotion label "),
    ("1.2", "", "`gender` `paraphrased_sentences` `summary` `vocals` `music`", r"[\w -]+: "),
    ("1.4", "POST /audio-extraction", "16000 22050 44100 48000", "`sample_rate` "),
    ("1.4", "POST /audio-extraction", "16 32", "`sample_width` "),
    ("1.4", "POST /audio-extraction", "1 2", "`n_channels` "),
    ("1.4", "POST /audio-conversion", "wav mp3", "`target_extension` "),
    ("1.8", "", "/audio-extraction: /paraphrase: /summary-generation:", ""),
    ("2.2", "Operation", OPERATION, ""),
    ("2.2", "Page of operations", "`currentPage` `lastPage` `perPage` `total` `from` `to` `data`", ""),
    ("2.2", "Account status", "`country_ID` `isPrimary` `is_verified` `fullName`", ""),
    ("2.2", "Account status", "active inactive", "`status` "),
    ("2.3", "Purchase statuses", "created confirmed canceled failed", ""),
    ("2.3", "Payout statuses", "created committed pending completed canceled failed", ""),
    ("2.3", "Bulk payment statuses", "pending running done failed", ""),
    ("2.3", "Items of a bulk payment", "created committed pending completed canceled failed", ""),
    ("2.4", "GET /operations", "`page` `perPage` `type` 200: 403 500", ""),
    ("2.4", "GET /operations/{operationId}", "`operationId` 200:", ""),
    ("2.4", "GET /operations/{operationId}", "`data` `code` `message` `displayToUser`", "404 "),
    ("2.4", "GET /operations/{operationId}", "`message` `messages`", "422 "),
    ("2.6", "", "`confirmation_uri` `cancel_uri` `failure_uri` `callback_uri`", ""),
    ("2.7", "", "429 403 500 404 422", ""),
    ("3A.2", "", "CASH CARD", "paymentMethod "),
    ("3A.2", "", "`id` `bookingNumericId` `statusText` `paymentMethod` `orderAmount`", "Booking: "),
    ("3A.4", "", "`content-language` `Content-Type `Authorization`", "Header "),
    ("3B.4", "", "`apikey` `file` `email-header-index`", "Bulk file: "),
    ("3B.4", "", "`email` `apikey`", "Single: query parameter "),
]
"""Part, heading, what each has a row of its own, and how the words of that row begin before it."""
NAMED = [
    ("1.1", "", "40 100 English"),
    ("1.4", "POST /gender-detection", "`audio_file` `audio_url` .mp3 .wav Indian one"),
    ("1.4", "POST /paraphrase", "`text` `paraphrased_sentences` options"),
    ("1.4", "POST /summary-generation", "`text` `summary`"),
    (
        "1.4",
        "POST /audio-extraction",
        "`video_file` `video_url` .mp4 .mov .mkv .webm .mpeg .mpg .avi .flv .m4v 600 default",
    ),
    ("1.4", "POST /music-source-separation", "`audio_file` `audio_url` .mp3 .wav `vocals` `music` one"),
    ("1.4", "POST /audio-conversion", "`audio_file` `audio_url` .mp3 .wav .flac .ogg .aiff default"),
    ("1.5", "", "`Authorization: Bearer <API_KEY>` uuid-format"),
    ("1.8", "", "600 50"),
    ("2.1", "", "443"),
    ("2.5", "", "Basic base64 `Content-Type: application/json` sandbox"),
    ("2.8", "", "10 429 1"),
    ("3A.3", "", "ON_HOLD dashboard endpoint"),
    ("3A.4", "", "/api/createStore /api/createBooking sandbox"),
    ("3A.5", "", "`Authorization: Bearer <API_KEY>` <MASTER_KEY>"),
    ("3B.8", "", "1000"),
]


def points(part: str, heading: str) -> list[str]:
    return [row.point for row in rows() if row.part[0] == part and (not heading or heading in row.part)]


@pytest.mark.parametrize(("part", "heading", "keys", "before"), OF_ITS_OWN)
def test_each_documented_name_status_and_value_has_a_row_of_its_own(
    part: str, heading: str, keys: str, before: str
) -> None:
    told = points(part, heading)
    assert [
        key for key in keys.split() if not any(re.match(rf"{before}{re.escape(key)}(?!\w)", one) for one in told)
    ] == []


@pytest.mark.parametrize(("part", "heading", "keys"), NAMED)
def test_each_documented_format_header_and_limit_is_in_a_row(part: str, heading: str, keys: str) -> None:
    told = " | ".join(points(part, heading))
    wanted = re.findall(r"`[^`]+`|\S+", keys)
    assert [key for key in wanted if not re.search(rf"(?<!\w){re.escape(key)}(?!\w)", told)] == []


@pytest.mark.parametrize("document", ["1", "2", "3A", "3B"])
def test_every_part_of_a_document_has_its_rows(document: str) -> None:
    assert [part for part in range(1, 10) if not points(f"{document}.{part}", "")] == []

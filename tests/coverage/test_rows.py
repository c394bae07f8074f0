"""The rows are whole: each point of the interface documents once, where people see it, its tests and its break."""

import re
import tomllib
from pathlib import Path

import pytest

from bot.settings import Settings
from handlers.registry import COMMANDS
from tests.coverage.breaking import broken
from tests.coverage.rows import FOLDER, rows

ROOT = Path(__file__).parents[2]
MARKS = {"D", "A1", "A2", "A3", "ours"}


def test_every_point_of_the_documents_is_a_whole_row() -> None:
    numbers: dict[str, int] = {}
    for row in rows():
        number = numbers[row.part] = numbers.get(row.part, 0) + 1
        assert row.number == f"{row.part}.{number}"
        assert row.point, row
        assert row.seen, row
        assert row.tests, row
        assert row.breaks, row
        assert row.mark in MARKS, row
    assert len(rows()) >= 420


def test_every_break_can_be_applied() -> None:
    for row in rows():
        with broken(row.breaks):
            pass


def test_tests_that_rows_name_exist() -> None:
    missing = []
    for name in {name for row in rows() for name in row.tests}:
        path, _, test = name.partition("::")
        if not re.search(rf"^(?:async )?def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE):
            missing.append(name)
    assert missing == []


def test_named_commands_and_settings_exist() -> None:
    verbs = {f"/{one.name} {verb.name}" for one in COMMANDS for verb in one.verbs}
    known = verbs | {f"/{one.name}" for one in COMMANDS} | {f"/{one.name} help" for one in COMMANDS}
    seen = " ".join(row.seen for row in rows())
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
    told = " ".join(path.read_text(encoding="utf-8") for path in FOLDER.glob("*.toml"))
    assert set(re.findall(r"`((?:payments|delivery|localization|email)\.\w+)`", told)) == routes


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
    return [row.point for row in rows() if row.part == part and (not heading or heading == row.under)]


@pytest.mark.parametrize(("part", "heading", "keys", "before"), OF_ITS_OWN)
def test_each_documented_name_status_and_value_has_a_row(part: str, heading: str, keys: str, before: str) -> None:
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

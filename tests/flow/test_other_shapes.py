"""A service answers in another shape than the documents: the person still gets the result, or reads what came."""

import base64
import io
import json
import wave

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.presentation.localization import DETAILS, READ
from tests.flow.localizing import DONE, ENGLISH, Localizer
from tests.support.answers import ask
from tests.support.rig import FINANCE, MARIA, OLGA, Rig
from tests.workflows.looking import state

with io.BytesIO() as _file:
    with wave.open(_file, "wb") as _sound:
        _sound.setparams((1, 2, 8_000, 0, "NONE", ""))
        _sound.writeframes(bytes(range(256)) * 8)
    SOUND = _file.getvalue()
WAV = base64.b64encode(SOUND).decode()
SPEAK = "speak Welcome aboard"
SITE = "https://files.example.com/voice.mp3"


def says(rig: Rig, service: str, operation: str, body: object, *, kind: str = "application/json") -> None:
    text = json.dumps(body) if kind == "application/json" else body
    fault = Fault(FaultKind.DONE_500, operation, times=None, body=str(text), content_type=kind)
    getattr(rig, service).faults.arm(fault)


async def unread(rig: Rig, operation: str) -> Message:
    """The list of unread answers, which has this operation."""
    await rig.settle()
    seen = await ask(rig, "unread", command="/switchboard", user=OLGA)
    assert operation in seen.text
    return seen


@pytest.mark.rig(clock=None)
@pytest.mark.parametrize(
    "body",
    [
        {"audio_clip": WAV},
        {"audio": f"data:audio/wav;base64,{WAV}"},
        {"audioContent": WAV.replace("+", "-").replace("/", "_").rstrip("=")},
        {"result": {"base64_audio": WAV}},
        [{"audio": [{"data": WAV}]}],
        f"data:audio/wav;base64,{WAV}",
    ],
)
async def test_audio_inside_the_answer_is_shared(rig: Rig, body: object) -> None:
    maria = Localizer(rig)
    says(rig, "localization", "text_to_speech", body)
    await maria.type(SPEAK)
    board = await maria.board(DONE)
    [file] = maria.files(await maria.results(board))
    assert file.name.endswith(".wav")
    assert file.content == SOUND


@pytest.mark.rig(clock=None)
@pytest.mark.parametrize("shape", ["text", "page", "json", "envelope", "renamed"])
async def test_bare_address_is_the_result(rig: Rig, shape: str) -> None:
    maria = Localizer(rig)
    await maria.type(SPEAK)
    await maria.board(DONE)
    url = next(json.loads(str(call.response).replace("'", '"'))["audio_clip"] for call in rig.localization.calls)
    bodies = {"envelope": {"data": url}, "renamed": {"fileUrl": url, "took": "3"}}
    kind = {"text": "text/plain", "page": "text/html"}.get(shape, "application/json")  # what some servers always say
    says(rig, "localization", "text_to_speech", bodies.get(shape, url), kind=kind)
    await maria.type(SPEAK)
    board = await maria.board(DONE, number=1)
    assert len(maria.files(await maria.results(board))) == 1


@pytest.mark.rig(clock=None)
@pytest.mark.parametrize(
    ("told", "words"),
    [
        ({"confidence_score": "0.93 (very sure)"}, "(93 % sure)"),
        ({"confidenceScore": "93%"}, "(93 % sure)"),
        ({"confidence": "0,93"}, "(93 % sure)"),
        ({"score": "93 percent"}, "(93 % sure)"),
        ({"confidence": "9 of 10"}, "(confidence: 9 of 10)"),
        ({"gender": {"label": "female", "confidence_score": "0.93 (very sure)"}}, "(93 % sure)"),
        ("female", ""),
        ({"result": "Female", "gender": None}, ""),
    ],
)
async def test_gender_is_read_in_any_spelling(rig: Rig, told: object, words: str) -> None:
    says(rig, "localization", "gender_detection", {"gender": "female"} | told if isinstance(told, dict) else told)
    await Localizer(rig).type(f"gender {SITE}")
    await Localizer(rig).board(f"*Female* {words}".strip())


@pytest.mark.rig(clock=None)
async def test_strongest_emotion_is_shown_with_its_share(rig: Rig) -> None:
    scores = [{"label": "Love", "score": 0.15}, {"label": "Joy", "score": 0.8}]
    says(rig, "localization", "text_emotion", {"emotions": scores})
    maria = Localizer(rig)
    await maria.type("emotion I am so happy that you came")
    await maria.told("*Joy* (80 % sure)")


@pytest.mark.rig(clock=None)
@pytest.mark.parametrize("shape", ["list", "base64"])
async def test_two_unnamed_tracks_are_distinguished(rig: Rig, shape: str) -> None:
    maria = Localizer(rig)
    sound = await rig.workspace.drop(MARIA, FINANCE, "song.wav", SOUND)
    await maria.choose("Separate vocals and music", file=sound)
    await maria.board(DONE)
    (first,) = rig.localization.calls
    made = json.loads(str(first.response).replace("'", '"'))
    listed = [made["music"], made["vocals"]]
    named = [{"name": name, "base64": WAV} for name in ("music", "vocals")]
    says(rig, "localization", "music_source_separation", {"files": listed if shape == "list" else named})
    sound = await rig.workspace.drop(MARIA, FINANCE, "again.wav", SOUND)
    await maria.choose("Separate vocals and music", file=sound)
    board = await maria.board(DONE, number=1)
    files = maria.files(await maria.results(board, 2))
    assert sorted(word for one in files for word in ("music", "vocals") if word in one.name) == ["music", "vocals"]


@pytest.mark.rig(clock=None)
@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("Hallo", "application/json"),
        ({"result": "Hallo"}, "application/json"),
        ({"output": ["Hallo"]}, "application/json"),
        ({"data": {"summary": "Hallo"}}, "application/json"),
        ({"summary": "data:text/plain;base64,SGFsbG8="}, "application/json"),
        ("Hallo", "text/plain"),
    ],
)
async def test_text_alone_or_in_an_envelope_is_the_result(rig: Rig, body: object, kind: str) -> None:
    maria = Localizer(rig)
    says(rig, "localization", "summary_generation", body, kind=kind)
    await maria.type(f"summarize {ENGLISH}")
    await maria.answer("Hallo")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"jobId": "7f3a", "status": "queued"}, "jobId: 7f3a"),
        ({"job_id": 7, "status_url": "/jobs/7"}, "job_id: 7"),
        ({"task": "7f3a", "state": "PENDING", "eta": 30, "links": {"self": "https://files.example.com/7"}}, "7f3a"),
        ({"jobs": [{"job_id": 7, "state": "pending"}]}, "job_id: 7"),
        (7, "“7”"),
    ],
)
async def test_receipt_is_quoted_and_promises_no_line(rig: Rig, body: object, words: str) -> None:
    maria = Localizer(rig)
    says(rig, "localization", "paraphrase", body)
    await maria.type(f"paraphrase {ENGLISH}")
    await rig.settle()
    told = await maria.answer("Not confirmed", words)
    assert READ not in [one.action_id for one in told.buttons]
    seen = await unread(rig, "localization.paraphrase")
    assert "SERVICES_FILE" not in seen.text
    assert "```" not in seen.text


async def test_details_show_how_an_unread_answer_begins(rig: Rig) -> None:
    maria = Localizer(rig)
    says(rig, "localization", "text_to_speech", {"ticket": "see https://files.example.com/tickets/7 tomorrow"})
    await maria.type(SPEAK)
    await rig.settle()
    board = await maria.board("*Details*")
    await rig.workspace.click(MARIA, FINANCE, board.ts, DETAILS)
    assert "see https://files.example.com/tickets/7 tomorrow" in str(rig.form().blocks)
    assert "```" not in (await unread(rig, "localization.text_to_speech")).text


async def test_unread_proposes_only_names_that_help(rig: Rig) -> None:
    maria = Localizer(rig)
    says(
        rig,
        "localization",
        "text_to_speech",
        {"clip_id": "c7", "voice_kind": "alto", "file_at": f"/clips/{SITE[-9:]}x"},
    )
    await maria.type(SPEAK)
    await rig.settle()
    await maria.board("I can't read the answer yet")
    seen = await unread(rig, "localization.text_to_speech")
    assert "file_at" in seen.text.split("```")[1]
    assert "clip_id" not in seen.text.split("```")[1]


@pytest.mark.parametrize("wrap", ["data", "result", "output", "list", "marks"])
async def test_reads_of_payments_find_the_record_in_an_envelope(rig: Rig, wrap: str) -> None:
    record = {"status": "active", "fullName": "Ana Lopez", "is_verified": "true", "isPrimary": 1, "country_ID": "ECU"}
    bodies: dict[str, object] = {"list": [record], "marks": {"success": True, "code": 200, "data": [record]}}
    says(rig, "payments", "account_status", bodies.get(wrap, {wrap: record}))
    assert "Ana Lopez" in (await ask(rig, "account ana@example.com")).text


@pytest.mark.parametrize("around", [{"success": False}, {"error": "stale"}, {"status": 500}, {"id": "op-2"}])
async def test_error_envelope_is_not_a_record(rig: Rig, around: dict[str, object]) -> None:
    record = {"status": "active", "fullName": "Ana Lopez"}
    says(rig, "payments", "account_status", {"data": record, "fullName": ""} | around)
    assert "Ana Lopez" not in (await ask(rig, "account ana@example.com")).text


async def test_commit_in_an_envelope_is_unknown_until_it_is_read(rig: Rig) -> None:
    await rig.pay()
    [call] = rig.payments.calls_of("create_payout")
    record = dict(call.response) if isinstance(call.response, dict) else {}
    says(rig, "payments", "commit_payout", {"data": record | {"status": "completed"}})
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=1, skip=1))
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(2_000, steps=5)
    assert await state(rig) is State.COMMITTED
    assert len(rig.paid) == 1


async def test_partner_under_other_names_is_shown_as_it_came(rig: Rig) -> None:
    says(rig, "payments", "partner", {"partnerName": "Acme", "funds": "12.00", "apiKey": "k-secret"})
    told = await ask(rig, "partner", user=OLGA)
    assert "partnerName: Acme" in told.plain.replace("*", "")
    assert "k-secret" not in told.plain

"""What a job keeps can be read again, and nothing of it is lost."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.localization.catalog import CAPABILITIES
from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.progress import CallProgress, Handed, Order, ResultFile, lane_of
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Track, Tracks, Written
from bot.domain.reasons import Exchange, OfCall, Reason

NOW = datetime(2026, 11, 21, 4, 30, tzinfo=UTC)
TRACK = Track(name="vocals", url="https://files.example.com/v.mp3", extension="mp3")
RESULTS: list[Result] = [
    Gender(gender="female", percent=Decimal("93.5")), Gender(gender="male"), Phrases(sentences=("One.", "Two.")),
    Written(text="Hello\nthere"), Gender(gender="male", sure="high"), Emotion(label="Joy"),
    Emotion(label="Joy", percent=Decimal("93.5"), others=(("Love", Decimal(4)), ("Fear", None))),
    Tracks(tracks=(TRACK,)),
]  # fmt: skip


def stored(value: object) -> object:
    return json.loads(json.dumps(value))


@given(
    operation=st.sampled_from(list(CallOperation)),
    text=st.text(max_size=50),
    seconds=st.none() | st.floats(min_value=0, max_value=1e6),
)
def test_order_of_a_call_survives_storage(operation: CallOperation, text: str, seconds: float | None) -> None:
    request = Request(operation=operation, text=text, url="https://a.example/b", seconds=seconds, options={"a": "b"})
    order = Order(request=request, file_name=text, again_of="01J")
    assert Order.read(stored(order.payload())) == order  # type: ignore[arg-type]


@pytest.mark.parametrize("result", [None, *RESULTS], ids=lambda result: type(result).__name__)
def test_progress(result: Result | None) -> None:
    progress = CallProgress(
        started_at=NOW, ended_at=NOW, result=result,
        deliveries=(ResultFile(track=TRACK, name="v.mp3", state=Handed.MAYBE),),
        reason=Reason(OfCall.UNKNOWN, why=Reason(Exchange.NO_ANSWER, failure="timed out").saying("theirs too")),
        words="theirs", by="U0MARIA", again="01J", tries=2, sent_at=NOW, answer='{"a": 1}',
    )  # fmt: skip
    assert CallProgress.read(stored(progress.detail())) == progress  # type: ignore[arg-type]
    assert CallProgress.read({}) == CallProgress()
    assert "answer" not in CallProgress(result=result).detail()


def test_texts_and_media_have_separate_lanes() -> None:
    lanes = {one.operation: lane_of(Request(operation=one.operation, text="Hi"), 3_000) for one in CAPABILITIES}
    assert set(lanes.values()) == {"localization.text", "localization.media"}
    for long in (
        Request(operation=CallOperation.SUMMARY, text="Hi. " * 26),
        Request(operation=CallOperation.SPEECH, file="F1"),
    ):
        assert lane_of(long, 100) == "localization.document"
    assert lanes[CallOperation.PARAPHRASE] != lanes[CallOperation.SPEECH] == lanes[CallOperation.GENDER]

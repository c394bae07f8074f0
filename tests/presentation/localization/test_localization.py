"""Every message and form of localization within Slack's limits, whatever people and the service write."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inline_snapshot import snapshot

from bot.domain.localization.catalog import CAPABILITIES
from bot.domain.localization.declaration import CallOperation, Capability
from bot.domain.localization.progress import CallProgress, CallState, CallView, Order
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Written
from bot.domain.reasons import given as own_words
from bot.presentation import localization as told
from bot.presentation.blocks.text import clock
from bot.presentation.localization_forms import Carried, form
from tests.presentation.checks import calls_in, check_message, check_view

FOREIGN = st.text(min_size=1, max_size=3_000) | st.just("<!channel> <@U0ADA> & *x* `y`\n" * 90)
ME = "U0MARIA"


def sight(
    one: Capability, state: CallState, *, text: str = "", result: Result | None = None, words: str = "", name: str = ""
) -> CallView:
    media = one.media is not None
    request = Request(
        operation=one.operation, text="" if media else text or "Hello", file="F1" if media else ""
    ).complete()
    return CallView(
        id="01J00000000000000000000000", order=Order(request=request, file_name=name or ("song.mp3" if media else "")),
        state=state,
        progress=CallProgress(reason=own_words(text or "the reason"), words=words, by="U0ADA", result=result),
        requester=ME, position=2, elapsed=75.0, percent=45,
    )  # fmt: skip


@pytest.mark.parametrize("state", CallState)
@given(one=st.sampled_from(CAPABILITIES), foreign=FOREIGN)
def test_email_boards_show_failures(state: CallState, one: Capability, foreign: str) -> None:
    seen = sight(one, state, text=foreign, words=foreign, name=foreign)
    for content in (told.board(seen), told.failure(seen)):
        check_message(content)
        assert calls_in(content) <= {f"@{ME}", "@U0ADA"}
    if "U0ADA" not in foreign:
        assert "U0ADA" not in told.board(seen).text or state is CallState.CANCELED


RESULTS = st.one_of(
    FOREIGN.map(lambda text: Written(text=text)),
    st.lists(FOREIGN, min_size=1, max_size=200).map(lambda listed: Phrases(sentences=tuple(listed))),
    FOREIGN.map(lambda text: Emotion(label=text)),
    FOREIGN.map(lambda text: Gender(gender=text, percent=Decimal("93.5"))),
)


@given(result=RESULTS)
def test_results(result: Result) -> None:
    seen = sight(CAPABILITIES[0], CallState.DONE, result=result)
    check_message(told.board(seen))
    if told.is_long(seen):
        assert told.long_text(seen)
        _, comment = told.about_text(seen)
        assert len(comment) <= 1_000
        assert "<!" not in comment
    else:
        content = told.result(seen)
        check_message(content, longest=40_000)
        assert calls_in(content) <= {f"@{ME}"}


@pytest.mark.parametrize(("text", "long"), [("x" * 2_500, False), ("x" * 2_501, True), ("&" * 501, True)])
def test_text_over_2500_characters_becomes_a_file(text: str, long: bool) -> None:
    assert told.is_long(sight(CAPABILITIES[0], CallState.DONE, result=Written(text=text))) is long


@pytest.mark.parametrize("one", CAPABILITIES, ids=lambda one: str(one.operation))
@given(foreign=FOREIGN)
def test_forms(one: Capability, foreign: str) -> None:
    operations = (one.operation.value,)
    check_view(form([one], Carried(verb=one.verb, operations=operations, channel="C0FINANCE")))
    carried = Carried(
        verb=one.verb, operations=operations, channel="C0FINANCE", thread_ts="1.2", file="F1", file_name=foreign
    )
    check_view(form([one], carried))
    assert len(carried.dump()) <= 3_000
    assert Carried.load(carried.dump()).file == "F1"


def test_form_of_a_verb_with_two_operations_offers_both() -> None:
    both = [one for one in CAPABILITIES if one.verb == "emotion"]
    carried = Carried(verb="emotion", operations=tuple(one.operation.value for one in both), channel="C0FINANCE")
    view = form(both, carried)
    check_view(view)
    assert [block["block_id"] for block in view["blocks"][1:]] == ["file", "url", "text"]


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (9.9, "0:09"), (75, "1:15"), (3_599, "59:59"), (3_607, "1:00:07")]
)
def test_clock(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_every_documented_emotion_has_an_emoji() -> None:
    one = next(capability for capability in CAPABILITIES if capability.operation is CallOperation.TEXT_EMOTION)
    labels = ("Anger", "Joy", "Sadness", "Love", "Fear", "Surprise", "Neutral", "not documented")
    seen = [sight(one, CallState.DONE, result=Emotion(label=label)) for label in labels]
    assert "\n".join(told.result(each).text for each in seen) == snapshot("""\
<@U0MARIA> *Emotion in a text*: :rage: *Anger*
<@U0MARIA> *Emotion in a text*: :smile: *Joy*
<@U0MARIA> *Emotion in a text*: :cry: *Sadness*
<@U0MARIA> *Emotion in a text*: :heart: *Love*
<@U0MARIA> *Emotion in a text*: :fearful: *Fear*
<@U0MARIA> *Emotion in a text*: :astonished: *Surprise*
<@U0MARIA> *Emotion in a text*: :neutral_face: *Neutral*
<@U0MARIA> *Emotion in a text*: :speech_balloon: *not documented*""")


def test_long_result_is_previewed() -> None:
    text = "word " * 2_000
    _, shown = told.about_text(sight(CAPABILITIES[0], CallState.DONE, result=Written(text=text)))
    lead, begin = shown.split("\n>")
    assert lead.endswith(": 10,000 characters")
    assert len(begin) == 300
    assert begin.startswith("word word")
    assert begin.endswith(" … (shortened)")

"""What one person is told about localization calls."""

from dataclasses import replace

import pytest
from inline_snapshot import snapshot

from bot.domain.errors import ServiceNever
from bot.domain.localization import CallOperation, Request
from bot.domain.localization.progress import CallProgress, CallState, CallView, Order
from bot.domain.reasons import Exchange, OfCall, Reason, Verbatim, given
from bot.presentation.localization import calls
from bot.presentation.reasons import worded
from bot.workflows.localization.results import _not_handed_over
from tests.presentation.checks import lines_of

ORDER = Order(request=Request(operation=CallOperation.PARAPHRASE, text="Hello").complete(), file_name="")
SIGHT = CallView(
    id="01J", order=ORDER, state=CallState.RUNNING, progress=CallProgress(by="U0ADA"), requester="U0MARIA", position=2,
    elapsed=1.0, percent=0,
)  # fmt: skip


def test_what_is_on_its_way() -> None:
    assert calls.asked(ORDER, position=0, member=True).text == snapshot(
        ":memo: *Paraphrase*: on it. The answer comes here."
    )
    assert calls.asked(ORDER, position=3, member=False).text == snapshot("""\
:memo: *Paraphrase*: on it. It is number 3 in the queue. I am not a member of this channel, so the answer comes to you \
directly. `/invite @Switchboard` brings me here.""")
    options = {"source_lang": "en", "target_lang": "fr"}
    translated = Request(operation=CallOperation.TRANSLATION, text="Hello", options=options).complete()
    assert calls.asked(Order(request=translated, file_name=""), position=0, member=True).text == snapshot(
        ":memo: *Translate* (from: English · to: French): on it. The answer comes here."
    )
    assert calls.asked_several(3, member=True).text == snapshot(":memo: On it: 3 files. The answers come here.")
    assert calls.asked_several(3, member=False).text == snapshot(
        ":memo: On it: 3 files. I am not a member of this channel; the answers come to you."
    )


def test_what_cannot_be_canceled() -> None:
    found = [None, *(replace(SIGHT, state=state) for state in CallState)]
    assert lines_of([calls.no_cancel(one).text for one in found]) == snapshot("""\
:warning: This button is out of date.
:warning: There is nothing to cancel: it is over already: waiting.
:warning: There is nothing to cancel: it is over already: running.
:warning: There is nothing to cancel: it is done already; its files are on their way.
:warning: There is nothing to cancel: it is done already.
:warning: There is nothing to cancel: it is over already: failed.
:warning: There is nothing to cancel: it is over already: unknown.
:warning: There is nothing to cancel: it is over already: canceled.
:warning: There is nothing to cancel: it is over already: interrupted.""")
    assert calls.not_yours("U0MARIA").text == snapshot(
        ":warning: Only <@U0MARIA>, who asked for it, or an admin can cancel it."
    )


def test_what_cannot_be_run_again() -> None:
    assert calls.no_again(None).text == snapshot(":warning: This button is out of date.")
    assert calls.no_again(SIGHT).text == snapshot(":warning: There is nothing to run again.")
    assert calls.no_again(replace(SIGHT, progress=CallProgress(by="U0ADA", again="01K"))).text == snapshot(
        ":warning: <@U0ADA> has run it again already."
    )


@pytest.mark.parametrize(
    ("service", "said"),
    [
        ("Slack", "Slack does not take the file (refused the file)"),
        ("localization", "it was done, but the localization service refused the file"),
    ],
)
def test_a_file_that_was_not_handed_over(service: str, said: str) -> None:
    refused = ServiceNever(service, Reason(Verbatim.GIVEN, text="refused the file"))
    assert worded(_not_handed_over(refused)) == said


def test_reasons() -> None:
    found = [
        Reason(OfCall.QUEUE_FULL, most=20),
        Reason(OfCall.UNKNOWN, why=Reason(Exchange.NO_ANSWER, failure="")),
        Reason(OfCall.NOT_HANDED_OVER, why=given("timed out")),
    ]
    assert lines_of([worded(one) for one in found]) == snapshot("""\
you have 20 calls under way or waiting, which is the most; wait for one, or cancel one
the localization service gave no answer
it was done, but its files could not be handed over: timed out""")

"""An ack does not wait for a form that Slack is slow to open: the form comes later, and so does what follows it."""

import asyncio

import pytest

from bot.domain.payments.instruction import Kind
from bot.playground.faults import Fault, FaultKind
from bot.presentation import views
from bot.presentation.blocks.text import message
from bot.presentation.payments import forms
from handlers.replies import Answer, Later, Open, Private, Replace
from tests.handlers.played import Behaviour, Played, boom, replies
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.looking import ephemerals, heard

pytestmark = pytest.mark.rig(around={"handler_total": 0.2})


def late(answer: Answer, meanwhile: Answer | Open) -> tuple[Behaviour, asyncio.Event]:
    """What answers only once the event is set."""
    ready = asyncio.Event()

    async def work() -> Answer:
        await ready.wait()
        return answer

    return replies(Later(work=work, meanwhile=meanwhile)), ready


def slow(rig: Rig, kind: FaultKind = FaultKind.SLOW) -> None:
    rig.workspace.faults.arm(Fault(kind, "views.open", seconds=1.0))


@pytest.mark.parametrize("kind", ["command", "click"])
async def test_ack_precedes_the_form(played: Played, kind: str) -> None:
    rig, behaviours = played
    behaviours["boom"] = replies(Open(forms.request(channel=FINANCE, kind=Kind.PAYOUT)))
    slow(rig)
    assert (await boom(rig, kind)).status == 200
    assert rig.workspace.modal(MARIA) is None, "the ack did not wait for it"
    await rig.workspace.until(lambda: rig.workspace.modal(MARIA) is not None)
    assert not ephemerals(rig, MARIA)


async def test_late_form_still_gets_its_content(played: Played) -> None:
    rig, behaviours = played
    said = Replace(views.notice("Ready", "This is what you asked for"))
    behaviours["boom"], ready = late(said, Open(views.notice("Wait", "One moment")))
    slow(rig)
    assert (await boom(rig)).status == 200
    assert rig.workspace.modal(MARIA) is None
    ready.set()
    await rig.workspace.until(lambda: "what you asked for" in rig.workspace.modals(MARIA)[-1].plain)


async def test_form_failing_after_the_ack_is_answered_privately(played: Played) -> None:
    rig, behaviours = played
    behaviours["boom"] = replies(Open(forms.request(channel=FINANCE, kind=Kind.PAYOUT)))
    rig.workspace.faults.arm(Fault(FaultKind.DONE_HANGS, "views.open", seconds=0.6))
    assert (await boom(rig)).status == 200
    assert not ephemerals(rig, MARIA)
    await heard(rig, MARIA, "Slack did not open the form")


async def test_late_content_is_sent_privately_without_a_form(played: Played) -> None:
    rig, behaviours = played
    behaviours["boom"], ready = late(Private(message("for your eyes")), Open(views.notice("Wait", "One moment")))
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "views.open"))
    assert (await boom(rig)).status == 200
    ready.set()
    await heard(rig, MARIA, "for your eyes")

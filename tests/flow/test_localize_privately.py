"""A text given to a command is answered to who asked alone: once, through kills and spent addresses."""

from datetime import UTC, datetime

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.presentation.localization import AGAIN, CANCEL, DETAILS, SHARE
from tests.flow.localizing import ENGLISH, Localizer, answer
from tests.support.rig import ADA, FINANCE, MARIA, RANDOM, Rig
from tests.support.shown import shown

pytestmark = pytest.mark.rig(on="both")
ASKED = "translate from=en to=fr Where is the station?"
OLD = datetime(2000, 1, 1, tzinfo=UTC)
TOLD = "[en → fr] Where is the station?"


def direct(rig: Rig) -> list[Message]:
    return [one for one in rig.workspace.messages(rig.workspace.open_dm(MARIA).id) if one.bot_id]


def whispers(rig: Rig) -> list[Message]:
    return [one for one in rig.workspace.ephemerals(MARIA) if TOLD in one.text]


async def done(rig: Rig) -> None:
    await rig.settle()
    await rig.switchboard.context.workers.finished(lasting=True)
    await rig.settle()


async def press(rig: Rig, told: Message, action: str, *, user: str = MARIA, force: bool = False) -> None:
    button = next((one for one in told.buttons if one.action_id == action), told.buttons[0])
    await rig.workspace.click(user, told.channel, told.ts, action, value=button.value, force=force)
    await done(rig)


async def test_it_is_posted_in_the_channel_once_and_in_their_name(maria: Localizer) -> None:
    rig = maria.rig
    await maria.type(ASKED)
    await done(rig)
    (told,) = whispers(rig)
    assert (told.channel, told.ephemeral_to, maria.messages(), direct(rig)) == (FINANCE, MARIA, [], [])
    await press(rig, told, SHARE, user=ADA, force=True)
    assert rig.workspace.ephemerals(ADA)[-1].text == ":warning: This button is out of date."
    for _ in range(3):
        await press(rig, told, SHARE, force=True)
    (posted,) = maria.messages()
    assert shown(posted.text) == f"Maria Silva · *Translate* · English → French\n>Where is the station?\n{TOLD}"
    assert posted.buttons == []
    (told,) = whispers(rig)
    assert told.buttons == []
    assert f"Posted in <#{FINANCE}>" in shown(told)


async def test_nonmember_bot_says_how_to_invite_it(rig: Rig) -> None:
    outside = Localizer(rig, channel=RANDOM)
    assert answer(await outside.type(ASKED)) == ":hourglass_flowing_sand: Translating to French…"
    await done(rig)
    (told,) = whispers(rig)
    await press(rig, told, SHARE)
    assert "`/invite @Switchboard`" in rig.workspace.ephemerals(MARIA)[-1].text
    assert outside.messages() == []
    assert [one.action_id for one in whispers(rig)[0].buttons] == [SHARE], "it can be pressed again"


@pytest.mark.parametrize("kind", [FaultKind.REFUSED, FaultKind.ERROR_500, FaultKind.LOST])
async def test_unpostable_offer_is_a_direct_message(maria: Localizer, kind: FaultKind) -> None:
    rig = maria.rig
    rig.workspace.faults.arm(Fault(kind, "response_url"))
    await maria.type(ASKED)
    await done(rig)
    (told,) = direct(rig)
    assert (TOLD in told.text, whispers(rig), maria.messages()) == (True, [], [])
    await press(rig, told, SHARE)
    assert len(maria.messages()) == 1
    assert direct(rig)[0].buttons == []


async def test_answer_after_thirty_minutes_is_a_direct_message(maria: Localizer) -> None:
    rig = maria.rig
    rig.localization.work_seconds["*"] = 3_600.0
    for number in range(5):
        await maria.type(f"translate from=en to=fr Number {number}")
    await rig.settle()
    told = answer(await maria.type(ASKED))
    assert told == ":hourglass_flowing_sand: Translating to French… Number 1 in the queue."
    await rig.pass_time(1_801, steps=2)
    rig.localization.work_seconds.clear()
    await rig.start_again()
    await done(rig)
    assert [TOLD in one.text for one in direct(rig)].count(True) == 1
    assert whispers(rig) == []


async def test_private_call_survives_a_restart_and_answers_once(maria: Localizer) -> None:
    """The address is kept sealed, so that another process answers where it was asked."""
    rig = maria.rig
    await maria.type(ASKED)
    await rig.start_again()
    await done(rig)
    assert (len(whispers(rig)), direct(rig), len(rig.localization.calls)) == (1, [], 1)
    rows = await rig.switchboard.context.store.read(
        lambda tx: str(tx.jobs.lately(MARIA, "localization.text", since=OLD))
    )
    assert "/commands/" not in rows
    assert "http" not in rows


async def test_failure_names_the_remedy_and_offers_a_private_rerun(maria: Localizer) -> None:
    rig = maria.rig
    rig.localization.faults.arm(Fault(FaultKind.REFUSED, "*"))
    await maria.type(f"paraphrase {ENGLISH}")
    await done(rig)
    failed = await maria.answer("Localization declined it")
    assert [one.action_id for one in failed.buttons] == [AGAIN, DETAILS]
    await press(rig, failed, DETAILS)
    assert "*HTTP status*\n422" in shown(maria.form)
    await rig.workspace.close(MARIA)
    await press(rig, failed, AGAIN, user=ADA, force=True)
    assert len(rig.localization.calls) == 1
    await press(rig, failed, AGAIN)
    told = await maria.answer("*Paraphrase*", "1. ")
    assert [one.action_id for one in told.buttons] == [SHARE]
    assert maria.messages() == []


async def test_queued_call_can_be_canceled(maria: Localizer) -> None:
    rig = maria.rig
    rig.localization.work_seconds["*"] = 60.0
    for number in range(5):
        await maria.type(f"translate from=en to=fr Number {number}")
    await rig.settle()
    assert "Number 1 in the queue" in answer(await maria.type(ASKED))
    waiting = rig.workspace.ephemerals(MARIA)[-1]
    await rig.workspace.click(MARIA, FINANCE, waiting.ts, CANCEL)
    await rig.workspace.until(lambda: [m for m in rig.workspace.ephemerals(MARIA) if "Stopped." in m.text] or None)
    await rig.settle()
    assert len(rig.localization.calls) == 5


async def test_next_form_in_a_channel_remembers_choices(maria: Localizer) -> None:
    rig = maria.rig

    async def begun(line: str, *, channel: str = FINANCE) -> dict[str, str]:
        await Localizer(rig, channel=channel).type(line)
        assert maria.form is not None
        chosen = {
            one["block_id"].rpartition(".")[2]: one["element"].get("initial_option", {}).get("value", "")
            for one in maria.form.blocks
            if one["type"] == "input"
        }
        await rig.workspace.close(MARIA)
        return chosen

    await maria.type("translate from=de to=fr Guten Tag")
    languages = {"source_lang": "de", "target_lang": "fr"}
    assert languages.items() <= (await begun("translate")).items()
    assert {"source_lang": "", "target_lang": "es"}.items() <= (await begun("translate", channel=RANDOM)).items()
    await maria.type("extract-audio")
    await maria.submit({"url": "https://files.example.com/a.mp4", "preset": "speech"})
    await done(rig)
    (call,) = [one.body for one in rig.localization.calls if one.operation == "audio_extraction"]
    assert isinstance(call, dict)
    assert (call["sample_rate"], call["sample_width"], call["n_channels"]) == ("16000", "16", "1")
    assert {"preset": "speech", "sample_rate": "16000"}.items() <= (await begun("extract-audio")).items()
    await maria.type("extract-audio")
    await maria.submit({"url": "https://files.example.com/b.mp4", "option.sample_rate": "48000"})
    assert {"preset": "custom", "sample_rate": "48000"}.items() <= (await begun("extract-audio")).items()
    forged = {"sample_rate": "1", "sample_width": ["16"], "n_channels": "9" * 200, "<b>": "x"}
    now = rig.clock.now()
    await rig.switchboard.context.store.write(
        lambda tx: tx.flags.set(f"preset:{FINANCE}:audio_extraction", forged, now)
    )
    assert {"preset": "custom", "sample_rate": "44100"}.items() <= (await begun("extract-audio")).items()

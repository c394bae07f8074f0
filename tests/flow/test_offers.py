"""Dropped files: one offer each, in their thread, by what their bytes are, whatever Slack sends how often."""

from typing import Any

import pytest

from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import FileKind
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import payloads as slack
from bot.playground.workspace.files import Odd
from bot.presentation.blocks.text import message
from bot.presentation.files import offers
from handlers.files import FileAction
from handlers.incoming import Click
from handlers.replies import Private, Reply
from handlers.router import Dependencies
from tests.support.offers import choices, said, use_file, words_of
from tests.support.rig import FINANCE, MARIA, RANDOM, ZOE, Rig
from tests.support.shown import lacking

WAV = b"RIFF\x24\x08\0\0WAVEfmt " + bytes(2_000)
CSV = b"email,amount,note\nana@example.com,1.00,x\n"
MP4 = b"\0\0\0\x20ftypisom\0\0\x02\0" + bytes(1_000)


class Wants:
    def __init__(self) -> None:
        self.started: list[tuple[str, DroppedFile]] = []

    def action(self, name: str, label: str, kind: FileKind) -> FileAction:
        async def start(_: Dependencies, click: Click, file: DroppedFile) -> Reply:
            self.started.append((name, file))
            return Private(message(f"{label} begins for {click.user}"))

        return FileAction(name=name, label=label, fits=lambda file: file.kind is kind, start=start)


@pytest.fixture
def wants() -> Wants:
    return Wants()


pytestmark = pytest.mark.rig(on="both")


@pytest.fixture
def variations(variations: dict[str, Any], wants: Wants) -> dict[str, Any]:
    actions = (
        wants.action("gender", "Detect gender", FileKind.AUDIO),
        wants.action("convert", "Convert", FileKind.AUDIO),
        wants.action("pay", "Pay in bulk", FileKind.TABLE),
        FileAction(
            name="off",
            label="Not configured",
            fits=lambda _: True,
            start=wants.action("x", "x", FileKind.AUDIO).start,
            works=lambda _: False,
        ),
    )
    return {**variations, "around": {"file_actions": actions}}


async def test_dropped_file_gets_one_offer_in_its_thread(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "talk.wav", WAV, duration_ms=125_000)
    await rig.settle()
    (offer,) = said(rig)
    assert offer.thread_ts == dropped.ts
    assert [button.text for button in offer.buttons] == ["Detect gender", "Convert"]
    assert offer.text == ":headphones: *talk.wav* · WAV audio, 2 KB, 2:05\nI can: Detect gender, Convert."
    await rig.pass_time(7_200, steps=6)
    assert len(said(rig)) == 1


@pytest.mark.parametrize("tell", [("message",), ("file_shared", "message"), ("message", "file_shared")], ids="-".join)
async def test_missing_file_or_archive_explains_the_missing_offer(rig: Rig, tell: Any) -> None:
    for name, content, words in (
        ("a.csv", b"", "*a.csv*: This file is empty."),
        ("a.zip", b"PK\x03\x04" + bytes(26) + b"a.wav", "Unpack the archive and upload its files."),
        ("a.rar", b"Rar!\x1a\x07\x01\x00" + bytes(90), "Unpack the archive and upload its files."),
    ):
        before = len(rig.workspace.ephemerals(MARIA))
        dropped = await rig.workspace.drop(MARIA, FINANCE, name, content, tell=tell)
        await rig.pass_time(120, steps=5)
        assert said(rig) == [], name
        (told,) = rig.workspace.ephemerals(MARIA)[before:]
        assert words in told.text
        assert told.thread_ts == "", name
        assert words in words_of(await use_file(rig, dropped))
        await rig.workspace.close(MARIA)


RPA = "U0RPA"
BY_APP: dict[str, dict[str, Any]] = {
    "user of a bot": {"user": RPA},
    "bot id": {"bot_id": "B0RPA"},
    "no user": {"user": None, "bot_id": "B0RPA", "subtype": "bot_message"},
}


@pytest.mark.parametrize(
    "order", [("file_shared",), ("message", "file_shared"), ("file_shared", "message")], ids="-".join
)
@pytest.mark.parametrize("changes", BY_APP.values(), ids=BY_APP)
async def test_file_of_another_app_gets_no_offer(rig: Rig, changes: dict[str, Any], order: tuple[str, ...]) -> None:
    rig.workspace.add_user(RPA, "rpa", bot=True)
    rig.workspace.invite(FINANCE, RPA)
    is_told = "message" in order  # without it, only the user shows that it is a bot
    uploader = RPA if "bot_id" not in changes or not is_told else MARIA
    dropped = await rig.workspace.drop(uploader, FINANCE, "daily.csv", CSV, tell=())
    place = rig.workspace.channel(FINANCE)
    events = {
        "message": slack.message_event(rig.workspace._state, place, dropped) | changes,
        "file_shared": slack.file_shared(rig.workspace._state, place, dropped.files[0], uploader),
    }
    for event in order:
        await rig.workspace.send_event({name: value for name, value in events[event].items() if value is not None})
        await rig.settle()
    await rig.pass_time(7_200, steps=6)
    assert said(rig) == []
    assert "What to do" in str((await use_file(rig, dropped)).blocks), "a person may still use it"


async def test_repeated_file_event_makes_no_second_offer(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "talk.wav", WAV, tell=())
    place = rig.workspace.channel(FINANCE)
    for event in (
        slack.message_event(rig.workspace._state, place, dropped),
        slack.file_shared(rig.workspace._state, place, dropped.files[0], MARIA),
    ):
        ack = await rig.workspace.send_event(event)
        await rig.settle()
        for retry in (1, 2, 3):
            await rig.workspace.redeliver(ack, retry=retry)
            await rig.pass_time(60)
    await rig.start_again()
    await rig.workspace.send_event(slack.message_event(rig.workspace._state, place, dropped))
    await rig.pass_time(600, steps=5)
    assert len(said(rig)) == 1


async def test_each_file_of_a_message_gets_fitting_offers(rig: Rig, wants: Wants) -> None:
    dropped = await rig.workspace.drop_many(
        MARIA, FINANCE, [("a.wav", WAV), ("b.csv", CSV), ("c.bin", bytes(range(256))), ("d.wav", WAV)]
    )
    await rig.settle()
    made = said(rig)
    assert {offer.thread_ts for offer in made} == {dropped.ts}
    assert sorted((offer.text.split("*")[1], offer.buttons[0].text) for offer in made) == [
        ("a.wav", "Detect gender"),
        ("b.csv", "Pay in bulk"),
        ("d.wav", "Detect gender"),
    ]
    rig.workspace.set_file(dropped.files[3], odd="external")
    form = await use_file(rig, dropped)
    assert list(choices(form)) == ["Detect gender", "Convert", "Pay in bulk"]
    told = words_of(form)
    assert not lacking(
        told, "*a.wav* · WAV audio", "*b.csv* · 1 row", "*c.bin*: I can't use", "*d.wav*: This file is stored out"
    )
    await choose(rig, "Pay in bulk")
    assert [(name, file.name) for name, file in wants.started] == [("pay", "b.csv")]


async def test_unusable_files_get_no_offer(rig: Rig) -> None:
    useless = [("a.bin", bytes(range(256))), ("a.mp4", MP4), ("a.wav", b""), ("a.wav", b"just words\n")]
    for name, content in useless:
        await rig.workspace.drop(MARIA, FINANCE, name, content)
    odds: list[Odd] = ["external", "hidden", "denied", "deleted"]
    for odd in odds:
        await rig.workspace.drop(MARIA, FINANCE, f"{odd}.wav", WAV, odd=odd)
    await rig.pass_time(1_200, steps=8)
    assert said(rig) == []


async def test_offer_follows_content_despite_a_wrong_extension(rig: Rig) -> None:
    await rig.workspace.drop(MARIA, FINANCE, "report.pdf", WAV)
    await rig.settle()
    (offer,) = said(rig)
    assert [button.text for button in offer.buttons] == ["Detect gender", "Convert"]
    assert "*report.pdf* doesn't look like a document · WAV audio" in offer.text


async def test_file_that_slack_processes_is_offered_afterwards(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV, odd="processing")
    await rig.pass_time(60, steps=10)
    assert said(rig) == []
    rig.workspace.set_file(dropped.files[0], odd="")
    await rig.pass_time(120, steps=10)
    assert len(said(rig)) == 1


@pytest.mark.parametrize("place", [FINANCE, "direct"])
async def test_file_without_message_is_found_in_its_conversation(rig: Rig, wants: Wants, place: str) -> None:
    channel = rig.workspace.open_dm(MARIA).id if place == "direct" else place
    dropped = await rig.workspace.drop(MARIA, channel, "a.wav", WAV, tell=("file_shared",), odd="placeless")
    await rig.pass_time(60, steps=10)
    (offer,) = said(rig, channel)
    assert offer.thread_ts == dropped.ts
    await rig.workspace.click(MARIA, channel, offer.ts, "use.convert")
    await rig.workspace.until(lambda: wants.started)
    await rig.workspace.send_event(slack.message_event(rig.workspace._state, rig.workspace.channel(channel), dropped))
    await rig.pass_time(60, steps=10)
    assert len(said(rig, channel)) == 1


async def test_shortcut_works_on_a_file_without_message(rig: Rig, wants: Wants) -> None:
    root = await rig.workspace.say(MARIA, FINANCE, "listen")
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV, thread_ts=root.ts, tell=(), odd="placeless")
    await use_file(rig, dropped)
    await choose(rig, "Detect gender")
    assert [name for name, _ in wants.started] == ["gender"]
    message = slack.message_event(rig.workspace._state, rig.workspace.channel(FINANCE), dropped)
    await rig.workspace.send_event(message)
    await rig.settle()
    assert [offer.thread_ts for offer in said(rig)] == [root.ts]


async def test_oversized_file_is_not_downloaded(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV, tell=())
    rig.workspace.set_file(dropped.files[0], size=5 << 30)
    place = rig.workspace.channel(FINANCE)
    await rig.workspace.send_event(slack.message_event(rig.workspace._state, place, dropped))
    await rig.pass_time(60, steps=5)
    assert said(rig) == []
    form = await use_file(rig, dropped)
    assert "This file has 5120 MB; the limit is 1024 MB." in words_of(form)


async def test_file_of_another_organization_is_looked_up(rig: Rig) -> None:
    await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV, odd="elsewhere")
    await rig.settle()
    assert len(said(rig)) == 1


async def test_slack_in_trouble_delays_the_offer(rig: Rig) -> None:
    kinds = (FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.GARBAGE, FaultKind.LOST)
    for number, kind in enumerate(kinds, 1):
        rig.workspace.faults.arm(Fault(kind, "files.info", times=3))
        await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
        await rig.pass_time(300, steps=10)
        assert len(said(rig)) == number, kind


async def test_unconfirmed_offer_is_posted_once(rig: Rig) -> None:
    for number, kind in enumerate((FaultKind.DONE_DROPPED, FaultKind.LOST, FaultKind.DONE_500), 1):
        rig.workspace.faults.arm(Fault(kind, "chat.postMessage"))
        await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
        await rig.pass_time(300, steps=10)
        assert len(said(rig)) == number, kind


async def test_reshared_file_is_not_offered_again(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    await rig.settle()
    await rig.workspace.share(MARIA, "payments", *dropped.files)
    await rig.pass_time(120, steps=5)
    assert (len(said(rig)), len(said(rig, "payments"))) == (1, 0)


async def test_file_of_a_form_is_offered_only_once_shared(rig: Rig) -> None:
    file_id = rig.workspace.upload(MARIA, "a.wav", WAV)
    place = rig.workspace.channel(FINANCE)
    await rig.workspace.send_event(slack.file_shared(rig.workspace._state, place, file_id, MARIA))
    await rig.pass_time(1_200, steps=20)
    assert said(rig) == []
    message = await rig.workspace.share(MARIA, FINANCE, file_id)
    await rig.settle()
    assert [offer.thread_ts for offer in said(rig)] == [message.ts]


async def test_file_of_the_bot_is_never_offered(rig: Rig) -> None:
    posted = await rig.switchboard.context.files.share(
        name="a.wav", content=WAV, title="a", alt="a", comment="result", channel=FINANCE, thread_ts=None
    )
    own = rig.workspace.message(FINANCE, posted.ts)
    place = rig.workspace.channel(FINANCE)
    await rig.workspace.send_event(slack.file_shared(rig.workspace._state, place, own.files[0], MARIA))
    await rig.pass_time(120, steps=5)
    assert said(rig) == [own]


async def test_press_starts_the_offered_operation(rig: Rig, wants: Wants) -> None:
    root = await rig.workspace.say(MARIA, FINANCE, "listen")
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.mp3", WAV, thread_ts=root.ts)
    await rig.settle()
    (offer,) = said(rig)
    await rig.start_again()
    await rig.workspace.click(ZOE, FINANCE, offer.ts, "use.convert")
    answer = await rig.workspace.until(lambda: rig.workspace.ephemerals(ZOE)[-1])
    assert answer.text == f"Convert begins for {ZOE}"
    assert answer.thread_ts == root.ts
    ((name, file),) = wants.started
    assert (name, file.id, file.kind, file.format, file.user) == ("convert", dropped.files[0], "audio", "wav", MARIA)
    assert (file.channel, file.message_ts, file.thread_ts) == (FINANCE, dropped.ts, root.ts)
    assert (file.name, file.format, file.size) == ("a.mp3", "wav", len(WAV))


async def test_press_on_a_deleted_file_is_answered(rig: Rig, wants: Wants) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    await rig.settle()
    (offer,) = said(rig)
    rig.workspace.set_file(dropped.files[0], odd="deleted")
    await rig.workspace.click(MARIA, FINANCE, offer.ts, "use.convert")
    answer = await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[-1])
    assert "This file was deleted." in answer.text
    assert wants.started == []
    await rig.settle()
    struck = rig.workspace.message(FINANCE, offer.ts)
    assert (struck.buttons, "was deleted" in struck.text) == ([], True)


async def until_told(rig: Rig, count: int) -> None:
    await rig.workspace.until(lambda: len(rig.workspace.ephemerals(MARIA)) >= count)


async def test_forged_press_cannot_reach_files_of_other_channels(rig: Rig, wants: Wants) -> None:
    secret = await rig.workspace.drop(MARIA, RANDOM, "secret.wav", WAV)
    await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    await rig.settle()
    (offer,) = said(rig)
    forged = (f"{secret.files[0]}|1.0|1.0", "", "F1", "a|b|c|d", "F0NOSUCH|1.0|1.0")
    for count, value in enumerate(forged, start=1):
        await rig.workspace.click(MARIA, FINANCE, offer.ts, "use.convert", value=value)
        await until_told(rig, count)
    assert wants.started == []


async def test_press_on_a_changed_file_is_answered(rig: Rig, wants: Wants) -> None:
    await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    table = await rig.workspace.drop(MARIA, FINANCE, "b.csv", CSV)
    await rig.settle()
    value = f"{table.files[0]}|{table.ts}|{table.ts}"
    await rig.workspace.click(MARIA, FINANCE, said(rig)[0].ts, "use.convert", value=value, force=True)
    answer = await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[-1])
    assert "*Convert* doesn't work with this kind of file" in answer.text
    assert wants.started == []


async def test_double_click_starts_one_run(rig: Rig, wants: Wants) -> None:
    await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    await rig.settle()
    (offer,) = said(rig)
    for user in (MARIA, MARIA, ZOE):
        await rig.workspace.click(user, FINANCE, offer.ts, "use.convert")
    await rig.workspace.click(MARIA, FINANCE, offer.ts, "use.gender")
    assert [name for name, _ in wants.started] == ["convert", "convert", "gender"]
    rig.clock.advance(5)
    await rig.workspace.click(MARIA, FINANCE, offer.ts, "use.convert")
    assert len(wants.started) == 4


@pytest.mark.rig(on="sqlite", clock=None, socket_mode=True)
async def test_offers_work_over_socket_mode(rig: Rig, wants: Wants) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    offer = await rig.workspace.until(lambda: said(rig)[0])
    assert offer.thread_ts == dropped.ts
    await rig.workspace.click(MARIA, FINANCE, offer.ts, "use.convert")
    await until_told(rig, 1)
    assert [name for name, _ in wants.started] == ["convert"]
    assert list(choices(await use_file(rig, dropped))) == ["Detect gender", "Convert"]
    await rig.workspace.delete_file(MARIA, dropped.files[0])
    await rig.workspace.until(lambda: not said(rig)[0].buttons)


async def choose(rig: Rig, label: str, *, user: str = MARIA) -> str:
    view = rig.form(user)
    await rig.workspace.submit(user, {offers.CHOICE: choices(view)[label]})
    turned = rig.workspace.modal(user)
    return words_of(turned) if turned is not None else ""


async def test_shortcut_offers_privately_in_a_form(rig: Rig, wants: Wants) -> None:
    root = await rig.workspace.say(MARIA, FINANCE, "listen")
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV, thread_ts=root.ts, tell=())
    form = await use_file(rig, dropped, user=ZOE)
    assert words_of(form) == ":headphones: *a.wav* · WAV audio, 2 KB"
    assert list(choices(form)) == ["Detect gender", "Convert"]
    assert await choose(rig, "Convert", user=ZOE) == f"Convert begins for {ZOE}"
    ((name, file),) = wants.started
    assert (name, file.message_ts, file.thread_ts) == ("convert", dropped.ts, root.ts)
    await rig.pass_time(120, steps=3)
    assert said(rig) == []


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ("deleted", "There's no file in this message"),
        ("external", "outside Slack"),
        ("processing", "still processing this file"),
        ("hidden", "plan"),
        ("denied", "not allowed to read this file"),
    ],
)
async def test_shortcut_answers_for_unusual_files(rig: Rig, odd: Odd, words: str) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV, odd=odd)
    assert words in words_of(await use_file(rig, dropped))


async def test_shortcut_works_on_text(rig: Rig) -> None:
    message = await rig.workspace.say(MARIA, FINANCE, "no file")
    assert "There's no file in this message." in words_of(await use_file(rig, message))


async def test_shortcut_outside_bot_channels_says_how_to_invite_it(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, RANDOM, "a.wav", WAV)
    await rig.pass_time(120, steps=3)
    assert said(rig, RANDOM) == []
    form = await use_file(rig, dropped)
    assert "/invite @Switchboard" in words_of(form)
    assert not form.submit
    await rig.workspace.close(MARIA)
    rig.workspace.invite(RANDOM, rig.workspace.identity.bot_user_id)
    assert list(choices(await use_file(rig, dropped))) == ["Detect gender", "Convert"]


async def test_file_deleted_before_choosing_is_reported(rig: Rig, wants: Wants) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    await use_file(rig, dropped)
    await rig.workspace.delete_file(MARIA, dropped.files[0])
    assert "This file was deleted." in await choose(rig, "Convert")
    assert wants.started == []


async def test_slack_takes_its_time_with_the_files_of_the_shortcut(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    rig.workspace.faults.arm(Fault(FaultKind.SLOW, "files.info", seconds=1.3))
    assert list(choices(await use_file(rig, dropped))) == ["Detect gender", "Convert"]


async def test_slack_does_not_let_the_shortcut_look_at_files_now(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "a.wav", WAV)
    await rig.settle()
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "files.info", times=None))
    assert "Slack asked us to wait." in words_of(await use_file(rig, dropped))

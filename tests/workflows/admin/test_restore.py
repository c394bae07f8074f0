"""A database that went back in time pays nothing again: it is noticed, it only reads, and an operator decides."""

from pathlib import Path

import aiohttp
import pytest

from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest, Reason
from bot.domain.recovery import Seen
from bot.workflows.admin import resume
from tests.support.bulk import ask as ask_bulk
from tests.support.bulk import submissions
from tests.support.clock import QUIET
from tests.support.rig import ADA, ALERTS, FINANCE, LIN, MARIA, OLGA, Rig
from tests.workflows.looking import alerts, asked, ephemerals, newest, read, requests, state
from tests.workflows.restoring import anchors, back_up, looked, mode, put_back, restore, resumed

PAID = (State.COMMITTED, State.COMPLETED, State.PENDING_ESCROW)


async def ask(rig: Rig, kind: str) -> None:
    if kind == "bulk":
        await ask_bulk(rig)
    else:
        await rig.pay(f"{kind} ana@example.com 25.00 rent")


async def approve_while_away(rig: Rig) -> None:
    """People approve, and the service is away: it stays approved."""
    port = rig.payments.port
    await rig.payments.stop()
    await rig.press("approve", user=ADA)
    await rig.payments.start(port=port)


def sends(rig: Rig) -> tuple[int, int, int]:
    return asked(rig, "commit_payout"), asked(rig, "one_step_payout"), submissions(rig)


async def get(rig: Rig, path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(rig.switchboard.url + path) as answer:
        return answer.status, await answer.text()


@pytest.mark.parametrize("kind", ["send", "now", "bulk"])
async def test_what_was_sent_since_is_taken_in_and_not_sent_again(rig: Rig, tmp_path: Path, kind: str) -> None:
    rig.payments.switches.accept_duplicate_codes = True
    await ask(rig, kind)
    await approve_while_away(rig)
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    assert await state(rig) is State.APPROVED
    await rig.pass_time(120, steps=4)
    assert await state(rig) in PAID
    before = sends(rig)
    await restore(rig, kept)
    assert await mode(rig) is not None
    await rig.pass_time(120, steps=4)
    assert sends(rig) == before
    assert await state(rig) in PAID
    assert [look.seen for look in await looked(rig)] == [Seen.FOUND]
    assert (
        await read(rig, lambda tx: tx.reservations.sum(rig.switchboard.context.clock.now().date().isoformat()))
        == (await newest(rig)).cents
    )


@pytest.mark.parametrize(
    "command", ["pay send ana@example.com 25.00 rent", 'pay collect ana@example.com "Books" a=1x5.00']
)
async def test_what_was_created_since_is_not_created_again(rig: Rig, tmp_path: Path, command: str) -> None:
    port = rig.payments.port
    await rig.payments.stop()
    await rig.pay(command.removeprefix("pay "))
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    assert await state(rig) is State.NEW
    await rig.payments.start(port=port)
    await rig.pass_time(60, steps=2)
    assert await state(rig) in (State.AWAITING, State.OPEN)
    await restore(rig, kept)
    await rig.pass_time(120, steps=4)
    assert await state(rig) in (State.AWAITING, State.OPEN)
    assert len(rig.payments.operations) == 1


async def test_everybody_can_see_that_it_only_reads(rig: Rig, tmp_path: Path) -> None:
    assert '"mode": "sending"' in (await get(rig, "/readyz"))[1]
    await rig.pay()
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    await rig.press("approve")
    await restore(rig, kept)
    assert alerts(rig)[-1].startswith(":rotating_light: *Action needed: Switchboard is read-only.* ")
    assert await get(rig, "/readyz") == (200, (await get(rig, "/readyz"))[1])
    assert '"mode": "reading only"' in (await get(rig, "/readyz"))[1]
    assert "switchboard_reading_only 1.0" in (await get(rig, "/metrics"))[1]
    await rig.workspace.slash(OLGA, FINANCE, "/switchboard", "status")
    await rig.settle()
    await rig.workspace.until(lambda: any("Read-only" in text for text in ephemerals(rig, OLGA)) or None)
    said = len(alerts(rig))
    await rig.start_again()
    await rig.settle()
    assert await mode(rig) is not None, "it outlives a restart"
    assert len(alerts(rig)) == said


async def test_people_may_press_and_nothing_leaves(rig: Rig, tmp_path: Path) -> None:
    await rig.pay("now ana@example.com 25.00 first")
    await rig.pay("now luis@example.com 10.00 second")
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    first, second = rig.cards()[-2:]
    await rig.workspace.click(ADA, first.channel, first.ts, "payout.approve")
    await rig.settle()
    assert asked(rig, "one_step_payout") == 1
    await restore(rig, kept)
    await rig.workspace.click(ADA, second.channel, second.ts, "payout.approve")
    await rig.workspace.submit(ADA, {})  # what is not fine about the account
    await rig.pay("send ana@example.com 5.00 third")
    await rig.pass_time(300, steps=5)
    assert (asked(rig, "one_step_payout"), asked(rig, "create_payout")) == (1, 0)
    one, two, three = await requests(rig)
    assert one.state in PAID
    held = Reason(OfRequest.RESTORED)
    assert (two.state, two.reason, three.state, three.reason) == (State.APPROVED, held, State.NEW, held)
    assert "On hold: " in rig.cards()[-1].text


async def test_after_the_operator_what_was_approved_is_approved_again_and_paid_once(rig: Rig, tmp_path: Path) -> None:
    await rig.pay("now ana@example.com 25.00 first")
    await rig.pay("now luis@example.com 10.00 second")
    await approve_while_away(rig)  # the second: approved, and not sent yet
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    await rig.press("withdraw", user=MARIA, channel=FINANCE)  # which the copy does not know
    await rig.workspace.click(ADA, rig.cards()[-2].channel, rig.cards()[-2].ts, "payout.approve")
    await rig.settle()
    assert asked(rig, "one_step_payout") == 1
    await restore(rig, kept)
    found = await read(rig, resume.standing)
    assert found is not None
    assert not found.is_complete  # what left last may still be on its way
    await rig.pass_time(QUIET + 120, steps=6)
    assert {look.seen for look in await looked(rig)} == {Seen.ABSENT, Seen.FOUND}
    again = await resumed(rig)
    await rig.settle()
    second = await newest(rig)
    assert again == [second.reference]
    assert (second.state, second.reason) == (State.AWAITING, Reason(OfRequest.ASK_AGAIN))
    await rig.pass_time(60)
    assert asked(rig, "one_step_payout") == 1
    await rig.press("approve", user=LIN)
    assert await state(rig) in PAID
    assert asked(rig, "one_step_payout") == 2
    assert await mode(rig) is None
    await rig.start_again()
    assert await mode(rig) is None  # what was lost has been accounted for


async def test_what_this_database_never_heard_of_is_named(rig: Rig, tmp_path: Path) -> None:
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    await rig.pay("now ana@example.com 25.00 rent")
    await rig.press("approve")
    code = (await newest(rig)).code
    await restore(rig, kept)
    found = await read(rig, resume.standing)
    assert found is not None
    assert [one.partition(" ")[2] for one in found.unknown] == [code]


async def test_withdrawn_while_reading_only_and_paid_before_is_an_alarm(rig: Rig, tmp_path: Path) -> None:
    await rig.pay("now ana@example.com 25.00 rent")
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    await rig.press("approve")
    port = rig.payments.port
    await rig.payments.stop()
    await restore(rig, kept)
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    assert await state(rig) is State.WITHDRAWN
    await rig.payments.start(port=port)
    await rig.pass_time(120, steps=2)
    assert [look.seen for look in await looked(rig)] == [Seen.FOUND]
    assert [text for text in alerts(rig) if "here it is withdrawn" in text]


@pytest.mark.parametrize("kind", ["now", "bulk"])
async def test_without_anchors_the_service_itself_tells(rig: Rig, tmp_path: Path, kind: str) -> None:
    """Another host, another file: what was asked for before this start is looked for before it is sent."""
    rig.payments.switches.accept_duplicate_codes = True
    await ask(rig, kind)
    await approve_while_away(rig)
    kept = back_up(rig.settings.database_url, tmp_path / "kept.db")
    await rig.pass_time(60)
    before = sends(rig)
    assert sum(before) == 1
    await rig.switchboard.stop()
    anchors(rig).path.unlink()
    put_back(rig.settings.database_url, kept)
    await rig.start()
    assert await mode(rig) is None
    await rig.pass_time(120, steps=4)
    assert sends(rig) == before
    assert await mode(rig) is not None
    assert await state(rig) in PAID


async def test_what_cannot_be_written_down_does_not_leave(rig: Rig) -> None:
    await rig.pay("now ana@example.com 25.00 rent")
    path = anchors(rig).path
    path.rename(path.with_suffix(".kept"))
    path.mkdir()
    await rig.press("approve")
    await rig.pass_time(120, steps=4)
    assert (await state(rig), asked(rig, "one_step_payout")) == (State.APPROVED, 0)
    assert [text for text in alerts(rig) if "nothing is sent" in text and path.name in text]
    path.rmdir()
    await rig.pass_time(120, steps=4)
    assert (await state(rig) in PAID, asked(rig, "one_step_payout")) == (True, 1)
    assert "The anchor file can be written again" in alerts(rig)[-1]


async def test_each_request_with_an_effect_is_written_down_before_it_leaves(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    found = await newest(rig)
    about = [anchor.about for anchor in anchors(rig).read().held if anchor.about]
    assert about == [f"payments.create_payout {found.code}", f"payments.commit_payout {found.remote_id}"]


@pytest.mark.parametrize(
    ("before", "behind", "alerts"),
    [
        (b"garbage\n", b"", 1),
        (b'{"at": "2026-11-2\n', b"", 1),
        (b"", b'{"at": "2026-11-2', 0),
    ],
    ids=["a line of another", "a line that was cut", "half a line at the end"],
)
async def test_anchors_that_were_changed_are_told_once(rig: Rig, before: bytes, behind: bytes, alerts: int) -> None:
    await rig.pay()
    await rig.press("approve")
    await rig.switchboard.stop()
    [file] = Path(rig.settings.database_url.partition("///")[2]).parent.glob("*.anchors")
    file.write_bytes(before + file.read_bytes() + behind)
    for _ in range(2):
        await rig.start()
        await rig.settle()
        await rig.pay()
        told = [m.text for m in rig.workspace.messages(ALERTS) if "the anchor file was modified" in m.text]
        assert [": line 1 of " in text for text in told] == [True] * alerts
        await rig.switchboard.stop()
    await rig.start()

"""NUL and half letters, which no database holds, are taken out of whatever people type, whichever way it comes."""

from typing import Any

import pytest
from structlog.testing import capture_logs

from bot.playground.workspace import payloads
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.workflows.looking import newest, read, votes

ODD = "\x00\ud83d"
"""NUL, and the first half of a picture."""


@pytest.fixture(params=[False, True], ids=["http", "socket"])
def variations(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"socket_mode": request.param}


pytestmark = [pytest.mark.rig(on="both"), pytest.mark.both_databases]


def odd(rig: Rig) -> str:
    """A form over HTTP holds whole letters alone: its percent signs are decoded as UTF-8."""
    return ODD if rig.settings.socket_mode else "\x00"


async def test_in_a_command(rig: Rig) -> None:
    await rig.pay(f'send ana@exa{odd(rig)}mple.com 25.00 "Mar{odd(rig)}ch"')
    found = await newest(rig)
    assert (found.payload.email, found.payload.description) == ("ana@example.com", "March")


LINES = [
    ("/pay", "show {}"), ("/pay", "events {}"), ("/pay", "account {}@example.com"), ("/pay", "bulk show {}"),
    ("/pay", "bulk failed {}"), ("/deliver", "show {}"), ("/localize", "{}"), ("/email", "{}"),
    ("/switchboard", "audit {}"), ("/switchboard", "{}"),
]  # fmt: skip


@pytest.mark.parametrize(("command", "line"), LINES, ids=[f"{command} {line}" for command, line in LINES])
async def test_invisible_characters_do_not_change_the_answer(rig: Rig, command: str, line: str) -> None:
    heard = []
    for typed in ("P-000000", f"P-00{odd(rig)}0000"):
        with capture_logs() as logs:
            await rig.workspace.slash(ADA, FINANCE, command, line.format(typed))
        heard.append((rig.workspace.ephemerals(ADA)[-1:], [line for line in logs if line["log_level"] != "info"]))
        if rig.workspace.modal(ADA) is not None:
            await rig.workspace.close(ADA)
    (plain, nothing), (other, same) = heard
    assert [one.text for one in plain] == [one.text for one in other]
    assert nothing == same == []


async def test_in_a_form(rig: Rig) -> None:
    await rig.pay("send")
    await rig.submit(MARIA, {"email": f"ana@example.com{ODD}", "amount": f"2{ODD}5.00", "description": f"Mar{ODD}ch"})
    found = await newest(rig)
    assert (found.payload.email, found.cents, found.payload.description) == ("ana@example.com", 2500, "March")


async def test_in_a_button(rig: Rig) -> None:
    await rig.pay()
    value = (await rig.card()).button("payout.approve").value
    await rig.press("approve", value=f"{value[:-3]}{ODD}{value[-3:]}", force=True)
    assert [vote.person for vote in await votes(rig)] == [ADA]


async def test_in_an_event(rig: Rig) -> None:
    dropped = await rig.workspace.drop(MARIA, FINANCE, "talk.wav", b"RIFF....WAVE", tell=())
    told = payloads.message_event(rig.workspace._state, rig.workspace.channel(FINANCE), dropped)
    file = dropped.files[0]
    for given in told["files"]:
        given["id"] += ODD
    told["text"], told["thread_ts"] = f"look{ODD}", f"1.1{ODD}"
    assert (await rig.workspace.send_event(told)).status == 200
    found = await read(rig, lambda tx: tx.dropped.get(file))
    assert found is not None
    assert found.thread_ts == "1.1"


async def test_in_the_name_of_a_file(rig: Rig) -> None:
    await rig.workspace.drop(MARIA, FINANCE, "ta\x00lk.csv", b"email,amount\nana@example.com,1.00\n")
    await rig.settle()
    offered = [message for message in rig.workspace.messages(FINANCE) if "talk.csv" in message.text]
    assert len(offered) == 1

"""Make the database of a version, with what stands in Slack and at the service: run it with that version's own code.

    git worktree add /tmp/then REVISION
    cd /tmp/then && PYTHONPATH=$PWD python .../tests/storage/databases/make.py .../tests/storage/databases/0016

It imports nothing but what is the same in every version: the rig, its clock, the playground's faults.
"""

import asyncio
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import asdict
from pathlib import Path

from bot.playground.faults import Fault, FaultKind
from tests.support.deliveries import book, open_rig
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, RANDOM, Rig

PEOPLE = b"email,amount,note\nana@example.com,5.00,a\nluis@example.com,6.00,b\nnobody@example.com,7.00,c\n"


async def press(rig: Rig, label: str) -> None:
    """Press the newest button of this label that the channel has."""
    found = [(one, button) for one in rig.workspace.messages(FINANCE) for button in one.buttons if button.text == label]
    message, button = found[-1]
    await rig.workspace.click(MARIA, FINANCE, message.ts, button.action_id)


async def live(rig: Rig) -> None:
    """A day of everything, at whose end Slack takes nothing more."""
    await rig.pay("collect ben@example.com campaign web=2x10.00")
    await rig.workspace.drop(MARIA, FINANCE, "march.csv", PEOPLE)
    await rig.settle()
    await press(rig, "Pay in bulk")
    await rig.workspace.until(lambda: "payments" in form(rig) or None)
    await rig.workspace.submit(MARIA, {})
    await rig.workspace.until(lambda: "reference" in form(rig) or None)
    await rig.settle()
    await rig.workspace.close(MARIA)
    await rig.press("approve")
    rig.payments.switches.bulk_items_a_step = 1
    await rig.payments.advance()
    await rig.pass_time(40)
    await rig.pay("send ana@example.com 30.00 under-way")
    await rig.press("approve")
    await book(rig)
    await rig.workspace.slash(MARIA, FINANCE, "/localize", "summarize " + "A sentence that is long enough. " * 20)
    while not any("more points" in m.text for m in rig.workspace.messages(FINANCE)):
        await asyncio.sleep(0.05)  # the call is made beside the clock
        await rig.settle()
    await rig.workspace.drop(MARIA, FINANCE, "april.csv", PEOPLE)
    await rig.settle()
    for email in ("eva@example.com", "tom@example.com"):
        rig.payments.add_account(email, full_name="Somebody")
    await rig.pay("send luis@example.com 25.00 awaiting")
    await rig.pay("send eva@example.com 12.00 rejected", channel=RANDOM)
    await rig.press("reject")
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.update", times=None))
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=2))
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "chat.postMessage", times=None))
    await rig.submit(ADA, {"reason": "no"})
    await rig.pay("send tom@example.com 40.00 unsent")


def form(rig: Rig) -> str:
    """What Maria's form says."""
    view = rig.workspace.modal(MARIA)
    return "" if view is None else view.plain


async def make(name: Path) -> None:
    """Write ``name.sql`` and ``name.json``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "switchboard.db"
        rig = await open_rig(f"sqlite:///{path}")
        await live(rig)
        outside = {
            "now": rig.clock.now().isoformat(),
            "messages": [
                asdict(message)
                for channel in (FINANCE, APPROVALS, rig.workspace.open_dm(MARIA).id)
                for message in rig.workspace.messages(channel)
                if not message.ephemeral_to
            ],
            "direct": rig.workspace.open_dm(MARIA).id,
            "operations": [asdict(record) for record in rig.payments.operations.values()],
        }
        await rig.close()
        with closing(sqlite3.connect(path)) as database:
            dump = "\n".join(database.iterdump())
    name.with_suffix(".sql").write_text(dump + "\n")
    name.with_suffix(".json").write_text(json.dumps(outside, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    asyncio.run(make(Path(sys.argv[1])))

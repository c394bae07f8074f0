"""Record the sequence diagrams of docs/architecture.md; ``make diagrams`` redraws them."""

import os
from collections.abc import Awaitable, Callable
from itertools import pairwise
from typing import Any, Final

import pytest

from bot.playground.simulators.callbacks import Callback, Callbacks
from bot.playground.simulators.recorder import Call, Recorder
from bot.playground.workspace import Ack, Change
from bot.playground.workspace.changes import Changes
from bot.playground.workspace.delivery import EventSender
from storage.store import Store
from tests.support import deliveries
from tests.support.diagrams import ROOT, fenced, replaced
from tests.support.fixtures import Patch
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig

PAGE: Final = ROOT / "docs" / "architecture.md"
UNITS: Final = {
    "request": "store the request, its audit row and its messages",
    "recipient": "store the account status",
    "claim_create": "claim: audit rows agree, attempt stored",
    "created": "store the outcome and the approvers' card",
    "approve": "store the vote, the new state and an audit row",
    "reread": "store what was read",
    "claim_commit": "claim: policy, votes, limit and audit rows agree",
    "committed": "store the outcome",
    "callback": "store the callback",
    "verified": "store the state that was read, and the news",
    "notice_files": "store the file once",
    "offer_file": "store the offer",
    "quoted": "store the booking with its price",
    "confirm_booking": "book: store the decision",
    "claim_booking": "claim: attempt stored",
    "booked": "store the outcome and the card",
    "booking_read": "store the state that was read, and the news",
    "posted": "store the message's time stamp",
}
"""Units of work that are drawn; claims of due rows and notes of edits are left out."""
SLACK: Final = frozenset({"chat.postMessage", "chat.update", "views.open", "files.info"})
PLACES: Final = {FINANCE: " in #finance", APPROVALS: " in #approvals"}


class Recording:
    """Arrows of a diagram, in the order in which they happened."""

    def __init__(self, patch: Patch, service: str) -> None:
        self._arrows: list[str] = []
        tell, send, write = Changes.tell, EventSender.send, Store.write
        arrived, publish, send_now = Recorder.arrived, Recorder.publish, Callbacks.send_now

        def told(changes: Changes, change: Change) -> None:
            if change.call is not None and change.call.method in SLACK:
                where = PLACES.get(str(change.call.args.get("channel")), "")
                self.draw(f"Switchboard->>Slack: {change.call.method}{where}")
            tell(changes, change)

        async def sent(sender: EventSender, kind: str, payload: Any, **more: Any) -> Ack:
            actions = ", ".join(action["action_id"] for action in payload.get("actions", ()))
            what = payload.get("event", {}).get("type") or payload.get("command") or actions or payload["type"]
            self.draw(f"Slack->>Switchboard: {what}")
            ack = await send(sender, kind, payload, **more)
            self.draw("Switchboard-->>Slack: acknowledged")
            return ack

        def called(recorder: Recorder, **call: Any) -> Call:
            self.draw(f"Switchboard->>{service}: {call['operation']}")
            return arrived(recorder, **call)

        def called_back(callbacks: Callbacks, callback: Callback) -> None:
            self.draw(f"{service}->>Switchboard: callback")
            send_now(callbacks, callback)

        def published(recorder: Recorder, kind: str, subject: Any) -> None:
            if kind == "delivery":
                self.draw(f"Switchboard-->>{service}: {subject.status}")
            publish(recorder, kind, subject)

        async def written(store: Store, work: Any, *, name: str = "") -> Any:
            if name in UNITS:
                self.draw(f"Switchboard->>Database: {UNITS[name]}")
            return await write(store, work, name=name)

        patch.setattr(Changes, "tell", told)
        patch.setattr(EventSender, "send", sent)
        patch.setattr(Recorder, "arrived", called)
        patch.setattr(Recorder, "publish", published)
        patch.setattr(Callbacks, "send_now", called_back)
        patch.setattr(Store, "write", written)

    def draw(self, arrow: str) -> None:
        self._arrows.append(f"  {arrow}")

    def mermaid(self) -> str:
        return fenced("sequenceDiagram", [one for one, next_one in pairwise([*self._arrows, ""]) if one != next_one])


async def payout(rig: Rig, patch: Patch) -> Recording:
    recording = Recording(patch, "Payments")
    await rig.pay()
    await rig.press("approve")
    return recording


async def callback(rig: Rig, patch: Patch) -> Recording:
    await rig.pay()
    await rig.press("approve")
    recording = Recording(patch, "Payments")
    await rig.payments.advance()
    await rig.payments.callbacks.delivered()
    await rig.settle()
    return recording


async def dropped_file(rig: Rig, patch: Patch) -> Recording:
    recording = Recording(patch, "Payments")
    await rig.workspace.drop(MARIA, FINANCE, "march.csv", b"email,amount,note\nana@example.com,25.00,March\n")
    await rig.settle()
    return recording


async def booking(rig: Rig, patch: Patch) -> Recording:
    recording = Recording(patch, "Delivery")
    await deliveries.booked(rig)
    await deliveries.step(rig)
    return recording


def compare(name: str, recording: Recording) -> None:
    text, drawn = PAGE.read_text(encoding="utf-8"), replaced(PAGE, name, recording.mermaid())
    if "DRAW" in os.environ:
        PAGE.write_text(drawn, encoding="utf-8")
    else:
        assert text == drawn, "run make diagrams"


@pytest.mark.parametrize("flow", [payout, dropped_file, callback], ids=lambda flow: flow.__name__)
async def test_diagram_shows_recorded_flow(
    rig: Rig, monkeypatch: Patch, flow: Callable[[Rig, Patch], Awaitable[Recording]]
) -> None:
    compare(flow.__name__, await flow(rig, monkeypatch))


@pytest.mark.rig(opened_by=deliveries.open_rig)
async def test_diagram_shows_recorded_booking(rig: Rig, monkeypatch: Patch) -> None:
    compare("booking", await booking(rig, monkeypatch))

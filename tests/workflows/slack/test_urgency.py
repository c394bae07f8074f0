"""How urgent each kind of work calls its edits and its messages: ends go first, progress last."""

from typing import Any

import pytest

from bot.presentation.payments import forms
from storage.repositories.slack import Boards, Outbox
from storage.rows import OutboxRow
from tests.flow.localizing import DONE, Localizer
from tests.support.deliveries import booked, open_rig, step
from tests.support.lists import requested
from tests.support.rig import ADA, Rig

pytestmark = pytest.mark.rig(opened_by=open_rig)


class Said:
    """The urgency of each edit, in order, and of each message by its key."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.edits: list[str] = []
        self.posts: dict[str, bool] = {}
        mark, mark_request, add = Boards.mark, Boards.mark_request, Outbox.add

        def note(boards: Boards, subject: str, **named: Any) -> None:
            self.edits.append("progress" if named["progress"] else "last" if named.get("urgent") else "change")
            mark(boards, subject, **named)

        def note_request(boards: Boards, instruction_id: str, **named: Any) -> None:
            self.edits.append("last" if named.get("urgent") else "change")
            mark_request(boards, instruction_id, **named)

        def note_post(outbox: Outbox, row: OutboxRow) -> bool:
            self.posts[row.key] = row.urgent
            return add(outbox, row)

        monkeypatch.setattr(Boards, "mark", note)
        monkeypatch.setattr(Boards, "mark_request", note_request)
        monkeypatch.setattr(Outbox, "add", note_post)

    def only_the_end_is_urgent(self, post: str = "", *, other: str = "") -> None:
        """And the last message with this word in its key is; those with the other word aren't."""
        assert (self.edits[-1], self.edits.count("last")) == ("last", 1)
        assert not post or [urgent for key, urgent in self.posts.items() if post in key][-1]
        assert not [urgent for key, urgent in self.posts.items() if other and other in key and urgent]


@pytest.fixture
def said(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Said:
    return Said(monkeypatch)


async def test_end_of_a_booking_is_urgent(rig: Rig, said: Said) -> None:
    await booked(rig)
    for _ in range(9):
        await step(rig)
    said.only_the_end_is_urgent(":moved:", other=":driver:")


async def test_end_of_a_call_is_urgent(rig: Rig, said: Said) -> None:
    localizer = Localizer(rig)
    await localizer.type("gender https://files.example.com/voice.mp3")
    await rig.settle()
    await rig.switchboard.context.workers.finished(lasting=True)
    await rig.settle()
    await localizer.board(DONE)
    assert set(said.edits[:-1]) == {"progress"}
    said.only_the_end_is_urgent()


async def test_end_of_a_list_is_urgent(rig: Rig, said: Said) -> None:
    await requested(rig)
    await rig.settle()
    said.only_the_end_is_urgent("file:")


async def test_end_of_a_request_is_urgent(rig: Rig, said: Said) -> None:
    await rig.pay()
    await rig.press("reject")
    await rig.submit(ADA, {forms.REASON: "no"})
    said.only_the_end_is_urgent("news:", other="card:")

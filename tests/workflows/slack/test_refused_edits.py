"""An edit that Slack refuses: which is tried again, for how long, and which is given up at once."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.reasons import Exchange, Reason
from bot.slack.pace import EditRank, Pace
from bot.workflows.slack import boards
from storage.rows import Board
from tests.support.rig import FINANCE, Rig
from tests.workflows.play import Play

SECOND = timedelta(seconds=1)
AWAY = Reason(Exchange.SLACK_UNREACHABLE)


class Messenger:
    """Slack, as far as edits go: what it answers, one after the other."""

    def __init__(self, *answers: Exception | None) -> None:
        self.answers, self.edits = list(answers), list[Content]()

    async def edit(self, *, at: object, content: Content) -> None:
        assert at is not None
        self.edits.append(content)
        answer = self.answers.pop(0)
        if answer is not None:
            raise answer


def board(**like: Any) -> Board:
    values: dict[str, Any] = {"subject": "job:7", "instruction_id": None, "channel": FINANCE, "thread_ts": None}
    return Board(**{**values, "requester": "", "ts": "1.2", "shown_version": 1, "wanted_version": 2, **like})


async def edited(rig: Rig, *answers: Exception | None, attempts: int = 0, **like: Any) -> tuple[Any, Messenger]:
    play = Play(rig)
    messenger: Any = Messenger(*answers)
    ctx = replace(play.ctx, messenger=messenger)
    return await boards._edit(ctx, board(attempts=attempts, **like)), messenger


@pytest.mark.parametrize(("error", "attempts", "result"), [
    ("internal_error", 0, "later"), ("internal_error", 11, "later"), ("internal_error", 12, "never"),
    ("message_not_found", 0, "anew"), ("cant_update_message", 0, "anew"), ("edit_window_closed", 0, "anew"),
    ("not_in_channel", 0, "never"), ("channel_not_found", 0, "never"), ("is_archived", 0, "never"),
    ("is_inactive", 0, "never"),
])  # fmt: skip
async def test_what_slack_refuses_is_tried_twelve_times(rig: Rig, error: str, attempts: int, result: str) -> None:
    found, _ = await edited(rig, ServiceNever("Slack", Reason(Exchange.SLACK_ERROR, error=error)), attempts=attempts)
    if result == "later":
        pause = timedelta(seconds=min(60, 2**attempts))
        assert found == boards._NotYet(rig.switchboard.context.clock.now() + pause, failed=True)
    else:
        assert found is (result == "anew")


@pytest.mark.parametrize(("trouble", "attempts", "seconds", "failed"), [
    (ServiceNow("Slack", AWAY), 0, 1, True), (ServiceNow("Slack", AWAY), 3, 8, True),
    (ServiceNow("Slack", AWAY, retry_after=7.0), 3, 7, False), (OutcomeUnknown("Slack", AWAY), 9, 60, True),
])  # fmt: skip
async def test_an_edit_not_answered(rig: Rig, trouble: Exception, attempts: int, seconds: int, failed: bool) -> None:
    found, _ = await edited(rig, trouble, attempts=attempts)
    assert found == boards._NotYet(rig.switchboard.context.clock.now() + seconds * SECOND, failed=failed)


@pytest.mark.parametrize(("like", "sent", "waits"), [
    ({"progress": True}, 5, False), ({"progress": True}, 6, True), ({}, 6, False), ({}, 12, True),
    ({"urgent": True, "progress": True}, 17, False), ({"urgent": True}, 18, True),
])  # fmt: skip
async def test_an_end_goes_before_a_change_and_a_change_before_progress(
    rig: Rig, like: dict[str, bool], sent: int, waits: bool
) -> None:
    pace = Pace(monotonic=rig.clock.boottime)
    assert [pace.take(EditRank.LAST) for _ in range(sent)] == [0] * sent
    messenger: Any = Messenger(None)
    found = await boards._edit(replace(Play(rig, pace=pace).ctx, messenger=messenger), board(**like))
    assert isinstance(found, boards._NotYet) is waits

"""Plans that once found a violation. The campaign draws these pairs only occasionally."""

import pytest

from tests.world.campaign import Crew
from tests.world.plans import Plan

FOUND = {
    "the request was stored, the answer said to ask again": "callback: write/request#1=commit_unknown",
    "a card found again after a lost answer never followed": "callback: slack/chat.postMessage#2=done_dropped",
    "a message was posted twice when the search for it was refused": (
        "callback: slack/chat.postMessage#3=done_dropped, slack/conversations.replies#1=too_many"
    ),
    "a card was posted twice when Slack once denied its conversation": (
        "outsider: slack/chat.postMessage#3=done_500, slack/conversations.history#1=refused"
    ),
    "a process that was to die of two requests at once died of the first": (
        "close: slack/usergroups.list#1=error_500, slack/users.info#1=crash_after, slack/usergroups.list#3=crash_after"
    ),
    "a process that was to die of a commit whose connection broke before": (
        "one step unknown: payments/list_operations#1=too_many, write/posted#5=commit_unknown, "
        "write/posted#6=crash_after"
    ),
    "a card was posted twice when the search for it failed": (
        "callback: slack/chat.postMessage#2=done_500, slack/conversations.history#1=error_500"
    ),
}


@pytest.mark.timeout(600)
def test_what_broke_once_holds(crew: Crew) -> None:
    report = crew.run([Plan.parse(text) for text in FOUND.values()])
    assert not report.broken, report.table()

"""The longest answers there can be."""

from datetime import timedelta

from bot.domain.payments.instruction import Vote
from tests.domain.made import NOW
from tests.presentation.drawn import APPROVALS, DECIDER, ORIGIN, REQUESTER

WHOLE_ANSWER = 40_000
"""Characters of an answer to a command: only its asker sees it, and it is never edited."""


def ours(voters: list[Vote]) -> set[str]:
    """The calls that may appear: people of the request, the two channels, and instants."""
    people = {f"@{person}" for person in (REQUESTER, DECIDER, *(vote.person for vote in voters))}
    moments = {
        f"!date^{int(at.timestamp())}^{{date_short_pretty}} {{time}}|{at:%Y-%m-%d %H:%M} UTC"
        for at in (NOW, NOW + timedelta(days=1))
    }
    return people | {f"#{APPROVALS}", f"#{ORIGIN}"} | moments

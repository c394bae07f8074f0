"""Messages that belong to no single request: their queueing and their text."""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.content import Content
from bot.domain.policy import Policy
from bot.domain.reasons import Reason
from bot.domain.references import ulid
from bot.presentation.payments import news
from bot.workflows.context import Context, Subject
from storage.rows import Action, OutboxRow
from storage.transaction import Tx

SUBJECT = "notice"
"""Kind of the subject; its id is the key of the message."""


class Notices(Subject):
    """Lines without a board."""

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002, ARG002
        """The text of a queued message."""
        return news.notice(payload)

    def given_up(self, ctx: Context, tx: Tx, row: OutboxRow, why: Reason) -> bool:  # noqa: ARG002
        """Nothing to do: it is an alert itself."""
        return True


def tell_everybody(tx: Tx, *, key: str, facts: Mapping[str, object], policy: Policy, now: datetime) -> bool:
    """Queue a message to the alerts channel that is about no single instruction; ``facts`` name its ``topic``.

    False: it was queued before.
    """
    return tell(tx, policy.alerts, key=key, facts=facts, now=now)


def tell(tx: Tx, channel: str, *, key: str, facts: Mapping[str, object], now: datetime) -> bool:
    """The same for any channel."""
    subject = f"{SUBJECT}:{key}"
    return tx.outbox.add(
        id=ulid(now), subject=subject, key=key, action=Action.LINE, place="", channel=channel, payload=facts, now=now
    )

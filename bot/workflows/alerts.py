"""Messages that belong to no single request: their queueing and their text."""

from collections.abc import Mapping

from bot.domain.content import Content
from bot.domain.reasons import Reason
from bot.domain.references import ulid
from bot.presentation import notices
from bot.workflows.context import Context, Subject, Unit
from storage.rows import Action, OutboxRow

SUBJECT = "notice"
"""Kind of the subject; its id is the key of the message."""


class Notices(Subject):
    """Lines without a board."""

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002, ARG002
        """The text of a queued message."""
        return notices.notice(payload)

    def given_up(self, uow: Unit, row: OutboxRow, why: Reason) -> bool:  # noqa: ARG002
        """Nothing to do: it is an alert itself."""
        return True


def tell_everybody(
    uow: Unit,
    *,
    key: str,
    facts: Mapping[str, object],
) -> bool:
    """Queue a message to the alerts channel that is about no single instruction; ``facts`` name its ``topic``.

    False: it was queued before.
    """
    return tell(uow, uow.policy.alerts, key=key, facts=facts)


def tell(
    uow: Unit,
    channel: str,
    *,
    key: str,
    facts: Mapping[str, object],
) -> bool:
    """The same for any channel."""
    subject = f"{SUBJECT}:{key}"
    return uow.outbox.add(
        id=ulid(uow.now),
        subject=subject,
        key=key,
        action=Action.LINE,
        place="",
        channel=channel,
        payload=facts,
        now=uow.now,
    )

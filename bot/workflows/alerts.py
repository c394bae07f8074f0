"""Messages that don't belong to a single request: their queueing and their text."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from bot.domain.content import Content
from bot.domain.reasons import Reason
from bot.domain.references import ulid
from bot.presentation import notices
from bot.workflows.context import Context, Subject, Unit
from storage.rows import Action, OutboxRow

SUBJECT = "notice"
"""Kind of the subject; the id is the key of the message."""


class Notices(Subject):
    """Lines without a board."""

    async def line(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Content | None:  # noqa: A002, ARG002
        by: Any = payload.get("by", ())
        people = [str(one) for one in ([by] if isinstance(by, str) else by)]
        return notices.notice({**payload, "names": await ctx.people.names(people)} if people else payload)

    def given_up(self, uow: Unit, row: OutboxRow, why: Reason) -> bool:  # noqa: ARG002
        """Return True, so that a failed alert doesn't cause another alert."""
        return True


def tell_everybody(uow: Unit, *, key: str, facts: Mapping[str, object]) -> bool:
    """Queue a message for the alerts channel that isn't about a single request; ``facts`` contain its ``topic``.

    Returns False if it was queued before.
    """
    return tell(uow, uow.policy.alerts, key=key, facts=facts)


def tell(uow: Unit, channel: str, *, key: str, facts: Mapping[str, object]) -> bool:
    """Queue a message like :func:`tell_everybody`, for any channel."""
    row = OutboxRow(
        id=ulid(uow.now),
        subject=f"{SUBJECT}:{key}",
        key=key,
        action=Action.LINE,
        place="",
        channel=channel,
        payload=dict(facts),
        due_at=uow.now,
        created_at=uow.now,
    )
    return uow.outbox.add(row)


async def tell_denials(ctx: Context) -> int:
    """Report permissions that Slack denies or grants again, once per day for all processes; return their number."""
    news = [("denied", reason) for reason in ctx.people.denials()]
    news += [("allowed", reason) for reason in ctx.people.allowed()]
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        for topic, reason in news:
            key = f"{topic}:{sha256(str(reason).encode()).hexdigest()[:16]}:{now:%Y-%m-%d}"
            tell_everybody(uow, key=key, facts={"topic": topic, "reason": reason.stored()})

    if news:
        await ctx.write(work, name="tell_denials", wakes=False)
    return len(news)

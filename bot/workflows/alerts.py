"""Alerts that are about no single request."""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.policy import Policy
from bot.domain.references import ulid
from storage.rows import Action
from storage.transaction import Tx


def tell_everybody(tx: Tx, *, key: str, facts: Mapping[str, object], policy: Policy, now: datetime) -> None:
    """Queue a message to the alerts channel that is about no single instruction; ``facts`` name its ``topic``."""
    tx.outbox.add(
        id=ulid(now), key=key, action=Action.NOTICE, place="alerts", channel=policy.alerts, payload=facts, now=now
    )

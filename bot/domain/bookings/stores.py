"""Stores and their webhooks as Switchboard knows them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bot.domain.bookings.record import WebhookKind
from bot.domain.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownStore:
    """A store for display. ``usable``: its key is known here."""

    name: str
    record: Mapping[str, Any]
    """What the service says of it, without its key."""
    usable: bool
    given: bool = False
    """Its key is in ``DELIVERY_STORE_KEYS``."""
    creating: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HookState:
    """One kind of webhook of a store.

    Attributes:
        host: where it is sent, without the path, which is secret; empty: none is registered; None: it cannot be read.
        ours: it is sent to this bot.
        trouble: None when all is well.
    """

    kind: WebhookKind
    host: str | None = ""
    ours: bool = False
    trouble: Reason | None = None

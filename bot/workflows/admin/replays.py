"""A replayed request of Slack acts once, whichever process it is sent to.

Each process remembers in memory what it has handled. Several processes share that through the database; a single one
saves that write. Effects are also idempotent by Slack's ids.
"""

import hashlib
from datetime import datetime, timedelta
from typing import Final

import structlog

from storage.errors import StorageError
from storage.store import Store

log = structlog.get_logger(__name__)

KEPT: Final = timedelta(seconds=600)
"""Twice as long as a signature is good for."""


async def first_time(store: Store, *, signature: str, now: datetime) -> bool:
    """Whether no other process has handled the request with this signature."""
    if store.exclusive:
        return True
    digest = hashlib.sha256(signature.encode()).hexdigest()
    try:
        return await store.write(lambda tx: tx.seen.first_time(digest, now=now, kept=KEPT), name="seen_request")
    except StorageError as busy:
        # Any effect needs a write too, whose failure is reported to the person.
        log.warning("nobody else could be asked about a request", reason=str(busy))
        return True

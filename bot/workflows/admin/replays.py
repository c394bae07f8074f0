"""A captured request of Slack acts once, whichever process it is sent to.

Each process remembers by itself what it has handled. Where there are several, they tell each other through the
database; one alone saves itself that write, and what it does is bound to the ids of Slack besides.
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
    """Whether no other process has handled what bears this signature."""
    if store.exclusive:
        return True
    digest = hashlib.sha256(signature.encode()).hexdigest()
    try:
        return await store.write(lambda tx: tx.seen.first_time(digest, now=now, kept=KEPT), name="seen_request")
    except StorageError as busy:
        # What acts has to write too, and says so to the person.
        log.warning("nobody else could be asked about a request", reason=str(busy))
        return True

"""Requests that Slack delivered twice, to several processes."""

import hashlib
from datetime import datetime, timedelta
from typing import Final

import structlog

from storage.errors import StorageError
from storage.store import Store

log = structlog.get_logger(__name__)

KEPT: Final = timedelta(seconds=600)
"""Twice the validity of a signature."""


async def claim_signature(store: Store, *, signature: str, now: datetime) -> bool:
    """Record the signature of a request; return False if another process has already handled it."""
    if store.exclusive:
        return True
    digest = hashlib.sha256(signature.encode()).hexdigest()
    try:
        return await store.write(lambda tx: tx.seen.claim_signature(digest, now=now, kept=KEPT), name="seen_request")
    except StorageError as busy:  # any effect needs a write too, whose failure is reported to the person
        log.warning("duplicate request check failed, request handled", reason=str(busy))
        return True

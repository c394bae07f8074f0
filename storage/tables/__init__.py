"""The tables. ``migrations/`` creates them; a test checks that both agree."""

from storage.tables.columns import metadata
from storage.tables.instructions import (
    attempt,
    audit,
    audit_head,
    audit_key,
    bulk_flight,
    bulk_item,
    callback_token,
    instruction,
    reservation,
    tracked,
    vote,
)
from storage.tables.queues import board, dropped_file, flag, inbox, job, outbox, seen_request, send_slot
from storage.tables.services import (
    booking,
    email_address,
    email_block,
    email_run,
    store,
    store_event,
    store_hook,
    unread_answer,
)

__all__ = [
    "attempt",
    "audit",
    "audit_head",
    "audit_key",
    "board",
    "booking",
    "bulk_flight",
    "bulk_item",
    "callback_token",
    "dropped_file",
    "email_address",
    "email_block",
    "email_run",
    "flag",
    "inbox",
    "instruction",
    "job",
    "metadata",
    "outbox",
    "reservation",
    "seen_request",
    "send_slot",
    "store",
    "store_event",
    "store_hook",
    "tracked",
    "unread_answer",
    "vote",
]

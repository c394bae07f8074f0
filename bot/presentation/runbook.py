"""Where an alert is explained to the operator: a section of docs/alerts.md, by its topic."""

from typing import Final

PAGE: Final = "docs/alerts.md"
SECTIONS: Final = {
    "needs_human": "needs-a-person",
    "mismatch": "not-what-was-asked-for",
    "differs": "differs-from-what-was-approved",
    "contradiction": "the-service-contradicts-itself",
    "unconfirmed": "reported-not-confirmed",
    "unknown_status": "unknown-status",
    "paid_after_close": "paid-after-the-end",
    "paid_after_end": "paid-after-the-end",
    "paid_elsewhere": "paid-elsewhere",
    "stuck": "cannot-go-on",
    "suspended": "not-sent",
    "out_of_reach": "too-few-approvers",
    "disagrees": "on-hold",
    "unaccounted": "bulk-payment-not-accounted-for",
    "unread": "bulk-payment-not-accounted-for",
    "stands_still": "bulk-payment-not-accounted-for",
    "undelivered": "message-not-posted",
    "no_approvals_channel": "message-not-posted",
    "denied": "slack-denies",
    "clock_skew": "clock-skew",
    "clock_set": "clock-set",
    "silent": "service-silent",
    "stopped": "stopped-after-an-internal-error",
    "unreadable": "row-that-cannot-be-read",
    "not_drawn": "older-state",
    "frozen": "payments-frozen",
    "reading_only": "reading-only",
    "no_anchor": "anchors-failing",
    "anchors_changed": "anchors-changed",
    "disk_low": "disk",
    "disk_full": "disk",
}
"""Headings of the page, as they stand in a link; other topics need nothing done."""


def runbook(topic: str) -> str:
    """A last line for an alert, in mrkdwn."""
    return f"\nRunbook: `{PAGE}#{SECTIONS[topic]}`" if topic in SECTIONS else ""

"""Verification of Slack's request signatures.

Pure, and total: for any bytes as headers and body, the result is yes or no. (Bolt's own check raises on
a timestamp that is no number and on a signature that is not ASCII, the SDK's on a body that is not UTF-8;
each becomes a 500.)
"""

import hashlib
import hmac
import re

LONGEST_AGE = 300
"""Seconds that Slack's time stamp may differ from our clock, either way."""

_SIGNATURE = re.compile(r"v0=[0-9a-f]{64}", re.ASCII)
_TIMESTAMP = re.compile(r"[0-9]{1,12}", re.ASCII)


def could_be_signed(*, timestamp: str, signature: str, now: float) -> bool:
    """Whether the headers alone look like Slack's: checked before the body is read."""
    if not _TIMESTAMP.fullmatch(timestamp) or not _SIGNATURE.fullmatch(signature):
        return False
    return abs(now - int(timestamp)) <= LONGEST_AGE


def signed_by_slack(*, secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Whether ``signature`` is Slack's over ``body`` and no older (or newer) than five minutes.

    Args:
        secret: the app's signing secret.
        timestamp: header ``X-Slack-Request-Timestamp``, seconds since 1970.
        signature: header ``X-Slack-Signature``.
        body: the raw bytes, before any parsing.
        now: seconds since 1970.
    """
    if not could_be_signed(timestamp=timestamp, signature=signature, now=now):
        return False
    signed = b":".join((b"v0", timestamp.encode(), body))
    return hmac.compare_digest(f"v0={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}", signature)

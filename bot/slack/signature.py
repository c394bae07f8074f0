"""Is this request really Slack's?

Pure, and total: whatever bytes arrive as headers, the answer is yes or no. (Bolt's own check raises on
a timestamp that is no number and on a signature that is not ASCII, which becomes a 500.)
"""

import re

from slack_sdk.signature import Clock, SignatureVerifier

_SIGNATURE = re.compile(r"v0=[0-9a-f]{64}", re.ASCII)
_TIMESTAMP = re.compile(r"[0-9]{1,12}", re.ASCII)


class _Fixed(Clock):
    def __init__(self, now: float) -> None:
        self._now = now

    def now(self) -> float:
        return self._now


def signed_by_slack(*, secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Whether ``signature`` is Slack's over ``body`` and no older (or newer) than five minutes.

    Args:
        secret: the app's signing secret.
        timestamp: header ``X-Slack-Request-Timestamp``, seconds since 1970.
        signature: header ``X-Slack-Signature``.
        body: the raw bytes, before any parsing.
        now: seconds since 1970.
    """
    if not _TIMESTAMP.fullmatch(timestamp) or not _SIGNATURE.fullmatch(signature):
        return False
    verifier = SignatureVerifier(secret, clock=_Fixed(now))
    return verifier.is_valid(body=body, timestamp=timestamp, signature=signature)

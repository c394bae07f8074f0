"""Checks that addresses we call and requests we receive are Slack's own."""

import hashlib
import hmac
import re
from collections.abc import Callable
from urllib.parse import urlsplit

_GOVERNMENT = "slack-gov.com"


class Hosts:
    """Slack's hosts, derived from the address of its Web API."""

    def __init__(self, api_url: str) -> None:
        parts = urlsplit(api_url)
        host = parts.hostname or ""
        self._own_origin = (parts.scheme, parts.netloc)
        self._domain = _GOVERNMENT if host == _GOVERNMENT or host.endswith(f".{_GOVERNMENT}") else "slack.com"

    def downloads(self, url: str) -> bool:
        """Return whether a file may be downloaded from this URL, sending the token."""
        return self._is(url, f"files.{self._domain}".__eq__)

    def uploads(self, url: str) -> bool:
        """Return whether a file may be uploaded to this URL."""
        return self._is(url, lambda host: host.endswith(f".{self._domain}"))

    def answers(self, url: str) -> bool:
        """Return whether a private answer may be posted to this URL."""
        return self._is(url, f"hooks.{self._domain}".__eq__)

    def _is(self, url: str, may_be: Callable[[str], bool]) -> bool:
        try:
            parts = urlsplit(url)
            is_ordinary = parts.scheme == "https" and parts.port in (None, 443)  # raises if it isn't a number
        except ValueError:
            return False
        if parts.username or parts.password:
            return False
        return (parts.scheme, parts.netloc) == self._own_origin or (is_ordinary and may_be(parts.hostname or ""))


LONGEST_AGE = 300
"""Maximum difference in seconds between Slack's timestamp and our clock, either way."""

_SIGNATURE = re.compile(r"v0=[0-9a-f]{64}", re.ASCII)
_TIMESTAMP = re.compile(r"[0-9]{1,12}", re.ASCII)


def could_be_signed(*, timestamp: str, signature: str, now: float) -> bool:
    """Return whether the headers look like Slack's; a check before the body is read."""
    if not _TIMESTAMP.fullmatch(timestamp) or not _SIGNATURE.fullmatch(signature):
        return False
    return abs(now - int(timestamp)) <= LONGEST_AGE


def signed_by_slack(*, secret: str, timestamp: str, signature: str, body: bytes, now: float) -> bool:
    """Return whether ``signature`` is Slack's for the raw ``body``, within five minutes of our clock."""
    if not could_be_signed(timestamp=timestamp, signature=signature, now=now):
        return False
    signed = b":".join((b"v0", timestamp.encode(), body))
    return hmac.compare_digest(f"v0={hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()}", signature)

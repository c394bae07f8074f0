"""Which addresses are Slack's own: the token, files and private answers go nowhere else.

Slack for government has its own hosts. The address of the Web API shows which of the two it is. That host is trusted
too, because the operator configured it.
"""

from urllib.parse import SplitResult, urlsplit

_GOVERNMENT = "slack-gov.com"
_COMMERCIAL = "slack.com"


class Hosts:
    """Slack's hosts, derived from the address of its Web API."""

    def __init__(self, api_url: str) -> None:
        parts = urlsplit(api_url)
        host = parts.hostname or ""
        self._own_origin = (parts.scheme, parts.netloc)
        self._domain = _GOVERNMENT if host == _GOVERNMENT or host.endswith(f".{_GOVERNMENT}") else _COMMERCIAL

    def downloads(self, url: str) -> bool:
        """Whether a file may be fetched from there, with the token."""
        return self._is(url, f"files.{self._domain}")

    def uploads(self, url: str) -> bool:
        """Whether the bytes of a file may be sent there."""
        parts = _split(url)
        if parts is None:
            return False
        return self._own(parts) or ((parts.hostname or "").endswith(f".{self._domain}") and _ordinary(parts))

    def answers(self, url: str) -> bool:
        """Whether a private answer may be posted there."""
        return self._is(url, f"hooks.{self._domain}")

    def _is(self, url: str, host: str) -> bool:
        parts = _split(url)
        return parts is not None and ((parts.hostname == host and _ordinary(parts)) or self._own(parts))

    def _own(self, parts: SplitResult) -> bool:
        return (parts.scheme, parts.netloc) == self._own_origin


def _split(url: str) -> SplitResult | None:
    """The parts of an address without user name and password."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError:
        return None
    return None if parts.username or parts.password else parts


def _ordinary(parts: SplitResult) -> bool:
    return parts.scheme == "https" and parts.port in (None, 443)

"""Checks before every operation: the proxy, the credentials, the rate limit and the content type."""

import base64
import binascii
from collections import deque
from collections.abc import Callable

from bot.playground.simulators.exchange import Ask, Refusal
from bot.playground.simulators.payments.records import Switches
from bot.playground.simulators.payments.shapes import invalid, plain, proxy_page

_WINDOW_SECONDS = 1.0


class Gate:
    """Admits or refuses requests; the order of checks is the real service's."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        switches: Switches,
        partner_id: str,
        partner_secret: str,
        rate_limit: int | None,
    ) -> None:
        self.rate_limit = rate_limit
        self._clock = clock
        self._switches = switches
        self._credentials = f"{partner_id}:{partner_secret}"
        self._passed: deque[float] = deque()

    def admit(self, ask: Ask) -> None:
        """Check one request and count it.

        Raises:
            Refusal: 403, 401, 429 or 422, with nothing done.
        """
        if self._switches.refuse_get_body and ask.method == "GET" and ask.raw:
            raise Refusal(proxy_page(403, "Forbidden"))
        if not self._knows(ask.headers.get("authorization", "")):
            raise Refusal(plain(401, "Unauthorized", WWW_Authenticate='Basic realm="partners"'))
        if self._switches.forbidden:
            raise Refusal(plain(403, "Forbidden"))
        if not self._within_rate():
            raise Refusal(plain(429, "Too many requests"))
        content_type = ask.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content_type != "application/json":
            raise Refusal(invalid({"Content-Type": ["must be application/json"]}))

    def _knows(self, authorization: str) -> bool:
        scheme, _, encoded = authorization.partition(" ")
        try:
            told = base64.b64decode(encoded, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return False
        return scheme.lower() == "basic" and told == self._credentials

    def _within_rate(self) -> bool:
        """Count this request, unless the limit of the sliding second is reached."""
        if self.rate_limit is None:
            return True
        now = self._clock()
        while self._passed and now - self._passed[0] >= _WINDOW_SECONDS:
            self._passed.popleft()
        if len(self._passed) >= self.rate_limit:
            return False
        self._passed.append(now)
        return True

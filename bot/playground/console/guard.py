"""Access to the console: only the page itself, served from this machine.

The page can do whatever every person of the workspace can do, so a foreign site open in the same browser
must reach it neither by its own origin (cross-origin POST) nor by a name that points here (DNS rebinding).
"""

from collections.abc import Awaitable, Callable, Collection
from urllib.parse import urlsplit

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

LOOPBACK_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})

_TYPES = frozenset({"application/json", "application/octet-stream"})
"""Content types that a foreign page can send only after a CORS preflight, which is not answered."""

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self' blob:; "
        "connect-src 'self'; font-src 'self'; "
        "form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Sent with every answer of the console. ``style-src`` has no inline styles: scripts set them through the DOM."""


class Guard:
    """Wraps handlers to refuse requests from other pages with 403."""

    def __init__(self, *, hosts: Collection[str] = LOOPBACK_HOSTS) -> None:
        self._hosts = frozenset(host.lower() for host in hosts)

    def __call__(self, handler: Handler) -> Handler:
        """Wrap a handler to serve only requests of the page."""

        async def guarded(request: web.Request) -> web.StreamResponse:
            if reason := self.refusal(request):
                return web.json_response({"error": reason}, status=403, headers=HEADERS)
            return await handler(request)

        return guarded

    def refusal(self, request: web.Request) -> str | None:
        """Reason for refusing a request, or None."""
        host = request.headers.get("Host", "")
        if _hostname(host) not in self._hosts:
            return "The console answers only under a loopback address."
        reading = request.method in ("GET", "HEAD")
        followed_link = reading and request.headers.get("Sec-Fetch-Mode") == "navigate"
        if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none") and not followed_link:
            return "Requests of other sites are refused."
        if reading:
            return None
        origin = request.headers.get("Origin")
        if origin is not None and origin != f"{request.scheme}://{host}":
            return "Requests of other origins are refused."
        # A request without the header would count as octets, and any page may send one.
        if "Content-Type" not in request.headers or request.content_type not in _TYPES:
            return "The console takes JSON, and the bytes of files."
        return None


def _hostname(host: str) -> str:
    """The name in a Host header without its port, lower case; empty when it is malformed."""
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""

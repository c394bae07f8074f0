"""The service's log of its calls to us. Its form is not documented, and it quotes addresses that hold tokens.

Tolerated: a list, one record, either of them also under ``data`` or ``events``; "none" also as a success that
carries an error code. Whatever a record holds is kept for showing, without addresses and secrets.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

from bot.clients import reading
from bot.clients.routes import Route
from bot.domain.payments.operation import PayoutEvent
from bot.domain.sanitizing import one_line

_DEEPEST: Final = 4
_MOST_DETAILS: Final = 40
_SECRET_NAMES: Final = ("token", "secret", "password", "authorization", "signature", "apikey", "api_key", "cookie")


def read_events(document: object, route: Route) -> tuple[PayoutEvent, ...]:
    """The events of one payout, in the service's order.

    Raises:
        ValueError: the document is neither a list nor an object nor null.
    """
    if document is None:
        return ()
    if not isinstance(document, dict | list):
        raise reading.Unfit("no list of events", document)
    return tuple(_read_event(record, route) for record in _records(document, route, _DEEPEST) if record)


def _records(found: object, route: Route, depth: int) -> list[object]:
    if isinstance(found, list):
        return found
    if not isinstance(found, dict) or depth == 0:
        return [found]
    inner = [found[name] for name in route.reply["events"] if isinstance(found.get(name), dict | list)]
    filled = next((one for one in inner if one), None)
    if filled is not None:
        return _records(filled, route, depth - 1)
    is_event = any(reading.text(found, route.reply[name]) for name in ("at", "kind", "url"))
    is_error = bool(reading.text(found, route.reply["error"]))
    # An empty list of events is an answer as good as an error that says "none".
    return [found] if is_event or not (is_error or inner) else []


def _read_event(record: object, route: Route) -> PayoutEvent:
    body = record if isinstance(record, dict) else {"event": record}
    names = route.reply
    return PayoutEvent(
        at=reading.moment(body, names["at"]),
        kind=one_line(reading.text(body, names["kind"])),
        host=_host(reading.text(body, names["url"])),
        status=one_line(reading.text(body, names["status"])),
        details=tuple(_details(body, "", _DEEPEST))[:_MOST_DETAILS],
    )


def _host(address: str) -> str:
    try:
        return one_line(urlsplit(address).hostname or "")
    except ValueError:
        return ""


def _details(body: Mapping[str, object], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, value in body.items():
        key = one_line(f"{prefix}{name}")
        if any(secret in key.casefold() for secret in _SECRET_NAMES):
            continue
        match value:
            case dict() if depth > 0:
                yield from _details(value, f"{key}.", depth - 1)
            case list() if depth > 0:
                yield from _details({str(number): item for number, item in enumerate(value)}, f"{key}.", depth - 1)
            case dict() | list() | None | "":
                continue
            case _:
                yield key, _shown(value)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return _host(value) or one_line(value) if isinstance(value, str) else one_line(str(value))

"""Parse positions as people paste them: coordinates in any notation, or a map link.

A link yields the place that it marks or leads to, not the middle of its map or the start of its route.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from itertools import product
from math import asin, cos, radians, sin, sqrt
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from bot.domain.bookings.record import Position
from bot.domain.errors import RuleError
from bot.domain.text import bare, clean

Pair = tuple[str, str]
_MINUS: Final = re.compile("[\u2212\u2012\u2013\uff0d]|%E2%88%92", re.IGNORECASE)
_LINK: Final = re.compile(
    r"(?:[a-z][a-z.-]*://|geo:)[^\s<>|]+|(?<![\w/.@-])(?:[a-z0-9-]+\.)+[a-z]{2,}/[^\s<>|]*", re.IGNORECASE
)
_NUMBER: Final = r"[-+]?[0-9]{1,3}(?:\.[0-9]{1,15})?"
_DECIMAL: Final = r"[-+]?[0-9]{1,3}\.[0-9]{1,15}"
_POINT: Final = r"(?:north|norte|south|sul|sur|east|este|leste|west|oeste|[NSEWOL])(?![a-z])"
_HALF: Final = rf"""
    (?:["']?(?P<label#>lat|lng|lon)[a-z]*["']?\s*[:=.]?\s*)?
    (?P<before#>{_POINT})?\s*
    (?P<degrees#>[-+]?[0-9]{{1,3}}(?:[.,][0-9]{{1,15}})?)\s*[°º˚]?
    (?:(?:(?<=[°º˚])|[\s:]+|-)\s*(?P<minutes#>[0-9]{{1,2}}(?:[.,][0-9]{{1,9}})?)\s*['′’´`]?(?!['′’´`])
        (?:[\s:]*(?P<seconds#>[0-9]{{1,2}}(?:[.,][0-9]{{1,9}})?)\s*(?:["″”“]|['′’´`]{{2}})?)?)?
    (?(before#)|(?:\s*(?P<after#>{_POINT}))?)
"""
_TEXT: Final = re.compile(
    rf"(?:(?:coord|gps|pos|ubic|loc)\w*\s*[:=]?\s*)?{_HALF.replace('#', '1')}"
    rf"(?:\s*[,;~/&]\s*|\s+|(?<=[°º˚\"″”'′’NSEWOL])|(?=[NSEWOL])){_HALF.replace('#', '2')}",
    re.IGNORECASE | re.VERBOSE,
)
_LEG: Final = re.compile(
    rf"(?:.*[:@]|l-|[a-z]+\.)?({_DECIMAL})\s*[,~_\s]\s*({_DECIMAL})(?:\s*[(,:;_/].*)?", re.IGNORECASE | re.DOTALL
)
"""One place in a link, with the decoration that maps add: ``loc:``, ``ll.``, ``Name@``, ``(Name)``, ``_Name``."""
_LEGS: Final = re.compile(r"[~|]|\bto:|;(?=$|[-+0-9.]+,)")
_PIN: Final = re.compile(rf"!3d({_NUMBER})!4d({_NUMBER})")
_WAYPOINT: Final = re.compile(rf"!2m2!1d({_NUMBER})!2d({_NUMBER})(?!.*!1m0)")
"""Longitude comes first. A waypoint without a record (``!1m0``) is in the path, as typed."""
_AT: Final = re.compile(rf"@({_NUMBER}),({_NUMBER})")
_HASH: Final = re.compile(rf"(?:map=)?[0-9.]+/({_NUMBER})/({_NUMBER})")
_EMBEDDED: Final = re.compile(rf"!2d({_NUMBER})!3d({_NUMBER})")
_LONGITUDE_FIRST: Final = re.compile(r"(?:^|\.)(?:yandex|2gis)\.")
_ROUTES: Final = ("daddr", "destination", "to", "rtp", "rtext", "route", "latlng")
_CHAINS: Final = ("rtp", "rtext", "route")
"""Routes whose first part is their start."""
_ROUTE_PATHS: Final = frozenset({"dir", "directions", "r", "routeSearch"})
_MARKS: Final = (
    "q",
    "query",
    "coordinate",
    "coordinates",
    "coords",
    "pt",
    "whatshere[point]",
    "poi[point]",
    "sp",
    "text",
    "where1",
    "loc",
    "pin",
    "marker",
)
_SEARCHES: Final = frozenset({"text", "oid", "mode"})
_CORNERS: Final = (("mlat", "mlon"), ("lat", "lng"), ("lat", "lon"), ("latitude", "longitude"))
_MIDDLES: Final = ("ll", "cp", "center", "sll", "map", "m")
_SHORT: Final = frozenset(
    "maps.app.goo.gl goo.gl g.co bit.ly osm.org tinyurl.com maps.apple t.ly waze.com ul.waze.com".split()  # noqa: SIM905
)
"""Hosts of short links, which redirect to a map and contain no position."""
_INSIDE: Final = ("continue", "url", "link", "u")
"""Parameters with the address behind a consent page."""
_PLUS_CODE: Final = re.compile(r"\b[23456789CFGHJMPQRVWX]{4,8}(?:\+|%2B)[23456789CFGHJMPQRVWX]{2,3}\b", re.IGNORECASE)
_MOST: Final = 2_000
_NORTH, _EAST = 90, 180
_SIXTY: Final = 60
_EARTH_KM: Final = 6_371
_RANGE_KM: Final = 100
"""No delivery goes this far: a position beyond it is a mistake if its mirror image is within it."""
_NO_POSITION: Final = "Paste a map link or coordinates like -0.1807, -78.4678"
_NOT_IN_LINK: Final = "This link shows no position. Paste coordinates like -0.1807, -78.4678"
_SHORTENED: Final = "This short link shows no position. Paste the full link, or coordinates"
_CODED: Final = "Plus codes can't be read. Open the code in a map and paste coordinates like -0.1807, -78.4678"


class LinkFlaw(StrEnum):
    """Why a short link yielded no position."""

    NO_POSITION = "no position"
    UNREACHABLE = "unreachable"
    PRIVATE = "private"
    DOUBTFUL = "doubtful"


class DoubtError(RuleError):
    """A position that the person has to confirm: the middle of a map, or far from the store."""


def read_position(text: str, *, near: Position | None = None) -> Position:
    """Parse pasted text near a store. Raises RuleError, or DoubtError with the likely position."""
    given = _MINUS.sub("-", bare(clean(text))) if len(text) <= _MOST else ""
    given = re.sub(r"(?<=[0-9])\s*(?:deg|grados)\b", "°", given, flags=re.IGNORECASE)
    link = _link_in(given)
    place, middle = _of_link(link) if link else (_of_words(given), None)
    pair = place or middle
    if pair is None:
        raise RuleError(_why_not(given, link))
    found = _on_earth(pair)
    if place is None:
        raise DoubtError(f"This link shows the middle of a map, not a place. If it's the place, paste {found}")
    likely = () if near is None else _mirrored(found, near)
    if likely:
        meant = f"Did you mean {likely[0]}?" if len(likely) == 1 else "Check the minus signs."
        raise DoubtError(f"{found} is far from the store. {meant} If it's right, correct the store's position")
    return found


def short_link(text: str, *, own: str = "") -> str:
    """Return the address of a short link, which must be opened to find its position; empty for any other text.

    ``own`` is the origin of a local service whose links count as short links too.
    """
    url = _link_in(clean(text)) if len(text) <= _MOST else ""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:
        return ""
    is_short = host in _SHORT or bool(own and url.startswith(f"{own}/"))
    sound = parts.scheme in ("https", "http") and parts.path.strip("/") and url.isprintable()
    return url if is_short and sound and not any(_of_link(url)) else ""


def position_behind(url: str, *, near: Position | None = None) -> Position | None:
    """Return the position in an address, or in one passed as its parameter. Raises DoubtError."""
    try:
        carried = parse_qs(urlsplit(url).query)
    except ValueError:
        return None
    for address in (url, *(value for name in _INSIDE for value in carried.get(name, ()) if "://" in value)):
        try:
            return read_position(address, near=near)
        except DoubtError:
            raise
        except RuleError:
            continue
    return None


def map_link(position: Position) -> str:
    latitude, longitude = position.latitude, position.longitude
    return f"https://www.openstreetmap.org/?mlat={latitude}&mlon={longitude}#map=17/{latitude}/{longitude}"


def _link_in(text: str) -> str:
    """Return the first link in a text, because maps share it below a name; add ``https://`` if it is missing."""
    found = _LINK.search(text)
    if found is None:
        return ""
    link = found[0].rstrip(".,>")
    return link if re.match(r"[a-z.-]+://|geo:", link, re.IGNORECASE) else f"https://{link}"


def _why_not(given: str, link: str) -> str:
    if _PLUS_CODE.search(given):
        return _CODED
    host = ""
    with suppress(ValueError):
        host = (urlsplit(link).hostname or "").removeprefix("www.")
    return _SHORTENED if host in _SHORT else _NOT_IN_LINK if link else _NO_POSITION


def _on_earth(pair: Pair) -> Position:
    # Seven decimals are a centimeter; the rest is noise from the map.
    latitude, longitude = (re.sub(r"(?<=\.[0-9]{7})[0-9]+", "", number.removeprefix("+")) for number in pair)
    north, east = map(float, pair)
    if abs(north) > _NORTH and abs(east) <= _NORTH and abs(north) <= _EAST:
        raise RuleError("Latitude comes first: these two look swapped")
    if abs(north) > _NORTH or abs(east) > _EAST:
        raise RuleError("Latitude goes from -90 to 90, longitude from -180 to 180")
    if north == 0 and east == 0:
        raise RuleError("0, 0 is in the ocean. Paste the real position")
    return Position(latitude=latitude, longitude=longitude)


def _mirrored(found: Position, near: Position) -> Sequence[Position]:
    """Return positions near the store with swapped numbers or other signs, unless ``found`` is near it itself."""
    if _km(found, near) <= _RANGE_KM:
        return ()
    pair = (found.latitude, found.longitude)
    candidates = [
        Position(latitude=f"{south}{north}".replace("--", ""), longitude=f"{west}{east}".replace("--", ""))
        for north, east in (pair[::-1], pair)
        for south, west in product(("", "-"), repeat=2)
        if abs(float(north)) <= _NORTH
    ]
    close = [candidate for candidate in candidates if _km(candidate, near) <= _RANGE_KM]
    return close[:1] if close[:1] == candidates[:1] else close


def _km(one: Position, other: Position) -> float:
    """Return the great-circle distance."""
    north, east, north2, east2 = (
        radians(float(number)) for place in (one, other) for number in (place.latitude, place.longitude)
    )
    chord = sin((north2 - north) / 2) ** 2 + cos(north) * cos(north2) * sin((east2 - east) / 2) ** 2
    return 2 * _EARTH_KM * asin(sqrt(min(chord, 1)))


def _of_words(text: str) -> Pair | None:
    found = _TEXT.fullmatch(" ".join(text.strip("()[]{} ").split()))  # runs of blanks make matching slow
    if found is None:
        return None
    halves = [{name[:-1]: value or "" for name, value in found.groupdict().items() if name[-1] == n} for n in "12"]
    points = [(half["before"] or half["after"])[:1].upper() for half in halves]
    labels = [half["label"][1:2].lower() for half in halves]
    marked = all(points) or re.search("[°º˚'′’\"″”]", text)
    commas = {"," in half["degrees"] for half in halves if not half["minutes"]}
    crossed = (points[0] in "EWOL", points[1] in "NS") if all(points) else (labels[0] in ("n", "o"), labels[1] == "a")
    is_odd = any(points) != all(points) or any(labels) != all(labels) or len(set(crossed)) > 1 or len(commas) > 1
    numbers = [_degrees(half, point) for half, point in zip(halves, points, strict=True)]
    if is_odd or None in numbers or (any(half["minutes"] for half in halves) and not marked):
        return None
    first, second = (str(number) for number in numbers)
    return (second, first) if all(crossed) else (first, second)


def _degrees(half: Mapping[str, str], point: str) -> str | None:
    """Return decimal degrees, keeping decimal input unchanged."""
    number = half["degrees"].replace(",", ".").removeprefix("+")
    sign = "-" if number.startswith("-") or point in ("S", "W", "O") else ""
    number = number.removeprefix("-")
    if half["minutes"]:
        minutes, seconds = (float(half[name].replace(",", ".") or 0) for name in ("minutes", "seconds"))
        if "." in number or max(minutes, seconds) >= _SIXTY or (half["seconds"] and minutes % 1):
            return None
        number = f"{int(number) + minutes / _SIXTY + seconds / _SIXTY**2:.7f}"
    return sign + number


def _of_link(link: str) -> tuple[Pair | None, Pair | None]:
    """Return the place that a link marks or leads to, and the middle of its map."""
    try:
        parts = urlsplit(link)
        host = parts.hostname or ""
    except ValueError:
        return None, None
    query, path = parse_qs(parts.query), unquote(parts.path).replace("+", " ")
    if parts.scheme.lower() == "geo":  # a text in ``q`` is searched for around the point
        point, name = _leg(path.partition(";")[0]), query.get("q")
        return (_leg(name[0]), point) if name else (point, None)
    turned = _LONGITUDE_FIRST.search(host) is not None
    is_route, end = _destination(host, path, query, turned=turned)
    if is_route:
        return end, None
    named = {name: [_leg(value, turned=turned and name != "text") for value in query[name]] for name in query}
    corners = [
        (name == "mlat" or not query.keys() & {"zoom", "z"}, (north, east))
        for name, other in _CORNERS
        for north, east in zip(query.get(name, ()), query.get(other, ()), strict=False)
        if _leg(f"{north}, {east}")
    ]
    is_searched = "google." in host or "/org/" in path or bool(_SEARCHES & query.keys())
    pieces = [piece for piece in reversed(path.split("/")) if piece[:1] != "@" and re.search("[,°º]", piece)]
    places = [
        *_PIN.findall(path)[-1:],  # the pin itself, rather than the middle of the screen
        *(found for name in _MARKS for found in named.get(name, ())),
        *(pair for is_mark, pair in corners if is_mark),
        *(_leg(piece, turned=turned) for piece in pieces),
        *(() if is_searched else named.get("ll", ())),
    ]
    middles = [
        *(found for name in _MIDDLES for found in named.get(name, ())),
        *(pair for _, pair in corners),
        *_AT.findall(path)[-1:],
        *_HASH.findall(parts.fragment)[-1:],
        *((north, east) for pb in query.get("pb", ()) for east, north in _EMBEDDED.findall(pb)),
    ]
    return next(filter(None, places), None), next(filter(None, middles), None)


def _destination(host: str, path: str, query: Mapping[str, Sequence[str]], *, turned: bool) -> tuple[bool, Pair | None]:
    """Return whether a link is a route, and its last stop; a start alone doesn't count."""
    ends = [
        _end(value, turned=turned and name != "rtext", chained=name in _CHAINS)
        for name in _ROUTES
        for value in query.get(name, ())
    ]
    if ends:
        return True, next(filter(None, ends), None)
    typed, *drawn = re.split("/(?=@|data=)", path, maxsplit=1)
    pieces = (typed if drawn else typed.removesuffix("/")).split("/")
    at = next((number for number, piece in enumerate(pieces) if piece in _ROUTE_PATHS), len(pieces))
    stops = pieces[at + 1 :]
    least = 3 if "here." in host and "directions" in pieces else 2  # its first part is the means of travel
    if len(stops) < least or not stops[-1]:
        return bool(stops), None
    records = [(north, east) for east, north in _WAYPOINT.findall(path)[-1:]]
    return True, next(filter(None, [_end(stops[-1], turned=turned, chained=turned), *records]), None)


def _end(value: str, *, turned: bool, chained: bool) -> Pair | None:
    legs = _LEGS.split(value)
    return _leg(legs[-1], turned=turned) if legs[1:] or not chained else None


def _leg(text: str, *, turned: bool = False) -> Pair | None:
    found = _LEG.fullmatch(" ".join(text.split()))
    pair = (found[1], found[2]) if found else _of_words(text) if re.search("[.,°º]", text) else None
    return pair[::-1] if pair and turned else pair

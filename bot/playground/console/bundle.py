"""The page in three responses: document, style sheet and script, compressed; browsers cache the last two.

The sources under ``page/`` are small modules, joined here into one script in import order, each in a separate scope: a
slow connection then needs three round trips instead of thirty. There is no build step: the bundle is made on request,
and again when a source has changed.
"""

import gzip
import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aiohttp import web

from bot.playground.console.guard import HEADERS

PAGE: Final = Path(__file__).parent / "page"
PREFIX: Final = "/console/page/"
_TYPES: Final = {
    ".html": "text/html",
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".woff2": "font/woff2",
}
_FOREVER: Final = "max-age=31536000, immutable"
_ASK_AGAIN: Final = "no-cache"
_SHEET: Final = re.compile(r' *<link rel="stylesheet" href="/console/page/(css/[\w-]+\.css)">\n')
_SCRIPT: Final = re.compile(r'(<script type="module" src=")/console/page/js/([\w-]+)\.js(")')
_FONT: Final = re.compile(r'url\("\.\./(fonts/[\w.-]+)"\)')
_IMPORT: Final = re.compile(r'^import (\{[^}]*\}) from "\./([\w-]+)\.js";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async function|function|class|const) (\w+))", re.MULTILINE)
_LEFT_OVER: Final = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


@dataclass(frozen=True)
class Asset:
    """A response: its bytes, also compressed (empty if not smaller), and how long a browser may cache it."""

    body: bytes
    packed: bytes
    content_type: str
    keep: str
    etag: str


class Bundle:
    """The page's assets, rebuilt when a source was edited."""

    def __init__(self, page: Path = PAGE) -> None:
        self._page = page
        self._stamp: tuple[tuple[str, int], ...] = ()
        self._assets: Mapping[str, Asset] = {}

    def answer(self, request: web.Request, name: str) -> web.Response:
        """Return the asset with this name, ``index.html`` for the page itself.

        Raises:
            web.HTTPNotFound: the asset doesn't exist.
        """
        asset = self.assets().get(name)
        if asset is None:
            raise web.HTTPNotFound
        tag = f'"{asset.etag}"'
        headers = {**HEADERS, "Cache-Control": asset.keep, "ETag": tag, "Vary": "Accept-Encoding"}
        if tag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        packed = bool(asset.packed) and "gzip" in request.headers.get("Accept-Encoding", "")
        if packed:
            headers["Content-Encoding"] = "gzip"
        charset = None if asset.content_type.startswith("font/") else "utf-8"
        body = asset.packed if packed else asset.body
        return web.Response(body=body, content_type=asset.content_type, charset=charset, headers=headers)

    def assets(self) -> Mapping[str, Asset]:
        """Return all assets by name below ``/console/page/``."""
        sources = sorted(path for path in self._page.rglob("*") if path.suffix in _TYPES)
        stamp = tuple((str(path), path.stat().st_mtime_ns) for path in sources)
        if stamp != self._stamp:
            self._assets, self._stamp = dict(self._made()), stamp
        return self._assets

    def _made(self) -> Iterator[tuple[str, Asset]]:
        document = (self._page / "index.html").read_text("utf-8")
        entry = _SCRIPT.search(document)
        if entry is None:
            raise ValueError("index.html names no script")
        sheet = "".join((self._page / path).read_text("utf-8") for path in _SHEET.findall(document))
        for path in dict.fromkeys(_FONT.findall(sheet)):
            name, font = _kept(path, (self._page / path).read_bytes())
            sheet = sheet.replace(f"../{path}", PREFIX + name)
            yield name, font
        style, styles = _kept("page.css", sheet.encode())
        script, scripts = _kept("page.js", joined(self._page / "js", entry[2]).encode())
        yield style, styles
        yield script, scripts
        yield "icon.svg", _asset("icon.svg", (self._page / "icon.svg").read_bytes(), _ASK_AGAIN)
        named = rf'<link rel="stylesheet" href="{PREFIX}{style}">\n  \g<1>{PREFIX}{script}\g<3>'
        document = _SCRIPT.sub(named, _SHEET.sub("", document))
        yield "index.html", _asset("index.html", document.encode(), _ASK_AGAIN)


def _asset(path: str, body: bytes, keep: str) -> Asset:
    packed = gzip.compress(body, mtime=0)
    etag = hashlib.sha256(body).hexdigest()[:16]
    return Asset(body, packed if len(packed) < len(body) * 0.9 else b"", _TYPES[Path(path).suffix], keep, etag)


def _kept(path: str, body: bytes) -> tuple[str, Asset]:
    """Return an asset that never changes, because its name contains the hash of its content."""
    asset = _asset(path, body, _FOREVER)
    stem, _, suffix = path.rpartition(".")
    return f"{stem}.{asset.etag}.{suffix}", asset


def joined(folder: Path, entry: str) -> str:
    """Join the modules behind an entry into one module, which exports each of them under its name.

    Raises:
        ValueError: a module imports or exports in another form than ``import { a } from "./b.js";`` and
            ``export function|class|const a``, or modules import each other in a circle.
    """
    done: dict[str, str] = {}

    def add(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"modules import each other: {' → '.join((*above, name))}")
        if name in done:
            return
        source = (folder / f"{name}.js").read_text("utf-8")
        for _, needed in _IMPORT.findall(source):
            add(needed, (*above, name))
        exports = ", ".join(_EXPORT.findall(source))
        body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = $\2;", source))
        if odd := _LEFT_OVER.search(body):
            raise ValueError(f"{name}.js: {odd[0]}")
        done[name] = f"// {name}.js\nconst ${name} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"

    add(entry, ())
    shared = ", ".join(f"${name} as {name}" for name in done)
    return "".join((*done.values(), f"export {{ {shared} }};\n"))

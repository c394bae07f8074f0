"""Short links of maps: where they lead is found step by step, on public addresses only, without reading a page."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from aiohttp import web

from bot.clients.results import open_result_session
from bot.clients.short_links import NoPlaceError, ShortLinks, own_origin
from bot.domain.bookings.places import LinkFlaw, position_behind, short_link
from tests.clients.hosts import Host, Names, open_host

LONG = "https://www.google.com/maps/place/Market/@-0.2,-78.5,17z/data=!3d-0.2101!4d-78.5023"
HERE = "-0.2101, -78.5023"


class Links(dict[str, str]):
    """Where each path leads: an address, or "silence"; any other path is a page."""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        there = self.get(request.path, "")
        if there == "silence":
            await asyncio.sleep(30)
        return web.Response(status=302 if there else 200, headers={"Location": there} if there else {}, text="@1,1")


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    async with open_host() as opened:
        opened.handler = Links().handle
        yield opened


def paths(host: Host) -> list[str]:
    return [one["path"] for one in host.seen]


async def found(url: str, *, own: str = "", address: str = "10.0.0.1", seconds: float = 5.0) -> str:
    async with open_result_session(["127.0.0.1"] if own else [], resolver=Names(address)) as session:
        try:
            return str(await ShortLinks(session=session, own=own, seconds=seconds).position(url))
        except NoPlaceError as nowhere:
            return nowhere.flaw.value


@pytest.mark.parametrize("there", [
    LONG, "https://www.openstreetmap.org/?mlat=-0.2101&mlon=-78.5023", "geo:-0.2101,-78.5023",
    "https://www.waze.com/live-map/directions?to=ll.-0.2101%2C-78.5023",
    "https://consent.google.com/m?continue=https://www.google.com/maps?q=-0.2101,-78.5023&gl=DE",
])  # fmt: skip
async def test_redirect_with_a_position_is_not_opened(host: Host, there: str) -> None:
    host.handler = Links({"/maps/a": there}).handle
    assert await found(f"{host.url}/maps/a", own=host.url) == HERE
    assert paths(host) == ["/maps/a"]


async def test_map_center_behind_short_link_needs_confirmation(host: Host) -> None:
    host.handler = Links({"/maps/a": "https://www.google.com/maps/place/Market/@-0.2101,-78.5023,17z"}).handle
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.DOUBTFUL


async def test_map_page_without_position_is_ignored(host: Host) -> None:
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.NO_POSITION
    assert paths(host) == ["/maps/a"]


@pytest.mark.parametrize("there", [
    "http://127.0.0.1:9/x", "http://169.254.169.254/latest/meta-data", "http://[::1]/", "http://2130706433/",
    "http://metadata.internal/", "http://user:word@example.com/", "file:///etc/passwd", "http://[foo",
])  # fmt: skip
async def test_redirect_to_private_address_is_refused(host: Host, there: str) -> None:
    """The own service is asked for its own link, and not whatever that names on the same machine."""
    host.handler = Links({"/maps/a": there, "/x": LONG}).handle
    assert await found(f"{host.url}/maps/a", own=host.url) in (LinkFlaw.PRIVATE, LinkFlaw.NO_POSITION)
    host.handler = Links({"/maps/a": f"{host.url}/x", "/x": LONG}).handle
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.PRIVATE
    assert "/x" not in paths(host)


async def test_public_name_resolving_to_private_address_is_not_fetched(host: Host) -> None:
    host.handler = Links({"/abc": LONG}).handle
    port = host.url.rpartition(":")[2]
    assert await found(f"http://maps.app.goo.gl:{port}/abc", address="127.0.0.1") == LinkFlaw.PRIVATE
    assert host.seen == []


async def test_lookup_ends_after_limited_steps_and_seconds(host: Host) -> None:
    assert await found("https://maps.app.goo.gl/abc", address="10.1.2.3") == LinkFlaw.PRIVATE
    host.handler = Links({"/maps/a": "silence"}).handle
    assert await found(f"{host.url}/maps/a", own=host.url, seconds=0.3) == LinkFlaw.UNREACHABLE
    host.handler = Links({"/maps/a": "https://a0.example.com/"}).handle
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.PRIVATE


async def test_silent_service_is_unknown() -> None:
    assert await found("http://127.0.0.1:1/maps/a", own="http://127.0.0.1:1") == LinkFlaw.UNREACHABLE


@pytest.mark.parametrize(("text", "link"), [
    ("https://maps.app.goo.gl/abc", "https://maps.app.goo.gl/abc"),
    (" <https://maps.app.goo.gl/abc|map> ", "https://maps.app.goo.gl/abc"),
    ("maps.app.goo.gl/abc", "https://maps.app.goo.gl/abc"),
    ("https://www.waze.com/ul/h6rbkr1x9q", "https://www.waze.com/ul/h6rbkr1x9q"),
    ("osm.org/go/0EEQjE--", "https://osm.org/go/0EEQjE--"), ("https://www.waze.com/ul?ll=-0.18,-78.46", ""),
    ("https://www.google.com/maps/@-0.2101,-78.5023,17z", ""), ("https://example.com/abc", ""),
    ("https://maps.app.goo.gl/", ""), ("ftp://goo.gl/maps/abc", ""), ("-0.18, -78.46", ""), ("https://[", ""),
    ("https://maps.app.goo.gl.evil.example/abc", ""), ("http://127.0.0.1:8080/maps/a", ""),
])  # fmt: skip
def test_which_texts_are_short_links(text: str, link: str) -> None:
    assert short_link(text) == link


def test_links_of_a_service_on_this_machine_are_short_ones_too() -> None:
    assert own_origin("http://127.0.0.1:8080/api") == "http://127.0.0.1:8080"
    assert own_origin("https://delivery.example.com/api") == ""
    assert short_link("http://127.0.0.1:8080/maps/a", own="http://127.0.0.1:8080") == "http://127.0.0.1:8080/maps/a"
    assert short_link("http://127.0.0.1:80801/maps/a", own="http://127.0.0.1:8080") == ""
    assert position_behind("https://example.com/?continue=javascript:alert(1)") is None

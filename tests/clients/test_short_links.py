"""Short links of maps: where they lead is found step by step, on public addresses only, without reading a page."""

import asyncio
import socket
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.test_utils import TestServer

from bot.clients.results import open_result_session
from bot.clients.short_links import NoPlaceError, ShortLinks, own_origin
from bot.domain.bookings.places import LinkFlaw, position_behind, short_link

LONG = "https://www.google.com/maps/place/Market/@-0.2,-78.5,17z/data=!3d-0.2101!4d-78.5023"
HERE = "-0.2101, -78.5023"


class Names(AbstractResolver):
    """A name service on which every name is this machine, or an address inside."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.asked: list[str] = []

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - the protocol's name
    ) -> list[ResolveResult]:
        self.asked.append(host)
        return [ResolveResult(hostname=host, host=self.address, port=port, family=socket.AF_INET, proto=0, flags=0)]

    async def close(self) -> None:
        return None


class Host:
    """Answers each path with a redirect, a page or silence."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.leads: dict[str, str] = {}
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(request.path)
        there = self.leads.get(request.path, "")
        if there == "silence":
            await asyncio.sleep(30)
        return web.Response(status=302 if there else 200, headers={"Location": there} if there else {}, text="@1,1")


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    made = Host()
    app = web.Application()
    app.router.add_get("/{path:.*}", made.handle)
    async with TestServer(app) as server:
        made.url = f"http://127.0.0.1:{server.port}"
        yield made


async def found(url: str, *, own: str = "", address: str = "10.0.0.1", seconds: float = 5.0) -> str:
    async with open_result_session(["127.0.0.1"] if own else [], resolver=Names(address)) as session:
        try:
            return str(await ShortLinks(session=session, own=own, seconds=seconds).position(url))
        except NoPlaceError as nowhere:
            return nowhere.flaw.value


@pytest.mark.parametrize(
    "there",
    [
        LONG,
        "https://www.openstreetmap.org/?mlat=-0.2101&mlon=-78.5023",
        "https://www.waze.com/live-map/directions?to=ll.-0.2101%2C-78.5023",
        "https://consent.google.com/m?continue=https://www.google.com/maps?q=-0.2101,-78.5023&gl=DE",
        "geo:-0.2101,-78.5023",
    ],
)
async def test_the_first_address_that_holds_a_position_is_enough_and_is_not_opened(host: Host, there: str) -> None:
    host.leads = {"/maps/a": there}
    assert await found(f"{host.url}/maps/a", own=host.url) == HERE
    assert host.seen == ["/maps/a"]


async def test_middle_of_a_map_behind_a_short_link_is_asked_about(host: Host) -> None:
    host.leads = {"/maps/a": "https://www.google.com/maps/place/Market/@-0.2101,-78.5023,17z"}
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.DOUBTFUL


async def test_a_page_without_a_position_is_not_read(host: Host) -> None:
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.NO_POSITION
    assert host.seen == ["/maps/a"]


@pytest.mark.parametrize(
    "there",
    [
        "http://127.0.0.1:9/x",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]/",
        "http://2130706433/",
        "http://metadata.internal/",
        "http://user:word@example.com/",
        "file:///etc/passwd",
    ],
)
async def test_a_redirect_leads_nowhere_inside(host: Host, there: str) -> None:
    """The own service is asked for its own link, and not whatever that names on the same machine."""
    host.leads = {"/maps/a": there, "/x": LONG}
    assert await found(f"{host.url}/maps/a", own=host.url) in (LinkFlaw.PRIVATE, LinkFlaw.NO_POSITION)
    host.leads["/maps/a"] = f"{host.url}/x"
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.PRIVATE
    assert "/x" not in host.seen


async def test_a_public_name_that_resolves_inside_is_not_asked(host: Host) -> None:
    host.leads = {"/abc": LONG}
    port = host.url.rpartition(":")[2]
    assert await found(f"http://maps.app.goo.gl:{port}/abc", address="127.0.0.1") == LinkFlaw.PRIVATE
    assert host.seen == []


async def test_it_ends_after_some_steps_and_some_seconds(host: Host) -> None:
    public = [f"https://a{number}.example.com/" for number in range(9)]
    assert await found("https://maps.app.goo.gl/abc", address="10.1.2.3") == LinkFlaw.PRIVATE
    host.leads = {"/maps/a": "silence"}
    assert await found(f"{host.url}/maps/a", own=host.url, seconds=0.3) == LinkFlaw.UNREACHABLE
    host.leads = {"/maps/a": public[0]}
    assert await found(f"{host.url}/maps/a", own=host.url) == LinkFlaw.PRIVATE


async def test_nobody_answers(host: Host) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    port = silent.getsockname()[1]
    silent.close()
    own = f"http://127.0.0.1:{port}"
    assert await found(f"{own}/maps/a", own=own) == LinkFlaw.UNREACHABLE


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("https://maps.app.goo.gl/abc", "https://maps.app.goo.gl/abc"),
        (" <https://maps.app.goo.gl/abc|map> ", "https://maps.app.goo.gl/abc"),
        ("maps.app.goo.gl/abc", "https://maps.app.goo.gl/abc"),
        ("https://www.waze.com/ul/h6rbkr1x9q", "https://www.waze.com/ul/h6rbkr1x9q"),
        ("osm.org/go/0EEQjE--", "https://osm.org/go/0EEQjE--"),
        ("https://www.waze.com/ul?ll=-0.18,-78.46", ""),
        ("https://www.google.com/maps/@-0.2101,-78.5023,17z", ""),
        ("https://example.com/abc", ""),
        ("https://maps.app.goo.gl/", ""),
        ("ftp://goo.gl/maps/abc", ""),
        ("https://maps.app.goo.gl.evil.example/abc", ""),
        ("http://127.0.0.1:8080/maps/a", ""),
        ("-0.18, -78.46", ""),
        ("https://[", ""),
    ],
)
def test_which_texts_are_short_links(text: str, link: str) -> None:
    assert short_link(text) == link


def test_links_of_a_service_on_this_machine_are_short_ones_too() -> None:
    assert own_origin("http://127.0.0.1:8080/api") == "http://127.0.0.1:8080"
    assert own_origin("https://delivery.example.com/api") == ""
    assert short_link("http://127.0.0.1:8080/maps/a", own="http://127.0.0.1:8080") == "http://127.0.0.1:8080/maps/a"
    assert short_link("http://127.0.0.1:80801/maps/a", own="http://127.0.0.1:8080") == ""
    assert position_behind("https://example.com/?continue=javascript:alert(1)") is None

"""What a service made is fetched from where it says, without a key and never from inside private networks."""

import asyncio
import gzip
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web
from aiohttp.abc import AbstractResolver
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.results import GuardedResolver, PrivateAddressError, Results, announced_name, open_result_session
from bot.domain.errors import ServiceNever, ServiceNow
from tests.clients.hosts import Host, Names, open_host, saying
from tests.support.troubles import says

DATA = bytes(range(256)) * 1_000


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    async with open_host() as opened:
        opened.handler = saying(body=DATA, content_type="audio/mpeg")
        yield opened


@asynccontextmanager
async def results(
    own: tuple[str, ...] = ("127.0.0.1",), resolver: AbstractResolver | None = None, total: float = 5.0
) -> AsyncIterator[Results]:
    session = open_result_session(own, resolver=resolver)
    try:
        yield Results(session=session, own=own, total=total)
    finally:
        await session.close()


@pytest.fixture
async def fetcher() -> AsyncIterator[Results]:
    async with results() as opened:
        yield opened


async def fetch(fetcher: Results, url: str, *, limit: int = 1_000_000) -> bytes:
    async with fetcher.open(url, service="localization", limit=limit) as result:
        return b"".join([piece async for piece in result])


async def fetch_as(own: str, names: Names | None, url: str) -> bytes:
    async with results(own=(own,), resolver=names) as fetcher:
        return await fetch(fetcher, url)


async def test_a_result_is_fetched_with_nothing_of_ours(host: Host, fetcher: Results) -> None:
    url = f"{host.url}/out/vocals%20a.mp3?x=1"
    async with fetcher.open(url, service="localization", limit=1_000_000) as result:
        assert (result.length, result.content_type, result.name) == (len(DATA), "audio/mpeg", "vocals a.mp3")
        assert b"".join([piece async for piece in result]) == DATA
    sent = {name.lower() for name in host.seen[0]}
    assert sent == {"path", "host", "accept", "accept-encoding", "connection", "user-agent"}


async def test_without_a_length(host: Host, fetcher: Results) -> None:
    async def chunked(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse()
        answer.enable_chunked_encoding()
        await answer.prepare(request)
        await answer.write(DATA)
        return answer

    host.handler = chunked
    assert await fetch(fetcher, host.url, limit=len(DATA)) == DATA
    async with fetcher.open(host.url, service="s", limit=len(DATA) - 1) as result:
        assert result.length is None
        with pytest.raises(ServiceNever, check=says("too large")):
            async for _ in result:
                pass
        assert isinstance(result.failure, ServiceNever)


async def test_compressed_result_is_kept_unchanged(host: Host, fetcher: Results) -> None:
    packed = gzip.compress(DATA)
    host.handler = saying(body=packed, headers={"Content-Encoding": "gzip"})
    assert await fetch(fetcher, host.url, limit=len(packed)) == packed


async def test_too_large_is_not_begun(host: Host, fetcher: Results) -> None:
    with pytest.raises(ServiceNever, check=says("too large")):
        await fetch(fetcher, host.url, limit=len(DATA) - 1)
    assert await fetch(fetcher, host.url, limit=len(DATA)) == DATA


@pytest.mark.parametrize("there", [
    "http://127.0.0.1:{port}/", "http://localhost:{port}/", "http://[::1]:{port}/",
    "http://[::ffff:127.0.0.1]:{port}/", "http://2130706433:{port}/", "http://0x7f000001:{port}/",
    "http://0177.0.0.1:{port}/", "http://127.1:{port}/", "http://0:{port}/",
    "http://169.254.169.254/latest/meta-data/",
])  # fmt: skip
async def test_private_result_address_is_not_fetched(host: Host, there: str) -> None:
    with pytest.raises(ServiceNever):
        await fetch_as("service.example", None, there.format(port=host.port))
    assert host.seen == []


@pytest.mark.parametrize("there", [
    "ftp://example.com/a", "file:///etc/passwd", "//x", "", "http://", "http://u:p@127.0.0.1/", "http://[x",
    "gopher:1",
])  # fmt: skip
async def test_invalid_addresses_are_not_called(fetcher: Results, there: str) -> None:
    with pytest.raises(ServiceNever):
        await fetch(fetcher, there)


async def test_name_of_a_private_address_is_refused(host: Host) -> None:
    """It is looked up once: what it says then, for whoever connects, does not count."""
    names = Names(evil_example=["127.0.0.1", "93.184.216.34"])
    with pytest.raises(ServiceNever, check=says("private")):
        await fetch_as("service.example", names, f"http://evil.example:{host.port}/")
    assert (host.seen, names.asked) == ([], ["evil.example"])
    resolver = GuardedResolver(own=(), resolver=Names(evil_example=["192.0.2.1"]))
    with pytest.raises(PrivateAddressError):
        await resolver.resolve("evil.example", 80)  # a documentation address is none either


async def test_the_services_own_host_may_be_private(host: Host) -> None:
    names = Names(service_internal=["127.0.0.1"])
    assert await fetch_as("Service.Internal.", names, f"http://service.internal:{host.port}/a.mp3") == DATA
    assert "Authorization" not in host.seen[0]


async def test_host_of_the_service_is_the_connected_host(host: Host) -> None:
    """``fass.internal`` is somebody else's."""
    names = Names()
    names.names["xn--fa-hia.internal"] = ["127.0.0.1"]
    url = f"http://faß.internal:{host.port}/a.mp3"
    assert await fetch_as("faß.internal", names, url) == DATA
    with pytest.raises(ServiceNever, check=says("private")):
        await fetch_as("fass.internal", names, url)
    assert names.asked == ["xn--fa-hia.internal"]


async def test_redirect_target_is_checked_like_the_first_address(host: Host, fetcher: Results) -> None:
    async def away(request: web.Request) -> web.Response:
        if request.path == "/there":
            return web.Response(body=b"moved")
        where = {"/a": "/there", "/evil": "http://169.254.169.254/", "/odd": "http://[foo", "/none": ""}
        return web.Response(status=302, headers={"Location": where.get(request.path, request.path)})

    host.handler = away
    assert await fetch(fetcher, f"{host.url}/a") == b"moved"
    for path in ("/evil", "/odd", "/round", "/none"):
        with pytest.raises(ServiceNever):
            await fetch(fetcher, f"{host.url}{path}")


@pytest.mark.parametrize(
    ("status", "kind"), [(404, ServiceNever), (403, ServiceNever), (500, ServiceNow), (429, ServiceNow)]
)
async def test_result_host_answer_decides_the_outcome(
    host: Host, fetcher: Results, status: int, kind: type[Exception]
) -> None:
    host.handler = saying(status=status, text="<html>")
    with pytest.raises(kind) as told:
        await fetch(fetcher, f"{host.url}/a-signed-path")
    assert "a-signed-path" not in str(told.value)


async def test_a_host_that_is_silent_or_not_there(host: Host, fetcher: Results) -> None:
    async def dawdle(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Length": "100"})
        await answer.prepare(request)
        await answer.write(b"x")
        await gone.wait()
        return answer

    gone = asyncio.Event()
    host.handler = dawdle
    async with results(total=0.2) as impatient:
        with pytest.raises(ServiceNow):
            await fetch(impatient, host.url)
    gone.set()
    with pytest.raises(ServiceNow):
        await fetch(fetcher, "http://127.0.0.1:1/")


async def test_a_session_keeps_nothing_between_results(host: Host, fetcher: Results) -> None:
    host.handler = saying(body=b"x", headers={"Set-Cookie": "a=b"})
    for _ in range(2):
        await fetch(fetcher, host.url)
    assert "Cookie" not in host.seen[1]


# What an answer calls its file.


@pytest.mark.parametrize(("header", "name"), [
    ('attachment; filename="processed.csv"', "processed.csv"),
    ("attachment; filename=processed.csv", "processed.csv"),
    ('ATTACHMENT; FileName="a.csv"', "a.csv"),
    ('attachment; filename="a;b.csv"', "a;b.csv"),
    ('attachment; filename="a\\"b.csv"', 'a"b.csv'),
    ("attachment; filename*=UTF-8''Jos%C3%A9%20%E2%82%AC.csv", "José €.csv"),
    ("attachment; filename*=iso-8859-1'en'Jos%E9.csv", "José.csv"),
    ("attachment; filename=\"plain.csv\"; filename*=UTF-8''Jos%C3%A9.csv", "José.csv"),
    ("attachment; filename*0=long-; filename*1=name.csv", "long-name.csv"),
    ('attachment; filename="../../etc/na me.wav"', "na me.wav"),
    ("attachment; filename*=UTF-8''..%2F..%5Cetc%5Cpasswd", "passwd"),
    ('attachment; filename="C:/Users/ana/list.csv"', "list.csv"),
    ('attachment; myfilename="a.csv"', ""),
    ("attachment; filename*=UTF-7''a.csv", "a.csv"),
    ("attachment; filename*=nothing''a%E9.csv", ""),
    ("attachment; filename=two words.csv", ""), ('attachment; filename=""', ""), ("attachment", ""), ("", ""),
    (";;;", ""),
])  # fmt: skip
def test_the_announced_name(header: str, name: str) -> None:
    assert announced_name(header) == name


@given(
    st.text(max_size=80) | st.text(alphabet="filename*01='\"\\\\;%/. UTF-8é", max_size=80).map("attachment; {}".format)
)
def test_any_content_disposition_gives_a_name(header: str) -> None:
    assert "/" not in announced_name(header)

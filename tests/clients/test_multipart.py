"""Forms on the wire: their length is told, a file goes out once while it is read, no name breaks out of its line."""

import io
import re

import pytest
from aiohttp import BytesIOPayload, MultipartWriter

from bot.clients.multipart import make_form
from bot.clients.transport import PreparedRequest, Transport, open_session
from bot.domain.outcome import Reply
from tests.clients.conftest import in_pieces
from tests.clients.wire_server import Arrived, answer, wire_server

FIELDS = {"text": "José\r\n--b", "list[0]": "1.2"}


async def sent(form: MultipartWriter) -> tuple[Reply, list[Arrived]]:
    async with wire_server(answer(b"{}")) as server, open_session() as session:
        transport = Transport(session=session, base_url=server.url, service="s")
        headers = {"Content-Type": form.content_type}
        reply = await transport.send(
            PreparedRequest(operation="s.x", method="POST", path="/x", headers=headers, body=form)
        )
        return reply, server.requests


async def test_upload_is_sent_whole_with_content_length() -> None:
    file = in_pieces(bytes(range(256)) * 100)
    form = make_form(FIELDS, ("clip", file))
    reply, (request,) = await sent(form)
    boundary = form.boundary.encode()
    assert reply.status == 200
    assert request.headers["content-length"] == str(form.size)
    assert "transfer-encoding" not in request.headers
    assert request.headers["content-type"] == f"multipart/form-data; boundary={form.boundary}"
    text, numbered, clip, end = re.split(b"(?:^|\r\n)--" + re.escape(boundary), request.body)[1:]
    assert text == '\r\nContent-Disposition: form-data; name="text"\r\n\r\nJosé\r\n--b'.encode()
    assert numbered == b'\r\nContent-Disposition: form-data; name="list[0]"\r\n\r\n1.2'
    head, _, content = clip.partition(b"\r\n\r\n")
    assert set(head.strip().split(b"\r\n")) == {
        b"Content-Type: audio/mpeg",
        b'Content-Disposition: form-data; name="clip"; filename="file.mp3"',
    }
    assert content == bytes(range(256)) * 100
    assert end == b"--\r\n"
    assert (file.sent, file.trouble) == (25_600, None)


async def test_encoded_form_equals_the_bytes_sent() -> None:
    form = make_form(FIELDS, ("file", BytesIOPayload(io.BytesIO(b"a,b\n"), content_type="text/csv", filename="a.csv")))
    content = await form.as_bytes()
    assert len(content) == form.size
    assert b'name="file"; filename="a.csv"\r\n\r\na,b\n\r\n' in content


@pytest.mark.parametrize("size", [2_999, 3_001])
async def test_upload_with_wrong_length_is_not_a_complete_request(size: int) -> None:
    file = in_pieces(bytes(3_000), size=size)
    reply, requests = await sent(make_form({}, ("clip", file)))
    assert reply.status is None
    assert isinstance(file.trouble, ValueError)
    assert file.consumed
    assert not requests


@pytest.mark.parametrize("name", ["a\r\nX: y", "a\nX: y", "a\x00"])
def test_no_name_breaks_out_of_its_line(name: str) -> None:
    for fields, file in (
        ({name: "1"}, None),
        ({}, (name, in_pieces(b"x"))),
        ({}, ("clip", in_pieces(b"x", name=name))),
    ):
        with pytest.raises(ValueError, match="header"):
            make_form(fields, file)


async def test_quotation_mark_in_file_name_is_escaped() -> None:
    content = await make_form({'a"; filename="b': "1"}).as_bytes()
    assert b'; name="a\\"; filename=\\"b"\r\n' in content

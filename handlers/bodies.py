"""Reading what somebody sends before it is known who they are."""

import asyncio

from aiohttp import web

_SECONDS = 10.0
_CHUNK = 16_384


async def read_body(request: web.Request, *, largest: int) -> bytes | web.Response:
    """The body, or the refusal to answer with: nothing that arrives here may become a 500.

    Args:
        request: its body has not been read yet.
        largest: bytes; a compressed body counts unpacked.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(_SECONDS):
            async for chunk in request.content.iter_chunked(_CHUNK):
                body += chunk
                if len(body) > largest:
                    return web.Response(status=413)
    except TimeoutError:
        return web.Response(status=408)
    except (web.RequestPayloadError, ConnectionError):  # broken encoding, or nobody there any more
        return web.Response(status=400)
    return bytes(body)

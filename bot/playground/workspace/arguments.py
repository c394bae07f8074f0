"""Arguments of a Web API call, however the client library sent them: JSON, form, query, JSON inside a form value."""

import json
from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.model import Json

_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")


class Arguments:
    """The arguments by name, read as the method needs them."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw: Json = dict(raw)

    def __contains__(self, name: str) -> bool:
        return self.raw.get(name) is not None

    def text(self, name: str, default: str | None = None) -> str:
        """A string.

        Raises:
            ApiRefusal: ``invalid_arguments`` when it is missing and there is no default.
        """
        value = self.raw.get(name)
        if value is None or (value == "" and default is None):
            if default is None:
                raise ApiRefusal.explained("invalid_arguments", [f"missing required field: {name}"])
            return default
        if isinstance(value, dict | list):
            raise ApiRefusal.explained("invalid_arguments", [f"must be a string [json-pointer:/{name}]"])
        return str(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean, also as ``1``, ``true`` or ``"true"``."""
        value = self.raw.get(name)
        if value is None or value == "":
            return default
        return str(value).lower() in ("1", "true")

    def number(self, name: str, default: int) -> int:
        """A whole number."""
        value = self.raw.get(name)
        if value is None or value == "":
            return default
        try:
            return int(value)
        except (TypeError, ValueError):
            raise ApiRefusal.explained("invalid_arguments", [f"must be an integer [json-pointer:/{name}]"]) from None

    def structure(self, name: str, *, error: str = "invalid_arguments") -> Any:
        """A list or object, sent as such or as a JSON string; None when absent.

        Raises:
            ApiRefusal: ``error`` when it is not JSON.
        """
        value = self.raw.get(name)
        if not isinstance(value, str):
            return value
        if not value:
            return None
        try:
            return json.loads(value)
        except ValueError:
            raise ApiRefusal(error) from None

    def words(self, name: str) -> list[str]:
        """A list of strings, sent as a list or with commas."""
        value = self.raw.get(name)
        if isinstance(value, list):
            return [str(one) for one in value]
        return [word.strip() for word in str(value or "").split(",") if word.strip()]


async def read_arguments(request: web.Request) -> Json:
    """All arguments of a request; the body wins over the query.

    Raises:
        ApiRefusal: The body is not what its content type says.
    """
    arguments: Json = dict(request.query)
    if request.method != "POST":
        return arguments
    if request.content_type == "application/json":
        arguments |= await _from_json(request)
    elif request.content_type in _FORMS:
        arguments |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    return arguments


async def _from_json(request: web.Request) -> Json:
    try:
        body = await request.json()
    except ValueError:
        raise ApiRefusal("invalid_json") from None
    if not isinstance(body, dict):
        raise ApiRefusal("json_not_object")
    return body

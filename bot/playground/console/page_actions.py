"""Actions of the page on behalf of a person: each POST is one act in the workspace or one switch."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from bot.playground.console.feed import Feed, Note
from bot.playground.console.guard import HEADERS
from bot.playground.console.panels import ServicePanel
from bot.playground.workspace import ImpossibleAct, Workspace

Json = dict[str, Any]
PageAction = Callable[[Json], Awaitable[None]]

_NEVER_TAKEN = frozenset({"type", "action_id", "block_id", "text", "values", "value"})
_OPTION_KINDS = frozenset({"static_select", "radio_buttons", "overflow", "external_select"})


INVITE = "/invite"


class BadRequestError(ValueError):
    """The page sent something it never sends; the sentence names the field."""


class PageActions:
    """The handlers of ``POST /console/{action}``. They answer ``{}``, or ``{"error": sentence}`` with 400 or 409."""

    def __init__(self, *, workspace: Workspace, services: Mapping[str, ServicePanel], feed: Feed) -> None:
        self._workspace = workspace
        self._services = services
        self._feed = feed
        self.table: Mapping[str, PageAction] = {
            "say": self._say,
            "share": self._share,
            "shortcut": self._shortcut,
            "delete-file": self._delete_file,
            "slash": self._slash,
            "act": self._act,
            "act-in-view": self._act_in_view,
            "act-at-home": self._act_at_home,
            "submit": self._submit,
            "close": self._close,
            "home": self._home,
            "faults": self._arm,
            "behave": self._behave,
        }

    def handler(self, action: PageAction) -> Callable[[web.Request], Awaitable[web.Response]]:
        """A page action as a request handler."""

        async def handle(request: web.Request) -> web.Response:
            try:
                await action(await _body(request))
            except BadRequestError as problem:
                return _answer(400, {"error": str(problem)})
            except ImpossibleAct as problem:
                return _answer(409, {"error": f"That isn't possible here: {problem}."})
            return _answer(200, {})

        return handle

    # in the name of a person

    async def _say(self, body: Json) -> None:
        await self._workspace.say(
            _text(body, "as"), _text(body, "channel"), _text(body, "text"), thread_ts=body.get("thread_ts") or None
        )

    async def _share(self, body: Json) -> None:
        files = body.get("files")
        if not isinstance(files, list) or not files or not all(isinstance(one, str) for one in files):
            raise BadRequestError("files: a list of ids is missing.")
        await self._workspace.share(
            _text(body, "as"),
            _text(body, "channel"),
            *files,
            text=str(body.get("text") or ""),
            thread_ts=body.get("thread_ts") or None,
        )

    async def _shortcut(self, body: Json) -> None:
        await self._workspace.shortcut(
            _text(body, "as"), _text(body, "callback_id"), channel=_text(body, "channel"), ts=_text(body, "ts")
        )

    async def _delete_file(self, body: Json) -> None:
        await self._workspace.delete_file(_text(body, "as"), _text(body, "file"))

    async def _invite(self, body: Json) -> None:
        """``/invite @name``: Slack's own command, here because the bot tells people to use it."""
        names = {user.name.lower(): user.id for user in self._workspace.users.values()}
        wanted = [name.removeprefix("@").lower() for name in str(body.get("text") or "").split()]
        if not wanted or any(name not in names for name in wanted):
            raise BadRequestError("/invite takes names of people here, for example /invite @Switchboard")
        channel, invited = _text(body, "channel"), [names[name] for name in wanted]
        self._workspace.invite(channel, *invited)
        told = ", ".join(f"@{self._workspace.users[user].name}" for user in invited)
        await self._workspace.say(_text(body, "as"), channel, f"invited {told}")

    async def _slash(self, body: Json) -> None:
        command = _text(body, "command")
        if command == INVITE:
            await self._invite(body)
            return
        known = self._workspace.commands
        if known and command not in known:
            offered = ", ".join(sorted(known))
            raise BadRequestError(f"{command} is not a command here. There is {offered}.")
        await self._workspace.slash(_text(body, "as"), _text(body, "channel"), command, str(body.get("text") or ""))

    async def _act(self, body: Json) -> None:
        action = _action(body)
        await self._workspace.click(
            _text(body, "as"),
            _text(body, "channel"),
            _text(body, "ts"),
            action["action_id"],
            block_id=action["block_id"] or None,
            value=_chosen(action),
            action=_fields(action),
        )

    async def _act_in_view(self, body: Json) -> None:
        action = _action(body)
        await self._workspace.click_in_view(
            _text(body, "as"),
            action["action_id"],
            block_id=action["block_id"] or None,
            value=_chosen(action),
            action=_fields(action),
            values=_values(action),
        )

    async def _act_at_home(self, body: Json) -> None:
        action = _action(body)
        await self._workspace.click_in_view(
            _text(body, "as"),
            action["action_id"],
            block_id=action["block_id"] or None,
            value=_chosen(action),
            action=_fields(action),
            home=True,
        )

    async def _submit(self, body: Json) -> None:
        await self._workspace.submit(_text(body, "as"), _values(body))

    async def _close(self, body: Json) -> None:
        top = self._workspace.modal(_text(body, "as"))
        if top is not None and top.id == _text(body, "view"):  # a late or second tap must not close a newer form
            await self._workspace.close(_text(body, "as"), clear=body.get("clear") is True)

    async def _home(self, body: Json) -> None:
        await self._workspace.open_home(_text(body, "as"))

    # behind the scenes

    async def _arm(self, body: Json) -> None:
        service = self._service(body)
        times = body.get("times")
        if times is not None and not (isinstance(times, int) and times > 0):
            raise BadRequestError("times: a positive number, or nothing for every time.")
        try:
            service.arm(_text(body, "operation"), _text(body, "kind"), times)
        except ValueError as problem:
            raise BadRequestError(str(problem)) from None
        self._feed.add(Note(kind="service", service=service.name))

    async def _behave(self, body: Json) -> None:
        service = self._service(body)
        service.behave()
        self._feed.add(Note(kind="service", service=service.name))

    def _service(self, body: Json) -> ServicePanel:
        name = _text(body, "service")
        if name not in self._services:
            raise BadRequestError(f"service: there is no {name!r}.")
        return self._services[name]


async def _body(request: web.Request) -> Json:
    try:
        body = await request.json()
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise BadRequestError("The body is no JSON.") from None
    if not isinstance(body, dict):
        raise BadRequestError("The body is no JSON object.")
    return body


def _answer(status: int, body: Json) -> web.Response:
    return web.json_response(body, status=status, headers=HEADERS)


def _text(body: Json, name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequestError(f"{name}: a text is missing.")
    return value


def _action(body: Json) -> Json:
    action = body.get("action")
    if not isinstance(action, dict) or not isinstance(action.get("action_id"), str):
        raise BadRequestError("action: an object with an action_id is missing.")
    return {"block_id": "", **action}


def _chosen(action: Json) -> str | None:
    """Value of the chosen option for menus; None for a button, typed text unchanged."""
    option = action.get("selected_option")
    if action.get("type") in _OPTION_KINDS and isinstance(option, dict):
        return str(option.get("value", ""))
    value = action.get("value")
    return value if isinstance(value, str) and action.get("type") != "button" else None


def _fields(action: Json) -> Json:
    """The state an action carries, e.g. ``selected_user``; ids and button values come from the message itself."""
    return {key: value for key, value in action.items() if key not in _NEVER_TAKEN}


def _values(source: Json) -> Json:
    values = source.get("values") or {}
    if not isinstance(values, dict):
        raise BadRequestError("values: an object by block id is expected.")
    return {block: _entered(value) for block, value in values.items()}


def _entered(value: Any) -> Any:
    """Return the value entered into an element; for files only their ids, because the workspace has the rest."""
    if isinstance(value, dict) and value.get("type") == "file_input":
        return [str(file.get("id")) for file in value.get("files") or [] if isinstance(file, dict)]
    return value

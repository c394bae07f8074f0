"""The console: mounts the page, its picture of the workspace, its event stream and its actions on an application."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import asdict, dataclass

from aiohttp import web

from bot.playground.console import panels
from bot.playground.console.bundle import Bundle
from bot.playground.console.feed import Feed, Note
from bot.playground.console.files import FileDesk
from bot.playground.console.guard import HEADERS, LOOPBACK_HOSTS, Guard
from bot.playground.console.page_actions import PageActions
from bot.playground.console.panels import ServicePanel
from bot.playground.console.shapes import Shapes
from bot.playground.console.stream import Stream
from bot.playground.workspace import Change, Workspace

_MESSAGE_KINDS = frozenset({"message", "message_changed", "message_deleted", "ephemeral"})


@dataclass(frozen=True, kw_only=True)
class Guide:
    """Start of the tour: a command to try, its person and channel. Empty fields mean the first person or channel.

    Attributes:
        again: a second command, with another recipient.
        sample_name: name of a table to drop; without one, the tour leaves out files.
        sample: its text.
        book: the command that requests a delivery, to be typed in ``book_channel``; empty as above.
    """

    try_it: str = ""
    again: str = ""
    person: str = ""
    channel: str = ""
    sample_name: str = ""
    sample: str = ""
    book: str = ""
    book_channel: str = ""


class Console:
    """The web page on top of one workspace. Mount it before the application starts; it ends with the application.

    Attributes:
        hosts: names under which the console answers; others are refused (DNS rebinding).
    """

    def __init__(
        self,
        *,
        workspace: Workspace,
        services: Sequence[ServicePanel] = (),
        guide: Guide | None = None,
        title: str = "Switchboard",
        hosts: Collection[str] = LOOPBACK_HOSTS,
    ) -> None:
        self._workspace = workspace
        self._services = {service.name: service for service in services}
        self._guide = guide or Guide()
        self._title = title
        self._guard = Guard(hosts=hosts)
        self._feed = Feed()
        self._shapes = Shapes(workspace=workspace)
        self._bot = ""
        self._stream = Stream(
            feed=self._feed,
            workspace=workspace,
            shapes=self._shapes,
            services=self._services,
            bot=lambda: self._bot,
        )
        self._files = FileDesk(workspace=workspace)
        self._bundle = Bundle()
        self._page_actions = PageActions(workspace=workspace, services=self._services, feed=self._feed)

    def tell_of_bot(self, words: str) -> None:
        """Set the notice about the bot on every page; empty while it runs."""
        if words != self._bot:
            self._bot = words
            self._feed.add(Note(kind="bot"))

    def mount(self, app: web.Application) -> None:
        """Add the routes: ``/``, ``/console/…``; and the tasks that follow workspace and services."""
        add, guarded = app.router.add_route, self._guard
        add("GET", "/", guarded(self._index))
        add("GET", "/console/page/{path:.+}", guarded(self._asset))
        add("GET", "/console/state", guarded(self._state))
        add("GET", "/console/stream", guarded(self._follow))
        add("GET", "/console/files/{file}", guarded(self._files.hand_out))
        add("POST", "/console/upload", guarded(self._files.take_in))
        for name, action in self._page_actions.table.items():
            add("POST", f"/console/{name}", guarded(self._page_actions.handler(action)))
        app.cleanup_ctx.append(self._following)
        app.on_shutdown.append(self._release)

    # the page

    async def _index(self, request: web.Request) -> web.Response:
        return self._bundle.answer(request, "index.html")

    async def _asset(self, request: web.Request) -> web.Response:
        return self._bundle.answer(request, request.match_info["path"])

    # what the page reads

    async def _state(self, request: web.Request) -> web.Response:
        viewer = self._viewer(request)
        self._workspace.open_dm(viewer)
        workspace = {
            "name": self._title,
            "url": self._workspace.url,
            "bot": self._workspace.identity.bot_user_id,
            "boot": self._feed.run,
        }
        picture = {
            "position": self._feed.position,
            "workspace": workspace,
            "guide": asdict(self._guide),
            "commands": self._shapes.commands(),
            "shortcuts": self._shapes.shortcuts(),
            **self._shapes.places(viewer),
            "messages": self._shapes.messages(viewer),
            **self._shapes.modal(viewer),
            "home": self._shapes.home(viewer),
            "bot": self._bot,
            "services": [panels.picture(service) for service in self._services.values()],
        }
        answer = web.json_response(picture, headers=HEADERS)
        answer.enable_compression()
        return answer

    async def _follow(self, request: web.Request) -> web.StreamResponse:
        return await self._stream.serve(request, self._viewer(request))

    def _viewer(self, request: web.Request) -> str:
        """Viewer of the page: ``as``, else the guide's person, else the first person."""
        actors = [user.id for user in self._shapes.actors()]
        for wanted in (request.query.get("as", ""), self._guide.person, *actors):
            if wanted in actors:
                return wanted
        raise web.HTTPConflict(text="There is nobody in the workspace.")

    # following

    async def _following(self, _app: web.Application) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self._follow_workspace())]
        tasks += [asyncio.create_task(self._follow_service(service)) for service in self._services.values()]
        await asyncio.sleep(0)  # let every task subscribe before the first request
        yield
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result

    async def _release(self, _app: web.Application) -> None:
        self._feed.close()

    async def _follow_workspace(self) -> None:
        with self._workspace.subscribe() as changes:
            async for change in changes:
                if note := _note(change):
                    self._feed.add(note)

    async def _follow_service(self, service: ServicePanel) -> None:
        async for call_id in service.follow():
            self._feed.add(Note(kind="service", service=service.name, call=call_id))


def _note(change: Change) -> Note | None:
    """Translate a change of the workspace into a note for pages; API calls come through the panel instead."""
    if change.kind in _MESSAGE_KINDS:
        return Note(kind="message", channel=change.channel, ts=change.ts, user=change.user)
    if change.kind == "view":
        return Note(kind="view", user=change.user)
    if change.kind == "home":
        return Note(kind="home", user=change.user)
    if change.kind == "people":
        return Note(kind="places")
    return Note(kind="everything") if change.kind == "reset" else None

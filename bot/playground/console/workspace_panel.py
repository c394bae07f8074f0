"""The chat service itself behind the scenes: the bot's Web API calls, and faults for them."""

from collections.abc import AsyncIterator, Sequence

from bot.playground.console.choices import DONE_DROPPED, DONE_HANGS, GARBAGE, LOST, TOO_MANY
from bot.playground.console.panels import CallLine, FaultChoice, FaultTarget, Figure
from bot.playground.console.service_panel import Panel
from bot.playground.workspace import ApiCall, Workspace

_POSTING = (
    LOST,
    DONE_DROPPED,
    DONE_HANGS,
    FaultChoice(kind="done_500", title="Do it, then answer 500", about="It happens, but the answer says it failed."),
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing happens; the answer says it failed."),
    TOO_MANY,
    FaultChoice(kind="refused", title="Refuse", about="Nothing happens; the answer says no."),
    GARBAGE,
    FaultChoice(kind="slow", title="Answer slowly", about="It happens five seconds later."),
)

OPERATIONS: Sequence[FaultTarget] = (
    FaultTarget(name="chat.postMessage", title="Post a message", faults=_POSTING),
    FaultTarget(name="chat.update", title="Edit a message", faults=_POSTING),
    FaultTarget(name="chat.postEphemeral", title="Whisper to one person", faults=_POSTING),
    FaultTarget(name="views.open", title="Open a form", faults=_POSTING),
    FaultTarget(name="users.info", title="Look a person up", faults=_POSTING),
    FaultTarget(name="usergroups.users.list", title="List a user group", faults=_POSTING),
    FaultTarget(name="response_url", title="Answer through the response URL", faults=_POSTING),
    FaultTarget(name="*", title="Any request", faults=_POSTING),
)
TITLES = {
    "api.test": "Ask whether anybody answers",
    "auth.test": "Ask who it is",
    "blocks.validate": "Have blocks checked",
    "bots.info": "Look a bot up",
    "views.update": "Change a form",
    "views.push": "Open a second form",
    "views.publish": "Publish an App Home",
    "chat.delete": "Delete a message",
    "chat.getPermalink": "Ask for the address of a message",
    "conversations.history": "Read a channel",
    "conversations.info": "Look a channel up",
    "conversations.join": "Join a channel",
    "conversations.list": "List channels",
    "conversations.members": "List who is in a channel",
    "conversations.open": "Open a direct message",
    "conversations.replies": "Read a thread",
    "files.completeUploadExternal": "Share a file",
    "files.getUploadURLExternal": "Ask where to upload a file",
    "files.info": "Look a file up",
    "reactions.add": "React to a message",
    "team.info": "Look the workspace up",
    "usergroups.list": "List user groups",
    "users.list": "List everybody",
    "users.lookupByEmail": "Look a person up by address",
    "apps.connections.open": "Open a socket",
} | {operation.name: operation.title for operation in OPERATIONS}
"""Every method of the workspace in plain words."""
_WRITES = ("chat.", "views.", "files.", "reactions.", "conversations.join", "conversations.open")


class WorkspacePanel(Panel):
    """Shows the bot's calls to the local workspace."""

    name = "slack"
    title = "Slack"
    about = "The demo workspace stands in for Slack. These are the bot's Web API calls."
    requests = OPERATIONS

    def __init__(self, *, workspace: Workspace) -> None:
        super().__init__(faults=workspace.faults)
        self._workspace = workspace
        self._refused = 0

    def _figures(self) -> list[Figure]:
        """Number of calls, and of those refused."""
        return [
            Figure(name="calls", label="Calls", value=str(self._book.count)),
            Figure(name="refused", label="Refused", value=str(self._refused)),
        ]

    async def follow(self) -> AsyncIterator[str]:
        """Ids of calls as they come."""
        with self._workspace.subscribe() as changes:
            async for change in changes:
                if change.call is not None:
                    yield self._noted(change.call)

    def _noted(self, call: ApiCall) -> str:
        self._refused += not call.ok
        return self._book.put(
            CallLine(
                id=f"api-{self._book.count + 1}",
                at=call.at,
                title=TITLES.get(call.method, call.method),
                method="POST",
                path=call.method,
                operation=call.method,
                status=200 if call.ok else None,
                ok=call.ok,
                outcome="ok" if call.ok else call.error,
                changes=call.ok and call.method.startswith(_WRITES),
                fault=call.error if call.error.startswith("fault: ") else "",
                body=call.args,
                response=call.response,
            )
        )

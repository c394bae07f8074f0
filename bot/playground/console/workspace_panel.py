"""The chat service itself behind the scenes: the bot's Web API calls, and faults for them."""

from collections.abc import AsyncIterator, Sequence

from bot.playground.console import panels
from bot.playground.console.panels import CallBook, CallLine, FaultChoice, Figure, Operation, Status
from bot.playground.workspace import ApiCall, Workspace

_POSTING = (
    FaultChoice(kind="lost", title="Lose the request", about="Nothing happens, and no answer comes."),
    FaultChoice(kind="done_dropped", title="Do it, then hang up", about="It happens, then the line is cut."),
    FaultChoice(kind="done_hangs", title="Do it, then time out", about="It happens, but the answer never comes."),
    FaultChoice(kind="done_500", title="Do it, then answer 500", about="It happens, but the answer says it failed."),
    FaultChoice(kind="error_500", title="Answer 500", about="Nothing happens; the answer says it failed."),
    FaultChoice(kind="too_many", title="Answer 429", about="Too many requests: come back in a second."),
    FaultChoice(kind="refused", title="Refuse", about="Nothing happens; the answer says no."),
    FaultChoice(kind="garbage", title="Answer garbage", about="It happens, but a proxy answers with an HTML page."),
    FaultChoice(kind="slow", title="Answer slowly", about="It happens five seconds later."),
)

OPERATIONS: Sequence[Operation] = (
    Operation(name="chat.postMessage", title="Post a message", faults=_POSTING),
    Operation(name="chat.update", title="Edit a message", faults=_POSTING),
    Operation(name="chat.postEphemeral", title="Whisper to one person", faults=_POSTING),
    Operation(name="views.open", title="Open a form", faults=_POSTING),
    Operation(name="users.info", title="Look a person up", faults=_POSTING),
    Operation(name="usergroups.users.list", title="List a user group", faults=_POSTING),
    Operation(name="response_url", title="Answer through the response URL", faults=_POSTING),
    Operation(name="*", title="Any request", faults=_POSTING),
)
_TITLES = {
    "auth.test": "Ask who it is",
    "views.update": "Change a form",
    "views.push": "Open a second form",
    "views.publish": "Publish an App Home",
    "conversations.info": "Look a channel up",
    "conversations.open": "Open a direct message",
    "users.list": "List everybody",
    "apps.connections.open": "Open a socket",
} | {operation.name: operation.title for operation in OPERATIONS}
_WRITES = ("chat.", "views.", "files.", "reactions.", "conversations.join", "conversations.open")


class WorkspacePanel:
    """Shows what the bot asks of the local workspace."""

    name = "slack"
    title = "Slack"
    about = "The local workspace stands in for Slack. These are the bot's Web API calls."
    operations = OPERATIONS

    def __init__(self, *, workspace: Workspace) -> None:
        self._workspace = workspace
        self._book = CallBook()
        self._refused = 0

    def status(self) -> Status:
        """How many calls there were and how many were refused."""
        return Status(
            count=self._book.count,
            figures=(
                Figure(name="calls", label="Calls", value=str(self._book.count)),
                Figure(name="refused", label="Refused", value=str(self._refused)),
            ),
            armed=panels.armed(self._workspace.faults, OPERATIONS),
        )

    def calls(self) -> list[CallLine]:
        """The last calls, oldest first."""
        return self._book.all()

    def call(self, call_id: str) -> CallLine | None:
        """One call."""
        return self._book.get(call_id)

    def arm(self, operation: str, kind: str, times: int | None) -> None:
        """Arm a fault.

        Raises:
            ValueError: It is not offered.
        """
        panels.arm(self._workspace.faults, OPERATIONS, operation, kind, times)

    def behave(self) -> None:
        """All faults off."""
        self._workspace.faults.clear()

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
                title=_TITLES.get(call.method, call.method),
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

"""Values of a workspace, all frozen; a change replaces the value."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class User:
    """A person, a guest, a bot or (by ``team_id``) a member of another workspace.

    People of an Enterprise Grid don't have a ``team_id`` but ``teams``, the workspaces of which they are members.
    A stranger belongs to another organization and no longer shares a conversation with this workspace.
    """

    id: str
    name: str
    real_name: str = ""
    email: str = ""
    team_id: str = ""
    teams: tuple[str, ...] = ()
    stranger: bool = False
    restricted: bool = False
    ultra_restricted: bool = False
    deleted: bool = False
    bot: bool = False
    title: str = ""
    avatar_color: str = ""


@dataclass(frozen=True, kw_only=True)
class Group:
    """A user group (S…) with its handle and members."""

    id: str
    handle: str
    name: str
    users: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Channel:
    """A public or private channel (C…) or a direct message between one person and the bot (D…)."""

    id: str
    name: str
    members: tuple[str, ...] = ()
    private: bool = False
    bot_member: bool = True
    topic: str = ""
    archived: bool = False
    kind: Literal["channel", "im"] = "channel"
    user: str = ""
    created: int = 0


@dataclass(frozen=True, kw_only=True)
class Command:
    """A slash command as declared in the manifest."""

    command: str
    hint: str = ""
    description: str = ""
    should_escape: bool = True


@dataclass(frozen=True, kw_only=True)
class Button:
    """A visible button, with the values that a click sends."""

    action_id: str
    text: str
    value: str = ""
    block_id: str = ""
    style: str = ""


@dataclass(frozen=True, kw_only=True)
class Message:
    """A message; ``edited`` is the timestamp of the last edit, ``ephemeral_to`` its only reader or ``""``."""

    channel: str
    ts: str
    user: str
    text: str = ""
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    thread_ts: str = ""
    broadcast: bool = False
    edited: str = ""
    ephemeral_to: str = ""
    metadata: Json | None = None
    files: tuple[str, ...] = ()
    deleted: bool = False
    bot_id: str = ""
    subtype: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    reactions: tuple[tuple[str, str], ...] = ()

    @property
    def all_blocks(self) -> list[Json]:
        """The blocks and those of the attachments."""
        return [*self.blocks, *(block for one in self.attachments for block in one.get("blocks") or [])]

    @property
    def buttons(self) -> list[Button]:
        """The buttons of all blocks, in reading order."""
        return [_button(block_id, element) for block_id, element in elements_of(self.all_blocks) if _is_button(element)]

    def button(self, action_id: str) -> Button:
        """Return the button with this action id; ``LookupError`` lists the existing ones."""
        for button in self.buttons:
            if button.action_id == action_id:
                return button
        raise LookupError(f"no button {action_id!r}; there are {[button.action_id for button in self.buttons]}")

    @property
    def plain(self) -> str:
        """All readable text: the top-level text, then the texts of the blocks, one per line."""
        return "\n".join(part for part in (self.text, *texts_of(self.blocks), *texts_of(self.attachments)) if part)


@dataclass(frozen=True, kw_only=True)
class View:
    """A modal or an App Home; ``values`` is its state by block and action id, ``errors`` the app's complaints."""

    id: str
    user: str
    type: str = "modal"
    callback_id: str = ""
    private_metadata: str = ""
    blocks: list[Json] = field(default_factory=list)
    title: str = ""
    submit: str = ""
    close: str = ""
    hash: str = ""
    external_id: str = ""
    root_view_id: str = ""
    previous_view_id: str = ""
    clear_on_close: bool = False
    notify_on_close: bool = False
    values: dict[str, dict[str, Json]] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    source: Json = field(default_factory=dict)
    closed: bool = False

    @property
    def plain(self) -> str:
        """All readable text, one per line, the title first."""
        return "\n".join(part for part in (self.title, *texts_of(self.blocks)) if part)

    @property
    def buttons(self) -> list[Button]:
        """The buttons in the blocks, without submit and close."""
        return [_button(block_id, element) for block_id, element in elements_of(self.blocks) if _is_button(element)]


@dataclass(frozen=True, kw_only=True)
class SentRequest:
    """An HTTP request to the app, or an envelope if ``url`` is ``"socket"``."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    kind: str
    payload: Json


@dataclass(frozen=True, kw_only=True)
class Ack:
    """The app's answer. Without one, ``status`` is 0 and ``error`` the text that a person sees in Slack."""

    status: int
    body: Any = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    request: SentRequest | None = field(default=None, repr=False)
    error: str = ""

    @property
    def ok(self) -> bool:
        """Whether the app acknowledged within the limit."""
        return 200 <= self.status < 300  # noqa: PLR2004 - the 2xx range


@dataclass(frozen=True, kw_only=True)
class ApiCall:
    """A Web API call of the app; ``args`` never contains the token."""

    at: float
    method: str
    args: Json
    ok: bool
    error: str = ""
    response: Json = field(default_factory=dict)


ChangeKind = Literal[
    "message", "message_changed", "message_deleted", "ephemeral", "view", "home", "call", "file", "people", "reset"
]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A change of the workspace. After ``reset``, a subscriber that fell behind must reload everything."""

    kind: ChangeKind
    channel: str = ""
    ts: str = ""
    user: str = ""
    view: str = ""
    file: str = ""
    call: ApiCall | None = None


def elements_of(blocks: Sequence[Json]) -> Iterator[tuple[str, Json]]:
    """Iterate over interactive elements with the ids of their blocks, in reading order."""
    for block in blocks:
        block_id = str(block.get("block_id", ""))
        for key in ("accessory", "element"):
            if "action_id" in (block.get(key) or ()):
                yield block_id, block[key]
        for key in ("elements", "actions"):
            for element in block.get(key) or []:
                if isinstance(element, dict) and "action_id" in element:
                    yield block_id, element
        for key in ("child_blocks", "cards"):
            yield from elements_of([child for child in block.get(key) or [] if isinstance(child, dict)])


def texts_of(node: object) -> Iterator[str]:
    """Iterate over readable texts below a block or element, in reading order, without values and ids."""
    if isinstance(node, list | tuple):
        for item in node:
            yield from texts_of(item)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in ("text", "alt_text", "caption") and isinstance(value, str):
                yield value
            elif isinstance(value, dict | list) and key not in ("confirm", "metadata"):
                yield from texts_of(value)


def _is_button(element: Json) -> bool:
    return element.get("type") in ("button", "workflow_button", "icon_button")


def _button(block_id: str, element: Json) -> Button:
    text = element.get("text")
    return Button(
        action_id=str(element.get("action_id", "")),
        text=str(text.get("text", "")) if isinstance(text, dict) else "",
        value=str(element.get("value", "")),
        block_id=block_id,
        style=str(element.get("style", "")),
    )

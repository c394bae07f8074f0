"""Written tasks, done as written: each step is carried out, and each quotation is looked for on the page.

A task is a section ``## 7. Title`` of the tutorial or a table of ``tasks.toml``. Its text holds, in order:

=====================  =========================================================
``**Ada Okafor**``     become that person; ``**#finance**`` and ``**App Home**`` lead there
``**Approve**``        press what is called so: a button, or a line of a card's menu
```/pay send …```      type that command
``*Reason*: `text```   fill that field of the form in
``“Paid”``             what one sees; an ellipsis stands for anything
fenced block           a table to drop, its name behind the kind
=====================  =========================================================

A walk takes them in that order, and none may be left.
"""

import re
import tomllib
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.async_api import Locator, Page, expect

from bot.playground.workspace import Workspace
from tests.browser.moving import by, say

LATER: Final = 30_000
_SECTION: Final = re.compile(r"^## (\d+)\. (.+)$", re.MULTILINE)
_TOKEN: Final = re.compile(
    r"^```(?P<kind>\w+) (?P<name>\S+)\n(?P<file>.*?)^```$"
    r"|\*(?P<label>[^*]+)\*: `(?P<typed>[^`]+)`"
    r"|\*\*(?P<bold>[^*]+)\*\*"
    r"|`(?P<command>/[^`]+)`"
    r"|“(?P<seen>[^”]+)”",
    re.MULTILINE | re.DOTALL,
)
Token = tuple[str, ...]


@dataclass(frozen=True)
class Task:
    """One section: its number, its title, and what is done and seen in it."""

    number: int
    title: str
    tokens: tuple[Token, ...]


def tasks(page: Path, more: Path) -> list[Task]:
    """Tasks of the tutorial, then those of a TOML file, numbered through."""
    parts = _SECTION.split(page.read_text("utf-8"))[1:]
    written = list(zip(parts[1::3], parts[2::3], strict=True))
    written += [(task["title"], task["text"]) for task in tomllib.loads(more.read_text("utf-8"))["task"]]
    return [
        Task(number, title, tuple(map(_token, _TOKEN.finditer(text))))
        for number, (title, text) in enumerate(written, start=1)
    ]


def _token(found: re.Match[str]) -> Token:
    if found["name"]:
        return "file", found["name"], found["file"]
    if found["label"]:
        return "field", found["label"], found["typed"]
    [kind] = [kind for kind in ("bold", "command", "seen") if found[kind]]
    return kind, found[kind]


def shown(quote: str) -> re.Pattern[str]:
    """What a quotation of the document stands for: its ellipses are anything, its spaces any space."""
    words = [re.escape(word).replace("…", ".*?") for word in quote.split()]
    return re.compile(r"\s+".join(words), re.DOTALL)


def named(where: Page | Locator, name: str) -> Locator:
    """Buttons and links that show just this name; what they are read out as may say more."""
    return where.locator(":is(button, a, summary):visible").filter(has_text=re.compile(rf"^\s*{re.escape(name)}\s*$"))


@dataclass
class Walk:
    """Somebody who does one task in one window."""

    page: Page
    workspace: Workspace
    task: Task
    left: deque[Token] = field(init=False)
    card: Locator | None = None

    def __post_init__(self) -> None:
        self.left = deque(self.task.tokens)

    def _next(self, kind: str) -> Token:
        assert self.left, f"{self.task.title}: the document says no more, and a {kind} is wanted"
        token = self.left.popleft()
        assert token[0] == kind, f"{self.task.title}: a {kind} is wanted, the document says {token}"
        return token

    @property
    def is_narrow(self) -> bool:
        size = self.page.viewport_size
        return size is not None and size["width"] < 760  # as in layout.css

    # what people do

    async def goes(self) -> None:
        """Become who is named next, and go where is said next."""
        users = {user.real_name: user.id for user in self.workspace.users.values()}
        rooms = {f"#{room.name}": room.id for room in self.workspace.channels.values()} | {"App Home": "home"}
        moved = False
        while self.left and self.left[0][0] == "bold" and (self.left[0][1] in users or self.left[0][1] in rooms):
            name = self._next("bold")[1]
            await self.clears()
            if name in users:
                target, state = f"[data-testid=person][data-user={users[name]}]", ("aria-checked", "true")
            else:
                target, state = f"[data-testid=channel][data-channel={rooms[name]}]", ("aria-current", "page")
            if self.is_narrow:
                await by(self.page, "menu").click()
            await self.page.click(target)
            await expect(self.page.locator(target)).to_have_attribute(*state)
            if self.is_narrow and await self.page.locator("body[data-drawer=open]").count():
                await self.page.keyboard.press("Escape")
            moved = True
        assert moved, f"{self.task.title}: a person or a place is wanted, the document says {list(self.left)[:1]}"

    async def clears(self) -> None:
        """Close what covers the conversation."""
        for pane in ("thread-close", "panel-close"):
            if (pane == "thread-close" or self.is_narrow) and await by(self.page, pane).is_visible():
                await by(self.page, pane).click()

    def command(self) -> str:
        return self._next("command")[1]

    async def types(self) -> None:
        """Type the next command."""
        await say(self.page, self.command())

    async def presses(self, where: Locator) -> None:
        """Press what is named next: a button, or a line of the menu behind the three dots."""
        name = self._next("bold")[1]
        wanted = named(where, name)
        dots = where.get_by_role("button", name="More actions").and_(where.locator("[data-action-id]"))
        there = f"{self.task.title}: {name} is not here"
        await expect(wanted.or_(dots).first, there).to_be_visible(timeout=LATER)
        if await wanted.count():
            await wanted.first.click()
        else:
            await dots.first.click()
            await self.page.get_by_role("menuitem", name=name, exact=True).click()

    async def fills(self, where: Locator | None = None) -> None:
        """Fill in the fields that are named next, of the form or of something else."""
        form = where or by(self.page, "modal")
        while self.left and self.left[0][0] == "field":
            _, label, text = self._next("field")
            found = form.get_by_label(label).first
            if await found.evaluate("node => node.tagName") == "SELECT":
                await found.select_option(label=text)
            else:
                await found.fill(text)

    async def drops(self) -> Locator:
        """Drop the next table; the thread with the offer."""
        _, name, content = self._next("file")
        return await self.gives(name, content.encode(), "text/csv")

    async def gives(self, name: str, content: bytes, kind: str) -> Locator:
        file: Any = {"name": name, "mimeType": kind, "buffer": content}
        await by(self.page, "composer-attach-input").set_input_files(file)
        await expect(self.page.locator("[data-testid=pending-file][data-state=ready]")).to_have_count(1)
        await by(self.page, "composer-send").click()
        message = self.page.locator("#middle").get_by_test_id("message").filter(has_text=name).last
        await by(message, "replies").click(timeout=LATER)
        return self.page.get_by_role("complementary", name="Thread")

    # what they see

    async def sees(self, where: Locator, most: int = 9) -> None:
        """All that is said next to be seen is there, one after the other; at most so many."""
        seen = 0
        while self.left and self.left[0][0] == "seen" and seen < most:
            await expect(where).to_contain_text(shown(self._next("seen")[1]), timeout=LATER)
            seen += 1
        assert seen, f"{self.task.title}: a quotation is wanted, the document says {list(self.left)[:1]}"

    def private(self) -> Locator:
        """What only this person was told last."""
        return self.page.locator("#middle [data-testid=message][data-ephemeral=true]").last

    def newest(self, *words: str, holding: Locator | None = None) -> Locator:
        """The newest message with all these words, and with what it has to hold, that is there now or comes."""
        found = self.page.locator("#middle").get_by_test_id("message")
        for word in words:
            found = found.filter(has_text=word)
        return (found.filter(has=holding) if holding else found).last

    async def kept(self, message: Locator) -> Locator:
        """That very message, whatever becomes of its words."""
        await expect(message).to_be_visible(timeout=LATER)
        ts = await message.get_attribute("data-ts")
        return self.page.locator(f"#middle [data-testid=message][data-ts='{ts}']")

    def ended(self) -> None:
        assert not self.left, f"{self.task.title}: not done: {list(self.left)}"

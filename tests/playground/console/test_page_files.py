import re

import pytest

from bot.playground.console.bundle import PAGE
from tests.playground.console.scene import Scene


@pytest.mark.parametrize(
    "path", ["../console.py", "%2e%2e/console.py", "js", "js/main.js", "..%2f..%2fconsole.py", "css/", "page.js"]
)
async def test_nothing_else_is_served(scene: Scene, path: str) -> None:
    async with scene.http.get(f"{scene.url}/console/page/{path}") as answer:
        assert answer.status == 404


def test_page_loads_nothing_external() -> None:
    for path in (path for path in PAGE.rglob("*") if path.is_file() and path.suffix != ".woff2"):
        found = re.findall(r"(?:https?:|[\"'(])//[\w.-]+\.\w+[^\s\"'`)]*", path.read_text())
        assert [url for url in found if "www.w3.org" not in url] == [], path


def luminance(color: str) -> float:
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


READ_ON = [
    *[(ink, ground) for ink in ("ink", "soft", "faint") for ground in ("surface", "raised", "paper")],
    ("link", "surface"),
    ("link", "info-soft"),
    ("on-accent", "accent"),
    ("accent-strong", "accent-soft"),
    ("soft", "accent-soft"),
    ("danger", "surface"),
    ("danger-strong", "danger-soft"),
    ("good", "good-soft"),
    ("warn", "warn-soft"),
    ("mention-ink", "mention"),
    ("ink", "code"),
]


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(("ink", "ground"), READ_ON)
def test_text_can_be_read_on_its_ground(scheme: int, ink: str, ground: str) -> None:
    sheet = (PAGE / "css" / "theme.css").read_text()
    blocks = re.findall(r":root \{(.*?)\}", sheet, re.DOTALL)
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[0]))
    if scheme:
        colors |= dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", blocks[1]))
    dark, light = sorted(luminance(colors[name]) for name in (ink, ground))
    assert (light + 0.05) / (dark + 0.05) >= 4.5

"""The page draws every emoji that the bot uses; one it does not know would be read as ``:word:``."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[3]
_NAME = re.compile(r":([a-z][a-z0-9_+-]{2,}):(?!`)")


def test_every_emoji_of_the_bot_is_known_to_the_page() -> None:
    known = (ROOT / "bot/playground/console/page/js/emoji.js").read_text()
    used = {
        name for path in (ROOT / "bot/presentation").rglob("*.py") for name in _NAME.findall(path.read_text("utf-8"))
    }
    assert len(used) > 30
    assert [name for name in sorted(used) if re.search(rf'\b{name}: "', known) is None] == []

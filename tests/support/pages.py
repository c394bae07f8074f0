"""Pages of the documents."""

import re
from functools import cache
from pathlib import Path


@cache
def anchors(path: Path) -> frozenset[str]:
    """What ``#`` may name in a page: its headings, as GitHub writes them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-") for title in titles)

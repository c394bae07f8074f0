"""Pages of the documents."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]


@cache
def anchors(path: Path) -> frozenset[str]:
    """What ``#`` may name in a page: its headings, as GitHub writes them."""
    titles = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-") for title in titles)


@cache
def declared(path: str) -> frozenset[str]:
    """Names of the functions and classes of a file, by its path from the root of the repository."""
    wanted = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, wanted))

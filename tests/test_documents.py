"""What the documents point at is there: files behind links, and tests named as proof."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
_LINK = re.compile(r"\]\((?!https?://|#|mailto:)([^)#\s]+)")
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")


@cache
def declared(path: Path) -> frozenset[str]:
    """Names of the test functions and classes of a file."""
    wanted = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, wanted))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    missing = [link for link in _LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_tests_that_are_named_exist(page: Path) -> None:
    missing = [
        f"{path}::{name}" if name else path
        for path, name in _TEST.findall(page.read_text())
        if not (ROOT / path).exists() or (name and name not in declared(ROOT / path))
    ]
    assert not missing


def test_the_readme_is_the_door_and_not_the_house() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 200

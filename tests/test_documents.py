"""Documents are true: links resolve, commands parse, named functions and tests exist, diagrams match the code."""

import ast
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from bot.cli.main import _parser
from tests.support.diagrams import DIAGRAMS, shown
from tests.support.pages import anchors

ROOT = Path(__file__).parent.parent
PLATES = [path for room in ("bot", "handlers", "storage", "tests") for path in (ROOT / room).rglob("README.md")]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *PLATES])
_LINK = re.compile(r"\]\((?!https?://|mailto:)([^)\s]+)\)")
_TEST = re.compile(r"`(tests/[\w/]+\.py)(?:::(\w+))?`")
_COMMAND = re.compile(r"(?:^|[^/\w.])(?:python -m bot|(?<=`)switchboard) ([a-z][^`\n>]*)", re.MULTILINE)
_MAKE = re.compile(r"(?:`|^)make ([a-z]+)", re.MULTILINE)
_MODULE = re.compile(r"python -m (tests\.[\w.]+)(?![\w.<])")

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@cache
def declared(path: Path) -> frozenset[str]:
    wanted = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(node.name for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, wanted))


def leads_somewhere(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in anchors(target))


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    assert not [link for link in _LINK.findall(page.read_text()) if not leads_somewhere(page, link)]


@every_page
def test_tests_that_are_named_exist(page: Path) -> None:
    missing = [
        f"{path}::{name}" if name else path
        for path, name in _TEST.findall(page.read_text())
        if not (ROOT / path).exists() or (name and name not in declared(ROOT / path))
    ]
    assert not missing


@every_page
def test_commands_that_are_named_are_understood(page: Path) -> None:
    text, parser = page.read_text(), _parser()
    for line in _COMMAND.findall(text):
        parser.parse_args(shlex.split(line))  # exits when it does not know the command
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(_MAKE.findall(text)) <= targets
    for module in _MODULE.findall(text):
        path = ROOT / module.replace(".", "/")
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


def test_readme_stays_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 200


@pytest.mark.parametrize("name", DIAGRAMS)
def test_diagrams_are_drawn_from_the_code(name: str) -> None:
    page, drawn = shown(name)
    assert page.read_text() == drawn, "run make diagrams"

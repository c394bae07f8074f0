"""The size of the repository stays within the budget in ``pyproject.toml``: what needs more takes something away."""

import ast
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCTION = ("bot", "handlers", "storage")
ROOMS = (*PRODUCTION, "tests", "docs")


def files(*rooms: str, suffix: str) -> Iterator[Path]:
    for room in rooms:
        yield from (path for path in sorted((ROOT / room).rglob(f"*{suffix}")) if path.is_file())


def is_counted(node: ast.AST) -> bool:
    """Whether it is a statement other than an import or a docstring, so that layout doesn't change the figure."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
        return False
    return isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom)


def statements_in(source: str) -> int:
    return sum(map(is_counted, ast.walk(ast.parse(source))))


@cache
def sizes() -> dict[str, int]:
    """Today's figures, by the names that the budget has."""
    playground = ROOT / "bot" / "playground"
    code = (path for path in files(*PRODUCTION, suffix=".py") if playground not in path.parents)
    pages = (*files(*ROOMS, suffix=".md"), *ROOT.glob("*.md"), *(ROOT / ".github").rglob("*.md"))
    return {
        "production_statements": sum(statements_in(path.read_text(encoding="utf-8")) for path in code),
        "test_lines": sum(path.read_bytes().count(b"\n") for path in files("tests", suffix=".py")),
        "document_words": sum(len(page.read_text(encoding="utf-8").split()) for page in pages),
    }


def test_layout_imports_and_docstrings_cost_nothing() -> None:
    assert statements_in('"""What it is."""\nimport re\n\nx = [\n    1,\n    2,\n]\ny = 1; z = 2\n') == 3


@pytest.mark.parametrize("name", ["production_statements", "test_lines", "document_words"])
def test_size_stays_within_the_budget(name: str) -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        budget = tomllib.load(file)["tool"]["switchboard"]["budget"]
    assert sizes()[name] <= budget[name], f"{name} in pyproject.toml: take something away before adding"


if __name__ == "__main__":
    sys.stdout.writelines(f"{name} = {size:_}\n" for name, size in sizes().items())

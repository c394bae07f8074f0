"""Files that a new kind of request has to change: those with a table that has a row for each kind."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import bot
import handlers
import storage
from bot.domain.payments.instruction import Kind

ROOT = Path(__file__).parents[2]
MOST_TABLES = 3
_APART = ("playground", "__main__", "migrations")


def modules() -> Iterator[ModuleType]:
    for package in (bot, handlers, storage):
        for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not any(part in found.name for part in _APART):
                yield importlib.import_module(found.name)


def tables(module: ModuleType) -> set[str]:
    """Names of the tables of a module whose rows are all kinds, written out there."""
    tree = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))
    written = {
        ast.unparse(one.target if isinstance(one, ast.AnnAssign) else one.targets[0])
        for one in tree.body
        if isinstance(one, ast.Assign | ast.AnnAssign) and isinstance(one.value, ast.Dict)
    }
    return {
        name
        for name, value in vars(module).items()
        if name in written and isinstance(value, Mapping) and set(value) == set(Kind)
    }


def test_new_kind_changes_at_most_three_tables() -> None:
    forced = {str(Path(str(one.__file__)).relative_to(ROOT)) for one in modules() if tables(one)}
    assert 1 < len(forced) <= MOST_TABLES

"""What a new kind of request forces open, found in the code: every table that has a row for each kind."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

import pytest

import bot
import handlers
import storage
from bot.domain.payments.instruction import Kind

ROOT = Path(__file__).parents[2]
LONGEST = {"`/pay refund`": 10, "A fifth service": 13, "Bookings from a table": 13}
"""Plans in docs/changes.md, and how many production files each may touch."""
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


def planned(plan: str) -> dict[str, bool]:
    """Files that a plan of docs/changes.md names; True: they are new."""
    pages = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8").split("\n## ")
    (page,) = [page for page in pages if page.startswith(plan)]
    rows = re.findall(r"^\| `([\w/]+\.\w+)`( \(new\))?", page, re.MULTILINE)
    return {file: bool(new) for file, new in rows}


@pytest.mark.parametrize("plan", LONGEST)
def test_planned_changes_touch_few_files_and_those_exist(plan: str) -> None:
    files = planned(plan)
    assert 0 < len(files) <= LONGEST[plan]
    assert not [file for file, new in files.items() if (ROOT / file).exists() == new]


def test_the_plan_of_a_new_kind_names_every_table_of_kinds() -> None:
    forced = {str(Path(str(one.__file__)).relative_to(ROOT)) for one in modules() if tables(one)}
    assert len(forced) > 1
    assert forced - set(planned("`/pay refund`")) == set()

"""Architecture rules: allowed imports, no I/O in pure layers, a short docstring for every package."""

import ast
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from decimal import Decimal
from functools import cache
from importlib import import_module
from pathlib import Path

from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

from tests.support.fixtures import Patch, Printed
from tests.support.log_state import kept_logging

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("bot", "handlers", "storage")

LONGEST_WORDS = 30
LONGEST_DOCSTRING = 4
UNITS = {"MEBIBYTE"}
HELD_AGAINST_FILES = {"tests/deploy/stopping.py"}
"""Numbers of the program that are held against those in the files of ``docs/deploy``, not against themselves."""
DECLARATIONS = {"Verb", "_verb", "Argument", "SlashCommand", "log", "LookupError"}
HELP = {"RULE", "ENGLISH", "VERBS"}
FOR_MACHINES = {"callbacks.py", "connections.py", "metrics.py"}
"""Files of the handlers that answer no person: log lines, headers, the help of metrics."""
SOURCES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


def test_each_layer_imports_lower_layers_only(monkeypatch: Patch, capsys: Printed) -> None:
    monkeypatch.chdir(ROOT)
    with kept_logging():  # it silences every logger there is
        status = lint_imports(config_filename="pyproject.toml", no_cache=True)
    report = capsys.readouterr().out
    assert status == EXIT_STATUS_SUCCESS, report
    assert "Each layer imports only what stands below it KEPT" in report


def test_simulators_do_not_import_the_bot() -> None:
    for path in (ROOT / "bot" / "playground" / name for name in ("workspace", "simulators", "console", "faults.py")):
        for source in [path] if path.is_file() else sorted(path.rglob("*.py")):
            foreign = {name for name in imports(source) if name.split(".")[0] in PACKAGES}
            assert all(name.startswith("bot.playground") for name in foreign), (source, foreign)


def test_domain_and_presentation_do_no_io() -> None:
    forbidden = {"asyncio", "socket", "os", "time", "random", "logging", "subprocess", "pathlib"}
    for folder in ("domain", "presentation", "tables"):
        for source in sorted((ROOT / "bot" / folder).rglob("*.py")):
            if source.name not in ("clock.py", "apart.py"):  # the machine's clock; the process that reads a table
                assert not forbidden & {name.split(".")[0] for name in imports(source)}, source


def test_tests_import_no_tests() -> None:
    """What several of them use stands in a module of its own."""
    borrows = re.compile(
        r"^\s*(?:from tests[\w.]*\.test_|import tests[\w.]*\.test_|from tests[\w.]* import (?:\([^)]*|.*)\btest_)",
        re.MULTILINE,
    )
    borrowing = [path for path in sorted((ROOT / "tests").rglob("*.py")) if borrows.search(path.read_text("utf-8"))]
    assert [path for path in borrowing if path.name != "test_architecture.py"] == []


def test_tests_write_documented_numbers_out() -> None:
    """A number or a time of the product that a test imports by name is compared with itself."""
    found = [
        f"{source.relative_to(ROOT)}: {module}.{name}"
        for source in sorted((ROOT / "tests").rglob("*.py"))
        if str(source.relative_to(ROOT)) not in HELD_AGAINST_FILES
        for module, name in borrowed_constants(source)
        if name not in UNITS and is_number(getattr(import_module(module), name, None))
    ]
    assert found == []


def borrowed_constants(source: Path) -> Iterator[tuple[str, str]]:
    """Constants of the product that a test imports by name, or names by their module; not those of the playground.

    One that is compared with a number written out is held by it.
    """
    modules = dict(imported_modules(source))
    held = [
        node.left
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Compare)
        and isinstance(node.ops[0], ast.Eq)
        and isinstance(node.comparators[0], ast.Constant)
    ]
    for node in ast.walk(parsed(source)):
        match node:
            case ast.ImportFrom(module=str(module)) if is_of_the_product(module):
                yield from ((module, one.name) for one in node.names if is_constant(one.name))
            case ast.Attribute(attr=name) if is_constant(name) and node not in held:
                module = modules.get(ast.unparse(node.value), "")
                if is_of_the_product(module):
                    yield module, name


def imported_modules(source: Path) -> Iterator[tuple[str, str]]:
    """How a file calls each module that it imports, and the module's full name."""
    for node in ast.walk(parsed(source)):
        match node:
            case ast.Import():
                yield from ((one.asname or one.name, one.name) for one in node.names)
            case ast.ImportFrom(module=str(package)) if is_of_the_product(package):
                names = ((one.asname or one.name, f"{package}.{one.name}") for one in node.names)
                yield from ((called, module) for called, module in names if is_module(module))


def is_of_the_product(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES and not module.startswith("bot.playground")


@cache
def is_module(name: str) -> bool:
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def is_constant(name: str) -> bool:
    return name.lstrip("_").isupper()


def is_number(value: object) -> bool:
    """A number, a time, or a collection of nothing else; of a mapping, what its keys stand for."""
    if isinstance(value, tuple | list | set | frozenset):
        return bool(value) and all(map(is_number, value))
    if isinstance(value, Mapping):
        return bool(value) and all(map(is_number, value.values()))
    return isinstance(value, int | float | Decimal | timedelta) and not isinstance(value, bool)


def test_documented_numbers_are_found_under_any_name(tmp_path: Path) -> None:
    source = tmp_path / "test_some.py"
    source.write_text(
        "import storage.leases as held\nfrom bot.clients import circuit as c\nfrom bot.clients.circuit import PAUSES\n"
        "x = [held.LEASE_SECONDS, c.TRIAL]\nassert c.LONGEST_TRIAL == 600\n"
    )
    found = {f"{module}.{name}" for module, name in borrowed_constants(source)}
    assert found == {"bot.clients.circuit.PAUSES", "bot.clients.circuit.TRIAL", "storage.leases.LEASE_SECONDS"}


def test_handlers_read_no_store() -> None:
    """Lookups are workflows. Health, metrics and callbacks answer without one: they hold the store themselves."""
    reading = [
        f"{source.relative_to(ROOT)}:{node.lineno}"
        for source in sorted((ROOT / "handlers").rglob("*.py"))
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and (node.value.attr, node.attr) in {("store", "read"), ("store", "write")}
    ]
    assert not reading


def test_handlers_word_no_sentences() -> None:
    """What people read stands in bot.presentation; handlers keep the help, the grammar the rules of what is typed."""
    worded = [
        f"{source.relative_to(ROOT)}:{text.lineno} {text.value}"
        for source in sorted((ROOT / "handlers").glob("*.py"))
        if source.name not in FOR_MACHINES
        for text in constants(parsed(source))
        if isinstance(text.value, str) and len(text.value) > LONGEST_WORDS and " " in text.value
    ]
    assert not worded


def constants(tree: ast.Module) -> Iterator[ast.Constant]:
    """Those that are no docstrings, log lines, errors for programmers or declarations of a command's help."""
    left: list[ast.AST] = [tree]
    while left:
        node = left.pop()
        match node:
            case ast.Constant():
                yield node
            case ast.Expr(value=ast.Constant()):
                continue
            case ast.Call(func=called) if ast.unparse(called).split(".")[0] in DECLARATIONS:
                continue
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)) if (
                name.strip("_") in HELP
            ):
                continue
        left.extend(ast.iter_child_nodes(node))


def test_no_error_is_swallowed_without_a_word() -> None:
    silent = []
    for source in SOURCES:
        lines = source.read_text().splitlines()
        handlers = [node for node in ast.walk(parsed(source)) if isinstance(node, ast.ExceptHandler)]
        for handler in handlers:
            passes = all(isinstance(line, ast.Pass) for line in handler.body)
            explained = "#" in lines[handler.body[0].lineno - 1]
            if handler.type is None or (passes and not explained):
                silent.append(f"{source.relative_to(ROOT)}:{handler.lineno}")
    assert not silent


def test_modules_and_packages_have_docstrings() -> None:
    for source in SOURCES:
        lines = (ast.get_docstring(parsed(source)) or "").splitlines()
        written = len([line for line in lines if line])
        assert 1 <= written <= (LONGEST_DOCSTRING if source.name == "__init__.py" else written), source


@cache
def parsed(source: Path) -> ast.Module:
    return ast.parse(source.read_text())


def imports(source: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(parsed(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, source
            found.add(node.module or "")
    return found

"""Which tests are to find a mistake, the nearest and quickest first."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import PurePosixPath

from tests.mutants.sample.planting import Planted
from tests.mutants.sample.recorded import Recorded, Suite

SLOW = 2.0
"""Seconds of the processor from which a test comes after all that are quicker."""
UNKNOWN = 5.0
"""Seconds that a whole file of tests counts that was never recorded."""
MOST_FILES = 4
EVERYWHERE = 40
"""A name that stands in more places than that says nothing about who uses what is planted."""


class Choosing:
    """Picks tests by what was recorded, and where nothing was, by who names the changed thing."""

    def __init__(self, suite: Suite, recorded: Recorded, files: list[str]) -> None:
        self._suite = suite
        self._recorded = recorded
        self._files = files
        self._of_file: dict[str, list[str]] = defaultdict(list)
        for test in recorded.seconds:
            self._of_file[test.partition("::")[0]].append(test)

    @property
    def seconds(self) -> dict[str, float]:
        """What each recorded test takes of the processor."""
        return self._recorded.seconds

    def shared(self) -> list[str]:
        """The quickest test of each database; a session opens what such tests share once."""
        found = []
        for database in ("[sqlite]", "[postgres]"):
            tests = [one for one in self.seconds if one.endswith(database)]
            found += sorted(tests, key=lambda one: (self.seconds[one], one))[:1]
        return found

    def is_imported(self, one: Planted) -> bool:
        """Whether the mistake shows only in a process that imports the file anew."""
        before = one.file.startswith(self._suite.opened) or not one.in_function
        return before or not self._recorded.outside[one.file].isdisjoint(one.lines)

    def tests(self, one: Planted, *, patience: float) -> tuple[list[str], int]:
        """Tests that take so many seconds together at most (but one always), and how many there are in all."""
        found = self._recorded.executing(one.file, one.lines)
        if self.is_imported(one):
            found = found | self._of_users(one)
        if not found:
            found = self._of_function(one) or set(self._naming(one)) or self._of_room(one)
        return self._within(found, one.file, patience), len(found)

    def nearest(self, file: str, lines: Sequence[int], *, patience: float) -> list[str]:
        """Tests that execute one of the lines of a file, or else any of it, within so many seconds."""
        found = self._recorded.executing(file, lines) or self._recorded.executing_any(file)
        return self._within(found, file, patience)

    def _within(self, tests: Iterable[str], file: str, patience: float) -> list[str]:
        chosen: list[str] = []
        for test in sorted(tests, key=lambda test: self._rank(file, test)):
            patience -= self._recorded.seconds.get(test, UNKNOWN)
            if chosen and patience < 0:
                break
            chosen.append(test)
        return chosen

    def _rank(self, file: str, test: str) -> tuple[bool, int, float, str]:
        seconds = self._recorded.seconds.get(test, UNKNOWN)
        return seconds > SLOW, self._distance(file, test.partition("::")[0]), seconds, test

    def _distance(self, file: str, test_file: str) -> int:
        code, tests = PurePosixPath(file), PurePosixPath(test_file)
        reads = any(file.startswith(start) and test_file == reader for start, reader in self._suite.whole)
        if reads or f"test_{code.stem}" == tests.stem or self._imports(test_file, file):
            return 0
        rooms, mirrored = code.parent.parts, tests.parent.parts[1:]
        if rooms[:1] == ("bot",):
            rooms = rooms[1:]
        shared = sum(1 for ours, theirs in zip(rooms, mirrored, strict=False) if ours == theirs)
        return 1 if shared == len(rooms) else 2 if shared else 3

    def _imports(self, test_file: str, file: str) -> bool:
        module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        package, _, last = module.rpartition(".")
        text = self._text(test_file)
        beside = rf"^from {re.escape(package)} import (\([^)]*|.*)\b{re.escape(last)}\b"  # perhaps with its neighbours
        return (
            f"from {module} import" in text
            or f"import {module}\n" in text
            or re.search(beside, text, re.MULTILINE) is not None
        )

    def _of_users(self, one: Planted) -> set[str]:
        """Tests of code that names what is planted, of test files that name or import it, and of the file itself."""
        found: set[str] = set()
        for name in self._names(one):
            places = self._named[name]
            if len(places) <= EVERYWHERE:
                for file, lines in places:
                    found |= self._recorded.executing(file, lines)
        found |= self._recorded.executing_any(one.file)
        for test_file, tests in self._of_file.items():
            if self._distance(one.file, test_file) == 0 or any(
                name in self._text(test_file) for name in self._names(one)
            ):
                found.update(tests)
        return found

    def _of_function(self, one: Planted) -> set[str]:
        """Tests that execute anything of the function around it: a line after an await is not always recorded."""
        defined = ast.FunctionDef | ast.AsyncFunctionDef
        for node in ast.walk(ast.parse(self._text(one.file))):
            if one.in_function and isinstance(node, defined) and node.lineno <= one.line <= (node.end_lineno or 0):
                return self._recorded.executing(one.file, range(node.body[0].lineno, (node.end_lineno or 0) + 1))
        return set()

    def _of_room(self, one: Planted) -> set[str]:
        """Tests of the code's own room: what runs in a process of its own is neither recorded nor named by any."""
        return {test for file, tests in self._of_file.items() if self._distance(one.file, file) == 1 for test in tests}

    def _naming(self, one: Planted) -> list[str]:
        """Files of tests, recorded or not, that name the function or import the file; whole, for nothing is known."""
        every = sorted((self._suite.root / self._suite.tests).rglob("test_*.py"))
        names = self._names(one)
        found = []
        for path in every:
            file = path.relative_to(self._suite.root).as_posix()
            if file.split("/")[1] not in {"benchmarks", "browser", "campaigns", "world"}:
                weight = self._distance(one.file, file) if any(n in self._text(file) for n in names) else None
                if weight is not None or self._imports(file, one.file):
                    found.append((weight or 0, file))
        return [file for _, file in sorted(found)[:MOST_FILES]]

    def _names(self, one: Planted) -> list[str]:
        """Names that the statement binds at the level of a module or class, or else the function around it."""
        tree = ast.parse(self._text(one.file))
        bound: list[str] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.lineno in one.lines:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                bound += [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        named = [] if one.in_function else bound
        return [name for name in (*named, one.scope.rpartition(".")[2]) if len(name.strip("_")) > len("ab")]

    @cached_property
    def _named(self) -> dict[str, list[tuple[str, list[int]]]]:
        """For each name the places of the code where it stands: file, and lines of the statement."""
        found: dict[str, list[tuple[str, list[int]]]] = defaultdict(list)
        for file in self._files:
            for node in ast.walk(ast.parse(self._text(file))):
                name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else None
                if name is not None and isinstance(node, ast.expr):
                    found[name].append((file, list(range(node.lineno, (node.end_lineno or node.lineno) + 1))))
        return found

    def _text(self, file: str) -> str:
        if file not in self._texts:
            self._texts[file] = (self._suite.root / file).read_text(encoding="utf-8")
        return self._texts[file]

    @cached_property
    def _texts(self) -> dict[str, str]:
        return {}

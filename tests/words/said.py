"""Every sentence that people see, from the sources, with the place and the state in which it is said.

Sentences stand in :mod:`bot.presentation`; the rules that input breaks stand where it is read, and what a command does
stands in its declaration. A slot of a template reads as ``{…}``.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("bot/presentation", "bot/domain", "handlers")
SLOT = "{…}"
_RULES = frozenset({"rule", "summary", "hint", "mend"})
_RAISED = frozenset({"PersonError", "RuleError", "OperatorError"})
_LEAST = 2  # words of what is a sentence and not a name


@dataclass(frozen=True)
class Said:
    """``where``: file, function or table, and the state or code it is said in."""

    where: str
    text: str

    @property
    def sentences(self) -> list[str]:
        plain = re.sub(
            r"`[^`]*`|:[a-z_]+:|[*_>•·]|<[^>]*>", lambda found: "x" if found[0][0] == "`" else " ", self.text
        )
        return [one.strip() for one in re.split(r"(?<=[.!?…:;])\s+|\n+", plain) if one.strip()]


@cache
def everything() -> tuple[Said, ...]:
    return tuple(one for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")) for one in _in_file(path))


def _in_file(path: Path) -> Iterator[Said]:
    name = str(path.relative_to(ROOT))
    walk = _Walk(name.removeprefix("bot/presentation/"), shows=name.startswith("bot/presentation"))
    walk.visit(ast.parse(path.read_text()))
    yield from walk.found


class _Walk(ast.NodeVisitor):
    def __init__(self, name: str, *, shows: bool) -> None:
        self.found: list[Said] = []
        self._where = [name]
        self._shows = shows

    def _inside(self, label: str, *nodes: ast.AST | None, shows: bool | None = None) -> None:
        before, self._shows = self._shows, self._shows if shows is None else shows
        self._where.append(label)
        for node in nodes:
            if node is not None:
                self.visit(node)
        self._where.pop()
        self._shows = before

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._inside(node.name, *node.args.kw_defaults, *node.args.defaults, *_without_docstring(node.body))

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._inside(node.name, *_without_docstring(node.body))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._inside(node.name, *_without_docstring(node.body))

    def visit_Expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):  # else a docstring
            self.visit(node.value)

    def visit_Assign(self, node: ast.Assign) -> None:
        self._inside(ast.unparse(node.targets[0]).lstrip("_"), node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._inside(ast.unparse(node.target).lstrip("_"), node.value)

    def visit_Dict(self, node: ast.Dict) -> None:
        for key, value in zip(node.keys, node.values, strict=True):
            self._inside("" if key is None else ast.unparse(key).strip("'"), value)

    def visit_Call(self, node: ast.Call) -> None:
        called = ast.unparse(node.func).rpartition(".")[2]
        if called in ("compile", "TypeError", "LookupError", "ValueError", "match", "sub", "get", "info", "warning"):
            return
        told = called in _RAISED
        for one in node.args:
            self._inside("", one, shows=self._shows or told)
        for keyword in node.keywords:
            self._inside(keyword.arg or "", keyword.value, shows=self._shows or keyword.arg in _RULES)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self._say(re.sub(r"\{[^{}]*\}", SLOT, node.value))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        parts = [str(one.value) if isinstance(one, ast.Constant) else SLOT for one in node.values]
        self._say("".join(parts))
        for one in node.values:
            if isinstance(one, ast.FormattedValue):
                self._inside("", one.value)

    def _say(self, text: str) -> None:
        words = re.findall(r"[A-Za-z][\w'’-]*", text.replace(SLOT, ""))
        if self._shows and len(words) >= _LEAST and " " in text.strip() and not text.lstrip().startswith(("<", "{")):
            where = " · ".join(part for part in self._where if part)
            self.found.append(Said(where, text.strip()))


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    return body[1:] if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else body

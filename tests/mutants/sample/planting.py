"""Small mistakes that could be made in a source file, found in its syntax tree and made in its text.

Which of them make a sample depends on the seed and on the mistake's own text, not on its place: a change elsewhere in
the code leaves the sample as it is.
"""

import ast
import hashlib
import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

SHARES = {
    "boundary": 8, "comparison": 8, "condition": 10, "operand": 8, "connective": 4, "arithmetic": 4, "number": 9,
    "flag": 5, "text": 5, "dropped call": 9, "unwrapped": 6, "swapped": 6, "keyword": 6, "row": 8, "returned": 6,
    "statement": 8,
}  # fmt: skip
"""How often each kind is planted, relative to the others; uniform among all places, text would be a third of them."""

_BOUNDARIES = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
_OPPOSITES = {
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_COMPARED = re.compile(rb"is\s+not\b|not\s+in\b|is\b|in\b|<=|>=|==|!=|<|>")
_ARITHMETIC: dict[type[ast.operator], tuple[bytes, bytes]] = {
    ast.Add: (b"+", b"-"), ast.Sub: (b"-", b"+"), ast.Mult: (b"*", b"//"), ast.Div: (b"/", b"*"),
    ast.FloorDiv: (b"//", b"*"), ast.Mod: (b"%", b"+"), ast.Pow: (b"**", b"*"), ast.BitOr: (b"|", b"&"),
    ast.BitAnd: (b"&", b"|"),
}  # fmt: skip
_LOGS = frozenset({"log", "_log", "logger"})
_TYPING = frozenset({"TypeVar", "NewType", "ParamSpec", "Literal", "Annotated", "TypedDict"})
_SAME_EITHER_WAY = frozenset({"isinstance", "min", "max", "gather", "issubclass"})
_COPIES = frozenset({"tuple", "list", "frozenset", "dict", "iter", "bool", "super", "cast", "MappingProxyType", "Path"})
_LABELS = frozenset({("write", "name"), ("keep", "name")})
"""Arguments that name a transaction for who crashes it in a campaign."""
_SMALL = 10


@dataclass(frozen=True, slots=True)
class Planted:
    """One mistake: the bytes from ``start`` to ``end`` of a file become ``new``.

    Attributes:
        scope: qualified name of the function or class around it; empty at the level of the module.
        lines: numbers of the lines of the statement (of a compound one: of its head) that holds it.
        in_function: whether it is in the body of a function that has a name, not in its head.
        before, after: the changed lines, without the space around them.
    """

    file: str
    kind: str
    start: int
    end: int
    new: str
    scope: str
    line: int
    lines: tuple[int, ...]
    in_function: bool
    before: str
    after: str
    nth: int = 0
    """Which one, where the same lines stand several times in one scope."""

    @property
    def identity(self) -> str:
        """The same as long as the text of the mistake is, wherever it moves in its file."""
        return "\n".join((self.file, self.scope, self.before, self.after, str(self.nth)))

    def changed(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]

    def is_a_change(self, source: bytes) -> bool:
        """Whether the file is Python still, and something else than before."""
        try:
            return ast.dump(ast.parse(self.changed(source))) != ast.dump(ast.parse(source))
        except (SyntaxError, ValueError):
            return False


def places(source: bytes, file: str) -> list[Planted]:
    """Every mistake that could be planted in a file, in the order of its text; some leave no Python, or no change."""
    seen: Counter[tuple[str, str, str]] = Counter()
    found = []
    for one in sorted(_Places(source, file).all(), key=lambda one: (one.start, one.end, one.kind, one.new)):
        found.append(Planted(*_fields(one), nth=seen[one.scope, one.before, one.after]))
        seen[one.scope, one.before, one.after] += 1
    return found


def sample(root: Path, files: Iterable[str], *, size: int, seed: int) -> list[Planted]:
    """As many mistakes, by the shares of their kinds and at most one a line, the same ones for the same seed."""
    by_kind: dict[str, list[Planted]] = defaultdict(list)
    for file in files:
        for one in places((root / file).read_bytes(), file):
            by_kind[one.kind].append(one)

    def changes(one: Planted) -> bool:
        return one.is_a_change((root / one.file).read_bytes())

    ranked = {kind: iter(sorted(found, key=lambda one: _rank(one, seed))) for kind, found in by_kind.items()}
    chosen: dict[tuple[str, int], Planted] = {}
    while ranked and len(chosen) < size:
        had = Counter(one.kind for one in chosen.values())
        kind = min(ranked, key=lambda kind: ((had[kind] + 1) / SHARES[kind], kind))
        taken = next((one for one in ranked[kind] if (one.file, one.line) not in chosen and changes(one)), None)
        if taken is None:
            del ranked[kind]
        else:
            chosen[taken.file, taken.line] = taken
    return list(chosen.values())


def _rank(one: Planted, seed: int) -> str:
    return hashlib.sha256(f"{seed}\n{one.identity}".encode()).hexdigest()


def _fields(one: Planted) -> tuple[str, str, int, int, str, str, int, tuple[int, ...], bool, str, str]:
    place = (one.file, one.kind, one.start, one.end, one.new, one.scope, one.line, one.lines)
    return (*place, one.in_function, one.before, one.after)


@dataclass(frozen=True, slots=True)
class _Around:
    scope: tuple[str, ...] = ()
    in_function: bool = False
    statement: ast.stmt | None = None
    in_raise: bool = False
    in_text: bool = False


class _Places:
    def __init__(self, source: bytes, file: str) -> None:
        self._source = source
        self._file = file
        self._tree = ast.parse(source)
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def all(self) -> Iterator[Planted]:
        yield from self._within(self._tree, _Around())

    def _within(self, node: ast.AST, around: _Around) -> Iterator[Planted]:  # noqa: C901 - one walk
        if _left_out(node):
            return
        if isinstance(node, ast.stmt):
            around = _Around(around.scope, around.in_function, node, isinstance(node, ast.Raise))
        if isinstance(node, ast.JoinedStr):
            around = _Around(around.scope, around.in_function, around.statement, around.in_raise, in_text=True)
        if isinstance(node, ast.expr | ast.stmt) and not (around.in_text and not self._is_there(node)):
            for kind, start, end, new in self._mistakes(node, around):
                yield from self._planted(kind, start, end, new, around)
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list", "type_comment"} or _holds_types(node, name):
                continue
            inner = around
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and name == "body":
                inner = _Around((*around.scope, node.name), in_function=True)
            elif isinstance(node, ast.ClassDef) and name == "body":
                inner = _Around((*around.scope, node.name), around.in_function)
            children = value if isinstance(value, list) else [value]
            if isinstance(node, ast.Call) and _is_typing(node.func):
                children = []
            for child in children:
                if isinstance(child, ast.AST):
                    yield from self._within(child, inner)

    def _planted(self, kind: str, start: int, end: int, new: str, around: _Around) -> Iterator[Planted]:
        first = self._source.rfind(b"\n", 0, start) + 1
        last = self._source.find(b"\n", end)
        last = len(self._source) if last < 0 else last
        before = self._source[first:last].decode()
        after = (self._source[first:start] + new.encode() + self._source[end:last]).decode()
        statement = around.statement
        assert statement is not None
        yield Planted(
            self._file,
            kind,
            start,
            end,
            new,
            ".".join(around.scope),
            bisect(self._starts, start),
            tuple(range(statement.lineno, _end_of_head(statement) + 1)),
            around.in_function,
            before.strip(),
            after.strip(),
        )

    def _at(self, node: ast.AST) -> tuple[int, int]:
        assert isinstance(node, ast.expr | ast.stmt | ast.keyword)
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def _text(self, node: ast.AST) -> str:
        start, end = self._at(node)
        return self._source[start:end].decode(errors="replace")

    def _is_there(self, node: ast.expr | ast.stmt) -> bool:
        """Whether a node in an f-string stands where the parser says; Python 3.11 is wrong in some."""
        try:
            return ast.dump(ast.parse(self._text(node), mode="eval").body) == ast.dump(node)
        except (SyntaxError, ValueError):
            return False

    def _mistakes(  # noqa: C901, PLR0912 - a table
        self, node: ast.expr | ast.stmt, around: _Around
    ) -> Iterator[tuple[str, int, int, str]]:
        match node:
            case ast.Compare(left=left, ops=[operator], comparators=[right]):
                yield from self._of_comparison(left, operator, right)
            case ast.BoolOp():
                yield from self._of_connective(node)
            case ast.UnaryOp(op=ast.Not()):
                start = self._at(node)[0]
                yield "condition", start, start + len("not "), ""
            case ast.UnaryOp(op=ast.USub()):
                start = self._at(node)[0]
                yield "arithmetic", start, start + len("-"), ""
            case ast.If(test=test) | ast.IfExp(test=test):
                yield from (("condition", *self._at(test), value) for value in ("True", "False"))
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _ARITHMETIC:
                if not any(_is_text(side) or _is_type(side) for side in (left, right)):
                    yield from self._between(left, right, *_ARITHMETIC[type(operator)], kind="arithmetic")
            case ast.AugAssign(target=left, op=operator, value=right):
                if type(operator) in _ARITHMETIC and not _is_text(right):
                    yield from self._between(left, right, *_ARITHMETIC[type(operator)], kind="arithmetic")
                yield "statement", *self._at(node), "pass"
            case ast.Constant():
                yield from self._of_constant(node, around)
            case ast.Expr(value=ast.Call() | ast.Await(value=ast.Call())):
                yield "dropped call", *self._at(node), "pass"
            case ast.Call():
                yield from self._of_call(node)
            case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
                yield from self._of_rows([(self._at(one), self._at(one)) for one in elements], node)
            case ast.Dict(keys=keys, values=values):
                pairs = [(self._at(key or value), self._at(value)) for key, value in zip(keys, values, strict=True)]
                yield from self._of_rows(pairs, node) if None not in keys else ()
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                for one in (test for part in node.generators for test in part.ifs):
                    yield "condition", *self._at(one), "True"
            case ast.Return(value=ast.expr() as value) if not isinstance(value, ast.Constant):
                truth = isinstance(value, ast.Compare | ast.BoolOp | ast.UnaryOp)
                yield "returned", *self._at(value), f"not ({self._text(value)})" if truth else "None"
            case ast.Raise() | ast.Continue() | ast.Break() | ast.Delete() | ast.Return(value=None):
                yield "statement", *self._at(node), "pass"
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
                yield "statement", *self._at(node), "pass"

    def _between(
        self, left: ast.expr, right: ast.expr, old: bytes, new: bytes, *, kind: str
    ) -> Iterator[tuple[str, int, int, str]]:
        start, end = self._at(left)[1], self._at(right)[0]
        at = self._source.find(old, start, end)
        if at >= 0:
            yield kind, at, at + len(old), new.decode()

    def _of_comparison(
        self, left: ast.expr, operator: ast.cmpop, right: ast.expr
    ) -> Iterator[tuple[str, int, int, str]]:
        found = _COMPARED.search(self._source, self._at(left)[1], self._at(right)[0])
        if found is None:
            return
        if type(operator) in _BOUNDARIES:
            yield "boundary", *found.span(), _BOUNDARIES[type(operator)]
        yield "comparison", *found.span(), _OPPOSITES[type(operator)]

    def _of_connective(self, node: ast.BoolOp) -> Iterator[tuple[str, int, int, str]]:
        both = isinstance(node.op, ast.And)
        old, new = (b"and", b"or") if both else (b"or", b"and")
        for left, right in pairwise(node.values):
            yield from self._between(left, right, old, new, kind="connective")
        for one in node.values:
            yield "operand", *self._at(one), str(both)

    def _of_constant(self, node: ast.Constant, around: _Around) -> Iterator[tuple[str, int, int, str]]:
        start, end = self._at(node)
        match node.value:
            case bool(value):
                yield "flag", start, end, str(not value)
            case int(value):
                near = {value + 1, value - 1} if value <= _SMALL else {value + 1, value * 2, value // 2}
                yield from (("number", start, end, str(one)) for one in sorted(near) if one >= 0)
            case float(value):
                yield from (("number", start, end, str(one)) for one in (value * 2, value / 2))
            case str() | bytes() if not around.in_raise and not around.in_text:
                quote = self._source[end - 1 : end]
                width = 3 if self._source[end - 3 : end] == quote * 3 and end - start > len("''''") else 1
                yield "text", end - width, end - width, "x"

    def _of_call(self, node: ast.Call) -> Iterator[tuple[str, int, int, str]]:
        name = _name(node.func)
        makes = name.lstrip("_")[:1].isupper() or name in _COPIES
        match node.args:
            case [one] if not (makes or node.keywords or isinstance(one, ast.Starred | ast.GeneratorExp)):
                yield "unwrapped", *self._at(node), f"({self._text(one)})"
        given: list[tuple[ast.AST, ast.expr]] = [(one, one) for one in node.args if not isinstance(one, ast.Starred)]
        named: list[tuple[ast.AST, ast.expr]] = [(one, one.value) for one in node.keywords if one.arg]
        if name not in _SAME_EITHER_WAY:
            for together in (given, named):
                for (_, first), (_, other) in pairwise(together):
                    (start, middle), (rest, end) = self._at(first), self._at(other)
                    between = self._source[middle:rest].decode()
                    if ast.dump(first) != ast.dump(other):
                        yield "swapped", start, end, f"{self._text(other)}{between}{self._text(first)}"
        everything = sorted(self._at(one) for one in (*node.args, *node.keywords))
        for keyword in (one for one in node.keywords if one.arg and (name, one.arg) not in _LABELS):
            yield "keyword", *self._without(everything, everything.index(self._at(keyword))), ""

    def _of_rows(
        self, rows: list[tuple[tuple[int, int], tuple[int, int]]], node: ast.expr
    ) -> Iterator[tuple[str, int, int, str]]:
        spans = [(first[0], last[1]) for first, last in rows]
        if isinstance(node, ast.Tuple) and (len(spans) <= len("ab") or not isinstance(node.ctx, ast.Load)):
            return
        if len(spans) > 1 and not isinstance(getattr(node, "ctx", None), ast.Store):
            yield from (("row", *self._without(spans, n), "") for n in range(len(spans)))

    @staticmethod
    def _without(spans: list[tuple[int, int]], n: int) -> tuple[int, int]:
        """What has to go so that one of several, with commas between them, is gone."""
        if n + 1 < len(spans):
            return spans[n][0], spans[n + 1][0]
        return (spans[n - 1][1] if n else spans[n][0]), spans[n][1]


def _left_out(node: ast.AST) -> bool:  # noqa: PLR0911 - a table
    """Places where a change has no behaviour: sentences about the code, types, logs, what types cannot say."""
    match node:
        case ast.Expr(value=ast.Constant()) | ast.Assert() | ast.Import() | ast.ImportFrom():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name)))):
            return name in _LOGS
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
        case ast.Assign(targets=[ast.Name(id=name)]) if name in {"__all__", "__slots__", "log"}:
            return True
        case ast.FunctionDef(name="__repr__"):
            return True
        case ast.ClassDef(bases=bases) if any(_name(base) == "Protocol" for base in bases):
            return True
        case ast.FunctionDef(decorator_list=marks) | ast.AsyncFunctionDef(decorator_list=marks):
            return any(_name(one) in {"overload", "abstractmethod"} for one in marks)
        case ast.Subscript(value=value) | ast.Call(func=value):
            return _is_typing(value)
    return False


def _holds_types(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Subscript) and name == "slice":
        return _is_type(node.value) or _name(node.value) in {"dict", "list", "tuple", "set", "frozenset", "type"}
    return isinstance(node, ast.ClassDef) and name in {"bases", "keywords"}


def _is_type(node: ast.expr) -> bool:
    name = _name(node).lstrip("_")
    capital = name[:1].isupper() and not name.isupper()
    builtin = isinstance(node, ast.Name) and name in {"int", "str", "float", "bytes", "bool"}
    return capital or builtin or (isinstance(node, ast.Constant) and node.value is None)


def _is_typing(node: ast.expr) -> bool:
    return _name(node) in _TYPING


def _is_text(node: ast.expr) -> bool:
    held = ast.JoinedStr | ast.List | ast.Tuple | ast.ListComp
    return isinstance(node, held) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))


def _name(node: ast.expr) -> str:
    """The last part of a dotted name; that of what is called or indexed."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value) | ast.Call(func=value):
            return _name(value)
    return ""


def _end_of_head(statement: ast.stmt) -> int:
    body: Mapping[str, object] = dict(ast.iter_fields(statement))
    inner = body.get("body") or body.get("cases")
    if isinstance(inner, list) and inner and not isinstance(statement, ast.Expr):
        first = inner[0].pattern if isinstance(inner[0], ast.match_case) else inner[0]
        return max(statement.lineno, min(first.lineno - 1, statement.end_lineno or first.lineno))
    return statement.end_lineno or statement.lineno

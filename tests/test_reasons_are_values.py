"""Nothing that decides reads a sentence: reasons are asked by their code, and words are made in presentation."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("bot/workflows", "bot/domain", "handlers", "storage")
REASONS = frozenset({"reason", "refusal", "doubt", "problem", "hindered"})
"""What attributes and names are called that hold a reason or a trouble."""
WORDED = frozenset({"worded", "in_words", "sentence", "told", "reason_of", "because", "because_refused"})
"""Functions that give a sentence."""
SEARCHES = frozenset(
    {"startswith", "endswith", "find", "index", "rfind", "count", "partition", "rpartition", "removeprefix"}
    | {"removesuffix", "split", "match", "search", "fullmatch", "casefold", "lower"}
)


def _is_prose(node: ast.expr) -> bool:
    """Whether this is a reason, a text of one, or what a function that words something returns."""
    match node:
        case ast.Call(func=ast.Name(id="str"), args=[inner]):
            return _is_prose(inner)
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in WORDED
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in REASONS
        case _:
            return False


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _reads(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions that search a reason, or compare it with a text."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=held, attr=attr), args=args) if attr in SEARCHES:
                if _is_prose(held) or any(_is_prose(one) for one in args):
                    yield node
            case ast.Compare(left=left, ops=ops, comparators=right):
                sides = [left, *right]
                for one, op, other in zip(sides, ops, sides[1:], strict=False):
                    contains = isinstance(op, ast.In | ast.NotIn) and (_is_prose(other) or _is_prose(one))
                    equals = isinstance(op, ast.Eq | ast.NotEq) and (
                        (_is_prose(one) and _is_text(other)) or (_is_prose(other) and _is_text(one))
                    )
                    if contains or equals:
                        yield node


def _files() -> list[str]:
    found = (path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py")))
    return [path.relative_to(ROOT).as_posix() for path in found]


def test_nothing_that_decides_reads_a_reason_as_text() -> None:
    found = {
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for name in _files()
        for node in _reads(ast.parse((ROOT / name).read_text()))
    }
    assert found == set()


@pytest.mark.parametrize(
    "source",
    [
        "instruction.reason.startswith('held, because ')",
        "'held' in instruction.reason",
        "instruction.reason == 'the daily limit is reached'",
        "HELD.match(booking.reason)",
        "worded(reason) != 'x'",
        "str(look.doubt).partition(':')",
        "sentence(trouble).endswith('.')",
    ],
)
def test_code_reading_a_sentence_is_found(source: str) -> None:
    assert list(_reads(ast.parse(source)))


def test_reasons_may_be_compared_with_reasons() -> None:
    assert not list(_reads(ast.parse("instruction.reason != reason\nreason is None\nreason.is_(OfRequest.HELD)")))

"""Which small mistakes are planted, and that the same seed plants the same ones."""

from pathlib import Path

import pytest

from tests.mutants.sample.planting import SHARES, places, sample

CODE = b'''"""A shop."""

LIMITS = {"day": 100, "week": 500}


def price(count: int, each: int = 3) -> int:
    """Price of some."""
    if count < 0 or not each:
        raise ValueError("count")
    log.info("price", count=count)
    note(count, each, name=count, other=each)
    total = round(count * each)
    return total
'''
"""Every kind of mistake can be made in it."""


def changes(source: str) -> list[tuple[str, str]]:
    code = source.encode()
    return [(one.kind, one.changed(code).decode()) for one in places(code, "x.py") if one.is_a_change(code)]


@pytest.mark.parametrize(
    ("source", "kind", "changed"),
    [
        ("a < b", "boundary", "a <= b"),
        ("a >= b", "boundary", "a > b"),
        ("a < b", "comparison", "a >= b"),
        ("a is not b", "comparison", "a is b"),
        ("a in b", "comparison", "a not in b"),
        ("if a: f()", "condition", "if True: f()"),
        ("if a: f()", "condition", "if False: f()"),
        ("x = not a", "condition", "x = a"),
        ("x = [a for a in b if a]", "condition", "x = [a for a in b if True]"),
        ("a and b", "operand", "True and b"),
        ("a or b", "operand", "a or False"),
        ("a and b", "connective", "a or b"),
        ("a + b", "arithmetic", "a - b"),
        ("a += b", "arithmetic", "a -= b"),
        ("x = 1", "number", "x = 2"),
        ("x = 1", "number", "x = 0"),
        ("x = 600", "number", "x = 601"),
        ("x = 600", "number", "x = 1200"),
        ("x = 600", "number", "x = 300"),
        ("x = 0.5", "number", "x = 1.0"),
        ("x = True", "flag", "x = False"),
        ("x = 'a'", "text", "x = 'ax'"),
        ("f(a)", "dropped call", "pass"),
        ("x = f(a)", "unwrapped", "x = (a)"),
        ("x = f(a, b)", "swapped", "x = f(b, a)"),
        ("x = f(a=b, c=d)", "swapped", "x = f(a=d, c=b)"),
        ("x = f(a, b=c)", "keyword", "x = f(a)"),
        ("x = f(b=c, d=e)", "keyword", "x = f(d=e)"),
        ("x = {1: a, 2: b}", "row", "x = {2: b}"),
        ("x = {a, b}", "row", "x = {a}"),
        ("x = (a, b, c)", "row", "x = (a, c)"),
        ("def f():\n    return a", "returned", "def f():\n    return None"),
        ("def f():\n    return a == b", "returned", "def f():\n    return not (a == b)"),
        ("raise a", "statement", "pass"),
        ("self.a = b", "statement", "pass"),
    ],
)
def test_a_mistake_of_each_kind(source: str, kind: str, changed: str) -> None:
    assert (kind, changed) in changes(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""A sentence."""',
        "x: dict[str, Literal[1]]",
        "def f(a: int) -> Literal['x']: ...",
        "__all__ = ['a', 'b']",
        "if TYPE_CHECKING:\n    from a import b",
        "log.info('a', b=1)",
        "self._log.warning('a', b=1)",
        "log = get_logger(__name__)",
        "assert a < b, 'c'",
        "T = TypeVar('T', bound=a)",
        "class A(Protocol):\n    b: int = 3",
        "@dataclass(frozen=True)\nclass A:\n    b: int",
        "x: int | None",
        "from a import b, c",
        "def __repr__(self):\n    return a",
    ],
)
def test_no_mistake_is_planted_without_effect(source: str) -> None:
    assert changes(source) == []


def test_text_of_an_error_that_is_raised_stays() -> None:
    assert "text" not in {kind for kind, _ in changes("raise ValueError('a')")}


def test_expressions_in_f_strings_are_mutated() -> None:
    assert ("unwrapped", "x = f'for {(name)}'") in changes("x = f'for {typed(name)}'")


def planted_in(folder: Path, code: bytes, *, seed: int, size: int = 12) -> list[str]:
    folder.mkdir(exist_ok=True)
    (folder / "shop.py").write_bytes(code)
    return [one.identity for one in sample(folder, ["shop.py"], size=size, seed=seed)]


def test_a_seed_plants_the_same_mistakes_wherever_they_move(tmp_path: Path) -> None:
    once = planted_in(tmp_path, CODE, seed=1)
    assert planted_in(tmp_path, CODE.replace(b"LIMITS", b"import shelf\n\nLIMITS"), seed=1) == once
    assert planted_in(tmp_path, CODE, seed=2) != once
    assert planted_in(tmp_path, CODE, seed=1, size=3) == once[:3]


def test_each_kind_of_mistake_is_planted_once_per_place(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_bytes(CODE)
    lines = [one.line for one in sample(tmp_path, ["shop.py"], size=99, seed=1)]
    assert len(lines) == len(set(lines))
    assert {one.kind for one in places(CODE, "shop.py")} >= SHARES.keys() - {"connective", "arithmetic", "flag"}

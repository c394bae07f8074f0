"""A sample over a project of one file: what its tests find is found, what survives is told, equivalents are apart."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mutants.affected import affected
from tests.mutants.sample.choosing import Choosing
from tests.mutants.sample.equivalent import EQUIVALENT, Equivalent
from tests.mutants.sample.hunting import Limits, Result, Verdict, hunt_all
from tests.mutants.sample.planting import Planted, places
from tests.mutants.sample.recorded import Suite
from tests.mutants.sample.run import Kept, Wanted, run
from tests.support.fixtures import Printed

ROOT = Path(__file__).resolve().parents[2]

SHOP = """
import time

FREE_FROM = 50


def postage(cents):
    if cents >= FREE_FROM:
        return 0
    return cents + 5


def untested(a):
    return a + 1


def left(cents):
    while cents > 0:
        cents -= 10
    return cents


def packed(seconds):
    time.sleep(1000 if seconds < 1 else 0)
    return 7


def halved(a):
    return a // 2
"""
TESTS = """
import pytest

from bot.shop import halved, left, packed, postage


def test_the_first_free_one():
    assert postage(49) == 54
    assert postage(50) == 0


def test_left():
    assert left(20) == 0


def test_packed():
    assert packed(1) == 7


@pytest.mark.parametrize("half", [halved(8)])
def test_halved_while_collecting(half):
    assert half == 4
"""
LIMITS = Limits(loops=1.0, waits=2.5)


def laid(folder: Path, *, shop: str = SHOP, tests: str = TESTS) -> Suite:
    for name, text in {"bot/__init__.py": "", "bot/shop.py": shop, "checks/test_shop.py": tests}.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text)
    (folder / "pytest.ini").write_text("[pytest]\nasyncio_default_fixture_loop_scope = function\n")
    return Suite(folder, packages=("bot",), tests="checks", left_out=(), marked="", beside=())


HUNTED = {
    "if cents > FREE_FROM:", "return cents - 5", "FREE_FROM = 51", "return a // 3", "return a + 2",
    "cents += 10", "time.sleep(1000 if seconds <= 1 else 0)", "while cents > 1:",
}  # fmt: skip


@pytest.fixture(scope="module")
def hunted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """What came of mistakes in the shop, by the changed line."""
    suite, copies = laid(tmp_path_factory.mktemp("project")), tmp_path_factory.mktemp("copies")
    suite.record(at_once=1)
    source = (suite.root / "bot/shop.py").read_bytes()
    planted = [one for one in places(source, "bot/shop.py") if one.after in HUNTED]
    choosing = Choosing(suite, suite.read(), suite.code_files())
    return {
        one.planted.after: one for one in hunt_all(suite, choosing, planted, folder=copies, at_once=1, limits=LIMITS)
    }


@pytest.mark.parametrize(
    ("changed", "test"),
    [
        ("if cents > FREE_FROM:", "test_the_first_free_one"),
        ("return cents - 5", "test_the_first_free_one"),
        ("FREE_FROM = 51", "test_the_first_free_one"),
        ("return a // 3", "test_halved_while_collecting[2]"),
    ],
    ids=["a boundary", "an operator", "a constant of the module", "what ran while tests were collected"],
)
def test_mistake_that_fails_a_test_is_found(hunted: dict[str, Result], changed: str, test: str) -> None:
    assert hunted[changed].verdict is Verdict.FOUND
    assert hunted[changed].ran[0].startswith("checks/test_shop.py")
    assert test in (hunted[changed].by, hunted[changed].by.partition("::")[2])


def test_surviving_mistake_names_the_tests_that_ran(hunted: dict[str, Result]) -> None:
    survived = hunted["while cents > 1:"]
    assert (survived.verdict, survived.ran, survived.of) == (Verdict.SURVIVED, ("checks/test_shop.py::test_left",), 1)


@pytest.mark.parametrize(
    ("changed", "verdicts"),
    [
        ("return a + 2", {Verdict.NO_TEST, Verdict.SURVIVED}),
        ("cents += 10", {Verdict.LOOPS}),
        ("time.sleep(1000 if seconds <= 1 else 0)", {Verdict.WAITS}),
    ],
    ids=["a line that no test runs", "a loop without end", "a wait without end"],
)
def test_verdict_of_a_mistake_that_fails_no_test(
    hunted: dict[str, Result], changed: str, verdicts: set[Verdict]
) -> None:
    assert hunted[changed].verdict in verdicts
    assert {Verdict.LOOPS, Verdict.WAITS} == {one for one in Verdict if one.is_found} - {Verdict.FOUND}


def test_affected_tests_execute_the_changed_line(tmp_path: Path) -> None:
    suite = laid(tmp_path)
    suite.record(at_once=1)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "bot", "checks"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *arguments], cwd=tmp_path, check=True)
    (tmp_path / "bot/shop.py").write_text(SHOP.replace("cents -= 10", "cents -= 20"))
    assert affected(suite, "HEAD", patience=9) == ["checks/test_shop.py::test_left"]


def test_the_copies_are_as_they_were(hunted: dict[str, Result], tmp_path_factory: pytest.TempPathFactory) -> None:
    copy = next(tmp_path_factory.getbasetemp().glob("copies*/0/bot/shop.py"))
    assert (set(hunted), copy.read_text()) == (HUNTED, SHOP)


def said(capfd: Printed) -> str:
    return capfd.readouterr().out


SMALL = """
def doubled(a):
    return a * 2


def untested(a):
    return a + 1
"""
TESTS_OF_SMALL = """
from bot.shop import doubled


def test_doubled():
    assert doubled(4) == 8
"""
NOBODY_CALLS = [
    Equivalent("bot/shop.py", "return a + 1", f"return {after}", "nobody calls it")
    for after in ("a - 1", "a + 0", "a + 2", "None")
]


def test_a_sample_counts_equivalents_apart_and_hunts_survivors_again(tmp_path: Path, capfd: Printed) -> None:
    suite = laid(tmp_path, shop=SMALL, tests=TESTS_OF_SMALL)
    wanted = Wanted(size=9, seed=1, at_once=1, limits=LIMITS)
    assert run(suite, wanted) == 1
    first = said(capfd)
    assert "seed 1: 2 mistakes, 0 equivalent, 2 to hunt" in first
    assert "bot/shop.py:7  " in first
    assert "  - return a + 1" in first
    assert "2 planted, 0 equivalent, 1 found: 50.0 %" in first

    (suite.root / "checks/test_more.py").write_text(
        "from bot.shop import untested\n\ndef test_it(): assert untested(1) == 2\n"
    )
    assert run(suite, wanted) == 0
    again = said(capfd)
    assert "1 to hunt" in again
    assert "2 planted, 0 equivalent, 2 found: 100.0 %" in again

    assert run(suite, Wanted(size=9, seed=1, at_once=1, limits=LIMITS, equivalent=NOBODY_CALLS)) == 0
    assert "2 planted, 1 equivalent, 1 found: 100.0 %" in said(capfd)


def test_fresh_run_forgets_found_mistakes(tmp_path: Path) -> None:
    one = places(SMALL.encode(), "bot/shop.py")[0]
    path = tmp_path / "seed-1.jsonl"
    Kept(path, fresh=False).keep(Result(one, Verdict.FOUND, by="x"))
    assert Kept(path, fresh=False).is_found(one)
    assert not Kept(path, fresh=True).is_found(one)
    assert not Kept(path, fresh=False).is_found(one)


def test_an_equivalent_of_one_function_excuses_no_other() -> None:
    one = Planted(
        *("bot/shop.py", "statement", 0, 6, "pass", "doubled", 7),
        lines=(7,),
        in_function=True,
        before="return",
        after="pass",
    )
    said = Equivalent("bot/shop.py", "return", "pass", "nobody calls it")
    assert [replace(said, scope=scope).is_it(one) for scope in ("", "doubled", "untested")] == [True, True, False]


def test_each_equivalent_exists_and_has_its_reason() -> None:
    for one in EQUIVALENT:
        assert one.stands_in((ROOT / one.file).read_text(encoding="utf-8")), one
        assert len(one.reason.split()) > 3, one
    assert len({(one.file, one.before, one.after) for one in EQUIVALENT}) == len(EQUIVALENT)

"""Every mutant still means something: what it changes stands there once, and the tests that find it exist."""

import ast
from collections import Counter
from importlib import import_module

import pytest

from tests.mutants.catalog import MUTANTS
from tests.mutants.mutant import ROOT, DoesNotApply, Mutant

MUST_BE = 60
FACTS = 40


def test_there_are_enough_of_them_and_each_has_a_name() -> None:
    assert len(MUTANTS) >= MUST_BE
    assert [name for name, count in Counter(one.name for one in MUTANTS).items() if count > 1] == []


def test_each_applies_exactly_once_and_is_still_python() -> None:
    for mutant in MUTANTS:
        source = (ROOT / mutant.file).read_text(encoding="utf-8")
        changed = mutant.changed(source)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(source)), mutant.name


def test_points_of_the_interface_documents_are_broken() -> None:
    """What proves a row of the page to be true: its test fails when the point is broken."""
    told = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    names = sorted(path.stem for path in (ROOT / "tests" / "mutants").glob("facts_*.py"))
    facts = [one for name in names for one in import_module(f"tests.mutants.{name}").MUTANTS]
    assert [one.name for one in facts if one not in MUTANTS] == []
    assert len([one for one in facts if any(path.partition("::")[0] in told for path in one.paths)]) >= FACTS


def test_what_is_to_find_each_exists() -> None:
    for mutant in MUTANTS:
        assert mutant.paths, mutant.name
        for test in mutant.paths:
            path, *names = test.split("::")
            assert (ROOT / path).exists(), test
            if names:
                name = names[-1].partition("[")[0]
                assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), test


def test_what_does_not_stand_there_once_is_an_error() -> None:
    mutant = Mutant(name="x", file="x.py", old="a", new="b", breaks="nothing", tests=("x",))
    assert mutant.changed("a = 1") == "b = 1"
    for source in ("c = 1", "a = a"):
        with pytest.raises(DoesNotApply):
            mutant.changed(source)

"""``tests/faults.toml``: each known fault, invariant and security requirement has a test that exists."""

import re
import tomllib
from pathlib import Path

from tests.support.pages import declared

ROOT = Path(__file__).parents[1]
FAULTS = tomllib.loads((ROOT / "tests" / "faults.toml").read_text(encoding="utf-8"))


def test_faults_have_a_test_or_a_known_gap() -> None:
    assert len(FAULTS) >= 139
    assert not [code for code, row in FAULTS.items() if not row["tests"] and "**Not held:**" not in row["handled_by"]]


def test_tests_named_by_faults_exist() -> None:
    named = [(code, *test.partition("::")[::2]) for code, row in FAULTS.items() for test in row["tests"]]
    assert not [one for one in named if not (ROOT / one[1]).exists() or (one[2] and one[2] not in declared(one[1]))]


def test_files_named_by_faults_exist() -> None:
    named = [(code, path) for code, row in FAULTS.items() for path in re.findall(r"`([\w/]+/[\w/.]+)", str(row))]
    assert not [one for one in named if not (ROOT / one[1].removesuffix(".")).exists()]

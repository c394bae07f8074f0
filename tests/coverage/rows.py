"""Points of the interface documents, one table per point in a TOML file per service."""

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
SERVICES = ("localization", "payments", "delivery", "emails", "beside")


@dataclass(frozen=True, kw_only=True)
class Row:
    """One point: ``breaks`` makes it untrue (see ``breaking.py``), and a test of ``tests`` fails then.

    Attributes:
        mark: D documented; A1, A2, A3 assumed on strong evidence, by analogy, by naming only; ours: left open.
        under: heading of the group, e.g. ``GET /operations``; empty if there is none.
    """

    number: str
    point: str
    mark: str
    seen: str
    tests: tuple[str, ...]
    breaks: tuple[str, ...] = ()
    under: str = ""

    @property
    def part(self) -> str:
        return self.number.rpartition(".")[0]


def _row(number: str, declared: dict[str, Any]) -> Row:
    lists = {key: tuple(declared.get(key, ())) for key in ("tests", "breaks")}
    return Row(number=number, **{**declared, **lists})


@cache
def rows() -> tuple[Row, ...]:
    files = [tomllib.loads((FOLDER / f"{service}.toml").read_text(encoding="utf-8")) for service in SERVICES]
    return tuple(_row(number, declared) for file in files for number, declared in file.items())

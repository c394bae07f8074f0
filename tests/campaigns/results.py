"""Results of campaigns in a file, one line each, so that a campaign can be continued."""

import json
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some runs of a campaign from the ``first`` on (a seed, an index); ``runs`` of kills: how many kills."""

    campaign: str
    first: int
    runs: int
    seconds: float
    violations: tuple[str, ...] = ()
    """Each violated invariant, with the command to repeat it."""
    counts: Mapping[str, int] = field(default_factory=dict)
    commit: str = ""
    at: float = 0.0


class Ledger:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._commit = commit_of(ROOT)

    def add(self, piece: Piece) -> None:
        """Record and print it."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = {**asdict(piece), "commit": self._commit, "at": time.time()}
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        print(f"{time.strftime('%H:%M:%S')} {piece.campaign} {piece.first}: {piece.runs} runs, {dict(piece.counts)}")  # noqa: T201
        for violation in piece.violations:
            print(f"    {violation}", flush=True)  # noqa: T201

    def done(self, campaign: str) -> set[int]:
        mine = (one for one in self.pieces() if one.campaign == campaign)
        return {number for one in mine for number in range(one.first, one.first + one.runs)}

    def pieces(self) -> list[Piece]:
        return list(_read(self.path)) if self.path.exists() else []


def commit_of(root: Path) -> str:
    """The commit of the tree, with a plus where something is changed; empty without git."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=9"],
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()


def upper_bound(runs: int) -> float:
    """Rule of three: after so many runs without a violation, the rate is below this with 95 % confidence."""
    return min(1.0, 3 / runs) if runs else 1.0


def table(pieces: Iterable[Piece]) -> str:
    by_name: dict[str, list[Piece]] = {}
    for piece in pieces:
        by_name.setdefault(piece.campaign, []).append(piece)
    lines = [f"{'campaign':<22}{'runs':>8}{'violations':>12}{'rate below (95 %)':>20}{'minutes':>9}  commits"]
    for name, mine in by_name.items():
        runs, broken = sum(one.runs for one in mine), sum(len(one.violations) for one in mine)
        bound = f"{upper_bound(runs):.5f}" if not broken else "-"
        minutes = sum(one.seconds for one in mine) / 60
        commits = " ".join(sorted({one.commit for one in mine}))
        lines.append(f"{name:<22}{runs:>8}{broken:>12}{bound:>20}{minutes:>9.1f}  {commits}")
    for name, mine in by_name.items():
        lines.append(f"{name}: {_counted(mine)}")
        lines += [f"    {violation}" for one in mine for violation in one.violations]
    return "\n".join(lines)


def _counted(pieces: Iterable[Piece]) -> str:
    sums: Counter[str] = Counter()
    for piece in pieces:
        for name, count in piece.counts.items():
            sums[name] = max(sums[name], count) if name.startswith("most ") else sums[name] + count
    return ", ".join(f"{name} {count}" for name, count in sums.items())


def _read(path: Path) -> Iterator[Piece]:
    for line in path.read_text(encoding="utf-8").splitlines():
        found: dict[str, Any] = json.loads(line)
        yield Piece(**{**found, "violations": tuple(found["violations"])})

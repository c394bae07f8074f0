"""One sample: planted, hunted, reported. What is found is kept, so that a run that is started again goes on."""

import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.mutants.sample.choosing import Choosing
from tests.mutants.sample.equivalent import EQUIVALENT, Equivalent
from tests.mutants.sample.hunting import Limits, Result, Verdict, hunt_all
from tests.mutants.sample.planting import Planted, sample
from tests.mutants.sample.recorded import Suite


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: in files with one of the words, when there are any; ``fresh`` forgets earlier runs."""

    size: int
    seed: int
    words: Sequence[str] = ()
    at_once: int = 2
    limits: Limits = field(default_factory=Limits)
    fresh: bool = False
    goal: float = 92.0
    equivalent: Sequence[Equivalent] = EQUIVALENT


@dataclass(frozen=True, slots=True)
class Score:
    """Share of the mistakes found, of those that change anything. One that was not hunted was not found."""

    planted: int
    found: int
    equivalent: int

    @property
    def percent(self) -> float:
        counted = self.planted - self.equivalent
        return 100 * self.found / counted if counted else 100.0

    def __str__(self) -> str:
        told = f"{self.planted} planted, {self.equivalent} equivalent, {self.found} found"
        return f"{told}: {self.percent:.1f} %"


def run(suite: Suite, wanted: Wanted) -> int:
    """Hunt a sample and print what came of it; 1 when fewer were found than is the goal."""
    suite.record(at_once=wanted.at_once)
    files = suite.code_files()
    planted = sample(suite.root, files, size=wanted.size, seed=wanted.seed)
    chosen = [one for one in planted if not wanted.words or any(word in one.file for word in wanted.words)]
    kept = Kept(suite.root / ".mutants" / f"seed-{wanted.seed}.jsonl", fresh=wanted.fresh)
    counted = [one for one in chosen if not any(each.is_it(one) for each in wanted.equivalent)]
    left = [one for one in counted if not kept.is_found(one)]
    say(f"seed {wanted.seed}: {len(chosen)} mistakes, {len(chosen) - len(counted)} equivalent, {len(left)} to hunt")
    started = time.monotonic()
    if left:
        choosing = Choosing(suite, suite.read(), files)
        with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
            hunted = hunt_all(suite, choosing, left, folder=Path(folder), at_once=wanted.at_once, limits=wanted.limits)
            for n, result in enumerate(hunted, start=1):
                kept.keep(result)
                one = result.planted
                at = f"{one.file}:{one.line}"
                say(f"{n:>4} {result.verdict:<17}{result.seconds:>6.1f} s  {at}  {one.kind}  {result.by}")
    score = Score(len(chosen), sum(map(kept.is_found, counted)), len(chosen) - len(counted))
    say(report(counted, kept))
    say(f"{score}, {time.monotonic() - started:.0f} s, seed {wanted.seed}")
    return 0 if score.percent >= wanted.goal else 1


def report(counted: Sequence[Planted], kept: "Kept") -> str:
    """Each survivor with its place, the change and the tests that ran; then how many of each kind were found."""
    lines = []
    for one in counted:
        if kept.is_found(one):
            continue
        result = kept.of(one)
        ran = result.ran if result else ()
        lines += ["", f"{one.file}:{one.line}  {one.kind}, in {one.scope or 'the module'}"]
        lines += [f"  - {line.strip()}" for line in one.before.splitlines()]
        lines += [f"  + {line.strip()}" for line in one.after.splitlines()]
        told = f"{result.verdict}: {len(ran)} of {result.of} tests" if result else "not hunted"
        lines.append(f"  {told} {', '.join(ran[:3])}{' …' if len(ran) > len('abc') else ''}")
    every = Counter(one.kind for one in counted)
    found = Counter(one.kind for one in counted if kept.is_found(one))
    return "\n".join([*lines, "", ", ".join(f"{kind} {found[kind]}/{every[kind]}" for kind in sorted(every))])


class Kept:
    """Results of a seed, one line each, written as they come; the last one of a mistake counts."""

    def __init__(self, path: Path, *, fresh: bool) -> None:
        self._path = path
        self._results: dict[str, Result] = {}
        if fresh:
            path.unlink(missing_ok=True)
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                said = json.loads(line)
                planted = Planted(**{**said.pop("planted"), "lines": ()})
                result = Result(planted, Verdict(said.pop("verdict")), **{**said, "ran": tuple(said["ran"])})
                self._results[planted.identity] = result

    def of(self, one: Planted) -> Result | None:
        return self._results.get(one.identity)

    def is_found(self, one: Planted) -> bool:
        result = self.of(one)
        return result is not None and result.verdict.is_found

    def keep(self, result: Result) -> None:
        self._results[result.planted.identity] = result
        said = {name: getattr(result, name) for name in ("verdict", "by", "why", "ran", "of", "seconds")}
        planted = {name: getattr(replace(result.planted, lines=()), name) for name in Planted.__slots__}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps({**said, 'planted': planted})}\n")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()

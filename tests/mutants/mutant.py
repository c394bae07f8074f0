"""A deliberate mistake in the sources, and the tests that have to find it."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_MISTAKE = r"((?:^[^-+\n].*\n)+)((?:^-.*\n)+)((?:^\+.*\n)*)"


class DoesNotApply(ValueError):
    """What the mutant would replace is not there, or is there more than once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one file: a text that stands there exactly once becomes another.

    Its name is unique, ``breaks`` is the promise that people would lose, ``tests`` what pytest is told to run, options
    behind the paths; at least one fails with the change, none without.
    """

    name: str
    file: str
    old: str
    new: str
    breaks: str
    tests: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(takewhile(lambda one: not one.startswith("-"), self.tests))

    def changed(self, source: str) -> str:
        """The text of the file with the mistake in it."""
        found = source.count(self.old)
        if found != 1:
            raise DoesNotApply(f"{self.name}: what it replaces stands {found} times in {self.file}: {self.old!r}")
        return source.replace(self.old, self.new)


def mutants(text: str) -> tuple[Mutant, ...]:
    """Mutants of a text like a diff: ``@ file tests``, then for each ``name | breaks``, ``-old`` and ``+new``."""
    found = []
    for file, tests, words, old, new in mistakes(text):
        name, breaks = words.split(" | ")
        found.append(Mutant(name=name, file=file, old=old, new=new, breaks=breaks, tests=tuple(shlex.split(tests))))
    return tuple(found)


def mistakes(text: str) -> Iterator[tuple[str, str, str, str, str]]:
    """What a text like a diff says of each mistake: its file, the rest of that line, its words, old and new text."""
    for part in re.split(r"^@ ", text, flags=re.MULTILINE)[1:]:
        head, _, body = part.partition("\n")
        assert re.fullmatch(f"(?:{_MISTAKE})+", body, re.MULTILINE), head
        file, _, rest = head.partition(" ")
        for words, old, new in re.findall(_MISTAKE, body, re.MULTILINE):
            yield file, rest, " ".join(words.split()), _without_signs(old), _without_signs(new)


def _without_signs(lines: str) -> str:
    return "\n".join(line[1:] for line in lines.splitlines())

"""A deliberate mistake in the sources, and the tests that have to find it."""

from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class DoesNotApply(ValueError):
    """What the mutant would replace is not there, or is there more than once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of one file.

    Attributes:
        name: a few words, unique among all.
        file: relative to the root of the repository.
        old: text that stands there exactly once.
        new: what stands there instead.
        breaks: the promise that people would lose.
        tests: what pytest is told to run, options behind the paths; at least one fails with the change, none without.
    """

    name: str
    file: str
    old: str
    new: str
    breaks: str
    tests: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """The tests without options."""
        return tuple(takewhile(lambda one: not one.startswith("-"), self.tests))

    def changed(self, source: str) -> str:
        """The text of the file with the mistake in it.

        Raises:
            DoesNotApply: the text that it replaces does not stand there exactly once.
        """
        found = source.count(self.old)
        if found != 1:
            raise DoesNotApply(f"{self.name}: what it replaces stands {found} times in {self.file}: {self.old!r}")
        return source.replace(self.old, self.new)

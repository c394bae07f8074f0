"""Mistakes of the samples that change nothing anybody could see, each with the reason; found by their text.

What could be seen, however seldom, does not belong here: it gets a test.
"""

from dataclasses import dataclass

from tests.mutants.sample.planting import Planted


@dataclass(frozen=True, slots=True)
class Equivalent:
    """One such mistake: the line (or lines) as it stands in the file, and as it would stand there."""

    file: str
    before: str
    after: str
    reason: str

    def is_it(self, one: Planted) -> bool:
        """Whether this is the planted mistake, wherever it moved in its file."""
        return (self.file, _plain(self.before), _plain(self.after)) == (one.file, _plain(one.before), _plain(one.after))

    def stands_in(self, source: str) -> bool:
        """Whether the file still says what is changed."""
        return _plain(self.before) in _plain(source)


def _plain(text: str) -> str:
    return " ".join(text.split())


EQUIVALENT: tuple[Equivalent, ...] = ()

"""Shortcuts in the product that the campaign has to find: one entry each, what to patch and which law it breaks.

``plant`` is a context in which the shortcut is in the product, such as ``partial(replaced, module, "name", instead)``;
without one the product has it by itself.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final

from tests.people.history import THEMES


@dataclass(frozen=True, slots=True)
class Shortcut:
    """``breaks``: the law's name; ``theme``: whose histories find it; ``within``: in how many of them at most."""

    breaks: str
    theme: str
    within: int
    plant: Callable[[], AbstractContextManager[None]] = nullcontext

    @property
    def seeds(self) -> range:
        first = list(THEMES).index(self.theme)
        return range(first, first + self.within * len(THEMES), len(THEMES))


SHORTCUTS: Final[Mapping[str, Shortcut]] = {
    "no comparison across kinds": Shortcut("repeat", "good rows", 6),
    "no second reading at the claim": Shortcut("turned", "again", 6),
    "a list that closes up": Shortcut("press", "home", 8),
    "an import of a marked record": Shortcut("import", "import", 8),
    "a status column ignored": Shortcut("done", "status", 4),
}

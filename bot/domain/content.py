"""Content of a message, a modal or a private answer, before anything is sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]
"""One Block Kit block as plain JSON: the SDK's models drop what they do not know."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One message: ``text`` is complete by itself (for screen readers), ``blocks`` show the same."""

    text: str
    blocks: Sequence[Block] = ()
    plainer: Sequence[Block] = ()
    """The same once more, for a workspace that does not know one of the blocks."""

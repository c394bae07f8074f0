"""Content of a message, a modal or a private answer before it is sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Block = dict[str, Any]
"""A Block Kit block as plain JSON, because the SDK's models drop unknown fields."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A message: ``text`` is complete on its own (for screen readers), ``blocks`` show the same content."""

    text: str
    blocks: Sequence[Block] = ()
    plainer: Sequence[Block] = ()
    """Fallback for a workspace that doesn't support one of the blocks."""

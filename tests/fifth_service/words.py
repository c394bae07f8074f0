"""What people are told about words."""

from bot.domain.content import Content
from bot.presentation.answers import private
from bot.presentation.blocks.text import escape

LONGEST = 60
WORD = f"a word of at most {LONGEST} characters"


def meaning(word: str, found: str) -> Content:
    """What a word means; both are foreign text."""
    return private(f"*{escape(word)}*: {escape(found)}")

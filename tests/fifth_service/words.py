"""What people are told about words."""

from bot.domain.content import Content
from bot.presentation.blocks.text import escape, message

LONGEST = 60
WORD = f"a word of at most {LONGEST} characters"


def meaning(word: str, found: str) -> Content:
    """What a word means; both are foreign text."""
    return message(f"*{escape(word)}*: {escape(found)}")

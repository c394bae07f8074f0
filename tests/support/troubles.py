"""What an error says to people, for ``pytest.raises(…, check=…)``; ``match`` sees what a log line holds."""

from collections.abc import Callable

from bot.domain.errors import OperatorError, ServiceTrouble
from bot.presentation.reasons import told


def says(words: str) -> Callable[[ServiceTrouble | OperatorError], bool]:
    """Whether the trouble is told in these words, among others."""
    return lambda trouble: words in told(trouble)

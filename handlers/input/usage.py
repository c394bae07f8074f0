"""From a command's declaration to its help."""

from collections.abc import Sequence
from functools import lru_cache

from bot.domain.content import Content
from bot.presentation import help as printed
from handlers.input.grammar import Verb, unescape


@lru_cache(maxsize=16)
def help_for(spelled: str, summary: str, verbs: tuple[Verb, ...]) -> Content:
    """The command's verbs with their arguments and examples; cached, because it never changes."""
    return printed.usage(spelled, summary, _usages(verbs))


def no_such_verb(given: str, spelled: str, verbs: Sequence[Verb]) -> Content:
    """The answer to a verb that does not exist."""
    return printed.no_such_verb(unescape(given), spelled, _usages(verbs))


def _usages(verbs: Sequence[Verb]) -> list[printed.Usage]:
    return [printed.Usage(verb.usage, verb.summary, verb.example, verb.name) for verb in verbs]

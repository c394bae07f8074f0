"""From a command line to the verb that runs: common to all slash commands."""

from bot.domain.errors import PersonError
from bot.presentation import views
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input.grammar import Verb, read_arguments, words_of
from handlers.input.usage import help_for, no_such_verb
from handlers.replies import MistakesError, Open, Private, Reply


async def run(deps: Dependencies, command: Command, *, name: str, summary: str, verbs: tuple[Verb, ...]) -> Reply:
    """Find the verb, read its arguments, run it.

    Raises:
        MistakesError: with every mistake in the line.
    """
    spelled = deps.spelled(name)
    given, rest = (*command.text.split(maxsplit=1), "", "")[:2]
    verb, rest = _find(given.lower(), rest, verbs)
    if verb is None:
        if given.lower() in ("", "help"):
            return Private(help_for(spelled, summary, verbs))
        return Private(no_such_verb(given, spelled, verbs))
    below = tuple(one for one in verbs if one.name.startswith(f"{verb.name} "))
    if rest.strip() and below and not verb.arguments:
        return Private(no_such_verb(f"{given} {rest.split()[0]}", spelled, below))
    if not rest.strip() and verb.alone is not None:
        return await verb.alone(deps, command)
    if not rest.strip() and any(not argument.optional for argument in verb.arguments):
        asked = [views.VerbField(argument.name, argument.rule, argument.optional) for argument in verb.arguments]
        about = {"command": name, "verb": verb.name, "channel": command.channel}
        return Open(views.verb(f"{spelled} {verb.name}", verb.summary, asked, about=about))
    try:
        words = words_of(rest, example=f"{spelled} {verb.example}")
    except PersonError as broken:
        raise MistakesError([broken]) from None
    return await verb.run(deps, command, read_arguments(verb, words, spelled=spelled))


def _find(first: str, rest: str, verbs: tuple[Verb, ...]) -> tuple[Verb | None, str]:
    """The verb, of two words or one, and the rest of the line."""
    second, left = (*rest.split(maxsplit=1), "", "")[:2]
    two = next((verb for verb in verbs if second and verb.name == f"{first} {second.lower()}"), None)
    if two is not None:
        return two, left
    return next((verb for verb in verbs if verb.name == first), None), rest

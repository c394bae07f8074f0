"""From a command line to the verb that runs, its help, and the form of a verb typed without its arguments."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.presentation import answers, views
from handlers.grammar.verbs import SlashCommand, Verb, read_argument, read_arguments, unescape, words_of
from handlers.incoming import Command, Submission
from handlers.replies import FieldErrors, MistakesError, Open, Private, Replace, Reply
from handlers.router import Dependencies


async def run(deps: Dependencies, command: Command, *, slash: SlashCommand) -> Reply:
    """Find the verb, read its arguments, run it.

    Raises:
        MistakesError: with every mistake in the line.
    """
    spelled = deps.spelled(slash.name)
    given, rest = (*command.text.split(maxsplit=1), "", "")[:2]
    verb, rest = _find(given.lower(), rest, slash.verbs)
    if verb is None:
        asks = given.lower() in ("", "help")
        return Private(
            help_for(spelled, slash.summary, slash.verbs) if asks else no_such_verb(given, spelled, slash.verbs)
        )
    below = tuple(one for one in slash.verbs if one.name.startswith(f"{verb.name} "))
    if rest.strip() and below and not verb.arguments:
        return Private(no_such_verb(f"{given} {rest.split()[0]}", spelled, below))
    if not rest.strip() and verb.alone is not None:
        return await verb.alone(deps, command)
    if not rest.strip() and any(not argument.optional for argument in verb.arguments):
        asked = [views.VerbField(argument.name, argument.rule, argument.optional) for argument in verb.arguments]
        about = {"command": slash.name, "verb": verb.name, "channel": command.channel}
        return Open(views.verb(f"{spelled} {verb.name}", verb.summary, asked, about=about))
    if verb.verbatim:
        return await verb.run(deps, command, {verb.arguments[0].name: rest})
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


@lru_cache(maxsize=16)
def help_for(spelled: str, summary: str, verbs: tuple[Verb, ...]) -> Content:
    """The command's verbs with their arguments and examples; cached, because it never changes."""
    return answers.usage(spelled, summary, _usages(verbs))


def no_such_verb(given: str, spelled: str, verbs: Sequence[Verb]) -> Content:
    return answers.no_such_verb(unescape(given), spelled, _usages(verbs))


def _usages(verbs: Sequence[Verb]) -> list[answers.Usage]:
    return [answers.Usage(verb.usage, verb.summary, verb.example, verb.name) for verb in verbs]


async def submit(deps: Dependencies, form: Submission, *, commands: Mapping[str, SlashCommand]) -> Reply:
    """Read the fields of a verb's form like a command line, and run the verb; its answer replaces the form."""
    about = form.about
    slash = commands.get(about["command"])
    verb = next((one for one in slash.verbs if one.name == about["verb"]), None) if slash is not None else None
    if verb is None:
        raise LookupError(f"the form of a verb that is gone: {about['command']} {about['verb']}")
    values: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for argument in verb.arguments:
        text = form.values.get(argument.name, "").strip()
        try:
            values[argument.name] = read_argument(argument, text) if text or not argument.optional else None
        except PersonError as broken:
            errors[argument.name] = answers.at_field(broken)
    if errors:
        return FieldErrors(errors)
    command = Command(
        name=deps.spelled(about["command"]),
        text="",
        user=form.user,
        channel=about["channel"],
        trigger_id=form.view_id,
        response_url="",
    )
    try:
        reply = await verb.run(deps, command, values)
    except MistakesError as broken:
        first = verb.arguments[0].name
        known = {argument.name for argument in verb.arguments}
        return FieldErrors(
            {one.argument if one.argument in known else first: answers.at_field(one) for one in broken.errors}
        )
    if not isinstance(reply, Private):
        return reply
    title, content = views.short_title(f"{command.name} {verb.name}"), reply.content
    return Replace(views.result(title, content.blocks) if content.blocks else views.notice(title, content.text))

"""One declaration of a command's verbs: it parses the typed line, prints the help, and makes the form.

Typed text has curly quotes, hard spaces, and addresses turned into links. It is normalised first, then
split at spaces (``"…"`` keeps words together, an apostrophe is a letter), and unescaped last.
"""

import shlex
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache, partial
from typing import Any

from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.text import unescape, without_links
from bot.presentation import answers, views
from handlers.incoming import Command, Submission
from handlers.replies import FieldErrors, MistakesError, Open, Private, Replace, Reply
from handlers.router import Dependencies

_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_PLAIN = str.maketrans(
    {
        **dict.fromkeys(_SPACES, " "),
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u2018": "'",
        "\u2019": "'",
        "\u200b": "",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """One argument: ``read`` turns its text into a value or raises ``PersonError``."""

    name: str
    rule: str
    read: Callable[[str], Any]
    rest: bool = False
    """Takes all remaining words."""
    each: bool = False
    """Takes all remaining words, each read by itself; its value is the list of their values."""
    typed: str = ""
    """How help prints it, where the name is not enough."""
    optional: bool = False
    """Its value is None when no word is left for it, or when the word is one for the optional argument after it.

    It may also stand anywhere in the line as ``name=value``.
    """
    apart: bool = False
    """Optional, and given only as ``name=value``."""

    unit: Callable[[str], bool] | None = None
    """Whether the word after it is its unit and adds nothing; raises ``PersonError`` where it contradicts."""

    @property
    def usage(self) -> str:
        if self.typed or self.apart:
            return self.typed or f"[{self.name}=…]"
        return f"[{self.name}]" if self.optional else f"<{self.name}>"

    def takes(self, word: str) -> bool:
        try:
            self.read(word)
        except PersonError:
            return False
        return True


Read = Callable[[str], Any]
"""Turns what was typed into a value, or raises ``PersonError``."""
Values = Mapping[str, Any]
"""Argument values by name."""
Run = Callable[[Dependencies, Command, Values], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    name: str
    summary: str
    run: Run
    _: KW_ONLY
    example: str = ""
    """A right line; its name alone where nothing is given."""
    arguments: Sequence[Argument] = ()
    alone: Callable[[Dependencies, Command], Awaitable[Reply]] | None = None
    """Answers the verb typed without any argument."""
    verbatim: bool = False
    """Gets the rest of the line as it was typed, as the value of its only argument."""

    def __post_init__(self) -> None:
        if not self.example:
            object.__setattr__(self, "example", self.name)

    @property
    def usage(self) -> str:
        return " ".join([self.name, *(argument.usage for argument in self.arguments)])

    @property
    def listed(self) -> answers.Usage:
        return answers.Usage(self.usage, self.summary, self.example, self.name)


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """A slash command. ``name``: without slash and prefix; ``verbs``: in the order of the help."""

    name: str
    summary: str
    verbs: tuple[Verb, ...]

    @property
    def hint(self) -> str:
        """First words of its verbs, for the manifest."""
        return " | ".join([*dict.fromkeys(verb.name.split()[0] for verb in self.verbs), "help"])

    @property
    def listed(self) -> list[answers.Usage]:
        return [verb.listed for verb in self.verbs]


def words_of(text: str, *, example: str) -> list[str]:
    """Split a command line; ``PersonError``: a quotation mark is not closed."""
    splitter = shlex.shlex(without_links(text.translate(_PLAIN)), posix=True, punctuation_chars=False)
    splitter.whitespace_split, splitter.commenters, splitter.escape, splitter.quotes = True, "", "", '"'
    try:
        return [unescape(word) for word in splitter]
    except ValueError:
        rule = "a quotation mark is opened but not closed"
        raise PersonError(argument="text", rule=rule, example=example, given=text) from None


def read_arguments(verb: Verb, words: Sequence[str], *, spelled: str) -> dict[str, Any]:
    """Values by argument name; ``MistakesError`` has every missing or wrong argument, and every word too many."""
    example = f"{spelled} {verb.example}"
    values, left, errors = _taken_out(verb, words, example)
    arguments = [one for one in verb.arguments if one.name not in values]
    for number, argument in enumerate(arguments):
        later = [one for one in arguments[number + 1 :] if one.optional]
        if argument.optional and (
            not left or (not argument.takes(left[0]) and any(one.takes(left[0]) for one in later))
        ):
            values[argument.name] = None
            continue
        if argument.each:
            taken, left = left or [""], []
        elif argument.rest:
            taken, left = [" ".join(left)], []
        else:
            taken, left = left[:1] or [""], left[1:]
        found = []
        for text in taken:
            try:
                found.append(read_argument(argument, text))
            except PersonError as broken:
                errors.append(with_example(broken, example, text))
        try:
            left = left[1:] if argument.unit is not None and left and argument.unit(left[0]) else left
        except PersonError as broken:
            errors.append(with_example(broken, example, left[0]))
            left = left[1:]
        values[argument.name] = found if argument.each else next(iter(found), None)
    if left:
        errors.append(too_many(left, example))
    if errors:
        raise MistakesError(errors)
    return values


def _taken_out(verb: Verb, words: Sequence[str], example: str) -> tuple[dict[str, Any], list[str], list[PersonError]]:
    """Values of the optional arguments that are given as ``name=value``; the other words; and the mistakes."""
    values: dict[str, Any] = {}
    errors: list[PersonError] = []
    left = list(words)
    for argument in (one for one in verb.arguments if one.optional):
        named = [one for one in left if one.lower().startswith(f"{argument.name}=") and not _is_item(verb, one)]
        left = [one for one in left if one not in named]
        try:
            values |= _read_named(argument, named)
        except PersonError as broken:
            values[argument.name] = None
            errors.append(with_example(broken, example, " ".join(named)))
    return values, left, errors


def _read_named(argument: Argument, words: Sequence[str]) -> dict[str, Any]:
    """Its value, where it is given as ``name=value``; None for one that may only be given so, and is not."""
    if len(words) > 1:
        raise PersonError(argument=argument.name, rule="it is given twice", example="", given=" ".join(words))
    if not words:
        return {argument.name: None} if argument.apart else {}
    return {argument.name: read_argument(argument, words[0].partition("=")[2])}


def _is_item(verb: Verb, word: str) -> bool:
    """Whether it is one of many alike, such as ``code=2x10.00``: an item of that name."""
    return any(one.each and one.takes(word) for one in verb.arguments)


def too_many(words: Sequence[str], example: str) -> PersonError:
    """Words after the last argument; the first is named, and they are repeated where there are several."""
    given = " ".join(words) if len(words) > 1 else ""
    return PersonError(argument=words[0], rule=answers.TOO_MANY_WORDS, example=example, given=given)


def with_example(broken: PersonError, example: str, text: str = "") -> PersonError:
    """The same mistake with a correct line; ``text``: what was given, where the mistake does not say it."""
    return PersonError(argument=broken.argument, rule=broken.rule, example=example, given=broken.given or text)


def read_argument(argument: Argument, text: str) -> Any:
    if not text.strip():
        raise PersonError(argument=argument.name, rule=f"it is missing; give {argument.rule}", example="")
    return argument.read(text)


def read_form(values: Mapping[str, str], readers: Mapping[str, Read]) -> tuple[dict[str, Any], dict[str, str]]:
    """Every field by its block id, and a sentence for each that breaks its rule."""
    found: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for block, read in readers.items():
        try:
            found[block] = read(values.get(block, ""))
        except PersonError as broken:
            errors[block] = answers.at_field(broken)
    return found, errors


def mistake(deps: Dependencies, command: str, example: str, broken: PersonError) -> MistakesError:
    """One mistake, to raise; ``example``: a correct line of the command without its name."""
    return MistakesError([with_example(broken, f"{deps.spelled(command)} {example}")])


def wrong(
    deps: Dependencies, command: str, example: str, *, argument: str, rule: str, given: str = ""
) -> MistakesError:
    """One argument that breaks a rule, to raise; ``example`` as of :func:`mistake`."""
    return mistake(deps, command, example, PersonError(argument=argument, rule=rule, example="", given=given))


@lru_cache
def help_of(slash: SlashCommand, spelled: str) -> Content:
    """All verbs of a command; the same for everybody, so it is made once."""
    return answers.usage(spelled, slash.summary, slash.listed)


async def run(deps: Dependencies, command: Command, *, slash: SlashCommand) -> Reply:
    """Find the verb, read its arguments, run it; ``MistakesError`` has every mistake of the line."""
    spelled = deps.spelled(slash.name)
    given, rest = (*command.text.split(maxsplit=1), "", "")[:2]
    second, left = (*rest.split(maxsplit=1), "", "")[:2]
    verbs = {one.name: one for one in slash.verbs}
    of_two = verbs.get(f"{given} {second}".lower())
    verb, rest = (of_two, left) if of_two is not None else (verbs.get(given.lower()), rest)
    if verb is None:
        asks, typed = given.lower() in ("", "help"), unescape(given)
        return Private(help_of(slash, spelled) if asks else answers.no_such_verb(typed, spelled, slash.listed))
    below = [one.listed for one in slash.verbs if one.name.startswith(f"{verb.name} ")]
    if rest.strip() and below and not verb.arguments:
        return Private(answers.no_such_verb(unescape(f"{given} {rest.split()[0]}"), spelled, below))
    if not rest.strip() and verb.alone is not None:
        return await verb.alone(deps, command)
    if not rest.strip() and any(not argument.optional for argument in verb.arguments):
        asked = [(argument.name, argument.rule, argument.optional) for argument in verb.arguments]
        about = {"command": slash.name, "verb": verb.name, "channel": command.channel}
        return Open(views.verb(f"{spelled} {verb.name}", verb.summary, asked, about=about))
    if verb.verbatim:
        return await verb.run(deps, command, {verb.arguments[0].name: rest})
    try:
        words = words_of(rest, example=f"{spelled} {verb.example}")
    except PersonError as broken:
        raise MistakesError([broken]) from None
    return await verb.run(deps, command, read_arguments(verb, words, spelled=spelled))


async def submit(deps: Dependencies, form: Submission, *, commands: Mapping[str, SlashCommand]) -> Reply:
    """Read the fields of a verb's form like a command line, and run the verb; its answer replaces the form."""
    about = form.about
    slash = commands.get(about["command"])
    verb = next((one for one in slash.verbs if one.name == about["verb"]), None) if slash is not None else None
    if verb is None:
        raise LookupError(f"the form of a verb that is gone: {about['command']} {about['verb']}")
    entered = {one.name: form.values.get(one.name, "").strip() for one in verb.arguments}
    asked = [one for one in verb.arguments if entered[one.name] or not one.optional]
    values, errors = read_form(entered, {one.name: partial(read_argument, one) for one in asked})
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
        reply = await verb.run(deps, command, {name: values.get(name) for name in entered})
    except MistakesError as broken:
        first = next(iter(entered))
        fields = [one.argument if one.argument in entered else first for one in broken.errors]
        return FieldErrors(dict(zip(fields, map(answers.at_field, broken.errors), strict=True)))
    if not isinstance(reply, Private):
        return reply
    title, content = views.short_title(f"{command.name} {verb.name}"), reply.content
    return Replace(views.result(title, content.blocks) if content.blocks else views.notice(title, content.text))

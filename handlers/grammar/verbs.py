"""Declarations of a command's verbs, which drive parsing, help and forms.

For a nearly correct line a button offers the likely correction; pressing it is like typing that line.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache, partial
from typing import TypeVar

from bot.domain.approvals import Refusal
from bot.domain.content import Content
from bot.domain.errors import PersonError
from bot.domain.text import closest, unescape
from bot.presentation import answers, views
from handlers.grammar.arguments import Argument, Values, read_argument, read_arguments, read_form, words_of
from handlers.incoming import Click, Command, Submission
from handlers.replies import Answer, Edit, FieldErrors, Later, MistakesError, Open, Private, Replace, Reply
from handlers.router import Dependencies

A = TypeVar("A", bound=Answer | Open | FieldErrors)
_ASKS = frozenset({"help", "?"})

Run = Callable[[Dependencies, Command, Values], Awaitable[Reply]]


@dataclass(frozen=True, slots=True, eq=False)
class Verb:
    name: str
    summary: str
    run: Run
    _: KW_ONLY
    example: str = ""
    """A correct line; defaults to the name."""
    arguments: Sequence[Argument] = ()
    alone: Callable[[Dependencies, Command], Awaitable[Reply]] | None = None
    """Answers the verb typed without arguments."""
    verbatim: bool = False
    """The rest of the line, as typed, is the value of its only argument."""
    explained: Sequence[tuple[str, str]] = ()
    """For help: spelling and rule of each part of a line; defaults to those of the arguments."""

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
    """A slash command. ``name`` has no slash or prefix; ``verbs`` are in the order of the help text."""

    name: str
    summary: str
    verbs: tuple[Verb, ...]
    starts: tuple[tuple[str, str], ...] = ()
    """Buttons for the command typed alone, as label and line."""

    @property
    def hint(self) -> str:
        """Usage hint for the manifest: the first words of its verbs."""
        return " | ".join([*dict.fromkeys(verb.name.split()[0] for verb in self.verbs), "help"])

    @property
    def listed(self) -> list[answers.Usage]:
        return [verb.listed for verb in self.verbs]


@lru_cache
def help_of(slash: SlashCommand, spelled: str) -> Content:
    """Return the help of a command; cached because it is the same for all users."""
    return answers.usage(spelled, slash.summary, slash.listed)


@lru_cache
def help_of_verb(slash: SlashCommand, verb: Verb, spelled: str) -> Content:
    """Return the help of a verb with its arguments, and of verbs whose names begin with its name."""
    below = [one.listed for one in slash.verbs if one.name.startswith(f"{verb.name} ")]
    parts = verb.explained or [one.explained for one in verb.arguments]
    return answers.usage_of_verb(spelled, verb.listed, parts, below)


def _named(slash: SlashCommand, text: str) -> tuple[Verb | None, str]:
    """Return the verb at the start of a line, if known, and the rest of the line."""
    given, rest = (*text.split(maxsplit=1), "", "")[:2]
    second, left = (*rest.split(maxsplit=1), "", "")[:2]
    verbs = {one.name: one for one in slash.verbs}
    of_two = verbs.get(f"{given} {second}".lower())
    return (of_two, left) if of_two is not None else (verbs.get(given.lower()), rest)


def offer(label: str, command: str, line: str, *, asked_as: str = "") -> answers.Offer:
    """Return a button that runs a line. ``command``: name without slash and prefix.

    ``asked_as``: deduplication key of its request, so that a second press makes no second one.
    """
    return answers.Offer(label, f"{asked_as or '-'} {command} {line}")


async def run(deps: Dependencies, command: Command, *, slash: SlashCommand) -> Reply:
    """Find the verb, read its arguments and run it; ``MistakesError`` lists every mistake in the line."""
    spelled = deps.spelled(slash.name)
    verb, rest = _named(slash, command.text)
    told = _help(slash, command, spelled)
    if verb is None or told is not None:
        return Private(told or _not_known(slash, command.text, command, spelled))
    if not rest.strip() and verb.alone is not None:
        return await verb.alone(deps, command)
    if not rest.strip() and any(not argument.optional for argument in verb.arguments):
        asked = [(argument.name, argument.rule, argument.optional) for argument in verb.arguments]
        form = {"command": slash.name, "verb": verb.name, "channel": command.channel}
        return Open(views.verb(f"{spelled} {verb.name}", verb.summary, asked, about=form))
    if verb.verbatim:
        return await verb.run(deps, command, {verb.arguments[0].name: rest})
    called, example = f"{spelled} {verb.name}", verb.example.removeprefix(verb.name).strip()
    try:
        values = read_arguments(verb.arguments, words_of(rest), called=called, example=example)
    except MistakesError as broken:
        raise MistakesError(broken.errors, _offers(broken.errors, slash, verb, rest, command)) from None
    return await verb.run(deps, command, values)


def _help(slash: SlashCommand, command: Command, spelled: str) -> Content | None:
    """Return the help that a line requests, or the answer to an unknown verb; None if the line should run."""
    first, after = (*command.text.split(maxsplit=1), "", "")[:2]
    asks = first.lower() in _ASKS
    about = after if asks else command.text
    if about.strip().lower() in ("", *_ASKS):
        begun = [] if asks else [offer(label, slash.name, line) for label, line in slash.starts]
        return answers.starts(spelled, slash.summary, begun) if begun else help_of(slash, spelled)
    verb, rest = _named(slash, about)
    if verb is None:
        return _not_known(slash, about, command, spelled)
    if asks or rest.strip().lower() in _ASKS:
        return help_of_verb(slash, verb, spelled)
    below = any(one.name.startswith(f"{verb.name} ") for one in slash.verbs)
    return _not_known(slash, about, command, spelled) if rest.strip() and below and not verb.arguments else None


def _offers(
    errors: Sequence[PersonError], slash: SlashCommand, verb: Verb, rest: str, command: Command
) -> list[answers.Offer]:
    """Return buttons with likely corrections of a line, if its only mistake is in a single place."""
    if len(errors) != 1:
        return []
    given = r"\s+".join(map(re.escape, errors[0].given.split()))
    word = re.compile(rf"(?<!\S){given}(?!\S)")
    if len(word.findall(rest)) != 1:
        return []
    lines = {meant: word.sub(meant, rest) for meant in (errors[0].instead, errors[0].also) if meant}
    return [
        offer(answers.meant(errors[0], meant), slash.name, f"{verb.name} {line}", asked_as=command.trigger_id)
        for meant, line in lines.items()
    ]


def _not_known(slash: SlashCommand, text: str, command: Command, spelled: str) -> Content:
    """Answer an unknown verb, and offer the line with the most similar verb."""
    words = text.split()
    one_word = {one.name.split()[0] for one in slash.verbs}
    is_first = words[0].lower() in one_word
    given = " ".join(words[: 2 if is_first else 1])
    first = words[0].lower() if is_first else closest(words[0], one_word)
    seconds = [one.name.split()[1] for one in slash.verbs if one.name.startswith(f"{first} ")]
    second = closest(words[1], seconds) if first and len(words) > 1 else ""
    rest = text.split(maxsplit=2 if second else 1)[2 if second else 1 :]
    line = " ".join([word for word in (first, second) if word] + rest) if first else ""
    verb, _ = _named(slash, line)
    if verb is None or (is_first and not second):
        return answers.no_such_verb(unescape(given), spelled, about=first if is_first else "")
    fits = len(line) <= answers.LONGEST_LINE and text == command.text
    offers = [offer(f"Use {spelled} {verb.name}", slash.name, line, asked_as=command.trigger_id)] if fits else []
    return answers.no_such_verb(unescape(given), spelled, meant=verb.name, offers=offers)


async def press(deps: Dependencies, click: Click, *, commands: Mapping[str, SlashCommand]) -> Reply:
    """Run a button's line as if the user had typed it; the answer replaces the button's message."""
    asked_as, _, typed = click.value.partition(" ")
    name, _, line = typed.partition(" ")
    slash = commands.get(name)
    if slash is None or not line:
        return Private(answers.refused(Refusal.STALE))
    command = Command(
        name=deps.spelled(name),
        text=line,
        user=click.user,
        channel=click.channel,
        trigger_id=click.trigger_id,
        response_url=click.response_url,
        asked_as=asked_as.removeprefix("-"),
    )
    reply = await run(deps, command, slash=slash)
    if isinstance(reply, Later):
        return Later(partial(_late, reply), _in_place(reply.meanwhile))
    return _in_place(reply)


async def _late(reply: Later) -> Answer | Open | FieldErrors:
    return _in_place(await reply.work())


def _in_place(reply: A) -> A | Edit:
    """Replace the button's message, unless the answer has buttons, which a double tap could press."""
    has_buttons = isinstance(reply, Private) and any(block["type"] == "actions" for block in reply.content.blocks)
    return Edit(reply.content) if isinstance(reply, Private) and not has_buttons else reply


async def submit(deps: Dependencies, form: Submission, *, commands: Mapping[str, SlashCommand]) -> Reply:
    """Read a verb's form like a command line and run the verb; its answer replaces the form."""
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

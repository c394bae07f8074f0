"""Parser of a typed line into argument values, which reports all mistakes at once.

Text from Slack contains curly quotes, non-breaking spaces, and addresses turned into links. It is normalised first,
then split at spaces (``"…"`` keeps words together, an apostrophe is a letter), and unescaped last.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.domain.errors import PersonError
from bot.domain.text import SPACES, unescape, without_links
from bot.presentation import answers
from handlers.replies import MistakesError
from handlers.router import Dependencies

_LONGEST_EXAMPLE = 300
"""Maximum characters of an example built from the correct parts of a line."""
_PLAIN = SPACES | str.maketrans(
    {
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
    """Takes all remaining words and reads each separately; its value is a list."""
    typed: str = ""
    """Spelling in help, if it isn't just the name."""
    optional: bool = False
    """Its value is None if no word is left for it, or if the next word fits only a later optional argument.

    It may also be anywhere in the line as ``name=value``.
    """
    apart: bool = False
    """Accepted only as ``name=value``."""

    unit: Callable[[str], bool] | None = None
    """Returns whether the word after it is its redundant unit; raises ``PersonError`` for a contradictory unit."""
    continued: Callable[[str, Sequence[str]], tuple[PersonError, int] | None] | None = None
    """For a word that may continue in the next words: returns the mistake and their number, or None."""

    @property
    def usage(self) -> str:
        if self.typed or self.apart:
            return self.typed or f"[{self.name}=…]"
        return f"[{self.name}]" if self.optional else f"<{self.name}>"

    @property
    def explained(self) -> tuple[str, str]:
        """Its usage, without an unpaired bracket, and its rule."""
        half = self.usage.count("[") != self.usage.count("]")
        return self.usage.strip("[]") if half else self.usage, self.rule

    def takes(self, word: str) -> bool:
        try:
            self.read(word)
        except PersonError:
            return False
        return True

    def may_be(self, word: str) -> bool:
        """Return whether it accepts the word or a likely correction of it."""
        try:
            self.read(word)
        except PersonError as broken:
            return bool(broken.instead)
        return True


Read = Callable[[str], Any]
"""Turns typed text into a value, or raises ``PersonError``."""
Values = Mapping[str, Any]
"""Argument values by name."""


def words_of(text: str) -> list[str]:
    """Split a command line; an unclosed quotation mark keeps the rest of the line together."""
    plain = without_links(text.translate(_PLAIN))
    splitter = shlex.shlex(plain if plain.count('"') % 2 == 0 else f'{plain}"', posix=True, punctuation_chars=False)
    splitter.whitespace_split, splitter.commenters, splitter.escape, splitter.quotes = True, "", "", '"'
    return [unescape(word) for word in splitter]


def read_arguments(arguments: Sequence[Argument], words: Sequence[str], *, called: str, example: str) -> dict[str, Any]:
    """Return values by argument name; ``MistakesError`` lists every missing or wrong argument and surplus words.

    ``called``: command and verb of the line, ``example``: valid arguments. The mistakes' example keeps the line's
    correct arguments.
    """
    values, right, errors = _read(arguments, words)
    if errors:
        _, sample, _ = _read(arguments, words_of(example))
        whole = {one.name for one in arguments if not one.each}
        sample |= {one.argument: one.instead for one in errors if one.instead and one.argument in whole}
        wrong = {one.argument for one in errors}
        known = [
            right.get(one.name, sample.get(one.name, ""))
            for one in arguments
            if not one.optional or one.name in {*right, *wrong}
        ]
        line = " ".join([called, *filter(None, known)])
        if len(line) > _LONGEST_EXAMPLE or "`" in line or line == called:
            line = f"{called} {example}"
        raise MistakesError([with_example(one, line) for one in errors])
    return values


def _read(
    arguments: Sequence[Argument], words: Sequence[str]
) -> tuple[dict[str, Any], dict[str, str], list[PersonError]]:
    """Return values, the words of correct arguments, and the mistakes."""
    values, right, left, errors = _taken_out(arguments, words)
    open_ones = [one for one in arguments if one.name not in values]
    given, left = left, _in_order(open_ones, left)
    is_swapped = given != left
    for number, argument in enumerate(open_ones):
        later = [one for one in open_ones[number + 1 :] if one.optional]
        if argument.optional and (
            not left or (not argument.takes(left[0]) and any(one.takes(left[0]) for one in later))
        ):
            values[argument.name] = None
            continue
        taken, left = _words_for(argument, left)
        found, before = [], len(errors)
        for text in taken:
            try:
                found.append(read_argument(argument, text))
            except PersonError as broken:
                errors.append(with_example(broken, "", text))
        if argument.continued is not None and len(errors) == before and not is_swapped:
            doubt, more = argument.continued(taken[0], left) or (None, 0)
            errors += [doubt] if doubt is not None else []
            left = left[more:] or left
        try:
            left = left[1:] if argument.unit is not None and left and argument.unit(left[0]) else left
        except PersonError as broken:
            errors.append(with_example(broken, "", left[0]))
            left = left[1:]
        values[argument.name] = found if argument.each else next(iter(found), None)
        if found and len(errors) == before:
            right[argument.name] = " ".join(map(_quoted, taken))
    if left:
        errors.append(too_many(left, ""))
    return values, right, errors


def _words_for(argument: Argument, left: list[str]) -> tuple[list[str], list[str]]:
    """Return the next words for an argument (an empty word if none is left), and the remaining words."""
    if argument.each:
        return left or [""], []
    if argument.rest:
        return [" ".join(left)], []
    if len(left) > 1 and _is_unit(argument, left[0]) and argument.takes(left[1]):  # USD 25.00
        left = left[1:]
    return left[:1] or [""], left[1:]


def _in_order(arguments: Sequence[Argument], words: list[str]) -> list[str]:
    """Return the words with the first two arguments put in order, if they were certainly swapped."""
    if len(arguments) < 2 or len(words) < 2:  # noqa: PLR2004 - two of them
        return words
    first, second = arguments[:2]
    if any(one.optional or one.rest or one.each for one in (first, second)) or first.takes(words[0]):
        return words
    words = words[1:] if _is_unit(second, words[0]) else words
    at = 2 if len(words) > 1 and _is_unit(second, words[1]) else 1
    if not second.may_be(words[0]) or at >= len(words) or not first.takes(words[at]):
        return words
    return [words[at], *words[:at], *words[at + 1 :]]


def _is_unit(argument: Argument, word: str) -> bool:
    try:
        return argument.unit is not None and argument.unit(word)
    except PersonError:
        return False


def _taken_out(
    arguments: Sequence[Argument], words: Sequence[str]
) -> tuple[dict[str, Any], dict[str, str], list[str], list[PersonError]]:
    """Extract optional arguments given as ``name=value``: return values, their words, the other words, mistakes."""
    values: dict[str, Any] = {}
    right: dict[str, str] = {}
    errors: list[PersonError] = []
    left = list(words)
    for argument in (one for one in arguments if one.optional):
        # Except ``code=2x10.00``, which may be an item with that name.
        named = [
            word
            for word in left
            if word.lower().startswith(f"{argument.name}=")
            and not any(one.each and one.takes(word) for one in arguments)
        ]
        left = [one for one in left if one not in named]
        try:
            values |= _read_named(argument, named)
            right |= dict.fromkeys([argument.name] if named else [], " ".join(map(_quoted, named)))
        except PersonError as broken:
            values[argument.name] = None
            errors.append(with_example(broken, "", " ".join(named)))
    return values, right, left, errors


def _read_named(argument: Argument, words: Sequence[str]) -> dict[str, Any]:
    """Return the value given as ``name=value``; None for a missing argument that is accepted only in this form."""
    if len(words) > 1:
        rule = f"give {argument.name}= only once"
        raise PersonError(argument=argument.name, rule=rule, example="", given=" ".join(words))
    if not words:
        return {argument.name: None} if argument.apart else {}
    return {argument.name: read_argument(argument, words[0].partition("=")[2])}


def _quoted(word: str) -> str:
    return f'"{word}"' if " " in word or not word else word


def too_many(words: Sequence[str], example: str) -> PersonError:
    """Return the mistake for words after the last argument."""
    return PersonError(argument=words[0], rule=answers.TOO_MANY_WORDS, example=example, given=" ".join(words))


def with_example(broken: PersonError, example: str, text: str = "") -> PersonError:
    """Return a copy of a mistake with a correct line; ``text`` is the default for its ``given``."""
    return PersonError(
        argument=broken.argument,
        rule=broken.rule,
        example=example,
        given=broken.given or text,
        instead=broken.instead,
        also=broken.also,
    )


def read_argument(argument: Argument, text: str) -> Any:
    if not text.strip():
        raise PersonError(argument=argument.name, rule=f"add {argument.rule}", example="")
    return argument.read(text)


def read_form(values: Mapping[str, str], readers: Mapping[str, Read]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return values by block id, and a sentence for each field that breaks its rule."""
    found: dict[str, Any] = {}
    errors: dict[str, str] = {}
    for block, read in readers.items():
        try:
            found[block] = read(values.get(block, ""))
        except PersonError as broken:
            errors[block] = answers.at_field(broken)
    return found, errors


def mistake(deps: Dependencies, command: str, example: str, broken: PersonError) -> MistakesError:
    """Return the error for one mistake. ``example``: a correct line without the command's name; empty for none."""
    return MistakesError([with_example(broken, f"{deps.spelled(command)} {example}" if example else "")])


def wrong(
    deps: Dependencies, command: str, example: str, *, argument: str, rule: str, given: str = ""
) -> MistakesError:
    """Return the error for an argument that breaks a rule; ``example`` as for :func:`mistake`."""
    return mistake(deps, command, example, PersonError(argument=argument, rule=rule, example="", given=given))

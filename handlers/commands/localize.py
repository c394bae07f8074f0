"""``/localize``: content localization, every verb from its declaration."""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from bot.domain.approvals import full_member
from bot.domain.content import Block
from bot.domain.errors import PersonError
from bot.domain.localization import CAPABILITIES, Capability, Option, Request, request_errors
from bot.domain.localization.declaration import Accepts
from bot.domain.localization.request import SOURCE, likely_source
from bot.presentation import answers
from bot.presentation.localization import calls as told
from bot.presentation.localization.forms import OPTION, TEXT, Carried, form
from bot.workflows.localization import Asked, ask
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import dispatch
from handlers.input.configured import configured
from handlers.input.grammar import Argument, MistakesError, Values, Verb, unescape, without_links
from handlers.input.presence import can_post
from handlers.replies import Open, Private, Reply

NAME = "localize"
SUMMARY = "Work on audio, video, documents and texts"

_LINK = re.compile(r"<(https?://[^|>\s]+)(?:\|[^>]*)?>")
_SETTING = re.compile(r"([A-Za-z][A-Za-z_-]{1,19})=(\S*)")
_ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)
_MARKS = '"“”„'
_ENGLISH = (
    "The meeting was moved to Friday because the room was taken. Everybody was told in time, and nobody minded. "
    "We meet at nine."
)


def of_verb(verb: str) -> tuple[Capability, ...]:
    """The operations that a verb stands for: one, but for ``emotion``."""
    return tuple(one for one in CAPABILITIES if one.verb == verb)


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb and read what is given; the line of a verb that takes a text is not split into words."""
    given, rest = (*command.text.split(maxsplit=1), "", "")[:2]
    verb = next((verb for verb in VERBS if verb.name == given.lower()), None)
    if verb is None or not rest.strip():
        return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)
    return await _line(deps, command, verb, rest)


async def _line(deps: Dependencies, command: Command, verb: Verb, rest: str) -> Reply:
    refusal = await refused(deps, command.user)
    if refusal is not None:
        return refusal
    request = read_line(of_verb(verb.name), rest, example=f"{deps.spelled(NAME)} {verb.example}")
    whole = request.complete()
    errors = request_errors(whole, own_hosts=own_hosts(deps))
    if whole.lacks_source and len(errors) == 1:
        return Open(_which_language(request, verb.name, command.channel))
    if errors:
        raise MistakesError([_with_example(error, f"{deps.spelled(NAME)} {verb.example}") for error in errors])
    asked = Asked(
        request=request,
        requester=command.user,
        channel=command.channel,
        source_key=f"command:{command.trigger_id}",
    )
    sight = await ask(deps.ctx, asked)
    member = await can_post(deps.messenger, command.channel)
    return Private(told.asked(sight.order, position=sight.position, member=member))


def _which_language(request: Request, verb: str, channel: str) -> Block:
    """The form that asks for the language of a text, with everything that was typed in it."""
    carried = Carried(verb=verb, operations=(request.operation.value,), channel=channel)
    likely = likely_source(request.text)
    options = {SOURCE: likely, **request.options} if likely else request.options
    given = {TEXT: request.text, **{f"{OPTION}{name}": value for name, value in options.items()}}
    return form([request.capability], carried, given=given, note=told.WHICH_LANGUAGE)


async def _alone(deps: Dependencies, command: Command) -> Reply:
    """The form of a verb that was typed alone."""
    refusal = await refused(deps, command.user)
    if refusal is not None:
        return refusal
    verb = command.text.split()[0].lower()
    capabilities = of_verb(verb)
    carried = Carried(verb=verb, operations=tuple(one.operation.value for one in capabilities), channel=command.channel)
    return Open(form(capabilities, carried))


async def refused(deps: Dependencies, user: str) -> Private | None:
    """Why this person cannot ask for anything now; None: they can."""
    ctx = deps.ctx
    client = configured(ctx.localization, "localization")
    if isinstance(client, Private):
        return client
    standing = await ctx.people.standing(user)
    refusal = full_member(standing.person, home=ctx.home)
    return None if refusal is None else Private(answers.refused(refusal))


def own_hosts(deps: Dependencies) -> Collection[str]:
    """Private hosts from which the service may be told to download."""
    client = deps.ctx.localization.client
    return () if client is None else client.own_hosts


def _with_example(error: PersonError, example: str) -> PersonError:
    return PersonError(argument=error.argument, rule=error.rule, example=example, given=error.given)


@dataclass(slots=True)
class _Line:
    """What is left of a line while settings are taken from it."""

    words: list[str]
    options: dict[str, str] = field(default_factory=dict)
    errors: list[PersonError] = field(default_factory=list)


def read_line(capabilities: Sequence[Capability], text: str, *, example: str) -> Request:
    """What stands behind a verb, as a request: settings such as ``rate=16000`` first or last, the rest is the matter.

    Raises:
        MistakesError: with everything that cannot be read.
    """
    said = _LINK.sub(lambda found: found[1], text).strip()
    declared = _meant(capabilities, said)
    if declared.media is not None:
        return _address(declared, unescape(said), example)
    return _text(declared, unescape(without_links(said)), example)


def _meant(capabilities: Sequence[Capability], said: str) -> Capability:
    """Of the operations that share a verb: an address is for the one with media, everything else a text."""
    with_media = [one for one in capabilities if one.media is not None]
    with_text = [one for one in capabilities if one.media is None]
    if with_media and (not with_text or _ADDRESS.fullmatch(said)):
        return with_media[0]
    return with_text[0]


def _address(declared: Capability, said: str, example: str) -> Request:
    line = _Line(said.split())
    left = [word for word in line.words if not _take(declared, line, word, bare=True)]
    if not left:
        line.errors.append(PersonError(argument="url", rule="it is missing; give the address", example=example))
    if len(left) > 1:
        rule = "this is one word too many"
        line.errors.append(PersonError(argument=left[1], rule=rule, example=example, given=" ".join(left[1:])))
    if line.errors:
        raise MistakesError([_with_example(error, example) for error in line.errors])
    return Request(operation=declared.operation, url=left[0], options=line.options)


def _text(declared: Capability, said: str, example: str) -> Request:
    """Settings stand before the text; nothing behind its first word is looked at, so that it stays as it is.

    A text that begins like a setting is put in quotation marks: a name that is mistyped is no text.
    """
    line = _Line([])
    while True:
        first, _, rest = said.partition(" ")
        if not _take(declared, line, first, bare=False):
            break
        said = rest.strip()
    if line.errors:
        raise MistakesError([_with_example(error, example) for error in line.errors])
    return Request(operation=declared.operation, text=_unquoted(said), options=line.options)


def _unquoted(text: str) -> str:
    """Quotation marks around all of it are how people hold words together elsewhere; devices bend them."""
    inner = text[1:-1]
    around = text[:1] in _MARKS and text[-1:] in _MARKS
    return inner if len(text) > 1 and around and not any(mark in inner for mark in _MARKS) else text


def _take(declared: Capability, line: _Line, word: str, *, bare: bool) -> bool:
    """Whether the word is a setting; it is then among the options, or among the mistakes.

    ``bare``: a value without its name is one too, where it can be one of a single list.
    """
    setting = _SETTING.fullmatch(word)
    name = setting[1].lower().replace("-", "_") if setting is not None else ""
    option = declared.option(name)
    if setting is not None and option is not None:
        _set(line, option, setting[2])
        return True
    if setting is not None:
        known = ", ".join(f"{one.word}=" for one in declared.options) or "none"
        quoted = "" if bare else "; a text that begins like this stands in quotation marks"
        rule = f"there is no such option; there is: {known}{quoted}"
        line.errors.append(PersonError(argument=setting[1], rule=rule, example="", given=word))
        return True
    for one in declared.options if bare else ():
        values = [choice.value for choice in one.choices] if one.accepts is Accepts.CHOICE else []
        if word.lower().removeprefix(".") in values and one.name not in line.options:
            line.options[one.name] = word.lower().removeprefix(".")
            return True
    return False


def _set(line: _Line, option: Option, value: str) -> None:
    if option.name in line.options:
        line.errors.append(PersonError(argument=option.word, rule="it is given twice", example="", given=value))
        return
    try:
        line.options[option.name] = option.read(value)
    except PersonError as broken:
        line.errors.append(broken)


async def _run(deps: Dependencies, command: Command, values: Values) -> Reply:
    """The verb with its line, for verbs that parse the line themselves."""
    verb = command.text.split()[0].lower()
    return await _line(deps, command, next(one for one in VERBS if one.name == verb), values["line"])


def _verb(name: str, example: str) -> Verb:
    capabilities = of_verb(name)
    settings = "".join(f" [{option.word}=…]" for one in capabilities for option in one.options)
    url = any(one.media is not None for one in capabilities)
    text = any(one.media is None for one in capabilities)
    matter = "<url or text>" if url and text else "<url>" if url else "<text>"
    typed = f"{matter}{settings}" if url else f"{settings} {matter}".strip()
    rule = "an address or a text" if url and text else "an address that begins with https://" if url else "a text"
    return Verb(
        name=name,
        summary=capabilities[0].summary,
        example=f"{name} {example}",
        run=_run,
        alone=_alone,
        arguments=(Argument(name="line", typed=typed, rule=rule, read=str, rest=True),),
    )


VERBS = (
    _verb("gender", "https://example.com/voice.mp3"),
    _verb("separate", "https://example.com/song.mp3"),
    _verb("convert", "https://example.com/talk.flac target=mp3"),
    _verb("extract-audio", "https://example.com/film.mp4 rate=16000"),
    _verb("transcribe", "https://example.com/call.wav locale=en-GB"),
    _verb("emotion", "I am so glad that you came"),
    _verb("paraphrase", "The meeting was moved to Friday."),
    _verb("summarize", _ENGLISH),
    _verb("translate", "from=en to=fr Where is the station?"),
    _verb("transliterate", "नमस्ते"),
    _verb("speak", "locale=en-GB Welcome aboard"),
    _verb("extract-text", "https://example.com/contract.pdf"),
)
"""In the order of the help."""

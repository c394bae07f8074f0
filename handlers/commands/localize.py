"""``/localize``: content localization, every verb from its declaration."""

from bot.domain.content import Block
from bot.domain.localization import CAPABILITIES, Capability, Request, request_errors
from bot.domain.localization.request import SOURCE, likely_source
from bot.presentation.localization import answers as told
from bot.presentation.localization.forms import OPTION, TEXT, Carried, form
from bot.workflows.localization import RequestedCall, request_call
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import dispatch
from handlers.input.admission import localization_for
from handlers.input.grammar import Argument, Values, Verb, with_example
from handlers.input.localize_line import line_rule, read_line
from handlers.input.presence import can_post
from handlers.replies import MistakesError, Open, Private, Reply

NAME = "localize"
SUMMARY = "Work on audio, video, documents and texts"

_ENGLISH = (
    "The meeting was moved to Friday because the room was taken. Everybody was told in time, and nobody minded. "
    "We meet at nine."
)


def of_verb(verb: str) -> tuple[Capability, ...]:
    """The operations that a verb stands for: one, but for ``emotion``."""
    return tuple(one for one in CAPABILITIES if one.verb == verb)


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb and read its line; the line of a verb that takes a text is not split into words."""
    given, rest = (*command.text.split(maxsplit=1), "", "")[:2]
    verb = next((verb for verb in VERBS if verb.name == given.lower()), None)
    if verb is None or not rest.strip():
        return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)
    return await _line(deps, command, verb, rest)


async def _line(deps: Dependencies, command: Command, verb: Verb, rest: str) -> Reply:
    client = await localization_for(deps, command.user)
    request = read_line(of_verb(verb.name), rest, example=f"{deps.spelled(NAME)} {verb.example}")
    whole = request.complete()
    errors = request_errors(whole, own_hosts=client.own_hosts)
    if whole.lacks_source and len(errors) == 1:
        return Open(_which_language(request, verb.name, command.channel))
    if errors:
        raise MistakesError([with_example(error, f"{deps.spelled(NAME)} {verb.example}") for error in errors])
    requested = RequestedCall(
        request=request,
        requester=command.user,
        channel=command.channel,
        source_key=f"command:{command.trigger_id}",
    )
    sight = await request_call(deps.ctx, requested)
    member = await can_post(deps.messenger, command.channel)
    return Private(told.asked(sight.order, position=sight.position, member=member))


def _which_language(request: Request, verb: str, channel: str) -> Block:
    """The form that asks for the language of a text, filled in with everything that was typed."""
    carried = Carried(verb=verb, operations=(request.operation.value,), channel=channel)
    likely = likely_source(request.text)
    options = {SOURCE: likely, **request.options} if likely else request.options
    given = {TEXT: request.text, **{f"{OPTION}{name}": value for name, value in options.items()}}
    return form([request.capability], carried, given=given, note=told.WHICH_LANGUAGE)


async def _alone(deps: Dependencies, command: Command) -> Reply:
    """The form of a verb that was typed alone."""
    await localization_for(deps, command.user)
    verb = command.text.split()[0].lower()
    capabilities = of_verb(verb)
    carried = Carried(verb=verb, operations=tuple(one.operation.value for one in capabilities), channel=command.channel)
    return Open(form(capabilities, carried))


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
    return Verb(
        name,
        capabilities[0].summary,
        _run,
        example=f"{name} {example}",
        alone=_alone,
        arguments=(Argument(name="line", typed=typed, rule=line_rule(url=url, text=text), read=str, rest=True),),
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

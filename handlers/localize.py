"""``/localize``: content localization, every verb from its declaration; its form, its buttons, and its file actions."""

import asyncio
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from bot.domain.approvals import Role, listed
from bot.domain.errors import OperatorError, PersonError, ServiceTrouble, SwitchboardError
from bot.domain.files.dropped import DroppedFile, FileInfo
from bot.domain.files.sniffing import HEAD_BYTES, sniff
from bot.domain.localization.catalog import CAPABILITIES, capability
from bot.domain.localization.declaration import TEXT_LIMIT, CallOperation, Capability, base_of, normal_format
from bot.domain.localization.detection import Guess, guess, load
from bot.domain.localization.languages import ENGLISH, LOCALES
from bot.domain.localization.pieces import form_of, holds_text, pieces_of
from bot.domain.localization.progress import CallState
from bot.domain.localization.request import (
    SOURCE,
    TARGET,
    Request,
    file_errors,
    message_file,
    message_of,
    request_errors,
)
from bot.domain.text import unescape, without_links
from bot.presentation import answers
from bot.presentation import localization as told
from bot.presentation.blocks.text import message
from bot.presentation.files import offers
from bot.presentation.localization import AGAIN, ASK, CANCEL, CONFLICT, FILE, OPTION, READ, TEXT, URL, Carried, form
from bot.presentation.views import notice
from bot.workflows.localization.reading import read_text
from bot.workflows.localization.request import cancel, make_sure_of_room, repeat, request_call, sight_of
from bot.workflows.localization.results import read_again
from bot.workflows.slack.dropped_files import playing_ms
from handlers.files import FileAction
from handlers.grammar.admission import can_post, localization_for, opens
from handlers.grammar.arguments import Argument, Values, read_form, with_example
from handlers.grammar.line import line_rule, read_line
from handlers.grammar.verbs import SlashCommand, Verb
from handlers.incoming import Click, Command, Shortcut, Submission
from handlers.replies import Answer, FieldErrors, Later, MistakesError, Nothing, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, ShortcutHandler, SubmissionHandler

NAME: Final = "localize"
_LOOK_SECONDS: Final = 1.4
"""Seconds of Slack's three for checking the files; files not checked by then are checked on sending."""


def of_verb(verb: str) -> tuple[Capability, ...]:
    """The operations that a verb stands for: one, except for ``emotion``."""
    return tuple(one for one in CAPABILITIES if one.verb == verb)


async def _ask(deps: Dependencies, command: Command, values: Values, *, verb: str, example: str) -> Reply:
    """Request what the line says, or open a form where only the language of the text is missing."""
    client = await localization_for(deps, command.user)
    await asyncio.to_thread(load)
    example = f"{deps.spelled(NAME)} {example}"
    request = read_line(of_verb(verb), values["line"], example=example)
    whole = request.complete()
    errors = request_errors(whole, own_hosts=client.own_hosts)
    if whole.lacks_source and len(errors) == 1:
        # Filled in with everything that was typed.
        carried = Carried(verb=verb, operations=(request.operation.value,), channel=command.channel)
        likely = guess(request.text).language
        options = {SOURCE: likely, **request.options} if likely else request.options
        given = {TEXT: request.text, **{f"{OPTION}{name}": value for name, value in options.items()}}
        return Open(form([request.capability], carried, given=given, note=told.WHICH_LANGUAGE))
    if errors:
        mistakes = [with_example(error, example) for error in errors]
        if len(errors) == 1 and request.capability.is_english and guess(request.text).is_foreign:
            return Private(told.foreign(answers.mistakes(mistakes), guess(request.text).language, request.text))
        raise MistakesError(mistakes)
    sight = await request_call(
        deps.ctx, request, by=command.user, channel=command.channel, source_key=command.source_key
    )
    member = await can_post(deps.messenger, command.channel)
    return Private(told.asked(sight.order, position=sight.position, member=member))


async def submit(deps: Dependencies, sent: Submission) -> Reply:
    carried = Carried.load(sent.metadata)
    client = await localization_for(deps, sent.user)
    await asyncio.to_thread(load)
    requests, errors = _read(carried, sent, own_hosts=client.own_hosts)
    infos = {} if errors else await _look(deps, requests, errors)
    if errors:
        return FieldErrors(errors)
    if len(requests) > 1:
        await make_sure_of_room(deps.ctx, sent.user, requests)
    member = await can_post(deps.messenger, carried.channel)
    for number, request in enumerate(requests):
        info = infos.get(request.file)
        await request_call(
            deps.ctx,
            request,
            file_name=info.name if info is not None else carried.file_name,
            by=sent.user,
            channel=carried.channel,
            thread_ts=carried.thread_ts or None,
            source_key=f"{sent.source_key}:{number}",
        )
    if member:
        return Nothing()
    return Replace(notice("Localize", told.asked_several(len(requests), member=False).text))


def _read(carried: Carried, sent: Submission, *, own_hosts: Collection[str]) -> tuple[list[Request], dict[str, str]]:
    """One request for each file, or one for the text or address; and the mistakes by field."""
    text, url = sent.values.get(TEXT, "").strip(), sent.values.get(URL, "").strip()
    files = [carried.file] if carried.file else list(sent.files.get(FILE, ()))
    capabilities = [capability(CallOperation(name)) for name in carried.operations]
    given = {name for name, value in ((TEXT, text), (URL, url), (FILE, files)) if value}
    if len(given) > 1:
        return [], dict.fromkeys(sorted(given), CONFLICT)
    wants_text = TEXT in given or not given
    wants_text = wants_text or (bool(carried.file) and capabilities[0].media is None)
    fitting = (one for one in capabilities if (one.text_limit is not None) == wants_text)
    declared = next(fitting, capabilities[0])
    entered = {f"{OPTION}{option.name}": option.read for option in declared.options}
    values = {block: sent.values.get(block, "").strip() for block in entered}
    found, errors = read_form(values, {block: read for block, read in entered.items() if values[block]})
    options = {block.removeprefix(OPTION): value for block, value in found.items()}
    one = Request(operation=declared.operation, text=text, url=url, options=options)
    requests = [Request(operation=declared.operation, file=file, options=options) for file in files] or [one]
    for error in request_errors(requests[0].complete(), own_hosts=own_hosts):
        option = declared.option(error.argument)
        if option is not None:
            block = f"{OPTION}{option.name}"
        elif declared.media is None:
            block = TEXT
        else:
            block = FILE if FILE in given and error.argument == FILE else URL
        errors.setdefault(block, answers.at_field(error))
    return requests, errors


async def _look(deps: Dependencies, requests: list[Request], errors: dict[str, str]) -> dict[str, FileInfo]:
    """The files' records, as far as they can be read in time; an unsuitable file becomes a mistake at its field."""
    infos: dict[str, FileInfo] = {}

    async def look(request: Request) -> None:
        media, wrong = request.capability.media, None
        if message_of(request.file) is not None:
            return
        try:
            info = infos[request.file] = await deps.ctx.downloads.info(request.file)
            if media is not None:
                found = sniff(await deps.ctx.downloads.head(info, most=HEAD_BYTES), info.name)
                told = await playing_ms(deps.ctx, info, found.format) if media.max_seconds is not None else None
                seconds, format_ = told / 1000 if told else None, normal_format(found.format)
                errors_of_file = file_errors(media, kind=found.kind, found=format_ or "unknown", seconds=seconds)
                wrong = next(iter(errors_of_file), None)
        except PersonError as unusable:
            wrong = unusable
        except SwitchboardError:
            return
        if wrong is not None:
            name = f"{infos[request.file].name}: " if len(requests) > 1 and request.file in infos else ""
            errors[FILE] = f"{name}{answers.at_field(wrong)}"

    with suppress(TimeoutError):
        async with asyncio.timeout(_LOOK_SECONDS):
            await asyncio.gather(*(look(request) for request in requests if request.file))
    return infos


async def stop(deps: Dependencies, click: Click) -> Reply:
    await localization_for(deps, click.user)
    sight = await sight_of(deps.ctx, click.value)
    if sight is None:
        return Private(told.no_cancel(None))
    standing = await deps.ctx.people.standing(click.user)
    if click.user != sight.requester and not listed(Role.ADMIN, standing, deps.ctx.policy.people):
        return Private(told.not_yours(sight.requester))
    stopped = await cancel(deps.ctx, click.value, person=click.user)
    ends = (CallState.CANCELED, CallState.RUNNING)  # of a document, what is under way is waited for
    if stopped is None or stopped.state not in ends or stopped.progress.by != click.user:
        return Private(told.no_cancel(stopped))
    return Nothing()


async def again(deps: Dependencies, click: Click) -> Reply:
    await localization_for(deps, click.user)
    repeated = await repeat(deps.ctx, click.value, person=click.user)
    if repeated is None:
        return Private(told.no_again(await sight_of(deps.ctx, click.value)))
    return Nothing()


async def to_english(deps: Dependencies, click: Click) -> Reply:
    """The form that translates a refused text, with the language that it seems to be in."""
    await localization_for(deps, click.user)
    source, _, text = click.value.partition("|")
    declared = capability(CallOperation.TRANSLATION)
    carried = Carried(
        verb=declared.verb,
        operations=(declared.operation.value,),
        channel=click.channel,
        thread_ts=click.thread_ts,
    )
    given = {TEXT: text, f"{OPTION}{SOURCE}": source, f"{OPTION}{TARGET}": ENGLISH}
    return Open(form([declared], carried, given=given))


async def other_language(deps: Dependencies, click: Click) -> Reply:
    """The form of a call whose language was recognized, to run it again with another one."""
    await localization_for(deps, click.user)
    sight = await sight_of(deps.ctx, click.value)
    if sight is None:
        return Private(told.no_again(None))
    request = sight.order.request
    carried = Carried(
        verb=request.capability.verb,
        operations=(request.operation.value,),
        channel=click.channel,
        thread_ts=click.thread_ts,
    )
    given = {TEXT: request.text, **{f"{OPTION}{name}": value for name, value in request.options.items()}}
    return Open(form([request.capability], carried, given=given, note=told.OTHER_LANGUAGE))


async def read_kept(deps: Dependencies, click: Click) -> Reply:
    await localization_for(deps, click.user)
    sight = await read_again(deps.ctx, click.value)
    if sight is None:
        return Private(told.nothing_kept(await sight_of(deps.ctx, click.value)))
    return Private(message(f":warning: {told.STILL_UNREAD}")) if sight.state is CallState.UNREAD else Nothing()


async def use(deps: Dependencies, click: Click, file: DroppedFile, *, declared: Capability) -> Reply:
    await localization_for(deps, click.user)
    seconds = file.duration_ms / 1000 if file.duration_ms else None
    request = Request(
        operation=declared.operation, file=file.id, file_format=normal_format(file.format), seconds=seconds
    )
    errors = request_errors(request)
    if errors:
        return Private(answers.mistakes(errors))
    if declared.options:
        return Open(form([declared], _carried(declared, file)))
    return await _call_of(deps, click, request, file) or Nothing()


async def use_text(deps: Dependencies, click: Click, file: DroppedFile, *, declared: Capability) -> Reply:
    """Begin at once, or open a form with the language that is recognized. English only: what is foreign is refused."""
    await localization_for(deps, click.user)
    request = Request(operation=declared.operation, file=file.id)

    async def look() -> Answer | Open:
        text = ""
        with suppress(ServiceTrouble, OperatorError):  # the call says what is wrong
            text = (await read_text(deps.ctx, request)).text
        if declared.is_english and (errors := request_errors(replace(request, text=text, file=""))) and text:
            return Private(answers.mistakes([told.use_translate(error) for error in errors]))
        if any(option.is_sent for option in declared.options):
            limit = deps.ctx.localization.characters
            cut = partial(pieces_of, declared.operation, text, form=form_of(file.name), limit=limit)
            note = told.parts(declared, file.name, len(await asyncio.to_thread(cut)))
            carried, given = _carried(declared, file), _recognized(declared, text)
            return Open(form([declared], carried, given=given, note=note))
        return await _call_of(deps, click, request, file) or Replace(offers.STARTED)

    return Later(look, meanwhile=Open(offers.told(offers.LOOKING)))


def _carried(declared: Capability, file: DroppedFile) -> Carried:
    return Carried(
        verb=declared.verb,
        operations=(declared.operation.value,),
        channel=file.channel,
        thread_ts=file.thread_ts,
        file=file.id,
        file_name=file.name,
    )


async def _call_of(deps: Dependencies, click: Click, request: Request, file: DroppedFile) -> Private | None:
    """Request a call about a dropped file; what to tell the user where its message cannot be posted."""
    sight = await request_call(
        deps.ctx,
        request,
        file_name=file.name,
        by=click.user,
        channel=file.channel,
        thread_ts=file.thread_ts,
        source_key=click.source_key,
        pressed=True,
    )
    if await can_post(deps.messenger, file.channel):
        return None
    return Private(told.asked(sight.order, position=sight.position, member=False))


def _recognized(declared: Capability, text: str) -> dict[str, str]:
    """What a form of an operation begins with for this text: its language, or a voice of it."""
    found = guess(text) if text else Guess()
    voices = (one.value for one in LOCALES if base_of(one.value) == found.language)
    started = {SOURCE: found.language, "locale": next(voices, "")} if found.is_sure else {}
    return {f"{OPTION}{name}": value for name, value in started.items() if value and declared.option(name)}


async def localize_text(deps: Dependencies, used: Shortcut) -> Reply:
    """The form of the shortcut on a message: what to do with its text, which is long where a form cannot hold it."""
    await localization_for(deps, used.user)
    text = unescape(without_links(used.text)).strip()
    if not text:
        return Open(notice(told.SHORTCUT_NAME, told.NO_TEXT))
    await asyncio.to_thread(load)
    is_long = len(text) > TEXT_LIMIT
    if is_long and not await can_post(deps.messenger, used.channel):
        direct = used.channel.startswith(("D", "G"))
        return Open(notice(told.SHORTCUT_NAME, told.NOT_IN_DIRECT_MESSAGES if direct else told.NOT_HERE))
    carried = Carried(
        verb="",
        operations=tuple(one.value for one in _ON_TEXTS),
        channel=used.channel,
        thread_ts=used.thread_ts or used.ts,
        file=message_file(used.channel, used.ts, used.thread_ts) if is_long else "",
        file_name="message.txt" if is_long else "",
    )
    found = guess(text)
    return Open(told.text_form(carried, text, source=found.language if found.is_sure else ""))


async def submit_text(deps: Dependencies, sent: Submission) -> Reply:
    carried = Carried.load(sent.metadata)
    client = await localization_for(deps, sent.user)
    await asyncio.to_thread(load)
    declared = capability(CallOperation(sent.values[told.OPERATION]))
    text, source = sent.values.get(TEXT, "").strip(), sent.values.get(f"{OPTION}{SOURCE}", "")
    voices = (one.value for one in LOCALES if base_of(one.value) == (source or guess(text).language))
    given = {SOURCE: source, TARGET: sent.values.get(f"{OPTION}{TARGET}", ""), "locale": next(voices, "")}
    options = {name: value for name, value in given.items() if value and declared.option(name)}
    request = Request(operation=declared.operation, text=text, file=carried.file, options=options)
    errors: dict[str, str] = {}
    for error in request_errors(request.complete(), own_hosts=client.own_hosts):
        field = {"from": f"{OPTION}{SOURCE}", "to": f"{OPTION}{TARGET}"}.get(error.argument, TEXT)
        errors.setdefault(field, answers.at_field(error))
    if errors:
        return FieldErrors(errors)
    await request_call(
        deps.ctx,
        request,
        file_name=carried.file_name,
        by=sent.user,
        channel=carried.channel,
        thread_ts=carried.thread_ts,
        source_key=sent.source_key,
    )
    if await can_post(deps.messenger, carried.channel):
        return Nothing()
    return Replace(notice(told.SHORTCUT_NAME, told.asked_several(1, member=False).text))


_ON_TEXTS: Final = (
    CallOperation.TRANSLATION,
    CallOperation.TRANSLITERATION,
    CallOperation.PARAPHRASE,
    CallOperation.SUMMARY,
    CallOperation.SPEECH,
    CallOperation.TEXT_EMOTION,
)


def _text_action(operation: CallOperation) -> FileAction:
    declared = capability(operation)
    return FileAction(
        name="text_emotion" if operation is CallOperation.TEXT_EMOTION else declared.verb,
        label=declared.label,
        fits=holds_text,
        suggested=lambda file: file.format != "csv",
        start=partial(use_text, declared=declared),
        works=lambda ctx: ctx.localization.is_configured,
    )


def _file_action(operation: CallOperation) -> FileAction:
    declared = capability(operation)
    return FileAction(
        name=declared.verb.replace("-", "_"),
        label=declared.label,
        fits=lambda file: declared.media is not None and declared.media.takes(file.kind, file.format),
        start=partial(use, declared=declared),
        works=lambda ctx: ctx.localization.is_configured,
    )


def _verb(name: str, example: str) -> Verb:
    capabilities = of_verb(name)
    carried = partial(Carried, verb=name, operations=tuple(one.operation.value for one in capabilities))
    settings = "".join(f" [{option.word}=…]" for one in capabilities for option in one.options)
    url = any(one.media is not None for one in capabilities)
    text = any(one.media is None for one in capabilities)
    matter = "<url or text>" if url and text else "<url>" if url else "<text>"
    typed = f"{matter}{settings}" if url else f"{settings} {matter}".strip()
    return Verb(
        name,
        capabilities[0].summary,
        partial(_ask, verb=name, example=f"{name} {example}"),
        example=f"{name} {example}",
        alone=opens(localization_for, lambda command: form(capabilities, carried(channel=command.channel))),
        arguments=(Argument(name="line", typed=typed, rule=line_rule(url=url, text=text), read=str, rest=True),),
        verbatim=True,
    )


_ENGLISH = (
    "The meeting was moved to Friday because the room was taken. Everybody was told in time, and nobody minded. "
    "We meet at nine."
)
_VERBS = (
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

COMMAND = SlashCommand(NAME, "Work on audio, video, documents and texts", _VERBS)
BUTTONS: dict[str, ClickHandler] = {
    CANCEL: stop,
    AGAIN: again,
    READ: read_kept,
    told.TO_ENGLISH: to_english,
    told.OTHER: other_language,
}
FORMS: dict[str, SubmissionHandler] = {ASK: submit, told.ASK_TEXT: submit_text}
SHORTCUTS: dict[str, ShortcutHandler] = {told.SHORTCUT: localize_text}
FILE_ACTIONS = tuple(
    map(
        _file_action,
        (
            CallOperation.GENDER,
            CallOperation.SEPARATION,
            CallOperation.CONVERSION,
            CallOperation.AUDIO_EXTRACTION,
            CallOperation.TEXT_EXTRACTION,
            CallOperation.TRANSCRIPTION,
            CallOperation.SPEECH_EMOTION,
        ),
    )
) + tuple(map(_text_action, _ON_TEXTS))
"""In the order of the buttons."""

"""``/localize``: content localization. Builds every verb from its declaration; has its forms, buttons, file actions."""

import asyncio
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Final

from bot.domain.approvals import Role, listed
from bot.domain.errors import OperatorError, PersonError, ServiceTrouble, SwitchboardError
from bot.domain.files.dropped import DroppedFile, FileInfo
from bot.domain.files.sniffing import HEAD_BYTES, FileKind, sniff
from bot.domain.localization.catalog import CAPABILITIES, capability
from bot.domain.localization.declaration import (
    TEXT_LIMIT,
    CallOperation,
    Capability,
    base_of,
    normal_format,
    with_preset,
)
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
from bot.presentation import localization_forms as forms
from bot.presentation.blocks.text import message
from bot.presentation.files import batches, offers
from bot.presentation.localization import AGAIN, CANCEL, READ
from bot.presentation.localization_forms import (
    ASK,
    CONFLICT,
    FILE,
    OPTION,
    PRESET,
    TEXT,
    URL,
    Carried,
    form,
)
from bot.presentation.views import notice
from bot.workflows.localization.reading import read_text
from bot.workflows.localization.request import (
    cancel,
    make_sure_of_room,
    opened,
    repeat,
    request_batch,
    request_call,
    sealed,
    sight_of,
)
from bot.workflows.localization.results import read_again, share
from bot.workflows.presets import remembered
from bot.workflows.slack.dropped_files import dropped_together, playing_ms
from handlers.files import FileAction, Together
from handlers.grammar.admission import can_post, localization_for
from handlers.grammar.arguments import Argument, Values, read_form, with_example
from handlers.grammar.line import line_rule, read_line
from handlers.grammar.verbs import SlashCommand, Verb
from handlers.incoming import Click, Command, Shortcut, Submission
from handlers.replies import Answer, Edit, FieldErrors, Later, MistakesError, Nothing, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, ShortcutHandler, SubmissionHandler

NAME: Final = "localize"
_LOOK_SECONDS: Final = 1.4
"""Seconds of Slack's three for checking files; files unchecked by then are checked on sending."""


def of_verb(verb: str) -> tuple[Capability, ...]:
    """Return the operations of a verb: one, except for ``emotion``."""
    return tuple(one for one in CAPABILITIES if one.verb == verb)


async def _ask(deps: Dependencies, command: Command, values: Values, *, verb: str, example: str) -> Reply:
    """Request the call in the line, or open a form if only the text's language is missing."""
    client = await localization_for(deps, command.user)
    await asyncio.to_thread(load)
    example = f"{deps.spelled(NAME)} {example}"
    request = read_line(of_verb(verb), values["line"], example=example)
    whole = request.complete()
    errors = request_errors(whole, own_hosts=client.own_hosts)
    if whole.lacks_source and len(errors) == 1:
        # Fill in everything that was typed.
        carried = _carried_by(deps, command, (request.operation,), verb=verb)
        seen = guess(request.text)
        before = await _remembered(deps, command.channel, request.capability)
        begun = {**before, **({SOURCE: seen.language} if seen.language else {}), **request.options}
        given = {TEXT: request.text, **{f"{OPTION}{name}": value for name, value in begun.items()}}
        note = forms.which_language(seen.language if seen.is_likely else "")
        return Open(form([request.capability], carried, given=given, note=note))
    if errors:
        mistakes = [with_example(error, example) for error in errors]
        if len(errors) == 1 and request.capability.is_english and guess(request.text).is_foreign:
            return Private(told.foreign(answers.mistakes(mistakes), guess(request.text).language, request.text))
        raise MistakesError(mistakes)
    sight = await request_call(
        deps.ctx,
        request,
        by=command.user,
        channel=command.channel,
        source_key=command.source_key,
        private=True,
        response_url=command.response_url,
    )
    if sight.order.private:
        sight = await sight_of(deps.ctx, sight.id) or sight
        silent, position = sight.silent_since, sight.position
        return Private(told.asked(sight.order, position=position, member=True, job_id=sight.id, silent_since=silent))
    if await can_post(deps.messenger, command.channel):
        return Nothing()  # its message is visible there
    return Private(told.asked(sight.order, position=sight.position, member=False))


async def _ask_in_a_form(deps: Dependencies, command: Command, *, verb: str) -> Reply:
    """Open the form of a verb with the options last chosen in this channel."""
    await localization_for(deps, command.user)
    declared = of_verb(verb)
    given: dict[str, str] = {}
    for one in declared:
        given |= {f"{OPTION}{name}": value for name, value in (await _remembered(deps, command.channel, one)).items()}
    carried = _carried_by(deps, command, tuple(one.operation for one in declared), verb=verb)
    return Open(form(declared, carried, given=given))


async def _remembered(deps: Dependencies, channel: str, declared: Capability) -> dict[str, str]:
    """Return the options last chosen in a channel that are still valid."""
    found = await deps.ctx.read(lambda uow: remembered(uow, channel, declared.operation))
    possible: dict[str, str] = {}
    for option in declared.options:
        with suppress(PersonError):
            if option.name in found and option.is_sent:
                possible[option.name] = option.read(found[option.name])
    return possible


def _carried_by(deps: Dependencies, command: Command, operations: tuple[CallOperation, ...], *, verb: str) -> Carried:
    return Carried(
        verb=verb,
        operations=tuple(one.value for one in operations),
        channel=command.channel,
        private=True,
        reply=sealed(deps.ctx, command.response_url, person=command.user),
    )


async def submit(deps: Dependencies, sent: Submission) -> Reply:
    carried = Carried.load(sent.metadata)
    client = await localization_for(deps, sent.user)
    await asyncio.to_thread(load)
    requests, errors = _read(carried, sent, own_hosts=client.own_hosts)
    infos = {} if errors or carried.many else await _look(deps, requests, errors)
    if errors:
        return FieldErrors(errors)
    if carried.many:
        kind = FileKind(carried.many)
        files = await dropped_together(deps.ctx, carried.file, kind, channel=carried.channel)
        if not files:
            return Replace(notice("Localize", offers.STALE.text))
        return await _batch_of(deps, requests[0], files, by=sent.user, key=sent.source_key)
    if len(requests) > 1:
        await make_sure_of_room(deps.ctx, sent.user, requests)
    member = await can_post(deps.messenger, carried.channel)
    sights = []
    for number, request in enumerate(requests):
        info = infos.get(request.file)
        sight = await request_call(
            deps.ctx,
            request,
            file_name=info.name if info is not None else carried.file_name,
            by=sent.user,
            channel=carried.channel,
            thread_ts=carried.thread_ts or None,
            source_key=f"{sent.source_key}:{number}",
            private=carried.private,
            response_url=opened(deps.ctx, carried.reply, person=sent.user),
        )
        sights.append(sight)
    if member or all(one.order.private for one in sights):
        return Nothing()
    return Replace(notice("Localize", told.asked_several(len(requests)).text))


def _read(carried: Carried, sent: Submission, *, own_hosts: Collection[str]) -> tuple[list[Request], dict[str, str]]:
    """Return one request per file, or one for the text or address; and mistakes by field."""
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
    if sent.values.get(PRESET):
        names = [option.name for option in declared.options]
        given_values = {name: options.get(name, "") for name in names}
        begun = dict(zip(names, carried.begun, strict=False))
        options = with_preset(given_values, chosen=sent.values[PRESET], begun=begun)
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
    """Read the files' records, as far as possible in time; an unsuitable file becomes a mistake at its field."""
    infos: dict[str, FileInfo] = {}

    async def look(request: Request) -> None:
        media, wrong = request.capability.media, None
        if message_of(request.file) is not None:
            return
        try:
            info = infos[request.file] = await deps.ctx.downloads.info(request.file)
            if media is not None:
                found = sniff(await deps.ctx.downloads.head(info, most=HEAD_BYTES), info.claim)
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
        return Private(told.not_yours(sight.requester, await deps.ctx.people.names([sight.requester])))
    stopped = await cancel(deps.ctx, click.value, person=click.user)
    ends = (CallState.CANCELED, CallState.RUNNING)  # a document finishes the piece in progress
    if stopped is None or stopped.state not in ends or stopped.progress.by != click.user:
        return Private(told.no_cancel(stopped))
    return Edit(told.stopped()) if stopped.is_quiet else Nothing()


async def again(deps: Dependencies, click: Click) -> Reply:
    await localization_for(deps, click.user)
    repeated = await repeat(deps.ctx, click.value, person=click.user, response_url=click.response_url)
    if repeated is None:
        sight = await sight_of(deps.ctx, click.value)
        names = await deps.ctx.people.names([sight.progress.by]) if sight is not None else {}
        return Private(told.no_again(sight, names))
    if not repeated.is_quiet:
        return Nothing()
    return Edit(told.asked(repeated.order, position=repeated.position, member=True, job_id=repeated.id))


async def share_result(deps: Dependencies, click: Click) -> Reply:
    """Post a private result once in the channel where it was requested."""
    await localization_for(deps, click.user)
    sight = await sight_of(deps.ctx, click.value)
    if sight is None or sight.requester != click.user or not sight.order.private:
        return Private(message(told.OUT_OF_DATE))
    if not await can_post(deps.messenger, sight.channel):
        return Private(told.CANNOT_POST)
    if await share(deps.ctx, sight.id) is None:
        return Private(message(told.OUT_OF_DATE))
    return Edit(told.private(sight, posted_in=sight.channel)) if sight.is_quiet else Nothing()


async def show_details(deps: Dependencies, click: Click) -> Reply:
    await localization_for(deps, click.user)
    sight = await sight_of(deps.ctx, click.value)
    if sight is None or (sight.order.private and sight.requester != click.user):
        return Private(message(told.OUT_OF_DATE))
    return Open(told.details(sight))


async def to_english(deps: Dependencies, click: Click) -> Reply:
    """Open the form that translates a refused text, with its likely language."""
    await localization_for(deps, click.user)
    source, _, text = click.value.partition("|")
    declared = capability(CallOperation.TRANSLATION)
    carried = Carried(
        verb=declared.verb,
        operations=(declared.operation.value,),
        channel=click.channel,
        thread_ts=click.thread_ts,
        private=True,
        reply=sealed(deps.ctx, click.response_url, person=click.user),
    )
    given = {TEXT: text, f"{OPTION}{SOURCE}": source, f"{OPTION}{TARGET}": ENGLISH}
    return Open(form([declared], carried, given=given))


async def other_language(deps: Dependencies, click: Click) -> Reply:
    """Open the form of a call with a detected language, to repeat it with another language."""
    await localization_for(deps, click.user)
    sight = await sight_of(deps.ctx, click.value)
    if sight is None:
        return Private(told.no_again(None))
    request = sight.order.request
    is_private = sight.order.private
    carried = Carried(
        verb=request.capability.verb,
        operations=(request.operation.value,),
        channel=sight.channel if is_private else click.channel,
        thread_ts="" if is_private else click.thread_ts,
        private=is_private,
        reply=sealed(deps.ctx, click.response_url, person=click.user) if is_private else "",
    )
    given = {TEXT: request.text, **{f"{OPTION}{name}": value for name, value in request.options.items()}}
    return Open(form([request.capability], carried, given=given, note=forms.OTHER_LANGUAGE))


async def read_kept(deps: Dependencies, click: Click) -> Reply:
    await localization_for(deps, click.user)
    sight = await read_again(deps.ctx, click.value)
    if sight is None:
        return Private(told.nothing_kept(await sight_of(deps.ctx, click.value)))
    still = told.STILL_UNREAD.format(command=deps.spelled("switchboard"))
    return Private(message(f":warning: {still}")) if sight.state is CallState.UNREAD else Nothing()


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
        before = await _remembered(deps, file.channel, declared)
        given = {f"{OPTION}{name}": value for name, value in before.items()}
        return Open(form([declared], _carried(declared, file), given=given))
    return await _call_of(deps, click, request, file) or Nothing()


async def use_all(deps: Dependencies, click: Click, together: Together, *, declared: Capability) -> Reply:
    """Request all files at once, or open one form if the operation has options."""
    await localization_for(deps, click.user)
    request = Request(operation=declared.operation, file=together.first)
    if declared.options:
        carried = Carried(
            verb=declared.verb,
            operations=(declared.operation.value,),
            channel=click.channel,
            file=together.first,
            file_name=batches.counted(together.kind, len(together.files)),
            many=together.kind.value,
        )
        before = await _remembered(deps, click.channel, declared)
        return Open(form([declared], carried, given={f"{OPTION}{name}": value for name, value in before.items()}))
    return await _batch_of(deps, request, together.files, by=click.user, key=click.source_key)


async def _batch_of(
    deps: Dependencies, request: Request, files: Sequence[DroppedFile], *, by: str, key: str
) -> Nothing:
    first = files[0]
    await request_batch(
        deps.ctx,
        request,
        files,
        by=by,
        channel=first.channel,
        thread_ts=first.thread_ts,
        source_key=key,
        kind=first.kind.value,
    )
    return Nothing()


async def use_text(deps: Dependencies, click: Click, file: DroppedFile, *, declared: Capability) -> Reply:
    """Request the call, or open a form with the detected language; refuse foreign text if it must be English."""
    await localization_for(deps, click.user)
    request = Request(operation=declared.operation, file=file.id)

    async def look() -> Answer | Open:
        text = ""
        with suppress(ServiceTrouble, OperatorError):  # the call itself will report it
            text = (await read_text(deps.ctx, request)).text
        if declared.is_english and (errors := request_errors(replace(request, text=text, file=""))) and text:
            return Private(answers.mistakes([forms.use_translate(error) for error in errors]))
        if any(option.is_sent for option in declared.options):
            limit = deps.ctx.localization.characters
            cut = partial(pieces_of, declared.operation, text, form=form_of(file.name), limit=limit)
            note = forms.parts(declared, file.name, len(await asyncio.to_thread(cut)))
            before = await _remembered(deps, file.channel, declared)
            given = {f"{OPTION}{name}": value for name, value in before.items()} | _recognized(declared, text)
            carried = _carried(declared, file)
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
    """Request a call for a dropped file; return an answer only if its message can't be posted in the channel."""
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
    """Return initial values of a form for this text: its language, or a voice in that language."""
    found = guess(text) if text else Guess()
    voices = (one.value for one in LOCALES if base_of(one.value) == found.language)
    started = {SOURCE: found.language, "locale": next(voices, "")} if found.is_sure else {}
    return {f"{OPTION}{name}": value for name, value in started.items() if value and declared.option(name)}


async def localize_text(deps: Dependencies, used: Shortcut) -> Reply:
    """Open the form of the message shortcut; a text too long for a form is handled like a file."""
    await localization_for(deps, used.user)
    text = unescape(without_links(used.text)).strip()
    if not text:
        return Open(notice(forms.SHORTCUT_NAME, forms.NO_TEXT))
    await asyncio.to_thread(load)
    is_long = len(text) > TEXT_LIMIT
    if is_long and not await can_post(deps.messenger, used.channel):
        direct = used.channel.startswith(("D", "G"))
        return Open(notice(forms.SHORTCUT_NAME, forms.NOT_IN_DIRECT_MESSAGES if direct else forms.NOT_HERE))
    carried = Carried(
        verb="",
        operations=tuple(one.value for one in _ON_TEXTS),
        channel=used.channel,
        thread_ts=used.thread_ts or used.ts,
        file=message_file(used.channel, used.ts, used.thread_ts) if is_long else "",
        file_name="message.txt" if is_long else "",
    )
    found = guess(text)
    begun = await _remembered(deps, used.channel, capability(CallOperation.TRANSLATION))
    begun[SOURCE] = found.language if found.is_sure else ""
    return Open(forms.text_form(carried, text, {f"{OPTION}{name}": value for name, value in begun.items()}))


async def submit_text(deps: Dependencies, sent: Submission) -> Reply:
    carried = Carried.load(sent.metadata)
    client = await localization_for(deps, sent.user)
    await asyncio.to_thread(load)
    declared = capability(CallOperation(sent.values[forms.OPERATION]))
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
    return Replace(notice(forms.SHORTCUT_NAME, told.asked_several(1).text))


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
        start_all=partial(use_all, declared=declared),
        works=lambda ctx: ctx.localization.is_configured,
    )


def _file_action(operation: CallOperation) -> FileAction:
    declared = capability(operation)
    return FileAction(
        name=declared.verb.replace("-", "_"),
        label=declared.label,
        fits=lambda file: declared.media is not None and declared.media.takes(file.kind, file.format),
        start=partial(use, declared=declared),
        start_all=partial(use_all, declared=declared),
        works=lambda ctx: ctx.localization.is_configured,
    )


def _verb(name: str, example: str) -> Verb:
    capabilities = of_verb(name)
    options = [option for one in capabilities for option in one.options]
    settings = "".join(f" [{option.word}=…]" for option in options)
    url = any(one.media is not None for one in capabilities)
    text = any(one.media is None for one in capabilities)
    matter = "<url or text>" if url and text else "<url>" if url else "<text>"
    rule = line_rule(url=url, text=text)
    typed = f"{matter}{settings}" if url else f"{settings} {matter}".strip()
    return Verb(
        name,
        capabilities[0].summary,
        partial(_ask, verb=name, example=f"{name} {example}"),
        example=f"{name} {example}",
        alone=partial(_ask_in_a_form, verb=name),
        arguments=(Argument(name="line", typed=typed, rule=rule, read=str, rest=True),),
        verbatim=True,
        explained=[(matter, rule), *((f"{one.word}=", one.explained) for one in options)],
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

_STARTS = (
    ("Translate", "translate"),
    ("Summarize", "summarize"),
    ("Transcribe", "transcribe"),
    ("Extract text", "extract-text"),
    ("Text to speech", "speak"),
)
COMMAND = SlashCommand(NAME, "Work on audio, video, documents and texts", _VERBS, _STARTS)
BUTTONS: dict[str, ClickHandler] = {
    CANCEL: stop,
    AGAIN: again,
    READ: read_kept,
    told.TO_ENGLISH: to_english,
    told.OTHER: other_language,
    told.SHARE: share_result,
    told.DETAILS: show_details,
}
FORMS: dict[str, SubmissionHandler] = {ASK: submit, forms.ASK_TEXT: submit_text}
SHORTCUTS: dict[str, ShortcutHandler] = {forms.SHORTCUT: localize_text}
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
"""In the order of the buttons of an offer."""

"""The form of a localization call: each mistake is shown at its field."""

import asyncio
from collections.abc import Collection, Sequence

from bot.domain.errors import PersonError, SwitchboardError
from bot.domain.files.dropped import HEAD_BYTES, FileInfo, sniff
from bot.domain.localization import CallOperation, Capability, Request, capability, request_errors
from bot.domain.localization.declaration import normal_format
from bot.domain.localization.request import file_errors
from bot.presentation import mistakes
from bot.presentation.localization import answers as told
from bot.presentation.localization.forms import ASK, CONFLICT, FILE, OPTION, TEXT, URL, Carried
from bot.presentation.views import notice
from bot.workflows.localization import RequestedCall, make_sure_of_room, request_call
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input.admission import localization_for
from handlers.input.fields import read_form
from handlers.input.presence import can_post
from handlers.replies import FieldErrors, Nothing, Replace, Reply
from handlers.router import Router

_LOOK_SECONDS = 1.4
"""Seconds of Slack's three for checking the files; files not checked by then are checked on sending."""


def register(router: Router) -> None:
    """The form by its callback id."""
    router.views[ASK] = submit


async def submit(deps: Dependencies, form: Submission) -> Reply:
    """Check everything that was entered, then request one call per file."""
    carried = Carried.load(form.metadata)
    client = await localization_for(deps, form.user)
    requests, errors = _read(carried, form, own_hosts=client.own_hosts)
    infos: dict[str, FileInfo] = {}
    if not errors:
        infos = await _look(deps, requests, errors)
    if errors:
        return FieldErrors(errors)
    if len(requests) > 1:
        await make_sure_of_room(deps.ctx, form.user, requests)
    member = await can_post(deps.messenger, carried.channel)
    for number, request in enumerate(requests):
        info = infos.get(request.file)
        await request_call(
            deps.ctx,
            RequestedCall(
                request=request,
                file_name=info.name if info is not None else carried.file_name,
                requester=form.user,
                channel=carried.channel,
                thread_ts=carried.thread_ts or None,
                source_key=f"view:{form.view_id}:{number}",
            ),
        )
    if member:
        return Nothing()
    return Replace(notice("Localize", told.asked_several(len(requests), member=False).text))


def _read(carried: Carried, form: Submission, *, own_hosts: Collection[str]) -> tuple[list[Request], dict[str, str]]:
    """One request for each file, or one for the text or address; and the mistakes by field."""
    text, url = form.values.get(TEXT, "").strip(), form.values.get(URL, "").strip()
    files = [carried.file] if carried.file else list(form.files.get(FILE, ()))
    capabilities = [capability(CallOperation(name)) for name in carried.operations]
    given = {name for name, value in ((TEXT, text), (URL, url), (FILE, files)) if value}
    if len(given) > 1:
        return [], dict.fromkeys(sorted(given), CONFLICT)
    declared = _meant(capabilities, given)
    options, errors = _options(declared, form)
    one = Request(operation=declared.operation, text=text, url=url, options=options)
    requests = [Request(operation=declared.operation, file=file, options=options) for file in files] or [one]
    for error in request_errors(requests[0].complete(), own_hosts=own_hosts):
        errors.setdefault(_field(error, declared, given), mistakes.at_field(error))
    return requests, errors


def _meant(capabilities: Sequence[Capability], given: set[str]) -> Capability:
    wants_text = TEXT in given or not given
    return next((one for one in capabilities if (one.text_limit is not None) == wants_text), capabilities[0])


def _field(error: PersonError, declared: Capability, given: set[str]) -> str:
    option = declared.option(error.argument)
    if option is not None:
        return f"{OPTION}{option.name}"
    if declared.media is None:
        return TEXT
    return FILE if FILE in given and error.argument == FILE else URL


def _options(declared: Capability, form: Submission) -> tuple[dict[str, str], dict[str, str]]:
    given = {f"{OPTION}{option.name}": option.read for option in declared.options}
    values = {block: form.values.get(block, "").strip() for block in given}
    found, errors = read_form(values, {block: read for block, read in given.items() if values[block]})
    return {block.removeprefix(OPTION): value for block, value in found.items()}, errors


async def _look(deps: Dependencies, requests: list[Request], errors: dict[str, str]) -> dict[str, FileInfo]:
    """The files' records, as far as they can be read in time; an unsuitable file becomes a mistake at its field."""
    infos: dict[str, FileInfo] = {}

    async def look(request: Request) -> None:
        try:
            info = await deps.ctx.downloads.info(request.file)
            infos[request.file] = info
            wrong = await wrong_with(deps, request, info)
        except PersonError as unusable:
            wrong = unusable
        except SwitchboardError:
            return
        if wrong is not None:
            name = f"{infos[request.file].name}: " if len(requests) > 1 and request.file in infos else ""
            errors[FILE] = f"{name}{mistakes.at_field(wrong)}"

    try:
        async with asyncio.timeout(_LOOK_SECONDS):
            await asyncio.gather(*(look(request) for request in requests if request.file))
    except TimeoutError:
        return infos
    return infos


async def wrong_with(deps: Dependencies, request: Request, info: FileInfo) -> PersonError | None:
    """The mistake if the operation does not take this file, by its content."""
    media = request.capability.media
    if media is None:
        return None
    found = sniff(await deps.ctx.downloads.head(info, most=HEAD_BYTES), info.name)
    seconds = info.duration_ms / 1000 if info.duration_ms else None
    errors = file_errors(media, kind=found.kind, found=normal_format(found.format) or "unknown", seconds=seconds)
    return errors[0] if errors else None

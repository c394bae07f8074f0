"""Localization of files: the declarations say which operation takes which kind of content."""

from bot.domain.files.dropped import DroppedFile
from bot.domain.localization import CallOperation, Request, capability, request_errors
from bot.domain.localization.declaration import Capability, normal_format
from bot.presentation.localization import answers as told
from bot.presentation.localization.forms import Carried, form
from bot.presentation.mistakes import mistakes
from bot.workflows.context import Context
from bot.workflows.localization import RequestedCall, request_call
from handlers.dependencies import Dependencies
from handlers.file_actions.file_action import FileAction, Start
from handlers.incoming import Click
from handlers.input.admission import localization_for
from handlers.input.presence import can_post
from handlers.replies import Nothing, Open, Private, Reply

_OFFERED = (
    CallOperation.GENDER,
    CallOperation.SEPARATION,
    CallOperation.CONVERSION,
    CallOperation.AUDIO_EXTRACTION,
    CallOperation.TEXT_EXTRACTION,
    CallOperation.TRANSCRIPTION,
    CallOperation.SPEECH_EMOTION,
)


def _file_action(operation: CallOperation) -> FileAction:
    declared = capability(operation)
    return FileAction(
        name=declared.verb.replace("-", "_"),
        label=declared.label,
        fits=lambda file: fits(declared, file),
        start=_start(declared),
        works=works,
    )


def fits(declared: Capability, file: DroppedFile) -> bool:
    """Whether the operation takes this file, by its content."""
    return declared.media is not None and declared.media.takes(file.kind, file.format)


def works(ctx: Context) -> bool:
    """Whether the service is configured here."""
    return ctx.localization.is_configured


def _start(declared: Capability) -> Start:
    async def start(deps: Dependencies, click: Click, file: DroppedFile) -> Reply:
        await localization_for(deps, click.user)
        request = _request(declared, file)
        errors = request_errors(request)
        if errors:
            return Private(mistakes(errors))
        if declared.options:
            return Open(form([declared], _carried(declared, file)))
        requested = RequestedCall(
            request=request,
            file_name=file.name,
            requester=click.user,
            channel=file.channel,
            thread_ts=file.thread_ts,
            source_key=f"click:{click.trigger_id or click.view_id}",
            pressed=True,
        )
        sight = await request_call(deps.ctx, requested)
        if await can_post(deps.messenger, file.channel):
            return Nothing()
        return Private(told.asked(sight.order, position=sight.position, member=False))

    return start


def _request(declared: Capability, file: DroppedFile) -> Request:
    seconds = file.duration_ms / 1000 if file.duration_ms else None
    return Request(operation=declared.operation, file=file.id, file_format=normal_format(file.format), seconds=seconds)


def _carried(declared: Capability, file: DroppedFile) -> Carried:
    return Carried(
        verb=declared.verb,
        operations=(declared.operation.value,),
        channel=file.channel,
        thread_ts=file.thread_ts,
        file=file.id,
        file_name=file.name,
    )


ACTIONS = tuple(_file_action(operation) for operation in _OFFERED)
"""In the order of the buttons."""

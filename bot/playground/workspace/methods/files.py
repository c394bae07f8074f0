"""``files.*``: the upload in three steps, and reading about files."""

from dataclasses import replace

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.files import FILE_BYTES, StoredFile
from bot.playground.workspace.limits.surfaces import checked_blocks
from bot.playground.workspace.methods.method import Method, joined_channel, parent_ts
from bot.playground.workspace.model import Channel, Json
from bot.playground.workspace.state import WorkspaceState
from bot.playground.workspace.wire import file_object

_ALT_TEXT = 1000
_CHANNELS = 100


def get_upload_url(state: WorkspaceState, arguments: Arguments) -> Json:
    """``files.getUploadURLExternal``: where to send the bytes."""
    length = arguments.number("length", 0)
    if length <= 0:
        raise ApiRefusal.explained("invalid_arguments", ["missing required field: length"])
    if length > FILE_BYTES:
        raise ApiRefusal("file_upload_size_restricted")
    alt_text = arguments.text("alt_txt", "")
    if len(alt_text) > _ALT_TEXT:
        raise ApiRefusal("alt_txt_too_large")
    file = state.files.announce(arguments.text("filename"), length, state.identity.bot_user_id)
    state.files.keep(replace(file, alt_text=alt_text))
    return {"ok": True, "upload_url": f"{state.url}/upload/v1/{file.upload_token}", "file_id": file.id}


def complete_upload(state: WorkspaceState, arguments: Arguments) -> Json:
    """``files.completeUploadExternal``: names the files and shares them; once only."""
    files = _uploaded(state, arguments.structure("files"))
    channels = _channels(state, arguments)
    thread_ts = arguments.text("thread_ts", "")
    if thread_ts and len(channels) > 1:
        raise ApiRefusal("invalid_arguments")
    for channel in channels:
        thread_ts = parent_ts(state, channel, thread_ts)
    comment = arguments.text("initial_comment", "")
    blocks = checked_blocks(arguments.structure("blocks", error="invalid_blocks_format"))
    files = [state.files.keep(replace(file, complete=True)) for file in files]
    ids = tuple(file.id for file in files)
    for channel in channels:
        message = state.post_as_bot(
            channel.id, text=comment, blocks=blocks, thread_ts=thread_ts, files=ids, subtype="file_share"
        )
        files = [state.files.share(file, channel.id, message.ts, thread_ts) for file in files]
    return {"ok": True, "files": [file_object(state, file) for file in files]}


def info(state: WorkspaceState, arguments: Arguments) -> Json:
    """``files.info``."""
    file = state.files.get(arguments.text("file"))
    if file is None or not file.complete:
        raise ApiRefusal("file_not_found")
    if file.odd == "deleted":
        raise ApiRefusal("file_deleted")
    if not _visible(state, file):
        raise ApiRefusal("file_not_found")
    return {"ok": True, "file": file_object(state, file), "comments": [], "response_metadata": {"next_cursor": ""}}


def _visible(state: WorkspaceState, file: StoredFile) -> bool:
    """Return whether the app may see a file: one that isn't shared, or is in a conversation visible to the app."""
    places = [state.directory.channels[channel] for channel, _, _ in file.shares]
    return not places or any(place.bot_member or place.kind == "im" or not place.private for place in places)


def _uploaded(state: WorkspaceState, listed: object) -> list[StoredFile]:
    if not isinstance(listed, list) or not listed:
        raise ApiRefusal.explained("invalid_arguments", ["missing required field: files"])
    found = []
    for one in listed:
        file = state.files.get(str(one.get("id"))) if isinstance(one, dict) else None
        if file is None or file.complete or not file.uploaded:
            raise ApiRefusal("file_not_found")
        found.append(replace(file, title=str(one.get("title") or file.name)))
    return found


def _channels(state: WorkspaceState, arguments: Arguments) -> list[Channel]:
    names = arguments.words("channels") or arguments.words("channel_id")
    if len(names) > _CHANNELS:
        raise ApiRefusal("channels_limit_exceeded")
    channels = []
    for name in names:
        if name in state.directory.users:
            channels.append(state.directory.direct(name, state.clock()))
        else:
            channels.append(joined_channel(state, name))
    if any(channel.archived for channel in channels):
        raise ApiRefusal("posting_to_channel_denied")
    return channels


METHODS = {
    "files.getUploadURLExternal": Method(run=get_upload_url, scope="files:write", per_minute=100),
    "files.completeUploadExternal": Method(run=complete_upload, scope="files:write", per_minute=100),
    "files.info": Method(run=info, scope="files:read", per_minute=100),
}

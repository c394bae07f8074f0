"""Offers for files: in their threads, and to one person who used the shortcut."""

from collections.abc import Sequence
from typing import Protocol

from bot.domain.content import Block, Content
from bot.domain.files.dropped import DroppedFile, FileTrouble, UnusableFile, megabytes
from bot.domain.files.sniffing import KIND_OF, PICTURES, FileKind, is_called_wrongly, suffix_of
from bot.domain.money import shown as money
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button
from bot.presentation.blocks.text import choice, clock, message, paragraph, plain, quote, sentence_of
from bot.presentation.files import batches
from bot.presentation.reasons import rule_of
from bot.presentation.views import field, form, notice, result

USE_ALL = "use_all"  # like USE, for all files of a kind that were dropped together
USE = "use"  # id of the menu; a button's id adds a dot and the name of its action
SHORTCUT = "use_file"
SHORTCUT_NAME = "Use this file"
CHOSEN = "use_file.chosen"  # the form opened by the shortcut; CHOICE is its only field
CHOICE = "choice"
_NAME_LIMIT = 120
_BUTTONS = 5
_ROOM = 44  # blocks for work on a file in a message
_MORE = "More…"
_VERBS = frozenset({"Convert", "Transcribe", "Translate", "Transliterate", "Paraphrase", "Summarize", "Speak"})
_NAMED_FILES = 4
_SHORT = 60
_RADIOS = 10
_LABEL = 75
_KILO, _MEGA = 1024, 1024 * 1024
_SIGNS = {
    FileKind.AUDIO: ":headphones:",
    FileKind.VIDEO: ":clapper:",
    FileKind.DOCUMENT: ":page_facing_up:",
    FileKind.TABLE: ":bar_chart:",
    FileKind.OTHER: ":paperclip:",
}
_WORDS = {FileKind.AUDIO: "audio", FileKind.VIDEO: "video", FileKind.DOCUMENT: "document", FileKind.TABLE: "table"}
_AS_NAMED = {**_WORDS, FileKind.VIDEO: "a video", FileKind.DOCUMENT: "a document", FileKind.TABLE: "a table"}
_SUFFIX = 12
_NAMED = {"txt": "text", "weba": "WEBM audio", "mka": "MKV audio"}
_ARCHIVES = frozenset({"zip", "gz", "7z", "rar", "tar"})
_USABLE = "I can use audio, video, documents, pictures with text, CSV and Excel tables."
STARTED = notice(SHORTCUT_NAME, ":outbox_tray: Started. The result comes in the file's thread.")
LOOKING = message(":hourglass_flowing_sand: Looking at the file…")
NO_FILE = message(f":paperclip: There's no file in this message. Use the shortcut on a message with one. {_USABLE}")
NOT_HERE = message(
    ":wave: I'm not in this channel, so I can't read this file. To add me: `/invite @Switchboard`, "
    "then use the shortcut again."
)
NOT_IN_DIRECT_MESSAGES = message(
    ":wave: I can't join this conversation. Drop the file into a direct message to me, or into a channel I'm in."
)
STALE = message(f":shrug: This button is out of date. Use the shortcut *{SHORTCUT_NAME}* on the message with the file.")


class Offered(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...


def offer(file: DroppedFile, offered: Sequence[Offered]) -> Content:
    said = f"{_SIGNS[file.kind]} {named(file)}"
    labels = ", ".join(action.label for action in offered)
    if len(offered) <= _BUTTONS:
        elements = [button(action.label, f"{USE}.{action.name}", reference(file)) for action in offered]
    else:
        hint, options = plain("Choose what to do"), _options(file, offered)
        elements = [{"type": "static_select", "action_id": USE, "placeholder": hint, "options": options}]
    blocks = [paragraph(said), *actions(elements, f"{USE}:{file.id}")]
    return Content(text=f"{said}\nI can: {labels}.", blocks=blocks)


def together(
    first: str, found: Sequence[tuple[Sequence[DroppedFile], Sequence[Offered]]], works: Sequence[Content] = ()
) -> Content:
    """Build one offer for files dropped together, with a part and actions for each kind.

    ``first`` is the id of the file that the offer belongs to. After a choice the buttons become menus, with the work in
    progress below.
    """
    said, blocks, menus = list[str](), list[Block](), list[Block]()
    for files, offered in found:
        alone, kind = len(files) == 1, files[0].kind
        all_of_them = f"*{batches.counted(kind, len(files))}* · {size(sum(file.size for file in files))}"
        lead = f"{_SIGNS[kind]} {named(files[0]) if alone else all_of_them}"
        several = {one.label: f"{one.label} all" if one.label in _VERBS else f"{one.label} (all)" for one in offered}
        labels = [(one.label if alone else several[one.label], one.name) for one in offered]
        said += [lead, *([f"I can: {', '.join(label for label, _ in labels)}."] if labels and not works else [])]
        names = md.series([quote(file.name, _SHORT) for file in files[:_NAMED_FILES]], len(files))
        blocks += [paragraph(lead), *([] if alone else [md.context(names)])]
        action_id, value = (USE, reference(files[0])) if alone else (USE_ALL, f"{first}|{kind.value}")
        if works or len(labels) > _BUTTONS:
            more = f"More: {batches.counted(kind, 2).partition(' ')[2]}…"
            hint = "Choose what to do" if not works else _MORE if len(found) == 1 else more
            options = [{"text": plain(label), "value": f"{name}|{value}"} for label, name in labels]
            menu = {"type": "static_select", "action_id": action_id, "placeholder": plain(hint), "options": options}
            menus += [menu] if options else []
        if not works:
            buttons = [button(label, f"{action_id}.{name}", value) for label, name in labels[:_BUTTONS]]
            blocks += actions(menus or buttons, f"{action_id}:{files[0].id}")
            menus = []
    shown = _fitting(works, _ROOM - len(blocks))
    blocks += [block for work in shown for block in work.blocks]
    # Menus in one block need different ids; a new block id each time keeps clients from showing the last choice.
    for number, menu in enumerate(menus):
        blocks += actions([menu], f"{USE_ALL}:{first}:{number}:{len(works)}")
    return Content(text=md.fallback_text([*said, *(work.text for work in shown)]), blocks=blocks)


def _fitting(works: Sequence[Content], room: int) -> list[Content]:
    """Return the newest works that have room."""
    shown = list(works)
    while len(shown) > 1 and sum(len(work.blocks) for work in shown) > room:
        shown.pop(0)
    return shown


def worked(file: DroppedFile, offered: Sequence[Offered], works: Sequence[Content]) -> Content:
    """Build the offer after a choice: work on the file, oldest first, and a menu with the remaining actions."""
    said, shown = f"{_SIGNS[file.kind]} {named(file)}", _fitting(works, _ROOM)
    blocks, left_out = [paragraph(said)], len(works) - len(shown)
    blocks += [md.context(f"{md.counted(left_out, 'earlier result')} in the thread")] if left_out else []
    blocks += [block for work in shown for block in work.blocks]
    if offered:  # a new block id each time, or a client keeps showing the last choice
        hint, options = plain(_MORE), _options(file, offered)
        menu: Block = {"type": "static_select", "action_id": USE, "placeholder": hint, "options": options}
        blocks += actions([menu], f"{USE}:{file.id}:{len(works)}")
    return Content(text=md.fallback_text([said, *(work.text for work in shown)]), blocks=blocks)


def gone(file: DroppedFile) -> Content:
    return message(f":wastebasket: *{_name(file)}* was deleted.")


def several(
    found: Sequence[tuple[DroppedFile, Sequence[Offered]]], troubles: Sequence[UnusableFile], *, channel: str
) -> Block:
    """Build the form with actions for a message's files, for the person who used the shortcut in this channel."""
    blocks: list[Block] = []
    for file, fit in found:
        said = f"{_SIGNS[file.kind]} {named(file)}" if fit else no_use(file).text
        blocks.append(paragraph(said))
    blocks += [paragraph(unusable(trouble).text) for trouble in troubles]
    usable = [(file, fit) for file, fit in found if fit]
    if not usable:
        return result(SHORTCUT_NAME, blocks)
    options = [_options(file, fit) for file, fit in usable]
    if len(usable) == 1 and len(options[0]) <= _RADIOS:
        element: Block = {"type": "radio_buttons", "options": options[0]}
    else:
        labels = [plain(choice(clean(file.name), _LABEL) or "file") for file, _ in usable]
        groups = [{"label": label, "options": few} for label, few in zip(labels, options, strict=True)]
        element = {"type": "static_select", "option_groups": groups}
    element |= {"action_id": CHOICE, "initial_option": options[0][0]}
    blocks.append(field(CHOICE, "What to do", element))
    return form(CHOSEN, SHORTCUT_NAME, "Go on", channel, blocks, close="Close")


def told(content: Content) -> Block:
    return notice(SHORTCUT_NAME, content.text)


def _options(file: DroppedFile, offered: Sequence[Offered]) -> list[Block]:
    return [{"text": plain(action.label), "value": f"{action.name}|{reference(file)}"} for action in offered]


def no_use(file: DroppedFile) -> Content:
    """Explain that a file can't be used; for an archive, suggest unpacking it."""
    said = f":paperclip: *{_name(file)}*: I can't use this file ({facts(file)}). "
    said += "Unpack the archive and upload its files." if is_archive(file) else _USABLE
    return message(said)


def is_archive(file: DroppedFile) -> bool:
    return file.format in _ARCHIVES


def unusable(trouble: UnusableFile) -> Content:
    sign = ":hourglass:" if trouble.trouble is FileTrouble.PROCESSING else ":no_entry_sign:"
    name = f"*{quote(trouble.given, _NAME_LIMIT)}*: " if trouble.given else ""
    return message(f"{sign} {name}{sentence_of(rule_of(trouble))}")


def unfit(file: DroppedFile, label: str) -> Content:
    return message(f":no_entry_sign: *{_name(file)}* ({facts(file)}): *{label}* doesn't work with this kind of file.")


def named(file: DroppedFile) -> str:
    """Describe a file by name and key facts, or a table of payments by its total."""
    if file.cents is not None and file.rows is not None:
        return f"*{md.counted(file.rows, 'payment')}, {money(file.cents)}* · {_name(file)}"
    expected = KIND_OF.get(suffix_of(file.name))
    if expected in _WORDS and expected is not file.kind and is_called_wrongly(file.name, file.format):
        return f"*{_name(file)}* doesn't look like {_AS_NAMED[expected]} · {facts(file)}"
    return f"*{_name(file)}* · {facts(file)}"


def facts(file: DroppedFile) -> str:
    kind = "picture" if file.format in PICTURES else _WORDS.get(file.kind, "")
    known = " ".join(part for part in (file.format.upper(), kind) if part) or "unknown format"
    known = _NAMED.get(file.format, known)
    if is_called_wrongly(file.name, file.format) and KIND_OF.get(suffix_of(file.name)) is file.kind:
        known += f" (named .{quote(suffix_of(file.name), _SUFFIX)})"
    parts = [known, size(file.size)] if file.rows is None else [md.counted(file.rows, "row")]
    if file.duration_ms is not None and file.kind in (FileKind.AUDIO, FileKind.VIDEO):
        parts.append(length(file.duration_ms))
    return ", ".join(parts)


def size(count: int) -> str:
    if count < _KILO:
        return f"{count} bytes"
    return f"{-(-count // _KILO)} KB" if count < _MEGA else f"{megabytes(count, up=True)} MB"


def length(milliseconds: int) -> str:
    return clock(-(-milliseconds // 1000))


def reference(file: DroppedFile) -> str:
    return f"{file.id}|{file.message_ts}|{file.thread_ts}"


def _name(file: DroppedFile) -> str:
    return quote(file.name, _NAME_LIMIT)

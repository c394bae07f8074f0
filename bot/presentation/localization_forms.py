"""Forms of localization calls, built from their declarations, with metadata and initial values."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from bot.domain.content import Block
from bot.domain.errors import PersonError
from bot.domain.localization.catalog import capability
from bot.domain.localization.declaration import (
    CUSTOM,
    PRESETS,
    TEXT_LIMIT,
    Accepts,
    CallOperation,
    Capability,
    Media,
    Option,
    preset_of,
)
from bot.domain.localization.languages import label_of
from bot.domain.localization.pieces import form_of, is_cued
from bot.domain.localization.request import SOURCE, TARGET
from bot.domain.text import clean
from bot.presentation import views
from bot.presentation.blocks import text as md
from bot.presentation.reasons import rule_of
from bot.presentation.views import field, short_title, text_input

ASK = "localization.ask"
CONFLICT = "Use only one of these."
TEXT = "text"
URL = "url"
FILE = "file"
PRESET = "preset"
OPTION = "option."  # before the names of options: a block id is one of a whole form
FILES_AT_ONCE = 10
_LIST = 100  # choices that one list may have (Slack)
_MIDDLE = "M"
_HINTS = {
    "source_lang": "Leave empty to detect it",
    "language": "Choose English if I take your text for another language",
}
"""Below lists from which nothing need be chosen."""
_URL_LIMIT = 2_000
_VALUE = 100
SHORTCUT = "localize_text"
SHORTCUT_NAME = "Localize this text"
ASK_TEXT = "localization.text"
OPERATION = "operation"
NO_TEXT = ":pencil2: This message has no text. Use the shortcut on one that has."
NOT_HERE = (
    ":wave: I'm not in this channel, so I can't read all of this long message. "
    "Add me with `/invite @Switchboard`, then use the shortcut again."
)
NOT_IN_DIRECT_MESSAGES = (
    ":wave: I'm not in this conversation, so I can't read all of this long message. "
    "Save it as a .txt file and drop it into a direct message to me."
)
OTHER_LANGUAGE = "Choose the right language to run it again."
SUBTITLE: Final = "subtitle"


def which_language(likely: str) -> str:
    """Build the question for an uncertain language; ``likely``: its code, or empty."""
    return f"What language is this? I think it's {label_of(likely)}." if likely else "What language is this?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Metadata of the form. The server checks all of it again.

    ``private``: the answer to a text is for the person alone; ``reply``: the sealed address for it. ``begun``: values
    of an audio extraction that the form began with.
    """

    verb: str
    operations: tuple[str, ...]
    channel: str
    thread_ts: str = ""
    file: str = ""
    file_name: str = ""
    private: bool = False
    reply: str = ""
    begun: tuple[str, ...] = ()
    many: str = ""
    """Return the kind of the files dropped together with ``file`` if the operation runs on all of them."""

    def dump(self) -> str:
        given = {name: value for name, value in asdict(self).items() if value or name in _ALWAYS}
        return json.dumps({**given, "file_name": md.shorten(self.file_name, _VALUE)}, separators=(",", ":"))

    @classmethod
    def load(cls, metadata: str) -> "Carried":
        facts = json.loads(metadata)
        lists = {name: tuple(facts.get(name, ())) for name in ("operations", "begun")}
        return cls(**{**facts, **lists})


_ALWAYS: Final = ("verb", "operations", "channel", "thread_ts", "file", "file_name")


def form(
    capabilities: Sequence[Capability], carried: Carried, *, given: Mapping[str, str] | None = None, note: str = ""
) -> Block:
    """Build the form of operations sharing a verb. ``given``: typed values by block id. ``note``: plain text."""
    given = given or {}
    blocks: list[Block] = [md.section(md.plain(note))] if note else []
    if carried.file:
        blocks.append(md.section(md.plain(f"{capabilities[0].label}: {clean(carried.file_name)}")))
    else:
        summary = capabilities[0].summary.partition(";")[0]  # what follows is about the line, which a form has not
        which = " Choose a file or paste a link." if capabilities[0].media is not None else ""
        which = " Give a text, a file or a link." if len(capabilities) > 1 else which
        blocks.append(md.section(md.plain(f"{md.capital(summary)}.{which}")))
        for one in capabilities:
            if one.text_limit is not None:
                element = text_input(TEXT, most=one.text_limit, value=given.get(TEXT), multiline=True)
                label = "English text" if one.is_english else "Text"
                blocks.append(field(TEXT, label, element, optional=len(capabilities) > 1))
            blocks += _media(one.media, given) if one.media is not None else []
    extraction = [one for one in capabilities if one.operation is CallOperation.AUDIO_EXTRACTION]
    if extraction:
        values = {one.name: _start(one, given) for one in extraction[0].options}
        blocks.append(_presets(preset_of(values)))
        carried = replace(carried, begun=tuple(values.values()))
    blocks += [_option(one, given) for declared in capabilities for one in declared.options]
    title = capabilities[0].title if len(capabilities) == 1 else capabilities[0].label
    # A whole word says more than the beginning of several.
    title = title if short_title(title) == title else md.capital(capabilities[0].verb)
    return views.form(ASK, title, "Start", carried.dump(), blocks)


def _presets(begun: str) -> Block:
    options: list[Block] = [{"text": md.plain(one.label), "value": one.name} for one in PRESETS]
    options.append({"text": md.plain("Custom"), "value": CUSTOM})
    chosen = next(one for one in options if one["value"] == begun)
    element: Block = {"type": "radio_buttons", "action_id": PRESET, "options": options, "initial_option": chosen}
    return field(PRESET, "Preset", element, hint="Custom uses the three values below.")


def text_form(carried: Carried, text: str, given: Mapping[str, str]) -> Block:
    """Build the form of the message shortcut. ``given``: initial languages by block id."""
    blocks: list[Block] = []
    chosen = [capability(CallOperation(name)) for name in carried.operations]
    options: list[Block] = [{"text": md.plain(one.label), "value": one.operation.value} for one in chosen]
    radio: Block = {"type": "radio_buttons", "action_id": OPERATION, "options": options, "initial_option": options[0]}
    blocks.append(field(OPERATION, "What to do", radio))
    if carried.file:
        blocks.append(md.section(md.plain(f"This message has {len(text):,} characters; I'll send it in parts.")))
    else:
        blocks.append(field(TEXT, "Text", text_input(TEXT, most=TEXT_LIMIT, value=text, multiline=True)))
    for name in (SOURCE, TARGET):
        option = chosen[0].option(name)
        assert option is not None, "the first is the translation"
        blocks.append(_option(option, given))
    return views.form(ASK_TEXT, SHORTCUT_NAME, "Start", carried.dump(), blocks)


def parts(declared: Capability, file: str, count: int) -> str:
    """Say how many calls the text of a file needs, before it is started; empty if one or unknown."""
    is_subtitled = is_cued(declared.operation, form_of(file))
    named = md.counted(count, SUBTITLE if is_subtitled else "part")
    sent = f"The {named} are sent one by one." if is_subtitled else f"This will be sent in {named}."
    return sent if count > 1 else ""


def use_translate(error: PersonError) -> PersonError:
    """Why a file is refused that is not English, and what to press instead."""
    rule = f"{rule_of(error).partition(';')[0]}; press Translate below the file first"
    return PersonError(argument=FILE, rule=rule, example="")


def _media(media: Media, given: Mapping[str, str]) -> list[Block]:
    file: Block = {
        "type": "file_input",
        "action_id": FILE,
        "filetypes": list(media.extensions),
        "max_files": FILES_AT_ONCE,
    }
    most = f", up to {media.max_seconds // 60} minutes" if media.max_seconds is not None else ""
    formats = f"{media.listed}{most}" if media.is_closed else f"For example {media.listed}{most}"
    article = "an" if media.noun[0] in "aeiou" else "a"
    example = f"https://example.com/sample.{media.formats[0]}"
    url = text_input(URL, most=_URL_LIMIT, example=example, value=given.get(URL))
    hint = "The link must open without signing in"
    return [
        field(FILE, md.capital(media.noun), file, optional=True, hint=f"{formats}; up to 10 MB each"),
        field(URL, f"Or a link to {article} {media.noun}", url, optional=True, hint=hint),
    ]


def _start(option: Option, given: Mapping[str, str]) -> str:
    """Return an option's initial value: the given one if it can be chosen here, else the default."""
    start = given.get(f"{OPTION}{option.name}", "")
    listed = option.accepts in (Accepts.CHOICE, Accepts.LANGUAGE)
    known = not listed or any(one.value == start for one in option.choices)
    return start if start and known else option.default


def _option(option: Option, given: Mapping[str, str]) -> Block:
    block_id, start = f"{OPTION}{option.name}", _start(option, given)
    if option.accepts not in (Accepts.CHOICE, Accepts.LANGUAGE):
        typed = text_input(block_id, most=_VALUE, example=option.sample, value=start)
        return field(block_id, option.label, typed, optional=True, hint=md.capital(option.rule))
    choices: list[Block] = [{"text": md.plain(one.label), "value": one.value} for one in option.choices]
    element: Block = {"type": "static_select", "action_id": block_id}
    if len(choices) <= _LIST:
        element["options"] = choices
    else:
        halves: tuple[list[Block], list[Block]] = ([], [])
        for one in choices:
            halves[one["text"]["text"] >= _MIDDLE].append(one)
        labels = [md.plain(f"{half[0]['text']['text'][0]} – {half[-1]['text']['text'][0]}") for half in halves]
        element["option_groups"] = [
            {"label": label, "options": half} for label, half in zip(labels, halves, strict=True)
        ]
    if chosen := [one for one in choices if one["value"] == start]:
        element["initial_option"] = chosen[0]
    hint = _HINTS.get(option.name, "") if not option.default else ""
    return field(block_id, option.label, element, optional=not option.default, hint=hint)

"""The form of a localization call, from its declaration: the text, or a file or an address, and every option."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from bot.domain.content import Block
from bot.domain.localization.declaration import Accepts, Capability, Media, Option, OptionChoice
from bot.domain.text import clean
from bot.presentation import views
from bot.presentation.blocks.text import capital, plain, section, shorten
from bot.presentation.views import field, short_title, text_input

ASK = "localization.ask"
CONFLICT = "Give only one of them."
TEXT = "text"
URL = "url"
FILE = "file"
OPTION = "option."  # before the names of options: a block id is one of a whole form
FILES_AT_ONCE = 10
_LIST = 100  # choices that one list may have (Slack)
_MIDDLE = "M"
_HINTS = {
    "source_lang": "Left open only where the letters say it, as those of Japanese or Greek do",
    "language": "Only English is understood; choose it where an English text is taken for another language",
}
"""Below lists from which nothing need be chosen."""
_URL_LIMIT = 2_000
_NAME = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Metadata of the form. The server checks all of it again."""

    verb: str
    operations: tuple[str, ...]
    channel: str
    thread_ts: str = ""
    file: str = ""
    file_name: str = ""

    def dump(self) -> str:
        return json.dumps(asdict(self) | {"file_name": shorten(self.file_name, _NAME)}, separators=(",", ":"))

    @classmethod
    def load(cls, metadata: str) -> "Carried":
        facts = json.loads(metadata)
        return cls(**{**facts, "operations": tuple(facts["operations"])})


def form(
    capabilities: Sequence[Capability], carried: Carried, *, given: Mapping[str, str] | None = None, note: str = ""
) -> Block:
    """The form of operations that share a verb. ``given``: what was typed, by block id. ``note``: why; plain text."""
    given = given or {}
    blocks: list[Block] = [section(plain(note))] if note else []
    if carried.file:
        blocks.append(section(plain(f"{capabilities[0].label}: {clean(carried.file_name)}")))
    else:
        summary = capabilities[0].summary.partition(";")[0]  # what follows is about the line, which a form has not
        which = " Give either a file or an address." if capabilities[0].media is not None else ""
        which = " Give one of the three." if len(capabilities) > 1 else which
        blocks.append(section(plain(f"{capital(summary)}.{which}")))
        for one in capabilities:
            if one.text_limit is not None:
                element = text_input(TEXT, most=one.text_limit, value=given.get(TEXT), multiline=True)
                label = "Text in English" if one.is_english else "Text"
                blocks.append(field(TEXT, label, element, optional=len(capabilities) > 1))
            blocks += _media(one.media, given) if one.media is not None else []
    blocks += [_option(one, given) for declared in capabilities for one in declared.options]
    title = capabilities[0].title if len(capabilities) == 1 else capabilities[0].label
    # A whole word says more than the beginning of several.
    title = title if short_title(title) == title else capital(capabilities[0].verb)
    return views.form(ASK, title, "Start", carried.dump(), blocks)


def _media(media: Media, given: Mapping[str, str]) -> list[Block]:
    file: Block = {
        "type": "file_input",
        "action_id": FILE,
        "filetypes": list(media.extensions),
        "max_files": FILES_AT_ONCE,
    }
    most = f", at most {media.max_seconds} seconds long" if media.max_seconds is not None else ""
    formats = f"{media.listed}{most}" if media.is_closed else f"For example {media.listed}{most}"
    article = "an" if media.noun[0] in "aeiou" else "a"
    example = f"https://example.com/sample.{media.formats[0]}"
    url = text_input(URL, most=_URL_LIMIT, example=example, value=given.get(URL))
    hint = "The service downloads it, so it must be reachable without signing in"
    return [
        field(FILE, capital(media.noun), file, optional=True, hint=f"{formats}; up to 10 MB each"),
        field(URL, f"Or the address of {article} {media.noun}", url, optional=True, hint=hint),
    ]


def _option(option: Option, given: Mapping[str, str]) -> Block:
    block_id = f"{OPTION}{option.name}"
    start = given.get(block_id, "") or option.default
    if option.accepts in (Accepts.CHOICE, Accepts.LANGUAGE):
        element: Block = {"type": "static_select", "action_id": block_id, **_choices(option.choices)}
        chosen = next((one for one in option.choices if one.value == start), None)
        if chosen is not None:
            element["initial_option"] = _choice(chosen)
        hint = _HINTS.get(option.name, "") if not option.default else ""
        return field(block_id, option.label, element, optional=not option.default, hint=hint)
    element = text_input(block_id, most=_NAME, example=option.sample, value=start)
    return field(block_id, option.label, element, optional=True, hint=capital(option.rule))


def _choices(choices: Sequence[OptionChoice]) -> Block:
    if len(choices) <= _LIST:
        return {"options": [_choice(one) for one in choices]}
    halves = ([one for one in choices if one.label[0] < _MIDDLE], [one for one in choices if one.label[0] >= _MIDDLE])
    return {
        "option_groups": [
            {"label": plain(f"{half[0].label[0]} – {half[-1].label[0]}"), "options": [_choice(one) for one in half]}
            for half in halves
        ]
    }


def _choice(choice: OptionChoice) -> Block:
    return {"text": plain(choice.label), "value": choice.value}

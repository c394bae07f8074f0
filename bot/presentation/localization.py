"""What people see of a localization call: its form, made from its declaration; its message, its result, its files."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

from bot.domain.content import Block, Content
from bot.domain.errors import PersonError
from bot.domain.localization.catalog import capability
from bot.domain.localization.declaration import TEXT_LIMIT, Accepts, CallOperation, Capability, Media, Option
from bot.domain.localization.pieces import REWRITES, form_of, is_cued
from bot.domain.localization.progress import REPEATABLE, STOPPABLE, CallState, CallView, Order, Undone
from bot.domain.localization.request import SOURCE, TARGET
from bot.domain.localization.results import Emotion, Gender, Phrases, Track, Tracks, Written
from bot.domain.reasons import OfCall, Reason
from bot.domain.text import clean
from bot.presentation import views
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, lines_under, question
from bot.presentation.reasons import rule_of, worded
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
    "source_lang": "Left open: the language that is recognized",
    "language": "Only English is understood; choose it where an English text is taken for another language",
}
"""Below lists from which nothing need be chosen."""
_URL_LIMIT = 2_000
_VALUE = 100
CANCEL = "localization.cancel"
AGAIN = "localization.again"
TO_ENGLISH = "localization.to_english"
OTHER = "localization.other_language"
READ = "localization.read"
SHORTCUT = "localize_text"
SHORTCUT_NAME = "Localize this text"
ASK_TEXT = "localization.text"
OPERATION = "operation"
NO_TEXT = ":pencil2: There is no text in this message. Use the shortcut on a message with one."
NOT_HERE = (
    ":wave: I am not in this channel, so I cannot read the whole of this long message. "
    "Invite me with `/invite @Switchboard`, then use the shortcut again."
)
NOT_IN_DIRECT_MESSAGES = (
    ":wave: I am not in this conversation, so I cannot read the whole of this long message. "
    "Save it as a .txt file and drop that into a direct message to me."
)
LONG_TEXT = 2_500  # characters above which a text comes as a file
_PREVIEW = 300
_SHORT = 200  # characters up to which a text stands in the message of its call too
_QUOTED = 600
_MOST_NUMBERS = 12
_SUBTITLE = "subtitle"
_NAME = 80
_OTHERS = 12  # emotions beside the strongest
_EMOJI = {
    "Anger": ":rage:",
    "Joy": ":smile:",
    "Sadness": ":cry:",
    "Love": ":heart:",
    "Fear": ":fearful:",
    "Surprise": ":astonished:",
    "Neutral": ":neutral_face:",
}
_SIGNS = {
    CallState.WAITING: ":hourglass_flowing_sand:",
    CallState.RUNNING: ":hourglass_flowing_sand:",
    CallState.HANDING_OVER: ":inbox_tray:",
    CallState.DONE: ":white_check_mark:",
    CallState.UNREAD: ":warning:",
    CallState.FAILED: ":x:",
    CallState.UNKNOWN: ":grey_question:",
    CallState.CANCELED: ":no_entry_sign:",
    CallState.INTERRUPTED: ":arrows_counterclockwise:",
}
_CORRECTED = frozenset({CallState.WAITING, CallState.RUNNING, CallState.DONE})
"""States in which a call whose language was recognized is worth another one in the right language."""
WHICH_LANGUAGE = "Which language is the text in? It is not certain. Nothing was sent yet."
OTHER_LANGUAGE = "This is the language that was recognized. Choose another one, and the text is sent again."
_IN_BUTTON = 1_950  # characters of a text that a button carries
_KEPT = (
    "The answer is kept. An admin adds the line from the switchboard command `unread` and restarts; then press "
    "*Read again*. It is not run or billed again."
)
STILL_UNREAD = (
    "The answer still has names that I do not know. An admin finds the line for SERVICES_FILE with the switchboard "
    "command `unread`; it counts after a restart."
)


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
        return json.dumps(asdict(self) | {"file_name": md.shorten(self.file_name, _VALUE)}, separators=(",", ":"))

    @classmethod
    def load(cls, metadata: str) -> "Carried":
        facts = json.loads(metadata)
        return cls(**{**facts, "operations": tuple(facts["operations"])})


def form(
    capabilities: Sequence[Capability], carried: Carried, *, given: Mapping[str, str] | None = None, note: str = ""
) -> Block:
    """The form of operations that share a verb. ``given``: what was typed, by block id. ``note``: why; plain text."""
    given = given or {}
    blocks: list[Block] = [md.section(md.plain(note))] if note else []
    if carried.file:
        blocks.append(md.section(md.plain(f"{capabilities[0].label}: {clean(carried.file_name)}")))
    else:
        summary = capabilities[0].summary.partition(";")[0]  # what follows is about the line, which a form has not
        which = " Give either a file or an address." if capabilities[0].media is not None else ""
        which = " Give one of the three." if len(capabilities) > 1 else which
        blocks.append(md.section(md.plain(f"{md.capital(summary)}.{which}")))
        for one in capabilities:
            if one.text_limit is not None:
                element = text_input(TEXT, most=one.text_limit, value=given.get(TEXT), multiline=True)
                label = "Text in English" if one.is_english else "Text"
                blocks.append(field(TEXT, label, element, optional=len(capabilities) > 1))
            blocks += _media(one.media, given) if one.media is not None else []
    blocks += [_option(one, given) for declared in capabilities for one in declared.options]
    title = capabilities[0].title if len(capabilities) == 1 else capabilities[0].label
    # A whole word says more than the beginning of several.
    title = title if short_title(title) == title else md.capital(capabilities[0].verb)
    return views.form(ASK, title, "Start", carried.dump(), blocks)


def text_form(carried: Carried, text: str, *, source: str) -> Block:
    """The form of the shortcut on a message. ``source``: the language that is recognized, or empty."""
    blocks: list[Block] = []
    chosen = [capability(CallOperation(name)) for name in carried.operations]
    options: list[Block] = [{"text": md.plain(one.label), "value": one.operation.value} for one in chosen]
    radio: Block = {"type": "radio_buttons", "action_id": OPERATION, "options": options, "initial_option": options[0]}
    blocks.append(field(OPERATION, "What to do", radio))
    if carried.file:
        blocks.append(md.section(md.plain(f"The message has {len(text):,} characters, which are sent in parts.")))
    else:
        blocks.append(field(TEXT, "Text", text_input(TEXT, most=TEXT_LIMIT, value=text, multiline=True)))
    given = {f"{OPTION}{SOURCE}": source}
    for name in (SOURCE, TARGET):
        option = chosen[0].option(name)
        assert option is not None, "the first is the translation"
        blocks.append(_option(option, given))
    return views.form(ASK_TEXT, SHORTCUT_NAME, "Start", carried.dump(), blocks)


def parts(declared: Capability, file: str, count: int) -> str:
    """How often the service is asked for the text of a file, before somebody starts it; empty: once, or not known."""
    noun = _SUBTITLE if is_cued(declared.operation, form_of(file)) else "part"
    return f"{md.counted(count, noun)}, each sent to the service by itself." if count > 1 else ""


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
    most = f", at most {media.max_seconds} seconds long" if media.max_seconds is not None else ""
    formats = f"{media.listed}{most}" if media.is_closed else f"For example {media.listed}{most}"
    article = "an" if media.noun[0] in "aeiou" else "a"
    example = f"https://example.com/sample.{media.formats[0]}"
    url = text_input(URL, most=_URL_LIMIT, example=example, value=given.get(URL))
    hint = "The service downloads it, so it must be reachable without signing in"
    return [
        field(FILE, md.capital(media.noun), file, optional=True, hint=f"{formats}; up to 10 MB each"),
        field(URL, f"Or the address of {article} {media.noun}", url, optional=True, hint=hint),
    ]


def _option(option: Option, given: Mapping[str, str]) -> Block:
    block_id = f"{OPTION}{option.name}"
    start = given.get(block_id, "") or option.default
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


def board(sight: CallView, *, named: bool = True) -> Content:
    """The message of a call; not ``named``: inside the one of its file, which names that."""
    about = " · ".join([f"asked by {md.mention(sight.requester)}", *settings(sight.order)])
    buttons: list[Block] = []
    undone = sight.progress.undone
    if sight.state in STOPPABLE and not (sight.progress.parts and sight.progress.by):
        buttons = [button("Cancel", CANCEL, sight.id)]
    elif (sight.state in REPEATABLE or undone.certain or undone.unknown) and not sight.progress.again:
        doubt = "The service may have done it already. It may bill both."
        asked = question("Run it again?", doubt, yes="Run again", no="Leave it")
        made = sight.state in REPEATABLE and sight.progress.result is not None and not undone.certain
        doubted = sight.state is CallState.UNKNOWN or made or (undone.unknown and not undone.certain)
        label = "The rest again" if undone.certain and sight.progress.result is not None else "Run again"
        buttons = [button(label, AGAIN, sight.id, confirm=asked if doubted else None)]
    if sight.state is CallState.UNREAD:
        buttons.insert(0, button("Read again", READ, sight.id))
    if sight.order.guessed and sight.state in _CORRECTED and len(sight.order.request.text) <= TEXT_LIMIT:
        buttons.append(button("Another language", OTHER, sight.id))
    lines = [f"{_sign(sight)} *{_title(sight)}*: {_status(sight)}"]
    request, file = sight.order.request, sight.order.file_name
    if request.text:
        lines.append(f">{md.quote(request.text, _QUOTED)}")
    elif request.url:
        lines.append(f"`{md.quote(request.url, _QUOTED)}`")  # as code, nothing is unfurled or followed by accident
    elif file and named:
        lines.append(f":paperclip: {md.quote(file, _NAME)}")
    return lines_under("", lines, notes=[about], after=actions(buttons, f"localization:{sight.id}"))


def foreign(mistakes: Content, language: str, text: str) -> Content:
    """What is wrong with a text that is not English, and the button that translates it, if it can carry it."""
    if len(text) > _IN_BUTTON:
        return mistakes
    first = actions([button("Translate to English first", TO_ENGLISH, f"{language}|{text}")], "localization:foreign")
    return Content(text=mistakes.text, blocks=[*mistakes.blocks, *first])


def _waiting(sight: CallView) -> str:
    if sight.silent_since is not None:
        return f"waiting; the service has not answered since {md.moment(sight.silent_since)}"
    return f"waiting, number {sight.position} in the queue" if sight.position else "about to begin"


def _status(sight: CallView) -> str:  # noqa: C901, PLR0911 - one answer a state
    progress = sight.progress
    took = f" after {md.clock(sight.elapsed)}" if sight.elapsed is not None and sight.elapsed >= 1 else ""
    again = " It was run again." if progress.again else ""
    # The reason may hold a name or a value that somebody typed.
    said = md.sentence_of(f" It says: {md.quote(progress.words)}" if progress.words else "")
    why = f"{md.quote_sentence(worded(progress.reason))}{said}{again}"
    match sight.state:
        case CallState.WAITING:
            return _waiting(sight)
        case CallState.RUNNING if sight.progress.parts:
            parts, doing = sight.progress.parts, sight.order.request.capability.doing.lower()
            doing = f"no more is sent ({md.mention(progress.by)}); what is under way ends" if progress.by else doing
            done = f"{sight.through} of {md.counted(parts, _noun(sight))}"
            return f"{doing}, {md.clock(sight.elapsed or 0)}\n{md.bar(sight.through, parts)} {done}"
        case CallState.RUNNING:
            doing = sight.order.request.capability.doing.lower()
            sending = sight.percent is not None and sight.percent < 100  # noqa: PLR2004 - of the file is there
            sent = f"\nSending the file {md.bar(sight.percent or 0, 100)}" if sending else ""
            return f"{doing}, {md.clock(sight.elapsed or 0)}{sent}"
        case CallState.HANDING_OVER:
            return "done, its files are on their way"
        case CallState.DONE:
            return f"done{took}{_gist(sight)}{_lacking(sight)}{_undone(sight)}{again if _undone(sight) else ''}"
        case CallState.UNREAD:
            part = f"done{took}{_gist(sight)}{_lacking(sight)}" if progress.result is not None else ""
            unknown = f"answered{took}, under names that I do not know"
            return f"{part or unknown}. {_KEPT}{_undone(sight)}"
        case CallState.FAILED:
            return f"failed{took}. {why}{_undone(sight)}"
        case CallState.UNKNOWN:
            return (
                f"*unknown*{took}. {why} The service may have done it, and may bill it. It is not sent again by itself."
            )
        case CallState.CANCELED:
            ran = " The service may go on with it, and bill it." if progress.started_at is not None else ""
            if progress.parts:
                return f"canceled by {md.mention(progress.by)}{took}.{_undone(sight)}{again}"
            return f"canceled by {md.mention(progress.by)}{took}.{ran}{again}"
        case CallState.INTERRUPTED:
            lost = progress.reason or Reason(OfCall.RESTARTED)
            still = "" if progress.again else "; run it again"
            return f"interrupted{still}. {md.quote_sentence(worded(lost))}{again}"


def _noun(sight: CallView) -> str:
    order = sight.order
    return _SUBTITLE if is_cued(order.request.operation, form_of(order.file_name)) else "part"


def _undone(sight: CallView) -> str:
    """What is missing of a document, why, and what may be billed."""
    progress, noun = sight.progress, _noun(sight)
    certain, unknown = progress.undone.certain, progress.undone.unknown
    lines = []
    if certain:
        kept = "their own text stands in the file" if sight.order.request.operation in REWRITES else "they are left out"
        shown = f": {kept}" if progress.result is not None else ""
        lines.append(f"Not done, of {md.counted(progress.parts, noun)}: {_numbers(certain)}{shown}.")
        if progress.result is not None and progress.reason is not None:
            said = md.sentence_of(f" It says: {md.quote(progress.words)}" if progress.words else "")
            lines.append(f"{md.quote_sentence(worded(progress.reason))}{said}")
    if progress.undone.unread:
        lines.append(f"Answered under names that I do not know: {_numbers(progress.undone.unread)}.")
    if unknown:
        doubt = "The service may have done them, and may bill them. They are not sent again by themselves."
        lines.append(f"*Unknown*: {_numbers(unknown)}. {doubt}")
    return "".join(f"\n{line}" for line in lines)


def _numbers(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:_MOST_NUMBERS]))
    return f"{shown} and {len(numbers) - _MOST_NUMBERS} more" if len(numbers) > _MOST_NUMBERS else shown


def _gist(sight: CallView) -> str:
    match sight.progress.result:
        case Written() if sight.progress.parts:
            return f": {md.counted(sight.progress.parts, _noun(sight))}, in the thread"
        case Gender() | Emotion() as found:
            return f": {_headline(found)}"
        case Phrases(sentences=sentences):
            return f": {md.counted(len(sentences), 'other way')} to say it, in the thread"
        case Written(text=text):
            return f": {md.quote(text)}" if len(text) <= _SHORT else f": {len(text):,} characters, in the thread"
        case Tracks(tracks=tracks):
            return f": {'a file' if len(tracks) == 1 else f'{len(tracks)} files'} in the thread"
        case None:
            return ""


def _sign(sight: CallView) -> str:
    lacking = _lacking(sight) or sight.progress.undone != Undone()
    return ":warning:" if sight.state is CallState.DONE and lacking else _SIGNS[sight.state]


def _lacking(sight: CallView) -> str:
    found = sight.progress.result
    if not isinstance(found, Tracks) or not found.missing:
        return ""
    names = " and ".join(f"*{md.escape(name)}*" for name in found.missing)
    if sight.state is CallState.UNREAD:
        return f". Missing: {names}, under no name that I know"
    return f". Missing: {names}. {md.quote_sentence(worded(sight.progress.reason) or 'the service did not give it')}"


def settings(order: Order) -> list[str]:
    chosen = [(option, order.request.options.get(option.name)) for option in order.request.capability.options]
    known = " (recognized)" if order.guessed else ""
    return [
        md.escape(f"{option.label.lower()}: {option.label_of(value)}{known if option.name == SOURCE else ''}")
        for option, value in chosen
        if value
    ]


def result(sight: CallView) -> Content:
    found, head = sight.progress.result, _asked(sight)
    match found:
        case Gender() | Emotion():
            said = [f"{head}: {_headline(found)}", *_other_scores(found)]
            return Content(text="\n".join(said), blocks=md.paragraphs(["\n".join(said)]))
        case Phrases(sentences=sentences):
            lines = [f"{number}. {clean(one)}" for number, one in enumerate(sentences, 1)]
        case Written(text=text):
            lines = [clean(line) for line in text.splitlines()]
        case _:
            return Content(text=head)
    # Foreign lines below a headline of ours: nothing in them is interpreted.
    foreign = "\n".join(lines)
    blocks = [md.paragraph(head), md.section(md.plain(foreign or "(nothing)"))]
    return Content(text=f"{head}\n{md.escape(foreign)}", blocks=blocks)


def is_long(sight: CallView) -> bool:
    return len(md.escape(long_text(sight))) > LONG_TEXT


def long_text(sight: CallView) -> str:
    match sight.progress.result:
        case Written(text=text):
            return text
        case Phrases(sentences=sentences):
            return "\n".join(f"{number}. {one}" for number, one in enumerate(sentences, 1)) + "\n"
        case _:
            return ""


def about_text(sight: CallView) -> tuple[str, str]:
    """Alternative text of the file with a long text, and its comment, which begins as the text does."""
    text = long_text(sight)
    begins = md.quote(text[: _PREVIEW * 2], _PREVIEW)
    if sight.progress.parts and _noun(sight) == _SUBTITLE:
        return f"{_title(sight)}: the subtitles", f"{_asked(sight)}{_gist(sight)}{_undone(sight)}"
    whole = f"{_asked(sight)}: {len(text):,} characters{_undone(sight)}\n>{begins}"
    return f"{_title(sight)}: the whole text", whole


def _asked(sight: CallView) -> str:
    return f"{md.mention(sight.requester)} *{_title(sight)}*"


def _title(sight: CallView) -> str:
    return sight.order.request.capability.title


def _headline(found: Gender | Emotion) -> str:
    sure = f" ({_percent(found.percent)} sure)" if found.percent is not None else ""
    if isinstance(found, Emotion):
        return f"{_EMOJI.get(found.label, ':speech_balloon:')} *{md.quote(found.label, _NAME)}*{sure}"
    said = f" (confidence: {md.quote(found.sure, _NAME)})" if found.sure and not sure else ""
    return f"*{md.quote(md.capital(found.gender), _NAME)}*{sure}{said}"


def _percent(share: Decimal) -> str:
    return f"{share.quantize(Decimal('0.1')):f}".removesuffix(".0") + " %"


def _other_scores(found: Gender | Emotion) -> list[str]:
    others = found.others if isinstance(found, Emotion) else ()
    told = [f"{md.quote(label, _NAME)}{f' {_percent(share)}' if share is not None else ''}" for label, share in others]
    more = [f"and {len(told) - _OTHERS} more"] if len(told) > _OTHERS else []
    return [" · ".join([*told[:_OTHERS], *more])] if told else []


def failure(sight: CallView) -> Content:
    return md.message(f"{_sign(sight)} {_asked(sight)}: {_status(sight)}")


def about_file(sight: CallView, track: Track, seconds: float | None) -> tuple[str, str]:
    """Alternative text and comment of a file of the result."""
    length = f", {md.clock(seconds)}" if seconds is not None else ""
    what = "" if track.name == "audio" else f": *{md.escape(track.name)}*"
    alt = f"{_title(sight)}: {track.name}{f'{length} long' if length else ''}"
    return alt, f"{_asked(sight)}{what}{length}, .{md.escape(track.extension)}"


def asked(order: Order, *, position: int, member: bool) -> Content:
    title = order.request.capability.title
    queue = f" It is number {position} in the queue." if position else ""
    where = "The answer comes here."
    if not member:
        where = (
            "I am not a member of this channel, so the answer comes to you directly. "
            "`/invite @Switchboard` brings me here."
        )
    languages = f" ({' · '.join(settings(order))})" if order.request.options.get(SOURCE) else ""
    return md.message(f":memo: *{title}*{languages}: on it.{queue} {where}")


def asked_several(count: int, *, member: bool) -> Content:
    where = "The answers come here." if member else "I am not a member of this channel; the answers come to you."
    return md.message(f":memo: On it: {count} files. {where}")


def no_cancel(sight: CallView | None) -> Content:
    if sight is None:
        return md.message(":warning: This button is out of date.")
    ended = {CallState.HANDING_OVER: "is done already; its files are on their way"}
    ended |= dict.fromkeys((CallState.DONE, CallState.UNREAD), "is done already")
    what = ended.get(sight.state, f"is over already: {sight.state.value}")
    return md.message(f":warning: There is nothing to cancel: it {what}.")


def not_yours(requester: str) -> Content:
    return md.message(f":warning: Only {md.mention(requester)}, who asked for it, or an admin can cancel it.")


def nothing_kept(sight: CallView | None) -> Content:
    out_of_date = ":warning: This button is out of date."
    return md.message(out_of_date if sight is None else ":information_source: It was read again already.")


def no_again(sight: CallView | None) -> Content:
    if sight is None:
        return md.message(":warning: This button is out of date.")
    again = f"{md.mention(sight.progress.by)} has run it again already" if sight.progress.again else ""
    return md.message(f":warning: {again or 'There is nothing to run again'}.")

"""A localization call for people: its message, private answer, result, files and details."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Final

from bot.domain.content import Block, Content
from bot.domain.localization.declaration import TEXT_LIMIT
from bot.domain.localization.detection import guess
from bot.domain.localization.languages import ENGLISH, label_of
from bot.domain.localization.pieces import REWRITES, form_of, is_cued
from bot.domain.localization.progress import REPEATABLE, STOPPABLE, CallState, CallView, Order, Undone
from bot.domain.localization.request import SOURCE, TARGET, Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Track, Tracks, Written
from bot.domain.reasons import Failed, OfCall, Reason, has_code
from bot.domain.text import clean
from bot.presentation import views
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, lines_under, question
from bot.presentation.localization_forms import SUBTITLE
from bot.presentation.reasons import status_in, telling, worded

CANCEL = "localization.cancel"
AGAIN = "localization.again"
TO_ENGLISH = "localization.to_english"
OTHER = "localization.other_language"
READ = "localization.read"
SHARE = "localization.share"
DETAILS = "localization.details"
LONG_TEXT = 2_500  # longer texts come as a file
_LONG_PRIVATELY = 9_000
_PREVIEW = 300
_SHORT = 200  # shorter texts are shown in the message of their call
_QUOTED = 600
_ASKED_TEXT = 150
_MOST_NUMBERS = 12
_NAME = 80
_OTHERS = 12  # further emotions shown
_NOBODY: Final[Mapping[str, str]] = {}
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
    CallState.HANDING_OVER: ":hourglass_flowing_sand:",
    CallState.DONE: ":white_check_mark:",
    CallState.UNREAD: ":warning:",
    CallState.FAILED: ":x:",
    CallState.UNKNOWN: ":grey_question:",
    CallState.CANCELED: ":no_entry_sign:",
    CallState.INTERRUPTED: ":arrows_counterclockwise:",
}
_CORRECTED = frozenset({CallState.WAITING, CallState.RUNNING, CallState.DONE})
"""States in which a call with a detected language can be repeated in another one."""
_TROUBLED = frozenset({CallState.FAILED, CallState.UNKNOWN, CallState.INTERRUPTED, CallState.UNREAD})
_IN_BUTTON = 1_950  # characters of a text that fit in a button's value
_BILLED = "It may still be billed."
_KEPT = (
    "The answer is saved and won't be billed again; *Details* shows how it begins. Ask an admin to check "
    "`{command} unread`, then press *Read again*."
)
STILL_UNREAD = "I still can't read this answer. Ask an admin to check `{command} unread`; a fix counts after a restart."
_OUR_ACCOUNT = "There's a problem with our Localization account. An admin has to fix it."
OUT_OF_DATE = ":warning: This button is out of date."
_OF_OUR_ACCOUNT = (401, 402, 403)


def board(sight: CallView, names: Mapping[str, str] = _NOBODY, *, named: bool = True) -> Content:
    """Build the message of a call, with ``names`` of people, who are not notified.

    Without ``named``, it is part of its file's message, which already shows the file's name.
    """
    about = " · ".join([f"Requested by {md.named(sight.requester, names)}", *settings(sight.order)])
    lines = [f"{_sign(sight)} {_status(sight, names)}"]
    request, file = sight.order.request, sight.order.file_name
    if request.text:
        lines.append(f">{md.quote(request.text, _QUOTED)}")
    elif request.url:
        lines.append(f"`{md.quote(request.url, _QUOTED)}`")  # code isn't unfurled or followed by accident
    elif file and named:
        lines.append(f":paperclip: {md.quote(file, _NAME)}")
    return lines_under("", lines, notes=[about], after=actions(_buttons(sight), f"localization:{sight.id}"))


def _stop(call: str, *, begun: bool) -> Block:
    asked = question("Stop?", _BILLED if begun else "It hasn't begun yet.", yes="Stop", no="Go on")
    return button("Stop", CANCEL, call, confirm=asked)


def _buttons(sight: CallView) -> list[Block]:
    """Return the buttons, which ask for confirmation because they can replace another one under a finger."""
    buttons: list[Block] = []
    progress, undone = sight.progress, sight.progress.undone
    if sight.state is CallState.UNREAD:
        buttons.append(button("Read again", READ, sight.id))
    if sight.order.private and sight.state is CallState.DONE and progress.result is not None:
        told = question("Post in channel?", "Everyone there will see it.", yes="Post", no="Not now")
        buttons.append(button("Post in channel", SHARE, sight.id, confirm=told))
    if sight.state in STOPPABLE and not (progress.parts and progress.by):
        buttons.append(_stop(sight.id, begun=sight.state is CallState.RUNNING))
    elif (sight.state in REPEATABLE or undone.certain or undone.unknown) and not progress.again:
        made = sight.state in REPEATABLE and progress.result is not None and not undone.certain
        doubted = sight.state is CallState.UNKNOWN or made or (undone.unknown and not undone.certain)
        label = "Run the rest" if undone.certain and progress.result is not None else "Run again"
        doubt = "It may have been done already. Both may be billed." if doubted else "It starts as a new call."
        asked = question(f"{label}?", doubt, yes=label, no="Not now")
        buttons.append(button(label, AGAIN, sight.id, confirm=asked))
    if sight.order.guessed and sight.state in _CORRECTED and len(sight.order.request.text) <= TEXT_LIMIT:
        buttons.append(button("Another language", OTHER, sight.id))
    if sight.state in _TROUBLED or progress.reason is not None:
        buttons.append(button("Details", DETAILS, sight.id))
    return buttons


def private(sight: CallView, *, posted_in: str = "") -> Content:
    """Build the answer to a text, visible only to the requester; ``posted_in`` is the channel they posted it in."""
    is_shared = posted_in or sight.channel.startswith("D")
    buttons = [one for one in _buttons(sight) if one["action_id"] != SHARE or not is_shared]
    after = actions(buttons, f"localization:{sight.id}")
    notes = [md.context(f"Posted in {md.channel(posted_in)}")] if posted_in else []
    if sight.state is not CallState.DONE:
        lines = [f"{_sign(sight)} {_status(sight, _NOBODY)}", _quoted(sight)]
        return lines_under("", [one for one in lines if one], after=after)
    said = result(sight, by="")
    return Content(text=said.text, blocks=[*said.blocks, *notes, *after])


def shared(sight: CallView, names: Mapping[str, str]) -> Content:
    """Build a private result as posted in the channel by its requester."""
    return result(sight, by=md.named(sight.requester, names))


def foreign(mistakes: Content, language: str, text: str) -> Content:
    """Show the errors of a text that isn't English, with a button to translate it if it fits in the button's value."""
    if len(text) > _IN_BUTTON:
        return mistakes
    first = actions([button("Translate to English first", TO_ENGLISH, f"{language}|{text}")], "localization:foreign")
    return Content(text=mistakes.text, blocks=[*mistakes.blocks, *first])


def details(sight: CallView) -> Block:
    """Build the modal with the service's answer, and the id of the call for the operator."""
    progress = sight.progress
    found = [
        ("Problem", md.quote_sentence(worded(progress.reason))),
        ("Answer", md.quote(progress.words or progress.answer[: md.QUOTE_LIMIT])),
        ("HTTP status", status_in(progress.reason)),
        ("Started", md.moment(progress.started_at) if progress.started_at is not None else ""),
        ("Ended", md.moment(progress.ended_at) if progress.ended_at is not None else ""),
        ("ID", f"`{md.escape(sight.id)}`"),
    ]
    return views.result("Details", [md.paragraph(f"*{label}*\n{said}") for label, said in found if said])


def _doing(sight: CallView) -> str:
    return f"*{sight.order.request.capability.doing}…*"


def _status(sight: CallView, names: Mapping[str, str]) -> str:  # noqa: C901, PLR0911, PLR0912 - one answer per state
    """Return operation and state in mrkdwn."""
    progress, title = sight.progress, f"*{_title(sight)}*"
    again = " It was run again." if progress.again else ""
    match sight.state:
        case CallState.WAITING if sight.silent_since is not None:
            return f"{title} · Queued. Localization hasn't answered since {md.moment(sight.silent_since)}."
        case CallState.WAITING:
            return f"{title} · Queued, number {sight.position}" if sight.position else f"{title} · Starting…"
        case CallState.RUNNING if progress.parts:
            done = f"{sight.through} of {md.counted(progress.parts, _noun(sight))}"
            done = f"{md.bar(sight.through, progress.parts)} {done}"
            if progress.by:
                return f"*Stopping…* Parts in progress will finish.\n{done}"
            return f"{_doing(sight)} {_time(sight.elapsed or 0)}\n{done}"
        case CallState.RUNNING:
            sending = sight.percent is not None and sight.percent < 100  # noqa: PLR2004 - upload complete
            sent = f"\n{md.bar(sight.percent or 0, 100)} uploaded" if sending else ""
            return f"{_doing(sight)} {_time(sight.elapsed or 0)}{sent}"
        case CallState.HANDING_OVER:
            return f"{title} · Uploading…"
        case CallState.DONE:
            left = _undone(sight)
            return f"{title} · {_done(sight)}{_lacking(sight)}{left}{again if left else ''}"
        case CallState.UNREAD:
            unread = "Done, but I can't read the answer yet."
            part = unread if progress.result is None else f"{_done(sight)}{_lacking(sight)}"
            return f"{title} · {part} {_KEPT.format(command=sight.command)}{_undone(sight)}"
        case CallState.FAILED:
            return f"{title} · Failed. {_why(sight)}{again}{_undone(sight)}"
        case CallState.UNKNOWN:
            lead = f"{title} · Not confirmed. I got no clear answer, so it may have been done and billed."
            return f"{lead}{_quoting(sight)}{again}"
        case CallState.CANCELED:
            ran = f" {_BILLED}" if progress.started_at is not None and not progress.parts else ""
            return f"{title} · Stopped by {md.named(progress.by, names)}.{ran}{_undone(sight)}{again}"
        case CallState.INTERRUPTED if has_code(progress.reason, OfCall.RESULT_LOST):
            return f"{title} · Done, but a restart lost the result.{again}"
        case CallState.INTERRUPTED:
            return f"{title} · Interrupted by a restart. {_BILLED}{again}"


def _time(seconds: float) -> str:
    return f"{int(seconds)} s" if seconds < 60 else f"{int(seconds) // 60} min {int(seconds) % 60} s"  # noqa: PLR2004


def _why(sight: CallView) -> str:
    """Return the cause and the remedy in mrkdwn, the service's own words before a guess of ours."""
    reason, said = sight.progress.reason, md.quote(telling(sight.progress.words))
    if reason is None or reason.code is not Failed.NOT_EXECUTED:
        return _in_short(reason)
    why = reason.facts["why"]
    if reason.facts["again"]:
        return f"Localization is busy{f': “{said}”' if said else ''}. Try again in a minute."
    if isinstance(why, Reason) and why.facts.get("status") in _OF_OUR_ACCOUNT:  # not the requester's problem
        return f"{_OUR_ACCOUNT}{_quoting(sight)}"
    return f"Localization declined it: “{said}”" if said else "Localization declined it."


def _quoting(sight: CallView) -> str:
    said = md.quote(telling(sight.progress.words))
    return f" Localization answered: “{said}”" if said else ""


def _in_short(reason: Reason | None) -> str:
    """Return a reason without details for admins."""
    if has_code(reason, OfCall.SERVICE_REFUSED, OfCall.NOT_HANDED_OVER):
        return "It was done, but I couldn't fetch the result."
    if has_code(reason, Failed.OPERATOR):
        return _OUR_ACCOUNT
    return md.quote_sentence(worded(reason, brief=True))


def _noun(sight: CallView) -> str:
    order = sight.order
    return SUBTITLE if is_cued(order.request.operation, form_of(order.file_name)) else "part"


def _undone(sight: CallView) -> str:
    """Return the missing parts of a document, the cause, and what may be billed."""
    progress, noun = sight.progress, f"{_noun(sight)}s"
    certain, unknown = progress.undone.certain, progress.undone.unknown
    lines = []
    if certain:
        kept = " They keep their original text." if sight.order.request.operation in REWRITES else ""
        why = f" {_why(sight)}" if progress.result is not None and progress.reason is not None else ""
        shown = f"{kept}{why}" if progress.result is not None else ""
        lines.append(f"Not done, of {progress.parts} {noun}: {numbers(certain)}.{shown}")
    if progress.undone.unread:
        lines.append(f"Done, but I can't read them yet: {numbers(progress.undone.unread)}.")
    if progress.undone.unclear:
        lines.append(f"Not understood, so not sent: what begins in {_lines(progress.undone)}.")
    if unknown:
        lines.append(f"*Not confirmed*: {numbers(unknown)}. They may have been done and billed.")
    return "".join(f"\n{line}" for line in lines)


def numbers(found: Sequence[int]) -> str:
    shown = ", ".join(map(str, found[:_MOST_NUMBERS]))
    return f"{shown} and {len(found) - _MOST_NUMBERS} more" if len(found) > _MOST_NUMBERS else shown


def _lines(undone: Undone) -> str:
    return f"{'lines' if len(undone.unclear) > 1 else 'line'} {numbers(undone.unclear)}"


def left_of(undone: Undone) -> str:
    """Return the missing parts of a file, in a few words."""
    parts = sorted((*undone.certain, *undone.unknown, *undone.unread))
    found = [f"{'parts' if len(parts) > 1 else 'part'} {numbers(parts)}"] if parts else []
    return f"not done: {' and '.join([*found, *([_lines(undone)] if undone.unclear else [])])}"


def _done(sight: CallView) -> str:
    """Return that the call is done and where its result is, in a sentence or two."""
    took = f" in {_time(sight.elapsed)}" if sight.elapsed is not None and sight.elapsed >= 1 else ""
    match sight.progress.result:
        case Gender() | Emotion() as found:
            others = "".join(f"\n{line}" for line in _other_scores(found))
            return f"{_headline(found)}{others}"
        case Written(text=text) if len(text) <= _SHORT and not sight.progress.parts:
            return f"Done{took}.\n{md.quote(text)}"
        case Phrases() | Written() if is_long(sight) or sight.progress.parts:
            return f"Done{took}. File in thread."
        case Phrases() | Written():
            return f"Done{took}. Text in thread."
        case Tracks(tracks=tracks):
            return f"Done{took}. {'File' if len(tracks) == 1 else f'{len(tracks)} files'} in thread."
        case None:
            return f"Done{took}."


def is_whole(sight: CallView) -> bool:
    """Whether the message of a call already contains all of its result."""
    match sight.progress.result:
        case Written(text=text):
            return len(text) <= _SHORT and "\n" not in text.strip()
        case Phrases():
            return False
        case _:
            return True


def _sign(sight: CallView) -> str:
    lacking = _lacking(sight) or sight.progress.undone != Undone()
    return ":warning:" if sight.state is CallState.DONE and lacking else _SIGNS[sight.state]


def _lacking(sight: CallView) -> str:
    found = sight.progress.result
    if not isinstance(found, Tracks) or not found.missing:
        return ""
    names = " and ".join(f"*{md.escape(name)}*" for name in found.missing)
    if sight.state is CallState.UNREAD:
        return f" Missing: {names}."
    reason = sight.progress.reason
    why = _in_short(reason) if reason is not None else "It wasn't in the answer."
    return f" Missing: {names}. {why}"


def settings(order: Order) -> list[str]:
    """Return the settings of a call; languages are shown as *from → to*."""
    options = order.request.options
    chosen = [
        md.escape(f"{option.label.lower()}: {option.label_of(options[option.name])}")
        for option in order.request.capability.options
        if options.get(option.name) and option.name not in (SOURCE, TARGET)
    ]
    return [*filter(None, [_languages(order)]), *chosen]


def _languages(order: Order) -> str:
    """Format as ``German (detected) → English``; empty if both are unknown."""
    source, target = (order.request.options.get(name, "") for name in (SOURCE, TARGET))
    detected = " (detected)" if order.guessed else ""
    if not source:
        return md.escape(f"to {label_of(target)}") if target else ""
    return md.escape(" → ".join(filter(None, [f"{label_of(source)}{detected}", target and label_of(target)])))


def result(sight: CallView, *, by: str | None = None) -> Content:
    """Return the result in words, posted ``by`` a person (empty for none); None mentions its requester instead."""
    found = sight.progress.result
    head = (
        _asked(sight) if by is None else " · ".join(filter(None, [by, f"*{_title(sight)}*", _languages(sight.order)]))
    )
    quoted = "" if by is None else _quoted(sight)
    match found:
        case Gender() | Emotion():
            said = [f"{head}: {_headline(found)}", *filter(None, [quoted]), *_other_scores(found)]
            return Content(text="\n".join(said), blocks=md.paragraphs(["\n".join(said)]))
        case Phrases(sentences=sentences):
            lines = [f"{number}. {clean(one)}" for number, one in enumerate(sentences, 1)]
        case Written(text=text):
            lines = [clean(line) for line in text.splitlines()]
        case _:
            return Content(text=head)
    # Foreign lines are plain text below our own headline, so that no markup in them is interpreted.
    top = "\n".join(filter(None, [head, quoted, _not_english(sight.order.request)]))
    foreign = "\n".join(lines) or "(nothing)"
    pieces = [foreign[at : at + md.SECTION_LIMIT] for at in range(0, len(foreign), md.SECTION_LIMIT)]
    blocks = [md.paragraph(top), *(md.section(md.plain(piece)) for piece in pieces)]
    return Content(text=md.fallback_text([*top.split("\n"), *map(md.escape, foreign.split("\n"))]), blocks=blocks)


def _not_english(request: Request) -> str:
    """Warn that a very short text, which is never refused for its language, may give a useless result."""
    found = guess(request.text)
    foreign = request.capability.is_english and found.is_likely and found.language != ENGLISH
    if not foreign or "language" in request.options:
        return ""
    return f":warning: This looks like {label_of(found.language)}; {request.capability.verb} works only for English."


def _quoted(sight: CallView) -> str:
    text = sight.order.request.text
    return f">{md.quote(text, _ASKED_TEXT)}" if text else ""


def is_long(sight: CallView) -> bool:
    return len(md.escape(long_text(sight))) > (_LONG_PRIVATELY if sight.order.private else LONG_TEXT)


def long_text(sight: CallView) -> str:
    match sight.progress.result:
        case Written(text=text):
            return text
        case Phrases(sentences=sentences):
            return "\n".join(f"{number}. {one}" for number, one in enumerate(sentences, 1)) + "\n"
        case _:
            return ""


def about_text(sight: CallView, *, shared_by: Mapping[str, str] | None = None) -> tuple[str, str]:
    """Return alternative text and comment of the file with a long text.

    ``shared_by`` has names of people, if its requester posts it.
    """
    text = long_text(sight)
    begins = md.quote(text[: _PREVIEW * 2], _PREVIEW)
    head = _asked(sight) if shared_by is None else f"{md.named(sight.requester, shared_by)} · *{_title(sight)}*"
    if sight.progress.parts and _noun(sight) == SUBTITLE:
        return (
            f"{_title(sight)}: the subtitles",
            f"{head}: {md.counted(sight.progress.parts, SUBTITLE)}{_undone(sight)}",
        )
    return f"{_title(sight)}: the whole text", f"{head}: {len(text):,} characters{_undone(sight)}\n>{begins}"


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


def failure(sight: CallView, names: Mapping[str, str] = _NOBODY) -> Content:
    """Notify the requester in the thread of an end without a complete result."""
    return md.message(f"{_sign(sight)} {md.mention(sight.requester)} {_status(sight, names)}")


def about_file(sight: CallView, track: Track, seconds: float | None) -> tuple[str, str]:
    """Return alternative text and comment of a result file."""
    length = f", {md.clock(seconds)}" if seconds is not None else ""
    what = "" if track.name == "audio" else f": *{md.escape(track.name)}*"
    alt = f"{_title(sight)}: {track.name}{f'{length} long' if length else ''}"
    return alt, f"{_asked(sight)}{what}{length}, .{md.escape(track.extension)}"


def asked(
    order: Order, *, position: int, member: bool, job_id: str = "", silent_since: datetime | None = None
) -> Content:
    """Build the immediate answer; with ``job_id``, a call with a private answer can be stopped while it is queued.

    ``silent_since`` is set if the service has not answered since then.
    """
    target = order.request.options.get(TARGET, "")
    source = f" from {label_of(order.request.options[SOURCE])}" if order.guessed else ""
    doing = f"{order.request.capability.doing}{md.escape(f'{source} to {label_of(target)}' if target else source)}…"
    queue = f" Number {position} in the queue." if position else ""
    where = "" if member else f" {NOT_A_MEMBER}"
    if silent_since is not None:
        queue = f" Localization hasn't answered since {md.moment(silent_since)}. I'll keep trying and answer here."
    said = f":hourglass_flowing_sand: {doing}{queue}{where}"
    waits = job_id and (position or silent_since is not None)
    stop = actions([_stop(job_id, begun=False)], f"localization:{job_id}") if waits else []
    return Content(text=said, blocks=[md.paragraph(said), *stop])


NOT_A_MEMBER = "I'm not in this channel, so I'll message you. To add me: `/invite @Switchboard`"
CANNOT_POST = md.message(
    ":warning: I'm not in this channel, so I can't post here. Add me with `/invite @Switchboard`, then press again."
)


def asked_several(count: int) -> Content:
    """Build the answer if the bot cannot post results of files or texts from a form."""
    working = "Working on it." if count == 1 else f"Working on {count} files."
    return md.message(f":hourglass_flowing_sand: {working} {NOT_A_MEMBER}")


def stopped() -> Content:
    return md.message(":no_entry_sign: Stopped.")


def no_cancel(sight: CallView | None) -> Content:
    if sight is None:
        return md.message(OUT_OF_DATE)
    ended = {CallState.CANCELED: "It's already stopped.", CallState.RUNNING: "It's already stopping."}
    ended |= dict.fromkeys((CallState.DONE, CallState.UNREAD, CallState.HANDING_OVER), "It's already done.")
    return md.message(f":information_source: {ended.get(sight.state, 'It has already ended.')}")


def not_yours(requester: str, names: Mapping[str, str] = _NOBODY) -> Content:
    return md.message(f":no_entry_sign: Only {md.named(requester, names)} or an admin can stop this.")


def nothing_kept(sight: CallView | None) -> Content:
    return md.message(OUT_OF_DATE if sight is None else ":information_source: It was already read again.")


def no_again(sight: CallView | None, names: Mapping[str, str] = _NOBODY) -> Content:
    if sight is None:
        return md.message(OUT_OF_DATE)
    again = f"{md.named(sight.progress.by, names)} already ran it again." if sight.progress.again else ""
    return md.message(f":information_source: {again or 'There is nothing to run again.'}")

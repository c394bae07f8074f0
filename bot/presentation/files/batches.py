"""One operation on many files for people: progress in the offer's message, the archive, and failed files."""

from collections.abc import Mapping
from typing import Final

from bot.domain.content import Content
from bot.domain.files.sniffing import FileKind
from bot.domain.localization.progress import CallState, CallView, FileOutcome
from bot.domain.localization.results import Emotion, Gender
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button, lines_under, question
from bot.presentation.localization import AGAIN, CANCEL, left_of, settings
from bot.presentation.reasons import worded

RESULT_COLUMNS: Final = ("file", "result", "confidence")
PROBLEM_COLUMNS: Final = ("file", "problem")
_NOUNS: Final = {
    FileKind.AUDIO: ("audio file", "audio files"),
    FileKind.VIDEO: ("video", "videos"),
    FileKind.DOCUMENT: ("document", "documents"),
    FileKind.TABLE: ("table", "tables"),
    FileKind.OTHER: ("text", "texts"),
}
_LISTED: Final = 5
_NAME: Final = 80
_STATES: Final = {
    CallState.UNKNOWN: "no answer, so it may have been done and billed",
    CallState.CANCELED: "stopped before it began",
    CallState.INTERRUPTED: "interrupted by a restart",
    CallState.UNREAD: "done, but the answer could not be read; it is kept",
}
"""Used for a file whose reason gives fewer details."""


def counted(kind: FileKind, number: int) -> str:
    """Format as ``30 audio files``."""
    return md.counted(number, *_NOUNS[kind])


def board(sight: CallView, names: Mapping[str, str]) -> Content:
    """Build the status card, with ``names`` of people, who are not notified."""
    total, problems = sight.progress.parts, sight.problems
    lines = [f"{_sign(sight)} *{_title(sight)}*{_state(sight)}"]
    if sight.state is CallState.RUNNING:
        lines.append(f"{md.bar(sight.through, total)} {_count(sight, sight.through)}")
    else:
        lines.append(_count(sight, total))
    told = md.listed([f":x: {_problem(one)}" for one in problems[:_LISTED]], _LISTED, of=len(problems))
    lines += [*told[:-1], f"{told[-1]}, in `problems.csv`"] if len(problems) > _LISTED else told
    about = " · ".join([f"Requested by {md.named(sight.requester, names)}", *settings(sight.order)])
    buttons = []
    if sight.state is CallState.RUNNING and not sight.progress.by:
        left = "Files that have not begun are left out. The results so far come as an archive."
        asked = question("Stop?", left, yes="Stop", no="Go on")
        buttons.append(button("Stop", CANCEL, sight.id, confirm=asked))
    undone = sight.progress.undone
    if sight.progress.ended_at and not sight.progress.again and (undone.certain or undone.unknown):
        billed = "They may have been done already. Both may be billed."
        doubt = "They start as new calls." if undone.certain else billed
        asked = question("Run them again?", doubt, yes="Run again", no="Leave it")
        again = button("Run the failed ones again", AGAIN, sight.id, confirm=asked)
        buttons += [again] if sight.state is not CallState.HANDING_OVER else []
    return lines_under("", lines, notes=[about], after=actions(buttons, f"localization:{sight.id}"))


def _title(sight: CallView) -> str:
    kind = FileKind(sight.order.file_name)
    return f"{sight.order.request.capability.label}: {counted(kind, sight.progress.parts)}"


def _sign(sight: CallView) -> str:
    match sight.state:
        case CallState.DONE:
            return ":warning:" if sight.problems else ":white_check_mark:"
        case CallState.FAILED:
            return ":x:"
        case CallState.CANCELED:
            return ":no_entry_sign:"
        case CallState.HANDING_OVER:
            return ":inbox_tray:"
        case _:
            return ":hourglass_flowing_sand:"


def _state(sight: CallView) -> str:
    progress = sight.progress
    match sight.state:
        case CallState.HANDING_OVER:
            return " · Uploading…"
        case CallState.DONE:
            took = f" in {md.clock(sight.elapsed)}" if sight.elapsed is not None and sight.elapsed >= 1 else ""
            return f" · {'Stopped' if progress.by else 'Done'}{took}. Archive in thread."
        case CallState.CANCELED:
            return " · Stopped"
        case CallState.FAILED:
            return f" · Failed{f'. {md.quote_sentence(worded(progress.reason))}' if progress.reason else ''}"
        case _:
            return " · Stopping…" if progress.by else ""


def _count(sight: CallView, over: int) -> str:
    stopped = sum(one.state is CallState.CANCELED for one in sight.problems)
    failed = sum(one.state is not CallState.DONE for one in sight.problems) - stopped
    said = [f"{over - failed - stopped} of {sight.progress.parts} done"]
    said += [f"{failed} failed"] if failed else []
    said += [f"{stopped} not begun"] if stopped else []
    return " · ".join(said)


def _problem(one: FileOutcome) -> str:
    return f"{md.quote(one.file, _NAME)}: {md.quote(_why(one))}"


def _why(one: FileOutcome) -> str:
    if one.state in _STATES and one.state is not CallState.INTERRUPTED:
        return md.capital(_STATES[one.state])
    if one.state is CallState.DONE:
        return md.capital(left_of(one.undone))
    return md.capital(one.words or worded(one.reason) or _STATES.get(one.state, "it failed"))


def problem_row(one: FileOutcome) -> tuple[str, ...]:
    return one.file, _why(one)


def finding(found: Gender | Emotion) -> tuple[str, str]:
    """Return the cells with the result for a file."""
    said = found.label if isinstance(found, Emotion) else found.gender
    return said, "" if found.percent is None else f"{found.percent:f} %"


def about_archive(sight: CallView) -> tuple[str, str]:
    """Return alternative text and comment of the archive."""
    title, count = _title(sight), _count(sight, sight.progress.parts)
    return f"{title}: archive with the results", f"{md.mention(sight.requester)} *{title}*: {count}"


def failure(sight: CallView) -> Content:
    why = f" {_problem(sight.problems[0])}" if sight.problems else ""
    return md.message(f":x: {md.mention(sight.requester)} *{_title(sight)}*: nothing was done.{why}")

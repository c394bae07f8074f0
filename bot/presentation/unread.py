"""Service answers that could not be parsed, and the configuration lines that may fix it."""

from collections.abc import Iterator, Sequence
from typing import Final

from bot.domain.bookings.record import SeenState, Status
from bot.domain.content import Content
from bot.domain.reasons import Exchange, Failed, Reason
from bot.domain.services import LOCALIZATION
from bot.domain.unread import OBJECT, Noted, UnreadAnswer, toml_key
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import lines_under

_LISTED: Final = 8
_WORD: Final = 100
_FIELDS: Final = 1_500  # characters for all fields of an answer
_FIELDS_KEPT: Final = "\nTo see the fields of that answer, use the switchboard command with `unread`."
_NO_LINE: Final = "A field mapping can't fix this. Check the provider's URL and any proxy in front of it."
_GONE: Final = "An entry disappears once such an answer is read."
_THEN: Final = (
    "To fix: add the lines to the file that SERVICES_FILE names (under the section if it already exists) and restart "
    f"Switchboard. {_GONE} These lines are best guesses. If a field has several, uncomment the right one."
)


def listing(found: Sequence[Noted], states: Sequence[SeenState] = ()) -> Content:
    """List unread answers, and unknown ``states`` of bookings."""
    still = [one for one in found if one.mended_at is None]
    mended = dict.fromkeys(md.quote(one.answer.operation) for one in found if one.mended_at is not None)
    again = [f"Readable again: {', '.join(mended)}."] if mended else []
    if states:
        states, count = states[:_LISTED], len(states)
        named = [f"`{md.quote(one.word, _WORD)}` ({md.quote(one.what)})" for one in states]
        lead = f"*{md.counted(count, 'state')} of bookings {'is' if count == 1 else 'are'} unknown*"
        rest = f" and {count - len(states)} more" if count > len(states) else ""
        again = [f"{lead}: {', '.join(named)}{rest}. To fix it:", *state_lines([one.word for one in states]), *again]
    if not still and states:
        return lines_under("", again)
    if not still:
        return md.message("\n".join([":white_check_mark: No unread answers.", *again]))
    lead = f"*{md.counted(len(still), 'kind of answer', 'kinds of answers')} could not be read*, newest first."
    lines = [line for one in still[:_LISTED] for line in _lines(one)]
    more = [f"and {len(still) - _LISTED} more: `python -m bot doctor` names them all"] if len(still) > _LISTED else []
    lines += [*more, *again]
    mendable = any(file_lines(one.answer) for one in still[:_LISTED])
    is_kept = any(one.answer.operation.startswith(f"{LOCALIZATION}.") for one in still)
    kept = ", and answers of localization with their calls" if is_kept else ""
    said = f"Only names and types of fields are kept{kept}. {_THEN if mendable else _GONE}"
    return lines_under(lead, lines, notes=[said])


def state_lines(words: Sequence[str]) -> list[str]:
    """Return, in mrkdwn, the lines to add for unknown states and how to use them."""
    lines = "\n".join(f'{md.quote(toml_key(word), _WORD)} = "…"' for word in words)
    known = ", ".join(f"`{one.value}`" for one in Status)
    return [
        f"```\n[delivery.states]\n{lines}\n```",
        f"An admin adds this to the file that SERVICES_FILE names, with the right state, and restarts. One of {known}.",
    ]


def state_finding(found: SeenState) -> tuple[str, str]:
    """Return one unknown state and its fix, for the terminal."""
    lines = f'{"":<11}[delivery.states]\n{"":<11}{toml_key(found.word)} = "…"'
    mend = f"add the line with one of {', '.join(one.value for one in Status)}, and restart:\n{lines}"
    return f"the state {found.word} is unknown, first seen on {found.what}", mend


def finding(one: Noted) -> tuple[str, str]:
    """Return an unread answer and its fix, for the terminal."""
    answer = one.answer
    seen = f"{_answers(one)}, last {one.last_seen:%Y-%m-%d %H:%M} UTC"
    told = ". ".join([f"{answer.operation}, status {answer.status}: {seen}", *_missing(answer), *_fields(answer)])
    lines = file_lines(answer)
    written = "".join(f"\n{'':<11}{line}" for line in lines)
    return told, (f"add to the file that SERVICES_FILE names, and restart:{written}" if lines else _mend(answer))


def hint(reason: Reason | None) -> str:
    """Explain how to see the fields of an unread answer; empty for any other reason."""
    if reason is None:
        return ""
    is_unread = reason.tells_of(Exchange.UNEXPECTED, Exchange.NO_JSON)
    # A whole sentence about a read (“The payments service's answer …”) has no hint.
    is_unread |= reason.tells_of(Exchange.UNREADABLE) and not reason.tells_of(Failed.NOW)
    return _FIELDS_KEPT if is_unread else ""


def file_lines(answer: UnreadAnswer) -> list[str]:
    """Return lines for the file; if several fields are possible, all of them as comments."""
    proposed = answer.proposed
    sections: dict[str, list[str]] = {}
    for wanted in answer.wanted:
        likely = proposed.get((wanted.section, wanted.name))
        choices = [one for one in wanted.candidates if one not in proposed.values()]
        lines = [f'# {wanted.name} = "{one}"' for one in choices] if likely is None else [f'{wanted.name} = "{likely}"']
        sections.setdefault(wanted.section, []).extend(lines)
    return [line for name, lines in sections.items() if lines for line in (f"[{name}.reply]", *lines)]


def _lines(one: Noted) -> Iterator[str]:
    answer = one.answer
    seen = (f"first {md.moment(one.first_seen)}, " if one.count > 1 else "") + f"last {md.moment(one.last_seen)}"
    yield f"• *{md.quote(answer.operation)}*, status {answer.status}: {_answers(one)}, {seen}"
    for line in (*_missing(answer), *_fields(answer)):
        yield f"{md.quote(line, 2 * _FIELDS)}."
    lines = file_lines(answer)
    yield "```\n" + "\n".join(md.quote(line) for line in lines) + "\n```" if lines else _mend(answer)


def _missing(answer: UnreadAnswer) -> Iterator[str]:
    absent: list[str] = []
    unfit: list[str] = []
    for one in answer.wanted:
        # Our name, followed by the other names that were tried.
        others = [name for name in one.known if name != one.name]
        (unfit if one.is_there else absent).append(f"{one.name} ({', '.join(one.known)})" if others else one.name)
    if absent:
        yield f"Not found: {', '.join(absent)}"
    if unfit:
        yield f"Found, but the value doesn't fit: {', '.join(unfit)}"
    for one in answer.wanted:
        if one.deeper and not one.candidates:
            yield f"{one.name} may be {one.deeper}, but the file cannot name nested fields"


def _fields(answer: UnreadAnswer) -> Iterator[str]:
    if answer.body != OBJECT or not answer.fields:
        yield f"Body: {answer.body}"
    if not answer.fields:
        return
    told = [f"{field.dotted} ({field.kind})" for field in answer.fields]
    shown: list[str] = []
    for one in told:
        if sum(map(len, shown)) + len(one) > _FIELDS:
            break
        shown.append(one)
    more = ", and more" if len(shown) < len(told) or answer.is_cut else ""
    yield f"Fields: {', '.join(shown)}{more}"


def _mend(answer: UnreadAnswer) -> str:
    if not answer.fields:
        return _NO_LINE
    return "A field mapping can't fix this. Check the provider's documentation of this answer."


def _answers(one: Noted) -> str:
    return md.counted(one.count, "unread answer", "unread answers")

"""Answers of the services that could not be read, and the lines with which an operator has them read."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from bot.domain.content import Content
from bot.domain.outcome import is_of_an_unread_answer
from bot.domain.shapes import OBJECT
from bot.domain.unread import Noted, UnreadAnswer, Wanted
from bot.presentation.text import context, moment, mrkdwn, paragraphs, quote, section, spoken

_LISTED: Final = 8
_FIELDS: Final = 1_500
"""Characters that the fields of one answer take."""
_NO_LINE: Final = "No line of the file helps here: check the address of the service, and what stands between."
_THEN: Final = (
    "The operator adds the lines to the file that SERVICES_FILE names (under the section, where it is there already) "
    "and starts Switchboard again; an entry goes once such an answer is read. Lines are guesses by name and type: "
    "where several fields may be meant, take the # away from the right one."
)


def listing(found: Sequence[Noted]) -> Content:
    """What could not be read, for who runs it. Names of fields are foreign text."""
    still = [one for one in found if one.mended_at is None]
    again = _read_again(found)
    if not still:
        text = ":white_check_mark: Every answer of the services could be read." + (f"\n{again}." if again else "")
        return Content(text=text, blocks=[section(mrkdwn(text))])
    lead = f"*{_count(len(still), 'kind of answer', 'kinds of answers')} could not be read*, the newest first."
    lines = [line for one in still[:_LISTED] for line in _told(one)]
    if len(still) > _LISTED:
        lines.append(f"and {len(still) - _LISTED} more: `python -m bot doctor` names them all")
    lines += [f"{again}."] if again else []
    note = f"Names and types of fields are kept, no values. {_THEN}"
    return Content(text=spoken([lead, *lines, note]), blocks=[section(mrkdwn(lead)), *paragraphs(lines), context(note)])


def finding(one: Noted) -> tuple[str, str]:
    """The same of one, for the terminal: what it is, and what to do about it."""
    answer = one.answer
    seen = f"{_answers(one)}, the last at {one.last_seen:%Y-%m-%d %H:%M} UTC"
    told = ". ".join([f"{answer.operation}, status {answer.status}: {seen}", *_missing(answer), *_fields(answer)])
    lines = file_lines(answer)
    written = "".join(f"\n{'':<11}{line}" for line in lines)
    return told, (f"add to the file that SERVICES_FILE names, then start again:{written}" if lines else _mend(answer))


def hint(reason: str) -> str:
    """Where the fields of an answer stand that could not be read; empty for every other reason."""
    return "\nThe fields of that answer: `/switchboard unread`" if is_of_an_unread_answer(reason) else ""


def file_lines(answer: UnreadAnswer) -> list[str]:
    """What goes into the file; where several fields may be meant, each stands behind a ``#``."""
    proposed = answer.proposed
    sections: dict[str, list[str]] = {}
    for one in answer.wanted:
        sections.setdefault(one.section, []).extend(_choices(one, proposed))
    return [line for name, lines in sections.items() if lines for line in (f"[{name}.reply]", *lines)]


def _choices(wanted: Wanted, proposed: Mapping[tuple[str, str], str]) -> list[str]:
    likely = proposed.get((wanted.section, wanted.name))
    if likely is not None:
        return [f'{wanted.name} = "{likely}"']
    return [f'# {wanted.name} = "{one}"' for one in wanted.candidates if one not in proposed.values()]


def _told(one: Noted) -> Iterator[str]:
    answer = one.answer
    first = f"first {moment(one.first_seen)}, " if one.count > 1 else ""
    yield f"• *{quote(answer.operation)}*, status {answer.status}: {_answers(one)}, {first}last {moment(one.last_seen)}"
    for line in (*_missing(answer), *_fields(answer)):
        yield f"{quote(line, 2 * _FIELDS)}."
    lines = file_lines(answer)
    yield "```\n" + "\n".join(quote(line) for line in lines) + "\n```" if lines else _mend(answer)


def _missing(answer: UnreadAnswer) -> Iterator[str]:
    """What was looked for in vain, by our names."""
    absent = [_our(one) for one in answer.wanted if not one.is_there]
    unfit = [_our(one) for one in answer.wanted if one.is_there]
    if absent:
        yield f"Not found: {', '.join(absent)}"
    if unfit:
        yield f"Found, with a value that does not fit: {', '.join(unfit)}"
    for one in answer.wanted:
        if one.deeper and not one.candidates:
            yield f"{one.name} may be {one.deeper}, which lies deeper than the file can say"


def _our(wanted: Wanted) -> str:
    """Our name, with the names under which it was looked for where they are others."""
    others = [name for name in wanted.known if name != wanted.name]
    return f"{wanted.name} ({', '.join(wanted.known)})" if others else wanted.name


def _fields(answer: UnreadAnswer) -> Iterator[str]:
    if answer.body != OBJECT or not answer.fields:
        yield f"It was {answer.body}"
    if not answer.fields:
        return
    told = [f"{field.dotted} ({field.kind})" for field in answer.fields]
    shown: list[str] = []
    for one in told:
        if sum(map(len, shown)) + len(one) > _FIELDS:
            break
        shown.append(one)
    more = ", and more" if len(shown) < len(told) or answer.is_cut else ""
    yield f"Its fields: {', '.join(shown)}{more}"


def _mend(answer: UnreadAnswer) -> str:
    if not answer.fields:
        return _NO_LINE
    return "No field of it can take the place: look at what the service's documentation says of this answer."


def _answers(one: Noted) -> str:
    return _count(one.count, "answer", "answers")


def _read_again(found: Sequence[Noted]) -> str:
    names = dict.fromkeys(quote(one.answer.operation) for one in found if one.mended_at is not None)
    return f"Read again since: {', '.join(names)}" if names else ""


def _count(number: int, one: str, several: str) -> str:
    return f"{number} {one if number == 1 else several}"

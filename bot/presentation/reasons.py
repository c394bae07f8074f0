"""Reasons in words: the only place that turns a :class:`bot.domain.reasons.Reason` into a sentence.

Most codes are declared with their template; the functions here compute the others. A failed exchange reads in two ways:
by itself ("it answered 500"), and as a sentence that names the service ("Payments answered 500").
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from http import HTTPStatus
from math import ceil
from typing import Any, Final

from bot.domain.errors import OperatorError, PersonError, ServiceTrouble
from bot.domain.files.tables import Flaw, TableProblem
from bot.domain.money import shown
from bot.domain.payments.earlier import Finding
from bot.domain.payments.instruction import State
from bot.domain.policy import Short
from bot.domain.reasons import (
    Code,
    Exchange,
    Failed,
    OfCall,
    OfList,
    OfRequest,
    Reason,
    Verbatim,
)
from bot.domain.services import DELIVERY, EMAILS, LOCALIZATION, PAYMENTS
from bot.domain.text import clean
from bot.domain.troubles import FileTrouble, Trouble, failed, full_reason, unusable
from bot.presentation.blocks.text import QUOTE_LIMIT, as_said, capital, moment, numbered, quote, sentence_of, typed
from bot.presentation.table_problems import EXAMPLE, table_problem
from bot.presentation.words import OF_REQUESTS, Facts, status_word, word

Computed = Callable[[Facts, "_Named"], str]
_INSTANT: Final = re.compile(r"(\d{4}-\d\d-\d\d \d\d:\d\d) UTC", re.ASCII)
"""An instant as templates and older rows have it; people see it in their own time zone."""
_CODE: Final = " ({status})"
_UNREADABLE: Final = "it can't be read"
_TWO_MINUTES: Final = 120
_TOO_MANY: Final = 429
_UNCLEAR: Final = frozenset(range(400, 500)) - {408, 425, _TOO_MANY}
"""Statuses of refusals that prove nothing about an outcome, and tell of no trouble at the service either."""
_MOST_IDS: Final = 5
_STATUS_PHRASES: Final = frozenset(status.phrase.casefold() for status in HTTPStatus if status >= 400)  # noqa: PLR2004
_STATUS_NUMBER: Final = re.compile(r"^(?:http\b|error\b|[45][0-9]{2}\b|\W)+", re.IGNORECASE | re.ASCII)
_MOST_WORDS: Final = 300  # characters of a service's own words inside a reason


_CALLED: Final = {
    PAYMENTS: "Payments",
    DELIVERY: "Delivery",
    LOCALIZATION: "Localization",
    EMAILS: "E-mail check",
    "email": "E-mail check",
}
_SETTING: Final = re.compile(r"[A-Z]{3,}_[A-Z]")


def called(service: str) -> str:
    """Return the display name of a service, as the subject of a sentence."""
    return _CALLED.get(service) or capital(service)


class _Named:
    """Beginnings of a sentence, with or without the name of the service. ``brief``: without codes, for people."""

    def __init__(self, by: str, *, brief: bool = False, for_admin: bool = False) -> None:
        name = called(by) if by else ""
        self.it = name or "it"
        self.its = f"{name}'{'' if name.endswith('s') else 's'}" if by else "its"
        self.the_service = name or "the provider"
        self.the_request = f"The request to {name}" if by else "the request"
        self.gave = f"{name} gave " if by else ""
        self.got = f"{name} got " if by else ""
        self.who = f"{name}: " if by else ""
        self.has = f"{name} has" if by else "the provider has"
        self.busy = f"{name or 'the provider'} is"
        self.sent = f"{name} sent " if by else ""
        self.reached = f"couldn't reach {name}" if by else "no answer came"
        self.by = by
        self.brief = brief
        self.for_admin = for_admin

    def say(self, reason: Reason, *, by: str = "") -> str:
        return worded(reason, by=by, brief=self.brief, for_admin=self.for_admin)

    def fix(self, mend: str) -> str:
        """How to fix it, after what is wrong. Only admins can change settings, and read their names."""
        return f"; {mend}" if mend and (self.for_admin or not _SETTING.search(mend)) else ""


def worded(reason: Reason | None, *, by: str = "", brief: bool = False, for_admin: bool = False) -> str:
    """A reason in words: foreign text, escape it. ``by``: the service with whose name the sentence begins.

    ``brief``: as people need it, without codes and without what a service said of its own troubles. ``for_admin``: with
    names of settings.
    """
    if reason is None:
        return ""
    code, named = reason.code, _Named(by, brief=brief, for_admin=for_admin)
    short: Computed | str = (_BRIEF.get(code) or code.brief) if brief else ""
    words: Computed | str = short or _WORDS.get(code, code.template)
    if callable(words):
        said = words(reason.facts, named)
    else:
        told = {name: named.say(fact) if isinstance(fact, Reason) else fact for name, fact in reason.facts.items()}
        said = (words.replace(_CODE, "") if brief else words).format_map({**vars(named), **told})
    if not reason.words or short or (brief and not telling(reason.words)):
        return said
    return f"{said}, saying “{_cut(reason.words)}”"


def status_in(reason: Reason | None) -> str:
    """Return the HTTP status anywhere in a reason, for the details behind a button, or empty."""
    if reason is None:
        return ""
    inside = [status_in(fact) for fact in reason.facts.values() if isinstance(fact, Reason)]
    status = reason.facts.get("status")
    return str(status) if isinstance(status, int) else next(filter(None, inside), "")


def _cut(words: str) -> str:
    return words if len(words) <= _MOST_WORDS else words[: _MOST_WORDS - 1] + "…"


def in_words(found: object) -> str:
    """Return a stored reason, or a typed one, in words. Never raises."""
    if isinstance(found, str):
        return found
    try:
        return worded(Reason.read(found))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):  # a row was forged, or is of tomorrow
        return _UNREADABLE


def problem_of(error: OperatorError) -> str:
    """Return the problem with the service's message, for the terminal."""
    problem = error.problem if isinstance(error.problem, Reason) else Reason(Verbatim.GIVEN, text=error.problem)
    return worded(problem.saying(error.words))


def sentence(trouble: Trouble, *, service: str = PAYMENTS, advice: bool = True, for_admin: bool = False) -> str:
    """One sentence a person can act on; see :func:`bot.domain.troubles.failed`. Foreign text: escape it."""
    return worded(failed(trouble, service=service, advice=advice), for_admin=for_admin)


def told(trouble: ServiceTrouble | OperatorError) -> str:
    """Return the reason briefly, with the service's message: foreign text, escape it."""
    return worded(full_reason(trouble))


def reason_of(reason: Reason | None, limit: int = QUOTE_LIMIT, *, after_colon: bool = False) -> str:
    """Return a reason as a sentence in mrkdwn, instants in the reader's time zone. ``after_colon``: no capital."""

    def in_the_readers_time(found: re.Match[str]) -> str:
        try:
            return moment(datetime.fromisoformat(f"{found[1]}+00:00"))
        except ValueError:  # it only looks like one
            return found[0]

    said = quote(worded(reason, brief=True), limit)
    return _INSTANT.sub(in_the_readers_time, as_said(said) if after_colon else sentence_of(said))


def because(reason: Reason | str | None, limit: int = QUOTE_LIMIT) -> str:
    """Return `` Reason: …`` in mrkdwn, or empty. A ``reason`` given as text is quoted as a person's words."""
    said = reason if isinstance(reason, str) else worded(reason, brief=True)
    return f" Reason: {as_said(typed(said, limit))}" if clean(said) else ""


def answered(reason: Reason | None, by: str = "The provider") -> str:
    """Return the message of an inconclusive answer as a sentence: foreign text, escape it."""
    if reason is None or not reason.quotes_answer or not reason.words:
        return ""
    return f"{by} answered: “{_cut(reason.words)}”."


def _gave(answer: Reason) -> str:
    said = f"answered “{_cut(answer.words)}”" if answer.quotes_answer and answer.words else f"gave {worded(answer)}"
    return f"the provider {said}"


def because_refused(reason: Reason | None) -> str:
    """Like :func:`because`, for sentences that already mention the refusal: a plain one adds only its message."""
    if reason is not None and reason.code is Exchange.REFUSED and not reason.facts["fields"]:
        status = reason.facts["status"]
        if status is not None and status not in _REFUSALS:
            return because(f"“{_cut(reason.words)}”" if telling(reason.words) else "")
    return because(reason)


def rule_of(error: PersonError) -> str:
    return _plain(error.rule)


def _plain(said: Reason | str) -> str:
    return said if isinstance(said, str) else worded(said)


def file_trouble(trouble: FileTrouble, *, example: str = EXAMPLE) -> str:
    """Explain in a plain sentence why a file has no usable table. ``example``: a valid first row here."""
    return worded(unusable(trouble, example=example))


def with_example(rule: str, example: str) -> str:
    """The rule that an input breaks as a sentence, with a right one; nothing is formatted."""
    said = sentence_of(rule)
    return said if not example or example in said else f"{said} Example: {example}"


def to_set(names: Sequence[str], *, code: bool = True) -> str:
    """Says that an admin has to set these variables; their names as mrkdwn, or as plain text without ``code``."""
    return f"an admin has to set {', '.join(f'`{name}`' if code else name for name in names)}"


def over_today(left: int, limit: int) -> str:
    """Say how much of the daily limit is left, whose limit it is, and what to do."""
    return (
        f"{shown(left)} of everyone's daily limit of {shown(limit)} is left today: send less, send it after midnight "
        "UTC, or ask an admin to raise it"
    )


def short_of_people(short: Short) -> str:
    return worded(Reason(OfRequest.OUT_OF_REACH, needs=short.needs, can=short.can))


# Outcomes of one request.

_REFUSALS: Final = {
    401: "didn't accept our credentials",
    403: "doesn't allow this",
    404: "doesn't have this",
}


def earlier_lines(found: Sequence[Any]) -> list[str]:
    """Return a clause for each earlier request that may be paid."""
    return [_earlier(Finding.read(one)) for one in found[:_MOST_IDS]]


def _earlier(one: Finding) -> str:
    if one.rows:
        what, few = f"{numbered(one.rows, len(one.rows))} of {one.reference}", len(one.rows) == 1
        if one.moved:
            return f"the provider no longer lists {what} as failed"
        return f"the provider doesn't confirm that {what} {'is' if few else 'are'} unpaid"
    if not one.moved:
        return f"the provider doesn't confirm that {one.reference} is unpaid"
    listed = f"lists {one.reference} as {status_word(one.status)}" if one.status else f"shows {one.reference} as paid"
    return f"the provider now {listed}"


def _refused(facts: Facts, named: _Named) -> str:
    status, fields = facts["status"], facts["fields"]
    otherwise = f"doesn't accept the {' and the '.join(fields)}" if fields else "rejected the request"
    code = f" ({status})" if status is not None and not named.brief else ""
    return f"{named.the_service} {_REFUSALS.get(status, otherwise)}{code}"


_READ_BY_US: Final = {"person": "who people are", "group": "the members of a user group"}
_DENIALS: Final = {
    "missing_scope": "the bot token lacks a scope: paste the manifest into the app's settings and reinstall the app",
    "plan_upgrade_required": "user groups need a paid Slack plan: list people by their U… ids in the policy instead",
}


def _denies(facts: Facts, named: _Named) -> str:
    error, needed = facts["error"], facts["needed"]
    mend = _DENIALS.get(error, "Slack doesn't accept the bot token: copy it into SLACK_BOT_TOKEN again")
    what = _READ_BY_US[facts["what"]]
    return f"{named.who}doesn't let us read {what} ({error}{f', {needed}' if needed else ''}); {mend}"


# Troubles as sentences.


def _when(seconds: float | None) -> str:
    if seconds is None or seconds < 1:
        return "in a minute"
    return f"in {ceil(seconds)} s" if seconds < _TWO_MINUTES else f"in {ceil(seconds / 60)} minutes"


def telling(words: str) -> str:
    """The words of a service; empty if they only repeat the HTTP status, such as "404 Not Found"."""
    return "" if _STATUS_NUMBER.sub("", words).strip(" .!").casefold() in _STATUS_PHRASES else words


def _in_trouble(facts: Facts) -> str:
    """Describe the service's trouble with its message, as a sentence."""
    said, words = worded(facts["why"], by=facts["service"], brief=True), telling(facts["why"].words)
    quoted = f"“{_cut(words)}”" if words else ""
    return sentence_of(said if not quoted or quoted in said else f"{said}, saying {quoted}")


def _own_words(facts: Facts) -> str:
    """Quote the service's message of a refusal, for the person to act on."""
    return as_said(f"{called(facts['service'])}: {facts['why'].words}")


def _failed_never(facts: Facts, _: _Named) -> str:
    if telling(facts["why"].words):
        return _own_words(facts)
    said = sentence_of(worded(facts["why"], by=facts["service"], brief=True))
    return f"{said} Check what you entered." if facts["advice"] and facts["status"] is not None else said


def _not_executed(facts: Facts, _: _Named) -> str:
    if telling(facts["why"].words) and not facts["again"]:
        return f"{_own_words(facts)} Nothing was done."
    return f"{_in_trouble(facts)} Nothing was done." + (f" Try again {_when(facts['wait'])}." if facts["again"] else "")


def _troubled(facts: Facts, named: _Named) -> str:
    status = facts["status"]
    if status in _UNCLEAR:
        return f"{named.the_service} gave no clear answer"
    return f"{named.busy} {'too busy' if status == _TOO_MANY else 'having problems'}"


_BRIEF: Final[Mapping[Code, Computed]] = {
    Exchange.ANSWERED: _troubled,
    Exchange.ANSWERED_AFTER_UNKNOWN: _troubled,
    Exchange.READ_ANSWERED: _troubled,
    OfRequest.SERVICE_SAID: lambda facts, _: f"{called(facts['service'])} is having problems",
}
"""Short words for troubles that readers can't fix; alerts, audit and log have the full reason."""
_WORDS: Final[Mapping[Code, Computed]] = {
    Verbatim.ALL: lambda facts, _: "; ".join(map(worded, facts["parts"])),
    Exchange.NO_ANSWER: lambda facts, named: (
        f"{named.gave}no answer{f' ({failure})' if (failure := facts['failure']) else ''}"
    ),
    Exchange.REFUSED: _refused,
    Exchange.UNREADABLE: lambda facts, named: (
        f"{named.its} answer couldn't be read{f' ({problem})' if (problem := facts['problem']) else ''}"
    ),
    Exchange.SLACK_DENIES: _denies,
    Failed.NAMED: lambda facts, named: named.say(facts["why"], by=facts["service"]),
    Failed.MENDED: lambda facts, named: worded(facts["why"], by=named.by) + named.fix(facts["mend"]),
    Failed.NOW: lambda facts, _: (
        _in_trouble(facts) + (f" Try again {_when(facts['wait'])}." if facts["advice"] else "")
    ),
    Failed.NEVER: _failed_never,
    Failed.OPERATOR: lambda facts, named: sentence_of(
        f"An admin has to fix this: {named.say(facts['why'])}{named.fix(facts['mend'])}"
    ),
    Failed.NOT_EXECUTED: _not_executed,
    Failed.UNKNOWN: lambda facts, _: (
        f"{_in_trouble(facts)} It's not confirmed yet whether this was done. We're checking. Don't do it again."
    ),
    **OF_REQUESTS,
    OfRequest.FROZEN: lambda facts, named: f"payments are frozen: {named.say(facts['why'])}",
    OfRequest.OVER_TODAY: lambda facts, _: over_today(facts["left"], facts["limit"]),
    OfRequest.EARLIER_NOT_UNPAID: lambda facts, _: (
        f"not sent, because it may pay twice: {'; '.join(earlier_lines(facts['found']))}; an admin can release it or "
        "withdraw it"
    ),
    OfRequest.NOT_CONFIGURED: lambda facts, _: f"Payments isn't configured: {to_set(facts['missing'], code=False)}",
    OfRequest.UNDECIDED: lambda facts, named: (
        f"{named.say(facts['held'])}; the time for that is over" if facts["held"] else "not approved in time"
    ),
    OfRequest.NOT_SENT_IN_TIME: lambda facts, named: (
        "it wasn't sent in time after approval" + (f": {named.say(facts['held'])}" if facts["held"] else "")
    ),
    OfRequest.NEW_ATTEMPT_NOT_SENT: lambda facts, named: (
        "the new attempt wasn't sent in time" + (f" ({named.say(facts['held'])})" if facts["held"] else "")
    ),
    OfRequest.NO_CODES: lambda _, named: (
        "the provider's list doesn't show our codes, so we can't find this in it"
        + named.fix('name their field in SERVICES_FILE, [payments.records.operation] code = "…"')
    ),
    OfRequest.SEVERAL_BULK: lambda facts, _: (
        f"the provider has {len(facts['ids'])} bulk payments with our items: {', '.join(facts['ids'][:_MOST_IDS])}"
    ),
    OfRequest.SAYS: lambda facts, _: f"the provider lists it as {status_word(facts['status'])}",
    OfRequest.UNASKED: lambda facts, _: (
        f"the provider lists it as {status_word(facts['status'])}, although we sent nothing"
    ),
    OfRequest.CONTRADICTED: lambda facts, _: (
        f"it was {word(State(facts['before']))}, and the provider now lists it as {status_word(facts['status'])}"
    ),
    OfRequest.AFTER_ANSWER: lambda facts, named: f"{_gave(facts['answer'])}, and now {named.say(facts['why'])}",
    OfRequest.CHANGED_HERE: lambda facts, _: (
        f"our own record was changed after it was {'requested' if facts['is_purchase'] else 'approved'}"
    ),
    OfRequest.OTHER_KIND: lambda facts, _: f"it isn't a {'purchase' if facts['is_purchase'] else 'payout'}",
    OfList.UNUSABLE_FILE: lambda facts, _: table_problem(
        TableProblem(
            Flaw(facts["flaw"]),
            counts=dict(facts["counts"]),
            **{name: facts[name] for name in ("rows", "names", "allowed", "more")},
        ),
        example=facts["example"],
    ),
    OfList.FILE_RULE: lambda facts, _: f"{capital(_plain(facts['rule']))}.",
    OfCall.BAD_INPUT: lambda facts, _: with_example(_plain(facts["rule"]), facts["example"]),
}

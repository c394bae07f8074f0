"""Why an approved request is not sent, and who has to act. Plain text of our own."""

from collections.abc import Collection, Mapping
from datetime import datetime

from bot.domain.approvals import No, Void
from bot.domain.errors import ServiceNow
from bot.domain.outcome import quotes_words
from bot.presentation.services import told

_VOTER: Mapping[No | Void, str] = {
    No.UNKNOWN: "Slack does not know them any more",
    No.ELSEWHERE: "they belong to another workspace",
    No.GUEST: "they are a guest now",
    No.BOT: "they are a bot",
    No.GONE: "their account is deactivated",
    No.NOT_APPROVER: "they are no approver any more",
    No.OWN_REQUEST: "they asked for it themselves",
}
_VOTE: Mapping[No | Void, str] = {
    Void.UNTYPED: "an approval without the amount typed no longer counts, because the policy asks for that now",
    Void.TOO_OLD: "an approval no longer counts, because it was given too long ago",
}
_REQUESTER: Mapping[No, str] = {
    No.UNKNOWN: "Slack does not know who asked for it any more",
    No.ELSEWHERE: "who asked for it belongs to another workspace",
    No.GUEST: "who asked for it is a guest now",
    No.BOT: "who asked for it is a bot",
    No.GONE: "the account of who asked for it is deactivated",
    No.NOT_REQUESTER: "by the policy, who asked for it may no longer ask for payments",
}
_HELD = "held, because "
_WITHDRAW = "An admin can withdraw it"
_CLOSE = "Approvers can close it once they know its outcome"
_UNANSWERED = "the {} service has not answered"
_ANSWERED = "the {} service answered "
_IT_ANSWERED = "it answered "
"""How the reason of a read begins that was answered (:mod:`bot.clients.service_errors`)."""


def asked_again(void: Collection[No | Void], missing: int) -> str:
    """Votes that were cast do not suffice any more: why, and how many are needed now."""
    people = sorted({_VOTER.get(why, "they do not count here") for why in void if why not in _VOTE})
    parts = [f"somebody who approved no longer counts ({', '.join(people)})"] if people else []
    parts += sorted({_VOTE[why] for why in void if why in _VOTE})
    more = "one more approval is" if missing == 1 else f"{missing} more approvals are"
    return f"{'; '.join(parts) or 'the policy asks for more approvals now'}, so {more} needed"


def held(no: No, *, sent_before: bool) -> str:
    """Who asked may no longer ask: what that means, what can be done, and what happens should they be back.

    ``sent_before``: an earlier attempt may have had its effect, so nothing can be withdrawn.
    """
    why = _REQUESTER.get(no, "who asked for it may no longer ask for payments")
    can = _CLOSE if sent_before else _WITHDRAW
    return f"{_HELD}{why}. {can}; if the requester may ask again, it needs new approvals"


def is_held(reason: str) -> bool:
    """Whether this is the reason of a request whose requester may no longer ask."""
    return reason.startswith(_HELD)


def unanswered(service: str, since: datetime) -> str:
    """The service does not answer, so nothing is sent to it."""
    return f"{_UNANSWERED.format(service)} since {since:%Y-%m-%d %H:%M} UTC, so nothing was sent"


def is_unanswered(service: str, reason: str) -> bool:
    """Whether this is the reason of something that waits because the service does not answer."""
    return reason.startswith(_UNANSWERED.format(service))


def answered(trouble: ServiceNow) -> str:
    """What the service said instead of what had to be read first, so nothing was sent; empty where it said nothing."""
    said = told(trouble)
    if not (said.startswith(_IT_ANSWERED) and quotes_words(said)):
        return ""
    return f"{_ANSWERED.format(trouble.service)}{said.removeprefix(_IT_ANSWERED)}"


def is_answered(service: str, reason: str) -> bool:
    """Whether this is the reason of something that waits because of what the service said."""
    return reason.startswith(_ANSWERED.format(service))


def no_longer_answered(service: str, reason: str) -> str:
    """The reason once the service has answered what was to be read; any other reason stays."""
    return "" if is_answered(service, reason) else reason

"""Common answers to one person: refused, not configured, slow, broken, mistyped; the verbs of a command."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from bot.domain.approvals import No, Refusal
from bot.domain.content import Content
from bot.domain.errors import PersonError, ServiceNever, ServiceTrouble
from bot.domain.money import plain
from bot.presentation.blocks import text as md
from bot.presentation.reasons import rule_of, to_set, with_example, worded

_GIVEN_LIMIT = 120
_SHOWN = 4  # mistakes of one line that are told at once
_PART_LIMIT = 400
TOO_MANY_WORDS = "this is one word too many"
NO_REASON = "Give a reason, for example: the invoice is from last year."
_GIVEN = 40
STORAGE_FULL = md.message(
    ":warning: Switchboard cannot store anything new now: its disk is full. The operator has been told. Nothing was "
    "started; please try again later."
)
INTERRUPTED = md.message(
    ":arrows_counterclockwise: Switchboard is being restarted and has no answer yet. Please ask again."
)


def wrong_amount(cents: int) -> str:
    return f"This is not the amount on the card. Type that amount, with a point before the cents: {plain(cents)}"


def unknown(what: str, rule: str, *, says: str = "") -> str:
    """The rule that a name breaks by which nothing is known. ``says``: what the service says of it."""
    told = f" (the service says: {says})" if says else ""
    return f"no {what} of that name is known here{told}; it is {rule}"


def at_field(error: PersonError) -> str:
    return with_example(rule_of(error), error.example)


def at_lines(errors: Sequence[PersonError]) -> str:
    """Mistakes in a field of several lines: every line that is wrong, and the example once."""
    told = [md.sentence_of(rule_of(error)) for error in errors[:_SHOWN]]
    if len(errors) > _SHOWN:
        told.append(f"And {len(errors) - _SHOWN} more.")
    return " ".join([*told, f"For example: {errors[0].example}"])


def mistakes(errors: Sequence[PersonError]) -> Content:
    lines = []
    for error in errors[:_SHOWN]:
        typed = md.quote(error.given, _GIVEN_LIMIT)
        given = f" You gave: {typed}" if typed else ""
        rule = md.as_said(md.quote(rule_of(error), _PART_LIMIT))
        lines.append(f":pencil2: *{md.quote(error.argument, _PART_LIMIT)}*: {rule}{given}")
    example = next((error.example for error in errors if error.example), "")
    shown = f" For example: `{md.quote(example, md.SECTION_LIMIT // 4)}`" if example else ""
    lines.append(f"Nothing was done.{shown}")
    return Content(text="\n".join(lines), blocks=md.paragraphs(lines))


_REFUSED: dict[No | Refusal, str] = {
    No.UNKNOWN: "Slack does not know who you are here, so this has no effect.",
    No.ELSEWHERE: "Only members of this workspace can do this; you belong to another one.",
    No.GUEST: "Guests cannot do this. Ask a full member of the workspace.",
    No.BOT: "Bots cannot do this.",
    No.GONE: "Your account is deactivated, so this has no effect.",
    No.NOT_REQUESTER: (
        "*requester*: only people whom the policy names may ask for payments, and you are not among them. "
        'The operator can add you there, for example `requesters = ["S0FINANCE"]`.'
    ),
    No.NOT_APPROVER: "You are not among the approvers of the policy, so your decision does not count.",
    No.OWN_REQUEST: "You asked for this yourself, so somebody else has to decide.",
    No.NO_ROLE: (
        "Only people whom the policy names as requesters, approvers or admins may look at payments, and you are not "
        "among them. The operator can add you there."
    ),
    No.NOT_IN_CHARGE: "Only approvers and admins of the policy may see this, and you are not among them.",
    No.MAY_NOT_FREEZE: "Only approvers and admins of the policy may freeze payments, and you are not among them.",
    No.MAY_NOT_UNFREEZE: "Only approvers of the policy may let payments flow again, and you are not among them.",
    No.NOT_ADMIN: "Only admins of the policy may do this, and you are not among them.",
    Refusal.STALE: "This button is out of date; the request has changed since. Look at its card again.",
    Refusal.EXPIRED: "This request has expired; it has to be asked for again.",
    Refusal.REPEATED: "Your approval is recorded already; each person counts once.",
    Refusal.NOT_YOURS: "Only the person who asked, or an admin, can withdraw this.",
    Refusal.NOT_ASKED: "Only the person who asked can say whether this address is right.",
    Refusal.UNCONFIRMED: "Approve it with the button on its card: the form says what is not fine about the account.",
    Refusal.NO_REASON: "You did not ask for this yourself, so withdrawing it needs a reason.",
    Refusal.TOO_LATE: "It is too late to withdraw this.",
    Refusal.TOO_EARLY: "It cannot be withdrawn while it is being created. Try again when it waits for approval.",
    Refusal.HELD: "Your approval is not recorded: who asked may not ask any more. The card says what can be done.",
    Refusal.DISAGREES: (
        "Nothing is recorded: what the database holds of this is not what the audit says, so it is on hold. The "
        "operator has been told."
    ),
    Refusal.SUSPECT: (
        "The service holds what may be this payment; the card names it. Look there first. While it is there nothing "
        "is sent again: if it is another one, close this as not paid and ask anew."
    ),
    Refusal.WRONG_AMOUNT: "This is not the amount on the card.",
}


def refused(refusal: No | Refusal) -> Content:
    return md.message(f":no_entry_sign: {_REFUSED[refusal]}")


def not_configured(service: str, missing: Sequence[str]) -> Content:
    return md.message(f":electric_plug: The {service} service is not configured. {md.capital(to_set(missing))}.")


def unreadable(name: str) -> Content:
    what = f"What is stored of {md.quote(name)}" if name else "A row that this needs"
    return trouble(f"{what} cannot be read, so it is left alone. The operator has been told. Nothing was done.")


def try_again(what: str) -> Content:
    return md.message(f":warning: {what} Nothing was recorded. Please try again in a moment.")


def pass_on(what: str) -> Content:
    """Slack refuses until the operator has changed the app; repeating the request is no use."""
    return md.message(f":warning: {what} Nothing was recorded. Only the operator can mend this: please pass it on.")


def not_shared(trouble: ServiceTrouble) -> Content:
    if isinstance(trouble, ServiceNever):
        needed = f", {trouble.words}" if trouble.words else ""
        return pass_on(
            f"The file could not be shared: Slack refuses it ({md.quote(f'{worded(trouble.reason)}{needed}')})."
        )
    return try_again(f"The file could not be shared ({worded(trouble.reason)}).")


def too_many(wait: float) -> Content:
    """The person's rate limit is reached; ``wait`` is the seconds until they may ask again."""
    seconds = max(ceil(wait), 1)
    return md.message(
        f":hourglass: You have asked for very much in a short time, so this was not done. Try again in {seconds} s; "
        "what you asked for before goes on."
    )


def asking(service: str) -> Content:
    return md.message(f":hourglass_flowing_sand: Asking the {service} service…")


def trouble(said: str) -> Content:
    """One sentence about what went wrong; nothing was changed by it."""
    return md.message(f":warning: {md.quote(said)}")


def uncertain(command: str, *, slow: bool = False) -> Content:
    """Whether it was recorded is not known. ``slow``: as it is still under way."""
    why = ":grey_question: The database did not say whether this was recorded. Look"
    if slow:
        why = ":snail: This takes longer than Slack waits. It may still happen: look"
    return md.message(f"{why} at the card or at `{command} approvals` before you repeat it.")


def broken(error_id: str) -> Content:
    return md.message(
        f":boom: Something went wrong on our side. Nothing more will happen by itself. If it stays like this, "
        f"tell your operator this number: `{error_id}`"
    )


def unknown_command(command: str) -> Content:
    return md.message(f":question: `{md.escape(command)}` is not a command of Switchboard.")


@dataclass(frozen=True, slots=True)
class Usage:
    typed: str
    summary: str
    example: str
    name: str = ""  # the words that find it; the first of what is typed where it is not given


def usage(command: str, summary: str, verbs: Sequence[Usage]) -> Content:
    lines = [
        f"• `{md.escape(f'{command} {verb.typed}')}`: {md.escape(verb.summary)}\n"
        f"    for example `{md.escape(f'{command} {verb.example}')}`"
        for verb in verbs
    ]
    lines.insert(0, f"*{command}*: {md.escape(summary)}")
    return Content(text="\n".join(lines), blocks=md.paragraphs(lines))


def no_such_verb(given: str, command: str, verbs: Sequence[Usage]) -> Content:
    known = ", ".join(dict.fromkeys(f"`{verb.name or verb.typed.split()[0]}`" for verb in verbs))
    return md.message(
        f":pencil2: *verb*: `{md.escape(md.shorten(given, _GIVEN))}` is not something `{command}` can do. It is one of "
        f"{known} or `help`.\nFor example: `{md.escape(f'{command} {verbs[0].example}')}`"
    )

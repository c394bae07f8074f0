"""Common answers to one person: refused, not configured, slow, broken, mistyped; the verbs of a command."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from bot.domain.approvals import No, NoAddress, Refusal
from bot.domain.content import Block, Content
from bot.domain.errors import PersonError, RuleError, ServiceNever, ServiceTrouble
from bot.domain.money import parse_amount, plain, shown
from bot.domain.references import Letter
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button
from bot.presentation.reasons import called, rule_of, to_set, with_example, worded

OFFERED: Final = "line.offered"  # a button that stands for a typed line
LONGEST_LINE: Final = 1_900  # characters of such a line: a button's value holds 2,000
_LABEL_LIMIT = 75
_GIVEN_LIMIT = 60
_SHOWN = 4  # mistakes of one line that are told at once
_PART_LIMIT = 400
TOO_MANY_WORDS = "it isn't expected here"
NO_REASON = "Give a reason, for example: the invoice is from last year."
_GIVEN = 40
STORAGE_FULL = md.message(
    ":warning: Switchboard's disk is full, so nothing was done. An admin has been told. Try again later."
)
NOT_STORED = md.message(
    ":warning: That can't be saved right now: the database is read-only. Nothing was requested. Try again in a minute."
)
INTERRUPTED = md.message(":arrows_counterclockwise: Switchboard is restarting. Try again in a moment.")


@dataclass(frozen=True, slots=True)
class Offer:
    """What was probably meant: the label of a button, and the line that it stands for."""

    label: str
    value: str


def wrong_amount(cents: int) -> str:
    return f"That doesn't match. Type {plain(cents)}"


def unknown(given: str, *, see: str = "", said: str = "") -> str:
    """Nothing is called so. ``see``: the command that lists what there is; ``said``: the service's own words."""
    asked = f"I can't find {md.shorten(clean(given), _GIVEN)}. Check the reference{f', or see `{see}`' if see else ''}"
    return f"{asked}. The provider answered: “{clean(said)}”" if said else asked


SHOW_IT: Final = "Show it"
_NOUNS: Final = {
    Letter.PAYOUT: "single payout",
    Letter.BULK: "bulk payment",
    Letter.CANCELLATION: "cancellation of payments",
    Letter.PURCHASE: "purchase",
    Letter.BOOKING: "delivery",
    Letter.PREBOOKING: "pre-booking",
}


def other_kind(reference: str, letter: Letter) -> str:
    return f"{reference} is a {_NOUNS[letter]}"


def use(name: str) -> str:
    """The button that takes what was probably meant."""
    return md.shorten(f"Use {name}", _LABEL_LIMIT)


def no_address(named: str, why: NoAddress) -> Content:
    """Why a person of the workspace cannot be paid by name."""
    return md.message(f":pencil2: {_NO_ADDRESS[why].format(named=md.quote(named))} Type an e-mail address instead.")


_NO_ADDRESS: Final = {
    NoAddress.UNKNOWN: "I can't find {named}.",
    NoAddress.ELSEWHERE: "{named} belongs to another workspace.",
    NoAddress.BOT: "{named} is a bot.",
    NoAddress.GONE: "The account of {named} is deactivated.",
    NoAddress.NONE: "Slack shows no e-mail address for {named}.",
}


def at_field(error: PersonError) -> str:
    rule = rule_of(error)
    return with_example(f"this {rule[3:]}" if rule.startswith("it isn't ") else rule, error.example)


def at_lines(errors: Sequence[PersonError]) -> str:
    """Mistakes in a field of several lines: every line that is wrong, and the example once."""
    told = [md.sentence_of(rule_of(error)) for error in errors[:_SHOWN]]
    if len(errors) > _SHOWN:
        told.append(f"And {len(errors) - _SHOWN} more.")
    return " ".join([*told, f"Example: {errors[0].example}"])


def mistakes(errors: Sequence[PersonError], offers: Sequence[Offer] = ()) -> Content:
    """A line each, and a line that would be right; ``offers``: buttons for what was probably meant."""
    lines = [f":pencil2: {_told(error)}" for error in errors[:_SHOWN]]
    example = next((error.example for error in errors if error.example), "")
    if example:
        lines.append(f"Example: `{md.quote(example, md.SECTION_LIMIT // 4)}`")
    return Content(text="\n".join(lines), blocks=[*md.paragraphs(lines), *_buttons(offers)])


def _told(error: PersonError) -> str:
    """What is wrong, as a sentence that names the argument or repeats what was given."""
    rule, given = md.quote(rule_of(error), _PART_LIMIT), md.quote(error.given, _GIVEN_LIMIT).replace("`", "'")
    name = md.quote(error.argument.replace("|", " or "), _PART_LIMIT)
    said, behind = rule.partition(";")[0], rule.removeprefix("it ")
    negated = said.startswith(("it isn't ", "it wasn't "))
    if behind != rule and f"{error.argument}=" in error.example:
        wrong = behind if negated or not given else f"isn't right: {rule}"
        rule = f"`{error.argument}={given}` {wrong}"
    elif behind != rule:
        if not given:
            rule = f"the {name} {behind}"
        elif negated:
            rule = f"`{given}` {behind}"
        else:
            rule = f"the {name} is `{given}`; {rule}"
    first = rule.partition(" ")[0]
    return md.sentence_of(rule) if first.replace("'", "").isalpha() else md.as_said(rule)  # no id with a capital


def or_meant(told: Content, meant: str, offer: Offer) -> Content:
    """An answer, and what was probably meant instead."""
    line = f"Did you mean *{md.quote(meant)}*?"
    return Content(text=f"{told.text}\n{line}", blocks=[*told.blocks, md.paragraph(line), *_buttons([offer])])


def meant(error: PersonError, text: str) -> str:
    """The button that sends ``text``, which was probably meant: of an amount, what would be sent."""
    amount, _, behind = text.partition(" ")
    try:
        cents = parse_amount(amount)
    except RuleError:
        return use(text)
    return f"Send {shown(cents)}{f' for “{behind} …”' if behind else ''}" if error.argument == "amount" else use(text)


def _buttons(offers: Sequence[Offer]) -> list[Block]:
    """Offers as buttons; one whose line is longer than a button can hold is left out."""
    fitting = [one for one in offers if len(one.value) <= LONGEST_LINE]
    # Slack wants each id once in a block, so each button stands in one of its own.
    return [block for one in fitting for block in actions([button(one.label, OFFERED, one.value)])]


_REFUSED: dict[No | Refusal, str] = {
    No.UNKNOWN: "Slack couldn't say who you are, so nothing was done.",
    No.ELSEWHERE: "Only members of this workspace can do this.",
    No.GUEST: "Guests can't do this. Ask a full member of this workspace.",
    No.BOT: "Bots can't do this.",
    No.GONE: "Your account is deactivated.",
    No.NOT_REQUESTER: "You don't have permission to request payments. Ask an admin to add you.",
    No.NOT_APPROVER: "Only approvers can do this.",
    No.OWN_REQUEST: "You can't approve your own request.",
    No.OWN_PAYMENT: "This pays you, so someone else has to decide.",
    No.NO_ROLE: "You don't have permission to see payments. Ask an admin to add you.",
    No.NOT_IN_CHARGE: "Only approvers and admins can see this.",
    No.MAY_NOT_FREEZE: "Only approvers and admins can freeze payments.",
    No.MAY_NOT_UNFREEZE: "Only approvers can unfreeze payments.",
    No.NOT_ADMIN: "Only admins can do this.",
    Refusal.STALE: "This request has changed since. Look at its card again.",
    Refusal.EXPIRED: "This request has expired. Send it again.",
    Refusal.REPEATED: "You've already approved this.",
    Refusal.NOT_YOURS: "Only the requester or an admin can withdraw this.",
    Refusal.NOT_ASKED: "Only the requester can say whether this address is right.",
    Refusal.UNCONFIRMED: "Press *Approve* again: its form shows what to check first.",
    Refusal.NOT_REQUESTED: "Only the requester can send this again.",
    Refusal.NO_REASON: "Give a reason: someone else requested this.",
    Refusal.TOO_LATE: "It's too late to withdraw this.",
    Refusal.TOO_EARLY: "This is being created. You can withdraw it when it waits for approval.",
    Refusal.HELD: "Not approved: the requester may no longer request payments. The card shows what you can do.",
    Refusal.RESTORED: "Not possible while payments are frozen: an operator has to run `switchboard resume` first.",
    Refusal.DISAGREES: "On hold: the database and the audit log disagree about this request. An admin has been told.",
    Refusal.SUSPECT: (
        "The provider may already have this payment. Check the id on the card first. If it's another one, close this "
        "as not paid and send a new request."
    ),
    Refusal.WRONG_AMOUNT: "That doesn't match the amount on the card.",
}


def refused(refusal: No | Refusal) -> Content:
    return md.message(f":no_entry_sign: {_REFUSED[refusal]}")


def not_configured(service: str, missing: Sequence[str]) -> Content:
    return md.message(f":electric_plug: {called(service)} isn't set up yet. {md.capital(to_set(missing))}.")


def unreadable(name: str) -> Content:
    what = f"What we stored of {md.quote(name)}" if name else "A record this needs"
    return trouble(f"{what} can't be read, so nothing was done. An admin has been told.")


def try_again(what: str) -> Content:
    return md.message(f":warning: {what} Nothing was done. Try again in a moment.")


def pass_on(what: str) -> Content:
    """Slack refuses until an admin has changed the app; repeating the request is no use."""
    return md.message(f":warning: {what} Nothing was done. Please tell an admin.")


def not_shared(trouble: ServiceTrouble) -> Content:
    if isinstance(trouble, ServiceNever):
        needed = f", {trouble.words}" if trouble.words else ""
        return pass_on(f"Slack doesn't take the file ({md.quote(f'{worded(trouble.reason)}{needed}')}).")
    return try_again(f"The file couldn't be shared ({worded(trouble.reason)}).")


def too_many(wait: float) -> Content:
    """The person's rate limit is reached; ``wait`` is the seconds until they may ask again."""
    seconds = max(ceil(wait), 1)
    return md.message(f":hourglass: Too many requests at once, so this one wasn't done. Try again in {seconds} s.")


def asking(service: str) -> Content:
    return md.message(f":hourglass_flowing_sand: Asking {called(service)}…")


def trouble(said: str) -> Content:
    """One sentence about what went wrong; nothing was changed by it."""
    return md.message(f":warning: {md.quote(said)}")


def uncertain(command: str, *, slow: bool = False) -> Content:
    """Whether it was recorded is not known. ``slow``: as it is still under way."""
    why = ":grey_question: We can't tell whether this was saved."
    if slow:
        why = ":snail: This is taking long and may still go through."
    return md.message(f"{why} Check the card or `{command} approvals` before you repeat it.")


def broken(error_id: str) -> Content:
    return md.message(
        f":boom: Something went wrong on our side. If it happens again, tell an admin this number: `{error_id}`"
    )


def unknown_command(command: str) -> Content:
    return md.message(f":question: `{md.escape(command)}` isn't a Switchboard command.")


@dataclass(frozen=True, slots=True)
class Usage:
    typed: str
    summary: str
    example: str
    name: str = ""  # the words that find it; the first of what is typed where it is not given


def usage(command: str, summary: str, verbs: Sequence[Usage]) -> Content:
    lines = [
        f"*{command}*: {md.escape(summary)}",
        *(_line(command, verb) for verb in verbs),
        f"Example: `{md.escape(f'{command} {verbs[0].example}')}`",
        f"More about one: `{md.escape(f'{command} help {verbs[0].name}')}`",
    ]
    return Content(text="\n".join(lines), blocks=md.paragraphs(lines))


def starts(command: str, summary: str, offers: Sequence[Offer]) -> Content:
    """A command typed alone: one line, and a button for each thing that people do most."""
    line = f"*{command}*: {md.escape(summary)}. To see everything: `{md.escape(command)} help`"
    pressed = [button(one.label, f"{OFFERED}:{n}", one.value) for n, one in enumerate(offers)]
    return Content(text=line, blocks=[md.paragraph(line), *actions(pressed)])


def welcome(commands: Sequence[str]) -> Content:
    """Answers whoever writes to the bot as to a person."""
    typed = ", ".join(f"`{md.escape(one)}`" for one in commands)
    return md.message(f":wave: To start, type one of {typed}. Each shows what it can do.")


def _line(command: str, verb: Usage) -> str:
    return f"• `{md.escape(f'{command} {verb.typed}')}`: {md.escape(verb.summary)}"


def usage_of_verb(
    command: str, verb: Usage, arguments: Sequence[tuple[str, str]], below: Sequence[Usage] = ()
) -> Content:
    """One verb; ``arguments``: how each is typed, and what it has to be; ``below``: verbs whose names begin like it."""
    lines = [
        f"`{md.escape(f'{command} {verb.typed}')}`: {md.escape(verb.summary)}",
        *(f"• `{md.escape(typed)}`: {md.escape(rule)}" for typed, rule in arguments),
        *(_line(command, one) for one in below),
        f"Example: `{md.escape(f'{command} {verb.example}')}`",
    ]
    return Content(text="\n".join(lines), blocks=md.paragraphs(lines))


def no_such_verb(
    given: str, command: str, *, meant: str = "", about: str = "", offers: Sequence[Offer] = ()
) -> Content:
    """``meant``: the verb that was probably meant; ``about``: the first word of verbs, where it is known."""
    told = f"Unknown command `{md.escape(md.shorten(given, _GIVEN)).replace('`', chr(39))}`."
    if meant:
        told += f" Did you mean `{md.escape(f'{command} {meant}')}`?"
    line = f":pencil2: {told} See `{f'{command} help {about}'.rstrip()}`."
    return Content(text=line, blocks=[md.paragraph(line), *_buttons(offers)])

"""``/email``: ask about addresses, process a list of them."""

from bot.domain.emails.lists import looks_like_address
from bot.domain.errors import PersonError
from bot.domain.services import EMAILS
from bot.presentation import answers
from bot.presentation.emails import forms as email_forms
from bot.presentation.emails import lists as emails
from bot.workflows.emails.single import check_addresses
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import dispatch
from handlers.input.admission import emails_for
from handlers.input.grammar import Argument, Values, Verb, wrong
from handlers.input.service_call import service_call
from handlers.replies import Answer, Open, Private, Reply

NAME = "email"
SUMMARY = "Process e-mail addresses, one by one or as a list"

MOST = 20
"""Addresses of one command; more are a list."""


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)


async def _check(deps: Dependencies, command: Command, values: Values) -> Reply:
    client = await emails_for(deps, command.user)
    if deps.ctx.emails.missing_single:
        return Private(answers.not_configured(emails.SINGLE_ADDRESSES, deps.ctx.emails.missing_single))
    addresses: list[str] = list(dict.fromkeys(one for few in values["address"] for one in few))
    if len(addresses) > MOST:
        rule = emails.too_many(MOST, len(addresses), command=deps.spelled(NAME))
        raise wrong(deps, NAME, CHECK.example, argument="address", rule=rule)

    async def ask() -> Answer:
        return Private(emails.checked(await check_addresses(client, addresses)))

    return service_call(ask, service=EMAILS)


def _addresses(text: str) -> list[str]:
    """The addresses of an argument, separated by commas or semicolons."""
    words = [word.strip("<>") for word in text.replace(";", ",").split(",") if word.strip("<> ")]
    wrong = next((word for word in words if not looks_like_address(word)), None)
    if wrong is not None or not words:
        raise PersonError(
            argument="address",
            rule=f"it must be {emails.ADDRESS_RULE}",
            example="check ana@example.com",
            given=wrong or text,
        )
    return words


async def _file(deps: Dependencies, command: Command, _: Values) -> Reply:
    await emails_for(deps, command.user)
    return Open(email_forms.file_form(channel=command.channel))


CHECK = Verb(
    "check",
    "what the service says about one or several addresses",
    _check,
    example="check ana@example.com bo@example.com",
    arguments=(Argument(name="address", typed="<address…>", rule=emails.ADDRESS_RULE, read=_addresses, each=True),),
)
FILE = Verb(
    "file", "process a list: choose a file, its column, and whether the service gets it whole or row by row", _file
)

VERBS = (CHECK, FILE)
"""In the order of the help."""

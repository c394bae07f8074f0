"""``/email``: ask about addresses, process a list of them."""

import asyncio

from bot.clients.emails import EmailsClient
from bot.clients.service_errors import told
from bot.domain.approvals import full_member
from bot.domain.emails.lists import Answer, Busy, Lost, Outcome, looks_like_address
from bot.domain.errors import OperatorError, PersonError
from bot.presentation import answers
from bot.presentation.emails import forms as email_forms
from bot.presentation.emails import lists as emails
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import dispatch
from handlers.input.configured import configured
from handlers.input.grammar import Argument, MistakesError, Values, Verb
from handlers.replies import Answer as Said
from handlers.replies import Later, Open, Private, Reply

NAME = "email"
SUMMARY = "Process e-mail addresses, one by one or as a list"

MOST = 20
"""Addresses of one command; more are a list."""
_TRIES = 2
_PAUSE_SECONDS = 1.0
_ADDRESS_RULE = "an e-mail address such as ana@example.com"


async def handle(deps: Dependencies, command: Command) -> Reply:
    """Find the verb, read its arguments, run it."""
    return await dispatch.run(deps, command, name=NAME, summary=SUMMARY, verbs=VERBS)


async def admitted(deps: Dependencies, user: str) -> EmailsClient | Private:
    """The service, for a full member of the workspace; or why not."""
    ctx = deps.ctx
    refusal = full_member((await ctx.people.standing(user)).person, home=ctx.home)
    if refusal is not None:
        return Private(answers.refused(refusal))
    return configured(ctx.emails, "e-mail processing")


async def _check(deps: Dependencies, command: Command, values: Values) -> Reply:
    client = await admitted(deps, command.user)
    if isinstance(client, Private):
        return client
    if deps.ctx.emails.missing_single:
        return Private(answers.not_configured("e-mail processing of single addresses", deps.ctx.emails.missing_single))
    addresses: list[str] = list(dict.fromkeys(one for few in values["address"] for one in few))
    if len(addresses) > MOST:
        raise MistakesError(
            [
                PersonError(
                    argument="address",
                    rule=f"at most {MOST} addresses at a time, these are {len(addresses)}; "
                    f"put more into a file and type {deps.spelled(NAME)} file",
                    example=f"{deps.spelled(NAME)} {CHECK.example}",
                )
            ]
        )
    return Later(lambda: _ask(client, addresses), meanwhile=Private(answers.asking("e-mail processing")))


async def _ask(client: EmailsClient, addresses: list[str]) -> Said:
    try:
        found = await asyncio.gather(*(_ask_one(client, address) for address in addresses))
    except OperatorError as trouble:
        mend = f"; {trouble.mend}" if trouble.mend else ""
        return Private(answers.trouble(f"The operator of Switchboard has to mend this: {told(trouble)}{mend}."))
    return Private(emails.checked(list(zip(addresses, found, strict=True))))


async def _ask_one(client: EmailsClient, address: str) -> Answer:
    """One address; what may pass is tried once more."""
    said = await client.check(address)
    for _ in range(_TRIES - 1):
        if isinstance(said, Answer):
            break
        await asyncio.sleep(_PAUSE_SECONDS)
        said = await client.check(address)
    match said:
        case Answer():
            return said
        case Busy():
            return Answer(outcome=Outcome.FAILED, text="the service has too much to do; try again in a minute")
        case Lost(reason=reason):
            return Answer(outcome=Outcome.FAILED, text=f"{reason}; try again in a minute")


def _addresses(text: str) -> list[str]:
    """One word, or several with commas or semicolons between, as they are copied from elsewhere."""
    words = [word.strip("<>") for word in text.replace(";", ",").split(",") if word.strip("<> ")]
    wrong = next((word for word in words if not looks_like_address(word)), None)
    if wrong is not None or not words:
        raise PersonError(
            argument="address", rule=f"it must be {_ADDRESS_RULE}", example="check ana@example.com", given=wrong or text
        )
    return words


async def _file(deps: Dependencies, command: Command, _: Values) -> Reply:
    client = await admitted(deps, command.user)
    return client if isinstance(client, Private) else Open(email_forms.file_form(channel=command.channel))


CHECK = Verb(
    name="check",
    summary="what the service says about one or several addresses",
    example="check ana@example.com bo@example.com",
    run=_check,
    arguments=(Argument(name="address", typed="<address…>", rule=_ADDRESS_RULE, read=_addresses, each=True),),
)
FILE = Verb(
    name="file",
    summary="process a list: choose a file, its column, and whether the service gets it whole or row by row",
    example="file",
    run=_file,
)

VERBS = (CHECK, FILE)
"""In the order of the help."""

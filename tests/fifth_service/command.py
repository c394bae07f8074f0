"""``/glossary``: ask what a word means."""

from bot.domain.errors import PersonError
from bot.workflows.services import Service
from handlers.grammar.admission import admitted, service_call
from handlers.grammar.arguments import Argument, Values
from handlers.grammar.verbs import SlashCommand, Verb
from handlers.incoming import Command
from handlers.replies import Private, Reply
from handlers.router import Dependencies
from tests.fifth_service import words
from tests.fifth_service.client import SERVICE, GlossaryClient


def glossary(service: Service[GlossaryClient]) -> SlashCommand:
    """The command, which asks this service."""

    async def define(deps: Dependencies, command: Command, values: Values) -> Reply:
        client = await admitted(deps, command.user, service, SERVICE)

        async def work() -> Private:
            return Private(words.meaning(values["word"], await client.define(values["word"])))

        return service_call(work, service=SERVICE)

    word = Argument(name="word", rule=words.WORD, read=_word, rest=True)
    verb = Verb("define", "what a word means", define, example="define escrow", arguments=(word,))
    return SlashCommand("glossary", "Look up what a word means", (verb,))


def _word(text: str) -> str:
    if len(text) > words.LONGEST:
        raise PersonError(argument="word", rule=f"it must be {words.WORD}", example="")
    return text

"""``/glossary``: ask what a word means."""

from bot.domain.errors import PersonError
from bot.workflows.services.service import Service
from handlers.dependencies import Dependencies
from handlers.incoming import Command
from handlers.input import dispatch
from handlers.input.admission import admitted
from handlers.input.grammar import Argument, Values, Verb
from handlers.input.service_call import service_call
from handlers.replies import Private, Reply
from tests.fifth_service import words
from tests.fifth_service.client import SERVICE, GlossaryClient


class GlossaryCommand:
    """The command, and the service that it asks."""

    NAME = "glossary"
    SUMMARY = "Look up what a word means"

    def __init__(self, service: Service[GlossaryClient]) -> None:
        self._service = service
        self.VERBS = (
            Verb(
                name="define",
                summary="what a word means",
                example="define escrow",
                run=self._define,
                arguments=(Argument(name="word", rule=words.WORD, read=_word, rest=True),),
            ),
        )

    async def handle(self, deps: Dependencies, command: Command, /) -> Reply:
        """Find the verb and run it."""
        return await dispatch.run(deps, command, name=self.NAME, summary=self.SUMMARY, verbs=self.VERBS)

    async def _define(self, deps: Dependencies, command: Command, values: Values) -> Reply:
        client = await admitted(deps, command.user, self._service, SERVICE)

        async def work() -> Private:
            return Private(words.meaning(values["word"], await client.define(values["word"])))

        return service_call(work, service=SERVICE)


def _word(text: str) -> str:
    if len(text) > words.LONGEST:
        raise PersonError(argument="word", rule=f"it must be {words.WORD}", example="")
    return text

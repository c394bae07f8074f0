"""The client of the glossary service: what a word means."""

from typing import Final

from pydantic import SecretStr

from bot.clients.placing import place
from bot.clients.routes import RouteTable
from bot.clients.transport import Prepared, Transport, dump_json
from bot.clients.unread import NOBODY, Answers, Reading, tell
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, classify

SERVICE: Final = "glossary"


class GlossaryClient:
    """Calls of the service; ``key`` goes as a Bearer credential."""

    def __init__(self, *, routes: RouteTable, transport: Transport, key: SecretStr, answers: Answers = NOBODY) -> None:
        self._routes = routes
        self._transport = transport
        self._key = key
        self._answers = answers

    async def define(self, word: str) -> str:
        """What ``word`` means, in plain text of the service's own.

        Raises:
            ServiceNow: no answer, or none that can be read.
            ServiceNever: the service refused, say because it does not know the word.
        """
        route = self._routes.use(SERVICE, "define")
        placed = place(route, {"word": word})
        headers = {
            "Authorization": f"Bearer {self._key.get_secret_value()}",
            "Content-Type": "application/json",
            "Accept": "application/json",
        }
        request = Prepared(
            operation=route.name,
            method=route.method,
            path=placed.path,
            headers=headers,
            body=dump_json(placed.body),
        )
        reply = await self._transport.send(request)
        reading = Reading(lambda document: _meaning(document, route.reply["meaning"]))
        outcome = classify(reply, read=reading, earlier_unknown=False)
        tell(self._answers, reply, route, was_read=reading.was_read, trouble=reading.trouble)
        match outcome:
            case Done(value=meaning):
                return meaning
            case NotExecuted(again=False) as refused:
                raise ServiceNever(SERVICE, refused.reason, status=refused.status, words=refused.words)
            case silent:  # nothing was changed there, so it may be asked again
                raise ServiceNow(SERVICE, silent.reason, words=silent.words)


def _meaning(document: object, names: tuple[str, ...]) -> str:
    found = document if isinstance(document, dict) else {}
    meaning = next((found[name] for name in names if isinstance(found.get(name), str)), "")
    if not meaning:
        raise ValueError("no meaning")
    return meaning

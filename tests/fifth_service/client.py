"""The client of the glossary service: what a word means."""

from typing import Final

from pydantic import SecretStr

from bot.clients.calls import ServiceCalls, always, json_request
from bot.clients.routes import Route, RouteTable
from bot.clients.transport import Transport
from bot.clients.unread import AnswerObserver
from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted

SERVICE: Final = "glossary"


class GlossaryClient(ServiceCalls):
    """Calls of the service; ``key`` goes as a Bearer credential."""

    def __init__(
        self, *, routes: RouteTable, transport: Transport, key: SecretStr, answers: AnswerObserver | None = None
    ) -> None:
        super().__init__(SERVICE, routes, transport, always, answers)
        self._key = key

    async def define(self, word: str) -> str:
        """What ``word`` means, in plain text of the service's own.

        Raises:
            ServiceNow: no answer, or none that can be read.
            ServiceNever: the service refused, say because it does not know the word.
        """
        route = self._route("define")
        headers = {"Authorization": f"Bearer {self._key.get_secret_value()}"}
        reply = await self._transport.send(json_request(route, {"word": word}, headers))
        outcome = self._became(reply, route, _meaning, earlier_unknown=False)
        match outcome:
            case Done(value=meaning):
                return meaning
            case NotExecuted(again=False) as refused:
                raise ServiceNever(SERVICE, refused.reason, status=refused.status, words=refused.words)
            case silent:  # nothing was changed there, so it may be asked again
                raise ServiceNow(SERVICE, silent.reason, words=silent.words)


def _meaning(document: object, route: Route) -> str:
    found = document if isinstance(document, dict) else {}
    meaning = next((found[name] for name in route.reply["meaning"] if isinstance(found.get(name), str)), "")
    if not meaning:
        raise ValueError("no meaning")
    return meaning

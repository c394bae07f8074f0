"""The glossary as an extension: settings in, command out."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import SecretStr
from pydantic_settings import BaseSettings

from bot.clients.circuit import Circuit
from bot.clients.transport import Transport
from bot.wiring.services import Outside
from bot.workflows.services import Service
from handlers.grammar.verbs import SlashCommand
from tests.fifth_service.client import SERVICE, GlossaryClient
from tests.fifth_service.command import glossary

ROUTES: Final = Path(__file__).with_name("routes.toml")
_VARIABLES: Final = ("GLOSSARY_BASE_URL", "GLOSSARY_API_KEY")


class GlossarySettings(BaseSettings):
    """Its variables, from the environment."""

    glossary_base_url: str | None = None
    glossary_api_key: SecretStr | None = None


@dataclass(frozen=True, kw_only=True)
class Glossary:
    """The extension."""

    settings: GlossarySettings
    routes: Path = ROUTES

    def command(self, outside: Outside) -> SlashCommand:
        """``/glossary`` with its client, or with the names of the variables that are missing."""
        return glossary(Service(client=self._client(outside), missing=self._missing))

    @property
    def _missing(self) -> tuple[str, ...]:
        return tuple(name for name in _VARIABLES if getattr(self.settings, name.lower()) is None)

    def _client(self, outside: Outside) -> GlossaryClient | None:
        base_url, key = self.settings.glossary_base_url, self.settings.glossary_api_key
        if base_url is None or key is None:
            return None
        transport = Transport(
            session=outside.session(),
            base_url=base_url,
            service=SERVICE,
            connect=outside.connect,
            total=outside.total,
            circuit=Circuit(SERVICE, clock=outside.monotonic),
            watch=outside.watch(SERVICE),
            secrets=outside.secrets,
        )
        return GlossaryClient(routes=outside.routes(), transport=transport, key=key, answers=outside.answers)

"""What this process counts for ``/metrics``: made first, so that every part can be handed its piece."""

from bot.settings import Settings
from bot.version import version
from bot.wiring.surroundings import Surroundings
from handlers.measures import Build, Measures
from storage.engine import PostgresServer, parse_address


def make_measures(settings: Settings, around: Surroundings) -> Measures:
    """The counters and histograms of this process, all at zero."""
    is_server = isinstance(parse_address(settings.database_url), PostgresServer)
    build = Build(
        version=version(),
        database="postgresql" if is_server else "sqlite",
        transport="socket" if settings.socket_mode else "http",
    )
    return Measures(build=build, started=around.clock.now())

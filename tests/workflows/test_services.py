"""A service is configured, or it names the variables that are missing."""

import pytest
from inline_snapshot import snapshot

from bot.workflows.services import Service
from handlers.grammar.admission import configured
from handlers.replies import DeclinedError

LACKING: Service[str] = Service(client=None, missing=("ONE_URL", "ONE_KEY"))


def test_a_service_that_lacks_something_names_it_to_people_and_to_the_log() -> None:
    assert not LACKING.is_configured
    with pytest.raises(DeclinedError) as said:
        configured(LACKING, "parcels")
    assert str(said.value) == snapshot(
        ":electric_plug: The parcels service is not configured. The operator has to set `ONE_URL`, `ONE_KEY`."
    )
    with pytest.raises(RuntimeError, match="not configured: ONE_URL, ONE_KEY"):
        LACKING.required()


def test_a_configured_service_hands_out_its_client() -> None:
    service = Service(client="the client")
    assert service.is_configured
    assert configured(service, "parcels") == service.required() == "the client"

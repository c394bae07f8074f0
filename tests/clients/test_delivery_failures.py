"""What a refused price means, by the words of the service."""

import pytest

from bot.clients.delivery.client import _NOT_COVERED, NotCovered, read_trouble
from bot.clients.routes_file import load_routes
from bot.domain.errors import ServiceNever
from bot.domain.outcome import Reply


@pytest.mark.parametrize(
    ("words", "not_covered"),
    [
        ("This address is not covered from this store", True),
        ("Out of range", True),
        ("Sin cobertura en la zona", True),
        ("La dirección está fuera de la zona de reparto", True),
        ("El servicio está fuera de servicio", False),
        ("The order could not be recovered", False),
    ],
)
def test_not_covered_is_what_the_words_say(words: str, not_covered: bool) -> None:
    assert bool(_NOT_COVERED.search(words)) is not_covered


@pytest.mark.parametrize(("quote", "kind"), [(True, NotCovered), (False, ServiceNever)])
def test_only_a_price_is_refused_for_the_place(quote: bool, kind: type[ServiceNever]) -> None:
    route = load_routes(None, environment="sandbox").use("delivery", "quote")
    reply = Reply(status=422, json={"message": "This address is not covered"})
    trouble = read_trouble(reply, with_master=False, route=route, quote=quote)
    assert type(trouble) is kind
    assert trouble.words == "This address is not covered"

"""What a refused price means, by the words of the service."""

import pytest

from bot.clients.delivery.failures import _NOT_COVERED


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

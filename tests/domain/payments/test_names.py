"""Whether a registered name fits a name in a file, or an address; and how look-ups are counted."""

import pytest

from bot.domain.payments.instruction import Recipient
from bot.domain.payments.lookups import doubts
from bot.domain.payments.names import fits_address, names_fit
from bot.domain.payments.recipient import Concern


@pytest.mark.parametrize(("registered", "given", "fit"), [
    ("Ana Maria Lopez", "Ana Lopez", True), ("Ana Maria Lopez", "lopez, ana", True),
    ("Ana María López", "ANA LOPEZ", True), ("Ana Lopez", "A. Lopez", True),
    ("Jørgen Sørensen", "Jorgen Sorensen", True), ("Mohammed Ali", "Mohamed Ali", True),
    ("Jan van den Berg", "Jan Vandenberg", True), ("Vandenberg", "van den Berg", True),
    ("Sean O'Brien", "Sean OBrien", True), ("Ana Lopez", "Ana Gomez", False), ("Mia Keller", "Luis Perez", False),
    ("Ana Ana", "Ana Lopez", False), ("Li Wu", "Lu Wi", False), ("", "Ana", None), ("Ana", " - ", None),
    ("Анна Петрова", "Anna Petrova", None), ("Анна Петрова", "Петрова Анна", True),
    ("Анна Петрова", "Ольга Петрова", False),
])  # fmt: skip
def test_names_of_one_person_are_matched(registered: str, given: str, fit: bool | None) -> None:
    assert names_fit(registered, given) is fit
    assert names_fit(given, registered) is fit


@pytest.mark.parametrize(("registered", "email", "fit"), [
    ("Ana Maria Lopez", "ana@example.com", True), ("Ana Maria Lopez", "alopez@example.com", True),
    ("Ana Maria Lopez", "lopez.a84@example.com", True), ("Ana Maria Lopez", "aml@example.com", True),
    ("Maximilian Berg", "max@example.com", True), ("Ana María Núñez", "nunez+pay@example.com", True),
    ("Wei Li", "li.w9x@example.com", True), ("Catherine Moss", "catharine@example.com", True),
    ("Ana Lopez", "luis@example.com", False), ("Ana Lopez", "luis.perez@ana-lopez.com", False),
    ("Ana Lopez", "billing@example.com", None), ("Ana Lopez", "billing.luis@example.com", False),
    ("Ana Lopez", "84121@example.com", None), ("Ana Lopez", "jd@example.com", None), ("Анна", "anna@example.com", None),
    ("", "anna@example.com", None),
])  # fmt: skip
def test_address_of_a_person_is_recognized(registered: str, email: str, fit: bool | None) -> None:
    assert fits_address(registered, email) is fit


FINE = Recipient(full_name="Ana Lopez", active=True, verified=True, primary=True)


@pytest.mark.parametrize(("changes", "names", "found"), [
    ({}, (), ()), ({}, ("Ana Lopez",), ()), ({}, ("Luis Perez",), (Concern.OTHER_NAME,)),
    ({}, ("Ana Lopez", "Luis Perez"), (Concern.OTHER_NAME,)), ({}, ("", "Ana Lopez"), ()),
    ({"full_name": "Luis Perez"}, (), (Concern.OTHER_NAME,)), ({"full_name": "Luis Perez"}, ("Luis Perez",), ()),
    ({"full_name": None}, ("Luis Perez",), ()),
    ({"verified": False, "full_name": "Bo Xu"}, (), (Concern.NOT_VERIFIED, Concern.OTHER_NAME)),
])  # fmt: skip
def test_name_in_the_file_is_used_before_the_address(
    changes: dict[str, object], names: tuple[str, ...], found: tuple[Concern, ...]
) -> None:
    assert doubts(FINE.model_copy(update=changes), "ana@example.com", names) == found

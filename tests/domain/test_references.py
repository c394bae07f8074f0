import re
from datetime import UTC, datetime, timedelta
from itertools import pairwise, product

from bot.domain.payments.instruction import CallbackKind
from bot.domain.references import Letter, callback_token, derived_key, reference, token_hash, ulid
from tests.domain.made import NOW


def test_ulid_has_26_characters_and_sorts_by_time() -> None:
    made = [ulid(NOW + timedelta(milliseconds=n)) for n in range(50)]
    assert made == sorted(made)
    assert all(re.fullmatch(r"[0-7][0-9A-HJKMNP-TV-Z]{25}", one) for one in made)
    assert all(one[:10] < later[:10] for one, later in pairwise(made))
    assert ulid(datetime(1970, 1, 1, tzinfo=UTC)).startswith("0000000000")
    assert len({ulid(NOW) for _ in range(1000)}) == 1000


def test_references_avoid_similar_letters_and_name_their_kind() -> None:
    assert sorted(Letter) == ["B", "C", "L", "P", "V", "X"]
    for letter in Letter:
        assert all(re.fullmatch(rf"{letter}-[2-9A-HJ-NP-TV-Z]{{6}}", reference(letter)) for _ in range(200))


def test_token_is_valid_for_one_kind_and_request() -> None:
    ids = ["01KAGT00000000000000000000", "01KAGT00000000000000000001"]
    made = {callback_token(key=b"k", instruction_id=one, kind=kind) for one, kind in product(ids, CallbackKind)}
    assert len(made) == 2 * len(CallbackKind)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}", token) for token in made)  # 256 bits


def test_token_derives_from_the_key_and_is_not_stored() -> None:
    token = callback_token(key=b"k", instruction_id="1", kind="cancel")
    assert callback_token(key=b"k", instruction_id="1", kind="cancel") == token
    assert callback_token(key=b"other", instruction_id="1", kind="cancel") != token
    assert re.fullmatch(r"[0-9a-f]{64}", token_hash(token))
    assert token not in token_hash(token)


def test_each_purpose_derives_its_own_key() -> None:
    assert len({derived_key("secret", purpose) for purpose in ("audit", "callbacks", "fields")}) == 3

"""The shape of an answer that could not be read, without its values; which field may be the one looked for."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.unread import MASKED, DocumentShape, UnreadAnswer, Wanted, looked_for, masked, shape_of

MOST_FIELDS = 60


def told(shape: DocumentShape) -> dict[str, str]:
    return {field.dotted: field.kind for field in shape.fields}


@pytest.mark.parametrize("name", [
    *("ana@example.com", "12345", "2026-11-20", "Ana Lopez", "P-4F7K2M", "d41d8cd98f00b204e9800998ecf8427e"),
    *("deadbeefdeadbeef", "550e8400-e29b-41d4-a716-446655440000", "https://example.com/x", "op_20261120"), "x" * 60,
    *("", 'a"b', "a`b", "a\\b", "a\x00b", "\ud800", "<!channel>", "order12345", "a1b2c", "abcdefabcdef"), "x" * 51,
    "(masked)",
])  # fmt: skip
def test_field_name_that_looks_like_a_value_is_masked(name: str) -> None:
    assert told(shape_of({name: 1})) == {"(masked)": "whole number"}


@pytest.mark.parametrize("name", [
    *("id", "_id", "externalBookingId", "svc_operation_hash", "country_ID", "$ref", "@type", "sha256", "address2"),
    *("order1234", "a1b2", "abcdefabcde"), "x" * 50, "código",
])  # fmt: skip
def test_plain_field_names_are_not_masked(name: str) -> None:
    assert masked(name) == name


def test_masked_shape_is_bounded() -> None:
    deep: dict[str, object] = {"end": 1}
    for _ in range(500):
        deep = {"down": deep}
    for document in ({f"f{'x' * (n % 40)}{chr(97 + n // 40)}": n for n in range(900)}, deep, [[[[[[["x"]]]]]]]):
        shape = shape_of(document)
        assert shape.is_cut
        assert len(shape.fields) <= MOST_FIELDS


_LETTERS = st.text(alphabet="äqzxw §", min_size=1, max_size=12)
_DRAWN = st.one_of(
    st.none(), st.booleans(), st.integers(min_value=10**7, max_value=10**12),
    st.decimals(min_value=10**7, max_value=10**9, places=2), _LETTERS.map(lambda text: f"~{text}~"), st.emails(),
)  # fmt: skip
_NAMES = st.sampled_from(["id", "state", "data", "items", "note", "total"])
"""Names stay as they are, so that whatever else is shown would be a value."""
_DOCUMENTS = st.recursive(
    _DRAWN,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.one_of(_NAMES, st.emails()), inner)),
    max_leaves=30,
)
_WORDS = {"text", "whole number", "number", "true/false", "empty", "object"} | {f"list of {n}" for n in range(5)}


@given(_DOCUMENTS)
def test_shape_of_an_answer_holds_no_values(document: object) -> None:
    shape = shape_of(document)
    names = {name for field in shape.fields for name in field.path}
    assert names <= {"id", "state", "data", "items", "note", "total", "[]", MASKED}
    assert {kind for field in shape.fields for kind in field.kind.split(" or ")} | {shape.kind} <= _WORDS


READ = ("id", "status", "amount", "data")


def wanted(body: object, *names: str, at: object = None) -> tuple[Wanted, ...]:
    shape = shape_of(body, at=at)
    return tuple(looked_for(shape, section="payments.partner", name=one, known=(one,), read=READ) for one in names)


def answer(body: object, *names: str, at: object = None) -> UnreadAnswer:
    shape = shape_of(body, at=at)
    return UnreadAnswer(
        operation="payments.partner", status=200, body=shape.kind, fields=shape.fields,
        wanted=wanted(body, *names, at=at), is_cut=shape.is_cut,
    )  # fmt: skip


def proposed(body: object, *names: str) -> dict[str, str]:
    return {name: theirs for (_, name), theirs in answer(body, *names).proposed.items()}


def test_suggestion_needs_one_closest_match() -> None:
    found = answer({"operation_id": "x", "user_id": "y", "memo": "z"}, "id")
    assert (found.proposed, found.wanted[0].candidates) == ({}, ("operation_id", "user_id"))
    assert proposed({"uid": "x", "phase": "y"}, "id", "status") == {"id": "uid", "status": "phase"}
    assert list(proposed({"status_id": "x"}, "id", "status").values()) == ["status_id"], "for one thing only"
    assert wanted({"__": "x", "operation_id": "y"}, "id")[0].candidates == ("operation_id",), "a name without letters"


def test_reason_survives_storage() -> None:
    found = replace(answer({"operationId": "x", "data": {"a": [1]}}, "id", "status"), is_cut=True)
    assert UnreadAnswer.from_json(found.operation, json.loads(json.dumps(found.as_json()))) == found


def test_answers_of_one_form_have_one_fingerprint() -> None:
    one = answer({"ident": "x", "rows": [1]}, "id")
    assert one.fingerprint == answer({"rows": [1, 2, 3], "ident": None}, "id").fingerprint
    assert one.fingerprint != answer({"ident": "x", "rows": [1], "more": 1}, "id").fingerprint
    page = UnreadAnswer(operation="a", status=200, body="no JSON (HTML page of 512 bytes)")
    assert (
        page.fingerprint == UnreadAnswer(operation="a", status=200, body="no JSON (HTML page of 9 bytes)").fingerprint
    )
    assert page.fingerprint != UnreadAnswer(operation="b", status=200, body=page.body).fingerprint
    assert page.fingerprint != UnreadAnswer(operation="a", status=201, body=page.body).fingerprint

"""The shape of a document: its fields and their types, and nothing that a value could be."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.shapes import MASKED, Shape, masked, shape_of

MOST_FIELDS = 60

DOCUMENT = {
    "id": "op-1",
    "amount": Decimal("25.10"),
    "count": 3,
    "is_verified": True,
    "note": "",
    "gone": None,
    "data": {"items": [{"sku": "a"}, {"sku": "b", "price": 5}], "none": []},
}


def told(shape: Shape) -> dict[str, str]:
    return {field.dotted: field.kind for field in shape.fields}


def test_every_field_has_its_place_and_type() -> None:
    shape = shape_of(DOCUMENT)
    assert (shape.kind, shape.is_cut) == ("object", False)
    assert told(shape) == {
        "id": "text",
        "amount": "number",
        "count": "whole number",
        "is_verified": "true/false",
        "note": "empty",
        "gone": "empty",
        "data": "object",
        "data.items": "list of 2",
        "data.none": "list of 0",
        "data.items[].sku": "text",
        "data.items[].price": "whole number",
    }


@pytest.mark.parametrize(
    ("document", "kind"),
    [([1, 2], "list of 2"), ("words", "text"), (None, "empty"), (7, "whole number"), ({}, "object")],
)
def test_what_is_no_object_has_a_type_too(document: object, kind: str) -> None:
    shape = shape_of(document)
    assert (shape.kind, shape.fields) == (kind, ())


def test_items_of_a_list_are_looked_at_together() -> None:
    shape = shape_of([{"a": 1}, {"a": "x", "b": None}, {"b": True}])
    assert told(shape) == {"[].a": "whole number or text", "[].b": "true/false"}


def test_the_object_in_question_comes_first_however_far_down_a_list_it_lies() -> None:
    odd = {"ident": "x"}
    shape = shape_of({"rows": [*({"id": str(n)} for n in range(50)), odd]}, at=odd)
    assert shape.level == ("rows", "[]")
    assert list(told(shape)) == ["rows[].ident", "rows", "rows[].id"]


def test_an_equal_object_is_not_the_same_one() -> None:
    assert shape_of({"a": {"id": 1}}, at={"id": 1}).level == ()


@pytest.mark.parametrize(
    "name",
    [
        "ana@example.com",
        "12345",
        "2026-11-20",
        "Ana Lopez",
        "P-4F7K2M",
        "d41d8cd98f00b204e9800998ecf8427e",
        "deadbeefdeadbeef",
        "550e8400-e29b-41d4-a716-446655440000",
        "https://example.com/x",
        "op_20261120",
        "x" * 60,
        "",
        'a"b',
        "a`b",
        "a\\b",
        "a\x00b",
        "\ud800",
        "<!channel>",
    ],
)
def test_a_name_that_looks_like_a_value_is_masked(name: str) -> None:
    assert told(shape_of({name: 1})) == {MASKED: "whole number"}


@pytest.mark.parametrize(
    "name",
    [
        "id",
        "_id",
        "externalBookingId",
        "svc_operation_hash",
        "country_ID",
        "$ref",
        "@type",
        "sha256",
        "address2",
        "código",
    ],
)
def test_a_name_stays(name: str) -> None:
    assert masked(name) == name


def test_it_is_bounded() -> None:
    deep: dict[str, object] = {"end": 1}
    for _ in range(500):
        deep = {"down": deep}
    for document in ({f"f{'x' * (n % 40)}{chr(97 + n // 40)}": n for n in range(900)}, deep, [[[[[[["x"]]]]]]]):
        shape = shape_of(document)
        assert shape.is_cut
        assert len(shape.fields) <= MOST_FIELDS


def test_a_map_with_values_for_names_is_one_field() -> None:
    assert told(shape_of({f"{n:064x}": 1 for n in range(150)})) == {MASKED: "whole number"}


_LETTERS = st.text(alphabet="äqzxw §", min_size=1, max_size=12)
_VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(min_value=10**7, max_value=10**12),
    st.decimals(min_value=10**7, max_value=10**9, places=2),
    _LETTERS.map(lambda text: f"~{text}~"),
    st.emails(),
)
_NAMES = st.sampled_from(["id", "state", "data", "items", "note", "total"])
"""Names stay as they are, so that whatever else is shown would be a value."""
_DOCUMENTS = st.recursive(
    _VALUES,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.one_of(_NAMES, st.emails()), inner)),
    max_leaves=30,
)
_WORDS = {"text", "whole number", "number", "true/false", "empty", "object"} | {f"list of {n}" for n in range(5)}


@given(_DOCUMENTS)
def test_no_value_is_in_a_shape(document: object) -> None:
    shape = shape_of(document)
    names = {name for field in shape.fields for name in field.path}
    assert names <= {"id", "state", "data", "items", "note", "total", "[]", MASKED}
    assert {kind for field in shape.fields for kind in field.kind.split(" or ")} | {shape.kind} <= _WORDS

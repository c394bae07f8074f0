"""The shape of a document: its fields and their types, and nothing that a value could be."""

from collections.abc import Callable
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.unread import MASKED, DocumentShape, masked, shape_of

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


def told(shape: DocumentShape) -> dict[str, str]:
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
    shape = shape_of({"a": {"id": 1}}, at={"id": 1, "other": 2})
    assert (shape.level, list(told(shape))) == ((), ["a", "a.id"])


@pytest.mark.parametrize(
    "name",
    [
        *("ana@example.com", "12345", "2026-11-20", "Ana Lopez", "P-4F7K2M", "d41d8cd98f00b204e9800998ecf8427e"),
        *("deadbeefdeadbeef", "550e8400-e29b-41d4-a716-446655440000", "https://example.com/x", "op_20261120"),
        "x" * 60,
        *("", 'a"b', "a`b", "a\\b", "a\x00b", "\ud800", "<!channel>", "order12345", "a1b2c", "abcdefabcdef"),
        "x" * 51,
        "(masked)",
    ],
)
def test_a_name_that_looks_like_a_value_is_masked(name: str) -> None:
    assert told(shape_of({name: 1})) == {"(masked)": "whole number"}


@pytest.mark.parametrize(
    "name",
    [
        *("id", "_id", "externalBookingId", "svc_operation_hash", "country_ID", "$ref", "@type", "sha256", "address2"),
        *("order1234", "a1b2", "abcdefabcde"),
        "x" * 50,
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


def named(count: int) -> dict[str, object]:
    return {f"f{chr(97 + n // 26)}{chr(97 + n % 26)}": n for n in range(count)}


@pytest.mark.parametrize(("there", "shown", "is_cut"), [(60, 60, False), (61, 60, True)])
def test_sixty_fields_are_shown(there: int, shown: int, is_cut: bool) -> None:
    shape = shape_of(named(there))
    assert (len(shape.fields), shape.is_cut) == (shown, is_cut)


@pytest.mark.parametrize(("there", "is_cut"), [(200, False), (201, True)])
def test_two_hundred_names_of_an_object_are_looked_at(there: int, is_cut: bool) -> None:
    shape = shape_of({f"{n:064x}": 1 for n in range(there)})
    assert (told(shape), shape.is_cut) == ({MASKED: "whole number"}, is_cut)


def nested(depth: int, inmost: object) -> object:
    for _ in range(depth):
        inmost = {"a": inmost}
    return inmost


@pytest.mark.parametrize("holding", [lambda inmost: nested(6, inmost), lambda inmost: [nested(5, inmost)]])
@pytest.mark.parametrize(
    ("inmost", "is_cut"), [(1, False), ("x", False), ({}, False), ([], False), ({"b": 1}, True), ([1], True)]
)
def test_fields_are_looked_at_six_deep(holding: Callable[[object], object], inmost: object, is_cut: bool) -> None:
    """Lists count as well; what is left out and holds something is said to be more."""
    shape = shape_of(holding(inmost))
    assert (max(len(field.path) for field in shape.fields), shape.is_cut) == (6, is_cut)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_the_object_in_question_is_looked_at_as_deep_as_the_rest(depth: int) -> None:
    at = nested(6 - depth, 1)
    shape = shape_of(nested(depth, at), at=at)
    assert (len(shape.level), len(shape.fields), shape.is_cut) == (depth, 6, False)


def test_the_whole_document_may_be_the_object_in_question() -> None:
    assert shape_of(DOCUMENT, at=DOCUMENT) == shape_of(DOCUMENT)


def test_three_items_of_a_list_show_what_all_have() -> None:
    assert list(told(shape_of([{"a": 1}, {"b": 1}, {"c": 1}, {"d": 1}]))) == ["[].a", "[].b", "[].c"]


@pytest.mark.parametrize(("before", "level"), [(19_998, ("[]",)), (19_999, ())])
def test_an_object_is_looked_for_among_twenty_thousand(before: int, level: tuple[str, ...]) -> None:
    at = {"id": "x"}
    assert shape_of([*({} for _ in range(before)), at], at=at).level == level


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


def test_more_than_is_shown_stays_said_whatever_is_looked_at_afterwards() -> None:
    assert shape_of({"cut": nested(6, {"b": 1}), "whole": nested(6, {})}).is_cut
    assert shape_of({"cut": {f"{n:064x}": 1 for n in range(201)}, "whole": {"a": 1}}).is_cut


def test_lists_of_several_lengths_are_one_type() -> None:
    assert told(shape_of([{"a": [1]}, {"a": [1, 2]}, {"a": "x"}])) == {"[].a": "list of 1 or text"}

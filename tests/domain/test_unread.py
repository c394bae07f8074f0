"""The shape of an answer that could not be read, without its values; which field may be the one looked for."""

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.unread import MASKED, DocumentShape, UnreadAnswer, Wanted, looked_for, masked, shape_of

MOST_FIELDS = 60

DOCUMENT = {
    "id": "op-1", "amount": Decimal("25.10"), "count": 3, "is_verified": True, "note": "", "gone": None,
    "data": {"items": [{"sku": "a"}, {"sku": "b", "price": 5}], "none": []},
}  # fmt: skip


def told(shape: DocumentShape) -> dict[str, str]:
    return {field.dotted: field.kind for field in shape.fields}


def test_every_field_has_its_place_and_type() -> None:
    shape = shape_of(DOCUMENT)
    assert (shape.kind, shape.is_cut) == ("object", False)
    assert told(shape) == {
        "id": "text", "amount": "number", "count": "whole number", "is_verified": "true/false", "note": "empty",
        "gone": "empty", "data": "object", "data.items": "list of 2", "data.none": "list of 0",
        "data.items[].sku": "text", "data.items[].price": "whole number",
    }  # fmt: skip


@pytest.mark.parametrize(("document", "kind"), [
    ([1, 2], "list of 2"), ("words", "text"), (None, "empty"), (7, "whole number"), ({}, "object"),
])  # fmt: skip
def test_what_is_no_object_has_a_type_too(document: object, kind: str) -> None:
    shape = shape_of(document)
    assert (shape.kind, shape.fields) == (kind, ())


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        ([{"a": 1}, {"a": "x", "b": None}, {"b": True}], {"[].a": "whole number or text", "[].b": "true/false"}),
        ([{"a": 1}, {"b": 1}, {"c": 1}, {"d": 1}], dict.fromkeys(["[].a", "[].b", "[].c"], "whole number")),
        ([{"a": [1]}, {"a": [1, 2]}, {"a": "x"}], {"[].a": "list of 1 or text"}),
        ({f"{n:064x}": 1 for n in range(150)}, {MASKED: "whole number"}),
    ],
    ids=["together", "three items show what all have", "lists of several lengths", "a map with values for names"],
)
def test_items_of_a_list_and_of_a_map(document: object, fields: dict[str, str]) -> None:
    assert told(shape_of(document)) == fields


def test_the_object_in_question_comes_first_however_far_down_a_list_it_lies() -> None:
    """An equal object is not the same one, and the whole document may be it."""
    odd = {"ident": "x"}
    shape = shape_of({"rows": [*({"id": str(n)} for n in range(50)), odd]}, at=odd)
    assert shape.level == ("rows", "[]")
    assert list(told(shape)) == ["rows[].ident", "rows", "rows[].id"]
    shape = shape_of({"a": {"id": 1}}, at={"id": 1, "other": 2})
    assert (shape.level, list(told(shape))) == ((), ["a", "a.id"])
    assert shape_of(DOCUMENT, at=DOCUMENT) == shape_of(DOCUMENT)


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


@pytest.mark.parametrize(("there", "shown", "is_cut"), [(60, 60, False), (61, 60, True)])
def test_sixty_fields_are_shown(there: int, shown: int, is_cut: bool) -> None:
    shape = shape_of({f"f{chr(97 + n // 26)}{chr(97 + n % 26)}": n for n in range(there)})
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


@pytest.mark.parametrize(("before", "level"), [(19_998, ("[]",)), (19_999, ())])
def test_an_object_is_looked_for_among_twenty_thousand(before: int, level: tuple[str, ...]) -> None:
    at = {"id": "x"}
    assert shape_of([*({} for _ in range(before)), at], at=at).level == level


_LETTERS = st.text(alphabet="äqzxw §", min_size=1, max_size=12)
_DRAWN = st.one_of(
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
    _DRAWN,
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


READ = ("id", "status", "amount", "data")


def wanted(body: object, *names: str, at: object = None) -> tuple[Wanted, ...]:
    shape = shape_of(body, at=at)
    return tuple(looked_for(shape, section="payments.partner", name=one, known=(one,), read=READ) for one in names)


def answer(body: object, *names: str, at: object = None) -> UnreadAnswer:
    shape = shape_of(body, at=at)
    return UnreadAnswer(
        operation="payments.partner",
        status=200,
        body=shape.kind,
        fields=shape.fields,
        wanted=wanted(body, *names, at=at),
        is_cut=shape.is_cut,
    )


def proposed(body: object, *names: str) -> dict[str, str]:
    return {name: theirs for (_, name), theirs in answer(body, *names).proposed.items()}


@pytest.mark.parametrize(("ours", "theirs"), [
    ("id", "ID"), ("id", "operationId"), ("id", "uid"), ("status", "state"), ("status", "current_status"),
    ("last_page", "lastPage"), ("last_page", "LAST-PAGE"), ("amount", "amountValue"), ("email", "e_mail"),
])  # fmt: skip
def test_the_only_field_that_is_called_alike_is_proposed(ours: str, theirs: str) -> None:
    assert proposed({theirs: "1", "zzz": "x", "www": "y"}, ours) == {ours: theirs}


@pytest.mark.parametrize(
    ("likely", "other"), [("Status", "status_code"), ("status_code", "statuse"), ("statuse", "memo")]
)
def test_the_same_letters_go_before_a_part_of_the_name_or_mostly_equal_ones(likely: str, other: str) -> None:
    assert proposed({other: "x", likely: "y"}, "status") == {"status": likely}


@pytest.mark.parametrize(
    "body",
    [
        *({"operation_id": None}, {"operation_id": ""}, {"operation_id": True}, {"operation_id": {}}),
        *({"operation_id": []}, {"amount": "1.00"}, {"ana@example.com": "x"}),
    ],
    ids=str,
)
def test_of_another_type_read_as_something_else_or_masked_it_is_no_candidate(body: dict[str, object]) -> None:
    assert wanted(body, "id")[0].candidates == ()


def test_of_several_that_are_as_much_alike_none_is_proposed_and_one_that_is_left_alone_is() -> None:
    found = answer({"operation_id": "x", "user_id": "y", "memo": "z"}, "id")
    assert (found.proposed, found.wanted[0].candidates) == ({}, ("operation_id", "user_id"))
    assert proposed({"uid": "x", "phase": "y"}, "id", "status") == {"id": "uid", "status": "phase"}
    assert list(proposed({"status_id": "x"}, "id", "status").values()) == ["status_id"], "for one thing only"
    assert wanted({"__": "x", "operation_id": "y"}, "id")[0].candidates == ("operation_id",), "a name without letters"


@pytest.mark.parametrize(
    ("body", "name", "is_there", "candidates"),
    [
        ({"operations_total": 3, "rows": [{"a": 1}]}, "operations", False, ("rows",)),
        ({"status": "ok", "memo": "x"}, "status", True, ()),
        ({"status": "ok", "statusText": "x"}, "status", True, ("statusText",)),
        ({"payload": {"operation": {"id": "x"}}}, "id", False, ()),
    ],
    ids=["a list among lists", "a value that does not fit", "and a name alike", "a field inside another"],
)
def test_what_may_be_meant(body: object, name: str, is_there: bool, candidates: tuple[str, ...]) -> None:
    [found] = wanted(body, name)
    assert (found.is_there, found.candidates) == (is_there, candidates)


def test_fields_are_looked_for_where_the_record_lies() -> None:
    record = {"ident": "x"}
    [found] = wanted({"total_id": "y", "rows": [record]}, "id", at=record)
    assert found.candidates == ("ident",)


def test_it_comes_back_from_storage_as_it_was() -> None:
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


_VALUES: dict[str, object] = {"text": "x", "whole": 1, "number": Decimal("1.5"), "list": [1], "object": {"a": 1}}


@pytest.mark.parametrize(
    ("types", "names"),
    [
        ("list object", "data partner payments operations bulk_payments webhooks events items successful driver"),
        ("text whole", "page pages last_page per_page total first last count payments_count pending completed failed"),
        ("text list object", "text sentences emotion audio vocals music"),
        ("text whole number", "id status amount email"),
    ],
)
def test_a_field_is_looked_for_among_those_of_its_types(types: str, names: str) -> None:
    for name in names.split():
        for type_, value in _VALUES.items():
            shape = shape_of({"unheard": value})
            found = looked_for(shape, section="payments.partner", name=name, known=(name,), read=())
            assert found.candidates == (("unheard",) if type_ in types.split() else ()), (name, type_)


def test_at_most_five_are_listed_those_that_are_alike_most_first() -> None:
    body = {"an_id": "x", "b_id": "x", "c_id": "x", "d_id": "x", "e_id": "x", "ID": "x"}
    assert wanted(body, "id")[0].candidates == ("ID", "an_id", "b_id", "c_id", "d_id")


@pytest.mark.parametrize(("body", "deeper"), [
    ({"id_of": {"x": 1}}, ""), ({"payload": {"operation": {"id": "x"}}}, "payload.operation.id"),
    ({"data": {"idd": "x"}}, ""), ({"data": {"operation_id": {}}}, ""),
    ({"data": {"operation_id": "x"}}, "data.operation_id"),
])  # fmt: skip
def test_what_lies_deeper_is_told_when_it_has_the_whole_name_and_may_be_it(body: object, deeper: str) -> None:
    assert wanted(body, "id")[0].deeper == deeper


def test_what_lies_deeper_is_looked_for_below_the_record_only() -> None:
    record = {"a": {"id": "x"}}
    assert wanted({"other": {"deep": {"id": 1}}, "rows": [record]}, "id", at=record)[0].deeper == "rows[].a.id"


@pytest.mark.parametrize(("theirs", "is_proposed"), [("stat", True), ("sta", False)])
def test_seven_of_ten_letters_are_alike(theirs: str, is_proposed: bool) -> None:
    assert bool(proposed({theirs: "x", "www": "y"}, "status")) is is_proposed

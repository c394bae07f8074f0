"""What an operator is told of an answer that could not be read: which field may be the one that was looked for."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from bot.domain.unread import UnreadAnswer, Wanted, looked_for, shape_of

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


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("id", "ID"),
        ("id", "operationId"),
        ("id", "uid"),
        ("status", "state"),
        ("status", "current_status"),
        ("last_page", "lastPage"),
        ("last_page", "LAST-PAGE"),
        ("amount", "amountValue"),
        ("email", "e_mail"),
    ],
)
def test_the_only_field_that_is_called_alike_is_proposed(ours: str, theirs: str) -> None:
    assert proposed({theirs: "1", "zzz": "x", "www": "y"}, ours) == {ours: theirs}


def test_the_same_letters_go_before_a_part_of_the_name() -> None:
    assert proposed({"Status": "x", "status_code": "y"}, "status") == {"status": "Status"}


def test_a_part_of_the_name_goes_before_letters_that_are_mostly_equal() -> None:
    assert proposed({"statuse": "x", "status_code": "y"}, "status") == {"status": "status_code"}


def test_letters_that_are_mostly_equal_go_before_others() -> None:
    assert proposed({"statuse": "x", "memo": "y"}, "status") == {"status": "statuse"}


def test_several_that_are_as_much_alike_are_all_listed_and_none_is_proposed() -> None:
    found = answer({"operation_id": "x", "user_id": "y", "memo": "z"}, "id")
    assert found.proposed == {}
    assert found.wanted[0].candidates == ("operation_id", "user_id")


def test_one_that_is_left_alone_is_proposed_whatever_it_is_called() -> None:
    assert proposed({"uid": "x", "phase": "y"}, "id", "status") == {"id": "uid", "status": "phase"}


def test_a_field_is_proposed_for_one_thing_only() -> None:
    assert list(proposed({"status_id": "x"}, "id", "status").values()) == ["status_id"]


@pytest.mark.parametrize("value", [None, "", True, {}, []])
def test_a_type_that_cannot_be_it_is_no_candidate(value: object) -> None:
    assert wanted({"operation_id": value}, "id")[0].candidates == ()


def test_a_list_is_looked_for_among_lists() -> None:
    [found] = wanted({"operations_total": 3, "rows": [{"a": 1}]}, "operations")
    assert found.candidates == ("rows",)


def test_what_the_table_reads_under_another_name_is_no_candidate() -> None:
    assert wanted({"amount": "1.00"}, "id")[0].candidates == ()


def test_what_is_masked_is_no_candidate() -> None:
    assert wanted({"ana@example.com": "x"}, "id")[0].candidates == ()


def test_a_value_that_does_not_fit_leaves_only_names_that_are_alike() -> None:
    [found] = wanted({"status": "ok", "memo": "x"}, "status")
    assert (found.is_there, found.candidates) == (True, ())
    [found] = wanted({"status": "ok", "statusText": "x"}, "status")
    assert (found.is_there, found.candidates) == (True, ("statusText",))


def test_a_field_inside_another_is_told_but_not_proposed() -> None:
    [found] = wanted({"payload": {"operation": {"id": "x"}}}, "id")
    assert (found.candidates, found.deeper) == ((), "payload.operation.id")


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


@pytest.mark.parametrize(
    ("body", "deeper"),
    [
        ({"id_of": {"x": 1}}, ""),
        ({"data": {"operationId": "x"}}, "data.operationId"),
        ({"data": {"idd": "x"}}, ""),
        ({"data": {"operation_id": {}}}, ""),
    ],
)
def test_what_lies_deeper_is_told_when_it_has_the_whole_name_and_may_be_it(body: object, deeper: str) -> None:
    assert wanted(body, "id")[0].deeper == deeper


def test_what_lies_deeper_is_looked_for_below_the_record_only() -> None:
    record = {"a": {"id": "x"}}
    assert wanted({"other": {"deep": {"id": 1}}, "rows": [record]}, "id", at=record)[0].deeper == "rows[].a.id"


@pytest.mark.parametrize(("theirs", "is_proposed"), [("stat", True), ("sta", False)])
def test_seven_of_ten_letters_are_alike(theirs: str, is_proposed: bool) -> None:
    assert bool(proposed({theirs: "x", "www": "y"}, "status")) is is_proposed


def test_a_name_without_letters_is_like_no_other() -> None:
    assert wanted({"__": "x", "operation_id": "y"}, "id")[0].candidates == ("operation_id",)

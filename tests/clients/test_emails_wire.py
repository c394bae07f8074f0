"""Answers about a whole file, as they come."""

import json

import pytest

from bot.clients.emails.wire import Whole, read_file_answer
from bot.clients.transport import read_reply


def read(document: object) -> object:
    body = json.dumps(document).encode()
    headers = {"content-type": "application/json"}
    whole = Whole(reply=read_reply(status=200, headers=headers, body=body), headers=headers, body=body)
    return read_file_answer(whole, receipt=("id",), result=("state",), name="result.csv")


@pytest.mark.parametrize("number", ["", "  "])
def test_a_blank_number_is_no_receipt(number: str) -> None:
    assert type(read({"id": number, "state": "done"})).__name__ != "Receipt"


@pytest.mark.parametrize("number", ["17", 17])
def test_a_number_is_a_receipt(number: object) -> None:
    assert type(read({"id": number, "state": "done"})).__name__ == "Receipt"


@pytest.mark.parametrize("number", [True, None, ["17"], {"a": "17"}, 1.5])
def test_what_is_neither_text_nor_number_is_no_receipt(number: object) -> None:
    assert type(read({"id": number, "state": "done"})).__name__ != "Receipt"


def test_values_are_kept_up_to_500_characters() -> None:
    found = read({"id": "n" * 501, "note": "m" * 501})
    kept = [getattr(found, "id"), dict(getattr(found, "pairs"))["note"]]  # noqa: B009 - of one of several types
    assert [len(one) for one in kept] == [500, 500]
    assert dict(getattr(read({"id": "17", "note": "m" * 500}), "pairs"))["note"] == "m" * 500  # noqa: B009


def test_an_answer_prints_nothing_that_the_service_sent_beside_it() -> None:
    """Its headers may hold an address or a key."""
    headers = {"location": "https://files.example.com/s3cret"}
    reply = read_reply(status=200, headers={}, body=b"")
    whole = Whole(reply=reply, headers=headers, body=b"s3cret", links=("s3cret",))
    assert "s3cret" not in repr(whole)

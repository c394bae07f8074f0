from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.outcome import (
    NO_JSON,
    Done,
    Failure,
    NotExecuted,
    Reply,
    Unknown,
    classify,
    read_error,
)
from bot.domain.reasons import Exchange, Reason
from bot.presentation.reasons import worded

REFUSED = (400, 401, 403, 404, 422)
NOTHING_LEFT = (Failure.NOT_CONNECTED, Failure.NOT_SENT, Failure.NOT_ASKED)


def accept(document: object) -> object:
    return document


def refuse(document: object) -> object:
    raise ValueError("the record of another operation")


def outcome(reply: Reply, *, read: Callable[[object], object] = accept, earlier_unknown: bool = False) -> object:
    return classify(reply, read=read, earlier_unknown=earlier_unknown)


@pytest.mark.parametrize("earlier_unknown", [False, True])
def test_http_status_decides_the_class_of_outcome(earlier_unknown: bool) -> None:
    for status in (0, *range(100, 601)):
        found = outcome(Reply(status=status, json={"id": "op1"}), earlier_unknown=earlier_unknown)
        if 200 <= status < 300:
            assert found == Done(value={"id": "op1"}), status
        elif earlier_unknown or status not in (*REFUSED, 429):
            assert isinstance(found, Unknown), status
        else:
            assert isinstance(found, NotExecuted), status
            assert (found.again, found.status) == (status == 429, status)


@pytest.mark.parametrize("reply", [
    Reply(status=200, json=NO_JSON), Reply(status=200, json=NO_JSON, is_html=True),
    Reply(status=200, json=NO_JSON, text="OK"), Reply(status=204),
])  # fmt: skip
def test_success_without_json_is_unknown_outcome(reply: Reply) -> None:
    shown: list[object] = []
    assert isinstance(outcome(reply, read=shown.append), Unknown)
    assert shown == []


@pytest.mark.parametrize("body", [None, [], {}, "text", 1, {"code": "NOT_FOUND", "message": "no"}])
def test_success_with_another_record_is_unknown(body: object) -> None:
    assert isinstance(outcome(Reply(status=200, json=body), read=refuse), Unknown)


def test_429_is_not_executed_and_retried() -> None:
    found = outcome(Reply(status=429, headers={"retry-after": "7"}))
    assert isinstance(found, NotExecuted)
    assert (found.again, found.retry_after) == (True, 7.0)


def test_missing_answer_is_an_unknown_outcome() -> None:
    assert outcome(Reply()) == Unknown(reason=Reason(Exchange.NO_ANSWER, failure=""))


@pytest.mark.parametrize("failure", list(Failure))
@pytest.mark.parametrize("earlier_unknown", [False, True])
def test_silence_is_not_executed_only_if_nothing_was_sent(failure: Failure, earlier_unknown: bool) -> None:
    found = outcome(Reply(failure=failure), earlier_unknown=earlier_unknown)
    if failure in NOTHING_LEFT:
        assert isinstance(found, NotExecuted)
        assert (found.again, found.failure) == (True, failure)
    else:
        assert isinstance(found, Unknown)
        assert found.failure is failure


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["id", "message", "messages", "code", "displayToUser", "error", "data"]) | st.text(),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
REPLIES = st.builds(
    Reply, status=st.none() | st.integers(min_value=-1, max_value=1000),
    headers=st.dictionaries(st.just("retry-after"), st.text(max_size=12)), json=st.just(NO_JSON) | JSON, text=st.text(),
    is_html=st.booleans(), failure=st.none() | st.sampled_from(Failure),
)  # fmt: skip


@given(reply=REPLIES, earlier_unknown=st.booleans(), is_read=st.booleans())
def test_classify_keeps_doubtful_outcomes_unknown(reply: Reply, earlier_unknown: bool, is_read: bool) -> None:
    found = outcome(reply, read=accept if is_read else refuse, earlier_unknown=earlier_unknown)
    if isinstance(found, Done):
        assert is_read
        assert reply.failure is None
        assert reply.status is not None
        assert 200 <= reply.status < 300
    elif isinstance(found, NotExecuted):
        left = reply.failure is None
        assert not (left and earlier_unknown)
        assert reply.failure in NOTHING_LEFT if not left else reply.status in {*REFUSED, 429}
    else:
        assert isinstance(found, Unknown)


@pytest.mark.parametrize(("raw", "seconds"), [
    ("3", 3.0), (" 0 ", None), ("0.000", None), ("0.001", 0.001), ("1.5", 1.5), ("999999", 3600.0), ("-1", None),
    ("soon", None), ("", None), ("1e9", None),
])  # fmt: skip
def test_retry_after_is_read_in_seconds_and_bounded(raw: str, seconds: float | None) -> None:
    assert Reply(status=429, headers={"retry-after": raw}).retry_after == seconds


@pytest.mark.parametrize(("json", "message"), [
    ({"status": 403, "message": "Forbidden"}, "Forbidden"),
    ({"data": {}, "code": "E1", "message": "Not found", "displayToUser": False}, "Not found"),
    ({"message": "Invalid", "messages": {"email": ["is required", "is odd"]}}, "Invalid; email: is required, is odd"),
    ({"message": "Invalid", "messages": {"email": "is odd"}}, "Invalid; email: is odd"),
    ({"message": "Just this"}, "Just this"),
    ({"error": {"code": "E2", "message": "Inside"}}, "Inside"),
    ({"error": "As text"}, "As text"),
    ("A JSON string", "A JSON string"),
    ({"message": 5, "messages": [1]}, ""),
    ([], ""),
])  # fmt: skip
def test_every_shape_of_an_error_body_is_read(json: object, message: str) -> None:
    assert read_error(Reply(status=422, json=json)).message == message


@pytest.mark.parametrize(
    ("flag", "words"), [(True, "Try less"), (None, "Try less"), (1, "Try less"), (False, ""), ("false", "")]
)
def test_service_message_is_quoted_unless_forbidden(flag: object, words: str) -> None:
    found = outcome(Reply(status=422, json={"message": "Try less", "displayToUser": flag}))
    assert isinstance(found, NotExecuted)
    assert (found.words, found.detail) == (words, "Try less")


@pytest.mark.parametrize(("body", "message", "whole"), [
    ({"data": {}, "code": "E1", "message": "Not found", "displayToUser": True}, "Not found", "Not found (E1)"),
    ({"message": "Not found", "messageKey": "NO_BOOKING"}, "Not found", "Not found (NO_BOOKING)"),
    ({"message": "E1: not found", "code": "E1"}, "E1: not found", "E1: not found"),
    ({"code": "E1", "message": None}, "", "E1"), ({"code": 17, "message": "Not found"}, "Not found", "Not found"),
    ({"code": "see https://bot.example/callbacks/s3cret", "message": "No"}, "No", "No (see [address])"),
])  # fmt: skip
def test_error_code_is_kept_for_the_audit(body: object, message: str, whole: str) -> None:
    said = read_error(Reply(status=404, json=body))
    assert (said.message, said.whole) == (message, whole)


def test_people_see_a_short_message_and_the_audit_a_longer_one() -> None:
    long = "word " * 1_000
    found = outcome(Reply(status=422, json={"message": long}))
    assert isinstance(found, NotExecuted)
    assert len(found.words) == 500
    assert len(worded(found.full_reason)) < 400
    assert worded(found.reason) == "the provider rejected the request (422)"
    assert found.facts["reason"] == found.reason.stored()
    assert found.facts["said"] == long[:2_000]


@pytest.mark.parametrize("page", ["<html>x", "x <!DOCTYPE html>", "a<br><body>b", "< SCRIPT >x"])
def test_web_page_in_a_message_is_not_quoted(page: str) -> None:
    said = read_error(Reply(status=500, json={"message": page, "messages": {"email": ["odd"]}}))
    assert (said.message, said.whole) == ("email: odd", "email: odd")


def test_addresses_quoted_by_the_service_are_removed() -> None:
    body = {"message": "bad uri https://bot.example/callbacks/payments/s3cret.", "displayToUser": True}
    found = outcome(Reply(status=422, json=body))
    assert isinstance(found, NotExecuted)
    assert found.words == "bad uri [address]"
    assert "s3cret" not in repr(found)


@given(JSON)
def test_error_messages_are_always_short_and_storable(json: object) -> None:
    said = read_error(Reply(status=422, json=json))
    assert len(said.message) <= 500
    assert "\x00" not in said.message
    said.message.encode()


def test_reply_repr_hides_the_body() -> None:
    assert "ana@example.com" not in repr(Reply(status=200, json={"email": "ana@example.com"}, text="ana@example.com"))

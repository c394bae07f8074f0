"""Every shape in which the service may complain, as one sentence a person can act on."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.calls import read_failure
from bot.clients.transport import read_reply
from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.outcome import Done, Failure, Reply, classify
from bot.domain.reasons import Exchange, Reason
from bot.presentation.reasons import sentence

NAMES = {"value": "amount", "email": "email", "confirmation_uri": "confirmation_uri", "items": "items"}
PAGE = "<!doctype html><html><body>Request <b>blocked</b> by gateway</body></html>"
TOKEN = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE"

PLAIN = {"status": 0, "message": "Internal rule 7 says no"}
CODED: dict[str, Any] = {"data": {}, "code": "E7", "message": "Internal rule 7 says no", "displayToUser": False}
SHOWN = CODED | {"message": "Your limit is used up", "displayToUser": True}
RULE = "“Internal rule 7 says no”"
FIELDS = {"message": "Internal rule 7", "messages": {"value": ["says no"], "email": "is odd"}}


def reply(status: int, body: object, **headers: str) -> Reply:
    is_text = isinstance(body, str)
    kind = "text/html" if is_text and str(body).startswith("<") else "application/json"
    raw = str(body) if is_text else json.dumps(body)
    return read_reply(status=status, headers={"Content-Type": kind} | headers, body=raw.encode())


def failure(given: Reply) -> ServiceNow | ServiceNever | OperatorError:
    credentials = "PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET"
    error = read_failure(given, service="payments", address="PAYMENTS_BASE_URL", credentials=credentials, names=NAMES)
    assert isinstance(error, ServiceNow | ServiceNever | OperatorError)
    return error


def told(given: Reply) -> str:
    return sentence(failure(given), for_admin=True)


def outcome(given: Reply, *, earlier_unknown: bool = False) -> str:
    found = classify(given, read=_no_record, earlier_unknown=earlier_unknown, names=NAMES)
    assert not isinstance(found, Done)
    return sentence(found, for_admin=True)


def _no_record(document: object) -> object:
    raise ValueError("no record")


CREDENTIALS = (
    "An admin has to fix this: Payments {}; check PAYMENTS_PARTNER_ID and "
    "PAYMENTS_PARTNER_SECRET: each environment has its own."
)
PROXY = (
    "An admin has to fix this: payments: a page came instead of an answer ({}), probably from a "
    "proxy; check PAYMENTS_BASE_URL and the route that SERVICES_FILE gives."
)
REFUSED = "Payments rejected the request. Check what you entered."
TROUBLE = "Payments is having problems"

READS: list[tuple[int, object, str]] = [
    (400, PLAIN, "Payments: Internal rule 7 says no."),
    (400, {}, REFUSED), (409, CODED, REFUSED),
    (404, CODED, "Payments doesn't have this. Check what you entered."),
    (404, SHOWN, "Payments: Your limit is used up."),
    (422, SHOWN | {"message": "Try less!"}, "Payments: Try less!"),
    (422, FIELDS | {"displayToUser": False},
     "Payments doesn't accept the amount and the email. Check what you entered."),
    (422, FIELDS | {"displayToUser": True}, "Payments: Internal rule 7; amount: says no; email: is odd."),
    *[(status, PAGE, PROXY.format(status)) for status in (400, 403, 404)],
    (401, PLAIN, CREDENTIALS.format(f"didn't accept our credentials (401), saying {RULE}")),
    (403, PLAIN, CREDENTIALS.format(f"doesn't allow this (403), saying {RULE}")),
    (403, CODED, CREDENTIALS.format("doesn't allow this (403)")),
    (302, "", "An admin has to fix this: payments answered with a redirect (302); check PAYMENTS_BASE_URL."),
    *[(status, body, f"{TROUBLE}. Try again in a minute.") for status, body in ((408, {}), (500, CODED), (502, PAGE))],
    (500, PLAIN, f"{TROUBLE}, saying {RULE}. Try again in a minute."),
    (503, {"message": "Back at <noon>"}, f"{TROUBLE}, saying “Back at <noon>”. Try again in a minute."),
    *[(status, body, "Payments sent an unexpected reply. Try again in a minute.")
      for status, body in ((200, PAGE), (204, ""))],
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "expected"), READS)
def test_failed_read_is_one_sentence(status: int, body: object, expected: str) -> None:
    assert told(reply(status, body)) == expected


WORDS: list[tuple[object, str]] = [
    (SHOWN | {"message": ""}, ""), (SHOWN | {"displayToUser": "true"}, "Your limit is used up"),
    (SHOWN | {"displayToUser": "false"}, ""), (FIELDS, "Internal rule 7; amount: says no; email: is odd"),
    ({"messages": {"items.0": ["x"], "items[1].amount": ["y"]}}, "items: x; items: y"),
    ({"messages": {"confirmation_uri": ["x"], "unheard": ["y"]}}, "confirmation uri: x; unheard: y"),
    ({"message": "no", "messages": {}}, "no"), ({"Message": "In capitals"}, "In capitals"),
    ({"error": {"code": "E", "message": "Inside", "displayToUser": True}}, "Inside"),
    ({"error": {"message": "Inside", "messages": {"email": ["odd"]}}}, "Inside; email: odd"),
    ({"error": "as text"}, "as text"), ({"error": ["In", "a list"]}, "In; a list"), ("plain text", "plain text"),
    ({"message": PAGE}, ""), (f"Bad gateway: {PAGE}", ""), ('"As a JSON string"', "As a JSON string"),
    (["a", "list"], "a; list"), ([{"message": "First"}, {"message": "second"}], "First; second"),
    ({"message": None, "error": "Behind null"}, "Behind null"), ({"error_message": "short"}, "short"),
    ({"error": "invalid_request", "error_description": "The code is used"}, "The code is used"),
    ({"type": "about:blank", "title": "Bad", "detail": "Too small", "status": 400}, "Too small"),
    ({"detail": [{"loc": ["body", "text"], "msg": "too short", "type": "x"}]}, "text: too short"),
    ({"message": "Validation failed", "errors": {"email": ["is odd"]}}, "Validation failed; email: is odd"),
    ({"errors": {"text": ["short", "not English"]}}, "text: short; not English"),
    ({"errors": [{"message": "too short"}]}, "too short"), ({"detail": [[[[["deep"]]]]]}, ""), ([1, 2], ""), ("", ""),
    ({"status": "error", "data": {"message": "In an envelope"}}, "In an envelope"),
    ({"fault": {"faultstring": "Out of quota"}}, "Out of quota"),
    ({"displayToUser": False, "error": {"message": "Hidden"}}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("body", "words"), WORDS)
def test_words_of_the_service_are_found_in_every_usual_shape(body: object, words: str) -> None:
    error = failure(reply(422, body))
    assert isinstance(error, ServiceNever)
    assert error.words == words


@pytest.mark.parametrize(("headers", "expected"), [
    ({}, "in a minute"), ({"Retry-After": "0"}, "in a minute"), ({"Retry-After": "9"}, "in 9 s"),
    ({"Retry-After": "1.2"}, "in 2 s"), ({"Retry-After": "600"}, "in 10 minutes"),
    ({"Retry-After": "Fri, 20 Nov 2026 10:00:00 GMT"}, "in a minute"),
])  # fmt: skip
def test_sentence_says_when_to_retry(headers: dict[str, str], expected: str) -> None:
    assert told(reply(429, {}, **headers)) == f"Payments is too busy. Try again {expected}."


@pytest.mark.parametrize("why", [Failure.TIMEOUT, Failure.NOT_CONNECTED, Failure.DROPPED, Failure.OVERSIZE])
def test_silence_is_one_sentence(why: Failure) -> None:
    assert told(Reply(failure=why)) == "Couldn't reach Payments. Try again in a minute."


def test_automatic_retry_gives_no_advice() -> None:
    sentences = [sentence(failure(reply(status, {})), advice=False) for status in (503, 400)]
    assert sentences == ["Payments is having problems.", "Payments rejected the request."]


UNKNOWN = "It's not confirmed yet whether this was done. We're checking. Don't do it again."

WRITES: list[tuple[Reply, str]] = [
    (reply(422, SHOWN), "Payments: Your limit is used up. Nothing was done."),
    (reply(422, FIELDS),
     "Payments: Internal rule 7; amount: says no; email: is odd. Nothing was done."),
    (reply(422, CODED), "Payments rejected the request. Nothing was done."),
    (reply(404, "text"), "Payments: text. Nothing was done."),
    (reply(404, {}), "Payments doesn't have this. Nothing was done."),
    (reply(401, CODED), "Payments didn't accept our credentials. Nothing was done."),
    (reply(403, PAGE), "Payments doesn't allow this. Nothing was done."),
    (reply(429, {}, **{"Retry-After": "3"}),
     "Payments is too busy. Nothing was done. Try again in 3 s."),
    (Reply(failure=Failure.NOT_SENT),
     "Couldn't reach Payments. Nothing was done. Try again in a minute."),
    (Reply(failure=Failure.TIMEOUT), f"Couldn't reach Payments. {UNKNOWN}"),
    (reply(500, PLAIN), f"Payments is having problems, saying {RULE}. {UNKNOWN}"),
    (reply(500, PAGE), f"Payments is having problems. {UNKNOWN}"),
    (reply(409, SHOWN), f"Payments gave no clear answer, saying “Your limit is used up”. {UNKNOWN}"),
    (reply(200, PAGE), f"Payments sent an unexpected reply. {UNKNOWN}"),
    (reply(200, SHOWN), f"Payments sent an unexpected reply, saying “Your limit is used up”. {UNKNOWN}"),
    (reply(200, CODED), f"Payments sent an unexpected reply. {UNKNOWN}"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "expected"), WRITES)
def test_failed_write_is_one_sentence(given: Reply, expected: str) -> None:
    assert outcome(given) == expected


def test_refusal_after_unknown_attempt_stays_unknown() -> None:
    said = outcome(reply(422, SHOWN), earlier_unknown=True)
    assert said == f"Payments gave no clear answer, saying “Your limit is used up”. {UNKNOWN}"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.just(f"https://bot.example/callbacks/payments/{TOKEN}"),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["message", "messages", "error", "code", "displayToUser", "value"]) | st.text(),
            inner,
            max_size=4,
        )
    ),
)


@given(status=st.integers(200, 599), body=JSON)
def test_any_error_is_one_short_line_without_token(status: int, body: object) -> None:
    given = Reply(status=status, json=body)
    for text in (told(given), outcome(given)):
        assert len(text) < 700
        assert text.splitlines() == [text]
        assert text[-1] in ".!?"
        assert TOKEN not in text


@pytest.mark.parametrize("kind", [ServiceNow, ServiceNever, OutcomeUnknown])
def test_log_names_the_service_without_its_message(kind: type[ServiceTrouble]) -> None:
    trouble = kind("delivery", Reason(Exchange.READ_ANSWERED, status=409), words="canary")
    assert str(trouble) == "delivery: read_answered (status=409)"

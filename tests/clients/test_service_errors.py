"""Every shape in which the service may complain, as one sentence a person can act on."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.clients.calls import read_failure
from bot.clients.transport import read_reply
from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow, ServiceTrouble, SwitchboardError
from bot.domain.outcome import Done, Failure, Reply, Unknown, classify
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


def failure(given: Reply) -> SwitchboardError:
    return read_failure(
        given,
        service="payments",
        address="PAYMENTS_BASE_URL",
        credentials="PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET",
        names=NAMES,
    )


def told(given: Reply) -> str:
    error = failure(given)
    assert isinstance(error, ServiceNow | ServiceNever | OperatorError)
    return sentence(error, for_admin=True)


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

READS: list[tuple[int, object, str]] = [
    (400, PLAIN, "Payments: Internal rule 7 says no."),
    (400, {}, REFUSED),
    (409, CODED, REFUSED),
    (404, CODED, "Payments doesn't have this. Check what you entered."),
    (404, SHOWN, "Payments: Your limit is used up."),
    (422, SHOWN | {"message": "Try less!"}, "Payments: Try less!"),
    (422, SHOWN | {"message": ""}, REFUSED),
    (422, SHOWN | {"displayToUser": "true"}, "Payments: Your limit is used up."),
    (422, SHOWN | {"displayToUser": "false"}, REFUSED),
    (422, FIELDS, "Payments: Internal rule 7; amount: says no; email: is odd."),
    (422, FIELDS | {"displayToUser": False},
     "Payments doesn't accept the amount and the email. Check what you entered."),
    (422, FIELDS | {"displayToUser": True},
     "Payments: Internal rule 7; amount: says no; email: is odd."),
    (422, {"messages": {"items.0": ["x"], "items[1].amount": ["y"]}},
     "Payments: items: x; items: y."),
    (422, {"messages": {"confirmation_uri": ["x"], "unheard": ["y"]}},
     "Payments: confirmation uri: x; unheard: y."),
    (422, {"message": "no", "messages": {}}, "Payments: no."),
    (400, {"message": "Just this"}, "Payments: Just this."),
    (400, {"error": {"code": "E", "message": "Inside", "displayToUser": True}}, "Payments: Inside."),
    (400, {"error": {"message": "Inside", "messages": {"email": ["odd"]}}},
     "Payments: Inside; email: odd."),
    (400, {"error": "as text"}, "Payments: as text."),
    (400, "plain text", "Payments: plain text."),
    (400, {"message": PAGE}, REFUSED),
    (400, f"Bad gateway: {PAGE}", REFUSED),
    (400, ["a", "list"], "Payments: a; list."),
    (400, [{"message": "First"}, {"message": "second"}], "Payments: First; second."),
    (400, {"Message": "In capitals"}, "Payments: In capitals."),
    (400, {"message": None, "error": "Behind null"}, "Payments: Behind null."),
    (400, {"error": ["In", "a list"]}, "Payments: In; a list."),
    (400, {"error": "invalid_request", "error_description": "The code is used"}, "Payments: The code is used."),
    (400, {"type": "about:blank", "title": "Bad", "detail": "Too small", "status": 400}, "Payments: Too small."),
    (400, {"message": "Validation failed", "errors": {"email": ["is odd"]}},
     "Payments: Validation failed; email: is odd."),
    (400, {"status": "error", "data": {"message": "In an envelope"}}, "Payments: In an envelope."),
    (400, {"fault": {"faultstring": "Out of quota"}}, "Payments: Out of quota."),
    (400, {"displayToUser": False, "error": {"message": "Hidden"}}, REFUSED),
    (400, '"As a JSON string"', "Payments: As a JSON string."),
    (400, PAGE, PROXY.format(400)),
    (404, PAGE, PROXY.format(404)),
    (401, PLAIN, CREDENTIALS.format(f"didn't accept our credentials (401), saying {RULE}")),
    (403, PLAIN, CREDENTIALS.format(f"doesn't allow this (403), saying {RULE}")),
    (403, CODED, CREDENTIALS.format("doesn't allow this (403)")),
    (403, PAGE, PROXY.format(403)),
    (302, "", "An admin has to fix this: payments answered with a redirect (302); "
              "check PAYMENTS_BASE_URL."),
    (408, {}, "Payments is having problems. Try again in a minute."),
    (500, PLAIN, f"Payments is having problems, saying {RULE}. Try again in a minute."),
    (500, CODED, "Payments is having problems. Try again in a minute."),
    (503, {"message": "Back at <noon>"},
     "Payments is having problems, saying “Back at <noon>”. Try again in a minute."),
    (502, PAGE, "Payments is having problems. Try again in a minute."),
    (200, PAGE, "Payments sent an unexpected reply. Try again in a minute."),
    (204, "", "Payments sent an unexpected reply. Try again in a minute."),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "expected"), READS)
def test_a_failed_read_in_one_sentence(status: int, body: object, expected: str) -> None:
    assert told(reply(status, body)) == expected


@pytest.mark.parametrize(("headers", "expected"), [
    ({}, "in a minute"), ({"Retry-After": "0"}, "in a minute"), ({"Retry-After": "9"}, "in 9 s"),
    ({"Retry-After": "1.2"}, "in 2 s"), ({"Retry-After": "600"}, "in 10 minutes"),
    ({"Retry-After": "Fri, 20 Nov 2026 10:00:00 GMT"}, "in a minute"),
])  # fmt: skip
def test_when_to_try_again_is_said(headers: dict[str, str], expected: str) -> None:
    assert told(reply(429, {}, **headers)) == f"Payments is too busy. Try again {expected}."


@pytest.mark.parametrize(
    ("why", "expected"),
    [
        (Failure.TIMEOUT, "Couldn't reach Payments. Try again in a minute."),
        (Failure.NOT_CONNECTED, "Couldn't reach Payments. Try again in a minute."),
        (Failure.DROPPED, "Couldn't reach Payments. Try again in a minute."),
        (Failure.OVERSIZE, "Couldn't reach Payments. Try again in a minute."),
    ],
)
def test_silence_in_one_sentence(why: Failure, expected: str) -> None:
    assert told(Reply(failure=why)) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [(503, "Payments is having problems."), (400, "Payments rejected the request.")],
)
def test_what_switchboard_asks_again_itself_gives_no_advice(status: int, expected: str) -> None:
    error = failure(reply(status, {}))
    assert isinstance(error, ServiceNow | ServiceNever)
    assert sentence(error, advice=False) == expected


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
def test_a_failed_write_in_one_sentence(given: Reply, expected: str) -> None:
    assert outcome(given) == expected


def test_a_refusal_after_an_unknown_attempt_proves_nothing() -> None:
    said = outcome(reply(422, SHOWN), earlier_unknown=True)
    told_all = "Payments gave no clear answer, saying “Your limit is used up”."
    assert said == f"{told_all} {UNKNOWN}"


def test_errors_of_other_places_are_sentences_too() -> None:
    assert sentence(ServiceNever("payments", Reason(Exchange.LIST_ENDS, page=3))) == (
        "Payments' list ends with page 3."
    )
    assert sentence(Unknown(reason=Reason(Exchange.NO_ANSWER, failure="timed out")), service="delivery") == (
        f"Couldn't reach Delivery. {UNKNOWN}"
    )
    assert sentence(OperatorError("PUBLIC_URL is missing")) == ("An admin has to fix this: PUBLIC_URL is missing.")


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
def test_whatever_comes_is_one_short_line_without_a_token(status: int, body: object) -> None:
    given = Reply(status=status, json=body)
    for text in (told(given), outcome(given)):
        assert len(text) < 700
        assert text.splitlines() == [text]
        assert text[-1] in ".!?"
        assert TOKEN not in text


@pytest.mark.parametrize("kind", [ServiceNow, ServiceNever, OutcomeUnknown])
def test_trouble_in_a_log_names_the_service_and_holds_none_of_its_words(kind: type[ServiceTrouble]) -> None:
    trouble = kind("delivery", Reason(Exchange.READ_ANSWERED, status=409), words="canary")
    assert str(trouble) == "delivery: read_answered (status=409)"
